/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/profile/sonde-roofline-paint.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define LEGEND_HEIGHT 22
#define LEAST_RADIUS 3.5
#define MOST_RADIUS 26 /* of a mark that takes all of the time */
#define REACH 3        /* px around a small mark that are part of it */
#define FILL 0.55
#define SWATCH 5

double
sonde_roofline_get_roof (const SondeCeilings *ceilings, double intensity)
{
  return fmin (ceilings->peak_gflops, ceilings->peak_gbs * intensity);
}

static gboolean
has_ceilings (const SondeRooflinePlot *plot)
{
  return plot->ceilings.peak_gflops > 0 && plot->ceilings.peak_gbs > 0;
}

static gboolean
is_drawn (const SondeRooflineMark *mark)
{
  return isfinite (mark->intensity) && isfinite (mark->gflops) && mark->intensity > 0
         && mark->gflops > 0;
}

/* ---- places -------------------------------------------------------------- */

static void
widen (double value, double *low, double *high)
{
  const double at = log10 (value);

  *low = fmin (*low, at);
  *high = fmax (*high, at);
}

void
sonde_roofline_plot_fit (SondeRooflinePlot *plot)
{
  double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;

  for (gsize i = 0; i < plot->n_marks; i++)
    if (is_drawn (&plot->marks[i]))
      {
        widen (plot->marks[i].intensity, &x0, &x1);
        widen (plot->marks[i].gflops, &y0, &y1);
      }
  if (has_ceilings (plot))
    {
      widen (plot->ceilings.peak_gflops / plot->ceilings.peak_gbs, &x0, &x1);
      widen (plot->ceilings.peak_gflops, &y0, &y1);
    }
  if (!(x0 <= x1 && y0 <= y1))
    x0 = y0 = 0, x1 = y1 = 1;
  /* room for marks at the ends and for the names of the ceilings */
  plot->low_x = floor (x0 - 0.2);
  plot->high_x = fmax (ceil (x1 + 0.2), plot->low_x + 2);
  plot->low_y = floor (y0 - 0.2);
  plot->high_y = fmax (ceil (y1 + 0.3), plot->low_y + 2);
}

void
sonde_roofline_plot_get_area (int width, int height, cairo_rectangle_t *area)
{
  const double top = SONDE_AXIS_TOP + LEGEND_HEIGHT;

  *area = (cairo_rectangle_t){ SONDE_AXIS_LEFT, top,
                               MAX (width - SONDE_AXIS_LEFT - SONDE_AXIS_RIGHT, 1),
                               MAX (height - top - SONDE_AXIS_BOTTOM, 1) };
}

/* Both axes, for sonde_axis_x() and its sister. */
static void
make_axes (const SondeRooflinePlot *plot, SondeAxis *x, SondeAxis *y)
{
  *x = (SondeAxis){ SONDE_AXIS_LOG, plot->low_x, plot->high_x, _ ("intensity (FLOP/byte)") };
  *y = (SondeAxis){ SONDE_AXIS_LOG, plot->low_y, plot->high_y, _ ("performance (GFLOP/s)") };
}

gboolean
sonde_roofline_plot_place (const SondeRooflinePlot *plot, int width, int height, gsize mark,
                           double *x, double *y, double *radius)
{
  SondeAxis x_axis, y_axis;
  cairo_rectangle_t area;

  if (mark >= plot->n_marks || !is_drawn (&plot->marks[mark]))
    return FALSE;
  sonde_roofline_plot_get_area (width, height, &area);
  make_axes (plot, &x_axis, &y_axis);
  *x = sonde_axis_x (&x_axis, &area, plot->marks[mark].intensity);
  *y = sonde_axis_y (&y_axis, &area, plot->marks[mark].gflops);
  *radius = fmax (MOST_RADIUS * sqrt (CLAMP (plot->marks[mark].share, 0, 1)), LEAST_RADIUS);
  return TRUE;
}

