/* SPDX-License-Identifier: Apache-2.0
 * Runs of a training graph: keep against plan, pauses, reading, updates, errors. Everything that is
 * said to be equal is compared bit for bit. */
#include "engine/ops/sonde-build.h"
#include "engine/plan/sonde-execution.h"
#include "tests/engine/plan/training-net.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* ---- set-up -------------------------------------------------------------- */

typedef struct
{
  TrainingNet *net;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
} Fixture;

static void
fixture_init (Fixture *fixture, const char *device, const SondePlanOptions *options,
              const char *optimiser)
{
  g_autoptr (GError) error = NULL;

  fixture->net = training_net_new (8, 16, optimiser);
  fixture->device = sonde_device_open (device, 2, &error);
  g_assert_no_error (error);
  fixture->plan = sonde_plan_new (fixture->net->graph, fixture->device, options, &error);
  g_assert_no_error (error);
  fixture->execution = sonde_execution_new (fixture->plan, &error);
  g_assert_no_error (error);
}

static void
fixture_clear (Fixture *fixture)
{
  sonde_execution_free (fixture->execution);
  sonde_plan_unref (fixture->plan);
  sonde_device_unref (fixture->device);
  training_net_free (fixture->net);
}

static void
set_batch (Fixture *fixture, guint32 seed)
{
  g_autoptr (SondeTensor) images = training_net_images (fixture->net, seed);
  g_autoptr (SondeTensor) labels = training_net_labels (fixture->net, seed);
  g_autoptr (SondeTensor) rate = sonde_tensor_new_f32 (0.05f);
  g_autoptr (SondeTensor) step = sonde_tensor_new_i64 (seed);
  g_autoptr (GError) error = NULL;

  sonde_execution_set_input (fixture->execution, "x", images, &error);
  g_assert_no_error (error);
  sonde_execution_set_input (fixture->execution, "labels", labels, &error);
  g_assert_no_error (error);
  if (sonde_graph_find_value (fixture->net->graph, "rate") == NULL)
    return;

  sonde_execution_set_input (fixture->execution, "rate", rate, &error);
  g_assert_no_error (error);
  sonde_execution_set_input (fixture->execution, "step", step, &error);
  g_assert_no_error (error);
}

static SondeTensor *
read_value (Fixture *fixture, SondeGraphValue *value)
{
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor = sonde_execution_read (fixture->execution, value, &error);

  g_assert_no_error (error);
  return tensor;
}

static double
read_loss (Fixture *fixture)
{
  g_autoptr (SondeTensor) loss = read_value (fixture, fixture->net->loss);

  return sonde_tensor_get_double (loss, 0);
}

static void
run_to_end (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sonde_execution_run (fixture->execution, &error), ==, SONDE_RUN_DONE);
  g_assert_no_error (error);
}

static void
train (Fixture *fixture, guint steps)
{
  for (guint i = 0; i < steps; i++)
    {
      set_batch (fixture, i + 1);
      run_to_end (fixture);
    }
}

/* Every value of the graph that can be read now; by name. */
static GHashTable *
read_all (Fixture *fixture)
{
  GHashTable *values
      = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) sonde_tensor_unref);
  GPtrArray *all = fixture->net->graph->values;

  for (guint i = 0; i < all->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (all, i);

      if (value != NULL && sonde_execution_is_available (fixture->execution, value))
        g_hash_table_insert (values, value->name, read_value (fixture, value));
    }

  return values;
}

static void
assert_same (GHashTable *a, GHashTable *b)
{
  GHashTableIter iter;
  gpointer name, tensor;

  g_assert_cmpuint (g_hash_table_size (a), ==, g_hash_table_size (b));
  g_hash_table_iter_init (&iter, a);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    {
      SondeTensor *other = g_hash_table_lookup (b, name);

      if (other == NULL || !sonde_tensor_equal (tensor, other))
        g_error ("value “%s” differs", (const char *) name);
    }
}

/* ---- keep and plan ------------------------------------------------------- */

static void
check_keep_and_plan (const char *device, const char *optimiser)
{
  const SondePlanOptions keep = { .memory = SONDE_MEMORY_KEEP },
                         plan = { .memory = SONDE_MEMORY_PLAN };
  g_autoptr (GHashTable) kept = NULL, planned = NULL;
  Fixture a, b;

  fixture_init (&a, device, &keep, optimiser);
  fixture_init (&b, device, &plan, optimiser);
  g_assert_cmpuint (sonde_plan_get_arena_bytes (b.plan), <, sonde_plan_get_arena_bytes (a.plan));
  train (&a, 3);
  train (&b, 3);

  /* Those whose memory was used again are computed beside the run, from the parameters of that
   * run. */
  kept = read_all (&a);
  planned = read_all (&b);
  g_assert_cmpuint (g_hash_table_size (kept), ==, a.net->graph->values->len);
  assert_same (kept, planned);
  fixture_clear (&a);
  fixture_clear (&b);
}

