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

/* What the page shares out among the cards; SMALL and LARGE keep to sizes of their own. */
typedef enum
{
  SONDE_CARD_SMALL,
  SONDE_CARD_MEDIUM,
  SONDE_CARD_LARGE,
} SondeCardSize;

/**
 * SondeCardSections: headings between cards; all functions are required
 * @dup_section: of the tag that stands at @position: those of a section follow each other. (transfer full)
 *   (nullable): NULL: no heading
 */
typedef struct
{
  char *(*dup_section) (const char *tag, guint position, void *user_data);
  gboolean (*is_closed) (const char *section, void *user_data);
  void (*set_closed) (const char *section, gboolean closed, void *user_data);
} SondeCardSections;

/* @user_data must outlive the grid. */
void sonde_card_grid_set_up (SondeCardGrid *grid, SondeCardFunc make, void *user_data);
/* The tags shown; the owner changes it. (transfer none) */
GtkStringList *sonde_card_grid_get_tags (SondeCardGrid *grid);

/* @user_data must outlive the grid. Default: no sections, MEDIUM. */
void sonde_card_grid_set_sections (SondeCardGrid *grid, const SondeCardSections *sections,
                                   void *user_data);
/* Other headings, or one that was closed by others. */
void sonde_card_grid_sections_changed (SondeCardGrid *grid);
void sonde_card_grid_set_size (SondeCardGrid *grid, SondeCardSize size);

/* For all cards that exist now, the expanded one too. */
void sonde_card_grid_foreach (SondeCardGrid *grid, SondeCardEachFunc func, void *user_data);
gboolean sonde_card_grid_is_settled (SondeCardGrid *grid);

/* Scrolls to the card of @tag, where there is one. */
void sonde_card_grid_reveal (SondeCardGrid *grid, const char *tag);

/* Signal "expanded" (): another tag, or none, fills the page. */

/* @tag: (nullable): NULL shows the grid again */
void sonde_card_grid_expand (SondeCardGrid *grid, const char *tag);
const char *sonde_card_grid_get_expanded (SondeCardGrid *grid); /* (nullable) */

/* The function makes other cards from now on; those that are there give way to new ones. */
void sonde_card_grid_remake (SondeCardGrid *grid);
/* Lists rather than charts: few of them take all the room there is. */
void sonde_card_grid_set_fill (SondeCardGrid *grid, gboolean fill);

G_END_DECLS
