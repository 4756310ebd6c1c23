/* SPDX-License-Identifier: Apache-2.0
 * The data of a training: the source split and batched as the recipe says, folded to what the model
 * takes, checked against it. */
#include "app/worker/sonde-training-job-private.h"

#include <math.h>
#include <string.h>

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"

static gint64
count_of (const SondeSampleCount *count, guint n)
{
  if (!count->is_set)
    return -1;
  return count->share > 0 ? (gint64) floor (count->share * n + 0.5) : (gint64) count->count;
}

SondeDataset *
sonde_training_job_open_dataset (const SondeRecipe *recipe, const char *program,
                                 SondeSplitPart *split, GError **error)
{
  const char *arguments[] = { program, "image-helper", NULL };
  SondeDatasetOptions options = { 0 };
  g_autoptr (SondeDataset) dataset = NULL;

  /* The decoder is the dataset's from here on. */
  options.decoder = program != NULL ? sonde_image_decoder_new (arguments) : NULL;
  options.seed = recipe->data_seed;
  options.transforms = (const char *const *) recipe->data_transforms;
  if (recipe->data_train.is_set && recipe->data_test.is_set && recipe->data_train.share <= 0
      && recipe->data_test.share <= 0)
    options.count = (guint) MIN (recipe->data_train.count + recipe->data_test.count, G_MAXUINT / 2);
  dataset = sonde_dataset_open (recipe->data_source, &options, error);
  if (dataset == NULL
      || !sonde_dataset_split (dataset, recipe->data_split_modulo,
                               count_of (&recipe->data_train, dataset->n),
                               count_of (&recipe->data_test, dataset->n), split, error))
    {
      sonde_prefix_error (error, "data.source = %s: ", recipe->data_source);
      return NULL;
    }
  return g_steal_pointer (&dataset);
}

static gboolean
load_batch (SondeBatchSource *base, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
            SondeTensor **labels, GError **error)
{
  SondeTrainingJob *job = ((SondeTrainingSource *) base)->job;

  if (!sonde_batches_load (test ? job->test : job->train, epoch, batch, &inputs[0], labels,
                           test ? NULL : job->last_samples, error))
    return FALSE;
  if (job->labels_are_input)
    {
      sonde_tensor_unref (*labels);
      *labels = sonde_tensor_ref (inputs[0]);
    }
  if (job->folded.rank > 0)
    {
      SondeShape shape = { job->folded.rank + 1, { inputs[0]->shape.dims[0] } };
      g_autoptr (SondeTensor) flat = g_steal_pointer (&inputs[0]);

      memcpy (shape.dims + 1, job->folded.dims, (gsize) job->folded.rank * sizeof *shape.dims);
      inputs[0] = sonde_tensor_reshape (flat, &shape);
    }
  if (job->label_input >= 0)
    inputs[job->label_input] = sonde_tensor_ref (*labels);
  if (!test)
    job->n_last_samples = (guint) inputs[0]->shape.dims[0];
  return TRUE;
}

static gboolean
get_sample (SondeTapSamples *base, guint index, SondeImage **image, SondeSampleNote *note)
{
  SondeTrainingJob *job = ((SondeTrainingSamples *) base)->job;
  g_autoptr (GError) error = NULL;
  guint sample;

  if (index >= job->n_last_samples)
    return FALSE;
  sample = job->last_samples[index];
  *image = sonde_dataset_dup_image (job->dataset, sample, &error);
  if (*image == NULL)
    {
      g_debug ("no image of sample %u: %s", sample, error->message);
      return FALSE;
    }
  memset (note, 0, sizeof *note);
  note->sample = sonde_dataset_dup_name (job->dataset, sample);
  note->label = (int) sonde_dataset_get_label (job->dataset, sample);
  if (note->label >= 0 && (guint) note->label < job->dataset->n_classes)
    note->label_name = g_strdup (job->dataset->classes[note->label]);
  return TRUE;
}

guint
sonde_training_job_get_batch (const SondeTrainingJob *job)
{
  guint ready = sonde_dataset_get_ready_batch (job->dataset);

  return ready > 0 ? ready : job->recipe->data_batch;
}

