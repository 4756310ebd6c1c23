/* SPDX-License-Identifier: Apache-2.0
 * Means of the points of a series, as blocks: their extremes, and what is needed to compute any of them again. No
 * series here: points come through a reader, on any thread. */
#pragma once

#include "viewers/smoothing/sonde-smoothing-rule.h"

G_BEGIN_DECLS

#define SONDE_MEANS_BLOCK 64u
#define SONDE_MEANS_LEVELS 3
#define SONDE_MEANS_SHIFT 3 /* eight blocks of a level are one of the next */

/* @bucket: of the means in it */
typedef struct
{
  SondeBucket bucket;
  gint64 min_step, max_step;
} SondeMeanBlock;

/**
 * SondeMeans: of points [@begin, @n)
 * @begin: a multiple of SONDE_MEANS_BLOCK
 * @state: behind the last point
 * @first, @latest: to see that the series is still the same
 * @sorted: steps never went back: blocks are found by bisection
 * @levels: (element-type SondeMeanBlock)
 * @states: (element-type SondeMeanState): before each block of the first level
 */
typedef struct
{
  guint64 begin, n;
  SondeMeanState state;
  SondePoint first, latest;
  gboolean sorted;
  GArray *levels[SONDE_MEANS_LEVELS];
  GArray *states;
} SondeMeans;

SondeMeans *sonde_means_new (void);
/* Empty, to go on where the whole blocks before point @from of @means end. */
SondeMeans *sonde_means_new_behind (const SondeMeans *means, guint64 from);
void sonde_means_free (SondeMeans *means); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeMeans, sonde_means_free)

/**
 * sonde_means_extend:
 * @max: points at most
 *
 * Takes in the points behind those that are in, in parts of some thousands; the coarser levels wait for
 * sonde_means_join_levels(). Returns: how many; 0: @reader has no more
 */
gsize sonde_means_extend (SondeMeans *means, const SondeSmoothingRule *rule,
                          const SondePointReader *reader, gsize max);
/* Makes the coarser levels from point @from on. */
void sonde_means_join_levels (SondeMeans *means, guint64 from);
/* @more, of sonde_means_new_behind() @means, in the place of what they hold from there on. */
void sonde_means_join (SondeMeans *means, const SondeMeans *more);
/* Gives up points from @n on, in whole blocks; nothing is known of the latest then. */
void sonde_means_cut (SondeMeans *means, guint64 n);

/* As sonde_series_query(), of the means; NaN points change nothing and are left out. (transfer full) (element-type
 * SondeBucket) */
GArray *sonde_means_query (const SondeMeans *means, const SondeSmoothingRule *rule,
                           const SondePointReader *reader, gint64 from_step, gint64 to_step,
                           guint max_buckets);

/* ---- between the files of means ------------------------------------------ */

#define SONDE_MEANS_CHUNK 4096u /* points computed at once */

void sonde_mean_bucket_merge (SondeBucket *into, const SondeBucket *other);
void sonde_mean_bucket_add (SondeBucket *bucket, const SondePointSpan *span, gsize i, double mean);

G_END_DECLS
