/* SPDX-License-Identifier: Apache-2.0
 * Where and why a run stands, and how it goes on, as values. */
#pragma once

#include "data/base/sonde-message.h"
#include "data/graph/sonde-graph.h"
#include "engine/types/sonde-frame.h"
#include "engine/types/sonde-watchpoint.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_STOP_NONE, /* has not stopped: nothing has run yet, or it runs */
  SONDE_STOP_BREAKPOINT,
  SONDE_STOP_STEP, /* step and next */
  SONDE_STOP_UNTIL,
  SONDE_STOP_PAUSE,      /* somebody asked */
  SONDE_STOP_WATCHPOINT, /* a value met a watch */
  SONDE_STOP_BEGINNING,  /* there was nothing further back */
  /* the run failed here; it cannot go on (unless @error is set), and what was computed can be read */
  SONDE_STOP_ERROR,
} SondeStopReason;

const char *sonde_stop_reason_name (SondeStopReason reason); /* "breakpoint", "step", … "none" */

/* Most hits of watches that a copy of a stop holds; the debugger's list has all. */
#define SONDE_STOP_MAX_HITS 100

/**
 * SondeStop: where a run stands; everything in it is owned, but see sonde_debugger_get_stop()
 * @position: 0…@n_steps: the next step to run, in the innermost frame
 * @listing: of a loop that is not ours: tells its list of nodes from another one, as steps may differ; 0
 *   elsewhere
 * @moment, @node, @op, @phase, @scope: the place in words: the node of an "after" breakpoint with
 *   AFTER, else the next node with BEFORE; after the last step that one with AFTER. @node is "" and
 *   @op "" only in a plan without steps. @scope: (nullable)
 * @step: number of the training step (or run) this is, see sonde_debugger_set_step_source()
 * @breakpoints: (array length=n_breakpoints): ids of those that were hit here
 * @iterations: (array length=n_iterations): numbers of the loop iterations around it, outermost
 *   first; none outside of loops
 * @frames: (element-type SondeFrame) (nullable): from the innermost to the outermost; not changed
 * any more
 * @condition_error: (nullable): it stopped because the condition of a breakpoint could not be
 * evaluated: why
 * @watchpoints: (element-type SondeWatchHit) (nullable): what was met here
 * @source: (nullable): of a loop that is not ours: the place in the user's program that called the
 *   node, "train.py:12 in forward"
 * @thread: (nullable): of such a loop: name of the thread that stands
 * @error: (nullable): of such a loop, with reason ERROR: what the node failed with, in the words of the
 *   program; unlike a run of the engine's it goes on, and so does the error
 */
typedef struct
{
  SondeStopReason reason;
  guint position;
  guint n_steps;
  guint listing;
  SondeMoment moment;
  char *node;
  char *op;
  SondePhase phase;
  char *scope;
  guint64 step;
  guint *breakpoints;
  guint n_breakpoints;
  guint64 *iterations;
  guint n_iterations;
  GPtrArray *frames;
  SondeMessage *condition_error;
  GPtrArray *watchpoints;
  char *source;
  char *thread;
  char *error;
} SondeStop;

/* The position in the outermost graph, whose steps and listing have it. */
guint sonde_stop_get_outermost (const SondeStop *stop);

SondeStop *sonde_stop_copy (const SondeStop *stop);
/* Fills @copy, which held nothing, with copies of what @stop holds. */
void sonde_stop_copy_into (const SondeStop *stop, SondeStop *copy);
void sonde_stop_clear (SondeStop *stop); /* frees what it holds */
void sonde_stop_free (SondeStop *stop);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeStop, sonde_stop_free)

/* How a run goes on. */
typedef enum
{
  SONDE_RESUME_CONTINUE, /* to the next breakpoint or the end */
  SONDE_RESUME_STEP,     /* @count executed steps of the present frame, over bodies */
  /* where a scope begins: over the whole scope; else one step; @count times */
  SONDE_RESUME_NEXT,
  SONDE_RESUME_UNTIL, /* to @target */
  /* into the body, function or fused step that is next; else one step; @count times */
  SONDE_RESUME_INTO,
  /* out of the innermost fused step, scope, function or body; @count times */
  SONDE_RESUME_OUT,
} SondeResumeKind;

/**
 * SondeResume: zero-initialise
 * @count: of all but CONTINUE and UNTIL; 0 means 1
 * @target: of UNTIL: as a breakpoint's pattern (stops before the node, once), or "step:N" (before
 *   the first node of training step N), "phase:forward|backward|optimiser" (before the first node
 *   of the phase that comes next), "end:forward|backward|optimiser" (before the node that comes
 *   after the last one of the phase), "iteration:N" (before the first node of iteration N, from 0,
 *   of the loop it stands in, else of any), "end" (as OUT)
 *
 * Breakpoints stop on the way. A step over the last node of a training step stops before the first
 * node of the next; an inference is at its end then. A step over the last node of a body stops
 * before the first node of its next iteration, or before the node after the one that has the body.
 */
typedef struct
{
  SondeResumeKind kind;
  guint64 count;
  const char *target;
} SondeResume;

/* Where a way back leads. */
typedef enum
{
  /* @count executed steps; stops with reason STEP, or BEGINNING where there are no more */
  SONDE_BACK_STEPS,
  /* the nearest place before this one where a breakpoint stops; reason BREAKPOINT, or BEGINNING */
  SONDE_BACK_REVERSE,
  SONDE_BACK_NODE, /* before node @target, as this run came by last; reason UNTIL */
  SONDE_BACK_RUN,  /* before the first node of training step @count; reason UNTIL */
  /* before the first node of the present training step, which starts from what the capture @target holds; only of
   * a loop that is not ours; reason UNTIL */
  SONDE_BACK_CAPTURE,
} SondeBackKind;

/**
 * SondeBack: zero-initialise
 * @count: of STEPS (0 means 1) and RUN
 * @target: of NODE: as a breakpoint's pattern; of CAPTURE: absolute path of the file
 *
 * Backwards, breakpoints are only looked at by REVERSE: which ones are enabled and whether their
 * conditions hold counts; hits are not counted, and the number of hits to be ignored is neither
 * looked at nor used up.
 */
typedef struct
{
  SondeBackKind kind;
  guint64 count;
  const char *target;
} SondeBack;

G_END_DECLS
