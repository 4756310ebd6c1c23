/* SPDX-License-Identifier: Apache-2.0
 * The writing thread: takes what waits, encodes it, writes it, tells what was lost. */
#include "collector/writer/sonde-summary-writer-private.h"
#include "collector/writer/sonde-writer-spans.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "data/base/sonde-affinity.h"
#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"
#include "data/records/sonde-record-frame.h"

#define MS 1000000LL
/* A burst of scalars is gathered for so long before the thread is at it: far below what a viewer
 * notices, and the trainer's core is woken 50 times a second, not thousands. */
#define LINGER_NS (20 * MS)
#define MAX_IDLE_ROUNDS 50 /* of LINGER_NS each, then it sleeps until it is woken */
#define FIRST_RETRY_NS (50 * MS)
#define LAST_RETRY_NS (1000 * MS)
#define GAP_NS (100 * MS)
/* Small records wait for the disk; a large one must not keep them waiting. */
#define PATIENT_BYTES ((gsize) 64 << 10)
#define KEEP_BYTES ((guint) 1 << 20) /* a larger buffer is given back after its record */
/* When closing: so many failed writes, one after the other, and the disk is given up. */
#define MAX_CLOSING_FAILURES 3

/* ---- waiting ------------------------------------------------------------- */

/* Waits on @wake for at most @nanoseconds. Mutex held. */
static void
wait_for (SondeSummaryWriter *writer, gint64 nanoseconds)
{
  struct timespec until;

  clock_gettime (CLOCK_MONOTONIC, &until);
  until.tv_sec += nanoseconds / (1000 * MS);
  until.tv_nsec += nanoseconds % (1000 * MS);
  if (until.tv_nsec >= 1000 * MS)
    {
      until.tv_sec++;
      until.tv_nsec -= 1000 * MS;
    }
  pthread_cond_timedwait (&writer->wake, &writer->mutex, &until);
}

static gboolean
has_work (const SondeSummaryWriter *writer)
{
  return writer->queue.first_chunk != NULL || writer->queue.first_item != NULL;
}

/* Until something waits, it is time for an fsync, or the end. Mutex held. */
static void
wait_for_work (SondeSummaryWriter *writer)
{
  gint64 left;

  if (writer->closing || writer->hurry)
    return;
  /* While somebody records, the thread looks by itself: waking it would cost him a system call. */
  if (writer->idle_rounds < MAX_IDLE_ROUNDS)
    {
      writer->lingering = TRUE;
      wait_for (writer, LINGER_NS);
      writer->lingering = FALSE;
      writer->idle_rounds = has_work (writer) ? 0 : writer->idle_rounds + 1;
      return;
    }
  writer->idle_rounds = 0;
  if (!has_work (writer))
    {
      writer->asleep = TRUE;
      left = writer->last_sync_ns + writer->fsync_ns - sonde_clock_monotonic_ns (writer->clock);
      if (writer->queue.loss.records > 0)
        wait_for (writer, LAST_RETRY_NS);
      else if (writer->unsynced.records > 0)
        wait_for (writer, CLAMP (left, MS, 1000 * MS));
      else
        pthread_cond_wait (&writer->wake, &writer->mutex);
      writer->asleep = FALSE;
    }
  if (has_work (writer) && !writer->closing && !writer->hurry
      && writer->queue.bytes < writer->queue.limit / 2)
    {
      writer->lingering = TRUE;
      wait_for (writer, LINGER_NS);
      writer->lingering = FALSE;
    }
}

/* ---- failures ------------------------------------------------------------ */

/* Mutex held. */
static void
note_failure (SondeSummaryWriter *writer, const GError *error)
{
  writer->failing = TRUE;
  writer->failures++;
  writer->failure_counts = TRUE;
  sonde_message_free (writer->failure);
  writer->failure = sonde_error_dup_message (error);
  writer->failure_code = error->code;
  pthread_cond_broadcast (&writer->progress);
}

