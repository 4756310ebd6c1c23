/* SPDX-License-Identifier: Apache-2.0
 * The training loop: batches through one plan, evaluation through another. A pause may come at any
 * plan step; everything needed to go on is in the struct, never on the stack. */
#include "engine/nn/sonde-trainer.h"

#include <math.h>

#include "data/base/sonde-clock.h"
#include "engine/nn/sonde-schedule.h"
#include "engine/nn/sonde-training-graph.h"

/* Graph, plan and execution for one batch size. */
typedef struct
{
  guint batch;
  SondeTrainingGraph *training;
  SondePlan *plan;
  SondeExecution *execution;
  guint64 shared_at; /* evaluation: step whose parameters it holds */
} Instance;

struct _SondeTrainer
{
  SondeGraph *model;
  SondeBatchSource *source;
  SondeTrainerOptions options;
  char *loss, *optimiser;
  SondeSchedule *schedule;
  SondeDevice *device;
  GPtrArray *instances;   /* (element-type Instance): training, by batch size */
  GPtrArray *evaluations; /* (element-type Instance) */
  GPtrArray *observers;   /* (element-type SondeObserver) */
  SondeTrainerListener *listener;
  SondeTrainerState state;
  Instance *current;      /* holds the newest parameters */
  _Atomic (SondeExecution *) interruptible;
  SondeTensor *labels;    /* of the step being run */
  gboolean in_step;
  guint64 evaluated_at;   /* step of the last evaluation */
};

static void
instance_free (void *data)
{
  Instance *instance = data;

  g_clear_pointer (&instance->execution, sonde_execution_free);
  g_clear_pointer (&instance->plan, sonde_plan_unref);
  g_clear_pointer (&instance->training, sonde_training_graph_free);
  g_free (instance);
}

static SondePlan *
plan_training (SondeTrainer       *trainer,
               SondeTrainingGraph *training,
               SondeGraph         *graph,
               guint               batch,
               GError            **error)
{
  g_autoptr (GArray) bindings = sonde_training_bind_inputs (graph, batch);
  const char *pinned[] = { training->loss->name, training->logits->name, NULL, NULL };
  SondePlanOptions options = { 0 };

  if (training->gradient_norm != NULL)
    pinned[2] = training->gradient_norm->name;
  options.memory = trainer->options.memory;
  options.bindings = (SondeBinding *) (void *) bindings->data;
  options.n_bindings = bindings->len;
  options.pinned = pinned;
  return sonde_plan_new (graph, trainer->device, &options, error);
}

/* What sonde_pass_recompute() asks about. */
typedef struct
{
  SondeTrainer *trainer;
  SondeTrainingGraph *training;
  guint batch;
} Fitting;

static gboolean
measure (SondeGraph *graph,
         guint64    *peak,
         gpointer    data,
         GError    **error)
{
  const Fitting *fitting = data;
  g_autoptr (SondeGraph) copy = sonde_graph_copy (graph, FALSE);
  g_autoptr (SondePlan) plan = plan_training (fitting->trainer, fitting->training, copy, fitting->batch, error);

  if (plan == NULL)
    return FALSE;
  *peak = sonde_plan_get_arena_bytes (plan) + sonde_plan_get_weight_bytes (plan);
  return TRUE;
}

static gboolean
fit_memory (SondeTrainer       *trainer,
            SondeTrainingGraph *training,
            guint               batch,
            GError            **error)
{
  Fitting fitting = { trainer, training, batch };
  SondeRecomputeRequest request = { trainer->options.memory_budget, measure, &fitting };
  guint64 peak;

  return request.budget == 0 || trainer->options.memory == SONDE_MEMORY_KEEP
         || sonde_pass_recompute (training->graph, &request, &peak, error);
}

