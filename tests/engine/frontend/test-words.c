/* SPDX-License-Identifier: Apache-2.0
 * States, locations and reasons in words, and the arguments of `sonde debug`. */
#include <math.h>

#include "engine/frontend/sonde-debug-arguments.h"
#include "engine/frontend/sonde-debug-describe.h"

static void
assert_state (const SondeSessionStatus *status, const char *expected)
{
  g_autofree char *text = sonde_debug_describe_state (status, NAN);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_states (void)
{
  SondeSessionStatus status = {
    .state = SONDE_SESSION_PAUSED,
    .facts = { .title = (char *) "net.onnx" },
    .stop = { .reason = SONDE_STOP_PAUSE,
              .moment = SONDE_MOMENT_BEFORE,
              .node = (char *) "conv2",
              .op = (char *) "Conv",
              .position = 2,
              .n_steps = 9 },
  };

  assert_state (&status, "Paused before conv2 (Conv) · 2 of 9 nodes · on request");
  status.stop.reason = SONDE_STOP_STEP;
  status.stop.moment = SONDE_MOMENT_AFTER;
  assert_state (&status, "Paused after conv2 (Conv) · 2 of 9 nodes");
  status.facts.kind = SONDE_ACTIVITY_TRAINING;
  status.stop.step = 40;
  assert_state (&status, "Paused at step 40 · after conv2 (Conv) · 2 of 9 nodes");
  status.state = SONDE_SESSION_RUNNING;
  status.facts.step = 41;
  status.facts.total_steps = 100;
  assert_state (&status, "Running · step 41 of 100");
  status.facts.kind = SONDE_ACTIVITY_INFERENCE;
  assert_state (&status, "Running net.onnx");
  status.state = SONDE_SESSION_READY;
  assert_state (&status, "Ready before the first of 9 nodes of net.onnx");
  status.stop.n_steps = 1;
  assert_state (&status, "Ready before the first of 1 node of net.onnx");
  status.stop.n_steps = 0;
  assert_state (&status, "Ready to run net.onnx");
  status.state = SONDE_SESSION_ENDED;
  assert_state (&status, "net.onnx finished; all values are available");
  status.end.result = SONDE_SESSION_STOPPED;
  assert_state (&status, "net.onnx was stopped; all values are available");
  status.end.result = SONDE_SESSION_FAILED;
  assert_state (&status, "net.onnx failed; all values are available");
  status.state = SONDE_SESSION_LOADING;
  assert_state (&status, "Loading…");
}

static void
assert_running (const SondeSessionStatus *status, double pace, const char *expected,
                const char *brief)
{
  g_autofree char *text = sonde_debug_describe_state (status, pace);
  g_autofree char *short_text = sonde_debug_describe_briefly (status, pace);

  g_assert_cmpstr (text, ==, expected);
  g_assert_cmpstr (short_text, ==, brief);
}

static void
test_running (void)
{
  SondeSessionStatus status = {
    .state = SONDE_SESSION_RUNNING,
    .facts = { .kind = SONDE_ACTIVITY_TRAINING, .step = 1573, .total_steps = 2000 },
    .stop = { .step = 40 },
  };

  assert_running (&status, NAN, "Running · step 1,573 of 2,000", "Running · step 1,573");
  assert_running (&status, 12.345, "Running · step 1,573 of 2,000 · 12.3 steps/s",
                  "Running · step 1,573 · 12.3 steps/s");
  status.facts.measured = TRUE;
  status.facts.loss = 0.012345;
  assert_running (&status, 1234, "Running · step 1,573 of 2,000 · 1230 steps/s · loss 0.01235",
                  "Running · step 1,573 · 1230 steps/s");
  status.facts.total_steps = 0;
  status.facts.loss = NAN;
  assert_running (&status, 0, "Running · step 1,573 · loss nan", "Running · step 1,573");
  status.state = SONDE_SESSION_PAUSED;
  status.stop.node = (char *) "conv1";
  status.stop.op = (char *) "Conv";
  assert_running (&status, NAN,
                  "Paused at step 40 · before conv1 (Conv) · 0 of 0 nodes · no reason given",
                  "Paused · step 40");
  status.state = SONDE_SESSION_ENDED;
  assert_running (&status, NAN, " finished; all values are available", "Finished");
}

static void
assert_reason (SondeStop stop, const char *expected)
{
  g_autofree char *text = sonde_debug_describe_reason (&stop);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_reasons (void)
{
  guint ids[] = { 3 };

  assert_reason ((SondeStop){ .reason = SONDE_STOP_BREAKPOINT }, "breakpoint");
  assert_reason (
      (SondeStop){ .reason = SONDE_STOP_BREAKPOINT, .breakpoints = ids, .n_breakpoints = 1 },
      "breakpoint 3");
  assert_reason (
      (SondeStop){ .reason = SONDE_STOP_WATCHPOINT, .breakpoints = ids, .n_breakpoints = 1 },
      "watchpoint 3");
  /* What another version of the engine may send. */
  assert_reason ((SondeStop){ .reason = (SondeStopReason) 1000 }, "no reason given");
}

static void
test_not_finite (void)
{
  g_autoptr (GString) text = g_string_new ("4 values"), none = g_string_new (NULL);
  const SondeStatistics bad = { .nan = 3, .pos_inf = 1, .neg_inf = 1 }, good = { .nan = 0 };

  sonde_debug_append_not_finite (text, &bad);
  g_assert_cmpstr (text->str, ==, "4 values · 3 NaN · 2 Inf");
  sonde_debug_append_not_finite (none, &good);
  g_assert_cmpstr (none->str, ==, "");
}

/* ---- arguments ------------------------------------------------------------ */

static void
test_arguments (void)
{
  const char *const words[]
      = { "debug", "net.onnx",      "--input", "x=a.npy", "--input",  "b.npy", "--threads", "2",
          "--set", "train.steps=4", "--run",   "there",   "--device", "cpu",   NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDebugArguments) arguments = sonde_debug_arguments_parse (words, &error);
  const SondeOpenRequest *request = &arguments->request;

  g_assert_no_error (error);
  g_assert_false (arguments->attach);
  g_assert_cmpstr (request->subject, ==, "net.onnx");
  g_assert_cmpuint (request->n_inputs, ==, 2);
  g_assert_cmpstr (request->inputs[0].name, ==, "x");
  g_assert_cmpstr (request->inputs[0].path, ==, "a.npy");
  g_assert_null (request->inputs[1].name);
  g_assert_cmpstr (request->inputs[1].path, ==, "b.npy");
  g_assert_cmpint (request->threads, ==, 2);
  g_assert_cmpstr (request->sets[0], ==, "train.steps=4");
  g_assert_cmpstr (request->run_directory, ==, "there");
  g_assert_cmpstr (request->device, ==, "cpu");
}

static void
test_attach (void)
{
  g_autoptr (SondeDebugArguments) one = sonde_debug_arguments_parse (
      (const char *const[]){ "debug", "--attach", "4711", NULL }, NULL);
  g_autoptr (SondeDebugArguments) any
      = sonde_debug_arguments_parse ((const char *const[]){ "debug", "--attach", NULL }, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (one->attach);
  g_assert_cmpstr (one->target, ==, "4711");
  g_assert_true (any->attach);
  g_assert_null (any->target);
  g_assert_null (sonde_debug_arguments_parse ((const char *const[]){ "debug", NULL }, &error));
  g_assert_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/frontend/words/states", test_states);
  g_test_add_func ("/engine/frontend/words/running", test_running);
  g_test_add_func ("/engine/frontend/words/reasons", test_reasons);
  g_test_add_func ("/engine/frontend/words/not-finite", test_not_finite);
  g_test_add_func ("/engine/frontend/arguments/open", test_arguments);
  g_test_add_func ("/engine/frontend/arguments/attach", test_attach);
  return g_test_run ();
}
