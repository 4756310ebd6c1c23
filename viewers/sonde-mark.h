/* SPDX-License-Identifier: Apache-2.0
 * A small sign beside a name: the stroke of a series (colour and dash), or the shape of a state. */
#pragma once

#include <gtk/gtk.h>

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

#define SONDE_TYPE_MARK (sonde_mark_get_type ())
G_DECLARE_FINAL_TYPE (SondeMark, sonde_mark, SONDE, MARK, GtkWidget)

/* Shows nothing but keeps its room (18 × 12 px) until one of the setters is called. */
GtkWidget *sonde_mark_new (void);
/* @index: of the run, as sonde_theme_series() takes it */
void sonde_mark_set_series (SondeMark *mark, guint index);
void sonde_mark_set_state (SondeMark *mark, SondeState state);
void sonde_mark_set_nothing (SondeMark *mark);

G_END_DECLS
