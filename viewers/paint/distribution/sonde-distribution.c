/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/distribution/sonde-distribution-private.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/layout/sonde-axis-ticks.h"
#include "viewers/paint/distribution/sonde-distribution-shares.h"
#include "viewers/paint/sonde-color-map.h"
#include "viewers/paint/sonde-text-paint.h"

#define STEP_WIDTH 8.0 /* px from which a bin is drawn as a step */
#define RIDGE_LEFT 12
#define RIDGE_RIGHT 52       /* labels of steps */
#define PEAK_SHARE 0.42      /* of the height, for the highest ridge */
#define LONE_PEAK_SHARE 0.95 /* where there is one alone */
#define MIN_RIDGE_STEP 4.0   /* px from ridge to ridge; more rows are left out evenly */

/* Shares of values below the edges of the bands; the median is in the middle. */
static const double band_edges[] = { 0, 0.0668, 0.1587, 0.3085, 0.5, 0.6915, 0.8413, 0.9332, 1 };

void
sonde_distribution_get_area (SondeDistributionKind kind, int width, int height,
                             cairo_rectangle_t *area)
{
  gboolean over_values = kind == SONDE_DISTRIBUTION_RIDGES || kind == SONDE_DISTRIBUTION_OVERLAY;
  double left = over_values ? RIDGE_LEFT : SONDE_AXIS_LEFT;
  double right = kind == SONDE_DISTRIBUTION_RIDGES ? RIDGE_RIGHT : SONDE_AXIS_RIGHT;

  *area = (cairo_rectangle_t){ left, SONDE_AXIS_TOP, MAX (width - left - right, 1),
                               MAX (height - SONDE_AXIS_TOP - SONDE_AXIS_BOTTOM, 1) };
}

gboolean
sonde_distribution_get_range (const SondeDistributionRow *rows, gsize n_rows, double *low,
                              double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (gsize i = 0; i < n_rows; i++)
    {
      double least, largest;

      if (!sonde_bins_get_range (rows[i].bins, &least, &largest))
        continue;
      *low = fmin (*low, least);
      *high = fmax (*high, largest);
    }
  return *low <= *high;
}

/* ---- ridges -------------------------------------------------------------- */

/* One alone has all the height. */
static double
peak_height (const SondeDistribution *d, const cairo_rectangle_t *area)
{
  return area->height * (d->n_rows > 1 ? PEAK_SHARE : LONE_PEAK_SHARE);
}

/* Where the row stands: proportional to its step, the newest at the bottom. */
static double
baseline (const SondeDistribution *d, const cairo_rectangle_t *area, gsize row)
{
  double first = (double) d->rows[0].step, last = (double) d->rows[d->n_rows - 1].step;
  double share = last > first ? ((double) d->rows[row].step - first) / (last - first) : 1;
  double peak = peak_height (d, area);

  return area->y + peak + share * (area->height - peak);
}

static void
ridge_path (cairo_t *cr, const SondeDistribution *d, const cairo_rectangle_t *area, gsize row,
            double highest)
{
  g_autoptr (GArray) bins
      = sonde_density_bins (d->rows[row].bins, sonde_distribution_bin_width (d, area));
  double base = baseline (d, area, row), peak = peak_height (d, area);
  double scale = area->width / (d->x_high - d->x_low);

  cairo_new_path (cr);
  for (guint k = 0; k < bins->len; k++)
    {
      const SondeDensityBin *bin = &g_array_index (bins, SondeDensityBin, k);
      double y = base - peak * sonde_distribution_height_of_bin (d, bin, highest);
      double left = area->x + (bin->lower - d->x_low) * scale,
             right = area->x + (bin->upper - d->x_low) * scale;

      if (k == 0)
        cairo_move_to (cr, left, base);
      /* A wide bin is flat: a slope in it would say more than is known. */
      if (right - left >= STEP_WIDTH || d->n_rows == 1)
        {
          cairo_line_to (cr, left, y);
          cairo_line_to (cr, right, y);
        }
      else
        cairo_line_to (cr, (left + right) / 2, y);
      if (k + 1 == bins->len)
        cairo_line_to (cr, right, base);
    }
}

