/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect` and `sonde export` as a user calls them: the built program, its output, its files
 * and its exit status. No shell. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-glib/json-glib.h>

#include "data/arrays/sonde-npy.h"
#include "data/images/sonde-png.h"
#include "tests/data/runs/run-files.h"

typedef struct
{
  char *folder, *runs, *output;
  char *program;
  char *out, *err;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *cache = NULL;

  fixture->folder = run_folder_new ();
  fixture->runs = g_build_filename (fixture->folder, "runs", NULL);
  fixture->output = g_build_filename (fixture->folder, "out", NULL);
  fixture->program = g_build_filename (g_getenv ("SONDE_BUILD"), "app", "sonde", NULL);
  cache = g_build_filename (fixture->folder, "cache", NULL);
  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  run_folder_remove (fixture->folder);
  g_free (fixture->runs);
  g_free (fixture->output);
  g_free (fixture->program);
  g_free (fixture->out);
  g_free (fixture->err);
}

static void
close_stdin (gpointer data)
{
  close (STDIN_FILENO);
}

/* Runs `sonde ARGUMENT…`; its output is in the fixture until the next call. Returns its exit
 * status. */
static int
call (Fixture *fixture, ...)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  const char *argument;
  va_list list;
  int status;

  g_clear_pointer (&fixture->out, g_free);
  g_clear_pointer (&fixture->err, g_free);
  g_ptr_array_add (arguments, fixture->program);
  va_start (list, fixture);
  while ((argument = va_arg (list, const char *)) != NULL)
    g_ptr_array_add (arguments, (char *) argument);
  va_end (list);
  g_ptr_array_add (arguments, NULL);
  g_spawn_sync (NULL, (char **) arguments->pdata, NULL, G_SPAWN_CHILD_INHERITS_STDIN, close_stdin,
                NULL, &fixture->out, &fixture->err, &status, &error);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (status));
  return WEXITSTATUS (status);
}

static JsonObject *
parse (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  JsonNode *root = json_from_string (fixture->out, &error);
  JsonObject *object;

  g_assert_no_error (error);
  object = json_object_ref (json_node_get_object (root));
  json_node_unref (root);
  return object;
}

static JsonObject *
first_of (JsonObject *object, const char *member)
{
  return json_array_get_object_element (json_object_get_array_member (object, member), 0);
}

static char *
read_output (Fixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->output, name, NULL);
  g_autoptr (GError) error = NULL;
  char *text;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

/* Two files of two sessions; the second begins earlier. */
static void
write_run (Fixture *fixture)
{
  static const SondeScalar three[]
      = { { "loss", 0.1 }, { "a,\"b\"", NAN }, { "accuracy", -INFINITY } };
  RunFile *first = run_file_new (1, "%s/lenet/records/000001.sonde", fixture->runs);
  RunFile *second = run_file_new (2, "%s/lenet/records/000002.sonde", fixture->runs);

  run_file_add_scalars (first, 7, three, 3);
  run_file_add_scalar (first, 8, "loss", 1e300);
  run_file_add_text (first, 8, "notes", "line\n\"two\"");
  run_file_add_scalar (second, -3, "loss", INFINITY);
  run_file_free (first);
  run_file_free (second);
}

/* ---- inspect ------------------------------------------------------------- */

static void
check_inspected_run (JsonObject *root)
{
  JsonArray *runs = json_object_get_array_member (root, "runs");
  JsonObject *run = json_array_get_object_element (runs, 0), *file, *tag;
  JsonArray *tags = json_object_get_array_member (run, "tags");

  g_assert_cmpuint (json_array_get_length (runs), ==, 1);
  g_assert_cmpstr (json_object_get_string_member (run, "path"), ==, "lenet");
  g_assert_cmpstr (json_object_get_string_member (run, "format"), ==, "sonde");
  file = first_of (run, "files");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (run, "files")), ==, 2);
  g_assert_cmpstr (json_object_get_string_member (file, "path"), ==, "records/000001.sonde");
  g_assert_cmpint (json_object_get_int_member (file, "records"), ==, 4);
  g_assert_false (json_object_get_boolean_member (file, "waiting"));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (file, "damaged")), ==, 0);
  g_assert_cmpuint (json_array_get_length (tags), ==, 4);
  tag = json_array_get_object_element (tags, 2);
  g_assert_cmpstr (json_object_get_string_member (tag, "tag"), ==, "loss");
  g_assert_cmpstr (json_object_get_string_member (tag, "kind"), ==, "scalar");
  g_assert_cmpint (json_object_get_int_member (tag, "count"), ==, 3);
  /* the smallest and the greatest, whatever the order */
  g_assert_cmpint (json_object_get_int_member (tag, "first_step"), ==, -3);
  g_assert_cmpint (json_object_get_int_member (tag, "last_step"), ==, 8);
}

static void
test_inspect_run (Fixture *fixture, gconstpointer data)
{
  g_autofree char *run = g_build_filename (fixture->runs, "lenet", NULL);

  write_run (fixture);
  for (int round = 0; round < 2; round++)
    {
      g_autoptr (JsonObject) root = NULL;

      g_assert_cmpint (call (fixture, "inspect", fixture->runs, "--json", NULL), ==, 0);
      g_assert_cmpstr (fixture->err, ==, "");
      root = parse (fixture);
      check_inspected_run (root);
    }
  {
    g_autoptr (JsonObject) root = NULL;

    g_assert_cmpint (call (fixture, "inspect", "--json", run, NULL), ==, 0);
    root = parse (fixture);
    g_assert_cmpstr (json_object_get_string_member (first_of (root, "runs"), "path"), ==, ".");
  }
  g_assert_cmpint (call (fixture, "inspect", run, NULL), ==, 0);
  g_assert_nonnull (strstr (fixture->out, "records/000002.sonde"));
  g_assert_nonnull (strstr (fixture->out, "accuracy"));
}

static void
test_inspect_damaged (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  g_autoptr (JsonObject) root = NULL;
  JsonObject *found, *damage;
  gint64 offset;

  run_file_add_ramp (file, 0, 10, "loss");
  offset = lseek (file->fd, 0, SEEK_END);
  run_file_write (file, "nonsense nonsense", 17);
  run_file_add_ramp (file, 10, 10, "loss");
  g_assert_cmpint (call (fixture, "inspect", fixture->runs, "--json", NULL), ==, 0);
  g_assert_nonnull (strstr (fixture->err, "17 bytes"));
  root = parse (fixture);
  found = first_of (first_of (root, "runs"), "files");
  damage = first_of (found, "damaged");
  g_assert_cmpint (json_object_get_int_member (found, "records"), ==, 21);
  g_assert_cmpint (json_object_get_int_member (damage, "offset"), ==, offset);
  g_assert_cmpint (json_object_get_int_member (damage, "bytes"), ==, 17);
  g_assert_cmpuint (strlen (json_object_get_string_member (damage, "reason")), >, 0);
  run_file_free (file);
}

static void
test_inspect_nothing_readable (Fixture *fixture, gconstpointer data)
{
  g_autofree char *missing = g_build_filename (fixture->runs, "missing", NULL);
  g_autofree char *garbage = g_build_filename (fixture->runs, "x.sonde", NULL);
  g_autofree char *unknown = g_build_filename (fixture->runs, "x.txt", NULL);
  g_autofree char *bytes = g_strnfill (5000, 'x');
  struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };

  g_assert_cmpint (g_mkdir (fixture->runs, 0700), ==, 0);
  g_assert_cmpint (call (fixture, "inspect", missing, "--json", NULL), ==, 1);
  g_assert_nonnull (strstr (fixture->err, missing));
  g_assert_cmpstr (fixture->out, ==, "");
  g_assert_cmpint (call (fixture, "inspect", fixture->runs, NULL), ==, 1);
  g_assert_nonnull (strstr (fixture->err, fixture->runs));
  g_assert_true (g_file_set_contents (unknown, "hello", 5, NULL));
  g_assert_cmpint (call (fixture, "inspect", unknown, NULL), ==, 1);
  g_assert_true (g_file_set_contents (garbage, bytes, 5000, NULL));
  g_assert_cmpint (call (fixture, "inspect", garbage, "--json", NULL), ==, 1);
  g_assert_cmpint (utimensat (AT_FDCWD, garbage, old, 0), ==, 0);
  g_assert_cmpint (call (fixture, "inspect", garbage, "--json", NULL), ==, 1);
  g_assert_nonnull (strstr (fixture->err, "x.sonde"));
  g_assert_cmpint (call (fixture, "inspect", NULL), ==, 2);
  g_assert_cmpint (call (fixture, "inspect", "--nonsense", fixture->runs, NULL), ==, 2);
}

static void
test_inspect_arrays (Fixture *fixture, gconstpointer data)
{
  SondeShape shape = sonde_shape_make (2, 3, 4);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_I16, &shape);
  g_autofree char *path = g_build_filename (fixture->folder, "a.npy", NULL);
  g_autoptr (JsonObject) root = NULL;

  g_assert_true (sonde_npy_write (NULL, path, tensor, NULL));
  g_assert_cmpint (call (fixture, "inspect", path, "--json", NULL), ==, 0);
  root = parse (fixture);
  g_assert_cmpstr (json_object_get_string_member (root, "format"), ==, "npy");
  g_assert_cmpstr (json_object_get_string_member (root, "dtype"), ==, "int16");
  g_assert_cmpint (json_array_get_int_element (json_object_get_array_member (root, "shape"), 1), ==,
                   4);
}

/* What becomes of a model of an old opset before it runs. */
static void
test_inspect_executed (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model
      = g_build_filename (g_getenv ("SONDE_SHARED"), "models", "dwnet", "dwnet.onnx", NULL);
  g_autoptr (JsonObject) root = NULL;
  g_autofree char *text = NULL;
  JsonObject *executed;
  JsonArray *changes;
  guint n_once = 0, n_same = 0;

  if (!g_file_test (model, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the shared models are not there");
      return;
    }
  g_assert_cmpint (call (fixture, "inspect", model, "--json", NULL), ==, 0);
  root = parse (fixture);
  executed = json_object_get_object_member (root, "executed");
  changes = json_object_get_array_member (executed, "changes");
  for (guint i = 0; i < json_array_get_length (changes); i++)
    {
      JsonObject *change = json_array_get_object_element (changes, i);

      n_once += g_str_equal (json_object_get_string_member (change, "how"), "computed once");
      n_same += g_str_equal (json_object_get_string_member (change, "op"), "ReduceMean")
                && g_str_equal (json_object_get_string_member (change, "executed"), "ReduceMean")
                && json_object_get_int_member (change, "version") == 17;
    }
  g_assert_cmpuint (n_once, ==, 6); /* its Constant nodes */
  g_assert_cmpuint (n_same, ==, 1); /* axes became an input */
  g_assert_cmpint (json_object_get_int_member (executed, "nodes"), ==,
                   json_object_get_int_member (root, "nodes") - n_once);

  g_assert_cmpint (call (fixture, "inspect", model, NULL), ==, 0);
  g_assert_nonnull (strstr (fixture->out, "6 are constant-folded"));
}

static void
test_inspect_model (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = g_build_filename (g_getenv ("SONDE_SHARED"), "models", "lenet-mnist",
                                             "lenet-mnist.onnx", NULL);
  g_autofree char *cut = g_build_filename (fixture->folder, "cut.onnx", NULL);
  g_autofree char *bytes = NULL;
  g_autoptr (JsonObject) root = NULL;
  gsize length;

  if (!g_file_get_contents (model, &bytes, &length, NULL))
    {
      g_test_skip ("the shared models are not there");
      return;
    }
  g_assert_cmpint (call (fixture, "inspect", model, "--json", NULL), ==, 0);
  root = parse (fixture);
  g_assert_cmpstr (json_object_get_string_member (root, "format"), ==, "onnx");
  g_assert_cmpint (json_object_get_int_member (root, "parameters"), ==, 61706);
  g_assert_cmpint (json_object_get_int_member (root, "nodes"), ==, 12);
  g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (root, "ops"), "Gemm"),
                   ==, 3);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (root, "unsupported")), ==,
                    0);
  g_assert_cmpstr (json_object_get_string_member (first_of (root, "inputs"), "name"), ==, "x");
  g_assert_true (g_file_set_contents (cut, bytes, length / 2, NULL));
  g_assert_cmpint (call (fixture, "inspect", cut, "--json", NULL), ==, 1);
  g_assert_nonnull (strstr (fixture->err, "cut.onnx"));
  g_assert_cmpstr (fixture->out, ==, "");
}

/* ---- export -------------------------------------------------------------- */

static void
test_export_csv (Fixture *fixture, gconstpointer data)
{
  g_autofree char *all = NULL, *some = NULL;

  write_run (fixture);
  g_assert_cmpint (
      call (fixture, "export", fixture->runs, "--to", "csv", "--output", fixture->output, NULL), ==,
      0);
  all = read_output (fixture, "scalars.csv");
  g_assert_cmpstr (all, ==,
                   "run,tag,step,wall_time,value\n"
                   "lenet,loss,7,0.000001007,0.10000000000000001\n"
                   "lenet,\"a,\"\"b\"\"\",7,0.000001007,nan\n"
                   "lenet,accuracy,7,0.000001007,-inf\n"
                   "lenet,loss,8,0.000001008,1.0000000000000001e+300\n"
                   "lenet,loss,-3,0.000000997,inf\n");
  g_assert_cmpint (call (fixture, "export", fixture->runs, "--to", "csv", "--output",
                         fixture->output, "--tag", "ac*", NULL),
                   ==, 0);
  some = read_output (fixture, "scalars.csv");
  g_assert_cmpstr (some, ==, "run,tag,step,wall_time,value\nlenet,accuracy,7,0.000001007,-inf\n");
  g_assert_cmpint (call (fixture, "export", fixture->runs, "--to", "csv", "--output",
                         fixture->output, "--tag", "no", NULL),
                   ==, 1);
}

static void
test_export_json (Fixture *fixture, gconstpointer data)
{
  g_autoptr (JsonObject) root = NULL;
  JsonObject *run;
  JsonArray *records;

  write_run (fixture);
  g_assert_cmpint (
      call (fixture, "export", fixture->runs, "--to", "json", "--output", fixture->output, NULL),
      ==, 0);
  g_free (fixture->out);
  fixture->out = read_output (fixture, "records.json");
  root = parse (fixture);
  run = first_of (root, "runs");
  records = json_object_get_array_member (run, "records");
  g_assert_cmpuint (json_array_get_length (records), ==, 6);
  g_assert_cmpstr (
      json_object_get_string_member (json_array_get_object_element (records, 1), "value"), ==,
      "nan");
  g_assert_cmpstr (
      json_object_get_string_member (json_array_get_object_element (records, 4), "text"), ==,
      "line\n\"two\"");
  g_assert_cmpint (
      json_object_get_int_member (json_array_get_object_element (records, 5), "session"), ==, 2);
}

/* The first record of @kind in records.json. */
static JsonObject *
find_kind (JsonArray *records, const char *kind)
{
  for (guint i = 0; i < json_array_get_length (records); i++)
    {
      JsonObject *record = json_array_get_object_element (records, i);

      if (g_str_equal (json_object_get_string_member (record, "kind"), kind))
        return record;
    }
  g_test_message ("no %s was exported", kind);
  g_test_fail ();
  return NULL;
}

/* One of every kind: what is text or numbers is in records.json, what is an array is a file. */
static void
test_export_every_kind (Fixture *fixture, gconstpointer data)
{
  static const char *const kinds[]
      = { "audio",     "lineage",   "hparams",        "pr_curve",     "embedding",
          "landscape", "mesh",      "custom_scalars", "run_metadata", "session_log",
          "explain",   "histogram", "text",           "note",         "other" };
  g_autofree char *file
      = g_build_filename (g_getenv ("SONDE_SOURCE"), "tests/fixtures/records/v2.sonde", NULL);
  g_autofree char *index = NULL;
  g_autoptr (JsonObject) root = NULL;
  JsonArray *records, *bins, *rows;

  g_assert_cmpint (
      call (fixture, "export", file, "--to", "json", "--output", fixture->output, NULL), ==, 0);
  g_free (fixture->out);
  fixture->out = read_output (fixture, "records.json");
  root = parse (fixture);
  records = json_object_get_array_member (first_of (root, "runs"), "records");
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    g_assert_nonnull (find_kind (records, kinds[i]));
  bins = json_object_get_array_member (find_kind (records, "histogram"), "bins");
  g_assert_cmpuint (json_array_get_length (bins), >, 0);
  g_assert_cmpuint (json_array_get_length (json_array_get_array_element (bins, 0)), ==, 3);
  rows = json_object_get_array_member (find_kind (records, "pr_curve"), "rows");
  g_assert_cmpuint (json_array_get_length (rows), ==, 6);

  g_assert_cmpint (call (fixture, "export", file, "--to", "npy", "--output", fixture->output, NULL),
                   ==, 0);
  index = read_output (fixture, "index.json");
  g_assert_nonnull (strstr (index, "\"kind\":\"histogram\""));
  g_assert_nonnull (strstr (index, "\"kind\":\"pr_curve\""));
  g_assert_nonnull (strstr (index, "\"kind\":\"landscape\""));
  g_assert_nonnull (strstr (index, "\"kind\":\"embedding\""));
  g_assert_nonnull (strstr (index, "\"kind\":\"mesh\""));
}

static void
test_export_files (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  SondeShape shape = sonde_shape_make (2, 2, 3);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F16, &shape);
  g_autoptr (SondeImage) image = sonde_image_new (4, 5, 3);
  g_autoptr (GBytes) png = sonde_png_encode (image);
  g_autofree char *path
      = g_build_filename (fixture->output, "run", "_../w/step-00000003.npy", NULL);
  g_autofree char *picture
      = g_build_filename (fixture->output, "run", "samples/step-00000004-2.png", NULL);
  g_autoptr (SondeTensor) back = NULL;
  g_autofree char *written = NULL;
  SondeRecord record = { .kind = SONDE_RECORD_TENSOR, .step = 3, .tag = "../w" };
  gsize length;

  sonde_tensor_set_double (tensor, 5, 0.5);
  record.u.tensor = tensor;
  run_file_add (file, &record);
  record = (SondeRecord){ .kind = SONDE_RECORD_IMAGE, .step = 4, .tag = "samples" };
  record.u.image.encoded = png;
  record.u.image.width = 4;
  record.u.image.height = 5;
  record.u.image.index = 2;
  run_file_add (file, &record);
  run_file_free (file);

  g_assert_cmpint (
      call (fixture, "export", fixture->runs, "--to", "npy", "--output", fixture->output, NULL), ==,
      0);
  back = sonde_npy_read (NULL, path, NULL);
  g_assert_nonnull (back);
  g_assert_true (sonde_tensor_equal (back, tensor));
  g_assert_cmpint (
      call (fixture, "export", fixture->runs, "--to", "png", "--output", fixture->output, NULL), ==,
      0);
  g_assert_true (g_file_get_contents (picture, &written, &length, NULL));
  g_assert_cmpmem (written, length, g_bytes_get_data (png, NULL), g_bytes_get_size (png));
}

/* As another tool's files; what the tool reads there is tests/collector/python's matter. */
static void
test_export_events (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *target, *word;
  } cases[] = { { "tensorboard", "tfevents" }, { "mindspore", "_MS" } };
  g_autofree char *file = g_build_filename (g_getenv ("SONDE_SOURCE"), "tests", "fixtures",
                                            "records", "v2.sonde", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *folder = g_build_filename (fixture->output, cases[i].target, NULL);
      g_autoptr (GDir) dir = NULL;
      const char *name;
      guint n = 0;

      g_assert_cmpint (
          call (fixture, "export", file, "--to", cases[i].target, "--output", folder, NULL), ==, 0);
      g_assert_nonnull (strstr (fixture->err, "no place for"));
      g_assert_cmpint (
          call (fixture, "export", file, "--to", cases[i].target, "--output", folder, NULL), ==, 1);
      g_assert_nonnull (strstr (fixture->err, "already"));
      dir = g_dir_open (folder, 0, NULL);
      while ((name = g_dir_read_name (dir)) != NULL)
        n += strstr (name, cases[i].word) != NULL;
      g_assert_cmpuint (n, ==, 1);
    }
}

static void
test_export_wrong_use (Fixture *fixture, gconstpointer data)
{
  g_autofree char *missing = g_build_filename (fixture->folder, "missing", NULL);
  g_autofree char *blocked = g_build_filename (fixture->folder, "file", NULL);

  write_run (fixture);
  g_assert_cmpint (
      call (fixture, "export", fixture->runs, "--to", "tiff", "--output", fixture->output, NULL),
      ==, 2);
  g_assert_cmpint (call (fixture, "export", fixture->runs, "--to", "csv", NULL), ==, 2);
  g_assert_cmpint (
      call (fixture, "export", missing, "--to", "csv", "--output", fixture->output, NULL), ==, 1);
  g_assert_false (g_file_test (fixture->output, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_set_contents (blocked, "x", 1, NULL));
  g_assert_cmpint (
      call (fixture, "export", fixture->runs, "--to", "csv", "--output", blocked, NULL), ==, 1);
  g_assert_nonnull (strstr (fixture->err, blocked));
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*func) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/app/cli/inspect/run", test_inspect_run },
    { "/app/cli/inspect/damaged", test_inspect_damaged },
    { "/app/cli/inspect/nothing-readable", test_inspect_nothing_readable },
    { "/app/cli/inspect/arrays", test_inspect_arrays },
    { "/app/cli/inspect/executed", test_inspect_executed },
    { "/app/cli/inspect/model", test_inspect_model },
    { "/app/cli/export/csv", test_export_csv },
    { "/app/cli/export/json", test_export_json },
    { "/app/cli/export/every-kind", test_export_every_kind },
    { "/app/cli/export/files", test_export_files },
    { "/app/cli/export/events", test_export_events },
    { "/app/cli/export/wrong-use", test_export_wrong_use },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].func, tear_down);
  return g_test_run ();
}
