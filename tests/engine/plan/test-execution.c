/* SPDX-License-Identifier: Apache-2.0
 * Runs of a training graph: keep against plan, devices, threads, errors. Everything that is said to be
 * equal is compared bit for bit. */
#include <pthread.h>
#include <string.h>

#include "engine/ops/sonde-build.h"
#include "tests/engine/plan/net-run.h"

/* ---- keep and plan ------------------------------------------------------- */

static void
check_keep_and_plan (const char *device, const char *optimiser)
{
  const SondePlanOptions keep = { .memory = SONDE_MEMORY_KEEP },
                         plan = { .memory = SONDE_MEMORY_PLAN };
  g_autoptr (GHashTable) kept = NULL, planned = NULL;
  NetRun a, b;

  net_run_init (&a, device, &keep, optimiser);
  net_run_init (&b, device, &plan, optimiser);
  g_assert_cmpuint (sonde_plan_get_arena_bytes (b.plan), <, sonde_plan_get_arena_bytes (a.plan));
  net_run_train (&a, 3);
  net_run_train (&b, 3);

  /* Those whose memory was used again are computed beside the run, from the parameters of that
   * run. */
  kept = net_run_read_all (&a);
  planned = net_run_read_all (&b);
  g_assert_cmpuint (g_hash_table_size (kept), ==, a.net->graph->values->len);
  net_run_assert_same (kept, planned);
  net_run_clear (&a);
  net_run_clear (&b);
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
  NetRun a, b, c;

  net_run_init (&a, "reference", &options, "sgd");
  net_run_init (&b, "cpu", &options, "sgd");
  net_run_init (&c, "cpu", &plain, "sgd");
  for (guint i = 0; i < 5; i++)
    {
      net_run_set_batch (&a, i);
      net_run_set_batch (&b, i);
      net_run_set_batch (&c, i);
      net_run_finish (&a);
      net_run_finish (&b);
      net_run_finish (&c);
      g_assert_cmpfloat_with_epsilon (net_run_read_loss (&a), net_run_read_loss (&b), 1e-5);
      g_assert_cmpfloat_with_epsilon (net_run_read_loss (&a), net_run_read_loss (&c), 1e-5);
    }

  net_run_clear (&a);
  net_run_clear (&b);
  net_run_clear (&c);
}

static void
test_training_learns (void)
{
  NetRun fixture;
  double first, last = 0;

  net_run_init (&fixture, "cpu", NULL, "sgd");
  net_run_set_batch (&fixture, 1);
  net_run_finish (&fixture);
  first = net_run_read_loss (&fixture);
  for (int i = 0; i < 60; i++)
    {
      net_run_finish (&fixture);
      last = net_run_read_loss (&fixture);
    }

  g_assert_cmpfloat (last, <, first * 0.5);
  net_run_clear (&fixture);
}

static void
test_pinned (void)
{
  const char *globs[] = { "conv1*", NULL };
  const SondePlanOptions options = { .memory = SONDE_MEMORY_PLAN, .pinned = globs };
  const SondePlanOptions none = { .memory = SONDE_MEMORY_PLAN };
  NetRun pinned, bare;

  net_run_init (&pinned, "cpu", &options, NULL);
  net_run_init (&bare, "cpu", &none, NULL);
  g_assert_cmpuint (sonde_plan_get_arena_bytes (bare.plan), <,
                    sonde_plan_get_arena_bytes (pinned.plan));
  net_run_clear (&pinned);
  net_run_clear (&bare);
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
  NetRun fixture;
  Runner runners[2];
  g_autoptr (SondeTensor) a = NULL, b = NULL;

  net_run_init (&fixture, "cpu", NULL, "sgd");
  for (guint i = 0; i < 2; i++)
    {
      NetRun view = fixture;

      runners[i].execution = sonde_execution_new (fixture.plan, NULL);
      view.execution = runners[i].execution;
      net_run_set_batch (&view, 5);
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
  net_run_clear (&fixture);
}

/* ---- errors -------------------------------------------------------------- */

static void
test_wrong_inputs (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = NULL;
  SondeShape shape = sonde_shape_make (4, 8, 1, 15, 16);
  NetRun fixture;

  net_run_init (&fixture, "reference", NULL, NULL);
  tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_assert_false (sonde_execution_set_input (fixture.execution, "x", tensor, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "8×1×15×16"));
  g_assert_nonnull (strstr (error->message, "8×1×16×16"));
  g_clear_error (&error);

  g_assert_false (sonde_execution_set_input (fixture.execution, "y", tensor, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "labels"));
  net_run_clear (&fixture);
}

static void
test_unset_input (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) images = NULL;
  NetRun fixture;

  net_run_init (&fixture, "reference", NULL, NULL);
  images = training_net_images (fixture.net, 1);
  sonde_execution_set_input (fixture.execution, "x", images, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sonde_execution_run (fixture.execution, &error), ==, SONDE_RUN_FAILED);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "labels"));
  g_assert_false (sonde_execution_is_running (fixture.execution));
  net_run_clear (&fixture);
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
  g_test_add_func ("/engine/plan/two-threads", test_two_threads);
  g_test_add_func ("/engine/plan/error/inputs", test_wrong_inputs);
  g_test_add_func ("/engine/plan/error/unset-input", test_unset_input);
  g_test_add_func ("/engine/plan/error/too-big", test_too_big);
  g_test_add_func ("/engine/plan/error/unknown-size", test_unknown_size);
  g_test_add_func ("/engine/plan/error/two-updates", test_two_updates);
  return g_test_run ();
}
