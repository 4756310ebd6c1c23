/* SPDX-License-Identifier: Apache-2.0
 * The training loop: batches through one plan, evaluation through another. A pause may come at any
 * plan step; everything needed to go on is in the struct, never on the stack. */
#include "engine/nn/sonde-trainer-private.h"

#include <math.h>

#include "data/base/sonde-clock.h"
#include "engine/plan/sonde-execution-spans.h"

static void
update_totals (SondeTrainer *trainer)
{
  SondeTrainerState *state = &trainer->progress.state;
  guint batch = trainer->options.batch, together = MAX (trainer->options.accumulate, 1);

  state->batches_per_epoch = (trainer->source->n_samples + batch - 1) / batch;
  state->steps_per_epoch = (state->batches_per_epoch + together - 1) / together;
  state->total_steps = trainer->options.steps > 0
                           ? trainer->options.steps
                           : trainer->options.epochs * state->steps_per_epoch;
}

/* Texts are needed as long as plans are made. */
static void
keep_options (SondeTrainer *trainer, const SondeTrainerOptions *options)
{
  trainer->options = *options;
  trainer->options.batch = MIN (options->batch, trainer->source->n_samples);
  trainer->options.loss = trainer->loss
      = g_strdup (options->loss != NULL ? options->loss : "cross-entropy");
  trainer->options.optimiser = trainer->optimiser
      = g_strdup (options->optimiser != NULL ? options->optimiser : "sgd");
  trainer->options.groups = trainer->groups = g_strdup (options->groups);
  trainer->options.clip = trainer->clip = g_strdup (options->clip);
  if (options->class_weights != NULL)
    sonde_tensor_ref (options->class_weights);
  trainer->options.schedule = trainer->options.device = trainer->options.early_stop = NULL;
  trainer->options.metrics = NULL;
}

static gboolean
make_metrics (SondeTrainer *trainer, const SondeTrainerOptions *options, GError **error)
{
  gboolean has_classes = trainer->current->training->has_classes;

  for (guint i = 0; options->metrics != NULL && options->metrics[i] != NULL; i++)
    {
      SondeMetric *metric = sonde_metric_new (options->metrics[i], has_classes, error);

      if (metric == NULL)
        return FALSE;
      g_ptr_array_add (trainer->metrics, metric);
    }
  trainer->progress.state.n_metrics = trainer->metrics->len;
  trainer->progress.state.metrics = g_new (double, MAX (trainer->metrics->len, 1));
  for (guint i = 0; i < trainer->metrics->len; i++)
    trainer->progress.state.metrics[i] = NAN;
  return options->early_stop == NULL
         || sonde_trainer_set_early_stop (trainer, options->early_stop, error);
}

static SondeTrainer *
trainer_new (SondeGraph *model, SondeBatchSource *source, const SondeTrainerOptions *options)
{
  SondeTrainer *trainer = g_new0 (SondeTrainer, 1);

  trainer->model = sonde_graph_ref (model);
  trainer->source = source;
  trainer->instances = g_ptr_array_new_with_free_func (sonde_trainer_instance_free);
  trainer->metrics = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_metric_free);
  trainer->observers = g_ptr_array_new ();
  trainer->finished = g_array_new (FALSE, FALSE, sizeof (SondeStepScalars));
  trainer->progress.state.loss = trainer->progress.state.accuracy
      = trainer->progress.state.gradient_norm = NAN;
  trainer->progress.state.test_loss = trainer->progress.state.test_accuracy = NAN;
  trainer->progress.evaluated_at = G_MAXUINT64;
  trainer->progress.rate_factor = 1.0;
  keep_options (trainer, options);
  return trainer;
}

