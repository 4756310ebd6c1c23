/* SPDX-License-Identifier: Apache-2.0
 * `sonde debug --repl --json`: every line gets one answer, of the shape that tools rely on; values
 * at a stop are those of a run that never stopped. */
#include <string.h>

#include "tests/app/cli/training-fixture.h"
#include "tests/support/sonde-test-tensor.h"

#define STOP                                                                                       \
  "ok command event reason node op phase step iteration when scope position positions stack "      \
  "breakpoints watchpoints"

typedef struct
{
  JsonArray *answers;
  guint next;
} Session;

/* Runs the REPL on @commands to its end. */
static void
session_run (Session *session, const char *folder, const char *commands,
             const char *const *arguments)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autoptr (SondeTestProgram) program = NULL;
  g_auto (GStrv) lines = NULL;

  g_ptr_array_add (all, (char *) "debug");
  for (gsize i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (all, (char *) arguments[i]);
  g_ptr_array_add (all, (char *) "--repl");
  g_ptr_array_add (all, (char *) "--json");
  g_ptr_array_add (all, NULL);
  program = sonde_test_run_strv (folder, commands, (const char *const *) all->pdata);
  sonde_test_assert_status (program, 0);
  session->answers = json_array_new ();
  session->next = 0;
  lines = g_strsplit (program->out, "\n", -1);
  for (gsize i = 0; lines[i] != NULL && *lines[i] != '\0'; i++)
    json_array_add_element (session->answers, sonde_test_parse_json (lines[i]));
}

static void
session_clear (Session *session)
{
  json_array_unref (session->answers);
}

static JsonObject *
take (Session *session, const char *command, gboolean ok)
{
  JsonObject *answer;

  g_assert_cmpuint (session->next, <, json_array_get_length (session->answers));
  answer = json_array_get_object_element (session->answers, session->next++);
  g_assert_cmpstr (json_object_get_string_member (answer, "command"), ==, command);
  if (json_object_has_member (answer, "error"))
    g_test_message ("%s: %s", command, json_object_get_string_member (answer, "error"));
  g_assert_cmpint (json_object_get_boolean_member (answer, "ok"), ==, ok);
  g_assert_cmpint (json_object_has_member (answer, "error"), ==, !ok);
  return answer;
}

static JsonObject *
take_stop (Session *session, const char *command, const char *reason, const char *node)
{
  JsonObject *answer = take (session, command, TRUE);

  sonde_test_assert_members (answer, STOP);
  g_assert_cmpstr (json_object_get_string_member (answer, "event"), ==, "stopped");
  g_assert_cmpstr (json_object_get_string_member (answer, "reason"), ==, reason);
  if (node != NULL)
    g_assert_cmpstr (json_object_get_string_member (answer, "node"), ==, node);
  return answer;
}

static void
take_end (Session *session, const char *command, const char *status)
{
  JsonObject *answer = take (session, command, TRUE);

  sonde_test_assert_members (answer, "ok command event status");
  g_assert_cmpstr (json_object_get_string_member (answer, "event"), ==, "ended");
  g_assert_cmpstr (json_object_get_string_member (answer, "status"), ==, status);
}

/* ---- inference ----------------------------------------------------------- */

