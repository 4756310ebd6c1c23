/* SPDX-License-Identifier: Apache-2.0
 * A training that goes back: to states of earlier steps, and what is recorded when it goes on from
 * there. */
#include "app/worker/sonde-training-job-private.h"

#include <string.h>

#include "data/arrays/sonde-npz.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"

static SondeTrainingJob *
job_of (gpointer activity)
{
  return activity;
}

void
sonde_training_job_keep_history (SondeTrainingJob *job, gboolean keep)
{
  if (!keep)
    g_clear_pointer (&job->history, sonde_trainer_history_free);
  else if (job->history == NULL && !job->finished)
    job->history = sonde_trainer_history_new (job->trainer, 0);
}

gboolean
sonde_training_job_is_quiet (const SondeTrainingJob *job)
{
  return job->tap == NULL || sonde_trainer_get_state (job->trainer)->step <= job->quiet;
}

/* ---- recording ----------------------------------------------------------- */

/* What comes is another run than what was recorded: records of its steps go to a further
 * session. */
static void
begin_session (SondeTrainingJob *job)
{
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&job->tap, sonde_training_tap_free);
  sonde_training_saver_set_writer (job->saver, NULL);
  if (job->writer != NULL)
    sonde_summary_writer_close (g_steal_pointer (&job->writer), NULL);
  if (!sonde_training_job_open_recording (job, &error))
    {
      SondeMessage *message = sonde_error_dup_message (error);

      sonde_message_prepend (message, "Recording has stopped: ");
      g_ptr_array_add (job->warnings, message);
      return;
    }
  sonde_training_saver_set_writer (job->saver, job->writer);
}

static void
set_quiet (SondeTrainingJob *job, guint64 step)
{
  job->quiet = step;
  if (job->tap != NULL)
    sonde_training_tap_set_quiet (job->tap, step);
}

void
sonde_training_job_note_edit (SondeTrainingJob *job)
{
  guint64 finished = sonde_trainer_get_state (job->trainer)->step, step = finished + 1;

  if (job->history != NULL && !job->rebuilt)
    sonde_trainer_history_note_edit (job->history);
  if (step <= job->quiet || job->tap == NULL)
    {
      begin_session (job);
      set_quiet (job, finished);
    }
  step -= job->rebuilt ? 1 : 0; /* it is undone by what goes back before the present step */
  job->rebuilt = FALSE;
  g_array_append_val (job->edits, step);
}

void
sonde_training_job_note_model (SondeTrainingJob *job)
{
  guint64 finished = sonde_trainer_get_state (job->trainer)->step;

  job->rebuilt = TRUE;
  if (job->history == NULL)
    return;
  sonde_trainer_history_note_model (job->history);
  /* the state that was kept has what was set in this step */
  for (guint i = 0; i < job->edits->len; i++)
    if (g_array_index (job->edits, guint64, i) == finished + 1)
      g_array_index (job->edits, guint64, i) = finished;
}

/* Edits after @finished steps are undone; returns the first of their steps, or G_MAXUINT64. */
static guint64
undo_edits (SondeTrainingJob *job, guint64 finished)
{
  guint64 first = G_MAXUINT64;

  for (guint i = job->edits->len; i > 0; i--)
    {
      guint64 step = g_array_index (job->edits, guint64, i - 1);

      if (step <= finished)
        continue;
      first = MIN (first, step);
      g_array_remove_index (job->edits, i - 1);
    }
  return first;
}

/* ---- going back ---------------------------------------------------------- */

static guint64
get_run (gpointer data)
{
  return sonde_trainer_get_batch (job_of (data)->trainer);
}

static guint64
find_run (gpointer data, guint64 step)
{
  return sonde_trainer_first_batch_of_step (job_of (data)->trainer, step);
}

static gboolean
get_first (gpointer data, guint64 *run)
{
  SondeTrainingJob *job = job_of (data);
  guint64 step;

  if (job->history == NULL || !sonde_trainer_history_get_first (job->history, &step))
    return FALSE;
  *run = sonde_trainer_first_batch_of_step (job->trainer, step + 1);
  return TRUE;
}