static void
paint_ridge_labels (cairo_t *cr, const SondeTheme *theme, const SondeDistribution *d,
                    const cairo_rectangle_t *area)
{
  double first = (double) d->rows[0].step, last = (double) d->rows[d->n_rows - 1].step;
  SondeAxisTicks ticks = sonde_axis_ticks_integer (first, last, 5);
  double peak = area->height * PEAK_SHARE, top = area->y + peak, x = area->x + area->width + 6;

  if (d->n_rows < 2) /* it says nothing of one */
    return;
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, top - 16, RIDGE_RIGHT - 8,
                    _ ("step"));
  for (int i = 0; i < ticks.n && last > first; i++)
    {
      g_autofree char *label = sonde_axis_ticks_label (&ticks, i);
      double y
          = top
            + (sonde_axis_ticks_get (&ticks, i) - first) / (last - first) * (area->height - peak);
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y, RIDGE_RIGHT - 8, label);
    }
  if (!(last > first))
    {
      g_autofree char *label = sonde_format_count (d->rows[0].step);
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, area->y + area->height,
                        RIDGE_RIGHT - 8, label);
    }
}

static void
paint_ridges (cairo_t *cr, const SondeTheme *theme, const SondeDistribution *d,
              const cairo_rectangle_t *area)
{
  SondeAxis x = { SONDE_AXIS_LINEAR, d->x_low, d->x_high, _ ("value") },
            y = { SONDE_AXIS_LINEAR, 0, 0, NULL };
  double highest = sonde_distribution_highest_density (d, area), last_base = -INFINITY;

  sonde_paint_axes (cr, theme, area, &x, &y);
  paint_ridge_labels (cr, theme, d, area);
  cairo_save (cr);
  cairo_rectangle (cr, area->x, area->y - 2, area->width, area->height + 3);
  cairo_clip (cr);
  cairo_set_line_width (cr, 1);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_BEVEL);
  for (gsize i = 0; i < d->n_rows && highest > 0; i++)
    {
      double age = d->n_rows > 1 ? 1 - (double) i / (double) (d->n_rows - 1) : 0;
      double base = baseline (d, area, i);
      SondeColor fill = sonde_color_mix (&theme->card, &d->color, 0.10 + 0.25 * (1 - age));
      SondeColor line = sonde_color_mix (&d->color, &theme->axis, age * 0.65);

      if (base - last_base < MIN_RIDGE_STEP && i + 1 < d->n_rows)
        continue;
      last_base = base;
      ridge_path (cr, d, area, i, highest);
      sonde_paint_set_color (cr, &fill);
      cairo_fill_preserve (cr);
      sonde_paint_set_color (cr, &line);
      cairo_stroke (cr);
    }
  cairo_restore (cr);
}

/* ---- heat map ------------------------------------------------------------ */

/* The row whose stretch of steps holds x: from its step to the next. */
static int
row_of_step (const SondeDistribution *d, double step)
{
  int row = -1;

  for (gsize i = 0; i < d->n_rows && (double) d->rows[i].step <= step; i++)
    row = (int) i;
  return row;
}

/* Density of a row for each line of pixels, as a share of its peak. */
static void
fill_column (const SondeDistribution *d, const SondeBins *histogram, int n_lines, float *column)
{
  double unit = (d->y_high - d->y_low) / n_lines;
  g_autoptr (GArray) bins = sonde_density_bins (histogram, unit);
  double highest = 0;

  memset (column, 0, sizeof *column * (gsize) n_lines);
  for (guint k = 0; k < bins->len; k++)
    {
      const SondeDensityBin *bin = &g_array_index (bins, SondeDensityBin, k);
      highest = fmax (highest, bin->share / (bin->upper - bin->lower));
    }
  for (guint k = 0; k < bins->len; k++)
    {
      const SondeDensityBin *bin = &g_array_index (bins, SondeDensityBin, k);
      int from = (int) CLAMP (floor ((d->y_high - bin->upper) / unit), 0, n_lines);
      int to = (int) CLAMP (ceil ((d->y_high - bin->lower) / unit), 0, n_lines);

      for (int i = from; i < to; i++)
        column[i] = fmaxf (column[i], (float) sonde_distribution_height_of_bin (d, bin, highest));
    }
}

