/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/sonde-pr-paint.h"

#include "viewers/layout/sonde-pr-points.h"
#include "viewers/paint/sonde-text-paint.h"

#define N_ISO 5 /* F1 of a fifth, two fifths … */
#define ISO_STEPS 48

void
sonde_paint_roc_chance (cairo_t *cr, const SondeTheme *theme, const SondeChart *chart, int width,
                        int height)
{
  cairo_rectangle_t area;

  sonde_chart_get_area (width, height, &area);
  cairo_save (cr);
  cairo_rectangle (cr, area.x, area.y, area.width, area.height);
  cairo_clip (cr);
  sonde_paint_set_color (cr, &theme->dim);
  cairo_set_line_width (cr, 1);
  cairo_set_dash (cr, (const double[]){ 4, 4 }, 2, 0);
  cairo_move_to (cr, sonde_axis_x (&chart->x, &area, 0), sonde_axis_y (&chart->y, &area, 0));
  cairo_line_to (cr, sonde_axis_x (&chart->x, &area, 1), sonde_axis_y (&chart->y, &area, 1));
  cairo_stroke (cr);
  cairo_restore (cr);
}

/* Where F1 is the same: over recall from F / (2 − F), where precision is 1, to 1. */
static void
trace_iso_f1 (cairo_t *cr, const SondeChart *chart, const cairo_rectangle_t *area, double f1)
{
  double from = f1 / (2 - f1);

  for (int i = 0; i <= ISO_STEPS; i++)
    {
      double recall = from + (1 - from) * i / ISO_STEPS;
      double precision = i == 0 ? 1 : sonde_pr_iso_f1 (f1, recall);

      cairo_line_to (cr, sonde_axis_x (&chart->x, area, recall),
                     sonde_axis_y (&chart->y, area, precision));
    }
  cairo_stroke (cr);
}

void
sonde_paint_iso_f1 (cairo_t *cr, const SondeTheme *theme, const SondeChart *chart, int width,
                    int height)
{
  cairo_rectangle_t area;

  sonde_chart_get_area (width, height, &area);
  cairo_save (cr);
  cairo_rectangle (cr, area.x, area.y, area.width, area.height);
  cairo_clip (cr);
  cairo_set_line_width (cr, 1);
  for (int k = 1; k < N_ISO; k++)
    {
      double f1 = (double) k / N_ISO;
      g_autofree char *text = g_strdup_printf ("F1 %.1f", f1);

      sonde_paint_set_color_alpha (cr, &theme->dim, 0.6);
      cairo_set_dash (cr, (const double[]){ 1, 3 }, 2, 0);
      trace_iso_f1 (cr, chart, &area, f1);
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END,
                        sonde_axis_x (&chart->x, &area, 1) - 4,
                        sonde_axis_y (&chart->y, &area, sonde_pr_iso_f1 (f1, 1)) - 8, 0, text);
    }
  cairo_restore (cr);
}