gint64
sonde_roofline_plot_pick (const SondeRooflinePlot *plot, int width, int height, double x, double y,
                          cairo_rectangle_t *box)
{
  if (plot->message != NULL)
    return -1;
  for (gsize i = plot->n_marks; i > 0; i--)
    {
      double mx, my, radius;

      if (!sonde_roofline_plot_place (plot, width, height, i - 1, &mx, &my, &radius)
          || hypot (x - mx, y - my) > radius + REACH)
        continue;
      if (box != NULL)
        *box = (cairo_rectangle_t){ mx - radius, my - radius, 2 * radius, 2 * radius };
      return (gint64) i - 1;
    }
  return -1;
}

/* ---- colours and shapes -------------------------------------------------- */

int
sonde_roofline_get_hue (SondeOperatorClass value)
{
  static const int hues[SONDE_OPERATOR_N_CLASSES]
      = { [SONDE_OPERATOR_CLASS_COPY] = 3,      [SONDE_OPERATOR_CLASS_FALLBACK] = 5,
          [SONDE_OPERATOR_CLASS_OVERHEAD] = 4,  [SONDE_OPERATOR_CLASS_COMPUTE] = 0,
          [SONDE_OPERATOR_CLASS_BANDWIDTH] = 1, [SONDE_OPERATOR_CLASS_IDLE] = -1,
          [SONDE_OPERATOR_CLASS_UNKNOWN] = -1 };

  return hues[value];
}

static SondeColor
get_color (const SondeTheme *theme, SondeOperatorClass value)
{
  const int hue = sonde_roofline_get_hue (value);

  return hue < 0 ? theme->masked : sonde_theme_series (theme, (guint) hue).color;
}

static void
add_shape (cairo_t *cr, SondeOperatorClass value, double x, double y, double r)
{
  cairo_new_sub_path (cr);
  switch (value)
    {
    case SONDE_OPERATOR_CLASS_BANDWIDTH: /* of the same area as the circle */
      cairo_rectangle (cr, x - r * 0.886, y - r * 0.886, r * 1.772, r * 1.772);
      break;
    case SONDE_OPERATOR_CLASS_COPY:
      cairo_move_to (cr, x, y - r * 1.253);
      cairo_line_to (cr, x + r * 1.253, y);
      cairo_line_to (cr, x, y + r * 1.253);
      cairo_line_to (cr, x - r * 1.253, y);
      cairo_close_path (cr);
      break;
    case SONDE_OPERATOR_CLASS_FALLBACK:
    case SONDE_OPERATOR_CLASS_OVERHEAD:
      {
        const double up = value == SONDE_OPERATOR_CLASS_FALLBACK ? -1 : 1;

        cairo_move_to (cr, x, y + up * r * 1.555);
        cairo_line_to (cr, x + r * 1.347, y - up * r * 0.778);
        cairo_line_to (cr, x - r * 1.347, y - up * r * 0.778);
        cairo_close_path (cr);
        break;
      }
    default:
      cairo_arc (cr, x, y, r, 0, 2 * G_PI);
    }
}

static void
paint_mark (cairo_t *cr, const SondeTheme *theme, SondeOperatorClass value, double x, double y,
            double r)
{
  const SondeColor color = get_color (theme, value);

  add_shape (cr, value, x, y, r);
  sonde_paint_set_color_alpha (cr, &color, FILL);
  cairo_fill_preserve (cr);
  sonde_paint_set_color (cr, &color);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

/* ---- painting ------------------------------------------------------------ */

static void
paint_legend (cairo_t *cr, const SondeTheme *theme, const SondeRooflinePlot *plot, int width)
{
  const double y = SONDE_AXIS_TOP + LEGEND_HEIGHT / 2.0 - 4;
  gboolean present[SONDE_OPERATOR_N_CLASSES] = { FALSE };
  double x = SONDE_AXIS_LEFT + SWATCH;

  for (gsize i = 0; i < plot->n_marks; i++)
    present[plot->marks[i].operator_class] |= is_drawn (&plot->marks[i]);
  for (guint i = 0; i < SONDE_OPERATOR_N_CLASSES && x < width - 40; i++)
    if (present[i])
      {
        paint_mark (cr, theme, i, x, y, SWATCH);
        sonde_paint_set_color (cr, &theme->foreground);
        x += SWATCH + 6;
        x += sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y, width - x - 4,
                               _ (sonde_operator_class_get_title (i)))
             + 12 + SWATCH;
      }
}

