/* SPDX-License-Identifier: Apache-2.0
 * The caller's side of the writer: opening, adding, waiting, closing. */
#include "collector/writer/sonde-summary-writer.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "collector/writer/sonde-summary-writer-private.h"
#include "collector/writer/sonde-writer-spans.h"
#include "data/base/sonde-error.h"

#define DEFAULT_QUEUE_BYTES ((gsize) 64 << 20)
#define DEFAULT_FSYNC_NS 5000000000LL

/* ---- open and close ------------------------------------------------------ */

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
  sonde_writer_pool_clear (&writer->pool);
  for (gsize i = 0; i < G_N_ELEMENTS (writer->files); i++)
    sonde_writer_file_clear (&writer->files[i]);
  sonde_tag_table_free (writer->table);
  sonde_event_encoder_free (writer->events);
  g_hash_table_unref (writer->said);
  g_ptr_array_unref (writer->warnings);
  sonde_policy_set_free (writer->policies);
  sonde_span_log_unref (writer->spans);
  g_free (writer->run);
  g_byte_array_unref (writer->frame);
  g_array_unref (writer->scalars);
  pthread_cond_destroy (&writer->wake);
  pthread_cond_destroy (&writer->progress);
  pthread_mutex_destroy (&writer->mutex);
  sonde_message_free (writer->failure);
  sonde_message_free (writer->first_loss);
  g_free (writer);
}

static void
add_session (SondeSummaryWriter *writer, const char *program)
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

gboolean
sonde_summary_format_from_name (const char *name, SondeSummaryFormat *format)
{
  static const char *const names[] = { "sonde", "tensorboard", "mindspore" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_strcmp0 (name, names[i]) == 0)
      {
        *format = (SondeSummaryFormat) i;
        return TRUE;
      }
  return FALSE;
}

static SondeWriterFileKind
choose_file_kind (SondeSummaryFormat format, SondeEventFile file)
{
  if (format == SONDE_SUMMARY_FORMAT_SONDE)
    return SONDE_WRITER_FILE_RECORDS;
  if (format == SONDE_SUMMARY_FORMAT_TENSORBOARD)
    return SONDE_WRITER_FILE_TENSORBOARD;
  return file == SONDE_EVENT_FILE_LINEAGE ? SONDE_WRITER_FILE_LINEAGE : SONDE_WRITER_FILE_MINDSPORE;
}

static void
init_format (SondeSummaryWriter *writer, const char *run, const SondeSummaryWriterOptions *options)
{
  const SondeEventOptions events
      = { .parse_model = options->parse_model, .data = options->parse_data };

  writer->format = options->format;
  writer->run = g_strdup (run);
  writer->warn = options->warn;
  writer->warn_data = options->warn_data;
  writer->warnings = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);
  writer->said = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (writer->files); i++)
    {
      writer->files[i] = SONDE_WRITER_FILE_NONE;
      writer->file_kinds[i] = choose_file_kind (writer->format, (SondeEventFile) i);
    }
  if (writer->format != SONDE_SUMMARY_FORMAT_SONDE)
    writer->events = sonde_event_encoder_new (writer->format == SONDE_SUMMARY_FORMAT_TENSORBOARD
                                                  ? SONDE_EVENTS_TENSORBOARD
                                                  : SONDE_EVENTS_MINDSPORE,
                                              &events);
}

