/* SPDX-License-Identifier: Apache-2.0
 * A debugger for a loop that is not ours: a training in PyTorch, say. The loop says which node it
 * comes to; breakpoints, watches and stepping are looked at here, and where something stops the
 * loop's thread stands until it is told to go on.
 *
 * Threads: the loop's, but for sonde_live_loop_interrupt(). */
#pragma once

#include "data/values/sonde-tensor.h"
#include "data/base/sonde-span-log.h"
#include "engine/live/sonde-breakpoint-table.h"
#include "engine/live/sonde-live-look.h"
#include "engine/live/sonde-live-node.h"
#include "engine/live/sonde-live-target.h"
#include "engine/live/sonde-watch-table.h"
#include "engine/types/sonde-change-results.h"
#include "engine/types/sonde-graph-info.h"
#include "engine/types/sonde-search-results.h"

G_BEGIN_DECLS

typedef struct _SondeLiveLoop SondeLiveLoop;

typedef enum
{
  SONDE_LIVE_PROFILE_START,
  SONDE_LIVE_PROFILE_STOP,
  SONDE_LIVE_PROFILE_KEEP,
  SONDE_LIVE_PROFILE_STATUS,
} SondeLiveProfileKind;

/**
 * SondeLiveProfile:
 * @n_steps: of START: how many; 0: until STOP
 * @folder: (nullable): of KEEP: of a run, absolute, which gets a copy
 * @status: filled in: how far it is
 * @trace: (nullable): filled in: the file of the last recording that ended; owned by who asks
 */
typedef struct
{
  SondeLiveProfileKind kind;
  guint64 n_steps;
  const char *folder;
  SondeSpanLogStatus status;
  char *trace;
} SondeLiveProfile;

/**
 * SondeLiveHooks: what the loop is asked for; @list_nodes and @get_value required
 * @list_nodes: names of the nodes of the step that ran last, for patterns and nearest names; empty
 *   before the first. (array zero-terminated=1) (transfer full)
 * @get_value: the value @name now; @previous: of the step before. (transfer full). Errors:
 *   NOT_FOUND; STATE: it is not there (yet, or any more)
 * @list_steps: (optional; without it there is no listing): the nodes of the step that ran last, in
 *   order; nodes, originals, implementation may be left out. (element-type SondeStepInfo) (transfer
 *   full)
 * @list_values: (optional): values that can be asked for now or later in the step: parameters,
 *   gradients, activations. (element-type SondeValueInfo) (transfer full)
 * @set_value: (optional): @tensor, of the type and shape of the value @name, takes its place: later
 *   nodes of the loop read it. Errors: UNSUPPORTED for a value that cannot be set
 * @load_value: (optional): reads the tensor in @path (absolute). (transfer full)
 * @save_value: (optional): writes @tensor to @path (absolute), format by its suffix (.npy)
 * @get_frames: (optional): levels around the node it stands at, from the innermost outwards, without
 *   the outermost. (element-type SondeFrame) (transfer full)
 * @check_into: (optional): whether something is inside of @node that can be gone into. Errors: UNSUPPORTED
 * @go_back: (optional): it is to come by @back again: from where it stands it goes on when it is told to,
 *   and calls sonde_live_loop_stop_at() there. Errors: UNSUPPORTED, NOT_FOUND, STATE: it goes nowhere
 * @find_origin: (optional): where the bad element of @value comes from. (transfer full)
 * @save_capture: (optional): writes what it has of the moment to @path (absolute); @values: globs of what is to
 *   be in it whole; with @batch only what the step was called with
 * @profile: (optional): what @profile asks of the framework's own profiler; fills in the rest. It begins and
 *   ends with steps. Errors: STATE, UNSUPPORTED
 * @list_sharing: (optional): other values in the memory of @value, which change when it is set. (transfer full)
 *   (array zero-terminated=1)
 * @wake: (optional): any thread: somebody asks. The loop's thread is to come to a node, or to
 *   sonde_session_server_answer(), soon; without it its next node is waited for
 */