static gboolean
restore (gpointer data, guint64 run, guint64 *restored, GError **error)
{
  SondeTrainingJob *job = job_of (data);
  guint untold;
  guint64 told, edited;

  if (job->history == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "No earlier states of this training were kept.");
      return FALSE;
    }
  sonde_trainer_get_finished (job->trainer, &untold);
  told = sonde_trainer_get_state (job->trainer)->step - untold;
  if (!sonde_trainer_history_restore (job->history, sonde_trainer_step_of_batch (job->trainer, run),
                                      error))
    return FALSE;
  *restored = sonde_trainer_get_batch (job->trainer);
  job->finished = FALSE;
  if (job->model != sonde_trainer_get_model (job->trainer))
    {
      sonde_graph_unref (job->model);
      job->model = sonde_graph_ref (sonde_trainer_get_model (job->trainer));
    }
  edited = undo_edits (job, sonde_trainer_get_state (job->trainer)->step);
  set_quiet (job, MAX (job->quiet, told));
  if (edited == G_MAXUINT64)
    return TRUE;
  sonde_trainer_history_forget_after (job->history, edited - 1);
  if (job->quiet >= edited)
    {
      begin_session (job);
      set_quiet (job, edited - 1);
    }
  return TRUE;
}

static SondeRunResult
run (gpointer data, GError **error)
{
  SondeActivity *activity = data;

  return activity->klass->run (activity, error);
}

const SondeDebuggerHistory sonde_training_history = {
  .get_run = get_run,
  .find_run = find_run,
  .get_first = get_first,
  .restore = restore,
  .run = run,
};

gboolean
sonde_training_job_restart (SondeTrainingJob *job, GError **error)
{
  guint64 first, restored;

  if (get_first (job, &first) && first == 0)
    return restore (job, 0, &restored, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "The beginning of this training was not kept, because the debugger was attached "
                   "later. Use until step:N to go back to a step whose state was kept.");
  return FALSE;
}

/* ---- the batch ----------------------------------------------------------- */

/* @suffix: of the names, "" where a step has one batch */
static gboolean
add_batch (SondeTrainingJob *job, guint epoch, guint batch, const char *suffix,
           SondeNamedTensors *arrays, GError **error)
{
  guint n = job->model->inputs->len;
  g_autofree SondeTensor **inputs = g_new0 (SondeTensor *, MAX (n, 1));
  g_autoptr (SondeTensor) labels = NULL;
  gboolean good
      = job->source.base.load (&job->source.base, FALSE, epoch, batch, inputs, &labels, error);

  for (guint i = 0; i < n; i++)
    if (inputs[i] != NULL)
      {
        g_autofree char *name = g_strconcat (
            ((SondeGraphValue *) g_ptr_array_index (job->model->inputs, i))->name, suffix, NULL);

        sonde_named_tensors_set (arrays, name, inputs[i]);
        sonde_tensor_unref (inputs[i]);
      }
  if (good && labels != NULL && job->label_input < 0)
    {
      g_autofree char *name = g_strconcat ("labels", suffix, NULL);

      sonde_named_tensors_set (arrays, name, labels);
    }
  return good;
}

char *
sonde_training_job_save_batch (SondeTrainingJob *job, guint64 step, const char *path,
                               GError **error)
{
  const SondeTrainerState *state = sonde_trainer_get_state (job->trainer);
  guint together = MAX (job->recipe->train_accumulate, 1),
        first = (guint) ((step - 1) % state->steps_per_epoch) * together;
  guint n = MIN (together, state->batches_per_epoch - first);
  g_autofree char *folder = g_build_filename (job->run, "captures", NULL);
  g_autofree char *name = g_strdup_printf ("batch-step%08" G_GUINT64_FORMAT ".npz", step);
  g_autofree char *file = path != NULL ? g_strdup (path) : g_build_filename (folder, name, NULL);
  g_autoptr (SondeNamedTensors) arrays = sonde_named_tensors_new ();

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *suffix = n > 1 ? g_strdup_printf (".%u", i) : g_strdup ("");

      if (!add_batch (job, (guint) ((step - 1) / state->steps_per_epoch), first + i, suffix, arrays,
                      error))
        return NULL;
    }
  if ((path == NULL && !sonde_io_make_directories (NULL, folder, error))
      || !sonde_npz_write (NULL, file, arrays, error))
    return NULL;
  return g_canonicalize_filename (file, NULL);
}
