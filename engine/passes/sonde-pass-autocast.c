/* SPDX-License-Identifier: Apache-2.0
 * Convolutions in bfloat16: casts before and behind them, and what lies between two of them stays bfloat16 where it
 * only selects, adds or scales. Sums inside are float32. Weights are converted here, once. */
#include "engine/passes/sonde-passes-private.h"

/* Operators that stay in bfloat16 between convolutions: their first @data inputs are made so. */
typedef struct
{
  const char *op;
  guint data;
} Follower;

static const Follower followers[] = {
  { "Add", 2 }, { "BatchNormalization", 1 }, { "Concat", G_MAXUINT }, { "LeakyRelu", 1 },
  { "MaxPool", 1 }, { "Relu", 1 },           { "Sum", G_MAXUINT },
};

typedef struct
{
  SondeGraph *graph;
  GHashTable *narrow; /* value in float32 -> the same in bfloat16 */
} Autocast;

static gboolean
is_op (const SondeNode *node,
       const char      *op)
{
  return *node->domain == '\0' && g_str_equal (node->op, op);
}

static gboolean
is_f32 (const SondeGraphValue *value)
{
  return value != NULL && value->type.kind == SONDE_VALUE_TENSOR && value->type.dtype == SONDE_DTYPE_F32;
}

/* @value in bfloat16: known already, a converted constant, or by a Cast. */
static SondeGraphValue *
get_narrow (Autocast        *autocast,
            SondeGraphValue *value)
{
  SondeGraphValue *narrow = g_hash_table_lookup (autocast->narrow, value);
  SondeTensor *tensor = value->producer == NULL && value->constant != NULL ? sonde_value_get_tensor (value->constant) : NULL;
  g_autofree char *name = g_strconcat (value->name, "_bfloat16", NULL);

  if (narrow != NULL)
    return narrow;

  if (tensor != NULL)
    {
      g_autoptr (SondeTensor) converted = sonde_tensor_cast (tensor, SONDE_DTYPE_BF16);

      narrow = sonde_graph_add_initialiser (autocast->graph, name, converted, SONDE_ROLE_CONSTANT);
    }
  else
    {
      SondeNode *cast = sonde_graph_add_node (autocast->graph, name, "", "Cast", &value, 1, 1);

      cast->origin_kind = SONDE_ORIGIN_INSERTED;
      sonde_node_set_int (cast, "to", 16); /* BFLOAT16 of ONNX */
      narrow = sonde_node_get_output (cast, 0);
      narrow->type = value->type;
      narrow->type.dtype = SONDE_DTYPE_BF16;
    }

  g_hash_table_insert (autocast->narrow, value, narrow);
  return narrow;
}

/* The node then makes a bfloat16 value, from which a Cast makes the one it made. */
static void
narrow_output (Autocast  *autocast,
               SondeNode *node)
{
  SondeGraphValue *wide = sonde_legalise_take_output (autocast->graph, node, 0), *narrow;
  g_autofree char *name = g_strconcat (wide->name, "_bfloat16", NULL);
  SondeType type = wide->type;
  SondeNode *cast;

  type.dtype = SONDE_DTYPE_BF16;
  narrow = sonde_graph_add_value (autocast->graph, name, &type);
  sonde_node_set_output (autocast->graph, node, 0, narrow);
  cast = sonde_graph_add_node (autocast->graph, name, "", "Cast", &narrow, 1, 0);
  cast->origin_kind = SONDE_ORIGIN_INSERTED;
  sonde_node_set_int (cast, "to", 1); /* FLOAT of ONNX */
  sonde_node_set_output (autocast->graph, cast, 0, wide);
  g_hash_table_insert (autocast->narrow, wide, narrow);
}

/* The first @n inputs of @node in bfloat16. */
static void
narrow_inputs (Autocast  *autocast,
               SondeNode *node,
               guint      n)
{
  for (guint k = 0; k < node->inputs->len && k < n; k++)
    {
      SondeGraphValue *value = sonde_node_get_input (node, k);

      if (is_f32 (value))
        sonde_node_set_input (autocast->graph, node, k, get_narrow (autocast, value));
    }
}

static gboolean
has_narrow_inputs (const Autocast *autocast,
                   SondeNode      *node,
                   guint           n)
{
  for (guint k = 0; k < node->inputs->len && k < n; k++)
    if (!g_hash_table_contains (autocast->narrow, sonde_node_get_input (node, k)))
      return FALSE;

  return is_f32 (sonde_node_get_output (node, 0)) && sonde_node_get_output (node, 1) == NULL;
}

/* Weights that never change; others would be converted in every run. */
static gboolean
is_convolution (SondeNode *node)
{
  SondeGraphValue *weight = sonde_node_get_input (node, 1), *bias = sonde_node_get_input (node, 2);

  return is_op (node, "Conv") && is_f32 (sonde_node_get_input (node, 0)) && is_f32 (weight)
         && weight->producer == NULL && weight->constant != NULL
         && (bias == NULL || (is_f32 (bias) && bias->producer == NULL && bias->constant != NULL))
         && is_f32 (sonde_node_get_output (node, 0));
}

static void
visit (Autocast  *autocast,
       SondeNode *node)
{
  if (is_convolution (node))
    {
      narrow_inputs (autocast, node, 3);
      narrow_output (autocast, node);
      return;
    }

  for (gsize i = 0; i < G_N_ELEMENTS (followers); i++)
    if (is_op (node, followers[i].op) && has_narrow_inputs (autocast, node, followers[i].data))
      {
        narrow_inputs (autocast, node, followers[i].data);
        narrow_output (autocast, node);
        return;
      }
}

gboolean
sonde_pass_autocast (SondeGraph *graph,
                     GError    **error)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);
  Autocast autocast = { .graph = graph };

  if (order == NULL)
    return FALSE;

  autocast.narrow = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < order->len; i++)
    visit (&autocast, g_ptr_array_index (order, i));

  g_hash_table_unref (autocast.narrow);
  sonde_pass_prune (graph);
  return TRUE;
}
