/* SPDX-License-Identifier: Apache-2.0
 * A histogram on the bins that its writer chose, as TensorBoard and MindSpore store it. Our own
 * histograms have edges common to all steps (sonde-histogram.h) and are never squeezed into
 * this. */
#pragma once

#include "data/values/sonde-histogram.h"

G_BEGIN_DECLS

/**
 * SondeBins:
 * @lefts, @rights, @counts: (array length=n): bins by left edge; they may touch, overlap or have no
 *   width (never divide by it blindly); counts may be fractions
 * @count: all elements; NaN when the writer did not say, as are the four below
 * @min, @max, @sum, @sum_squares: over the finite elements
 * @nan, @pos_inf, @neg_inf: 0 when the writer did not say
 *
 * One allocation.
 */
typedef struct
{
  gsize n;
  double *lefts, *rights, *counts;
  double count, min, max, sum, sum_squares;
  guint64 nan, pos_inf, neg_inf;
} SondeBins;

/* @n zeroed bins; what is only a fact is NaN. Returns: NULL when there is no memory for so many */
SondeBins *sonde_bins_new (gsize n);
SondeBins *sonde_bins_copy (const SondeBins *bins); /* NULL of NULL */
void sonde_bins_free (SondeBins *bins);             /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeBins, sonde_bins_free)

gsize sonde_bins_n_bytes (const SondeBins *bins); /* 0 of NULL */

/* Sum of the counts; what @count should be. */
double sonde_bins_total (const SondeBins *bins);

/* The bins of our own kind that hold something, from the least to the largest value; zero is a bin
 * without width. So whoever shows histograms needs to know one sort. */
SondeBins *sonde_bins_from_histogram (const SondeHistogram *histogram);

/* Finite range: @min and @max where they are known, else the limits of the bins that hold
 * something. FALSE when nothing finite is in it. */
gboolean sonde_bins_get_range (const SondeBins *bins, double *low, double *high);

/* Mean and population standard deviation of the finite elements; NaN when the sums are not known. */
double sonde_bins_mean (const SondeBins *bins);
double sonde_bins_std (const SondeBins *bins);

/* Number of the bin that holds @value, with its right edge where no other begins; -1 when none
 * does. */
gssize sonde_bins_find (const SondeBins *bins, double value);

/* Quantile by linear interpolation inside a bin, within the range; @q in [0, 1]; NaN if empty. */
double sonde_bins_quantile (const SondeBins *bins, double q);

G_END_DECLS
