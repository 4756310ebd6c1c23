/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/landscape/sonde-loss-probe.h"

#include "engine/nn/sonde-training-graph.h"

#define MOST_KEPT ((guint64) 1 << 30) /* bytes of batches */

/* Graph, plan and execution for one batch size. */
typedef struct
{
  guint batch;
  SondeTrainingGraph *training;
  SondePlan *plan;
  SondeExecution *execution;
} Instance;

/* @inputs: one for each input of the model, NULL for those that have a value */
typedef struct
{
  Instance *instance;
  SondeTensor **inputs, *labels;
} Batch;

struct _SondeLossProbe
{
  SondeGraph *model;
  SondeTrainerOptions options; /* its texts are borrowed while the probe is made */
  SondeDevice *device;
  GPtrArray *instances; /* (element-type Instance) */
  GArray *batches;      /* (element-type Batch) */
  SondeWeightSpace *space;
  guint64 n_samples, bytes;
};

static void
instance_free (gpointer data)
{
  Instance *instance = data;

  g_clear_pointer (&instance->execution, sonde_execution_free);
  g_clear_pointer (&instance->plan, sonde_plan_unref);
  g_clear_pointer (&instance->training, sonde_training_graph_free);
  g_free (instance);
}

static SondePlan *
plan_evaluation (SondeLossProbe *probe, SondeTrainingGraph *training, guint batch, GError **error)
{
  g_autoptr (GArray) bindings = sonde_training_bind_inputs (training->graph, batch);
  const char *pinned[] = { training->loss->name, NULL };
  SondePlanOptions options = { .memory = SONDE_MEMORY_PLAN, .pinned = pinned };

  options.bindings = (SondeBinding *) (void *) bindings->data;
  options.n_bindings = bindings->len;
  return sonde_plan_new (training->graph, probe->device, &options, error);
}

static Instance *
find_instance (SondeLossProbe *probe, guint batch, GError **error)
{
  Instance *instance;

  for (guint i = 0; i < probe->instances->len; i++)
    {
      instance = g_ptr_array_index (probe->instances, i);
      if (instance->batch == batch)
        return instance;
    }
  instance = g_new0 (Instance, 1);
  g_ptr_array_add (probe->instances, instance);
  instance->batch = batch;
  instance->training = sonde_training_graph_build (probe->model, &probe->options, batch,
                                                   SONDE_TRAINING_EVALUATION, error);
  if (instance->training != NULL)
    instance->plan = plan_evaluation (probe, instance->training, batch, error);
  if (instance->plan != NULL)
    instance->execution = sonde_execution_new (instance->plan, error);
  return instance->execution != NULL ? instance : NULL;
}

/* ---- batches ------------------------------------------------------------- */

static gboolean
count_bytes (SondeLossProbe *probe, const Batch *batch, GError **error)
{
  for (guint i = 0; i < probe->model->inputs->len; i++)
    probe->bytes += batch->inputs[i] != NULL ? sonde_tensor_n_bytes (batch->inputs[i]) : 0;
  probe->bytes += batch->labels != NULL ? sonde_tensor_n_bytes (batch->labels) : 0;
  if (probe->bytes <= MOST_KEPT)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                   "The samples take more than 1 GiB of memory; use fewer batches.");
  return FALSE;
}

static gboolean
load_batch (SondeLossProbe *probe, SondeBatchSource *source, guint index, GError **error)
{
  Batch batch = { .inputs = g_new0 (SondeTensor *, MAX (probe->model->inputs->len, 1)) };
  const SondeTensor *first;

  g_array_append_val (probe->batches, batch);
  if (!source->load (source, TRUE, 0, index, batch.inputs, &batch.labels, error))
    return FALSE;
  g_array_index (probe->batches, Batch, index).labels = batch.labels;
  first = batch.inputs[0];
  if (first == NULL || first->shape.rank == 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "The batch source provided no input.");
      return FALSE;
    }
  if (!count_bytes (probe, &batch, error))
    return FALSE;
  batch.instance = find_instance (probe, (guint) first->shape.dims[0], error);
  g_array_index (probe->batches, Batch, index).instance = batch.instance;
  probe->n_samples += (guint64) first->shape.dims[0];
  return batch.instance != NULL;
}

SondeLossProbe *
sonde_loss_probe_new (SondeGraph *model, const SondeTrainerOptions *options,
                      SondeBatchSource *source, guint n_batches, GError **error)
{
  g_autoptr (SondeLossProbe) probe = g_new0 (SondeLossProbe, 1);

  g_return_val_if_fail (n_batches > 0, NULL);
  probe->model = sonde_graph_ref (model);
  probe->options = *options;
  probe->instances = g_ptr_array_new_with_free_func (instance_free);
  probe->batches = g_array_new (FALSE, FALSE, sizeof (Batch));
  probe->device = sonde_device_open (options->device != NULL ? options->device : "cpu",
                                     options->threads, error);
  if (probe->device == NULL)
    return NULL;
  for (guint i = 0; i < n_batches; i++)
    if (!load_batch (probe, source, i, error))
      return NULL;
  probe->space = sonde_weight_space_new (
      g_array_index (probe->batches, Batch, 0).instance->training->parameters);
  return g_steal_pointer (&probe);
}

