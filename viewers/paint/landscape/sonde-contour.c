/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/landscape/sonde-contour.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/landscape/sonde-contour-heights-private.h"
#include "viewers/paint/landscape/sonde-contour-labels.h"
#include "viewers/paint/landscape/sonde-contour-marks.h"
#include "viewers/paint/sonde-color-map.h"
#include "viewers/paint/sonde-text-paint.h"

#define LEGEND_HEIGHT 40
#define LEGEND_WIDTH 220
#define FINE 96 /* lines are cut into at least so many pieces across the grid */

void
sonde_contour_get_area (int width, int height, cairo_rectangle_t *area)
{
  *area
      = (cairo_rectangle_t){ SONDE_AXIS_LEFT, SONDE_AXIS_TOP,
                             MAX (width - SONDE_AXIS_LEFT - SONDE_AXIS_RIGHT, 1),
                             MAX (height - SONDE_AXIS_TOP - SONDE_AXIS_BOTTOM - LEGEND_HEIGHT, 1) };
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

      if (!sonde_contour_find_cell (contour->y, contour->n_y, y, &row, &down))
        continue;
      for (int k = 0; k < width; k++)
        {
          double x = contour->x_low + (k + 0.5) / width * (contour->x_high - contour->x_low), z;
          SondeColor color;

          if (!sonde_contour_find_cell (contour->x, contour->n_x, x, &column, &across))
            continue;
          z = sonde_contour_height_in (contour, column, row, across, down);
          color = sonde_contour_color (levels, z);
          line[k] = isfinite (z) ? pixel_of (&color) : unknown;
        }
    }
  cairo_surface_mark_dirty (surface);
  return surface;
}

/* ---- lines --------------------------------------------------------------- */

/* The grid again, finer, so that lines follow the bilinear surface that the bands show. */
static double *
make_heights (const SondeContour *contour, gsize n_x, gsize n_y)
{
  double *heights = g_new (double, n_x *n_y);
  double right = contour->x[contour->n_x - 1], top = contour->y[contour->n_y - 1];

  for (gsize i = 0; i < n_y; i++)
    for (gsize k = 0; k < n_x; k++)
      {
        double x = contour->x[0] + (right - contour->x[0]) * (double) k / (double) (n_x - 1);
        double y = contour->y[0] + (top - contour->y[0]) * (double) i / (double) (n_y - 1);

        heights[i * n_x + k] = sonde_contour_value_at (contour, MIN (x, right), MIN (y, top));
      }
  return heights;
}

/* From columns and rows of the finer grid to px. */
static void
scale_lines (SondeContourLines *lines, const SondeContour *contour, const cairo_rectangle_t *area,
             gsize n_x, gsize n_y)
{
  SondeAxis x_axis = { SONDE_AXIS_LINEAR, contour->x_low, contour->x_high, NULL };
  SondeAxis y_axis = { SONDE_AXIS_LINEAR, contour->y_low, contour->y_high, NULL };
  double width = contour->x[contour->n_x - 1] - contour->x[0];
  double height = contour->y[contour->n_y - 1] - contour->y[0];

  for (guint i = 0; i < lines->points->len; i++)
    {
      SondeContourPoint *point = &g_array_index (lines->points, SondeContourPoint, i);

      point->x
          = sonde_axis_x (&x_axis, area, contour->x[0] + width * point->x / (double) (n_x - 1));
      point->y
          = sonde_axis_y (&y_axis, area, contour->y[0] + height * point->y / (double) (n_y - 1));
    }
}

static void
trace_lines (cairo_t *cr, const SondeContourLines *lines)
{
  for (guint i = 0; i < lines->lines->len; i++)
    {
      const SondeContourLine *line = &g_array_index (lines->lines, SondeContourLine, i);

      cairo_new_sub_path (cr);
      for (guint k = line->first; k < line->first + line->n; k++)
        {
          const SondeContourPoint *point = &g_array_index (lines->points, SondeContourPoint, k);

          cairo_line_to (cr, point->x, point->y);
        }
    }
}

