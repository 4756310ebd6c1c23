/* SPDX-License-Identifier: Apache-2.0
 * Joins recipe, dataset, graph, trainer, collector and checkpoints into one activity. */
#include "app/worker/sonde-training-job-private.h"

#include <math.h>
#include <string.h>

#include "app/worker/sonde-evaluation-parts.h"
#include "app/worker/sonde-training-outline.h"
#include "app/worker/sonde-training-settings.h"
#include "app/worker/sonde-weights.h"
#include "data/base/sonde-error.h"
#include "engine/nn/sonde-model-summary.h"

/* ---- around steps -------------------------------------------------------- */

static SondeAnswer
step_done (SondeTrainerListener *base, SondeTrainer *trainer)
{
  SondeTrainingJob *job = ((SondeTrainingListener *) base)->job;
  SondeSpanRing *ring;
  guint64 moment;

  if (sonde_training_job_is_quiet (job))
    return SONDE_ANSWER_CONTINUE;
  ring = sonde_span_log_enter (job->spans);
  moment = ring != NULL ? sonde_ticks_now (&job->spans->ticks) : 0;
  sonde_training_tap_step_done (job->tap);
  if (ring != NULL)
    sonde_span_log_add (job->spans, ring, SONDE_SPAN_RECORDING,
                        sonde_span_log_add_label (job->spans, "records"), moment, 0);
  sonde_training_job_record_profile (job, FALSE);
  if (job->shown_faults == 0)
    sonde_training_job_record_faults (job);
  sonde_training_saver_step_done (job->saver);
  if (job->progress != NULL)
    job->progress (job, job->progress_data);
  return SONDE_ANSWER_CONTINUE;
}

static void
evaluated (SondeTrainerListener *base, SondeTrainer *trainer)
{
  SondeTrainingJob *job = ((SondeTrainingListener *) base)->job;

  if (sonde_training_job_is_quiet (job))
    return;
  sonde_training_tap_evaluated (job->tap);
  sonde_training_job_record_faults (job);
  sonde_training_saver_evaluated (job->saver);
}

static SondeAnswer
epoch_done (SondeTrainerListener *base, SondeTrainer *trainer)
{
  SondeTrainingJob *job = ((SondeTrainingListener *) base)->job;

  if (!sonde_training_job_is_quiet (job))
    sonde_training_saver_epoch_done (job->saver);
  return SONDE_ANSWER_CONTINUE;
}

static gboolean
roll_back (SondeTrainerListener *base, SondeTrainer *trainer, GError **error)
{
  SondeTrainingJob *job = ((SondeTrainingListener *) base)->job;

  if (!sonde_training_saver_roll_back (job->saver, error))
    return FALSE;
  /* Recorded steps are repeated with other results: earlier states can no longer be restored. */
  if (job->history != NULL)
    sonde_trainer_history_clear (job->history);
  job->quiet = 0;
  if (job->tap != NULL)
    sonde_training_tap_set_quiet (job->tap, 0);
  return TRUE;
}

/* ---- life ---------------------------------------------------------------- */

/* A run killed before it wrote anything left an empty folder. */
static gboolean
is_empty_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  return dir != NULL && g_dir_read_name (dir) == NULL;
}

static gboolean
check_run_folder (const SondeTrainingJobOptions *options, GError **error)
{
  g_autofree char *recipe = g_build_filename (options->run, "run.ini", NULL);
  g_autofree char *records = g_build_filename (options->run, "records", NULL);
  gboolean exists
      = g_file_test (recipe, G_FILE_TEST_EXISTS) || g_file_test (records, G_FILE_TEST_EXISTS);

  if (exists && !options->resume)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "“%s” already contains a run. Choose another --run folder, or continue the "
                     "run with --resume.",
                     options->run);
  else if (!exists && options->resume && !is_empty_folder (options->run))
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "“%s” contains no run to resume.", options->run);
  else
    return TRUE;
  return FALSE;
}

static gboolean
resume (SondeTrainingJob *job, GError **error)
{
  if (sonde_training_saver_has_checkpoint (job->saver))
    return sonde_training_saver_resume (job->saver, job->warnings, error);
  g_ptr_array_add (
      job->warnings,
      sonde_message_new ("“%s” ended before its first checkpoint and is started again.", job->run));
  return sonde_training_job_load_weights (job, error);
}

