/* SPDX-License-Identifier: Apache-2.0
 * Convolutions of integers that no integer primitive computes become float ones, which is many
 * times faster than the plain loop: QLinearConv with weights of uint8 or about a zero point or in
 * small groups, and ConvInteger whose sums become floats anyway.
 * The integers stay exact in float32 but for sums beyond 2^24 and for Winograd's algorithm. */
#include "engine/ops/sonde-build.h"
#include "engine/passes/quantise/sonde-quantise-private.h"
#include "engine/passes/sonde-legalise.h"

/* oneDNN's integer kernels of groups want fours of channels, up to this many; those of one channel
 * each are others. */
#define SMALL_GROUP 16

gboolean
sonde_quantise_has_small_groups (const SondeNode *conv, const SondeShape *w)
{
  const gint64 groups = sonde_node_get_int (conv, "group", 1);
  gint64 outputs;

  if (groups <= 1 || w->rank < 3)
    return FALSE;

  outputs = w->dims[0] / groups;
  return w->dims[1] <= SMALL_GROUP && (w->dims[1] > 1 || outputs > 1)
         && (w->dims[1] % 4 != 0 || outputs % 4 != 0);
}

static gboolean
is_8_bits (SondeDtype dtype)
{
  return dtype == SONDE_DTYPE_I8 || dtype == SONDE_DTYPE_U8;
}

static gboolean
all_zero (SondeTensor *tensor)
{
  for (gint64 i = 0; tensor != NULL && i < sonde_tensor_n_elements (tensor); i++)
    if (sonde_tensor_get_int (tensor, i) != 0)
      return FALSE;
  return TRUE;
}

/* One number, or one an output channel; @n: of these. */
static gboolean
fits (const SondeGraphValue *value, gint64 n)
{
  SondeTensor *tensor = sonde_quantise_constant (value);

  return value == NULL
         || (tensor != NULL
             && (sonde_tensor_n_elements (tensor) == 1 || sonde_tensor_n_elements (tensor) == n));
}

static double
number_at (SondeTensor *tensor, gint64 i)
{
  return tensor == NULL
             ? 0
             : sonde_tensor_get_double (tensor, sonde_tensor_n_elements (tensor) == 1 ? 0 : i);
}

static SondeGraphValue *
remember (SondeGraphValue *value, SondeNode *origin)
{
  sonde_node_add_origin (value->producer, origin, SONDE_ORIGIN_FUSED);
  return value;
}

/* The weights as floats: constants, which folding computes. @scale: (nullable): 1 */
static SondeGraphValue *
float_weights (SondeGraph *graph, SondeNode *node, SondeGraphValue *w, const SondeGraphValue *scale,
               const SondeGraphValue *zero)
{
  SondeTensor *integers = sonde_quantise_constant (w);
  SondeTensor *given = sonde_quantise_constant (scale), *offset = sonde_quantise_constant (zero);
  SondeShape shape = sonde_shape_make (1, integers->shape.dims[0]);
  g_autoptr (SondeTensor) scales = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) zeros = sonde_tensor_new (integers->dtype, &shape);
  SondeGraphValue *inputs[] = { w, NULL, NULL };
  SondeGraphValue *result;

  for (gint64 c = 0; c < shape.dims[0]; c++)
    {
      sonde_tensor_set_double (scales, c, given != NULL ? number_at (given, c) : 1);
      sonde_tensor_set_double (zeros, c, number_at (offset, c));
    }
  inputs[1] = sonde_build_constant (graph, "weight_scale", scales);
  inputs[2] = sonde_build_constant (graph, "weight_zero_point", zeros);
  result = remember (sonde_build_op (graph, NULL, "", "DequantizeLinear", 3, inputs), node);
  sonde_node_set_int (result->producer, "axis", 0);
  return result;
}

static SondeGraphValue *
float_bias (SondeGraph *graph, SondeGraphValue *bias, const SondeGraphValue *x_scale,
            const SondeGraphValue *w_scale)
{
  SondeTensor *integers = sonde_quantise_constant (bias),
              *scale = sonde_quantise_constant (w_scale);
  double x = sonde_tensor_get_double (sonde_quantise_constant (x_scale), 0);
  g_autoptr (SondeTensor) floats = sonde_tensor_new (SONDE_DTYPE_F32, &integers->shape);

  for (gint64 c = 0; c < sonde_tensor_n_elements (integers); c++)
    sonde_tensor_set_double (floats, c,
                             sonde_tensor_get_double (integers, c) * x * number_at (scale, c));
  return sonde_build_constant (graph, "bias", floats);
}

