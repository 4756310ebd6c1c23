/* SPDX-License-Identifier: Apache-2.0
 * The debugger: an observer that may say pause. Holds breakpoints, knows how to step, and says why
 * and where a run stopped. What does not live here: sockets and clients (engine/session), commands
 * (app/front). Watchpoints, replay and divergence are further files beside it.
 *
 * Threads: everything here is called on the thread that runs the graph, between two steps; nothing
 * is locked (but sonde_debugger_interrupt()). Whoever else wants something interrupts the run
 * first.
 *
 * Positions: a position lies between two steps. Position k of a run is "before step k" and "after
 * step k - 1"; the two are the same place, and a run stops there once. A position inside a body of
 * If, Loop or Scan is one of the body's own execution; the frames say where that stands. */
#pragma once

#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

typedef struct _SondeDebugger SondeDebugger;

/* Most breakpoints of one session; more are refused with SONDE_ENGINE_ERROR_MEMORY. */
#define SONDE_DEBUGGER_MAX_BREAKPOINTS 10000

typedef enum
{
  SONDE_MOMENT_BEFORE, /* the node's inputs are there, its outputs are not */
  SONDE_MOMENT_AFTER,  /* its outputs are there */
} SondeMoment;

const char *sonde_moment_name (SondeMoment moment); /* "before", "after" */

typedef enum
{
  SONDE_STOP_NONE, /* has not stopped: nothing has run yet, or it runs */
  SONDE_STOP_BREAKPOINT,
  SONDE_STOP_STEP, /* step and next */
  SONDE_STOP_UNTIL,
  SONDE_STOP_PAUSE,      /* somebody asked */
  SONDE_STOP_WATCHPOINT, /* a value met a watch (sonde-watch.h) */
  SONDE_STOP_BEGINNING,  /* there was nothing further back */
  /* the run failed here; it cannot go on, and what was computed can be read */
  SONDE_STOP_ERROR,
} SondeStopReason;

const char *sonde_stop_reason_name (SondeStopReason reason); /* "breakpoint", "step", … "none" */

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
 * SondeBreakpoint: lent by the debugger until the breakpoint is removed
 * @id: from 1, never reused
 * @pattern: as given; owned
 * @hits: times a run came by while it was enabled, ignored ones included
 * @ignore: hits still to be ignored
 * @n_positions: places where it stops: steps of the plan, and nodes inside bodies
 * @condition, @hit_condition, @log: (nullable): as given; owned
 * @note: (nullable): why the condition could not be evaluated last; owned
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
  char *note;
} SondeBreakpoint;

typedef struct _SondeWatchHit SondeWatchHit; /* sonde-watch.h */

/**
 * SondeStop: where a run stands; strings are lent by the plan and the debugger, until the run goes
 * on
 * @position: 0…@n_steps: the next step to run, in the innermost frame
 * @moment, @node, @op, @phase, @scope: the place in words: the node of an "after" breakpoint with
 *   AFTER, else the next node with BEFORE; after the last step that one with AFTER. @node is "" and
 *   @op "" only in a plan without steps. @scope: (nullable)
 * @step: number of the training step (or run) this is, see sonde_debugger_set_step_source()
 * @breakpoints: (array length=n_breakpoints): ids of those that were hit here
 * @condition_error: (nullable): it stopped because the condition of a breakpoint could not be
 * evaluated: why
 * @watchpoints: (array length=n_watchpoints): what was met here
 * @iterations: (array length=n_iterations): numbers of the loop iterations around it, outermost
 *   first; none outside of loops
 */
typedef struct
{
  SondeStopReason reason;
  guint position;
  guint n_steps;
  SondeMoment moment;
  const char *node;
  const char *op;
  SondePhase phase;
  const char *scope;
  guint64 step;
  const guint *breakpoints;
  guint n_breakpoints;
  const SondeWatchHit *const *watchpoints;
  guint n_watchpoints;
  const guint64 *iterations;
  guint n_iterations;
  const char *condition_error;
} SondeStop;

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

/* @original: (nullable): the graph as the user wrote it, for names that the executed graph lost */
SondeDebugger *sonde_debugger_new (SondeGraph *original);
void sonde_debugger_free (SondeDebugger *debugger); /* detaches */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDebugger, sonde_debugger_free)

/**
 * SondeDebuggerTarget: what is debugged: an execution, or a trainer with its several executions
 * @get_execution: the one that runs, or ran last
 * @add_observer, @remove_observer, @refresh_observers: as those of sonde_execution_*(), for all of
 *   its executions, also those that come later
 */
typedef struct
{
  SondeExecution *(*get_execution) (gpointer data);
  void (*add_observer) (gpointer data, SondeObserver *observer);
  void (*remove_observer) (gpointer data, SondeObserver *observer);
  void (*refresh_observers) (gpointer data);
} SondeDebuggerTarget;

