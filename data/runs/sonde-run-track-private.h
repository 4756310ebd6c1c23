/* SPDX-License-Identifier: Apache-2.0
 * A track: everything a run holds of one tag and kind, as the owner's thread sees it: parts (one a
 * file, in file order) of blocks. A block's columns may be in memory or only in the index; what is
 * in the index too can be dropped from memory, so a cache bounds how much stays. No GObject
 * here. */
#pragma once

#include "data/runs/sonde-run-block-private.h"
#include "data/runs/sonde-series-snapshot.h"

G_BEGIN_DECLS

typedef struct _SondeRunTrack SondeRunTrack;
typedef struct _SondeRunCachedBlock SondeRunCachedBlock;

/**
 * SondeRunBlockSource: where blocks are read that are not in memory
 * @load_columns: required: the first @n points of row @id; NULL when they cannot be had
 * @load_units: required: the first @n buckets of row @id into @units
 * @locate: optional: the index that holds them, for other threads. Returns: its path (nullable)
 * @lost: required: a row that should be there is not; the run has to be read again
 */
typedef struct
{
  SondeColumns *(*load_columns) (gpointer owner, gint64 id, guint n);
  gboolean (*load_units) (gpointer owner, gint64 id, SondeBucket *units, guint n);
  const char *(*locate) (gpointer owner, gint64 *epoch);
  void (*lost) (gpointer owner);
} SondeRunBlockSource;

/* Memory of blocks that could be read again, oldest first; one a store. */
typedef struct
{
  gsize bytes, limit;
  GQueue blocks; /* element-type SondeRunCachedBlock, by their link */
} SondeRunCache;

#define SONDE_RUN_CACHE_BYTES ((gsize) 48 << 20)

void sonde_run_cache_init (SondeRunCache *cache, gsize limit);

/* @tag: interned. @cache, @source and @owner outlive the track. */
SondeRunTrack *sonde_run_track_new (const char *tag, SondeRunCache *cache,
                                    const SondeRunBlockSource *source, gpointer owner);
void sonde_run_track_free (SondeRunTrack *track);

const char *sonde_run_track_get_tag (const SondeRunTrack *track);
guint64 sonde_run_track_get_n_points (const SondeRunTrack *track);

/**
 * sonde_run_track_put_block:
 * @file: number of the file; @order: its path, which gives the order of the parts
 * @block: takes a reference; a known number or the next. Without columns it is saved; columns that
 *   are known of the same points stay
 */
void sonde_run_track_put_block (SondeRunTrack *track, guint file, GRefString *order,
                                SondeRunBlock *block);
/* Its points are gone: the file was replaced, cut or deleted. */
void sonde_run_track_drop_file (SondeRunTrack *track, guint file);

gboolean sonde_run_track_get_last (const SondeRunTrack *track, SondePoint *point);
gboolean sonde_run_track_get_range (const SondeRunTrack *track, gint64 *first_step,
                                    gint64 *last_step, double *min, double *max);
gsize sonde_run_track_copy_points (SondeRunTrack *track, guint64 first, gsize n,
                                   SondePoint *points);
/* As sonde_series_lend_points(). */
gsize sonde_run_track_lend_points (SondeRunTrack *track, guint64 first, gsize n,
                                   SondePointSpan *span);
/* As sonde_series_snapshot_new(). @track: (nullable): NULL: of no points */
SondeSeriesSnapshot *sonde_run_track_take_snapshot (SondeRunTrack *track, guint64 first);
/* As sonde_run_list_blobs(). */
GArray *sonde_run_track_list_blobs (SondeRunTrack *track);
/* As sonde_series_query(). */
GArray *sonde_run_track_query (SondeRunTrack *track, gint64 from_step, gint64 to_step,
                               guint max_buckets);

/* ---- for sonde-run-query.c ----------------------------------------------- */

/**
 * SondeRunCachedBlock: a block and what is in memory of it
 * @columns: (nullable) of a saved block
 * @units: (nullable); SONDE_BLOCK_UNITS, the first @n_units are filled
 * @cached_bytes: as counted by the cache; 0: not in its queue
 */
struct _SondeRunCachedBlock
{
  SondeRunTrack *track;
  SondeRunBlock *block;
  SondeColumns *columns;
  SondeBucket *units;
  guint n_units;
  gsize cached_bytes;
  GList link;
};

typedef struct
{
  guint file;
  GRefString *order;
  GPtrArray *blocks; /* element-type SondeRunCachedBlock */
} SondeRunTrackPart;

/* (element-type SondeRunTrackPart): in file order */
GPtrArray *sonde_run_track_get_parts (SondeRunTrack *track);
/* As the source's locate(). */
const char *sonde_run_track_locate (SondeRunTrack *track, gint64 *epoch);
/* Returns: (transfer full) (nullable): the block's columns, read from the index if need be */
SondeColumns *sonde_run_cached_block_get_columns (SondeRunCachedBlock *cached);
/* Returns: (transfer none) (nullable): all whole units, until the next call for any block */
const SondeBucket *sonde_run_cached_block_get_units (SondeRunCachedBlock *cached);

G_END_DECLS
