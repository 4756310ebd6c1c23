/* SPDX-License-Identifier: Apache-2.0
 * DequantizeLinear, Conv, perhaps Relu, QuantizeLinear → QLinearConv, which devices compute in
 * integers; products of matrices and what only moves elements are the work of
 * sonde-pass-quantise-product.c and -move.c. Weights that were made floats when constants were
 * computed are taken from the original graph, as integers. */
#include "engine/passes/quantise/sonde-quantise-private.h"
#include "engine/passes/sonde-legalise.h"

#include <math.h>

/* Weights: a DequantizeLinear of int8 along the output channels. */
static SondeNode *
find_weights (const SondeGraph *original, const SondeGraphValue *value)
{
  SondeNode *node = sonde_quantise_find_weights (original, value);
  SondeTensor *q, *scale, *zero;

  if (node == NULL)
    return NULL;

  q = sonde_quantise_constant (sonde_node_get_input (node, 0));
  scale = sonde_quantise_constant (sonde_node_get_input (node, 1));
  zero = sonde_quantise_constant (sonde_node_get_input (node, 2));
  if (q->dtype != SONDE_DTYPE_I8 || scale->dtype != SONDE_DTYPE_F32 || q->shape.rank < 3
      || (sonde_tensor_n_elements (scale) != 1
          && (sonde_node_get_int (node, "axis", 1) != 0
              || sonde_tensor_n_elements (scale) != q->shape.dims[0])))
    return NULL;

  for (gint64 i = 0; zero != NULL && i < sonde_tensor_n_elements (zero); i++)
    if (sonde_tensor_get_int (zero, i) != 0)
      return NULL;

  return node;
}

/* The bias in units of the sums. */
static SondeTensor *
quantise_bias (SondeTensor *bias, SondeTensor *x_scale, SondeTensor *w_scale)
{
  SondeTensor *result = sonde_tensor_new (SONDE_DTYPE_I32, &bias->shape);
  double x = sonde_tensor_get_double (x_scale, 0);

  for (gint64 c = 0; c < sonde_tensor_n_elements (bias); c++)
    {
      double w = sonde_tensor_get_double (w_scale, sonde_tensor_n_elements (w_scale) > 1 ? c : 0);
      double q = nearbyint (sonde_tensor_get_double (bias, c) / (x * w));

      if (!(fabs (q) < G_MAXINT32))
        {
          sonde_tensor_unref (result);
          return NULL;
        }
      ((gint32 *) (void *) result->data)[c] = (gint32) q;
    }

  return result;
}

static SondeGraphValue *
add_constant (SondeGraph *graph, const char *stem, SondeTensor *tensor)
{
  return sonde_graph_add_initialiser (graph, stem, tensor, SONDE_ROLE_CONSTANT);
}

static void
copy_attributes (const SondeNode *from, SondeNode *to)
{
  for (guint i = 0; i < from->attributes->len; i++)
    sonde_node_take_attribute (to, sonde_attribute_copy (g_ptr_array_index (from->attributes, i)));
}

static void
rewrite (SondeGraph *graph, SondeNode *conv, SondeNode *relu, SondeNode *quantise,
         SondeNode *weights, const SondeQuantised *x, const SondeQuantised *y, SondeTensor *bias)
{
  SondeTensor *w = sonde_quantise_constant (sonde_node_get_input (weights, 0));
  SondeTensor *scale = sonde_quantise_constant (sonde_node_get_input (weights, 1));
  SondeShape scalar = sonde_shape_make (0);
  g_autoptr (SondeTensor) zero = sonde_tensor_new (SONDE_DTYPE_I8, &scalar);
  SondeGraphValue *inputs[9]
      = { x->q, x->scale, x->zero, NULL, NULL, NULL, y->scale, y->zero, NULL };
  SondeGraphValue *output = sonde_legalise_take_output (graph, quantise, 0);
  SondeNode *node;

  inputs[3] = add_constant (graph, "weight_quantised", w);
  inputs[4] = add_constant (graph, "weight_scale", scale);
  inputs[5] = add_constant (graph, "weight_zero_point", zero);
  inputs[8] = bias != NULL ? add_constant (graph, "bias_quantised", bias) : NULL;
  node = sonde_graph_add_node (graph, conv->name, "", "QLinearConv", inputs, bias != NULL ? 9 : 8,
                               0);
  node->version = 10;
  copy_attributes (conv, node);
  sonde_node_add_origin (node, conv, SONDE_ORIGIN_FUSED);
  if (relu != NULL)
    sonde_node_add_origin (node, relu, SONDE_ORIGIN_FUSED);
  sonde_node_add_origin (node, quantise, SONDE_ORIGIN_FUSED);
  sonde_node_set_output (graph, node, 0, output);
}