/* Data and model with its trainer, checked against each other; nothing is recorded. */
static SondeTrainingJob *
open_parts (const SondeTrainingJobOptions *options, GError **error)
{
  g_autoptr (SondeTrainingJob) job = g_new0 (SondeTrainingJob, 1);

  job->activity.klass = &sonde_training_activity_class;
  job->ref_count = 1;
  job->recipe = sonde_recipe_copy (options->recipe);
  job->run = g_strdup (options->run);
  job->device = g_intern_string (options->device != NULL ? options->device : "cpu");
  job->warnings = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);
  job->edits = g_array_new (FALSE, FALSE, sizeof (guint64));
  job->title = g_strdup_printf ("%s · %s", job->recipe->model_name, job->recipe->data_source);
  if (!sonde_training_job_open_data (job, options, error)
      || !sonde_training_job_open_model (job, options, error))
    return NULL;
  return g_steal_pointer (&job);
}

SondeTrainingJob *
sonde_training_job_open (const SondeTrainingJobOptions *options, GError **error)
{
  g_autoptr (SondeTrainingJob) job = NULL;

  if (!sonde_training_settings_check (options->recipe, error) || !check_run_folder (options, error))
    return NULL;
  job = open_parts (options, error);
  if (job == NULL)
    return NULL;
  job->saver = sonde_training_saver_new (job->recipe, job->run, job->trainer);
  if (!(options->resume ? resume (job, error) : sonde_training_job_load_weights (job, error)))
    return NULL;
  if (!sonde_training_job_open_recording (job, error))
    return NULL;
  sonde_training_job_open_spans (job);
  job->listener = (SondeTrainingListener){ { step_done, epoch_done, evaluated, roll_back }, job };
  job->samples_before = sonde_trainer_get_state (job->trainer)->samples;
  sonde_training_saver_set_writer (job->saver, job->writer);
  sonde_training_saver_begin (job->saver);
  sonde_trainer_set_listener (job->trainer, &job->listener.base);
  return g_steal_pointer (&job);
}

void
sonde_training_job_unref (SondeTrainingJob *job)
{
  if (job == NULL || --job->ref_count > 0)
    return;
  g_clear_pointer (&job->counters, sonde_span_counters_free); /* before what they look at */
  g_clear_pointer (&job->history, sonde_trainer_history_free);
  g_clear_pointer (&job->edits, g_array_unref);
  g_clear_pointer (&job->tap, sonde_training_tap_free);
  if (job->writer != NULL)
    sonde_summary_writer_close (g_steal_pointer (&job->writer), NULL);
  g_clear_pointer (&job->saver, sonde_training_saver_free);
  g_clear_pointer (&job->warnings, g_ptr_array_unref);
  g_clear_pointer (&job->trainer, sonde_trainer_free);
  g_clear_pointer (&job->model, sonde_graph_unref);
  g_clear_pointer (&job->train, sonde_batches_free);
  g_clear_pointer (&job->test, sonde_batches_free);
  g_clear_pointer (&job->order, sonde_tensor_unref);
  g_clear_pointer (&job->dataset, sonde_dataset_free);
  g_clear_pointer (&job->spans, sonde_span_log_unref); /* behind those that write into it */
  sonde_split_part_clear (&job->split);
  g_clear_pointer (&job->recipe, sonde_recipe_free);
  g_free (job->last_samples);
  g_free (job->run);
  g_free (job->title);
  g_free (job);
}

/* @writer_error, @problem: (nullable): why records and why checkpoints were lost; one or both */
static void
set_loss_error (const GError *writer_error, const SondeMessage *problem, GError **error)
{
  SondeMessage *message
      = writer_error != NULL ? sonde_error_dup_message (writer_error) : sonde_message_new_empty ();

  if (writer_error != NULL && problem != NULL)
    sonde_message_append_text (message, "\n");
  if (problem != NULL)
    sonde_message_append (message, problem);
  sonde_set_error_message (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO, message);
}

