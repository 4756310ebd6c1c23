/* SPDX-License-Identifier: Apache-2.0
 * Records that are no scalars stay in the files; here they are listed and read. */
#include "data/base/sonde-error.h"
#include "data/runs/sonde-run-private.h"

GArray *
sonde_run_list_blobs (SondeRun       *run,
                      const char     *tag,
                      SondeRecordKind kind)
{
  SondeRunTrack *track;

  g_return_val_if_fail (SONDE_IS_RUN (run), NULL);

  track = kind == SONDE_RECORD_SCALARS ? NULL : sonde_run_find_track (run, tag, kind);
  if (!track)
    return g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));
  return sonde_run_track_list_blobs (track);
}

/* Needs nothing but immutable data, so any thread may call it. */
static gboolean
read_blob (const SondeIo      *io,
           const SondeRunInfo *info,
           const SondeBlobRef *blob,
           SondeRecord        *record,
           GError            **error)
{
  const SondeRunSlot *slot = blob->file < info->slots->len ? info->slots->pdata[blob->file] : NULL;

  if (!slot || !slot->path)
    {
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                   "run “%s”: the file of this record is gone", info->path);
      return FALSE;
    }
  return info->format->read_at (io, slot->path, blob->offset, slot->tags, slot->n_tags, record, error);
}

gboolean
sonde_run_read_blob (SondeRun           *run,
                     const SondeBlobRef *blob,
                     SondeRecord        *record,
                     GError            **error)
{
  g_return_val_if_fail (SONDE_IS_RUN (run), FALSE);

  return read_blob (sonde_run_get_io (run), sonde_run_get_info (run), blob, record, error);
}

/* ---- many at once --------------------------------------------------------------------------- */

typedef struct
{
  const SondeIo *io;
  SondeRunInfo *info;
  GArray *refs;
} ReadJob;

static void
read_job_free (gpointer data)
{
  ReadJob *job = data;

  sonde_run_info_unref (job->info);
  g_array_unref (job->refs);
  g_free (job);
}

static void
free_record (gpointer record)
{
  sonde_record_clear (record);
  g_free (record);
}

static void
read_blobs_thread (GTask        *task,
                   gpointer      source_object,
                   gpointer      task_data,
                   GCancellable *cancellable)
{
  ReadJob *job = task_data;
  GPtrArray *records = g_ptr_array_new_with_free_func (free_record);

  for (guint i = 0; i < job->refs->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      SondeRecord *record = g_new0 (SondeRecord, 1);

      if (read_blob (job->io, job->info, &g_array_index (job->refs, SondeBlobRef, i), record, NULL))
        g_ptr_array_add (records, record);
      else
        g_free (record);
    }
  g_task_return_pointer (task, records, (GDestroyNotify) g_ptr_array_unref);
}

void
sonde_run_read_blobs_async (SondeRun            *run,
                            GArray              *refs,
                            GCancellable        *cancellable,
                            GAsyncReadyCallback  callback,
                            void                *user_data)
{
  g_autoptr (GTask) task = g_task_new (run, cancellable, callback, user_data);
  ReadJob *job = g_new0 (ReadJob, 1);

  job->io = sonde_run_get_io (run);
  job->info = sonde_run_info_ref (sonde_run_get_info (run));
  job->refs = g_array_copy (refs);
  g_task_set_source_tag (task, sonde_run_read_blobs_async);
  g_task_set_task_data (task, job, read_job_free);
  g_task_run_in_thread (task, read_blobs_thread);
}

GPtrArray *
sonde_run_read_blobs_finish (SondeRun     *run,
                             GAsyncResult *result,
                             GError      **error)
{
  g_return_val_if_fail (g_task_is_valid (result, run), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

/* ---- everything, one after the other -------------------------------------------------------- */

static gboolean
read_file (const SondeIo       *io,
           const SondeRunFormat *format,
           const char          *path,
           SondeRunRecordFunc   func,
           void                *data,
           GError             **error)
{
  gpointer reader = format->open (io, path, NULL);
  gboolean finished = FALSE, kept = TRUE;

  while (reader && kept)
    {
      SondeRecord record;
      SondeFrameResult result = format->next (reader, &record, NULL, NULL);

      if (result == SONDE_FRAME_ERROR || (result == SONDE_FRAME_WAITING && finished))
        break;
      if (result == SONDE_FRAME_WAITING)
        {
          /* there may be records behind a stretch that does not end */
          finished = TRUE;
          sonde_frame_reader_finish (format->get_frames (reader));
          continue;
        }
      kept = func (&record, data, error);
      sonde_record_clear (&record);
    }
  if (reader)
    format->close (reader);
  return kept;
}

static int
compare_slots (gconstpointer a,
               gconstpointer b)
{
  const SondeRunSlot *one = *(gconstpointer *) a, *other = *(gconstpointer *) b;

  return g_strcmp0 (one->path, other->path);
}

gboolean
sonde_run_for_each_record (SondeRun           *run,
                           SondeRunRecordFunc  func,
                           void               *data,
                           GError            **error)
{
  g_autoptr (SondeRunInfo) info = NULL;
  g_autoptr (GPtrArray) slots = g_ptr_array_new ();

  g_return_val_if_fail (SONDE_IS_RUN (run), FALSE);

  info = sonde_run_info_ref (sonde_run_get_info (run));
  for (guint i = 0; i < info->slots->len; i++)
    g_ptr_array_add (slots, g_ptr_array_index (info->slots, i));
  g_ptr_array_sort (slots, compare_slots);
  for (guint i = 0; i < slots->len; i++)
    {
      const SondeRunSlot *slot = g_ptr_array_index (slots, i);

      if (slot->path &&
          !read_file (sonde_run_get_io (run), info->format, slot->path, func, data, error))
        return FALSE;
    }
  return TRUE;
}
