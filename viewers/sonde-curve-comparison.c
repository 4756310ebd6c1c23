/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/sonde-curve-comparison.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/charts/sonde-difference-columns.h"
#include "viewers/paint/curve/sonde-value-sheet.h"

#define SHARE 0.5 /* of the height of a drawing */

/* Of @n curves. */
static guint
count_lines (guint n, int height)
{
  int head = sonde_value_sheet_measure (0, FALSE),
      line = sonde_value_sheet_measure (1, FALSE) - head;
  guint lines = (guint) MAX (((int) (height * SHARE) - head) / line, 0);

  return n <= lines ? n : lines > 0 ? lines - 1 : 0;
}

int
sonde_curve_comparison_measure (guint n_curves, int height)
{
  guint lines = count_lines (n_curves, height);

  return lines > 0 ? sonde_value_sheet_measure (lines, lines < n_curves) : 0;
}

static char **
dup_cells (SondeSeries *series, const SondeCurveDifference *difference)
{
  SondeRun *run = sonde_series_get_run (series);
  char **cells = g_new0 (char *, SONDE_DIFFERENCE_N_COLUMNS + 1);

  for (int k = 0; k < SONDE_DIFFERENCE_N_COLUMNS; k++)
    cells[k] = sonde_difference_column_dup_text ((SondeDifferenceColumn) k, difference,
                                                 run != NULL && sonde_run_is_live (run));
  return cells;
}

static SondeValueSheet *
new_sheet (gint64 a, gint64 b)
{
  static const char *titles[SONDE_DIFFERENCE_N_COLUMNS];
  g_autofree char *first = sonde_format_count (a), *second = sonde_format_count (b);
  g_autofree char *head = g_strdup_printf (_ ("A: step %s · B: step %s"), first, second);

  for (int k = 0; k < SONDE_DIFFERENCE_N_COLUMNS; k++)
    titles[k] = sonde_difference_column_get_title ((SondeDifferenceColumn) k);
  return sonde_value_sheet_new (head, titles, SONDE_DIFFERENCE_N_COLUMNS);
}

void
sonde_curve_comparison_paint (cairo_t *cr, const SondeTheme *theme,
                              const SondeComparedCurve *curves, guint n_curves, gint64 a, gint64 b,
                              int width, int height)
{
  g_autoptr (SondeValueSheet) sheet = new_sheet (a, b);
  guint lines = count_lines (n_curves, height);

  for (guint i = 0; i < n_curves; i++)
    {
      const SondeComparedCurve *curve = &curves[i];
      SondeStroke stroke = sonde_theme_series (theme, curve->color_index);
      SondeCurveDifference difference;

      if (sheet->rows->len == lines)
        sheet->n_left_out++;
      else if (sonde_curve_difference_compute (curve->series, a, b, &difference))
        sonde_value_sheet_take (sheet, &stroke, curve->title,
                                dup_cells (curve->series, &difference));
    }
  sonde_paint_value_sheet (cr, theme, sheet, 0,
                           height - sonde_curve_comparison_measure (n_curves, height), width);
}
