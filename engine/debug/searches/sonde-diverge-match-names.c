/* SPDX-License-Identifier: Apache-2.0
 * Which name of a file is which value of a graph. */
#include "engine/debug/searches/sonde-diverge.h"

#include <string.h>

#include "engine/debug/searches/sonde-diverge-names-private.h"

/* ---- names of a file ----------------------------------------------------- */

/* Without what says that it is the first output. (transfer full) */
static char *
normalise (const char *name)
{
  static const char *const endings[] = { "/output/0", "/0", "/npy" };
  char *text = sonde_diverge_split_name (name);
  gsize length = strlen (text);

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (text, endings[i]) && length > strlen (endings[i]) + 1)
      {
        text[length - strlen (endings[i])] = '\0';
        break;
      }
  return text;
}

static void
add_name (GHashTable *suffixes, const char *name, SondeGraphValue *value)
{
  g_autofree char *normal = normalise (name);

  sonde_diverge_add_suffixes (suffixes, normal, value);
}

static GHashTable *
index_suffixes (const SondeGraph *graph)
{
  GHashTable *suffixes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value == NULL || value->producer == NULL)
        continue;
      add_name (suffixes, value->name, value);
      if (value->producer_output == 0)
        add_name (suffixes, value->producer->name, value);
    }
  return suffixes;
}

/* The longest end of @name that means one value. */
static SondeGraphValue *
find_by_suffix (GHashTable *suffixes, const char *name)
{
  g_autofree char *normal = normalise (name);

  for (const char *suffix = normal; suffix != NULL && suffix[0] != '\0';
       suffix = strchr (suffix + 1, '/'))
    {
      SondeGraphValue *value = g_hash_table_lookup (suffixes, suffix);
      const char *last = strrchr (suffix, '/');

      /* A last part of digits alone says nothing. */
      if (value != NULL
          && (last != suffix || strspn (suffix + 1, "0123456789") != strlen (suffix + 1)))
        return value;
    }
  return NULL;
}

GHashTable *
sonde_diverge_match_names (const SondeGraph *graph, const GPtrArray *names)
{
  GHashTable *partners = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) suffixes = index_suffixes (graph),
                         doubtful = g_hash_table_new (NULL, NULL),
                         used = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < names->len; i++)
    {
      SondeGraphValue *value = sonde_graph_find_value (graph, names->pdata[i]);
      const SondeNode *node = value == NULL ? sonde_graph_find_node (graph, names->pdata[i]) : NULL;

      if (node != NULL)
        value = sonde_node_get_output (node, 0);
      if (value == NULL)
        continue;
      g_hash_table_insert (partners, value, names->pdata[i]);
      g_hash_table_add (used, names->pdata[i]);
    }
  for (guint i = 0; i < names->len; i++)
    {
      SondeGraphValue *value = g_hash_table_contains (used, names->pdata[i])
                                   ? NULL
                                   : find_by_suffix (suffixes, names->pdata[i]);

      if (value == NULL
          || (g_hash_table_contains (partners, value) && !g_hash_table_contains (doubtful, value)))
        continue;
      if (g_hash_table_contains (doubtful, value))
        g_hash_table_insert (doubtful, value, NULL); /* two names mean it: neither counts */
      else
        {
          g_hash_table_insert (doubtful, value, names->pdata[i]);
          g_hash_table_insert (partners, value, names->pdata[i]);
        }
    }
  {
    GHashTableIter iter;
    gpointer value, name;

    g_hash_table_iter_init (&iter, doubtful);
    while (g_hash_table_iter_next (&iter, &value, &name))
      if (name == NULL)
        g_hash_table_remove (partners, value);
  }
  sonde_diverge_add_modules (graph, names, partners);
  return partners;
}