static SondeGraphValue *
convolve (SondeGraph *graph, SondeNode *node, SondeGraphValue *x, SondeGraphValue *w,
          SondeGraphValue *bias)
{
  SondeGraphValue *inputs[] = { x, w, bias };
  SondeGraphValue *y = remember (
      sonde_build_op (graph, node->name, "", "Conv", bias != NULL ? 3 : 2, inputs), node);

  for (guint i = 0; i < node->attributes->len; i++)
    sonde_node_take_attribute (y->producer,
                               sonde_attribute_copy (g_ptr_array_index (node->attributes, i)));
  (void) sonde_build_infer (graph, y->producer, NULL);
  return y;
}

/* (x, scale, zero, w, scale, zero, scale of y, zero of y, bias) */
static void
replace_quantised (SondeGraph *graph, SondeNode *node)
{
  SondeGraphValue *in[9], *x, *y, *last;
  SondeTensor *w;

  for (guint i = 0; i < 9; i++)
    in[i] = sonde_node_get_input (node, i);
  w = sonde_quantise_constant (in[3]);
  if (w == NULL || !is_8_bits (w->dtype) || w->shape.rank < 3 || in[0] == NULL
      || !is_8_bits (in[0]->type.dtype)
      || (w->dtype == SONDE_DTYPE_I8 && all_zero (sonde_quantise_constant (in[5]))
          && !sonde_quantise_has_small_groups (node, &w->shape))
      || !fits (in[1], 1) || in[1] == NULL || in[4] == NULL || in[4]->type.dtype != SONDE_DTYPE_F32
      || !fits (in[4], w->shape.dims[0]) || !fits (in[5], w->shape.dims[0])
      || (in[8] != NULL && sonde_quantise_constant (in[8]) == NULL))
    return;

  x = remember (sonde_build_op (graph, NULL, "", "DequantizeLinear", in[2] != NULL ? 3 : 2,
                                (SondeGraphValue *[]){ in[0], in[1], in[2] }),
                node);
  y = convolve (graph, node, x, float_weights (graph, node, in[3], in[4], in[5]),
                in[8] != NULL ? float_bias (graph, in[8], in[1], in[4]) : NULL);
  last = sonde_legalise_take_output (graph, node, 0);
  y = remember (sonde_build_op (graph, NULL, "", "QuantizeLinear", in[7] != NULL ? 3 : 2,
                                (SondeGraphValue *[]){ y, in[6], in[7] }),
                node);
  sonde_node_set_output (graph, y->producer, 0, last);
}

/* (x, w, zero, zero of w), then a Cast to float32 that alone reads the sums. */
static void
replace_integer (SondeGraph *graph, SondeNode *node)
{
  SondeGraphValue *x = sonde_node_get_input (node, 0), *w = sonde_node_get_input (node, 1);
  SondeGraphValue *zero = sonde_node_get_input (node, 2), *floats, *last;
  SondeTensor *integers = sonde_quantise_constant (w);
  SondeNode *cast = sonde_quantise_only_reader (graph, sonde_node_get_output (node, 0));

  if (integers == NULL || !is_8_bits (integers->dtype) || integers->shape.rank < 3 || x == NULL
      || !is_8_bits (x->type.dtype)
      || !fits (sonde_node_get_input (node, 3), integers->shape.dims[0])
      || !sonde_node_is (cast, SONDE_OP_ID_CAST)
      || sonde_node_get_output (cast, 0)->type.dtype != SONDE_DTYPE_F32)
    return;

  floats = remember (sonde_build_cast (graph, x, SONDE_DTYPE_F32), node);
  if (zero != NULL)
    floats = remember (
        sonde_build_binary (graph, "Sub", floats, sonde_build_cast (graph, zero, SONDE_DTYPE_F32)),
        node);
  floats = convolve (graph, node, floats,
                     float_weights (graph, node, w, NULL, sonde_node_get_input (node, 3)), NULL);
  last = sonde_legalise_take_output (graph, cast, 0);
  sonde_node_add_origin (floats->producer, cast, SONDE_ORIGIN_FUSED);
  sonde_node_set_output (graph, floats->producer, 0, last);
}

void
sonde_quantise_to_floats (SondeGraph *graph, SondeNode *node)
{
  if (sonde_node_is (node, SONDE_OP_ID_QLINEAR_CONV))
    replace_quantised (graph, node);
  else if (sonde_node_is (node, SONDE_OP_ID_CONV_INTEGER))
    replace_integer (graph, node);
}
