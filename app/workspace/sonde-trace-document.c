/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-trace-document.h"

#include <errno.h>

#include <glib/gstdio.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/profiles/sonde-profile-file.h"

struct _SondeTraceDocument
{
  GObject parent_instance;
  char *path, *error;
  SondeTraceDocumentState state;
  GCancellable *cancellable;
  struct _Reading *reading; /* while it loads */
  SondeProfile *profile;
  SondeProfiledNodes *nodes; /* once somebody asked */
  SondeTimelineIndex *index;
  guint n_missing;   /* parts of a recording */
  guint64 recording; /* which of a run's; 0 until it is known */
  SondeRecordingList recordings;
  gboolean has_range;
  gint64 range_start_ns, range_end_ns;
  guint holds;
};

enum
{
  STATE_CHANGED,
  RANGE_CHANGED,
  VIEW_WANTED,
  ITEM_SHOWN,
  OPERATOR_SHOWN,
  BUSY_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeTraceDocument, sonde_trace_document, G_TYPE_OBJECT)

/* ---- reading ------------------------------------------------------------- */

/* The system's calls, counted, until somebody cancels. @io: first, as the calls are given it */
typedef struct _Reading
{
  SondeIo io;
  char *path;
  guint64 recording;
  GCancellable *cancellable;
  gsize n_read, size; /* bytes; atomic */
} Reading;

/* @file: what it was made of, without the trace and the facts */
typedef struct
{
  SondeProfile *profile;
  SondeTimelineIndex *index;
  SondeProfileFile file;
} Read;

static void
free_reading (gpointer data)
{
  Reading *reading = data;

  g_object_unref (reading->cancellable);
  g_free (reading->path);
  g_free (reading);
}

static void
free_read (gpointer data)
{
  Read *read = data;

  sonde_timeline_index_free (read->index);
  sonde_profile_free (read->profile);
  sonde_profile_file_clear (&read->file);
  g_free (read);
}

static ssize_t
count (const SondeIo *io, ssize_t n)
{
  if (n > 0)
    g_atomic_pointer_add (&((Reading *) (void *) io)->n_read, n);
  return n;
}

static gboolean
is_cancelled (const SondeIo *io)
{
  if (!g_cancellable_is_cancelled (((const Reading *) (const void *) io)->cancellable))
    return FALSE;
  errno = ECANCELED;
  return TRUE;
}

static ssize_t
counted_read (const SondeIo *io, int fd, void *data, size_t length)
{
  return is_cancelled (io)
             ? -1
             : count (io, sonde_io_system ()->read (sonde_io_system (), fd, data, length));
}

static ssize_t
counted_pread (const SondeIo *io, int fd, void *data, size_t length, off_t offset)
{
  return is_cancelled (io)
             ? -1
             : count (io, sonde_io_system ()->pread (sonde_io_system (), fd, data, length, offset));
}

static Reading *
new_reading (const char *path, guint64 recording, GCancellable *cancellable)
{
  Reading *reading = g_new0 (Reading, 1);
  GStatBuf status;

  reading->io = *sonde_io_system ();
  reading->io.read = counted_read;
  reading->io.pread = counted_pread;
  reading->path = g_strdup (path);
  reading->recording = recording;
  reading->cancellable = g_object_ref (cancellable);
  if (g_stat (path, &status) == 0 && S_ISREG (status.st_mode))
    reading->size = (gsize) MAX (status.st_size, 0);
  return reading;
}

static void
read_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Reading *reading = data;
  GError *error = NULL;
  g_autofree Read *read = g_new0 (Read, 1);
  gboolean done = sonde_profile_file_read (&reading->io, reading->path, reading->recording,
                                           &read->file, &error);

  if (g_task_return_error_if_cancelled (task))
    {
      sonde_profile_file_clear (&read->file);
      g_clear_error (&error);
      return;
    }
  if (!done)
    {
      g_task_return_error (task, error);
      return;
    }
  g_atomic_pointer_set (&reading->n_read, MAX (reading->size, 1));
  read->index = sonde_timeline_index_new (read->file.trace);
  read->profile = sonde_profile_new (g_steal_pointer (&read->file.trace),
                                     g_steal_pointer (&read->file.facts), NULL);
  g_task_return_pointer (task, g_steal_pointer (&read), free_read);
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeTraceDocument *document = SONDE_TRACE_DOCUMENT (source);
  g_autoptr (GError) error = NULL;
  Read *read = g_task_propagate_pointer (G_TASK (result), &error);

  document->reading = NULL;
  if (read != NULL)
    {
      document->profile = g_steal_pointer (&read->profile);
      document->index = g_steal_pointer (&read->index);
      document->n_missing = read->file.n_missing;
      document->recording = read->file.recording;
      document->recordings = read->file.recordings;
      read->file.recordings = (SondeRecordingList){ 0 };
      free_read (read);
      document->state = SONDE_TRACE_DOCUMENT_READY;
    }
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    document->state = SONDE_TRACE_DOCUMENT_CANCELLED;
  else
    {
      document->error = g_strdup (sonde_error_get_text (error));
      document->state = SONDE_TRACE_DOCUMENT_FAILED;
    }
  g_signal_emit (document, signals[STATE_CHANGED], 0);
}

