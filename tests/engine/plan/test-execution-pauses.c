/* SPDX-License-Identifier: Apache-2.0
 * Where a run can be held: observers, pauses, positions, interrupts, and how long steps took. What
 * pauses leave is compared bit for bit with a run without them. */
#include <pthread.h>

#include "tests/engine/plan/net-run.h"

/* ---- observers ----------------------------------------------------------- */

typedef struct
{
  SondeObserver base;
  guint want;
  SondeAnswer answer;
  guint only; /* step, or G_MAXUINT for all */
  guint begins, befores, afters, ends;
} CountingObserver;

static guint
counting_wants (SondeObserver *base, SondeExecution *execution, guint step)
{
  CountingObserver *observer = (CountingObserver *) base;

  return observer->only == G_MAXUINT || observer->only == step ? observer->want
                                                               : SONDE_WANT_NOTHING;
}

static SondeAnswer
counting_before (SondeObserver *base, SondeExecution *execution, guint step)
{
  g_assert_cmpuint (sonde_execution_get_position (execution), ==, step);
  ((CountingObserver *) base)->befores++;
  return ((CountingObserver *) base)->answer;
}

static SondeAnswer
counting_after (SondeObserver *base, SondeExecution *execution, guint step)
{
  g_assert_cmpuint (sonde_execution_get_position (execution), ==, step + 1);
  ((CountingObserver *) base)->afters++;
  return ((CountingObserver *) base)->answer;
}

static SondeAnswer
counting_begins (SondeObserver *base, SondeExecution *execution)
{
  ((CountingObserver *) base)->begins++;
  return SONDE_ANSWER_CONTINUE;
}

static SondeAnswer
counting_ends (SondeObserver *base, SondeExecution *execution)
{
  ((CountingObserver *) base)->ends++;
  return SONDE_ANSWER_CONTINUE;
}

static CountingObserver
counting_observer (guint want, SondeAnswer answer, guint only)
{
  return (CountingObserver){
    .base = { counting_wants, counting_before, counting_after, counting_begins, counting_ends },
    .want = want,
    .answer = answer,
    .only = only,
  };
}

/* Pause before and after each step; at each stop every value that is there equals that of an
 * unpaused run. */
static void
check_stepping (const char *device, SondeMemoryMode memory)
{
  const SondePlanOptions options = { .memory = memory }, keep = { .memory = SONDE_MEMORY_KEEP };
  CountingObserver observer
      = counting_observer (SONDE_WANT_BEFORE | SONDE_WANT_AFTER, SONDE_ANSWER_PAUSE, G_MAXUINT);
  g_autoptr (GHashTable) whole = NULL;
  g_autoptr (GError) error = NULL;
  NetRun unpaused, stepped;
  guint n_steps, pauses = 0;

  net_run_init (&unpaused, device, &keep, "sgd");
  net_run_init (&stepped, device, &options, "sgd");
  n_steps = sonde_plan_get_n_steps (stepped.plan);
  /* The whole graph at the end of the run, before parameters are exchanged. */
  net_run_set_batch (&unpaused, 3);
  g_assert_cmpint (
      sonde_execution_run_to (unpaused.execution, sonde_plan_get_n_steps (unpaused.plan), &error),
      ==, SONDE_RUN_PAUSED);
  whole = net_run_read_all (&unpaused);

  sonde_execution_add_observer (stepped.execution, &observer.base);
  net_run_set_batch (&stepped, 3);
  while (sonde_execution_run (stepped.execution, &error) == SONDE_RUN_PAUSED)
    {
      g_autoptr (GHashTable) now = net_run_read_all (&stepped);
      GHashTableIter iter;
      gpointer name, tensor;

      g_assert_cmpuint (sonde_execution_get_position (stepped.execution), ==, (pauses + 1) / 2);
      g_assert_true (sonde_execution_is_running (stepped.execution));
      g_hash_table_iter_init (&iter, now);
      while (g_hash_table_iter_next (&iter, &name, &tensor))
        if (!sonde_tensor_equal (tensor, g_hash_table_lookup (whole, name)))
          g_error ("at pause %u value “%s” differs from the unpaused run", pauses,
                   (const char *) name);
      pauses++;
    }

  g_assert_no_error (error);
  g_assert_cmpuint (pauses, ==, 2 * n_steps);
  g_assert_cmpuint (observer.befores, ==, n_steps);
  g_assert_cmpuint (observer.afters, ==, n_steps);
  g_assert_cmpuint (observer.begins, ==, 1);
  g_assert_cmpuint (observer.ends, ==, 1);
  g_assert_cmpuint (sonde_execution_get_position (stepped.execution), ==, n_steps);
  g_assert_false (sonde_execution_is_running (stepped.execution));
  net_run_clear (&unpaused);
  net_run_clear (&stepped);
}

static void
test_stepping (void)
{
  check_stepping ("reference", SONDE_MEMORY_KEEP);
  check_stepping ("cpu", SONDE_MEMORY_KEEP);
  check_stepping ("cpu", SONDE_MEMORY_PLAN);
}

