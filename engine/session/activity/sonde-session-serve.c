/* SPDX-License-Identifier: Apache-2.0
 * The engine thread's loop: requests, the activity's run between them, clients that are lost. */
#include "engine/session/activity/sonde-session-serve.h"

#include "engine/session/activity/sonde-activity-session.h"

/* ---- the run ------------------------------------------------------------- */

static void
end_run (SondeActivitySession *session, SondeSessionResult end, GError *error)
{
  SondeSessionServer *server = session->service.server;

  server->end = end;
  session->failure = error;
  sonde_message_free (server->end_message);
  server->end_message = error != NULL ? sonde_error_dup_message (error) : NULL;
  if (end == SONDE_SESSION_FAILED)
    sonde_debugger_run_failed (session->debugger);
  else
    sonde_debugger_run_is_over (session->debugger);
  sonde_session_set_state (server, SONDE_SESSION_ENDED, SONDE_SESSION_EVENT_ENDED);
}

static void
run_activity (SondeActivitySession *session)
{
  SondeSessionServer *server = session->service.server;
  GError *error = NULL;
  gboolean back = sonde_debugger_is_going_back (session->debugger);
  SondeRunResult result = back ? sonde_debugger_run_back (session->debugger, &error)
                               : session->activity->klass->run (session->activity, &error);

  pthread_mutex_lock (&server->lock);
  server->running = FALSE;
  pthread_mutex_unlock (&server->lock);
  switch (result)
    {
    case SONDE_RUN_PAUSED:
      if (sonde_debugger_has_stopped (session->debugger))
        sonde_session_set_state (server, SONDE_SESSION_PAUSED, SONDE_SESSION_EVENT_STOPPED);
      break;
    case SONDE_RUN_DONE:
      end_run (session, SONDE_SESSION_DONE, NULL);
      break;
    case SONDE_RUN_STOPPED:
      end_run (session, SONDE_SESSION_STOPPED, NULL);
      break;
    case SONDE_RUN_FAILED:
    default:
      end_run (session, SONDE_SESSION_FAILED, error);
      break;
    }
  if (back)
    sonde_activity_session_follow_model (session);
}

/* ---- clients that go ----------------------------------------------------- */

static void
let_go (SondeActivitySession *session)
{
  SondeSessionServer *server = session->service.server;
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };

  if (session->activity == NULL)
    return;
  sonde_debugger_remove_breakpoint (session->debugger, 0, NULL);
  if (session->run_now && session->activity->klass->keep_history != NULL)
    session->activity->klass->keep_history (session->activity, FALSE);
  if (server->state == SONDE_SESSION_PAUSED && sonde_debugger_resume (session->debugger, &on, NULL))
    sonde_session_set_state (server, SONDE_SESSION_RUNNING, SONDE_SESSION_EVENT_RESUMED);
}

/* What became of the run is told and kept with it. */
static void
note_lost (SondeActivitySession *session)
{
  SondeSessionServer *server = session->service.server;
  const SondeActivityClass *klass = session->activity->klass;
  gboolean waits = server->options.client_lost == SONDE_CLIENT_LOST_WAIT;
  SondeStop stop;
  g_autoptr (SondeMessage) message = NULL;

  sonde_debugger_get_stop (session->debugger, &stop);
  message = waits ? sonde_message_new ("The debugger was lost while the run was paused at step "
                                       "%" PRIu64 ", “%s”: the run waits for another debugger.",
                                       stop.step, stop.node)
                  : sonde_message_new ("The debugger was lost while the run was paused at step "
                                       "%" PRIu64 ", “%s”: the run continues.",
                                       stop.step, stop.node);
  if (klass->note_lost != NULL)
    klass->note_lost (session->activity, message);
  sonde_session_tell_message (server, SONDE_SESSION_EVENT_LOG, FALSE, message);
}

static void
handle_lost (SondeActivitySession *session, SondeSessionJob *job)
{
  SondeSessionServer *server = session->service.server;
  gboolean quit = server->options.client_lost == SONDE_CLIENT_LOST_QUIT && !job->detached;
  gboolean last;

  pthread_mutex_lock (&server->lock);
  last = server->peers->len == 0;
  pthread_mutex_unlock (&server->lock);
  if (job->in_control && !quit && !job->detached && server->state == SONDE_SESSION_PAUSED)
    note_lost (session);
  if (job->in_control && quit)
    server->done = TRUE;
  else if (server->options.client_lost == SONDE_CLIENT_LOST_WAIT && !job->detached)
    ;                               /* somebody else will attach */
  else if (job->in_control || last) /* nobody is left who could let a paused run go on */
    let_go (session);
  if (job->in_control && !quit)
    sonde_session_tell (server, SONDE_SESSION_EVENT_CONTROL, TRUE, NULL);
  sonde_session_job_free (job);
}

/* ---- the loop ------------------------------------------------------------ */

/* Nobody can ask for anything any more, or nobody is expected to. The lock is held. */
static gboolean
is_over (SondeSessionServer *server)
{
  gboolean training = server->status->facts.kind == SONDE_ACTIVITY_TRAINING;

  if (server->state == SONDE_SESSION_ENDED)
    return (sonde_activity_session_of (server)->run_now && training) || server->peers->len == 0;
  if (server->options.client_lost == SONDE_CLIENT_LOST_WAIT && server->listener.fd >= 0
      && server->state == SONDE_SESSION_PAUSED)
    return FALSE;
  /* what does not run and lost its last client waits for nobody */
  return server->state != SONDE_SESSION_RUNNING && server->peers->len == 0
         && (server->last_peer > 0 || server->listener.fd < 0);
}

static void
begin (SondeActivitySession *session, SondeActivity *activity, gboolean run_now)
{
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };

  session->run_now = run_now;
  if (activity == NULL)
    return;
  sonde_activity_session_adopt (session, activity);
  if (run_now && sonde_debugger_resume (session->debugger, &on, NULL))
    sonde_session_set_state (session->service.server, SONDE_SESSION_RUNNING,
                             SONDE_SESSION_EVENT_RESUMED);
}

SondeSessionResult
sonde_session_server_serve (SondeSessionServer *server, SondeActivity *activity, gboolean run_now,
                            GError **error)
{
  SondeActivitySession *session = sonde_activity_session_new (server);
  g_autoptr (GError) lost = NULL; /* kept in session->failure */

  server->service = &session->service;
  begin (session, activity, run_now);
  while (!server->done)
    {
      SondeSessionJob *job = sonde_session_wait_for_work (server, is_over);

      if (job != NULL && job->request != NULL)
        sonde_session_handle (server, job);
      else if (job != NULL)
        handle_lost (session, job);
      else if (!server->done)
        run_activity (session);
    }
  sonde_activity_session_finish (session, &lost);
  if (server->end == SONDE_SESSION_FAILED && session->failure != NULL)
    g_propagate_error (error, g_steal_pointer (&session->failure));
  return server->end;
}
