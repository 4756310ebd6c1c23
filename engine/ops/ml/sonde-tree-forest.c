/* SPDX-License-Identifier: Apache-2.0
 * Reading decision trees from attributes: the old form with ids of trees and nodes, and the newer
 * one with numbers of nodes and of leaves. Nothing in them is believed. */
#include "engine/ops/ml/sonde-tree-forest-private.h"

#include <math.h>
#include <string.h>

void
sonde_forest_clear (SondeForest *forest)
{
  g_clear_pointer (&forest->nodes, g_free);
  g_clear_pointer (&forest->roots, g_free);
  g_clear_pointer (&forest->votes, g_free);
  g_clear_pointer (&forest->sets, g_free);
}

/* ---- attributes ---------------------------------------------------------- */

/* @required: its length must be @n; else it may be absent too. */
static gboolean
get_ints (const SondeNode *node, const char *name, gsize n, gboolean required, const gint64 **ints,
          GError **error)
{
  gsize have = 0;

  *ints = sonde_node_get_ints (node, name, &have);
  if (have == n || (have == 0 && !required))
    return TRUE;
  return sonde_infer_fail (error, "%s has %zu numbers instead of %zu", name, have, n);
}

/* Numbers from FLOATS @name, or from a tensor attribute @name or "NAME_as_tensor", as doubles.
 * Returns: (transfer full) */
static double *
get_numbers (const SondeNode *node, const char *name, gsize *n)
{
  const double *floats = sonde_ml_floats (node, name, n);
  g_autofree char *other = g_strconcat (name, "_as_tensor", NULL);
  SondeTensor *tensor = sonde_node_get_tensor (node, name);
  g_autoptr (SondeTensor) plain = NULL;
  double *numbers = NULL;

  if (floats != NULL && *n > 0)
    return g_memdup2 (floats, *n * sizeof (double));
  if (tensor == NULL)
    tensor = sonde_node_get_tensor (node, other);
  if (tensor == NULL || tensor->dtype == SONDE_DTYPE_STRING)
    return NULL;
  plain = sonde_tensor_contiguous (tensor);
  *n = (gsize) sonde_tensor_n_elements (plain);
  numbers = g_new (double, *n + 1);
  sonde_dtype_convert (plain->dtype, plain->data, SONDE_DTYPE_F64, numbers, *n);
  return numbers;
}

static double *
need_numbers (const SondeNode *node, const char *name, gsize n, GError **error)
{
  gsize have = 0;
  g_autofree double *numbers = get_numbers (node, name, &have);

  if (numbers != NULL && have == n)
    return g_steal_pointer (&numbers);
  (void) sonde_infer_fail (error, "%s has %zu numbers instead of %zu", name, have, n);
  return NULL;
}

/* ---- what both forms are checked for ------------------------------------- */

static gboolean
check_feature (gint64 feature, gint64 columns, gint64 at, GError **error)
{
  if (feature >= 0 && feature < (columns < 0 ? G_MAXINT32 : MIN (columns, G_MAXINT32)))
    return TRUE;
  return sonde_infer_fail (error, "node %" PRIi64 " looks at feature %" PRIi64 " of %" PRIi64, at,
                           feature, columns);
}

/* Numbers of nodes and votes have 32 bits. */
static gboolean
check_count (gsize n, GError **error)
{
  return n < G_MAXINT32
         || sonde_infer_fail (error, "has %zu nodes or votes, more than are counted", n);
}

/* Every inner node has at most one parent and a root none: then a walk from a root comes to an
 * end. */
static gboolean
check_tree (const SondeForest *forest, GError **error)
{
  g_autofree gint64 *parents = g_new (gint64, forest->n_nodes + 1);

  for (gint64 i = 0; i < forest->n_nodes; i++)
    parents[i] = -1;
  for (gint64 i = 0; i < forest->n_nodes; i++)
    {
      const SondeTreeNode *node = &forest->nodes[i];
      const gint32 *children = node->next;

      for (gsize c = 0; c < 2 && node->mode != SONDE_BRANCH_LEAF; c++)
        {
          if (forest->nodes[children[c]].mode == SONDE_BRANCH_LEAF)
            continue;
          if (parents[children[c]] >= 0 && parents[children[c]] != i)
            return sonde_infer_fail (error, "node %d of the trees has two parents", children[c]);
          parents[children[c]] = i;
        }
    }
  for (gint64 r = 0; r < forest->n_roots; r++)
    if (parents[forest->roots[r]] >= 0)
      return sonde_infer_fail (error, "the root of tree %" PRIi64 " is a child of a node", r);
  return TRUE;
}

