/* SPDX-License-Identifier: Apache-2.0
 * The caller's side of the writer: opening, adding, waiting, closing. */
#include "collector/writer/sonde-summary-writer.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "collector/writer/sonde-summary-writer-private.h"
#include "data/base/sonde-error.h"

#define DEFAULT_QUEUE_BYTES ((gsize) 64 << 20)
#define DEFAULT_FSYNC_NS 5000000000LL

/* ---- open and close ------------------------------------------------------------------------- */

/* Signals are for the program's own threads; a file size limit is to be an error, not a signal. */
static int
start_thread (SondeSummaryWriter *writer)
{
  sigset_t all, before;
  int result;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  result = pthread_create (&writer->thread, NULL, sonde_summary_writer_run, writer);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return result;
}

static void
init_locks (SondeSummaryWriter *writer)
{
  pthread_condattr_t attributes;

  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&writer->wake, &attributes);
  pthread_cond_init (&writer->progress, &attributes);
  pthread_condattr_destroy (&attributes);
  pthread_mutex_init (&writer->mutex, NULL);
}

static void
free_writer (SondeSummaryWriter *writer)
{
  sonde_writer_queue_clear (&writer->queue);
  sonde_writer_file_clear (&writer->file);
  sonde_tag_table_free (writer->table);
  g_byte_array_unref (writer->frame);
  g_array_unref (writer->scalars);
  pthread_cond_destroy (&writer->wake);
  pthread_cond_destroy (&writer->progress);
  pthread_mutex_destroy (&writer->mutex);
  g_free (writer->failure);
  g_free (writer->first_loss);
  g_free (writer);
}

static void
add_session (SondeSummaryWriter *writer,
             const char         *program)
{
  char host[HOST_NAME_MAX + 1] = "";
  SondeRecord record = { .kind = SONDE_RECORD_SESSION };

  gethostname (host, sizeof host - 1);
  record.u.session_start.program = (char *) program;
  record.u.session_start.host = host;
  record.u.session_start.format_version = SONDE_RECORD_FORMAT_VERSION;
  record.u.session_start.pid = writer->pid;
  sonde_summary_writer_add_record (writer, &record);
}

SondeSummaryWriter *
sonde_summary_writer_open (const char                      *run,
                           const SondeSummaryWriterOptions *options,
                           GError                         **error)
{
  const SondeSummaryWriterOptions defaults = { 0 };
  SondeSummaryWriter *writer = g_new0 (SondeSummaryWriter, 1);
  int problem;

  if (options == NULL)
    options = &defaults;
  writer->clock = options->clock;
  writer->pid = getpid ();
  writer->fsync_ns = options->fsync_ns > 0 ? options->fsync_ns : DEFAULT_FSYNC_NS;
  writer->queue.limit = options->queue_bytes > 0 ? options->queue_bytes : DEFAULT_QUEUE_BYTES;
  writer->table = sonde_tag_table_new ();
  writer->frame = g_byte_array_new ();
  writer->scalars = g_array_new (FALSE, FALSE, sizeof (SondeScalar));
  writer->last_sync_ns = sonde_clock_monotonic_ns (writer->clock);
  init_locks (writer);

  if (!sonde_writer_file_create (&writer->file, options->io, run, error))
    {
      free_writer (writer);
      return NULL;
    }
  add_session (writer, options->program);
  problem = start_thread (writer);
  if (problem != 0)
    {
      sonde_data_error_set_errno (error, problem, "cannot start the thread that writes “%s”", writer->file.path);
      free_writer (writer);
      return NULL;
    }
  return writer;
}

/* After a fork the thread is the parent's, and so is what waits. */
static gboolean
is_ours (const SondeSummaryWriter *writer)
{
  return getpid () == writer->pid;
}

static gboolean
report_loss (const SondeSummaryWriter *writer,
             GError                  **error)
{
  const SondeWriterLoss *loss = &writer->queue.all_loss;

  if (loss->records == 0)
    return TRUE;
  g_set_error (error, SONDE_DATA_ERROR, writer->first_loss_code,
               "%" G_GUINT64_FORMAT " records (%" G_GUINT64_FORMAT " bytes, steps %" G_GINT64_FORMAT " to %"
               G_GINT64_FORMAT ") were lost in “%s”: %s",
               loss->records, loss->bytes, loss->first_step, loss->last_step, writer->file.path,
               writer->first_loss != NULL ? writer->first_loss : "the reason is not known");
  return FALSE;
}

