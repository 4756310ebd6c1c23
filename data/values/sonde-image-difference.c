/* SPDX-License-Identifier: Apache-2.0 */
#include "data/values/sonde-image-difference.h"

#include <math.h>
#include <stdlib.h>

static gboolean
are_of_one_size (const SondeImage *a, const SondeImage *b)
{
  return a->width == b->width && a->height == b->height;
}

int
sonde_image_count_levels (const SondeImage *a, const SondeImage *b)
{
  return MAX (a->channels, b->channels);
}

gboolean
sonde_image_compare (const SondeImage *a, const SondeImage *b, SondeImageDifference *difference)
{
  const int n_levels = sonde_image_count_levels (a, b);
  const gint64 n = (gint64) a->width * a->height;
  guint64 sum = 0, squares = 0; /* 2^28 pixels of 4 channels of 255² are below 2^46 */

  *difference = (SondeImageDifference){ 0 };
  if (!are_of_one_size (a, b))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    {
      int largest = 0;

      for (int c = 0; c < n_levels; c++)
        {
          int apart = abs (sonde_image_get_level (a, i, c) - sonde_image_get_level (b, i, c));

          sum += (guint64) apart;
          squares += (guint64) (apart * apart);
          largest = MAX (largest, apart);
        }
      difference->largest = MAX (difference->largest, largest);
      difference->n_different += largest > 0 ? 1 : 0;
    }
  difference->n_pixels = n;
  difference->mean_absolute = (double) sum / ((double) n * n_levels);
  difference->psnr = squares == 0
                         ? (double) INFINITY
                         : 10 * log10 (255.0 * 255.0 * (double) n * n_levels / (double) squares);
  return TRUE;
}

SondeTensor *
sonde_image_difference_map (const SondeImage *a, const SondeImage *b, gboolean absolute)
{
  const SondeShape shape = sonde_shape_make (2, a->height, a->width);
  const int n_levels = sonde_image_count_levels (a, b);
  SondeTensor *map;
  float *to;

  if (!are_of_one_size (a, b))
    return NULL;
  map = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  to = (float *) (void *) map->data;
  for (gint64 i = 0; i < (gint64) a->width * a->height; i++)
    {
      int sum = 0;

      for (int c = 0; c < n_levels; c++)
        {
          int apart = sonde_image_get_level (a, i, c) - sonde_image_get_level (b, i, c);

          sum += absolute ? abs (apart) : apart;
        }
      to[i] = (float) sum / (float) n_levels;
    }
  return map;
}
