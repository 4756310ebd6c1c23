/* SPDX-License-Identifier: Apache-2.0
 * Pointing and mass inside a mask. */
#include "explain/metrics/sonde-localisation.h"

#include <math.h>

int
sonde_localisation_points (const SondeTensor *map, const SondeTensor *mask)
{
  gint64 n = sonde_tensor_n_elements (map), best = -1;
  double largest = 0.0;

  for (gint64 i = 0; i < n; i++)
    {
      double value = fabs (sonde_tensor_get_double (map, i));

      if (isnan (value))
        return -1;
      if (value > largest)
        {
          largest = value;
          best = i;
        }
    }
  return best < 0 ? -1 : sonde_tensor_get_int (mask, best) != 0;
}

/* Index of the largest value, the first of equals; -1 when a value is no number. @constant: all are
 * equal. */
static gint64
find_peak (const SondeTensor *map, gboolean *constant)
{
  gint64 best = 0;
  double least = INFINITY;

  for (gint64 i = 0; i < sonde_tensor_n_elements (map); i++)
    {
      double value = sonde_tensor_get_double (map, i);

      if (!isfinite (value))
        return -1;
      least = fmin (least, value);
      if (value > sonde_tensor_get_double (map, best))
        best = i;
    }
  *constant = sonde_tensor_n_elements (map) == 0 || sonde_tensor_get_double (map, best) == least;
  return best;
}

int
sonde_localisation_points_near (const SondeTensor *map, const SondeTensor *mask, double tolerance)
{
  gint64 width = mask->shape.dims[1], best;
  gboolean constant, object = FALSE;

  best = find_peak (map, &constant);
  if (best < 0)
    return -1;
  for (gint64 i = 0; i < sonde_tensor_n_elements (mask); i++)
    {
      gint64 dy = i / width - best / width, dx = i % width - best % width;

      if (sonde_tensor_get_int (mask, i) == 0)
        continue;
      object = TRUE;
      if (!constant && (double) (dy * dy + dx * dx) < tolerance * tolerance)
        return 1;
    }
  return object ? 0 : -1;
}

double
sonde_localisation_tolerance (gint64 height, gint64 width)
{
  return fmax (1.0, round (15.0 * (double) MIN (height, width) / 224.0));
}

double
sonde_localisation_iosr (const SondeTensor *map, const SondeTensor *mask, double share)
{
  gboolean constant;
  gint64 best = find_peak (map, &constant), region = 0, both = 0;
  double most = best >= 0 ? sonde_tensor_get_double (map, best) : NAN;

  if (!(most > 0))
    return NAN;
  for (gint64 i = 0; i < sonde_tensor_n_elements (map); i++)
    if (sonde_tensor_get_double (map, i) > share * most)
      {
        region++;
        both += sonde_tensor_get_int (mask, i) != 0;
      }
  return region > 0 ? (double) both / (double) region : 0.0;
}

double
sonde_localisation_positive_mass (const SondeTensor *map, const SondeTensor *mask)
{
  double inside = 0.0, all = 0.0;

  for (gint64 i = 0; i < sonde_tensor_n_elements (map); i++)
    {
      double value = sonde_tensor_get_double (map, i);

      if (!isfinite (value))
        return NAN;
      all += fmax (value, 0.0);
      inside += sonde_tensor_get_int (mask, i) != 0 ? fmax (value, 0.0) : 0.0;
    }
  return all > 0 ? inside / all : NAN;
}

gboolean
sonde_localisation_centre_points (const SondeTensor *mask)
{
  gint64 height = mask->shape.dims[0], width = mask->shape.dims[1];

  return height > 0 && width > 0
         && sonde_tensor_get_int (mask, height / 2 * width + width / 2) != 0;
}

double
sonde_localisation_mass (const SondeTensor *map, const SondeTensor *mask)
{
  double inside = 0.0, all = 0.0;

  for (gint64 i = 0; i < sonde_tensor_n_elements (map); i++)
    {
      double value = fabs (sonde_tensor_get_double (map, i));

      all += value;
      inside += sonde_tensor_get_int (mask, i) != 0 ? value : 0.0;
    }
  return all > 0 ? inside / all : NAN;
}
