/* SPDX-License-Identifier: Apache-2.0
 * Breakpoints of the table on the plans of a debuggee: where each stops, what it may read there, and
 * which of them a position hits. */
#pragma once

#include "engine/debug/run/sonde-value-source.h"
#include "engine/debug/run/sonde-location-index.h"
#include "engine/live/sonde-breakpoint-table.h"

G_BEGIN_DECLS

/* Embedded in the debugger; all are lent. */
typedef struct
{
  SondeBreakpointTable *table;
  SondeLocationIndex *locations;
  const SondeValueLookup *lookup;
  SondePreviousValues *previous;
  SondeStopRecord *record;
} SondeBreakpointLocations;

/**
 * sonde_breakpoint_locations_add:
 * Looks for the locations of @spec, parses its texts, checks the names in them, adds it under @id.
 * What it reads of the step before is kept from then on. Errors: of the texts; NOT_FOUND; MEMORY.
 */
SondeArmedBreakpoint *sonde_breakpoint_locations_add (SondeBreakpointLocations *breakpoints,
                                                      const SondeBreakpointSpec *spec, guint id,
                                                      GError **error);

/* Whether enabled ones want @step of @execution: bits SONDE_WANT_BEFORE and _AFTER. */
guint sonde_breakpoint_locations_want (SondeBreakpointLocations *breakpoints,
                                       SondeExecution *execution, guint step);

/**
 * sonde_breakpoint_locations_count_hits:
 * @again: in reverse execution: nothing is counted
 *
 * Counts the enabled breakpoints hooked to @step and @moment, appends the ids of those that stop to
 * the record's hits. Returns: (nullable): the node of the first of them.
 */
const SondeNode *sonde_breakpoint_locations_count_hits (SondeBreakpointLocations *breakpoints,
                                                        SondeExecution *execution, guint step,
                                                        SondeMoment moment, gboolean again);

G_END_DECLS
