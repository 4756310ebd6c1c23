/* SPDX-License-Identifier: Apache-2.0
 * What watchpoints want to know of a value, in one pass over memory: extremes, sums, counts, how
 * many elements lie in ranges, how far they are from what they were. Statistics for people, with a
 * standard deviation, are in sonde-statistics.h. */
#pragma once

#include "data/values/sonde-dtype.h"

G_BEGIN_DECLS

#define SONDE_FACTS_MAX 8 /* ranges, and tolerances, of one pass */

/* Both ends belong to it. */
typedef struct
{
  double low, high;
} SondeFactsRange;

/* |new − old| ≤ absolute + relative·|old| */
typedef struct
{
  double relative, absolute;
} SondeFactsTolerance;

/**
 * SondeFactsRequest: zero-initialise
 * @exact: sums of float32 in double; else in float over 1,024 elements and in double over those:
 *   twice as fast, and off by at most SONDE_FACTS_ERROR of @abs_sum
 */
typedef struct
{
  gboolean exact;
  guint n_ranges;
  SondeFactsRange ranges[SONDE_FACTS_MAX];
  guint n_tolerances;
  SondeFactsTolerance tolerances[SONDE_FACTS_MAX];
} SondeFactsRequest;

#define SONDE_FACTS_ERROR 8e-6

/**
 * SondeFacts: begin with sonde_facts_init()
 * @count: all elements
 * @min, @max, @sum, @abs_sum: over the finite elements; +∞ and −∞ when there is none
 * @zeros: elements equal to 0 (also −0)
 * @in_range: by range: elements in it (NaN is in none)
 * @has_change: there was a value before
 * @abs_change, @abs_old: sums of |new − old| and |old|, always in double; NaN when any element is
 * @within: by tolerance: elements that did not change by more
 */
typedef struct
{
  gint64 count, zeros, nan, pos_inf, neg_inf;
  double min, max, sum, abs_sum;
  gint64 in_range[SONDE_FACTS_MAX];
  gboolean has_change;
  double abs_change, abs_old;
  gint64 within[SONDE_FACTS_MAX];
} SondeFacts;

void sonde_facts_init (SondeFacts *facts);

/**
 * sonde_facts_add:
 * @data: @n contiguous elements of @dtype (not STRING), in any order
 * @previous: (nullable): what they were, in the same order
 */
void sonde_facts_add (SondeFacts *facts, const SondeFactsRequest *request, SondeDtype dtype,
                      const void *data, const void *previous, gsize n);

/* Facts of the union of two disjoint sets, from theirs, asked for by the same request. */
void sonde_facts_merge (SondeFacts *into, const SondeFacts *other);

static inline gint64
sonde_facts_n_finite (const SondeFacts *facts)
{
  return facts->count - facts->nan - facts->pos_inf - facts->neg_inf;
}

/* NaN when there is no finite element. */
double sonde_facts_mean (const SondeFacts *facts);
double sonde_facts_abs_mean (const SondeFacts *facts);

G_END_DECLS
