/* SPDX-License-Identifier: Apache-2.0
 * Taking what is unsaved out of the files, and giving the rows back. */
#include "data/runs/sonde-run-batch-private.h"

#include <string.h>

static void
free_block (gpointer block)
{
  sonde_run_block_unref (block);
}

static void
free_segment (gpointer data)
{
  SondeRunBatchSegment *segment = data;

  g_ptr_array_unref (segment->blocks);
  g_array_unref (segment->rows);
  g_free (segment);
}

static void
free_file (gpointer data)
{
  SondeRunBatchFile *file = data;

  g_array_unref (file->tags);
  g_ptr_array_unref (file->damage);
  g_ptr_array_unref (file->segments);
  g_free (file);
}

static void
free_damage (gpointer damage)
{
  sonde_frame_damage_free (damage);
}

/* ---- taking -------------------------------------------------------------- */

/* @block: (transfer full) */
static void
add_block (SondeRunBatch *batch, SondeRunBatchSegment *segment, SondeRunBlock *block)
{
  g_ptr_array_add (segment->blocks, block);
  g_array_append_val (segment->rows, block->row);
  batch->n_points += block->n;
}

static SondeRunBatchSegment *
take_segment (SondeRunBatch *batch, SondeRunSegment *from)
{
  SondeRunBatchSegment *segment = g_new0 (SondeRunBatchSegment, 1);
  guint n_full = from->unsaved_blocks ? from->unsaved_blocks->len : 0;

  segment->segment = from;
  segment->what = from->what;
  segment->row = from->row;
  segment->blocks = g_ptr_array_new_full (n_full + 1, free_block);
  segment->rows = g_array_sized_new (FALSE, FALSE, sizeof (gint64), n_full + 1);
  for (guint i = 0; i < n_full; i++)
    add_block (batch, segment, sonde_run_block_ref (g_ptr_array_index (from->unsaved_blocks, i)));
  if (from->n_tail != from->n_tail_saved)
    add_block (batch, segment, sonde_run_segment_make_tail_block (from));
  from->unsaved = FALSE;
  return segment;
}

static void
take_damage (SondeRunBatchFile *file, GPtrArray *list)
{
  for (guint i = 0; i < list->len; i++)
    {
      const SondeFrameDamage *damage = g_ptr_array_index (list, i);
      SondeFrameDamage *copy = g_memdup2 (damage, sizeof *damage);

      copy->reason = g_strdup (damage->reason);
      g_ptr_array_add (file->damage, copy);
    }
}

static SondeRunBatchFile *
take_file (SondeRunBatch *batch, SondeRunFileReader *from)
{
  gint64 numbers[] = {
    from->inode,     from->size,         from->mtime_ns,    from->ctime_ns,         from->position,
    from->records,   from->lost_records, from->finished,    from->anchor_end,       from->session,
    from->has_start, from->start_ns,     from->has_scalars, from->last_scalar_step, from->ended
  };
  SondeRunBatchFile *file = g_new0 (SondeRunBatchFile, 1);

  G_STATIC_ASSERT (sizeof numbers == sizeof file->numbers);
  file->file = from;
  file->n_resets = from->n_resets;
  file->n_tag_changes = from->n_tag_changes;
  file->forget = from->forget;
  file->gone = from->gone;
  file->row = from->row;
  file->path = from->path;
  file->relative = from->relative;
  memcpy (file->numbers, numbers, sizeof numbers);
  memcpy (file->anchor, from->anchor, from->n_anchor);
  file->n_anchor = from->n_anchor;
  file->first_tag = from->n_tags_saved;
  file->tags = g_array_new (FALSE, FALSE, sizeof (SondeRecordTag));
  if (from->tags->len > from->n_tags_saved)
    g_array_append_vals (file->tags,
                         &g_array_index (from->tags, SondeRecordTag, from->n_tags_saved),
                         from->tags->len - from->n_tags_saved);
  file->damage = g_ptr_array_new_with_free_func (free_damage);
  take_damage (file, from->damage);
  file->n_damage = file->damage->len;
  take_damage (file, from->tail_damage);
  file->segments = g_ptr_array_new_with_free_func (free_segment);
  for (guint i = 0; i < from->segments->len && !from->gone; i++)
    if (((SondeRunSegment *) g_ptr_array_index (from->segments, i))->unsaved)
      g_ptr_array_add (file->segments, take_segment (batch, g_ptr_array_index (from->segments, i)));
  from->unsaved = FALSE;
  return file;
}

