/* SPDX-License-Identifier: Apache-2.0
 * The training loop: batches through one plan, evaluation through another. A pause may come at any
 * plan step; everything needed to go on is in the struct, never on the stack. */
#include "engine/nn/sonde-trainer-private.h"

#include <math.h>

#include "data/base/sonde-clock.h"

static void
update_totals (SondeTrainer *trainer)
{
  SondeTrainerState *state = &trainer->state;
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
  trainer->state.n_metrics = trainer->metrics->len;
  trainer->state.metrics = g_new (double, MAX (trainer->metrics->len, 1));
  for (guint i = 0; i < trainer->metrics->len; i++)
    trainer->state.metrics[i] = NAN;
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
  trainer->state.loss = trainer->state.accuracy = trainer->state.gradient_norm = NAN;
  trainer->state.test_loss = trainer->state.test_accuracy = NAN;
  trainer->evaluated_at = G_MAXUINT64;
  trainer->rate_factor = 1.0;
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
  trainer->schedule
      = sonde_schedule_new (options->schedule != NULL ? options->schedule : "constant", error);
  if (trainer->schedule == NULL)
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
  g_clear_pointer (&trainer->schedule, sonde_schedule_free);
  g_clear_pointer (&trainer->model, sonde_graph_unref);
  g_free (trainer->state.metrics);
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
  SondeTrainerState *state = &trainer->state;
  guint together = MAX (trainer->options.accumulate, 1);

  state->epoch = (guint) (state->step / state->steps_per_epoch);
  state->batch = (guint) (state->step % state->steps_per_epoch) * together;
  state->learning_rate
      = trainer->rate_factor
        * sonde_schedule_get_rate (trainer->schedule, trainer->options.learning_rate, state->step,
                                   state->total_steps, state->steps_per_epoch);
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
  SondeTrainerState *state = &trainer->state;
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
  trainer->state.samples += instance->batch;
  trainer->n_done++;
  return TRUE;
}

static gboolean
finish_step (SondeTrainer *trainer, GError **error)
{
  SondeTrainerState *state = &trainer->state;
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
         || sonde_trainer_meet_not_finite (trainer, error);
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
  guint64 step = trainer->state.step + 1;
  SondeRunResult result = SONDE_RUN_DONE;

  if (!trainer->in_step)
    begin_step (trainer);
  while (result == SONDE_RUN_DONE && trainer->n_done < trainer->n_batches)
    result = run_batch (trainer, error);
  if (result == SONDE_RUN_DONE && !finish_step (trainer, error))
    result = SONDE_RUN_FAILED;
  if (result == SONDE_RUN_FAILED)
    sonde_prefix_error (error, "Step %" PRIu64 ": ", step);
  trainer->state.training_ns += sonde_clock_monotonic_ns (NULL) - start;
  return result;
}

/* Tells the listener of the steps it does not know of. */
static SondeAnswer
tell_steps (SondeTrainer *trainer)
{
  gint64 start = sonde_clock_monotonic_ns (NULL);
  SondeAnswer answer = trainer->listener != NULL ? tell (trainer, trainer->listener->step_done)
                                                 : SONDE_ANSWER_CONTINUE;

  g_array_set_size (trainer->finished, 0);
  trainer->state.training_ns += sonde_clock_monotonic_ns (NULL) - start;
  return answer;
}

/* What follows a finished step. */
static SondeRunResult
after_step (SondeTrainer *trainer, GError **error)
{
  SondeTrainerState *state = &trainer->state;
  gboolean epoch_end
      = state->step % state->steps_per_epoch == 0 || state->step == state->total_steps;
  SondeAnswer answer = SONDE_ANSWER_CONTINUE;

  if (epoch_end || trainer->finished->len >= MAX (trainer->options.sink, 1))
    answer = tell_steps (trainer);
  if (answer != SONDE_ANSWER_STOP && epoch_end)
    {
      if (!sonde_trainer_evaluate (trainer, error))
        return SONDE_RUN_FAILED;
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
  SondeRunResult result = run_step (trainer, error);

  return result == SONDE_RUN_DONE ? after_step (trainer, error) : result;
}

SondeRunResult
sonde_trainer_run (SondeTrainer *trainer, GError **error)
{
  while (trainer->state.step < trainer->state.total_steps && !trainer->state.stopped_early)
    {
      SondeRunResult result = sonde_trainer_run_step (trainer, error);

      if (result != SONDE_RUN_DONE)
        return result;
    }
  if (trainer->evaluated_at != trainer->state.step && !sonde_trainer_evaluate (trainer, error))
    return SONDE_RUN_FAILED;
  return SONDE_RUN_DONE;
}

void
sonde_trainer_seek (SondeTrainer *trainer, guint64 step)
{
  g_return_if_fail (!trainer->in_step);
  trainer->state.step = step;
  trainer->state.epoch = (guint) (step / trainer->state.steps_per_epoch);
  trainer->state.batch
      = (guint) (step % trainer->state.steps_per_epoch) * MAX (trainer->options.accumulate, 1);
}

void
sonde_trainer_set_listener (SondeTrainer *trainer, SondeTrainerListener *listener)
{
  trainer->listener = listener;
}

const SondeTrainerState *
sonde_trainer_get_state (SondeTrainer *trainer)
{
  return &trainer->state;
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

/* Instance @i runs, and is no evaluation: those nobody observes. */
static gboolean
trains (SondeTrainer *trainer, guint i)
{
  const SondeTrainerInstance *instance = g_ptr_array_index (trainer->instances, i);

  return instance->execution != NULL && instance->training->kind != SONDE_TRAINING_EVALUATION;
}

static SondeExecution *
execution_of (SondeTrainer *trainer, guint i)
{
  return ((SondeTrainerInstance *) g_ptr_array_index (trainer->instances, i))->execution;
}

void
sonde_trainer_add_observer (SondeTrainer *trainer, SondeObserver *observer)
{
  g_ptr_array_add (trainer->observers, observer);
  for (guint i = 0; i < trainer->instances->len; i++)
    if (trains (trainer, i))
      sonde_execution_add_observer (execution_of (trainer, i), observer);
}

void
sonde_trainer_remove_observer (SondeTrainer *trainer, SondeObserver *observer)
{
  g_ptr_array_remove (trainer->observers, observer);
  for (guint i = 0; i < trainer->instances->len; i++)
    if (trains (trainer, i))
      sonde_execution_remove_observer (execution_of (trainer, i), observer);
}

void
sonde_trainer_refresh_observers (SondeTrainer *trainer)
{
  for (guint i = 0; i < trainer->instances->len; i++)
    if (trains (trainer, i))
      sonde_execution_refresh_observers (execution_of (trainer, i));
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

SondeGraphValue *
sonde_trainer_get_logits (SondeTrainer *trainer)
{
  return trainer->current->training->logits;
}

GPtrArray *
sonde_trainer_get_parameters (SondeTrainer *trainer)
{
  return trainer->current->training->parameters;
}

SondeGraphValue *
sonde_trainer_get_gradient (SondeTrainer *trainer, SondeGraphValue *parameter)
{
  SondeTrainingGraph *training = trainer->current->training;
  guint index;

  return g_ptr_array_find (training->parameters, parameter, &index)
             ? g_ptr_array_index (training->gradients, index)
             : NULL;
}

const SondeStepScalars *
sonde_trainer_get_finished (SondeTrainer *trainer, guint *n)
{
  *n = trainer->finished->len;
  return (const SondeStepScalars *) (void *) trainer->finished->data;
}
