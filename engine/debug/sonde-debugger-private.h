/* SPDX-License-Identifier: Apache-2.0
 * Inside of the debugger: places of patterns on a plan, breakpoints, probes, the way a run goes on.
 * Shared by the files of this folder. */
#pragma once

#include <stdatomic.h>

#include "engine/debug/sonde-debugger-back.h"
#include "engine/debug/sonde-debugger.h"
#include "engine/live/sonde-expression.h"

G_BEGIN_DECLS

/* ---- places -------------------------------------------------------------- */

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
 * @is_body: of a plan of a body; @base: (nullable): the scope of the node whose it is; owned
 */
typedef struct
{
  SondePlan *plan;
  SondeGraph *original; /* (nullable) */
  GHashTable *ranges;
  GHashTable *absent;
  gboolean is_body;
  char *base;
} SondePlaceIndex;

SondePlaceIndex *sonde_place_index_new (SondePlan *plan, SondeGraph *original);
void sonde_place_index_free (SondePlaceIndex *index);

/* All places of @pattern, by step, each once. (element-type SondePlace) (transfer full); empty when
 * it matches nothing. */
GArray *sonde_place_index_find (SondePlaceIndex *index, const char *pattern, SondeMoment moment);

/* NOT_FOUND with the nearest name. Always sets @error. */
void sonde_place_index_set_error (SondePlaceIndex *index, const char *pattern, GError **error);

/* The place hooked to @step and @moment, or NULL. @places: by step */
const SondePlace *sonde_places_at (const GArray *places, guint step, SondeMoment moment);

/* "a/b" lies in "a" and in "a/b"; everything lies in NULL. */
gboolean sonde_scope_contains (const char *scope, const char *other);

/* Number of nodes inside bodies of @graph, of theirs, and so on, that @pattern matches. */
guint sonde_places_count_inside (const SondeGraph *graph, const char *pattern);

/* A node inside a body that @pattern matches makes the value @name. */
gboolean sonde_places_make_inside (const SondeGraph *graph, const char *pattern, const char *name);

/* Names of nodes and values of @graph, as candidates for sonde_nearest_name(). */
const char *sonde_nearest_in_graph (const char *text, const SondeGraph *graph);

/* ---- the debugger -------------------------------------------------------- */

/**
 * SondeArmedBreakpoint: breakpoint with its places by plan (index in SondeDebugger.indices)
 * @debugger: whose it is
 * @places: (element-type GArray): by index of the plan, NULL where not looked for yet
 * @condition, @hit_condition: (nullable); @log: (nullable): pieces of the text
 * @held: times that the condition held; @keeps: what it reads of the step before is kept
 */
typedef struct
{
  SondeBreakpoint info; /* first member */
  SondeDebugger *debugger;
  GPtrArray *places;
  SondeExpression *condition, *hit_condition;
  GPtrArray *log;
  guint64 held;
  gboolean keeps;
} SondeArmedBreakpoint;

/* sonde-debugger-condition.c: what @spec says beside its place. Errors: of the texts; NOT_FOUND. */
gboolean sonde_breakpoint_arm (SondeDebugger *debugger, SondeArmedBreakpoint *breakpoint,
                               const SondeBreakpointSpec *spec, GError **error);
/* AFTER when it reads what is made at @places. */
void sonde_breakpoint_choose_moment (SondeDebugger *debugger, SondeArmedBreakpoint *breakpoint,
                                     const GArray *places);
/* It is in the list: what it reads of the step before is kept. */
void sonde_breakpoint_keep (SondeDebugger *debugger, SondeArmedBreakpoint *breakpoint);
void sonde_breakpoint_disarm (SondeDebugger *debugger, SondeArmedBreakpoint *breakpoint);
/* Counts, and says its text. TRUE when it stops. */
gboolean sonde_breakpoint_comes_by (SondeDebugger *debugger, SondeArmedBreakpoint *breakpoint,
                                    const char *node);