void
sonde_run_batch_restore_numbers (SondeRunFileReader *file,
                                 const gint64 numbers[SONDE_RUN_BATCH_NUMBERS])
{
  const gint64 *next = numbers;

  file->inode = *next++;
  file->size = *next++;
  file->mtime_ns = *next++;
  file->ctime_ns = *next++;
  file->position = *next++;
  file->records = *next++;
  file->lost_records = *next++;
  file->finished = *next++ != 0;
  file->anchor_end = *next++;
  file->session = *next++;
  file->has_start = *next++ != 0;
  file->start_ns = *next++;
  file->has_scalars = *next++ != 0;
  file->last_scalar_step = *next++;
  file->ended = *next++ != 0;
  g_assert (next == numbers + SONDE_RUN_BATCH_NUMBERS);
}

SondeRunBatch *
sonde_run_batch_new (GPtrArray *files)
{
  SondeRunBatch *batch = g_new0 (SondeRunBatch, 1);

  batch->files = g_ptr_array_new_with_free_func (free_file);
  for (guint i = 0; i < files->len; i++)
    if (((SondeRunFileReader *) g_ptr_array_index (files, i))->unsaved)
      g_ptr_array_add (batch->files, take_file (batch, g_ptr_array_index (files, i)));
  return batch;
}

/* ---- giving back --------------------------------------------------------- */

/* A full block of the segment has its row, and leaves the list when all of it is there. */
static void
finish_full_block (SondeRunFileReader *file, SondeRunSegment *segment, guint at,
                   const SondeRunBlock *saved, gint64 row)
{
  SondeRunBlock *block = g_ptr_array_index (segment->unsaved_blocks, at);

  if (saved->n == block->n)
    {
      g_autoptr (SondeRunBlock) now = sonde_run_block_new_saved (block, row);

      sonde_run_file_reader_send_block (file, segment, now);
      return;
    }
  segment->unsaved_blocks->pdata[at] = sonde_run_block_new (block->number, block->n, block->columns,
                                                            &block->summary, row, saved->n);
  sonde_run_block_unref (block);
}

static void
finish_tail (SondeRunFileReader *file, SondeRunSegment *segment, const SondeRunBlock *saved,
             gint64 row, gboolean drop)
{
  g_autoptr (SondeRunBlock) now = NULL;

  segment->tail_row = row;
  segment->n_tail_saved = saved->n;
  if (!drop || saved->n != segment->n_tail)
    return;
  now = sonde_run_block_new_saved (saved, row);
  sonde_run_file_reader_send_block (file, segment, now);
  g_clear_pointer (&segment->tail, sonde_columns_unref);
}

static void
finish_segment (SondeRunFileReader *file, const SondeRunBatchSegment *saved, gboolean drop_tails)
{
  SondeRunSegment *segment = saved->segment;
  guint n_done = 0;

  segment->row = saved->row;
  for (guint i = 0; i < saved->blocks->len; i++)
    {
      const SondeRunBlock *block = g_ptr_array_index (saved->blocks, i);
      gint64 row = g_array_index (saved->rows, gint64, i);

      if (block->number == segment->n_full)
        {
          finish_tail (file, segment, block, row, drop_tails);
          continue;
        }
      /* in order, and from the first on: full blocks are only added behind them */
      finish_full_block (file, segment, i, block, row);
      n_done += block->n == SONDE_BLOCK_POINTS;
    }
  if (n_done > 0)
    g_ptr_array_remove_range (segment->unsaved_blocks, 0, n_done);
}

static void
finish_file (const SondeRunBatchFile *saved, gint64 now_ns)
{
  SondeRunFileReader *file = saved->file;
  gboolean drop_tails = !file->queued && !sonde_run_file_reader_is_live (file, now_ns);

  file->row = saved->gone ? 0 : saved->row;
  /* what the rows hold was reset meanwhile: they are to be forgotten */
  if (file->n_resets != saved->n_resets)
    return;
  file->forget = FALSE;
  if (file->n_tag_changes == saved->n_tag_changes)
    file->n_tags_saved = saved->first_tag + saved->tags->len;
  for (guint i = 0; i < saved->segments->len; i++)
    finish_segment (file, g_ptr_array_index (saved->segments, i), drop_tails);
}

static void
take_back (const SondeRunBatchFile *unsaved)
{
  SondeRunFileReader *file = unsaved->file;

  file->unsaved = TRUE;
  if (file->n_resets != unsaved->n_resets)
    return;
  for (guint i = 0; i < unsaved->segments->len; i++)
    ((SondeRunBatchSegment *) g_ptr_array_index (unsaved->segments, i))->segment->unsaved = TRUE;
}

void
sonde_run_batch_finish (SondeRunBatch *batch, gboolean saved, gint64 now_ns)
{
  for (guint i = 0; i < batch->files->len; i++)
    if (saved)
      finish_file (g_ptr_array_index (batch->files, i), now_ns);
    else
      take_back (g_ptr_array_index (batch->files, i));
  g_ptr_array_unref (batch->files);
  g_free (batch);
}
