/* SPDX-License-Identifier: Apache-2.0
 * Statistics of a tensor in one vectorised pass. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/**
 * SondeStatistics:
 * @count: all elements
 * @min: over the finite elements, NaN when there is none; so are @max, @mean, @std, @abs_mean
 * @std: population standard deviation
 * @zeros: elements equal to 0 (also -0)
 * @negatives: finite elements < 0
 */
typedef struct
{
  gint64 count;
  double min, max, mean, std, abs_mean;
  gint64 zeros, negatives, nan, pos_inf, neg_inf;
} SondeStatistics;

/**
 * sonde_statistics_compute:
 *
 * One pass over @tensor (any numeric dtype, any strides), sums in double. Reaches memory bandwidth
 * for contiguous float32. The result does not depend on the number of threads (it runs on the
 * caller's). An empty tensor has count 0 and NaN. STRING: only @count is set.
 */
void sonde_statistics_compute (const SondeTensor *tensor, SondeStatistics *result);

/* The same over @n contiguous elements. */
void sonde_statistics_compute_data (SondeDtype dtype, const void *data, gsize n,
                                    SondeStatistics *result);

/* Statistics of the union of two disjoint sets, from theirs. */
void sonde_statistics_merge (SondeStatistics *into, const SondeStatistics *other);

G_END_DECLS
