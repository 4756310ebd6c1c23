/* SPDX-License-Identifier: Apache-2.0
 * `sonde debug --check EXPR`: the exit status says whether it holds at the end of a run; failures
 * are told apart. */
#include <string.h>

#include "tests/app/cli/training-fixture.h"

static JsonNode *
check (const char *folder, const char *expression, int status, const char *extra)
{
  g_autoptr (SondeTestProgram) program = sonde_test_run (
      folder, NULL, "debug", "mlp", TRAINING_SMALL, "--set", "train.steps=4", "--run", "run",
      "--json", "--check", expression, extra != NULL ? "--at" : NULL, extra);
  g_autofree char *run = NULL;

  sonde_test_assert_status (program, status);
  run = g_build_filename (folder, "run", NULL);
  sonde_test_remove (run);
  return status == 2 || *program->out == '\0' ? NULL : sonde_test_parse_json (program->out);
}

static void
check_answer (const char *folder, const char *expression, gboolean holds, gboolean unknown,
              const char *said, const char *extra, gint64 step)
{
  g_autoptr (JsonNode) root = check (folder, expression, holds ? 1 : 0, extra);
  JsonObject *answer = json_node_get_object (root);

  g_assert_cmpstr (json_object_get_string_member (answer, "check"), ==, expression);
  g_assert_cmpint (json_object_get_boolean_member (answer, "holds"), ==, holds);
  g_assert_cmpint (json_object_get_boolean_member (answer, "unknown"), ==, unknown);
  g_assert_cmpint (json_object_get_int_member (answer, "step"), ==, step);
  g_assert_true (json_object_has_member (answer, "value"));
  sonde_test_assert_contains (json_object_get_string_member (answer, "explanation"), said);
}

static void
test_training (void)
{
  char *folder = sonde_test_folder_new ();

  check_answer (folder, "nan(*)", FALSE, FALSE, "nan(*) = 0", NULL, 4);
  check_answer (folder, "l2(\"kind:gradient\") > 0", TRUE, FALSE, "> 0", NULL, 4);
  /* kept from the start */
  check_answer (folder, "all(fc1.weight == prev(fc1.weight))", FALSE, FALSE, "false", NULL, 4);
  check_answer (folder, "step == 2", TRUE, FALSE, "step = 2 == 2", "step:2", 2);
  sonde_test_folder_free (folder);
}

static void
test_wrong (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) both
      = sonde_test_run (folder, "", "debug", "mlp", "--repl", "--check", "1");
  g_autoptr (SondeTestProgram) torn = sonde_test_run (folder, NULL, "debug", "mlp", TRAINING_SMALL,
                                                      "--run", "r", "--check", "max(x");
  g_autoptr (SondeTestProgram) unknown
      = sonde_test_run (folder, NULL, "debug", "mlp", TRAINING_SMALL, "--set", "train.steps=2",
                        "--run", "s", "--check", "max(nosuch) > 1");

  sonde_test_assert_status (both, 2);
  sonde_test_assert_status (torn, 2);
  sonde_test_assert_contains (torn->err, "Column");
  sonde_test_assert_status (unknown, 1);
  sonde_test_assert_contains (unknown->err, "nosuch");
  g_assert_cmpstr (unknown->out, ==, "");
  sonde_test_folder_free (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/debug-check/training", test_training);
  g_test_add_func ("/app/cli/debug-check/wrong", test_wrong);
  return g_test_run ();
}
