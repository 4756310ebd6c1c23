/* SPDX-License-Identifier: Apache-2.0
 * The executed graph as text: one node a line, breakpoints and the present position in the
 * gutter. */
#pragma once

#include <adwaita.h>

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_LISTING (sonde_debug_listing_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugListing, sonde_debug_listing, SONDE, DEBUG_LISTING, AdwBin)

/* @text: as the engine lists it, shown in short; its lines are those of the view. @graph: (nullable): the
 * executed one */
void sonde_debug_listing_set_text (SondeDebugListing *listing, const char *text,
                                   const SondeGraph *graph);

/* A few words about what the node of a line has made, before its shape; NULL: none. A line that is not there (any
 * more) is stepped over. */
void sonde_debug_listing_set_value (SondeDebugListing *listing, guint line, const char *text);
const char *sonde_debug_listing_get_value (SondeDebugListing *listing, guint line); /* (nullable) */
/* Values stand in the text with the next frame; "written" follows. */
gboolean sonde_debug_listing_is_writing (SondeDebugListing *listing);
/* The lines that can be seen. */
void sonde_debug_listing_get_visible (SondeDebugListing *listing, guint *first, guint *last);

/* A line that is of less weight, after the text was set; from 1, 0: none. */
void sonde_debug_listing_dim (SondeDebugListing *listing, guint line);

/* How a breakpoint is drawn. */
typedef enum
{
  SONDE_DEBUG_BREAKPOINT_PLAIN,
  SONDE_DEBUG_BREAKPOINT_CONDITIONAL, /* with a condition, or a log: it may not stop */
  SONDE_DEBUG_BREAKPOINT_OFF,
} SondeDebugBreakpointKind;

typedef struct
{
  guint line;
  SondeDebugBreakpointKind kind;
} SondeDebugLineMark;

/* Lines from 1. Replaces all marks. @current: 0: none. @marks: (element-type SondeDebugLineMark) */
void sonde_debug_listing_set_marks (SondeDebugListing *listing, guint current, GArray *marks);
/* The line that is looked at stands out; 0: none. */
void sonde_debug_listing_set_looked_at (SondeDebugListing *listing, guint line);

/* Shows the search bar; Return goes to the next match. */
void sonde_debug_listing_search (SondeDebugListing *listing);

/* The node on a line, also of a body. (transfer full) (nullable) */
char *sonde_debug_listing_dup_name (SondeDebugListing *listing, guint line);
/* The line of a node; 0: none. */
guint sonde_debug_listing_find_name (SondeDebugListing *listing, const char *name);

/* Line of the text cursor, from 1. */
guint sonde_debug_listing_get_line (SondeDebugListing *listing);
void sonde_debug_listing_scroll_to (SondeDebugListing *listing, guint line);
/* The keyboard is the text's. */
void sonde_debug_listing_focus (SondeDebugListing *listing);

/* Signals: "filled" (): it has another text; "scrolled" (): other lines can be seen; "written" (): values
 * stand in the text;
 * "line-activated" (guint line): a click in the gutter; "line-chosen" (guint line): the
 * text cursor was put there by hand. */

G_END_DECLS
