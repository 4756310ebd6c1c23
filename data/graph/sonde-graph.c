/* SPDX-License-Identifier: Apache-2.0
 * The graph itself: life, values, names, opsets. Nodes are in sonde-node.c, attributes in
 * sonde-attribute.c. */
#include "data/graph/sonde-graph-private.h"

#include <string.h>

static void
metadata_clear (gpointer data)
{
  SondeMetadata *metadata = data;

  g_free (metadata->key);
  g_free (metadata->value);
}

SondeGraph *
sonde_graph_new (const char *name)
{
  SondeGraph *graph = g_new0 (SondeGraph, 1);

  graph->ref_count = 1;
  graph->name = g_strdup (name);
  graph->nodes = g_ptr_array_new ();
  graph->values = g_ptr_array_new ();
  graph->inputs = g_ptr_array_new ();
  graph->outputs = g_ptr_array_new ();
  graph->functions = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_function_free);
  graph->opsets = g_array_new (FALSE, FALSE, sizeof (SondeOpset));
  graph->metadata = g_array_new (FALSE, TRUE, sizeof (SondeMetadata));
  g_array_set_clear_func (graph->metadata, metadata_clear);
  graph->value_names = g_hash_table_new (g_str_hash, g_str_equal);
  graph->node_names = g_hash_table_new (g_str_hash, g_str_equal);
  return graph;
}

SondeGraph *
sonde_graph_new_subgraph (SondeGraph *parent, const char *name)
{
  SondeGraph *graph = sonde_graph_new (name);

  graph->parent = parent;
  return graph;
}

SondeGraph *
sonde_graph_ref (SondeGraph *graph)
{
  graph->ref_count++;
  return graph;
}

static void
orphan_subgraph (SondeGraph *subgraph, gpointer data)
{
  subgraph->parent = NULL;
}

/* Nodes go first: their subgraphs still look at our values, to sign off from their captures. */
static void
graph_free (SondeGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = graph->nodes->pdata[i];

      if (node == NULL)
        continue;
      sonde_node_foreach_subgraph (node, orphan_subgraph, NULL);
      sonde_graph_node_free (node);
    }
  for (guint i = 0; i < graph->values->len; i++)
    if (graph->values->pdata[i] != NULL)
      sonde_graph_value_free (graph->values->pdata[i]);

  g_ptr_array_unref (graph->nodes);
  g_ptr_array_unref (graph->values);
  g_ptr_array_unref (graph->inputs);
  g_ptr_array_unref (graph->outputs);
  g_ptr_array_unref (graph->functions);
  g_array_unref (graph->opsets);
  g_array_unref (graph->metadata);
  g_hash_table_unref (graph->value_names);
  g_hash_table_unref (graph->node_names);
  g_clear_pointer (&graph->aliases, g_hash_table_unref);
  g_clear_pointer (&graph->next_suffix, g_hash_table_unref);
  g_free (graph->name);
  g_free (graph->producer);
  g_free (graph->doc);
  g_free (graph);
}

void
sonde_graph_unref (SondeGraph *graph)
{
  if (graph != NULL && --graph->ref_count == 0)
    graph_free (graph);
}

/* ---- opsets -------------------------------------------------------------- */

/* "ai.onnx" and "" are one domain. */
static const char *
canonical_domain (const char *domain)
{
  if (domain == NULL || strcmp (domain, "ai.onnx") == 0)
    return "";
  return domain;
}

static SondeOpset *
find_opset (const SondeGraph *graph, const char *domain)
{
  for (guint i = 0; i < graph->opsets->len; i++)
    {
      SondeOpset *opset = &g_array_index (graph->opsets, SondeOpset, i);

      if (strcmp (opset->domain, domain) == 0)
        return opset;
    }
  return NULL;
}

int
sonde_graph_get_opset (const SondeGraph *graph, const char *domain)
{
  domain = canonical_domain (domain);
  for (; graph != NULL; graph = graph->parent)
    {
      const SondeOpset *opset = find_opset (graph, domain);

      if (opset != NULL)
        return opset->version;
    }
  return 0;
}

