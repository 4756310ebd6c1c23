/* SPDX-License-Identifier: Apache-2.0
 * Inside of watchpoints: which values of a plan are looked at where. Shared by sonde-watch*.c. */
#pragma once

#include "engine/debug/sonde-debugger-private.h"
#include "engine/live/sonde-expression.h"
#include "engine/debug/sonde-watch.h"

G_BEGIN_DECLS

/**
 * SondeArmedWatch:
 * @condition: its klass is NULL of an expression
 * @expression: (nullable)
 */
typedef struct
{
  SondeWatch info; /* first member */
  SondeCondition condition;
  SondeExpression *expression;
} SondeArmedWatch;

/* ---- values of a plan (sonde-watch-values.c) ----------------------------- */

/**
 * SondeWatchPlan: what is asked of a plan again and again
 * @step_of: by value id: the step that makes it, SONDE_NEVER_MADE
 * @is_made: by value id: a step leaves it in memory
 * @updates: value -> the one that updates it
 */
typedef struct
{
  SondePlan *plan;
  guint *step_of;
  gboolean *is_made;
  GHashTable *updates;
} SondeWatchPlan;

#define SONDE_NEVER_MADE G_MAXUINT

void sonde_watch_plan_init (SondeWatchPlan *watched, SondePlan *plan);
void sonde_watch_plan_clear (SondeWatchPlan *watched);

/* Values that a watch on @target looks at where nothing else is said, or those of @pattern. Weights
 * are named by themselves, not by their updates. (element-type SondeGraphValue) (transfer
 * container) */
GPtrArray *sonde_watch_find_values (const SondeWatchPlan *watched, const char *pattern,
                                    SondeConditionTarget target, gboolean on_inputs);
/* Of a glob inside an expression: floating values alone. */
gboolean sonde_watch_glob_matches (const SondeGraph *graph, const SondeGraphValue *value,
                                   const char *glob);
/* Of a watch on inputs: whether @node, which reads @value, or that is meant by @pattern. */
gboolean sonde_watch_reads (const SondeNode *node, const SondeGraphValue *value,
                            const char *pattern);
/* Whether some value of @graph or of a subgraph of it matches. */
gboolean sonde_watch_matches_inside (const SondeGraph *graph, const char *pattern,
                                     SondeConditionTarget target);

/* ---- tables (sonde-watch-table.c) ---------------------------------------- */

/* Kept facts of one value and step; see SONDE_DEBUGGER_WATCH_HISTORY. */
typedef struct
{
  guint64 step;
  SondeFactsRequest *request; /* g_rc_box */
  SondeFacts facts;
} SondePastFacts;

/**
 * SondeWatchCheck: a watch on a target
 * @pass, @range, @tolerance: which of the target's facts are its own
 * @told: what it could last not be checked for: said once
 */
typedef struct
{
  SondeArmedWatch *watch;
  guint pass;
  guint range, tolerance;
  guint told;
} SondeWatchCheck;

/**
 * SondeWatchTarget: a value and when it is looked at
 * @value: what is read; @previous: (nullable): what it is compared with
 * @subject: the value the user means: of an update the weight
 * @step: of the plan, or SONDE_NEVER_MADE: when a run begins; @before: before it
 * @initial: only in the first step
 * @passes: (element-type SondeFactsRequest, in a g_rc_box): mostly one
 * @checks: (element-type SondeWatchCheck)
 */
typedef struct
{
  SondeGraphValue *value, *previous, *subject;
  guint step;
  gboolean before, initial;
  GPtrArray *passes;
  GArray *checks;
} SondeWatchTarget;

/**
 * SondeWatchTable: all targets in one plan
 * @targets: (element-type SondeWatchTarget): owned
 * @at_begin: (element-type SondeWatchTarget)
 * @before, @after: by step: (nullable) (element-type SondeWatchTarget)
 */
typedef struct
{
  SondeWatchPlan watched; /* first member */
  GPtrArray *targets;
  GHashTable *index;
  GPtrArray *at_begin;
  GPtrArray **before, **after;
  guint n_steps;
} SondeWatchTable;

SondeWatchTable *sonde_watch_table_new (SondePlan *plan);
void sonde_watch_table_free (SondeWatchTable *table);
/* Adds the targets of @watch; returns how many values they are. */
guint sonde_watch_table_add (SondeWatchTable *table, SondeArmedWatch *watch);
/* The place of a range in @request, made where there is room; SONDE_FACTS_MAX when there is
 * none. */
guint sonde_watch_place_range (SondeFactsRequest *request, const SondeFactsRange *range);
guint sonde_watch_place_tolerance (SondeFactsRequest *request,
                                   const SondeFactsTolerance *tolerance);

