/* SPDX-License-Identifier: Apache-2.0
 * Orders and sparseness of maps. Similarity: sonde-map-similarity.c. */
#include "explain/metrics/sonde-map-order.h"

#include <math.h>
#include <stdlib.h>

#include "data/base/sonde-random.h"

/* One pixel to sort; @tie orders equal values. */
typedef struct
{
  double value;
  guint64 tie;
  guint index;
} Pixel;

static int
compare (const void *a, const void *b)
{
  const Pixel *one = a, *other = b;

  if (one->value != other->value)
    return one->value > other->value ? -1 : 1;
  if (one->tie != other->tie)
    return one->tie < other->tie ? -1 : 1;
  return one->index < other->index ? -1 : one->index > other->index;
}

static guint *
sort (Pixel *pixels, guint n)
{
  guint *order = g_new (guint, MAX (n, 1));

  qsort (pixels, n, sizeof *pixels, compare);
  for (guint i = 0; i < n; i++)
    order[i] = pixels[i].index;
  return order;
}

static Pixel *
read_pixels (const SondeTensor *map)
{
  guint n = (guint) sonde_tensor_n_elements (map);
  g_autofree Pixel *pixels = g_new (Pixel, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      pixels[i] = (Pixel){ sonde_tensor_get_double (map, i), 0, i };
      if (!isfinite (pixels[i].value))
        return NULL;
    }
  return g_steal_pointer (&pixels);
}

guint *
sonde_map_order (const SondeTensor *map)
{
  g_autofree Pixel *pixels = read_pixels (map);

  return pixels != NULL ? sort (pixels, (guint) sonde_tensor_n_elements (map)) : NULL;
}

guint *
sonde_map_order_random_ties (const SondeTensor *map, guint64 seed)
{
  g_autofree Pixel *pixels = read_pixels (map);
  guint n = (guint) sonde_tensor_n_elements (map);

  for (guint i = 0; pixels != NULL && i < n; i++)
    pixels[i].tie = sonde_random_bits (seed, sonde_random_stream ("ties"), i);
  return pixels != NULL ? sort (pixels, n) : NULL;
}

guint *
sonde_map_order_random (guint n, guint64 seed)
{
  g_autofree Pixel *pixels = g_new (Pixel, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    pixels[i] = (Pixel){ 0.0, sonde_random_bits (seed, sonde_random_stream ("order"), i), i };
  return sort (pixels, n);
}

double
sonde_map_tied_share (const SondeTensor *map)
{
  g_autofree Pixel *pixels = read_pixels (map);
  guint n = (guint) sonde_tensor_n_elements (map), distinct = n > 0;

  if (pixels == NULL || n == 0)
    return NAN;
  g_free (sort (pixels, n));
  for (guint i = 1; i < n; i++)
    distinct += pixels[i].value != pixels[i - 1].value;
  return 1.0 - (double) distinct / n;
}

/* Magnitudes, and their sum; NULL when there is nothing to share out. */
static Pixel *
read_magnitudes (const SondeTensor *map, double *sum)
{
  g_autofree Pixel *pixels = read_pixels (map);
  guint n = (guint) sonde_tensor_n_elements (map);

  *sum = 0.0;
  for (guint i = 0; pixels != NULL && i < n; i++)
    *sum += pixels[i].value = fabs (pixels[i].value);
  return *sum > 0 ? g_steal_pointer (&pixels) : NULL;
}

double
sonde_map_gini (const SondeTensor *map)
{
  guint n = (guint) sonde_tensor_n_elements (map);
  double all, sum = 0.0;
  g_autofree Pixel *pixels = read_magnitudes (map, &all);

  if (pixels == NULL)
    return NAN;
  g_free (sort (pixels, n)); /* descending: the i-th from the end has rank i */
  for (guint i = 0; i < n; i++)
    sum += (n - 1.0 - 2.0 * i) * pixels[i].value;
  return sum / (n * all);
}

double
sonde_map_entropy (const SondeTensor *map)
{
  guint n = (guint) sonde_tensor_n_elements (map);
  double all, sum = 0.0;
  g_autofree Pixel *pixels = read_magnitudes (map, &all);

  if (pixels == NULL)
    return NAN;
  for (guint i = 0; i < n; i++)
    sum -= pixels[i].value / all * log (pixels[i].value / all + 1e-12);
  return sum;
}

double
sonde_map_effective_complexity (const SondeTensor *map)
{
  guint n = (guint) sonde_tensor_n_elements (map), count = 0;
  double all;
  g_autofree Pixel *pixels = read_magnitudes (map, &all);

  if (pixels == NULL)
    return NAN;
  for (guint i = 0; i < n; i++)
    count += pixels[i].value / all > 1e-5;
  return count;
}
