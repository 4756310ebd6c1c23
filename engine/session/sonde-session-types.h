/* SPDX-License-Identifier: Apache-2.0
 * What clients learn of a session, as values: replies, events, steps, values. No protobuf, no engine
 * internals. All strings and arrays in them are owned by the struct that holds them and are valid
 * UTF-8. */
#pragma once

#include "data/captures/sonde-capture-stop.h"
#include "data/values/sonde-bins.h"
#include "engine/ops/sonde-engine-error.h"
#include "engine/session/sonde-session-status.h"
#include "engine/types/sonde-change-results.h"
#include "engine/types/sonde-search-results.h"

G_BEGIN_DECLS

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
 * SondeSessionReply: the answer to one request; which fields are filled stands with the request
 * @state: of the session when it answered
 * @breakpoints: (element-type SondeBreakpoint)
 * @watches: (element-type SondeWatch)
 * @watch_hits: (element-type SondeWatchHit)
 * @steps: (element-type SondeStepInfo): by position
 * @values: (element-type SondeValueInfo)
 * @name: name of the value that was read
 * @path: of the file that was written
 * @text: listing
 * @lines: (array length=n_lines): line of the step at position k in @text, from 1; 0: none
 * @bytes: ONNX model
 * @truth, @unknown, @explanation: (nullable): of an expression
 * @stops: (element-type SondeCaptureStop): breakpoints and watches that came with what was opened
 * @edits: (element-type SondeEdit)
 * @differences: (element-type SondeDifference)
 * @branches: (element-type SondeBranch)
 * @note: a sentence that goes with the answer
 * @frames: (element-type SondeFrame): from the innermost; @selected: level of the selected one
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
  SondeReducedCase *reduction;
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

G_END_DECLS