static gboolean
check_targets (const gint64 *targets, gsize n, gint64 most, GError **error)
{
  for (gsize i = 0; i < n; i++)
    if (targets[i] < 0 || targets[i] >= most)
      return sonde_infer_fail (error, "vote %zu is for target %" PRIi64 " of %" PRIi64, i,
                               targets[i], most);
  return TRUE;
}

/* ---- the old form -------------------------------------------------------- */

static const char *const mode_names[] = {
  [SONDE_BRANCH_LEQ] = "BRANCH_LEQ", [SONDE_BRANCH_LT] = "BRANCH_LT",
  [SONDE_BRANCH_GTE] = "BRANCH_GTE", [SONDE_BRANCH_GT] = "BRANCH_GT",
  [SONDE_BRANCH_EQ] = "BRANCH_EQ",   [SONDE_BRANCH_NEQ] = "BRANCH_NEQ",
  [SONDE_BRANCH_MEMBER] = NULL,      [SONDE_BRANCH_LEAF] = "LEAF",
};

static gboolean
mode_of_name (const char *name, guint8 *mode)
{
  for (gsize m = 0; m < G_N_ELEMENTS (mode_names); m++)
    if (mode_names[m] != NULL && strcmp (mode_names[m], name) == 0)
      {
        *mode = (guint8) m;
        return TRUE;
      }
  return FALSE;
}

/**
 * Ids: what number a node has
 * @first: tree id -> number of its first node + 1
 * @sequential: the ids of every tree are 0, 1, 2, … and its nodes lie together, so that no table is
 * needed
 * @numbers: else: [tree id, node id] -> number + 1
 */
typedef struct
{
  const gint64 *trees, *nodes;
  gsize n;
  GHashTable *first;
  GHashTable *numbers;
  gboolean sequential;
} Ids;

static void
ids_clear (Ids *ids)
{
  g_clear_pointer (&ids->first, g_hash_table_unref);
  g_clear_pointer (&ids->numbers, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ids, ids_clear)

static guint
hash_pair (gconstpointer key)
{
  const gint64 *pair = key;
  guint64 bits = (guint64) pair[0] * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) + (guint64) pair[1];

  bits *= G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  return (guint) (bits >> 32);
}

static gboolean
equal_pairs (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, 2 * sizeof (gint64)) == 0;
}

static gsize
first_of_tree (const Ids *ids, gint64 tree)
{
  return GPOINTER_TO_SIZE (g_hash_table_lookup (ids->first, &tree));
}

static gint64
number_of (const Ids *ids, gint64 tree, gint64 node)
{
  gint64 pair[] = { tree, node };

  if (ids->sequential)
    {
      gint64 at;

      if (node < 0 || node >= (gint64) ids->n)
        return -1;

      at = (gint64) first_of_tree (ids, tree) - 1 + node;
      return at >= 0 && at < (gint64) ids->n && ids->trees[at] == tree ? at : -1;
    }
  return (gint64) GPOINTER_TO_SIZE (g_hash_table_lookup (ids->numbers, pair)) - 1;
}

static gboolean
ids_init (Ids *ids, const gint64 *trees, const gint64 *nodes, gsize n, GError **error)
{
  *ids = (Ids){ trees, nodes, n, g_hash_table_new (g_int64_hash, g_int64_equal), NULL, TRUE };
  for (gsize i = 0; i < n; i++)
    {
      if (first_of_tree (ids, trees[i]) == 0)
        g_hash_table_insert (ids->first, (gpointer) &trees[i], GSIZE_TO_POINTER (i + 1));
      ids->sequential
          = ids->sequential && nodes[i] == (gint64) (i + 1 - first_of_tree (ids, trees[i]));
    }
  if (ids->sequential)
    return TRUE;
  ids->numbers = g_hash_table_new_full (hash_pair, equal_pairs, g_free, NULL);
  for (gsize i = 0; i < n; i++)
    {
      gint64 pair[] = { trees[i], nodes[i] };

      if (!g_hash_table_insert (ids->numbers, g_memdup2 (pair, sizeof pair),
                                GSIZE_TO_POINTER (i + 1)))
        return sonde_infer_fail (error, "tree %" PRIi64 " has node %" PRIi64 " twice", pair[0],
                                 pair[1]);
    }
  return TRUE;
}

