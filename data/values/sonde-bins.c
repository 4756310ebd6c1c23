/* SPDX-License-Identifier: Apache-2.0 */
#include "data/values/sonde-bins.h"

#include <math.h>
#include <string.h>


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

double
sonde_bins_quantile (const SondeBins *bins,
                     double           q)
{
  double wanted = q * sonde_bins_total (bins), before = 0, last = NAN;

  for (gsize i = 0; i < bins->n; i++)
    {
      double count = bins->counts[i];

      if (!(count > 0))
        continue;
      last = bins->rights[i];
      if (before + count >= wanted)
        return bins->lefts[i] + (bins->rights[i] - bins->lefts[i]) * ((wanted - before) / count);
      before += count;
    }
  return last;
}
