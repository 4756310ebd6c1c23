/* SPDX-License-Identifier: Apache-2.0
 * First a tree of all parts of all paths, then that without the scopes that say nothing, in order, and last
 * the folds. */
#include "data/graph/sonde-scope-tree.h"

#include <string.h>

#include "data/graph/sonde-scope-structure.h"

#define MAX_DEPTH 48 /* deeper parts of a path stay in the name */

/* A scope as the paths say it. */
typedef struct
{
  char *name;                             /* owned */
  guint parent, depth, first_child, next; /* of those of one parent; NONE */
  guint n_children, n_direct, n_nodes, first_node;
  guint number; /* in the tree that is made; that of the scope it is dissolved in */
} Part;

typedef struct
{
  const SondeGraph *graph;
  GArray *parts;       /* Part; 0 is the root */
  GHashTable *by_name; /* "PARENT/name" -> number + 1 */
  GHashTable *by_path; /* path -> number + 1 */
  guint *part_of_node;
  SondeScopeTree *tree;
} Builder;

static Part *
part_at (const Builder *builder, guint part)
{
  return &g_array_index (builder->parts, Part, part);
}

static void
clear_part (gpointer data)
{
  g_free (((Part *) data)->name);
}

static void
clear_scope (gpointer data)
{
  g_free (((SondeGraphScope *) data)->name);
}

/* ---- paths --------------------------------------------------------------- */

static guint
add_part (Builder *builder, guint parent, const char *name, gsize length)
{
  g_autofree char *key = g_strdup_printf ("%u/%.*s", parent, (int) length, name);
  guint found = GPOINTER_TO_UINT (g_hash_table_lookup (builder->by_name, key));
  Part part = { .parent = parent,
                .first_child = SONDE_SCOPE_NONE,
                .next = SONDE_SCOPE_NONE,
                .first_node = G_MAXUINT };

  if (found > 0)
    return found - 1;
  part.name = g_strndup (name, length);
  part.depth = parent != SONDE_SCOPE_NONE ? part_at (builder, parent)->depth + 1 : 0;
  g_array_append_val (builder->parts, part);
  g_hash_table_insert (builder->by_name, g_steal_pointer (&key),
                       GUINT_TO_POINTER (builder->parts->len));
  return builder->parts->len - 1;
}

static gboolean
is_number (const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isdigit (text[i]))
      return FALSE;
  return TRUE;
}

/* One of a list of modules is called after the list: "layer1.0", as "0" says nothing. */
static guint
add_numbered (Builder *builder, guint parent, const char *digits, gsize length)
{
  g_autofree char *name
      = g_strdup_printf ("%s.%.*s", part_at (builder, parent)->name, (int) length, digits);

  return add_part (builder, parent, name, strlen (name));
}

static guint
add_path (Builder *builder, const char *path, char separator)
{
  guint part = SONDE_SCOPE_ROOT;

  for (const char *at = path; at != NULL && part_at (builder, part)->depth < MAX_DEPTH;)
    {
      const char *end = strchr (at, separator);
      gsize length = end != NULL ? (gsize) (end - at) : strlen (at);

      if (length > 0 && part != SONDE_SCOPE_ROOT && is_number (at, length))
        part = add_numbered (builder, part, at, length);
      else if (length > 0)
        part = add_part (builder, part, at, length);
      at = end != NULL ? end + 1 : NULL;
    }
  return part;
}

/* Its scope; where a name has none, the path of modules that Python writes: "layer1.0" of
 * "layer1.0.conv2". */