/* Few channels fill no vector: floats are faster there, by as much as a third of the time. */
static gboolean
has_few_channels (const SondeNode *conv)
{
  const SondeType *type = &sonde_node_get_input (conv, 1)->type;
  SondeShape shape;

  return sonde_type_get_shape (type, &shape) && shape.rank == 4
         && shape.dims[0] < SONDE_QUANTISE_FEWEST && shape.dims[1] <= SONDE_QUANTISE_FEWEST / 2
         && sonde_node_get_int (conv, "group", 1) == 1;
}

static void
quantise_convolution (SondeGraph *graph, const SondeGraph *original, SondeNode *conv)
{
  SondeGraphValue *x = sonde_node_get_input (conv, 0), *w = sonde_node_get_input (conv, 1),
                  *b = sonde_node_get_input (conv, 2);
  SondeGraphValue *y = sonde_node_get_output (conv, 0);
  SondeNode *weights, *relu = NULL, *last;
  SondeTensor *floats = sonde_quantise_constant (b);
  g_autoptr (SondeTensor) bias = NULL;
  SondeQuantised from, to;

  if (x == NULL || w == NULL || y == NULL || has_few_channels (conv)
      || !sonde_node_is (x->producer, SONDE_OP_ID_DEQUANTIZE_LINEAR)
      || (b != NULL && floats == NULL)
      || !sonde_quantise_read (x->producer, sonde_node_get_input (x->producer, 0), &from))
    return;

  last = sonde_quantise_only_reader (graph, y);
  if (sonde_node_is (last, SONDE_OP_ID_RELU))
    {
      relu = last;
      last = sonde_quantise_only_reader (graph, sonde_node_get_output (relu, 0));
    }
  weights = find_weights (original, w);
  if (weights == NULL
      || sonde_quantise_has_small_groups (
          conv, &sonde_quantise_constant (sonde_node_get_input (weights, 0))->shape)
      || !sonde_node_is (last, SONDE_OP_ID_QUANTIZE_LINEAR)
      || !sonde_quantise_read (last, sonde_node_get_output (last, 0), &to))
    return;

  /* What a Relu cuts off, the range of the result cuts off when its lowest number stands for 0. */
  if (relu != NULL
      && sonde_tensor_get_int (sonde_quantise_constant (to.zero), 0)
             != (to.q->type.dtype == SONDE_DTYPE_I8 ? -128 : 0))
    return;

  if (b != NULL)
    bias = quantise_bias (floats, sonde_quantise_constant (from.scale),
                          sonde_quantise_constant (sonde_node_get_input (weights, 1)));
  if (b == NULL || bias != NULL)
    rewrite (graph, conv, relu, last, weights, &from, &to, bias);
}

gboolean
sonde_pass_quantise (SondeGraph *graph, const SondeGraph *original, GError **error)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);

  if (order == NULL)
    return FALSE;

  for (guint i = 0; i < order->len; i++)
    {
      SondeNode *node = g_ptr_array_index (order, i);

      if (sonde_node_is (node, SONDE_OP_ID_CONV))
        quantise_convolution (graph, original, node);
      else if (sonde_node_is (node, SONDE_OP_ID_MATMUL) || sonde_node_is (node, SONDE_OP_ID_GEMM))
        sonde_quantise_product (graph, original, node);
      else if (sonde_node_is (node, SONDE_OP_ID_QLINEAR_CONV)
               || sonde_node_is (node, SONDE_OP_ID_CONV_INTEGER))
        sonde_quantise_to_floats (graph, node);
      else
        sonde_quantise_move (graph, node);
    }

  sonde_pass_dce (graph);
  return TRUE;
}
