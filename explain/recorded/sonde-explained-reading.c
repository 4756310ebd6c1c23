/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/recorded/sonde-explained-reading.h"

#include "explain/recorded/sonde-explained-log.h"
#include "explain/recorded/sonde-explained-records.h"

/* What a thread gets. */
typedef struct
{
  GPtrArray *records; /* (nullable): NULL: the folder is read */
  char *program, *folder;
} Job;

static void
job_free (void *data)
{
  Job *job = data;

  g_clear_pointer (&job->records, g_ptr_array_unref);
  g_free (job->program);
  g_free (job->folder);
  g_free (job);
}

void
sonde_explained_reading_free (SondeExplainedReading *reading)
{
  if (reading == NULL)
    return;
  g_ptr_array_unref (reading->samples);
  if (reading->folder == NULL)
    g_ptr_array_unref (reading->faults);
  else
    sonde_explanation_folder_free (reading->folder);
  g_free (reading);
}

static SondeExplainedReading *
join (const Job *job)
{
  SondeExplainedReading *reading = g_new0 (SondeExplainedReading, 1);
  g_autoptr (SondeExplainedFiles) files = sonde_explained_files_new (job->folder, job->program);
  const SondeRecord *first = job->records->len > 0 ? g_ptr_array_index (job->records, 0) : NULL;

  reading->faults = g_ptr_array_new_with_free_func (g_free);
  reading->samples = first != NULL && first->kind == SONDE_RECORD_EXPLAIN
                         ? sonde_explained_log_join (job->records, files, reading->faults)
                         : sonde_explained_records_list (job->records, files);
  return reading;
}

static SondeExplainedReading *
read_folder (const Job *job, GError **error)
{
  SondeExplanationFolder *folder = sonde_explanation_folder_read (job->folder, error);
  SondeExplainedReading *reading;

  if (folder == NULL)
    return NULL;
  reading = g_new0 (SondeExplainedReading, 1);
  reading->samples = sonde_explained_folder_list (job->folder, folder, job->program);
  reading->faults = folder->faults;
  reading->folder = folder;
  return reading;
}

static void
read_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  const Job *job = task_data;
  GError *error = NULL;
  SondeExplainedReading *reading = job->records != NULL ? join (job) : read_folder (job, &error);

  if (reading != NULL)
    g_task_return_pointer (task, reading, (GDestroyNotify) sonde_explained_reading_free);
  else
    g_task_return_error (task, error);
}

static void
start (GObject *owner, GPtrArray *records, const char *folder, const char *program,
       GCancellable *cancellable, GAsyncReadyCallback callback)
{
  g_autoptr (GTask) task = g_task_new (owner, cancellable, callback, NULL);
  Job *job = g_new0 (Job, 1);

  job->records = records != NULL ? g_ptr_array_ref (records) : NULL;
  job->folder = g_strdup (folder);
  job->program = g_strdup (program);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, read_in_thread);
}

void
sonde_explained_read_records_async (GObject *owner, GPtrArray *records, const char *folder,
                                    const char *program, GCancellable *cancellable,
                                    GAsyncReadyCallback callback)
{
  start (owner, records, folder, program, cancellable, callback);
}

void
sonde_explained_read_folder_async (GObject *owner, const char *folder, const char *program,
                                   GCancellable *cancellable, GAsyncReadyCallback callback)
{
  start (owner, NULL, folder, program, cancellable, callback);
}

SondeExplainedReading *
sonde_explained_read_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
