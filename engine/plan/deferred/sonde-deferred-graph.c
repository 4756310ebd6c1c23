/* SPDX-License-Identifier: Apache-2.0
 * A graph of one node, in which its values can have other types than in the plan's graph. */
#include "engine/plan/deferred/sonde-deferred-kernel.h"

static SondeGraphValue *
copy_operand (SondeGraph *graph, const SondeGraphValue *value)
{
  SondeGraphValue *copy = sonde_graph_find_value (graph, value->name);

  if (copy != NULL)
    return copy;

  copy = sonde_graph_add_value (graph, value->name, &value->type);
  if (value->constant != NULL && value->role == SONDE_ROLE_CONSTANT)
    {
      copy->role = SONDE_ROLE_CONSTANT;
      copy->constant = sonde_value_ref (value->constant);
    }

  return copy;
}

static SondeNode *
copy_node (SondeGraph *graph, const SondeNode *node)
{
  g_autofree SondeGraphValue **inputs = g_new0 (SondeGraphValue *, node->inputs->len + 1);
  SondeNode *copy;

  for (guint i = 0; i < node->inputs->len; i++)
    if (sonde_node_get_input (node, i) != NULL)
      inputs[i] = copy_operand (graph, sonde_node_get_input (node, i));

  copy = sonde_graph_add_node (graph, node->name, node->domain, node->op, inputs, node->inputs->len,
                               0);
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const SondeGraphValue *value = sonde_node_get_output (node, i);

      sonde_node_set_output (
          graph, copy, i, value != NULL ? sonde_graph_add_value (graph, value->name, NULL) : NULL);
    }

  for (guint i = 0; i < node->attributes->len; i++)
    sonde_node_take_attribute (copy,
                               sonde_attribute_copy (g_ptr_array_index (node->attributes, i)));
  copy->version = node->version;
  copy->overload = node->overload;
  copy->phase = node->phase;
  return copy;
}

SondeGraph *
sonde_deferred_graph_new (const SondeGraph *graph, const SondeNode *node, SondeNode **copy)
{
  SondeGraph *alone = sonde_graph_new (graph->name);

  for (const SondeGraph *at = graph; at != NULL; at = at->parent)
    for (guint i = 0; i < at->opsets->len; i++)
      {
        const SondeOpset *opset = &g_array_index (at->opsets, SondeOpset, i);

        if (sonde_graph_get_opset (alone, opset->domain) == 0)
          sonde_graph_set_opset (alone, opset->domain, opset->version);
      }

  *copy = copy_node (alone, node);
  return alone;
}
