/* SPDX-License-Identifier: Apache-2.0
 * Nets as MindIR and back: the file that is written runs and gives what the net gave. Those of
 * tests/fixtures/mindir-written have operators that MindIR has in other forms; MindSpore itself ran
 * them (make-mindir-written.py --check). */
#include <string.h>

#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-tensor.h"

#define TOLERANCE 1e-5

/* Its check says how far both are apart. */
static void
convert (const char *model)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, NULL, "convert", model, "net.mindir", "--json");
  g_autoptr (JsonNode) root = NULL;
  JsonObject *report;

  if (program->status != 0)
    g_test_message ("%s: %s", model, program->err);
  sonde_test_assert_status (program, 0);
  root = sonde_test_parse_json (program->out);
  report = json_node_get_object (root);
  if (json_object_get_null_member (report, "check")
      || json_object_get_double_member (json_object_get_object_member (report, "check"),
                                        "max_relative_error")
             > TOLERANCE)
    {
      g_test_message ("%s: what was written gives something else", model);
      g_test_fail ();
    }
  sonde_test_folder_free (folder);
}

static void
test_forms (void)
{
  g_autofree char *path
      = g_build_filename (g_getenv ("SONDE_SOURCE"), "tests/fixtures/mindir-written", NULL);
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;
  guint n = 0;

  g_assert_nonnull (folder);
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *model = g_build_filename (path, name, NULL);

      convert (model);
      n++;
    }
  g_assert_cmpuint (n, >, 30);
}

/* What was read of MindIR can be written as MindIR. */
static void
test_back (void)
{
  g_autofree char *path
      = g_build_filename (g_getenv ("SONDE_SOURCE"), "tests/fixtures/mindir", NULL);
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  g_assert_nonnull (folder);
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *model = g_build_filename (path, name, "model.mindir", NULL);

      convert (model);
    }
}

/* All but the one with a collection of unknown length. */
static void
test_shared_models (void)
{
  g_autofree char *path = sonde_test_shared_path ("models");
  g_autoptr (GDir) folder = path != NULL ? g_dir_open (path, 0, NULL) : NULL;
  const char *name;

  if (path == NULL)
    return;
  g_assert_nonnull (folder);
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *file = g_strconcat (name, ".onnx", NULL);
      g_autofree char *model = g_build_filename (path, name, file, NULL);

      if (g_file_test (model, G_FILE_TEST_EXISTS) && strcmp (name, "control-flow") != 0)
        convert (model);
    }
}

static void
test_unknown_rounds (void)
{
  g_autofree char *model = sonde_test_shared_path ("models/control-flow/control-flow.onnx");
  g_autoptr (SondeTestProgram) program = NULL;
  char *folder;

  if (model == NULL)
    return;
  folder = sonde_test_folder_new ();
  program = sonde_test_run (folder, NULL, "convert", model, "net.mindir");
  sonde_test_assert_status (program, 1);
  sonde_test_assert_contains (program->err,
                              "Loop (1×, first “n0_Loop”): it collects values of a number of "
                              "rounds that is not known");
  sonde_test_folder_free (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/mindir-written/forms", test_forms);
  g_test_add_func ("/app/cli/mindir-written/back", test_back);
  g_test_add_func ("/app/cli/mindir-written/shared-models", test_shared_models);
  g_test_add_func ("/app/cli/mindir-written/unknown-rounds", test_unknown_rounds);
  return g_test_run ();
}
