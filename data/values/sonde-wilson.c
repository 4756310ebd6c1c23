/* SPDX-License-Identifier: Apache-2.0
 * Wilson's interval. */
#include "data/values/sonde-wilson.h"

#include <math.h>

void
sonde_wilson_interval (guint k, guint n, double *low, double *high)
{
  const double z = 1.96;
  double p = n > 0 ? (double) k / n : NAN, scale = 1 + z * z / n;
  double centre = (p + z * z / (2.0 * n)) / scale;
  double half = z * sqrt (p * (1 - p) / n + z * z / (4.0 * n * n)) / scale;

  *low = n > 0 ? centre - half : NAN;
  *high = n > 0 ? centre + half : NAN;
}
