/* SPDX-License-Identifier: Apache-2.0
 * Convolutions and products of matrices in bfloat16: casts before and behind them, and what lies
 * between two of them stays bfloat16 where it only selects, moves, adds or scales. Sums inside are
 * float32. Weights are converted here, once; those that learn, in every step. */
#include "engine/passes/precision/sonde-convert-dtype.h"
#include "engine/passes/sonde-passes.h"

static gboolean
is_f32 (const SondeGraphValue *value)
{
  return value != NULL && value->type.kind == SONDE_VALUE_TENSOR
         && value->type.dtype == SONDE_DTYPE_F32;
}

/* The first @n inputs of @node in bfloat16. */
static void
narrow_inputs (SondeDtypeConversion *narrow, SondeNode *node, guint n)
{
  for (guint k = 0; k < node->inputs->len && k < n; k++)
    if (is_f32 (sonde_node_get_input (node, k)))
      sonde_convert_dtype_input (narrow, node, k);
}

/* Computed in bfloat16, and not only rounded for someone: a residual keeps its float32. */
static gboolean
is_narrow (const SondeDtypeConversion *narrow, const SondeGraphValue *value)
{
  return sonde_convert_dtype_has (narrow, value)
         && sonde_node_is (value->producer, SONDE_OP_ID_CAST)
         && sonde_node_get_input (value->producer, 0)->type.dtype == narrow->to;
}

static gboolean
has_narrow_inputs (const SondeDtypeConversion *narrow, SondeNode *node, guint n)
{
  for (guint k = 0; k < node->inputs->len && k < n; k++)
    if (!is_narrow (narrow, sonde_node_get_input (node, k)))
      return FALSE;

  return is_f32 (sonde_node_get_output (node, 0));
}

/* Of the outputs behind the first only statistics stay float32. */
static gboolean
has_one_result (const SondeDtypeConversion *narrow, const SondeNode *node)
{
  return node->outputs->len == 1 || sonde_node_get_output (node, 1) == NULL
         || (narrow->parameters_change && sonde_node_is (node, SONDE_OP_ID_BATCH_NORMALIZATION));
}

static gboolean
is_fixed (const SondeGraphValue *value)
{
  return value->producer == NULL && value->constant != NULL;
}

/* Weights that others make would be converted in every run; in a training that is cheap beside the
 * gradients. */
static gboolean
is_convolution (const SondeDtypeConversion *narrow, SondeNode *node)
{
  SondeGraphValue *weight = sonde_node_get_input (node, 1), *bias = sonde_node_get_input (node, 2);

  return sonde_node_is (node, SONDE_OP_ID_CONV) && is_f32 (sonde_node_get_input (node, 0))
         && is_f32 (weight) && (narrow->parameters_change || is_fixed (weight))
         && (bias == NULL || (is_f32 (bias) && (narrow->parameters_change || is_fixed (bias))))
         && is_f32 (sonde_node_get_output (node, 0));
}

/* Also of two values that change; a vector is not worth it. */
static gboolean
is_product (SondeNode *node)
{
  SondeGraphValue *a = sonde_node_get_input (node, 0), *b = sonde_node_get_input (node, 1),
                  *c = sonde_node_get_input (node, 2);

  return (sonde_node_is (node, SONDE_OP_ID_MATMUL) || sonde_node_is (node, SONDE_OP_ID_GEMM))
         && is_f32 (a) && is_f32 (b) && a->type.rank > 1 && b->type.rank > 1
         && (c == NULL || is_f32 (c)) && is_f32 (sonde_node_get_output (node, 0));
}

static guint
traits_of (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  return klass != NULL ? klass->traits : SONDE_TRAIT_NONE;
}

/* How many of its first inputs it wants in bfloat16 to follow the nodes before it; 0: it does not
 * follow. */
static guint
count_followed (const SondeDtypeConversion *narrow, const SondeNode *node)
{
  const guint traits = traits_of (node);

  if (traits & SONDE_TRAIT_AUTOCAST_ALL)
    return G_MAXUINT;
  return (traits & SONDE_TRAIT_AUTOCAST) != 0
                 || (narrow->parameters_change && (traits & SONDE_TRAIT_AUTOCAST_TRAINING) != 0)
             ? 1
             : 0;
}

/* A bias added to a product whose result goes, perhaps moved, to the next; elsewhere it is added in
 * float32. Of a training any: its gradient then is what the product's is. */
static gboolean
is_moved_bias (const SondeDtypeConversion *narrow, SondeNode *node)
{
  SondeGraphValue *a = sonde_node_get_input (node, 0), *b = sonde_node_get_input (node, 1),
                  *y = sonde_node_get_output (node, 0);
  const SondeGraphValue *other = a != NULL && is_narrow (narrow, a) ? b : a;

  if (!sonde_node_is (node, SONDE_OP_ID_ADD) || a == NULL || b == NULL || !is_f32 (y)
      || !is_f32 (other) || !is_fixed (other) || y->users->len == 0
      || (!is_narrow (narrow, a) && !is_narrow (narrow, b)))
    return FALSE;
  if (narrow->parameters_change)
    return TRUE;

  for (guint i = 0; i < y->users->len; i++)
    if ((traits_of (g_ptr_array_index (y->users, i)) & SONDE_TRAIT_PERMUTES) == 0
        && !is_product (g_ptr_array_index (y->users, i)))
      return FALSE;
  return TRUE;
}

static void
visit (SondeDtypeConversion *narrow, SondeNode *node)
{
  guint data;

  if (is_convolution (narrow, node) || is_product (node) || is_moved_bias (narrow, node))
    {
      narrow_inputs (narrow, node, 3);
      sonde_convert_dtype_output (narrow, node, 0);
      return;
    }

  data = count_followed (narrow, node);
  if (data > 0 && has_narrow_inputs (narrow, node, data) && has_one_result (narrow, node))
    {
      narrow_inputs (narrow, node, data);
      sonde_convert_dtype_output (narrow, node, 0);
    }
}

static gboolean
narrow_graph (SondeGraph *graph, gboolean training, GError **error)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);
  g_auto (SondeDtypeConversion) narrow = { NULL };

  if (order == NULL)
    return FALSE;

  sonde_convert_dtype_init (&narrow, graph, SONDE_DTYPE_BF16);
  narrow.parameters_change = training;
  for (guint i = 0; i < order->len; i++)
    visit (&narrow, g_ptr_array_index (order, i));
  sonde_pass_dce (graph);
  return TRUE;
}

gboolean
sonde_pass_autocast (SondeGraph *graph, GError **error)
{
  return narrow_graph (graph, FALSE, error);
}

gboolean
sonde_pass_mix (SondeGraph *graph, GError **error)
{
  return narrow_graph (graph, TRUE, error);
}
