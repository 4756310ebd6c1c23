/* SPDX-License-Identifier: Apache-2.0
 * Taking what is unsaved out of the files, and giving the rows back. */
#include "data/runs/sonde-run-batch-private.h"

#include <string.h>

static void
clear_block (gpointer data)
{
  sonde_columns_unref (((SondeRunBatchBlock *) data)->columns);
}

static void
free_segment (gpointer data)
{
  SondeRunBatchSegment *segment = data;

  g_array_unref (segment->blocks);
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

static void
add_block (SondeRunBatch *batch, SondeRunBatchSegment *segment, guint number, SondeColumns *columns,
           guint n, const SondeBlockSummary *summary, gint64 row)
{
  SondeRunBatchBlock block = { number, n, sonde_columns_ref (columns), *summary, row };

  g_array_append_val (segment->blocks, block);
  batch->n_points += n;
}

static SondeRunBatchSegment *
take_segment (SondeRunBatch *batch, SondeRunSegment *from)
{
  SondeRunBatchSegment *segment = g_new0 (SondeRunBatchSegment, 1);

  segment->segment = from;
  segment->tag = from->tag;
  segment->kind = from->kind;
  segment->count = from->count;
  segment->first_step = from->first_step;
  segment->last_step = from->last_step;
  segment->row = from->row;
  segment->blocks
      = g_array_sized_new (FALSE, FALSE, sizeof (SondeRunBatchBlock), from->sealed->len + 1);
  g_array_set_clear_func (segment->blocks, clear_block);
  for (guint i = 0; i < from->sealed->len; i++)
    {
      const SondeRunSealedBlock *block = &g_array_index (from->sealed, SondeRunSealedBlock, i);

      add_block (batch, segment, block->number, block->columns, SONDE_BLOCK_POINTS, &block->summary,
                 block->row);
    }
  if (from->n_tail != from->n_tail_saved)
    {
      sonde_run_segment_summarise (from);
      add_block (batch, segment, from->n_sealed, from->tail, from->n_tail, &from->tail_summary,
                 from->tail_row);
    }
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
    from->inode,        from->size,        from->mtime_ns,         from->position, from->records,
    from->lost_records, from->finished,    from->anchor_end,       from->session,  from->has_start,
    from->start_ns,     from->has_scalars, from->last_scalar_step, from->ended
  };
  SondeRunBatchFile *file = g_new0 (SondeRunBatchFile, 1);

  G_STATIC_ASSERT (sizeof numbers == sizeof file->numbers);
  file->file = from;
  file->n_resets = from->n_resets;
  file->n_tag_changes = from->n_tag_changes;
  file->forget = from->forget;
  file->gone = from->gone;
  file->row = from->row;
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
finish_sealed (SondeRunFileReader *file, SondeRunSegment *segment, guint at,
               const SondeRunBatchBlock *saved)
{
  SondeRunSealedBlock *block = &g_array_index (segment->sealed, SondeRunSealedBlock, at);

  block->row = saved->row;
  if (saved->n < SONDE_BLOCK_POINTS)
    return;
  sonde_run_file_reader_tell_saved (file, segment, block->number, saved->n, &block->summary,
                                    saved->row);
}

static void
finish_tail (SondeRunFileReader *file, SondeRunSegment *segment, const SondeRunBatchBlock *saved,
             gboolean drop)
{
  segment->tail_row = saved->row;
  segment->n_tail_saved = saved->n;
  if (!drop || saved->n != segment->n_tail)
    return;
  sonde_run_file_reader_tell_saved (file, segment, saved->number, saved->n, &saved->summary,
                                    saved->row);
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
      const SondeRunBatchBlock *block = &g_array_index (saved->blocks, SondeRunBatchBlock, i);

      if (block->number == segment->n_sealed)
        {
          finish_tail (file, segment, block, drop_tails);
          continue;
        }
      /* in order, and from the first on: sealed blocks are only added behind them */
      finish_sealed (file, segment, i, block);
      n_done += block->n == SONDE_BLOCK_POINTS;
    }
  if (n_done > 0)
    g_array_remove_range (segment->sealed, 0, n_done);
}

static void
finish_file (const SondeRunBatchFile *saved, gboolean drop_tails)
{
  SondeRunFileReader *file = saved->file;

  file->row = saved->gone ? 0 : saved->row;
  /* what the rows hold was reset meanwhile: they are to be forgotten */
  if (file->n_resets != saved->n_resets)
    return;
  file->forget = FALSE;
  if (file->n_tag_changes == saved->n_tag_changes)
    file->n_tags_saved = saved->first_tag + saved->tags->len;
  for (guint i = 0; i < saved->segments->len; i++)
    finish_segment (file, g_ptr_array_index (saved->segments, i), drop_tails && !file->queued);
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
sonde_run_batch_finish (SondeRunBatch *batch, gboolean saved, gboolean drop_tails)
{
  for (guint i = 0; i < batch->files->len; i++)
    if (saved)
      finish_file (g_ptr_array_index (batch->files, i), drop_tails);
    else
      take_back (g_ptr_array_index (batch->files, i));
  g_ptr_array_unref (batch->files);
  g_free (batch);
}