SondeTrainer *
sonde_trainer_new (SondeGraph *model, SondeBatchSource *source, const SondeTrainerOptions *options,
                   GError **error)
{
  g_autoptr (SondeTrainer) trainer = NULL;

  if (source->n_samples == 0 || options->batch == 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "There is nothing to train on: %u samples, batch size %u.",
                       source->n_samples, options->batch);
      return NULL;
    }
  if (!(options->average >= 0.0 && options->average < 1.0))
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "The decay of the moving average of weights must be at least 0 and less than 1, not %g.",
          options->average);
      return NULL;
    }
  trainer = trainer_new (model, source, options);
  trainer->progress.schedule
      = sonde_schedule_new (options->schedule != NULL ? options->schedule : "constant", error);
  if (trainer->progress.schedule == NULL)
    return NULL;
  trainer->device = sonde_device_open (options->device != NULL ? options->device : "cpu",
                                       options->threads, error);
  if (trainer->device == NULL)
    return NULL;
  update_totals (trainer);
  if (!sonde_trainer_plan_all (trainer, error))
    return NULL;
  trainer->current
      = sonde_trainer_find_instance (trainer, trainer->options.batch, SONDE_TRAINING_STEP, error);
  if (trainer->current == NULL || !make_metrics (trainer, options, error))
    return NULL;
  trainer->stepped = trainer->current;
  trainer->interruptible = trainer->current->execution;
  return g_steal_pointer (&trainer);
}

void
sonde_trainer_free (SondeTrainer *trainer)
{
  if (trainer == NULL)
    return;
  g_clear_pointer (&trainer->retired, g_ptr_array_unref);
  g_clear_pointer (&trainer->instances, g_ptr_array_unref);
  g_clear_pointer (&trainer->metrics, g_ptr_array_unref);
  g_clear_pointer (&trainer->observers, g_ptr_array_unref);
  g_clear_pointer (&trainer->finished, g_array_unref);
  g_clear_pointer (&trainer->labels, sonde_tensor_unref);
  g_clear_pointer (&trainer->options.class_weights, sonde_tensor_unref);
  g_clear_pointer (&trainer->device, sonde_device_unref);
  g_clear_pointer (&trainer->progress.schedule, sonde_schedule_free);
  g_clear_pointer (&trainer->model, sonde_graph_unref);
  g_clear_pointer (&trainer->spans, sonde_span_log_unref);
  g_free (trainer->progress.state.metrics);
  g_free (trainer->loss);
  g_free (trainer->optimiser);
  g_free (trainer->groups);
  g_free (trainer->clip);
  g_free (trainer);
}

static gboolean
set_scalar (SondeTrainerInstance *instance, const SondeGraphValue *input, SondeTensor *tensor,
            GError **error)
{
  g_autoptr (SondeTensor) owned = tensor;

  return input == NULL
         || sonde_execution_set_input (instance->execution, input->name, owned, error);
}

/* Which epoch and which of its batches a step begins with, how many batches it has. */
static void
begin_step (SondeTrainer *trainer)
{
  SondeTrainerState *state = &trainer->progress.state;
  guint together = MAX (trainer->options.accumulate, 1);

  state->epoch = (guint) (state->step / state->steps_per_epoch);
  state->batch = (guint) (state->step % state->steps_per_epoch) * together;
  state->learning_rate
      = trainer->progress.rate_factor
        * sonde_schedule_get_rate (trainer->progress.schedule, trainer->options.learning_rate,
                                   state->step, state->total_steps, state->steps_per_epoch);
  sonde_trainer_release_model (trainer);
  trainer->n_batches = MIN (together, state->batches_per_epoch - state->batch);
  trainer->n_done = 0;
  trainer->loss_sum = trainer->accuracy_sum = 0.0;
  trainer->in_step = TRUE;
}

/* All but the last batch of a step are accumulated. Random numbers count batches, so that each has
 * its own. */
