/* SPDX-License-Identifier: Apache-2.0
 * Small widgets that the debugger's panels share. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A flat button with an icon; @words are its tool-tip and accessible name. @callback (nullable):
 * swapped */
GtkWidget *sonde_debug_icon_button (const char *icon, const char *words, GCallback callback,
                                    gpointer data); /* GObject */

/* A line of text: start-aligned, ellipsised, tabular figures. @css_class: (nullable) */
GtkWidget *sonde_debug_label (const char *text, const char *css_class);
/* The same for a name from a file: made visible, in the middle ellipsised, whole in the
 * tool-tip. */
GtkWidget *sonde_debug_name_label (const char *name, const char *css_class);

/* An entry that grows; @words: accessible name; @placeholder: (nullable) */
GtkWidget *sonde_debug_entry (const char *words, const char *placeholder);
/* A row of a form's grid: @words, then @widget, which is called by them. */
void sonde_debug_attach (GtkWidget *grid, int row, const char *words, GtkWidget *widget);

/* Rows of a GtkListBox. */
void sonde_debug_list_clear (GtkWidget *list);
/* A row with a horizontal box of 12 px gaps, appended; returns the box. */
GtkWidget *sonde_debug_list_add (GtkWidget *list);
/* The row around such a box. */
GtkWidget *sonde_debug_row_of (GtkWidget *box);

G_END_DECLS
