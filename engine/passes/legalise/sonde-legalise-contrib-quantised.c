/* SPDX-License-Identifier: Apache-2.0
 * com.microsoft: quantised operators. Products of integers stay integers until their sums are
 * scaled; the others are the float operator between DequantizeLinear and QuantizeLinear. */
#include "engine/passes/legalise/sonde-legalise-contrib.h"
#include "engine/passes/sonde-legalise.h"

#include <math.h>
#include <string.h>

/* Parameters of a whole tensor may come as lists of one element. */
static SondeGraphValue *
as_scalar (SondeGraph *graph, SondeGraphValue *x)
{
  return x == NULL || x->type.rank == 0 ? x : sonde_contrib_reshape (graph, x, 0, NULL);
}

static SondeGraphValue *
dequantise (SondeGraph *graph, SondeGraphValue *x, SondeGraphValue *scale, SondeGraphValue *zero)
{
  return emit (graph, "DequantizeLinear", x, as_scalar (graph, scale), as_scalar (graph, zero));
}

/* Of input @k with its scale and zero behind it. */
static SondeGraphValue *
dequantise_input (SondeGraph *graph, SondeNode *node, guint k)
{
  return dequantise (graph, operand (node, k), operand (node, k + 1), operand (node, k + 2));
}

/* To @like's element type where there is no zero point. */
static SondeGraphValue *
quantise (SondeGraph *graph, SondeGraphValue *x, SondeGraphValue *scale, SondeGraphValue *zero,
          SondeDtype like)
{
  if (zero == NULL)
    zero = sonde_build_scalar (graph, like, 0);
  return emit (graph, "QuantizeLinear", x, as_scalar (graph, scale), as_scalar (graph, zero));
}

/* Scale and zero of the result are inputs @k and @k + 1. */
static void
give_quantised (SondeGraph *graph, SondeNode *node, SondeGraphValue *x, guint k)
{
  SondeDtype dtype = operand (node, 0)->type.dtype;

  sonde_contrib_give (graph, node, 0,
                      quantise (graph, x, operand (node, k), operand (node, k + 1),
                                dtype == SONDE_DTYPE_I8 ? SONDE_DTYPE_I8 : SONDE_DTYPE_U8));
}

/* ---- one float operator between ------------------------------------------ */

/* QLinearAdd: (a, scale, zero, b, scale, zero, scale, zero) */
gboolean
sonde_contrib_quantised_add (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  give_quantised (
      graph, node,
      emit (graph, "Add", dequantise_input (graph, node, 0), dequantise_input (graph, node, 3)), 6);
  return TRUE;
}

/* QLinearMul: the product of integers, exact in float32, takes all scales at once; the zero point
 * is added before the sum is rounded, which decides ties. */
gboolean
sonde_contrib_quantised_mul (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *one = sonde_build_scalar (graph, SONDE_DTYPE_F32, 1);
  SondeGraphValue *a = dequantise (graph, operand (node, 0), one, operand (node, 2));
  SondeGraphValue *b = dequantise (graph, operand (node, 3), one, operand (node, 5));
  SondeGraphValue *scale = emit (graph, "Div",
                                 emit (graph, "Mul", as_scalar (graph, operand (node, 1)),
                                       as_scalar (graph, operand (node, 4))),
                                 as_scalar (graph, operand (node, 6)));
  SondeGraphValue *y = emit (graph, "Mul", emit (graph, "Mul", a, b), scale),
                  *zero = operand (node, 7);
  SondeDtype dtype = operand (node, 0)->type.dtype;

  if (zero != NULL)
    y = emit (graph, "Add", y,
              as_scalar (graph, sonde_contrib_cast (graph, zero, SONDE_DTYPE_F32)));
  sonde_contrib_give (
      graph, node, 0,
      quantise (graph, y, one, NULL, dtype == SONDE_DTYPE_I8 ? SONDE_DTYPE_I8 : SONDE_DTYPE_U8));
  return TRUE;
}

/* QLinearSigmoid, QLinearLeakyRelu */
gboolean
sonde_contrib_quantised_unary (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *y
      = emit (graph, node->op + strlen ("QLinear"), dequantise_input (graph, node, 0));

  if (sonde_node_find_attribute (node, "alpha") != NULL)
    (void) sonde_contrib_with_float (graph, y, "alpha", sonde_node_get_float (node, "alpha", 0.01));
  give_quantised (graph, node, y, 3);
  return TRUE;
}

