/* SPDX-License-Identifier: Apache-2.0
 * The worker's side of a tag in a file: appends points to the block that is being filled, puts
 * full blocks aside, and notes what the owner's thread has to be sent. */
#include "data/runs/sonde-run-segment-private.h"

#include <string.h>

#define FIRST_CAPACITY 16u
#define LATER_CAPACITY 512u /* of a block that follows full ones */

void
sonde_run_segment_free (SondeRunSegment *segment)
{
  g_clear_pointer (&segment->unsaved_blocks, g_ptr_array_unref);
  sonde_columns_unref (segment->tail);
  g_free (segment->tail_summary);
  sonde_run_block_unref (segment->saved_tail);
  g_free (segment);
}

SondeRunSegment *
sonde_run_file_reader_add_segment (SondeRunFileReader *file, const char *tag, SondeRecordKind kind)
{
  SondeRunSegment *segment = g_new0 (SondeRunSegment, 1);

  segment->what.tag = tag;
  segment->what.kind = kind;
  g_ptr_array_add (file->segments, segment);
  if (file->segments_by_key)
    g_hash_table_add (file->segments_by_key, segment);
  return segment;
}

SondeRunSegment *
sonde_run_file_reader_ensure_segment (SondeRunFileReader *file, const char *tag,
                                      SondeRecordKind kind)
{
  /* so that a segment is its own key in the table */
  G_STATIC_ASSERT (G_STRUCT_OFFSET (SondeRunSegment, what) == 0);
  SondeRunTag key = { .tag = tag, .kind = kind };
  SondeRunSegment *segment;

  if (!file->segments_by_key)
    {
      file->segments_by_key = g_hash_table_new (sonde_run_tag_hash, sonde_run_tag_equal);
      for (guint i = 0; i < file->segments->len; i++)
        g_hash_table_add (file->segments_by_key, g_ptr_array_index (file->segments, i));
    }
  segment = g_hash_table_lookup (file->segments_by_key, &key);
  return segment ? segment : sonde_run_file_reader_add_segment (file, tag, kind);
}

void
sonde_run_segment_summarise (SondeRunSegment *segment)
{
  gsize size = sonde_block_summary_get_size (segment->n_tail), before = 0;

  if (segment->n_summarised == segment->n_tail)
    return;
  if (segment->saved_tail)
    segment->tail_summary = g_memdup2 (&segment->saved_tail->summary,
                                       sonde_block_summary_get_size (segment->n_summarised));
  g_clear_pointer (&segment->saved_tail, sonde_run_block_unref);
  if (segment->tail_summary)
    before = sonde_block_summary_get_size (segment->n_summarised);
  if (size > before)
    {
      segment->tail_summary = g_realloc (segment->tail_summary, size);
      memset ((char *) segment->tail_summary + before, 0, size - before);
    }
  sonde_block_summary_add_points (segment->tail_summary, segment->tail, segment->n_summarised,
                                  segment->n_tail);
  segment->n_summarised = segment->n_tail;
}

SondeRunBlock *
sonde_run_segment_make_tail_block (SondeRunSegment *segment)
{
  sonde_run_segment_summarise (segment);
  return sonde_run_block_new (segment->n_full, segment->n_tail, segment->tail,
                              segment->saved_tail ? &segment->saved_tail->summary
                                                  : segment->tail_summary,
                              segment->tail_row, segment->n_tail_saved);
}

void
sonde_run_segment_set_saved_tail (SondeRunSegment *segment, SondeRunBlock *block)
{
  segment->n_tail = segment->n_summarised = segment->n_tail_saved = block->n;
  segment->tail_row = block->row;
  g_clear_pointer (&segment->tail_summary, g_free);
  sonde_run_block_unref (segment->saved_tail);
  segment->saved_tail = sonde_run_block_ref (block);
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
    segment->tail = sonde_columns_new (segment->n_full > 0 ? MAX (wanted, LATER_CAPACITY) : wanted);
  if (segment->n_tail < segment->tail->capacity)
    return TRUE;
  larger = sonde_columns_copy (segment->tail, segment->n_tail, wanted);
  sonde_columns_unref (segment->tail);
  segment->tail = larger;
  return TRUE;
}

static void
free_block (gpointer block)
{
  sonde_run_block_unref (block);
}

static void
seal (SondeRunSegment *segment)
{
  if (segment->what.kind == SONDE_RECORD_SCALARS)
    sonde_columns_compute_units (segment->tail);
  if (!segment->unsaved_blocks)
    segment->unsaved_blocks = g_ptr_array_new_with_free_func (free_block);
  g_ptr_array_add (segment->unsaved_blocks, sonde_run_segment_make_tail_block (segment));
  g_clear_pointer (&segment->tail, sonde_columns_unref);
  g_clear_pointer (&segment->tail_summary, g_free);
  g_clear_pointer (&segment->saved_tail, sonde_run_block_unref);
  segment->n_full++;
  segment->n_tail = segment->n_summarised = segment->n_tail_saved = 0;
  segment->tail_row = 0;
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

  if (segment->n_full == 0 && segment->n_tail == 0)
    segment->what.first_step = segment->what.last_step = steps[0];
  for (guint i = 0; i < n; i++)
    {
      segment->what.first_step = MIN (segment->what.first_step, steps[i]);
      segment->what.last_step = MAX (segment->what.last_step, steps[i]);
    }
  segment->n_tail += n;
  note_change (file, segment);
  if (segment->n_tail == SONDE_BLOCK_POINTS)
    seal (segment);
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
      segment->what.count += n;
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
  segment->what.count += !ref->same;
  advance (file, segment, 1);
  return TRUE;
}

void
sonde_run_file_reader_send_block (SondeRunFileReader *file, const SondeRunSegment *segment,
                                  SondeRunBlock *block)
{
  sonde_run_updates_add (file->updates, (SondeRunBlockUpdate){
                                            .file = file->number,
                                            .order = g_ref_string_acquire (file->relative),
                                            .tag = segment->what.tag,
                                            .kind = segment->what.kind,
                                            .block = sonde_run_block_ref (block),
                                        });
}

/* Full blocks that were not sent as saved meanwhile. */
static void
send_full_blocks (SondeRunFileReader *file, SondeRunSegment *segment)
{
  for (guint i = 0; segment->unsaved_blocks && i < segment->unsaved_blocks->len; i++)
    {
      SondeRunBlock *block = g_ptr_array_index (segment->unsaved_blocks, i);

      if (block->number >= segment->n_sent)
        sonde_run_file_reader_send_block (file, segment, block);
    }
  segment->n_sent = segment->n_full;
}

void
sonde_run_file_reader_collect_updates (SondeRunFileReader *file)
{
  for (guint i = 0; i < file->changed->len; i++)
    {
      SondeRunSegment *segment = g_ptr_array_index (file->changed, i);
      g_autoptr (SondeRunBlock) tail = NULL;

      segment->changed = FALSE;
      send_full_blocks (file, segment);
      if (segment->n_tail == 0)
        continue;
      tail = sonde_run_segment_make_tail_block (segment);
      sonde_run_file_reader_send_block (file, segment, tail);
    }
  g_ptr_array_set_size (file->changed, 0);
}