/**
 * sonde_debugger_attach:
 * @target: static; @data: passed to its functions; lives as long as the debugger is attached
 *
 * With no breakpoint and no stepping the debugger wants no step: the run is as fast as without it.
 */
void sonde_debugger_attach (SondeDebugger *debugger, const SondeDebuggerTarget *target,
                            gpointer data);
void sonde_debugger_attach_execution (SondeDebugger *debugger, SondeExecution *execution);
void sonde_debugger_detach (SondeDebugger *debugger);

/**
 * sonde_debugger_moved:
 * @execution: runs from here on instead of the present one; its observers have been moved to it
 * @original: (nullable): as with sonde_debugger_new()
 *
 * What is debugged goes on in another execution, wherever that stands; there it stops. Breakpoints
 * stay.
 */
void sonde_debugger_moved (SondeDebugger *debugger, SondeExecution *execution,
                           SondeGraph *original);

/* The same without another place: a way back brought back the model that the runs had then. */
void sonde_debugger_set_original (SondeDebugger *debugger, SondeGraph *original);

/* The outermost execution that runs or ran last. (transfer none) (nullable) */
SondeExecution *sonde_debugger_get_execution (SondeDebugger *debugger);

/* Any thread: a run that is about to begin pauses at its first position, once. Beside
 * sonde_execution_interrupt(), which does not reach a run of another execution. */
void sonde_debugger_interrupt (SondeDebugger *debugger);

/* @source: gives the number of the step that begins to run; asked once a run, on the run's thread.
 * Without one, runs are counted from 1. */
typedef guint64 (*SondeDebuggerStepSource) (gpointer data);
void sonde_debugger_set_step_source (SondeDebugger *debugger, SondeDebuggerStepSource source,
                                     gpointer data);

/* ---- breakpoints --------------------------------------------------------- */

/**
 * sonde_debugger_add_breakpoint:
 * Needs an attached execution. Errors: NOT_FOUND with the nearest name, when @spec matches no node;
 * MEMORY when there are too many. Returns: (transfer none)
 */
const SondeBreakpoint *sonde_debugger_add_breakpoint (SondeDebugger *debugger,
                                                      const SondeBreakpointSpec *spec,
                                                      GError **error);

/* In order of ids. (element-type SondeBreakpoint) (transfer none) */
GPtrArray *sonde_debugger_get_breakpoints (SondeDebugger *debugger);

/* The three below: @id 0 means all; watches (sonde-watch.h) have ids of the same numbers. Errors:
 * NOT_FOUND naming the id. */
gboolean sonde_debugger_remove_breakpoint (SondeDebugger *debugger, guint id, GError **error);
gboolean sonde_debugger_enable_breakpoint (SondeDebugger *debugger, guint id, gboolean enabled,
                                           GError **error);
/* The next @count hits of it do not stop. */
gboolean sonde_debugger_ignore_breakpoint (SondeDebugger *debugger, guint id, guint64 count,
                                           GError **error);

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

/* @callback: (nullable): called inside the run */
typedef void (*SondeDebuggerLog) (const SondeLogLine *line, gpointer data);
void sonde_debugger_set_log_callback (SondeDebugger *debugger, SondeDebuggerLog callback,
                                      gpointer data);

/* ---- running ------------------------------------------------------------- */

/* ---- frames -------------------------------------------------------------- */

typedef enum
{
  SONDE_FRAME_GRAPH, /* the outermost */
  SONDE_FRAME_BODY,  /* of If, Loop, Scan */
  SONDE_FRAME_FUSED, /* inside a fused step, which runs as a whole: a place to look from */
} SondeFrameKind;

const char *sonde_frame_kind_name (SondeFrameKind kind); /* "graph", "body", "fused" */

/**
 * SondeFrame: one level of where a run stands; strings and nodes are lent until the run goes on
 * @execution: which runs at that level; of a fused step: the one whose step it is
 * @node, @op: whose body, or which fused step, it is; "" of the outermost
 * @body: "then_branch", "else_branch", "body", "fused", "" of the outermost
 * @iteration: which iteration of a loop, from 0; -1 where nothing is repeated
 * @position, @n_steps: in the plan of @execution, or node of nodes of the fused step
 * @at, @at_op, @moment: before (or, at the end, after) which node it stands; of an outer frame the
 *   one inside which the run is
 * @step_node: (nullable): the executed node of that: its origins are nodes of the original graph
 * @scope: (nullable): of that node
 */
typedef struct
{
  SondeFrameKind kind;
  SondeExecution *execution;
  const char *node, *op, *body;
  gint64 iteration;
  guint position, n_steps;
  SondeMoment moment;
  const char *at, *at_op;
  const SondeNode *step_node;
  const char *scope;
} SondeFrame;