/* @last: channels stand last; @x and the result are turned around the pooling */
static SondeGraphValue *
turn (SondeGraph *graph, SondeGraphValue *x, gboolean last, gboolean back)
{
  int rank = x->type.rank;
  gint64 order[SONDE_MAX_RANK] = { 0 };

  if (!last || rank < 3)
    return x;
  for (int d = 1; d < rank; d++)
    order[d] = back ? (d == rank - 1 ? 1 : d + 1) : (d == 1 ? rank - 1 : d - 1);
  return sonde_contrib_transpose (graph, x, rank, order);
}

static gboolean
check_turn (SondeNode *node, GError **error)
{
  if (sonde_node_get_int (node, "channels_last", 0) != 0 && sonde_legalise_rank (node, 0) < 3)
    return sonde_contrib_unsupported (error, "the rank of its input is not known");
  return TRUE;
}

static void
copy_window (SondeNode *to, const SondeNode *from)
{
  static const char *const names[]
      = { "auto_pad", "ceil_mode", "count_include_pad", "dilations", "group", "kernel_shape",
          "pads",     "strides" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const SondeAttribute *attribute = sonde_node_find_attribute (from, names[i]);

      if (attribute != NULL)
        sonde_node_take_attribute (to, sonde_attribute_copy (attribute));
    }
}

gboolean
sonde_contrib_quantised_average_pool (SondeGraph *graph, SondeNode *node, int version,
                                      GError **error)
{
  gboolean last = sonde_node_get_int (node, "channels_last", 0) != 0;
  SondeGraphValue *y = NULL;

  if (!check_turn (node, error))
    return FALSE;
  y = emit (graph, "AveragePool", turn (graph, dequantise_input (graph, node, 0), last, FALSE));
  copy_window (y->producer, node);
  (void) sonde_build_infer (graph, y->producer, NULL);
  give_quantised (graph, node, turn (graph, y, last, TRUE), 3);
  return TRUE;
}

gboolean
sonde_contrib_quantised_global_average_pool (SondeGraph *graph, SondeNode *node, int version,
                                             GError **error)
{
  gboolean last = sonde_node_get_int (node, "channels_last", 0) != 0;

  if (!check_turn (node, error))
    return FALSE;
  give_quantised (graph, node,
                  turn (graph,
                        emit (graph, "GlobalAveragePool",
                              turn (graph, dequantise_input (graph, node, 0), last, FALSE)),
                        last, TRUE),
                  3);
  return TRUE;
}

gboolean
sonde_contrib_quantised_reduce_mean (SondeGraph *graph, SondeNode *node, int version,
                                     GError **error)
{
  gsize n = 0;
  const gint64 *axes = sonde_node_get_ints (node, "axes", &n);
  SondeGraphValue *y = emit (graph, "ReduceMean", dequantise_input (graph, node, 0),
                             axes != NULL ? sonde_build_ints (graph, axes, n) : NULL);

  (void) sonde_contrib_with_int (graph, y, "keepdims", sonde_node_get_int (node, "keepdims", 1));
  give_quantised (graph, node, y, 3);
  return TRUE;
}

/* Before opset 13 rows from @axis on are one list. */
gboolean
sonde_contrib_quantised_softmax (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  gint64 axis = sonde_node_get_int (node, "axis", -1);
  gboolean rows = sonde_node_get_int (node, "opset", 13) < 13;
  SondeGraphValue *x = dequantise_input (graph, node, 0), *y = x;

  if (rows)
    y = sonde_contrib_with_int (graph, emit (graph, "Flatten", x), "axis", axis);
  y = sonde_contrib_with_int (graph, emit (graph, "Softmax", y), "axis", rows ? 1 : axis);
  if (rows)
    y = emit (graph, "Reshape", y, emit (graph, "Shape", x));
  give_quantised (graph, node, y, 3);
  return TRUE;
}

/* (scale, zero, then x, scale, zero of each part) */
gboolean
sonde_contrib_quantised_concat (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  SondeGraphValue *y = NULL;

  for (guint k = 2; k + 2 < node->inputs->len; k += 3)
    g_ptr_array_add (parts, dequantise_input (graph, node, k));
  if (parts->len == 0)
    return sonde_contrib_unsupported (error, "has nothing to concatenate");
  y = sonde_contrib_emit (graph, "", "Concat", (SondeGraphValue *const *) parts->pdata, parts->len);
  (void) sonde_contrib_with_int (graph, y, "axis", sonde_node_get_int (node, "axis", 0));
  sonde_contrib_give (graph, node, 0,
                      quantise (graph, y, operand (node, 0), operand (node, 1), SONDE_DTYPE_U8));
  return TRUE;
}

