/* SPDX-License-Identifier: Apache-2.0
 * Inputs of the network as images for people, edited images as inputs again, and predictions of
 * one image. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "explain/session/sonde-explain-session-maps.h"
#include "explain/session/sonde-explain-session-predictions.h"
#include "explain/session/sonde-explain-session-work.h"
#include "explain/sonde-probabilities.h"

/* The plane of the network that shows colour @c. */
static int
plane_of (SondeExplainSession *session, const SondeDataset *dataset, int c)
{
  gboolean bgr = g_strcmp0 (sonde_explain_session_get_settings (session)->channels, "bgr") == 0
                 && dataset->channels == 3;

  return bgr ? 2 - c : MIN (c, dataset->channels - 1);
}

static guint8
to_byte (float value, float mean, float std)
{
  float v = (value * std + mean) * 255.0f;

  return isnan (v) ? 0 : (guint8) lrintf (CLAMP (v, 0.0f, 255.0f));
}

static SondeImage *
image_of_numbers (SondeExplainSession *session, const SondeDataset *dataset, const float *numbers)
{
  int channels = dataset->channels >= 3 ? 3 : 1;
  gsize plane = (gsize) dataset->height * dataset->width;
  SondeImage *image = sonde_image_new (dataset->width, dataset->height, channels);

  for (int c = 0; c < channels; c++)
    {
      int p = plane_of (session, dataset, c), k = MIN (p, 3);

      for (gsize i = 0; i < plane; i++)
        image->pixels[i * channels + c]
            = to_byte (numbers[(gsize) p * plane + i], dataset->mean[k], dataset->std[k]);
    }
  return image;
}

SondeImage *
sonde_explain_session_dup_image (SondeExplainSession *session, guint sample, gboolean in_training,
                                 SondeBox *box, GError **error)
{
  SondeDataset *dataset = in_training ? sonde_explain_session_get_training_data (session, error)
                                      : sonde_explain_session_get_dataset (session);
  g_autofree float *numbers = NULL;

  *box = (SondeBox){ 0 };
  if (dataset == NULL)
    return NULL;
  if (sample >= dataset->n)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "There is no sample %u; the data have %u samples, counted from 0.", sample,
                       dataset->n);
      return NULL;
    }
  numbers = g_new (float, (gsize) dataset->channels * dataset->height * dataset->width);
  if (!sonde_dataset_fill (dataset, sample, numbers, error))
    return NULL;
  if (!sonde_dataset_get_truth (dataset, sample, box, NULL))
    *box = (SondeBox){ 0 };
  return image_of_numbers (session, dataset, numbers);
}

/* A colour of an edited image as the colour @c of an image with @channels. */
static guint8
pick_colour (const SondeImage *image, gsize pixel, int c, int channels)
{
  const guint8 *at = image->pixels + pixel * image->channels;

  if (image->channels >= 3 && channels == 1)
    return (guint8) ((299 * at[0] + 587 * at[1] + 114 * at[2] + 500) / 1000);
  return at[image->channels >= 3 ? c : 0];
}

/* Bytes that were not touched keep the sample's own numbers: an image of eight bits is not always
 * what the network sees. */
SondeTensor *
sonde_explain_session_load_image (SondeExplainSession *session, guint sample,
                                  const SondeImage *image, GError **error)
{
  const SondeDataset *dataset = sonde_explain_session_get_dataset (session);
  g_autoptr (SondeTensor) inputs = NULL;
  g_autoptr (SondeImage) own = NULL;
  gsize plane = (gsize) dataset->height * dataset->width;
  float *numbers;

  if (image->width != dataset->width || image->height != dataset->height
      || (dataset->channels != 1 && dataset->channels != 3))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "The edited image is %d×%d, but the model takes %d×%d with %d channels; "
                       "edited images must have 1 or 3 channels.",
                       image->width, image->height, dataset->width, dataset->height,
                       dataset->channels);
      return NULL;
    }
  inputs = sonde_explain_session_load (session, &sample, 1, error);
  if (inputs == NULL)
    return NULL;
  numbers = (float *) (void *) inputs->data;
  own = image_of_numbers (session, dataset, numbers);
  for (int c = 0; c < own->channels; c++)
    {
      int p = plane_of (session, dataset, c);

      for (gsize i = 0; i < plane; i++)
        {
          guint8 v = pick_colour (image, i, c, own->channels);

          if (v != own->pixels[i * own->channels + c])
            numbers[(gsize) p * plane + i]
                = ((float) v / 255.0f - dataset->mean[p]) / dataset->std[p];
        }
    }
  return g_steal_pointer (&inputs);
}

SondeSampleResult *
sonde_explain_session_infer (SondeExplainSession *session, guint sample, const SondeImage *image,
                             GError **error)
{
  SondeExplainer *explainer = sonde_explain_session_get_explainer (session);
  g_autoptr (SondeTensor) inputs
      = image != NULL ? sonde_explain_session_load_image (session, sample, image, error)
                      : sonde_explain_session_load (session, &sample, 1, error);
  g_autoptr (SondeTensor) logits
      = inputs != NULL ? sonde_explainer_forward (explainer, inputs, error) : NULL;
  g_autoptr (SondeTensor) probabilities
      = logits != NULL ? sonde_explainer_probabilities (explainer, logits) : NULL;
  SondeDataset *dataset = sonde_explain_session_get_dataset (session);
  g_autofree char *name = NULL;
  SondeSampleResult *result;

  if (logits == NULL)
    return NULL;
  name = sonde_dataset_dup_name (dataset, sample);
  result = sonde_sample_result_new (sample, name);
  result->label = sonde_dataset_get_label (dataset, sample);
  sonde_explain_take_outputs (result, logits, probabilities, 0);
  return result;
}
