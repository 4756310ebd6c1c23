/* SPDX-License-Identifier: Apache-2.0
 * The cell of a picture that keys lead to: where they go, and the mark around it. */
#pragma once

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

#define SONDE_CELL_NONE (-1)

/* FALSE: nothing is there, as between the tiles of a tensor; keys pass over it. */
typedef gboolean (*SondeCellTest) (int column, int row, gconstpointer data);

/**
 * sonde_cell_cursor_move:
 * @at: row × @columns + column, or SONDE_CELL_NONE
 * @dx, @dy: cells, one of them 0; G_MININT or G_MAXINT of @dx: the first or the last cell of all
 * @test: (nullable): every place is a cell; called with @data
 *
 * From nowhere it goes to the cell nearest the middle, before it; at an edge it stays.
 * Returns: the new place; SONDE_CELL_NONE: there is no cell
 */
gint64 sonde_cell_cursor_move (gint64 at, int columns, int rows, int dx, int dy, SondeCellTest test,
                               gconstpointer data);

/* Around @cell, on whatever colours lie below. */
void sonde_paint_cell_cursor (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *cell);

G_END_DECLS
