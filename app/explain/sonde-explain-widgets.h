/* SPDX-License-Identifier: Apache-2.0
 * Small widgets that are made in code, where a template cannot say how many there are. */
#pragma once

#include <gtk/gtk.h>

#include "data/values/sonde-image.h"

G_BEGIN_DECLS

/* @classes: of the style, separated by spaces. One line, ellipsised in the middle, the whole text
 * in the tool-tip. */
GtkWidget *sonde_make_label (const char *text, const char *classes);
/* The same over several lines. */
GtkWidget *sonde_make_text (const char *text, const char *classes);
void sonde_label_set (GtkWidget *label, const char *text); /* with its tool-tip */
/* A row or a column of @spacing px. */
GtkWidget *sonde_make_row (int spacing);
GtkWidget *sonde_make_column (int spacing);
/* A flow of equal tiles that wraps. */
GtkWidget *sonde_make_flow (guint max_per_line);
void sonde_clear_flow (GtkWidget *flow);
void sonde_clear_box (GtkWidget *box);
/* A small image, pixels as squares, at most @side px; @image: (nullable): referenced */
GtkWidget *sonde_make_thumbnail (const SondeImage *image, int side, const char *name);
void sonde_thumbnail_set_image (GtkWidget *thumbnail, const SondeImage *image);

G_END_DECLS
