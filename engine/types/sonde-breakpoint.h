/* SPDX-License-Identifier: Apache-2.0
 * A breakpoint as a value: what is asked for, what there is, and what a logpoint prints. Setting and
 * hitting them is engine/debug/sonde-debugger.h. */
#pragma once

#include "data/base/sonde-message.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_MOMENT_BEFORE, /* the node's inputs are there, its outputs are not */
  SONDE_MOMENT_AFTER,  /* its outputs are there */
} SondeMoment;

const char *sonde_moment_name (SondeMoment moment); /* "before", "after" */

/* The pattern of a breakpoint at whatever node fails, wherever that is (“catch error”): of loops that
 * are not the engine's, whose program may go on behind an error. */
#define SONDE_BREAKPOINT_ERRORS "catch:error"

/**
 * SondeBreakpointSpec: what a breakpoint is asked to be; zero-initialise
 * @pattern: a node's name, the name of a value it makes, a glob over both, "op:TYPE" (TYPE may be
 *   a glob too), "scope:GLOB" (the first, or after: the last node of each run of steps in that
 *   scope), or "phase:forward|backward|optimiser" (the same of a phase). Names of the original
 *   graph are understood: a node that was fused, rewritten or folded is stopped at where it is, or
 *   would be, computed. Nodes inside bodies count, too: each iteration comes by.
 * @moment: before or after the node
 * @temporary: it is removed by its first stop
 * @ignore: number of hits that do not stop; with a condition: of those for which it holds
 * @either: @moment is chosen: AFTER when the condition or the text reads a value that the node
 * makes, else BEFORE
 * @condition: (nullable): expression; it stops when it holds. “hits” is the number of passes, this
 *   one included; what is unknown does not hold; one that cannot be evaluated stops, and the stop
 *   says why
 * @hit_condition: (nullable): expression over “hits”: here the number of passes for which
 * @condition held
 * @log: (nullable): text with {expressions}: it is said instead of stopping
 */
typedef struct
{
  const char *pattern;
  SondeMoment moment;
  gboolean temporary;
  guint64 ignore;
  gboolean either;
  const char *condition;
  const char *hit_condition;
  const char *log;
} SondeBreakpointSpec;

/**
 * SondeBreakpoint: strings are owned; those from @condition on (nullable)
 * @id: from 1, never reused
 * @pattern: as given
 * @hits: times a run came by while it was enabled, ignored ones included
 * @ignore: hits still to be ignored
 * @n_positions: places where it stops: steps of the plan, and nodes inside bodies
 * @condition, @hit_condition, @log: as given
 * @note: why the condition could not be evaluated last
 */
typedef struct
{
  guint id;
  char *pattern;
  SondeMoment moment;
  gboolean temporary;
  gboolean enabled;
  guint64 hits;
  guint64 ignore;
  guint n_positions;
  char *condition;
  char *hit_condition;
  char *log;
  SondeMessage *note;
} SondeBreakpoint;

SondeBreakpoint *sonde_breakpoint_copy (const SondeBreakpoint *breakpoint);
void sonde_breakpoint_free (SondeBreakpoint *breakpoint);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeBreakpoint, sonde_breakpoint_free)

/**
 * SondeLogLine: what a breakpoint with a text says when its node comes by; lent for the call
 * @node: name of the node
 */
typedef struct
{
  guint breakpoint;
  const char *node;
  SondeMoment moment;
  guint64 step;
  const char *text;
} SondeLogLine;

G_END_DECLS
