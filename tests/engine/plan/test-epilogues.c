/* SPDX-License-Identifier: Apache-2.0
 * Convolutions and products with whatever may run behind them in one step: random chains of
 * functions, factors and terms, fused on the cpu device against the plain kernels. */
#include "data/base/sonde-random.h"
#include "engine/ops/sonde-build.h"
#include "engine/plan/sonde-execution.h"
#include "tests/support/sonde-test-tensor.h"

#define MOST_TAIL 6

/* What a chain begins with. @groups 0: MatMul [rows, in] · [in, out]; @column: data and kernel are
 * one wide; @transposed: Gemm with transB */
typedef struct
{
  const char *name;
  gint64 in, out, side, kernel, groups;
  gboolean normalised, column, transposed;
  gint64 dilation; /* 0 is 1 */
} Head;

static const Head heads[] = {
  { "conv", 16, 16, 9, 3, 1, FALSE },
  { "depthwise", 24, 24, 9, 5, 24, FALSE },
  { "pointwise", 16, 33, 7, 1, 1, FALSE },
  { "grouped", 32, 32, 6, 3, 2, FALSE },
  { "first", 3, 16, 12, 3, 1, TRUE },
  { "depthwise-normalised", 16, 16, 8, 3, 16, TRUE },
  { "column", 16, 24, 30, 5, 1, TRUE, TRUE },
  { "column-grouped", 16, 16, 30, 3, 4, FALSE, TRUE },
  { "depthwise-dilated", 24, 24, 12, 3, 24, FALSE, FALSE, FALSE, 2 },
  { "depthwise-wide", 64, 64, 10, 5, 64, TRUE, FALSE, FALSE, 3 },
  { "few", 1, 6, 28, 5, 1, FALSE },
  { "few-channels", 6, 16, 14, 5, 1, FALSE },
  { "matmul", 32, 48, 20, 0, 0, FALSE },
  { "matmul-large-row", 600, 517, 1, 0, 0, FALSE },
  { "gemm-large-row", 603, 510, 1, 0, 0, FALSE, FALSE, TRUE },
  { "matmul-row", 40, 17, 1, 0, 0, FALSE },
};

static const char *const functions[]
    = { "Relu", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish", "LeakyRelu", "Elu", "Clip" };
static const char *const binaries[] = { "Mul", "Add", "Sub", "Div" };

static guint
draw (guint64 seed, guint64 index, guint n)
{
  return (guint) (sonde_random_uniform (seed, 0, index) * n) % n;
}

static SondeGraphValue *
add_constant (SondeGraph *graph, const SondeShape *shape, guint64 seed, double low, double high)
{
  g_autoptr (SondeTensor) tensor
      = sonde_test_tensor_random (SONDE_DTYPE_F32, shape, seed, low, high);

  return sonde_build_constant (graph, NULL, tensor);
}

static SondeGraphValue *
add_normalisation (SondeGraph *graph, const Head *head, SondeGraphValue *value, guint64 seed)
{
  SondeShape channels = sonde_shape_make (1, head->out);
  SondeGraphValue *inputs[] = { value, add_constant (graph, &channels, seed, 0.5, 1.5),
                                add_constant (graph, &channels, seed + 1, -1, 1),
                                add_constant (graph, &channels, seed + 2, -1, 1),
                                add_constant (graph, &channels, seed + 3, 0.5, 1.5) };

  return sonde_build_op (graph, NULL, "", "BatchNormalization", 5, inputs);
}

static SondeGraphValue *
add_head (SondeGraph *graph, const Head *head, guint64 seed)
{
  const gint64 width = head->column ? 1 : head->side,
               kernel_width = head->column ? 1 : head->kernel;
  const gint64 dilations[] = { MAX (head->dilation, 1), MAX (head->dilation, 1) };
  const gint64 pad = head->kernel / 2 * dilations[0], across = kernel_width / 2 * dilations[0],
               pads[] = { pad, across, pad, across };
  SondeShape x = head->groups > 0 ? sonde_shape_make (4, (gint64) 1, head->in, head->side, width)
                                  : sonde_shape_make (2, head->side, head->in);
  SondeShape w = head->groups > 0 ? sonde_shape_make (4, head->out, head->in / head->groups,
                                                      head->kernel, kernel_width)
                                  : sonde_shape_make (2, head->transposed ? head->out : head->in,
                                                      head->transposed ? head->in : head->out);
  const char *op = head->groups > 0 ? "Conv" : head->transposed ? "Gemm" : "MatMul";
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &x);
  SondeGraphValue *inputs[]
      = { sonde_graph_add_input (graph, "x", &type), add_constant (graph, &w, seed, -0.4, 0.4) };
  SondeNode *node = sonde_graph_add_node (graph, head->name, "", op, inputs, 2, 1);

  if (head->transposed)
    sonde_node_set_int (node, "transB", 1);
  if (head->groups > 0)
    {
      sonde_node_set_ints (node, "pads", pads, 4);
      sonde_node_set_ints (node, "dilations", dilations, 2);
      sonde_node_set_int (node, "group", head->groups);
    }
  g_assert_true (sonde_build_infer (graph, node, NULL));
  return head->normalised
             ? add_normalisation (graph, head, sonde_node_get_output (node, 0), seed + 10)
             : sonde_node_get_output (node, 0);
}

