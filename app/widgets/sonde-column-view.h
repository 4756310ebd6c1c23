/* SPDX-License-Identifier: Apache-2.0
 * What tables whose columns depend on the data share. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void sonde_column_view_clear (GtkColumnView *view); /* no column is left */

/* Puts @column, with a factory of signals, before the column at @position, or at the end. @is_number: its head stands at the right, as the
 * numbers do. */
void sonde_column_view_insert (GtkColumnView *view, guint position, GtkColumnViewColumn *column,
                               gboolean is_number);

/* Appends @column, which the view owns then. (transfer full) */
void sonde_column_view_take (GtkColumnView *view, GtkColumnViewColumn *column, gboolean is_number);

/* Of a column of @view: px at a text scale of 1; follows the scale. */
void sonde_column_view_set_width (GtkColumnView *view, GtkColumnViewColumn *column, int width);

G_END_DECLS