gboolean
sonde_training_job_finish (SondeTrainingJob *job, GError **error)
{
  g_autoptr (GError) writer_error = NULL, step_error = NULL;
  g_autoptr (SondeMessage) problem = NULL;

  if (job->finished)
    return TRUE;
  job->finished = TRUE;
  sonde_trainer_leave_step (job->trainer, &step_error);
  sonde_training_job_record_profile (job, TRUE);
  sonde_training_saver_finish (job->saver, job->model, NULL);
  problem = sonde_training_saver_dup_problem (job->saver);
  g_clear_pointer (&job->tap, sonde_training_tap_free);
  sonde_training_job_record_faults (job);
  sonde_training_saver_set_writer (job->saver, NULL);
  if (job->writer != NULL)
    {
      sonde_summary_writer_flush (job->writer);
      g_ptr_array_extend_and_steal (job->warnings, sonde_summary_writer_dup_warnings (job->writer));
    }
  if (job->writer != NULL) /* it went back after the end: all was written */
    sonde_summary_writer_close (g_steal_pointer (&job->writer), &writer_error);
  if (writer_error != NULL || problem != NULL)
    set_loss_error (writer_error, problem, error);
  else if (step_error != NULL)
    g_propagate_error (error, g_steal_pointer (&step_error));
  else
    return TRUE;
  return FALSE;
}

static SondeMessage *
make_fault_banner (SondeTrainingJob *job)
{
  SondeMessage *message = job->shown_faults > 0 ? sonde_dataset_dup_fault (job->dataset, 0) : NULL;

  if (message != NULL)
    sonde_message_prepend (message,
                           "%u samples cannot be read. The text data/faults of the run lists all "
                           "of them. The first one: ",
                           job->shown_faults);
  return message;
}

SondeMessage *
sonde_training_job_dup_banner (SondeTrainingJob *job)
{
  SondeSummaryWriterState state = { 0 };
  SondeMessage *message = sonde_training_saver_dup_problem (job->saver);

  if (message != NULL)
    return message;
  if (job->writer != NULL)
    sonde_summary_writer_get_state (job->writer, &state);
  if (!state.failing)
    return make_fault_banner (job);
  return sonde_summary_writer_dup_failure (job->writer);
}

guint64
sonde_training_job_get_lost_checkpoints (SondeTrainingJob *job)
{
  return sonde_training_saver_get_lost (job->saver);
}

const GPtrArray *
sonde_training_job_get_warnings (SondeTrainingJob *job)
{
  return job->warnings;
}

SondeActivity *
sonde_training_job_dup_activity (SondeTrainingJob *job)
{
  job->ref_count++;
  return &job->activity;
}

SondeTrainer *
sonde_training_job_get_trainer (SondeTrainingJob *job)
{
  return job->trainer;
}

SondeSpanLog *
sonde_training_job_get_spans (SondeTrainingJob *job)
{
  return job->spans;
}

SondeSpanCounters *
sonde_training_job_get_counters (SondeTrainingJob *job)
{
  return job->counters;
}

const char *
sonde_training_job_get_run (SondeTrainingJob *job)
{
  return job->run;
}

void
sonde_training_job_set_progress (SondeTrainingJob *job, SondeTrainingJobProgress progress,
                                 gpointer data)
{
  job->progress = progress;
  job->progress_data = data;
}

double
sonde_training_job_get_speed (SondeTrainingJob *job)
{
  const SondeTrainerState *state = sonde_trainer_get_state (job->trainer);

  /* A training that was rolled back may have fewer samples than it began with. */
  return state->training_ns > 0 && state->samples >= job->samples_before
             ? (double) (state->samples - job->samples_before) / ((double) state->training_ns / 1e9)
             : NAN;
}

char *
sonde_training_job_suggest_run (const SondeRecipe *recipe)
{
  g_autofree char *base = g_path_get_basename (recipe->model_name);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *date = g_date_time_format (now, "%Y%m%d-%H%M%S");
  char *dot = strrchr (base, '.');
  char *path;

  if (dot != NULL && dot != base)
    *dot = '\0';
  path = g_strdup_printf ("runs/%s-%s", base, date);
  for (guint k = 2; g_file_test (path, G_FILE_TEST_EXISTS); k++)
    {
      g_free (path);
      path = g_strdup_printf ("runs/%s-%s-%u", base, date, k);
    }
  return path;
}

/* ---- what it would be ---------------------------------------------------- */

