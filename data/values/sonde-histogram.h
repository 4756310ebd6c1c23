/* SPDX-License-Identifier: Apache-2.0
 * Histograms with fixed edges common to all steps and runs, so that they merge exactly: 8 bins an
 * octave in magnitude, both signs, plus zero, NaN and ±Inf.
 *
 * Bin k ≥ 0 of a sign holds 2^(SONDE_HISTOGRAM_MIN_EXPONENT + k/8) ≤ |x| < 2^(… + (k+1)/8); smaller
 * magnitudes count as bin 0, larger finite ones as the last bin. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

#define SONDE_HISTOGRAM_BINS_PER_OCTAVE 8
#define SONDE_HISTOGRAM_MIN_EXPONENT (-40)
#define SONDE_HISTOGRAM_MAX_EXPONENT 40
#define SONDE_HISTOGRAM_N_BINS                                                                     \
  ((SONDE_HISTOGRAM_MAX_EXPONENT - SONDE_HISTOGRAM_MIN_EXPONENT) * SONDE_HISTOGRAM_BINS_PER_OCTAVE)

/**
 * SondeHistogram:
 * @negative: counts of x < 0 by magnitude; index 0 is the smallest magnitude
 * @positive: counts of x > 0
 * @min: smallest finite element, NaN when none; also @max; @sum and @sum_squares over finite ones
 */
typedef struct
{
  guint64 negative[SONDE_HISTOGRAM_N_BINS];
  guint64 positive[SONDE_HISTOGRAM_N_BINS];
  guint64 zero, nan, pos_inf, neg_inf;
  double min, max, sum, sum_squares;
} SondeHistogram;

void sonde_histogram_init (SondeHistogram *histogram); /* empty */

/* Adds all elements of @tensor (any numeric dtype and strides); vectorised for float32. */
void sonde_histogram_add (SondeHistogram *histogram, const SondeTensor *tensor);
void sonde_histogram_merge (SondeHistogram *into, const SondeHistogram *other);

guint64 sonde_histogram_count (const SondeHistogram *histogram);

/* Edges of a bin: 0 < *lower < *upper, as magnitudes. */
void sonde_histogram_bin_edges (int bin, double *lower, double *upper);

/* The bin of a magnitude > 0, clamped to [0, SONDE_HISTOGRAM_N_BINS). */
int sonde_histogram_bin_of (double magnitude);

/* Quantile of the finite elements by linear interpolation inside a bin; @q in [0, 1]; NaN if
 * empty. */
double sonde_histogram_quantile (const SondeHistogram *histogram, double q);

G_END_DECLS
