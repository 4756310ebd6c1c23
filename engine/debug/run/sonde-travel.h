/* SPDX-License-Identifier: Apache-2.0
 * The run's part in a way back: where it is to go, what it wants of steps on the way, whether it is
 * there, what it met. Who brings states back and lets the target run is sonde-time-travel.c. */
#pragma once

#include "engine/debug/run/sonde-breakpoint-locations.h"
#include "engine/debug/run/sonde-run-place.h"
#include "engine/live/sonde-watch-table.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_TRAVEL_NONE,
  SONDE_TRAVEL_TO,     /* to a place that is known */
  SONDE_TRAVEL_SEARCH, /* of REVERSE: over a window, noting where something stops */
} SondeTravelKind;

/**
 * SondeTravel: a way back; begin with sonde_travel_init()
 * @restored: what was kept was brought back: only running is left
 * @inside: of TO: it stands before the node whose body the place is in
 * @look: of TO: nodes of the fused step there to be gone over, or -1
 * @to: where to; of SEARCH: the last place found
 * @reason: of the stop there
 * @begin, @end: of SEARCH: the window is from the beginning of run @begin to before @end; it may
 * run from earlier on; @is_there: it has come there
 * @found, @moment, @node, @ids: of SEARCH: what stops at @to; ids of breakpoints
 * @pattern, @places: (nullable): of SEARCH: not for breakpoints, but for this node
 */
typedef struct
{
  SondeTravelKind kind;
  gboolean restored, inside;
  gint64 look;
  SondeRunPlace to;
  SondeStopReason reason;
  guint64 begin;
  SondeRunPlace end;
  gboolean is_there, found;
  SondeMoment moment;
  const SondeNode *node;
  GArray *ids;
  char *pattern;
  GPtrArray *places;
  const SondeSubject *subject;
  SondeBreakpointLocations *breakpoints;
  SondeWatchTable *watches;
} SondeTravel;

void sonde_travel_init (SondeTravel *travel, const SondeSubject *subject,
                        SondeBreakpointLocations *breakpoints, SondeWatchTable *watches);
void sonde_travel_forget (SondeTravel *travel);

gboolean sonde_travel_is_going (const SondeTravel *travel);
/* Breakpoints do not count on it. */
gboolean sonde_travel_is_direct (const SondeTravel *travel);

void sonde_travel_go_to (SondeTravel *travel, const SondeRunPlace *place, SondeStopReason reason);
/* The run up to @end is searched for the last time that something stops; or, with @pattern
 * (nullable), that it came by. */
void sonde_travel_search (SondeTravel *travel, const SondeRunPlace *end, const char *pattern);

/* What it wants of @step. */
guint sonde_travel_wants (SondeTravel *travel, SondeExecution *execution, guint step);
/* Whether the run that begins is to pause at once. */
gboolean sonde_travel_begins (const SondeTravel *travel);
SondeAnswer sonde_travel_comes_by (SondeTravel *travel, SondeExecution *execution, guint step,
                                   SondeMoment moment);
/* Whether what stops there matters: always, but on a way back. */
gboolean sonde_travel_looks (const SondeTravel *travel, SondeExecution *execution, guint step,
                             SondeMoment moment);
/* Something other than a breakpoint would stop there. */
void sonde_travel_note (SondeTravel *travel, SondeExecution *execution, guint step,
                        SondeMoment moment);

G_END_DECLS
