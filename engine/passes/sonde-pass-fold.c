/* SPDX-License-Identifier: Apache-2.0
 * Computes nodes whose inputs are all constants, once. Their results are initialisers of the same name, so
 * they are still positions that can be looked at. */
#include "engine/passes/sonde-passes-private.h"

#include <string.h>

#define MOST_BYTES ((gsize) 64 << 20) /* a result that only repeats its inputs is not worth more */

static gboolean
is_fixed (const SondeGraphValue *value)
{
  return value == NULL || (value->constant != NULL && value->role == SONDE_ROLE_CONSTANT);
}

/* Parameters are trained, inputs with a default may be given: neither is fixed. */
static gboolean
can_fold (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_table_find (node->domain, node->op);

  if (klass == NULL || klass->compute == NULL || (klass->flags & (SONDE_OP_RANDOM | SONDE_OP_DYNAMIC)))
    return FALSE;
  for (guint k = 0; k < node->inputs->len; k++)
    if (!is_fixed (node->inputs->pdata[k]))
      return FALSE;
  return TRUE;
}

static gsize
output_bytes (const SondeNode *node)
{
  g_autofree SondeType *types = g_new0 (SondeType, node->outputs->len + 1);
  gsize sum = 0;

  if (!sonde_op_infer_node (node, NULL, types, NULL, NULL))
    return 0;
  for (guint k = 0; k < node->outputs->len; k++)
    {
      SondeShape shape;

      if (sonde_type_get_shape (&types[k], &shape))
        sum += (gsize) sonde_shape_n_elements (&shape) * sonde_dtype_size (types[k].dtype);
    }
  return sum;
}

static gboolean
fold_node (SondeGraph *graph,
           SondeNode  *node,
           GError    **error)
{
  guint n = node->inputs->len, n_outputs = node->outputs->len;
  g_autofree SondeTensor **inputs = g_new0 (SondeTensor *, n + 1);
  g_autofree SondeTensor **outputs = g_new0 (SondeTensor *, n_outputs + 1);
  g_autofree SondeGraphValue **values = g_new0 (SondeGraphValue *, n_outputs + 1);

  for (guint k = 0; k < n; k++)
    {
      SondeGraphValue *value = sonde_node_get_input (node, k);

      inputs[k] = value ? sonde_value_get_tensor (value->constant) : NULL;
    }
  if (!sonde_op_run_reference (node, inputs, n, outputs, n_outputs, error))
    return FALSE;
  for (guint k = 0; k < n_outputs; k++)
    values[k] = sonde_node_get_output (node, k);
  sonde_graph_remove_node (graph, node);
  for (guint k = 0; k < n_outputs; k++)
    {
      if (values[k] != NULL)
        {
          values[k]->constant = sonde_value_new_tensor (outputs[k]);
          values[k]->type = sonde_type_of_value (values[k]->constant);
          values[k]->role = SONDE_ROLE_CONSTANT;
        }
      sonde_tensor_unref (outputs[k]);
    }
  return TRUE;
}

gboolean
sonde_pass_fold (SondeGraph *graph,
                 GError    **error)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);

  if (order == NULL)
    return FALSE;
  for (guint i = 0; i < order->len; i++)
    {
      SondeNode *node = order->pdata[i];

      if (can_fold (node) && output_bytes (node) <= MOST_BYTES && !fold_node (graph, node, error))
        return FALSE;
    }
  return TRUE;
}
