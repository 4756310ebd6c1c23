/* SPDX-License-Identifier: Apache-2.0
 * How much larger than designed the desktop asks texts to be: GTK's labels follow by themselves, sizes in px that
 * texts stand in are multiplied by it. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* 1: as designed, 2: twice as large. Changes come as GTK_SYSTEM_SETTING_DPI. */
double sonde_text_scale_get (GtkWidget *widget);

/* @length, in px at a text scale of 1, rounded up. */
int sonde_text_scale_length (GtkWidget *widget, int length);

/* gtk_widget_set_size_request() of px at a text scale of 1, which follows the scale from now on; -1: as large as the
 * content. May be called again. */
void sonde_text_scale_request (GtkWidget *widget, int width, int height);

/* In place of the desktop's, for the whole program: for pictures and tests. */
void sonde_text_scale_set (double scale);

G_END_DECLS
