/* SPDX-License-Identifier: Apache-2.0
 * The writing thread: takes what waits, encodes it, writes it, tells what was lost. */
#include "collector/writer/sonde-summary-writer-private.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "data/base/sonde-affinity.h"
#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"
#include "data/images/sonde-png.h"
#include "data/records/sonde-frame.h"

#define MS 1000000LL
/* A burst of scalars is gathered for so long before the thread is at it: far below what a viewer
 * notices, and the trainer's core is woken 50 times a second, not thousands. */
#define LINGER_NS (20 * MS)
#define FIRST_RETRY_NS (50 * MS)
#define LAST_RETRY_NS (1000 * MS)
#define GAP_NS (100 * MS)
/* Small records wait for the disk; a large one must not keep them waiting. */
#define PATIENT_BYTES ((gsize) 64 << 10)
#define KEEP_BYTES ((guint) 1 << 20) /* a larger buffer is given back after its record */
/* When closing: so many failed writes, one after the other, and the disk is given up. */
#define MAX_CLOSING_FAILURES 3

/* ---- waiting -------------------------------------------------------------------------------- */

/* Waits on @wake for at most @nanoseconds. Mutex held. */
static void
wait_for (SondeSummaryWriter *writer,
          gint64              nanoseconds)
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
  if (has_work (writer) && !writer->closing && !writer->hurry && writer->queue.bytes < writer->queue.limit / 2)
    {
      writer->lingering = TRUE;
      wait_for (writer, LINGER_NS);
      writer->lingering = FALSE;
    }
}

/* ---- failures ------------------------------------------------------------------------------- */

/* Mutex held. */
static void
note_failure (SondeSummaryWriter *writer,
              const GError       *error)
{
  writer->failing = TRUE;
  writer->failures++;
  writer->failure_counts = TRUE;
  g_free (writer->failure);
  writer->failure = g_strdup (error->message);
  writer->failure_code = error->code;
  pthread_cond_broadcast (&writer->progress);
}

static void
note_first_loss (SondeSummaryWriter *writer,
                 const char         *reason,
                 int                 code)
{
  if (writer->first_loss != NULL)
    return;
  writer->first_loss = g_strdup (reason);
  writer->first_loss_code = code;
}

/* @reason: (nullable): NULL is the last failure */
static void
lose (SondeSummaryWriter *writer,
      guint64             bytes,
      gint64              step,
      const char         *reason)
{
  const SondeWriterLoss loss = { 1, bytes, step, step };

  pthread_mutex_lock (&writer->mutex);
  sonde_writer_queue_lose (&writer->queue, &loss);
  if (reason != NULL)
    note_first_loss (writer, reason, SONDE_DATA_ERROR_LIMIT);
  else
    note_first_loss (writer, writer->failure, writer->failure_code);
  pthread_mutex_unlock (&writer->mutex);
}

/* ---- one record ----------------------------------------------------------------------------- */

/* What happens after a failed write: TRUE: give up this record. Mutex held. */
static gboolean
bear_failure (SondeSummaryWriter *writer,
              const GError       *error,
              gint64              pause,
              guint              *closing_failures)
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

/* Brings the frame to the file. A failed write of a small record is tried again until it works or the writer is
 * closed. Returns whether it is there. */
