/* SPDX-License-Identifier: Apache-2.0
 * Parts and blocks of a track, and the cache of what could be read from the index again. Windows
 * over the points are in sonde-run-query.c. */
#include "data/runs/sonde-run-track-private.h"

#include <math.h>
#include <string.h>

struct _SondeRunTrack
{
  const char *tag;
  SondeRunCache *cache;
  const SondeRunBlockSource *source;
  gpointer owner;
  GPtrArray *parts;
  guint64 n_points;
};

void
sonde_run_cache_init (SondeRunCache *cache, gsize limit)
{
  cache->bytes = 0;
  cache->limit = limit;
  g_queue_init (&cache->blocks);
}

/* ---- blocks -------------------------------------------------------------- */

static void
leave_cache (SondeRunCachedBlock *cached)
{
  SondeRunCache *cache = cached->track->cache;

  if (cached->cached_bytes == 0)
    return;
  g_queue_unlink (&cache->blocks, &cached->link);
  cache->bytes -= cached->cached_bytes;
  cached->cached_bytes = 0;
}

static void
drop_memory (SondeRunCachedBlock *cached)
{
  leave_cache (cached);
  g_clear_pointer (&cached->columns, sonde_columns_unref);
  g_clear_pointer (&cached->units, g_free);
  cached->n_units = 0;
}

/* Moves the block to the young end and drops old ones until the limit holds; @cached itself
 * stays. */
static void
enter_cache (SondeRunCachedBlock *cached)
{
  SondeRunCache *cache = cached->track->cache;
  gsize bytes = 0;

  leave_cache (cached);
  if (!sonde_run_block_is_saved (cached->block))
    return;
  if (cached->columns)
    bytes += cached->columns->capacity * (gsize) (3 * sizeof (gint64) + sizeof (guint32));
  if (cached->units)
    bytes += SONDE_BLOCK_UNITS * sizeof (SondeBucket);
  if (bytes == 0)
    return;
  cached->cached_bytes = bytes;
  cache->bytes += bytes;
  cached->link.data = cached;
  g_queue_push_tail_link (&cache->blocks, &cached->link);
  while (cache->bytes > cache->limit && cache->blocks.head != &cached->link)
    drop_memory (cache->blocks.head->data);
}

static void
cached_block_free (gpointer data)
{
  SondeRunCachedBlock *cached = data;

  drop_memory (cached);
  sonde_run_block_unref (cached->block);
  g_free (cached);
}

SondeColumns *
sonde_run_cached_block_get_columns (SondeRunCachedBlock *cached)
{
  SondeRunTrack *track = cached->track;
  const SondeRunBlock *block = cached->block;

  if (!cached->columns && block->row)
    {
      cached->columns = track->source->load_columns (track->owner, block->row, block->n);
      if (!cached->columns)
        track->source->lost (track->owner);
    }
  if (!cached->columns)
    return NULL;
  enter_cache (cached);
  return sonde_columns_ref (cached->columns);
}

const SondeBucket *
sonde_run_cached_block_get_units (SondeRunCachedBlock *cached)
{
  SondeRunTrack *track = cached->track;
  const SondeRunBlock *block = cached->block;
  guint n_units = block->n / SONDE_UNIT_POINTS;

  if (cached->n_units == n_units && cached->units)
    return cached->units;
  if (block->n == SONDE_BLOCK_POINTS && cached->columns && cached->columns->units)
    return cached->columns->units;
  if (!cached->units)
    cached->units = g_new (SondeBucket, SONDE_BLOCK_UNITS);
  if (cached->columns)
    sonde_units_compute (cached->units, cached->columns, cached->n_units, n_units);
  else if (!track->source->load_units (track->owner, block->row, cached->units, n_units))
    {
      g_clear_pointer (&cached->units, g_free);
      track->source->lost (track->owner);
      return NULL;
    }
  cached->n_units = n_units;
  enter_cache (cached);
  return cached->units;
}

/* ---- the track ----------------------------------------------------------- */

static void
part_free (gpointer data)
{
  SondeRunTrackPart *part = data;

  g_ptr_array_unref (part->blocks);
  g_ref_string_release (part->order);
  g_free (part);
}

SondeRunTrack *
sonde_run_track_new (const char *tag, SondeRunCache *cache, const SondeRunBlockSource *source,
                     gpointer owner)
{
  SondeRunTrack *track = g_new0 (SondeRunTrack, 1);

  track->tag = tag;
  track->cache = cache;
  track->source = source;
  track->owner = owner;
  track->parts = g_ptr_array_new_with_free_func (part_free);
  return track;
}

