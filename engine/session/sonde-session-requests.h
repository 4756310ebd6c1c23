/* SPDX-License-Identifier: Apache-2.0
 * What can be asked of a session, and what it answers: one function a request, one kind of reply
 * each. A request is made here, and sent by sonde-session-client.h. No protobuf, no engine
 * internals. All strings and arrays in a reply are owned by it and are valid UTF-8. */
#pragma once

#include <gio/gio.h>

#include "data/base/sonde-span-log.h"
#include "data/captures/sonde-capture-stop.h"
#include "data/values/sonde-bins.h"
#include "engine/ops/sonde-engine-error.h"
#include "engine/session/sonde-open-request.h"
#include "engine/session/sonde-session-status.h"
#include "engine/session/sonde-step-comparison-request.h"
#include "engine/types/sonde-change-results.h"
#include "engine/types/sonde-graph-info.h"
#include "engine/types/sonde-search-results.h"

G_BEGIN_DECLS

/* ---- replies ------------------------------------------------------------- */

/* What a reply has beside state, status and path. */
typedef enum
{
  SONDE_SESSION_REPLY_DONE, /* nothing */
  SONDE_SESSION_REPLY_STOPS,
  SONDE_SESSION_REPLY_BREAKPOINTS,
  SONDE_SESSION_REPLY_WATCH_HITS,
  SONDE_SESSION_REPLY_FRAMES,
  SONDE_SESSION_REPLY_GRAPH,
  SONDE_SESSION_REPLY_LISTING,
  SONDE_SESSION_REPLY_STEPS,
  SONDE_SESSION_REPLY_VALUES,
  SONDE_SESSION_REPLY_READING,
  SONDE_SESSION_REPLY_CHANGES,
  SONDE_SESSION_REPLY_BRANCHES,
  SONDE_SESSION_REPLY_ORIGIN,
  SONDE_SESSION_REPLY_REDUCTION,
  SONDE_SESSION_REPLY_DIVERGENCE,
  SONDE_SESSION_REPLY_PRECISION,
  SONDE_SESSION_REPLY_CALL,
  SONDE_SESSION_REPLY_PROFILE,
} SondeSessionReplyKind;

/**
 * SondeSessionReply: the answer to one request
 * @kind: which member of the union is there; it is the one that stands with the request
 * @state: of the session when it answered
 * @status: (nullable)
 * @path: (nullable): of a file that was written
 */
typedef struct
{
  SondeSessionReplyKind kind;
  SondeSessionState state;
  SondeSessionStatus *status;
  char *path;
  union
  {
    /* STOPS: (element-type SondeCaptureStop): breakpoints and watches that came with what was
     * opened */
    GPtrArray *stops;
    struct
    {
      GPtrArray *breakpoints; /* (element-type SondeBreakpoint) */
      GPtrArray *watches;     /* (element-type SondeWatch) */
    };
    GPtrArray *watch_hits; /* (element-type SondeWatchHit) */
    struct
    {
      GPtrArray *frames; /* (element-type SondeFrame): from the innermost */
      guint selected;    /* level of the selected one */
    };
    GBytes *bytes; /* GRAPH: ONNX model */
    /* LISTING: @lines: (array length=n_lines): line of the step at position k in @text, from 1; 0:
     * none */
    struct
    {
      char *text;
      guint *lines;
      guint n_lines;
    };
    GPtrArray *steps;  /* (element-type SondeStepInfo): by position */
    GPtrArray *values; /* (element-type SondeValueInfo) */
    /* READING: @name: of the value, or text of the expression; @histogram, @tensor: (nullable);
     * @truth, @unknown, @explanation (nullable): of an expression */
    struct
    {
      char *name;
      SondeDtype dtype;
      SondeShape shape;
      SondeStatistics statistics;
      SondeBins *histogram;
      SondeTensor *tensor;
      gboolean truth, unknown;
      SondeMessage *explanation;
    };
    /* CHANGES: @edits: (element-type SondeEdit); @differences: (element-type SondeDifference), of
     * two branches with @of_branches; @note: (nullable): a sentence that goes with them */
    struct
    {
      GPtrArray *edits;
      GPtrArray *differences;
      gboolean of_branches;
      SondeMessage *note;
    };
    GPtrArray *branches; /* (element-type SondeBranch) */
    SondeOrigin *origin;
    SondeReducedCase *reduction;
    SondeDivergence *divergence;
    SondePrecisionFound *precision;
    /* CALL: @result: a{sv}; @tensors: (element-type SondeTensor): that came along */
    struct
    {
      GVariant *result;
      GPtrArray *tensors;
    };
    SondeSpanLogStatus profile;
  };
} SondeSessionReply;

