/* SPDX-License-Identifier: Apache-2.0
 * Choices, single operators, and the network that grows of them. */
#include "tests/engine/fuzz-grow.h"

#include "engine/passes/sonde-passes.h"
#include "tests/support/sonde-test-tensor.h"

#define MOST_NODES 14
#define MOST_ELEMENTS 4096

/* ---- choices ------------------------------------------------------------- */

guint
choose (Choices *choices, guint n)
{
  return choices->used < choices->size ? choices->data[choices->used++] % n : 0;
}

SondeGraphValue *
choose_value (Grower *grower)
{
  guint n = grower->values->len, reach = 1 + choose (&grower->choices, 8);

  return grower->values->pdata[n - 1 - choose (&grower->choices, MIN (n, reach))];
}

SondeGraphValue *
random_constant (Grower *grower, const SondeShape *shape, double low, double high)
{
  g_autoptr (SondeTensor) tensor
      = sonde_test_tensor_random (SONDE_DTYPE_F32, shape, ++grower->seed, low, high);

  return sonde_build_constant (grower->graph, NULL, tensor);
}

SondeShape
shape_of (const SondeGraphValue *value)
{
  SondeShape shape = sonde_shape_scalar ();

  (void) sonde_type_get_shape (&value->type, &shape);
  return shape;
}

/* ---- operators ----------------------------------------------------------- */

static SondeGraphValue *
grow_unary (Grower *grower, SondeGraphValue *x)
{
  static const char *const ops[]
      = { "Relu",     "Neg",       "Abs",       "Tanh", "Sigmoid",  "Softplus",
          "Erf",      "HardSwish", "LeakyRelu", "Elu",  "Identity", "HardSigmoid",
          "Softsign", "Gelu",      "Clip",      "Mish" };

  return sonde_build_unary (grower->graph, ops[choose (&grower->choices, G_N_ELEMENTS (ops))], x);
}

static SondeGraphValue *
grow_binary (Grower *grower, SondeGraphValue *x)
{
  static const char *const ops[] = { "Add", "Sub", "Mul", "Max", "Min", "Sum", "Mean" };
  SondeGraphValue *y = choose_value (grower);

  if (choose (&grower->choices, 3) == 0)
    {
      SondeShape shape = shape_of (x);

      shape = sonde_shape_make (1, shape.rank > 0 ? shape.dims[shape.rank - 1] : 1);
      y = random_constant (grower, &shape, -1, 1);
    }
  return sonde_build_binary (grower->graph, ops[choose (&grower->choices, G_N_ELEMENTS (ops))], x,
                             y);
}

static SondeGraphValue *
grow_product (Grower *grower, SondeGraphValue *x)
{
  SondeShape shape = shape_of (x);
  gboolean gemm = choose (&grower->choices, 2) == 1;
  SondeGraphValue *y = NULL;

  if (shape.rank < 2)
    return NULL;
  shape = sonde_shape_make (2, shape.dims[shape.rank - 1], 1 + choose (&grower->choices, 9));
  y = choose (&grower->choices, 4) == 0 ? choose_value (grower)
                                        : random_constant (grower, &shape, -0.5, 0.5);
  return sonde_build_binary (grower->graph, gemm ? "Gemm" : "MatMul", x, y);
}

static SondeGraphValue *
grow_transpose (Grower *grower, SondeGraphValue *x)
{
  SondeGraphValue *y = sonde_build_unary (grower->graph, "Transpose", x);
  SondeShape shape = shape_of (x);
  gint64 perm[SONDE_MAX_RANK];

  for (int d = 0; d < shape.rank; d++)
    perm[d] = d;
  for (int d = shape.rank - 1; d > 0; d--)
    {
      guint other = choose (&grower->choices, (guint) d + 1);
      gint64 kept = perm[d];

      perm[d] = perm[other];
      perm[other] = kept;
    }
  sonde_node_set_ints (y->producer, "perm", perm, (gsize) shape.rank);
  return y;
}

static SondeGraphValue *
grow_reshape (Grower *grower, SondeGraphValue *x)
{
  static const gint64 forms[][3]
      = { { -1, 0, 0 }, { 1, -1, 0 }, { 2, -1, 1 }, { -1, 3, 1 }, { 4, -1, 2 } };
  guint form = choose (&grower->choices, G_N_ELEMENTS (forms));
  guint n = form < 1 ? 1 : form < 2 ? 2 : 3;

  return sonde_build_binary (grower->graph, "Reshape", x,
                             sonde_build_ints (grower->graph, forms[form], n));
}

