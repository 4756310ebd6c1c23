/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/sonde-contour.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/layout/sonde-axis-ticks.h"
#include "viewers/paint/sonde-color-map.h"
#include "viewers/paint/sonde-text-paint.h"

#define LEGEND_HEIGHT 40
#define LEGEND_WIDTH 220
#define LOG_RATIO 30.0
#define LINEAR_LEVELS 10
#define LEVELS_A_DECADE 4
#define FINE 96 /* lines are cut into at least so many pieces across the grid */

void
sonde_contour_get_area (int width, int height, cairo_rectangle_t *area)
{
  *area
      = (cairo_rectangle_t){ SONDE_AXIS_LEFT, SONDE_AXIS_TOP,
                             MAX (width - SONDE_AXIS_LEFT - SONDE_AXIS_RIGHT, 1),
                             MAX (height - SONDE_AXIS_TOP - SONDE_AXIS_BOTTOM - LEGEND_HEIGHT, 1) };
}

/* ---- heights ------------------------------------------------------------- */

/* Cell of a rising axis that holds @value, and where in it; FALSE outside. */
static gboolean
find_cell (const double *axis, gsize n, double value, gsize *cell, double *share)
{
  gsize low = 0, high = n - 1;

  if (n < 2 || !(value >= axis[0] && value <= axis[n - 1]))
    return FALSE;
  while (high - low > 1)
    {
      gsize middle = (low + high) / 2;

      if (axis[middle] <= value)
        low = middle;
      else
        high = middle;
    }
  *cell = low;
  *share = axis[high] > axis[low] ? (value - axis[low]) / (axis[high] - axis[low]) : 0;
  return TRUE;
}

static double
height_in (const SondeContour *contour, gsize column, gsize row, double across, double down)
{
  const double *z = contour->z + row * contour->n_x + column;

  return (z[0] * (1 - across) + z[1] * across) * (1 - down)
         + (z[contour->n_x] * (1 - across) + z[contour->n_x + 1] * across) * down;
}

double
sonde_contour_value_at (const SondeContour *contour, double x, double y)
{
  gsize column, row;
  double across, down;

  if (!find_cell (contour->x, contour->n_x, x, &column, &across)
      || !find_cell (contour->y, contour->n_y, y, &row, &down))
    return NAN;
  return height_in (contour, column, row, across, down);
}

static void
add_level (SondeContourLevels *levels, double level)
{
  if (levels->n < SONDE_CONTOUR_MAX_LEVELS && level > levels->low && level < levels->high)
    levels->levels[levels->n++] = level;
}

gboolean
sonde_contour_find_levels (const SondeContour *contour, SondeContourLevels *levels)
{
  SondeAxisTicks ticks;

  *levels = (SondeContourLevels){ .low = INFINITY, .high = -INFINITY };
  for (gsize i = 0; i < contour->n_x * contour->n_y; i++)
    if (isfinite (contour->z[i]))
      {
        levels->low = fmin (levels->low, contour->z[i]);
        levels->high = fmax (levels->high, contour->z[i]);
      }
  if (!(levels->low <= levels->high))
    return FALSE;
  levels->logarithmic = levels->low > 0 && levels->high > LOG_RATIO * levels->low;
  if (levels->logarithmic)
    {
      double decades = log10 (levels->high / levels->low);
      int n = (int) fmin (ceil (decades * LEVELS_A_DECADE), SONDE_CONTOUR_MAX_LEVELS);

      for (int i = 1; i < n; i++)
        add_level (levels, levels->low * pow (10, decades * i / n));
      return TRUE;
    }
  ticks = sonde_axis_ticks_linear (levels->low, levels->high, LINEAR_LEVELS);
  for (int i = 0; i < ticks.n; i++)
    add_level (levels, sonde_axis_ticks_get (&ticks, i));
  return TRUE;
}

/* Colour of the band between two levels: by its number, so that neighbours differ as much
 * everywhere. */
static SondeColor
band_color (const SondeContourLevels *levels, double height)
{
  int band = 0;

  while (band < levels->n && height >= levels->levels[band])
    band++;
  return sonde_color_map_get (SONDE_COLOR_MAP_VIRIDIS,
                              levels->n > 0 ? (double) band / levels->n : 0.5);
}

/* ---- bands --------------------------------------------------------------- */

static guint32
pixel_of (const SondeColor *color)
{
  return 0xff000000u | (guint32) lround (color->red * 255) << 16
         | (guint32) lround (color->green * 255) << 8 | (guint32) lround (color->blue * 255);
}