static void
test_keep_and_plan (void)
{
  check_keep_and_plan ("reference", "sgd");
  check_keep_and_plan ("cpu", "sgd");
  check_keep_and_plan ("cpu", "adam");
}

static void
test_cpu_agrees (void)
{
  const SondePlanOptions options = { .memory = SONDE_MEMORY_PLAN };
  const SondePlanOptions plain = { .memory = SONDE_MEMORY_PLAN, .plain_layouts = TRUE };
  Fixture a, b, c;

  fixture_init (&a, "reference", &options, "sgd");
  fixture_init (&b, "cpu", &options, "sgd");
  fixture_init (&c, "cpu", &plain, "sgd");
  for (guint i = 0; i < 5; i++)
    {
      set_batch (&a, i);
      set_batch (&b, i);
      set_batch (&c, i);
      run_to_end (&a);
      run_to_end (&b);
      run_to_end (&c);
      g_assert_cmpfloat_with_epsilon (read_loss (&a), read_loss (&b), 1e-5);
      g_assert_cmpfloat_with_epsilon (read_loss (&a), read_loss (&c), 1e-5);
    }

  fixture_clear (&a);
  fixture_clear (&b);
  fixture_clear (&c);
}

static void
test_training_learns (void)
{
  Fixture fixture;
  double first, last = 0;

  fixture_init (&fixture, "cpu", NULL, "sgd");
  set_batch (&fixture, 1);
  run_to_end (&fixture);
  first = read_loss (&fixture);
  for (int i = 0; i < 60; i++)
    {
      run_to_end (&fixture);
      last = read_loss (&fixture);
    }

  g_assert_cmpfloat (last, <, first * 0.5);
  fixture_clear (&fixture);
}

static void
test_pinned (void)
{
  const char *globs[] = { "conv1*", NULL };
  const SondePlanOptions options = { .memory = SONDE_MEMORY_PLAN, .pinned = globs };
  const SondePlanOptions none = { .memory = SONDE_MEMORY_PLAN };
  Fixture pinned, bare;

  fixture_init (&pinned, "cpu", &options, NULL);
  fixture_init (&bare, "cpu", &none, NULL);
  g_assert_cmpuint (sonde_plan_get_arena_bytes (bare.plan), <,
                    sonde_plan_get_arena_bytes (pinned.plan));
  fixture_clear (&pinned);
  fixture_clear (&bare);
}

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
  Fixture unpaused, stepped;
  guint n_steps, pauses = 0;

  fixture_init (&unpaused, device, &keep, "sgd");
  fixture_init (&stepped, device, &options, "sgd");
  n_steps = sonde_plan_get_n_steps (stepped.plan);
  /* The whole graph at the end of the run, before parameters are exchanged. */
  set_batch (&unpaused, 3);
  g_assert_cmpint (
      sonde_execution_run_to (unpaused.execution, sonde_plan_get_n_steps (unpaused.plan), &error),
      ==, SONDE_RUN_PAUSED);
  whole = read_all (&unpaused);

  sonde_execution_add_observer (stepped.execution, &observer.base);
  set_batch (&stepped, 3);
  while (sonde_execution_run (stepped.execution, &error) == SONDE_RUN_PAUSED)
    {
      g_autoptr (GHashTable) now = read_all (&stepped);
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
  fixture_clear (&unpaused);
  fixture_clear (&stepped);
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
  Fixture alone, watched;
  guint pauses = 0;

  fixture_init (&alone, "cpu", &options, "sgd");
  fixture_init (&watched, "cpu", &options, "sgd");
  for (guint i = 0; i < G_N_ELEMENTS (observers); i++)
    {
      observers[i]
          = counting_observer (i < 2 ? SONDE_WANT_BEFORE | SONDE_WANT_AFTER : SONDE_WANT_BEFORE,
                               SONDE_ANSWER_PAUSE, 3 * i + 1);
      sonde_execution_add_observer (watched.execution, &observers[i].base);
    }

  train (&alone, 4);
  for (guint i = 0; i < 4; i++)
    {
      set_batch (&watched, i + 1);
      while (sonde_execution_run (watched.execution, NULL) == SONDE_RUN_PAUSED)
        {
          g_autoptr (GHashTable) looked = read_all (&watched);

          pauses += g_hash_table_size (looked) > 0;
        }
    }

  g_assert_cmpuint (pauses, ==, 40);
  a = read_all (&alone);
  b = read_all (&watched);
  assert_same (a, b);
  fixture_clear (&alone);
  fixture_clear (&watched);
}

