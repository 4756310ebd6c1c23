/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/passes/sonde-model-census.h"

#include <string.h>

#include "engine/passes/sonde-passes.h"

static void add_graph (SondeModelCensus *census, GHashTable *functions, const SondeGraph *graph);

/* @functions: of the model */
static void
add_node (SondeModelCensus *census, GHashTable *functions, const SondeNode *node)
{
  char *name = *node->domain != '\0' ? g_strconcat (node->domain, ".", node->op, NULL)
                                     : g_strdup (node->op);
  guint count = sonde_model_census_get_count (census, name);

  census->n_nodes++;
  if (count == 0 && sonde_function_of_node (functions, node) == NULL
      && !sonde_pass_knows_operator (node->domain, node->op))
    g_ptr_array_add (census->unsupported, g_strdup (name));
  g_hash_table_insert (census->counts, name, GUINT_TO_POINTER (count + 1));
  for (guint i = 0; i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = g_ptr_array_index (node->attributes, i);

      if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
        add_graph (census, functions, attribute->u.graph);
      for (gsize k = 0; attribute->kind == SONDE_ATTRIBUTE_GRAPHS && k < attribute->n; k++)
        add_graph (census, functions, attribute->u.graphs[k]);
    }
}

/* The loader bounds the nesting depth of graphs, and so this recursion. */
static void
add_graph (SondeModelCensus *census, GHashTable *functions, const SondeGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    if (g_ptr_array_index (graph->nodes, i) != NULL)
      add_node (census, functions, g_ptr_array_index (graph->nodes, i));
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeTensor *tensor = value != NULL ? sonde_value_get_tensor (value->constant) : NULL;

      if (tensor != NULL && value->role == SONDE_ROLE_PARAMETER)
        census->n_parameters += (guint64) sonde_tensor_n_elements (tensor);
    }
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

SondeModelCensus *
sonde_model_census_new (const SondeGraph *model)
{
  SondeModelCensus *census = g_new0 (SondeModelCensus, 1);
  g_autoptr (GHashTable) functions = sonde_functions_by_name (model);
  GHashTableIter iter;
  gpointer name;

  census->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  census->ops = g_ptr_array_new ();
  census->unsupported = g_ptr_array_new_with_free_func (g_free);
  add_graph (census, functions, model);
  g_hash_table_iter_init (&iter, census->counts);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_ptr_array_add (census->ops, name);
  g_ptr_array_sort (census->ops, compare_names);
  g_ptr_array_sort (census->unsupported, compare_names);
  return census;
}

void
sonde_model_census_free (SondeModelCensus *census)
{
  if (census == NULL)
    return;
  g_ptr_array_unref (census->ops);
  g_ptr_array_unref (census->unsupported);
  g_hash_table_unref (census->counts);
  g_free (census);
}

guint
sonde_model_census_get_count (const SondeModelCensus *census, const char *name)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (census->counts, name));
}