static cairo_surface_t *
make_bands (const SondeTheme *theme, const SondeContour *contour, const SondeContourLevels *levels,
            int width, int height)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  guint8 *pixels = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);
  guint32 unknown = pixel_of (&theme->masked);

  for (int i = 0; i < height; i++)
    {
      guint32 *line = (guint32 *) (void *) (pixels + (gsize) i * (gsize) stride);
      double y = contour->y_high - (i + 0.5) / height * (contour->y_high - contour->y_low), down,
             across;
      gsize row, column;

      if (!find_cell (contour->y, contour->n_y, y, &row, &down))
        continue;
      for (int k = 0; k < width; k++)
        {
          double x = contour->x_low + (k + 0.5) / width * (contour->x_high - contour->x_low), z;
          SondeColor color;

          if (!find_cell (contour->x, contour->n_x, x, &column, &across))
            continue;
          z = height_in (contour, column, row, across, down);
          color = band_color (levels, z);
          line[k] = isfinite (z) ? pixel_of (&color) : unknown;
        }
    }
  cairo_surface_mark_dirty (surface);
  return surface;
}

/* ---- lines --------------------------------------------------------------- */

/* A corner of a small square: place in the image and height. */
typedef struct
{
  double x, y, z;
} Corner;

static void
crossing (const Corner *a, const Corner *b, double level, double *x, double *y)
{
  double share = (level - a->z) / (b->z - a->z);

  *x = a->x + (b->x - a->x) * share;
  *y = a->y + (b->y - a->y) * share;
}

/* Pieces of the line at @level in one square: between the sides that it crosses, two by two. */
static void
square_path (cairo_t *cr, const Corner corners[4], double level)
{
  double xs[4], ys[4];
  int n = 0;

  for (int i = 0; i < 4; i++)
    {
      const Corner *a = &corners[i], *b = &corners[(i + 1) % 4];

      if ((a->z < level) != (b->z < level))
        crossing (a, b, level, &xs[n], &ys[n]), n++;
    }
  for (int i = 0; i + 1 < n; i += 2)
    {
      cairo_move_to (cr, xs[i], ys[i]);
      cairo_line_to (cr, xs[i + 1], ys[i + 1]);
    }
}

/* The grid again, finer, so that lines follow the bilinear surface that the bands show. */
static Corner *
make_corners (const SondeContour *contour, const cairo_rectangle_t *area, gsize n_x, gsize n_y)
{
  Corner *corners = g_new (Corner, n_x * n_y);
  double width = contour->x[contour->n_x - 1] - contour->x[0];
  double height = contour->y[contour->n_y - 1] - contour->y[0];
  SondeAxis x_axis = { SONDE_AXIS_LINEAR, contour->x_low, contour->x_high, NULL };
  SondeAxis y_axis = { SONDE_AXIS_LINEAR, contour->y_low, contour->y_high, NULL };

  for (gsize i = 0; i < n_y; i++)
    for (gsize k = 0; k < n_x; k++)
      {
        double x = contour->x[0] + width * (double) k / (double) (n_x - 1);
        double y = contour->y[0] + height * (double) i / (double) (n_y - 1);

        corners[i * n_x + k] = (Corner){
          sonde_axis_x (&x_axis, area, x),
          sonde_axis_y (&y_axis, area, y),
          sonde_contour_value_at (contour, MIN (x, contour->x[contour->n_x - 1]),
                                  MIN (y, contour->y[contour->n_y - 1])),
        };
      }
  return corners;
}

static void
paint_lines (cairo_t *cr, const SondeTheme *theme, const SondeContour *contour,
             const SondeContourLevels *levels, const cairo_rectangle_t *area)
{
  gsize n_x = MAX (contour->n_x, FINE), n_y = MAX (contour->n_y, FINE);
  g_autofree Corner *corners = make_corners (contour, area, n_x, n_y);
  SondeColor black = { 0, 0, 0, 0.45 };

  cairo_new_path (cr);
  for (gsize i = 0; i + 1 < n_y; i++)
    for (gsize k = 0; k + 1 < n_x; k++)
      {
        const Corner *at = corners + i * n_x + k;
        Corner square[4] = { at[0], at[1], at[n_x + 1], at[n_x] };

        if (!isfinite (square[0].z + square[1].z + square[2].z + square[3].z))
          continue;
        for (int l = 0; l < levels->n; l++)
          square_path (cr, square, levels->levels[l]);
      }
  sonde_paint_set_color (cr, &black);
  cairo_set_line_width (cr, 0.75);
  cairo_stroke (cr);
}

/* ---- path ---------------------------------------------------------------- */

