/* SPDX-License-Identifier: Apache-2.0
 * Decision trees as the operators of ai.onnx.ml run them: one flat array of nodes, checked once. */
#pragma once

#include "engine/ops/sonde-machine-learning-private.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_BRANCH_LEQ,
  SONDE_BRANCH_LT,
  SONDE_BRANCH_GTE,
  SONDE_BRANCH_GT,
  SONDE_BRANCH_EQ,
  SONDE_BRANCH_NEQ,
  SONDE_BRANCH_MEMBER, /* of a set */
  SONDE_BRANCH_LEAF,
} SondeBranchMode;

/* What a leaf adds to a target. */
typedef struct
{
  gint64 target;
  double weight;
} SondeVote;

/**
 * SondeTreeNode:
 * @missing: NaN goes the way of @yes
 * @yes, @no: numbers of nodes
 * @first, @end: of a leaf: its votes; of MEMBER: its set, in ascending order
 */
typedef struct
{
  guint8 mode;
  guint8 missing;
  gint64 feature;
  double threshold;
  gint64 yes, no;
  gint64 first, end;
} SondeTreeNode;

/**
 * SondeForest:
 * @roots: numbers of nodes, one a tree
 * @sets: of the MEMBER nodes, one after the other
 */
typedef struct
{
  SondeTreeNode *nodes;
  gint64 n_nodes;
  gint64 *roots;
  gint64 n_roots;
  SondeVote *votes;
  gint64 n_votes;
  double *sets;
} SondeForest;

void sonde_forest_clear (SondeForest *forest);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeForest, sonde_forest_clear)

/**
 * sonde_forest_init:
 * @node: TreeEnsembleClassifier, TreeEnsembleRegressor or TreeEnsemble
 * @columns: features that a row has, -1: not known
 * @targets: votes must be for less than that
 *
 * Errors: SHAPE: lists of different lengths, unknown modes, ids that are not there or there twice, nodes with two
 * parents (which is what a cycle needs), features and targets out of range.
 */
gboolean sonde_forest_init (SondeForest     *forest,
                            const SondeNode *node,
                            gint64           columns,
                            gint64           targets,
                            GError         **error);

/* The leaf of @root's tree that @row falls into. */
static inline const SondeTreeNode *
sonde_forest_walk (const SondeForest *forest,
                   gint64             root,
                   const double      *row)
{
  const SondeTreeNode *node = &forest->nodes[root];

  while (node->mode != SONDE_BRANCH_LEAF)
    {
      double x = row[node->feature];
      gboolean yes = FALSE;

      switch (node->mode)
        {
          case SONDE_BRANCH_LEQ:
            yes = x <= node->threshold;
            break;
          case SONDE_BRANCH_LT:
            yes = x < node->threshold;
            break;
          case SONDE_BRANCH_GTE:
            yes = x >= node->threshold;
            break;
          case SONDE_BRANCH_GT:
            yes = x > node->threshold;
            break;
          case SONDE_BRANCH_EQ:
            yes = x == node->threshold;
            break;
          case SONDE_BRANCH_NEQ:
            yes = x != node->threshold;
            break;
          default:
            for (gint64 i = node->first; i < node->end && !yes; i++)
              yes = x == forest->sets[i];
        }
      yes = yes || (node->missing && x != x);
      node = &forest->nodes[yes ? node->yes : node->no];
    }
  return node;
}

G_END_DECLS
