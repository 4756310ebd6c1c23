/* SPDX-License-Identifier: Apache-2.0
 * A row of a grid of cards, as the model of the list sees it: the heading of a section, or the tags of a few cards
 * beside each other. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define SONDE_TYPE_CARD_ROW (sonde_card_row_get_type ())
G_DECLARE_FINAL_TYPE (SondeCardRow, sonde_card_row, SONDE, CARD_ROW, GObject)

/* Signal "changed" (): a heading has other cards, or was opened or closed. */

/* The heading of @section, which has @n_cards. */
SondeCardRow *sonde_card_row_new_heading (const char *section, guint n_cards, gboolean closed);
/* @tags: (array length=n_tags): copied; @n_columns ≥ @n_tags */
SondeCardRow *sonde_card_row_new (const char *const *tags, guint n_tags, guint n_columns);

const char *sonde_card_row_get_section (SondeCardRow *row); /* (nullable): NULL is a row of cards */
guint sonde_card_row_get_n_cards (SondeCardRow *row);       /* of the section, or in the row */
gboolean sonde_card_row_is_closed (SondeCardRow *row);
guint sonde_card_row_get_n_columns (SondeCardRow *row);
const char *sonde_card_row_get_tag (SondeCardRow *row, guint i);
/* What a screen reader calls it: the section, or all tags. (transfer full) */
char *sonde_card_row_dup_name (SondeCardRow *row);

/* Makes @store (of SondeCardRow) what @rows (element-type SondeCardRow) is; changed only where they differ. */
void sonde_card_row_update_store (GListStore *store, GPtrArray *rows);

G_END_DECLS