static void
test_stop (void)
{
  CountingObserver observer = counting_observer (SONDE_WANT_AFTER, SONDE_ANSWER_STOP, 5);
  g_autoptr (SondeTensor) before = NULL, after = NULL;
  Fixture fixture;

  fixture_init (&fixture, "cpu", NULL, "sgd");
  before = read_value (&fixture, g_ptr_array_index (fixture.net->parameters, 0));
  sonde_execution_add_observer (fixture.execution, &observer.base);
  set_batch (&fixture, 1);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_STOPPED);
  g_assert_false (sonde_execution_is_running (fixture.execution));
  g_assert_cmpuint (observer.ends, ==, 0);
  after = read_value (&fixture, g_ptr_array_index (fixture.net->parameters, 0));
  g_assert_true (sonde_tensor_equal (before, after));

  sonde_execution_remove_observer (fixture.execution, &observer.base);
  run_to_end (&fixture);
  g_assert_cmpuint (observer.afters, ==, 1);
  fixture_clear (&fixture);
}

/* Of two answers at one place the stronger counts; a changed mind is asked for again. */
static void
test_answers (void)
{
  CountingObserver pausing = counting_observer (SONDE_WANT_BEFORE, SONDE_ANSWER_PAUSE, 2);
  CountingObserver stopping = counting_observer (SONDE_WANT_BEFORE, SONDE_ANSWER_STOP, 2);
  Fixture fixture;

  fixture_init (&fixture, "cpu", NULL, NULL);
  sonde_execution_add_observer (fixture.execution, &pausing.base);
  sonde_execution_add_observer (fixture.execution, &stopping.base);
  set_batch (&fixture, 1);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_STOPPED);
  g_assert_cmpuint (pausing.befores, ==, 1);

  stopping.want = SONDE_WANT_NOTHING;
  sonde_execution_refresh_observers (fixture.execution);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_PAUSED);
  g_assert_cmpuint (sonde_execution_get_position (fixture.execution), ==, 2);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_DONE);
  g_assert_cmpuint (stopping.befores, ==, 1);
  fixture_clear (&fixture);
}

/* ---- positions ----------------------------------------------------------- */

/* Together the steps take the run's time, but for what is around the loop; a second run adds to the
 * first. */
static void
test_step_times (void)
{
  Fixture fixture;
  GTimer *timer;
  double first = 0, both = 0, outside;
  guint n_steps;

  fixture_init (&fixture, "cpu", NULL, "sgd");
  n_steps = sonde_plan_get_n_steps (fixture.plan);
  set_batch (&fixture, 1);
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
  fixture_clear (&fixture);
}

static void
test_abandon (void)
{
  g_autoptr (GHashTable) a = NULL, b = NULL;
  Fixture straight, abandoned;

  fixture_init (&straight, "cpu", NULL, "sgd");
  fixture_init (&abandoned, "cpu", NULL, "sgd");
  train (&straight, 2);
  train (&abandoned, 1);
  set_batch (&abandoned, 9);
  for (guint k = 0; k <= sonde_plan_get_n_steps (abandoned.plan); k += 7)
    {
      g_assert_cmpint (sonde_execution_run_to (abandoned.execution, k, NULL), ==, SONDE_RUN_PAUSED);
      g_assert_cmpuint (sonde_execution_get_position (abandoned.execution), ==, k);
      sonde_execution_abandon (abandoned.execution);
      g_assert_cmpuint (sonde_execution_get_position (abandoned.execution), ==, 0);
      g_assert_false (sonde_execution_is_running (abandoned.execution));
    }

  set_batch (&abandoned, 2);
  run_to_end (&abandoned);
  a = read_all (&straight);
  b = read_all (&abandoned);
  assert_same (a, b);
  fixture_clear (&straight);
  fixture_clear (&abandoned);
}