static gboolean
read_old_nodes (SondeForest *forest, const SondeNode *node, const Ids *ids, gint64 columns,
                GError **error)
{
  const SondeAttribute *modes = sonde_node_find_attribute (node, "nodes_modes");
  const gint64 *features = NULL, *yes = NULL, *no = NULL, *missing = NULL;
  g_autofree double *thresholds = need_numbers (node, "nodes_values", ids->n, error);

  if (thresholds == NULL || !get_ints (node, "nodes_featureids", ids->n, TRUE, &features, error)
      || !get_ints (node, "nodes_truenodeids", ids->n, TRUE, &yes, error)
      || !get_ints (node, "nodes_falsenodeids", ids->n, TRUE, &no, error)
      || !get_ints (node, "nodes_missing_value_tracks_true", ids->n, FALSE, &missing, error))
    return FALSE;
  if (modes == NULL || modes->kind != SONDE_ATTRIBUTE_STRINGS || modes->n != ids->n)
    return sonde_infer_fail (error, "nodes_modes has not one mode for each of %zu nodes", ids->n);
  for (gsize i = 0; i < ids->n; i++)
    {
      SondeTreeNode *made = &forest->nodes[i];

      if (!mode_of_name (modes->u.strings[i], &made->mode))
        return sonde_infer_fail (error, "node %zu has the mode “%s”", i, modes->u.strings[i]);
      if (made->mode == SONDE_BRANCH_LEAF)
        continue;
      made->feature = (gint32) features[i];
      made->threshold = thresholds[i];
      made->missing = missing != NULL && missing[i] != 0;
      made->next[1] = (gint32) number_of (ids, ids->trees[i], yes[i]);
      made->next[0] = (gint32) number_of (ids, ids->trees[i], no[i]);
      if (made->next[0] < 0 || made->next[1] < 0)
        return sonde_infer_fail (error, "node %zu has a child that is not in its tree", i);
      if (!check_feature (features[i], columns, (gint64) i, error))
        return FALSE;
    }
  return TRUE;
}

/* Votes are put together leaf by leaf, in their order. */
static gboolean
read_old_votes (SondeForest *forest, const SondeNode *node, const Ids *ids, gint64 targets,
                GError **error)
{
  const char *stem = strcmp (node->op, "TreeEnsembleClassifier") == 0 ? "class" : "target";
  g_autofree char *tree_name = g_strconcat (stem, "_treeids", NULL),
                  *node_name = g_strconcat (stem, "_nodeids", NULL);
  g_autofree char *id_name = g_strconcat (stem, "_ids", NULL),
                  *weight_name = g_strconcat (stem, "_weights", NULL);
  const gint64 *trees = NULL, *nodes = NULL, *chosen = NULL;
  g_autofree double *weights = NULL;
  g_autofree gint64 *at = NULL;
  gsize n = 0;

  (void) sonde_node_get_ints (node, id_name, &n);
  if (!get_ints (node, tree_name, n, TRUE, &trees, error)
      || !get_ints (node, node_name, n, TRUE, &nodes, error)
      || !get_ints (node, id_name, n, TRUE, &chosen, error)
      || !check_targets (chosen, n, targets, error)
      || (weights = need_numbers (node, weight_name, n, error)) == NULL)
    return FALSE;
  if (!check_count (n, error))
    return FALSE;
  at = g_new (gint64, n + 1);
  for (gsize i = 0; i < n; i++)
    {
      at[i] = number_of (ids, trees[i], nodes[i]);
      if (at[i] < 0)
        return sonde_infer_fail (error, "vote %zu is of a node that is not there", i);
      if (forest->nodes[at[i]].mode == SONDE_BRANCH_LEAF)
        forest->nodes[at[i]].end++;
    }
  forest->n_votes = 0;
  for (gint64 i = 0; i < forest->n_nodes; i++)
    {
      gint32 count = forest->nodes[i].end;

      forest->nodes[i].first = forest->nodes[i].end = (gint32) forest->n_votes;
      forest->n_votes += count;
    }
  forest->votes = g_new0 (SondeVote, forest->n_votes + 1);
  for (gsize i = 0; i < n; i++)
    if (forest->nodes[at[i]].mode == SONDE_BRANCH_LEAF)
      forest->votes[forest->nodes[at[i]].end++] = (SondeVote){ chosen[i], weights[i] };
  return TRUE;
}

