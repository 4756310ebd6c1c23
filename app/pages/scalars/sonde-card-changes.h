/* SPDX-License-Identifier: Apache-2.0
 * What a hand does to a card of a scalar goes into the settings of the charts: it is pinned, another one is dropped on
 * it, curves are hidden in its legend. */
#pragma once

#include "app/pages/cards/sonde-tag-card.h"
#include "data/charts/sonde-chart-board.h"

G_BEGIN_DECLS

/* @card: a SondeScalarCard; as long as both live */
void sonde_card_changes_connect (SondeTagCard *card, SondeChartBoard *board);

G_END_DECLS
