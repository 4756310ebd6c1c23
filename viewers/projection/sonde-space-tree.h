/* SPDX-License-Identifier: Apache-2.0
 * Points of a plane or a space in a tree of halved cells, and what they do to each other by
 * Student's t kernel when a far cell counts as one point (Barnes and Hut). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SONDE_SPACE_LEAF 16 /* points at most, unless they share a cell of the finest grid */

/* @centre: of mass; @width: of the box around its points; @next: what follows its subtree */
typedef struct
{
  float centre[3], width;
  guint32 first, n, next;
  gboolean leaf;
} SondeSpaceCell;

/**
 * SondeSpaceTree:
 * @order: [n]: points along the curve that the cells lie on; @places: [3, n]: theirs in that order
 * @cells: a cell, its subtree, its sibling
 * @groups: [n_groups + 1]: where runs of at most SONDE_SPACE_LEAF points of one leaf begin
 */
typedef struct
{
  gsize n, n_cells, n_groups;
  int dims;
  guint32 *order, *groups;
  float *places;
  SondeSpaceCell *cells;
  /* working memory */
  gsize cells_room, groups_room;
  guint64 *keys, *other_keys;
  guint32 *other_order;
} SondeSpaceTree;

/* @dims: 2 or 3 */
SondeSpaceTree *sonde_space_tree_new (gsize n, int dims);
void sonde_space_tree_free (SondeSpaceTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSpaceTree, sonde_space_tree_free)

/* @places: [n, dims], finite */
void sonde_space_tree_build (SondeSpaceTree *tree, const float *places);

/**
 * sonde_space_tree_repel:
 * @group: one of n_groups
 * @angle: a cell whose width is less than that part of its distance from the group's box is one point
 * @forces: (inout): [n, dims], of points as given: Σ_j q² (y_i − y_j), q = 1 / (1 + |y_i − y_j|²);
 *   those of the group's points are written
 *
 * Returns: Σ_i Σ_{j ≠ i} q of the group's points
 */
double sonde_space_tree_repel (const SondeSpaceTree *tree, gsize group, float angle, float *forces);

G_END_DECLS
