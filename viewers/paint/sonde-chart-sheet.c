/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/sonde-chart-sheet.h"

#include <math.h>

#include "viewers/paint/sonde-text-paint.h"

#define MARGIN 12
#define TITLE_HEIGHT 28
#define MIN_PANEL_WIDTH 140
#define MIN_PANEL_HEIGHT 100
#define MAX_LEGEND_LINES 6

static double
legend_height (const SondeChartSheet *sheet, int width)
{
  if (sheet->n_entries < 2)
    return 0;
  return sonde_legend_measure (sheet->entries, sheet->n_entries, width - 2 * MARGIN,
                               MAX_LEGEND_LINES, NULL)
         + 6;
}

/* The columns that make panels most like 3:2. */
static gsize
choose_columns (gsize n, double width, double height)
{
  gsize best = 1;
  double best_error = INFINITY;

  for (gsize columns = 1; columns <= n; columns++)
    {
      gsize rows = (n + columns - 1) / columns;
      double ratio = (width / (double) columns) / (height / (double) rows);
      double error = fabs (log (ratio / 1.5)) + 0.1 * (double) (rows * columns - n);

      if (error < best_error)
        {
          best_error = error;
          best = columns;
        }
    }
  return best;
}

gboolean
sonde_chart_sheet_place (const SondeChartSheet *sheet, gsize i, int width, int height,
                         cairo_rectangle_t *place)
{
  double w = width - 2.0 * MARGIN, h = height - 2.0 * MARGIN - legend_height (sheet, width);
  gsize columns = choose_columns (sheet->n_panels, w, MAX (h, 1));
  gsize rows = (sheet->n_panels + columns - 1) / columns;
  double cell_width = w / (double) columns, cell_height = h / (double) rows;

  *place
      = (cairo_rectangle_t){ MARGIN + cell_width * (double) (i % columns),
                             MARGIN + cell_height * (double) (i / columns) + TITLE_HEIGHT,
                             cell_width - (columns > 1 ? MARGIN : 0), cell_height - TITLE_HEIGHT };
  return place->width >= MIN_PANEL_WIDTH && place->height >= MIN_PANEL_HEIGHT;
}

void
sonde_paint_chart_sheet (cairo_t *cr, const SondeTheme *theme, const SondeChartSheet *sheet,
                         int width, int height)
{
  double legend = legend_height (sheet, width);

  for (gsize i = 0; i < sheet->n_panels; i++)
    {
      cairo_rectangle_t place;

      sonde_chart_sheet_place (sheet, i, width, height, &place);
      sonde_paint_set_color (cr, &theme->foreground);
      sonde_paint_text (cr, SONDE_FONT_TITLE, SONDE_ALIGN_START, place.x + 4,
                        place.y - TITLE_HEIGHT / 2.0, place.width - 8, sheet->panels[i].title);
      cairo_save (cr);
      cairo_translate (cr, place.x, place.y);
      sonde_paint_chart (cr, theme, &sheet->panels[i].chart, (int) place.width, (int) place.height);
      cairo_restore (cr);
    }
  if (legend > 0)
    sonde_paint_legend (cr, theme, sheet->entries, sheet->n_entries, MARGIN + 4,
                        height - MARGIN - legend + 6, width - 2 * MARGIN, MAX_LEGEND_LINES);
}
