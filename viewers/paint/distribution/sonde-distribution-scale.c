/* SPDX-License-Identifier: Apache-2.0
 * How wide bins are and how high densities. */
#include "viewers/paint/distribution/sonde-distribution-private.h"

#include <math.h>

#define BIN_WIDTH 3.0 /* px a joined bin has at least */

double
sonde_distribution_get_height (const SondeDistribution *d, double share)
{
  const double faintest = pow (10, -SONDE_DISTRIBUTION_DECADES);

  if (!d->log)
    return share;
  return share > faintest ? 1 + log10 (share) / SONDE_DISTRIBUTION_DECADES : 0;
}

double
sonde_distribution_height_of_bin (const SondeDistribution *d, const SondeDensityBin *bin,
                                  double highest)
{
  return sonde_distribution_get_height (d, bin->share / (bin->upper - bin->lower) / highest);
}

/* As many bins as the values are worth (Rice's rule: 2 n^⅓), in units of the value. */
static double
worthy_width (const SondeBins *bins)
{
  double low, high, n = sonde_bins_total (bins);

  return n >= 1 && sonde_bins_get_range (bins, &low, &high) ? (high - low) / ceil (2 * cbrt (n))
                                                            : 0;
}

/* What a bin has at least. One histogram alone, and one over the other, have bars that can be compared; ridges show
 * a shape. */
double
sonde_distribution_bin_width (const SondeDistribution *d, const cairo_rectangle_t *area)
{
  double width = BIN_WIDTH * (d->x_high - d->x_low) / area->width;

  if (d->n_rows > 1 && d->kind != SONDE_DISTRIBUTION_OVERLAY)
    return width;
  for (gsize i = 0; i < d->n_rows; i++)
    width = fmax (width, worthy_width (d->rows[i].bins));
  return width;
}

double
sonde_distribution_highest_density (const SondeDistribution *d, const cairo_rectangle_t *area)
{
  double highest = 0;

  for (gsize i = 0; i < d->n_rows; i++)
    {
      g_autoptr (GArray) bins
          = sonde_density_bins (d->rows[i].bins, sonde_distribution_bin_width (d, area));
      for (guint k = 0; k < bins->len; k++)
        {
          const SondeDensityBin *bin = &g_array_index (bins, SondeDensityBin, k);
          highest = fmax (highest, bin->share / (bin->upper - bin->lower));
        }
    }
  return highest;
}