SondeTraceDocument *
sonde_trace_document_new (const char *path, guint64 recording)
{
  SondeTraceDocument *document = g_object_new (SONDE_TYPE_TRACE_DOCUMENT, NULL);
  g_autoptr (GTask) task = g_task_new (document, document->cancellable, on_read, NULL);

  document->path = g_strdup (path);
  document->reading = new_reading (path, recording, document->cancellable);
  g_task_set_task_data (task, document->reading, free_reading);
  g_task_set_check_cancellable (task, FALSE);
  g_task_run_in_thread (task, read_in_thread);
  return document;
}

void
sonde_trace_document_cancel (SondeTraceDocument *document)
{
  g_return_if_fail (SONDE_IS_TRACE_DOCUMENT (document));
  g_cancellable_cancel (document->cancellable);
}

/* ---- what it holds ------------------------------------------------------- */

SondeTraceDocumentState
sonde_trace_document_get_state (SondeTraceDocument *document)
{
  g_return_val_if_fail (SONDE_IS_TRACE_DOCUMENT (document), SONDE_TRACE_DOCUMENT_FAILED);
  return document->state;
}

const char *
sonde_trace_document_get_path (SondeTraceDocument *document)
{
  g_return_val_if_fail (SONDE_IS_TRACE_DOCUMENT (document), NULL);
  return document->path;
}

const char *
sonde_trace_document_get_error (SondeTraceDocument *document)
{
  g_return_val_if_fail (SONDE_IS_TRACE_DOCUMENT (document), NULL);
  return document->error;
}

const SondeRecordingList *
sonde_trace_document_get_recordings (SondeTraceDocument *document)
{
  g_return_val_if_fail (SONDE_IS_TRACE_DOCUMENT (document), NULL);
  return &document->recordings;
}

guint64
sonde_trace_document_get_recording (SondeTraceDocument *document)
{
  g_return_val_if_fail (SONDE_IS_TRACE_DOCUMENT (document), 0);
  return document->recording;
}

double
sonde_trace_document_get_progress (SondeTraceDocument *document)
{
  gsize size;

  g_return_val_if_fail (SONDE_IS_TRACE_DOCUMENT (document), 0);
  if (document->reading == NULL)
    return 1;
  size = MAX (document->reading->size, 1);
  return MIN ((double) (gsize) g_atomic_pointer_get (&document->reading->n_read) / (double) size,
              1);
}

const SondeProfile *
sonde_trace_document_get_profile (SondeTraceDocument *document)
{
  g_return_val_if_fail (SONDE_IS_TRACE_DOCUMENT (document), NULL);
  return document->profile;
}

const SondeTrace *
sonde_trace_document_get_trace (SondeTraceDocument *document)
{
  g_return_val_if_fail (SONDE_IS_TRACE_DOCUMENT (document), NULL);
  return document->profile != NULL ? document->profile->trace : NULL;
}

const SondeTimelineIndex *
sonde_trace_document_get_index (SondeTraceDocument *document)
{
  g_return_val_if_fail (SONDE_IS_TRACE_DOCUMENT (document), NULL);
  return document->index;
}

static void
add_loss (GString *text, guint64 n, const char *what)
{
  g_autofree char *shown = sonde_format_count ((gint64) MIN (n, G_MAXINT64));

  if (n > 0)
    g_string_append_printf (text, "%s%s: %s", text->len > 0 ? "\n" : "", what, shown);
}

