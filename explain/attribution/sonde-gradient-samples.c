/* SPDX-License-Identifier: Apache-2.0
 * Gradients at many points for each sample, in full batches: the points of several samples share one. */
#include <string.h>

#include "explain/attribution/sonde-gradient.h"

SondeTensor *
sonde_gradient_score (SondeExplainer *explainer,
                      SondeTensor    *inputs,
                      SondeTensor    *seeds,
                      SondeScore      score,
                      GError        **error)
{
  g_autoptr (SondeTensor) logits = sonde_explainer_forward (explainer, inputs, error);
  g_autoptr (SondeTensor) scores = NULL;

  if (logits == NULL)
    return NULL;
  scores = score == SONDE_SCORE_PROBABILITY ? sonde_explainer_softmax (logits) : sonde_tensor_ref (logits);
  return sonde_gradient_take_scores (scores, seeds);
}

double *
sonde_gradient_score_baseline (SondeExplainer *explainer,
                               SondeTensor    *baseline,
                               SondeTensor    *seeds,
                               SondeScore      score,
                               GError        **error)
{
  g_autoptr (SondeTensor) logits = sonde_explainer_forward (explainer, baseline, error);
  g_autoptr (SondeTensor) scores = NULL;
  gint64 n = seeds->shape.dims[0];
  double *bases;

  if (logits == NULL)
    return NULL;
  scores = score == SONDE_SCORE_PROBABILITY ? sonde_explainer_softmax (logits) : sonde_tensor_ref (logits);
  bases = g_new (double, n);
  for (gint64 i = 0; i < n; i++)
    bases[i] = sonde_gradient_combine (scores, scores->shape.dims[0] == 1 ? 0 : i, seeds, i);
  return bases;
}

double *
sonde_gradient_make_gaps (SondeTensor  *maps,
                          SondeTensor  *scores,
                          const double *bases)
{
  gint64 n = maps->shape.dims[0], size = sonde_tensor_n_elements (maps) / n;
  const float *map = (const float *) (const void *) maps->data;
  double *gaps = g_new (double, n);

  for (gint64 i = 0; i < n; i++, map += size)
    {
      double sum = 0.0;

      for (gint64 p = 0; p < size; p++)
        sum += map[p];
      gaps[i] = sum - (sonde_tensor_get_double (scores, i) - bases[i]);
    }
  return gaps;
}

/* One batch of points, by their numbers from @first: point = sample · n_points + s. */
static gboolean
sample_batch (SondeExplainer                *explainer,
              const SondeAttributionRequest *request,
              const SondeGradientSamples    *samples,
              SondeTensor                   *seeds,
              gint64                         first,
              gint64                         rows,
              GError                       **error)
{
  SondeShape shape = request->inputs->shape, seed_shape = seeds->shape;
  gint64 classes = seeds->shape.dims[1];
  gsize size = (gsize) (sonde_tensor_n_elements (request->inputs) / shape.dims[0]);
  const float *x = (const float *) (const void *) request->inputs->data;
  g_autoptr (SondeTensor) points = NULL, seed = NULL, gradients = NULL;
  SondeExplainerBackward how = { .score = samples->score };

  shape.dims[0] = seed_shape.dims[0] = rows;
  points = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  seed = sonde_tensor_new (SONDE_DTYPE_F32, &seed_shape);
  for (gint64 r = 0; r < rows; r++)
    {
      gint64 p = (first + r) / samples->n_points, i = samples->pending != NULL ? samples->pending[p] : p;

      samples->fill (i, (first + r) % samples->n_points, x + (gsize) i * size, (float *) (void *) points->data + (gsize) r * size,
                     size, samples->data);
      memcpy ((float *) (void *) seed->data + r * classes, (const float *) (const void *) seeds->data + i * classes,
              (gsize) classes * sizeof (float));
    }
  gradients = sonde_explainer_backward (explainer, points, seed, &how, NULL, NULL, error);
  for (gint64 r = 0; gradients != NULL && r < rows; r++)
    {
      gint64 p = (first + r) / samples->n_points, i = samples->pending != NULL ? samples->pending[p] : p;

      samples->take (i, (first + r) % samples->n_points, (const float *) (const void *) gradients->data + (gsize) r * size, size,
                     samples->data);
    }
  return gradients != NULL;
}

gboolean
sonde_gradient_sample (SondeExplainer                *explainer,
                       const SondeAttributionRequest *request,
                       const SondeGradientSamples    *samples,
                       GError                       **error)
{
  gint64 n = samples->pending != NULL ? samples->n_pending : request->inputs->shape.dims[0];
  gint64 total = n * samples->n_points, done = 0;
  g_autoptr (SondeTensor) seeds = sonde_gradient_make_seeds (explainer, request, error);

  while (seeds != NULL && done < total)
    {
      gint64 rows = MIN (sonde_explainer_get_batch (explainer, request->inputs, TRUE), total - done);

      if (!sample_batch (explainer, request, samples, seeds, done, rows, error))
        return FALSE;
      done += rows;
      if (request->progress != NULL && !request->progress ((guint) done, (guint) total, request->progress_data, error))
        return FALSE;
    }
  return seeds != NULL;
}