void
sonde_graph_set_opset (SondeGraph *graph, const char *domain, int version)
{
  SondeOpset *opset = find_opset (graph, canonical_domain (domain));
  SondeOpset fresh = { g_intern_string (canonical_domain (domain)), version };

  if (opset != NULL)
    opset->version = version;
  else
    g_array_append_val (graph->opsets, fresh);
}

/* ---- names --------------------------------------------------------------- */

static gboolean
name_is_seen (const SondeGraph *graph, const char *name, gboolean of_value)
{
  for (; graph != NULL; graph = graph->parent)
    if (g_hash_table_contains (of_value ? graph->value_names : graph->node_names, name))
      return TRUE;
  return FALSE;
}

/* The table of next suffixes keeps n names from one stem at O(n) instead of O(n²). Made-up names
 * avoid those of enclosing graphs too, since a file format may not allow hiding. */
static char *
make_unique (SondeGraph *graph, const char *stem, gboolean of_value)
{
  g_autofree char *key = g_strdup_printf ("%c%s", of_value ? 'v' : 'n', stem);
  guint suffix = 1;
  char *name = NULL;

  if (graph->next_suffix == NULL)
    graph->next_suffix = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  suffix = MAX (1, GPOINTER_TO_UINT (g_hash_table_lookup (graph->next_suffix, key)));

  do
    {
      g_free (name);
      name = g_strdup_printf ("%s_%u", stem, suffix++);
    }
  while (name_is_seen (graph, name, of_value));

  g_hash_table_insert (graph->next_suffix, g_steal_pointer (&key), GUINT_TO_POINTER (suffix));
  return name;
}

char *
sonde_graph_unique_value_name (SondeGraph *graph, const char *wanted)
{
  gboolean given = wanted != NULL && *wanted != '\0';
  const char *stem = given ? wanted : "value";

  if (given ? !g_hash_table_contains (graph->value_names, stem) : !name_is_seen (graph, stem, TRUE))
    return g_strdup (stem);
  return make_unique (graph, stem, TRUE);
}

char *
sonde_graph_unique_node_name (SondeGraph *graph, const char *wanted, const char *op)
{
  gboolean given = wanted != NULL && *wanted != '\0';
  const char *stem = given ? wanted : *op != '\0' ? op : "node";

  if (given ? !g_hash_table_contains (graph->node_names, stem) : !name_is_seen (graph, stem, FALSE))
    return g_strdup (stem);
  return make_unique (graph, stem, FALSE);
}

gboolean
sonde_graph_rename_value (SondeGraph *graph, SondeGraphValue *value, const char *name)
{
  if (name == NULL || *name == '\0')
    return FALSE;
  if (strcmp (value->name, name) == 0)
    return TRUE;
  if (g_hash_table_contains (graph->value_names, name))
    return FALSE;

  g_hash_table_remove (graph->value_names, value->name);
  g_free (value->name);
  value->name = g_strdup (name);
  g_hash_table_insert (graph->value_names, value->name, value);
  return TRUE;
}

SondeGraphValue *
sonde_graph_find_value (const SondeGraph *graph, const char *name)
{
  return name ? g_hash_table_lookup (graph->value_names, name) : NULL;
}

/* ---- values -------------------------------------------------------------- */

SondeGraphValue *
sonde_graph_value_new (const char *name)
{
  SondeGraphValue *value = g_new0 (SondeGraphValue, 1);

  value->name = g_strdup (name);
  value->type = sonde_type_unknown ();
  value->users = g_ptr_array_new ();
  return value;
}

void
sonde_graph_value_set_outer (SondeGraphValue *value, SondeGraphValue *outer)
{
  if (value->outer != NULL)
    {
      GPtrArray *captures = value->outer->captures;

      /* The last one moves into the gap. */
      g_ptr_array_remove_index_fast (captures, value->capture_index);
      if (value->capture_index < captures->len)
        ((SondeGraphValue *) captures->pdata[value->capture_index])->capture_index
            = value->capture_index;
    }
  value->outer = outer;
  if (outer == NULL)
    return;
  if (outer->captures == NULL)
    outer->captures = g_ptr_array_new ();
  value->capture_index = outer->captures->len;
  g_ptr_array_add (outer->captures, value);
}