typedef struct
{
  char **(*list_nodes) (gpointer data);
  SondeTensor *(*get_value) (gpointer data, const char *name, gboolean previous, GError **error);
  GPtrArray *(*list_steps) (gpointer data);
  GPtrArray *(*list_values) (gpointer data);
  gboolean (*set_value) (gpointer data, const char *name, SondeTensor *tensor, GError **error);
  SondeTensor *(*load_value) (gpointer data, const char *path, GError **error);
  gboolean (*save_value) (gpointer data, SondeTensor *tensor, const char *path, GError **error);
  GPtrArray *(*get_frames) (gpointer data);
  gboolean (*check_into) (gpointer data, const char *node, GError **error);
  gboolean (*go_back) (gpointer data, const SondeBack *back, GError **error);
  SondeOrigin *(*find_origin) (gpointer data, const char *value, GError **error);
  gboolean (*save_capture) (gpointer data, const char *path, const char *const *values,
                            gboolean batch, GError **error);
  gboolean (*profile) (gpointer data, SondeLiveProfile *profile, GError **error);
  char **(*list_sharing) (gpointer data, const char *value);
  void (*wake) (gpointer data);
} SondeLiveHooks;

SondeLiveLoop *sonde_live_loop_new (const SondeLiveHooks *hooks, gpointer data);
void sonde_live_loop_free (SondeLiveLoop *loop);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeLiveLoop, sonde_live_loop_free)

/* @log: (nullable): what logpoints print */
void sonde_live_loop_set_log (SondeLiveLoop *loop, SondeBreakpointLog log, gpointer data);

/* For a server. (transfer none) */
SondeLiveTarget *sonde_live_loop_get_target (SondeLiveLoop *loop);
/* Values at the place where it stands. (transfer none) */
SondeExpressionSource *sonde_live_loop_get_source (SondeLiveLoop *loop);

/* ---- what the loop says -------------------------------------------------- */

/* Training step @number begins; they count from 1. */
void sonde_live_loop_begin_step (SondeLiveLoop *loop, guint64 number);

/* Whether anything is to be told of nodes at all: no breakpoint, watch, step or question: FALSE. One
 * test a node. */
gboolean sonde_live_loop_is_armed (const SondeLiveLoop *loop);

/* Whether operators are among those: FALSE: a loop may tell of modules and of values that no operator makes alone. It
 * may become TRUE with every step, or with anything that a client does. */
gboolean sonde_live_loop_reaches_operators (const SondeLiveLoop *loop);

/* Changes whenever sonde_live_loop_wants() may answer otherwise than before. */
guint64 sonde_live_loop_get_arming (const SondeLiveLoop *loop);

/* At which moments @node has to be passed: bits, 1 << SondeMoment. What a loop keeps of a node between
 * two changes of the arming; a question (sonde_live_loop_interrupt()) is not in it. WANTS_LOOK beside
 * AFTER: that is in vain where looks at all outputs are sound. */
#define SONDE_LIVE_WANTS_LOOK (1u << 2)
guint sonde_live_loop_wants (const SondeLiveLoop *loop, const SondeLiveNode *node);

/* Looks at the outputs of a node that wants them, NULL for those that nobody watches; they hold
 * between two changes of the arming. (element-type SondeLiveLook) (transfer full) */
GPtrArray *sonde_live_loop_get_looks (const SondeLiveLoop *loop, const SondeLiveNode *node);

/* It comes to @node, @moment. TRUE: its thread is wanted here, as something stops it or somebody
 * asks: it goes on when sonde_session_server_stand() says so. */
gboolean sonde_live_loop_pass (SondeLiveLoop *loop, const SondeLiveNode *node, SondeMoment moment);

/* @node fails with @problem, which leaves it when the loop goes on: looked at are breakpoints on
 * SONDE_BREAKPOINT_ERRORS. Returns as sonde_live_loop_pass(). */
gboolean sonde_live_loop_fail (SondeLiveLoop *loop, const SondeLiveNode *node, const char *problem);

/* It has come to where sonde_live_loop_go_back() was to lead, or no further: a stop of @reason there.
 * @problem: (nullable): why it is not where it was to be. */
void sonde_live_loop_stop_at (SondeLiveLoop *loop, const SondeLiveNode *node, SondeMoment moment,
                              SondeStopReason reason, const char *problem);

/* A breakpoint or a condition stops at @node, @moment, as it would on a way back, which comes by all nodes of the step in
 * order: nothing is counted or printed. sonde_live_loop_stop_at() with reason BREAKPOINT is for what was found last. */