static void
note_first_loss (SondeSummaryWriter *writer, const SondeMessage *reason, int code)
{
  if (writer->first_loss != NULL)
    return;
  writer->first_loss = sonde_message_copy (reason);
  writer->first_loss_code = code;
}

/* @reason: (nullable) (transfer full): NULL is the last failure */
static void
lose (SondeSummaryWriter *writer, guint64 bytes, gint64 step, SondeMessage *reason)
{
  const SondeWriterLoss loss = { 1, bytes, step, step };

  pthread_mutex_lock (&writer->mutex);
  sonde_writer_queue_lose (&writer->queue, &loss);
  if (reason != NULL)
    note_first_loss (writer, reason, SONDE_DATA_ERROR_LIMIT);
  else
    note_first_loss (writer, writer->failure, writer->failure_code);
  pthread_mutex_unlock (&writer->mutex);
  sonde_message_free (reason);
}

/* ---- one record ---------------------------------------------------------- */

/* What happens after a failed write: TRUE: give up this record. Mutex held. */
static gboolean
bear_failure (SondeSummaryWriter *writer, const GError *error, gint64 pause,
              guint *closing_failures)
{
  note_failure (writer, error);
  if (writer->closing && ++*closing_failures == MAX_CLOSING_FAILURES)
    writer->given_up = TRUE;
  if (writer->given_up || writer->frame->len > PATIENT_BYTES)
    return TRUE;
  if (!writer->closing && !writer->hurry)
    wait_for (writer, pause);
  writer->hurry = FALSE;
  return FALSE;
}

/* Brings the frame to the file. A failed write of a small record is tried again until it works or
 * the writer is closed. Returns whether it is there. */
static gboolean
write_frame (SondeSummaryWriter *writer, SondeWriterFile *file, gint64 step)
{
  const SondeWriterLoss written = { 1, writer->frame->len, step, step };
  gint64 pause = FIRST_RETRY_NS;
  guint closing_failures = 0;

  while (TRUE)
    {
      g_autoptr (GError) error = NULL;
      gboolean is_written
          = sonde_writer_file_append (file, writer->frame->data, writer->frame->len, &error);
      gboolean is_lost = FALSE;

      pthread_mutex_lock (&writer->mutex);
      if (is_written)
        {
          writer->failing = FALSE;
          writer->failure_counts = writer->failure_counts && writer->queue.loss.records > 0;
          writer->written_records++;
          writer->written_bytes += writer->frame->len;
        }
      else
        is_lost = bear_failure (writer, error, pause, &closing_failures);
      pthread_mutex_unlock (&writer->mutex);
      if (is_written)
        sonde_writer_loss_add (&writer->unsynced, &written);
      if (is_written || is_lost)
        return is_written;
      pause = MIN (pause * 2, LAST_RETRY_NS);
    }
}

/* Tells once of each thing that the format has no place for. @whole: nothing of the record was
 * written. */
static void
say_left_out (SondeSummaryWriter *writer, const SondeRecord *record, const char *what,
              gboolean whole)
{
  static const char *const names[] = { "Sonde", "TensorBoard", "MindSpore" };
  g_autofree char *key = g_strdup_printf ("%d %s", record->kind, what);
  SondeMessage *message;

  if (whole)
    {
      pthread_mutex_lock (&writer->mutex);
      writer->left_out++;
      pthread_mutex_unlock (&writer->mutex);
    }
  if (!g_hash_table_add (writer->said, g_steal_pointer (&key)))
    return;
  message = sonde_message_new (
      "%s files have no place for %-s: left out, first at step %" PRIi64 " of “%s” (%s)",
      names[writer->format], what, record->step,
      record->tag != NULL ? record->tag : sonde_record_kind_name (record->kind),
      sonde_record_kind_name (record->kind));
  pthread_mutex_lock (&writer->mutex);
  g_ptr_array_add (writer->warnings, message);
  pthread_mutex_unlock (&writer->mutex);
  if (writer->warn != NULL)
    writer->warn (sonde_message_get_english (message), writer->warn_data);
}