static void
test_inference (void)
{
  static const char commands[] = "break /conv2/Conv\n"
                                 "run\n"
                                 "print /MaxPool_output_0[0, 0, 0, :3]\n"
                                 "stats /MaxPool_output_0\n"
                                 "stats /conv2/Conv_output_0\n" /* not there yet */
                                 "step\n"
                                 "stats /conv2/Conv_output_0\n"
                                 "until /fc2/Gemm\n"
                                 "info state\n"
                                 "cont\n"
                                 "print logits[0]\n" /* all values stay after the end */
                                 "continue\n"
                                 "restart\n"
                                 "run\n"
                                 "clear\n"
                                 "c\n"
                                 "quit\n"
                                 "help\n"; /* nobody hears it */
  g_autofree char *model = sonde_test_shared_path ("models/lenet-mnist/lenet-mnist.onnx");
  g_autofree char *input = sonde_test_shared_path ("models/lenet-mnist/inputs.npy");
  const char *const arguments[] = { model, "--input", input, NULL };
  JsonObject *answer;
  Session session;
  char *folder;

  if (input == NULL)
    return;
  folder = sonde_test_folder_new ();
  session_run (&session, folder, commands, arguments);
  answer = take (&session, "break", TRUE);
  g_assert_cmpint (json_object_get_int_member (answer, "id"), ==, 1);
  answer = take_stop (&session, "run", "breakpoint", "/conv2/Conv");
  g_assert_cmpstr (json_object_get_string_member (answer, "op"), ==, "Conv");
  g_assert_cmpstr (json_object_get_string_member (answer, "phase"), ==, "forward");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (answer, "iteration")), ==,
                    0);
  answer = take (&session, "print", TRUE);
  sonde_test_assert_members (answer, "ok command name dtype shape data");
  g_assert_cmpstr (json_object_get_string_member (answer, "dtype"), ==, "float32");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (answer, "data")), ==, 3);
  answer = take (&session, "stats", TRUE);
  sonde_test_assert_members (
      answer, "ok command name dtype shape count min max mean std abs_mean zeros negatives nan "
              "pos_inf neg_inf");
  g_assert_cmpint (json_object_get_int_member (answer, "count"), ==, 16 * 6 * 14 * 14);
  g_assert_cmpint (json_object_get_int_member (answer, "negatives"), ==, 0); /* after a ReLU */
  take (&session, "stats", FALSE);
  take_stop (&session, "step", "step", NULL);
  take (&session, "stats", TRUE);
  take_stop (&session, "until", "until", "/fc2/Gemm");
  answer = take (&session, "info", TRUE);
  g_assert_cmpstr (json_object_get_string_member (answer, "state"), ==, "paused");
  take_end (&session, "continue", "done");
  answer = take (&session, "print", TRUE);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (answer, "data")), ==, 10);
  take (&session, "continue", FALSE);
  take (&session, "restart", TRUE);
  take_stop (&session, "run", "breakpoint", "/conv2/Conv");
  take (&session, "clear", TRUE);
  take_end (&session, "continue", "done");
  take (&session, "quit", TRUE);
  g_assert_cmpuint (session.next, ==, json_array_get_length (session.answers));
  session_clear (&session);
  sonde_test_folder_free (folder);
}

/* Every value that can be seen at a stop is, to the bit, that of `sonde infer --keep`. */
static void
test_values_are_those_of_infer (void)
{
  static const struct
  {
    const char *value, *file;
  } values[] = {
    { "/conv1/Conv_output_0", "_conv1_Conv_output_0.npy" },
    { "/Relu_output_0", "_Relu_output_0.npy" },
    { "/MaxPool_output_0", "_MaxPool_output_0.npy" },
    { "/conv2/Conv_output_0", "_conv2_Conv_output_0.npy" },
    { "/fc1/Gemm_output_0", "_fc1_Gemm_output_0.npy" },
    { "logits", "logits.npy" },
  };
  g_autofree char *model = sonde_test_shared_path ("models/lenet-mnist/lenet-mnist.onnx");
  g_autofree char *input = sonde_test_shared_path ("models/lenet-mnist/inputs.npy");
  const char *const arguments[] = { model, "--input", input, NULL };
  g_autoptr (GString) commands = g_string_new (NULL);
  g_autoptr (SondeTestProgram) infer = NULL;
  Session session;
  char *folder;

  if (input == NULL)
    return;
  folder = sonde_test_folder_new ();
  infer = sonde_test_run (folder, NULL, "infer", model, "--input", input, "--keep", "all",
                          "--output", "out");
  sonde_test_assert_status (infer, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    g_string_append_printf (commands, "break %s after\n%s\nsave %s %s\n", values[i].value,
                            i == 0 ? "run" : "continue", values[i].value, values[i].file);
  session_run (&session, folder, commands->str, arguments);
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autofree char *here = g_build_filename (folder, values[i].file, NULL);
      g_autofree char *there = g_build_filename (folder, "out", values[i].file, NULL);
      g_autoptr (SondeTensor) paused = NULL, whole = NULL;
      JsonObject *answer;

      take (&session, "break", TRUE);
      answer = take_stop (&session, i == 0 ? "run" : "continue", "breakpoint", NULL);
      g_assert_cmpstr (json_object_get_string_member (answer, "when"), ==, "after");
      take (&session, "save", TRUE);
      paused = sonde_npy_read (NULL, here, NULL);
      whole = sonde_npy_read (NULL, there, NULL);
      g_assert_true (sonde_tensor_equal (paused, whole));
    }
  session_clear (&session);
  sonde_test_folder_free (folder);
}

