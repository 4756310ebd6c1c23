/* SPDX-License-Identifier: Apache-2.0
 * Plans of a training by batch size and purpose, and the batches they are fed. */
#include "engine/nn/sonde-trainer-private.h"
#include "engine/plan/sonde-execution-spans.h"

#include <math.h>

void
sonde_trainer_instance_free (gpointer data)
{
  SondeTrainerInstance *instance = data;

  g_clear_pointer (&instance->execution, sonde_execution_free);
  g_clear_pointer (&instance->plan, sonde_plan_unref);
  g_clear_pointer (&instance->training, sonde_training_graph_free);
  g_free (instance);
}

SondeTrainerInstance *
sonde_trainer_get_instance (SondeTrainer *trainer)
{
  return trainer->current;
}

static SondePlan *
plan_training (SondeTrainer *trainer, SondeTrainingGraph *training, SondeGraph *graph, guint batch,
               GError **error)
{
  g_autoptr (GArray) bindings = sonde_training_bind_inputs (graph, batch);
  g_autoptr (GPtrArray) pinned = g_ptr_array_new ();
  SondePlanOptions options = { 0 };

  g_ptr_array_add (pinned, training->loss->name);
  g_ptr_array_add (pinned, training->logits->name);
  if (training->gradient_norm != NULL)
    g_ptr_array_add (pinned, training->gradient_norm->name);
  /* Of parameters that were updated in place no gradient can be computed again. */
  for (guint i = 0; trainer->options.update_in_place && training->gradients != NULL
                    && i < training->gradients->len;
       i++)
    g_ptr_array_add (pinned,
                     ((SondeGraphValue *) g_ptr_array_index (training->gradients, i))->name);
  g_ptr_array_add (pinned, NULL);
  options.memory = trainer->options.memory;
  options.bindings = (SondeBinding *) (void *) bindings->data;
  options.n_bindings = bindings->len;
  options.pinned = (const char *const *) pinned->pdata;
  options.update_in_place = trainer->options.update_in_place;
  return sonde_plan_new (graph, trainer->device, &options, error);
}

/* What sonde_pass_rematerialise() asks about. */
typedef struct
{
  SondeTrainer *trainer;
  SondeTrainingGraph *training;
  guint batch;
} Fitting;

static gboolean
measure (SondeGraph *graph, guint64 *peak, gpointer data, GError **error)
{
  const Fitting *fitting = data;
  g_autoptr (SondeGraph) copy = sonde_graph_copy (graph, FALSE);
  g_autoptr (SondePlan) plan
      = plan_training (fitting->trainer, fitting->training, copy, fitting->batch, error);

  if (plan == NULL)
    return FALSE;
  *peak = sonde_trainer_estimate_bytes (fitting->trainer, plan, fitting->batch);
  return TRUE;
}

static gboolean
fit_memory (SondeTrainer *trainer, SondeTrainingGraph *training, guint batch, GError **error)
{
  Fitting fitting = { trainer, training, batch };
  SondeRematerialiseRequest request = { trainer->options.memory_budget, measure, &fitting };
  guint64 peak;

  return request.budget == 0 || trainer->options.memory == SONDE_MEMORY_KEEP
         || training->kind == SONDE_TRAINING_EVALUATION
         || sonde_pass_rematerialise (training->graph, &request, &peak, error);
}

static SondeTrainerInstance *
instance_new (SondeTrainer *trainer, guint batch, SondeTrainingKind kind, GError **error)
{
  SondeTrainerInstance *instance = g_new0 (SondeTrainerInstance, 1);

  instance->batch = batch;
  instance->shared_at = G_MAXUINT64;
  instance->training
      = sonde_training_graph_build (trainer->model, &trainer->options, batch, kind, error);
  if (instance->training != NULL && fit_memory (trainer, instance->training, batch, error))
    instance->plan
        = plan_training (trainer, instance->training, instance->training->graph, batch, error);
  if (instance->plan != NULL)
    return instance;
  sonde_trainer_instance_free (instance);
  return NULL;
}