typedef struct
{
  char *value;
  SondeProbeCallback callback;
  gpointer data;
} SondeProbe;

/* sonde-watch-private.h */
typedef struct _SondeWatchList SondeWatchList;

#define SONDE_NO_POSITION G_MAXUINT

#define SONDE_MOST_LEVELS 16 /* deeper bodies count as their node */

/**
 * SondeRunPlace: a place of run @run: where the outermost execution stands, and the bodies in it
 * @levels: (array length=n_levels): position, and for a body its iteration
 */
typedef struct
{
  guint64 run;
  guint n_levels;
  struct
  {
    gint64 iteration;
    guint position;
  } levels[SONDE_MOST_LEVELS];
} SondeRunPlace;

typedef enum
{
  SONDE_TRAVEL_NONE,
  SONDE_TRAVEL_TO,     /* to a place that is known */
  SONDE_TRAVEL_SEARCH, /* of REVERSE: over a window, noting where something stops */
} SondeTravelKind;

/**
 * SondeTravel: a way back (sonde-debugger-back.c)
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
} SondeTravel;

/**
 * SondeDebugger:
 * @indices: (element-type SondePlaceIndex): by plan seen
 * @evaluated, @evaluated_in, @evaluated_pass: position whose breakpoints have been looked at in
 * this run: not a second time
 * @executed: steps of the present frame executed since the resume
 * @depth: of the present frame; those inside it do not count; @out_depth: of the one that OUT
 * leaves, or whose scope
 * @over: (nullable): of NEXT and OUT: scope to be run over; owned
 * @until: (nullable) (element-type GArray): places of UNTIL's pattern by index of the plan
 * @until_step: of UNTIL step:N, else 0; @until_phase, @until_end: of UNTIL phase:P and end:P, else
 * -1
 * @until_iteration: of UNTIL iteration:N, else -1; @until_node: whose body it is, NULL: any
 * @entered: (nullable): scope of a function that was gone into at the present position
 * @n_looked: of the fused step at the present position: nodes that were gone over; @in_group: it
 * was gone into
 * @selected: frame
 * @watches: (nullable)
 * @failed: it stands where the run failed
 * @stop, @hits, @node, @op, @scope: the last stop; names are copies, as plans may come and go
 * @condition_error: (nullable): of the stop
 * @iterations: (element-type guint64): of the stop that was asked for last
 * @history: (nullable)
 * @run: number of the run that began last; @n_seen: runs that ever began
 * @spans: (nullable): numbers of steps of runs, see sonde_debugger_note_run()
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
  GPtrArray *kept;                      /* (nullable): sonde-debugger-previous.c */
  GHashTable *fresh_all, *previous_all; /* (nullable): value's name -> tensor */
  guint64 fresh_step, previous_step;    /* which steps they and what is kept are of; 0: none */
  gboolean stopped_in_run;
  SondeWatchList *watches;
  guint next_id;
  SondeDebuggerStepSource step_source;
  gpointer step_data;
  guint64 step;
  gboolean began; /* some run began */
  _Atomic gboolean interrupted;

  gboolean going; /* between resume and stop */
  SondeResume resume;
  guint64 executed;
  guint depth, out_depth;
  guint evaluated;
  const SondeExecution *evaluated_in;
  guint64 evaluated_pass;
  char *over;
  gboolean is_over; /* @over counts */
  char *until_pattern;
  GPtrArray *until;
  guint64 until_step;
  int until_phase, until_end;
  gint64 until_iteration;
  const SondeNode *until_node;
  char *entered;
  gboolean in_group;
  guint n_looked;
  guint selected;
  gboolean failed;

  SondeStop stop;
  GArray *hits; /* (element-type guint) */
  char *node, *op, *scope;
  char *condition_error;
  GArray *iterations;

  SondeDebuggerLog log_callback;
  gpointer log_data;

  const SondeDebuggerHistory *history;
  gpointer history_data;
  guint64 run, n_seen;
  GArray *spans;
  SondeTravel travel;
};