static Instance *
find_instance (SondeTrainer *trainer,
               guint         batch,
               gboolean      evaluation,
               GError      **error)
{
  GPtrArray *instances = evaluation ? trainer->evaluations : trainer->instances;
  Instance *instance;

  for (guint i = 0; i < instances->len; i++)
    {
      instance = g_ptr_array_index (instances, i);
      if (instance->batch == batch)
        return instance;
    }
  instance = g_new0 (Instance, 1);
  instance->batch = batch;
  instance->shared_at = G_MAXUINT64;
  instance->training = sonde_training_graph_build (trainer->model, &trainer->options, batch, evaluation, error);
  if (instance->training != NULL && (evaluation || fit_memory (trainer, instance->training, batch, error)))
    instance->plan = plan_training (trainer, instance->training, instance->training->graph, batch, error);
  if (instance->plan != NULL)
    instance->execution = sonde_execution_new (instance->plan, error);
  if (instance->execution == NULL)
    {
      instance_free (instance);
      return NULL;
    }
  if (!evaluation)
    for (guint i = 0; i < trainer->observers->len; i++)
      sonde_execution_add_observer (instance->execution, g_ptr_array_index (trainer->observers, i));
  g_ptr_array_add (instances, instance);
  return instance;
}

static void
update_totals (SondeTrainer *trainer)
{
  SondeTrainerState *state = &trainer->state;
  guint batch = trainer->options.batch;

  state->batches_per_epoch = (trainer->source->n_samples + batch - 1) / batch;
  state->total_steps = trainer->options.steps > 0 ? trainer->options.steps
                                                  : trainer->options.epochs * state->batches_per_epoch;
}

SondeTrainer *
sonde_trainer_new (SondeGraph                *model,
                   SondeBatchSource          *source,
                   const SondeTrainerOptions *options,
                   GError                   **error)
{
  g_autoptr (SondeTrainer) trainer = g_new0 (SondeTrainer, 1);

  if (source->n_samples == 0 || options->batch == 0)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "There is nothing to train on: %u samples, batch size %u.", source->n_samples, options->batch);
      return NULL;
    }
  trainer->model = sonde_graph_ref (model);
  trainer->source = source;
  trainer->options = *options;
  trainer->options.batch = MIN (options->batch, source->n_samples);
  trainer->loss = g_strdup (options->loss != NULL ? options->loss : "cross-entropy");
  trainer->optimiser = g_strdup (options->optimiser != NULL ? options->optimiser : "sgd");
  trainer->options.loss = trainer->loss;
  trainer->options.optimiser = trainer->optimiser;
  trainer->options.device = NULL;
  trainer->instances = g_ptr_array_new_with_free_func (instance_free);
  trainer->evaluations = g_ptr_array_new_with_free_func (instance_free);
  trainer->observers = g_ptr_array_new ();
  trainer->state.loss = trainer->state.accuracy = trainer->state.gradient_norm = NAN;
  trainer->state.test_loss = trainer->state.test_accuracy = NAN;
  trainer->evaluated_at = G_MAXUINT64;
  trainer->schedule = sonde_schedule_new (options->schedule != NULL ? options->schedule : "constant", error);
  trainer->options.schedule = NULL;
  if (trainer->schedule == NULL)
    return NULL;
  trainer->device = sonde_device_open (options->device != NULL ? options->device : "cpu", options->threads, error);
  if (trainer->device == NULL)
    return NULL;
  update_totals (trainer);
  trainer->current = find_instance (trainer, trainer->options.batch, FALSE, error);
  if (trainer->current == NULL)
    return NULL;
  trainer->interruptible = trainer->current->execution;
  return g_steal_pointer (&trainer);
}

void
sonde_trainer_free (SondeTrainer *trainer)
{
  if (trainer == NULL)
    return;
  g_clear_pointer (&trainer->instances, g_ptr_array_unref);
  g_clear_pointer (&trainer->evaluations, g_ptr_array_unref);
  g_clear_pointer (&trainer->observers, g_ptr_array_unref);
  g_clear_pointer (&trainer->labels, sonde_tensor_unref);
  g_clear_pointer (&trainer->device, sonde_device_unref);
  g_clear_pointer (&trainer->schedule, sonde_schedule_free);
  g_clear_pointer (&trainer->model, sonde_graph_unref);
  g_free (trainer->loss);
  g_free (trainer->optimiser);
  g_free (trainer);
}

static void
clear_tensors (SondeTensor **tensors,
               guint         n)
{
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&tensors[i], sonde_tensor_unref);
}