/* Encodes into the frame; *@target is NULL when there is nothing to write. */
static void
encode_record (SondeSummaryWriter *writer, const SondeRecord *record, SondeWriterFile **target)
{
  SondeEventFile file;
  const char *reason;
  gsize start;

  *target = &writer->files[SONDE_EVENT_FILE_MAIN];
  if (writer->events == NULL)
    {
      start = sonde_frame_begin (writer->frame);
      sonde_record_encode (record, writer->table, writer->frame);
      sonde_frame_end (writer->frame, start);
      return;
    }
  if (!sonde_event_encoder_encode (writer->events, record, writer->frame, &file, &reason))
    say_left_out (writer, record, reason, TRUE);
  else if (reason != NULL)
    say_left_out (writer, record, reason, FALSE);
  *target = writer->frame->len > 0 ? &writer->files[file] : NULL;
}

/* The second file of a session is made with its first record; a failure counts as one of
 * writing. */
static gboolean
open_target (SondeSummaryWriter *writer, SondeWriterFile *file, gint64 step)
{
  SondeEventFile number = (SondeEventFile) (file - writer->files);
  g_autoptr (GError) error = NULL;

  if (file->fd >= 0
      || sonde_writer_file_create (file, writer->file_kinds[number], writer->files[0].io,
                                   writer->clock, writer->run, &error))
    return TRUE;
  pthread_mutex_lock (&writer->mutex);
  note_failure (writer, error);
  pthread_mutex_unlock (&writer->mutex);
  return FALSE;
}

/* Encodes and writes. Tags that only a lost record declares are forgotten with it. */
static gboolean
write_record (SondeSummaryWriter *writer, SondeRecord *record)
{
  gsize mark = writer->events != NULL ? sonde_event_encoder_get_mark (writer->events)
                                      : sonde_tag_table_get_length (writer->table);
  SondeWriterFile *target;

  record->session = writer->files[0].number;
  writer->last_step = record->step;
  if (writer->frame->len > KEEP_BYTES)
    {
      g_byte_array_unref (writer->frame);
      writer->frame = g_byte_array_new ();
    }
  g_byte_array_set_size (writer->frame, 0);
  encode_record (writer, record, &target);
  if (target == NULL
      || (open_target (writer, target, record->step) && write_frame (writer, target, record->step)))
    return TRUE;
  if (writer->events != NULL)
    sonde_event_encoder_rewind (writer->events, mark);
  else
    sonde_tag_table_truncate (writer->table, mark);
  return FALSE;
}

/* TensorBoard keeps embeddings in files of their own. */
static gboolean
write_embedding (SondeSummaryWriter *writer, SondeRecord *record)
{
  g_autoptr (GError) error = NULL;

  if (writer->format != SONDE_SUMMARY_FORMAT_TENSORBOARD)
    return write_record (writer, record);
  if (sonde_writer_projector_write (writer->files[0].io, writer->run, record, &error))
    return TRUE;
  pthread_mutex_lock (&writer->mutex);
  note_failure (writer, error);
  pthread_mutex_unlock (&writer->mutex);
  return FALSE;
}

static gboolean
is_given_up (SondeSummaryWriter *writer)
{
  gboolean result;

  pthread_mutex_lock (&writer->mutex);
  result = writer->given_up;
  pthread_mutex_unlock (&writer->mutex);
  return result;
}

static void
write_chunk (SondeSummaryWriter *writer, const SondeWriterChunk *chunk)
{
  SondeRecord record = { .kind = SONDE_RECORD_SCALARS };
  gsize position = 0, start = 0;

  while (sonde_writer_chunk_next (chunk, &position, &record.step, &record.wall_time_ns,
                                  writer->scalars))
    {
      record.u.scalars.items = (SondeScalar *) (void *) writer->scalars->data;
      record.u.scalars.n = writer->scalars->len;
      if (is_given_up (writer) || !write_record (writer, &record))
        lose (writer, position - start, record.step, NULL);
      start = position;
    }
}