/* One sample: the model's inputs have sizes of the data where they leave them open. */
static SondeModelSummary *
summarise (SondeTrainingJob *job, GError **error)
{
  const SondeDataset *data = job->dataset;
  const SondeGraphValue *input
      = job->model->inputs->len > 0 ? g_ptr_array_index (job->model->inputs, 0) : NULL;
  SondeBinding binding = { 0 };

  if (input == NULL || input->type.rank != data->shape.rank + 1)
    return sonde_model_summary_new (job->model, NULL, 0, error);
  binding = (SondeBinding){ input->name, input->type };
  binding.type.dims[0] = (SondeDimension){ 1, NULL };
  for (int i = 0; i < data->shape.rank; i++)
    if (binding.type.dims[i + 1].size < 0)
      binding.type.dims[i + 1] = (SondeDimension){ data->shape.dims[i], NULL };
  return sonde_model_summary_new (job->model, &binding, 1, error);
}

static SondeTrainingOutline *
describe (SondeTrainingJob *job, GError **error)
{
  g_autoptr (SondeModelSummary) summary = summarise (job, error);
  const SondeTrainerState *state = sonde_trainer_get_state (job->trainer);
  SondeTrainingOutline *outline;

  if (summary == NULL)
    return NULL;
  outline = g_new0 (SondeTrainingOutline, 1);
  *outline = (SondeTrainingOutline){
    .parameters = summary->parameters,
    .trainable = summary->trainable,
    .flops = summary->flops,
    .n_train = job->split.n_train,
    .n_test = job->split.n_test,
    .sample = job->dataset->shape,
    .dtype = job->dataset->dtype,
    .n_classes = job->dataset->n_classes,
    .loss = g_strdup (job->loss),
    .steps_per_epoch = state->steps_per_epoch,
    .steps = state->total_steps,
    .planned_bytes = sonde_trainer_get_planned_bytes (job->trainer),
  };
  return outline;
}

SondeTrainingOutline *
sonde_training_outline_new (const SondeTrainingJobOptions *options, GError **error)
{
  g_autoptr (SondeTrainingJob) job
      = sonde_training_settings_check (options->recipe, error) ? open_parts (options, error) : NULL;

  if (job == NULL || !sonde_training_job_load_weights (job, error))
    return NULL;
  return describe (job, error);
}

void
sonde_training_outline_free (SondeTrainingOutline *outline)
{
  if (outline == NULL)
    return;
  g_free (outline->loss);
  g_free (outline);
}

/* ---- without a training -------------------------------------------------- */

typedef struct
{
  SondeEvaluationParts base;
  SondeTrainingJob *job; /* has neither trainer nor recording */
  SondeTrainingSettings settings;
} Parts;

static gboolean
open_evaluation (Parts *parts, const char *program, gboolean test, guint64 seed, GError **error)
{
  SondeTrainingJob *job = parts->job;
  SondeEvaluationParts *base = &parts->base;

  if (!sonde_training_settings_check (job->recipe, error)
      || !sonde_training_job_open_part (job, program, test, seed, error)
      || !sonde_training_job_load_graph (job, error)
      || !sonde_training_job_check_samples (job, error)
      || !sonde_training_job_load_weights (job, error)
      || !sonde_training_settings_init (&parts->settings, job->recipe, error))
    return FALSE;
  base->model = job->model;
  base->options = parts->settings.trainer;
  base->options.loss = job->loss;
  base->options.batch = sonde_training_job_get_batch (job);
  base->source = &job->source.base;
  base->n_batches = sonde_batches_get_count (job->test);
  return TRUE;
}

SondeEvaluationParts *
sonde_evaluation_parts_open (const SondeRecipe *recipe, const char *program, gboolean test,
                             guint64 seed, GError **error)
{
  Parts *parts = g_new0 (Parts, 1);

  parts->job = g_new0 (SondeTrainingJob, 1);
  parts->job->ref_count = 1;
  parts->job->recipe = sonde_recipe_copy (recipe);
  if (open_evaluation (parts, program, test, seed, error))
    return &parts->base;
  sonde_evaluation_parts_free (&parts->base);
  return NULL;
}

void
sonde_evaluation_parts_free (SondeEvaluationParts *base)
{
  Parts *parts = (Parts *) base;

  if (parts == NULL)
    return;
  sonde_training_settings_clear (&parts->settings);
  sonde_training_job_unref (parts->job);
  g_free (parts);
}
