/* SPDX-License-Identifier: Apache-2.0
 * Asks for a file that a model is to run on. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef void (*SondeDebugInputChosen) (GtkWidget *over, const char *path);

/* @over: what the dialog belongs to; @chosen: called once, when a file was chosen and @over still
 * lives */
void sonde_debug_input_ask (GtkWidget *over, SondeDebugInputChosen chosen);

G_END_DECLS