static gboolean
write_frame (SondeSummaryWriter *writer,
             gint64              step)
{
  const SondeWriterLoss written = { 1, writer->frame->len, step, step };
  gint64 pause = FIRST_RETRY_NS;
  guint closing_failures = 0;

  while (TRUE)
    {
      g_autoptr (GError) error = NULL;
      gboolean is_written = sonde_writer_file_append (&writer->file, writer->frame->data, writer->frame->len, &error);
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

/* Encodes and writes. Tags that only a lost record declares are forgotten with it. */
static gboolean
write_record (SondeSummaryWriter *writer,
              SondeRecord        *record)
{
  gsize n_tags = sonde_tag_table_get_length (writer->table);
  gsize start;

  record->session = writer->file.number;
  if (writer->frame->len > KEEP_BYTES)
    {
      g_byte_array_unref (writer->frame);
      writer->frame = g_byte_array_new ();
    }
  g_byte_array_set_size (writer->frame, 0);
  start = sonde_frame_begin (writer->frame);
  sonde_record_encode (record, writer->table, writer->frame);
  sonde_frame_end (writer->frame, start);
  if (write_frame (writer, record->step))
    return TRUE;
  sonde_tag_table_truncate (writer->table, n_tags);
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
write_chunk (SondeSummaryWriter     *writer,
             const SondeWriterChunk *chunk)
{
  SondeRecord record = { .kind = SONDE_RECORD_SCALARS };
  gsize position = 0, start = 0;

  while (sonde_writer_chunk_next (chunk, &position, &record.step, &record.wall_time_ns, writer->scalars))
    {
      record.u.scalars.items = (SondeScalar *) (void *) writer->scalars->data;
      record.u.scalars.n = writer->scalars->len;
      if (is_given_up (writer) || !write_record (writer, &record))
        lose (writer, position - start, record.step, NULL);
      start = position;
    }
}

static void
write_item (SondeSummaryWriter *writer,
            SondeWriterItem    *item)
{
  if (is_given_up (writer))
    {
      lose (writer, item->bytes, item->record.step, NULL);
      return;
    }
  if (item->image != NULL)
    item->record.u.image.encoded = sonde_png_encode (item->image);
  if (item->image != NULL && item->record.u.image.encoded == NULL)
    lose (writer, item->bytes, item->record.step, "a picture could not be encoded");
  else if (sonde_record_n_bytes (&item->record) > SONDE_BUDGET_RECORD_BYTES - ((guint64) 1 << 20))
    lose (writer, item->bytes, item->record.step, "a record was larger than 512 MiB");
  else if (!write_record (writer, &item->record))
    lose (writer, item->bytes, item->record.step, NULL);
}

/* ---- gaps and fsync ------------------------------------------------------------------------- */

/* Tells what was lost. Mutex held; let go while writing. */
static void
write_gap (SondeSummaryWriter *writer)
{
  const SondeWriterLoss loss = writer->queue.loss;
  g_autofree char *reason = NULL;
  SondeRecord record = { .kind = SONDE_RECORD_GAP };
  gboolean is_written;

  if (loss.records == 0)
    return;
  reason = writer->failure_counts
             ? g_strdup (writer->failure)
             : g_strdup_printf ("more was recorded than the disk took: the queue of %" G_GSIZE_FORMAT
                                " bytes was full", writer->queue.limit);
  note_first_loss (writer, reason, writer->failure_counts ? writer->failure_code : SONDE_DATA_ERROR_LIMIT);
  writer->queue.loss = (SondeWriterLoss) { 0 };
  pthread_mutex_unlock (&writer->mutex);

  record.step = loss.last_step;
  record.wall_time_ns = sonde_clock_wall_ns (writer->clock);
  record.u.gap.records = loss.records;
  record.u.gap.bytes = loss.bytes;
  record.u.gap.reason = reason;
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

/* After a failed fsync the system forgets what it could not write: what was written since the last
 * good one may be gone, and asking again proves nothing. Mutex held; let go while waiting for the disk. */
static void
sync_file (SondeSummaryWriter *writer)
{
  g_autoptr (GError) error = NULL;
  const SondeWriterLoss unsynced = writer->unsynced;
  gboolean is_synced;

  if (unsynced.records == 0)
    return;
  pthread_mutex_unlock (&writer->mutex);
  is_synced = sonde_writer_file_sync (&writer->file, &error);
  pthread_mutex_lock (&writer->mutex);
  writer->unsynced = (SondeWriterLoss) { 0 };
  writer->last_sync_ns = sonde_clock_monotonic_ns (writer->clock);
  if (is_synced)
    return;
  note_failure (writer, error);
  sonde_writer_queue_lose (&writer->queue, &unsynced);
  note_first_loss (writer, error->message, error->code);
}

/* ---- the loop ------------------------------------------------------------------------------- */

/* Writes all that waits. Mutex held; let go while writing. */
static void
drain (SondeSummaryWriter *writer)
{
  SondeWriterChunk *chunk;
  SondeWriterItem *item;

  while (sonde_writer_queue_take (&writer->queue, &chunk, &item))
    {
      guint64 sequence = chunk != NULL ? sonde_writer_chunk_get_sequence (chunk) : item->sequence;
      gint64 now;

      pthread_mutex_unlock (&writer->mutex);
      if (chunk != NULL)
        write_chunk (writer, chunk);
      else
        write_item (writer, item);
      now = sonde_clock_monotonic_ns (writer->clock);
      pthread_mutex_lock (&writer->mutex);

      if (chunk != NULL)
        sonde_writer_queue_release_chunk (&writer->queue, chunk);
      else
        sonde_writer_queue_release_item (&writer->queue, item);
      if (!writer->failing && now - writer->last_gap_ns >= GAP_NS)
        write_gap (writer);
      writer->done = sequence;
      if (now - writer->last_sync_ns >= writer->fsync_ns)
        sync_file (writer);
    }
  /* Also past entries that were dropped from the queue. */
  writer->done = writer->queue.sequence;
  write_gap (writer);
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
      gboolean is_last;

      wait_for_work (writer);
      is_last = writer->closing;
      writer->hurry = FALSE;
      drain (writer);
      if (is_last || sonde_clock_monotonic_ns (writer->clock) - writer->last_sync_ns >= writer->fsync_ns)
        sync_file (writer);
      if (is_last)
        break;
    }
  pthread_cond_broadcast (&writer->progress);
  pthread_mutex_unlock (&writer->mutex);
  return NULL;
}
