/* SPDX-License-Identifier: Apache-2.0
 * How much parameters have to do with a result, over few samples: rank correlation, and the
 * permutation importance of a small random forest. Pure functions; the same numbers give the same
 * answer. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Below this many samples chance says as much as the parameters. */
#define SONDE_IMPORTANCE_FEW 20
/* More are thinned to this many, evenly. */
#define SONDE_IMPORTANCE_MAX_SAMPLES 500

/**
 * SondeImportance:
 * @correlation: Spearman's ρ, -1 … 1, over the samples that have both; ties have their mean rank.
 *   NaN: fewer than three, or one of them does not vary
 * @permutation: by how much the forest's error on samples that a tree has not seen grows when the
 *   parameter's values are shuffled, in parts of the result's variance; 0: nothing
 * @error: its standard error over the trees
 *
 * Source: C. Spearman, 1904; L. Breiman, "Random Forests", 2001, section 10.
 */
typedef struct
{
  double correlation, permutation, error;
} SondeImportance;

double sonde_rank_correlation (const double *x, gsize stride, const double *y, guint n);

/**
 * sonde_importance_compute:
 * @x: [n, m]; NaN: the sample does not have it
 * @y: [n], the result; samples that have no finite one are left out
 * @importances: (out) (array length=m)
 * @explained: (out): share of the result's variance that the forest predicts in samples that its
 *   trees have not seen; ≤ 0: it says nothing, and neither does @permutation
 *
 * Returns: how many samples were used; below 5 @permutation, @error and @explained are NaN
 */
guint sonde_importance_compute (const double *x, guint n, guint m, const double *y,
                                SondeImportance *importances, double *explained);

G_END_DECLS
