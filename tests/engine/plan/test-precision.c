/* SPDX-License-Identifier: Apache-2.0
 * Convolutions and products of matrices in bfloat16 against float32, and nodes that do nothing. */
#include "engine/passes/sonde-passes.h"
#include "engine/plan/sonde-execution.h"

#include <math.h>

static SondeTensor *
random_tensor (const SondeShape *shape, double low, double high, GRand *random)
{
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, g_rand_double_range (random, low, high));
  return tensor;
}

static SondeGraphValue *
add_parameter (SondeGraph *graph, SondeShape shape, double low, double high, GRand *random)
{
  g_autoptr (SondeTensor) tensor = random_tensor (&shape, low, high, random);

  return sonde_graph_add_initialiser (graph, "parameter", tensor, SONDE_ROLE_PARAMETER);
}

static SondeGraphValue *
add_node (SondeGraph *graph, const char *op, guint n, SondeGraphValue *const *inputs)
{
  return sonde_node_get_output (sonde_graph_add_node (graph, op, "", op, inputs, n, 1), 0);
}

static SondeGraphValue *
add_convolution (SondeGraph *graph, SondeGraphValue *x, gint64 from, GRand *random)
{
  gint64 pads[] = { 1, 1, 1, 1 };
  SondeGraphValue *bias = add_parameter (graph, sonde_shape_make (1, 16), -1, 1, random);
  SondeGraphValue *inputs[]
      = { x, add_parameter (graph, sonde_shape_make (4, 16, from, 3, 3), -0.3, 0.3, random),
          add_node (graph, "Identity", 1, &bias) };
  SondeGraphValue *y = add_node (graph, "Conv", 3, inputs);

  sonde_node_set_ints (y->producer, "pads", pads, 4);
  return y;
}

/* Conv, BatchNormalization, Relu, Conv, Add, Relu, MaxPool, Conv */
static SondeGraph *
make_net (void)
{
  SondeGraph *graph = sonde_graph_new ("net");
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  SondeShape shape = sonde_shape_make (4, 1, 3, 12, 10), channels = sonde_shape_make (1, 16);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", &type), *a, *b, *inputs[5];
  gint64 two[] = { 2, 2 };

  sonde_graph_set_opset (graph, "", 21);
  inputs[0] = add_convolution (graph, x, 3, random);
  for (guint k = 1; k < 5; k++)
    inputs[k] = add_parameter (graph, channels, k == 4 ? 0.5 : -1, 1, random);
  a = add_node (graph, "BatchNormalization", 5, inputs);
  a = add_node (graph, "Relu", 1, &a);
  b = add_convolution (graph, a, 16, random);
  b = add_node (graph, "Add", 2, (SondeGraphValue *[]){ a, b });
  b = add_node (graph, "Relu", 1, &b);
  b = add_node (graph, "MaxPool", 1, &b);
  sonde_node_set_ints (b->producer, "kernel_shape", two, 2);
  b = add_convolution (graph, b, 16, random);
  sonde_graph_add_output (graph, b);
  return graph;
}

/* x·W + b, turned, with another one multiplied, Softmax, multiplied again, a residual, Gemm and
 * Relu, Gemm. */
static SondeGraph *
make_attention (void)
{
  SondeGraph *graph = sonde_graph_new ("attention");
  g_autoptr (GRand) random = g_rand_new_with_seed (6);
  SondeShape shape = sonde_shape_make (3, 2, 13, 24), rows = sonde_shape_make (1, 2);
  const gint64 flat[] = { 26, 24 };
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", &type), *parts[3], *a;
  g_autoptr (SondeTensor) target = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &rows, flat);
  const gint64 order[] = { 0, 2, 1 };

  sonde_graph_set_opset (graph, "", 21);
  for (guint k = 0; k < 3; k++)
    {
      SondeGraphValue *product[]
          = { x, add_parameter (graph, sonde_shape_make (2, 24, 24), -0.4, 0.4, random) };
      SondeGraphValue *sum[]
          = { add_parameter (graph, sonde_shape_make (1, 24), -1, 1, random), NULL };

      sum[1] = add_node (graph, "MatMul", 2, product);
      parts[k] = add_node (graph, "Add", 2, sum);
    }
  a = add_node (graph, "Transpose", 1, &parts[1]);
  sonde_node_set_ints (a->producer, "perm", order, 3);
  a = add_node (graph, "MatMul", 2, (SondeGraphValue *[]){ parts[0], a });
  a = add_node (graph, "Softmax", 1, &a);
  a = add_node (graph, "MatMul", 2, (SondeGraphValue *[]){ a, parts[2] });
  a = add_node (graph, "Add", 2, (SondeGraphValue *[]){ a, x });
  a = add_node (graph, "Reshape", 2,
                (SondeGraphValue *[]){
                    a, sonde_graph_add_initialiser (graph, "shape", target, SONDE_ROLE_CONSTANT) });
  a = add_node (graph, "Gemm", 3,
                (SondeGraphValue *[]){
                    a, add_parameter (graph, sonde_shape_make (2, 37, 24), -0.4, 0.4, random),
                    add_parameter (graph, sonde_shape_make (1, 37), -1, 1, random) });
  sonde_node_set_int (a->producer, "transB", 1);
  a = add_node (graph, "Relu", 1, &a);
  a = add_node (graph, "Gemm", 3,
                (SondeGraphValue *[]){
                    a, add_parameter (graph, sonde_shape_make (2, 37, 5), -0.4, 0.4, random),
                    add_parameter (graph, sonde_shape_make (2, 26, 1), -1, 1, random) });
  sonde_graph_add_output (graph, a);
  return graph;
}

