/* SPDX-License-Identifier: Apache-2.0
 * Two trees of calls as one: equal paths together, as wide as the mean of what a step of both spends there. */
#pragma once

#include "viewers/layout/trace/sonde-flame-tree.h"

G_BEGIN_DECLS

/* A side of it. @n_steps: > 0: what its times are divided by */
typedef struct
{
  const SondeFlameTree *tree;
  double n_steps;
} SondeFlameSide;

/**
 * SondeFlameDifference:
 * @tree: its totals are the means of both sides, ns a step; its names are lent by the sides' traces;
 *   SondeFlameNode.n is a place in the arrays
 * @base_ns, @other_ns: of a step, with what is inside
 * @is_sure: whether the frame is one of those that differ beyond noise
 */
typedef struct
{
  SondeFlameTree *tree;
  double *base_ns, *other_ns;
  guint8 *is_sure;
} SondeFlameDifference;

/* @sure: (nullable) (element-type utf8): a set of names. The sides may be freed afterwards, their traces not.
 * (transfer full) */
SondeFlameDifference *sonde_flame_difference_new (const SondeFlameSide *base,
                                                  const SondeFlameSide *other, GHashTable *sure);
void sonde_flame_difference_free (SondeFlameDifference *difference); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeFlameDifference, sonde_flame_difference_free)

/* Change of a frame from -1, it is gone, over 0 to 1, it is new. */
double sonde_flame_difference_get_change (const SondeFlameDifference *difference, guint32 node);

G_END_DECLS
