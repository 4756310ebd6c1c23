/* SPDX-License-Identifier: Apache-2.0
 * Trials as points over each pair of columns, with the rank correlation of the pair and the histogram of each column.
 * Dragging a box in a cell brushes its two columns, a click there takes the brush away. The arrow keys choose a cell;
 * Delete, L and C are those of the base, for the cell's columns. */
#pragma once

#include "viewers/trials/sonde-trial-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SCATTER_MATRIX_VIEW (sonde_scatter_matrix_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeScatterMatrixView, sonde_scatter_matrix_view, SONDE, SCATTER_MATRIX_VIEW,
                      SondeTrialView)

GtkWidget *sonde_scatter_matrix_view_new (void);
/* Once all axes are there. @correlation: [n_axes, n_axes], copied; NaN: not known */
void sonde_scatter_matrix_view_set_correlation (SondeScatterMatrixView *view,
                                                const double *correlation);

G_END_DECLS
