/* SPDX-License-Identifier: Apache-2.0
 * A grid of cards, one a tag, that fills its room; one card can take it all. Cards exist only for
 * what is in sight, so a thousand tags cost no more than a dozen. */
#pragma once

#include "app/pages/cards/sonde-tag-card.h"

G_BEGIN_DECLS

#define SONDE_TYPE_CARD_GRID (sonde_card_grid_get_type ())
G_DECLARE_FINAL_TYPE (SondeCardGrid, sonde_card_grid, SONDE, CARD_GRID, AdwBin)

/* Makes a card that shows nothing yet. Returns: (transfer floating) */
typedef SondeTagCard *(*SondeCardFunc) (void *user_data);
typedef void (*SondeCardEachFunc) (SondeTagCard *card, void *user_data);

/* @user_data must outlive the grid. */
void sonde_card_grid_set_up (SondeCardGrid *grid, SondeCardFunc make, void *user_data);
/* The tags shown; the owner changes it. (transfer none) */
GtkStringList *sonde_card_grid_get_tags (SondeCardGrid *grid);

/* For all cards that exist now, the expanded one too. */
void sonde_card_grid_foreach (SondeCardGrid *grid, SondeCardEachFunc func, void *user_data);
gboolean sonde_card_grid_is_settled (SondeCardGrid *grid);

/* Signal "expanded" (): another tag, or none, fills the page. */

/* @tag: (nullable): NULL shows the grid again */
void sonde_card_grid_expand (SondeCardGrid *grid, const char *tag);
const char *sonde_card_grid_get_expanded (SondeCardGrid *grid); /* (nullable) */

/* The function makes other cards from now on; those that are there give way to new ones. */
void sonde_card_grid_remake (SondeCardGrid *grid);
/* Lists rather than charts: few of them take all the room there is. */
void sonde_card_grid_set_fill (SondeCardGrid *grid, gboolean fill);

G_END_DECLS
