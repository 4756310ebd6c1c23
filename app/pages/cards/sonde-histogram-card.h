/* SPDX-License-Identifier: Apache-2.0
 * The card of a histogram tag of the chosen run. */
#pragma once

#include "app/pages/cards/sonde-tag-card.h"
#include "viewers/sonde-histogram-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_HISTOGRAM_CARD (sonde_histogram_card_get_type ())
G_DECLARE_FINAL_TYPE (SondeHistogramCard, sonde_histogram_card, SONDE, HISTOGRAM_CARD, SondeTagCard)

GtkWidget *sonde_histogram_card_new (SondeWorkspace *workspace);
SondeHistogramView *sonde_histogram_card_get_view (SondeHistogramCard *card); /* (transfer none) */
/* Signals: "state-changed" (): loading began or ended. "step-marked" (gint64 step): by Ctrl and a click. */

/* OVERLAY reads a histogram of each shown run; or, after sonde_histogram_card_set_steps(), of steps. */
void sonde_histogram_card_set_kind (SondeHistogramCard *card, SondeDistributionKind kind);
/* What OVERLAY is of: @steps (element-type gint64) (nullable) of the selected run and the step at the cursor; NULL:
 * runs. Before _set_kind(). */
void sonde_histogram_card_set_steps (SondeHistogramCard *card, GArray *steps);
/* Histograms drawn, and those that the run holds. */
void sonde_histogram_card_get_counts (SondeHistogramCard *card, guint *shown, guint *held);

G_END_DECLS