static void
test_run_to (void)
{
  CountingObserver observer
      = counting_observer (SONDE_WANT_BEFORE | SONDE_WANT_AFTER, SONDE_ANSWER_PAUSE, G_MAXUINT);
  g_autoptr (GError) error = NULL;
  Fixture fixture;

  fixture_init (&fixture, "cpu", NULL, "sgd");
  sonde_execution_add_observer (fixture.execution, &observer.base);
  set_batch (&fixture, 1);
  g_assert_cmpint (sonde_execution_run_to (fixture.execution, 6, &error), ==, SONDE_RUN_PAUSED);
  g_assert_cmpuint (observer.befores, ==, 0);
  g_assert_cmpint (sonde_execution_run_to (fixture.execution, 3, &error), ==, SONDE_RUN_FAILED);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_clear_error (&error);

  /* Going on from there, observers are heard again. */
  g_assert_cmpint (sonde_execution_run (fixture.execution, &error), ==, SONDE_RUN_PAUSED);
  g_assert_cmpuint (sonde_execution_get_position (fixture.execution), ==, 6);
  g_assert_cmpuint (observer.befores, ==, 1);
  fixture_clear (&fixture);
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
  Fixture fixture;

  fixture_init (&fixture, "cpu", NULL, "sgd");
  observer.base.before = interrupting_before;
  sonde_execution_add_observer (fixture.execution, &observer.base);
  set_batch (&fixture, 1);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_PAUSED);
  g_assert_cmpuint (sonde_execution_get_position (fixture.execution), ==, 5);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_DONE);

  /* One that comes between two runs is not lost. */
  sonde_execution_interrupt (fixture.execution);
  g_assert_cmpint (sonde_execution_run (fixture.execution, NULL), ==, SONDE_RUN_PAUSED);
  g_assert_cmpuint (sonde_execution_get_position (fixture.execution), ==, 0);
  fixture_clear (&fixture);
}

/* ---- reading and writing ------------------------------------------------- */

static SondeGraphValue *
output_of (const Fixture *fixture, const char *node)
{
  SondeNode *found = sonde_graph_find_node (fixture->net->graph, node);

  g_assert_nonnull (found);
  return sonde_node_get_output (found, 0);
}

static void
test_not_computed_yet (void)
{
  g_autoptr (GError) error = NULL;
  SondeGraphValue *value;
  Fixture fixture;

  fixture_init (&fixture, "cpu", NULL, "sgd");
  value = output_of (&fixture, "fc1");
  g_assert_false (sonde_execution_is_available (fixture.execution, value));
  g_assert_null (sonde_execution_read (fixture.execution, value, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, value->name));
  g_assert_nonnull (strstr (error->message, "fc1"));
  fixture_clear (&fixture);
}

/* During a run P and P' are both there; afterwards both names mean the new one. */
static void
test_updates (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) old = NULL, during = NULL, made = NULL, after = NULL, again = NULL;
  SondeGraphValue *parameter, *update;
  Fixture fixture;

  fixture_init (&fixture, "cpu", NULL, "sgd");
  parameter = g_ptr_array_index (fixture.net->parameters, 2);
  update = sonde_graph_find_value (fixture.net->graph, "conv2.weight'");
  old = read_value (&fixture, parameter);
  set_batch (&fixture, 1);
  sonde_execution_run_to (fixture.execution, sonde_plan_get_n_steps (fixture.plan), &error);
  during = read_value (&fixture, parameter);
  made = read_value (&fixture, update);
  g_assert_true (sonde_tensor_equal (old, during));
  g_assert_false (sonde_tensor_equal (old, made));
  run_to_end (&fixture);
  after = read_value (&fixture, parameter);
  again = read_value (&fixture, update);
  g_assert_true (sonde_tensor_equal (made, after));
  g_assert_true (sonde_tensor_equal (made, again));
  fixture_clear (&fixture);
}

static void
test_write_parameter (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) zeros = NULL, back = NULL, logits = NULL;
  SondeGraphValue *weight;
  SondeShape shape = sonde_shape_make (2, 10, 84);
  Fixture fixture;

  /* Inference: the weight is held in the layout of its reader, and may be in several. */
  fixture_init (&fixture, "cpu", NULL, NULL);
  set_batch (&fixture, 1);
  run_to_end (&fixture);
  weight = sonde_graph_find_value (fixture.net->graph, "fc3.weight");
  zeros = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  sonde_execution_write (fixture.execution, weight, zeros, &error);
  g_assert_no_error (error);
  back = read_value (&fixture, weight);
  g_assert_true (sonde_tensor_equal (zeros, back));
  run_to_end (&fixture);
  logits = read_value (&fixture, fixture.net->logits);
  /* Only the bias is left: every row is the same. */
  g_assert_cmpfloat (sonde_tensor_get_double (logits, 3), ==, sonde_tensor_get_double (logits, 13));
  fixture_clear (&fixture);
}

