/* SPDX-License-Identifier: Apache-2.0
 * Built-in models from the command line: the list of them, and trainings of those that are not
 * plain classifiers of pictures. */
#include <string.h>

#include "tests/app/cli/training-fixture.h"

#define STEPS 60
#define STEPS_SETTING "train.steps=" G_STRINGIFY (STEPS)

static void
test_list (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "train", "--list");
  g_auto (GStrv) lines = g_strsplit (program->out, "\n", -1);
  g_autoptr (GRegex) row = g_regex_new (
      "^resnet50 +25,557,032 +8\\d{3}\\.\\d\\d  3×224×224 +residual", G_REGEX_MULTILINE, 0, NULL);

  sonde_test_assert_status (program, 0);
  g_assert_cmpstr (program->err, ==, "");
  /* a head, twelve models, what stands behind the last newline */
  g_assert_cmpuint (g_strv_length (lines), ==, 14);
  g_assert_true (g_str_has_prefix (lines[1], "mlp "));
  g_assert_true (g_regex_match (row, program->out, 0, NULL));
  sonde_test_folder_free (folder);
}

static void
test_json (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "train", "--list", "--json");
  g_autoptr (JsonNode) json = NULL;
  JsonArray *models;
  JsonObject *vgg;

  sonde_test_assert_status (program, 0);
  json = sonde_test_parse_json (program->out);
  models = json_object_get_array_member (json_node_get_object (json), "models");
  g_assert_cmpuint (json_array_get_length (models), ==, 12);
  vgg = json_array_get_object_element (models, 3);
  g_assert_cmpstr (json_object_get_string_member (vgg, "name"), ==, "vgg11");
  g_assert_cmpint (json_object_get_int_member (vgg, "parameters"), ==, 132863336);
  g_assert_cmpstr (json_object_get_string_member (vgg, "loss"), ==, "cross-entropy");
  g_assert_cmpstr (json_object_get_string_member (vgg, "input"), ==, "3×224×224");
  sonde_test_folder_free (folder);
}

static void
test_misuse (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "train", "--list", "lenet");

  sonde_test_assert_status (program, 2);
  sonde_test_assert_contains (program->err, "--list");
  g_assert_cmpstr (program->out, ==, "");
  sonde_test_folder_free (folder);
}

/* Of @n entries from @begin. */
static double
mean (GPtrArray *points, guint begin, guint n)
{
  double sum = 0;

  for (guint i = begin; i < begin + n; i++)
    sum += ((TrainingPoint *) points->pdata[i])->value;
  return sum / n;
}

/* Loss over the run: means of the first and of the last steps. */
static void
train (const char *model, double *first, double *last)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, NULL, "train", model, TRAINING_SMALL, "--set",
                        "data.source=glyphs:size=12", "--set", STEPS_SETTING, "--set",
                        "train.optimiser=adam", "--set", "train.learning-rate=0.005", "--run", "r");
  g_autoptr (GPtrArray) points = NULL, losses = NULL;

  if (program->status != 0)
    g_test_message ("%s", program->err);
  sonde_test_assert_status (program, 0);
  points = training_export (folder, "r");
  losses = training_points (points, "loss");
  g_assert_cmpuint (losses->len, ==, STEPS);
  *first = mean (losses, 0, 5);
  *last = mean (losses, STEPS - 10, 10);
  g_test_message ("%s: loss %g, then %g", model, *first, *last);
  sonde_test_folder_free (folder);
}

/* Its labels are its input, its loss the mean square, without a word in the recipe. */
static void
test_autoencoder (void)
{
  double first, last;

  train ("autoencoder", &first, &last);
  g_assert_cmpfloat (last, <, 0.8 * first);
}

/* Rows of the pictures as a sequence. */
static void
test_sequences (gconstpointer model)
{
  double first, last;

  train (model, &first, &last);
  g_assert_cmpfloat (last, <, first);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/models/list", test_list);
  g_test_add_func ("/app/cli/models/json", test_json);
  g_test_add_func ("/app/cli/models/misuse", test_misuse);
  g_test_add_func ("/app/cli/models/autoencoder", test_autoencoder);
  g_test_add_data_func ("/app/cli/models/lstm-classifier", "lstm-classifier", test_sequences);
  g_test_add_data_func ("/app/cli/models/transformer-encoder", "transformer-encoder",
                        test_sequences);
  return g_test_run ();
}
