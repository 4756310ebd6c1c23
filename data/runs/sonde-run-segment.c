/* SPDX-License-Identifier: Apache-2.0
 * The worker's side of a tag in a file: appends points to the block that is being filled, seals
 * full blocks, and notes what the owner's thread has to be told. */
#include "data/runs/sonde-run-file-private.h"

#include <string.h>

#define FIRST_CAPACITY 16u
#define LATER_CAPACITY 512u /* of a block that follows full ones */

static void
clear_sealed (gpointer data)
{
  SondeRunSealedBlock *block = data;

  sonde_columns_unref (block->columns);
}

typedef struct
{
  const char *tag;
  SondeRecordKind kind;
} Key;

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;

  return g_direct_hash (key->tag) * 31 + key->kind;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const Key *one = a, *other = b;

  return one->tag == other->tag && one->kind == other->kind;
}

void
sonde_run_segment_free (SondeRunSegment *segment)
{
  g_array_unref (segment->sealed);
  sonde_columns_unref (segment->tail);
  g_free (segment);
}

SondeRunSegment *
sonde_run_file_reader_ensure_segment (SondeRunFileReader *file, const char *tag,
                                      SondeRecordKind kind)
{
  /* the segment begins with its key, so that it is its own key in the table */
  G_STATIC_ASSERT (G_STRUCT_OFFSET (SondeRunSegment, tag) == G_STRUCT_OFFSET (Key, tag));
  G_STATIC_ASSERT (G_STRUCT_OFFSET (SondeRunSegment, kind) == G_STRUCT_OFFSET (Key, kind));
  Key key = { tag, kind };
  SondeRunSegment *segment;

  if (!file->segments_by_key)
    file->segments_by_key = g_hash_table_new (key_hash, key_equal);
  segment = g_hash_table_lookup (file->segments_by_key, &key);
  if (segment)
    return segment;
  segment = g_new0 (SondeRunSegment, 1);
  segment->tag = tag;
  segment->kind = kind;
  segment->sealed = g_array_new (FALSE, FALSE, sizeof (SondeRunSealedBlock));
  g_array_set_clear_func (segment->sealed, clear_sealed);
  g_ptr_array_add (file->segments, segment);
  g_hash_table_add (file->segments_by_key, segment);
  return segment;
}

void
sonde_run_segment_summarise (SondeRunSegment *segment)
{
  if (segment->n_summarised == segment->n_tail)
    return;
  sonde_block_summary_add_points (&segment->tail_summary, segment->tail, segment->n_summarised,
                                  segment->n_tail);
  segment->n_summarised = segment->n_tail;
}

/* Makes room for at least one of @n more points in the tail. */
static gboolean
prepare_tail (SondeRunFileReader *file, SondeRunSegment *segment, gsize n)
{
  SondeColumns *larger;
  guint wanted;

  if (!segment->tail && segment->n_tail > 0)
    segment->tail = file->load_tail (file->owner, segment->tail_row, segment->n_tail);
  if (!segment->tail && segment->n_tail > 0)
    return FALSE;
  wanted = MIN (MAX (MAX (2 * segment->n_tail, FIRST_CAPACITY), segment->n_tail + n),
                SONDE_BLOCK_POINTS);
  if (!segment->tail)
    segment->tail
        = sonde_columns_new (segment->n_sealed > 0 ? MAX (wanted, LATER_CAPACITY) : wanted);
  if (segment->n_tail < segment->tail->capacity)
    return TRUE;
  larger = sonde_columns_copy (segment->tail, segment->n_tail, wanted);
  sonde_columns_unref (segment->tail);
  segment->tail = larger;
  return TRUE;
}

static void
tell (SondeRunFileReader *file, SondeRunSegment *segment, guint number, SondeColumns *columns,
      guint n, const SondeBlockSummary *summary, gint64 row)
{
  SondeRunBlockNews news = {
    .file = file->number,
    .order = g_strdup (file->relative),
    .tag = segment->tag,
    .kind = segment->kind,
    .number = number,
    .n = n,
    .columns = columns ? sonde_columns_ref (columns) : NULL,
    .summary = *summary,
    .row = row,
  };

  g_array_append_val (*file->news, news);
}

static void
seal (SondeRunFileReader *file, SondeRunSegment *segment)
{
  SondeRunSealedBlock block = {
    .number = segment->n_sealed,
    .row = segment->tail_row,
  };

  sonde_run_segment_summarise (segment);
  if (segment->kind == SONDE_RECORD_SCALARS)
    sonde_columns_compute_units (segment->tail);
  block.summary = segment->tail_summary;
  block.columns = g_steal_pointer (&segment->tail);
  g_array_append_val (segment->sealed, block);
  segment->n_sealed++;
  segment->n_tail = segment->n_summarised = segment->n_tail_saved = 0;
  segment->tail_row = 0;
  memset (&segment->tail_summary, 0, sizeof segment->tail_summary);
}

