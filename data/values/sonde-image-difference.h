/* SPDX-License-Identifier: Apache-2.0
 * What two images have apart from each other, pixel by pixel. */
#pragma once

#include "data/values/sonde-image.h"

G_BEGIN_DECLS

/**
 * SondeImageDifference: over all channels of all pixels, in levels of 0…255
 * @mean_absolute: of |a − b|
 * @largest: of |a − b|
 * @psnr: 10 log10 (255² / mean of (a − b)²) dB; INFINITY when they are equal
 * @n_different: pixels that differ in any channel
 */
typedef struct
{
  double mean_absolute, psnr;
  int largest;
  gint64 n_pixels, n_different;
} SondeImageDifference;

/**
 * sonde_image_compare:
 *
 * Grey counts as a colour of three equal channels, an image without alpha as opaque; alpha counts where one of
 * them has it. FALSE: they are not of one size, and @difference is zeroed.
 */
gboolean sonde_image_compare (const SondeImage *a, const SondeImage *b,
                              SondeImageDifference *difference);

/* [H, W] float32: the mean over the channels of a − b, or of |a − b|; in levels. Returns: (transfer full)
 * (nullable): NULL when they are not of one size */
SondeTensor *sonde_image_difference_map (const SondeImage *a, const SondeImage *b,
                                         gboolean absolute);

/* Channel @channel (0…3: red, green, blue, alpha) of pixel @i, whatever the image has. */
static inline int
sonde_image_get_level (const SondeImage *image, gint64 i, int channel)
{
  const guint8 *pixel = image->pixels + i * image->channels;

  if (channel == 3)
    return image->channels == 4 ? pixel[3] : 255;
  return pixel[image->channels >= 3 ? channel : 0];
}

/* Channels that a comparison of both looks at: 1, 3 or 4. */
int sonde_image_count_levels (const SondeImage *a, const SondeImage *b);

G_END_DECLS
