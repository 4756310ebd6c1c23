/* SPDX-License-Identifier: Apache-2.0
 * Histograms one over the other, as outlines. */
#include "viewers/paint/distribution/sonde-distribution-private.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-legend.h"

#define LEGEND_LINES 3

/* (transfer full) */
static SondeLegendEntry *
list_names (const SondeTheme *theme, const SondeDistribution *d)
{
  SondeLegendEntry *entries = g_new0 (SondeLegendEntry, d->n_rows);

  for (gsize i = 0; i < d->n_rows; i++)
    entries[i] = (SondeLegendEntry){ d->rows[i].title != NULL ? d->rows[i].title : "",
                                     sonde_theme_series (theme, d->rows[i].color_index) };
  return entries;
}

static void
paint_names (cairo_t *cr, const SondeTheme *theme, const SondeDistribution *d,
             const cairo_rectangle_t *area)
{
  g_autofree SondeLegendEntry *entries = list_names (theme, d);

  sonde_paint_legend (cr, theme, entries, d->n_rows, area->x, area->y - 2, area->width,
                      LEGEND_LINES);
}

/* px of the highest density: the names stand above it. */
static double
outline_room (const SondeDistribution *d, const cairo_rectangle_t *area)
{
  g_autofree SondeLegendEntry *entries = list_names (sonde_theme_get (FALSE), d);

  return fmax (
      area->height - sonde_legend_measure (entries, d->n_rows, area->width, LEGEND_LINES, NULL), 1);
}

/* A step for each bin: what several outlines share must be seen. */
static void
outline_path (cairo_t *cr, const SondeDistribution *d, const cairo_rectangle_t *area, gsize row,
              double highest)
{
  g_autoptr (GArray) bins
      = sonde_density_bins (d->rows[row].bins, sonde_distribution_bin_width (d, area));
  double base = area->y + area->height, scale = area->width / (d->x_high - d->x_low),
         room = outline_room (d, area);

  cairo_new_path (cr);
  for (guint k = 0; k < bins->len; k++)
    {
      const SondeDensityBin *bin = &g_array_index (bins, SondeDensityBin, k);
      double y = base - room * sonde_distribution_height_of_bin (d, bin, highest);
      double left = area->x + (bin->lower - d->x_low) * scale,
             right = area->x + (bin->upper - d->x_low) * scale;

      if (k == 0)
        cairo_move_to (cr, left, base);
      cairo_line_to (cr, left, y);
      cairo_line_to (cr, right, y);
      if (k + 1 == bins->len)
        cairo_line_to (cr, right, base);
    }
}

void
sonde_distribution_paint_outline (cairo_t *cr, const SondeTheme *theme, const SondeDistribution *d,
                                  const cairo_rectangle_t *area, gsize row, double highest,
                                  gboolean strong)
{
  SondeStroke stroke = sonde_theme_series (theme, d->rows[row].color_index);

  outline_path (cr, d, area, row, highest);
  sonde_paint_set_color_alpha (cr, &stroke.color, strong ? 0.35 : 0.08);
  cairo_fill_preserve (cr);
  sonde_paint_set_color (cr, &stroke.color);
  cairo_set_dash (cr, stroke.dashes, stroke.n_dashes, 0);
  cairo_set_line_width (cr, strong ? 2.5 : 1.5);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

void
sonde_distribution_paint_overlay (cairo_t *cr, const SondeTheme *theme, const SondeDistribution *d,
                                  const cairo_rectangle_t *area)
{
  SondeAxis x = { SONDE_AXIS_LINEAR, d->x_low, d->x_high, _ ("value") },
            y = { SONDE_AXIS_LINEAR, 0, 0, NULL };
  double highest = sonde_distribution_highest_density (d, area);

  sonde_paint_axes (cr, theme, area, &x, &y);
  cairo_save (cr);
  cairo_rectangle (cr, area->x, area->y - 2, area->width, area->height + 3);
  cairo_clip (cr);
  for (gsize i = 0; i < d->n_rows && highest > 0; i++)
    sonde_distribution_paint_outline (cr, theme, d, area, i, highest, FALSE);
  cairo_restore (cr);
  paint_names (cr, theme, d, area);
}

double
sonde_distribution_outline_y (const SondeDistribution *d, const cairo_rectangle_t *area, gsize row,
                              double x, double highest)
{
  g_autoptr (GArray) bins
      = sonde_density_bins (d->rows[row].bins, sonde_distribution_bin_width (d, area));
  double value = d->x_low + (x - area->x) / area->width * (d->x_high - d->x_low);

  for (guint k = 0; k < bins->len; k++)
    {
      const SondeDensityBin *bin = &g_array_index (bins, SondeDensityBin, k);

      if (value >= bin->lower && value <= bin->upper)
        return area->y + area->height
               - outline_room (d, area) * sonde_distribution_height_of_bin (d, bin, highest);
    }
  return area->y + area->height;
}