static void
write_item (SondeSummaryWriter *writer, SondeWriterItem *item)
{
  if (is_given_up (writer))
    {
      lose (writer, item->bytes, item->record.step, NULL);
      return;
    }
  if (!sonde_writer_item_finish (item))
    lose (writer, item->bytes, item->record.step,
          sonde_message_new ("a picture could not be encoded"));
  else if (sonde_record_n_bytes (&item->record) > SONDE_BUDGET_RECORD_BYTES - ((guint64) 1 << 20))
    lose (writer, item->bytes, item->record.step,
          sonde_message_new ("a record was larger than 512 MiB"));
  else if (!(item->record.kind == SONDE_RECORD_EMBEDDING ? write_embedding (writer, &item->record)
                                                         : write_record (writer, &item->record)))
    lose (writer, item->bytes, item->record.step, NULL);
}

/* ---- gaps and fsync ------------------------------------------------------ */

/* Tells what was lost. Mutex held; let go while writing. */
static void
write_gap (SondeSummaryWriter *writer)
{
  const SondeWriterLoss loss = writer->queue.loss;
  g_autoptr (SondeMessage) reason = NULL;
  SondeRecord record = { .kind = SONDE_RECORD_GAP };
  gboolean is_written;

  if (loss.records == 0)
    return;
  reason = writer->failure_counts
               ? sonde_message_copy (writer->failure)
               : sonde_message_new (
                   "more was recorded than the disk took: the queue of %zu bytes was full",
                   writer->queue.limit);
  note_first_loss (writer, reason,
                   writer->failure_counts ? writer->failure_code : SONDE_DATA_ERROR_LIMIT);
  writer->queue.loss = (SondeWriterLoss){ 0 };
  pthread_mutex_unlock (&writer->mutex);

  record.step = loss.last_step;
  record.wall_time_ns = sonde_clock_wall_ns (writer->clock);
  record.u.gap.records = loss.records;
  record.u.gap.bytes = loss.bytes;
  record.u.gap.reason = (char *) sonde_message_get_english (reason);
  record.u.gap.first_step = loss.first_step;
  record.u.gap.last_step = loss.last_step;
  /* also after giving up: it is small, and the last block of the file may have room for it */
  is_written = write_record (writer, &record);

  pthread_mutex_lock (&writer->mutex);
  writer->last_gap_ns = sonde_clock_monotonic_ns (writer->clock);
  if (!is_written)
    sonde_writer_loss_add (&writer->queue.loss, &loss);
  else
    writer->failure_counts = writer->failure_counts && writer->queue.loss.records > 0;
}

/* What viewers need to know that nothing follows: a writer that is killed leaves no such record.
 * Mutex held; let go while writing. */
static void
write_end (SondeSummaryWriter *writer)
{
  SondeRecord record = { .kind = SONDE_RECORD_END };

  if (writer->format != SONDE_SUMMARY_FORMAT_SONDE || writer->given_up)
    return;
  record.step = writer->last_step;
  record.wall_time_ns = sonde_clock_wall_ns (writer->clock);
  pthread_mutex_unlock (&writer->mutex);
  write_record (writer, &record);
  pthread_mutex_lock (&writer->mutex);
}

/* After a failed fsync the system forgets what it could not write: what was written since the last
 * good one may be gone, and asking again proves nothing. Mutex held; let go while waiting for the
 * disk. */
static void
sync_file (SondeSummaryWriter *writer)
{
  g_autoptr (GError) error = NULL;
  const SondeWriterLoss unsynced = writer->unsynced;
  gboolean is_synced;

  if (unsynced.records == 0)
    return;
  pthread_mutex_unlock (&writer->mutex);
  is_synced = TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (writer->files); i++)
    if (writer->files[i].fd >= 0 && is_synced)
      is_synced = sonde_writer_file_sync (&writer->files[i], &error);
  pthread_mutex_lock (&writer->mutex);
  writer->unsynced = (SondeWriterLoss){ 0 };
  writer->last_sync_ns = sonde_clock_monotonic_ns (writer->clock);
  if (is_synced)
    return;
  note_failure (writer, error);
  sonde_writer_queue_lose (&writer->queue, &unsynced);
  note_first_loss (writer, writer->failure, error->code);
}