static cairo_surface_t *
make_heat (const SondeTheme *theme, const SondeDistribution *d, int width, int height)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  guint8 *pixels = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface), last_row = -2;
  g_autofree float *column = g_new (float, (gsize) height);
  guint32 table[256];

  sonde_color_map_fill (SONDE_COLOR_MAP_VIRIDIS, table);
  for (int x = 0; x < width; x++)
    {
      int row = row_of_step (d, d->x_low + (x + 0.5) / width * (d->x_high - d->x_low));

      if (row >= 0 && row != last_row)
        fill_column (d, d->rows[row].bins, height, column);
      last_row = row;
      for (int y = 0; row >= 0 && y < height; y++)
        if (column[y] > 0)
          ((guint32 *) (void *) (pixels + y * stride))[x] = table[(int) (column[y] * 255.999f)];
    }
  cairo_surface_mark_dirty (surface);
  return surface;
}

/* One line: "0 ▒▒▒ peak of each step". */
static void
paint_heat_legend (cairo_t *cr, const SondeTheme *theme, const SondeDistribution *d,
                   const cairo_rectangle_t *area)
{
  double y = area->y + area->height + 28, x = area->x;

  sonde_paint_set_color (cr, &theme->dim);
  x += sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y, 0, "0") + 4;
  for (int i = 0; i < 48; i++)
    {
      SondeColor color = sonde_color_map_get (SONDE_COLOR_MAP_VIRIDIS, i / 47.0);
      sonde_paint_set_color (cr, &color);
      cairo_rectangle (cr, x + i, y - 4, 1, 8);
      cairo_fill (cr);
    }
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x + 52, y, area->width - 110,
                    d->log ? _ ("peak of each step, logarithmic") : _ ("peak of each step"));
}

static void
paint_heat (cairo_t *cr, const SondeTheme *theme, const SondeDistribution *d,
            const cairo_rectangle_t *area)
{
  SondeAxis x = { SONDE_AXIS_STEP, d->x_low, d->x_high, _ ("step") },
            y = { SONDE_AXIS_LINEAR, d->y_low, d->y_high, NULL };
  cairo_surface_t *heat
      = make_heat (theme, d, (int) MAX (area->width, 1), (int) MAX (area->height, 1));

  sonde_paint_axes (cr, theme, area, &x, &y);
  cairo_save (cr);
  cairo_rectangle (cr, area->x, area->y, area->width, area->height);
  cairo_clip (cr);
  cairo_set_source_surface (cr, heat, area->x, area->y);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  cairo_restore (cr);
  cairo_surface_destroy (heat);
  paint_heat_legend (cr, theme, d, area);
}

/* ---- bands --------------------------------------------------------------- */

static double
step_x (const SondeDistribution *d, const cairo_rectangle_t *area, gsize row)
{
  return area->x + ((double) d->rows[row].step - d->x_low) / (d->x_high - d->x_low) * area->width;
}

static double
quantile_y (const SondeDistribution *d, const cairo_rectangle_t *area, gsize row, double q)
{
  double value = sonde_bins_quantile (d->rows[row].bins, q);
  double share = (value - d->y_low) / (d->y_high - d->y_low);

  return isfinite (share) ? CLAMP (area->y + area->height * (1 - share), -1e5, 1e5) : NAN;
}

static void
quantile_path (cairo_t *cr, const SondeDistribution *d, const cairo_rectangle_t *area, double q,
               gboolean backwards)
{
  for (gsize i = 0; i < d->n_rows; i++)
    {
      gsize row = backwards ? d->n_rows - 1 - i : i;
      double y = quantile_y (d, area, row, q);

      if (!isnan (y))
        cairo_line_to (cr, step_x (d, area, row), y);
    }
}

static void
paint_bands (cairo_t *cr, const SondeTheme *theme, const SondeDistribution *d,
             const cairo_rectangle_t *area)
{
  SondeAxis x = { SONDE_AXIS_STEP, d->x_low, d->x_high, _ ("step") };
  SondeAxis y = { SONDE_AXIS_LINEAR, d->y_low, d->y_high, _ ("median; 38, 68, 87, 100 %") };
  gsize n = G_N_ELEMENTS (band_edges);

  sonde_paint_axes (cr, theme, area, &x, &y);
  cairo_save (cr);
  cairo_rectangle (cr, area->x, area->y, area->width, area->height);
  cairo_clip (cr);
  for (gsize i = 0; i < n / 2; i++)
    {
      cairo_new_path (cr);
      quantile_path (cr, d, area, band_edges[i], FALSE);
      quantile_path (cr, d, area, band_edges[n - 1 - i], TRUE);
      cairo_close_path (cr);
      sonde_paint_set_color_alpha (cr, &d->color, 0.15);
      cairo_fill (cr);
    }
  cairo_new_path (cr);
  quantile_path (cr, d, area, 0.5, FALSE);
  sonde_paint_set_color (cr, &d->color);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
  cairo_restore (cr);
}