void
sonde_loss_probe_free (SondeLossProbe *probe)
{
  if (probe == NULL)
    return;
  for (guint i = 0; i < probe->batches->len; i++)
    {
      Batch *batch = &g_array_index (probe->batches, Batch, i);

      for (guint k = 0; k < probe->model->inputs->len; k++)
        sonde_tensor_unref (batch->inputs[k]);
      sonde_tensor_unref (batch->labels);
      g_free (batch->inputs);
    }
  g_array_unref (probe->batches);
  g_ptr_array_unref (probe->instances);
  g_clear_pointer (&probe->device, sonde_device_unref);
  g_clear_pointer (&probe->space, sonde_weight_space_free);
  sonde_graph_unref (probe->model);
  g_free (probe);
}

const SondeWeightSpace *
sonde_loss_probe_get_space (const SondeLossProbe *probe)
{
  return probe->space;
}

guint64
sonde_loss_probe_get_n_samples (const SondeLossProbe *probe)
{
  return probe->n_samples;
}

/* ---- weights ------------------------------------------------------------- */

/* The execution copies what is written. */
static SondeTensor *
wrap_block (const SondeWeightBlock *block, const float *weights)
{
  g_autoptr (SondeTensor) plain = sonde_tensor_new_take (
      SONDE_DTYPE_F32, &block->shape, (gpointer) (weights + block->first), NULL, NULL);

  return block->dtype == SONDE_DTYPE_F32 ? g_steal_pointer (&plain)
                                         : sonde_tensor_cast (plain, block->dtype);
}

gboolean
sonde_loss_probe_set_weights (SondeLossProbe *probe, const float *weights, GError **error)
{
  for (guint b = 0; b < probe->space->n_blocks; b++)
    {
      const SondeWeightBlock *block = &probe->space->blocks[b];
      g_autoptr (SondeTensor) tensor = wrap_block (block, weights);

      for (guint i = 0; i < probe->instances->len; i++)
        {
          Instance *instance = g_ptr_array_index (probe->instances, i);
          SondeGraphValue *value = g_ptr_array_index (instance->training->parameters, b);

          if (!sonde_execution_write (instance->execution, value, tensor, error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
set_instance (Instance *instance, const SondeGraph *model, GError **error)
{
  const GPtrArray *values = instance->training->graph->values;

  for (guint i = 0; i < values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (values, i);
      const SondeGraphValue *from;

      if (value == NULL || value->constant == NULL || value->users->len == 0
          || (value->role != SONDE_ROLE_PARAMETER && value->role != SONDE_ROLE_STATE))
        continue;
      from = sonde_graph_find_value (model, value->name);
      if (from != NULL && from->constant != NULL
          && !sonde_execution_write (instance->execution, value,
                                     sonde_value_get_tensor (from->constant), error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sonde_loss_probe_set_model (SondeLossProbe *probe, const SondeGraph *model, GError **error)
{
  for (guint i = 0; i < probe->instances->len; i++)
    if (!set_instance (g_ptr_array_index (probe->instances, i), model, error))
      return FALSE;
  return TRUE;
}

/* ---- the loss ------------------------------------------------------------ */

static gboolean
feed (SondeLossProbe *probe, const Batch *batch, GError **error)
{
  const SondeTrainingGraph *training = batch->instance->training;

  for (guint i = 0; i < probe->model->inputs->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (probe->model->inputs, i);

      if (batch->inputs[i] != NULL
          && !sonde_execution_set_input (batch->instance->execution, input->name, batch->inputs[i],
                                         error))
        return FALSE;
    }
  return training->labels == NULL
         || sonde_execution_set_input (batch->instance->execution, training->labels->name,
                                       batch->labels, error);
}

gboolean
sonde_loss_probe_measure (SondeLossProbe *probe, double *loss, GError **error)
{
  double sum = 0;

  for (guint i = 0; i < probe->batches->len; i++)
    {
      const Batch *batch = &g_array_index (probe->batches, Batch, i);
      SondeExecution *execution = batch->instance->execution;
      g_autoptr (SondeTensor) one = NULL;

      if (!feed (probe, batch, error) || sonde_execution_run (execution, error) != SONDE_RUN_DONE)
        return FALSE;
      one = sonde_execution_read (execution, batch->instance->training->loss, error);
      if (one == NULL)
        return FALSE;
      sum += sonde_tensor_get_double (one, 0) * batch->instance->batch;
    }
  *loss = sum / (double) probe->n_samples;
  return TRUE;
}