/* The first node of a tree that the lists name is its root. */
static void
find_old_roots (SondeForest *forest, const Ids *ids)
{
  forest->roots = g_new (gint64, g_hash_table_size (ids->first) + 1);
  for (gsize i = 0; i < ids->n; i++)
    if (first_of_tree (ids, ids->trees[i]) == i + 1)
      forest->roots[forest->n_roots++] = (gint64) i;
}

static gboolean
read_old (SondeForest *forest, const SondeNode *node, gint64 columns, gint64 targets,
          GError **error)
{
  g_auto (Ids) ids = { 0 };
  const gint64 *trees = NULL, *nodes = NULL;
  gsize n = 0;

  (void) sonde_node_get_ints (node, "nodes_nodeids", &n);
  if (n == 0)
    return sonde_infer_fail (error, "nodes_nodeids is empty: there is no tree");
  if (!check_count (n, error))
    return FALSE;
  if (!get_ints (node, "nodes_treeids", n, TRUE, &trees, error)
      || !get_ints (node, "nodes_nodeids", n, TRUE, &nodes, error)
      || !ids_init (&ids, trees, nodes, n, error))
    return FALSE;
  forest->n_nodes = (gint64) n;
  forest->nodes = g_new0 (SondeTreeNode, n + 1);
  if (!read_old_nodes (forest, node, &ids, columns, error)
      || !read_old_votes (forest, node, &ids, targets, error))
    return FALSE;
  find_old_roots (forest, &ids);
  return TRUE;
}

/* ---- the newer form ------------------------------------------------------ */

/* Sets are separated by NaN and belong to the MEMBER nodes in their order. */
static gboolean
read_sets (SondeForest *forest, const SondeNode *node, GError **error)
{
  gsize n = 0, at = 0;
  g_autofree double *members = get_numbers (node, "membership_values", &n);

  if (!check_count (n, error))
    return FALSE;

  for (gint64 i = 0; i < forest->n_nodes; i++)
    {
      SondeTreeNode *one = &forest->nodes[i];

      if (one->mode != SONDE_BRANCH_MEMBER)
        continue;
      if (at >= n)
        return sonde_infer_fail (error, "membership_values has no set for node %" PRIi64, i);
      one->first = (gint32) at;
      while (at < n && !isnan (members[at]))
        at++;
      one->end = (gint32) at++;
    }
  forest->sets = g_steal_pointer (&members);
  return TRUE;
}

/* A child is a node, or a leaf; leaves stand after the nodes. */
static gboolean
child_of (const SondeForest *forest, gint64 n_inner, gint64 child, gboolean leaf, gint32 *number)
{
  gint64 n = leaf ? forest->n_nodes - n_inner : n_inner;

  if (child < 0 || child >= n)
    return FALSE;

  *number = (gint32) (leaf ? n_inner + child : child);
  return TRUE;
}

