/* SPDX-License-Identifier: Apache-2.0
 * EigenCAM: the activation's own main direction. */
#include <math.h>

#include "data/base/sonde-lapack.h"
#include "explain/attribution/sonde-cam-private.h"

/* Channels' means are removed: @x [channels, pixels]. */
static void
centre (const float *a, gint64 channels, gint64 pixels, double *x)
{
  for (gint64 k = 0; k < channels; k++)
    {
      double mean = 0.0;

      for (gint64 p = 0; p < pixels; p++)
        mean += a[k * pixels + p];
      mean /= (double) pixels;
      for (gint64 p = 0; p < pixels; p++)
        x[k * pixels + p] = a[k * pixels + p] - mean;
    }
}

/* The first singular vector of @x [channels, pixels], on the side that has fewer: of its rows'
 * (@by_channel) or columns' products. @square: of the singular value; 0 where not all is finite. */
static gboolean
find_main_direction (const double *x, gint64 channels, gint64 pixels, gboolean by_channel,
                     double *v, double *square, GError **error)
{
  gint64 n = by_channel ? channels : pixels;
  g_autofree double *products = g_new0 (double, n *n), *values = g_new (double, n);
  gboolean finite = TRUE;

  *square = 0.0;
  if (!sonde_lapack_add_products (x, channels, pixels, by_channel, products, error))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    finite = finite && isfinite (products[i * n + i]);
  if (!finite)
    return TRUE;
  if (!sonde_lapack_find_eigenvectors (products, n, 1, values, v, error))
    return FALSE;
  *square = values[0];
  return TRUE;
}

/* A singular vector has no sign of its own: the largest magnitude becomes positive. */
static void
choose_sign (float *map, gint64 pixels)
{
  float largest = -INFINITY, smallest = INFINITY;

  for (gint64 p = 0; p < pixels; p++)
    {
      largest = fmaxf (largest, map[p]);
      smallest = fminf (smallest, map[p]);
    }
  for (gint64 p = 0; fabsf (smallest) > fabsf (largest) && p < pixels; p++)
    map[p] = -map[p];
}

/* Positions projected on the first right singular vector. */
static gboolean
project (const float *a, gint64 channels, gint64 pixels, float *map, GError **error)
{
  gboolean by_channel = channels < pixels;
  g_autofree double *x = g_new (double, channels *pixels),
                    *v = g_new0 (double, MIN (channels, pixels));
  double square;

  centre (a, channels, pixels, x);
  if (!find_main_direction (x, channels, pixels, by_channel, v, &square, error))
    return FALSE;
  for (gint64 p = 0; p < pixels; p++)
    {
      double sum = by_channel || square <= 0.0 ? 0.0 : sqrt (square) * v[p];

      for (gint64 k = 0; by_channel && k < channels; k++)
        sum += x[k * pixels + p] * v[k];
      map[p] = square > 0.0 ? (float) sum : 0.0f;
    }
  choose_sign (map, pixels);
  return TRUE;
}

static gboolean
compute (SondeExplainer *explainer, const SondeAttributionRequest *request,
         SondeAttributionResult *result, GError **error)
{
  g_auto (SondeCam) cam = { NULL };
  gint64 pixels, size;
  g_autofree float *map = NULL;

  if (!sonde_cam_init (&cam, explainer, request, error))
    return FALSE;
  pixels = cam.height * cam.width;
  size = cam.channels * pixels;
  map = g_new (float, pixels);
  for (gint64 from = 0; from < cam.targets.n_images;)
    {
      gint64 n = MIN (cam.batch, cam.targets.n_images - from);
      g_autoptr (SondeTensor) images = sonde_targets_copy_images (&cam.targets, from, n);
      g_autoptr (GPtrArray) state = sonde_explainer_layer_run (cam.layer, images, error);
      g_autoptr (SondeTensor) logits
          = state != NULL ? sonde_explainer_layer_finish (cam.layer, state, error) : NULL;

      if (logits == NULL)
        return FALSE;
      for (gint64 p = 0; p < n; p++)
        {
          SondeShape shape = sonde_shape_make (2, 1, logits->shape.dims[1]);
          g_autoptr (SondeTensor) own
              = sonde_tensor_view (logits, &shape, logits->strides, p * logits->shape.dims[1]);

          if (!project ((const float *) (const void *) ((SondeTensor *) state->pdata[0])->data
                            + p * size,
                        cam.channels, pixels, map, error))
            return FALSE;
          for (gint64 i = cam.targets.begin[from + p]; i < cam.targets.begin[from + p + 1]; i++)
            {
              gint64 row = cam.targets.rows[i];

              sonde_cam_set_scores (&cam, own, &row, 1);
              for (gint64 q = 0; q < pixels; q++)
                cam.low[row * pixels + q] = map[q];
            }
        }
      from += n;
      if (!sonde_cam_tell (&cam, cam.targets.begin[from], error))
        return FALSE;
    }
  sonde_cam_finish (&cam, result);
  return TRUE;
}

static const SondeAttributionParameter parameters[]
    = { SONDE_CAM_PARAMETERS, SONDE_PARAMETER_SCORE ("logit"), { NULL } };

const SondeAttribution sonde_attribution_eigencam = {
  .name = "eigencam",
  .title = "EigenCAM",
  .summary = N_ ("Projection of the layer's activation onto its first principal component; the "
                 "same for every class."),
  .parameters = parameters,
  .compute = compute,
};