void sonde_session_reply_free (SondeSessionReply *reply);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSessionReply, sonde_session_reply_free)

/* ---- requests ------------------------------------------------------------ */

typedef struct _SondeSessionRequest SondeSessionRequest;        /* sent once; sending takes it */
void sonde_session_request_free (SondeSessionRequest *request); /* one that was not sent */

/* Replies carry .status. */
SondeSessionRequest *sonde_session_request_status (void);
/* Answered when it is open; progress comes as events. Control needed. Replies .status, and .stops
 * of a capture. */
SondeSessionRequest *sonde_session_request_open (const SondeOpenRequest *open);
/* TRUE: take control when nobody has it; FALSE: give it up. Replies .status. */
SondeSessionRequest *sonde_session_request_control (gboolean take);

/* The run goes on; control needed. Answered at once; then a "stopped" or "ended" comes. In the
 * READY state this starts the run. Errors: STATE when it runs already or is over. */
SondeSessionRequest *sonde_session_request_resume (const SondeResume *resume);
/* It stops before the next step; then "stopped". No error when it is paused already. Control
 * needed. */
SondeSessionRequest *sonde_session_request_pause (void);
/* Back to READY, before the first step. Control needed. Replies .status. Errors: STATE,
 * UNSUPPORTED. */
SondeSessionRequest *sonde_session_request_restart (void);
/* Back to an earlier place, also from the end; control needed. Answered at once; then "stopped"
 * comes: at the place, or with reason "beginning" where there was nothing further back. Errors:
 * STATE, NOT_FOUND. */
SondeSessionRequest *sonde_session_request_go_back (const SondeBack *back);
/* Of a training: writes the batch of the present step to @path (absolute; NULL:
 * RUN/captures/batch-stepNNNNNNNN.npz) and goes back to before its first node. Replies .path; then
 * "stopped" comes. Control needed. */
SondeSessionRequest *sonde_session_request_rewind (const char *path);
/* The run is finished (checkpoint written) and the engine ends. Control needed. */
SondeSessionRequest *sonde_session_request_quit (void);

/* Breakpoints; control needed but for the list. All reply .breakpoints: those that were added or
 * changed, or (list, and remove: those that are left) all. @id 0: all. */
SondeSessionRequest *sonde_session_request_list_breakpoints (void);
SondeSessionRequest *sonde_session_request_add_breakpoint (const SondeBreakpointSpec *spec);
SondeSessionRequest *sonde_session_request_remove_breakpoint (guint id);
SondeSessionRequest *sonde_session_request_enable_breakpoint (guint id, gboolean enabled);
SondeSessionRequest *sonde_session_request_ignore_breakpoint (guint id, guint64 count);
/* .watches; the three above answer with them, too. @text: see sonde_debugger_add_watches() */
SondeSessionRequest *sonde_session_request_add_watch (const char *text);
SondeSessionRequest *sonde_session_request_list_watches (void);
/* .watch_hits; @id 0: all; @step 0: the present one */
SondeSessionRequest *sonde_session_request_list_watch_hits (guint id);
SondeSessionRequest *sonde_session_request_recheck (guint64 step);

/* Which graph. */
typedef enum
{
  SONDE_SESSION_GRAPH_EXECUTED,
  SONDE_SESSION_GRAPH_ORIGINAL, /* as the user wrote it */
} SondeSessionGraph;

/* Replies .bytes: the graph as ONNX; constants above 64 KiB are left out. */
SondeSessionRequest *sonde_session_request_graph (SondeSessionGraph which);
/* Replies .text and, for the executed graph, .lines. */
SondeSessionRequest *sonde_session_request_listing (SondeSessionGraph which);
/* Replies .steps. */
SondeSessionRequest *sonde_session_request_steps (void);
/* @pattern: (nullable): glob. Replies .values of the executed graph. */
SondeSessionRequest *sonde_session_request_values (const char *pattern);

