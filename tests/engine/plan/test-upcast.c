/* SPDX-License-Identifier: Apache-2.0
 * float16 models in float32: what is cast where, and that results are those of the model, rounded
 * less often. */
#include "engine/ops/sonde-build.h"
#include "engine/plan/sonde-execution.h"
#include "tests/support/sonde-test-tensor.h"

static SondeGraphValue *
add_weight (SondeGraph *graph, const SondeShape *shape, guint64 seed)
{
  g_autoptr (SondeTensor) tensor = sonde_test_tensor_random (SONDE_DTYPE_F16, shape, seed, -1, 1);

  return sonde_build_constant (graph, NULL, tensor);
}

/* x → Conv → Relu ("middle", an output) → Mul by itself → IsNaN ("nan", an output), and Softmax
 * ("y", an output) */
static SondeGraph *
make_graph (void)
{
  SondeGraph *graph = sonde_graph_new ("half");
  SondeShape shape = sonde_shape_make (4, 1, 3, 8, 8), weight = sonde_shape_make (4, 4, 3, 3, 3);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F16, &shape);
  SondeGraphValue *inputs[]
      = { sonde_graph_add_input (graph, "x", &type), add_weight (graph, &weight, 1) };
  SondeGraphValue *middle, *square, *outputs[3];

  sonde_graph_set_opset (graph, "", 20);
  middle = sonde_build_unary (graph, "Relu", sonde_build_op (graph, NULL, "", "Conv", 2, inputs));
  sonde_graph_rename_value (graph, middle, "middle");
  square = sonde_build_binary (graph, "Mul", middle, middle);
  outputs[0] = middle;
  outputs[1] = sonde_build_unary (graph, "IsNaN", square);
  outputs[2] = sonde_build_unary (graph, "Softmax", square);
  for (guint i = 0; i < 3; i++)
    sonde_graph_add_output (graph, outputs[i]);
  return graph;
}

static void
run (SondeGraph *graph, SondeTensor **results)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open ("reference", 1, &error);
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, NULL, &error);
  g_autoptr (SondeExecution) execution = NULL;
  SondeShape shape = sonde_shape_make (4, 1, 3, 8, 8);
  g_autoptr (SondeTensor) x = sonde_test_tensor_random (SONDE_DTYPE_F16, &shape, 7, -0.5, 0.5);

  g_assert_no_error (error);
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_execution_set_input (execution, "x", x, &error));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  for (guint i = 0; i < 3; i++)
    results[i] = sonde_execution_read (execution, g_ptr_array_index (graph->outputs, i), &error);
  g_assert_no_error (error);
}

static void
test_results (void)
{
  g_autoptr (SondeGraph) plain = make_graph (), wide = make_graph ();
  g_autoptr (GError) error = NULL;
  SondeTensor *want[3], *got[3];

  g_assert_true (sonde_pass_upcast (wide, &error));
  run (plain, want);
  run (wide, got);
  for (guint i = 0; i < 3; i++)
    {
      sonde_test_assert_close (got[i], want[i], 4e-3, 4e-3, "output"); /* a few float16 roundings */
      sonde_tensor_unref (want[i]);
      sonde_tensor_unref (got[i]);
    }
}

/* Two casts down (both float16 outputs; IsNaN reads one of its own), one up (the input); the rest
 * is float32. */
static void
test_casts (void)
{
  g_autoptr (SondeGraph) graph = make_graph ();
  g_autoptr (GError) error = NULL;
  guint n_up = 0, n_down = 0;

  g_assert_true (sonde_pass_upcast (graph, &error));
  g_assert_true (sonde_pass_infer (graph, NULL, 0, &error));
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = graph->nodes->pdata[i];

      if (node == NULL)
        continue;
      if (g_str_equal (node->op, "Cast"))
        {
          n_up += sonde_node_get_output (node, 0)->type.dtype == SONDE_DTYPE_F32;
          n_down += sonde_node_get_output (node, 0)->type.dtype == SONDE_DTYPE_F16;
        }
      else if (!g_str_equal (node->op, "IsNaN"))
        g_assert_cmpint (sonde_node_get_output (node, 0)->type.dtype, ==, SONDE_DTYPE_F32);
    }
  g_assert_cmpuint (n_up, ==, 1);
  g_assert_cmpuint (n_down, ==, 3);
  g_assert_cmpint (sonde_graph_find_value (graph, "middle")->type.dtype, ==, SONDE_DTYPE_F16);
}

/* Nothing happens to a model of float32. */
static void
test_float32 (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("float");
  g_autoptr (GError) error = NULL;
  SondeShape shape = sonde_shape_make (1, 3);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);

  sonde_graph_add_output (
      graph, sonde_build_unary (graph, "Relu", sonde_graph_add_input (graph, "x", &type)));
  g_assert_true (sonde_pass_upcast (graph, &error));
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/plan/upcast/results", test_results);
  g_test_add_func ("/engine/plan/upcast/casts", test_casts);
  g_test_add_func ("/engine/plan/upcast/float32", test_float32);
  return g_test_run ();
}
