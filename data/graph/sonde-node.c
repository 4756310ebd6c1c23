/* SPDX-License-Identifier: Apache-2.0
 * Nodes: life, inputs and outputs, replacing, provenance. The lists of users stay exact here. */
#include "data/graph/sonde-graph-private.h"

#include <string.h>

SondeNode *
sonde_graph_node_new (const char *name, const char *domain, const char *op)
{
  SondeNode *node = g_new0 (SondeNode, 1);

  if (domain == NULL || strcmp (domain, "ai.onnx") == 0)
    domain = "";
  node->name = g_strdup (name);
  node->domain = g_intern_string (domain);
  node->op = g_intern_string (op);
  node->inputs = g_ptr_array_new ();
  node->outputs = g_ptr_array_new ();
  node->attributes = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_attribute_free);
  node->origins = g_ptr_array_new_with_free_func (g_free);
  return node;
}

static void
free_source (SondeNodeSource *source)
{
  if (source == NULL)
    return;
  g_free (source->name);
  g_free (source->op);
  g_free (source->place);
  g_free (source);
}

void
sonde_node_set_source (SondeNode *node, const char *name, const char *op, const char *place)
{
  SondeNodeSource *source = g_new0 (SondeNodeSource, 1);

  source->name = g_strdup (name);
  source->op = g_strdup (op);
  source->place = g_strdup (place);
  free_source (node->source);
  node->source = source;
}

void
sonde_graph_node_free (SondeNode *node)
{
  g_ptr_array_unref (node->inputs);
  g_ptr_array_unref (node->outputs);
  g_ptr_array_unref (node->attributes);
  g_ptr_array_unref (node->origins);
  g_free (node->name);
  g_free (node->alias);
  free_source (node->source);
  g_free (node->doc);
  g_free (node);
}

void
sonde_graph_register_node (SondeGraph *graph, SondeNode *node)
{
  node->id = graph->nodes->len;
  g_ptr_array_add (graph->nodes, node);
  g_hash_table_insert (graph->node_names, node->name, node);
}

/* One entry less, the others keep their order. From the end: passes undo what they added last. */
static void
remove_user (SondeGraphValue *value, SondeNode *node)
{
  for (guint i = value->users->len; i-- > 0;)
    if (value->users->pdata[i] == node)
      {
        g_ptr_array_remove_index (value->users, i);
        return;
      }
}

static void
forget_alias (SondeGraph *graph, SondeNode *node)
{
  if (node->alias != NULL && g_hash_table_lookup (graph->aliases, node->alias) == node)
    g_hash_table_remove (graph->aliases, node->alias);
  g_clear_pointer (&node->alias, g_free);
}

void
sonde_node_set_alias (SondeGraph *graph, SondeNode *node, const char *alias)
{
  if (graph->aliases == NULL)
    graph->aliases = g_hash_table_new (g_str_hash, g_str_equal);
  forget_alias (graph, node);
  node->alias = g_strdup (alias);
  if (!g_hash_table_contains (graph->aliases, alias))
    g_hash_table_insert (graph->aliases, node->alias, node);
}

SondeNode *
sonde_graph_add_node (SondeGraph *graph, const char *name, const char *domain, const char *op,
                      SondeGraphValue *const *inputs, guint n_inputs, guint n_outputs)
{
  g_autofree char *unique = sonde_graph_unique_node_name (graph, name, op);
  SondeNode *node = sonde_graph_node_new (unique, domain, op);

  node->version = sonde_graph_get_opset (graph, domain);
  node->scope = sonde_scope_of_name (node->name);
  sonde_graph_register_node (graph, node);
  for (guint i = 0; i < n_inputs; i++)
    {
      g_ptr_array_add (node->inputs, inputs[i]);
      if (inputs[i] != NULL)
        g_ptr_array_add (inputs[i]->users, node);
    }
  for (guint i = 0; i < n_outputs; i++)
    {
      g_autofree char *output = g_strdup_printf ("%s_output_%u", node->name, i);

      sonde_node_set_output (graph, node, i, sonde_graph_add_value (graph, output, NULL));
    }
  return node;
}

