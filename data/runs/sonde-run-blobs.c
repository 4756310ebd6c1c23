/* SPDX-License-Identifier: Apache-2.0
 * Records that are no scalars stay in the files; here they are listed and read. */
#include "data/base/sonde-error.h"
#include "data/runs/sonde-run-private.h"

GArray *
sonde_run_list_blobs (SondeRun *run, const char *tag, SondeRecordKind kind)
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
read_blob (const SondeIo *io, const SondeRunInfo *info, const SondeBlobRef *blob,
           SondeRecord *record, GError **error)
{
  const SondeRunSlot *slot = blob->file < info->slots->len ? info->slots->pdata[blob->file] : NULL;

  if (!slot || !slot->path)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "run “%s”: the file of this record no longer exists", info->path);
      return FALSE;
    }
  return sonde_record_format_read (slot->format, io, slot->path, blob->place, slot->tags,
                                   slot->n_tags, record, error);
}

gboolean
sonde_run_read_blob (SondeRun *run, const SondeBlobRef *blob, SondeRecord *record, GError **error)
{
  g_return_val_if_fail (SONDE_IS_RUN (run), FALSE);

  return read_blob (sonde_run_get_io (run), sonde_run_get_info (run), blob, record, error);
}

/* ---- many at once -------------------------------------------------------- */

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
read_blobs_thread (GTask *task, gpointer source_object, gpointer task_data,
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
sonde_run_read_blobs_async (SondeRun *run, GArray *refs, GCancellable *cancellable,
                            GAsyncReadyCallback callback, void *user_data)
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
sonde_run_read_blobs_finish (SondeRun *run, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, run), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

/* ---- notes --------------------------------------------------------------- */

void
sonde_run_note_free (SondeRunNote *note)
{
  if (!note)
    return;
  g_free (note->display_name);
  g_free (note->description);
  g_free (note->unit);
  g_free (note->group);
  g_free (note);
}

SondeRunNote *
sonde_run_dup_note (SondeRun *run, const char *tag)
{
  g_autoptr (GArray) refs = sonde_run_list_blobs (run, tag, SONDE_RECORD_NOTE);
  SondeRecord record;
  SondeRunNote *note;

  if (refs->len == 0
      || !sonde_run_read_blob (run, &g_array_index (refs, SondeBlobRef, 0), &record, NULL))
    return NULL;
  note = g_new0 (SondeRunNote, 1);
  if (record.kind == SONDE_RECORD_NOTE)
    {
      note->display_name = g_steal_pointer (&record.u.tag_note.display_name);
      note->description = g_steal_pointer (&record.u.tag_note.description);
      note->unit = g_steal_pointer (&record.u.tag_note.unit);
      note->group = g_steal_pointer (&record.u.tag_note.group);
    }
  sonde_record_clear (&record);
  return note;
}
