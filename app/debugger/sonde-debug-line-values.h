/* SPDX-License-Identifier: Apache-2.0
 * In the lines of the listing: mean and deviation of what their nodes have made, for those that can be
 * seen. Asked for one after the other, so that what the user wants to know meanwhile comes between. */
#pragma once

#include "app/debugger/sonde-debug-listing.h"
#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_LINE_VALUES (sonde_debug_line_values_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugLineValues, sonde_debug_line_values, SONDE, DEBUG_LINE_VALUES,
                      GObject)

/* Both are borrowed from the page, which owns this. */
SondeDebugLineValues *sonde_debug_line_values_new (SondeDebugSession *session,
                                                   SondeDebugListing *listing);

G_END_DECLS
