/* SPDX-License-Identifier: Apache-2.0
 * Which module of PyTorch is which value of a graph that was exported from it. */
#include "engine/debug/searches/sonde-diverge.h"

#include <string.h>

#include "engine/debug/searches/sonde-diverge-names-private.h"

static gboolean
is_number (const char *text)
{
  return *text != '\0' && text[strspn (text, "0123456789")] == '\0';
}

/* "/mlp/act/Erf" is below "/mlp/act". Where the scope is another than the name's (the newer exporter
 * writes the module into the node's metadata) it stands before the name. (transfer full) */
static char *
path_of_node (const SondeNode *node)
{
  gsize length = node->scope != NULL ? strlen (node->scope) : 0;
  const char *name = node->name + strspn (node->name, "/");

  if (length == 0 || (strncmp (name, node->scope, length) == 0 && name[length] == '/'))
    return g_strdup (node->name);
  return g_strdup_printf ("/%s/%s", node->scope, name);
}

/* By id of the node. (element-type utf8) */
static GPtrArray *
list_paths (const SondeGraph *graph)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < graph->nodes->len; i++)
    g_ptr_array_add (paths,
                     graph->nodes->pdata[i] != NULL ? path_of_node (graph->nodes->pdata[i]) : NULL);
  return paths;
}

/* Does a node below @path (of @length) make @value for others: nodes that are not below it, or the
 * caller of the graph? */
static gboolean
leaves_module (const SondeGraph *graph, const GPtrArray *paths, const SondeGraphValue *value,
               const char *path, gsize length)
{
  for (guint i = 0; i < value->users->len; i++)
    {
      const SondeNode *user = g_ptr_array_index (value->users, i);
      const char *other = g_ptr_array_index (paths, user->id);

      if (strncmp (other, path, length) != 0 || other[length] != '/')
        return TRUE;
    }
  return value->users->len == 0 || g_ptr_array_find (graph->outputs, value, NULL);
}

/* "/block_1/act/Relu" -> "/block/act": how exporters call the path of a module that is called
 * again. (transfer full) (nullable): NULL when no part of @path ends so */
static char *
path_of_first_call (const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  gboolean again = FALSE;

  for (gsize i = 0; parts[i] != NULL; i++)
    {
      char *number = strrchr (parts[i], '_');

      if (number == NULL || number == parts[i] || !is_number (number + 1))
        continue;
      *number = '\0';
      again = TRUE;
    }
  return again ? g_strjoinv ("/", parts) : NULL;
}

/* Path of a module -> what the last node below it makes for others: the module's result, whatever
 * number of nodes it was exported to. */
static GHashTable *
list_module_results (const SondeGraph *graph)
{
  GHashTable *results = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, NULL); /* NULL: it has a circle */
  g_autoptr (GPtrArray) paths = list_paths (graph);

  for (guint i = 0; order != NULL && i < order->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (order, i);
      const char *path = g_ptr_array_index (paths, node->id);
      SondeGraphValue *value = sonde_node_get_output (node, 0);
      const char *end = value != NULL && path[0] != '\0' ? strchr (path + 1, '/') : NULL;

      for (; end != NULL; end = strchr (end + 1, '/'))
        if (leaves_module (graph, paths, value, path, (gsize) (end - path)))
          g_hash_table_insert (results, g_strndup (path, (gsize) (end - path)), value);
    }
  return results;
}

/* Ends of paths of modules -> values. A module that was called twice (act, act_1) means nothing. */
static GHashTable *
index_modules (const SondeGraph *graph)
{
  GHashTable *suffixes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) results = list_module_results (graph);
  GHashTableIter iter;
  gpointer path, value;

  g_hash_table_iter_init (&iter, results);
  while (g_hash_table_iter_next (&iter, &path, &value))
    {
      g_autofree char *module = sonde_diverge_split_name (path), *first = path_of_first_call (path);
      g_autofree char *first_module = first != NULL ? sonde_diverge_split_name (first) : NULL;

      sonde_diverge_add_suffixes (suffixes, module, value);
      if (first_module != NULL)
        sonde_diverge_add_suffixes (suffixes, first_module, value);
    }
  return suffixes;
}

/* Of two names that mean one value, that of the inner module: its container returns the same. NULL
 * when neither contains the other. */
