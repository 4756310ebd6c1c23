/* SPDX-License-Identifier: Apache-2.0
 * Beside the picture of points: a search in their labels, and a table of those that are marked or of
 * the neighbours of the selected one, where it truly is. */
#pragma once

#include "viewers/scatter/sonde-scatter-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PROJECTOR_PANEL (sonde_projector_panel_get_type ())
G_DECLARE_FINAL_TYPE (SondeProjectorPanel, sonde_projector_panel, SONDE, PROJECTOR_PANEL, GtkBox)

/* Follows the selection and the marks of @view, and sets them. */
GtkWidget *sonde_projector_panel_new (SondeScatterView *view);

/* The points before projection. @points: (nullable); @columns: (nullable) (array zero-terminated=1): of
 * the labels; NULL with @has_labels: one without a name */
void sonde_projector_panel_set_points (SondeProjectorPanel *panel, SondeTensor *points,
                                       const char *const *columns, gboolean has_labels);
/* Marks the points one of whose labels matches the regular expression, any case; NULL or "": none.
 * FALSE: it is none, which the panel says */
gboolean sonde_projector_panel_search (SondeProjectorPanel *panel, const char *pattern);
gboolean sonde_projector_panel_is_busy (SondeProjectorPanel *panel); /* neighbours are looked for */
/* The table as CSV. (transfer full) */
char *sonde_projector_panel_dup_table (SondeProjectorPanel *panel, char separator);

G_END_DECLS