gboolean
sonde_training_job_open_data (SondeTrainingJob *job, const SondeTrainingJobOptions *options,
                              GError **error)
{
  const SondeRecipe *recipe = job->recipe;
  SondeBatchesOptions batches = { 0 };

  job->dataset = sonde_training_job_open_dataset (recipe, options->program, &job->split, error);
  if (job->dataset == NULL)
    return FALSE;
  if (recipe->data_order != NULL)
    {
      job->order = sonde_npy_read (NULL, recipe->data_order, error);
      if (job->order == NULL)
        return sonde_prefix_error (error, "data.order: "), FALSE;
    }
  batches.batch = sonde_training_job_get_batch (job);
  batches.samples = job->split.train;
  batches.n = job->split.n_train;
  batches.shuffle = recipe->data_shuffle;
  batches.seed = recipe->data_seed;
  batches.order = job->order;
  batches.training = TRUE;
  batches.repeat = recipe->data_repeat;
  batches.workers = recipe->data_workers;
  batches.prefetch = recipe->data_prefetch;
  job->train = sonde_batches_new (job->dataset, &batches, error);
  if (job->train == NULL)
    return FALSE;
  batches.samples = job->split.test;
  batches.n = job->split.n_test;
  batches.shuffle = batches.training = FALSE;
  batches.order = NULL;
  batches.repeat = 1;
  job->test = batches.n > 0 ? sonde_batches_new (job->dataset, &batches, error) : NULL;
  if (batches.n > 0 && job->test == NULL)
    return FALSE;
  job->last_samples = g_new0 (guint, sonde_training_job_get_batch (job));
  job->source.base = (SondeBatchSource){ job->split.n_train * recipe->data_repeat,
                                         job->split.n_test, load_batch };
  job->source.job = job;
  job->samples = (SondeTrainingSamples){ { get_sample }, job };
  return TRUE;
}

gboolean
sonde_training_job_open_part (SondeTrainingJob *job, const char *program, gboolean test,
                              guint64 seed, GError **error)
{
  SondeBatchesOptions batches = { .batch = 0 };

  job->dataset = sonde_training_job_open_dataset (job->recipe, program, &job->split, error);
  if (job->dataset == NULL)
    return FALSE;
  batches.batch = sonde_training_job_get_batch (job);
  batches.samples = test ? job->split.test : job->split.train;
  batches.n = test ? job->split.n_test : job->split.n_train;
  batches.shuffle = seed != 0;
  batches.seed = seed;
  if (batches.n == 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "“%s” has no samples for tests.", job->recipe->data_source);
      return FALSE;
    }
  job->test = sonde_batches_new (job->dataset, &batches, error);
  job->source = (SondeTrainingSource){ { 0, batches.n, load_batch }, job };
  return job->test != NULL;
}

/* As many numbers as the model takes, only in other dimensions: [F] for a model of [N, C, H, W], or
 * pictures for one of [N, F]. */
static gboolean
fold_samples (SondeTrainingJob *job, const SondeType *type)
{
  SondeShape folded = { .rank = type->rank - 1 };

  for (int i = 0; i < folded.rank; i++)
    {
      if (type->dims[i + 1].size < 0)
        return FALSE;
      folded.dims[i] = type->dims[i + 1].size;
    }
  if (type->rank < 2
      || sonde_shape_n_elements (&folded) != sonde_shape_n_elements (&job->dataset->shape))
    return FALSE;
  job->folded = folded;
  return TRUE;
}

/* Samples of another size than the model takes, said before the first step. */
gboolean
sonde_training_job_check_samples (SondeTrainingJob *job, GError **error)
{
  const SondeShape *shape = &job->dataset->shape;
  SondeGraphValue *input = NULL;

  for (guint i = 0; i < job->model->inputs->len && input == NULL; i++)
    if (((SondeGraphValue *) g_ptr_array_index (job->model->inputs, i))->constant == NULL)
      input = g_ptr_array_index (job->model->inputs, i);
  if (input == NULL || job->dataset->klass->get_n_ready != NULL)
    return TRUE;
  if (input->type.rank != shape->rank + 1)
    {
      fold_samples (job, &input->type); /* what does not fit either is for the trainer to say */
      return TRUE;
    }
  for (int i = 0; i < shape->rank; i++)
    if (input->type.dims[i + 1].size >= 0 && input->type.dims[i + 1].size != shape->dims[i])
      {
        g_autofree char *text = sonde_shape_to_string (shape);

        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                         "The samples of “%s” are %s, but the model's input “%s” expects %" PRIi64
                         " instead of %" PRIi64 ".",
                         job->recipe->data_source, text, input->name, input->type.dims[i + 1].size,
                         shape->dims[i]);
        return FALSE;
      }
  return TRUE;
}

/* A label that the model has no class for would be found in the middle of an epoch, without its
 * name. */
static gboolean
check_labels (SondeTrainingJob *job, GError **error)
{
  const SondeType *logits = &sonde_trainer_get_logits (job->trainer)->type;
  const char *loss = job->recipe->train_loss;
  gboolean of_classes = g_str_has_prefix (loss, "cross-entropy") || g_str_has_prefix (loss, "nll");

  if (!of_classes || strstr (loss, "ignore") != NULL || logits->rank != 2
      || logits->dims[1].size < 0)
    return TRUE;
  return sonde_dataset_check_labels (job->dataset, logits->dims[1].size, job->recipe->data_source,
                                     error);
}

gboolean
sonde_training_job_check_data (SondeTrainingJob *job, GError **error)
{
  return sonde_training_job_check_samples (job, error) && check_labels (job, error);
}
