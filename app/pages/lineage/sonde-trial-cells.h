/* SPDX-License-Identifier: Apache-2.0
 * Columns of a table of trials: how a number, a text or a run stands in a cell, and the cells that are on screen, which
 * can be shown again without the rows being made anew. */
#pragma once

#include "app/pages/lineage/sonde-trial-values.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct _SondeTrialCells SondeTrialCells;

SondeTrialCells *sonde_trial_cells_new (void);
/* Once no column is left. */
void sonde_trial_cells_free (SondeTrialCells *cells);

/* A column that shows @values, which are lent until sonde_trial_cells_forget(), and sorts by them. (transfer full) */
GtkColumnViewColumn *sonde_trial_cells_make_column (SondeTrialCells *cells, const char *title,
                                                    SondeTrialValues *values);
/* The column of @values is gone; NULL: all are. */
void sonde_trial_cells_forget (SondeTrialCells *cells, SondeTrialValues *values);
/* All that are on screen. */
void sonde_trial_cells_refresh (SondeTrialCells *cells);

G_END_DECLS