/* ---- training ------------------------------------------------------------ */

static void
test_training (void)
{
  static const char commands[] = "info state\n" /* nothing is known of a loss yet */
                                 "until step:3\n"
                                 "stats fc1.weight\n"
                                 "until phase:backward\n"
                                 "print loss\n"
                                 "until phase:optimiser\n"
                                 "tbreak op:Gemm\n"
                                 "continue\n"
                                 "info breakpoints\n"
                                 "continue\n"
                                 "info state\n"
                                 "stats fc1.weight\n"
                                 "quit\n";
  const char *const arguments[]
      = { "mlp", TRAINING_SMALL, "--set", "train.steps=6", "--run", "r", NULL };
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeNamedTensors) weights = NULL;
  g_autoptr (GPtrArray) points = NULL, losses = NULL;
  JsonObject *answer;
  Session session;

  session_run (&session, folder, commands, arguments);
  answer = take (&session, "info", TRUE);
  g_assert_true (json_object_get_null_member (answer, "loss"));
  g_assert_true (json_object_get_null_member (answer, "accuracy"));
  answer = take_stop (&session, "until", "until", NULL);
  g_assert_cmpint (json_object_get_int_member (answer, "step"), ==, 3);
  g_assert_cmpint (json_object_get_int_member (answer, "position"), ==, 0);
  answer = take (&session, "stats", TRUE);
  g_assert_cmpint (json_object_get_int_member (answer, "count"), ==, 64 * 784);
  answer = take_stop (&session, "until", "until", NULL);
  g_assert_cmpstr (json_object_get_string_member (answer, "phase"), ==, "backward");
  answer = take (&session, "print", TRUE);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (answer, "shape")), ==, 0);
  answer = take_stop (&session, "until", "until", NULL);
  g_assert_cmpstr (json_object_get_string_member (answer, "phase"), ==, "optimiser");
  g_assert_cmpint (json_object_get_int_member (answer, "step"), ==, 3);
  take (&session, "tbreak", TRUE);
  answer = take_stop (&session, "continue", "breakpoint", NULL);
  g_assert_cmpint (json_object_get_int_member (answer, "step"), ==, 4);
  answer = take (&session, "info", TRUE);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (answer, "breakpoints")),
                    ==, 0);
  take_end (&session, "continue", "done");
  answer = take (&session, "info", TRUE);
  g_assert_cmpstr (json_object_get_string_member (answer, "state"), ==, "ended");
  take (&session, "stats", TRUE); /* parameters stay */
  take (&session, "quit", TRUE);
  weights = training_weights (folder, "r", "final");
  points = training_export (folder, "r");
  losses = training_points (points, "loss");
  g_assert_cmpuint (losses->len, ==, 6);
  session_clear (&session);
  sonde_test_folder_free (folder);
}

/* The end of input in the middle of a training is a quit: the final checkpoint is written. */
/* A node is bypassed in step 6 and again, another one, in step 4: steps since run again as they
 * ran, and the way back before a change takes it back, to the bit. */