static guint
count_op (const SondeGraph *graph, const char *op)
{
  guint n = 0;

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      n += node != NULL && g_str_equal (node->op, op);
    }
  return n;
}

static SondeTensor *
run (SondeGraph *graph, const char *device_name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open (device_name, 2, NULL);
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, NULL, &error);
  g_autoptr (SondeExecution) execution = NULL;
  g_autoptr (GRand) random = g_rand_new_with_seed (9);
  SondeShape shape;
  g_autoptr (SondeTensor) x = NULL;

  sonde_type_get_shape (&((SondeGraphValue *) g_ptr_array_index (graph->inputs, 0))->type, &shape);
  x = random_tensor (&shape, -2, 2, random);
  g_assert_no_error (error);
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_execution_set_input (execution, "x", x, &error));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  return sonde_execution_read (execution, g_ptr_array_index (graph->outputs, 0), &error);
}

typedef struct
{
  const char *name;
  SondeGraph *(*make) (void);
  guint n_casts;
} Net;

/* Of the attention: x; the scores for Softmax and back; what it adds x to; Gemm's input; the
 * result. */
static const Net nets[] = { { "convolutions", make_net, 2 }, { "products", make_attention, 6 } };

static void
test_bfloat16 (gconstpointer data)
{
  const Net *net = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original = net->make ();
  g_autoptr (SondeGraph) wide = sonde_prepare_inference (original, &error);
  g_autoptr (SondeGraph) narrow = sonde_prepare_inference (original, &error);
  g_autoptr (SondeTensor) expected = NULL, cpu = NULL, reference = NULL;
  double scale = 0;

  g_assert_no_error (error);
  g_assert_true (sonde_pass_autocast (narrow, &error));
  g_assert_cmpuint (count_op (narrow, "Cast"), ==, net->n_casts);
  expected = run (wide, "reference");
  cpu = run (narrow, "cpu");
  reference = run (narrow, "reference");
  g_assert_cmpint (cpu->dtype, ==, SONDE_DTYPE_F32);
  for (gint64 i = 0; i < sonde_tensor_n_elements (expected); i++)
    scale = MAX (scale, fabs (sonde_tensor_get_double (expected, i)));
  for (gint64 i = 0; i < sonde_tensor_n_elements (expected); i++)
    {
      double value = sonde_tensor_get_double (expected, i);

      g_assert_cmpfloat (fabs (sonde_tensor_get_double (cpu, i) - value), <, 0.02 * scale);
      g_assert_cmpfloat (fabs (sonde_tensor_get_double (reference, i) - value), <, 0.02 * scale);
    }
}

/* The bias of each convolution is read where it is; what the Identity makes is still there. */
static void
test_bypass (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original = make_net ();
  g_autoptr (SondeGraph) graph = sonde_prepare_inference (original, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (count_op (graph, "Identity"), ==, 3);
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      if (node != NULL && g_str_equal (node->op, "Conv"))
        g_assert_null (sonde_node_get_input (node, 2)->producer);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/plan/precision/bfloat16-%s", nets[i].name);

      g_test_add_data_func (path, &nets[i], test_bfloat16);
    }
  g_test_add_func ("/engine/plan/precision/bypass", test_bypass);
  return g_test_run ();
}
