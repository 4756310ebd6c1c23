/* SPDX-License-Identifier: Apache-2.0
 * What passes ask of a graph or node: its bodies, its outputs, its order. */
#include "engine/passes/sonde-passes.h"
#include "engine/passes/sonde-subgraphs.h"

GPtrArray *
sonde_bodies_of (const SondeNode *node)
{
  GPtrArray *bodies = NULL;

  for (guint i = 0; i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = node->attributes->pdata[i];
      gsize n
          = attribute->kind == SONDE_ATTRIBUTE_GRAPH || attribute->kind == SONDE_ATTRIBUTE_GRAPHS
                ? attribute->n
                : 0;

      if (n > 0 && bodies == NULL)
        bodies = g_ptr_array_new ();
      for (gsize k = 0; k < n; k++)
        g_ptr_array_add (bodies, attribute->kind == SONDE_ATTRIBUTE_GRAPH ? attribute->u.graph
                                                                          : attribute->u.graphs[k]);
    }
  return bodies;
}

GHashTable *
sonde_outputs_of (const SondeGraph *graph)
{
  GHashTable *outputs = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < graph->outputs->len; i++)
    g_hash_table_add (outputs, graph->outputs->pdata[i]);
  return outputs;
}

GPtrArray *
sonde_order_of (const SondeGraph *graph, GError **error)
{
  g_autoptr (GError) cycle = NULL;
  GPtrArray *order = sonde_graph_sort (graph, &cycle);

  if (order == NULL)
    sonde_set_error_from (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, cycle);
  return order;
}

gboolean
sonde_reads_bytes (const SondeNode *node, guint k)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  return klass == NULL || (klass->shape_only & (1u << MIN (k, 31))) == 0;
}