void
sonde_run_track_free (SondeRunTrack *track)
{
  if (!track)
    return;
  g_ptr_array_unref (track->parts);
  g_free (track);
}

const char *
sonde_run_track_get_tag (const SondeRunTrack *track)
{
  return track->tag;
}

guint64
sonde_run_track_get_n_points (const SondeRunTrack *track)
{
  return track->n_points;
}

GPtrArray *
sonde_run_track_get_parts (SondeRunTrack *track)
{
  return track->parts;
}

const char *
sonde_run_track_locate (SondeRunTrack *track, gint64 *epoch)
{
  *epoch = 0;
  return track->source->locate ? track->source->locate (track->owner, epoch) : NULL;
}

static SondeRunTrackPart *
track_ensure_part (SondeRunTrack *track, guint file, GRefString *order)
{
  SondeRunTrackPart *part;
  guint at = 0;

  for (; at < track->parts->len; at++)
    {
      part = g_ptr_array_index (track->parts, at);
      if (part->file == file)
        return part;
      if (strcmp (order, part->order) < 0)
        break;
    }
  part = g_new0 (SondeRunTrackPart, 1);
  part->file = file;
  part->order = g_ref_string_acquire (order);
  part->blocks = g_ptr_array_new_with_free_func (cached_block_free);
  g_ptr_array_insert (track->parts, at, part);
  return part;
}

/* @block in the place of what is known, whose columns stay when they are of the same points. */
static void
replace_block (SondeRunCachedBlock *cached, SondeRunBlock *block)
{
  gboolean same_points = cached->block && cached->block->n == block->n;

  if (!same_points && !block->columns)
    drop_memory (cached);
  if (block->columns && block->columns != cached->columns)
    {
      g_clear_pointer (&cached->columns, sonde_columns_unref);
      cached->columns = sonde_columns_ref (block->columns);
    }
  g_clear_pointer (&cached->block, sonde_run_block_unref);
  /* so that only @cached holds columns that could be dropped */
  cached->block = sonde_run_block_is_saved (block) && block->columns
                      ? sonde_run_block_new_saved (block, block->row)
                      : sonde_run_block_ref (block);
  enter_cache (cached);
}

void
sonde_run_track_put_block (SondeRunTrack *track, guint file, GRefString *order,
                           SondeRunBlock *block)
{
  SondeRunTrackPart *part = track_ensure_part (track, file, order);
  SondeRunCachedBlock *cached;

  g_return_if_fail (block->number <= part->blocks->len);

  if (block->number == part->blocks->len)
    {
      cached = g_new0 (SondeRunCachedBlock, 1);
      cached->track = track;
      g_ptr_array_add (part->blocks, cached);
    }
  cached = g_ptr_array_index (part->blocks, block->number);
  track->n_points += block->n - (cached->block ? cached->block->n : 0);
  replace_block (cached, block);
}

static const SondeRunBlock *
block_at (const SondeRunTrackPart *part, guint at)
{
  return ((const SondeRunCachedBlock *) g_ptr_array_index (part->blocks, at))->block;
}

void
sonde_run_track_drop_file (SondeRunTrack *track, guint file)
{
  for (guint i = 0; i < track->parts->len; i++)
    {
      SondeRunTrackPart *part = g_ptr_array_index (track->parts, i);

      if (part->file != file)
        continue;
      for (guint k = 0; k < part->blocks->len; k++)
        track->n_points -= block_at (part, k)->n;
      g_ptr_array_remove_index (track->parts, i);
      return;
    }
}

gboolean
sonde_run_track_get_last (const SondeRunTrack *track, SondePoint *point)
{
  for (guint i = track->parts->len; i-- > 0;)
    {
      SondeRunTrackPart *part = g_ptr_array_index (track->parts, i);
      const SondeBlockSummary *summary;

      if (part->blocks->len == 0)
        continue;
      summary = &block_at (part, part->blocks->len - 1)->summary;
      point->step = summary->bucket.last_step;
      point->wall_time_ns = summary->bucket.last_wall_ns;
      point->value = summary->bucket.last;
      point->session = summary->last_session;
      return TRUE;
    }
  return FALSE;
}