/* (condition, x, scale, zero, y, scale, zero, scale, zero) */
gboolean
sonde_contrib_quantised_where (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *z = emit (graph, "Where", operand (node, 0), dequantise_input (graph, node, 1),
                             dequantise_input (graph, node, 4));

  sonde_contrib_give (graph, node, 0,
                      quantise (graph, z, operand (node, 7), operand (node, 8), SONDE_DTYPE_U8));
  return TRUE;
}

/* ---- the standard's operators with more types or layouts ----------------- */

/* Without an axis the parameters are those of the whole tensor. */
gboolean
sonde_contrib_quantise_linear (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  if (sonde_node_find_attribute (node, "axis") == NULL)
    for (guint k = 1; k < 3; k++)
      if (operand (node, k) != NULL)
        sonde_node_set_input (graph, node, k, as_scalar (graph, operand (node, k)));
  sonde_node_set_op (node, "", node->op);
  node->version = SONDE_CURRENT_OPSET;
  return TRUE;
}

gboolean
sonde_contrib_quantised_conv (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  gboolean last = sonde_node_get_int (node, "channels_last", 0) != 0;
  SondeGraphValue *inputs[9], *y = NULL;

  if (!check_turn (node, error))
    return FALSE;
  for (guint k = 0; k < 9; k++)
    inputs[k] = operand (node, k);
  inputs[0] = turn (graph, inputs[0], last, FALSE);
  y = sonde_contrib_emit (graph, "", "QLinearConv", inputs, 9);
  copy_window (y->producer, node);
  (void) sonde_build_infer (graph, y->producer, NULL);
  sonde_contrib_give (graph, node, 0, turn (graph, y, last, TRUE));
  return TRUE;
}

/* ---- products of integers ------------------------------------------------ */

SondeGraphValue *
sonde_contrib_integer_product (SondeGraph *graph, SondeGraphValue *a, SondeGraphValue *b,
                               SondeGraphValue *a_zero, SondeGraphValue *b_zero,
                               SondeGraphValue *scale, SondeGraphValue *bias)
{
  SondeGraphValue *y = emit (graph, "MatMulInteger", a, b, as_scalar (graph, a_zero), b_zero);
  SondeDtype dtype = scale->type.dtype != SONDE_DTYPE_INVALID ? scale->type.dtype : SONDE_DTYPE_F32;

  y = emit (graph, "Mul", sonde_contrib_cast (graph, y, dtype), scale);
  return sonde_contrib_add (graph, y, bias);
}

/* (a, b, a scale, b scale, a zero, b zero, bias) */
gboolean
sonde_contrib_matmul_integer_to_float (SondeGraph *graph, SondeNode *node, int version,
                                       GError **error)
{
  SondeGraphValue *scale = emit (graph, "Mul", operand (node, 2), operand (node, 3));

  sonde_contrib_give (graph, node, 0,
                      sonde_contrib_integer_product (graph, operand (node, 0), operand (node, 1),
                                                     operand (node, 4), operand (node, 5), scale,
                                                     operand (node, 6)));
  return TRUE;
}

/* (a, b, b scale, b zero, bias): a is quantised on the way. */
gboolean
sonde_contrib_dynamic_quantise_matmul (SondeGraph *graph, SondeNode *node, int version,
                                       GError **error)
{
  SondeGraphValue *a = emit (graph, "DynamicQuantizeLinear", operand (node, 0));
  SondeGraphValue *scale
      = emit (graph, "Mul", sonde_contrib_output (graph, a, 1), operand (node, 2));

  sonde_contrib_give (graph, node, 0,
                      sonde_contrib_integer_product (graph, a, operand (node, 1),
                                                     sonde_contrib_output (graph, a, 2),
                                                     operand (node, 3), scale, operand (node, 4)));
  return TRUE;
}

static SondeGraphValue *
transposed (SondeGraph *graph, SondeNode *node, const char *name, SondeGraphValue *x)
{
  const gint64 order[] = { 1, 0 };

  return sonde_node_get_int (node, name, 0) != 0 ? sonde_contrib_transpose (graph, x, 2, order) : x;
}

