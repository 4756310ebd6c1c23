/* SPDX-License-Identifier: Apache-2.0
 * Memory of a training: planned before it begins, given back while it is not needed. Parameters and
 * states of every instance stay; intermediate values are there for one batch size of the steps, and
 * for one evaluation, at a time. */
#include "engine/nn/sonde-trainer-private.h"

/* Parameters are the model's own where the first instance does not train them; the others are given
 * them. */
static gboolean
is_first (const SondeTrainer *trainer, const SondeTrainerInstance *instance)
{
  return instance->training->kind == SONDE_TRAINING_STEP
         && instance->batch == trainer->options.batch;
}

guint
sonde_trainer_last_batch (guint n, guint batch)
{
  return n > batch ? n % batch : 0;
}

gboolean
sonde_trainer_accumulates (const SondeTrainer *trainer)
{
  return trainer->options.accumulate > 1 && trainer->source->n_samples > trainer->options.batch;
}

gboolean
sonde_trainer_has_last_batch (const SondeTrainer *trainer)
{
  return sonde_trainer_last_batch (trainer->source->n_samples, trainer->options.batch) > 0
         && trainer->state.total_steps >= trainer->state.steps_per_epoch;
}

static SondeTrainerInstance *
instance_at (const SondeTrainer *trainer, guint i)
{
  return g_ptr_array_index (trainer->instances, i);
}

/* The one whose execution is made first: it takes the model's parameters. (nullable) */
static const SondeTrainerInstance *
find_first (const SondeTrainer *trainer)
{
  for (guint i = 0; i < trainer->instances->len; i++)
    if (is_first (trainer, instance_at (trainer, i)))
      return instance_at (trainer, i);
  return NULL;
}

/* Whether @value, of the model, is let go once a step begins. @first: (nullable) */
static gboolean
is_released (const SondeTrainer *trainer, const SondeTrainerInstance *first,
             const SondeGraphValue *value)
{
  return trainer->options.update_in_place && trainer->options.memory == SONDE_MEMORY_PLAN
         && sonde_training_lets_go (value, first != NULL ? first->plan : NULL);
}

/* The model as it was given: its parameters stay what they were. @whole: with those that are let go
 * when a step begins */
static guint64
model_bytes (const SondeTrainer *trainer, gboolean whole)
{
  const SondeTrainerInstance *first = find_first (trainer);
  guint64 bytes = 0;

  for (guint i = 0; i < trainer->model->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (trainer->model->values, i);
      SondeTensor *tensor = value != NULL && value->constant != NULL
                                ? sonde_value_get_tensor (value->constant)
                                : NULL;

      if (tensor != NULL && (whole || !is_released (trainer, first, value)))
        bytes += sonde_tensor_n_bytes (tensor);
    }
  return bytes;
}

static gboolean
evaluates (const SondeTrainerInstance *instance)
{
  return instance->training->kind == SONDE_TRAINING_EVALUATION;
}

/* What instances keep all the time: those that evaluate, or steps of a batch size; 0: of any. */
static guint64
kept_bytes (const SondeTrainer *trainer, gboolean evaluation, guint batch)
{
  guint64 bytes = 0;

  for (guint i = 0; i < trainer->instances->len; i++)
    {
      const SondeTrainerInstance *instance = instance_at (trainer, i);
      SondePlanMemory memory;

      if (evaluates (instance) != evaluation || (batch > 0 && instance->batch != batch))
        continue;
      sonde_plan_get_memory (instance->plan, &memory);
      bytes += memory.bytes - memory.rests + (is_first (trainer, instance) ? 0 : memory.written);
    }
  return bytes;
}

/* What instances of a batch size have while one of them runs. */
static guint64
passing_bytes (const SondeTrainer *trainer, gboolean evaluation, guint batch)
{
  guint64 bytes = 0;

  for (guint i = 0; i < trainer->instances->len; i++)
    {
      const SondeTrainerInstance *instance = instance_at (trainer, i);
      SondePlanMemory memory;

      if (evaluates (instance) != evaluation || instance->batch != batch)
        continue;
      sonde_plan_get_memory (instance->plan, &memory);
      bytes += memory.rests;
    }
  return bytes;
}

/* Evaluations come one batch size after the other. */
static guint64
evaluation_passing_bytes (const SondeTrainer *trainer)
{
  guint batch = trainer->options.batch, n = trainer->source->n_test;

  return MAX (passing_bytes (trainer, TRUE, MIN (batch, n)),
              passing_bytes (trainer, TRUE, sonde_trainer_last_batch (n, batch)));
}