/* Where it stands, from the innermost frame. Replies .frames .selected */
SondeSessionRequest *sonde_session_request_frames (void);
/* The frame that names are looked up in first; 0 after every stop. Replies .frames .selected.
 * Errors: NOT_FOUND. */
SondeSessionRequest *sonde_session_request_select_frame (guint level);

/* Whose graph a request of the executed graph, its listing, steps or values is about; without it
 * the outermost. */
#define SONDE_SESSION_FRAME_OUTERMOST 0u
#define SONDE_SESSION_FRAME_LEVEL(level) ((guint) (level) + 1u)
#define SONDE_SESSION_FRAME_SELECTED G_MAXUINT32
/* Returns: @request */
SondeSessionRequest *sonde_session_request_in_frame (SondeSessionRequest *request, guint frame);

/* "VALUE" or "VALUE[slice]", see sonde_debugger_find_value(). Answered at the present position;
 * while it runs and the value is not there yet, right after the step that makes it next.
 * Errors: STATE when it was not computed yet, NOT_FOUND, INVALID for the slice. */
/* .name .dtype .shape .statistics */
SondeSessionRequest *sonde_session_request_statistics (const char *value);
/* .name .dtype .shape .histogram */
SondeSessionRequest *sonde_session_request_histogram (const char *value);
/* .name .dtype .shape .tensor */
SondeSessionRequest *sonde_session_request_tensor (const char *value);
/* @path: absolute; written by the engine. Replies .path .dtype .shape */
SondeSessionRequest *sonde_session_request_save (const char *value, const char *path);

/* ---- finding ------------------------------------------------------------- */

/* "VALUE" or "VALUE[index]", at the present position; see sonde_origin_find(). Replies .origin.
 * Errors: STATE while it runs and for a finite element. */
SondeSessionRequest *sonde_session_request_origin (const char *value);
/* @node: (nullable): that of the last origin or divergence. @path: absolute, of the model; files of
 * its inputs lie beside it. See sonde_reduce(). Replies .reduction. */
SondeSessionRequest *sonde_session_request_reduce (const char *node, const char *path);

/* ---- changing: control needed; the run must stand, but for the lists and diff ---- */

/* @target: "VALUE[slice]"; @what: a number, "file:F.npy" (absolute), or an expression. Replies
 * .edits: the one. See sonde_debugger_set(). */
SondeSessionRequest *sonde_session_request_set (const char *target, const char *what);
/* Attribute @key of @node; @value as text: "3", "0.5", "[1, 1]", "SAME_UPPER". Replies .edits
 * .status .note: another branch. */
SondeSessionRequest *sonde_session_request_set_attribute (const char *node, const char *key,
                                                          const char *value);
/* Output 0 of @node is its input 0. Replies as the one before. */
SondeSessionRequest *sonde_session_request_bypass (const char *node);

/* Replies .differences, one an output (a: computed again, b: of the run), .note: how it was
 * computed; .edits with take. */
SondeSessionRequest *sonde_session_request_rerun (const SondeRerunOptions *spec);

/* What is asked about branches, and what is answered. */
typedef enum
{
  SONDE_BRANCH_LIST, /* .branches */
  /* remembers the present state under @name (nullable) and goes on in a new one; .branches
   * .status */
  SONDE_BRANCH_MAKE,
  SONDE_BRANCH_SWITCH, /* to the branch of that number or name; .branches .status */
  SONDE_BRANCH_EDITS,  /* .edits: all that was done */
} SondeBranchRequest;

SondeSessionRequest *sonde_session_request_branch (SondeBranchRequest what, const char *name);
/* Values, expressions, VALUE@BRANCH, VALUE@prev, "file:F.npy" (absolute), or two branches (@b NULL:
 * the present one). Replies .differences: one, or of two branches (.of_branches) one for each value, in
 * order. */
SondeSessionRequest *sonde_session_request_diff (const char *a, const char *b);
/**
 * SondeDivergeRequest: what the run is compared with: one of these; zero-initialise
 * @device: (nullable): @precision: (nullable): "f64", "bf16", "f16"; both may be given
 * @tensors_path, @model_path, @weights_path: (nullable): absolute, read by the engine
 * @optimise_off: the optimised run against the run as it is
 * @gradients: of a step of another program only, see SondeStepComparisonRequest; not sent
 * @rtol: with @has_rtol; @pattern: (nullable): glob of nodes or values
 */