gboolean
sonde_summary_writer_close (SondeSummaryWriter *writer,
                            GError            **error)
{
  gboolean is_whole;

  if (writer == NULL)
    return TRUE;
  if (!is_ours (writer))
    {
      /* Its locks may be held by a thread that does not exist here: the memory is left alone. */
      sonde_writer_file_clear (&writer->file);
      return TRUE;
    }
  pthread_mutex_lock (&writer->mutex);
  writer->closing = TRUE;
  pthread_cond_signal (&writer->wake);
  pthread_mutex_unlock (&writer->mutex);
  pthread_join (writer->thread, NULL);
  is_whole = report_loss (writer, error);
  free_writer (writer);
  return is_whole;
}

/* ---- waiting and looking -------------------------------------------------------------------- */

void
sonde_summary_writer_flush (SondeSummaryWriter *writer)
{
  guint64 target, failures;

  if (!is_ours (writer))
    return;
  pthread_mutex_lock (&writer->mutex);
  target = writer->queue.sequence;
  failures = writer->failures;
  writer->hurry = TRUE;
  pthread_cond_signal (&writer->wake);
  while (writer->done < target && writer->failures == failures)
    pthread_cond_wait (&writer->progress, &writer->mutex);
  pthread_mutex_unlock (&writer->mutex);
}

void
sonde_summary_writer_get_state (SondeSummaryWriter      *writer,
                                SondeSummaryWriterState *state)
{
  pthread_mutex_lock (&writer->mutex);
  *state = (SondeSummaryWriterState) {
    .failing = writer->failing,
    .written_records = writer->written_records,
    .written_bytes = writer->written_bytes,
    .lost_records = writer->queue.all_loss.records,
    .lost_bytes = writer->queue.all_loss.bytes,
  };
  pthread_mutex_unlock (&writer->mutex);
}

char *
sonde_summary_writer_dup_failure (SondeSummaryWriter *writer)
{
  char *failure;

  pthread_mutex_lock (&writer->mutex);
  failure = g_strdup (writer->failure);
  pthread_mutex_unlock (&writer->mutex);
  return failure;
}

const char *
sonde_summary_writer_get_path (const SondeSummaryWriter *writer)
{
  return writer->file.path;
}

guint32
sonde_summary_writer_get_session (const SondeSummaryWriter *writer)
{
  return writer->file.number;
}

/* ---- adding --------------------------------------------------------------------------------- */

/* Mutex held. A thread that gathers is left alone until half the room is taken. */
static void
wake_thread (SondeSummaryWriter *writer)
{
  if (!writer->asleep && !(writer->lingering && writer->queue.bytes >= writer->queue.limit / 2))
    return;
  writer->asleep = writer->lingering = FALSE;
  pthread_cond_signal (&writer->wake);
}

void
sonde_summary_writer_add_scalars (SondeSummaryWriter *writer,
                                  gint64              step,
                                  const SondeScalar  *scalars,
                                  gsize               n)
{
  gint64 wall_time_ns = sonde_clock_wall_ns (writer->clock);

  if (n == 0)
    return;
  pthread_mutex_lock (&writer->mutex);
  sonde_writer_queue_add_scalars (&writer->queue, step, wall_time_ns, scalars, n);
  wake_thread (writer);
  pthread_mutex_unlock (&writer->mutex);
}

void
sonde_summary_writer_add_scalar (SondeSummaryWriter *writer,
                                 const char         *tag,
                                 gint64              step,
                                 double              value)
{
  const SondeScalar scalar = { tag, value };

  sonde_summary_writer_add_scalars (writer, step, &scalar, 1);
}