static SondeGraphValue *
grow_concat (Grower *grower, SondeGraphValue *x)
{
  SondeGraphValue *y = sonde_build_binary (
      grower->graph, "Concat", x, choose (&grower->choices, 2) ? x : choose_value (grower));

  sonde_node_set_int (y->producer, "axis", choose (&grower->choices, 4));
  return y;
}

static SondeGraphValue *
grow_reduce (Grower *grower, SondeGraphValue *x)
{
  static const char *const ops[] = { "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin" };
  gint64 axis = choose (&grower->choices, 4);
  SondeGraphValue *y
      = sonde_build_binary (grower->graph, ops[choose (&grower->choices, G_N_ELEMENTS (ops))], x,
                            sonde_build_ints (grower->graph, &axis, 1));

  sonde_node_set_int (y->producer, "keepdims", choose (&grower->choices, 2));
  return y;
}

static SondeGraphValue *
grow_softmax (Grower *grower, SondeGraphValue *x)
{
  SondeGraphValue *y = sonde_build_unary (
      grower->graph, choose (&grower->choices, 2) ? "Softmax" : "LogSoftmax", x);

  sonde_node_set_int (y->producer, "axis", (gint64) choose (&grower->choices, 4) - 1);
  return y;
}

static SondeGraphValue *
grow_slice (Grower *grower, SondeGraphValue *x)
{
  gint64 start = (gint64) choose (&grower->choices, 5) - 2,
         end = (gint64) choose (&grower->choices, 9) - 1;
  gint64 axis = choose (&grower->choices, 3), step = choose (&grower->choices, 3) == 0 ? -1 : 1;
  SondeGraphValue *inputs[] = {
    x,
    sonde_build_ints (grower->graph, &start, 1),
    sonde_build_ints (grower->graph, &end, 1),
    sonde_build_ints (grower->graph, &axis, 1),
    sonde_build_ints (grower->graph, &step, 1),
  };

  return sonde_build_op (grower->graph, NULL, "", "Slice", G_N_ELEMENTS (inputs), inputs);
}

static SondeGraphValue *
grow_gather (Grower *grower, SondeGraphValue *x)
{
  gint64 indices[3];
  SondeGraphValue *y = NULL;

  for (int i = 0; i < 3; i++)
    indices[i] = (gint64) choose (&grower->choices, 3) - 1;
  y = sonde_build_binary (grower->graph, "Gather", x, sonde_build_ints (grower->graph, indices, 3));
  sonde_node_set_int (y->producer, "axis", choose (&grower->choices, 3));
  return y;
}

static SondeGraphValue *
grow_conv (Grower *grower, SondeGraphValue *x)
{
  SondeShape shape = shape_of (x), w = shape,
             b = sonde_shape_make (1, 1 + choose (&grower->choices, 17));
  gint64 pads[2 * SONDE_MAX_RANK] = { 0 }, strides[SONDE_MAX_RANK];
  gboolean depthwise = choose (&grower->choices, 4) == 0;
  SondeGraphValue *inputs[3] = { x };
  SondeGraphValue *y = NULL;
  int n = shape.rank - 2;

  if (n < 1)
    return NULL;
  b.dims[0] = depthwise ? shape.dims[1] : b.dims[0];
  w.dims[0] = b.dims[0];
  w.dims[1] = depthwise ? 1 : shape.dims[1];
  for (int d = 0; d < n; d++)
    {
      w.dims[2 + d] = 1 + choose (&grower->choices, 3);
      strides[d] = 1 + choose (&grower->choices, 2);
      pads[d] = choose (&grower->choices, 2);
      pads[n + d] = choose (&grower->choices, 2);
    }
  inputs[1] = random_constant (grower, &w, -0.5, 0.5);
  inputs[2] = random_constant (grower, &b, -0.5, 0.5);
  y = sonde_build_op (grower->graph, NULL, "", "Conv", 2 + choose (&grower->choices, 2), inputs);
  sonde_node_set_ints (y->producer, "pads", pads, 2 * (gsize) n);
  sonde_node_set_ints (y->producer, "strides", strides, (gsize) n);
  sonde_node_set_int (y->producer, "group", depthwise ? shape.dims[1] : 1);
  return y;
}