/* A number, a value by channel, or the residual of the whole result. */
static SondeGraphValue *
add_operand (SondeGraph *graph, const Head *head, SondeGraphValue *value, guint64 seed,
             gboolean divides)
{
  SondeShape scalar = sonde_shape_scalar (), one = sonde_shape_make (1, (gint64) 1);
  SondeShape channels = head->groups > 0 ? sonde_shape_make (3, head->out, (gint64) 1, (gint64) 1)
                                         : sonde_shape_make (1, head->out);
  SondeShape whole;

  sonde_type_get_shape (&value->type, &whole);
  switch (draw (seed, 1, divides ? 3 : 4))
    {
    case 0:
      return add_constant (graph, &scalar, seed, 0.5, 2);
    case 1:
      return add_constant (graph, &one, seed, 0.5, 2);
    case 2:
      return add_constant (graph, &channels, seed, 0.5, 2);
    default:
      return add_constant (graph, &whole, seed, 0.5, 2);
    }
}

static SondeGraphValue *
add_link (SondeGraph *graph, const Head *head, SondeGraphValue *value, guint64 seed, GString *text)
{
  if (draw (seed, 2, 2) == 0)
    {
      const char *op = functions[draw (seed, 3, G_N_ELEMENTS (functions))];
      SondeGraphValue *limits[] = { value, sonde_build_scalar (graph, SONDE_DTYPE_F32, -0.5),
                                    sonde_build_scalar (graph, SONDE_DTYPE_F32, 1.5) };

      g_string_append_printf (text, " %s", op);
      return sonde_build_op (graph, NULL, "", op, g_str_equal (op, "Clip") ? 3 : 1, limits);
    }
  else
    {
      guint which = draw (seed, 4, G_N_ELEMENTS (binaries));
      SondeGraphValue *operand = add_operand (graph, head, value, seed + 5, which == 3);
      /* constant − x, constant / x: not these */
      gboolean behind = which >= 2 || draw (seed, 6, 2) == 0;
      g_autofree char *type = sonde_type_to_string (&operand->type);

      g_string_append_printf (text, " %s(%s)", binaries[which], type);
      return sonde_build_binary (graph, binaries[which], behind ? value : operand,
                                 behind ? operand : value);
    }
}

static SondeTensor *
run_on (SondeGraph *graph, const char *name, SondeTensor *x)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open (name, 1, &error);
  g_autoptr (SondeGraph) copy = sonde_graph_copy (graph, TRUE);
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeExecution) execution = NULL;
  SondeTensor *result;

  g_assert_no_error (error);
  plan = sonde_plan_new (copy, device, NULL, &error);
  g_assert_no_error (error);
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_execution_set_input (execution, "x", x, &error));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  result = sonde_execution_read (execution, g_ptr_array_index (copy->outputs, 0), &error);
  g_assert_no_error (error);
  return result;
}

static void
test_chain (const Head *head, guint64 seed)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("chain");
  g_autoptr (GString) text = g_string_new (head->name);
  g_autoptr (SondeTensor) x = NULL, fused = NULL, plain = NULL;
  SondeGraphValue *value = add_head (graph, head, seed);
  guint n = 1 + draw (seed, 7, MOST_TAIL);
  SondeShape shape;

  sonde_graph_set_opset (graph, "", 20);
  for (guint i = 0; i < n; i++)
    value = add_link (graph, head, value, seed * 31 + i * 7, text);
  sonde_graph_add_output (graph, value);

  sonde_type_get_shape (&sonde_graph_find_value (graph, "x")->type, &shape);
  x = sonde_test_tensor_random (SONDE_DTYPE_F32, &shape, seed + 99, -1, 1);
  fused = run_on (graph, "cpu", x);
  plain = run_on (graph, "reference", x);
  sonde_test_assert_close (fused, plain, 1e-4, 1e-4, text->str);
}

static void
test_head (gconstpointer data)
{
  for (guint64 seed = 1; seed <= 40; seed++)
    test_chain (data, seed * 1000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (heads); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/plan/epilogues/%s", heads[i].name);

      g_test_add_data_func (path, &heads[i], test_head);
    }
  return g_test_run ();
}
