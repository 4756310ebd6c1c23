/* SPDX-License-Identifier: Apache-2.0
 * The settings of charts beside them: those of one card, or those common to all. It changes the board, which tells
 * everybody else. */
#pragma once

#include <adwaita.h>

#include "data/charts/sonde-chart-board.h"

G_BEGIN_DECLS

#define SONDE_TYPE_CHART_PANEL (sonde_chart_panel_get_type ())
G_DECLARE_FINAL_TYPE (SondeChartPanel, sonde_chart_panel, SONDE, CHART_PANEL, AdwBin)

/* Signal "close" (): the panel shall go. */

GtkWidget *sonde_chart_panel_new (SondeChartBoard *board);

/* @card: (nullable): NULL: what is common to all charts */
void sonde_chart_panel_set_card (SondeChartPanel *panel, const char *card);
const char *sonde_chart_panel_get_card (SondeChartPanel *panel);
/* Scalars that can be chosen as x. (array zero-terminated=1) */
void sonde_chart_panel_set_tags (SondeChartPanel *panel, const char *const *tags);
/* The row of a setting, for tests and for keys. (transfer none) */
GtkWidget *sonde_chart_panel_get_row (SondeChartPanel *panel, SondeChartField field);

G_END_DECLS