/* (a, scale, zero, b, scale, zero, c?, scale?, zero?): α·(A·B)·scales, the sum of integers with C
 * before it is scaled; without a scale of its own the result stays float. */
gboolean
sonde_contrib_quantised_gemm (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  double alpha = sonde_node_get_float (node, "alpha", 1);
  SondeGraphValue *c = operand (node, 6), *y_scale = operand (node, 7);
  SondeGraphValue *scale = emit (graph, "Mul", operand (node, 1), operand (node, 4));
  SondeGraphValue *y
      = emit (graph, "MatMulInteger", transposed (graph, node, "transA", operand (node, 0)),
              transposed (graph, node, "transB", operand (node, 3)),
              as_scalar (graph, operand (node, 2)), operand (node, 5));

  y = sonde_contrib_cast (graph, sonde_contrib_add (graph, y, c), SONDE_DTYPE_F32);
  if (alpha != 1)
    scale = emit (graph, "Mul", scale, sonde_build_scalar (graph, SONDE_DTYPE_F32, alpha));
  y = emit (graph, "Mul", y, scale);
  if (y_scale != NULL)
    y = quantise (graph, y, y_scale, operand (node, 8), SONDE_DTYPE_U8);
  sonde_contrib_give (graph, node, 0, y);
  return TRUE;
}

/* ---- weights that are unpacked ------------------------------------------- */

/* The kernel unpacks blocks as it goes. */
gboolean
sonde_contrib_matmul_bits (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  sonde_node_set_op (node, SONDE_DOMAIN, node->op);
  (void) sonde_node_remove_attribute (node, "accuracy_level");
  node->version = 1;
  return TRUE;
}

/* Weights [D, n, 4·hidden] as floats [D, 4·hidden, n]; scale and zero are [D] or [D, 4·hidden]. */
static SondeGraphValue *
lstm_weights (SondeGraph *graph, SondeGraphValue *w, SondeGraphValue *scale, SondeGraphValue *zero)
{
  const gint64 shape[] = { 0, 1, -1 }, order[] = { 0, 2, 1 };

  w = sonde_contrib_cast (graph, w, SONDE_DTYPE_F32);
  if (zero != NULL)
    w = emit (
        graph, "Sub", w,
        sonde_contrib_cast (graph, sonde_contrib_reshape (graph, zero, 3, shape), SONDE_DTYPE_F32));
  w = emit (graph, "Mul", w, sonde_contrib_reshape (graph, scale, 3, shape));
  return sonde_contrib_transpose (graph, w, 3, order);
}

/* What is left of @x when 8 bits hold it, with one scale for all of it. */
static SondeGraphValue *
through_bytes (SondeGraph *graph, SondeGraphValue *x)
{
  SondeGraphValue *y = emit (graph, "DynamicQuantizeLinear", x);

  return emit (graph, "DequantizeLinear", y, sonde_contrib_output (graph, y, 1),
               sonde_contrib_output (graph, y, 2));
}

/* The LSTM of unpacked weights. ONNX Runtime multiplies integers: the inputs of all steps together
 * are quantised with one scale, and the state before each step. */
gboolean
sonde_contrib_dynamic_quantise_lstm (SondeGraph *graph, SondeNode *node, int version,
                                     GError **error)
{
  SondeGraphValue *inputs[8];
  SondeNode *lstm = NULL;

  for (guint k = 0; k < 8; k++)
    inputs[k] = operand (node, k);
  inputs[0] = through_bytes (graph, inputs[0]);
  inputs[1] = lstm_weights (graph, inputs[1], operand (node, 8), operand (node, 9));
  inputs[2] = lstm_weights (graph, inputs[2], operand (node, 10), operand (node, 11));
  lstm = sonde_graph_add_node (graph, NULL, "", "LSTM", inputs, 8, 0);
  for (guint i = 0; i < node->attributes->len; i++)
    sonde_node_take_attribute (lstm, sonde_attribute_copy (node->attributes->pdata[i]));
  sonde_node_set_int (lstm, "quantise_state", 1);
  for (guint k = 0; k < 3; k++)
    {
      SondeGraphValue *output = sonde_legalise_take_output (graph, node, k);

      if (output != NULL)
        sonde_node_set_output (graph, lstm, k, output);
    }
  return TRUE;
}