SondeSummaryWriter *
sonde_summary_writer_open (const char *run, const SondeSummaryWriterOptions *options,
                           GError **error)
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
  writer->pool.limit = writer->queue.limit / 4;
  writer->policies = sonde_policy_set_new ();
  init_format (writer, run, options);
  init_locks (writer);

  if (!sonde_writer_file_create (&writer->files[0], writer->file_kinds[SONDE_EVENT_FILE_MAIN],
                                 options->io, writer->clock, run, error))
    {
      free_writer (writer);
      return NULL;
    }
  add_session (writer, options->program);
  problem = start_thread (writer);
  if (problem != 0)
    {
      sonde_data_error_set_errno (error, problem, "cannot start the writer thread of “%s”",
                                  writer->files[0].path);
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
report_loss (const SondeSummaryWriter *writer, GError **error)
{
  const SondeWriterLoss *loss = &writer->queue.all_loss;
  SondeMessage *message;

  if (loss->records == 0)
    return TRUE;
  message = sonde_message_new ("%" PRIu64 " records (%" PRIu64 " bytes, steps %" PRIi64
                               " to %" PRIi64 ") were lost in “%s”: ",
                               loss->records, loss->bytes, loss->first_step, loss->last_step,
                               writer->files[0].path);
  if (writer->first_loss != NULL)
    sonde_message_append (message, writer->first_loss);
  else
    sonde_message_append_format (message, "the reason is not known");
  sonde_set_error_message (error, SONDE_DATA_ERROR, writer->first_loss_code, message);
  return FALSE;
}

gboolean
sonde_summary_writer_close (SondeSummaryWriter *writer, GError **error)
{
  gboolean is_whole;

  if (writer == NULL)
    return TRUE;
  if (!is_ours (writer))
    {
      /* Its locks may be held by a thread that does not exist here: the memory is left alone. */
      for (gsize i = 0; i < G_N_ELEMENTS (writer->files); i++)
        sonde_writer_file_clear (&writer->files[i]);
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

/* ---- waiting and looking ------------------------------------------------- */

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

gboolean
sonde_summary_writer_sync (SondeSummaryWriter *writer, GError **error)
{
  gboolean is_whole;
  guint64 failures;

  if (!is_ours (writer))
    return TRUE;
  pthread_mutex_lock (&writer->mutex);
  failures = writer->failures;
  writer->hurry = writer->wants_sync = TRUE;
  pthread_cond_signal (&writer->wake);
  while (writer->wants_sync && writer->failures == failures)
    pthread_cond_wait (&writer->progress, &writer->mutex);
  is_whole = writer->failures == failures;
  if (!is_whole)
    sonde_set_error_message (error, SONDE_DATA_ERROR, writer->failure_code,
                             sonde_message_copy (writer->failure));
  pthread_mutex_unlock (&writer->mutex);
  return is_whole;
}

void
sonde_summary_writer_get_state (SondeSummaryWriter *writer, SondeSummaryWriterState *state)
{
  pthread_mutex_lock (&writer->mutex);
  *state = (SondeSummaryWriterState){
    .failing = writer->failing,
    .written_records = writer->written_records,
    .written_bytes = writer->written_bytes,
    .lost_records = writer->queue.all_loss.records,
    .lost_bytes = writer->queue.all_loss.bytes,
    .left_out = writer->left_out,
  };
  pthread_mutex_unlock (&writer->mutex);
}

void
sonde_summary_writer_set_spans (SondeSummaryWriter *writer, SondeSpanLog *log)
{
  SondeSpanLog *before;

  pthread_mutex_lock (&writer->mutex);
  before = writer->spans;
  writer->spans = log != NULL ? sonde_span_log_ref (log) : NULL;
  pthread_mutex_unlock (&writer->mutex);
  sonde_span_log_unref (before);
}

guint64
sonde_summary_writer_get_waiting_bytes (SondeSummaryWriter *writer)
{
  guint64 bytes;

  pthread_mutex_lock (&writer->mutex);
  bytes = writer->queue.bytes;
  pthread_mutex_unlock (&writer->mutex);
  return bytes;
}

SondeMessage *
sonde_summary_writer_dup_failure (SondeSummaryWriter *writer)
{
  SondeMessage *failure;

  pthread_mutex_lock (&writer->mutex);
  failure = sonde_message_copy (writer->failure);
  pthread_mutex_unlock (&writer->mutex);
  return failure;
}

GPtrArray *
sonde_summary_writer_dup_warnings (SondeSummaryWriter *writer)
{
  GPtrArray *warnings = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);

  pthread_mutex_lock (&writer->mutex);
  for (guint i = 0; i < writer->warnings->len; i++)
    g_ptr_array_add (warnings, sonde_message_copy (writer->warnings->pdata[i]));
  pthread_mutex_unlock (&writer->mutex);
  return warnings;
}

const char *
sonde_summary_writer_get_path (const SondeSummaryWriter *writer)
{
  return writer->files[0].path;
}

guint32
sonde_summary_writer_get_session (const SondeSummaryWriter *writer)
{
  return writer->files[0].number;
}
