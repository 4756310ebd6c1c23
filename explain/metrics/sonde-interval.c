/* SPDX-License-Identifier: Apache-2.0
 * Wilson and bootstrap. */
#include "explain/metrics/sonde-interval.h"

#include <math.h>
#include <stdlib.h>

#include "data/base/sonde-random.h"
#include "data/values/sonde-wilson.h"

#define RESAMPLES 1000

SondeInterval
sonde_interval_of_rate (guint hits, guint n)
{
  SondeInterval interval = { n > 0 ? (double) hits / n : NAN, NAN, NAN };

  sonde_wilson_interval (hits, n, &interval.low, &interval.high);
  return interval;
}

static int
compare (const void *a, const void *b)
{
  double one = *(const double *) a, other = *(const double *) b;

  return one < other ? -1 : one > other;
}

SondeInterval
sonde_interval_bootstrap (const double *values, gsize n, guint64 seed, gsize *n_valid)
{
  g_autofree double *valid = g_new (double, MAX (n, 1)), *means = g_new0 (double, RESAMPLES);
  gsize count = 0;
  double mean = 0.0;

  for (gsize i = 0; i < n; i++)
    if (isfinite (values[i]))
      valid[count++] = values[i];
  if (n_valid != NULL)
    *n_valid = count;
  if (count == 0)
    return (SondeInterval){ NAN, NAN, NAN };
  for (gsize i = 0; i < count; i++)
    mean += valid[i] / (double) count;
  for (gsize r = 0; r < RESAMPLES; r++)
    for (gsize i = 0; i < count; i++)
      {
        double u = sonde_random_uniform (seed, sonde_random_stream ("bootstrap"), r * count + i);

        means[r] += valid[(gsize) (u * (double) count)] / (double) count;
      }
  qsort (means, RESAMPLES, sizeof *means, compare);
  return (SondeInterval){ mean, means[RESAMPLES / 40 - 1], means[RESAMPLES - RESAMPLES / 40] };
}
