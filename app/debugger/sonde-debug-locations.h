/* SPDX-License-Identifier: Apache-2.0
 * Listing and graph of a session, kept to its position, breakpoints and the node that is looked
 * at. */
#pragma once

#include "app/debugger/sonde-debug-layout.h"
#include "engine/frontend/sonde-debug-session.h"
#include "app/debugger/sonde-debug-listing.h"
#include "viewers/graph/sonde-graph-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_LOCATIONS (sonde_debug_locations_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugLocations, sonde_debug_locations, SONDE, DEBUG_LOCATIONS, GObject)

/* The widgets are borrowed and live as long; @layout arranges them. */
SondeDebugLocations *sonde_debug_locations_new (SondeDebugSession *session,
                                                SondeDebugLayout *layout,
                                                SondeDebugListing *listing, SondeGraphView *graph);
/* The session was left. */
void sonde_debug_locations_clear (SondeDebugLocations *locations);

G_END_DECLS