static void
note_change (SondeRunFileReader *file, SondeRunSegment *segment)
{
  segment->unsaved = TRUE;
  if (segment->changed)
    return;
  segment->changed = TRUE;
  g_ptr_array_add (file->changed, segment);
}

/* @n more points are in the tail. */
static void
advance (SondeRunFileReader *file, SondeRunSegment *segment, guint n)
{
  const gint64 *steps = segment->tail->steps + segment->n_tail;

  if (segment->n_sealed == 0 && segment->n_tail == 0)
    segment->first_step = segment->last_step = steps[0];
  for (guint i = 0; i < n; i++)
    {
      segment->first_step = MIN (segment->first_step, steps[i]);
      segment->last_step = MAX (segment->last_step, steps[i]);
    }
  segment->n_tail += n;
  note_change (file, segment);
  if (segment->n_tail == SONDE_BLOCK_POINTS)
    seal (file, segment);
}

static inline void
copy_points (SondeColumns *columns, guint at, const SondeRecordBatch *batch, gsize from, guint n)
{
  /* tags that take turns come one by one */
  if (n == 1)
    {
      columns->steps[at] = batch->steps[from];
      columns->walls[at] = batch->walls[from];
      columns->values[at] = batch->values[from];
      columns->sessions[at] = batch->sessions[from];
      return;
    }
  memcpy (columns->steps + at, batch->steps + from, n * sizeof *columns->steps);
  memcpy (columns->walls + at, batch->walls + from, n * sizeof *columns->walls);
  memcpy (columns->values + at, batch->values + from, n * sizeof *columns->values);
  memcpy (columns->sessions + at, batch->sessions + from, n * sizeof *columns->sessions);
}

gboolean
sonde_run_file_reader_add_points (SondeRunFileReader *file, SondeRunSegment *segment,
                                  const SondeRecordBatch *batch, gsize from, gsize to)
{
  while (from < to)
    {
      SondeColumns *tail;
      guint at, n;

      if (!prepare_tail (file, segment, to - from))
        return FALSE;
      tail = segment->tail;
      at = segment->n_tail;
      n = MIN (to - from, tail->capacity - at);
      copy_points (tail, at, batch, from, n);
      segment->count += n;
      advance (file, segment, n);
      from += n;
    }
  return TRUE;
}

gboolean
sonde_run_file_reader_add_ref (SondeRunFileReader *file, SondeRunSegment *segment,
                               const SondeRecordRef *ref)
{
  SondeColumns *tail;
  guint at;

  if (!prepare_tail (file, segment, 1))
    return FALSE;
  tail = segment->tail;
  at = segment->n_tail;
  tail->steps[at] = ref->step;
  tail->walls[at] = ref->wall_time_ns;
  tail->places[at] = ref->place;
  tail->sessions[at] = ref->session;
  segment->count += !ref->same;
  advance (file, segment, 1);
  return TRUE;
}

/* Full blocks that were not told as saved meanwhile. */
static void
tell_sealed (SondeRunFileReader *file, SondeRunSegment *segment)
{
  for (guint i = 0; i < segment->sealed->len; i++)
    {
      SondeRunSealedBlock *block = &g_array_index (segment->sealed, SondeRunSealedBlock, i);

      if (!block->told)
        tell (file, segment, block->number, block->columns, SONDE_BLOCK_POINTS, &block->summary, 0);
      block->told = TRUE;
    }
}

void
sonde_run_file_reader_collect_news (SondeRunFileReader *file)
{
  for (guint i = 0; i < file->changed->len; i++)
    {
      SondeRunSegment *segment = g_ptr_array_index (file->changed, i);

      segment->changed = FALSE;
      tell_sealed (file, segment);
      if (segment->n_tail == 0)
        continue;
      sonde_run_segment_summarise (segment);
      tell (file, segment, segment->n_sealed, segment->tail, segment->n_tail,
            &segment->tail_summary,
            segment->n_tail_saved == segment->n_tail ? segment->tail_row : 0);
    }
  g_ptr_array_set_size (file->changed, 0);
}

void
sonde_run_file_reader_tell_saved (SondeRunFileReader *file, SondeRunSegment *segment, guint number,
                                  guint n, const SondeBlockSummary *summary, gint64 row)
{
  tell (file, segment, number, NULL, n, summary, row);
}

void
sonde_run_block_news_clear (SondeRunBlockNews *news)
{
  g_free ((char *) news->order);
  sonde_columns_unref (news->columns);
}