static guint
find_part (Builder *builder, const SondeNode *node)
{
  g_autofree char *modules = NULL;
  const char *path = node->scope, *dot = NULL;
  char separator = '/';
  guint found, part;

  if (path == NULL && strchr (node->name, '/') == NULL)
    dot = strrchr (node->name, '.');
  if (dot != NULL && dot > node->name)
    {
      path = modules = g_strndup (node->name, (gsize) (dot - node->name));
      separator = '.';
    }
  if (path == NULL)
    return SONDE_SCOPE_ROOT;
  found = GPOINTER_TO_UINT (g_hash_table_lookup (builder->by_path, path));
  if (found > 0)
    return found - 1;
  part = add_path (builder, path, separator);
  g_hash_table_insert (builder->by_path, g_strdup (path), GUINT_TO_POINTER (part + 1));
  return part;
}

static void
read_paths (Builder *builder, const guint8 *counts)
{
  add_part (builder, SONDE_SCOPE_NONE, "", 0);
  for (guint i = 0; i < builder->graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (builder->graph->nodes, i);

      builder->part_of_node[i] = SONDE_SCOPE_NONE;
      if (node == NULL || (counts != NULL && !counts[i]))
        continue;
      builder->part_of_node[i] = find_part (builder, node);
      part_at (builder, builder->part_of_node[i])->n_direct++;
      part_at (builder, builder->part_of_node[i])->first_node
          = MIN (part_at (builder, builder->part_of_node[i])->first_node, i);
    }
}

static void
sum_up (Builder *builder)
{
  for (guint p = builder->parts->len; p-- > 0;)
    {
      Part *part = part_at (builder, p), *parent;

      part->n_nodes += part->n_direct;
      if (p == SONDE_SCOPE_ROOT)
        break;
      parent = part_at (builder, part->parent);
      parent->n_nodes += part->n_nodes;
      parent->first_node = MIN (parent->first_node, part->first_node);
    }
}

/* ---- what is left of them ------------------------------------------------ */

static int
compare_first (gconstpointer a, gconstpointer b, gpointer data)
{
  const Part *left = part_at (data, *(const guint *) a),
             *right = part_at (data, *(const guint *) b);

  return left->first_node < right->first_node ? -1 : left->first_node > right->first_node;
}

/* Lists of children by their first nodes; those that have none are nowhere. */
static void
link_children (Builder *builder)
{
  guint n = builder->parts->len;
  g_autofree guint *order = g_new (guint, n);

  for (guint p = 0; p < n; p++)
    order[p] = p;
  g_qsort_with_data (order, (int) n, sizeof *order, compare_first, builder);
  for (guint i = n; i-- > 0;)
    {
      Part *part = part_at (builder, order[i]);

      if (order[i] == SONDE_SCOPE_ROOT || part->n_nodes == 0)
        continue;
      part->next = part_at (builder, part->parent)->first_child;
      part_at (builder, part->parent)->first_child = order[i];
      part_at (builder, part->parent)->n_children++;
    }
}

static gboolean
holds_one_scope (const Builder *builder, guint part)
{
  const Part *p = part_at (builder, part);

  return p->n_direct == 0 && p->n_children == 1 && part_at (builder, p->first_child)->n_nodes > 1;
}

static guint
add_scope (Builder *builder, guint parent, guint depth, char *name, guint part)
{
  SondeGraphScope scope = { .name = name,
                            .parent = parent,
                            .depth = depth,
                            .n_nodes = part_at (builder, part)->n_nodes,
                            .first_node = part_at (builder, part)->first_node };

  g_array_append_val (builder->tree->scopes, scope);
  return builder->tree->scopes->len - 1;
}

/* All nodes below @part stand directly in @number. */
static void
dissolve (Builder *builder, guint part, guint number)
{
  part_at (builder, part)->number = number;
  for (guint child = part_at (builder, part)->first_child; child != SONDE_SCOPE_NONE;
       child = part_at (builder, child)->next)
    dissolve (builder, child, number);
}

