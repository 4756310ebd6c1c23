/* SPDX-License-Identifier: Apache-2.0
 * Statistics out of moments. */
#include "data/values/sonde-statistics.h"

#include "data/values/sonde-moments-private.h"

#include <math.h>

static void
add_f32 (void *moments, const float *data, gsize n)
{
  sonde_moments_add_f32 (moments, data, n);
}

static void
add_f64 (void *moments, const double *data, gsize n)
{
  sonde_moments_add_f64 (moments, data, n);
}

static gint64
n_finite (const SondeStatistics *statistics)
{
  return statistics->count - statistics->nan - statistics->pos_inf - statistics->neg_inf;
}

static void
set_unknown (SondeStatistics *statistics)
{
  statistics->min = statistics->max = NAN;
  statistics->mean = statistics->std = statistics->abs_mean = NAN;
}

static void
finish (const SondeMoments *moments, SondeStatistics *result)
{
  double n, shift, variance;

  *result = (SondeStatistics){
    .count = moments->count,
    .zeros = moments->zeros,
    .negatives = moments->negatives,
    .nan = moments->nan,
    .pos_inf = moments->pos_inf,
    .neg_inf = moments->neg_inf,
  };
  n = (double) n_finite (result);
  if (n == 0)
    {
      set_unknown (result);
      return;
    }

  shift = moments->sum / n;
  variance = moments->sum_squares / n - shift * shift;
  result->min = moments->min;
  result->max = moments->max;
  result->mean = moments->pivot + shift;
  result->std = sqrt (variance > 0 || variance != variance ? variance : 0);
  result->abs_mean = moments->abs_sum / n;
}

void
sonde_statistics_compute (const SondeTensor *tensor, SondeStatistics *result)
{
  SondeMoments moments;

  if (sonde_tensor_is_contiguous (tensor) || tensor->dtype == SONDE_DTYPE_STRING)
    {
      sonde_statistics_compute_data (tensor->dtype, tensor->data,
                                     (gsize) sonde_tensor_n_elements (tensor), result);
      return;
    }
  sonde_moments_init (&moments);
  sonde_blocks_of_tensor (tensor, add_f32, add_f64, &moments);
  finish (&moments, result);
}

void
sonde_statistics_compute_data (SondeDtype dtype, const void *data, gsize n, SondeStatistics *result)
{
  SondeMoments moments;

  sonde_moments_init (&moments);
  if (dtype != SONDE_DTYPE_STRING)
    sonde_blocks_of_data (dtype, data, n, add_f32, add_f64, &moments);
  finish (&moments, result);
  if (dtype == SONDE_DTYPE_STRING)
    {
      result->count = (gint64) n;
      set_unknown (result);
    }
}

/* Source: Chan, Golub, LeVeque 1979, eq. 2.1: M2 = M2a + M2b + δ² na nb / (na + nb). */
void
sonde_statistics_merge (SondeStatistics *into, const SondeStatistics *other)
{
  double n_a = (double) n_finite (into), n_b = (double) n_finite (other);
  double n = n_a + n_b;

  if (n_a == 0 || n_b == 0)
    {
      const SondeStatistics *known = n_b > 0 ? other : into;

      into->min = known->min;
      into->max = known->max;
      into->mean = known->mean;
      into->std = known->std;
      into->abs_mean = known->abs_mean;
    }
  else
    {
      double delta = other->mean - into->mean;
      double squares = into->std * into->std * n_a + other->std * other->std * n_b
                       + delta * delta * n_a * (n_b / n);

      into->min = MIN (into->min, other->min);
      into->max = MAX (into->max, other->max);
      into->mean += delta * (n_b / n);
      into->std = sqrt (squares / n);
      into->abs_mean += (other->abs_mean - into->abs_mean) * (n_b / n);
    }
  into->count += other->count;
  into->zeros += other->zeros;
  into->negatives += other->negatives;
  into->nan += other->nan;
  into->pos_inf += other->pos_inf;
  into->neg_inf += other->neg_inf;
}
