/* SPDX-License-Identifier: Apache-2.0
 * Going back with breakpoints in one run: steps back and forth, reverse against a search by hand,
 * before nodes. */
#include "engine/debug/sonde-reverse-execution.h"

#include <string.h>

#include "engine/ops/sonde-build.h"
#include "tests/engine/plan/graph-lines.h"

#define N_STEPS 8
static const char *const lines[] = {
  "Relu x > a", "Exp a > b", "Relu b > c", "Neg c > d", "Exp d > e",
  "Relu e > f", "Neg f > g", "Tanh g > y", NULL,
};
static const char *const names[N_STEPS] = { "a", "b", "c", "d", "e", "f", "g", "y" };

typedef struct
{
  SondeGraph *graph;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
  SondeDebugger *debugger;
  SondeTensor *plain[N_STEPS];
} Fixture;

static void
fixture_init (Fixture *fixture, SondeMemoryMode memory)
{
  const SondePlanOptions options = { .memory = memory, .no_fusion = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) x = graph_lines_random ("3x4");

  fixture->graph = graph_of_lines ("small", "3x4", lines);
  fixture->device = sonde_device_open ("cpu", 1, &error);
  g_assert_no_error (error);
  fixture->plan = sonde_plan_new (fixture->graph, fixture->device, &options, &error);
  g_assert_no_error (error);
  fixture->execution = sonde_execution_new (fixture->plan, &error);
  g_assert_no_error (error);
  sonde_execution_set_input (fixture->execution, "x", x, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sonde_execution_run (fixture->execution, &error), ==, SONDE_RUN_DONE);
  for (guint i = 0; i < N_STEPS; i++)
    fixture->plain[i] = sonde_execution_read (
        fixture->execution, sonde_graph_find_value (fixture->graph, names[i]), &error);
  g_assert_no_error (error);
  fixture->debugger = sonde_debugger_new (NULL);
  sonde_debugger_attach_execution (fixture->debugger, fixture->execution);
  g_assert_cmpuint (sonde_plan_get_n_steps (fixture->plan), ==, N_STEPS);
}

static void
fixture_clear (Fixture *fixture)
{
  for (guint i = 0; i < N_STEPS; i++)
    sonde_tensor_unref (fixture->plain[i]);
  sonde_debugger_free (fixture->debugger);
  sonde_execution_free (fixture->execution);
  sonde_plan_unref (fixture->plan);
  sonde_device_unref (fixture->device);
  sonde_graph_unref (fixture->graph);
}

static void
check_values (Fixture *fixture)
{
  guint position = sonde_execution_get_position (fixture->execution);

  for (guint i = 0; i < N_STEPS; i++)
    {
      SondeGraphValue *value = sonde_graph_find_value (fixture->graph, names[i]);
      g_autoptr (SondeTensor) tensor = sonde_execution_read (fixture->execution, value, NULL);

      g_assert_true ((tensor != NULL) == (i < position));
      g_assert_true (tensor == NULL || sonde_tensor_equal (tensor, fixture->plain[i]));
    }
}

static SondeStop
stop_of (Fixture *fixture)
{
  SondeStop stop;

  sonde_debugger_get_stop (fixture->debugger, &stop);
  return stop;
}

static void
go_on (Fixture *fixture, SondeResumeKind kind, guint64 count)
{
  const SondeResume how = { .kind = kind, .count = count };
  g_autoptr (GError) error = NULL;

  sonde_debugger_resume (fixture->debugger, &how, &error);
  if (sonde_execution_run (fixture->execution, &error) == SONDE_RUN_DONE)
    sonde_debugger_run_is_over (fixture->debugger);
  g_assert_no_error (error);
}

static void
go_back (Fixture *fixture, SondeBackKind kind, guint64 count, const char *target)
{
  const SondeBack how = { .kind = kind, .count = count, .target = target };
  g_autoptr (GError) error = NULL;

  sonde_debugger_go_back (fixture->debugger, &how, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_debugger_is_going_back (fixture->debugger));
  g_assert_cmpint (sonde_debugger_run_back (fixture->debugger, &error), ==, SONDE_RUN_PAUSED);
  g_assert_no_error (error);
  g_assert_false (sonde_debugger_is_going_back (fixture->debugger));
  g_assert_true (sonde_debugger_has_stopped (fixture->debugger));
}

static void
assert_at (Fixture *fixture, SondeStopReason reason, guint position)
{
  SondeStop stop = stop_of (fixture);

  g_assert_cmpstr (sonde_stop_reason_name (stop.reason), ==, sonde_stop_reason_name (reason));
  g_assert_cmpuint (stop.position, ==, position);
  g_assert_cmpuint (sonde_execution_get_position (fixture->execution), ==, position);
  /* the second run of this execution: the first was not debugged */
  g_assert_cmpuint (stop.step, ==, 2);
}

