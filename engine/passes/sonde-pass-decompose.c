/* SPDX-License-Identifier: Apache-2.0
 * Operators -> the nodes that their rows take them apart into, for whoever has no form for them. */
#include "engine/passes/sonde-passes.h"
#include "engine/passes/sonde-subgraphs.h"

/* @value, which stands for output @k of @node, takes its place: name, readers, outputs of the graph. */
static void
replace_output (SondeGraph *graph, SondeNode *node, guint k, SondeGraphValue *value)
{
  SondeGraphValue *old = sonde_node_get_output (node, k);
  SondeNode *producer = value->producer;

  if (old == NULL)
    return;
  sonde_node_set_output (graph, node, k, NULL);
  if (producer == NULL || producer == node)
    {
      sonde_graph_replace_value (graph, old, value);
      return;
    }
  sonde_graph_replace_value (graph, value, old);
  sonde_node_set_output (graph, producer, value->producer_output, old);
}

/* New nodes from @first on came from @node. */
static void
mark_parts (SondeGraph *graph, const SondeNode *node, guint first)
{
  for (guint id = first; id < graph->nodes->len; id++)
    {
      SondeNode *part = graph->nodes->pdata[id];

      part->scope = node->scope;
      part->phase = node->phase;
      sonde_node_add_origin (part, node, SONDE_ORIGIN_DECOMPOSED);
    }
}

static gboolean
take_apart (SondeGraph *graph, SondeNode *node, const SondeOpClass *klass, GError **error)
{
  const guint first = graph->nodes->len, n = MAX (node->inputs->len, 1);
  g_autofree SondeGraphValue **outputs = g_new0 (SondeGraphValue *, node->outputs->len + 1);
  g_autofree SondeGraphValue **gradients = g_new0 (SondeGraphValue *, n);
  g_autofree gboolean *wanted = g_new0 (gboolean, n);
  /* A row asks which outputs there is a gradient of: all that are there. */
  SondeGradientContext context
      = { .graph = graph,
          .node = node,
          .output_gradients = (SondeGraphValue *const *) node->outputs->pdata,
          .wanted = wanted,
          .input_gradients = gradients };

  if (!klass->decompose (&context, outputs, error))
    return FALSE;
  mark_parts (graph, node, first);
  for (guint k = 0; k < node->outputs->len; k++)
    if (outputs[k] != NULL)
      replace_output (graph, node, k, outputs[k]);
  sonde_graph_remove_node (graph, node);
  return TRUE;
}

gboolean
sonde_pass_decompose (SondeGraph *graph, SondeOperatorFunc stays, GError **error)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = graph->nodes->pdata[i];
      const SondeOpClass *klass = node != NULL ? sonde_op_of_node (node) : NULL;
      g_autoptr (GPtrArray) bodies = node != NULL ? sonde_bodies_of (node) : NULL;

      for (guint k = 0; bodies != NULL && k < bodies->len; k++)
        if (!sonde_pass_decompose (bodies->pdata[k], stays, error))
          return FALSE;
      if (klass != NULL && klass->decompose != NULL && !stays (node->domain, node->op)
          && !take_apart (graph, node, klass, error))
        return FALSE;
    }
  return TRUE;
}
