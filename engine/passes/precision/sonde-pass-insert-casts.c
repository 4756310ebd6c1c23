/* SPDX-License-Identifier: Apache-2.0
 * Nodes of float32 in another precision, one by one: casts before them, a cast behind, and none
 * between two of them. For looking at what a precision does to a run; sonde_pass_autocast() and
 * sonde_pass_mix() are those that make it fast. */
#include "engine/passes/sonde-passes-private.h"

/* Beside those of sonde_retype_is_uniform(). Of a node the first @data inputs are converted. */
typedef struct
{
  const char *domain, *op;
  guint data;
} Further;

static const Further further[] = {
  { "", "Acos", 1 },
  { "", "Asin", 1 },
  { "", "Atan", 1 },
  { "", "Attention", 3 },
  { "", "Ceil", 1 },
  { "", "Celu", 1 },
  { "", "Cos", 1 },
  { "", "Cosh", 1 },
  { "", "CumSum", 1 },
  { "", "Einsum", G_MAXUINT },
  { "", "Floor", 1 },
  { "", "GRU", G_MAXUINT },
  { "", "GatherElements", 1 },
  { "", "GatherND", 1 },
  { "", "GridSample", 2 },
  { "", "Hardmax", 1 },
  { "", "LSTM", G_MAXUINT },
  { "", "LpNormalization", 1 },
  { "", "MeanVarianceNormalization", 1 },
  { "", "RNN", G_MAXUINT },
  { "", "ReduceL1", 1 },
  { "", "ReduceL2", 1 },
  { "", "ReduceLogSum", 1 },
  { "", "ReduceLogSumExp", 1 },
  { "", "ReduceProd", 1 },
  { "", "ReduceSumSquare", 1 },
  { "", "Resize", 1 },
  { "", "Round", 1 },
  { "", "Shrink", 1 },
  { "", "Sign", 1 },
  { "", "Sin", 1 },
  { "", "Sinh", 1 },
  { "", "Tan", 1 },
  { "", "ThresholdedRelu", 1 },
  { SONDE_DOMAIN, "AveragePoolGrad", 2 },
  { SONDE_DOMAIN, "BatchNormalizationGrad", 5 },
  { SONDE_DOMAIN, "BroadcastLike", 2 },
  { SONDE_DOMAIN, "ClipGrad", 4 },
  { SONDE_DOMAIN, "ConcatGrad", G_MAXUINT },
  { SONDE_DOMAIN, "ConvGradInput", 3 },
  { SONDE_DOMAIN, "ConvGradWeight", 3 },
  { SONDE_DOMAIN, "EluGrad", 2 },
  { SONDE_DOMAIN, "ErfGrad", 2 },
  { SONDE_DOMAIN, "GatherGrad", 2 },
  { SONDE_DOMAIN, "GeluGrad", 2 },
  { SONDE_DOMAIN, "HardSigmoidGrad", 2 },
  { SONDE_DOMAIN, "HardSwishGrad", 2 },
  { SONDE_DOMAIN, "LayerNormalizationGrad", 5 },
  { SONDE_DOMAIN, "LeakyReluGrad", 2 },
  { SONDE_DOMAIN, "LogSoftmaxGrad", 2 },
  { SONDE_DOMAIN, "MaxPoolGrad", 2 },
  { SONDE_DOMAIN, "PadGrad", 2 },
  { SONDE_DOMAIN, "ReduceExtremeGrad", 3 },
  { SONDE_DOMAIN, "ReduceToShape", 2 },
  { SONDE_DOMAIN, "ReluGrad", 2 },
  { SONDE_DOMAIN, "ReshapeLike", 2 },
  { SONDE_DOMAIN, "SeluGrad", 2 },
  { SONDE_DOMAIN, "SigmoidGrad", 2 },
  { SONDE_DOMAIN, "SliceGrad", 2 },
  { SONDE_DOMAIN, "SoftmaxGrad", 2 },
  { SONDE_DOMAIN, "SoftplusGrad", 2 },
  { SONDE_DOMAIN, "SoftsignGrad", 2 },
  { SONDE_DOMAIN, "SumPool", 1 },
  { SONDE_DOMAIN, "SumPoolGrad", 2 },
  { SONDE_DOMAIN, "TanhGrad", 2 },
  { SONDE_DOMAIN, "TileGrad", 2 },
};

/* How many of its first inputs are converted; 0: it stays as it is. */
static guint
count_data (const SondeNode *node)
{
  if (node->phase == SONDE_PHASE_OPTIMISER)
    return 0;
  if (sonde_retype_is_uniform (node))
    return G_MAXUINT;
  for (gsize i = 0; i < G_N_ELEMENTS (further); i++)
    if (g_str_equal (further[i].op, node->op) && g_str_equal (further[i].domain, node->domain))
      return further[i].data;
  return 0;
}

static gboolean
is_single (const SondeGraphValue *value)
{
  return value != NULL && value->type.kind == SONDE_VALUE_TENSOR
         && value->type.dtype == SONDE_DTYPE_F32;
}

/* What its rule says of its results once its operands are of the other type. */
static void
recast_node (SondeRetype *retype, SondeNode *node, guint data)
{
  guint n = node->inputs->len;
  g_autofree SondeGraphValue **before
      = g_memdup2 (node->inputs->pdata, MAX (n, 1) * sizeof *before);
  g_autofree SondeType *types = g_new0 (SondeType, node->outputs->len + 1);
  gboolean right;

  for (guint k = 0; k < n && k < data; k++)
    if (is_single (before[k]))
      sonde_retype_input (retype, node, k);
  right = sonde_op_infer_node (node, NULL, types, NULL, NULL) && types[0].dtype == retype->to;
  for (guint k = 0; !right && k < n; k++)
    sonde_node_set_input (retype->graph, node, k, before[k]);
  for (guint k = 0; right && k < node->outputs->len; k++)
    if (is_single (sonde_node_get_output (node, k)) && types[k].dtype == retype->to)
      sonde_retype_output (retype, node, k);
}

static gboolean
can_recast (const SondeNode *node, guint data, GHashTable *kept)
{
  if (data == 0 || (kept != NULL && g_hash_table_contains (kept, node->name))
      || !is_single (sonde_node_get_output (node, 0)))
    return FALSE;
  for (guint k = 0; k < node->inputs->len && k < data; k++)
    if (is_single (node->inputs->pdata[k]))
      return TRUE;
  return FALSE;
}

gboolean
sonde_pass_recast (SondeGraph *graph, SondeDtype to, GHashTable *kept, GPtrArray *cast,
                   GError **error)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);
  g_auto (SondeRetype) retype = { NULL };

  if (order == NULL)
    return FALSE;

  sonde_retype_init (&retype, graph, to);
  retype.parameters_change = TRUE;
  for (guint i = 0; i < order->len; i++)
    {
      SondeNode *node = g_ptr_array_index (order, i);
      guint data = count_data (node);

      if (!can_recast (node, data, kept))
        continue;
      recast_node (&retype, node, data);
      if (cast != NULL && sonde_node_get_output (node, 0)->type.dtype == to)
        g_ptr_array_add (cast, node->name);
    }
  return TRUE;
}