static const char *
choose_inner (const char *one, const char *other)
{
  g_autofree char *path = sonde_diverge_split_name (one),
                  *other_path = sonde_diverge_split_name (other);
  gsize length = strlen (path), other_length = strlen (other_path);

  if (length < other_length && g_str_has_prefix (other_path, path) && other_path[length] == '/')
    return other;
  if (other_length < length && g_str_has_prefix (path, other_path) && path[other_length] == '/')
    return one;
  return NULL;
}

/* What follows "conv1" when exporters fold it into it: "bn1", or the next of a sequence. @names:
 * those that mean nothing */
static const char *
find_folded (const char *name, const GPtrArray *names)
{
  g_autofree char *normal = sonde_diverge_split_name (name);
  const char *leaf = strrchr (normal, '/') + 1;
  gsize parent = (gsize) (leaf - normal), digits = strlen (leaf);

  while (digits > 0 && g_ascii_isdigit (leaf[digits - 1]))
    digits--;
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *other = sonde_diverge_split_name (names->pdata[i]);
      const char *norm = strrchr (other, '/') + 1;
      gsize word = strcspn (norm, "0123456789");

      if ((gsize) (norm - other) != parent || strncmp (normal, other, parent) != 0)
        continue;
      if (is_number (leaf)
              ? is_number (norm)
                    && g_ascii_strtoull (norm, NULL, 10) == g_ascii_strtoull (leaf, NULL, 10) + 1
              : (strncmp (norm, "bn", word) == 0
                 || g_strstr_len (norm, (gssize) word, "norm") != NULL)
                    && word > 1 && g_str_equal (norm + word, leaf + digits))
        return names->pdata[i];
    }
  return NULL;
}

/* A name that means a value, or nothing. */
typedef struct
{
  const char *name;
  SondeGraphValue *value;
} Meaning;

/* @left: filled with the names that mean nothing */
static GArray *
find_meanings (const SondeGraph *graph, const GPtrArray *names, GHashTable *partners,
               GPtrArray *left)
{
  g_autoptr (GHashTable) suffixes = index_modules (graph), taken = g_hash_table_new (NULL, NULL);
  GArray *meanings = g_array_new (FALSE, FALSE, sizeof (Meaning));
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, partners);
  while (g_hash_table_iter_next (&iter, NULL, &name))
    g_hash_table_add (taken, name);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *normal = sonde_diverge_split_name (names->pdata[i]);
      Meaning meaning = { names->pdata[i], g_hash_table_lookup (suffixes, normal) };

      if (g_hash_table_contains (taken, meaning.name))
        continue;
      if (meaning.value == NULL || g_hash_table_contains (partners, meaning.value))
        g_ptr_array_add (left, names->pdata[i]);
      else
        g_array_append_val (meanings, meaning);
    }
  return meanings;
}

void
sonde_diverge_add_modules (const SondeGraph *graph, const GPtrArray *names, GHashTable *partners)
{
  static const char *const folds[] = { "Conv", "ConvTranspose", "Gemm", NULL };
  g_autoptr (GPtrArray) left = g_ptr_array_new ();
  g_autoptr (GArray) meanings = find_meanings (graph, names, partners, left);

  for (guint i = 0; i < meanings->len; i++)
    {
      const Meaning *meaning = &g_array_index (meanings, Meaning, i);
      const char *folded = g_strv_contains (folds, meaning->value->producer->op)
                               ? find_folded (meaning->name, left)
                               : NULL;
      const char *name = folded != NULL ? folded : meaning->name;
      gpointer before;

      if (g_hash_table_lookup_extended (partners, meaning->value, NULL, &before))
        name = before != NULL ? choose_inner (before, name) : NULL;
      g_hash_table_insert (partners, meaning->value, (gpointer) name);
    }
  for (guint i = 0; i < meanings->len; i++)
    {
      const Meaning *meaning = &g_array_index (meanings, Meaning, i);

      if (g_hash_table_lookup (partners, meaning->value) == NULL)
        g_hash_table_remove (partners, meaning->value);
    }
}

GHashTable *
sonde_diverge_match_modules (const SondeGraph *graph, const GPtrArray *names)
{
  GHashTable *partners = g_hash_table_new (NULL, NULL);

  sonde_diverge_add_modules (graph, names, partners);
  return partners;
}
