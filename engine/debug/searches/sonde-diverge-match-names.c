/* SPDX-License-Identifier: Apache-2.0
 * Which name of a file is which value of a graph. */
#include "engine/debug/searches/sonde-diverge.h"

#include <string.h>

/* ---- names of a file ----------------------------------------------------- */

/* "/Layer1/layer1.0/conv1/Conv_output_0" -> "/layer1/layer1/0/conv1/conv/output/0": parts in small
 * letters. (transfer full) */
static char *
split (const char *name)
{
  GString *text = g_string_new ("/");

  for (const char *c = name; *c != '\0'; c++)
    if (g_ascii_isalnum (*c) || (guchar) *c >= 0x80)
      g_string_append_c (text, g_ascii_tolower (*c));
    else if (text->str[text->len - 1] != '/')
      g_string_append_c (text, '/');
  if (text->len > 1 && text->str[text->len - 1] == '/')
    g_string_truncate (text, text->len - 1);
  return g_string_free (text, FALSE);
}

/* Without what says that it is the first output. (transfer full) */
static char *
normalise (const char *name)
{
  static const char *const endings[] = { "/output/0", "/0", "/npy" };
  char *text = split (name);
  gsize length = strlen (text);

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (text, endings[i]) && length > strlen (endings[i]) + 1)
      {
        text[length - strlen (endings[i])] = '\0';
        break;
      }
  return text;
}

/* Suffix ("/conv1/conv") -> value it means; NULL for several. */
static void
add_suffixes (GHashTable *suffixes, const char *normal, SondeGraphValue *value)
{
  for (const char *suffix = normal; suffix != NULL && suffix[0] != '\0';
       suffix = strchr (suffix + 1, '/'))
    {
      gpointer found;

      if (!g_hash_table_lookup_extended (suffixes, suffix, NULL, &found))
        g_hash_table_insert (suffixes, g_strdup (suffix), value);
      else if (found != value)
        g_hash_table_insert (suffixes, g_strdup (suffix), NULL);
    }
}

static void
add_name (GHashTable *suffixes, const char *name, SondeGraphValue *value)
{
  g_autofree char *normal = normalise (name);

  add_suffixes (suffixes, normal, value);
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

/* ---- names of modules ---------------------------------------------------- */

static gboolean
is_number (const char *text)
{
  return *text != '\0' && text[strspn (text, "0123456789")] == '\0';
}

/* Does a node below @path (of @length, in the names of nodes) make @value for others: nodes that
 * are not below it, or the caller of the graph? */
static gboolean
leaves_module (const SondeGraph *graph, const SondeGraphValue *value, const char *path,
               gsize length)
{
  for (guint i = 0; i < value->users->len; i++)
    {
      const SondeNode *user = g_ptr_array_index (value->users, i);

      if (strncmp (user->name, path, length) != 0 || user->name[length] != '/')
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

/* Path of a module, in the names of nodes -> what the last node below it makes for others: the
 * module's result, whatever number of nodes it was exported to. */
static GHashTable *
list_module_results (const SondeGraph *graph)
{
  GHashTable *results = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, NULL); /* NULL: it has a circle */

  for (guint i = 0; order != NULL && i < order->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (order, i);
      SondeGraphValue *value = sonde_node_get_output (node, 0);
      const char *end
          = value != NULL && node->name[0] != '\0' ? strchr (node->name + 1, '/') : NULL;

      for (; end != NULL; end = strchr (end + 1, '/'))
        if (leaves_module (graph, value, node->name, (gsize) (end - node->name)))
          g_hash_table_insert (results, g_strndup (node->name, (gsize) (end - node->name)), value);
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
      g_autofree char *module = split (path), *first = path_of_first_call (path);
      g_autofree char *first_module = first != NULL ? split (first) : NULL;

      add_suffixes (suffixes, module, value);
      if (first_module != NULL)
        add_suffixes (suffixes, first_module, value);
    }
  return suffixes;
}

/* Of two names that mean one value, that of the inner module: its container returns the same. NULL
 * when neither contains the other. */
static const char *
choose_inner (const char *one, const char *other)
{
  g_autofree char *path = split (one), *other_path = split (other);
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
  g_autofree char *normal = split (name);
  const char *leaf = strrchr (normal, '/') + 1;
  gsize parent = (gsize) (leaf - normal), digits = strlen (leaf);

  while (digits > 0 && g_ascii_isdigit (leaf[digits - 1]))
    digits--;
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *other = split (names->pdata[i]);
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

/* What is left of @names, by the modules that exporters of PyTorch name nodes after. */
static void
match_modules (const SondeGraph *graph, const GPtrArray *names, GHashTable *partners)
{
  static const char *const folds[] = { "Conv", "ConvTranspose", "Gemm", NULL };
  g_autoptr (GHashTable) suffixes = index_modules (graph), taken = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) left = g_ptr_array_new (), values = g_ptr_array_new (),
                        found = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer taken_name;

  g_hash_table_iter_init (&iter, partners);
  while (g_hash_table_iter_next (&iter, NULL, &taken_name))
    g_hash_table_add (taken, taken_name);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *normal = split (names->pdata[i]);
      SondeGraphValue *value = g_hash_table_contains (taken, names->pdata[i])
                                   ? NULL
                                   : g_hash_table_lookup (suffixes, normal);

      if (g_hash_table_contains (taken, names->pdata[i]))
        continue;
      if (value == NULL || g_hash_table_contains (partners, value))
        {
          g_ptr_array_add (left, names->pdata[i]);
          continue;
        }
      g_ptr_array_add (values, value);
      g_ptr_array_add (found, names->pdata[i]);
    }
  for (guint i = 0; i < found->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (values, i);
      const char *name = g_ptr_array_index (found, i);
      gpointer before;
      const char *folded
          = g_strv_contains (folds, value->producer->op) ? find_folded (name, left) : NULL;

      if (folded != NULL)
        name = folded;
      if (g_hash_table_lookup_extended (partners, value, NULL, &before))
        name = before != NULL ? choose_inner (before, name) : NULL;
      g_hash_table_insert (partners, value, (gpointer) name);
    }
  for (guint i = 0; i < values->len; i++)
    if (g_hash_table_lookup (partners, g_ptr_array_index (values, i)) == NULL)
      g_hash_table_remove (partners, g_ptr_array_index (values, i));
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
  match_modules (graph, names, partners);
  return partners;
}
