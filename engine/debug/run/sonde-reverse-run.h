/* SPDX-License-Identifier: Apache-2.0
 * The run's part in reverse execution: which position it is to reach, what it wants of steps on the
 * way, whether it has arrived, what would have stopped it. Who restores states and lets the target
 * run is sonde-reverse-execution.c. */
#pragma once

#include "engine/debug/run/sonde-breakpoint-locations.h"
#include "engine/debug/run/sonde-run-position.h"
#include "engine/live/sonde-watch-table.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_REVERSE_NONE,
  SONDE_REVERSE_TO,     /* to a position that is known */
  SONDE_REVERSE_SEARCH, /* of REVERSE: over a window, noting where something stops */
} SondeReverseKind;

/**
 * SondeReverseRun: begin with sonde_reverse_run_init()
 * @restored: the state that was kept is restored: only running is left
 * @in_body: of TO: it stands before the node whose body the position is in
 * @group_node: of TO: number of the node of the fused step there, or -1
 * @to: where to; of SEARCH: the last position found
 * @reason: of the stop there
 * @begin, @end: of SEARCH: the window is from the beginning of run @begin to before @end; it may
 * run from earlier on
 * @arrived: it stands at @to, or has come to @end
 * @found, @moment, @node, @ids: of SEARCH: what stops at @to; ids of breakpoints
 * @pattern, @cache: (nullable): of SEARCH: not for breakpoints, but for this node; its locations
 */
typedef struct
{
  SondeReverseKind kind;
  gboolean restored, in_body;
  gint64 group_node;
  SondeRunPosition to;
  SondeStopReason reason;
  guint64 begin;
  SondeRunPosition end;
  gboolean arrived, found;
  SondeMoment moment;
  const SondeNode *node;
  GArray *ids;
  char *pattern;
  GPtrArray *cache;
  const SondeDebuggee *debuggee;
  SondeBreakpointLocations *breakpoints;
  SondeWatchTable *watches;
} SondeReverseRun;

void sonde_reverse_run_init (SondeReverseRun *reverse, const SondeDebuggee *debuggee,
                             SondeBreakpointLocations *breakpoints, SondeWatchTable *watches);
void sonde_reverse_run_forget (SondeReverseRun *reverse);

gboolean sonde_reverse_run_is_active (const SondeReverseRun *reverse);
/* Breakpoints do not count on it. */
gboolean sonde_reverse_run_ignores_breakpoints (const SondeReverseRun *reverse);

void sonde_reverse_run_go_to (SondeReverseRun *reverse, const SondeRunPosition *at,
                              SondeStopReason reason);
/* The run up to @end is searched for the last time that something stops; or, with @pattern
 * (nullable), that it came by. */
void sonde_reverse_run_search (SondeReverseRun *reverse, const SondeRunPosition *end,
                               const char *pattern);

/* What it wants of @step. */
guint sonde_reverse_run_wants (SondeReverseRun *reverse, SondeExecution *execution, guint step);
/* Whether the run that begins is to pause at once. */
gboolean sonde_reverse_run_pauses_at_begin (const SondeReverseRun *reverse);
/* The run comes to @step. PAUSE: it has arrived. */
SondeAnswer sonde_reverse_run_pass (SondeReverseRun *reverse, SondeExecution *execution, guint step,
                                    SondeMoment moment);
/* Whether what stops there matters: always, but in reverse execution. */
gboolean sonde_reverse_run_counts_stop (const SondeReverseRun *reverse, SondeExecution *execution,
                                        guint step, SondeMoment moment);
/* Something other than a breakpoint would stop there. */
void sonde_reverse_run_note_stop (SondeReverseRun *reverse, SondeExecution *execution, guint step,
                                  SondeMoment moment);

G_END_DECLS
