/* SPDX-License-Identifier: Apache-2.0
 * From the roots of a forest to the leaves that a row falls into. In most forests all nodes ask in
 * one way; those are walked eight trees at a time, so that a tree does not wait for memory alone,
 * and without a branch on the answer. */
#include "engine/ops/ml/sonde-tree-forest-private.h"

#define TREES 8

static gboolean
answer (const SondeForest *forest, const SondeTreeNode *node, double x)
{
  gboolean yes = node->missing && x != x;

  switch (node->mode)
    {
    case SONDE_BRANCH_LEQ:
      return yes || x <= node->threshold;
    case SONDE_BRANCH_LT:
      return yes || x < node->threshold;
    case SONDE_BRANCH_GTE:
      return yes || x >= node->threshold;
    case SONDE_BRANCH_GT:
      return yes || x > node->threshold;
    case SONDE_BRANCH_EQ:
      return yes || x == node->threshold;
    case SONDE_BRANCH_NEQ:
      return yes || x != node->threshold;
    default:
      for (gint32 i = node->first; i < node->end && !yes; i++)
        yes = x == forest->sets[i];
      return yes;
    }
}

static void
walk_any (const SondeForest *forest, const double *row, const SondeTreeNode **leaves)
{
  for (gint64 t = 0; t < forest->n_roots; t++)
    {
      const SondeTreeNode *node = &forest->nodes[forest->roots[t]];

      while (node->mode != SONDE_BRANCH_LEAF)
        node = &forest->nodes[node->next[answer (forest, node, row[node->feature])]];
      leaves[t] = node;
    }
}

/* A leaf leads to itself, so that trees of several depths can be walked side by side until none
 * moves. */
#define WALK(name, compare)                                                                        \
  static void name (const SondeForest *forest, const double *row, const SondeTreeNode **leaves)    \
  {                                                                                                \
    const SondeTreeNode *nodes = forest->nodes;                                                    \
                                                                                                   \
    for (gint64 t = 0; t < forest->n_roots; t += TREES)                                            \
      {                                                                                            \
        gint32 at[TREES], moved = 1, n = (gint32) MIN (TREES, forest->n_roots - t);                \
                                                                                                   \
        for (gint32 k = 0; k < TREES; k++)                                                         \
          at[k] = (gint32) forest->roots[t + MIN (k, n - 1)];                                      \
        while (moved != 0)                                                                         \
          {                                                                                        \
            moved = 0;                                                                             \
            for (gint32 k = 0; k < TREES; k++)                                                     \
              {                                                                                    \
                const SondeTreeNode *node = &nodes[at[k]];                                         \
                gint32 next = node->next[row[node->feature] compare node->threshold];              \
                                                                                                   \
                moved |= next ^ at[k];                                                             \
                at[k] = next;                                                                      \
              }                                                                                    \
          }                                                                                        \
        for (gint32 k = 0; k < n; k++)                                                             \
          leaves[t + k] = &nodes[at[k]];                                                           \
      }                                                                                            \
  }

WALK (walk_leq, <=)
WALK (walk_lt, <)
WALK (walk_gte, >=)
WALK (walk_gt, >)

void
sonde_forest_walk (const SondeForest *forest, const double *row, const SondeTreeNode **leaves)
{
  static void (*const walks[]) (const SondeForest *, const double *, const SondeTreeNode **) = {
    [SONDE_BRANCH_LEQ] = walk_leq,    [SONDE_BRANCH_LT] = walk_lt,    [SONDE_BRANCH_GTE] = walk_gte,
    [SONDE_BRANCH_GT] = walk_gt,      [SONDE_BRANCH_EQ] = walk_any,   [SONDE_BRANCH_NEQ] = walk_any,
    [SONDE_BRANCH_MEMBER] = walk_any, [SONDE_BRANCH_LEAF] = walk_any,
  };

  walks[forest->mode](forest, row, leaves);
}
