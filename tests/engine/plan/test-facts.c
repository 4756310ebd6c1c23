/* SPDX-License-Identifier: Apache-2.0
 * Facts of values where they lie, after every step of a training, against facts of the tensors that
 * can be read there. */
#include "engine/plan/sonde-execution.h"

#include <math.h>
#include <string.h>

#include "tests/engine/plan/training-net.h"

static const SondeFactsRequest request = {
  .n_ranges = 1,
  .ranges = { { -1, 0 } },
  .n_tolerances = 1,
  .tolerances = { { 1e-5, 1e-8 } },
};

typedef struct
{
  SondeObserver observer;
  guint n_compared, n_updates;
} Watcher;

static guint
wants (SondeObserver *observer, SondeExecution *execution, guint step)
{
  return SONDE_WANT_AFTER;
}

static void
assert_same (const SondeFacts *facts, const SondeFacts *expected)
{
  g_assert_cmpint (facts->count, ==, expected->count);
  g_assert_cmpint (facts->zeros, ==, expected->zeros);
  g_assert_cmpint (facts->nan, ==, expected->nan);
  g_assert_cmpint (facts->in_range[0], ==, expected->in_range[0]);
  g_assert_cmpint (facts->within[0], ==, expected->within[0]);
  g_assert_cmpfloat (facts->min, ==, expected->min);
  g_assert_cmpfloat (facts->max, ==, expected->max);
  g_assert_cmpint (facts->has_change, ==, expected->has_change);
  g_assert_cmpfloat_with_epsilon (facts->sum, expected->sum,
                                  2 * SONDE_FACTS_ERROR * expected->abs_sum + 1e-300);
  g_assert_cmpfloat_with_epsilon (facts->abs_sum, expected->abs_sum,
                                  2 * SONDE_FACTS_ERROR * expected->abs_sum + 1e-300);
  g_assert_cmpfloat_with_epsilon (facts->abs_change, expected->abs_change,
                                  1e-9 * expected->abs_change + 1e-300);
  g_assert_cmpfloat_with_epsilon (facts->abs_old, expected->abs_old,
                                  1e-9 * expected->abs_old + 1e-300);
}

static void
compare (SondeExecution *execution, SondeGraphValue *value)
{
  SondeGraphValue *previous = value->update_of;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) now = sonde_execution_read (execution, value, &error);
  g_autoptr (SondeTensor) before
      = previous != NULL ? sonde_execution_read (execution, previous, &error) : NULL;
  SondeFacts facts, expected;

  g_assert_no_error (error);
  sonde_execution_read_facts (execution, value, previous, &request, &facts, &error);
  g_assert_no_error (error);
  sonde_facts_init (&expected);
  sonde_facts_add (&expected, &request, now->dtype, now->data, before != NULL ? before->data : NULL,
                   (gsize) sonde_tensor_n_elements (now));
  assert_same (&facts, &expected);
}

static SondeAnswer
after (SondeObserver *observer, SondeExecution *execution, guint step)
{
  Watcher *watcher = (Watcher *) observer;
  const SondeStep *info = sonde_plan_get_step (sonde_execution_get_plan (execution), step);

  for (guint i = 0; i < info->n_outputs; i++)
    if (info->outputs[i] != NULL)
      {
        compare (execution, info->outputs[i]);
        watcher->n_compared++;
        watcher->n_updates += info->outputs[i]->update_of != NULL;
      }
  return SONDE_ANSWER_CONTINUE;
}

static void
run_training (const char *device_name, int threads)
{
  const SondePlanOptions options = { .memory = SONDE_MEMORY_PLAN };
  g_autoptr (GError) error = NULL;
  g_autoptr (TrainingNet) net = training_net_new (64, 28, "sgd");
  g_autoptr (SondeDevice) device = sonde_device_open (device_name, threads, &error);
  g_autoptr (SondePlan) plan = sonde_plan_new (net->graph, device, &options, &error);
  g_autoptr (SondeExecution) execution = sonde_execution_new (plan, &error);
  g_autoptr (SondeTensor) images = training_net_images (net, 1);
  g_autoptr (SondeTensor) labels = training_net_labels (net, 1);
  g_autoptr (SondeTensor) rate = sonde_tensor_new_f32 (0.01f);
  Watcher watcher = { .observer = { .wants = wants, .after = after } };

  sonde_execution_set_input (execution, "x", images, &error);
  sonde_execution_set_input (execution, "labels", labels, &error);
  sonde_execution_set_input (execution, "rate", rate, &error);
  g_assert_no_error (error);
  sonde_execution_add_observer (execution, &watcher.observer);
  for (int i = 0; i < 2; i++)
    g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  g_assert_cmpuint (watcher.n_updates, >=, 2 * net->parameters->len);
  g_assert_cmpuint (watcher.n_compared, >, 2 * watcher.n_updates);
}

static void
test_training (void)
{
  run_training ("cpu", 1);
  run_training ("cpu", 3);
  run_training ("reference", 1);
}

/* 300,000 elements on one thread and on three have the same sums to the last bit. */
static void
test_threads (void)
{
  const SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP };
  SondeShape shape = sonde_shape_make (1, 300000);
  g_autoptr (SondeTensor) tensor = random_f32 (&shape, 3, 5);
  SondeFacts facts[2];

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeGraph) graph = sonde_graph_new ("one");
      SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
      SondeGraphValue *x = sonde_graph_add_input (graph, "x", &type);
      g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1 + 2 * i, &error);
      g_autoptr (SondePlan) plan = NULL;
      g_autoptr (SondeExecution) execution = NULL;

      sonde_graph_set_opset (graph, "", 17);
      sonde_graph_add_output (graph, x);
      plan = sonde_plan_new (graph, device, &options, &error);
      execution = sonde_execution_new (plan, &error);
      sonde_execution_set_input (execution, "x", tensor, &error);
      sonde_execution_read_facts (execution, x, NULL, &request, &facts[i], &error);
      g_assert_no_error (error);
    }

  g_assert_cmpint (facts[0].count, ==, 300000);
  g_assert_cmpmem (&facts[0].sum, sizeof (double), &facts[1].sum, sizeof (double));
  g_assert_cmpmem (&facts[0].abs_sum, sizeof (double), &facts[1].abs_sum, sizeof (double));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/plan/facts/training", test_training);
  g_test_add_func ("/engine/plan/facts/threads", test_threads);
  return g_test_run ();
}
