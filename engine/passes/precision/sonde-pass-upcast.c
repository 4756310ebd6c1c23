/* SPDX-License-Identifier: Apache-2.0
 * Models of float16 in float32: for processors that compute float16 by way of float32 in any case,
 * without rounding each value in between. Inputs and outputs of the model, and operators that are
 * not in the table, stay what they are. */
#include "engine/passes/precision/sonde-convert-dtype.h"
#include "engine/passes/sonde-passes.h"

static gboolean
is_half (const SondeGraphValue *value)
{
  return value != NULL && value->type.kind == SONDE_VALUE_TENSOR
         && value->type.dtype == SONDE_DTYPE_F16;
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
can_upcast (const SondeNode *node)
{
  return touches_half (node) && sonde_convert_dtype_is_uniform (node);
}

static void
upcast_node (SondeDtypeConversion *wide, SondeNode *node)
{
  for (guint k = 0; k < node->inputs->len; k++)
    if (is_half (node->inputs->pdata[k]))
      sonde_convert_dtype_input (wide, node, k);
  for (guint k = 0; k < node->outputs->len; k++)
    if (is_half (node->outputs->pdata[k]))
      sonde_convert_dtype_output (wide, node, k);
}

gboolean
sonde_pass_upcast (SondeGraph *graph, GError **error)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);
  g_auto (SondeDtypeConversion) wide = { NULL };
  guint first = graph->nodes->len;

  if (order == NULL)
    return FALSE;

  sonde_convert_dtype_init (&wide, graph, SONDE_DTYPE_F32);
  for (guint i = 0; i < order->len; i++)
    if (can_upcast (order->pdata[i]))
      upcast_node (&wide, order->pdata[i]);
  if (graph->nodes->len > first)
    sonde_pass_dce (graph);
  return TRUE;
}
