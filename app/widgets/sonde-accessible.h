/* SPDX-License-Identifier: Apache-2.0
 * Names for a screen reader where GTK and libadwaita leave them out. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* What stands on the button is its name, too. */
void sonde_menu_button_set_words (GtkMenuButton *button, const char *words);

/* All of that type inside @widget: the list and the arrow of an AdwExpanderRow. */
void sonde_name_inside (GtkWidget *widget, GType type, const char *name);

G_END_DECLS
