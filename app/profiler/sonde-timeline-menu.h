/* SPDX-License-Identifier: Apache-2.0
 * The menu of a timeline's tracks: pinned above the others, hidden, shown again, and their order. */
#pragma once

#include "viewers/trace/sonde-timeline-view.h"

G_BEGIN_DECLS

/* Gives @view the menu and the actions "tracks.pin", "hide", "show-all" and "sort" ("file", "busy", "name"), which
 * live as long as it. */
void sonde_timeline_menu_add (SondeTimelineView *view);

G_END_DECLS