/* Loads a batch and sets inputs and labels. @labels: (out) (transfer full) (nullable) */
static Instance *
load_batch (SondeTrainer *trainer,
            gboolean      test,
            guint         epoch,
            guint         batch,
            SondeTensor **labels,
            GError      **error)
{
  guint n = trainer->model->inputs->len;
  g_autofree SondeTensor **inputs = g_new0 (SondeTensor *, MAX (n, 1));
  Instance *instance = NULL;
  gboolean good;

  *labels = NULL;
  good = trainer->source->load (trainer->source, test, epoch, batch, inputs, labels, error);
  if (good && n > 0 && inputs[0] != NULL && inputs[0]->shape.rank > 0)
    instance = find_instance (trainer, (guint) inputs[0]->shape.dims[0], test, error);
  else if (good)
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, "The batch source gave no input.");
  for (guint i = 0; instance != NULL && i < n; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (trainer->model->inputs, i);

      if (inputs[i] != NULL && !sonde_execution_set_input (instance->execution, input->name, inputs[i], error))
        instance = NULL;
    }
  if (instance != NULL && instance->training->labels != NULL
      && !sonde_execution_set_input (instance->execution, instance->training->labels->name, *labels, error))
    instance = NULL;
  clear_tensors (inputs, n);
  if (instance == NULL)
    g_clear_pointer (labels, sonde_tensor_unref);
  return instance;
}

static gboolean
begin_step (SondeTrainer *trainer,
            GError      **error)
{
  SondeTrainerState *state = &trainer->state;
  g_autoptr (SondeTensor) rate = NULL;
  g_autoptr (SondeTensor) step = sonde_tensor_new_i64 ((gint64) state->step + 1);
  Instance *instance;

  state->epoch = (guint) (state->step / state->batches_per_epoch);
  state->batch = (guint) (state->step % state->batches_per_epoch);
  state->learning_rate = sonde_schedule_get_rate (trainer->schedule, trainer->options.learning_rate, state->step,
                                                  state->total_steps, state->batches_per_epoch);
  rate = sonde_tensor_new_f32 ((float) state->learning_rate);
  g_clear_pointer (&trainer->labels, sonde_tensor_unref);
  instance = load_batch (trainer, FALSE, state->epoch, state->batch, &trainer->labels, error);
  if (instance == NULL)
    return FALSE;
  if (instance != trainer->current
      && !sonde_execution_share_parameters (instance->execution, trainer->current->execution, error))
    return FALSE;
  trainer->current = instance;
  trainer->interruptible = instance->execution;
  sonde_execution_set_counter (instance->execution, trainer->options.seed, state->step);
  trainer->in_step = TRUE;
  return sonde_execution_set_input (instance->execution, instance->training->learning_rate->name, rate, error)
         && sonde_execution_set_input (instance->execution, instance->training->step->name, step, error);
}

static gboolean
read_scalar (Instance        *instance,
             SondeGraphValue *value,
             double          *result,
             GError         **error)
{
  g_autoptr (SondeTensor) tensor = sonde_execution_read (instance->execution, value, error);

  if (tensor == NULL || sonde_tensor_n_elements (tensor) < 1)
    return FALSE;
  *result = sonde_tensor_get_double (tensor, 0);
  return TRUE;
}

/* Rows of [N, C] logits whose largest entry (the first of equals) is at the label. */
static guint
count_right (SondeTensor *logits,
             SondeTensor *labels)
{
  gint64 n = logits->shape.dims[0], classes = logits->shape.rank > 1 ? logits->shape.dims[1] : 1;
  guint right = 0;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 best = 0;

      for (gint64 c = 1; c < classes; c++)
        if (sonde_tensor_get_double (logits, i * classes + c) > sonde_tensor_get_double (logits, i * classes + best))
          best = c;
      right += best == sonde_tensor_get_int (labels, i);
    }
  return right;
}

/* Share of right answers, NaN where labels are no classes. */
static gboolean
read_accuracy (Instance    *instance,
               SondeTensor *labels,
               double      *accuracy,
               GError     **error)
{
  g_autoptr (SondeTensor) logits = NULL;

  *accuracy = NAN;
  if (!instance->training->has_classes || instance->training->logits->type.rank != 2)
    return TRUE;
  logits = sonde_execution_read (instance->execution, instance->training->logits, error);
  if (logits == NULL)
    return FALSE;
  *accuracy = (double) count_right (logits, labels) / (double) MAX (logits->shape.dims[0], 1);
  return TRUE;
}