static guint
add_breakpoint (Fixture *fixture, const char *pattern, SondeMoment moment)
{
  const SondeBreakpointSpec spec = { .pattern = pattern, .moment = moment };
  g_autoptr (GError) error = NULL;
  const SondeBreakpoint *breakpoint
      = sonde_debugger_add_breakpoint (fixture->debugger, &spec, &error);

  g_assert_no_error (error);
  return breakpoint->id;
}

/* Runs count from 1 and only those the debugger saw do; the fixture's step source says 2. */
static guint64
second (gpointer data)
{
  return 2;
}

static void
test_steps (gconstpointer memory)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  guint position = 0;
  Fixture fixture;

  fixture_init (&fixture, (SondeMemoryMode) GPOINTER_TO_UINT (memory));
  sonde_debugger_set_step_source (fixture.debugger, second, NULL);
  go_back (&fixture, SONDE_BACK_STEPS, 3, NULL); /* before anything ran */
  g_assert_cmpint (stop_of (&fixture).reason, ==, SONDE_STOP_BEGINNING);
  for (guint i = 0; i < 200; i++)
    {
      guint n = (guint) g_rand_int_range (random, 1, 6);

      if (g_rand_boolean (random) && position + n < N_STEPS)
        {
          go_on (&fixture, SONDE_RESUME_STEP, n);
          position += n;
          assert_at (&fixture, SONDE_STOP_STEP, position);
        }
      else if (position > 0)
        {
          go_back (&fixture, SONDE_BACK_STEPS, n, NULL);
          assert_at (&fixture, n <= position ? SONDE_STOP_STEP : SONDE_STOP_BEGINNING,
                     position - MIN (n, position));
          position -= MIN (n, position);
        }
      if (position > 0 || sonde_execution_is_running (fixture.execution))
        check_values (&fixture);
    }
  go_on (&fixture, SONDE_RESUME_CONTINUE, 0); /* to the end, and back from there */
  g_assert_false (sonde_execution_is_running (fixture.execution));
  go_back (&fixture, SONDE_BACK_STEPS, 1, NULL);
  assert_at (&fixture, SONDE_STOP_STEP, N_STEPS - 1);
  g_assert_cmpstr (stop_of (&fixture).node, ==,
                   sonde_plan_get_step (fixture.plan, N_STEPS - 1)->name);
  check_values (&fixture);
  go_on (&fixture, SONDE_RESUME_CONTINUE, 0);
  check_values (&fixture);
  fixture_clear (&fixture);
}

/* Where the breakpoints of a run that only goes forward stop; and from every position, reverse goes
 * to the last before it. */
static void
check_reverse (Fixture *fixture)
{
  gboolean stops[N_STEPS + 1] = { FALSE };

  do
    {
      go_on (fixture, SONDE_RESUME_CONTINUE, 0);
      if (sonde_execution_is_running (fixture->execution))
        stops[stop_of (fixture).position] = TRUE;
    }
  while (sonde_execution_is_running (fixture->execution));
  for (guint from = N_STEPS + 1; from > 0; from--)
    {
      GPtrArray *breakpoints = sonde_debugger_get_breakpoints (fixture->debugger);
      g_autofree guint64 *hits = g_new0 (guint64, breakpoints->len + 1);
      gint expected = from <= N_STEPS ? (gint) from - 2 : N_STEPS;

      if (from <= N_STEPS)
        go_back (fixture, SONDE_BACK_STEPS, N_STEPS - from + 1, NULL); /* from the end */
      for (guint i = 0; i < breakpoints->len; i++)
        hits[i] = ((SondeBreakpoint *) g_ptr_array_index (breakpoints, i))->hits;
      while (expected >= 0 && !stops[expected])
        expected--;
      go_back (fixture, SONDE_BACK_REVERSE, 0, NULL);
      assert_at (fixture, expected >= 0 ? SONDE_STOP_BREAKPOINT : SONDE_STOP_BEGINNING,
                 expected >= 0 ? (guint) expected : 0);
      g_assert_true ((stop_of (fixture).n_breakpoints > 0) == (expected >= 0));
      check_values (fixture);
      for (guint i = 0; i < breakpoints->len; i++)
        g_assert_cmpuint (((SondeBreakpoint *) g_ptr_array_index (breakpoints, i))->hits, ==,
                          hits[i]);
      sonde_debugger_enable_breakpoint (fixture->debugger, 0, FALSE, NULL);
      go_on (fixture, SONDE_RESUME_CONTINUE, 0);
      sonde_debugger_enable_breakpoint (fixture->debugger, 0, TRUE, NULL);
    }
}

