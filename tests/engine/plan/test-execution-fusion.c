/* SPDX-License-Identifier: Apache-2.0
 * A fused step agrees with its nodes one by one, and what is inside it is read and written, or
 * refused. */
#include <math.h>
#include <string.h>

#include "engine/ops/sonde-build.h"
#include "engine/plan/sonde-execution.h"
#include "tests/engine/plan/training-net.h"

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/plan/fusion/agrees", test_fusion);
  g_test_add_func ("/engine/plan/fusion/folded-weights", test_folded_weights);
  g_test_add_func ("/engine/plan/fusion/write", test_fused_write);
  return g_test_run ();
}
