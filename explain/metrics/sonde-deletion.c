/* SPDX-License-Identifier: Apache-2.0
 * Deletion, insertion, and correlations of maps with what replacing pixels does. */
#include "explain/metrics/sonde-deletion.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-random.h"
#include "data/base/sonde-text.h"
#include "explain/counterfactual/sonde-occlusion-settings.h"
#include "explain/metrics/sonde-map-order.h"

#define ROWS 16 /* images of one call */

/**
 * Stream: images on their way to the score
 * @batch: [ROWS, C, H, W]; @n: how many wait in it
 */
typedef struct
{
  SondeTensor *batch;
  SondeScoreFunction score;
  gpointer data;
  guint n;
  double *out;
} Stream;

static void
stream_clear (Stream *stream)
{
  sonde_tensor_unref (stream->batch);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Stream, stream_clear)

static gboolean
stream_init (Stream *stream, SondeTensor *like, SondeScoreFunction score, gpointer data,
             double *out, GError **error)
{
  SondeShape shape
      = sonde_shape_make (4, ROWS, like->shape.dims[0], like->shape.dims[1], like->shape.dims[2]);

  *stream = (Stream){ .score = score, .data = data, .out = out };
  stream->batch
      = sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL, N_ ("batch of changed images"), error);
  return stream->batch != NULL;
}

static gboolean
stream_flush (Stream *stream, GError **error)
{
  SondeShape shape = stream->batch->shape;
  g_autoptr (SondeTensor) images = NULL;

  if (stream->n == 0)
    return TRUE;
  shape.dims[0] = stream->n;
  images = sonde_tensor_view (stream->batch, &shape, stream->batch->strides, 0);
  if (!stream->score (images, stream->out, stream->data, error))
    return FALSE;
  stream->out += stream->n;
  stream->n = 0;
  return TRUE;
}

/* A copy of @image in the batch, to be changed before the next call. */
static float *
stream_add (Stream *stream, SondeTensor *image, GError **error)
{
  gsize size = sonde_tensor_n_bytes (image);
  guint8 *slot;

  if (stream->n == ROWS && !stream_flush (stream, error))
    return NULL;
  slot = stream->batch->data + stream->n++ * size;
  memcpy (slot, image->data, size);
  return (float *) (void *) slot;
}

/* Pixels order[begin … end) of @to become those of @from, all channels. */
static void
replace (float *to, SondeTensor *from, const guint *order, gint64 begin, gint64 end)
{
  gint64 channels = from->shape.dims[0], pixels = from->shape.dims[1] * from->shape.dims[2];
  const float *values = (const float *) (const void *) from->data;

  for (gint64 c = 0; c < channels; c++)
    for (gint64 i = begin; i < end; i++)
      to[c * pixels + order[i]] = values[c * pixels + order[i]];
}

static gint64
count_pixels (SondeTensor *image)
{
  return image->shape.dims[1] * image->shape.dims[2];
}

gboolean
sonde_deletion_curve (SondeTensor *from, SondeTensor *to, const guint *order, guint steps,
                      SondeScoreFunction score, gpointer data, double *curve, GError **error)
{
  g_auto (Stream) stream = { 0 };
  g_autoptr (SondeTensor) now = sonde_tensor_copy (from);
  gint64 n = count_pixels (from);

  if (!stream_init (&stream, from, score, data, curve, error))
    return FALSE;
  for (guint k = 0; k <= steps; k++)
    {
      if (k > 0)
        replace ((float *) (void *) now->data, to, order, (k - 1) * n / steps, k * n / steps);
      if (stream_add (&stream, now, error) == NULL)
        return FALSE;
    }
  return stream_flush (&stream, error);
}

double
sonde_curve_area (const double *curve, guint steps)
{
  double sum = -0.5 * (curve[0] + curve[steps]);

  for (guint k = 0; k <= steps; k++)
    sum += curve[k];
  return sum / steps;
}

double
sonde_curve_normalised_area (const double *curve, guint steps, gboolean insertion)
{
  double low = insertion ? curve[0] : curve[steps], high = insertion ? curve[steps] : curve[0];

  return fabs (high - low) > 0.05 ? (sonde_curve_area (curve, steps) - low) / (high - low) : NAN;
}

SondeTensor *
sonde_insertion_baseline (SondeTensor *image)
{
  double side = (double) MIN (image->shape.dims[1], image->shape.dims[2]);

  return sonde_occlusion_blur (image, fmax (1.0, 5.0 * side / 224.0));
}

gboolean
sonde_naive_faithfulness (SondeTensor *image, SondeTensor *base, const SondeTensor *map,
                          guint chunks, double share, SondeScoreFunction score, gpointer data,
                          double *value, GError **error)
{
  g_auto (Stream) stream = { 0 };
  g_autofree guint *order = sonde_map_order (map);
  gint64 n = count_pixels (image), size;
  g_autofree double *means = NULL, *scores = NULL;

  *value = NAN;
  chunks = chunks > 0 ? chunks : (guint) sqrt ((double) n);
  size = chunks > 0 ? (gint64) (share * (double) n) / chunks : 0;
  if (order == NULL || size == 0)
    return TRUE;
  means = g_new0 (double, chunks);
  scores = g_new (double, chunks);
  if (!stream_init (&stream, image, score, data, scores, error))
    return FALSE;
  for (guint j = 0; j < chunks; j++)
    {
      float *changed = stream_add (&stream, image, error);

      if (changed == NULL)
        return FALSE;
      replace (changed, base, order, j * size, (j + 1) * size);
      for (gint64 i = j * size; i < (j + 1) * size; i++)
        means[j] += sonde_tensor_get_double (map, order[i]) / (double) size;
    }
  if (!stream_flush (&stream, error))
    return FALSE;
  *value = -sonde_pearson (means, scores, chunks);
  return TRUE;
}