/* Several observers that pause at ten places in all leave the same bits as none. */
static void
test_pauses_change_nothing (void)
{
  const SondePlanOptions options = { .memory = SONDE_MEMORY_PLAN };
  CountingObserver observers[8];
  g_autoptr (GHashTable) a = NULL, b = NULL;
  NetRun alone, watched;
  guint pauses = 0;

  net_run_init (&alone, "cpu", &options, "sgd");
  net_run_init (&watched, "cpu", &options, "sgd");
  for (guint i = 0; i < G_N_ELEMENTS (observers); i++)
    {
      observers[i]
          = counting_observer (i < 2 ? SONDE_WANT_BEFORE | SONDE_WANT_AFTER : SONDE_WANT_BEFORE,
                               SONDE_ANSWER_PAUSE, 3 * i + 1);
      sonde_execution_add_observer (watched.execution, &observers[i].base);
    }

  net_run_train (&alone, 4);
  for (guint i = 0; i < 4; i++)
    {
      net_run_set_batch (&watched, i + 1);
      while (sonde_execution_run (watched.execution, NULL) == SONDE_RUN_PAUSED)
        {
          g_autoptr (GHashTable) looked = net_run_read_all (&watched);

          pauses += g_hash_table_size (looked) > 0;
        }
    }

  g_assert_cmpuint (pauses, ==, 40);
  a = net_run_read_all (&alone);
  b = net_run_read_all (&watched);
  net_run_assert_same (a, b);
  net_run_clear (&alone);
  net_run_clear (&watched);
}

static void
test_stop (void)
{
  CountingObserver observer = counting_observer (SONDE_WANT_AFTER, SONDE_ANSWER_STOP, 5);
  g_autoptr (SondeTensor) before = NULL, after = NULL;
  NetRun fixture;

  net_run_init (&fixture, "cpu", NULL, "sgd");
  before = net_run_read (&fixture, g_ptr_array_index (fixture.net->parameters, 0));
  sonde_execution_add_observer (fixture.execution, &observer.base);
  net_run_set_batch (&fixture, 1);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_STOPPED);
  g_assert_false (sonde_execution_is_running (fixture.execution));
  g_assert_cmpuint (observer.ends, ==, 0);
  after = net_run_read (&fixture, g_ptr_array_index (fixture.net->parameters, 0));
  g_assert_true (sonde_tensor_equal (before, after));

  sonde_execution_remove_observer (fixture.execution, &observer.base);
  net_run_finish (&fixture);
  g_assert_cmpuint (observer.afters, ==, 1);
  net_run_clear (&fixture);
}

/* Of two answers at one place the stronger counts; a changed mind is asked for again. */
static void
test_answers (void)
{
  CountingObserver pausing = counting_observer (SONDE_WANT_BEFORE, SONDE_ANSWER_PAUSE, 2);
  CountingObserver stopping = counting_observer (SONDE_WANT_BEFORE, SONDE_ANSWER_STOP, 2);
  NetRun fixture;

  net_run_init (&fixture, "cpu", NULL, NULL);
  sonde_execution_add_observer (fixture.execution, &pausing.base);
  sonde_execution_add_observer (fixture.execution, &stopping.base);
  net_run_set_batch (&fixture, 1);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_STOPPED);
  g_assert_cmpuint (pausing.befores, ==, 1);

  stopping.want = SONDE_WANT_NOTHING;
  sonde_execution_refresh_observers (fixture.execution);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_PAUSED);
  g_assert_cmpuint (sonde_execution_get_position (fixture.execution), ==, 2);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_DONE);
  g_assert_cmpuint (stopping.befores, ==, 1);
  net_run_clear (&fixture);
}

/* ---- positions ----------------------------------------------------------- */

/* Together the steps take the run's time, but for what is around the loop; a second run adds to the
 * first. */
static void
test_step_times (void)
{
  NetRun fixture;
  GTimer *timer;
  double first = 0, both = 0, outside;
  guint n_steps;

  net_run_init (&fixture, "cpu", NULL, "sgd");
  n_steps = sonde_plan_get_n_steps (fixture.plan);
  net_run_set_batch (&fixture, 1);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_DONE);
  g_assert_cmpfloat (sonde_execution_get_step_ns (fixture.execution, 0), ==, 0);

  sonde_execution_set_timing (fixture.execution, TRUE);
  timer = g_timer_new ();
  g_assert_cmpint (sonde_execution_run_to (fixture.execution, n_steps / 2, NULL), ==,
                   SONDE_RUN_PAUSED);
  g_assert_cmpfloat (sonde_execution_get_step_ns (fixture.execution, n_steps - 1), ==, 0);
  g_assert_cmpfloat (sonde_execution_get_last_step_ns (fixture.execution, n_steps - 1), ==, 0);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_DONE);
  for (guint k = 0; k < n_steps; k++)
    first += sonde_execution_get_step_ns (fixture.execution, k);
  outside = g_timer_elapsed (timer, NULL) * 1e9;
  g_assert_cmpfloat (first, >, 0);
  g_assert_cmpfloat (first, <, 1.05 * outside);

  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_DONE);
  for (guint k = 0; k < n_steps; k++)
    {
      double last = sonde_execution_get_last_step_ns (fixture.execution, k);

      g_assert_cmpfloat (last, >, 0);
      g_assert_cmpfloat (last, <=, 1 + sonde_execution_get_step_ns (fixture.execution, k));
      both += sonde_execution_get_step_ns (fixture.execution, k);
    }
  g_assert_cmpfloat (both, >, first);

  sonde_execution_set_timing (fixture.execution, FALSE);
  g_assert_cmpfloat (sonde_execution_get_step_ns (fixture.execution, 0), ==, 0);
  g_assert_cmpfloat (sonde_execution_get_last_step_ns (fixture.execution, 0), ==, 0);
  g_timer_destroy (timer);
  net_run_clear (&fixture);
}

