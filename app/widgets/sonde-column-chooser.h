/* SPDX-License-Identifier: Apache-2.0
 * Which columns a table shows: a button "Columns (12 of 54)" with all of them in a list that can be
 * searched. */
#pragma once

#include <gtk/gtk.h>

#include "app/widgets/sonde-column-choices.h"

G_BEGIN_DECLS

#define SONDE_TYPE_COLUMN_CHOOSER (sonde_column_chooser_get_type ())
G_DECLARE_FINAL_TYPE (SondeColumnChooser, sonde_column_chooser, SONDE, COLUMN_CHOOSER, GtkBox)

/* @usual: what the button is called that shows the usual columns again. Signal "opened" (): the list is about to
 * be seen. */
GtkWidget *sonde_column_chooser_new (SondeColumnChoices *choices, const char *usual);

G_END_DECLS
