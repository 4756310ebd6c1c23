/* SPDX-License-Identifier: Apache-2.0
 * Inference runs on a copy, since it needs the current forms of operators; its types come back by
 * name. */
#include "engine/passes/sonde-graph-shapes.h"

#include "engine/passes/sonde-passes.h"

static gboolean
lacks_types (SondeGraph *graph)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value != NULL && value->type.rank < 0)
        return TRUE;
    }
  return FALSE;
}

void
sonde_graph_shapes_complete (SondeGraph *graph)
{
  g_autoptr (SondeGraph) copy = NULL;
  g_autoptr (GError) error = NULL;

  if (!lacks_types (graph))
    return;
  copy = sonde_graph_copy (graph, FALSE);
  if (!sonde_pass_inline (copy, &error) || !sonde_pass_legalise (copy, &error)
      || !sonde_pass_infer (copy, NULL, 0, &error))
    g_debug ("not all shapes are known: %s", error->message);
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeGraphValue *other = value != NULL && value->type.rank < 0
                                   ? sonde_graph_find_value (copy, value->name)
                                   : NULL;

      if (other != NULL && other->type.rank >= 0)
        value->type = other->type;
    }
}
