/* SPDX-License-Identifier: Apache-2.0
 * Tool-tips of widgets that there are many of, or that say something else all the time. Each
 * gtk_widget_set_tooltip_text() asks the X server where the pointer is, twice or thrice, and waits for it; these wait
 * until the pointer is there. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* @text: (nullable): copied */
void sonde_set_tooltip (GtkWidget *widget, const char *text);
/* (transfer none) (nullable) */
const char *sonde_get_tooltip (GtkWidget *widget);

G_END_DECLS
