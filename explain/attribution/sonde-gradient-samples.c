/* SPDX-License-Identifier: Apache-2.0
 * Gradients at many points for each sample, in full batches: the points of several samples share
 * one. */
#include <string.h>

#include "explain/attribution/sonde-gradient.h"

double *
sonde_gradient_make_gaps (SondeTensor *maps, SondeTensor *scores, const double *bases)
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
sample_batch (SondeGradientPlace *place, const SondeGradientSamples *samples, SondeTensor *seeds,
              gint64 first, gint64 rows, GError **error)
{
  const SondeAttributionRequest *request = &place->request;
  SondeShape shape = request->inputs->shape, seed_shape = seeds->shape;
  gint64 classes = seeds->shape.dims[1];
  gsize size = (gsize) (sonde_tensor_n_elements (request->inputs) / shape.dims[0]);
  const float *x = (const float *) (const void *) request->inputs->data;
  g_autoptr (SondeTensor) points = NULL, seed = NULL, gradients = NULL;
  g_autofree gint64 *numbers = g_new (gint64, rows);

  shape.dims[0] = seed_shape.dims[0] = rows;
  points = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  seed = sonde_tensor_new (SONDE_DTYPE_F32, &seed_shape);
  for (gint64 r = 0; r < rows; r++)
    {
      gint64 p = (first + r) / samples->n_points,
             i = samples->pending != NULL ? samples->pending[p] : p;

      numbers[r] = i;
      samples->fill (i, (first + r) % samples->n_points, x + (gsize) i * size,
                     (float *) (void *) points->data + (gsize) r * size, size, samples->data);
      memcpy ((float *) (void *) seed->data + r * classes,
              (const float *) (const void *) seeds->data + i * classes,
              (gsize) classes * sizeof (float));
    }
  gradients = sonde_gradient_place_backward (place, numbers, points, seed, samples->score, error);
  for (gint64 r = 0; gradients != NULL && r < rows; r++)
    samples->take (numbers[r], (first + r) % samples->n_points,
                   (const float *) (const void *) gradients->data + (gsize) r * size, size,
                   samples->data);
  return gradients != NULL;
}

gboolean
sonde_gradient_sample (SondeGradientPlace *place, SondeTensor *seeds,
                       const SondeGradientSamples *samples, GError **error)
{
  const SondeAttributionRequest *request = &place->request;
  gint64 n = samples->pending != NULL ? samples->n_pending : request->inputs->shape.dims[0];
  gint64 total = n * samples->n_points, done = 0;

  while (done < total)
    {
      gint64 rows = MIN (sonde_gradient_place_get_batch (place), total - done);

      if (!sample_batch (place, samples, seeds, done, rows, error))
        return FALSE;
      done += rows;
      if (request->progress != NULL
          && !request->progress ((guint) done, (guint) total, request->progress_data, error))
        return FALSE;
    }
  return TRUE;
}
