/* SPDX-License-Identifier: Apache-2.0
 * What clients learn of a session, as plain structs: states, stops, breakpoints, steps, values. No
 * protobuf, no engine internals. All strings and arrays in them are owned by the struct that holds
 * them and are valid UTF-8. */
#pragma once

#include "data/values/sonde-bins.h"
#include "data/values/sonde-statistics.h"
#include "engine/debug/sonde-debugger.h"
#include "engine/debug/sonde-watch.h"
#include "engine/debug/sonde-difference.h"
#include "engine/debug/sonde-edit.h"
#include "engine/debug/sonde-origin.h"
#include "engine/debug/sonde-diverge.h"
#include "engine/debug/sonde-precision.h"
#include "engine/session/sonde-session-host.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_SESSION_EMPTY,   /* nothing was opened */
  SONDE_SESSION_LOADING, /* something is being opened */
  SONDE_SESSION_READY,   /* opened, before the first step; nothing has run */
  SONDE_SESSION_RUNNING,
  SONDE_SESSION_PAUSED,
  SONDE_SESSION_ENDED, /* values of an inference, parameters of a training can be asked for */
} SondeSessionState;

const char *sonde_session_state_name (SondeSessionState state); /* "empty", "loading", … */

/**
 * SondeFrameInfo: one level of where a run stands; see SondeFrame
 * @originals: (array zero-terminated=1): nodes of the original graph that became the one it stands
 * at
 * @scopes: (element-type SondeFrameScope): from the innermost
 */
typedef struct
{
  SondeFrameKind kind;
  char *node, *op, *body;
  gint64 iteration;
  guint position, n_steps;
  SondeMoment moment;
  char *at, *at_op;
  char *scope; /* (nullable) */
  char **originals;
  GPtrArray *scopes;
} SondeFrameInfo;

void sonde_frame_info_free (SondeFrameInfo *info);

/**
 * SondeStopInfo: see SondeStop; @state says whether it is a stop at all
 * @reason: "breakpoint", "step", "until", "pause", "error"; "none" when it has not stopped
 * @breakpoints: (array length=n_breakpoints)
 * @position, @n_steps: in the innermost frame
 * @frames: (element-type SondeFrameInfo) (nullable): from the innermost to the outermost
 * @watchpoints: (nullable) (element-type SondeWatchHit): what was met here; not changed any more
 * @packed_watchpoints: (nullable): the server's: as they are sent
 */
typedef struct
{
  const char *reason; /* static */
  char *node;
  char *op;
  char *scope; /* (nullable) */
  SondePhase phase;
  SondeMoment moment;
  guint position;
  guint n_steps;
  guint64 step;
  guint *breakpoints;
  guint n_breakpoints;
  guint64 *iterations;
  guint n_iterations;
  GPtrArray *frames;
  char *condition_error; /* (nullable) */
  GPtrArray *watchpoints;
  GBytes *packed_watchpoints;
} SondeStopInfo;

/* The position in the outermost graph, whose steps and listing have it. */
guint sonde_stop_info_get_outermost (const SondeStopInfo *info);

SondeStopInfo *sonde_stop_info_copy (const SondeStopInfo *info);
void sonde_stop_info_free (SondeStopInfo *info);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeStopInfo, sonde_stop_info_free)

/**
 * SondeEndInfo: how the activity ended
 * @status: "done", "stopped", "failed"
 * @message: (nullable): of a failure
 */
typedef struct
{
  const char *status; /* static */
  char *message;
} SondeEndInfo;

/* One breakpoint; see SondeBreakpoint. Strings are owned; those from @condition on (nullable). */
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
  char *condition, *hit_condition, *log, *note;
} SondeBreakpointInfo;

/* One watch; see SondeWatch. Strings and @last are owned. */
typedef SondeWatch SondeWatchInfo;

/**
 * SondeStepInfo: one step of the plan
 * @origin: (nullable): "gradient of conv1, input 0", "inserted", …
 * @nodes: (array zero-terminated=1): names of the executed nodes it stands for; several when fused
 * @originals: (array zero-terminated=1): names of the nodes of the original graph
 * @outputs, @inputs: (array zero-terminated=1): names of values
 * @implementation: "jit:avx512_core", "reference", …
 */
