/* SPDX-License-Identifier: Apache-2.0
 * Reading samples and classifying them. */
#include "explain/sonde-explain-run.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "explain/sonde-probabilities.h"

#define BATCH 64

gboolean
sonde_explain_check_size (SondeExplainer *explainer, SondeDataset *dataset, GError **error)
{
  gint64 channels, height, width;

  if (dataset->dtype != SONDE_DTYPE_F32)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "The samples are %s; only images and numbers can be explained.",
                       sonde_dtype_name (dataset->dtype));
      return FALSE;
    }
  sonde_explainer_get_input_size (explainer, &channels, &height, &width);
  if ((channels < 0 || channels == dataset->channels) && (height < 0 || height == dataset->height)
      && (width < 0 || width == dataset->width))
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "The images are %d×%d×%d, but the model takes %" PRIi64 "×%" PRIi64 "×%" PRIi64
                   " (channels × height × width).",
                   dataset->channels, dataset->height, dataset->width, channels, height, width);
  return FALSE;
}

SondeTensor *
sonde_explain_load (SondeDataset *dataset, const guint *samples, guint n, GError **error)
{
  SondeShape shape
      = sonde_shape_make (4, (int) n, dataset->channels, dataset->height, dataset->width);
  g_autoptr (SondeTensor) inputs
      = sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL, N_ ("batch of images"), error);
  gint64 size = (gint64) dataset->channels * dataset->height * dataset->width;

  if (inputs == NULL)
    return NULL;
  for (guint i = 0; i < n; i++)
    if (!sonde_dataset_fill (dataset, samples[i], (float *) (void *) inputs->data + i * size,
                             error))
      return NULL;
  return g_steal_pointer (&inputs);
}

/* Those of @samples that can be read; the rest the dataset has noted as faults. @read: (out) (array
 * length=n_read) */
static SondeTensor *
load_readable (SondeDataset *dataset, const guint *samples, guint n, guint *read, guint *n_read,
               GError **error)
{
  SondeShape shape
      = sonde_shape_make (4, (int) n, dataset->channels, dataset->height, dataset->width);
  g_autoptr (SondeTensor) inputs
      = sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL, N_ ("batch of images"), error);
  gint64 size = (gint64) dataset->channels * dataset->height * dataset->width;

  for (guint i = 0; inputs != NULL && i < n; i++)
    {
      g_autoptr (GError) reason = NULL;

      if (sonde_dataset_fill (dataset, samples[i], (float *) (void *) inputs->data + *n_read * size,
                              &reason))
        read[(*n_read)++] = samples[i];
      else if (g_error_matches (reason, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID)
               || g_error_matches (reason, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO))
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return NULL;
        }
    }
  if (inputs == NULL || *n_read == n || *n_read == 0)
    return g_steal_pointer (&inputs);
  shape.dims[0] = *n_read;
  return sonde_tensor_view (inputs, &shape, inputs->strides, 0);
}

void
sonde_explain_take_outputs (SondeSampleResult *result, SondeTensor *logits,
                            SondeTensor *probabilities, gint64 row)
{
  gint64 classes = logits->shape.dims[1];

  result->n_classes = (guint) classes;
  result->probabilities = g_new (float, classes);
  result->logits = g_new (float, classes);
  result->predicted = 0;
  for (gint64 c = 0; c < classes; c++)
    {
      result->logits[c] = (float) sonde_tensor_get_double (logits, row * classes + c);
      result->probabilities[c] = (float) sonde_tensor_get_double (probabilities, row * classes + c);
      if (result->logits[c] > result->logits[result->predicted])
        result->predicted = c;
    }
  sonde_sample_result_measure (result);
}

static SondeSampleResult *
make_result (SondeDataset *dataset, guint sample, SondeTensor *logits, SondeTensor *probabilities,
             SondeTensor *features, gint64 row)
{
  g_autofree char *name = sonde_dataset_dup_name (dataset, sample);
  SondeSampleResult *result = sonde_sample_result_new (sample, name);

  result->label = sonde_dataset_get_label (dataset, sample);
  sonde_explain_take_outputs (result, logits, probabilities, row);
  if (features != NULL)
    {
      result->n_features = (guint) features->shape.dims[1];
      result->features
          = g_memdup2 ((float *) (void *) features->data + row * features->shape.dims[1],
                       result->n_features * sizeof (float));
    }
  return result;
}

GPtrArray *
sonde_explain_classify (SondeExplainer *explainer, SondeDataset *dataset, const guint *samples,
                        guint n, SondeExplainProgress progress, gpointer data, GError **error)
{
  g_autoptr (GPtrArray) predictions
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_sample_result_free);

  if (!sonde_explain_check_size (explainer, dataset, error))
    return NULL;
  for (guint done = 0; done < n; done += BATCH)
    {
      guint count = MIN (BATCH, n - done), n_read = 0, read[BATCH];
      g_autoptr (SondeTensor) inputs
          = load_readable (dataset, samples + done, count, read, &n_read, error);
      g_autoptr (SondeTensor) features = NULL, logits = NULL, probabilities = NULL;

      if (inputs == NULL)
        return NULL;
      if (n_read > 0)
        logits = sonde_explainer_forward_features (explainer, inputs, &features, error);
      if (n_read > 0 && logits == NULL)
        return NULL;
      probabilities = n_read > 0 ? sonde_explainer_probabilities (explainer, logits) : NULL;
      for (guint i = 0; i < n_read; i++)
        g_ptr_array_add (predictions,
                         make_result (dataset, read[i], logits, probabilities, features, i));
      if (progress != NULL && !progress (done + count, n, data, error))
        return NULL;
    }
  return g_steal_pointer (&predictions);
}

static char *
dup_class (const SondeDataset *dataset, gint64 c)
{
  return c >= 0 && (guint64) c < dataset->n_classes ? g_strdup (dataset->classes[c]) : NULL;
}

void
sonde_explain_fill_note (const SondeSampleResult *prediction, const SondeDataset *dataset,
                         SondeSampleNote *note)
{
  *note = (SondeSampleNote){
    .sample = g_strdup (prediction->name),
    .label = (int) prediction->label,
    .predicted = (int) prediction->predicted,
    .label_probability = prediction->p_label,
    .predicted_probability = prediction->p_predicted,
    .label_name = dup_class (dataset, prediction->label),
    .predicted_name = dup_class (dataset, prediction->predicted),
  };
}