/* ---- the loop ------------------------------------------------------------ */

/* One span for all that was written in one go. Mutex held; let go meanwhile: the log has a lock of its own, and
 * those who hold it may ask how much waits here. */
static void
add_span (SondeSummaryWriter *writer, SondeSpanLog *log, guint64 start, guint64 bytes)
{
  SondeSpanRing *ring;

  if (log == NULL)
    return;
  pthread_mutex_unlock (&writer->mutex);
  ring = start != 0 && bytes > 0 ? sonde_span_log_enter (log) : NULL;
  if (ring != NULL)
    sonde_span_log_add (log, ring, SONDE_SPAN_RECORDING,
                        sonde_span_log_add_label (log, SONDE_SPAN_WRITING), start, (gint64) bytes);
  sonde_span_log_unref (log);
  pthread_mutex_lock (&writer->mutex);
}

/* Writes all that waits. Mutex held; let go while writing. */
static void
drain (SondeSummaryWriter *writer)
{
  SondeSpanLog *log = writer->spans != NULL ? sonde_span_log_ref (writer->spans) : NULL;
  guint64 start = log != NULL && atomic_load (&log->on) != 0 ? sonde_ticks_now (&log->ticks) : 0;
  const guint64 bytes = writer->written_bytes;
  SondeWriterChunk *chunk;
  SondeWriterItem *item;

  while (sonde_writer_queue_take (&writer->queue, &chunk, &item))
    {
      guint64 sequence = chunk != NULL ? sonde_writer_chunk_get_sequence (chunk) : item->sequence;
      SondeWriterRaw *raw = NULL;
      gint64 now;

      pthread_mutex_unlock (&writer->mutex);
      if (chunk != NULL)
        write_chunk (writer, chunk);
      else
        {
          write_item (writer, item);
          raw = sonde_writer_item_empty (item); /* freeing takes time, too: not under the lock */
        }
      now = sonde_clock_monotonic_ns (writer->clock);
      pthread_mutex_lock (&writer->mutex);

      if (chunk != NULL)
        sonde_writer_queue_release_chunk (&writer->queue, chunk);
      else
        sonde_writer_queue_release_item (&writer->queue, item);
      if (raw != NULL)
        sonde_writer_pool_give (&writer->pool, raw);
      if (!writer->failing && now - writer->last_gap_ns >= GAP_NS)
        write_gap (writer);
      writer->done = sequence;
      if (now - writer->last_sync_ns >= writer->fsync_ns)
        sync_file (writer);
    }
  /* Also past entries that were dropped from the queue. */
  writer->done = writer->queue.sequence;
  write_gap (writer);
  add_span (writer, log, start, writer->written_bytes - bytes);
  pthread_cond_broadcast (&writer->progress);
}

void *
sonde_summary_writer_run (void *data)
{
  SondeSummaryWriter *writer = data;

  sonde_affinity_restore ();
  pthread_mutex_lock (&writer->mutex);
  while (TRUE)
    {
      gboolean is_last, is_asked;

      wait_for_work (writer);
      is_last = writer->closing;
      is_asked = writer->wants_sync;
      writer->hurry = FALSE;
      drain (writer);
      if (is_last || is_asked
          || sonde_clock_monotonic_ns (writer->clock) - writer->last_sync_ns >= writer->fsync_ns)
        sync_file (writer);
      if (is_asked)
        {
          writer->wants_sync = FALSE;
          pthread_cond_broadcast (&writer->progress);
        }
      if (is_last)
        break;
    }
  /* behind the fsync: it is no loss when it does not reach the disk */
  write_end (writer);
  pthread_cond_broadcast (&writer->progress);
  pthread_mutex_unlock (&writer->mutex);
  return NULL;
}
