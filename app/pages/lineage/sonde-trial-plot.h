/* SPDX-License-Identifier: Apache-2.0
 * The trials of a table as parallel coordinates or as a scatter matrix: its columns are the axes, what is brushed stays
 * in the table, and the chosen run is the same in both. */
#pragma once

#include "app/pages/lineage/sonde-trial-table.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TRIAL_PLOT (sonde_trial_plot_get_type ())
G_DECLARE_FINAL_TYPE (SondeTrialPlot, sonde_trial_plot, SONDE, TRIAL_PLOT, GtkBox)

typedef enum
{
  SONDE_TRIAL_PLOT_PARALLEL,
  SONDE_TRIAL_PLOT_MATRIX,
} SondeTrialPlotForm;

GtkWidget *sonde_trial_plot_new (SondeWorkspace *workspace, SondeTrialTable *table);
/* The table has changed. Nothing is done while the plot is hidden. */
void sonde_trial_plot_update (SondeTrialPlot *plot);
void sonde_trial_plot_set_form (SondeTrialPlot *plot, SondeTrialPlotForm form);
void sonde_trial_plot_clear (SondeTrialPlot *plot); /* no brush */

G_END_DECLS
