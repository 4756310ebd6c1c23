/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/sonde-cell-cursor.h"

#include <math.h>

#include "viewers/paint/sonde-text-paint.h"

#define LEAST 7 /* px of the mark's side, however small a cell is */

/* @at runs over all places. */
static gboolean
is_cell (gint64 at, int columns, SondeCellTest test, gconstpointer data)
{
  return test == NULL || test ((int) (at % columns), (int) (at / columns), data);
}

/* The first cell at or after @at, @by places at a time; SONDE_CELL_NONE: there is none. */
static gint64
find_cell (gint64 at, gint64 by, int columns, gint64 n, SondeCellTest test, gconstpointer data)
{
  while (at >= 0 && at < n && !is_cell (at, columns, test, data))
    at += by;
  return at >= 0 && at < n ? at : SONDE_CELL_NONE;
}

/* One cell on, over what is none; the same place at an edge. */
static gint64
step (gint64 at, int columns, int rows, int dx, int dy, SondeCellTest test, gconstpointer data)
{
  int column = (int) (at % columns), row = (int) (at / columns);

  do
    {
      column += dx;
      row += dy;
      if (column < 0 || column >= columns || row < 0 || row >= rows)
        return at;
    }
  while (!is_cell ((gint64) row * columns + column, columns, test, data));
  return (gint64) row * columns + column;
}

gint64
sonde_cell_cursor_move (gint64 at, int columns, int rows, int dx, int dy, SondeCellTest test,
                        gconstpointer data)
{
  gint64 n = (gint64) columns * rows;

  if (n < 1)
    return SONDE_CELL_NONE;
  if (dx == G_MININT)
    return find_cell (0, 1, columns, n, test, data);
  if (dx == G_MAXINT)
    return find_cell (n - 1, -1, columns, n, test, data);
  if (at < 0 || at >= n)
    {
      gint64 middle = (gint64) (rows / 2) * columns + columns / 2;

      at = find_cell (middle, -1, columns, n, test, data);
      return at != SONDE_CELL_NONE ? at : find_cell (middle, 1, columns, n, test, data);
    }
  for (int i = MAX (ABS (dx), ABS (dy)); i > 0; i--)
    at = step (at, columns, rows, CLAMP (dx, -1, 1), CLAMP (dy, -1, 1), test, data);
  return at;
}

void
sonde_paint_cell_cursor (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *cell)
{
  double width = fmax (cell->width, LEAST), height = fmax (cell->height, LEAST);

  cairo_rectangle (cr, cell->x + (cell->width - width) / 2 - 1,
                   cell->y + (cell->height - height) / 2 - 1, width + 2, height + 2);
  sonde_paint_set_color (cr, &theme->background);
  cairo_set_line_width (cr, 3.5);
  cairo_stroke_preserve (cr);
  sonde_paint_set_color (cr, &theme->selection);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
}
