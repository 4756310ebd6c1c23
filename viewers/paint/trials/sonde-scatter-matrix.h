/* SPDX-License-Identifier: Apache-2.0
 * A scatter matrix: each pair of columns as points below the diagonal and as a rank correlation above it, each column
 * as a histogram on it. No GTK. Columns, brushes and colours are those of parallel coordinates. */
#pragma once

#include "viewers/paint/trials/sonde-parallel.h"

G_BEGIN_DECLS

#define SONDE_SCATTER_MATRIX_MOST 8 /* columns; more have no room */

/**
 * SondeScatterMatrix: nothing is owned
 * @trials: of which the first columns are drawn
 * @correlation: (nullable): [n_axes, n_axes] of @trials, -1 … 1; NaN: not known
 * @row, @column: the cell that keys are for; -1: none
 */
typedef struct
{
  const SondeParallel *trials;
  const double *correlation;
  int row, column;
} SondeScatterMatrix;

guint sonde_scatter_matrix_get_n (const SondeParallel *trials); /* columns that are drawn */
/* The cell of the column that is y and the column that is x, px. */
void sonde_scatter_matrix_get_cell (guint n, guint row, guint column, int width, int height,
                                    cairo_rectangle_t *cell);
/* FALSE: no cell is there. */
gboolean sonde_scatter_matrix_find_cell (guint n, double x, double y, int width, int height,
                                         guint *row, guint *column);
/* Where a line stands in a cell. FALSE: it has no value on one of the two axes. */
gboolean sonde_scatter_matrix_get_point (const SondeParallel *trials, guint line, guint row,
                                         guint column, const cairo_rectangle_t *cell, double *x,
                                         double *y);
/* 0 … 1 along the axes of a cell, as sonde_parallel_get_place(). */
void sonde_scatter_matrix_get_places (const cairo_rectangle_t *cell, double x, double y,
                                      double *place_x, double *place_y);

void sonde_paint_scatter_matrix (cairo_t *cr, const SondeTheme *theme,
                                 const SondeScatterMatrix *matrix, int width, int height);
/* One line in each cell, large: what is under the pointer. */
void sonde_paint_scatter_matrix_line (cairo_t *cr, const SondeTheme *theme,
                                      const SondeScatterMatrix *matrix, guint line, int width,
                                      int height);

G_END_DECLS
