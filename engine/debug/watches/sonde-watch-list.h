/* SPDX-License-Identifier: Apache-2.0
 * The watches of a debugger in its run: which values each looks at in which plan, and the observer
 * that looks. */
#pragma once

#include "engine/debug/run/sonde-reverse-run.h"
#include "engine/debug/watches/sonde-watch-targets.h"

G_BEGIN_DECLS

/* A watch stops the run @moment @step. */
typedef SondeAnswer (*SondeWatchStop) (SondeExecution *execution, guint step, SondeMoment moment,
                                       gpointer data);

/**
 * SondeWatchList:
 * @table: the watches, lent; @debuggee, @reverse: lent
 * @targets: plan -> SondeWatchTargets of the watches that are on, made when a plan is first run
 * @past: sonde-watch-history.h; @kept: sonde-watch-previous.h
 * @stop: asked when a watch stops the run
 */
typedef struct
{
  SondeObserver observer; /* first member */
  SondeWatchTable *table;
  const SondeDebuggee *debuggee;
  const SondeReverseRun *reverse;
  gboolean attached;
  GHashTable *targets;
  GHashTable *past;
  GHashTable *kept;
  SondeWatchStop stop;
  gpointer stop_data;
} SondeWatchList;

void sonde_watch_list_init (SondeWatchList *list, SondeWatchTable *table,
                            const SondeDebuggee *debuggee, const SondeReverseRun *reverse);
void sonde_watch_list_clear (SondeWatchList *list);

SondeWatchTargets *sonde_watch_list_get_targets (SondeWatchList *list, SondePlan *plan);
/* Watches were enabled, disabled or removed. */
void sonde_watch_list_forget_targets (SondeWatchList *list);
/* The observer is added to the debuggee's target, once; removed. */
void sonde_watch_list_attach (SondeWatchList *list);
void sonde_watch_list_detach (SondeWatchList *list);
/* The run begins anew: what was kept of it is forgotten. */
void sonde_watch_list_restarted (SondeWatchList *list);

/* ---- sonde-watch-check.c ------------------------------------------------- */

void sonde_watch_observer_init (SondeObserver *observer);
/* Fills one of @facts for each pass. Returns: 0, or SondeUnchecked: why it could not be looked
 * at. */
guint sonde_watch_read (SondeExecution *execution, const SondeWatchTarget *target,
                        SondeFacts *facts);
/**
 * sonde_watch_check_facts:
 * @facts: (array): by pass of the target
 *
 * Returns: (transfer full) (nullable): what @check says of them, NULL: nothing.
 */
SondeWatchHit *sonde_watch_check_facts (SondeWatchList *list, SondeExecution *execution,
                                        const SondeWatchTarget *target,
                                        const SondeWatchCheck *check, const SondeFacts *facts);

/* ---- sonde-watch-expression.c -------------------------------------------- */

/* As sonde_watch_check_facts(). */
SondeWatchHit *sonde_watch_check_expression (SondeWatchList *list, SondeExecution *execution,
                                             const SondeWatchTarget *target,
                                             const SondeWatchCheck *check);

G_END_DECLS
