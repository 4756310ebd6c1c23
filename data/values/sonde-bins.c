/* SPDX-License-Identifier: Apache-2.0 */
#include "data/values/sonde-bins.h"

#include <math.h>

static gsize
room_for (gsize n)
{
  return sizeof (SondeBins) + 3 * n * sizeof (double);
}

static void
point_into_room (SondeBins *bins)
{
  bins->lefts = (double *) (bins + 1);
  bins->rights = bins->lefts + bins->n;
  bins->counts = bins->rights + bins->n;
}

SondeBins *
sonde_bins_new (gsize n)
{
  SondeBins *bins = n <= G_MAXSIZE / 4 / sizeof (double) ? g_try_malloc0 (room_for (n)) : NULL;

  if (bins == NULL)
    return NULL;
  bins->n = n;
  point_into_room (bins);
  bins->count = bins->min = bins->max = bins->sum = bins->sum_squares = NAN;
  return bins;
}

SondeBins *
sonde_bins_copy (const SondeBins *bins)
{
  SondeBins *copy;

  if (bins == NULL)
    return NULL;
  copy = g_memdup2 (bins, room_for (bins->n));
  point_into_room (copy);
  return copy;
}

void
sonde_bins_free (SondeBins *bins)
{
  g_free (bins);
}

gsize
sonde_bins_n_bytes (const SondeBins *bins)
{
  return bins != NULL ? room_for (bins->n) : 0;
}

double
sonde_bins_total (const SondeBins *bins)
{
  double total = 0;

  for (gsize i = 0; i < bins->n; i++)
    total += bins->counts[i];
  return total;
}

static gboolean
put_bin (SondeBins *bins, double left, double right, guint64 count)
{
  if (count == 0)
    return FALSE;
  bins->lefts[bins->n] = left;
  bins->rights[bins->n] = right;
  bins->counts[bins->n++] = (double) count;
  return TRUE;
}

SondeBins *
sonde_bins_from_histogram (const SondeHistogram *histogram)
{
  SondeBins *bins;
  gsize n = histogram->zero > 0;
  double lower, upper;

  for (int i = 0; i < SONDE_HISTOGRAM_N_BINS; i++)
    n += (histogram->negative[i] > 0) + (histogram->positive[i] > 0);
  bins = sonde_bins_new (n);
  bins->n = 0;
  for (int i = SONDE_HISTOGRAM_N_BINS - 1; i >= 0; i--)
    {
      sonde_histogram_bin_edges (i, &lower, &upper);
      put_bin (bins, -upper, -lower, histogram->negative[i]);
    }
  put_bin (bins, 0, 0, histogram->zero);
  for (int i = 0; i < SONDE_HISTOGRAM_N_BINS; i++)
    {
      sonde_histogram_bin_edges (i, &lower, &upper);
      put_bin (bins, lower, upper, histogram->positive[i]);
    }
  bins->count = (double) sonde_histogram_count (histogram);
  bins->min = histogram->min;
  bins->max = histogram->max;
  bins->sum = histogram->sum;
  bins->sum_squares = histogram->sum_squares;
  bins->nan = histogram->nan;
  bins->pos_inf = histogram->pos_inf;
  bins->neg_inf = histogram->neg_inf;
  return bins;
}

gboolean
sonde_bins_get_range (const SondeBins *bins, double *low, double *high)
{
  double least = INFINITY, largest = -INFINITY;

  for (gsize i = 0; i < bins->n; i++)
    if (bins->counts[i] > 0)
      {
        least = fmin (least, bins->lefts[i]);
        largest = fmax (largest, bins->rights[i]);
      }
  *low = isfinite (bins->min) ? bins->min : least;
  *high = isfinite (bins->max) ? bins->max : largest;
  return isfinite (*low) && isfinite (*high) && *low <= *high;
}

double
sonde_bins_mean (const SondeBins *bins)
{
  double total = sonde_bins_total (bins);

  return total > 0 ? bins->sum / total : NAN;
}

double
sonde_bins_std (const SondeBins *bins)
{
  double mean = sonde_bins_mean (bins);

  return sqrt (MAX (bins->sum_squares / sonde_bins_total (bins) - mean * mean, 0));
}

gssize
sonde_bins_find (const SondeBins *bins, double value)
{
  for (gsize i = 0; i < bins->n; i++)
    if ((value >= bins->lefts[i] && value < bins->rights[i])
        || (value == bins->rights[i]
            && (i + 1 == bins->n || bins->lefts[i + 1] > value
                || bins->lefts[i] == bins->rights[i])))
      return (gssize) i;
  return -1;
}

double
sonde_bins_quantile (const SondeBins *bins, double q)
{
  double wanted = q * sonde_bins_total (bins), before = 0, value = NAN, low, high;

  if (!sonde_bins_get_range (bins, &low, &high))
    return NAN;
  for (gsize i = 0; i < bins->n; i++)
    {
      double count = bins->counts[i];

      if (!(count > 0))
        continue;
      value = bins->rights[i];
      if (before + count >= wanted)
        {
          value = bins->lefts[i] + (bins->rights[i] - bins->lefts[i]) * ((wanted - before) / count);
          break;
        }
      before += count;
    }
  return CLAMP (value, low, high);
}