typedef struct
{
  const char *device, *precision;
  const char *tensors_path, *model_path, *weights_path;
  gboolean optimise_off, gradients, has_rtol;
  double rtol;
  const char *pattern;
  guint threads;
} SondeDivergeRequest;

/* While paused, ready or ended; control needed. Progress comes as events, a pause request gives it
 * up (STATE). Replies .divergence */
SondeSessionRequest *sonde_session_request_diverge (const SondeDivergeRequest *diverge);

/* Of an engine in which nothing need be open; control needed. Progress comes as events, a request to
 * quit gives it up. Replies .divergence */
SondeSessionRequest *sonde_session_request_compare_step (const SondeStepComparisonRequest *asked);

/* What is to be done with the result of an expression. */
typedef enum
{
  /* .name (the text) .dtype .shape .tensor .truth; a number has no dimensions */
  SONDE_SESSION_WANT_TENSOR,
  SONDE_SESSION_WANT_STATISTICS, /* .name .dtype .shape .statistics .truth */
  SONDE_SESSION_WANT_SAVED,      /* .name .path .dtype .shape: written by the engine */
  /* .name .truth .explanation .dtype .shape, .tensor of a single number; or .unknown */
  SONDE_SESSION_WANT_CHECKED,
} SondeSessionWant;

/**
 * sonde_session_request_evaluate:
 * @path: (nullable): of SAVED: absolute
 *
 * An expression (docs/expressions.md) at the present position; while it runs and a value is not
 * there yet, after the step that makes it. Errors: those of sonde_expression_parse() and
 * sonde_expression_evaluate(); a CHECKED one that is unknown is none.
 */
SondeSessionRequest *sonde_session_request_evaluate (const char *expression, SondeSessionWant want,
                                                     const char *path);
/* The search for nodes that stay float32, see sonde_precision_search(). @path: absolute: of the
 * recipe that the engine writes;
 * @precision: (nullable): "bf16"; @values: (nullable) (array zero-terminated=1). As the one before.
 * Replies .precision .path */
SondeSessionRequest *sonde_session_request_precision (const char *path, const char *precision,
                                                      double tolerance, const char *const *values);

/**
 * sonde_session_request_capture:
 * @path: absolute; written by the engine, opened by sonde_session_request_open()
 * @values: (nullable) (array zero-terminated=1): globs of values to be kept whole; of all others
 * statistics are
 * @stops: (element-type SondeCaptureStop): breakpoints and watches
 * Errors: STATE while it runs. Replies .path
 */
SondeSessionRequest *sonde_session_request_capture (const char *path, const char *const *values,
                                                    const GPtrArray *stops);

/* ---- profiles: all reply .profile; control needed but for the status ---------- */

/* Spans are recorded from the next step or run on, and those of before forgotten. @options: .n_steps and
 * .slower; the rest is the engine's. Errors: STATE while one is recorded, INVALID, UNSUPPORTED where
 * nothing runs that could be measured. */
SondeSessionRequest *sonde_session_request_profile_start (const SondeSpanLogOptions *options);
/* What was recorded of whole steps is kept. Errors: STATE when none is recorded. */
SondeSessionRequest *sonde_session_request_profile_stop (void);
/* The run is not interrupted for it. */
SondeSessionRequest *sonde_session_request_profile_status (void);
/* The recording that has ended is written to where it can be read: of a training into its own run, of anything else into
 * @folder (absolute; nullable), which becomes a run. Errors: STATE while one is recorded and where none has a whole step,
 * UNSUPPORTED, and those of the folder. Replies .profile .path, which is the run's folder */
SondeSessionRequest *sonde_session_request_profile_keep (const char *folder);

/**
 * sonde_session_request_call:
 * @arguments: a{sv}; floating is taken
 * @tensors: (nullable) (element-type SondeTensor): no strings; with the arguments less than 15 MiB
 *
 * Something of the program's own, see SondeSessionHost. Control needed. Replies .result .tensors. A
 * GCancellable of sonde_session_client_send() tells the engine, too: it ends the call as soon as it
 * can. Returns: (nullable): NULL with @error MEMORY for more than fits.
 */
SondeSessionRequest *sonde_session_request_call (const char *name, GVariant *arguments,
                                                 GPtrArray *tensors, GError **error);

G_END_DECLS