/* The size of the batches after which evaluations come, at most. */
static guint
batch_before_evaluation (const SondeTrainer *trainer)
{
  const SondeTrainerState *state = &trainer->state;
  gboolean ends_inside = state->total_steps % state->steps_per_epoch != 0;

  return sonde_trainer_has_last_batch (trainer) && !ends_inside
             ? sonde_trainer_last_batch (trainer->source->n_samples, trainer->options.batch)
             : trainer->options.batch;
}

guint64
sonde_trainer_estimate_bytes (SondeTrainer *trainer, const SondePlan *plan, guint batch)
{
  guint alike = sonde_trainer_accumulates (trainer) && batch == trainer->options.batch ? 2 : 1;
  guint all = (sonde_trainer_accumulates (trainer) ? 2 : 1)
              + (sonde_trainer_has_last_batch (trainer) ? 1 : 0);
  guint before = batch_before_evaluation (trainer);
  guint64 step, beside;
  SondePlanMemory memory;

  sonde_plan_get_memory (plan, &memory);
  step = alike * memory.rests;
  beside = evaluation_passing_bytes (trainer)
           + (before == batch ? step : passing_bytes (trainer, FALSE, before));
  return model_bytes (trainer, FALSE) + kept_bytes (trainer, TRUE, 0)
         + all * (memory.bytes - memory.rests) + MAX (step, beside);
}

/* The largest of what there is at one time: in the steps of the first epoch, in its last one, in
 * evaluations beside the values of the step before them, and in later steps beside what all of
 * these keep. */
guint64
sonde_trainer_get_planned_bytes (SondeTrainer *trainer)
{
  const SondeTrainerState *state = &trainer->state;
  guint batch = trainer->options.batch;
  guint last = sonde_trainer_has_last_batch (trainer)
                   ? sonde_trainer_last_batch (trainer->source->n_samples, batch)
                   : batch;
  guint64 kept = kept_bytes (trainer, FALSE, 0), kept_beside = kept_bytes (trainer, TRUE, 0);
  guint64 most = MAX (kept_bytes (trainer, FALSE, batch) + passing_bytes (trainer, FALSE, batch),
                      kept + passing_bytes (trainer, FALSE, last));

  most = MAX (most, kept + kept_beside
                        + passing_bytes (trainer, FALSE, batch_before_evaluation (trainer))
                        + evaluation_passing_bytes (trainer));
  if (state->total_steps > state->steps_per_epoch)
    most = MAX (most, kept + kept_beside + passing_bytes (trainer, FALSE, batch));
  most += model_bytes (trainer, FALSE);
  if (find_first (trainer) != NULL) /* before the first step */
    {
      SondePlanMemory memory;

      sonde_plan_get_memory (find_first (trainer)->plan, &memory);
      most = MAX (most, model_bytes (trainer, TRUE) + memory.bytes - memory.rests);
    }
  return most;
}

guint64
sonde_trainer_get_peak_bytes (SondeTrainer *trainer)
{
  guint64 device = sonde_device_get_peak_bytes (trainer->device);

  if (!trainer->released)
    return model_bytes (trainer, TRUE) + device;
  return MAX (trainer->released_bytes, model_bytes (trainer, FALSE) + device);
}

gboolean
sonde_trainer_has_released_model (SondeTrainer *trainer)
{
  return trainer->released;
}

void
sonde_trainer_release_model (SondeTrainer *trainer)
{
  const SondeTrainerInstance *first = find_first (trainer);

  if (trainer->released || !trainer->options.update_in_place
      || trainer->options.memory != SONDE_MEMORY_PLAN)
    return;
  trainer->released_bytes = sonde_trainer_get_peak_bytes (trainer);
  trainer->released = TRUE;
  for (guint i = 0; i < trainer->instances->len; i++)
    sonde_training_let_go (instance_at (trainer, i)->training->graph, first->plan);
  sonde_training_let_go (trainer->model, first->plan);
}

void
sonde_trainer_rest (SondeTrainer *trainer, SondeTrainerInstance *next)
{
  for (guint i = 0; i < trainer->instances->len; i++)
    {
      SondeTrainerInstance *instance = instance_at (trainer, i);
      gboolean rests = evaluates (instance)
                           ? next == NULL || (evaluates (next) && next != instance)
                           : next != NULL && !evaluates (next) && next->batch != instance->batch;

      if (rests && instance->execution != NULL)
        sonde_execution_rest (instance->execution);
    }
}