static gboolean
read_new_nodes (SondeForest *forest, const SondeNode *node, gsize n, gint64 columns, GError **error)
{
  const gint64 *features = NULL, *yes = NULL, *no = NULL, *yes_leafs = NULL, *no_leafs = NULL,
               *missing = NULL;
  g_autofree double *modes = need_numbers (node, "nodes_modes", n, error);
  g_autofree double *thresholds = modes ? need_numbers (node, "nodes_splits", n, error) : NULL;

  if (thresholds == NULL || !get_ints (node, "nodes_featureids", n, TRUE, &features, error)
      || !get_ints (node, "nodes_truenodeids", n, TRUE, &yes, error)
      || !get_ints (node, "nodes_falsenodeids", n, TRUE, &no, error)
      || !get_ints (node, "nodes_trueleafs", n, TRUE, &yes_leafs, error)
      || !get_ints (node, "nodes_falseleafs", n, TRUE, &no_leafs, error)
      || !get_ints (node, "nodes_missing_value_tracks_true", n, FALSE, &missing, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      SondeTreeNode *made = &forest->nodes[i];

      if (!(modes[i] >= SONDE_BRANCH_LEQ && modes[i] <= SONDE_BRANCH_MEMBER))
        return sonde_infer_fail (error, "node %zu has the mode %g", i, modes[i]);
      made->mode = (guint8) modes[i];
      made->feature = (gint32) features[i];
      made->threshold = thresholds[i];
      made->missing = missing != NULL && missing[i] != 0;
      if (!child_of (forest, (gint64) n, yes[i], yes_leafs[i] != 0, &made->next[1])
          || !child_of (forest, (gint64) n, no[i], no_leafs[i] != 0, &made->next[0]))
        return sonde_infer_fail (error, "node %zu has a child that is not there", i);
      if (!check_feature (features[i], columns, (gint64) i, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_new (SondeForest *forest, const SondeNode *node, gint64 columns, gint64 targets,
          GError **error)
{
  gsize n = 0, n_leaves = 0, n_roots = 0;
  const gint64 *chosen = sonde_node_get_ints (node, "leaf_targetids", &n_leaves);
  const gint64 *roots = sonde_node_get_ints (node, "tree_roots", &n_roots);
  g_autofree double *weights = need_numbers (node, "leaf_weights", n_leaves, error);

  (void) sonde_node_get_ints (node, "nodes_featureids", &n);
  if (weights == NULL || !check_targets (chosen, n_leaves, targets, error)
      || !check_count (n, error) || !check_count (n + n_leaves, error))
    return FALSE;
  forest->n_nodes = (gint64) (n + n_leaves);
  forest->nodes = g_new0 (SondeTreeNode, forest->n_nodes + 1);
  forest->n_votes = (gint64) n_leaves;
  forest->votes = g_new0 (SondeVote, n_leaves + 1);
  for (gsize i = 0; i < n_leaves; i++)
    {
      forest->votes[i] = (SondeVote){ chosen[i], weights[i] };
      forest->nodes[n + i] = (SondeTreeNode){ .mode = SONDE_BRANCH_LEAF,
                                              .first = (gint32) i,
                                              .end = (gint32) i + 1 };
    }
  if (!read_new_nodes (forest, node, n, columns, error) || !read_sets (forest, node, error))
    return FALSE;
  for (gsize r = 0; r < n_roots; r++)
    if (roots[r] < 0 || roots[r] >= (gint64) n)
      return sonde_infer_fail (error, "the root of tree %zu is not there", r);
  forest->roots = g_memdup2 (roots, n_roots * sizeof *roots);
  forest->n_roots = (gint64) n_roots;
  return TRUE;
}

/* What a walk may count on. */
static void
look_at_nodes (SondeForest *forest)
{
  gboolean plain = TRUE;

  forest->mode = SONDE_BRANCH_LEAF;
  for (gint64 i = 0; i < forest->n_nodes; i++)
    {
      SondeTreeNode *node = &forest->nodes[i];

      if (node->mode == SONDE_BRANCH_LEAF)
        {
          node->next[0] = node->next[1] = (gint32) i;
          continue;
        }
      forest->columns = MAX (forest->columns, (gint64) node->feature + 1);
      plain = plain && !node->missing
              && (forest->mode == SONDE_BRANCH_LEAF || node->mode == forest->mode);
      forest->mode = (SondeBranchMode) node->mode;
    }
  if (!plain)
    forest->mode = SONDE_BRANCH_LEAF;
}

gboolean
sonde_forest_init (SondeForest *forest, const SondeNode *node, gint64 columns, gint64 targets,
                   GError **error)
{
  gboolean newer = strcmp (node->op, "TreeEnsemble") == 0;

  *forest = (SondeForest){ 0 };
  if (!(newer ? read_new : read_old) (forest, node, columns, targets, error)
      || !check_tree (forest, error))
    return FALSE;
  look_at_nodes (forest);
  return TRUE;
}
