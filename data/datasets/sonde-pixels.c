/* SPDX-License-Identifier: Apache-2.0
 * Bytes to normalised numbers, and images to one size. */
#include "data/datasets/sonde-pixels.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/datasets/sonde-dataset-request.h"

gboolean
sonde_pixel_table_init (SondePixelTable *table, SondeDataset *dataset,
                        const SondeDatasetRequest *request, const float *mean, const float *std,
                        GError **error)
{
  if (request->n_normalise > 1 && request->n_normalise != dataset->channels)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "the transform normalise has numbers for %d channels, the samples have %d",
                       request->n_normalise, dataset->channels);
      return FALSE;
    }
  for (int c = 0; c < dataset->channels; c++)
    {
      int channel = request->options->bgr && dataset->channels == 3 ? 2 - c : c;
      int from = request->n_normalise > 1 ? channel : 0;

      table->order[c] = channel;
      dataset->mean[c] = request->n_normalise > 0 ? request->mean[from] : mean[channel];
      dataset->std[c] = request->n_normalise > 0 ? request->std[from] : std[channel];
      for (int byte = 0; byte < 256; byte++)
        table->numbers[c][byte] = ((float) byte / 255.0f - dataset->mean[c]) / dataset->std[c];
    }
  return TRUE;
}

void
sonde_pixel_table_apply (const SondePixelTable *table, const guint8 *pixels, gsize n, int channels,
                         float *into)
{
  for (int c = 0; c < channels; c++)
    {
      const float *numbers = table->numbers[c];
      const guint8 *from = pixels + table->order[c];

      for (gsize i = 0; i < n; i++, from += channels)
        *into++ = numbers[*from];
    }
}

/* Which pixels along one side make a new one: a triangle as wide as a new pixel, at least as an old
 * one, around its middle (linear interpolation when growing, averages when shrinking). */
typedef struct
{
  double middle, radius;
  int first, last;
} Support;

static Support
support_of (int index, double scale, double offset, int n)
{
  Support support = { .middle = (index + 0.5) * scale + offset - 0.5, .radius = MAX (scale, 1) };

  support.first = MAX ((int) ceil (support.middle - support.radius), 0);
  support.last = MIN ((int) floor (support.middle + support.radius), n - 1);
  return support;
}

static double
weight_of (const Support *support, int index)
{
  return MAX (1 - fabs (index - support->middle) / support->radius, 0);
}

static void
resample_row (const double *from, int n, int channels, double scale, double offset, int size,
              double *to)
{
  for (int x = 0; x < size; x++, to += channels)
    {
      Support support = support_of (x, scale, offset, n);
      double total = 0;

      memset (to, 0, (gsize) channels * sizeof *to);
      for (int i = support.first; i <= support.last; i++)
        {
          double weight = weight_of (&support, i);

          total += weight;
          for (int c = 0; c < channels; c++)
            to[c] += weight * from[i * channels + c];
        }
      for (int c = 0; c < channels; c++)
        to[c] /= total;
    }
}

static void
collect_row (const SondeImage *image, const Support *support, double *row)
{
  int n = image->width * image->channels;
  double total = 0;

  memset (row, 0, (gsize) n * sizeof *row);
  for (int y = support->first; y <= support->last; y++)
    {
      const guint8 *pixels = image->pixels + (gsize) y * (gsize) n;
      double weight = weight_of (support, y);

      total += weight;
      for (int i = 0; i < n; i++)
        row[i] += weight * pixels[i];
    }
  for (int i = 0; i < n; i++)
    row[i] /= total;
}

static SondeImage *
scaled (const SondeImage *image, int width, int height)
{
  double scale = MIN ((double) image->width / width, (double) image->height / height);
  double left = (image->width - width * scale) / 2, top = (image->height - height * scale) / 2;
  int n = width * image->channels;
  SondeImage *result = sonde_image_new (width, height, image->channels);
  g_autofree double *row = g_new (double, (gsize) image->width *(gsize) image->channels);
  g_autofree double *out = g_new (double, (gsize) n);

  for (int y = 0; y < height; y++)
    {
      Support support = support_of (y, scale, top, image->height);

      collect_row (image, &support, row);
      resample_row (row, image->width, image->channels, scale, left, width, out);
      for (int i = 0; i < n; i++)
        result->pixels[y * n + i] = (guint8) CLAMP (out[i] + 0.5, 0, 255);
    }
  return result;
}

