/* SPDX-License-Identifier: Apache-2.0
 * The executed graph as text: one node a line, breakpoints and the present position in the gutter. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_LISTING (sonde_debug_listing_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugListing, sonde_debug_listing, SONDE, DEBUG_LISTING, AdwBin)

void sonde_debug_listing_set_text (SondeDebugListing *listing,
                                   const char        *text);

/* Lines from 1. Replaces all marks. @current: 0: none. @breakpoints: (element-type guint) */
void sonde_debug_listing_set_marks (SondeDebugListing *listing,
                                    guint              current,
                                    GArray            *breakpoints);

/* Line of the text cursor, from 1. */
guint sonde_debug_listing_get_line (SondeDebugListing *listing);
void sonde_debug_listing_scroll_to (SondeDebugListing *listing,
                                    guint              line);

/* Signals: "line-activated" (guint line): a click in the gutter; "line-chosen" (guint line): the text cursor was
 * put there by hand. */

G_END_DECLS
