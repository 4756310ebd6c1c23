/* SPDX-License-Identifier: Apache-2.0
 * The model of a training: built in or from a file, its trainer, its first weights. */
#include "app/worker/sonde-training-job-private.h"

#include "app/worker/models/sonde-model-choice.h"
#include "app/worker/sonde-training-settings.h"
#include "app/worker/sonde-weights.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-zoo.h"

#define DEFAULT_LOSS "cross-entropy"

/* x is for the model's first input, y for its second, where it computes its loss itself. */
static int
find_label_input (SondeGraph *model)
{
  guint n_required = 0;

  for (guint i = 0; i < model->inputs->len; i++)
    if (((SondeGraphValue *) g_ptr_array_index (model->inputs, i))->constant == NULL
        && ++n_required == 2)
      return (int) i;
  return -1;
}

/* The labels of @data have another rank than the model's predictions. */
static void
refuse_labels (const SondeRecipe *recipe, const SondeDataset *data, const SondeZooModel *built_in,
               GError **error)
{
  const char *labels, *advice;

  if (data->label_shape.rank == 0)
    {
      labels = N_ ("one per sample");
      advice
          = N_ ("Labels per pixel come from glyphs:labels=pixels and from arrays y of [n, H, W].");
    }
  else if (data->label_shape.rank == 1)
    {
      labels = N_ ("one per position");
      advice = N_ ("The token tasks parity and majority have one label per sample.");
    }
  else
    {
      labels = N_ ("one per pixel");
      advice = N_ ("Use unet for such labels.");
    }
  if (built_in->label_rank == 2)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "“%s” predicts a class per pixel, but the labels of “%s” are %-s. %-s",
                     built_in->name, recipe->data_source, labels, advice);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "“%s” predicts a class per sample, but the labels of “%s” are %-s. %-s",
                     built_in->name, recipe->data_source, labels, advice);
}

/* A built-in model for the kind of data: tokens or images. */
static SondeGraph *
build_model (const SondeRecipe *recipe, const SondeDataset *data, const SondeZooModel *built_in,
             GError **error)
{
  gboolean tokens = data->dtype == SONDE_DTYPE_I64;
  SondeZooInput input = { data->channels, data->height, data->width, 0, 0, (int) data->n_classes };

  if (tokens && built_in->takes_sequences && data->vocabulary > 0 && data->shape.rank == 1)
    input = (SondeZooInput){ .length = (int) data->shape.dims[0],
                             .vocabulary = (int) data->vocabulary,
                             .classes = (int) data->n_classes };
  else if (tokens)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "“%s” does not take the tokens of “%s”; use lstm-classifier or "
                       "transformer-encoder.",
                       built_in->name, recipe->data_source);
      return NULL;
    }
  if (!built_in->labels_are_input && data->klass->get_n_ready == NULL
      && data->label_dtype == SONDE_DTYPE_I64 && data->label_shape.rank != built_in->label_rank)
    {
      refuse_labels (recipe, data, built_in, error);
      return NULL;
    }
  return sonde_zoo_build_for (recipe->model_name, &input, recipe->train_seed, error);
}

/* Its weights come later: what is trained is checked first. */
static SondeGraph *
open_model (const SondeRecipe *recipe, GError **error)
{
  SondeModelChoice choice;

  sonde_model_choice_from_recipe (&choice, recipe);
  return sonde_model_choice_read (&choice, recipe->model_name, FALSE, SONDE_QUANTISED_EXACT, NULL,
                                  error);
}

gboolean
sonde_training_job_load_graph (SondeTrainingJob *job, GError **error)
{
  const SondeRecipe *recipe = job->recipe;
  const SondeDataset *data = job->dataset;
  const SondeZooModel *built_in = sonde_zoo_find (recipe->model_name);

  if (built_in != NULL)
    job->model = build_model (recipe, data, built_in, error);
  else
    job->model = open_model (recipe, error);
  if (job->model == NULL)
    return sonde_prefix_error (error, "model.name: "), FALSE;
  job->label_input = find_label_input (job->model);
  job->labels_are_input = built_in != NULL && built_in->labels_are_input;
  /* The recipe's default does not fit a model that reconstructs. */
  job->loss = job->labels_are_input && g_str_equal (recipe->train_loss, DEFAULT_LOSS)
                  ? built_in->loss
                  : recipe->train_loss;
  return TRUE;
}