char *
sonde_trace_document_dup_losses (SondeTraceDocument *document)
{
  static const char *const words[SONDE_TRACE_N_REASONS] = {
    [SONDE_TRACE_REASON_EVENT] = N_ ("elements that are no objects"),
    [SONDE_TRACE_REASON_PHASE] = N_ ("events without a phase"),
    [SONDE_TRACE_REASON_TIME] = N_ ("events without a valid time"),
    [SONDE_TRACE_REASON_DURATION] = N_ ("spans without a valid duration"),
    [SONDE_TRACE_REASON_ID] = N_ ("events without the ID that they need"),
    [SONDE_TRACE_REASON_COUNTER] = N_ ("counter values that are no numbers"),
    [SONDE_TRACE_REASON_UNMATCHED_END] = N_ ("ends without a begin"),
    [SONDE_TRACE_REASON_UNCLOSED] = N_ ("spans without an end of their own"),
    [SONDE_TRACE_REASON_DUPLICATE_ID] = N_ ("begins with an ID that is in use"),
    [SONDE_TRACE_REASON_UNMATCHED_FLOW] = N_ ("flow events without a counterpart"),
    [SONDE_TRACE_REASON_OVERLAPPING] = N_ ("spans that overlap others of their thread"),
    [SONDE_TRACE_REASON_PACKET] = N_ ("packets that cannot be decoded"),
    [SONDE_TRACE_REASON_STATE] = N_ ("packets whose context was lost"),
    [SONDE_TRACE_REASON_LINE] = N_ ("lines that are not understood"),
    [SONDE_TRACE_REASON_LONG_TEXT] = N_ ("texts that were cut off"),
  };
  const SondeTrace *trace = sonde_trace_document_get_trace (document);
  g_autoptr (GString) text = g_string_new (NULL);

  if (trace == NULL)
    return NULL;
  if (trace->truncated)
    {
      g_autofree char *at = sonde_format_count ((gint64) trace->truncated_at);

      g_string_append_printf (text, _ ("the file is not readable from byte %s on"), at);
    }
  for (int i = 0; i < SONDE_TRACE_N_REASONS; i++)
    add_loss (text, trace->reasons[i],
              words[i] != NULL ? _ (words[i]) : sonde_trace_reason_get_name (i));
  add_loss (text, document->n_missing, _ ("missing or damaged parts of the recording"));
  add_loss (text, trace->n_dropped,
            document->profile->facts != NULL ? _ ("spans that found no room")
                                             : _ ("packets that the producer lost"));
  return text->len > 0 ? g_strdup (text->str) : NULL;
}

/* ---- what views share ---------------------------------------------------- */

gboolean
sonde_trace_document_get_range (SondeTraceDocument *document, gint64 *start_ns, gint64 *end_ns)
{
  const SondeTrace *trace;

  g_return_val_if_fail (SONDE_IS_TRACE_DOCUMENT (document), FALSE);
  trace = sonde_trace_document_get_trace (document);
  *start_ns = trace != NULL ? trace->start_ns : 0;
  /* Also what is empty at the very end. */
  *end_ns = trace != NULL && trace->end_ns < G_MAXINT64 ? trace->end_ns + 1 : G_MAXINT64;
  if (document->has_range)
    {
      *start_ns = document->range_start_ns;
      *end_ns = document->range_end_ns;
    }
  return document->has_range;
}

void
sonde_trace_document_set_range (SondeTraceDocument *document, gint64 start_ns, gint64 end_ns,
                                gboolean done)
{
  g_return_if_fail (SONDE_IS_TRACE_DOCUMENT (document));
  document->has_range = TRUE;
  document->range_start_ns = start_ns;
  document->range_end_ns = end_ns;
  g_signal_emit (document, signals[RANGE_CHANGED], 0, done);
}

void
sonde_trace_document_clear_range (SondeTraceDocument *document)
{
  g_return_if_fail (SONDE_IS_TRACE_DOCUMENT (document));
  if (!document->has_range)
    return;
  document->has_range = FALSE;
  g_signal_emit (document, signals[RANGE_CHANGED], 0, TRUE);
}

void
sonde_trace_document_show_item (SondeTraceDocument *document, guint32 item)
{
  g_return_if_fail (SONDE_IS_TRACE_DOCUMENT (document));
  sonde_trace_document_show_view (document, "timeline");
  g_signal_emit (document, signals[ITEM_SHOWN], 0, item);
}

void
sonde_trace_document_show_view (SondeTraceDocument *document, const char *name)
{
  g_return_if_fail (SONDE_IS_TRACE_DOCUMENT (document));
  g_signal_emit (document, signals[VIEW_WANTED], 0, name);
}