static void
test_reverse (gconstpointer memory)
{
  for (guint seed = 0; seed < 12; seed++)
    {
      g_autoptr (GRand) random = g_rand_new_with_seed (seed);
      Fixture fixture;

      fixture_init (&fixture, (SondeMemoryMode) GPOINTER_TO_UINT (memory));
      sonde_debugger_set_step_source (fixture.debugger, second, NULL);
      for (guint i = 0; i < seed % 4; i++)
        add_breakpoint (&fixture, names[g_rand_int_range (random, 0, N_STEPS)],
                        g_rand_boolean (random) ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE);
      if (seed % 5 == 1)
        add_breakpoint (&fixture, "op:Relu", SONDE_MOMENT_AFTER);
      check_reverse (&fixture);
      fixture_clear (&fixture);
    }
}

static void
test_before_node (void)
{
  SondeBack back = { .kind = SONDE_BACK_NODE, .target = "f" };
  g_autoptr (GError) error = NULL, unknown = NULL;
  Fixture fixture;

  fixture_init (&fixture, SONDE_MEMORY_KEEP);
  sonde_debugger_set_step_source (fixture.debugger, second, NULL);
  go_on (&fixture, SONDE_RESUME_STEP, 4);
  g_assert_false (sonde_debugger_go_back (fixture.debugger, &back, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "until f"));
  back.target = "nothing";
  g_assert_false (sonde_debugger_go_back (fixture.debugger, &back, &unknown));
  g_assert_error (unknown, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_cmpuint (stop_of (&fixture).position, ==, 4);

  go_back (&fixture, SONDE_BACK_NODE, 0, "e"); /* it stands there */
  assert_at (&fixture, SONDE_STOP_UNTIL, 4);
  go_back (&fixture, SONDE_BACK_NODE, 0, "b");
  assert_at (&fixture, SONDE_STOP_UNTIL, 1);
  check_values (&fixture);
  go_on (&fixture, SONDE_RESUME_CONTINUE, 0);
  go_back (&fixture, SONDE_BACK_NODE, 0, "op:Relu"); /* the latest of them */
  assert_at (&fixture, SONDE_STOP_UNTIL, 5);
  check_values (&fixture);
  fixture_clear (&fixture);
}

/* A breakpoint where it came back to stops when it is come by again, and not at once. */
static void
test_on_from_there (void)
{
  guint id;
  Fixture fixture;

  fixture_init (&fixture, SONDE_MEMORY_KEEP);
  sonde_debugger_set_step_source (fixture.debugger, second, NULL);
  id = add_breakpoint (&fixture, "d", SONDE_MOMENT_BEFORE);
  go_on (&fixture, SONDE_RESUME_CONTINUE, 0);
  assert_at (&fixture, SONDE_STOP_BREAKPOINT, 3);
  go_on (&fixture, SONDE_RESUME_STEP, 2);
  go_back (&fixture, SONDE_BACK_REVERSE, 0, NULL);
  assert_at (&fixture, SONDE_STOP_BREAKPOINT, 3);
  g_assert_cmpuint (stop_of (&fixture).breakpoints[0], ==, id);
  go_back (&fixture, SONDE_BACK_REVERSE, 0, NULL);
  assert_at (&fixture, SONDE_STOP_BEGINNING, 0);
  go_on (&fixture, SONDE_RESUME_CONTINUE, 0);
  assert_at (&fixture, SONDE_STOP_BREAKPOINT, 3);
  go_on (&fixture, SONDE_RESUME_CONTINUE, 0);
  g_assert_false (sonde_execution_is_running (fixture.execution));
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/debug/back/steps/keep", GUINT_TO_POINTER (SONDE_MEMORY_KEEP), test_steps);
  g_test_add_data_func ("/debug/back/steps/plan", GUINT_TO_POINTER (SONDE_MEMORY_PLAN), test_steps);
  g_test_add_data_func ("/debug/back/reverse/keep", GUINT_TO_POINTER (SONDE_MEMORY_KEEP),
                        test_reverse);
  g_test_add_data_func ("/debug/back/reverse/plan", GUINT_TO_POINTER (SONDE_MEMORY_PLAN),
                        test_reverse);
  g_test_add_func ("/debug/back/before-node", test_before_node);
  g_test_add_func ("/debug/back/on-from-there", test_on_from_there);
  return g_test_run ();
}