void
sonde_graph_value_free (SondeGraphValue *value)
{
  sonde_graph_value_set_outer (value, NULL);
  for (guint i = 0; value->captures != NULL && i < value->captures->len; i++)
    ((SondeGraphValue *) value->captures->pdata[i])->outer = NULL;
  g_clear_pointer (&value->captures, g_ptr_array_unref);
  g_ptr_array_unref (value->users);
  if (value->constant != NULL)
    sonde_value_unref (value->constant);
  g_free (value->name);
  g_free (value->doc);
  g_free (value);
}

void
sonde_graph_register_value (SondeGraph *graph, SondeGraphValue *value)
{
  value->id = graph->values->len;
  g_ptr_array_add (graph->values, value);
  g_hash_table_insert (graph->value_names, value->name, value);
}

SondeGraphValue *
sonde_graph_add_value (SondeGraph *graph, const char *name, const SondeType *type)
{
  g_autofree char *unique = sonde_graph_unique_value_name (graph, name);
  SondeGraphValue *value = sonde_graph_value_new (unique);

  if (type != NULL)
    value->type = *type;
  sonde_graph_register_value (graph, value);
  return value;
}

SondeGraphValue *
sonde_graph_add_input (SondeGraph *graph, const char *name, const SondeType *type)
{
  SondeGraphValue *value = sonde_graph_add_value (graph, name, type);

  value->role = SONDE_ROLE_INPUT;
  g_ptr_array_add (graph->inputs, value);
  return value;
}

SondeGraphValue *
sonde_graph_add_initialiser (SondeGraph *graph, const char *name, SondeTensor *tensor,
                             SondeValueRole role)
{
  SondeType type = sonde_type_tensor (tensor->dtype, &tensor->shape);
  SondeGraphValue *value = sonde_graph_add_value (graph, name, &type);

  value->role = role;
  value->constant = sonde_value_new_tensor (tensor);
  return value;
}

void
sonde_graph_add_output (SondeGraph *graph, SondeGraphValue *value)
{
  g_ptr_array_add (graph->outputs, value);
}

void
sonde_graph_remove_value (SondeGraph *graph, SondeGraphValue *value)
{
  g_return_if_fail (value->producer == NULL && value->users->len == 0);
  g_return_if_fail (value->captures == NULL || value->captures->len == 0);
  g_return_if_fail (!g_ptr_array_find (graph->inputs, value, NULL));
  g_return_if_fail (!g_ptr_array_find (graph->outputs, value, NULL));

  g_hash_table_remove (graph->value_names, value->name);
  graph->values->pdata[value->id] = NULL;
  sonde_graph_value_free (value);
}

/* ---- captures ------------------------------------------------------------ */

SondeGraphValue *
sonde_graph_add_capture (SondeGraph *graph, const char *name, SondeGraphValue *outer)
{
  SondeGraphValue *value = sonde_graph_add_value (graph, name, &outer->type);

  sonde_graph_value_set_outer (value, outer);
  return value;
}

SondeGraphValue *
sonde_graph_capture_value (SondeGraph *graph, const char *name)
{
  g_autoptr (GPtrArray) between = g_ptr_array_new ();
  SondeGraphValue *value = NULL;

  for (SondeGraph *g = graph; g != NULL; g = g->parent)
    {
      value = sonde_graph_find_value (g, name);
      if (value != NULL)
        break;
      g_ptr_array_add (between, g);
    }
  if (value == NULL)
    return NULL;

  for (guint i = between->len; i-- > 0;)
    value = sonde_graph_add_capture (between->pdata[i], name, value);
  return value;
}

gboolean
sonde_graph_set_parent (SondeGraph *graph, SondeGraph *parent)
{
  gboolean found_all = TRUE;

  graph->parent = parent;
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];
      SondeGraphValue *outer = NULL;

      if (value == NULL || value->outer == NULL)
        continue;
      outer = parent ? sonde_graph_capture_value (parent, value->outer->name) : NULL;
      sonde_graph_value_set_outer (value, outer);
      found_all = found_all && outer != NULL;
    }
  return found_all;
}
