/* SPDX-License-Identifier: Apache-2.0
 * Images made of others: smaller, brighter. */
#include "data/values/sonde-image.h"

#include <math.h>

static guint8
mean_of_box (const SondeImage *image, int x0, int y0, int factor, int channel)
{
  const int x1 = MIN (x0 + factor, image->width), y1 = MIN (y0 + factor, image->height);
  guint64 sum = 0, n = (guint64) (x1 - x0) * (guint64) (y1 - y0);

  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++)
      sum += image->pixels[((gsize) y * (gsize) image->width + (gsize) x) * (gsize) image->channels
                           + (gsize) channel];
  return (guint8) ((sum + n / 2) / n);
}

SondeImage *
sonde_image_new_shrunk (const SondeImage *image, int factor)
{
  SondeImage *small;
  guint8 *to;

  g_return_val_if_fail (factor >= 1, NULL);
  small = sonde_image_new ((image->width + factor - 1) / factor,
                           (image->height + factor - 1) / factor, image->channels);
  to = small->pixels;
  for (int y = 0; y < small->height; y++)
    for (int x = 0; x < small->width; x++)
      for (int c = 0; c < image->channels; c++)
        *to++ = mean_of_box (image, x * factor, y * factor, factor, c);
  return small;
}

static guint8
clamp_byte (double value)
{
  return (guint8) (CLAMP (value, 0, 255) + 0.5);
}

SondeImage *
sonde_image_new_adjusted (const SondeImage *image, double brightness, double contrast)
{
  SondeImage *adjusted = sonde_image_new (image->width, image->height, image->channels);
  const gsize n = (gsize) image->width * (gsize) image->height * (gsize) image->channels;
  guint8 table[256];

  for (int i = 0; i < 256; i++)
    table[i] = clamp_byte ((i - 127.5) * contrast + 127.5 + 255 * brightness);
  for (gsize i = 0; i < n; i++)
    adjusted->pixels[i]
        = image->channels == 4 && i % 4 == 3 ? image->pixels[i] : table[image->pixels[i]];
  return adjusted;
}