/* An edit of a computed value at a pause is what the rest of the run sees. */
static void
test_write_value (void)
{
  const SondePlanOptions keep = { .memory = SONDE_MEMORY_KEEP };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) zeros = NULL, logits = NULL;
  SondeGraphValue *value;
  SondeShape shape = sonde_shape_make (2, 8, 84);
  Fixture fixture;
  int step;

  fixture_init (&fixture, "cpu", &keep, "sgd");
  value = output_of (&fixture, "fc2");
  zeros = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_assert_false (sonde_execution_write (fixture.execution, value, zeros, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_clear_error (&error);

  set_batch (&fixture, 1);
  step = sonde_plan_find_step (fixture.plan, value->producer);
  g_assert_cmpint (step, >, 0);
  sonde_execution_run_to (fixture.execution, (guint) step + 1, &error);
  sonde_execution_write (fixture.execution, value, zeros, &error);
  g_assert_no_error (error);
  run_to_end (&fixture);
  logits = read_value (&fixture, fixture.net->logits);
  g_assert_cmpfloat (sonde_tensor_get_double (logits, 3), ==, sonde_tensor_get_double (logits, 13));
  fixture_clear (&fixture);
}

static void
test_statistics (void)
{
  Fixture fixture;
  GPtrArray *all;

  fixture_init (&fixture, "cpu", NULL, "sgd");
  set_batch (&fixture, 1);
  run_to_end (&fixture);
  all = fixture.net->graph->values;
  for (guint i = 0; i < all->len; i++)
    {
      g_autoptr (SondeTensor) tensor = read_value (&fixture, g_ptr_array_index (all, i));
      SondeStatistics expected, statistics;
      g_autoptr (GError) error = NULL;

      sonde_statistics_compute (tensor, &expected);
      sonde_execution_read_statistics (fixture.execution, g_ptr_array_index (all, i), &statistics,
                                       &error);
      g_assert_no_error (error);
      g_assert_cmpint (statistics.count, ==, expected.count);
      g_assert_cmpint (statistics.zeros, ==, expected.zeros);
      g_assert_cmpfloat (statistics.max, ==, expected.max);
      g_assert_cmpfloat_with_epsilon (statistics.mean, expected.mean, 1e-9);
    }

  fixture_clear (&fixture);
}

static void
test_share (void)
{
  g_autoptr (GError) error = NULL;
  Fixture training, evaluation;
  double before;

  fixture_init (&training, "cpu", NULL, "sgd");
  fixture_init (&evaluation, "cpu", NULL, NULL);
  set_batch (&evaluation, 1);
  run_to_end (&evaluation);
  before = read_loss (&evaluation);
  train (&training, 3);
  sonde_execution_share_parameters (evaluation.execution, training.execution, &error);
  g_assert_no_error (error);
  run_to_end (&evaluation);
  set_batch (&training, 1);
  run_to_end (&training);
  g_assert_cmpfloat (read_loss (&evaluation), !=, before);
  g_assert_cmpfloat_with_epsilon (read_loss (&evaluation), read_loss (&training), 1e-6);

  g_assert_false (
      sonde_execution_share_parameters (training.execution, evaluation.execution, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  fixture_clear (&training);
  fixture_clear (&evaluation);
}

/* ---- threads ------------------------------------------------------------- */

typedef struct
{
  SondeExecution *execution;
  pthread_t thread;
} Runner;

static void *
run_many (void *data)
{
  Runner *runner = data;

  for (guint i = 0; i < 20; i++)
    g_assert_cmpint (sonde_execution_run (runner->execution, NULL), ==, SONDE_RUN_DONE);
  return NULL;
}

/* A plan is immutable: two executions of it may run at the same time. */
static void
test_two_threads (void)
{
  Fixture fixture;
  Runner runners[2];
  g_autoptr (SondeTensor) a = NULL, b = NULL;

  fixture_init (&fixture, "cpu", NULL, "sgd");
  for (guint i = 0; i < 2; i++)
    {
      Fixture view = fixture;

      runners[i].execution = sonde_execution_new (fixture.plan, NULL);
      view.execution = runners[i].execution;
      set_batch (&view, 5);
    }

  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (pthread_create (&runners[i].thread, NULL, run_many, &runners[i]), ==, 0);
  for (guint i = 0; i < 2; i++)
    pthread_join (runners[i].thread, NULL);

  a = sonde_execution_read (runners[0].execution, g_ptr_array_index (fixture.net->parameters, 2),
                            NULL);
  b = sonde_execution_read (runners[1].execution, g_ptr_array_index (fixture.net->parameters, 2),
                            NULL);
  g_assert_true (sonde_tensor_equal (a, b));
  sonde_execution_free (runners[0].execution);
  sonde_execution_free (runners[1].execution);
  fixture_clear (&fixture);
}

/* ---- fusion -------------------------------------------------------------- */

/* x → Conv → BatchNormalization → Add (x) → Relu → y */
static SondeGraph *
residual_graph (void)
{
  SondeGraph *graph = sonde_graph_new ("residual");
  SondeShape shape = sonde_shape_make (4, 2, 16, 9, 7), channels = sonde_shape_make (1, 16);
  SondeShape kernel = sonde_shape_make (4, 16, 16, 3, 3);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  gint64 pads[] = { 1, 1, 1, 1 };
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", &type), *inputs[5], *y;
  const char *names[] = { "scale", "bias", "mean", "variance" };
  g_autoptr (SondeTensor) weight = random_f32 (&kernel, 0.1, 1);

  sonde_graph_set_opset (graph, "", 21);
  inputs[0] = x;
  inputs[1] = sonde_graph_add_initialiser (graph, "weight", weight, SONDE_ROLE_PARAMETER);
  y = sonde_build_op (graph, "conv", "", "Conv", 2, inputs);
  sonde_node_set_ints (y->producer, "pads", pads, 4);
  g_assert_true (sonde_build_infer (graph, y->producer, NULL));
  inputs[0] = y;
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (SondeTensor) tensor = random_f32 (&channels, 0.5, 10 + i);

      for (gint64 c = 0; c < 16 && i == 3; c++)
        sonde_tensor_set_double (tensor, c, 1 + sonde_tensor_get_double (tensor, c));
      inputs[i + 1] = sonde_graph_add_initialiser (graph, names[i], tensor, SONDE_ROLE_PARAMETER);
    }

  y = sonde_build_op (graph, "normalise", "", "BatchNormalization", 5, inputs);
  y = sonde_build_op (graph, "add", "", "Add", 2, (SondeGraphValue *[]){ x, y });
  y = sonde_build_op (graph, "relu", "", "Relu", 1, &y);
  sonde_graph_add_output (graph, y);
  return graph;
}

static SondeExecution *
run_residual (SondeGraph *graph, SondeDevice *device, const SondePlanOptions *options,
              SondeTensor *x)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, options, &error);
  SondeExecution *execution;

  g_assert_no_error (error);
  execution = sonde_execution_new (plan, &error);
  g_assert_true (sonde_execution_set_input (execution, "x", x, &error));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  return execution;
}