static gboolean
begin_batch (SondeTrainer *trainer, GError **error)
{
  SondeTrainerState *state = &trainer->progress.state;
  gboolean last = trainer->n_done + 1 == trainer->n_batches;
  guint together = MAX (trainer->options.accumulate, 1);
  SondeTrainerInstance *instance;

  g_clear_pointer (&trainer->labels, sonde_tensor_unref);
  instance = sonde_trainer_load_batch (
      trainer, last ? SONDE_TRAINING_STEP : SONDE_TRAINING_ACCUMULATE, state->epoch,
      state->batch + trainer->n_done, &trainer->labels, error);
  if (instance == NULL)
    return FALSE;
  /* Batches that are accumulated have no states of the optimiser. */
  if (last && instance != trainer->stepped && trainer->stepped != trainer->current
      && !sonde_execution_share_common (instance->execution, trainer->stepped->execution, error))
    return FALSE;
  if (instance != trainer->current
      && !sonde_execution_share_common (instance->execution, trainer->current->execution, error))
    return FALSE;
  trainer->current = instance;
  trainer->stepped = last ? instance : trainer->stepped;
  trainer->interruptible = instance->execution;
  sonde_execution_set_counter (instance->execution, trainer->options.seed,
                               state->step * together + trainer->n_done);
  trainer->in_batch = TRUE;
  return set_scalar (instance, instance->training->learning_rate,
                     sonde_tensor_new_f32 ((float) state->learning_rate), error)
         && set_scalar (instance, instance->training->step,
                        sonde_tensor_new_i64 ((gint64) state->step + 1), error)
         && set_scalar (instance, instance->training->scale,
                        sonde_tensor_new_f32 (1.0f / (float) trainer->n_batches), error);
}

static gboolean
finish_batch (SondeTrainer *trainer, GError **error)
{
  SondeTrainerInstance *instance = trainer->current;
  double loss, accuracy;

  trainer->in_batch = FALSE;
  if (!sonde_trainer_read_scalar (instance, instance->training->loss, &loss, error)
      || !sonde_trainer_read_accuracy (instance, trainer->labels, &accuracy, error))
    return FALSE;
  trainer->loss_sum += loss;
  trainer->accuracy_sum += accuracy;
  trainer->progress.state.samples += instance->batch;
  trainer->n_done++;
  return TRUE;
}

/* A loss or gradient of the finished step is not finite. FALSE: the training ends. */
static gboolean
meet_not_finite (SondeTrainer *trainer, GError **error)
{
  trainer->progress.state.n_not_finite++;
  if (trainer->options.on_nan == SONDE_NAN_WARN)
    return TRUE;
  if (trainer->options.on_nan == SONDE_NAN_ROLL_BACK)
    return sonde_trainer_roll_back (trainer, &trainer->progress, trainer->listener, error);
  sonde_trainer_set_not_finite_error (trainer->current, &trainer->progress.state, error);
  return FALSE;
}

static gboolean
finish_step (SondeTrainer *trainer, GError **error)
{
  SondeTrainerState *state = &trainer->progress.state;
  SondeTrainerInstance *instance = trainer->current;
  SondeStepScalars scalars;

  trainer->in_step = FALSE;
  if (!sonde_trainer_read_scalar (instance, instance->training->gradient_norm,
                                  &state->gradient_norm, error))
    return FALSE;
  state->loss = trainer->loss_sum / trainer->n_batches;
  state->accuracy = trainer->accuracy_sum / trainer->n_batches;
  state->measured = TRUE;
  state->step++;
  scalars = (SondeStepScalars){ state->step, state->loss, state->accuracy, state->learning_rate,
                                state->gradient_norm };
  g_array_append_val (trainer->finished, scalars);
  return (isfinite (state->loss) && isfinite (state->gradient_norm))
         || meet_not_finite (trainer, error);
}

static SondeAnswer
tell (SondeTrainer *trainer,
      SondeAnswer (*callback) (SondeTrainerListener *listener, SondeTrainer *trainer))
{
  return callback != NULL ? callback (trainer->listener, trainer) : SONDE_ANSWER_CONTINUE;
}

/* One batch, or its rest after a pause. */
static SondeRunResult
run_batch (SondeTrainer *trainer, GError **error)
{
  SondeRunResult result;

  if (!trainer->in_batch && !begin_batch (trainer, error))
    return SONDE_RUN_FAILED;
  result = sonde_execution_run (trainer->current->execution, error);
  if (result == SONDE_RUN_DONE && !finish_batch (trainer, error))
    result = SONDE_RUN_FAILED;
  if (result == SONDE_RUN_STOPPED)
    trainer->in_step = trainer->in_batch = FALSE;
  return result;
}

