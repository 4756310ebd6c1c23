/* SPDX-License-Identifier: Apache-2.0
 * A training as an activity of a session. */
#include "app/worker/sonde-training-job-private.h"

#include <string.h>

static SondeTrainingJob *
job_of (SondeActivity *activity)
{
  return (SondeTrainingJob *) activity;
}

static SondeRunResult
activity_run (SondeActivity *activity, GError **error)
{
  SondeRunResult result = sonde_trainer_run (job_of (activity)->trainer, error);

  /* Here and not by the caller, so that the final checkpoint is there when a client hears of the
   * end. */
  if (result == SONDE_RUN_PAUSED)
    return result;
  if (!sonde_training_job_finish (job_of (activity), result != SONDE_RUN_FAILED ? error : NULL))
    return SONDE_RUN_FAILED;
  return result;
}

static void
activity_interrupt (SondeActivity *activity)
{
  sonde_trainer_interrupt (job_of (activity)->trainer);
}

static SondeExecution *
activity_get_execution (SondeActivity *activity)
{
  return sonde_trainer_get_execution (job_of (activity)->trainer);
}

static void
activity_add_observer (SondeActivity *activity, SondeObserver *observer)
{
  sonde_trainer_add_observer (job_of (activity)->trainer, observer);
}

static void
activity_remove_observer (SondeActivity *activity, SondeObserver *observer)
{
  sonde_trainer_remove_observer (job_of (activity)->trainer, observer);
}

static void
activity_refresh_observers (SondeActivity *activity)
{
  sonde_trainer_refresh_observers (job_of (activity)->trainer);
}

static SondeGraph *
activity_get_graph (SondeActivity *activity)
{
  return sonde_trainer_get_graph (job_of (activity)->trainer);
}

static SondeGraph *
activity_get_original (SondeActivity *activity)
{
  return job_of (activity)->model;
}

static void
activity_get_facts (SondeActivity *activity, SondeSessionFacts *facts)
{
  SondeTrainingJob *job = job_of (activity);
  const SondeTrainerState *state = sonde_trainer_get_state (job->trainer);

  memset (facts, 0, sizeof *facts);
  facts->kind = SONDE_ACTIVITY_TRAINING;
  facts->title = job->title;
  facts->run_directory = job->run;
  facts->step = MIN (state->step + 1, MAX (state->total_steps, 1));
  facts->total_steps = state->total_steps;
  facts->epoch = state->epoch + 1;
  facts->n_epochs = (state->total_steps + state->steps_per_epoch - 1) / state->steps_per_epoch;
  facts->measured = state->measured;
  facts->loss = state->loss;
  facts->accuracy = state->accuracy;
  facts->learning_rate = state->learning_rate;
  facts->samples_per_second = sonde_training_job_get_speed (job);
}

static gboolean
activity_complete_step (SondeActivity *activity, GError **error)
{
  return sonde_trainer_complete_step (job_of (activity)->trainer, error);
}

static gboolean
activity_finish (SondeActivity *activity, GError **error)
{
  return sonde_training_job_finish (job_of (activity), error);
}

static gboolean
activity_set_model (SondeActivity *activity, SondeGraph *model, GError **error)
{
  SondeTrainingJob *job = job_of (activity);

  if (!sonde_trainer_set_model (job->trainer, model, error))
    return FALSE;
  sonde_graph_unref (job->model);
  job->model = sonde_graph_ref (model);
  sonde_training_job_note_model (job);
  return TRUE;
}

static void
activity_note_change (SondeActivity *activity, const SondeMessage *message)
{
  sonde_training_job_note_edit (job_of (activity));
  sonde_training_job_record_change (job_of (activity), message);
}

static void
activity_note_lost (SondeActivity *activity, const SondeMessage *message)
{
  sonde_training_job_record_lost (job_of (activity), message);
}

static gboolean
activity_restart (SondeActivity *activity, GError **error)
{
  return sonde_training_job_restart (job_of (activity), error);
}

static void
activity_keep_history (SondeActivity *activity, gboolean keep)
{
  sonde_training_job_keep_history (job_of (activity), keep);
}

static char *
activity_save_batch (SondeActivity *activity, guint64 step, const char *path, GError **error)
{
  return sonde_training_job_save_batch (job_of (activity), step, path, error);
}

static SondeSpanLog *
activity_get_spans (SondeActivity *activity)
{
  return job_of (activity)->spans;
}

static char *
activity_keep_profile (SondeActivity *activity, const char *folder, GError **error)
{
  return sonde_training_job_keep_profile (job_of (activity), error);
}

static void
activity_settle_profile (SondeActivity *activity)
{
  sonde_training_job_record_profile (job_of (activity), FALSE);
}

static void
activity_free (SondeActivity *activity)
{
  sonde_training_job_unref (job_of (activity));
}

const SondeActivityClass sonde_training_activity_class = {
  .run = activity_run,
  .interrupt = activity_interrupt,
  .get_execution = activity_get_execution,
  .add_observer = activity_add_observer,
  .remove_observer = activity_remove_observer,
  .refresh_observers = activity_refresh_observers,
  .get_graph = activity_get_graph,
  .get_original = activity_get_original,
  .get_facts = activity_get_facts,
  .complete_step = activity_complete_step,
  .finish = activity_finish,
  .set_model = activity_set_model,
  .note_change = activity_note_change,
  .note_lost = activity_note_lost,
  .restart = activity_restart,
  .history = &sonde_training_history,
  .keep_history = activity_keep_history,
  .save_batch = activity_save_batch,
  .get_spans = activity_get_spans,
  .keep_profile = activity_keep_profile,
  .settle_profile = activity_settle_profile,
  .free = activity_free,
};
