/* SPDX-License-Identifier: Apache-2.0
 * Models of float16 in float32: for processors that compute float16 by way of float32 in any case, without rounding each value
 * in between. Inputs and outputs of the model, and operators that are not in the table, stay what they are. */
#include "engine/passes/sonde-passes-private.h"

#define ONNX_FLOAT16 10
#define ONNX_FLOAT 1

/* Operators whose results have the element type of their inputs, and whose other operands have that type or none of ours. */
static const char *const operators[] = {
  "Abs", "Add", "AveragePool", "BatchNormalization", "Clip", "Concat", "Conv", "ConvTranspose", "DepthToSpace", "Div", "Elu",
  "Erf", "Exp", "Expand", "Flatten", "Gather", "Gelu", "Gemm", "GlobalAveragePool", "GlobalMaxPool", "GroupNormalization",
  "HardSigmoid", "HardSwish", "Identity", "InstanceNormalization", "LRN", "LayerNormalization", "LeakyRelu", "Log", "LogSoftmax",
  "MatMul", "Max", "MaxPool", "Mean", "Min", "Mish", "Mul", "Neg", "PRelu", "Pad", "Pow", "RMSNormalization", "Reciprocal",
  "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "Relu", "Reshape", "Selu", "Sigmoid", "Slice", "Softmax", "Softplus",
  "Softsign", "SpaceToDepth", "Split", "Sqrt", "Squeeze", "Sub", "Sum", "Swish", "Tanh", "Tile", "Transpose", "Unsqueeze",
  "Where",
};

/**
 * Widening:
 * @wide: float16 value -> the same in float32
 */
typedef struct
{
  SondeGraph *graph;
  GHashTable *wide;
} Widening;

static gboolean
is_half (const SondeGraphValue *value)
{
  return value != NULL && value->type.kind == SONDE_VALUE_TENSOR && value->type.dtype == SONDE_DTYPE_F16;
}

static gboolean
touches_half (const SondeNode *node)
{
  for (guint k = 0; k < node->inputs->len; k++)
    if (is_half (node->inputs->pdata[k]))
      return TRUE;
  for (guint k = 0; k < node->outputs->len; k++)
    if (is_half (node->outputs->pdata[k]))
      return TRUE;
  return FALSE;
}

static gboolean
can_widen (const SondeNode *node)
{
  if (*node->domain != '\0' || !touches_half (node))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (operators); i++)
    if (g_str_equal (node->op, operators[i]))
      return TRUE;
  return FALSE;
}

static SondeGraphValue *
add_cast (Widening        *widening,
          SondeGraphValue *from,
          const char      *name,
          gint64           to)
{
  SondeNode *cast = sonde_graph_add_node (widening->graph, name, "", "Cast", &from, 1, 1);
  SondeGraphValue *result = sonde_node_get_output (cast, 0);

  cast->origin_kind = SONDE_ORIGIN_INSERTED;
  sonde_node_set_int (cast, "to", to);
  result->type = from->type;
  result->type.dtype = to == ONNX_FLOAT ? SONDE_DTYPE_F32 : SONDE_DTYPE_F16;
  return result;
}

/* @value in float32: known already, a converted constant, or by a Cast. */
static SondeGraphValue *
get_wide (Widening        *widening,
          SondeGraphValue *value)
{
  SondeGraphValue *wide = g_hash_table_lookup (widening->wide, value);
  SondeTensor *tensor = value->producer == NULL && value->constant != NULL && value->role != SONDE_ROLE_INPUT
                          ? sonde_value_get_tensor (value->constant)
                          : NULL;
  g_autofree char *name = g_strconcat (value->name, "_float32", NULL);

  if (wide != NULL)
    return wide;

  if (tensor != NULL)
    {
      g_autoptr (SondeTensor) converted = sonde_tensor_cast (tensor, SONDE_DTYPE_F32);

      wide = sonde_graph_add_initialiser (widening->graph, name, converted, SONDE_ROLE_CONSTANT);
    }
  else
    wide = add_cast (widening, value, name, ONNX_FLOAT);
  g_hash_table_insert (widening->wide, value, wide);
  return wide;
}

/* The node makes float32 values; who still wants @value gets it by a Cast, which goes when nobody does. */
static void
widen_output (Widening        *widening,
              SondeNode       *node,
              guint            k,
              SondeGraphValue *value)
{
  SondeType type = value->type;
  g_autofree char *name = g_strconcat (value->name, "_float32", NULL);
  g_autofree char *cast_name = g_strconcat (value->name, "_float16", NULL);
  SondeGraphValue *wide;
  SondeNode *cast;

  type.dtype = SONDE_DTYPE_F32;
  wide = sonde_graph_add_value (widening->graph, name, &type);
  sonde_node_set_output (widening->graph, node, k, wide);
  cast = sonde_graph_add_node (widening->graph, cast_name, "", "Cast", &wide, 1, 0);
  cast->origin_kind = SONDE_ORIGIN_INSERTED;
  sonde_node_set_int (cast, "to", ONNX_FLOAT16);
  sonde_node_set_output (widening->graph, cast, 0, value);
  g_hash_table_insert (widening->wide, value, wide);
}

static void
widen_node (Widening  *widening,
            SondeNode *node)
{
  for (guint k = 0; k < node->inputs->len; k++)
    if (is_half (node->inputs->pdata[k]))
      sonde_node_set_input (widening->graph, node, k, get_wide (widening, node->inputs->pdata[k]));
  for (guint k = 0; k < node->outputs->len; k++)
    if (is_half (node->outputs->pdata[k]))
      widen_output (widening, node, k, node->outputs->pdata[k]);
}

gboolean
sonde_pass_widen (SondeGraph *graph,
                  GError    **error)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);
  Widening widening = { .graph = graph };
  guint first = graph->nodes->len;

  if (order == NULL)
    return FALSE;

  widening.wide = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < order->len; i++)
    if (can_widen (order->pdata[i]))
      widen_node (&widening, order->pdata[i]);
  g_hash_table_unref (widening.wide);
  if (graph->nodes->len > first)
    sonde_pass_prune (graph);
  return TRUE;
}
