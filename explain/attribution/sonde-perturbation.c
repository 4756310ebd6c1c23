/* SPDX-License-Identifier: Apache-2.0
 * Changed copies in batches. */
#include "explain/attribution/sonde-perturbation.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-text.h"
#include "explain/sonde-probabilities.h"

void
sonde_perturbation_init (SondePerturbation *perturbation, SondeExplainer *explainer,
                         const SondeAttributionRequest *request, const SondeTargets *targets)
{
  perturbation->explainer = explainer;
  perturbation->request = request;
  perturbation->targets = targets;
  perturbation->score = sonde_attribution_spec_get_score (request->spec);
  perturbation->n = targets->n_images;
  perturbation->batch = sonde_explainer_get_batch (explainer, targets->inputs, FALSE);
}

/* Scores of one row of logits. */
static void
score_row (SondeExplainer *explainer, const float *logits, gint64 classes, SondeScore score,
           double *scores)
{
  if (score == SONDE_SCORE_PROBABILITY)
    sonde_probabilities_of_row (sonde_explainer_get_link (explainer), logits, classes, scores);
  for (gint64 c = 0; score == SONDE_SCORE_LOGIT && c < classes; c++)
    scores[c] = logits[c];
}

static double
largest_of (const float *values, gint64 n)
{
  double largest = -INFINITY;

  for (gint64 i = 0; i < n; i++)
    largest = fmax (largest, values[i]);
  return largest;
}

/* @n rows from @at on, counted over all images. */
static gboolean
run_batch (SondePerturbation *perturbation, SondeTensor *batch, gint64 at, GError **error)
{
  gint64 n = batch->shape.dims[0], size = sonde_tensor_n_elements (batch) / n, classes;
  g_autoptr (SondeTensor) logits = NULL, beside = NULL;
  g_autofree double *scores = NULL;

  for (gint64 slot = 0; slot < n; slot++)
    perturbation->fill (perturbation->data, perturbation->first + (at + slot) / perturbation->rows,
                        (at + slot) % perturbation->rows, slot,
                        (float *) (void *) batch->data + slot * size);
  logits = sonde_explainer_forward (perturbation->explainer, batch, error);
  if (logits == NULL)
    return FALSE;
  if (perturbation->companion != NULL)
    {
      beside = sonde_explainer_forward (perturbation->companion, batch, error);
      if (beside == NULL)
        return FALSE;
    }
  classes = logits->shape.dims[1];
  scores = g_new (double, classes);
  for (gint64 slot = 0; slot < n; slot++)
    {
      gint64 image = perturbation->first + (at + slot) / perturbation->rows,
             row = (at + slot) % perturbation->rows;
      gint64 others = beside != NULL ? beside->shape.dims[1] : 0;

      score_row (perturbation->explainer,
                 (const float *) (const void *) logits->data + slot * classes, classes,
                 perturbation->score, scores);
      perturbation->take (perturbation->data, image, row, slot, scores,
                          beside != NULL ? largest_of (
                              (const float *) (const void *) beside->data + slot * others, others)
                                         : 0.0);
      if (row == perturbation->rows - 1 && perturbation->finish != NULL)
        perturbation->finish (perturbation->data, image);
    }
  return TRUE;
}

gboolean
sonde_perturbation_run (SondePerturbation *perturbation, GError **error)
{
  const SondeTargets *targets = perturbation->targets;
  const SondeAttributionRequest *request = perturbation->request;
  gint64 total = perturbation->n * perturbation->rows,
         rows = MAX (MIN (perturbation->batch, total), 1);
  SondeShape shape = sonde_shape_make (4, rows, targets->channels, targets->height, targets->width);
  g_autoptr (SondeTensor) buffer = sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL,
                                                         N_ ("changed copies of images"), error);

  if (buffer == NULL)
    return FALSE;
  for (gint64 at = 0; at < total; at += rows)
    {
      g_autoptr (SondeTensor) batch = NULL;

      shape.dims[0] = MIN (rows, total - at);
      batch = sonde_tensor_view (buffer, &shape, buffer->strides, 0);
      if (!run_batch (perturbation, batch, at, error))
        return FALSE;
      if (request->progress != NULL
          && !request->progress (
              (guint) (perturbation->first * perturbation->rows + MIN (at + rows, total)),
              (guint) (targets->n_images * perturbation->rows), request->progress_data, error))
        return FALSE;
    }
  /* less memory than thought */
  perturbation->batch = sonde_explainer_get_batch (perturbation->explainer, targets->inputs, FALSE);
  return TRUE;
}

double *
sonde_perturbation_score_image (SondeExplainer *explainer, SondeTensor *image, SondeScore score,
                                GError **error)
{
  g_autoptr (SondeTensor) logits = sonde_explainer_forward (explainer, image, error);
  double *scores;

  if (logits == NULL)
    return NULL;
  scores = g_new (double, logits->shape.dims[1]);
  score_row (explainer, (const float *) (const void *) logits->data, logits->shape.dims[1], score,
             scores);
  return scores;
}

gboolean
sonde_perturbation_make_baseline (const SondeAttributionSpec *spec, const SondeTargets *targets,
                                  gint64 image, float *into, GError **error)
{
  g_autoptr (SondeTensor) own = sonde_targets_copy_images (targets, image, 1);
  g_autoptr (SondeTensor) baseline = sonde_attribution_spec_make_baseline (spec, own, error);

  if (baseline == NULL)
    return FALSE;
  memcpy (into, baseline->data, sonde_tensor_n_bytes (own));
  return TRUE;
}
