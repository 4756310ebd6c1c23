/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/sonde-density.h"

#include <math.h>

typedef struct
{
  GArray *bins;
  SondeDensityBin current;
  gboolean open;
  double min_width, total;
} Joiner;

static void
flush (Joiner *joiner)
{
  if (joiner->open)
    g_array_append_val (joiner->bins, joiner->current);
  joiner->open = FALSE;
}

static void
add (Joiner *joiner,
     double  lower,
     double  upper,
     guint64 count)
{
  if (!joiner->open)
    {
      joiner->current = (SondeDensityBin) { lower, upper, 0 };
      joiner->open = TRUE;
    }
  joiner->current.upper = upper;
  joiner->current.share += (double) count / joiner->total;
  if (joiner->current.upper - joiner->current.lower >= joiner->min_width)
    flush (joiner);
}

/* Bins of one sign that lie within the values that occurred. */
static void
find_used (const guint64 *counts,
           int           *first,
           int           *last)
{
  *first = SONDE_HISTOGRAM_N_BINS;
  *last = -1;
  for (int i = 0; i < SONDE_HISTOGRAM_N_BINS; i++)
    if (counts[i] > 0)
      {
        *first = MIN (*first, i);
        *last = i;
      }
}

GArray *
sonde_density_bins (const SondeHistogram *histogram,
                    double                min_width)
{
  Joiner joiner = { .bins = g_array_new (FALSE, FALSE, sizeof (SondeDensityBin)), .min_width = min_width };
  int first_negative, last_negative, first_positive, last_positive;
  double lower, upper, unused;

  joiner.total = (double) histogram->zero;
  for (int i = 0; i < SONDE_HISTOGRAM_N_BINS; i++)
    joiner.total += (double) histogram->negative[i] + (double) histogram->positive[i];
  if (joiner.total == 0)
    return joiner.bins;
  find_used (histogram->negative, &first_negative, &last_negative);
  find_used (histogram->positive, &first_positive, &last_positive);

  /* Towards zero all bins are passed, so that there is no gap in the middle. */
  for (int i = last_negative; i >= (last_positive >= 0 || histogram->zero > 0 ? 0 : first_negative); i--)
    {
      sonde_histogram_bin_edges (i, &lower, &upper);
      add (&joiner, -upper, -lower, histogram->negative[i]);
    }
  if (histogram->zero > 0 || (last_negative >= 0 && last_positive >= 0))
    {
      sonde_histogram_bin_edges (0, &lower, &unused);
      add (&joiner, last_negative >= 0 ? -lower : 0, last_positive >= 0 ? lower : 0, histogram->zero);
    }
  for (int i = last_negative >= 0 || histogram->zero > 0 ? 0 : first_positive; i <= last_positive; i++)
    {
      sonde_histogram_bin_edges (i, &lower, &upper);
      add (&joiner, lower, upper, histogram->positive[i]);
    }
  /* A rest that is too narrow belongs to its neighbour. */
  if (joiner.open && joiner.bins->len > 0)
    {
      SondeDensityBin *last = &g_array_index (joiner.bins, SondeDensityBin, joiner.bins->len - 1);
      last->upper = joiner.current.upper;
      last->share += joiner.current.share;
      joiner.open = FALSE;
    }
  else if (joiner.open && joiner.current.upper - joiner.current.lower < min_width)
    {
      /* One narrow bin in all: as wide as can be seen. */
      double middle = (joiner.current.lower + joiner.current.upper) / 2;
      joiner.current.lower = middle - min_width / 2;
      joiner.current.upper = middle + min_width / 2;
    }
  flush (&joiner);
  return joiner.bins;
}