static void
test_changed_model (void)
{
  static const char commands[] = "until step:6\n"
                                 "step 4\n"
                                 "bypass tanh1\n"
                                 "back\n"
                                 "branch\n"
                                 "until step:4\n"
                                 "bypass tanh2\n"
                                 "until step:8\n"
                                 "until phase:backward\n"
                                 "print loss\n"
                                 "until step:5\n"
                                 "until step:8\n"
                                 "until phase:backward\n"
                                 "print loss\n"
                                 "branch\n"
                                 "branch 1\n"
                                 "until step:2\n"
                                 "branch\n"
                                 "continue\n";
  const char *const arguments[] = { "mlp",   TRAINING_SMALL,         "--set", "train.steps=12",
                                    "--set", "train.optimiser=adam", "--run", "r",
                                    NULL };
  static const gint64 branches[] = { 1, 3, 1 };
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, NULL, "train", "mlp", TRAINING_SMALL, "--set", "train.steps=12",
                        "--set", "train.optimiser=adam", "--run", "whole");
  g_autoptr (SondeNamedTensors) whole = NULL, got = NULL;
  double losses[2];
  JsonObject *answer;
  Session session;

  sonde_test_assert_status (program, 0);
  session_run (&session, folder, commands, arguments);
  take_stop (&session, "until", "until", NULL);
  take_stop (&session, "step", "step", NULL);
  answer = take (&session, "bypass", TRUE);
  g_assert_cmpint (json_object_get_int_member (answer, "positions"), ==, 24);
  answer = take_stop (&session, "back", "step", NULL); /* the last node of step 5, as it ran */
  g_assert_cmpint (json_object_get_int_member (answer, "step"), ==, 5);
  g_assert_cmpint (json_object_get_int_member (answer, "positions"), ==, 25);
  for (guint i = 0; i < 3; i++)
    {
      answer = take (&session, "branch", TRUE);
      g_assert_cmpint (json_object_get_int_member (answer, "branch"), ==, branches[i]);
      if (i == 0)
        {
          take_stop (&session, "until", "until", NULL);
          take (&session, "bypass", TRUE);
          for (guint k = 0; k < 2; k++)
            {
              take_stop (&session, "until", "until", NULL);
              if (k == 1)
                take_stop (&session, "until", "until", NULL);
              answer = take_stop (&session, "until", "until", NULL);
              g_assert_cmpint (json_object_get_int_member (answer, "positions"), ==, 24);
              answer = take (&session, "print", TRUE);
              losses[k] = json_object_get_double_member (answer, "data");
            }
          g_assert_cmpfloat (losses[0], ==, losses[1]);
        }
      if (i == 1)
        {
          answer = take (&session, "branch", FALSE);
          g_assert_nonnull (
              strstr (json_object_get_string_member (answer, "error"), "until step:N"));
          answer = take_stop (&session, "until", "until", NULL);
          g_assert_cmpint (json_object_get_int_member (answer, "positions"), ==, 25);
        }
    }
  take_end (&session, "continue", "done");
  whole = training_weights (folder, "whole", "final");
  got = training_weights (folder, "r", "final");
  training_assert_equal_weights (got, whole);
  session_clear (&session);
  sonde_test_folder_free (folder);
}

/* A watch that was not there in step 3 is looked at in it all the same; the run stands where it
 * stood, and ends as it would. */
static void
test_recheck (void)
{
  static const char commands[]
      = "until step:3\n"
        "until phase:optimiser\n"
        "print mean(abs(grad(fc1.weight)))\n"
        "until step:25\n"
        "step 5\n"
        "print max(fc1)\n"
        "watch preset gradient_too_large abs_mean_gt=0 on grad(fc1.weight) nostop\n"
        "watch min(fc1) < max(fc1) nostop\n"
        "recheck step:3\n"
        "print max(fc1)\n"
        "recheck step:26\n"
        "continue\n"
        "recheck step:3\n";
  const char *const arguments[]
      = { "mlp", TRAINING_SMALL, "--set", "train.steps=30", "--run", "r", NULL };
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = sonde_test_run (
      folder, NULL, "train", "mlp", TRAINING_SMALL, "--set", "train.steps=30", "--run", "whole");
  g_autoptr (SondeNamedTensors) whole = NULL, got = NULL;
  double mean, largest;
  JsonArray *hits;
  Session session;

  sonde_test_assert_status (program, 0);
  session_run (&session, folder, commands, arguments);
  take_stop (&session, "until", "until", NULL);
  take_stop (&session, "until", "until", NULL);
  mean = json_object_get_double_member (take (&session, "print", TRUE), "data");
  take_stop (&session, "until", "until", NULL);
  take_stop (&session, "step", "step", NULL);
  largest = json_object_get_double_member (take (&session, "print", TRUE), "data");
  take (&session, "watch", TRUE);
  take (&session, "watch", TRUE);
  for (guint i = 0; i < 2; i++)
    {
      hits = json_object_get_array_member (take (&session, "recheck", TRUE), "hits");
      g_assert_cmpuint (json_array_get_length (hits), ==, 2);
      g_assert_cmpint (json_object_get_int_member (json_array_get_object_element (hits, 0), "step"),
                       ==, 3);
      g_assert_cmpfloat_with_epsilon (
          json_object_get_double_member (json_array_get_object_element (hits, 0), "actual"), mean,
          1e-12);
      if (i == 1)
        continue;
      g_assert_cmpfloat (json_object_get_double_member (take (&session, "print", TRUE), "data"), ==,
                         largest);
      g_assert_nonnull (
          strstr (json_object_get_string_member (take (&session, "recheck", FALSE), "error"),
                  "until step:26"));
      take_end (&session, "continue", "done");
    }
  whole = training_weights (folder, "whole", "final");
  got = training_weights (folder, "r", "final");
  training_assert_equal_weights (got, whole);
  session_clear (&session);
  sonde_test_folder_free (folder);
}