typedef struct
{
  char *name;
  char *op;
  SondePhase phase;
  char *scope; /* (nullable) */
  char *origin;
  char **nodes;
  char **originals;
  char **inputs;
  char **outputs;
  char *implementation;
} SondeStepInfo;

/**
 * SondeValueInfo: one value of the executed graph
 * @type: "float32 N×6×28×28" as sonde_type_to_string()
 * @producer: (nullable): node that makes it
 * @available: it can be read at the present position
 */
typedef struct
{
  char *name;
  char *type;
  SondeValueRole role;
  char *producer;
  gboolean available;
} SondeValueInfo;

/**
 * SondeSessionStatus: everything about the state at once
 * @in_control: this client may resume, change breakpoints and quit
 * @has_controller: some client is in control
 * @stop: position while READY, PAUSED or ENDED; else what it was last
 * @end: valid when ENDED
 * @title, @run_directory: (nullable)
 * @branch: in which branch it is, from 1
 * @kind, @step … : see SondeSessionFacts; of the last report while RUNNING
 */
typedef struct
{
  SondeSessionState state;
  gboolean in_control;
  gboolean has_controller;
  int pid;
  SondeStopInfo stop;
  SondeEndInfo end;
  SondeActivityKind kind;
  char *title;
  char *run_directory;
  guint branch;
  guint64 step, total_steps, epoch, n_epochs;
  gboolean measured; /* a step has finished: loss is one */
  double loss, accuracy, learning_rate, samples_per_second;
} SondeSessionStatus;

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

/**
 * SondeBranchInfo: one branch of what is debugged
 * @number: from 1; @parent: that it came from, 0 of the first
 * @text: what made it
 * @current: the session is in it
 * @position, @n_steps, @node: where it stands
 * @bytes: memory it takes beside its parent
 */
typedef struct
{
  guint number, parent;
  char *name;
  char *text;
  gboolean current;
  guint position, n_steps;
  char *node;
  guint64 bytes;
} SondeBranchInfo;

void sonde_branch_info_free (SondeBranchInfo *info);

/* A breakpoint or watch as it would be typed; @text owned. */
typedef struct
{
  char *text;
  gboolean enabled;
} SondeStopCommand;

SondeStopCommand *sonde_stop_command_new (const char *text, gboolean enabled);
void sonde_stop_command_free (SondeStopCommand *command);

/**
 * SondeReductionInfo: a small model that fails as the run did
 * @model: its file
 * @names: (array zero-terminated=1): of its inputs; @files: (array zero-terminated=1): what they
 * were
 * @command: shows the failure
 * @node, @value: what fails, as in the session's model
 */
typedef struct
{
  char *model;
  char **names, **files;
  guint n_nodes;
  char *command;
  char *node, *value;
} SondeReductionInfo;

void sonde_reduction_info_free (SondeReductionInfo *info);

/**
 * SondeSessionReply: the answer to one request; which fields are filled stands with the request
 * @state: of the session when it answered
 * @breakpoints: (element-type SondeBreakpointInfo)
 * @watches: (element-type SondeWatchInfo)
 * @watch_hits: (element-type SondeWatchHit)
 * @steps: (element-type SondeStepInfo): by position
 * @values: (element-type SondeValueInfo)
 * @name: name of the value that was read
 * @path: of the file that was written
 * @text: listing
 * @lines: (array length=n_lines): line of the step at position k in @text, from 1; 0: none
 * @bytes: ONNX model
 * @truth, @unknown, @explanation: (nullable): of an expression
 * @stops: (element-type SondeStopCommand): breakpoints and watches that came with what was opened
 * @edits: (element-type SondeEdit)
 * @differences: (element-type SondeDifference)
 * @branches: (element-type SondeBranchInfo)
 * @note: a sentence that goes with the answer
 * @frames: (element-type SondeFrameInfo): from the innermost; @selected: level of the selected one
 * @origin: (nullable)
 * @divergence: of that request
 * @divergence, @precision: of those requests
 * @reduction: (nullable)
 * @result: (nullable): a{sv}, of a call; @tensors: (element-type SondeTensor): that came along
 */
