/* SPDX-License-Identifier: Apache-2.0
 * What a debugger is made of. Each object knows only those above it; what joins them is in the files
 * that include this header: sonde-debugger.c (observer), -breakpoints.c, -values.c, -resume.c,
 * sonde-reverse-execution.c and sonde-recheck.c. */
#pragma once

#include <stdatomic.h>

#include "engine/debug/sonde-reverse-execution.h"
#include "engine/debug/sonde-debugger-source.h"
#include "engine/debug/sonde-probes.h"
#include "engine/debug/run/sonde-stepper.h"
#include "engine/debug/watches/sonde-watch-list.h"

G_BEGIN_DECLS

/**
 * SondeDebugger:
 * @last_id: of breakpoints and watches
 * @interrupted: the run that begins next pauses
 */
struct _SondeDebugger
{
  SondeObserver observer; /* first member */
  SondeDebuggee debuggee;
  SondeLocationIndex locations;
  SondeStopRecord record;
  SondeValueLookup lookup;
  SondePreviousValues previous;
  SondeProbes probes;
  SondeBreakpointTable breakpoints;
  SondeBreakpointLocations breakpoint_locations;
  SondeWatchTable watch_table;
  SondeRunLengths lengths;
  SondeReverseRun reverse;
  SondeWatchList watches;
  SondeStepper stepper;
  guint last_id;
  _Atomic gboolean interrupted;
};

/* The run stops @moment @step; @node is what the user named, if a name brought it there. */
void sonde_debugger_set_stop (SondeDebugger *debugger, SondeExecution *execution, guint step,
                              SondeMoment moment, const SondeNode *node, SondeStopReason reason);
/* Stands before node @n of the fused step @position. */
void sonde_debugger_enter_group (SondeDebugger *debugger, SondeExecution *execution, guint position,
                                 guint n);
/* The stop is over: what stopped there is forgotten. */
void sonde_debugger_forget_stop (SondeDebugger *debugger);

G_END_DECLS
