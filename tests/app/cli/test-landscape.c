/* SPDX-License-Identifier: Apache-2.0
 * `sonde landscape`: losses against the training's own, what is recorded, what is not computed twice, what is
 * refused. */
#include <math.h>
#include <signal.h>
#include <string.h>

#include "data/records/sonde-record-reader.h"
#include "tests/app/cli/training-fixture.h"

#define TRAIN "train", "mlp", TRAINING_SMALL, "--set", "train.steps=12", "--run", "r"

static void
train (const char *folder)
{
  g_autoptr (SondeTestProgram) program = sonde_test_run (
      folder, NULL, TRAIN, "--set", "checkpoint.every=3", "--set", "checkpoint.keep=0");

  sonde_test_assert_status (program, 0);
}

static guint
count_record_files (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "r", "records", NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* The landscape that stands alone in records/NUMBER.sonde; the caller clears it. */
static void
read_landscape (const char *folder, const char *number, SondeRecord *landscape)
{
  g_autofree char *name = g_strconcat (number, ".sonde", NULL);
  g_autofree char *path = g_build_filename (folder, "r", "records", name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeRecordReader) reader = sonde_record_reader_open (NULL, path, &error);
  SondeRecord record;
  guint n = 0;

  g_assert_no_error (error);
  while (sonde_record_reader_next (reader, &record, NULL, &error) == SONDE_FRAME_RECORD)
    if (record.kind == SONDE_RECORD_LANDSCAPE && n++ == 0)
      *landscape = record;
    else
      sonde_record_clear (&record);
  g_assert_cmpuint (n, ==, 1);
}

static double
get_place (JsonObject *result, const char *name, const char *member)
{
  return json_object_get_double_member (json_object_get_object_member (result, name), member);
}

/* ---- what it computes ---------------------------------------------------- */

/* The end is, to the bit, what the training's own evaluation had. */
static void
test_end (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = NULL;
  g_autoptr (JsonNode) json = NULL;
  g_autoptr (GPtrArray) points = NULL, losses = NULL;
  const TrainingPoint *last;

  train (folder);
  program = sonde_test_run (folder, NULL, "landscape", "r", "--grid", "3", "--part", "test",
                            "--batches", "all", "--json");
  sonde_test_assert_status (program, 0);
  json = sonde_test_parse_json (program->out);
  points = training_export (folder, "r");
  losses = training_points (points, "test/loss");
  last = losses->pdata[losses->len - 1];
  g_assert_cmpfloat (get_place (json_node_get_object (json), "end", "loss"), ==, last->value);
  sonde_test_folder_free (folder);
}

static void
check_members (JsonObject *result)
{
  sonde_test_assert_members (
      result, "run tag step reused directions loss part samples seed points not_finite "
              "end lowest path shares seconds points_per_second "
              "plain_points_per_second");
  g_assert_cmpstr (json_object_get_string_member (result, "tag"), ==, "landscape/random");
  g_assert_cmpint (json_object_get_int_member (result, "step"), ==, 12);
  g_assert_cmpint (json_object_get_int_member (result, "points"), ==, 25);
  g_assert_cmpint (json_object_get_int_member (result, "samples"), ==, 32);
  g_assert_false (json_object_get_boolean_member (result, "reused"));
  g_assert_cmpfloat (json_object_get_double_member (result, "points_per_second"), >, 0);
}

/* In the middle of the grid is the end; elsewhere is another loss. */
static void
check_surface (const SondeRecord *landscape, double end)
{
  const SondeTensor *z = landscape->u.landscape.z;

  g_assert_cmpstr (landscape->u.landscape.decomposition, ==, "random");
  g_assert_cmpstr (landscape->u.landscape.loss, ==, "cross-entropy");
  g_assert_cmpint (z->shape.dims[0], ==, 5);
  g_assert_cmpint (z->shape.dims[1], ==, 5);
  g_assert_cmpfloat (sonde_tensor_get_double (landscape->u.landscape.x, 0), ==, -0.5);
  g_assert_cmpfloat (sonde_tensor_get_double (z, 12), ==, end);
  g_assert_cmpfloat (landscape->u.landscape.found[2], ==, end);
  for (gint64 i = 0; i < 25; i++)
    if (i != 12)
      g_assert_cmpfloat (sonde_tensor_get_double (z, i), !=, end);
}

static void
test_random (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = NULL, again = NULL, anew = NULL;
  g_autoptr (JsonNode) json = NULL, again_json = NULL;
  SondeRecord first = { 0 }, second = { 0 };

  train (folder);
  g_assert_cmpuint (count_record_files (folder), ==, 1);
#define RANDOM "landscape", "r", "--grid", "5", "--range", "0.5", "--batches", "2", "--json"
  program = sonde_test_run (folder, NULL, RANDOM);
  sonde_test_assert_status (program, 0);
  g_assert_cmpstr (program->err, ==, "");
  json = sonde_test_parse_json (program->out);
  check_members (json_node_get_object (json));
  read_landscape (folder, "000002", &first);
  check_surface (&first, get_place (json_node_get_object (json), "end", "loss"));

  again = sonde_test_run (folder, NULL, RANDOM);
  again_json = sonde_test_parse_json (again->out);
  g_assert_true (json_object_get_boolean_member (json_node_get_object (again_json), "reused"));
  g_assert_cmpfloat (get_place (json_node_get_object (again_json), "lowest", "loss"), ==,
                     get_place (json_node_get_object (json), "lowest", "loss"));
  g_assert_cmpuint (count_record_files (folder), ==, 2);

  anew = sonde_test_run (folder, NULL, RANDOM, "--again");
  sonde_test_assert_status (anew, 0);
  read_landscape (folder, "000003", &second);
  g_assert_true (sonde_tensor_equal (first.u.landscape.z, second.u.landscape.z));
  sonde_record_clear (&first);
  sonde_record_clear (&second);
  sonde_test_folder_free (folder);
}

/* Steps 0, 3, 6, 9, 12 lie within the picture, most of the way in its plane; the end is at (0, 0). */
static void
test_path (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = NULL;
  SondeRecord record = { 0 };
  const SondeTensor *x, *path_x, *path_y, *steps;

  train (folder);
  program = sonde_test_run (folder, NULL, "landscape", "r", "--directions", "pca", "--grid", "4",
                            "--batches", "1");
  sonde_test_assert_status (program, 0);
  sonde_test_assert_contains (program->out, "path: 5 checkpoints of 5");
  read_landscape (folder, "000002", &record);
  g_assert_cmpstr (record.tag, ==, "landscape/path");
  g_assert_cmpfloat (record.u.landscape.shares[0] + record.u.landscape.shares[1], >, 0.9);
  g_assert_cmpfloat (record.u.landscape.shares[0], >, record.u.landscape.shares[1]);
  x = record.u.landscape.x;
  path_x = record.u.landscape.path_x;
  path_y = record.u.landscape.path_y;
  steps = record.u.landscape.intervals;
  for (gint64 i = 0; i < 5; i++)
    {
      g_assert_cmpint (sonde_tensor_get_int (steps, i), ==, 3 * i);
      g_assert_cmpfloat (sonde_tensor_get_double (path_x, i), >, sonde_tensor_get_double (x, 0));
      g_assert_cmpfloat (sonde_tensor_get_double (path_x, i), <, sonde_tensor_get_double (x, 3));
    }
  g_assert_cmpfloat (sonde_tensor_get_double (path_x, 0), >, 0);
  g_assert_cmpfloat (sonde_tensor_get_double (path_x, 4), ==, 0);
  g_assert_cmpfloat (sonde_tensor_get_double (path_y, 4), ==, 0);
  sonde_record_clear (&record);
  sonde_test_folder_free (folder);
}

/* ---- what it refuses ----------------------------------------------------- */

static void
refuse (const char *folder, int status, const char *said, const char *const *arguments)
{
  g_autoptr (SondeTestProgram) program = sonde_test_run_strv (folder, NULL, arguments);

  sonde_test_assert_status (program, status);
  sonde_test_assert_contains (program->err, said);
  g_assert_cmpstr (program->out, ==, "");
}

#define REFUSE(status, said, ...)                                                                  \
  refuse (folder, status, said, (const char *const[]){ "landscape", __VA_ARGS__, NULL })

static void
test_refused (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *checkpoints = g_build_filename (folder, "r", "checkpoints", NULL);
  g_autofree char *recipe = g_build_filename (folder, "r", "run.ini", NULL);
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, TRAIN);

  sonde_test_assert_status (program, 0);
  REFUSE (2, "--grid", "r", "--grid", "2");
  REFUSE (2, "--grid", "r", "--grid", "257");
  REFUSE (2, "--directions", "r", "--directions", "up");
  REFUSE (2, "--part", "r", "--part", "both");
  REFUSE (2, "--batches", "r", "--batches", "0");
  REFUSE (2, "--range", "r", "--range", "-1");
  REFUSE (1, "checkpoint.keep=0", "r", "--directions", "pca", "--grid", "3");
  sonde_test_remove (checkpoints);
  REFUSE (1, "contains no checkpoint", "r");
  sonde_test_remove (recipe);
  REFUSE (1, "contains no run.ini", "r");
  REFUSE (1, "contains no run.ini", "nowhere");
  g_assert_cmpuint (count_record_files (folder), ==, 1);
  sonde_test_folder_free (folder);
}

/* Ended in the middle: nothing is left, and the program says by its status what ended it. */
static void
test_signal (void)
{
  const char *const arguments[]
      = { "landscape", "r", "--grid", "256", "--batches", "all", "--progress", NULL };
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = NULL;

  train (folder);
  program = sonde_test_start (folder, NULL, arguments);
  training_wait_for_text (program->err_path, "{\"points\":", 60);
  kill (program->pid, SIGINT);
  g_assert_cmpint (sonde_test_wait (program, 60), ==, 128 + SIGINT);
  g_assert_cmpstr (program->out, ==, "");
  g_assert_cmpuint (count_record_files (folder), ==, 1);
  sonde_test_folder_free (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cli/landscape/end", test_end);
  g_test_add_func ("/cli/landscape/random", test_random);
  g_test_add_func ("/cli/landscape/path", test_path);
  g_test_add_func ("/cli/landscape/refused", test_refused);
  g_test_add_func ("/cli/landscape/signal", test_signal);
  return g_test_run ();
}
