/* SPDX-License-Identifier: Apache-2.0
 * QuantizeLinear and DequantizeLinear around what devices compute in integers, and the QLinear…
 * operators. */
#include "tests/engine/fuzz-grow.h"

#include "tests/support/sonde-test-tensor.h"

/* How floats become integers. @zero: of @dtype */
typedef struct
{
  SondeDtype dtype;
  double step;
  SondeGraphValue *scale, *zero;
} Steps;

static SondeGraphValue *
random_integers (Grower *grower, SondeDtype dtype, const SondeShape *shape, double low, double high)
{
  g_autoptr (SondeTensor) tensor
      = sonde_test_tensor_random (dtype, shape, ++grower->seed, low, high);

  return sonde_build_constant (grower->graph, NULL, tensor);
}

static Steps
choose_steps (Grower *grower)
{
  static const double steps[] = { 0.01, 0.02, 0.013 };
  static const int zeros[2][4] = { { 0, 128, 100, 255 }, { 0, -128, 5, -100 } };
  gboolean signs = choose (&grower->choices, 2);
  SondeDtype dtype = signs ? SONDE_DTYPE_I8 : SONDE_DTYPE_U8;
  double step = steps[choose (&grower->choices, G_N_ELEMENTS (steps))];

  return (Steps){ dtype, step, sonde_build_scalar (grower->graph, SONDE_DTYPE_F32, step),
                  sonde_build_scalar (grower->graph, dtype,
                                      zeros[signs][choose (&grower->choices, 3)]) };
}

static SondeGraphValue *
quantise (Grower *grower, SondeGraphValue *x, const Steps *steps)
{
  SondeGraphValue *inputs[] = { x, steps->scale, steps->zero };

  return sonde_build_op (grower->graph, NULL, "", "QuantizeLinear", 3, inputs);
}

static SondeGraphValue *
dequantise (Grower *grower, SondeGraphValue *q, const Steps *steps)
{
  SondeGraphValue *inputs[] = { q, steps->scale, steps->zero };

  return sonde_build_op (grower->graph, NULL, "", "DequantizeLinear", 3, inputs);
}

static SondeGraphValue *
requantise (Grower *grower, SondeGraphValue *x, const Steps *steps)
{
  return dequantise (grower, quantise (grower, x, steps), steps);
}

static SondeGraphValue *
grow_requantised (Grower *grower, SondeGraphValue *x)
{
  const Steps steps = choose_steps (grower);

  return requantise (grower, x, &steps);
}

/* What an exporter leaves behind a product: mostly Relu, mostly integers again. */
static SondeGraphValue *
finish (Grower *grower, SondeGraphValue *y)
{
  const Steps steps = choose_steps (grower);

  if (!sonde_build_infer (grower->graph, y->producer, NULL))
    return y; /* whoever keeps it finds that out */
  if (choose (&grower->choices, 2))
    y = sonde_build_unary (grower->graph, "Relu", y);
  return choose (&grower->choices, 4) ? requantise (grower, y, &steps) : y;
}

/**
 * Weights: of @shape with @n scales, one or one an index of @axis
 * @integers, @scale, @zero: as they are
 * @floats: dequantised
 */
typedef struct
{
  SondeGraphValue *integers, *scale, *zero, *floats;
  gint64 n;
} Weights;

static Weights
grow_weights (Grower *grower, const SondeShape *shape, int axis)
{
  gboolean many = choose (&grower->choices, 2) == 1;
  SondeShape scales = many ? sonde_shape_make (1, shape->dims[axis]) : sonde_shape_scalar ();
  Weights weights = { .n = many ? shape->dims[axis] : 1 };
  SondeGraphValue *inputs[3];

  weights.integers = inputs[0] = random_integers (grower, SONDE_DTYPE_I8, shape, -127, 127);
  weights.scale = inputs[1] = random_constant (grower, &scales, 0.001, 0.004);
  weights.zero = inputs[2] = random_integers (grower, SONDE_DTYPE_I8, &scales, 0, 0);
  weights.floats = sonde_build_op (grower->graph, NULL, "", "DequantizeLinear",
                                   2 + choose (&grower->choices, 2), inputs);
  sonde_node_set_int (weights.floats->producer, "axis", axis);
  g_assert_true (sonde_build_infer (grower->graph, weights.floats->producer, NULL));
  return weights;
}