static void
add_children (Builder *builder, guint part, guint number)
{
  guint depth = sonde_scope_tree_get (builder->tree, number)->depth + 1;

  part_at (builder, part)->number = number;
  for (guint child = part_at (builder, part)->first_child; child != SONDE_SCOPE_NONE;
       child = part_at (builder, child)->next)
    {
      GString *name = g_string_new (part_at (builder, child)->name);
      guint inner = child, scope;

      if (part_at (builder, child)->n_nodes <= 1)
        {
          dissolve (builder, child, number);
          g_string_free (name, TRUE);
          continue;
        }
      for (; holds_one_scope (builder, inner); inner = part_at (builder, inner)->first_child)
        g_string_append_printf (name, "/%s",
                                part_at (builder, part_at (builder, inner)->first_child)->name);
      scope = add_scope (builder, number, depth, g_string_free (name, FALSE), inner);
      add_children (builder, inner, scope);
      g_array_index (builder->tree->scopes, SondeGraphScope, scope).end
          = builder->tree->scopes->len;
    }
}

static void
add_all (Builder *builder)
{
  guint outer = SONDE_SCOPE_ROOT;

  while (holds_one_scope (builder, outer))
    outer = part_at (builder, outer)->first_child;
  add_scope (builder, SONDE_SCOPE_NONE, 0, g_strdup (""), outer);
  add_children (builder, outer, SONDE_SCOPE_ROOT);
  g_array_index (builder->tree->scopes, SondeGraphScope, SONDE_SCOPE_ROOT).end
      = builder->tree->scopes->len;
  for (guint i = 0; i < builder->tree->n_nodes; i++)
    builder->tree->scope_of_node[i] = builder->part_of_node[i] != SONDE_SCOPE_NONE
                                          ? part_at (builder, builder->part_of_node[i])->number
                                          : SONDE_SCOPE_NONE;
}

/* ---- the tree ------------------------------------------------------------ */

SondeScopeTree *
sonde_scope_tree_new (const SondeGraph *graph, const guint8 *counts)
{
  SondeScopeTree *tree = g_atomic_rc_box_new0 (SondeScopeTree);
  Builder builder = { .graph = graph, .tree = tree };

  tree->n_nodes = graph->nodes->len;
  tree->scope_of_node = g_new (guint, MAX (tree->n_nodes, 1));
  tree->scopes = g_array_new (FALSE, TRUE, sizeof (SondeGraphScope));
  g_array_set_clear_func (tree->scopes, clear_scope);
  builder.parts = g_array_new (FALSE, TRUE, sizeof (Part));
  g_array_set_clear_func (builder.parts, clear_part);
  builder.by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  builder.by_path = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  builder.part_of_node = g_new (guint, MAX (tree->n_nodes, 1));
  read_paths (&builder, counts);
  sum_up (&builder);
  link_children (&builder);
  add_all (&builder);
  sonde_scope_structure_find (tree, graph);
  sonde_scope_structure_fold (tree);
  g_array_unref (builder.parts);
  g_hash_table_unref (builder.by_name);
  g_hash_table_unref (builder.by_path);
  g_free (builder.part_of_node);
  return tree;
}

SondeScopeTree *
sonde_scope_tree_ref (SondeScopeTree *tree)
{
  return g_atomic_rc_box_acquire (tree);
}

static void
clear_tree (gpointer data)
{
  SondeScopeTree *tree = data;

  g_array_unref (tree->scopes);
  g_free (tree->scope_of_node);
}

void
sonde_scope_tree_unref (SondeScopeTree *tree)
{
  if (tree != NULL)
    g_atomic_rc_box_release_full (tree, clear_tree);
}

char *
sonde_scope_tree_dup_path (const SondeScopeTree *tree, guint scope)
{
  GString *path = g_string_new (NULL);

  for (; scope != SONDE_SCOPE_ROOT; scope = sonde_scope_tree_get (tree, scope)->parent)
    {
      const SondeGraphScope *s = sonde_scope_tree_get (tree, scope);

      /* A fold stands in no path but its own. */
      if (s->n_repeats > 0 && path->len > 0)
        continue;
      if (path->len > 0)
        g_string_prepend_c (path, '/');
      g_string_prepend (path, s->name);
    }
  return g_string_free (path, FALSE);
}
