/* SPDX-License-Identifier: Apache-2.0
 * What a session tells without being asked. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "engine/session/sonde-session-status.h"

G_BEGIN_DECLS

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
 * @text: (nullable): in English; what a user wrote (of a breakpoint, a command) as it was written
 * @message: (nullable): @text for people, see sonde_message_dup_text()
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
  SondeMessage *message;
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