/* int32, in steps of the product. */
static SondeGraphValue *
grow_bias (Grower *grower, const Steps *steps, const Weights *weights, gint64 n)
{
  SondeShape shape = sonde_shape_make (1, n);
  SondeGraphValue *q = random_integers (grower, SONDE_DTYPE_I32, &shape, -2000, 2000),
                  *inputs[2] = { q };
  g_autoptr (SondeTensor) scale = NULL;
  SondeGraphValue *y = NULL;

  if (weights->n != n || choose (&grower->choices, 2))
    return random_constant (grower, &shape, -0.5, 0.5);
  scale = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  for (gint64 i = 0; i < n; i++)
    sonde_tensor_set_double (
        scale, i,
        steps->step
            * sonde_tensor_get_double (sonde_value_get_tensor (weights->scale->constant), i));
  inputs[1] = sonde_build_constant (grower->graph, NULL, scale);
  y = sonde_build_op (grower->graph, NULL, "", "DequantizeLinear", 2, inputs);
  sonde_node_set_int (y->producer, "axis", 0);
  g_assert_true (sonde_build_infer (grower->graph, y->producer, NULL));
  return y;
}

static void
set_window (Grower *grower, SondeNode *node, int n)
{
  gint64 pads[2 * SONDE_MAX_RANK] = { 0 }, strides[SONDE_MAX_RANK];

  for (int d = 0; d < n; d++)
    {
      strides[d] = 1 + choose (&grower->choices, 2);
      pads[d] = choose (&grower->choices, 2);
      pads[n + d] = choose (&grower->choices, 2);
    }
  sonde_node_set_ints (node, "pads", pads, 2 * (gsize) n);
  sonde_node_set_ints (node, "strides", strides, (gsize) n);
}

static SondeShape
choose_kernel (Grower *grower, SondeGraphValue *x)
{
  SondeShape w = shape_of (x);

  w.dims[0] = 1 + choose (&grower->choices, 17);
  for (int d = 2; d < w.rank; d++)
    w.dims[d] = 1 + choose (&grower->choices, 3);
  return w;
}

static SondeGraphValue *
grow_convolution (Grower *grower, SondeGraphValue *x)
{
  const Steps steps = choose_steps (grower);
  SondeShape w = choose_kernel (grower, x);
  gboolean depthwise = choose (&grower->choices, 4) == 0;
  SondeGraphValue *inputs[3] = { NULL }, *y = NULL;
  Weights weights;

  if (w.rank < 3)
    return NULL;
  if (depthwise)
    {
      w.dims[0] = w.dims[1];
      w.dims[1] = 1;
    }
  inputs[0] = requantise (grower, x, &steps);
  weights = grow_weights (grower, &w, 0);
  inputs[1] = weights.floats;
  inputs[2] = grow_bias (grower, &steps, &weights, w.dims[0]);
  y = sonde_build_op (grower->graph, NULL, "", "Conv", 2 + choose (&grower->choices, 2), inputs);
  sonde_node_set_int (y->producer, "group", depthwise ? w.dims[0] : 1);
  set_window (grower, y->producer, w.rank - 2);
  return finish (grower, y);
}

