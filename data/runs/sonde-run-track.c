/* SPDX-License-Identifier: Apache-2.0
 * Parts and blocks of a track, and the cache of what could be read from the index again. Windows
 * over the points are in sonde-run-query.c. */
#include "data/runs/sonde-run-track-private.h"

#include <math.h>
#include <string.h>

struct _SondeRunTrack
{
  const char *tag;
  SondeRecordKind kind;
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
block_leave_cache (SondeRunBlock *block)
{
  SondeRunCache *cache = block->track->cache;

  if (block->cached_bytes == 0)
    return;
  g_queue_unlink (&cache->blocks, &block->link);
  cache->bytes -= block->cached_bytes;
  block->cached_bytes = 0;
}

static void
block_drop_memory (SondeRunBlock *block)
{
  block_leave_cache (block);
  g_clear_pointer (&block->columns, sonde_columns_unref);
  g_clear_pointer (&block->units, g_free);
  block->n_units = 0;
}

/* Moves the block to the young end and drops old ones until the limit holds; @block itself
 * stays. */
static void
block_enter_cache (SondeRunBlock *block)
{
  SondeRunCache *cache = block->track->cache;
  gsize bytes = 0;

  block_leave_cache (block);
  if (block->id == 0)
    return;
  if (block->columns)
    bytes += block->columns->capacity * (gsize) (3 * sizeof (gint64) + sizeof (guint32));
  if (block->units)
    bytes += SONDE_BLOCK_UNITS * sizeof (SondeBucket);
  if (bytes == 0)
    return;
  block->cached_bytes = bytes;
  cache->bytes += bytes;
  block->link.data = block;
  g_queue_push_tail_link (&cache->blocks, &block->link);
  while (cache->bytes > cache->limit && cache->blocks.head != &block->link)
    block_drop_memory (cache->blocks.head->data);
}

static void
block_free (gpointer data)
{
  SondeRunBlock *block = data;

  block_drop_memory (block);
  g_free (block);
}

SondeColumns *
sonde_run_block_get_columns (SondeRunBlock *block)
{
  SondeRunTrack *track = block->track;

  if (!block->columns && block->id)
    {
      block->columns = track->source->load_columns (track->owner, block->id, block->n);
      if (!block->columns)
        track->source->lost (track->owner);
    }
  if (!block->columns)
    return NULL;
  block_enter_cache (block);
  return sonde_columns_ref (block->columns);
}

const SondeBucket *
sonde_run_block_get_units (SondeRunBlock *block)
{
  SondeRunTrack *track = block->track;
  guint n_units = block->n / SONDE_UNIT_POINTS;

  if (block->n_units == n_units && block->units)
    return block->units;
  if (block->n == SONDE_BLOCK_POINTS && block->columns && block->columns->units)
    return block->columns->units;
  if (!block->units)
    block->units = g_new (SondeBucket, SONDE_BLOCK_UNITS);
  if (block->columns)
    sonde_units_compute (block->units, block->columns, block->n_units, n_units);
  else if (!track->source->load_units (track->owner, block->id, block->units, n_units))
    {
      g_clear_pointer (&block->units, g_free);
      track->source->lost (track->owner);
      return NULL;
    }
  block->n_units = n_units;
  block_enter_cache (block);
  return block->units;
}

/* ---- the track ----------------------------------------------------------- */

static void
part_free (gpointer data)
{
  SondeRunTrackPart *part = data;

  g_ptr_array_unref (part->blocks);
  g_free (part->order);
  g_free (part);
}

SondeRunTrack *
sonde_run_track_new (const char *tag, SondeRecordKind kind, SondeRunCache *cache,
                     const SondeRunBlockSource *source, gpointer owner)
{
  SondeRunTrack *track = g_new0 (SondeRunTrack, 1);

  track->tag = tag;
  track->kind = kind;
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

SondeRecordKind
sonde_run_track_get_kind (const SondeRunTrack *track)
{
  return track->kind;
}

guint64
sonde_run_track_get_n_points (const SondeRunTrack *track)
{
  return track->n_points;
}

void
sonde_run_track_begin_loads (SondeRunTrack *track)
{
  if (track->source->begin)
    track->source->begin (track->owner);
}

void
sonde_run_track_end_loads (SondeRunTrack *track)
{
  if (track->source->end)
    track->source->end (track->owner);
}

GPtrArray *
sonde_run_track_get_parts (SondeRunTrack *track)
{
  return track->parts;
}

static SondeRunTrackPart *
track_ensure_part (SondeRunTrack *track, guint file, const char *order)
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
  part->order = g_strdup (order);
  part->blocks = g_ptr_array_new_with_free_func (block_free);
  g_ptr_array_insert (track->parts, at, part);
  return part;
}

void
sonde_run_track_put_block (SondeRunTrack *track, guint file, const char *order, guint number,
                           SondeColumns *columns, guint n, const SondeBlockSummary *summary,
                           gint64 id)
{
  SondeRunTrackPart *part = track_ensure_part (track, file, order);
  SondeRunBlock *block;

  g_return_if_fail (number <= part->blocks->len);

  if (number == part->blocks->len)
    {
      block = g_new0 (SondeRunBlock, 1);
      block->track = track;
      g_ptr_array_add (part->blocks, block);
    }
  block = g_ptr_array_index (part->blocks, number);
  if (n != block->n && !columns)
    block_drop_memory (block);
  track->n_points += n - block->n;
  block->n = n;
  block->summary = *summary;
  block->id = id;
  if (columns && columns != block->columns)
    {
      g_clear_pointer (&block->columns, sonde_columns_unref);
      block->columns = sonde_columns_ref (columns);
    }
  block_enter_cache (block);
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
        track->n_points -= ((SondeRunBlock *) g_ptr_array_index (part->blocks, k))->n;
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
      summary
          = &((SondeRunBlock *) g_ptr_array_index (part->blocks, part->blocks->len - 1))->summary;
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
          const SondeRunBlock *block = g_ptr_array_index (part->blocks, k);

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
          SondeRunBlock *block = g_ptr_array_index (part->blocks, k);
          g_autoptr (SondeColumns) columns = NULL;
          guint64 skip = first > seen ? first - seen : 0;
          guint count;

          seen += block->n;
          if (skip >= block->n)
            continue;
          columns = sonde_run_block_get_columns (block);
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
  gsize copied;

  sonde_run_track_begin_loads (track);
  copied = track_for_each (track, first, n, copy_points, &points);
  sonde_run_track_end_loads (track);
  return copied;
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

  sonde_run_track_begin_loads (track);
  track_for_each (track, 0, G_MAXSIZE, append_refs, refs);
  sonde_run_track_end_loads (track);
  return refs;
}