/* @size different pixels of @n for draw @subset. */
static void
draw_subset (guint *pixels, guint n, guint size, guint64 seed, guint subset)
{
  for (guint i = 0; i < n; i++)
    pixels[i] = i;
  for (guint i = 0; i < size; i++)
    {
      double u
          = sonde_random_uniform (seed, sonde_random_stream ("subset"), (guint64) subset * n + i);
      guint other = i + (guint) (u * (n - i)), pixel = pixels[other];

      pixels[other] = pixels[i];
      pixels[i] = pixel;
    }
}

gboolean
sonde_faithfulness_correlation (SondeTensor *image, SondeTensor *base, const SondeTensor *map,
                                guint subsets, guint size, guint64 seed, SondeScoreFunction score,
                                gpointer data, double *value, GError **error)
{
  g_auto (Stream) stream = { 0 };
  guint n = (guint) count_pixels (image);
  g_autofree guint *pixels = g_new (guint, MAX (n, 1));
  g_autofree double *sums = g_new0 (double, subsets + 1), *scores = g_new (double, subsets + 1);
  g_autofree double *differences = g_new (double, subsets + 1);

  *value = NAN;
  size = MIN (size, n);
  if (!stream_init (&stream, image, score, data, scores, error)
      || stream_add (&stream, image, error) == NULL)
    return FALSE;
  for (guint s = 0; s < subsets; s++)
    {
      float *changed = stream_add (&stream, image, error);

      if (changed == NULL)
        return FALSE;
      draw_subset (pixels, n, size, seed, s);
      replace (changed, base, pixels, 0, size);
      for (guint i = 0; i < size; i++)
        sums[s] += sonde_tensor_get_double (map, pixels[i]);
    }
  if (!stream_flush (&stream, error))
    return FALSE;
  for (guint s = 0; s < subsets; s++)
    differences[s] = scores[0] - scores[s + 1];
  *value = sonde_pearson (sums, differences, subsets);
  return TRUE;
}

/* IᵀΦ; of a contribution, I is divided by the image's difference from its base first. */
static double
project (const float *noise, const float *attribution, const float *image, const float *base,
         gint64 n)
{
  double sum = 0.0;

  for (gint64 i = 0; i < n; i++)
    {
      double change = noise[i];

      if (base != NULL)
        change = image[i] != base[i] ? change / ((double) image[i] - base[i]) : 0.0;
      sum += change * attribution[i];
    }
  return sum;
}

static void
summarise (const double *projected, const double *differences, guint n, SondeInfidelity *result)
{
  double pp = 0.0, pd = 0.0;

  *result = (SondeInfidelity){ .beta = 1.0 };
  for (guint i = 0; i < n; i++)
    {
      pp += projected[i] * projected[i];
      pd += projected[i] * differences[i];
    }
  if (pp > 0)
    result->beta = pd / pp;
  for (guint i = 0; i < n; i++)
    {
      double raw = projected[i] - differences[i],
             scaled = result->beta * projected[i] - differences[i];

      result->value += raw * raw / n;
      result->normalised += scaled * scaled / n;
      result->mean_square += differences[i] * differences[i] / n;
    }
  result->fit = result->mean_square > 0 ? 1.0 - result->normalised / result->mean_square : NAN;
}

gboolean
sonde_infidelity (SondeTensor *image, SondeTensor *attribution, SondeTensor *noise,
                  SondeTensor *base, SondeScoreFunction score, gpointer data,
                  SondeInfidelity *result, GError **error)
{
  g_auto (Stream) stream = { 0 };
  gint64 size = sonde_tensor_n_elements (image);
  guint n = (guint) noise->shape.dims[0];
  const float *values = (const float *) (const void *) image->data,
              *from = base != NULL ? (const float *) (const void *) base->data : NULL;
  g_autofree double *projected = g_new (double, n + 1), *scores = g_new (double, n + 1);
  g_autofree double *differences = g_new (double, n + 1);

  if (!stream_init (&stream, image, score, data, scores, error)
      || stream_add (&stream, image, error) == NULL)
    return FALSE;
  for (guint k = 0; k < n; k++)
    {
      const float *change = (const float *) (const void *) noise->data + k * size;
      float *changed = stream_add (&stream, image, error);

      if (changed == NULL)
        return FALSE;
      for (gint64 i = 0; i < size; i++)
        changed[i] -= change[i];
      projected[k]
          = project (change, (const float *) (const void *) attribution->data, values, from, size);
    }
  if (!stream_flush (&stream, error))
    return FALSE;
  for (guint k = 0; k < n; k++)
    differences[k] = scores[0] - scores[k + 1];
  summarise (projected, differences, n, result);
  return TRUE;
}