/* To a few roundings, NaN at the same places. */
static void
assert_close (SondeTensor *a, SondeTensor *b)
{
  g_assert_true (sonde_shape_equal (&a->shape, &b->shape));
  for (gint64 i = 0; i < sonde_tensor_n_elements (a); i++)
    {
      double x = sonde_tensor_get_double (a, i), y = sonde_tensor_get_double (b, i);

      g_assert_cmpint (isnan (x) != 0, ==, isnan (y) != 0);
      g_assert_true (isnan (x) || fabs (x - y) <= 1e-5 * (1 + fabs (y)));
    }
}

static void
test_fusion (void)
{
  const SondePlanOptions fused = { .memory = SONDE_MEMORY_PLAN };
  const SondePlanOptions single = { .memory = SONDE_MEMORY_PLAN, .no_fusion = TRUE };
  const char *globs[] = { "normalise*", NULL };
  const SondePlanOptions pinned = { .memory = SONDE_MEMORY_PLAN, .pinned = globs };
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 2, NULL);
  g_autoptr (SondeGraph) a = residual_graph (), b = residual_graph (), c = residual_graph ();
  SondeShape shape = sonde_shape_make (4, 2, 16, 9, 7);
  g_autoptr (SondeTensor) x = random_f32 (&shape, 1, 5);
  g_autoptr (SondeExecution) one = NULL, each = NULL, watched = NULL;
  g_autoptr (GError) error = NULL;
  SondePlan *plan;

  /* NaN goes through every node of a fused step. */
  sonde_tensor_set_double (x, 500, NAN);
  one = run_residual (a, device, &fused, x);
  each = run_residual (b, device, &single, x);
  watched = run_residual (c, device, &pinned, x);
  plan = sonde_execution_get_plan (one);
  g_assert_cmpuint (sonde_plan_get_n_steps (plan), <,
                    sonde_plan_get_n_steps (sonde_execution_get_plan (watched)));
  g_assert_cmpuint (sonde_plan_get_n_steps (sonde_execution_get_plan (watched)), <,
                    sonde_plan_get_n_steps (sonde_execution_get_plan (each)));
  g_assert_cmpint (sonde_plan_find_step (plan, sonde_graph_find_node (a, "conv")), ==,
                   sonde_plan_find_step (plan, sonde_graph_find_node (a, "relu")));

  for (guint i = 0; i < a->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (a->values, i);
      g_autoptr (SondeTensor) ours = sonde_execution_read (one, value, &error);
      g_autoptr (SondeTensor) theirs
          = sonde_execution_read (each, sonde_graph_find_value (b, value->name), &error);
      g_autoptr (SondeTensor) pin
          = sonde_execution_read (watched, sonde_graph_find_value (c, value->name), &error);

      g_assert_no_error (error);
      assert_close (ours, theirs);
      assert_close (ours, pin);
      if (value->producer != NULL)
        {
          SondeStatistics statistics;

          sonde_statistics_compute (ours, &statistics);
          g_assert_cmpint (statistics.nan, >, 0);
        }
    }
}