static SondeGraphValue *
grow_pool (Grower *grower, SondeGraphValue *x)
{
  static const char *const ops[] = { "MaxPool", "AveragePool", "GlobalAveragePool" };
  guint op = choose (&grower->choices, G_N_ELEMENTS (ops));
  SondeGraphValue *y = sonde_build_unary (grower->graph, ops[op], x);
  gint64 sizes[] = { 2, 1 + choose (&grower->choices, 2), 2 };
  int n = x->type.rank - 2;

  if (op < 2)
    {
      sonde_node_set_ints (y->producer, "kernel_shape", sizes, (gsize) CLAMP (n, 0, 3));
      sonde_node_set_ints (y->producer, "strides", sizes, (gsize) CLAMP (n, 0, 3));
    }
  return y;
}

static SondeGraphValue *
grow_norm (Grower *grower, SondeGraphValue *x)
{
  SondeShape shape = shape_of (x);
  gboolean layer = choose (&grower->choices, 2) == 0;
  SondeGraphValue *inputs[5] = { x };

  if (shape.rank < 2)
    return NULL;
  shape = sonde_shape_make (1, shape.dims[layer ? shape.rank - 1 : 1]);
  for (int k = 1; k < 4; k++)
    inputs[k] = random_constant (grower, &shape, -0.5, 0.5);
  inputs[4] = random_constant (grower, &shape, 0.5, 1.5);
  return sonde_build_op (grower->graph, NULL, "",
                         layer ? "LayerNormalization" : "BatchNormalization", layer ? 3 : 5,
                         inputs);
}

static const Grow growers[] = {
  grow_unary,   grow_unary,  grow_binary, grow_binary,  grow_product, grow_transpose,
  grow_reshape, grow_concat, grow_reduce, grow_softmax, grow_slice,   grow_gather,
  grow_conv,    grow_conv,   grow_pool,   grow_norm,
};

/* ---- the network --------------------------------------------------------- */

static gboolean
fits (const SondeGraphValue *value)
{
  SondeShape shape;
  gint64 n = value->type.kind == SONDE_VALUE_TENSOR && sonde_type_get_shape (&value->type, &shape)
                 ? sonde_shape_n_elements (&shape)
                 : -1;

  return n >= 0 && n <= MOST_ELEMENTS && value->type.dtype == SONDE_DTYPE_F32;
}

SondeGraphValue *
keep_value (Grower *grower, SondeGraphValue *value)
{
  if (sonde_build_infer (grower->graph, value->producer, NULL) && fits (value))
    {
      g_ptr_array_add (grower->values, value);
      return value;
    }
  sonde_graph_remove_node (grower->graph, value->producer);
  return NULL;
}

static void
grow_node (Grower *grower)
{
  SondeGraphValue *x = choose_value (grower);
  guint kind = choose (&grower->choices, 24);
  Grow grow = kind < 16   ? growers[kind]
              : kind < 20 ? pattern_growers[choose (&grower->choices, n_pattern_growers)]
                          : quantised_growers[choose (&grower->choices, n_quantised_growers)];
  SondeGraphValue *y = grow (grower, x);

  if (y != NULL)
    keep_value (grower, y);
}

SondeGraph *
grow_network (const uint8_t *data, size_t size)
{
  static const SondeShape inputs[] = {
    { 4, { 1, 3, 6, 6 } }, { 4, { 2, 16, 5, 4 } }, { 2, { 3, 5 } },        { 3, { 2, 4, 8 } },
    { 1, { 7 } },          { 3, { 1, 8, 9 } },     { 4, { 1, 2, 6, 16 } },
  };
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  Grower grower = { { data, size, 0 }, sonde_graph_new ("grown"), values, 0 };
  guint n_inputs = 1 + choose (&grower.choices, 2),
        n_nodes = 1 + choose (&grower.choices, MOST_NODES);

  sonde_graph_set_opset (grower.graph, "", 28);
  for (guint i = 0; i < n_inputs; i++)
    {
      SondeType type = sonde_type_tensor (SONDE_DTYPE_F32,
                                          &inputs[choose (&grower.choices, G_N_ELEMENTS (inputs))]);

      g_ptr_array_add (values, sonde_graph_add_input (grower.graph, NULL, &type));
    }
  for (guint i = 0; i < n_nodes; i++)
    grow_node (&grower);
  for (guint i = n_inputs; i < values->len; i++)
    {
      SondeGraphValue *value = values->pdata[i];

      if (value->users->len == 0 || choose (&grower.choices, 8) == 0)
        sonde_graph_add_output (grower.graph, value);
    }
  sonde_pass_dce (grower.graph);
  return grower.graph;
}