gboolean sonde_live_loop_would_stop (SondeLiveLoop *loop, const SondeLiveNode *node,
                                     SondeMoment moment);

/* Its thread goes on from where it was wanted. */
void sonde_live_loop_leave_place (SondeLiveLoop *loop);

/* Any thread: it is to be asked before its next node. */
void sonde_live_loop_interrupt (SondeLiveLoop *loop);

/* Whoever asked is answered now. */
void sonde_live_loop_forget_interrupt (SondeLiveLoop *loop);

/* ---- its nodes and values (sonde-live-values.c) -------------------------- */

/* (element-type SondeStepInfo) (transfer full). Errors: UNSUPPORTED where the host lists none. */
GPtrArray *sonde_live_loop_list_steps (SondeLiveLoop *loop, GError **error);
/* One line a node, as the listing of a graph: "NAME: OUTPUTS = OP (INPUTS)  # TYPES". (transfer full) */
char *sonde_live_loop_dup_listing (const GPtrArray *steps);
/* @glob: "": all. (element-type SondeValueInfo) (transfer full). Errors: UNSUPPORTED. */
GPtrArray *sonde_live_loop_list_values (SondeLiveLoop *loop, const char *glob, GError **error);

/**
 * sonde_live_loop_set:
 * @target: "VALUE" or "VALUE[slice]"; @source: broadcast onto it, see sonde_assign_slice()
 * @text: the command, for the edit
 *
 * While it stands. Returns: (transfer full). Errors: those of the hooks and of the assignment, with
 * the value as it was; UNSUPPORTED where the host sets none.
 */
SondeEdit *sonde_live_loop_set (SondeLiveLoop *loop, const char *target, SondeTensor *source,
                                const char *text, GError **error);
/* Errors of both: UNSUPPORTED; those of the hook. */
SondeTensor *sonde_live_loop_load (SondeLiveLoop *loop, const char *path, GError **error);
gboolean sonde_live_loop_save (SondeLiveLoop *loop, SondeTensor *tensor, const char *path,
                               GError **error);
/* What is recommended for the nodes of the loop, as texts of watches. (transfer full) (array
 * zero-terminated=1) */
char **sonde_live_loop_recommend (SondeLiveLoop *loop);

/* ---- while it stands ----------------------------------------------------- */

/**
 * sonde_live_loop_resume:
 * CONTINUE, STEP and INTO (@count operators, after which it stands before one), NEXT (the same, but
 * where a scope begins over all of it), OUT (of the scope it stands in), UNTIL a node, step:N,
 * phase:P, end:P or end (as OUT). Errors: INVALID, NOT_FOUND, STATE for a target or place;
 * UNSUPPORTED.
 */
gboolean sonde_live_loop_resume (SondeLiveLoop *loop, const SondeResume *resume, GError **error);
/* While it stands: it goes back and stops by sonde_live_loop_stop_at(). Errors: those of the hook;
 * UNSUPPORTED without one. */
gboolean sonde_live_loop_go_back (SondeLiveLoop *loop, const SondeBack *back, GError **error);
/* (transfer full). Errors: those of the hook; UNSUPPORTED without one. */
SondeOrigin *sonde_live_loop_find_origin (SondeLiveLoop *loop, const char *value, GError **error);
/* Errors: those of the hook; UNSUPPORTED without one. */
gboolean sonde_live_loop_save_capture (SondeLiveLoop *loop, const char *path,
                                       const char *const *values, gboolean batch, GError **error);
/* Errors: those of the hook; UNSUPPORTED without one. */
gboolean sonde_live_loop_profile (SondeLiveLoop *loop, SondeLiveProfile *profile, GError **error);
/* It stops where it is since a condition found a NaN or an infinity. */
gboolean sonde_live_loop_is_bad (const SondeLiveLoop *loop);
/* Whoever listens is told, as what a logpoint prints. */
void sonde_live_loop_tell (SondeLiveLoop *loop, const char *text);
/* A stop of reason PAUSE, at once: where it is wanted, or between two nodes. */
void sonde_live_loop_stop_here (SondeLiveLoop *loop);
/* Breakpoints, watches and steps go; it runs on. */
void sonde_live_loop_let_go (SondeLiveLoop *loop);

G_END_DECLS
