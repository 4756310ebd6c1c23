/* SPDX-License-Identifier: Apache-2.0
 * One value of two runs, or two values of one, side by side: for diff, rerun and whole branches. */
#pragma once

#include "data/values/sonde-statistics.h"
#include "engine/debug/sonde-compare.h"

G_BEGIN_DECLS

/**
 * SondeDifference: strings are owned
 * @value: its name, or both as they were asked for
 * @node, @op: (nullable): what makes it
 * @place: (nullable): of the element that is furthest off, as "[0, 2]"
 * @a, @b: statistics of both; @b is the reference
 * @problem: (nullable): why they could not be compared; the numbers are not valid then
 */
typedef struct
{
  char *value;
  char *node;
  char *op;
  char *place;
  SondeDtype dtype;
  SondeShape shape;
  SondeComparison comparison;
  SondeStatistics a, b;
  char *problem;
} SondeDifference;

void sonde_difference_free (SondeDifference *difference);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDifference, sonde_difference_free)

/* @node, @op: (nullable). What cannot be compared is told in ->problem. Returns: (transfer full) */
SondeDifference *sonde_difference_new (const char *value, const char *node, const char *op,
                                       SondeTensor *a, SondeTensor *b);

G_END_DECLS
