/* SPDX-License-Identifier: Apache-2.0
 * Nodes of float32 in another precision, one by one: casts before them, a cast behind, and none
 * between two of them. For looking at what a precision does to a run; sonde_pass_autocast() and
 * sonde_pass_mix() are those that make it fast. */
#include "engine/passes/precision/sonde-convert-dtype.h"
#include "engine/passes/sonde-passes.h"

/* How many of its first inputs are converted; 0: it stays as it is. */
static guint
count_data (const SondeNode *node)
{
  const SondeOpClass *klass = node->phase != SONDE_PHASE_OPTIMISER ? sonde_op_of_node (node) : NULL;

  if (klass == NULL || klass->typing == SONDE_TYPING_OWN)
    return 0;
  return klass->typing == SONDE_TYPING_UNIFORM
                 || klass->typing == SONDE_TYPING_LEADING (SONDE_TYPING_ALL)
             ? G_MAXUINT
             : klass->typing & SONDE_TYPING_ALL;
}

static gboolean
is_single (const SondeGraphValue *value)
{
  return value != NULL && value->type.kind == SONDE_VALUE_TENSOR
         && value->type.dtype == SONDE_DTYPE_F32;
}

/* What its rule says of its results once its operands are of the other type. */
static void
convert_node (SondeDtypeConversion *conversion, SondeNode *node, guint data)
{
  guint n = node->inputs->len;
  g_autofree SondeGraphValue **before
      = g_memdup2 (node->inputs->pdata, MAX (n, 1) * sizeof *before);
  g_autofree SondeType *types = g_new0 (SondeType, node->outputs->len + 1);
  gboolean right;

  for (guint k = 0; k < n && k < data; k++)
    if (is_single (before[k]))
      sonde_convert_dtype_input (conversion, node, k);
  right = sonde_op_infer_node (node, NULL, types, NULL, NULL) && types[0].dtype == conversion->to;
  for (guint k = 0; !right && k < n; k++)
    sonde_node_set_input (conversion->graph, node, k, before[k]);
  for (guint k = 0; right && k < node->outputs->len; k++)
    if (is_single (sonde_node_get_output (node, k)) && types[k].dtype == conversion->to)
      sonde_convert_dtype_output (conversion, node, k);
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
sonde_pass_insert_casts (SondeGraph *graph, SondeDtype to, GHashTable *kept, GPtrArray *cast,
                         GError **error)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);
  g_auto (SondeDtypeConversion) conversion = { NULL };

  if (order == NULL)
    return FALSE;

  sonde_convert_dtype_init (&conversion, graph, to);
  conversion.parameters_change = TRUE;
  for (guint i = 0; i < order->len; i++)
    {
      SondeNode *node = g_ptr_array_index (order, i);
      guint data = count_data (node);

      if (!can_recast (node, data, kept))
        continue;
      convert_node (&conversion, node, data);
      if (cast != NULL && sonde_node_get_output (node, 0)->type.dtype == to)
        g_ptr_array_add (cast, node->name);
    }
  return TRUE;
}
