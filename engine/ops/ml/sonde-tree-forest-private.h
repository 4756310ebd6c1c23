/* SPDX-License-Identifier: Apache-2.0
 * Decision trees as the operators of ai.onnx.ml run them: one flat array of nodes, checked once. */
#pragma once

#include "engine/ops/ml/sonde-machine-learning-private.h"

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
 * @next: numbers of nodes: where no leads, and where yes leads
 * @first, @end: of a leaf: its votes; of MEMBER: its set, in ascending order
 */
typedef struct
{
  double threshold;
  gint32 next[2];
  gint32 feature;
  gint32 first, end;
  guint8 mode;
  guint8 missing;
} SondeTreeNode;

/**
 * SondeForest:
 * @roots: numbers of nodes, one a tree
 * @sets: of the MEMBER nodes, one after the other
 * @columns: features that its nodes look at, at least
 * @mode: of all nodes but the leaves, if there is only one and NaN goes the way of no; else LEAF
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
  gint64 columns;
  SondeBranchMode mode;
} SondeForest;

void sonde_forest_clear (SondeForest *forest);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeForest, sonde_forest_clear)

/**
 * sonde_forest_init:
 * @node: TreeEnsembleClassifier, TreeEnsembleRegressor or TreeEnsemble
 * @columns: features that a row has, -1: not known
 * @targets: votes must be for less than that
 *
 * Errors: SHAPE: lists of different lengths, unknown modes, ids that are not there or there twice,
 * nodes with two parents (which is what a cycle needs), features and targets out of range.
 */
gboolean sonde_forest_init (SondeForest *forest, const SondeNode *node, gint64 columns,
                            gint64 targets, GError **error);

/**
 * sonde_forest_walk:
 * @row: its features
 * @leaves: (out): by tree: the leaf that @row falls into
 */
void sonde_forest_walk (const SondeForest *forest, const double *row, const SondeTreeNode **leaves);

G_END_DECLS
