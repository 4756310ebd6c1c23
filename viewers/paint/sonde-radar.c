/* SPDX-License-Identifier: Apache-2.0
 * A radar. */
#include "viewers/paint/sonde-radar.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define LABEL_HEIGHT 20
#define MAX_LABEL 150 /* px of an axis' name */

static double
angle_of (const SondeRadar *radar, guint axis)
{
  return -G_PI / 2 + 2 * G_PI * axis / radar->n_axes;
}

void
sonde_radar_place (const SondeRadar *radar, double x, double y, double width, double height,
                   double *centre_x, double *centre_y, double *radius)
{
  double label = 0;

  for (guint i = 0; i < radar->n_axes; i++)
    if (fabs (cos (angle_of (radar, i))) > 0.2)
      label = fmax (label,
                    fmin (sonde_text_measure (SONDE_FONT_SMALL, radar->axes[i], NULL), MAX_LABEL));
  *centre_x = x + width / 2;
  *centre_y = y + height / 2;
  *radius = fmax (fmin (width / 2 - label - 10, height / 2 - LABEL_HEIGHT), 10);
}

gboolean
sonde_radar_get_point (const SondeRadar *radar, guint series, guint axis, double centre_x,
                       double centre_y, double radius, double *x, double *y)
{
  double value = radar->values[series * radar->n_axes + axis], angle = angle_of (radar, axis);

  if (!isfinite (value))
    return FALSE;
  *x = centre_x + radius * CLAMP (value, 0, 1) * cos (angle);
  *y = centre_y + radius * CLAMP (value, 0, 1) * sin (angle);
  return TRUE;
}

static void
paint_web (cairo_t *cr, const SondeTheme *theme, const SondeRadar *radar, double cx, double cy,
           double radius)
{
  static const double rings[] = { 0.25, 0.5, 0.75, 1 };

  cairo_set_line_width (cr, 1);
  for (gsize r = 0; r < G_N_ELEMENTS (rings); r++)
    {
      for (guint i = 0; i < radar->n_axes; i++)
        cairo_line_to (cr, cx + radius * rings[r] * cos (angle_of (radar, i)),
                       cy + radius * rings[r] * sin (angle_of (radar, i)));
      cairo_close_path (cr);
      sonde_paint_set_color (cr, rings[r] == 1 ? &theme->axis : &theme->grid);
      cairo_stroke (cr);
    }
  for (guint i = 0; i < radar->n_axes; i++)
    {
      double c = cos (angle_of (radar, i)), s = sin (angle_of (radar, i));

      cairo_move_to (cr, cx, cy);
      cairo_line_to (cr, cx + radius * c, cy + radius * s);
      sonde_paint_set_color (cr, &theme->grid);
      cairo_stroke (cr);
      sonde_paint_set_color (cr, &theme->foreground);
      sonde_paint_text (cr, SONDE_FONT_SMALL,
                        fabs (c) <= 0.2 ? SONDE_ALIGN_CENTER
                        : c > 0         ? SONDE_ALIGN_START
                                        : SONDE_ALIGN_END,
                        cx + (radius + 6) * c, cy + (radius + 10) * s, MAX_LABEL, radar->axes[i]);
    }
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, cx + 4, cy - radius * 0.5, 0, "0.5");
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, cx + 4, cy - radius + 8, 0, "1");
}

static void
paint_series (cairo_t *cr, const SondeTheme *theme, const SondeRadar *radar, guint series,
              double cx, double cy, double radius)
{
  SondeStroke stroke = sonde_theme_series (theme, series);
  gboolean whole = TRUE, emphasised = (int) series == radar->emphasised;
  double x, y;

  cairo_new_path (cr);
  for (guint i = 0; i <= radar->n_axes; i++)
    {
      if (sonde_radar_get_point (radar, series, i % radar->n_axes, cx, cy, radius, &x, &y))
        cairo_line_to (cr, x, y);
      else
        {
          cairo_new_sub_path (cr);
          whole = FALSE;
        }
    }
  if (whole)
    {
      sonde_paint_set_color_alpha (cr, &stroke.color, emphasised ? 0.25 : 0.08);
      cairo_fill_preserve (cr);
    }
  sonde_paint_set_color (cr, &stroke.color);
  cairo_set_dash (cr, stroke.dashes, stroke.n_dashes, 0);
  cairo_set_line_width (cr, emphasised ? 3 : 1.5);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  for (guint i = 0; i < radar->n_axes; i++)
    if (sonde_radar_get_point (radar, series, i, cx, cy, radius, &x, &y))
      {
        cairo_arc (cr, x, y, emphasised ? 4 : 2.5, 0, 2 * G_PI);
        cairo_fill (cr);
      }
}

void
sonde_paint_radar (cairo_t *cr, const SondeTheme *theme, const SondeRadar *radar, double x,
                   double y, double width, double height)
{
  double cx, cy, radius;

  if (radar->n_axes < 3)
    {
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, x + width / 2, y + height / 2,
                        width, _ ("A radar chart needs at least three metrics"));
      return;
    }
  sonde_radar_place (radar, x, y, width, height, &cx, &cy, &radius);
  paint_web (cr, theme, radar, cx, cy, radius);
  for (guint i = 0; i < radar->n_series; i++)
    if ((radar->shown == NULL || radar->shown[i]) && (int) i != radar->emphasised)
      paint_series (cr, theme, radar, i, cx, cy, radius);
  if (radar->emphasised >= 0 && radar->emphasised < (int) radar->n_series)
    paint_series (cr, theme, radar, (guint) radar->emphasised, cx, cy, radius);
}
