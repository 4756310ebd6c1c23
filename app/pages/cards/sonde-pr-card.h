/* SPDX-License-Identifier: Apache-2.0
 * The card of a PR curve tag: the curves of all runs that are shown at the step of the cursor, or
 * the last one before it. */
#pragma once

#include "app/pages/cards/sonde-tag-card.h"
#include "viewers/sonde-pr-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PR_CARD (sonde_pr_card_get_type ())
G_DECLARE_FINAL_TYPE (SondePrCard, sonde_pr_card, SONDE, PR_CARD, SondeTagCard)

/* Signal "state-changed" (): loading began or ended. */
GtkWidget *sonde_pr_card_new (SondeWorkspace *workspace);
SondePrView *sonde_pr_card_get_view (SondePrCard *card); /* (transfer none) */
void sonde_pr_card_set_roc (SondePrCard *card, gboolean roc);

G_END_DECLS