static void
test_fused_write (void)
{
  const SondePlanOptions fused = { .memory = SONDE_MEMORY_PLAN };
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, NULL);
  g_autoptr (SondeGraph) graph = residual_graph ();
  SondeShape shape = sonde_shape_make (4, 2, 16, 9, 7);
  g_autoptr (SondeTensor) x = random_f32 (&shape, 1, 5);
  g_autoptr (SondeExecution) execution = run_residual (graph, device, &fused, x);
  g_autoptr (GError) error = NULL;
  SondeGraphValue *inside = sonde_node_get_output (sonde_graph_find_node (graph, "conv"), 0);

  sonde_execution_run_to (execution, sonde_plan_get_n_steps (sonde_execution_get_plan (execution)),
                          &error);
  g_assert_false (sonde_execution_write (execution, inside, x, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "fus"));
}

/* Weights that are inside others' are read back as they were given, can be written, and then
 * count. */
static void
test_folded_weights (void)
{
  const SondePlanOptions fused = { .memory = SONDE_MEMORY_PLAN };
  const SondePlanOptions single = { .memory = SONDE_MEMORY_PLAN, .no_fusion = TRUE };
  const char *names[] = { "weight", "scale", "bias", "mean" };
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 2, NULL);
  g_autoptr (SondeGraph) a = residual_graph (), b = residual_graph ();
  SondeShape shape = sonde_shape_make (4, 2, 16, 9, 7);
  g_autoptr (SondeTensor) x = random_f32 (&shape, 1, 5);
  g_autoptr (SondeExecution) one = run_residual (a, device, &fused, x),
                             each = run_residual (b, device, &single, x);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      SondeGraphValue *ours = sonde_graph_find_value (a, names[i]),
                      *theirs = sonde_graph_find_value (b, names[i]);
      g_autoptr (SondeTensor) before = sonde_execution_read (one, ours, &error);
      g_autoptr (SondeTensor) changed = random_f32 (&before->shape, 0.3, 77 + i), after = NULL,
                              y = NULL, z = NULL;

      g_assert_no_error (error);
      g_assert_true (sonde_tensor_equal (before, sonde_value_get_tensor (ours->constant)));
      g_assert_true (sonde_execution_write (one, ours, changed, &error));
      g_assert_true (sonde_execution_write (each, theirs, changed, &error));
      after = sonde_execution_read (one, ours, &error);
      g_assert_true (sonde_tensor_equal (after, changed));
      g_assert_cmpint (sonde_execution_run (one, &error), ==, SONDE_RUN_DONE);
      g_assert_cmpint (sonde_execution_run (each, &error), ==, SONDE_RUN_DONE);
      y = sonde_execution_read (one, g_ptr_array_index (a->outputs, 0), &error);
      z = sonde_execution_read (each, g_ptr_array_index (b->outputs, 0), &error);
      assert_close (y, z);
    }
}

/* ---- errors -------------------------------------------------------------- */

static void
test_wrong_inputs (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = NULL;
  SondeShape shape = sonde_shape_make (4, 8, 1, 15, 16);
  Fixture fixture;

  fixture_init (&fixture, "reference", NULL, NULL);
  tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_assert_false (sonde_execution_set_input (fixture.execution, "x", tensor, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "8×1×15×16"));
  g_assert_nonnull (strstr (error->message, "8×1×16×16"));
  g_clear_error (&error);

  g_assert_false (sonde_execution_set_input (fixture.execution, "y", tensor, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "labels"));
  fixture_clear (&fixture);
}

static void
test_unset_input (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) images = NULL;
  Fixture fixture;

  fixture_init (&fixture, "reference", NULL, NULL);
  images = training_net_images (fixture.net, 1);
  sonde_execution_set_input (fixture.execution, "x", images, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sonde_execution_run (fixture.execution, &error), ==, SONDE_RUN_FAILED);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "labels"));
  g_assert_false (sonde_execution_is_running (fixture.execution));
  fixture_clear (&fixture);
}