/* Where marks will stand. (transfer full) */
static SondeContourPoint *
list_avoided (const SondeContour *contour, const SondeContourLevels *levels,
              const cairo_rectangle_t *area, gsize *n)
{
  SondeAxis x_axis = { SONDE_AXIS_LINEAR, contour->x_low, contour->x_high, NULL };
  SondeAxis y_axis = { SONDE_AXIS_LINEAR, contour->y_low, contour->y_high, NULL };
  SondeContourPoint *avoided = g_new (SondeContourPoint, contour->n_path + 1);

  *n = contour->n_path + 1;
  for (gsize i = 0; i < *n; i++)
    {
      gboolean of_path = i < contour->n_path;

      avoided[i].x = sonde_axis_x (&x_axis, area, of_path ? contour->path_x[i] : levels->lowest_x);
      avoided[i].y = sonde_axis_y (&y_axis, area, of_path ? contour->path_y[i] : levels->lowest_y);
    }
  return avoided;
}

/* Lines stop where their values stand. */
static void
stroke_beside (cairo_t *cr, GPtrArray *all, const GArray *labels, const cairo_rectangle_t *area)
{
  cairo_save (cr);
  cairo_rectangle (cr, area->x, area->y, area->width, area->height);
  sonde_contour_labels_path (labels, cr);
  cairo_set_fill_rule (cr, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_clip (cr);
  cairo_new_path (cr);
  for (guint i = 0; i < all->len; i++)
    trace_lines (cr, g_ptr_array_index (all, i));
  cairo_set_source_rgba (cr, 0, 0, 0, 0.45);
  cairo_set_line_width (cr, 0.75);
  cairo_stroke (cr);
  cairo_restore (cr);
}

/* Values in white on dark bands and in black on bright ones. */
static void
paint_values (cairo_t *cr, const SondeContourLevels *levels, const GArray *labels)
{
  static const SondeColor white = { 1, 1, 1, 1 }, black = { 0, 0, 0, 1 };

  for (guint i = 0; i < labels->len; i++)
    {
      const SondeContourLabel *label = &g_array_index (labels, SondeContourLabel, i);
      SondeColor band = sonde_contour_color (levels, levels->levels[label->level]);
      gboolean dark = sonde_color_contrast (&white, &band) > sonde_color_contrast (&black, &band);

      sonde_paint_set_color (cr, dark ? &white : &black);
      sonde_contour_label_paint (label, cr);
    }
}

static void
paint_lines (cairo_t *cr, const SondeContour *contour, const SondeContourLevels *levels,
             const cairo_rectangle_t *area)
{
  gsize n_x = MAX (contour->n_x, FINE), n_y = MAX (contour->n_y, FINE), n_avoided;
  g_autofree double *heights = make_heights (contour, n_x, n_y);
  g_autofree SondeContourPoint *avoided = list_avoided (contour, levels, area, &n_avoided);
  g_autoptr (GPtrArray) all
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_contour_lines_free);
  g_autoptr (GArray) labels = sonde_contour_labels_new ();

  for (int l = 0; l < levels->n; l++)
    {
      SondeContourLines *lines = sonde_contour_lines_new (heights, n_x, n_y, levels->levels[l]);
      g_autofree char *text = sonde_contour_format (levels, levels->levels[l]);

      scale_lines (lines, contour, area, n_x, n_y);
      g_ptr_array_add (all, lines);
      sonde_contour_labels_add (labels, lines, text, l, area, avoided, n_avoided);
    }
  stroke_beside (cr, all, labels, area);
  paint_values (cr, levels, labels);
}

/* ---- all ----------------------------------------------------------------- */

/* One box a band, the limits at the ends, the level in the middle. */
static void
paint_legend (cairo_t *cr, const SondeTheme *theme, const SondeContour *contour,
              const SondeContourLevels *levels, const cairo_rectangle_t *area)
{
  double width = MIN (LEGEND_WIDTH, area->width), x = area->x,
         y = area->y + area->height + SONDE_AXIS_BOTTOM + 6;
  double box = width / (levels->n + 1);
  g_autofree char *low = sonde_contour_format (levels, levels->low),
                  *high = sonde_contour_format (levels, levels->high);
  g_autofree char *middle
      = levels->n > 2 ? sonde_contour_format (levels, levels->levels[levels->n / 2]) : NULL;
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
  paint_lines (cr, contour, &levels, &area);
  sonde_paint_contour_marks (cr, theme, contour, &levels, &area);
  cairo_restore (cr);
  cairo_surface_destroy (bands);
  paint_legend (cr, theme, contour, &levels, &area);
}
