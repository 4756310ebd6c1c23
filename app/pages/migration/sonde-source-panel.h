/* SPDX-License-Identifier: Apache-2.0
 * One source file, read only, with a line that is looked at. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_SOURCE_PANEL (sonde_source_panel_get_type ())
G_DECLARE_FINAL_TYPE (SondeSourcePanel, sonde_source_panel, SONDE, SOURCE_PANEL, GtkBox)

/* Signal "scrolled": the line that was asked for can be seen. */
GtkWidget *sonde_source_panel_new (void);
gboolean sonde_source_panel_is_scrolled (SondeSourcePanel *panel);

/* @place: where the file is; @title: what it is called; @line: from 1. A file that cannot be read says why
 * in place of the text. */
void sonde_source_panel_show (SondeSourcePanel *panel, const char *place, const char *title,
                              guint line);
void sonde_source_panel_clear (SondeSourcePanel *panel);

G_END_DECLS