/* Source: ITU-R BT.601: 0.299 R + 0.587 G + 0.114 B, as 16-bit fractions. */
static guint8
luma (const guint8 *pixel)
{
  return (guint8) ((19595 * pixel[0] + 38470 * pixel[1] + 7471 * pixel[2] + 32768) >> 16);
}

SondeImage *
sonde_image_fitted (const SondeImage *image, int width, int height, int channels)
{
  gboolean same = width == 0 || (image->width == width && image->height == height);
  g_autoptr (SondeImage) fitted = same ? NULL : scaled (image, width, height);
  const SondeImage *from = same ? image : fitted;
  SondeImage *result = sonde_image_new (from->width, from->height, channels);
  gsize n = (gsize) from->width * (gsize) from->height;
  const guint8 *pixel = from->pixels;

  for (gsize i = 0; i < n; i++, pixel += from->channels)
    {
      if (channels == 1)
        result->pixels[i] = from->channels == 1 ? *pixel : luma (pixel);
      else
        for (int c = 0; c < 3; c++)
          result->pixels[3 * i + (gsize) c] = pixel[from->channels == 1 ? 0 : c];
    }
  return result;
}

/* Of another number of channels: the same for all, or the mean of all. */
static void
spread (const float *from, int n, int wanted, float into[4])
{
  float sum = 0;

  for (int c = 0; c < n; c++)
    sum += from[c];
  for (int c = 0; c < wanted; c++)
    into[c] = n == wanted ? from[c] : sum / (float) n;
}

gboolean
sonde_pixel_reader_init (SondePixelReader *reader, SondeDataset *dataset,
                         SondeDatasetRequest *request, const float *mean, const float *std,
                         GError **error)
{
  float means[4], stds[4];
  int longest = MAX (reader->width, reader->height);

  reader->out_width = request->width;
  reader->out_height = request->height;
  reader->out_channels = request->channels != 0 ? request->channels : reader->channels;
  dataset->channels = reader->out_channels;
  dataset->height = request->height != 0 ? request->height : reader->height;
  dataset->width = request->width != 0 ? request->width : reader->width;
  dataset->in_memory = reader->out_width == 0 && reader->out_channels == reader->channels;
  request->takes = SONDE_TAKES_ALL;
  if (!dataset->in_memory && (longest > 16384 || (reader->channels != 1 && reader->channels != 3)))
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
          "images of %d×%d pixels and %d channels cannot be resized or made grey or RGB",
          reader->width, reader->height, reader->channels);
      return FALSE;
    }
  spread (mean, reader->channels, reader->out_channels, means);
  spread (std, reader->channels, reader->out_channels, stds);
  return sonde_pixel_table_init (&reader->table, dataset, request, means, stds, error);
}

static SondeImage *
image_of_bytes (const SondePixelReader *reader, const guint8 *pixels)
{
  SondeImage *image = sonde_image_new (reader->width, reader->height, reader->channels);
  gsize plane = (gsize) reader->width * (gsize) reader->height, n = (gsize) reader->channels;

  if (!reader->planar)
    memcpy (image->pixels, pixels, plane * n);
  else
    for (gsize c = 0; c < n; c++)
      for (gsize i = 0; i < plane; i++)
        image->pixels[i * n + c] = pixels[c * plane + i];
  return image;
}

SondeImage *
sonde_pixel_reader_dup_image (const SondePixelReader *reader, const guint8 *pixels)
{
  g_autoptr (SondeImage) image = image_of_bytes (reader, pixels);

  if (reader->out_width == 0 && reader->out_channels == reader->channels)
    return g_steal_pointer (&image);
  return sonde_image_fitted (image, reader->out_width, reader->out_height, reader->out_channels);
}

void
sonde_pixel_reader_fill (const SondePixelReader *reader, const guint8 *pixels, float *into)
{
  gsize plane = (gsize) reader->width * (gsize) reader->height;

  if (reader->out_width != 0 || reader->out_channels != reader->channels)
    {
      g_autoptr (SondeImage) image = sonde_pixel_reader_dup_image (reader, pixels);

      sonde_pixel_table_apply (&reader->table, image->pixels,
                               (gsize) image->width * (gsize) image->height, image->channels, into);
      return;
    }
  if (!reader->planar)
    {
      sonde_pixel_table_apply (&reader->table, pixels, plane, reader->channels, into);
      return;
    }
  for (int c = 0; c < reader->channels; c++)
    {
      const guint8 *from = pixels + (gsize) reader->table.order[c] * plane;

      for (gsize i = 0; i < plane; i++)
        *into++ = reader->table.numbers[c][from[i]];
    }
}
