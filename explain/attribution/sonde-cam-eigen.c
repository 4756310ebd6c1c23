/* SPDX-License-Identifier: Apache-2.0
 * EigenCAM: the activation's own main direction. */
#include <math.h>

#include "explain/attribution/sonde-cam-private.h"

#define MOST_ROUNDS 20000
#define CLOSE 1e-13 /* change of the unit vector in one round */

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

/* Products of rows (@of_rows) or columns of @x. */
static void
make_gram (const double *x, gint64 rows, gint64 columns, gboolean of_rows, double *gram)
{
  gint64 n = of_rows ? rows : columns;

  for (gint64 i = 0; i < n * n; i++)
    gram[i] = 0.0;
  for (gint64 r = 0; !of_rows && r < rows; r++)
    for (gint64 i = 0; i < n; i++)
      for (gint64 j = 0; j <= i; j++)
        gram[i * n + j] += x[r * n + i] * x[r * n + j];
  for (gint64 i = 0; !of_rows && i < n; i++)
    for (gint64 j = 0; j < i; j++)
      gram[j * n + i] = gram[i * n + j];
  for (gint64 i = 0; of_rows && i < n; i++)
    for (gint64 j = 0; j <= i; j++)
      {
        double sum = 0.0;

        for (gint64 p = 0; p < columns; p++)
          sum += x[i * columns + p] * x[j * columns + p];
        gram[i * n + j] = gram[j * n + i] = sum;
      }
}

static double
normalise (double *v, gint64 n)
{
  double square = 0.0, length;

  for (gint64 i = 0; i < n; i++)
    square += v[i] * v[i];
  length = sqrt (square);
  for (gint64 i = 0; length > 0.0 && i < n; i++)
    v[i] /= length;
  return length;
}

/* The eigenvector of the largest eigenvalue, by power iteration from the column of the largest
 * diagonal. Returns: the eigenvalue */
static double
find_main_direction (const double *gram, gint64 n, double *v)
{
  g_autofree double *next = g_new (double, n);
  gint64 start = 0;
  double value = 0.0;

  for (gint64 i = 1; i < n; i++)
    if (gram[i * n + i] > gram[start * n + start])
      start = i;
  for (gint64 i = 0; i < n; i++)
    v[i] = gram[start * n + i];
  if (normalise (v, n) == 0.0)
    return 0.0;
  for (int round = 0; round < MOST_ROUNDS; round++)
    {
      double change = 0.0;

      for (gint64 i = 0; i < n; i++)
        next[i] = 0.0;
      for (gint64 j = 0; j < n; j++) /* rows for columns: side by side */
        for (gint64 i = 0; i < n; i++)
          next[i] += gram[j * n + i] * v[j];
      value = normalise (next, n);
      for (gint64 i = 0; i < n; i++)
        {
          change = fmax (change, fabs (next[i] - v[i]));
          v[i] = next[i];
        }
      if (change < CLOSE)
        break;
    }
  return value;
}

/* Positions projected on the first right singular vector: through the smaller of the two Gram
 * matrices. */
static void
project (const float *a, gint64 channels, gint64 pixels, float *map)
{
  gboolean by_channel = channels < pixels;
  gint64 n = by_channel ? channels : pixels;
  g_autofree double *x = g_new (double, channels *pixels), *gram = g_new (double, n *n),
                    *v = g_new (double, n);
  double value, largest = -INFINITY, smallest = INFINITY;

  centre (a, channels, pixels, x);
  make_gram (x, channels, pixels, by_channel, gram);
  value = find_main_direction (gram, n, v);
  for (gint64 p = 0; p < pixels; p++)
    {
      double sum = by_channel ? 0.0 : sqrt (value) * v[p];

      for (gint64 k = 0; by_channel && k < channels; k++)
        sum += x[k * pixels + p] * v[k];
      map[p] = value > 0.0 ? (float) sum : 0.0f;
      largest = fmax (largest, map[p]);
      smallest = fmin (smallest, map[p]);
    }
  /* a singular vector has no sign of its own */
  for (gint64 p = 0; fabs (smallest) > fabs (largest) && p < pixels; p++)
    map[p] = -map[p];
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

          project ((const float *) (const void *) ((SondeTensor *) state->pdata[0])->data
                       + p * size,
                   cam.channels, pixels, map);
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
