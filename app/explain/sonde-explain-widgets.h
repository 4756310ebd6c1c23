/* SPDX-License-Identifier: Apache-2.0
 * Small widgets that all parts of the sample view are made of. */
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
/* A flat button with an icon; @name is its tool-tip and its name for assistive tools. */
GtkWidget *sonde_make_icon_button (const char *icon, const char *name);
/* A flow of equal tiles that wraps. */
GtkWidget *sonde_make_flow (guint max_per_line);
void sonde_clear_flow (GtkWidget *flow);
void sonde_clear_box (GtkWidget *box);
/* @min … @max in steps, without its number; @name for assistive tools and the tool-tip. */
GtkWidget *sonde_make_slider (double min, double max, double step, double value, const char *name);
/* A small image, pixels as squares, at most @side px; @image: (nullable): referenced */
GtkWidget *sonde_make_thumbnail (const SondeImage *image, int side, const char *name);
void sonde_thumbnail_set_image (GtkWidget *thumbnail, const SondeImage *image);
/* "0.01234", "12.35 M": four significant digits; "–" for NaN. (transfer full) */
char *sonde_part_number (double value);
/* "4 ms", "0.4 s", "12 s", "3 min", "2.5 h"; "" for NaN or negative. (transfer full) */
char *sonde_part_duration (double seconds);

/* "1 sample", "12 samples"; @noun: what takes an s. (transfer full) */
char *sonde_part_count (guint n, const char *noun);

G_END_DECLS