void
sonde_node_set_output (SondeGraph *graph, SondeNode *node, guint index, SondeGraphValue *value)
{
  SondeGraphValue *old = sonde_node_get_output (node, index);

  if (old == value && value != NULL)
    return;
  g_return_if_fail (value == NULL || value->producer == NULL);

  if (old != NULL)
    old->producer = NULL;
  if (index >= node->outputs->len)
    g_ptr_array_set_size (node->outputs, (int) index + 1);
  node->outputs->pdata[index] = value;
  if (value == NULL)
    return;
  value->producer = node;
  value->producer_output = index;
}

void
sonde_node_set_input (SondeGraph *graph, SondeNode *node, guint index, SondeGraphValue *value)
{
  SondeGraphValue *old = sonde_node_get_input (node, index);

  if (old != NULL)
    remove_user (old, node);
  if (index >= node->inputs->len)
    g_ptr_array_set_size (node->inputs, (int) index + 1);
  node->inputs->pdata[index] = value;
  if (value != NULL)
    g_ptr_array_add (value->users, node);
}

SondeGraphValue *
sonde_node_get_input (const SondeNode *node, guint index)
{
  return index < node->inputs->len ? node->inputs->pdata[index] : NULL;
}

SondeGraphValue *
sonde_node_get_output (const SondeNode *node, guint index)
{
  return index < node->outputs->len ? node->outputs->pdata[index] : NULL;
}

void
sonde_node_set_op (SondeNode *node, const char *domain, const char *op)
{
  node->domain = g_intern_string (domain);
  node->op = g_intern_string (op);
  node->op_class = NULL;
}

gboolean
sonde_node_is_recorded (const SondeNode *node)
{
  return node != NULL && g_str_equal (node->domain, SONDE_DOMAIN_RECORDED);
}

gboolean
sonde_graph_rename_node (SondeGraph *graph, SondeNode *node, const char *name)
{
  if (name == NULL || *name == '\0')
    return FALSE;
  if (strcmp (node->name, name) == 0)
    return TRUE;
  if (g_hash_table_contains (graph->node_names, name))
    return FALSE;

  g_hash_table_remove (graph->node_names, node->name);
  g_free (node->name);
  node->name = g_strdup (name);
  g_hash_table_insert (graph->node_names, node->name, node);
  return TRUE;
}

static void
replace_entries (GPtrArray *array, gpointer from, gpointer to)
{
  for (guint i = 0; i < array->len; i++)
    if (array->pdata[i] == from)
      array->pdata[i] = to;
}

void
sonde_graph_replace_value (SondeGraph *graph, SondeGraphValue *from, SondeGraphValue *to)
{
  if (from == to)
    return;

  /* A node that reads @from twice stands there twice: its second turn finds nothing left. */
  for (guint i = 0; i < from->users->len; i++)
    {
      SondeNode *user = from->users->pdata[i];

      replace_entries (user->inputs, from, to);
      g_ptr_array_add (to->users, user);
    }
  g_ptr_array_set_size (from->users, 0);
  replace_entries (graph->outputs, from, to);

  while (from->captures != NULL && from->captures->len > 0)
    sonde_graph_value_set_outer (from->captures->pdata[from->captures->len - 1], to);
}

void
sonde_graph_remove_node (SondeGraph *graph, SondeNode *node)
{
  for (guint i = 0; i < node->inputs->len; i++)
    if (node->inputs->pdata[i] != NULL)
      remove_user (node->inputs->pdata[i], node);
  for (guint i = 0; i < node->outputs->len; i++)
    if (node->outputs->pdata[i] != NULL)
      ((SondeGraphValue *) node->outputs->pdata[i])->producer = NULL;

  g_hash_table_remove (graph->node_names, node->name);
  forget_alias (graph, node);
  graph->nodes->pdata[node->id] = NULL;
  sonde_graph_node_free (node);
}