typedef struct
{
  SondeSessionState state;
  SondeSessionStatus *status;
  GPtrArray *breakpoints;
  GPtrArray *watches;
  GPtrArray *watch_hits;
  GPtrArray *steps;
  GPtrArray *values;
  char *name;
  SondeDtype dtype;
  SondeShape shape;
  SondeStatistics statistics;
  SondeBins *histogram;
  SondeTensor *tensor;
  char *path;
  char *text;
  guint *lines;
  guint n_lines;
  GBytes *bytes;
  gboolean truth, unknown;
  char *explanation;
  GPtrArray *edits;
  GPtrArray *differences;
  GPtrArray *branches;
  char *note;
  GPtrArray *frames;
  guint selected;
  SondeOrigin *origin;
  SondeDivergence *divergence;
  SondePrecisionFound *precision;
  GPtrArray *stops;
  SondeReductionInfo *reduction;
  GVariant *result;
  GPtrArray *tensors;
} SondeSessionReply;

void sonde_session_reply_free (SondeSessionReply *reply);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSessionReply, sonde_session_reply_free)

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

typedef enum
{
  SONDE_SESSION_EVENT_RESUMED,     /* it runs (again) */
  SONDE_SESSION_EVENT_STOPPED,     /* @status->stop says where and why */
  SONDE_SESSION_EVENT_ENDED,       /* @status->end says how */
  SONDE_SESSION_EVENT_PROGRESS,    /* of a training: @status; of an opening: @text and @fraction */
  SONDE_SESSION_EVENT_LOG,         /* @text */
  SONDE_SESSION_EVENT_BREAKPOINTS, /* the list changed: hits, or another client's doing */
  SONDE_SESSION_EVENT_CONTROL,     /* who is in control changed */
  SONDE_SESSION_EVENT_EDITED,      /* a value was set: @text is the command, @status */
  /* it goes on in another branch, @status->branch: @text says why */
  SONDE_SESSION_EVENT_BRANCH,
  SONDE_SESSION_EVENT_CLOSED, /* the connection is over, @text says why; the last event */
  /* made by the client: the engine has not answered for five seconds (@text); it may come back */
  SONDE_SESSION_EVENT_SILENT,
  SONDE_SESSION_EVENT_ANSWERS,   /* made by the client: it does again */
  SONDE_SESSION_EVENT_CALL_PART, /* a part of a call's result, before it: @result, @tensors */
} SondeSessionEventKind;

/**
 * SondeSessionEvent:
 * @status: (nullable): with RESUMED, STOPPED, ENDED, PROGRESS, CONTROL
 * @text: (nullable)
 * @fraction: of an opening, < 0 when it is not known
 * @node: (nullable): of a LOG that a breakpoint said; so are @breakpoint, @moment, @step
 * @call: of CALL_PART, and the PROGRESS of a call: the call's number, see
 * sonde_session_client_send(); else 0
 * @seconds_left: of the latter, < 0: not known
 * @result, @tensors: (nullable): as of the call's reply
 */
typedef struct
{
  SondeSessionEventKind kind;
  SondeSessionStatus *status;
  char *text;
  double fraction;
  char *node;
  guint breakpoint;
  SondeMoment moment;
  guint64 step;
  guint32 call;
  double seconds_left;
  GVariant *result;
  GPtrArray *tensors;
} SondeSessionEvent;

SondeSessionEvent *sonde_session_event_copy (const SondeSessionEvent *event);
void sonde_session_event_free (SondeSessionEvent *event);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSessionEvent, sonde_session_event_free)

SondeSessionStatus *sonde_session_status_copy (const SondeSessionStatus *status);
void sonde_session_status_free (SondeSessionStatus *status);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSessionStatus, sonde_session_status_free)

G_END_DECLS
