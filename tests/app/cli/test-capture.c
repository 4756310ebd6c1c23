/* SPDX-License-Identifier: Apache-2.0
 * Capture files as a user has them: saved in one session, run again in another, bit for bit. */
#include <string.h>

#include "data/arrays/sonde-npy.h"
#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-tensor.h"

/* Runs the REPL on @commands. (transfer full): its answers */
static JsonArray *
debug (const char *folder, const char *commands, const char *const *arguments)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autoptr (SondeTestProgram) program = NULL;
  g_auto (GStrv) lines = NULL;
  JsonArray *answers = json_array_new ();

  g_ptr_array_add (all, (char *) "debug");
  for (gsize i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (all, (char *) arguments[i]);
  g_ptr_array_add (all, (char *) "--repl");
  g_ptr_array_add (all, (char *) "--json");
  g_ptr_array_add (all, NULL);
  program = sonde_test_run_strv (folder, commands, (const char *const *) all->pdata);
  sonde_test_assert_status (program, 0);
  lines = g_strsplit (program->out, "\n", -1);
  for (gsize i = 0; lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      g_autoptr (JsonNode) node = sonde_test_parse_json (lines[i]);
      JsonObject *answer = json_node_get_object (node);

      if (json_object_has_member (answer, "error"))
        g_test_message ("%s", lines[i]);
      json_array_add_object_element (answers, json_object_ref (answer));
    }
  return answers;
}