/* Notes that the run stops @moment @step; @node is what the user named, if a name brought it
 * there. */
void sonde_debugger_set_stop (SondeDebugger *debugger, SondeExecution *execution, guint step,
                              SondeMoment moment, const SondeNode *node, SondeStopReason reason);
/* A watch stops the run there; if a breakpoint has stopped it already, it stays that. On a way back
 * it is only noted. */
SondeAnswer sonde_debugger_stop_for_watch (SondeDebugger *debugger, SondeExecution *execution,
                                           guint step, SondeMoment moment);
/* Index of the plan of @execution, made when it is new. */
guint sonde_debugger_index_of (SondeDebugger *debugger, SondeExecution *execution);
/* Places of @pattern's list in the plan of that index, looked up once. */
const GArray *sonde_debugger_places (SondeDebugger *debugger, GPtrArray *by_index, guint index,
                                     const char *pattern, SondeMoment moment);
const GArray *sonde_debugger_breakpoint_places (SondeDebugger *debugger,
                                                SondeArmedBreakpoint *breakpoint, guint index);
/* Nodes inside bodies that it matches, of the executed graph or else of the original. */
guint sonde_debugger_count_inside (SondeDebugger *debugger, const char *pattern);
/* Observers are asked again what they want. */
void sonde_debugger_refresh (SondeDebugger *debugger);

/**
 * sonde_debugger_count_hits:
 * Counts the enabled breakpoints hooked to @step and @moment, appends the ids of those that stop to
 * debugger->hits. Returns: (nullable): the node of the first of them.
 */
const SondeNode *sonde_debugger_count_hits (SondeDebugger *debugger, guint index, guint step,
                                            SondeMoment moment);
/* Removes the temporary breakpoints among debugger->hits. */
void sonde_debugger_drop_temporary (SondeDebugger *debugger);

gboolean sonde_debugger_wants_probe (SondeDebugger *debugger, SondePlan *plan, guint step);
void sonde_debugger_run_probes (SondeDebugger *debugger, SondeExecution *execution, guint step);
/* The run that they waited for is over. */
void sonde_debugger_give_up_probes (SondeDebugger *debugger);

/* sonde-debugger-previous.c: a run begins, ends */
void sonde_debugger_take_previous (SondeDebugger *debugger);
/* Where it stands; the end of run @run, FALSE: not known; the first run that can be gone to.
 * (sonde-debugger-back.c) */
void sonde_debugger_get_run_place (SondeDebugger *debugger, SondeRunPlace *place);
gboolean sonde_debugger_get_run_end (SondeDebugger *debugger, guint64 run, SondeRunPlace *place);
guint64 sonde_debugger_get_first_run (SondeDebugger *debugger);
/* All runs are done, and nothing stopped the last. */
gboolean sonde_debugger_is_over (SondeDebugger *debugger);
/* Goes to @place, which has been, forward or back, and stops there with @reason; nothing is
 * counted. */
gboolean sonde_debugger_visit (SondeDebugger *debugger, const SondeRunPlace *place,
                               SondeStopReason reason, GError **error);
/* The same to where all runs are done, which has been. */
gboolean sonde_debugger_visit_end (SondeDebugger *debugger, GError **error);

/**
 * SondeStanding: for whoever visits; filled by sonde_standing_init(), emptied by
 * sonde_standing_clear()
 */
typedef struct
{
  SondeRunPlace place;
  gboolean is_over;
  SondeStop stop;
  char *node, *op, *scope;
  GArray *hits;
  GPtrArray *stops; /* (nullable): of watches */
} SondeStanding;

void sonde_standing_init (SondeStanding *standing, SondeDebugger *debugger);
void sonde_standing_clear (SondeStanding *standing);
/* Back to there, with the same stop. */
gboolean sonde_standing_go_home (SondeStanding *standing, SondeDebugger *debugger, GError **error);
/* All steps of the target are there to be looked at. */
gboolean sonde_debugger_reads_steps (const SondeDebugger *debugger);
void sonde_debugger_copy_previous (SondeDebugger *debugger, SondeExecution *execution);