/* One training step, or its rest after a pause. */
static SondeRunResult
run_step (SondeTrainer *trainer, GError **error)
{
  gint64 start = sonde_clock_monotonic_ns (NULL);
  guint64 step = trainer->progress.state.step + 1;
  SondeRunResult result = SONDE_RUN_DONE;

  if (!trainer->in_step)
    begin_step (trainer);
  while (result == SONDE_RUN_DONE && trainer->n_done < trainer->n_batches)
    result = run_batch (trainer, error);
  if (result == SONDE_RUN_DONE && !finish_step (trainer, error))
    result = SONDE_RUN_FAILED;
  trainer->failed = result == SONDE_RUN_FAILED;
  if (trainer->failed)
    sonde_prefix_error (error, "Step %" PRIu64 ": ", step);
  trainer->progress.state.training_ns += sonde_clock_monotonic_ns (NULL) - start;
  return result;
}

/* Tells the listener of the steps it does not know of. */
static SondeAnswer
tell_steps (SondeTrainer *trainer)
{
  gint64 start = sonde_clock_monotonic_ns (NULL);
  guint64 moment = sonde_trainer_get_moment (trainer);
  SondeAnswer answer = trainer->listener != NULL ? tell (trainer, trainer->listener->step_done)
                                                 : SONDE_ANSWER_CONTINUE;

  g_array_set_size (trainer->finished, 0);
  sonde_trainer_add_span (trainer, SONDE_SPAN_RECORDING, "after the step", moment);
  trainer->progress.state.training_ns += sonde_clock_monotonic_ns (NULL) - start;
  return answer;
}

/* What follows a finished step. */
static SondeRunResult
after_step (SondeTrainer *trainer, GError **error)
{
  SondeTrainerState *state = &trainer->progress.state;
  gboolean epoch_end
      = state->step % state->steps_per_epoch == 0 || state->step == state->total_steps;
  SondeAnswer answer = SONDE_ANSWER_CONTINUE;

  if (epoch_end || trainer->finished->len >= MAX (trainer->options.sink, 1))
    answer = tell_steps (trainer);
  sonde_span_log_end_step (trainer->spans);
  if (answer != SONDE_ANSWER_STOP && epoch_end)
    {
      guint64 moment = sonde_trainer_get_moment (trainer);

      if (!sonde_trainer_evaluate (trainer, error))
        return SONDE_RUN_FAILED;
      sonde_trainer_add_span (trainer, SONDE_SPAN_SCOPE, "evaluation", moment);
      if (trainer->listener != NULL)
        answer = MAX (answer, tell (trainer, trainer->listener->epoch_done));
    }
  return answer == SONDE_ANSWER_STOP    ? SONDE_RUN_STOPPED
         : answer == SONDE_ANSWER_PAUSE ? SONDE_RUN_PAUSED
                                        : SONDE_RUN_DONE;
}

SondeRunResult
sonde_trainer_run_step (SondeTrainer *trainer, GError **error)
{
  SondeRunResult result;

  if (!trainer->in_step)
    sonde_span_log_begin_step (trainer->spans, trainer->progress.state.step);
  result = run_step (trainer, error);
  if (result == SONDE_RUN_DONE)
    return after_step (trainer, error);
  sonde_span_log_leave_step (trainer->spans);
  return result;
}

SondeRunResult
sonde_trainer_run (SondeTrainer *trainer, GError **error)
{
  while (trainer->progress.state.step < trainer->progress.state.total_steps
         && !trainer->progress.state.stopped_early)
    {
      SondeRunResult result = sonde_trainer_run_step (trainer, error);

      if (result != SONDE_RUN_DONE)
        return result;
    }
  if (trainer->progress.evaluated_at != trainer->progress.state.step
      && !sonde_trainer_evaluate (trainer, error))
    return SONDE_RUN_FAILED;
  return SONDE_RUN_DONE;
}

/* ---- ending anywhere: only between two steps do parameters, states and counters belong together -- */

/* Nothing of the present step has run. */
static gboolean
stands_at_beginning (const SondeTrainer *trainer)
{
  return trainer->n_done == 0
         && (!trainer->in_batch || sonde_execution_get_position (trainer->current->execution) == 0);
}

