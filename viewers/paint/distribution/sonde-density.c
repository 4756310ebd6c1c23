/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/distribution/sonde-density.h"

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
add (Joiner *joiner, double lower, double upper, double count)
{
  /* What is too narrow to be seen does not vanish in a wide neighbour: it takes a little of its
   * room. */
  if (joiner->open && upper - lower >= 2 * joiner->min_width)
    {
      joiner->current.upper = joiner->current.lower + joiner->min_width;
      lower = MAX (lower, joiner->current.upper);
      flush (joiner);
    }
  if (!joiner->open)
    {
      joiner->current = (SondeDensityBin){ lower, upper, 0 };
      joiner->open = TRUE;
    }
  joiner->current.upper = upper;
  joiner->current.share += count / joiner->total;
  if (joiner->current.upper - joiner->current.lower >= joiner->min_width)
    flush (joiner);
}

/* The rest at the end that is too narrow. */
static void
finish (Joiner *joiner)
{
  if (joiner->open && joiner->bins->len > 0)
    {
      SondeDensityBin *last = &g_array_index (joiner->bins, SondeDensityBin, joiner->bins->len - 1);

      last->upper = joiner->current.upper;
      last->share += joiner->current.share;
      joiner->open = FALSE;
    }
  else if (joiner->open && joiner->current.upper - joiner->current.lower < joiner->min_width)
    {
      /* One narrow bin in all: as wide as can be seen. */
      double middle = (joiner->current.lower + joiner->current.upper) / 2;

      joiner->current.lower = middle - joiner->min_width / 2;
      joiner->current.upper = middle + joiner->min_width / 2;
    }
  flush (joiner);
}

GArray *
sonde_density_bins (const SondeBins *bins, double min_width)
{
  Joiner joiner
      = { .bins = g_array_new (FALSE, FALSE, sizeof (SondeDensityBin)), .min_width = min_width };
  double end = NAN;

  for (gsize i = 0; i < bins->n; i++)
    joiner.total += bins->counts[i] > 0 ? bins->counts[i] : 0;
  for (gsize i = 0; i < bins->n && joiner.total > 0; i++)
    {
      double lower = bins->lefts[i], upper = bins->rights[i];

      if (!(bins->counts[i] > 0) || !isfinite (lower) || !isfinite (upper))
        continue;
      if (lower > end)
        add (&joiner, end, lower, 0);
      lower = isnan (end) ? lower : MAX (lower, end);
      upper = MAX (upper, lower);
      add (&joiner, lower, upper, bins->counts[i]);
      end = upper;
    }
  finish (&joiner);
  return joiner.bins;
}