/* From the innermost (0) outwards; empty when nothing is open. (element-type SondeFrame) (transfer
 * full) */
GArray *sonde_debugger_get_frames (SondeDebugger *debugger);

/* The frame that names are looked up in first, 0 after every stop. Errors: NOT_FOUND. */
guint sonde_debugger_get_selected (SondeDebugger *debugger);
gboolean sonde_debugger_select_frame (SondeDebugger *debugger, guint level, GError **error);
/* The execution of that frame. (transfer none) (nullable) */
SondeExecution *sonde_debugger_get_selected_execution (SondeDebugger *debugger);
/* The execution of the innermost frame: where the run stands. (transfer none) (nullable) */
SondeExecution *sonde_debugger_get_innermost (SondeDebugger *debugger);

/**
 * SondeFrameScope: a scope around a node
 * @scope: "enc/layer0"; owned
 * @call, @function: (nullable): when it is what a function call became: the calling node and the
 * function; owned
 */
typedef struct
{
  char *scope;
  char *call;
  char *function;
} SondeFrameScope;

void sonde_frame_scope_free (SondeFrameScope *scope);
/* Scopes around the node of @frame that do not lie around the frame itself, from the innermost
 * outwards. (element-type SondeFrameScope) (transfer full) */
GPtrArray *sonde_debugger_get_frame_scopes (SondeDebugger *debugger, const SondeFrame *frame);

/* ---- going on ------------------------------------------------------------ */

/**
 * sonde_debugger_resume:
 * Says how the next sonde_execution_run() (or sonde_trainer_run()) is to go; it is the caller who
 * calls that, and again after a pause that was no stop (sonde_debugger_has_stopped()). Going into a
 * function or a fused step, and from node to node of that, runs nothing: then it has stopped when
 * this returns.
 * Errors: NOT_FOUND for an UNTIL that names nothing, INVALID for one that is no number or phase;
 * STATE for an OUT where there is nothing to leave.
 */
gboolean sonde_debugger_resume (SondeDebugger *debugger, const SondeResume *resume, GError **error);

/* After a run returned PAUSED: TRUE when the debugger stopped it; FALSE when it was interrupted,
 * and a further run goes on with what sonde_debugger_resume() said. */
gboolean sonde_debugger_has_stopped (SondeDebugger *debugger);

/* Makes a stop of reason PAUSE out of an interruption, at the present position. */
void sonde_debugger_stop_here (SondeDebugger *debugger);

/* The run is over or was given up: steps and untils are forgotten, breakpoints stay. */
void sonde_debugger_run_is_over (SondeDebugger *debugger);
/* The same after a failure: the debugger stands where it failed (SONDE_STOP_ERROR), if a step
 * did. */
void sonde_debugger_run_failed (SondeDebugger *debugger);
/* The same, and the next run is the first again: it stands before the first step. */
void sonde_debugger_restarted (SondeDebugger *debugger);

/* The present place; @reason is NONE while there is no stop. */
void sonde_debugger_get_stop (SondeDebugger *debugger, SondeStop *stop);

/* ---- values -------------------------------------------------------------- */

/**
 * sonde_debugger_find_value:
 * @text: "VALUE" or "VALUE[slice]"; VALUE is a value's name (which may hold brackets itself), or
 *   the name of a node, meaning its first output. Looked up in the selected frame, then outwards,
 *   then in bodies that have run, which hold their last iteration; "NODE/BODY/VALUE" says in which
 * @execution: (out): by which the value is read
 * @slice: (out) (transfer full) (nullable): what stands in the brackets, for sonde_tensor_slice()
 *
 * Returns: (transfer none): a value of the executed graph.
 * Errors: NOT_FOUND with the nearest name; when the original graph has it and the executed one has
 * not, the message says that it was optimised away.
 */
SondeGraphValue *sonde_debugger_find_value (SondeDebugger *debugger, const char *text,
                                            SondeExecution **execution, char **slice,
                                            GError **error);

/**
 * sonde_debugger_add_probe:
 * @value: of the executed graph
 * @callback: called once, when the step that makes @value has run next, inside the run (which does
 *   not pause), with the execution; or with NULL when the run is over or the probe is removed
 *   before that
 *
 * Errors: STATE when no step makes it.
 */
typedef void (*SondeProbeCallback) (SondeExecution *execution, SondeGraphValue *value,
                                    gpointer data);
gboolean sonde_debugger_add_probe (SondeDebugger *debugger, SondeGraphValue *value,
                                   SondeProbeCallback callback, gpointer data, GError **error);
void sonde_debugger_remove_probes (SondeDebugger *debugger,
                                   gpointer data); /* those with this @data */

G_END_DECLS
