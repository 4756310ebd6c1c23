/* SPDX-License-Identifier: Apache-2.0
 * Pointing and mass inside a mask. */
#include "explain/metrics/sonde-localisation.h"

#include <math.h>

int
sonde_localisation_points (const SondeTensor *map,
                           const SondeTensor *mask)
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

gboolean
sonde_localisation_centre_points (const SondeTensor *mask)
{
  gint64 height = mask->shape.dims[0], width = mask->shape.dims[1];

  return height > 0 && width > 0 && sonde_tensor_get_int (mask, height / 2 * width + width / 2) != 0;
}

double
sonde_localisation_mass (const SondeTensor *map,
                         const SondeTensor *mask)
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