SondeTrainerInstance *
sonde_trainer_plan_instance (SondeTrainer *trainer, guint batch, SondeTrainingKind kind,
                             GError **error)
{
  SondeTrainerInstance *instance;

  for (guint i = 0; i < trainer->instances->len; i++)
    {
      instance = g_ptr_array_index (trainer->instances, i);
      if (instance->batch == batch && instance->training->kind == kind)
        return instance;
    }
  instance = instance_new (trainer, batch, kind, error);
  if (instance != NULL)
    g_ptr_array_add (trainer->instances, instance);
  return instance;
}

/* What comes beside others, or before them, is planned first: a budget is for all together. */
gboolean
sonde_trainer_plan_all (SondeTrainer *trainer, GError **error)
{
  guint batch = trainer->options.batch, n_test = trainer->source->n_test;
  guint last = sonde_trainer_last_batch (trainer->source->n_samples, batch),
        last_test = sonde_trainer_last_batch (n_test, batch);

  return (n_test == 0
          || sonde_trainer_plan_instance (trainer, MIN (batch, n_test), SONDE_TRAINING_EVALUATION,
                                          error)
                 != NULL)
         && (last_test == 0
             || sonde_trainer_plan_instance (trainer, last_test, SONDE_TRAINING_EVALUATION, error)
                    != NULL)
         && (!sonde_trainer_has_last_batch (trainer)
             || sonde_trainer_plan_instance (trainer, last, SONDE_TRAINING_STEP, error) != NULL)
         && sonde_trainer_plan_instance (trainer, batch, SONDE_TRAINING_STEP, error) != NULL
         && (!sonde_trainer_accumulates (trainer)
             || sonde_trainer_plan_instance (trainer, batch, SONDE_TRAINING_ACCUMULATE, error)
                    != NULL);
}

/* Who has too little memory is told how much all of it is. */
static SondeExecution *
make_execution (SondeTrainer *trainer, SondePlan *plan, GError **error)
{
  g_autoptr (GError) reason = NULL;
  SondeExecution *execution = sonde_execution_new (plan, &reason);
  g_autofree char *planned = NULL;

  if (execution != NULL)
    return execution;
  if (g_error_matches (reason, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY))
    {
      planned
          = g_format_size_full (sonde_trainer_get_planned_bytes (trainer), G_FORMAT_SIZE_IEC_UNITS);
      sonde_prefix_error (&reason,
                          "the training is planned to take %s of memory at its peak: ", planned);
    }
  g_propagate_error (error, g_steal_pointer (&reason));
  return NULL;
}

SondeTrainerInstance *
sonde_trainer_find_instance (SondeTrainer *trainer, guint batch, SondeTrainingKind kind,
                             GError **error)
{
  SondeTrainerInstance *instance = sonde_trainer_plan_instance (trainer, batch, kind, error);

  if (instance == NULL)
    return NULL;
  sonde_trainer_rest (trainer, instance);
  if (instance->execution != NULL)
    return instance;
  instance->execution = make_execution (trainer, instance->plan, error);
  if (instance->execution == NULL)
    return NULL;
  if (kind == SONDE_TRAINING_EVALUATION)
    sonde_execution_rest (instance->execution);
  else
    {
      sonde_execution_set_spans (instance->execution, trainer->spans, FALSE);
      for (guint i = 0; i < trainer->observers->len; i++)
        sonde_execution_add_observer (instance->execution,
                                      g_ptr_array_index (trainer->observers, i));
    }
  return instance;
}

static void
clear_tensors (SondeTensor **tensors, guint n)
{
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&tensors[i], sonde_tensor_unref);
}

static gboolean
feed (SondeTrainer *trainer, SondeTrainerInstance *instance, SondeTensor *const *inputs,
      SondeTensor *labels, GError **error)
{
  for (guint i = 0; i < trainer->model->inputs->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (trainer->model->inputs, i);

      if (inputs[i] != NULL
          && !sonde_execution_set_input (instance->execution, input->name, inputs[i], error))
        return FALSE;
    }
  return instance->training->labels == NULL
         || sonde_execution_set_input (instance->execution, instance->training->labels->name,
                                       labels, error);
}

