/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/curve/sonde-value-sheet.h"

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define LINE_HEIGHT 18
#define PADDING 10
#define STROKE_WIDTH 20
#define GAP 14
#define MIN_NAME 60
#define MAX_NAME 220

SondeValueSheet *
sonde_value_sheet_new (const char *head, const char *const *titles, guint n_columns)
{
  SondeValueSheet *sheet = g_new0 (SondeValueSheet, 1);

  sheet->head = g_strdup (head);
  sheet->titles = titles;
  sheet->n_columns = n_columns;
  sheet->rows = g_array_new (FALSE, FALSE, sizeof (SondeSheetRow));
  return sheet;
}

void
sonde_value_sheet_free (SondeValueSheet *sheet)
{
  for (guint i = 0; i < sheet->rows->len; i++)
    {
      SondeSheetRow *row = &g_array_index (sheet->rows, SondeSheetRow, i);

      g_free (row->name);
      g_strfreev (row->cells);
    }
  g_array_unref (sheet->rows);
  g_free (sheet->head);
  g_free (sheet);
}

void
sonde_value_sheet_take (SondeValueSheet *sheet, const SondeStroke *stroke, const char *name,
                        char **cells)
{
  SondeSheetRow row = { *stroke, g_strdup (name), cells };

  g_array_append_val (sheet->rows, row);
}

int
sonde_value_sheet_measure (guint n_rows, gboolean left_out)
{
  return (int) (n_rows + 2 + left_out) * LINE_HEIGHT + 2 * PADDING;
}

/* ---- places -------------------------------------------------------------- */

static double
measure_column (const SondeValueSheet *sheet, guint column)
{
  double width = sonde_text_measure (SONDE_FONT_SMALL, _ (sheet->titles[column]), NULL);

  for (guint i = 0; i < sheet->rows->len; i++)
    width = MAX (width, sonde_text_measure (
                            SONDE_FONT_LABEL,
                            g_array_index (sheet->rows, SondeSheetRow, i).cells[column], NULL));
  return width;
}

/* Px of the name and of each column. Returns: columns that have room. */
static guint
measure (const SondeValueSheet *sheet, double room, double *name, double *columns)
{
  double used = STROKE_WIDTH + MIN_NAME;
  guint n = 0;

  *name = MIN_NAME;
  for (guint i = 0; i < sheet->rows->len; i++)
    *name
        = MAX (*name, sonde_text_measure (SONDE_FONT_LABEL,
                                          g_array_index (sheet->rows, SondeSheetRow, i).name, NULL)
                          + 1);
  while (n < sheet->n_columns)
    {
      columns[n] = measure_column (sheet, n);
      if (used + GAP + columns[n] > room)
        break;
      used += GAP + columns[n++];
    }
  *name = MIN (MIN (*name, MAX_NAME), MIN_NAME + room - used);
  return n;
}

/* ---- ink ----------------------------------------------------------------- */

static void
paint_stroke (cairo_t *cr, const SondeStroke *stroke, double x, double y)
{
  sonde_paint_set_color (cr, &stroke->color);
  cairo_set_line_width (cr, 2.5);
  cairo_set_dash (cr, stroke->dashes, stroke->n_dashes, 0);
  cairo_move_to (cr, x, y);
  cairo_line_to (cr, x + STROKE_WIDTH - 6, y);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

static void
paint_row (cairo_t *cr, const SondeTheme *theme, const SondeSheetRow *row, double name,
           const double *columns, guint n_columns, double x, double y)
{
  double right = x + STROKE_WIDTH + name;

  paint_stroke (cr, &row->stroke, x, y);
  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_START, x + STROKE_WIDTH, y, name, row->name);
  for (guint k = 0; k < n_columns; k++)
    {
      right += GAP + columns[k];
      sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_END, right, y, 0, row->cells[k]);
    }
}

static void
paint_titles (cairo_t *cr, const SondeTheme *theme, const SondeValueSheet *sheet, double name,
              const double *columns, guint n_columns, double x, double y, double width)
{
  double right = x + STROKE_WIDTH + name;

  sonde_paint_set_color (cr, &theme->dim);
  for (guint k = 0; k < n_columns; k++)
    {
      right += GAP + columns[k];
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, right, y, 0, _ (sheet->titles[k]));
    }
  sonde_paint_set_color (cr, &theme->grid);
  cairo_set_line_width (cr, 1);
  cairo_move_to (cr, x, y + LINE_HEIGHT / 2.0);
  cairo_line_to (cr, x + width, y + LINE_HEIGHT / 2.0);
  cairo_stroke (cr);
}

void
sonde_paint_value_sheet (cairo_t *cr, const SondeTheme *theme, const SondeValueSheet *sheet,
                         double x, double y, double width)
{
  g_autofree double *columns = g_new0 (double, sheet->n_columns + 1);
  g_autofree char *rest = NULL;
  double name;
  guint n;

  x += PADDING;
  width -= 2 * PADDING;
  n = measure (sheet, width, &name, columns);
  y += PADDING + LINE_HEIGHT / 2.0;
  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_STRONG, SONDE_ALIGN_START, x, y, width, sheet->head);
  y += LINE_HEIGHT;
  paint_titles (cr, theme, sheet, name, columns, n, x, y, width);
  for (guint i = 0; i < sheet->rows->len; i++)
    paint_row (cr, theme, &g_array_index (sheet->rows, SondeSheetRow, i), name, columns, n, x,
               y + (i + 1) * LINE_HEIGHT);
  if (sheet->n_left_out == 0)
    return;
  rest = g_strdup_printf (_ ("and %u more"), sheet->n_left_out);
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x + STROKE_WIDTH,
                    y + (sheet->rows->len + 1) * LINE_HEIGHT, width, rest);
}
