/* SPDX-License-Identifier: Apache-2.0
 * The breakpoints of one session: their conditions, counts and log texts. Where a breakpoint stops
 * is its owner's business: the table never looks at a graph.
 *
 * Threads: the one that runs; nothing is locked. */
#pragma once

#include "engine/live/sonde-expression.h"
#include "engine/live/sonde-log-text.h"
#include "engine/types/sonde-breakpoint.h"

G_BEGIN_DECLS

/* Most breakpoints of one session; more are refused with SONDE_ENGINE_ERROR_MEMORY. */
#define SONDE_DEBUGGER_MAX_BREAKPOINTS 10000

/* Called inside the run. */
typedef void (*SondeBreakpointLog) (const SondeLogLine *line, gpointer data);

/**
 * SondeArmedBreakpoint: a breakpoint with what was parsed of it
 * @condition, @hit_condition, @log: (nullable)
 * @held: times that @condition held
 * @places: (nullable): whatever the owner keeps with it; freed with @free_places
 */
typedef struct
{
  SondeBreakpoint info; /* first member */
  SondeExpression *condition, *hit_condition;
  SondeLogText *log;
  guint64 held;
  gpointer places;
  GDestroyNotify free_places;
} SondeArmedBreakpoint;

/* Parses @spec; it has no id yet, and is in no table. Errors: of the texts. (transfer full) */
SondeArmedBreakpoint *sonde_armed_breakpoint_new (const SondeBreakpointSpec *spec, GError **error);
void sonde_armed_breakpoint_free (SondeArmedBreakpoint *breakpoint);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeArmedBreakpoint, sonde_armed_breakpoint_free)

/* Its expression number @k: of conditions and text; NULL behind the last. (transfer none) */
SondeExpression *sonde_armed_breakpoint_get_expression (const SondeArmedBreakpoint *breakpoint,
                                                        guint k);

/**
 * SondeBreakpointTable:
 * @list: (element-type SondeArmedBreakpoint): in order of ids
 * @removed: (nullable): called before a breakpoint is freed
 * @log: (nullable): is told what logpoints print
 */
typedef struct
{
  GPtrArray *list;
  void (*removed) (SondeArmedBreakpoint *breakpoint, gpointer data);
  gpointer removed_data;
  SondeBreakpointLog log;
  gpointer log_data;
} SondeBreakpointTable;

void sonde_breakpoint_table_init (SondeBreakpointTable *table);
void sonde_breakpoint_table_clear (SondeBreakpointTable *table);

/* Errors: MEMORY: there are too many. */
gboolean sonde_breakpoint_table_has_room (const SondeBreakpointTable *table, GError **error);
/* @breakpoint: (transfer full); @id: of its own from now on */
void sonde_breakpoint_table_add (SondeBreakpointTable *table, SondeArmedBreakpoint *breakpoint,
                                 guint id);

/* The three below: @id 0: all. FALSE: there is none of that id. */
gboolean sonde_breakpoint_table_remove (SondeBreakpointTable *table, guint id);
gboolean sonde_breakpoint_table_enable (SondeBreakpointTable *table, guint id, gboolean enabled);
gboolean sonde_breakpoint_table_ignore (SondeBreakpointTable *table, guint id, guint64 count);
/* Removes the temporary ones among @ids (element-type guint). */
void sonde_breakpoint_table_drop_temporary (SondeBreakpointTable *table, const GArray *ids);

/**
 * SondePassing: how a run comes by a breakpoint
 * @source: values at this place
 * @node: its name; @step: number of the training step
 * @again: it has come by before, on a way back: nothing is counted or printed
 * @condition_error: (inout) (nullable): why a condition could not be evaluated; set once; owned by
 * the caller
 */
typedef struct
{
  SondeExpressionSource *source;
  const char *node;
  guint64 step;
  gboolean again;
  SondeMessage **condition_error;
} SondePassing;

/* Counts, and prints its text. TRUE when it stops. A condition that cannot be evaluated stops, one
 * whose values are not there does not; the breakpoint notes why. */
gboolean sonde_breakpoint_table_pass (SondeBreakpointTable *table, SondeArmedBreakpoint *breakpoint,
                                      const SondePassing *passing);

G_END_DECLS
