/* SPDX-License-Identifier: Apache-2.0
 * A small sign beside a name: the stroke of a series (colour and dash), or the shape of a state. */
#pragma once

#include <gtk/gtk.h>

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

#define SONDE_TYPE_BADGE (sonde_badge_get_type ())
G_DECLARE_FINAL_TYPE (SondeBadge, sonde_badge, SONDE, BADGE, GtkWidget)

/* Shows nothing but keeps its room (18 × 12 px) until one of the setters is called. */
GtkWidget *sonde_badge_new (void);
/* @index: of the run, as sonde_theme_series() takes it */
void sonde_badge_set_series (SondeBadge *mark, guint index);
void sonde_badge_set_state (SondeBadge *mark, SondeState state);
void sonde_badge_set_nothing (SondeBadge *mark);

G_END_DECLS