SondeNode *
sonde_graph_find_node (const SondeGraph *graph, const char *name)
{
  SondeNode *node = name != NULL ? g_hash_table_lookup (graph->node_names, name) : NULL;

  if (node != NULL || name == NULL || graph->aliases == NULL)
    return node;
  return g_hash_table_lookup (graph->aliases, name);
}

SondeNode *
sonde_graph_resolve_node (const SondeGraph *graph, const char *name_or_value)
{
  SondeNode *node = sonde_graph_find_node (graph, name_or_value);
  SondeGraphValue *value = sonde_graph_find_value (graph, name_or_value);

  if (node == NULL && value != NULL)
    node = value->producer;
  return node;
}

guint
sonde_graph_count_nodes (const SondeGraph *graph)
{
  return g_hash_table_size (graph->node_names);
}

const char *
sonde_scope_of_name (const char *name)
{
  const char *end = NULL;
  g_autofree char *scope = NULL;

  while (*name == '/')
    name++;
  end = strrchr (name, '/');
  if (end == NULL)
    return NULL;
  scope = g_strndup (name, (gsize) (end - name));
  return g_intern_string (scope);
}

/* ---- provenance ---------------------------------------------------------- */

const char *
sonde_phase_name (SondePhase phase)
{
  static const char *const names[] = {
    [SONDE_PHASE_FORWARD] = "forward",
    [SONDE_PHASE_BACKWARD] = "backward",
    [SONDE_PHASE_OPTIMISER] = "optimiser",
  };

  return names[phase];
}

static void
add_origin_name (SondeNode *node, const char *name)
{
  if (!g_ptr_array_find_with_equal_func (node->origins, name, g_str_equal, NULL))
    g_ptr_array_add (node->origins, g_strdup (name));
}

void
sonde_node_add_origin (SondeNode *node, const SondeNode *origin, SondeOriginKind kind)
{
  for (guint i = 0; i < origin->origins->len; i++)
    add_origin_name (node, origin->origins->pdata[i]);
  if (origin->origins->len == 0)
    add_origin_name (node, origin->name);
  node->origin_kind = kind;
}

char *
sonde_node_describe_origin (const SondeNode *node)
{
  /* Before the origins' names, and when there are none. */
  static const struct
  {
    const char *with, *without;
  } phrases[] = {
    [SONDE_ORIGIN_SOURCE] = { NULL, NULL },
    [SONDE_ORIGIN_LEGALISED] = { "rewritten from ", "rewritten" },
    [SONDE_ORIGIN_FOLDED] = { "folded from ", "folded" },
    [SONDE_ORIGIN_FUSED] = { "fused from ", "fused" },
    [SONDE_ORIGIN_INSERTED] = { "inserted for ", "inserted" },
    [SONDE_ORIGIN_GRADIENT] = { "gradient of ", "gradient" },
    [SONDE_ORIGIN_OPTIMISER] = { "update of ", "update of a parameter" },
    [SONDE_ORIGIN_DECOMPOSED] = { "part of ", "part of a decomposition" },
    [SONDE_ORIGIN_LOSS] = { "loss of ", "loss" },
  };
  GString *text = NULL;

  if (node->origin_kind == SONDE_ORIGIN_SOURCE)
    return NULL;
  if (node->origins->len == 0)
    return g_strdup (phrases[node->origin_kind].without);

  text = g_string_new (phrases[node->origin_kind].with);
  for (guint i = 0; i < node->origins->len; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      g_string_append (text, node->origins->pdata[i]);
    }
  if (node->origin_kind == SONDE_ORIGIN_GRADIENT && node->origin_input >= 0)
    g_string_append_printf (text, ", input %d", node->origin_input);
  return g_string_free (text, FALSE);
}
