/* SPDX-License-Identifier: Apache-2.0
 * A list that Tab enters once, at its selected row, and leaves with the next press; arrow keys move
 * inside. GTK makes every row of a list a stop of its own. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define SONDE_TYPE_TAB_STOP (sonde_tab_stop_get_type ())
/* The child is a GtkListBox or a GtkListView, or a GtkScrolledWindow with one. */
G_DECLARE_FINAL_TYPE (SondeTabStop, sonde_tab_stop, SONDE, TAB_STOP, AdwBin)

G_END_DECLS