static gboolean
finish_step (SondeTrainer *trainer,
             GError      **error)
{
  SondeTrainerState *state = &trainer->state;
  Instance *instance = trainer->current;

  trainer->in_step = FALSE;
  if (!read_scalar (instance, instance->training->loss, &state->loss, error)
      || !read_scalar (instance, instance->training->gradient_norm, &state->gradient_norm, error)
      || !read_accuracy (instance, trainer->labels, &state->accuracy, error))
    return FALSE;
  state->step++;
  state->samples += instance->batch;
  return TRUE;
}

/* Gives the trained parameters to an evaluation, once a step. */
static gboolean
share_for_evaluation (SondeTrainer *trainer,
                      Instance     *instance,
                      GError      **error)
{
  if (instance->shared_at == trainer->state.step)
    return TRUE;
  instance->shared_at = trainer->state.step;
  return sonde_execution_share_parameters (instance->execution, trainer->current->execution, error);
}

static gboolean
evaluate (SondeTrainer *trainer,
          GError      **error)
{
  guint n = trainer->source->n_test, batch = trainer->options.batch;
  double loss = 0.0, right = 0.0;

  trainer->evaluated_at = trainer->state.step;
  if (n == 0)
    return TRUE;
  for (guint b = 0, done = 0; done < n; b++)
    {
      g_autoptr (SondeTensor) labels = NULL;
      Instance *instance = load_batch (trainer, TRUE, trainer->state.epoch, b, &labels, error);
      double batch_loss, batch_accuracy;

      if (instance == NULL || !share_for_evaluation (trainer, instance, error)
          || sonde_execution_run (instance->execution, error) != SONDE_RUN_DONE
          || !read_scalar (instance, instance->training->loss, &batch_loss, error)
          || !read_accuracy (instance, labels, &batch_accuracy, error))
        return FALSE;
      loss += batch_loss * instance->batch;
      right += batch_accuracy * instance->batch;
      done += MAX (instance->batch, 1);
      if (b > n / MAX (batch, 1) + 1)
        break;
    }
  trainer->state.test_loss = loss / n;
  trainer->state.test_accuracy = right / n;
  sonde_schedule_observe (trainer->schedule, trainer->state.test_loss);
  if (trainer->listener != NULL && trainer->listener->evaluated != NULL)
    trainer->listener->evaluated (trainer->listener, trainer);
  return TRUE;
}

static SondeAnswer
tell (SondeTrainer *trainer,
      SondeAnswer (*callback) (SondeTrainerListener *listener, SondeTrainer *trainer))
{
  return callback != NULL ? callback (trainer->listener, trainer) : SONDE_ANSWER_CONTINUE;
}

/* One training step, or its rest after a pause. */
static SondeRunResult
run_step (SondeTrainer *trainer,
          GError      **error)
{
  gint64 start = sonde_clock_monotonic_ns (NULL);
  SondeRunResult result;

  if (!trainer->in_step && !begin_step (trainer, error))
    return SONDE_RUN_FAILED;
  result = sonde_execution_run (trainer->current->execution, error);
  if (result == SONDE_RUN_DONE && !finish_step (trainer, error))
    result = SONDE_RUN_FAILED;
  if (result == SONDE_RUN_STOPPED)
    trainer->in_step = FALSE;
  if (result == SONDE_RUN_FAILED)
    g_prefix_error (error, "Step %" G_GUINT64_FORMAT ": ", trainer->state.step + 1);
  trainer->state.training_ns += sonde_clock_monotonic_ns (NULL) - start;
  return result;
}

/* What follows a finished step. */
static SondeRunResult
after_step (SondeTrainer *trainer,
            GError      **error)
{
  SondeTrainerState *state = &trainer->state;
  SondeTrainerListener *listener = trainer->listener;
  gboolean epoch_end = state->step % state->batches_per_epoch == 0;
  gint64 start = sonde_clock_monotonic_ns (NULL);
  SondeAnswer answer = listener != NULL ? tell (trainer, listener->step_done) : SONDE_ANSWER_CONTINUE;

  state->training_ns += sonde_clock_monotonic_ns (NULL) - start;
  if (answer != SONDE_ANSWER_STOP && (epoch_end || state->step == state->total_steps))
    {
      if (!evaluate (trainer, error))
        return SONDE_RUN_FAILED;
      if (listener != NULL)
        answer = MAX (answer, tell (trainer, listener->epoch_done));
    }
  return answer == SONDE_ANSWER_STOP    ? SONDE_RUN_STOPPED
         : answer == SONDE_ANSWER_PAUSE ? SONDE_RUN_PAUSED
                                        : SONDE_RUN_DONE;
}

