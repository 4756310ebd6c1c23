/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cli/models/sonde-source-census.h"

#include <string.h>

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
add_node (SondeModelCensus *census, const SondeConvertedNode *node)
{
  const guint count = sonde_model_census_get_count (census, node->op);

  census->n_nodes++;
  if (node->how == SONDE_LOWERED_UNSUPPORTED
      && !g_ptr_array_find_with_equal_func (census->unsupported, node->op, g_str_equal, NULL))
    g_ptr_array_add (census->unsupported, g_strdup (node->op));
  g_hash_table_insert (census->counts, g_strdup (node->op), GUINT_TO_POINTER (count + 1));
}

SondeModelCensus *
sonde_source_census_new (const SondeConversion *conversion, const SondeGraph *model)
{
  SondeModelCensus *census = sonde_model_census_new (model);
  GHashTableIter iter;
  gpointer name;

  census->n_nodes = 0;
  g_ptr_array_set_size (census->ops, 0);
  g_ptr_array_set_size (census->unsupported, 0);
  g_hash_table_remove_all (census->counts);
  for (guint i = 0; i < conversion->nodes->len; i++)
    add_node (census, conversion->nodes->pdata[i]);
  g_hash_table_iter_init (&iter, census->counts);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_ptr_array_add (census->ops, name);
  g_ptr_array_sort (census->ops, compare_names);
  g_ptr_array_sort (census->unsupported, compare_names);
  return census;
}
