/* SPDX-License-Identifier: Apache-2.0
 * Whether two series of measurements differ, without assuming how they are distributed. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * sonde_rank_test:
 *
 * Two-sided Mann-Whitney test with midranks for ties. Up to 60 measurements together the distribution of
 * the rank sum is counted exactly, also with ties; beyond that it is the normal approximation with tie
 * and continuity correction. Source: H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18 (1947).
 *
 * Returns: p; 1 when one side is empty.
 */
double sonde_rank_test (const double *a, gsize n_a, const double *b, gsize n_b);

/* Adjusts @p in place for having made @n tests. Source: Y. Benjamini, Y. Hochberg, Journal of the Royal
 * Statistical Society B 57 (1995). */
void sonde_rank_test_adjust (double *p, gsize n);

/* The median of @n values, and the quantile @q in [0, 1] by linear interpolation; NaN of none. */
double sonde_quantile (const double *values, gsize n, double q);
/* The same, in less than the time of sorting; @values are in another order afterwards. */
double sonde_quantile_take (double *values, gsize n, double q);

G_END_DECLS