const SondeProfiledNodes *
sonde_trace_document_get_nodes (SondeTraceDocument *document)
{
  g_return_val_if_fail (SONDE_IS_TRACE_DOCUMENT (document), NULL);
  if (document->nodes == NULL && document->profile != NULL)
    document->nodes = sonde_profiled_nodes_new (document->profile);
  return document->nodes;
}

guint
sonde_trace_document_find_operator (SondeTraceDocument *document, const char *name)
{
  const SondeProfiledNodes *nodes = sonde_trace_document_get_nodes (document);
  const SondeProfileOperator *op = nodes != NULL ? sonde_profiled_nodes_find (nodes, name) : NULL;

  return op != NULL ? (guint) (op - sonde_profile_get_operator (document->profile, 0))
                    : SONDE_TRACE_DOCUMENT_NONE;
}

guint
sonde_trace_document_find_operator_or_type (SondeTraceDocument *document, const char *name)
{
  guint found = sonde_trace_document_find_operator (document, name);

  for (guint i = 0; found == SONDE_TRACE_DOCUMENT_NONE && document->profile != NULL
                    && i < document->profile->operators->len;
       i++)
    if (g_str_equal (sonde_profile_get_operator (document->profile, i)->op, name))
      found = i;
  return found;
}

void
sonde_trace_document_show_operator (SondeTraceDocument *document, guint i)
{
  g_return_if_fail (SONDE_IS_TRACE_DOCUMENT (document));
  sonde_trace_document_show_view (document, "operators");
  g_signal_emit (document, signals[OPERATOR_SHOWN], 0, i);
}

gboolean
sonde_trace_document_show_name (SondeTraceDocument *document, const char *name)
{
  const SondeTrace *trace = sonde_trace_document_get_trace (document);
  gsize first = G_MAXSIZE;

  for (gsize i = 0; trace != NULL && i < trace->n_spans; i++)
    if ((first == G_MAXSIZE || trace->spans[i].start_ns < trace->spans[first].start_ns)
        && g_str_equal (sonde_trace_get_label (trace, trace->spans[i].label)->name, name))
      first = i;
  if (first == G_MAXSIZE)
    return FALSE;
  sonde_trace_document_show_item (document, (guint32) first);
  return TRUE;
}

void
sonde_trace_document_hold (SondeTraceDocument *document)
{
  g_return_if_fail (SONDE_IS_TRACE_DOCUMENT (document));
  if (document->holds++ == 0)
    g_signal_emit (document, signals[BUSY_CHANGED], 0);
}

void
sonde_trace_document_release (SondeTraceDocument *document)
{
  g_return_if_fail (SONDE_IS_TRACE_DOCUMENT (document) && document->holds > 0);
  if (--document->holds == 0)
    g_signal_emit (document, signals[BUSY_CHANGED], 0);
}

gboolean
sonde_trace_document_is_busy (SondeTraceDocument *document)
{
  g_return_val_if_fail (SONDE_IS_TRACE_DOCUMENT (document), FALSE);
  return document->holds > 0;
}

static void
sonde_trace_document_finalize (GObject *object)
{
  SondeTraceDocument *document = SONDE_TRACE_DOCUMENT (object);

  g_object_unref (document->cancellable);
  sonde_timeline_index_free (document->index);
  sonde_profiled_nodes_free (document->nodes);
  sonde_profile_free (document->profile);
  sonde_recording_list_clear (&document->recordings);
  g_free (document->path);
  g_free (document->error);
  G_OBJECT_CLASS (sonde_trace_document_parent_class)->finalize (object);
}

static void
sonde_trace_document_class_init (SondeTraceDocumentClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_trace_document_finalize;
  signals[STATE_CHANGED] = g_signal_new ("state-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                         NULL, G_TYPE_NONE, 0);
  signals[RANGE_CHANGED] = g_signal_new ("range-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                         NULL, G_TYPE_NONE, 1, G_TYPE_BOOLEAN);
  signals[ITEM_SHOWN] = g_signal_new ("item-shown", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                      G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[VIEW_WANTED] = g_signal_new ("view-wanted", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                       G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[OPERATOR_SHOWN] = g_signal_new ("operator-shown", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                          NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[BUSY_CHANGED]
      = g_signal_new ("busy-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_trace_document_init (SondeTraceDocument *document)
{
  document->cancellable = g_cancellable_new ();
}