static void
assert_all_ok (JsonArray *answers, guint n)
{
  g_assert_cmpuint (json_array_get_length (answers), ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_true (
        json_object_get_boolean_member (json_array_get_object_element (answers, i), "ok"));
}

static void
assert_same_file (const char *folder, const char *a, const char *b)
{
  g_autofree char *path_a = g_build_filename (folder, a, NULL),
                  *path_b = g_build_filename (folder, b, NULL);
  g_autofree char *bytes_a = NULL, *bytes_b = NULL;
  gsize length_a, length_b;

  g_assert_true (g_file_get_contents (path_a, &bytes_a, &length_a, NULL));
  g_assert_true (g_file_get_contents (path_b, &bytes_b, &length_b, NULL));
  g_assert_cmpmem (bytes_a, length_a, bytes_b, length_b);
}

/* As JSON and as text; whole is what was asked for. */
static void
assert_inspected (const char *folder, const char *file)
{
  g_autoptr (SondeTestProgram) json = sonde_test_run (folder, NULL, "inspect", "--json", file);
  g_autoptr (SondeTestProgram) text = sonde_test_run (folder, NULL, "inspect", file);
  g_autoptr (JsonNode) node = sonde_test_parse_json (json->out);
  JsonObject *found = json_node_get_object (node),
             *facts = json_object_get_object_member (found, "facts");
  JsonArray *values = json_object_get_array_member (found, "values");
  gboolean loss = FALSE;

  g_assert_cmpstr (json_object_get_string_member (found, "format"), ==, "capture");
  g_assert_true (json_object_get_boolean_member (found, "replayable"));
  g_assert_cmpstr (json_object_get_string_member (facts, "step"), ==, "3");
  for (guint i = 0; i < json_array_get_length (values); i++)
    {
      JsonObject *value = json_array_get_object_element (values, i);

      if (g_str_equal (json_object_get_string_member (value, "name"), "loss"))
        loss = json_object_get_boolean_member (value, "whole");
    }
  g_assert_true (loss);
  sonde_test_assert_contains (text->out, "sonde debug moment.sondecap");
}

#define TRAINING                                                                                   \
  "mlp", "--set", "train.steps=4", "--set", "data.source=glyphs", "--set", "train.optimiser=adam"

/* The third step of a training: its gradients and updates come out of the file as they came out of
 * the training. */
static void
test_training (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (JsonArray) saved = debug (
      folder,
      "until step:3\nuntil phase:backward\ncapture save moment.sondecap loss\nuntil "
      "phase:optimiser\n"
      "save grad(fc1.weight) gradient.npy\nuntil step:4\nsave fc1.weight weight.npy\nquit\n",
      (const char *const[]){ TRAINING, "--run", "run", NULL });
  g_autoptr (JsonArray) again = debug (
      folder,
      "run\nsave grad(fc1.weight) gradient2.npy\nsave fc1.weight' weight2.npy\ninfo state\nquit\n",
      (const char *const[]){ "moment.sondecap", NULL });

  assert_all_ok (saved, 8);
  assert_all_ok (again, 5);
  assert_same_file (folder, "gradient.npy", "gradient2.npy");
  assert_same_file (folder, "weight.npy", "weight2.npy");
  g_assert_cmpint (json_object_get_int_member (json_array_get_object_element (again, 3), "step"),
                   ==, 3);
  assert_inspected (folder, "moment.sondecap");
  sonde_test_folder_free (folder);
}

/* Breakpoints come along, on and off; an edit of an input and of a weight is part of what is
 * captured. */
static void
test_inference (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = sonde_test_shared_path ("models/lenet-mnist/lenet-mnist.onnx");
  g_autofree char *input = sonde_test_shared_path ("models/lenet-mnist/inputs.npy");
  g_autoptr (JsonArray) saved = NULL, again = NULL, inside = NULL;

  if (model == NULL || input == NULL)
    {
      g_test_skip ("shared/models/lenet-mnist is not there");
      sonde_test_folder_free (folder);
      return;
    }
  saved = debug (folder,
                 "break /Relu_2 after if max(x) > 1\nbreak op:MaxPool\ndisable 2\nwatch preset "
                 "tensor_too_large max_gt=1e6 on logits\nwatch absmax(x) > 1e9\nset x[0, 0, 3, 4] "
                 "= 7\nset fc3.bias[2] = 100\n"
                 "capture save a.sondecap\nrun\ncontinue\nsave logits logits.npy\nquit\n",
                 (const char *const[]){ model, "--input", input, NULL });
  assert_all_ok (saved, 12);
  again = debug (folder,
                 "info breakpoints\nrun\ncontinue\nsave logits logits2.npy\ninfo watches\nquit\n",
                 (const char *const[]){ "a.sondecap", NULL });
  assert_all_ok (again, 6);
  assert_same_file (folder, "logits.npy", "logits2.npy");
  {
    JsonArray *stops
        = json_object_get_array_member (json_array_get_object_element (again, 0), "breakpoints");

    g_assert_cmpuint (json_array_get_length (stops), ==, 2);
    g_assert_true (
        json_object_get_boolean_member (json_array_get_object_element (stops, 0), "enabled"));
    g_assert_false (
        json_object_get_boolean_member (json_array_get_object_element (stops, 1), "enabled"));
    stops = json_object_get_array_member (json_array_get_object_element (again, 4), "watches");
    g_assert_cmpuint (json_array_get_length (stops), ==, 2);
    g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (stops, 0), "on"),
                     ==, "logits");
  }
  g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (again, 1), "node"),
                   ==, "/Relu_2");
  /* into a session that runs something else */
  inside = debug (folder,
                  "run\ncapture open a.sondecap\nrun\ncontinue\nsave logits logits3.npy\nquit\n",
                  (const char *const[]){ model, NULL });
  assert_all_ok (inside, 6);
  assert_same_file (folder, "logits.npy", "logits3.npy");
  sonde_test_folder_free (folder);
}

static void
test_refusals (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "bad.sondecap", NULL);
  g_autoptr (SondeTestProgram) missing = NULL, bad = NULL;
  g_autoptr (JsonArray) answers = NULL;

  g_assert_true (g_file_set_contents (path, "SQLite format 3", -1, NULL));
  missing = sonde_test_run (folder, "quit\n", "debug", "none.sondecap", "--repl");
  bad = sonde_test_run (folder, "quit\n", "debug", "bad.sondecap", "--repl");
  sonde_test_assert_status (missing, 1);
  sonde_test_assert_contains (missing->err, "none.sondecap");
  sonde_test_assert_status (bad, 1);
  sonde_test_assert_contains (bad->err, "bad.sondecap");
  answers = debug (
      folder,
      "capture\ncapture save\ncapture save none/a.sondecap\ncapture open none.sondecap\nquit\n",
      (const char *const[]){ TRAINING, "--run", "run", NULL });
  for (guint i = 0; i < 4; i++)
    g_assert_false (
        json_object_get_boolean_member (json_array_get_object_element (answers, i), "ok"));
  sonde_test_folder_free (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/capture/training", test_training);
  g_test_add_func ("/app/capture/inference", test_inference);
  g_test_add_func ("/app/capture/refusals", test_refusals);
  return g_test_run ();
}