/* More than the machine has is refused, not killed for. */
static void
test_too_big (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("big");
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondePlan) plan = NULL;
  SondeShape shape = sonde_shape_make (2, 1 << 20, 1 << 20);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x;

  sonde_graph_set_opset (graph, "", 21);
  x = sonde_graph_add_input (graph, "x", &type);
  sonde_graph_add_output (graph, sonde_build_unary (graph, "Relu", x));
  plan = sonde_plan_new (graph, device, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (sonde_execution_new (plan, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY);
}

static void
test_unknown_size (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("open");
  g_autoptr (SondeDevice) device = sonde_device_open ("reference", 1, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondePlan) plan = NULL;
  SondeType type = { .kind = SONDE_VALUE_TENSOR, .dtype = SONDE_DTYPE_F32, .rank = 2 };
  SondeShape shape = sonde_shape_make (2, 3, 4);
  SondeBinding binding = { "rows", sonde_type_tensor (SONDE_DTYPE_F32, &shape) };
  SondePlanOptions options = { .bindings = &binding, .n_bindings = 1 };
  SondeGraphValue *x;
  SondeNode *node;

  type.dims[0] = (SondeDimension){ -1, g_intern_string ("N") };
  type.dims[1] = (SondeDimension){ 4, NULL };
  sonde_graph_set_opset (graph, "", 21);
  x = sonde_graph_add_input (graph, "rows", &type);
  node = sonde_graph_add_node (graph, NULL, "", "Relu", &x, 1, 1);
  sonde_graph_add_output (graph, sonde_node_get_output (node, 0));

  g_assert_null (sonde_plan_new (graph, device, NULL, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "rows"));
  g_clear_error (&error);
  plan = sonde_plan_new (graph, device, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_plan_get_n_steps (plan), ==, 1);
}

static void
test_two_updates (void)
{
  g_autoptr (TrainingNet) net = training_net_new (2, 16, "sgd");
  g_autoptr (SondeDevice) device = sonde_device_open ("reference", 1, NULL);
  g_autoptr (GError) error = NULL;

  sonde_graph_find_value (net->graph, "state(fc2.bias, momentum)'")->update_of
      = sonde_graph_find_value (net->graph, "fc2.bias");
  g_assert_null (sonde_plan_new (net->graph, device, NULL, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "fc2.bias"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/plan/memory/keep-and-plan", test_keep_and_plan);
  g_test_add_func ("/engine/plan/memory/pinned", test_pinned);
  g_test_add_func ("/engine/plan/devices-agree", test_cpu_agrees);
  g_test_add_func ("/engine/plan/training-learns", test_training_learns);
  g_test_add_func ("/engine/plan/observer/stepping", test_stepping);
  g_test_add_func ("/engine/plan/observer/pauses-change-nothing", test_pauses_change_nothing);
  g_test_add_func ("/engine/plan/observer/stop", test_stop);
  g_test_add_func ("/engine/plan/observer/answers", test_answers);
  g_test_add_func ("/engine/plan/timing", test_step_times);
  g_test_add_func ("/engine/plan/position/abandon", test_abandon);
  g_test_add_func ("/engine/plan/position/run-to", test_run_to);
  g_test_add_func ("/engine/plan/position/interrupt", test_interrupt);
  g_test_add_func ("/engine/plan/value/not-computed-yet", test_not_computed_yet);
  g_test_add_func ("/engine/plan/value/updates", test_updates);
  g_test_add_func ("/engine/plan/value/write-parameter", test_write_parameter);
  g_test_add_func ("/engine/plan/value/write-value", test_write_value);
  g_test_add_func ("/engine/plan/value/statistics", test_statistics);
  g_test_add_func ("/engine/plan/value/share", test_share);
  g_test_add_func ("/engine/plan/two-threads", test_two_threads);
  g_test_add_func ("/engine/plan/fusion/agrees", test_fusion);
  g_test_add_func ("/engine/plan/fusion/folded-weights", test_folded_weights);
  g_test_add_func ("/engine/plan/fusion/write", test_fused_write);
  g_test_add_func ("/engine/plan/error/inputs", test_wrong_inputs);
  g_test_add_func ("/engine/plan/error/unset-input", test_unset_input);
  g_test_add_func ("/engine/plan/error/too-big", test_too_big);
  g_test_add_func ("/engine/plan/error/unknown-size", test_unknown_size);
  g_test_add_func ("/engine/plan/error/two-updates", test_two_updates);
  return g_test_run ();
}
