/* SPDX-License-Identifier: Apache-2.0
 * The card of a graph tag of the chosen run: the whole graph, small. */
#pragma once

#include "app/pages/cards/sonde-tag-card.h"

G_BEGIN_DECLS

#define SONDE_TYPE_GRAPH_CARD (sonde_graph_card_get_type ())
G_DECLARE_FINAL_TYPE (SondeGraphCard, sonde_graph_card, SONDE, GRAPH_CARD, SondeTagCard)

/* Signal "state-changed" (): loading began or ended. */
GtkWidget *sonde_graph_card_new (SondeWorkspace *workspace);

G_END_DECLS
