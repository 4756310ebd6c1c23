/* SPDX-License-Identifier: Apache-2.0
 * A track: everything a run holds of one tag and kind, as the owner's thread sees it: parts (one a
 * file, in file order) of blocks. A block's columns may be in memory or only in the index; what is
 * in the index too can be dropped from memory, so a cache bounds how much stays. No GObject
 * here. */
#pragma once

#include "data/runs/sonde-run-columns-private.h"

G_BEGIN_DECLS

typedef struct _SondeRunTrack SondeRunTrack;
typedef struct _SondeRunBlock SondeRunBlock;

/**
 * SondeRunBlockSource: where blocks are read that are not in memory
 * @load_columns: required: the first @n points of row @id; NULL when they cannot be had
 * @load_units: required: the first @n buckets of row @id into @units
 * @lost: required: a row that should be there is not; the run has to be read again
 * @begin, @end: (optional, both or none): around the loads of one call, so that they can share a
 *   transaction; begun and ended within the call
 */
typedef struct
{
  SondeColumns *(*load_columns) (gpointer owner, gint64 id, guint n);
  gboolean (*load_units) (gpointer owner, gint64 id, SondeBucket *units, guint n);
  void (*lost) (gpointer owner);
  void (*begin) (gpointer owner);
  void (*end) (gpointer owner);
} SondeRunBlockSource;

/* Memory of blocks that could be read again, oldest first; one a store. */
typedef struct
{
  gsize bytes, limit;
  GQueue blocks; /* element-type SondeRunBlock, by their link */
} SondeRunCache;

#define SONDE_RUN_CACHE_BYTES ((gsize) 48 << 20)

void sonde_run_cache_init (SondeRunCache *cache, gsize limit);

/* @tag: interned. @cache, @source and @owner outlive the track. */
SondeRunTrack *sonde_run_track_new (const char *tag, SondeRecordKind kind, SondeRunCache *cache,
                                    const SondeRunBlockSource *source, gpointer owner);
void sonde_run_track_free (SondeRunTrack *track);

const char *sonde_run_track_get_tag (const SondeRunTrack *track);
SondeRecordKind sonde_run_track_get_kind (const SondeRunTrack *track);
guint64 sonde_run_track_get_n_points (const SondeRunTrack *track);

/**
 * sonde_run_track_put_block:
 * @file: number of the file; @order: (transfer none): its path, which gives the order of the parts
 * @number: of the block in this file: 0, 1, 2 …; a known one or the next
 * @columns: (nullable): takes a reference; NULL leaves what is known, or says that it is in the
 * index
 * @n: points of it that may be read; all blocks but a part's last have SONDE_BLOCK_POINTS
 * @id: row in the index that holds these @n points (and perhaps more), 0 when there is none (yet)
 */
void sonde_run_track_put_block (SondeRunTrack *track, guint file, const char *order, guint number,
                                SondeColumns *columns, guint n, const SondeBlockSummary *summary,
                                gint64 id);
/* Its points are gone: the file was replaced, cut or deleted. */
void sonde_run_track_drop_file (SondeRunTrack *track, guint file);

gboolean sonde_run_track_get_last (const SondeRunTrack *track, SondePoint *point);
gboolean sonde_run_track_get_range (const SondeRunTrack *track, gint64 *first_step,
                                    gint64 *last_step, double *min, double *max);
gsize sonde_run_track_copy_points (SondeRunTrack *track, guint64 first, gsize n,
                                   SondePoint *points);
/* As sonde_run_list_blobs(). */
GArray *sonde_run_track_list_blobs (SondeRunTrack *track);
/* As sonde_series_query(). */
GArray *sonde_run_track_query (SondeRunTrack *track, gint64 from_step, gint64 to_step,
                               guint max_buckets);

/* ---- for sonde-run-query.c ----------------------------------------------- */

struct _SondeRunBlock
{
  SondeRunTrack *track;
  guint n;
  gint64 id;
  SondeColumns *columns; /* (nullable) with an id */
  SondeBucket *units;    /* (nullable); SONDE_BLOCK_UNITS, the first @n_units are filled */
  guint n_units;
  SondeBlockSummary summary;
  gsize cached_bytes; /* as counted by the cache; 0: not in its queue */
  GList link;
};

typedef struct
{
  guint file;
  char *order;
  GPtrArray *blocks; /* element-type SondeRunBlock */
} SondeRunTrackPart;

void sonde_run_track_begin_loads (SondeRunTrack *track);
void sonde_run_track_end_loads (SondeRunTrack *track);
/* (element-type SondeRunTrackPart): in file order */
GPtrArray *sonde_run_track_get_parts (SondeRunTrack *track);
/* Returns: (transfer full) (nullable): the block's columns, read from the index if need be */
SondeColumns *sonde_run_block_get_columns (SondeRunBlock *block);
/* Returns: (transfer none) (nullable): all whole units, until the next call for any block */
const SondeBucket *sonde_run_block_get_units (SondeRunBlock *block);

G_END_DECLS