static void
test_abandon (void)
{
  g_autoptr (GHashTable) a = NULL, b = NULL;
  NetRun straight, abandoned;

  net_run_init (&straight, "cpu", NULL, "sgd");
  net_run_init (&abandoned, "cpu", NULL, "sgd");
  net_run_train (&straight, 2);
  net_run_train (&abandoned, 1);
  net_run_set_batch (&abandoned, 9);
  for (guint k = 0; k <= sonde_plan_get_n_steps (abandoned.plan); k += 7)
    {
      g_assert_cmpint (sonde_execution_run_to (abandoned.execution, k, NULL), ==, SONDE_RUN_PAUSED);
      g_assert_cmpuint (sonde_execution_get_position (abandoned.execution), ==, k);
      sonde_execution_abandon (abandoned.execution);
      g_assert_cmpuint (sonde_execution_get_position (abandoned.execution), ==, 0);
      g_assert_false (sonde_execution_is_running (abandoned.execution));
    }

  net_run_set_batch (&abandoned, 2);
  net_run_finish (&abandoned);
  a = net_run_read_all (&straight);
  b = net_run_read_all (&abandoned);
  net_run_assert_same (a, b);
  net_run_clear (&straight);
  net_run_clear (&abandoned);
}

static void
test_run_to (void)
{
  CountingObserver observer
      = counting_observer (SONDE_WANT_BEFORE | SONDE_WANT_AFTER, SONDE_ANSWER_PAUSE, G_MAXUINT);
  g_autoptr (GError) error = NULL;
  NetRun fixture;

  net_run_init (&fixture, "cpu", NULL, "sgd");
  sonde_execution_add_observer (fixture.execution, &observer.base);
  net_run_set_batch (&fixture, 1);
  g_assert_cmpint (sonde_execution_run_to (fixture.execution, 6, &error), ==, SONDE_RUN_PAUSED);
  g_assert_cmpuint (observer.befores, ==, 0);
  g_assert_cmpint (sonde_execution_run_to (fixture.execution, 3, &error), ==, SONDE_RUN_FAILED);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_clear_error (&error);

  /* Going on from there, observers are heard again. */
  g_assert_cmpint (sonde_execution_run (fixture.execution, &error), ==, SONDE_RUN_PAUSED);
  g_assert_cmpuint (sonde_execution_get_position (fixture.execution), ==, 6);
  g_assert_cmpuint (observer.befores, ==, 1);
  net_run_clear (&fixture);
}

static void *
interrupt_thread (void *data)
{
  sonde_execution_interrupt (data);
  return NULL;
}

/* An observer that has another thread interrupt the run in the middle of it. */
static SondeAnswer
interrupting_before (SondeObserver *base, SondeExecution *execution, guint step)
{
  pthread_t thread;

  g_assert_cmpint (pthread_create (&thread, NULL, interrupt_thread, execution), ==, 0);
  pthread_join (thread, NULL);
  return SONDE_ANSWER_CONTINUE;
}

static void
test_interrupt (void)
{
  CountingObserver observer = counting_observer (SONDE_WANT_BEFORE, SONDE_ANSWER_CONTINUE, 4);
  NetRun fixture;

  net_run_init (&fixture, "cpu", NULL, "sgd");
  observer.base.before = interrupting_before;
  sonde_execution_add_observer (fixture.execution, &observer.base);
  net_run_set_batch (&fixture, 1);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_PAUSED);
  g_assert_cmpuint (sonde_execution_get_position (fixture.execution), ==, 5);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_DONE);

  /* One that comes between two runs is not lost. */
  sonde_execution_interrupt (fixture.execution);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_PAUSED);
  g_assert_cmpuint (sonde_execution_get_position (fixture.execution), ==, 0);
  net_run_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/plan/observer/stepping", test_stepping);
  g_test_add_func ("/engine/plan/observer/pauses-change-nothing", test_pauses_change_nothing);
  g_test_add_func ("/engine/plan/observer/stop", test_stop);
  g_test_add_func ("/engine/plan/observer/answers", test_answers);
  g_test_add_func ("/engine/plan/timing", test_step_times);
  g_test_add_func ("/engine/plan/position/abandon", test_abandon);
  g_test_add_func ("/engine/plan/position/run-to", test_run_to);
  g_test_add_func ("/engine/plan/position/interrupt", test_interrupt);
  return g_test_run ();
}
