/* SPDX-License-Identifier: Apache-2.0
 * Listing and graph of a session, kept to its position, breakpoints and the node that is looked
 * at. */
#pragma once

#include "app/debugger/sonde-debug-layout.h"
#include "app/debugger/sonde-debug-session.h"
#include "app/debugger/sonde-debug-listing.h"
#include "viewers/sonde-graph-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_PLACES (sonde_debug_places_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugPlaces, sonde_debug_places, SONDE, DEBUG_PLACES, GObject)

/* The widgets are lent and live as long; @layout arranges them. */
SondeDebugPlaces *sonde_debug_places_new (SondeDebugSession *session, SondeDebugLayout *layout,
                                          SondeDebugListing *listing, SondeGraphView *graph);
/* The session was left. */
void sonde_debug_places_clear (SondeDebugPlaces *places);

G_END_DECLS
