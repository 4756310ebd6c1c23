/* SPDX-License-Identifier: Apache-2.0
 * Memory of a training: planned before it begins, given back while it is not needed. Parameters and
 * states of every instance stay; intermediate values are there for one batch size of the steps, and
 * for one evaluation, at a time. */
#include "engine/nn/sonde-trainer-memory.h"

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
         && trainer->progress.state.total_steps >= trainer->progress.state.steps_per_epoch;
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
  const SondeTrainerState *state = &trainer->progress.state;
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

/* ---- phases -------------------------------------------------------------- */

static const char *
name_plan (const SondeTrainer *trainer, const SondeTrainerInstance *instance)
{
  guint batch = trainer->options.batch;

  switch (instance->training->kind)
    {
    case SONDE_TRAINING_ACCUMULATE:
      return "accumulation";
    case SONDE_TRAINING_EVALUATION:
      return instance->batch == MIN (batch, trainer->source->n_test) ? "evaluation"
                                                                     : "last evaluation";
    default:
      return instance->batch == batch ? "step" : "last step";
    }
}

/* A set of instances: those that evaluate, or steps of a batch size; 0: of any. */
static guint64
find_set (const SondeTrainer *trainer, gboolean evaluation, guint batch)
{
  guint64 set = 0;

  for (guint i = 0; i < trainer->instances->len; i++)
    if (evaluates (instance_at (trainer, i)) == evaluation
        && (batch == 0 || instance_at (trainer, i)->batch == batch))
      set |= G_GUINT64_CONSTANT (1) << i;
  return set;
}

static guint64
count_phase (const SondeTrainer *trainer, const SondeTrainerPhase *phase)
{
  guint64 bytes = model_bytes (trainer, phase->whole_model);

  for (guint i = 0; i < trainer->instances->len; i++)
    {
      const SondeTrainerInstance *instance = instance_at (trainer, i);
      SondePlanMemory memory;

      sonde_plan_get_memory (instance->plan, &memory);
      if ((phase->kept >> i & 1) != 0)
        bytes += memory.bytes - memory.rests + (is_first (trainer, instance) ? 0 : memory.written);
      if ((phase->awake >> i & 1) != 0)
        bytes += memory.rests;
    }
  return bytes;
}

/* The one of @set that is awake and no accumulation: its steps are those of the phase. */
static guint
find_running (const SondeTrainer *trainer, guint64 set)
{
  for (guint i = 0; i < trainer->instances->len; i++)
    if ((set >> i & 1) != 0
        && instance_at (trainer, i)->training->kind != SONDE_TRAINING_ACCUMULATE)
      return i;
  return G_MAXUINT;
}

static void
add_phase (const SondeTrainer *trainer, GArray *phases, const char *name, guint64 kept,
           guint64 awake, guint64 running)
{
  SondeTrainerPhase phase = {
    .name = name,
    .kept = kept,
    .awake = awake,
    .running = find_running (trainer, running),
    .whole_model = FALSE,
  };

  phase.bytes = count_phase (trainer, &phase);
  g_array_append_val (phases, phase);
}

/* Before the first step: the model as it was given, and the parameters of the first instance. */
static void
add_start (const SondeTrainer *trainer, GArray *phases)
{
  SondeTrainerPhase phase
      = { .name = "start", .running = G_MAXUINT, .whole_model = TRUE, .bytes = 0 };

  for (guint i = 0; i < trainer->instances->len; i++)
    if (instance_at (trainer, i) == find_first (trainer))
      {
        phase.kept = G_GUINT64_CONSTANT (1) << i;
        phase.bytes = count_phase (trainer, &phase);
        g_array_append_val (phases, phase);
      }
}

static void
add_evaluation (const SondeTrainer *trainer, GArray *phases)
{
  guint batch = trainer->options.batch, n = trainer->source->n_test, whole = MIN (batch, n);
  guint last = sonde_trainer_last_batch (n, batch);
  guint largest
      = passing_bytes (trainer, TRUE, last) > passing_bytes (trainer, TRUE, whole) ? last : whole;
  guint64 awake = find_set (trainer, TRUE, largest);

  if (n > 0 && largest > 0)
    add_phase (trainer, phases, "evaluation",
               find_set (trainer, FALSE, 0) | find_set (trainer, TRUE, 0),
               awake | find_set (trainer, FALSE, batch_before_evaluation (trainer)), awake);
}

/* In the first epoch there is only what its steps need; those of later epochs run beside what all
 * the others keep, and an evaluation beside the values of the step before it. */
SondeTrainerMemory *
sonde_trainer_describe_memory (SondeTrainer *trainer)
{
  const SondeTrainerState *state = &trainer->progress.state;
  SondeTrainerMemory *memory = g_new0 (SondeTrainerMemory, 1);
  guint batch = trainer->options.batch;
  guint64 steps = find_set (trainer, FALSE, 0), alike = find_set (trainer, FALSE, batch);
  gboolean later = state->total_steps > state->steps_per_epoch;

  g_assert (trainer->instances->len <= 64);

  memory->plans = g_array_new (FALSE, FALSE, sizeof (SondeTrainerPlan));
  memory->phases = g_array_new (FALSE, FALSE, sizeof (SondeTrainerPhase));
  for (guint i = 0; i < trainer->instances->len; i++)
    {
      const SondeTrainerInstance *instance = instance_at (trainer, i);
      SondeTrainerPlan plan = { .plan = instance->plan,
                                .execution = instance->execution,
                                .name = name_plan (trainer, instance),
                                .is_first = is_first (trainer, instance) };

      g_array_append_val (memory->plans, plan);
    }

  add_start (trainer, memory->phases);
  add_phase (trainer, memory->phases, "step", later ? steps | find_set (trainer, TRUE, 0) : alike,
             alike, alike);
  if (sonde_trainer_has_last_batch (trainer))
    {
      guint64 last
          = find_set (trainer, FALSE, sonde_trainer_last_batch (trainer->source->n_samples, batch));

      add_phase (trainer, memory->phases, "last step", steps, last, last);
    }
  add_evaluation (trainer, memory->phases);
  return memory;
}

void
sonde_trainer_memory_free (SondeTrainerMemory *memory)
{
  if (memory == NULL)
    return;
  g_array_unref (memory->plans);
  g_array_unref (memory->phases);
  g_free (memory);
}

gboolean
sonde_trainer_keeps (SondeTrainer *trainer, const SondeGraphValue *value)
{
  return !is_released (trainer, find_first (trainer), value);
}

guint64
sonde_trainer_get_planned_bytes (SondeTrainer *trainer)
{
  g_autoptr (SondeTrainerMemory) memory = sonde_trainer_describe_memory (trainer);
  guint64 most = 0;

  for (guint i = 0; i < memory->phases->len; i++)
    most = MAX (most, g_array_index (memory->phases, SondeTrainerPhase, i).bytes);
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