SondeRunResult
sonde_trainer_run_step (SondeTrainer *trainer,
                        GError      **error)
{
  SondeRunResult result = run_step (trainer, error);

  return result == SONDE_RUN_DONE ? after_step (trainer, error) : result;
}

SondeRunResult
sonde_trainer_run (SondeTrainer *trainer,
                   GError      **error)
{
  while (trainer->state.step < trainer->state.total_steps)
    {
      SondeRunResult result = sonde_trainer_run_step (trainer, error);

      if (result != SONDE_RUN_DONE)
        return result;
    }
  if (trainer->evaluated_at != trainer->state.step && !evaluate (trainer, error))
    return SONDE_RUN_FAILED;
  return SONDE_RUN_DONE;
}

void
sonde_trainer_seek (SondeTrainer *trainer,
                    guint64       step)
{
  g_return_if_fail (!trainer->in_step);
  trainer->state.step = step;
  trainer->state.epoch = (guint) (step / trainer->state.batches_per_epoch);
  trainer->state.batch = (guint) (step % trainer->state.batches_per_epoch);
}

void
sonde_trainer_set_listener (SondeTrainer         *trainer,
                            SondeTrainerListener *listener)
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

void
sonde_trainer_add_observer (SondeTrainer  *trainer,
                            SondeObserver *observer)
{
  g_ptr_array_add (trainer->observers, observer);
  for (guint i = 0; i < trainer->instances->len; i++)
    sonde_execution_add_observer (((Instance *) g_ptr_array_index (trainer->instances, i))->execution, observer);
}

void
sonde_trainer_remove_observer (SondeTrainer  *trainer,
                               SondeObserver *observer)
{
  g_ptr_array_remove (trainer->observers, observer);
  for (guint i = 0; i < trainer->instances->len; i++)
    sonde_execution_remove_observer (((Instance *) g_ptr_array_index (trainer->instances, i))->execution, observer);
}

void
sonde_trainer_refresh_observers (SondeTrainer *trainer)
{
  for (guint i = 0; i < trainer->instances->len; i++)
    sonde_execution_refresh_observers (((Instance *) g_ptr_array_index (trainer->instances, i))->execution);
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
sonde_trainer_get_gradient (SondeTrainer    *trainer,
                            SondeGraphValue *parameter)
{
  SondeTrainingGraph *training = trainer->current->training;
  guint index;

  return g_ptr_array_find (training->parameters, parameter, &index) ? g_ptr_array_index (training->gradients, index)
                                                                    : NULL;
}

/* A parameter or a state by name. */
static SondeGraphValue *
find_variable (SondeTrainer *trainer,
               const char   *name,
               GError      **error)
{
  SondeGraphValue *value = sonde_graph_find_value (trainer->current->training->graph, name);

  if (value != NULL && (value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_STATE))
    return value;
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND, "The model has no parameter or state “%s”.",
               name);
  return NULL;
}

char **
sonde_trainer_list_parameters (SondeTrainer *trainer,
                               gboolean      with_state)
{
  SondeTrainingGraph *training = trainer->current->training;
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < training->parameters->len; i++)
    g_ptr_array_add (names, g_strdup (((SondeGraphValue *) g_ptr_array_index (training->parameters, i))->name));
  for (guint i = 0; with_state && i < training->graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (training->graph->values, i);

      if (value != NULL && value->role == SONDE_ROLE_STATE)
        g_ptr_array_add (names, g_strdup (value->name));
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

SondeTensor *
sonde_trainer_read_parameter (SondeTrainer *trainer,
                              const char   *name,
                              GError      **error)
{
  SondeGraphValue *value = find_variable (trainer, name, error);

  return value != NULL ? sonde_execution_read (trainer->current->execution, value, error) : NULL;
}

gboolean
sonde_trainer_write_parameter (SondeTrainer *trainer,
                               const char   *name,
                               SondeTensor  *tensor,
                               GError      **error)
{
  SondeGraphValue *value = find_variable (trainer, name, error);

  return value != NULL && sonde_execution_write (trainer->current->execution, value, tensor, error);
}