/* sonde-debugger-resume.c: whether the run is to stop BEFORE @step; reason NONE: no. */
SondeStopReason sonde_debugger_reason_before (SondeDebugger *debugger, SondeExecution *execution,
                                              guint step);
/* @step was executed. */
void sonde_debugger_count_executed (SondeDebugger *debugger, SondeExecution *execution);
/* What stepping wants of @step. */
guint sonde_debugger_resume_wants (SondeDebugger *debugger, SondeExecution *execution, guint step);
void sonde_debugger_forget_resume (SondeDebugger *debugger);
/* Stands before node @n of the fused step @position. */
void sonde_debugger_look_at_node (SondeDebugger *debugger, SondeExecution *execution,
                                  guint position, guint n);

/* sonde-debugger-until.c: the target of UNTIL. */
gboolean sonde_debugger_parse_until (SondeDebugger *debugger, const char *target, GError **error);
void sonde_debugger_forget_until (SondeDebugger *debugger);
/* The node that the target names there. (nullable) */
const SondeNode *sonde_debugger_until_node (SondeDebugger *debugger, SondeExecution *execution,
                                            guint step);
/* Whether @step may be the target, and whether it is when the run comes by. */
gboolean sonde_debugger_wants_until (SondeDebugger *debugger, SondeExecution *execution,
                                     guint step);
gboolean sonde_debugger_is_until (SondeDebugger *debugger, SondeExecution *execution, guint step);

/* sonde-debugger-frames.c */
guint sonde_debugger_depth_of (SondeExecution *execution); /* 0: the outermost */
/* Scope of the node where the selected frame stands. (transfer full) (nullable) */
char *sonde_debugger_dup_selected_scope (SondeDebugger *debugger);
/* The graph as the user wrote it that @execution runs. (nullable) */
SondeGraph *sonde_debugger_original_of (SondeDebugger *debugger, SondeExecution *execution);
/* Scope of @step; (nullable) */
const char *sonde_step_scope (const SondeStep *step);
/* Scope of the node whose body @execution runs. (nullable) */
const char *sonde_debugger_base_scope (SondeExecution *execution);
/* The scope that a call node's function becomes. Returns: (transfer full) */
char *sonde_call_scope (const SondeNode *node);
/* The next step of @execution: 0 before the first run. */
guint sonde_debugger_position_of (SondeDebugger *debugger, SondeExecution *execution);

/* sonde-debugger-back.c: run debugger->run of @n_steps begins. */
/* Runs from @run on may have other lengths than they had. */
void sonde_debugger_forget_lengths (SondeDebugger *debugger, guint64 run);
void sonde_debugger_note_run (SondeDebugger *debugger, guint n_steps);
/* What a way back wants of @step; and whether breakpoints do not count on it. */
guint sonde_debugger_travel_wants (SondeDebugger *debugger, SondeExecution *execution, guint step);
gboolean sonde_debugger_is_direct (SondeDebugger *debugger);
/* Whether the run that begins is to pause at once. */
gboolean sonde_debugger_travel_begins (SondeDebugger *debugger);
SondeAnswer sonde_debugger_travel_comes_by (SondeDebugger *debugger, SondeExecution *execution,
                                            guint step, SondeMoment moment);
/* Whether what stops there matters: always, but on a way back. */
gboolean sonde_debugger_travel_looks (SondeDebugger *debugger, SondeExecution *execution,
                                      guint step, SondeMoment moment);
/* Something other than a breakpoint would stop there. */
void sonde_debugger_travel_note (SondeDebugger *debugger, SondeExecution *execution, guint step,
                                 SondeMoment moment);
void sonde_debugger_forget_travel (SondeDebugger *debugger);

G_END_DECLS