/* Parameters and states from before the present step are still there: a batch that is only
 * accumulated changes those of an execution of its own. */
static gboolean
can_give_up (const SondeTrainer *trainer)
{
  return trainer->n_done == 0
         && (trainer->current != trainer->stepped
             || !sonde_execution_has_updated_in_place (trainer->current->execution));
}

/* To the end of the present step, whoever pauses it. */
static gboolean
complete (SondeTrainer *trainer, GError **error)
{
  SondeRunResult result = SONDE_RUN_PAUSED;

  while (trainer->in_step && result == SONDE_RUN_PAUSED)
    result = sonde_trainer_run_step (trainer, error);
  return result != SONDE_RUN_FAILED;
}

static gboolean
end_step (SondeTrainer *trainer, gboolean give_up, GError **error)
{
  const gboolean under_way = trainer->in_step && !trainer->failed;

  if (under_way && give_up)
    {
      sonde_trainer_give_up_step (trainer);
      trainer->current = trainer->stepped;
      trainer->interruptible = trainer->stepped->execution;
    }
  else if (under_way && !complete (trainer, error))
    return FALSE;
  if (trainer->finished->len > 0)
    tell_steps (trainer);
  return TRUE;
}

gboolean
sonde_trainer_complete_step (SondeTrainer *trainer, GError **error)
{
  return end_step (trainer, stands_at_beginning (trainer), error);
}

gboolean
sonde_trainer_leave_step (SondeTrainer *trainer, GError **error)
{
  return end_step (trainer, can_give_up (trainer), error);
}

/* ---- spans ---------------------------------------------------------------- */

void
sonde_trainer_set_spans (SondeTrainer *trainer, SondeSpanLog *log)
{
  if (log != NULL)
    sonde_span_log_ref (log);
  sonde_span_log_unref (trainer->spans);
  trainer->spans = log;
  if (log != NULL)
    sonde_span_log_set_step_name (log, "step");
  for (guint i = 0; i < trainer->instances->len; i++)
    {
      const SondeTrainerInstance *instance = g_ptr_array_index (trainer->instances, i);

      if (instance->execution != NULL && instance->training->kind != SONDE_TRAINING_EVALUATION)
        sonde_execution_set_spans (instance->execution, log, FALSE);
    }
}

/* ---- what others ask ------------------------------------------------------ */

void
sonde_trainer_seek (SondeTrainer *trainer, guint64 step)
{
  g_return_if_fail (!trainer->in_step);
  trainer->progress.state.step = step;
  trainer->progress.state.epoch = (guint) (step / trainer->progress.state.steps_per_epoch);
  trainer->progress.state.batch = (guint) (step % trainer->progress.state.steps_per_epoch)
                                  * MAX (trainer->options.accumulate, 1);
}

void
sonde_trainer_set_listener (SondeTrainer *trainer, SondeTrainerListener *listener)
{
  trainer->listener = listener;
}

const SondeTrainerState *
sonde_trainer_get_state (SondeTrainer *trainer)
{
  return &trainer->progress.state;
}

SondeTrainerProgress *
sonde_trainer_get_progress (SondeTrainer *trainer)
{
  return &trainer->progress;
}

SondeExecution *
sonde_trainer_get_execution (SondeTrainer *trainer)
{
  return trainer->current->execution;
}

void
sonde_trainer_interrupt (SondeTrainer *trainer)
{
  sonde_execution_interrupt (trainer->interruptible);
}

const char *
sonde_trainer_get_optimiser (SondeTrainer *trainer)
{
  return trainer->optimiser;
}

SondeGraph *
sonde_trainer_get_graph (SondeTrainer *trainer)
{
  return trainer->current->training->graph;
}

SondeGraph *
sonde_trainer_get_model (SondeTrainer *trainer)
{
  return trainer->model;
}

const SondeStepScalars *
sonde_trainer_get_finished (SondeTrainer *trainer, guint *n)
{
  *n = trainer->finished->len;
  return (const SondeStepScalars *) (void *) trainer->finished->data;
}
