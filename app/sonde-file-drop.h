/* SPDX-License-Identifier: Apache-2.0
 * Files and folders that are dragged from a file manager onto a widget. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* @action: of @widget, takes an array of byte strings: the paths. What lies on another computer is
 * refused. */
void sonde_file_drop_add (GtkWidget *widget, const char *action);

G_END_DECLS
