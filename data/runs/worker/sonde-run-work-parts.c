/* SPDX-License-Identifier: Apache-2.0
 * Worker: files with much to read, a few parts of each with the crew at a time. Parts are taken
 * over in file order; the last bytes, where a writer may be at work, are read by the worker
 * itself. */
#include "data/base/sonde-clock.h"
#include "data/runs/worker/sonde-run-work-file-private.h"

/* Tags are known once something was read. */
gboolean
sonde_work_file_is_bulky (const SondeRunFileReader *file)
{
  return !file->format->open && !file->gone && !file->problem && !file->waiting && !file->finished
         && file->position > 0 && file->size >= file->position + BULK_BYTES;
}

void
sonde_work_begin_bulk (SondeRunWorker *worker, SondeRunFileReader *file)
{
  sonde_run_file_reader_rest (file);
  file->next_part = file->position;
  g_queue_push_tail (&worker->bulks, file);
}

/* Buffers are megabytes: new ones for each part would cost more page faults than the reading. */
static SondeRunPart *
part_new (SondeRunWorker *worker, SondeRunFileReader *file, guint64 start, guint64 end)
{
  SondeRunPart *part = sonde_run_part_new (file, start, end);

  if (worker->spare_batches->len == 0)
    return part;
  sonde_record_batch_clear (&part->batch);
  part->batch
      = g_array_index (worker->spare_batches, SondeRecordBatch, worker->spare_batches->len - 1);
  g_array_set_size (worker->spare_batches, worker->spare_batches->len - 1);
  return part;
}

static void
part_free (SondeRunWorker *worker, SondeRunPart *part)
{
  worker->n_parts--;
  if (worker->spare_batches->len < worker->max_parts)
    {
      sonde_record_batch_empty (&part->batch);
      g_array_append_val (worker->spare_batches, part->batch);
      part->batch = (SondeRecordBatch){ 0 };
    }
  sonde_run_part_free (part);
}

static void
hand_out (SondeRunWorker *worker, SondeRunFileReader *file, SondeRunPart *part, gboolean first)
{
  if (first)
    g_queue_push_head (&file->parts, part);
  else
    g_queue_push_tail (&file->parts, part);
  worker->n_parts++;
  sonde_run_crew_push (worker->scanners, part);
}

/* One more part. FALSE: the file has no more. */
static gboolean
hand_out_next (SondeRunWorker *worker, SondeRunFileReader *file)
{
  guint64 start = file->next_part, end = start + PART_BYTES;

  if (start >= file->size)
    return FALSE;
  /* no crumb at the end */
  if (end + PART_BYTES / 2 >= file->size)
    end = file->size;
  file->next_part = end;
  hand_out (worker, file, part_new (worker, file, start, end), FALSE);
  return TRUE;
}

/* Those that are not done come back later and are dropped then: @n_resets no longer fits. */
static void
forget_parts (SondeRunWorker *worker, SondeRunFileReader *file)
{
  SondeRunPart *part;

  while ((part = g_queue_pop_head (&file->parts)) != NULL)
    if (part->done)
      part_free (worker, part);
    else
      part->file = NULL;
  file->next_part = G_MAXUINT64;
}

static void
collect_done (SondeRunWorker *worker)
{
  SondeRunPart *part;

  while ((part = sonde_run_crew_take (worker->scanners)) != NULL)
    {
      part->done = TRUE;
      if (!part->file)
        part_free (worker, part);
    }
}

/* The first part of the file is done. */
static void
take_first (SondeRunWorker *worker, SondeRunFileReader *file)
{
  WorkRun *run = file->owner;
  SondeRunPart *part = g_queue_pop_head (&file->parts);
  guint64 before = file->position, points_before = file->n_points;
  SondeRunPartResult result = sonde_run_file_reader_take_part (file, part);

  run->info_changed = TRUE;
  run->unsaved_bytes += file->position - before;
  run->unsaved_points += file->n_points - points_before;
  if (result == SONDE_RUN_PART_WRONG && file->position < part->end)
    hand_out (worker, file, part_new (worker, file, file->position, part->end), TRUE);
  if (part->is_last && result == SONDE_RUN_PART_TAKEN)
    forget_parts (worker, file);
  part_free (worker, part);
  if (result == SONDE_RUN_PART_LOST)
    sonde_work_run_want_reread (run);
}

static gboolean
must_wait (const SondeRunWorker *worker, const WorkRun *run)
{
  return sonde_work_must_wait_for_saver (worker) || run->must_reread
         || (run->saving && run->unsaved_points >= SAVE_POINTS);
}

/* FALSE: nothing more to do in it. */
static gboolean
advance (SondeRunWorker *worker, SondeRunFileReader *file, gint64 deadline_ns)
{
  SondeRunPart *part = g_queue_peek_head (&file->parts);

  if (part && part->n_resets != file->n_resets)
    forget_parts (worker, file);
  while ((part = g_queue_peek_head (&file->parts)) != NULL && part->done
         && !must_wait (worker, file->owner) && sonde_clock_monotonic_ns (NULL) < deadline_ns)
    take_first (worker, file);
  while (worker->n_parts < worker->max_parts && !must_wait (worker, file->owner)
         && hand_out_next (worker, file))
    ;
  part = g_queue_peek_head (&file->parts);
  worker->bulk_is_ready |= part && part->done && !must_wait (worker, file->owner);
  return part || file->next_part < file->size;
}

void
sonde_work_advance_bulks (SondeRunWorker *worker, gint64 deadline_ns)
{
  collect_done (worker);
  worker->bulk_is_ready = FALSE;
  for (GList *link = worker->bulks.head, *next; link; link = next)
    {
      SondeRunFileReader *file = link->data;

      next = link->next;
      if (advance (worker, file, deadline_ns))
        continue;
      g_queue_delete_link (&worker->bulks, link);
      sonde_run_file_reader_take_anchor (file);
      /* what is left is read as always */
      file->queued = FALSE;
      ((WorkRun *) file->owner)->n_queued--;
      sonde_work_enqueue (worker, file, TRUE);
    }
}

void
sonde_work_drop_parts (SondeRunWorker *worker)
{
  collect_done (worker);
  for (GList *link = worker->bulks.head; link; link = link->next)
    forget_parts (worker, link->data);
  g_queue_clear (&worker->bulks);
}
