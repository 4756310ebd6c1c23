/* SPDX-License-Identifier: Apache-2.0
 * Transforms that compute: resize, grey and rgb, normalise. */
#include "data/base/sonde-error.h"
#include "data/datasets/sonde-transform-private.h"

#include <math.h>
#include <string.h>

static gsize
plane_of (const SondeTransformsPlace *place)
{
  return (gsize) place->height * (gsize) place->width;
}

static gboolean
parse_nothing (SondeTransform *transform, const char *argument)
{
  return argument[0] == '\0';
}

/* resize: a triangle as wide as a new pixel, at least as an old one, around its middle, as for the
 * images of a folder (sonde-pixels.c), whose numbers are rounded to bytes in between. */

static gboolean
resize_parse (SondeTransform *transform, const char *argument)
{
  guint64 size;

  if (!g_ascii_string_to_unsigned (argument, 10, 1, SONDE_TRANSFORM_MAX_SIZE, &size, NULL))
    return FALSE;
  transform->size = (int) size;
  return TRUE;
}

static void
weigh (float *weights, int *starts, int n_taps, int size, double scale, double offset, int n)
{
  double radius = MAX (scale, 1);

  for (int i = 0; i < size; i++, weights += n_taps)
    {
      double middle = (i + 0.5) * scale + offset - 0.5, total = 0;
      int first = MAX ((int) ceil (middle - radius), 0),
          last = MIN ((int) floor (middle + radius), n - 1);

      starts[i] = MAX (MIN (first, n - n_taps), 0);
      for (int k = first; k <= last; k++)
        total += MAX (1 - fabs (k - middle) / radius, 0);
      for (int k = first; k <= last; k++)
        weights[k - starts[i]] = (float) (MAX (1 - fabs (k - middle) / radius, 0) / total);
    }
}

static gboolean
resize_plan (SondeTransform *transform, SondeTransformsPlace *place, GError **error)
{
  int size = transform->size;
  double scale = (double) MIN (place->width, place->height) / size;
  int n_taps = MIN ((int) floor (2 * MAX (scale, 1)) + 2, MAX (place->width, place->height));

  transform->n_taps = n_taps;
  transform->weights = g_new0 (float, 2 * (gsize) size * (gsize) n_taps);
  transform->starts = g_new0 (int, 2 * (gsize) size);
  weigh (transform->weights, transform->starts, n_taps, size, scale,
         (place->height - size * scale) / 2, place->height);
  weigh (transform->weights + (gsize) size * (gsize) n_taps, transform->starts + size, n_taps, size,
         scale, (place->width - size * scale) / 2, place->width);
  place->width = place->height = size;
  return TRUE;
}

/* Each new pixel by its rows and columns at once: no room in between is needed, and images that
 * stand behind other transforms are small. */
static void
resize_apply (const SondeTransform *transform, const SondeDraw *draw, const float *from,
              float *into)
{
  int size = transform->size, n_taps = transform->n_taps;
  int width = transform->before.width, height = transform->before.height;
  const float *columns = transform->weights + (gsize) size * (gsize) n_taps;
  const int *lefts = transform->starts + size;

  for (int c = 0; c < transform->before.channels; c++, from += plane_of (&transform->before))
    for (int y = 0; y < size; y++)
      for (int x = 0; x < size; x++)
        {
          const float *row_weights = transform->weights + (gsize) y * (gsize) n_taps;
          const float *column_weights = columns + (gsize) x * (gsize) n_taps;
          int rows = MIN (n_taps, height - transform->starts[y]),
              across = MIN (n_taps, width - lefts[x]);
          double total = 0;

          for (int i = 0; i < rows; i++)
            {
              const float *row
                  = from + (gsize) (transform->starts[y] + i) * (gsize) width + lefts[x];
              double sum = 0;

              for (int k = 0; k < across; k++)
                sum += (double) column_weights[k] * (double) row[k];
              total += (double) row_weights[i] * sum;
            }
          *into++ = (float) total;
        }
}

const SondeTransformClass sonde_transform_resize = {
  "resize", "resize:SIZE", FALSE, resize_parse, resize_plan, resize_apply,
};

/* grey and rgb. Source: ITU-R BT.601. */

static const float luma[] = { 0.299f, 0.587f, 0.114f };