/* Takes the content of @record, whose tag may be the caller's, and @image (nullable). */
static void
add_item (SondeSummaryWriter *writer,
          SondeRecord        *record,
          SondeImage         *image)
{
  SondeWriterItem *item = g_new0 (SondeWriterItem, 1);

  item->record = *record;
  item->record.tag = g_intern_string (record->tag);
  if (item->record.wall_time_ns == 0)
    item->record.wall_time_ns = sonde_clock_wall_ns (writer->clock);
  item->image = image;
  item->bytes = sizeof *item + sonde_record_n_bytes (record);
  if (image != NULL)
    item->bytes += (gsize) image->width * (gsize) image->height * (gsize) image->channels;

  pthread_mutex_lock (&writer->mutex);
  sonde_writer_queue_add_item (&writer->queue, item);
  wake_thread (writer);
  pthread_mutex_unlock (&writer->mutex);
}

void
sonde_summary_writer_add_record (SondeSummaryWriter *writer,
                                 const SondeRecord  *record)
{
  SondeRecord copy;

  sonde_record_copy (record, &copy);
  /* Tags of scalars are lent only for the call, and the table of the file wants them later. */
  if (copy.kind == SONDE_RECORD_SCALARS)
    for (gsize i = 0; i < copy.u.scalars.n; i++)
      copy.u.scalars.items[i].tag = g_intern_string (copy.u.scalars.items[i].tag);
  add_item (writer, &copy, NULL);
}

/* A record that lends its members. */
static void
add_lent (SondeSummaryWriter *writer,
          const char         *tag,
          gint64              step,
          SondeRecord         record)
{
  record.tag = tag;
  record.step = step;
  sonde_summary_writer_add_record (writer, &record);
}

void
sonde_summary_writer_add_histogram (SondeSummaryWriter   *writer,
                                    const char           *tag,
                                    gint64                step,
                                    const SondeHistogram *histogram)
{
  add_lent (writer, tag, step,
            (SondeRecord) { .kind = SONDE_RECORD_HISTOGRAM, .u.histogram = (SondeHistogram *) histogram });
}

void
sonde_summary_writer_add_statistics (SondeSummaryWriter    *writer,
                                     const char            *tag,
                                     gint64                 step,
                                     const SondeStatistics *statistics)
{
  add_lent (writer, tag, step, (SondeRecord) { .kind = SONDE_RECORD_STATISTICS, .u.statistics = *statistics });
}

void
sonde_summary_writer_add_tensor (SondeSummaryWriter *writer,
                                 const char         *tag,
                                 gint64              step,
                                 SondeTensor        *tensor)
{
  add_lent (writer, tag, step, (SondeRecord) { .kind = SONDE_RECORD_TENSOR, .u.tensor = tensor });
}

void
sonde_summary_writer_add_image (SondeSummaryWriter    *writer,
                                const char            *tag,
                                gint64                 step,
                                int                    index,
                                const SondeImage      *image,
                                const SondeSampleNote *note)
{
  SondeRecord lent = { .kind = SONDE_RECORD_IMAGE, .tag = tag, .step = step }, record;
  SondeImage *copy = sonde_image_new (image->width, image->height, image->channels);

  memcpy (copy->pixels, image->pixels, (gsize) image->width * (gsize) image->height * (gsize) image->channels);
  lent.u.image.width = image->width;
  lent.u.image.height = image->height;
  lent.u.image.index = index;
  lent.u.image.note = note != NULL
                        ? *note
                        : (SondeSampleNote) { .label = -1, .predicted = -1, .label_probability = NAN,
                                              .predicted_probability = NAN };
  sonde_record_copy (&lent, &record);
  add_item (writer, &record, copy);
}

void
sonde_summary_writer_add_graph (SondeSummaryWriter *writer,
                                const char         *tag,
                                gint64              step,
                                GBytes             *model,
                                gboolean            executed)
{
  add_lent (writer, tag, step,
            (SondeRecord) { .kind = SONDE_RECORD_GRAPH, .u.graph = { .model = model, .executed = executed } });
}

void
sonde_summary_writer_add_hparams (SondeSummaryWriter *writer,
                                  const SondeHparam  *items,
                                  gsize               n)
{
  add_lent (writer, "hparams", 0,
            (SondeRecord) { .kind = SONDE_RECORD_HPARAMS, .u.hparams = { .items = (SondeHparam *) items, .n = n } });
}

void
sonde_summary_writer_add_text (SondeSummaryWriter *writer,
                               const char         *tag,
                               gint64              step,
                               const char         *text)
{
  add_lent (writer, tag, step, (SondeRecord) { .kind = SONDE_RECORD_TEXT, .u.text = (char *) text });
}
