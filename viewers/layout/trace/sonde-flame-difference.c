/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/trace/sonde-flame-difference.h"

#include <math.h>
#include <string.h>

/* A frame below one of the new tree. @name: NULL of the root */
typedef struct
{
  guint32 parent;
  const char *name;
} Path;

typedef struct
{
  GArray *nodes;        /* SondeFlameNode, parents before children */
  GHashTable *known;    /* Path -> its node + 1 */
  GArray *base, *other; /* double: self, ns a step, by node */
} Joining;

static guint
hash_path (gconstpointer data)
{
  const Path *path = data;

  return g_str_hash (path->name) * 31 + path->parent * 2654435761u;
}

static gboolean
equal_paths (gconstpointer a, gconstpointer b)
{
  const Path *left = a, *right = b;

  return left->parent == right->parent && strcmp (left->name, right->name) == 0;
}

static guint32
add_node (Joining *joining, guint32 parent, const char *name)
{
  const guint32 n = joining->nodes->len;
  const SondeFlameNode node
      = { .name = name,
          .parent = parent,
          .n = n,
          .depth = parent == SONDE_TRACE_NONE
                       ? 0
                       : g_array_index (joining->nodes, SondeFlameNode, parent).depth + 1 };
  const double nothing = 0;

  g_array_append_val (joining->nodes, node);
  g_array_append_val (joining->base, nothing);
  g_array_append_val (joining->other, nothing);
  return n;
}

static guint32
find_child (Joining *joining, guint32 parent, const char *name)
{
  const Path path = { parent, name };
  guint32 known = GPOINTER_TO_UINT (g_hash_table_lookup (joining->known, &path));
  Path *kept;

  if (known != 0)
    return known - 1;
  kept = g_new (Path, 1);
  *kept = path;
  known = add_node (joining, parent, name);
  g_hash_table_insert (joining->known, kept, GUINT_TO_POINTER (known + 1));
  return known;
}

/* Parents stand before their children in both trees. */
static void
join (Joining *joining, const SondeFlameSide *side, GArray *self_ns)
{
  const guint32 n = side->tree->nodes->len;
  g_autofree guint32 *places = g_new (guint32, n);

  for (guint32 i = 0; i < n; i++)
    {
      const SondeFlameNode *node = sonde_flame_tree_get (side->tree, i);

      places[i] = i == 0 ? 0 : find_child (joining, places[node->parent], node->name);
      g_array_index (self_ns, double, places[i]) += (double) node->self / side->n_steps;
    }
}

/* From self to total, in place. */
static void
sum_up (const GArray *nodes, double *ns)
{
  for (guint32 i = nodes->len; i-- > 1;)
    ns[g_array_index (nodes, SondeFlameNode, i).parent] += ns[i];
}

SondeFlameDifference *
sonde_flame_difference_new (const SondeFlameSide *base, const SondeFlameSide *other,
                            GHashTable *sure)
{
  SondeFlameDifference *difference = g_new0 (SondeFlameDifference, 1);
  Joining joining = { .nodes = g_array_new (FALSE, FALSE, sizeof (SondeFlameNode)),
                      .known = g_hash_table_new_full (hash_path, equal_paths, g_free, NULL),
                      .base = g_array_new (FALSE, FALSE, sizeof (double)),
                      .other = g_array_new (FALSE, FALSE, sizeof (double)) };

  add_node (&joining, SONDE_TRACE_NONE, NULL);
  join (&joining, base, joining.base);
  join (&joining, other, joining.other);
  g_hash_table_unref (joining.known);
  difference->is_sure = g_new0 (guint8, joining.nodes->len);
  for (guint32 i = 0; i < joining.nodes->len; i++)
    {
      SondeFlameNode *node = &g_array_index (joining.nodes, SondeFlameNode, i);

      node->self = (gint64) round (
          (g_array_index (joining.base, double, i) + g_array_index (joining.other, double, i)) / 2);
      difference->is_sure[i]
          = sure != NULL && node->name != NULL && g_hash_table_contains (sure, node->name);
    }
  difference->base_ns = (double *) (void *) g_array_free (joining.base, FALSE);
  difference->other_ns = (double *) (void *) g_array_free (joining.other, FALSE);
  sum_up (joining.nodes, difference->base_ns);
  sum_up (joining.nodes, difference->other_ns);
  difference->tree = sonde_flame_tree_new_from_nodes (joining.nodes);
  return difference;
}

void
sonde_flame_difference_free (SondeFlameDifference *difference)
{
  if (difference == NULL)
    return;
  sonde_flame_tree_free (difference->tree);
  g_free (difference->base_ns);
  g_free (difference->other_ns);
  g_free (difference->is_sure);
  g_free (difference);
}

double
sonde_flame_difference_get_change (const SondeFlameDifference *difference, guint32 node)
{
  const guint64 at = sonde_flame_tree_get (difference->tree, node)->n;
  const double base = difference->base_ns[at], other = difference->other_ns[at];
  const double most = MAX (base, other);

  return most > 0 ? (other - base) / most : 0;
}
