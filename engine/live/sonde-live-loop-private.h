/* SPDX-License-Identifier: Apache-2.0
 * Inside of the loop's debugger: shared by its files. */
#pragma once

#include <stdatomic.h>

#include "engine/live/sonde-live-loop.h"

G_BEGIN_DECLS

/**
 * SondeLiveGoing: how it goes on to its next stop
 * @active: there is something to stop for
 * @resume: kind, and how often still; its target is not used
 * @until: (nullable): pattern of UNTIL
 * @until_step: of UNTIL step:N, else 0
 * @leaves: (nullable): it goes to the first operator that is not in this scope
 * @phase: in which it set out: another one is outside of any scope of it
 * @phase_begins, @phase_ends: before the first operator of @target_phase, behind its last
 */
typedef struct
{
  gboolean active;
  SondeResume resume;
  char *until;
  guint64 until_step;
  char *leaves;
  SondePhase phase;
  gboolean phase_begins, phase_ends;
  SondePhase target_phase;
} SondeLiveGoing;

/**
 * SondeLiveLoop:
 * @step: number of the training step
 * @stop: where it stands; strings in it are owned here; @hits: (element-type guint): of breakpoints
 * @begins: (nullable): scope that the node begins before which it is
 * @has_place: its thread is lent, at @stop's node
 * @last_phase: of the operator that was passed last
 * @old: (element-type utf8 SondeTensor): weights as they were before they are changed; NULL where nobody
 *   compares
 * @found_hits: (element-type guint), @found_watches: (element-type SondeWatchHit): what stops at the place that a
 *   way back found last
 * @back_phase: with @has_back_phase: of the operator that came by last on it
 * @n_edits: values that were set
 * @is_bad: a condition on NaN and infinities stops it where it is
 * @pausing: it is to stop before its next operator
 * @interrupted: asked before the next node
 * @arming: see sonde_live_loop_get_arming()
 */
struct _SondeLiveLoop
{
  SondeLiveTarget target; /* first member */
  SondeExpressionSource source;
  const SondeLiveHooks *hooks;
  gpointer data;
  SondeBreakpointTable breakpoints;
  SondeWatchTable watches;
  guint last_id;
  guint64 step;
  SondeStop stop;
  GArray *hits;
  char *begins;
  gboolean has_place;
  SondePhase last_phase;
  SondeMessage *condition_error;
  SondeLiveGoing going;
  GHashTable *old;
  GArray *found_hits;
  GPtrArray *found_watches;
  gboolean has_back_phase;
  SondePhase back_phase;
  guint n_edits;
  gboolean is_bad;
  gboolean pausing;
  _Atomic gboolean interrupted;
  guint64 arming;
};

void sonde_live_loop_init_target (SondeLiveLoop *loop);

/* ---- sonde-live-stops.c -------------------------------------------------- */

void sonde_live_going_clear (SondeLiveGoing *going);
void sonde_live_loop_forget_stop (SondeLiveLoop *loop);
/* Makes a stop of it, here. */
void sonde_live_loop_stop_for (SondeLiveLoop *loop, SondeStopReason reason);

/* ---- sonde-live-going.c -------------------------------------------------- */

/* Some node that was passed may have @pattern; @n: of them. A pattern that means many, or calls of
 * modules, means those to come. Errors: NOT_FOUND with the nearest name. */
gboolean sonde_live_loop_check_pattern (SondeLiveLoop *loop, const char *pattern, guint *n,
                                        GError **error);
/* How many nodes of the step that ran last have @pattern; @steps: (element-type SondeStepInfo): its operators. */
guint sonde_live_loop_count_nodes (SondeLiveLoop *loop, const char *pattern,
                                   const GPtrArray *steps);
/* It comes to operator @node, BEFORE: why it stops there, or NONE. */
SondeStopReason sonde_live_loop_arrive (SondeLiveLoop *loop, const SondeLiveNode *node);

G_END_DECLS