/* ---- all ----------------------------------------------------------------- */

static void (*const painters[]) (cairo_t *, const SondeTheme *, const SondeDistribution *,
                                 const cairo_rectangle_t *)
    = {
        [SONDE_DISTRIBUTION_RIDGES] = paint_ridges,
        [SONDE_DISTRIBUTION_HEAT] = paint_heat,
        [SONDE_DISTRIBUTION_BANDS] = paint_bands,
        [SONDE_DISTRIBUTION_OVERLAY] = sonde_distribution_paint_overlay,
        [SONDE_DISTRIBUTION_SHARES] = sonde_distribution_paint_shares,
      };

void
sonde_paint_distribution (cairo_t *cr, const SondeTheme *theme, const SondeDistribution *d,
                          int width, int height)
{
  cairo_rectangle_t area;

  sonde_distribution_get_area (d->kind, width, height, &area);
  if (d->n_rows > 0 && d->message == NULL)
    {
      painters[d->kind](cr, theme, d, &area);
      return;
    }
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, width / 2.0, height / 2.0, width,
                    d->message != NULL ? d->message : _ ("No histograms yet"));
}

void
sonde_paint_distribution_row (cairo_t *cr, const SondeTheme *theme, const SondeDistribution *d,
                              gsize row, int width, int height)
{
  cairo_rectangle_t area;
  double x;

  g_return_if_fail (row < d->n_rows);
  sonde_distribution_get_area (d->kind, width, height, &area);
  cairo_save (cr);
  cairo_set_line_width (cr, 1.5);
  if (d->kind == SONDE_DISTRIBUTION_RIDGES)
    {
      double highest = sonde_distribution_highest_density (d, &area);

      cairo_rectangle (cr, area.x, area.y - 2, area.width, area.height + 3);
      cairo_clip (cr);
      if (highest > 0)
        ridge_path (cr, d, &area, row, highest);
      sonde_paint_set_color_alpha (cr, &d->color, 0.35);
      cairo_fill_preserve (cr);
      sonde_paint_set_color (cr, &theme->foreground);
      cairo_stroke (cr);
    }
  else if (d->kind == SONDE_DISTRIBUTION_OVERLAY)
    {
      double highest = sonde_distribution_highest_density (d, &area);

      if (highest > 0)
        sonde_distribution_paint_outline (cr, theme, d, &area, row, highest, TRUE);
    }
  else
    {
      x = floor (step_x (d, &area, row)) + 0.5;
      cairo_move_to (cr, x, area.y);
      cairo_line_to (cr, x, area.y + area.height);
      sonde_paint_set_color (cr, &theme->crosshair);
      cairo_set_line_width (cr, 1);
      if (x >= area.x && x <= area.x + area.width)
        cairo_stroke (cr);
    }
  cairo_restore (cr);
}

int
sonde_distribution_row_at (const SondeDistribution *d, int width, int height, double x, double y)
{
  cairo_rectangle_t area;
  int best = -1;
  double nearest = INFINITY, highest;

  sonde_distribution_get_area (d->kind, width, height, &area);
  if (x < area.x || x > area.x + area.width || y < area.y || y > area.y + area.height)
    return -1;
  highest
      = d->kind == SONDE_DISTRIBUTION_OVERLAY ? sonde_distribution_highest_density (d, &area) : 0;
  for (gsize i = 0; i < d->n_rows; i++)
    {
      double distance = d->kind == SONDE_DISTRIBUTION_RIDGES ? fabs (baseline (d, &area, i) - y)
                        : d->kind == SONDE_DISTRIBUTION_OVERLAY
                            ? fabs (sonde_distribution_outline_y (d, &area, i, x, highest) - y)
                            : fabs (step_x (d, &area, i) - x);

      if (distance < nearest)
        {
          nearest = distance;
          best = (int) i;
        }
    }
  return best;
}