gboolean
sonde_run_track_get_range (const SondeRunTrack *track, gint64 *first_step, gint64 *last_step,
                           double *min, double *max)
{
  *first_step = G_MAXINT64;
  *last_step = G_MININT64;
  *min = *max = NAN;
  for (guint i = 0; i < track->parts->len; i++)
    {
      SondeRunTrackPart *part = g_ptr_array_index (track->parts, i);

      for (guint k = 0; k < part->blocks->len; k++)
        {
          const SondeRunBlock *block = block_at (part, k);

          *first_step = MIN (*first_step, block->summary.min_step);
          *last_step = MAX (*last_step, block->summary.max_step);
          *min = fmin (*min, block->summary.finite_min);
          *max = fmax (*max, block->summary.finite_max);
        }
    }
  return isfinite (*min);
}

/* ---- points one after the other ------------------------------------------ */

typedef void (*BlockFunc) (const SondeColumns *columns, guint first, guint n,
                           const SondeRunTrackPart *part, gpointer data);

/* Calls @func for stretches of points [first, first + n). Returns how many there were. */
static gsize
track_for_each (SondeRunTrack *track, guint64 first, gsize n, BlockFunc func, gpointer data)
{
  guint64 seen = 0;
  gsize given = 0;

  for (guint i = 0; i < track->parts->len && given < n; i++)
    {
      SondeRunTrackPart *part = g_ptr_array_index (track->parts, i);

      for (guint k = 0; k < part->blocks->len && given < n; k++)
        {
          SondeRunCachedBlock *cached = g_ptr_array_index (part->blocks, k);
          const SondeRunBlock *block = cached->block;
          g_autoptr (SondeColumns) columns = NULL;
          guint64 skip = first > seen ? first - seen : 0;
          guint count;

          seen += block->n;
          if (skip >= block->n)
            continue;
          columns = sonde_run_cached_block_get_columns (cached);
          if (!columns)
            return given;
          count = MIN (block->n - skip, n - given);
          func (columns, skip, count, part, data);
          given += count;
        }
    }
  return given;
}

static void
copy_points (const SondeColumns *columns, guint first, guint n, const SondeRunTrackPart *part,
             gpointer data)
{
  SondePoint **points = data;

  for (guint i = first; i < first + n; i++)
    *(*points)++ = (SondePoint){
      .step = columns->steps[i],
      .wall_time_ns = columns->walls[i],
      .value = columns->values[i],
      .session = columns->sessions[i],
    };
}

gsize
sonde_run_track_copy_points (SondeRunTrack *track, guint64 first, gsize n, SondePoint *points)
{
  return track_for_each (track, first, n, copy_points, &points);
}

/* The block of point @number, which is point @at in it. (nullable) */
static SondeRunCachedBlock *
find_point (SondeRunTrack *track, guint64 number, guint *at)
{
  guint64 seen = 0;

  for (guint i = 0; i < track->parts->len; i++)
    {
      GPtrArray *blocks = ((SondeRunTrackPart *) track->parts->pdata[i])->blocks;

      for (guint k = 0; k < blocks->len; k++)
        {
          SondeRunCachedBlock *cached = blocks->pdata[k];

          *at = (guint) (number - seen);
          seen += cached->block->n;
          if (number < seen)
            return cached;
        }
    }
  return NULL;
}

gsize
sonde_run_track_lend_points (SondeRunTrack *track, guint64 first, gsize n, SondePointSpan *span)
{
  guint at;
  SondeRunCachedBlock *cached = find_point (track, first, &at);
  /* the block keeps a reference, until another one is read */
  g_autoptr (SondeColumns) columns
      = cached != NULL ? sonde_run_cached_block_get_columns (cached) : NULL;

  span->n = 0;
  if (columns != NULL)
    sonde_columns_lend (columns, at, (guint) MIN (n, cached->block->n - at), span);
  return span->n;
}

static void
append_refs (const SondeColumns *columns, guint first, guint n, const SondeRunTrackPart *part,
             gpointer data)
{
  for (guint i = first; i < first + n; i++)
    {
      SondeBlobRef ref = {
        .step = columns->steps[i],
        .wall_time_ns = columns->walls[i],
        .session = columns->sessions[i],
        .file = part->file,
        .place = columns->places[i],
      };

      g_array_append_val ((GArray *) data, ref);
    }
}

GArray *
sonde_run_track_list_blobs (SondeRunTrack *track)
{
  GArray *refs = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));

  track_for_each (track, 0, G_MAXSIZE, append_refs, refs);
  return refs;
}