/* ---- the list (sonde-watch.c) -------------------------------------------- */

/**
 * SondeWatchList: a debugger's watches
 * @tables: plan -> SondeWatchTable of the watches that are on, made when a plan is first run
 * @hits: (element-type SondeWatchHit): the last ones
 * @stops: (element-type SondeWatchHit): of the present stop
 * @past: name of a value -> array of SONDE_DEBUGGER_WATCH_HISTORY SondePastFacts
 * @kept: name of a value that an expression reads as prev(…) -> its tensors of the last two steps
 */
struct _SondeWatchList
{
  SondeObserver observer; /* first member */
  SondeDebugger *debugger;
  gboolean attached;
  GPtrArray *watches;
  GHashTable *tables;
  GQueue hits;
  GPtrArray *stops;
  GHashTable *past;
  GHashTable *kept;
};

typedef enum
{
  SONDE_WATCH_ENABLE, /* value 0: disable */
  SONDE_WATCH_IGNORE, /* value: hits */
  SONDE_WATCH_REMOVE,
} SondeWatchChange;

/* Made when it is first needed. */
SondeWatchList *sonde_debugger_watch_list (SondeDebugger *debugger);
SondeWatchTable *sonde_watch_list_table (SondeWatchList *list, SondePlan *plan);
void sonde_watch_list_free (SondeWatchList *list);
void sonde_watch_list_attach (SondeWatchList *list);
void sonde_watch_list_detach (SondeWatchList *list);
/* The run begins anew: what was kept of it is forgotten. @list: (nullable) */
void sonde_watch_list_restarted (SondeWatchList *list);
/* The run goes on. @list: (nullable) */
void sonde_watch_list_forget_stop (SondeWatchList *list);
/* @list: (nullable). @id 0: all. FALSE: there is none of that id. */
gboolean sonde_watch_list_change (SondeWatchList *list, guint id, SondeWatchChange change,
                                  guint64 value);
/* Counts a hit or what was not checked (transfer full). Returns: TRUE when the run is to stop. */
gboolean sonde_watch_list_note (SondeWatchList *list, SondeArmedWatch *watch, SondeWatchHit *hit);

/* ---- looking (sonde-watch-check.c) --------------------------------------- */

void sonde_watch_observer_init (SondeObserver *observer);

/**
 * sonde_watch_check_facts:
 * @facts: (array): by pass of the target
 *
 * Returns: (transfer full) (nullable): what @check says of them, NULL: nothing.
 */
SondeWatchHit *sonde_watch_check_facts (SondeWatchList *list, SondeExecution *execution,
                                        const SondeWatchTarget *target,
                                        const SondeWatchCheck *check, const SondeFacts *facts);

SondeWatchHit *sonde_watch_new_hit (SondeWatchList *list, const SondeWatchTarget *target,
                                    const SondeWatchCheck *check); /* (transfer full) */
/* That it could not be checked. (transfer full) */
SondeWatchHit *sonde_watch_unchecked (SondeWatchList *list, const SondeWatchTarget *target,
                                      const SondeWatchCheck *check, guint why);
SondeWatchHit *
sonde_watch_hit_of_outcome (SondeWatchList *list, const SondeWatchTarget *target,
                            const SondeWatchCheck *check,
                            const SondeOutcome *outcome); /* (transfer full) (nullable) */
/* Fills one of @facts for each pass. Returns: 0, or SondeUnchecked: why it could not be looked
 * at. */
guint sonde_watch_read (SondeExecution *execution, const SondeWatchTarget *target,
                        SondeFacts *facts);

/* ---- expressions (sonde-watch-expression.c) ------------------------------ */

/* Whether the plan has all values that an expression names. Errors: NOT_FOUND with the nearest. */
gboolean sonde_watch_check_names (SondeWatchTable *table, SondeArmedWatch *watch, GError **error);
/* The value that is made last of those that the expression names, and by which step; x left out.
 * FALSE: not all are there. */
gboolean sonde_watch_last_read (const SondeWatchPlan *watched, SondeArmedWatch *watch,
                                SondeGraphValue **value, guint *step);
/* As sonde_watch_check_facts(). */
SondeWatchHit *sonde_watch_check_expression (SondeWatchList *list, SondeExecution *execution,
                                             const SondeWatchTarget *target,
                                             const SondeWatchCheck *check);
void sonde_watch_kept_free (gpointer kept);

/* ---- the past (sonde-watch-past.c) --------------------------------------- */

void sonde_watch_past_keep (SondeWatchList *list, const SondeWatchTarget *target,
                            const SondeFacts *facts);
void sonde_watch_past_free (gpointer past);

G_END_DECLS