static SondeGraphValue *
grow_matrix_product (Grower *grower, SondeGraphValue *x)
{
  const Steps steps = choose_steps (grower);
  SondeShape shape = shape_of (x);
  gboolean gemm = choose (&grower->choices, 2) == 1;
  SondeGraphValue *inputs[3] = { NULL };
  SondeShape w;
  Weights weights;

  if (shape.rank < 2)
    return NULL;
  w = sonde_shape_make (2, shape.dims[shape.rank - 1], 1 + choose (&grower->choices, 9));
  inputs[0] = requantise (grower, x, &steps);
  weights = grow_weights (grower, &w, 1);
  inputs[1] = weights.floats;
  inputs[2] = grow_bias (grower, &steps, &weights, w.dims[1]);
  return finish (grower, sonde_build_op (grower->graph, NULL, "", gemm ? "Gemm" : "MatMul",
                                         gemm ? 2 + choose (&grower->choices, 2) : 2, inputs));
}

static SondeGraphValue *
grow_sum (Grower *grower, SondeGraphValue *x)
{
  const Steps a = choose_steps (grower), b = choose_steps (grower);
  SondeGraphValue *other = choose_value (grower);

  return finish (grower,
                 sonde_build_binary (grower->graph, choose (&grower->choices, 3) ? "Add" : "Mul",
                                     requantise (grower, x, &a), requantise (grower, other, &b)));
}

/* What only moves or selects, between the same integers. */
static SondeGraphValue *
grow_moved (Grower *grower, SondeGraphValue *x)
{
  static const char *const ops[]
      = { "Transpose", "MaxPool", "Flatten", "Concat", "GlobalAveragePool" };
  const Steps steps = choose_steps (grower);
  guint op = choose (&grower->choices, G_N_ELEMENTS (ops));
  SondeGraphValue *from = requantise (grower, x, &steps), *y = NULL;
  gint64 sizes[] = { 2, 2, 1 };

  y = op == 3 ? sonde_build_binary (grower->graph, ops[op], from, from)
              : sonde_build_unary (grower->graph, ops[op], from);
  if (op == 1)
    {
      sonde_node_set_ints (y->producer, "kernel_shape", sizes,
                           (gsize) CLAMP (x->type.rank - 2, 0, 3));
      sonde_node_set_ints (y->producer, "strides", sizes, (gsize) CLAMP (x->type.rank - 2, 0, 3));
    }
  else if (op == 3)
    sonde_node_set_int (y->producer, "axis", choose (&grower->choices, 3));
  if (!sonde_build_infer (grower->graph, y->producer, NULL))
    return y;
  return requantise (grower, y, &steps);
}

/* QLinearMatMul or QLinearConv with all their operands. */
static SondeGraphValue *
grow_old_form (Grower *grower, SondeGraphValue *x)
{
  const Steps from = choose_steps (grower), to = choose_steps (grower);
  gboolean convolution = shape_of (x).rank > 2 && choose (&grower->choices, 2) == 0;
  SondeShape shape = shape_of (x);
  SondeShape w = convolution ? choose_kernel (grower, x)
                             : sonde_shape_make (2, shape.rank ? shape.dims[shape.rank - 1] : 1,
                                                 1 + choose (&grower->choices, 9));
  Weights weights = grow_weights (grower, &w, convolution ? 0 : 1);
  SondeShape one_each = sonde_shape_make (1, w.dims[0]);
  SondeGraphValue *inputs[] = {
    quantise (grower, x, &from),
    from.scale,
    from.zero,
    weights.integers,
    weights.scale,
    weights.zero,
    to.scale,
    to.zero,
    random_integers (grower, SONDE_DTYPE_I32, &one_each, -2000, 2000),
  };
  SondeGraphValue *y
      = sonde_build_op (grower->graph, NULL, "", convolution ? "QLinearConv" : "QLinearMatMul",
                        convolution ? 8 + choose (&grower->choices, 2) : 8, inputs);

  if (shape.rank < 1)
    return NULL;
  if (convolution)
    set_window (grower, y->producer, w.rank - 2);
  if (!sonde_build_infer (grower->graph, y->producer, NULL))
    return y;
  return dequantise (grower, y, &to);
}

const Grow quantised_growers[] = {
  grow_requantised, grow_convolution, grow_convolution, grow_matrix_product,
  grow_sum,         grow_moved,       grow_old_form,
};
const guint n_quantised_growers = G_N_ELEMENTS (quantised_growers);