static gboolean
grey_plan (SondeTransform *transform, SondeTransformsPlace *place, GError **error)
{
  float black = 0;

  if (place->channels != 1 && place->channels != 3)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "samples of %d channels cannot be made grey", place->channels);
      return FALSE;
    }
  for (int c = 0; place->channels == 3 && c < 3; c++)
    black += luma[c] * place->black[c];
  for (int c = 1; place->channels == 3 && c < 3; c++)
    {
      place->mean[0] += place->mean[c];
      place->std[0] += place->std[c];
    }
  if (place->channels == 3)
    {
      place->black[0] = black;
      place->mean[0] /= 3;
      place->std[0] /= 3;
    }
  place->channels = 1;
  return TRUE;
}

static void
grey_apply (const SondeTransform *transform, const SondeDraw *draw, const float *from, float *into)
{
  gsize n = plane_of (&transform->before);

  if (transform->before.channels == 1)
    memcpy (into, from, n * sizeof *into);
  else
    for (gsize i = 0; i < n; i++)
      into[i] = luma[0] * from[i] + luma[1] * from[n + i] + luma[2] * from[2 * n + i];
}

const SondeTransformClass sonde_transform_grey
    = { "grey", "grey", FALSE, parse_nothing, grey_plan, grey_apply };

static gboolean
rgb_plan (SondeTransform *transform, SondeTransformsPlace *place, GError **error)
{
  if (place->channels != 1 && place->channels != 3)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "samples of %d channels cannot be made RGB", place->channels);
      return FALSE;
    }
  for (int c = 1; place->channels == 1 && c < 3; c++)
    {
      place->black[c] = place->black[0];
      place->mean[c] = place->mean[0];
      place->std[c] = place->std[0];
    }
  place->channels = 3;
  return TRUE;
}

static void
rgb_apply (const SondeTransform *transform, const SondeDraw *draw, const float *from, float *into)
{
  gsize n = plane_of (&transform->before);

  for (gsize c = 0; c < 3; c++)
    memcpy (into + c * n, transform->before.channels == 3 ? from + c * n : from, n * sizeof *into);
}

const SondeTransformClass sonde_transform_rgb
    = { "rgb", "rgb", FALSE, parse_nothing, rgb_plan, rgb_apply };

/* normalise */

/* "0.1, 0.2" into at most 4 numbers; 0 when it is none. */
static int
parse_numbers (const char *text, float numbers[4])
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  int n = 0;

  for (; parts[n] != NULL; n++)
    {
      char *end;
      double number = g_ascii_strtod (g_strstrip (parts[n]), &end);

      if (n == 4 || end == parts[n] || *end != '\0' || !isfinite (number))
        return 0;
      numbers[n] = (float) number;
    }
  return n;
}

static gboolean
normalise_parse (SondeTransform *transform, const char *argument)
{
  g_auto (GStrv) parts = g_strsplit (argument, ":", -1);
  gboolean positive = TRUE;

  if (g_strv_length (parts) != 2)
    return FALSE;
  transform->n_numbers = parse_numbers (parts[0], transform->mean);
  if (transform->n_numbers == 0 || parse_numbers (parts[1], transform->std) != transform->n_numbers)
    return FALSE;
  for (int i = 0; i < transform->n_numbers; i++)
    positive = positive && transform->std[i] > 0;
  return positive;
}

static gboolean
normalise_plan (SondeTransform *transform, SondeTransformsPlace *place, GError **error)
{
  if (transform->n_numbers > 1 && transform->n_numbers != place->channels)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "it has numbers for %d channels, the samples have %d", transform->n_numbers,
                       place->channels);
      return FALSE;
    }
  for (int c = 0; c < MIN (place->channels, 4); c++)
    {
      int k = transform->n_numbers > 1 ? c : 0;

      place->mean[c] += place->std[c] * transform->mean[k];
      place->std[c] *= transform->std[k];
      place->black[c] = 0;
    }
  return TRUE;
}

static void
normalise_apply (const SondeTransform *transform, const SondeDraw *draw, const float *from,
                 float *into)
{
  gsize n = plane_of (&transform->before);

  for (int c = 0; c < transform->before.channels; c++)
    {
      int k = transform->n_numbers > 1 ? c : 0;
      float mean = transform->mean[k], std = transform->std[k];

      for (gsize i = 0; i < n; i++)
        into[i] = (from[i] - mean) / std;
      from += n;
      into += n;
    }
}

const SondeTransformClass sonde_transform_normalise = {
  "normalise",    "normalise:MEAN[,MEAN…]:DEVIATION[,DEVIATION…]",
  FALSE,          normalise_parse,
  normalise_plan, normalise_apply,
};