guint64
sonde_trainer_get_moment (const SondeTrainer *trainer)
{
  return sonde_span_log_enter (trainer->spans) != NULL ? sonde_ticks_now (&trainer->spans->ticks)
                                                       : 0;
}

void
sonde_trainer_add_span (SondeTrainer *trainer, SondeSpanCategory category, const char *name,
                        guint64 start)
{
  SondeSpanLog *log = trainer->spans;
  SondeSpanRing *ring = start != 0 ? sonde_span_log_enter (log) : NULL;

  if (ring != NULL)
    {
      guint64 end = sonde_ticks_now (&log->ticks);

      sonde_span_ring_add (
          ring, (SondeSpan){ start, end, { 0 }, sonde_span_log_add_label (log, name), category });
    }
}

SondeTrainerInstance *
sonde_trainer_load_batch (SondeTrainer *trainer, SondeTrainingKind kind, guint epoch, guint batch,
                          SondeTensor **labels, GError **error)
{
  guint n = trainer->model->inputs->len;
  g_autofree SondeTensor **inputs = g_new0 (SondeTensor *, MAX (n, 1));
  SondeTrainerInstance *instance = NULL;
  guint64 moment = sonde_trainer_get_moment (trainer);
  gboolean good;

  *labels = NULL;
  good = trainer->source->load (trainer->source, kind == SONDE_TRAINING_EVALUATION, epoch, batch,
                                inputs, labels, error);
  sonde_trainer_add_span (trainer, SONDE_SPAN_WAIT, "next batch", moment);
  if (good && n > 0 && inputs[0] != NULL && inputs[0]->shape.rank > 0)
    instance = sonde_trainer_find_instance (trainer, (guint) inputs[0]->shape.dims[0], kind, error);
  else if (good)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "The batch source provided no input.");
  if (instance != NULL && !feed (trainer, instance, inputs, *labels, error))
    instance = NULL;
  clear_tensors (inputs, n);
  if (instance == NULL)
    g_clear_pointer (labels, sonde_tensor_unref);
  return instance;
}

gboolean
sonde_trainer_read_scalar (SondeTrainerInstance *instance, SondeGraphValue *value, double *result,
                           GError **error)
{
  g_autoptr (SondeTensor) tensor = sonde_execution_read (instance->execution, value, error);

  if (tensor == NULL || sonde_tensor_n_elements (tensor) < 1)
    return FALSE;
  *result = sonde_tensor_get_double (tensor, 0);
  return TRUE;
}

/* Rows of [N, C] logits whose largest entry (the first of equals) is at the label. */
static guint
count_right (SondeTensor *logits, SondeTensor *labels)
{
  gint64 n = logits->shape.dims[0], classes = logits->shape.rank > 1 ? logits->shape.dims[1] : 1;
  guint right = 0;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 best = 0;

      for (gint64 c = 1; c < classes; c++)
        if (sonde_tensor_get_double (logits, i * classes + c)
            > sonde_tensor_get_double (logits, i * classes + best))
          best = c;
      right += best == sonde_tensor_get_int (labels, i);
    }
  return right;
}

gboolean
sonde_trainer_read_accuracy (SondeTrainerInstance *instance, SondeTensor *labels, double *accuracy,
                             GError **error)
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

void
sonde_trainer_give_up_step (SondeTrainer *trainer)
{
  for (guint i = 0; i < trainer->instances->len; i++)
    {
      SondeTrainerInstance *instance = g_ptr_array_index (trainer->instances, i);

      if (instance->execution != NULL)
        sonde_execution_abandon (instance->execution);
      instance->shared_at = G_MAXUINT64;
    }
  trainer->in_step = trainer->in_batch = FALSE;
  trainer->n_done = 0;
}

/* ---- observers ------------------------------------------------------------- */

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