/* Adds settings that need less memory to an error of too little memory. */
static void
add_advice (const SondeTrainingJob *job, GError **error)
{
  SondeMessage *message;

  if (!g_error_matches (*error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY))
    return;
  message = sonde_error_dup_message (*error);
  if (!g_str_has_suffix ((*error)->message, "."))
    sonde_message_append_text (message, ".");
  sonde_message_append_format (
      message,
      N_ (" A smaller data.batch (now %u) with train.accumulate, train.memory or "
          "train.precision=bf16 needs less memory."),
      sonde_training_job_get_batch (job));
  g_clear_error (error);
  sonde_set_error_message (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY, message);
}

gboolean
sonde_training_job_open_model (SondeTrainingJob *job, const SondeTrainingJobOptions *options,
                               GError **error)
{
  g_auto (SondeTrainingSettings) settings = { 0 };
  g_autoptr (GError) reason = NULL;
  SondeTrainerOptions *trainer = &settings.trainer;

  if (!sonde_training_job_load_graph (job, error)
      || !sonde_training_settings_init (&settings, job->recipe, error))
    return FALSE;
  trainer->loss = job->loss;
  trainer->batch = sonde_training_job_get_batch (job);
  trainer->memory = options->memory;
  trainer->update_in_place = options->memory == SONDE_MEMORY_PLAN;
  trainer->device = options->device;
  job->trainer = sonde_trainer_new (job->model, &job->source.base, trainer, &reason);
  if (job->trainer != NULL)
    return sonde_training_job_check_data (job, error);
  add_advice (job, &reason);
  sonde_prefix_error (&reason, "Training “%s”: ", job->recipe->model_name);
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

/* Of a Caffe net the weights came with the model. */
static gboolean
has_weights (const SondeTrainingJob *job)
{
  SondeModelChoice choice;

  sonde_model_choice_from_recipe (&choice, job->recipe);
  return sonde_model_choice_has_weights (&choice);
}

/* A file whose names are others than the model's has them afterwards; what is left over is told. */
static SondeNamedTensors *
match_weights (SondeTrainingJob *job, SondeNamedTensors *tensors)
{
  g_autoptr (SondeWeightReport) report
      = sonde_weight_match (job->model, tensors, job->recipe->model_weights);
  const gboolean complete = report->missing->len + report->misshapen->len == 0;

  if (complete
      && (report->unused->len > 0 || sonde_weight_report_count (report, SONDE_WEIGHT_BY_SHAPE) > 0))
    g_ptr_array_add (job->warnings, sonde_weight_report_to_message (report));
  return sonde_weight_report_rename (report, tensors, !complete);
}

/* What fits of a partial file is found by its names alone. (transfer full) */
static SondeNamedTensors *
read_weights (SondeTrainingJob *job, GError **error)
{
  g_autoptr (SondeNamedTensors) tensors
      = sonde_weights_read (NULL, job->recipe->model_weights, error);

  if (tensors == NULL || job->recipe->model_partial)
    return g_steal_pointer (&tensors);
  return match_weights (job, tensors);
}

gboolean
sonde_training_job_load_weights (SondeTrainingJob *job, GError **error)
{
  const char *path = job->recipe->model_weights;
  SondeWeightsFit fit = job->recipe->model_partial ? SONDE_WEIGHTS_PARTIAL : SONDE_WEIGHTS_ALL;
  g_autoptr (SondeNamedTensors) tensors = NULL;
  SondeMessage *report = NULL;
  gboolean right;

  if (!has_weights (job))
    return TRUE;
  tensors = read_weights (job, error);
  right = tensors != NULL
          && (job->trainer != NULL
                  ? sonde_weights_fit (job->trainer, tensors, path, fit, &report, error)
                  : sonde_weights_fit_model (job->model, tensors, path, fit, &report, error));
  if (report != NULL)
    g_ptr_array_add (job->warnings, report);
  return right || (sonde_prefix_error (error, "model.weights: "), FALSE);
}