static void
test_end_of_input (void)
{
  const char *const arguments[]
      = { "mlp", TRAINING_SMALL, "--set", "train.steps=1000", "--run", "r", NULL };
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeNamedTensors) weights = NULL;
  Session session;

  session_run (&session, folder, "until step:4\n", arguments);
  take_stop (&session, "until", "until", NULL);
  g_assert_cmpuint (session.next, ==, json_array_get_length (session.answers));
  weights = training_weights (folder, "r", "final");
  session_clear (&session);
  sonde_test_folder_free (folder);
}

/* ---- what it does not know ----------------------------------------------- */

static void
test_errors (void)
{
  static const struct
  {
    const char *line, *command, *part;
  } cases[] = {
    { "brek fc1", "brek", "break" },
    { "break fc9", "break", "fc1" },
    { "stats fc1.weigth", "stats", "fc1.weight" },
    { "until step:x", "until", "step" },
    { "print", "print", "value" },
    { "save fc1.weight", "save", ".npy" },
    { "step none", "step", "none" },
    { "origin loss[0]", "origin", "not" },
    { "info everything", "info", "breakpoints" },
    { "continue now", "continue", "" },
  };
  const char *const arguments[]
      = { "mlp", TRAINING_SMALL, "--set", "train.steps=2", "--run", "r", NULL };
  g_autoptr (GString) commands = g_string_new (NULL);
  char *folder = sonde_test_folder_new ();
  Session session;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_string_append_printf (commands, "%s\n", cases[i].line);
  session_run (&session, folder, commands->str, arguments);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      JsonObject *answer = take (&session, cases[i].command, FALSE);

      sonde_test_assert_members (answer, "ok command error");
      sonde_test_assert_contains (json_object_get_string_member (answer, "error"), cases[i].part);
    }
  session_clear (&session);
  sonde_test_folder_free (folder);
}

/* For people: the column of operators is as wide as the longest of those that are listed. */
static void
test_columns (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = sonde_test_run (
      folder, "info nodes *oss\ninfo nodes fc1\n", "debug", "mlp", "--repl", "--run", "r");

  sonde_test_assert_status (program, 0);
  sonde_test_assert_contains (program->out, "forward   SoftmaxCrossEntropyLoss loss -> float32");
  sonde_test_assert_contains (program->out, "forward   Gemm           fc1 -> float32");
  sonde_test_folder_free (folder);
}

static void
test_nothing_to_debug (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) missing
      = sonde_test_run (folder, "", "debug", "missing.onnx", "--repl", "--json");
  g_autoptr (SondeTestProgram) list = sonde_test_run (folder, NULL, "debug", "--attach", "--json");
  g_autoptr (SondeTestProgram) nobody
      = sonde_test_run (folder, "", "debug", "--attach", "1", "--repl");
  g_autoptr (JsonNode) json = NULL;

  sonde_test_assert_status (missing, 1);
  sonde_test_assert_contains (missing->err, "missing.onnx");
  sonde_test_assert_status (list, 0);
  json = sonde_test_parse_json (list->out);
  g_assert_cmpuint (json_array_get_length (
                        json_object_get_array_member (json_node_get_object (json), "sessions")),
                    ==, 0);
  sonde_test_assert_status (nobody, 1);
  sonde_test_folder_free (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/repl/inference", test_inference);
  g_test_add_func ("/app/cli/repl/values-are-those-of-infer", test_values_are_those_of_infer);
  g_test_add_func ("/app/cli/repl/training", test_training);
  g_test_add_func ("/app/cli/repl/changed-model", test_changed_model);
  g_test_add_func ("/app/cli/repl/recheck", test_recheck);
  g_test_add_func ("/app/cli/repl/end-of-input", test_end_of_input);
  g_test_add_func ("/app/cli/repl/errors", test_errors);
  g_test_add_func ("/app/cli/repl/columns", test_columns);
  g_test_add_func ("/app/cli/repl/nothing-to-debug", test_nothing_to_debug);
  return g_test_run ();
}
