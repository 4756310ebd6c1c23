/* SPDX-License-Identifier: Apache-2.0
 * The roofline with a mark for each operator, to be zoomed; a click selects one, a click beside them lets it go,
 * arrows go from one to the next by their share: property "selection" of SondeView, the index of the mark. */
#pragma once

#include "viewers/paint/profile/sonde-roofline-paint.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_ROOFLINE_VIEW (sonde_roofline_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeRooflineView, sonde_roofline_view, SONDE, ROOFLINE_VIEW, SondeView)

GtkWidget *sonde_roofline_view_new (void);

/* @marks: (array length=n): copied with their names, the largest share first; @message: (nullable): in place of
 * the picture */
void sonde_roofline_view_set (SondeRooflineView *view, const SondeRooflineMark *marks, gsize n,
                              const SondeCeilings *ceilings, const char *message);

/* Of a mark: what it is, what it reaches and what it could reach. (transfer full) */
char *sonde_roofline_view_dup_sentence (SondeRooflineView *view, gint64 mark);

G_END_DECLS
