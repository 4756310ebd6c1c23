/* SPDX-License-Identifier: Apache-2.0
 * An activity of the engine and its debugger behind a server: what requests use of it. Engine
 * thread. */
#pragma once

#include "engine/debug/changes/sonde-changes.h"
#include "engine/debug/sonde-watch.h"
#include "engine/session/activity/sonde-activity.h"
#include "engine/session/server/sonde-serve-table.h"

G_BEGIN_DECLS

/**
 * SondeActivitySession: the service of a server that runs activities
 * @activity, @debugger, @changes: (nullable): what is open
 * @run_now: it was given to serve(), no client opened it
 * @failed_node, @failed_comparison: (nullable): see sonde_activity_session_remember_failure()
 * @failure: (nullable): why it failed
 */
typedef struct
{
  SondeSessionService service; /* first member */
  SondeActivity *activity;
  SondeDebugger *debugger;
  SondeChanges *changes;
  gboolean run_now;
  char *failed_node;
  char *failed_comparison;
  GError *failure;
} SondeActivitySession;

/* That of @server. */
static inline SondeActivitySession *
sonde_activity_session_of (SondeSessionServer *server)
{
  return (SondeActivitySession *) server->service;
}

/* What stands behind a server that runs activities: all requests. Freed with the server. (transfer
 * full). (sonde-activity-service.c) */
SondeActivitySession *sonde_activity_session_new (SondeSessionServer *server);

/* The debugger of @session as what is debugged; freed with g_free(). (transfer full).
 * (sonde-activity-target.c) */
SondeLiveTarget *sonde_activity_target_new (SondeActivitySession *session);

/* The execution of a frame as numbered in the protocol. (sonde-activity-target.c) */
SondeExecution *sonde_serve_pick_frame (SondeSessionServer *server, guint32 frame, GError **error);

/* ---- what is open (sonde-activity-session.c) ----------------------------- */

/* Takes over what a client opened, or what serve() was given. */
void sonde_activity_session_adopt (SondeActivitySession *session, SondeActivity *activity);
/* The run that had ended goes on, or begins again: the end is forgotten. */
void sonde_activity_session_forget_end (SondeActivitySession *session);
/* After reverse execution: the model may be the one of before. */
void sonde_activity_session_follow_model (SondeActivitySession *session);
gboolean sonde_activity_session_finish (SondeActivitySession *session, GError **error);
/* What is open is finished and goes; nothing open is fine. */
gboolean sonde_activity_session_close (SondeActivitySession *session, GError **error);
/* Whether what is open computes anything: a dump only shows what ran somewhere else. Errors:
 * UNSUPPORTED */
gboolean sonde_activity_session_check_computes (SondeSessionServer *server, GError **error);
/* What the activity and the debugger hold goes, unfinished. */
void sonde_activity_session_release (SondeActivitySession *session);

/* ---- searches ------------------------------------------------------------ */

/* What reduce is to cut out, when nobody says it: a node that origin or diverge found; NULL:
 * nothing. @comparison: (nullable): the line that parts it from a reference: "diverge --device
 * reference" (sonde-serve-origin.c) */
void sonde_activity_session_remember_failure (SondeActivitySession *session, const char *node,
                                              const char *comparison);

/**
 * SondeSessionWork: something long that a request asked for (sonde-serve-work.c)
 * @what: message id without arguments
 * @told_ns: when clients heard of it last
 */
typedef struct
{
  SondeSessionServer *server;
  const char *what;
  gint64 told_ns;
} SondeSessionWork;

/* Tells clients how far it is; TRUE: somebody asked for a pause or the end. @data: a
 * SondeSessionWork */
gboolean sonde_session_work_tick (guint step, guint n_steps, gpointer data);

G_END_DECLS
