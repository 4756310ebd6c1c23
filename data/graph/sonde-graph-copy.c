/* SPDX-License-Identifier: Apache-2.0
 * Deep copies of graphs. Ids stay, so a value or node of the copy is found by the id of the
 * original; the recursion goes as deep as subgraphs lie in each other. */
#include "data/graph/sonde-graph-private.h"

static SondeGraphValue *
mapped_value (SondeGraph *copy, const SondeGraphValue *value)
{
  return value ? copy->values->pdata[value->id] : NULL;
}

static void
copy_value_list (SondeGraph *copy, GPtrArray *from, GPtrArray *to)
{
  for (guint i = 0; i < from->len; i++)
    g_ptr_array_add (to, mapped_value (copy, from->pdata[i]));
}

static void
copy_value (SondeGraph *copy, const SondeGraphValue *value)
{
  SondeGraphValue *made = sonde_graph_value_new (value->name);

  made->type = value->type;
  made->role = value->role;
  made->producer_output = value->producer_output;
  made->constant = value->constant ? sonde_value_ref (value->constant) : NULL;
  made->doc = g_strdup (value->doc);
  sonde_graph_register_value (copy, made);
}

static void
copy_node (SondeGraph *copy, const SondeNode *node, gboolean as_original)
{
  SondeNode *made = sonde_graph_node_new (node->name, node->domain, node->op);

  made->overload = node->overload;
  made->version = node->version;
  made->phase = node->phase;
  made->origin_kind = as_original ? SONDE_ORIGIN_SOURCE : node->origin_kind;
  made->origin_input = node->origin_input;
  made->scope = node->scope;
  if (node->source != NULL)
    sonde_node_set_source (made, node->source->name, node->source->op, node->source->place);
  made->doc = g_strdup (node->doc);
  copy_value_list (copy, node->inputs, made->inputs);
  copy_value_list (copy, node->outputs, made->outputs);
  for (guint i = 0; !as_original && i < node->origins->len; i++)
    g_ptr_array_add (made->origins, g_strdup (node->origins->pdata[i]));
  if (as_original)
    g_ptr_array_add (made->origins, g_strdup (node->name));
  sonde_graph_register_node (copy, made);
  if (node->alias != NULL)
    sonde_node_set_alias (copy, made, node->alias);
}

/* What needs the nodes or the captured values of the enclosing graph. */
static void
link_value (SondeGraph *copy, const SondeGraphValue *value, SondeGraph *parent,
            gboolean same_parent)
{
  SondeGraphValue *made = mapped_value (copy, value);

  if (value->producer != NULL)
    made->producer = copy->nodes->pdata[value->producer->id];
  for (guint i = 0; i < value->users->len; i++)
    {
      const SondeNode *user = value->users->pdata[i];

      g_ptr_array_add (made->users, copy->nodes->pdata[user->id]);
    }
  made->recorded = value->recorded;
  made->update_of = mapped_value (copy, value->update_of);
  if (value->outer == NULL || parent == NULL)
    return;
  sonde_graph_value_set_outer (made,
                               same_parent ? value->outer : mapped_value (parent, value->outer));
}

static SondeFunction *
copy_function (const SondeFunction *function, gboolean as_original)
{
  SondeFunction *copy = sonde_function_new (function->domain, function->name, function->overload);

  sonde_graph_unref (copy->body);
  copy->body = sonde_graph_copy_into (function->body, NULL, as_original);
  g_strfreev (copy->attribute_names);
  copy->attribute_names = g_strdupv (function->attribute_names);
  for (guint i = 0; i < function->defaults->len; i++)
    g_ptr_array_add (copy->defaults, sonde_attribute_copy (function->defaults->pdata[i]));
  copy->doc = g_strdup (function->doc);
  return copy;
}

SondeFunction *
sonde_function_copy (const SondeFunction *function)
{
  return copy_function (function, FALSE);
}

static void
copy_header (SondeGraph *copy, const SondeGraph *graph, gboolean as_original)
{
  for (guint i = 0; i < graph->functions->len; i++)
    g_ptr_array_add (copy->functions, copy_function (graph->functions->pdata[i], as_original));
  g_array_append_vals (copy->opsets, graph->opsets->data, graph->opsets->len);
  for (guint i = 0; i < graph->metadata->len; i++)
    {
      const SondeMetadata *from = &g_array_index (graph->metadata, SondeMetadata, i);
      SondeMetadata to = { g_strdup (from->key), g_strdup (from->value) };

      g_array_append_val (copy->metadata, to);
    }
  copy->ir_version = graph->ir_version;
  copy->producer = g_strdup (graph->producer);
  copy->doc = g_strdup (graph->doc);
}

/* Attributes come last: the captures of their graphs look for our values and for nothing else. */
static void
copy_attributes (SondeGraph *copy, const SondeNode *node, gboolean as_original)
{
  SondeNode *made = copy->nodes->pdata[node->id];

  for (guint i = 0; i < node->attributes->len; i++)
    g_ptr_array_add (made->attributes,
                     sonde_attribute_copy_into (node->attributes->pdata[i], copy, as_original));
}

SondeGraph *
sonde_graph_copy_into (SondeGraph *graph, SondeGraph *parent, gboolean as_original)
{
  SondeGraph *copy = sonde_graph_new (graph->name);

  copy->parent = parent;
  copy_header (copy, graph, as_original);
  for (guint i = 0; i < graph->values->len; i++)
    if (graph->values->pdata[i] != NULL)
      copy_value (copy, graph->values->pdata[i]);
    else
      g_ptr_array_add (copy->values, NULL);
  for (guint i = 0; i < graph->nodes->len; i++)
    if (graph->nodes->pdata[i] != NULL)
      copy_node (copy, graph->nodes->pdata[i], as_original);
    else
      g_ptr_array_add (copy->nodes, NULL);
  for (guint i = 0; i < graph->values->len; i++)
    if (graph->values->pdata[i] != NULL)
      link_value (copy, graph->values->pdata[i], parent, parent == graph->parent);
  copy_value_list (copy, graph->inputs, copy->inputs);
  copy_value_list (copy, graph->outputs, copy->outputs);
  for (guint i = 0; i < graph->nodes->len; i++)
    if (graph->nodes->pdata[i] != NULL)
      copy_attributes (copy, graph->nodes->pdata[i], as_original);
  return copy;
}

SondeGraph *
sonde_graph_copy (SondeGraph *graph, gboolean as_original)
{
  return sonde_graph_copy_into (graph, graph->parent, as_original);
}

SondeGraph *
sonde_graph_copy_alone (SondeGraph *graph)
{
  SondeGraph *copy = sonde_graph_copy_into (graph, NULL, FALSE);

  for (const SondeGraph *at = graph->parent; at != NULL; at = at->parent)
    for (guint i = 0; i < at->opsets->len; i++)
      {
        const SondeOpset *opset = &g_array_index (at->opsets, SondeOpset, i);

        if (sonde_graph_get_opset (copy, opset->domain) == 0)
          sonde_graph_set_opset (copy, opset->domain, opset->version);
      }
  return copy;
}
