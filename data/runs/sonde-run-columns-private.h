/* SPDX-License-Identifier: Apache-2.0
 * Points as columns, in blocks of a few thousand, and their summaries: the pyramid is points, units
 * of 64 points, chunks of 8 units, blocks of 8 chunks. Chunks are part of a block's summary, which
 * is always in memory; units are fetched. Blob references use the same columns (the value is a
 * place). What does not live here: which blocks a series has (sonde-run-track), where they are
 * stored. */
#pragma once

#include "data/runs/sonde-series-snapshot.h"

G_BEGIN_DECLS

#define SONDE_BLOCK_POINTS 4096u
#define SONDE_UNIT_POINTS 64u
#define SONDE_CHUNK_POINTS 512u
#define SONDE_BLOCK_UNITS (SONDE_BLOCK_POINTS / SONDE_UNIT_POINTS)
#define SONDE_BLOCK_CHUNKS (SONDE_BLOCK_POINTS / SONDE_CHUNK_POINTS)

/**
 * SondeColumns: @capacity points, one allocation
 * @units: (nullable): of a full block, once sonde_columns_compute_units() was called; whoever knows
 *   of fewer points must not look at it
 *
 * One thread appends behind the points that others know of; those never change. A block that
 * outgrows its capacity is copied into a larger one, the old one lives as long as somebody reads
 * it.
 */
typedef struct
{
  gint ref_count;
  guint capacity;
  gint64 *steps;
  gint64 *walls; /* ns */
  union
  {
    double *values;
    guint64 *places;
  };
  guint32 *sessions;
  SondeBucket *units;
} SondeColumns;

SondeColumns *sonde_columns_new (guint capacity);
SondeColumns *sonde_columns_ref (SondeColumns *columns);
void sonde_columns_unref (SondeColumns *columns); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeColumns, sonde_columns_unref)

/* A copy of the first @n points with room for @capacity. */
SondeColumns *sonde_columns_copy (const SondeColumns *columns, guint n, guint capacity);

/**
 * sonde_columns_serialise:
 *
 * Bytes for the index, host byte order, column after column, each in the smallest of a few forms
 * that gives back every bit: equal distances, 32-bit differences, float32, raw. A block of a usual
 * training takes 8 to 12 bytes a point. The first points can be read without the others.
 */
GBytes *sonde_columns_serialise (const SondeColumns *columns, guint n);
/* The first @n of the points in @data. (nullable): NULL when the bytes are not right */
SondeColumns *sonde_columns_parse (const void *data, gsize length, guint n);

/* Points [@first, @first + @n), as long as the columns live. */
void sonde_columns_lend (const SondeColumns *columns, guint first, guint n, SondePointSpan *span);

/* Points [from, to) appended to what @bucket holds; an empty bucket has count 0. */
void sonde_bucket_add_points (SondeBucket *bucket, const SondeColumns *columns, guint from,
                              guint to);
/* @next follows @bucket. */
void sonde_bucket_merge (SondeBucket *bucket, const SondeBucket *next);

/**
 * SondeBlockSummary: of the points of one block
 * @min_step, @max_step: steps may go back
 * @finite_min, @finite_max: NaN when no value is finite
 * @last_session: of its last point
 * @sorted: steps never go back
 * @chunks: the first ⌈points / SONDE_CHUNK_POINTS⌉ are filled, the last of them perhaps in part
 *
 * Stored in the index as it lies in memory, without the chunks that are empty: a change here is a
 * new SONDE_RUN_INDEX_SCHEMA.
 */
typedef struct
{
  SondeBucket bucket;
  gint64 min_step, max_step;
  double finite_min, finite_max;
  guint32 last_session;
  guint32 sorted;
  SondeBucket chunks[SONDE_BLOCK_CHUNKS];
} SondeBlockSummary;

/* Bytes of the summary of @n points as stored. */
gsize sonde_block_summary_get_size (guint n);
/* It and each of its chunks count as many as @n points have. */
gboolean sonde_block_summary_has_points (const SondeBlockSummary *summary, guint n);
/* Zeroed is an empty summary; points are added in order, @from is their number so far. */
void sonde_block_summary_add_points (SondeBlockSummary *summary, const SondeColumns *columns,
                                     guint from, guint to);

/* Buckets of whole units [from, to) into @units[from…]. */
void sonde_units_compute (SondeBucket *units, const SondeColumns *columns, guint from, guint to);
/* Those of a full block, into @columns. */
void sonde_columns_compute_units (SondeColumns *columns);

G_END_DECLS
