/* SPDX-License-Identifier: Apache-2.0
 * Names for a screen reader where GTK and libadwaita leave them out. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

void sonde_set_name (GtkWidget *widget, const char *name);

/* It is called as the texts in it at the moment, if there are some. */
void sonde_name_by_text (GtkWidget *widget);

/* What stands on the button is its name, too. */
void sonde_menu_button_set_words (GtkMenuButton *button, const char *words);

/* All of that type inside @widget. */
void sonde_name_inside (GtkWidget *widget, GType type, const char *name);

/* All buttons inside @widget are called as their texts, those without as their tool-tips. */
void sonde_name_buttons_inside (GtkWidget *widget);

/* The row, the list in it and its arrow are called as its title. */
void sonde_expander_row_set_title (AdwExpanderRow *row, const char *title);

/* What a list shows @item in, which gets the keys. */
void sonde_list_item_set_name (GtkListItem *item, const char *name);

/* The rows of a table are called what their first cells say; @factory: of a column, wherever it stands. */
void sonde_name_rows (GtkSignalListItemFactory *factory);

G_END_DECLS
