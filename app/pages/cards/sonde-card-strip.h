/* SPDX-License-Identifier: Apache-2.0
 * One row of a grid of cards on the screen: a heading that opens and closes its section, or cells of the same width.
 * Lists use it again for other rows. */
#pragma once

#include <adwaita.h>

#include "app/pages/cards/sonde-card-row.h"
#include "app/pages/cards/sonde-tag-card.h"

G_BEGIN_DECLS

#define SONDE_TYPE_CARD_STRIP (sonde_card_strip_get_type ())
G_DECLARE_FINAL_TYPE (SondeCardStrip, sonde_card_strip, SONDE, CARD_STRIP, AdwBin)

/* Makes a card that shows nothing yet. Returns: (transfer floating) */
typedef SondeTagCard *(*SondeCardStripFunc) (void *user_data);

/* @make, @user_data: of the cards; they outlive the strip. Signal "toggled" (const char *section). */
GtkWidget *sonde_card_strip_new (SondeCardStripFunc make, void *user_data);

/* @row: (nullable): NULL: the cards show nothing */
void sonde_card_strip_set_row (SondeCardStrip *strip, SondeCardRow *row);

G_END_DECLS