/* What the machine can do, with its numbers along the lines. */
static void
paint_roof (cairo_t *cr, const SondeTheme *theme, const SondeRooflinePlot *plot,
            const cairo_rectangle_t *area)
{
  const SondeCeilings *c = &plot->ceilings;
  const double left = pow (10, plot->low_x), right = pow (10, plot->high_x);
  const double ridge = c->peak_gflops / c->peak_gbs;
  g_autofree char *gflops = sonde_format_number (c->peak_gflops);
  g_autofree char *gbs = sonde_format_number (c->peak_gbs), *flat = NULL, *slope = NULL;
  SondeAxis x, y;
  double x0, y0, x1, y1, x2;

  make_axes (plot, &x, &y);
  x0 = sonde_axis_x (&x, area, left);
  y0 = sonde_axis_y (&y, area, c->peak_gbs * left);
  x1 = sonde_axis_x (&x, area, ridge);
  y1 = sonde_axis_y (&y, area, c->peak_gflops);
  x2 = sonde_axis_x (&x, area, right);
  sonde_paint_set_color (cr, &theme->foreground);
  cairo_set_line_width (cr, 1.5);
  cairo_move_to (cr, x0, y0);
  cairo_line_to (cr, x1, y1);
  cairo_line_to (cr, x2, y1);
  cairo_stroke (cr);
  flat = g_strdup_printf (_ ("%s GFLOP/s"), gflops);
  slope = g_strdup_printf (_ ("%s GB/s"), gbs);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, x2 - 6, y1 - 9, x2 - area->x - 12, flat);
  cairo_save (cr);
  cairo_translate (cr, x1, y1);
  cairo_rotate (cr, atan2 (y1 - y0, x1 - x0));
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, -14, -9, 0, slope);
  cairo_restore (cr);
}

static void
paint_selected (cairo_t *cr, const SondeTheme *theme, const SondeRooflinePlot *plot, int width,
                int height)
{
  double x, y, radius;

  if (plot->selected < 0
      || !sonde_roofline_plot_place (plot, width, height, (gsize) plot->selected, &x, &y, &radius))
    return;
  sonde_paint_set_color (cr, &theme->selection);
  cairo_set_line_width (cr, 2.5);
  cairo_new_sub_path (cr);
  cairo_arc (cr, x, y, radius * 1.3 + 3, 0, 2 * G_PI);
  cairo_stroke (cr);
}

void
sonde_paint_roofline (cairo_t *cr, const SondeTheme *theme, const SondeRooflinePlot *plot,
                      int width, int height)
{
  cairo_rectangle_t area;
  SondeAxis x_axis, y_axis;

  if (plot->message != NULL)
    {
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, width / 2.0, height / 2.0,
                        width - 12, plot->message);
      return;
    }
  sonde_roofline_plot_get_area (width, height, &area);
  make_axes (plot, &x_axis, &y_axis);
  sonde_paint_axes (cr, theme, &area, &x_axis, &y_axis);
  paint_legend (cr, theme, plot, width);
  cairo_save (cr);
  cairo_rectangle (cr, area.x, area.y, area.width, area.height);
  cairo_clip (cr);
  if (has_ceilings (plot))
    paint_roof (cr, theme, plot, &area);
  for (gsize i = 0; i < plot->n_marks; i++)
    {
      double x, y, radius;

      if (sonde_roofline_plot_place (plot, width, height, i, &x, &y, &radius))
        paint_mark (cr, theme, plot->marks[i].operator_class, x, y, radius);
    }
  paint_selected (cr, theme, plot, width, height);
  cairo_restore (cr);
}