static void
stroke_with_border (cairo_t *cr, double width)
{
  cairo_set_source_rgb (cr, 0, 0, 0);
  cairo_set_line_width (cr, width + 2);
  cairo_stroke_preserve (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_set_line_width (cr, width);
  cairo_stroke (cr);
}

static void
paint_path (cairo_t *cr, const SondeContour *contour, const cairo_rectangle_t *area)
{
  SondeAxis x_axis = { SONDE_AXIS_LINEAR, contour->x_low, contour->x_high, NULL };
  SondeAxis y_axis = { SONDE_AXIS_LINEAR, contour->y_low, contour->y_high, NULL };

  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_new_path (cr);
  for (gsize i = 0; i < contour->n_path; i++)
    cairo_line_to (cr, sonde_axis_x (&x_axis, area, contour->path_x[i]),
                   sonde_axis_y (&y_axis, area, contour->path_y[i]));
  stroke_with_border (cr, 1.5);
  for (gsize i = 0; i < contour->n_path; i++)
    {
      cairo_new_sub_path (cr);
      cairo_arc (cr, sonde_axis_x (&x_axis, area, contour->path_x[i]),
                 sonde_axis_y (&y_axis, area, contour->path_y[i]), i == 0 ? 4 : 2.5, 0, 2 * G_PI);
      stroke_with_border (cr, i == 0 ? 2 : 1.5);
    }
  if (isfinite (contour->end_x) && isfinite (contour->end_y))
    {
      double x = sonde_axis_x (&x_axis, area, contour->end_x),
             y = sonde_axis_y (&y_axis, area, contour->end_y);

      cairo_move_to (cr, x - 5, y - 5);
      cairo_line_to (cr, x + 5, y + 5);
      cairo_move_to (cr, x + 5, y - 5);
      cairo_line_to (cr, x - 5, y + 5);
      stroke_with_border (cr, 2);
    }
}

/* ---- all ----------------------------------------------------------------- */

/* With as many digits as distinguish the limits. */
static char *
format_height (const SondeContourLevels *levels, double height)
{
  double span = levels->high - levels->low,
         magnitude = fmax (fabs (levels->low), fabs (levels->high));
  int digits = span > 0 ? (int) ceil (log10 (magnitude / span)) + 3 : 4;

  return digits <= 4 ? sonde_format_number (height)
                     : g_strdup_printf ("%.*g", MIN (digits, 12), height);
}

/* One box a band, the limits at the ends, the level in the middle. */
static void
paint_legend (cairo_t *cr, const SondeTheme *theme, const SondeContour *contour,
              const SondeContourLevels *levels, const cairo_rectangle_t *area)
{
  double width = MIN (LEGEND_WIDTH, area->width), x = area->x,
         y = area->y + area->height + SONDE_AXIS_BOTTOM + 6;
  double box = width / (levels->n + 1);
  g_autofree char *low = format_height (levels, levels->low),
                  *high = format_height (levels, levels->high);
  g_autofree char *middle
      = levels->n > 2 ? format_height (levels, levels->levels[levels->n / 2]) : NULL;
  g_autofree char *title
      = g_strdup_printf (levels->logarithmic ? _ ("%s, logarithmic levels") : "%s",
                         contour->z_title != NULL ? contour->z_title : _ ("height"));

  for (int i = 0; i <= levels->n; i++)
    {
      SondeColor color = sonde_color_map_get (SONDE_COLOR_MAP_VIRIDIS,
                                              levels->n > 0 ? (double) i / levels->n : 0.5);

      sonde_paint_set_color (cr, &color);
      cairo_rectangle (cr, x + i * box, y, box, 8);
      cairo_fill (cr);
    }
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y + 18, width / 3, low);
  if (middle != NULL)
    sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_CENTER, x + (levels->n / 2 + 1) * box,
                      y + 18, width / 3, middle);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, x + width, y + 18, width / 3, high);
  if (area->width > width + 60)
    sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x + width + 10, y + 4,
                      area->width - width - 10, title);
}

void
sonde_paint_contour (cairo_t *cr, const SondeTheme *theme, const SondeContour *contour, int width,
                     int height)
{
  SondeAxis x = { SONDE_AXIS_LINEAR, contour->x_low, contour->x_high, contour->x_title };
  SondeAxis y = { SONDE_AXIS_LINEAR, contour->y_low, contour->y_high, contour->y_title };
  SondeContourLevels levels;
  cairo_rectangle_t area;
  cairo_surface_t *bands;

  sonde_contour_get_area (width, height, &area);
  if (contour->message != NULL || contour->n_x < 2 || contour->n_y < 2
      || !sonde_contour_find_levels (contour, &levels))
    {
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, width / 2.0, height / 2.0, width,
                        contour->message != NULL ? contour->message : _ ("No finite values"));
      return;
    }
  sonde_paint_axes (cr, theme, &area, &x, &y);
  bands = make_bands (theme, contour, &levels, (int) area.width, (int) area.height);
  cairo_save (cr);
  cairo_rectangle (cr, area.x, area.y, area.width, area.height);
  cairo_clip (cr);
  cairo_set_source_surface (cr, bands, area.x, area.y);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  paint_lines (cr, theme, contour, &levels, &area);
  paint_path (cr, contour, &area);
  cairo_restore (cr);
  cairo_surface_destroy (bands);
  paint_legend (cr, theme, contour, &levels, &area);
}
