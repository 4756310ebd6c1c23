/* SPDX-License-Identifier: Apache-2.0
 * Inside of the debugger: places of patterns on a plan, breakpoints, probes, the way a run goes on.
 * Shared by the files of this folder. */
#pragma once

#include <stdatomic.h>

#include "engine/debug/sonde-debugger.h"

G_BEGIN_DECLS

/* ---- places --------------------------------------------------------------------------------- */

/**
 * SondePlace: where a pattern stops in a plan
 * @step: the step it is hooked to: BEFORE it or AFTER it
 * @node: the node the user named, of the executed or the original graph; lent by that graph
 */
typedef struct
{
  guint step;
  SondeMoment moment;
  const SondeNode *node;
} SondePlace;

/**
 * SondePlaceIndex: what is known of one plan; a trainer has several
 * @ranges: name of an original node -> (first step, last step), see index_range()
 * @absent: original node without a step -> step before which it would have run
 */
typedef struct
{
  SondePlan *plan;
  SondeGraph *original; /* (nullable) */
  GHashTable *ranges;
  GHashTable *absent;
} SondePlaceIndex;

SondePlaceIndex *sonde_place_index_new (SondePlan  *plan,
                                        SondeGraph *original);
void sonde_place_index_free (SondePlaceIndex *index);

/* All places of @pattern, by step, each once. (element-type SondePlace) (transfer full); empty when it
 * matches nothing. */
GArray *sonde_place_index_find (SondePlaceIndex *index,
                                const char      *pattern,
                                SondeMoment      moment);

/* NOT_FOUND with the nearest name. Always sets @error. */
void sonde_place_index_set_error (SondePlaceIndex *index,
                                  const char      *pattern,
                                  GError         **error);

/* The place hooked to @step and @moment, or NULL. @places: by step */
const SondePlace *sonde_places_at (const GArray *places,
                                   guint         step,
                                   SondeMoment   moment);

/* "a/b" lies in "a" and in "a/b"; everything lies in NULL. */
gboolean sonde_scope_contains (const char *scope,
                               const char *other);

/* Names of nodes and values of @graph, as candidates for sonde_nearest_name(). */
const char *sonde_nearest_in_graph (const char       *text,
                                    const SondeGraph *graph);

/* ---- the debugger --------------------------------------------------------------------------- */

/* Breakpoint with its places by plan (index in SondeDebugger.indices). */
typedef struct
{
  SondeBreakpoint info; /* first member */
  GPtrArray *places;    /* (element-type GArray): by index of the plan, NULL where not looked for yet */
} SondeArmedBreakpoint;

typedef struct
{
  char *value;
  SondeProbeCallback callback;
  gpointer data;
} SondeProbe;

#define SONDE_NO_POSITION G_MAXUINT

/**
 * SondeDebugger:
 * @indices: (element-type SondePlaceIndex): by plan seen
 * @evaluated: position whose breakpoints have been looked at in this run: not a second time
 * @executed: steps executed since the resume, before the present run's @start
 * @start: position in the present run where counting starts
 * @over: (nullable): of NEXT: scope to be run over; owned
 * @until: (nullable) (element-type GArray): places of UNTIL's pattern by index of the plan
 * @until_step: of UNTIL step:N, else 0; @until_phase: of UNTIL phase:P, else -1
 * @stop, @hits, @node, @op, @scope: the last stop; names are copies, as plans may come and go
 */
struct _SondeDebugger
{
  SondeObserver observer; /* first member */
  SondeGraph *original;
  const SondeDebuggerTarget *target;
  gpointer target_data;
  SondeExecution *current;
  GPtrArray *indices;
  GPtrArray *breakpoints;
  GPtrArray *probes;
  guint next_id;
  SondeDebuggerStepSource step_source;
  gpointer step_data;
  guint64 step;
  gboolean began; /* some run began */
  _Atomic gboolean interrupted;

  gboolean going; /* between resume and stop */
  SondeResume resume;
  guint64 executed;
  guint start;
  guint evaluated;
  char *over;
  gboolean is_over; /* @over counts */
  char *until_pattern;
  GPtrArray *until;
  guint64 until_step;
  int until_phase;

  SondeStop stop;
  GArray *hits; /* (element-type guint) */
  char *node, *op, *scope;
};

/* Index of the plan of @execution, made when it is new. */
guint sonde_debugger_index_of (SondeDebugger  *debugger,
                               SondeExecution *execution);
/* Places of @pattern's list in the plan of that index, looked up once. */
const GArray *sonde_debugger_places (SondeDebugger *debugger,
                                     GPtrArray     *by_index,
                                     guint          index,
                                     const char    *pattern,
                                     SondeMoment    moment);
const GArray *sonde_debugger_breakpoint_places (SondeDebugger        *debugger,
                                                SondeArmedBreakpoint *breakpoint,
                                                guint                 index);
/* Observers are asked again what they want. */
void sonde_debugger_refresh (SondeDebugger *debugger);

/**
 * sonde_debugger_count_hits:
 * Counts the enabled breakpoints hooked to @step and @moment, appends the ids of those that stop to
 * debugger->hits. Returns: (nullable): the node of the first of them.
 */
const SondeNode *sonde_debugger_count_hits (SondeDebugger *debugger,
                                            guint          index,
                                            guint          step,
                                            SondeMoment    moment);
/* Removes the temporary breakpoints among debugger->hits. */
void sonde_debugger_drop_temporary (SondeDebugger *debugger);

gboolean sonde_debugger_wants_probe (SondeDebugger *debugger,
                                     SondePlan     *plan,
                                     guint          step);
void sonde_debugger_run_probes (SondeDebugger  *debugger,
                                SondeExecution *execution,
                                guint           step);
/* The run that they waited for is over. */
void sonde_debugger_give_up_probes (SondeDebugger *debugger);

/* sonde-debugger-resume.c: whether the run is to stop BEFORE @step; reason NONE: no. */
SondeStopReason sonde_debugger_reason_before (SondeDebugger *debugger,
                                              guint          index,
                                              guint          step);
gboolean sonde_debugger_wants_before (SondeDebugger *debugger,
                                      guint          index,
                                      guint          step);
void sonde_debugger_forget_resume (SondeDebugger *debugger);

G_END_DECLS
