/* SPDX-License-Identifier: Apache-2.0
 * The engine thread's side of a session: the state, the activity's run, what is told to clients. */
#include "engine/session/server/sonde-session-server.h"

#include "engine/session/server/sonde-serve-engine.h"

/* ---- life ---------------------------------------------------------------- */

/* What the activity and the debugger hold; the socket thread does not see them any more. */
static void
release_activity (SondeSessionServer *server)
{
  SondeActivity *activity;
  SondeDebugger *debugger;
  SondeChanges *changes;

  pthread_mutex_lock (&server->lock);
  activity = g_steal_pointer (&server->activity);
  debugger = g_steal_pointer (&server->debugger);
  changes = g_steal_pointer (&server->changes);
  g_clear_pointer (&server->target, g_free);
  pthread_mutex_unlock (&server->lock);
  if (debugger != NULL)
    sonde_debugger_run_is_over (debugger); /* reads that wait are answered */
  g_clear_pointer (&changes, sonde_changes_free);
  g_clear_pointer (&debugger, sonde_debugger_free);
  if (activity != NULL)
    activity->klass->free (activity);
}

gboolean
sonde_session_close_activity (SondeSessionServer *server, GError **error)
{
  if (server->activity == NULL)
    return TRUE;
  if (!sonde_session_finish (server, error))
    return FALSE;
  release_activity (server);
  server->end = SONDE_SESSION_DONE;
  g_clear_pointer (&server->end_message, sonde_message_free);
  g_clear_error (&server->failure);
  sonde_session_set_state (server, SONDE_SESSION_EMPTY, SONDE_SESSION_EVENT_PROGRESS);
  return TRUE;
}

/* ---- the activity -------------------------------------------------------- */

static SondeExecution *
target_execution (gpointer data)
{
  SondeActivity *activity = data;

  return activity->klass->get_execution (activity);
}

static void
target_add (gpointer data, SondeObserver *observer)
{
  SondeActivity *activity = data;

  if (activity->klass->add_observer != NULL)
    activity->klass->add_observer (activity, observer);
  else
    sonde_execution_add_observer (activity->klass->get_execution (activity), observer);
}

static void
target_remove (gpointer data, SondeObserver *observer)
{
  SondeActivity *activity = data;

  if (activity->klass->remove_observer != NULL)
    activity->klass->remove_observer (activity, observer);
  else
    sonde_execution_remove_observer (activity->klass->get_execution (activity), observer);
}

static void
target_refresh (gpointer data)
{
  SondeActivity *activity = data;

  if (activity->klass->refresh_observers != NULL)
    activity->klass->refresh_observers (activity);
  else
    sonde_execution_refresh_observers (activity->klass->get_execution (activity));
}

static const SondeDebuggerTarget activity_target = {
  .get_execution = target_execution,
  .add_observer = target_add,
  .remove_observer = target_remove,
  .refresh_observers = target_refresh,
};

static void
adopt_execution (SondeExecution *execution, SondeGraph *original, gpointer data)
{
  SondeActivity *activity = data;

  activity->klass->adopt (activity, execution, original);
}

static SondeExecution *
rebuild_model (SondeGraph *model, gpointer data, GError **error)
{
  SondeActivity *activity = data;

  return activity->klass->set_model (activity, model, error)
             ? activity->klass->get_execution (activity)
             : NULL;
}

static guint64
step_of_activity (gpointer data)
{
  SondeActivity *activity = data;
  SondeSessionFacts facts = { 0 };

  activity->klass->get_facts (activity, &facts);
  return facts.step;
}

void
sonde_session_adopt (SondeSessionServer *server, SondeActivity *activity)
{
  SondeGraph *original
      = activity->klass->get_original != NULL ? activity->klass->get_original (activity) : NULL;
  SondeDebugger *debugger = sonde_debugger_new (original);
  SondeLiveTarget *target = sonde_session_engine_target_new (server);
  SondeChanges *changes;

  sonde_debugger_set_step_source (debugger, step_of_activity, activity);
  sonde_debugger_set_log_callback (debugger, sonde_session_tell_line, server);
  sonde_debugger_set_history (debugger, activity->klass->history, activity);
  if (!server->run_now) /* somebody opened it to debug it */
    {
      SondeExecution *execution = activity->klass->get_execution (activity);

      if (execution != NULL)
        sonde_execution_set_timing (execution, TRUE);
      if (activity->klass->keep_history != NULL)
        activity->klass->keep_history (activity, TRUE);
    }
  sonde_debugger_attach (debugger, &activity_target, activity);
  changes = sonde_changes_new (debugger, original,
                               activity->klass->adopt != NULL ? adopt_execution : NULL, activity);
  if (activity->klass->set_model != NULL)
    sonde_changes_set_rebuild (changes, rebuild_model);
  pthread_mutex_lock (&server->lock);
  server->activity = activity;
  server->debugger = debugger;
  server->changes = changes;
  server->target = target;
  pthread_mutex_unlock (&server->lock);
  sonde_session_set_state (server, SONDE_SESSION_READY, SONDE_SESSION_EVENT_PROGRESS);
  pthread_mutex_lock (&server->lock);
  sonde_session_listener_set_title (&server->listener, server->status->facts.title);
  pthread_mutex_unlock (&server->lock);
}

gboolean
sonde_session_finish (SondeSessionServer *server, GError **error)
{
  SondeActivity *activity = server->activity;

  if (activity == NULL || server->state == SONDE_SESSION_ENDED)
    return TRUE;
  server->end = SONDE_SESSION_STOPPED;
  sonde_debugger_run_is_over (server->debugger);
  if (activity->klass->finish != NULL && !activity->klass->finish (activity, error))
    {
      server->end = SONDE_SESSION_FAILED;
      server->end_message = error != NULL ? sonde_error_dup_message (*error) : NULL;
      if (error != NULL && server->failure == NULL)
        server->failure = g_error_copy (*error);
    }
  sonde_session_set_state (server, SONDE_SESSION_ENDED, SONDE_SESSION_EVENT_ENDED);
  return server->end != SONDE_SESSION_FAILED;
}

static void
end_run (SondeSessionServer *server, SondeSessionResult end, GError *error)
{
  server->end = end;
  server->failure = error;
  sonde_message_free (server->end_message);
  server->end_message = error != NULL ? sonde_error_dup_message (error) : NULL;
  if (end == SONDE_SESSION_FAILED)
    sonde_debugger_run_failed (server->debugger);
  else
    sonde_debugger_run_is_over (server->debugger);
  sonde_session_set_state (server, SONDE_SESSION_ENDED, SONDE_SESSION_EVENT_ENDED);
}

void
sonde_session_follow_model (SondeSessionServer *server)
{
  SondeActivity *activity = server->activity;
  g_autoptr (SondeMessage) why = NULL;

  if (activity->klass->set_model == NULL || activity->klass->get_original == NULL
      || !sonde_changes_follow (server->changes, activity->klass->get_original (activity)))
    return;
  sonde_session_publish (server);
  why = sonde_message_new ("back to the previous model");
  sonde_session_tell_message (server, SONDE_SESSION_EVENT_BRANCH, TRUE, why);
}

static void
run_activity (SondeSessionServer *server)
{
  GError *error = NULL;
  gboolean back = sonde_debugger_is_going_back (server->debugger);
  SondeRunResult result = back ? sonde_debugger_run_back (server->debugger, &error)
                               : server->activity->klass->run (server->activity, &error);

  pthread_mutex_lock (&server->lock);
  server->running = FALSE;
  pthread_mutex_unlock (&server->lock);
  switch (result)
    {
    case SONDE_RUN_PAUSED:
      if (sonde_debugger_has_stopped (server->debugger))
        sonde_session_set_state (server, SONDE_SESSION_PAUSED, SONDE_SESSION_EVENT_STOPPED);
      break;
    case SONDE_RUN_DONE:
      end_run (server, SONDE_SESSION_DONE, NULL);
      break;
    case SONDE_RUN_STOPPED:
      end_run (server, SONDE_SESSION_STOPPED, NULL);
      break;
    case SONDE_RUN_FAILED:
    default:
      end_run (server, SONDE_SESSION_FAILED, error);
      break;
    }
  if (back)
    sonde_session_follow_model (server);
}

/* ---- clients that go ----------------------------------------------------- */

static void
let_go (SondeSessionServer *server)
{
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };

  if (server->activity == NULL)
    return;
  sonde_debugger_remove_breakpoint (server->debugger, 0, NULL);
  if (server->run_now && server->activity->klass->keep_history != NULL)
    server->activity->klass->keep_history (server->activity, FALSE);
  if (server->state == SONDE_SESSION_PAUSED && sonde_debugger_resume (server->debugger, &on, NULL))
    sonde_session_set_state (server, SONDE_SESSION_RUNNING, SONDE_SESSION_EVENT_RESUMED);
}

/* What became of the run is told and kept with it. */
static void
note_lost (SondeSessionServer *server)
{
  const SondeActivityClass *klass = server->activity->klass;
  gboolean waits = server->options.client_lost == SONDE_CLIENT_LOST_WAIT;
  SondeStop stop;
  g_autoptr (SondeMessage) message = NULL;
  g_autofree char *text = NULL;

  sonde_debugger_get_stop (server->debugger, &stop);
  message = waits ? sonde_message_new ("The debugger was lost while the run was paused at step "
                                       "%" PRIu64 ", “%s”: the run waits for another debugger.",
                                       stop.step, stop.node)
                  : sonde_message_new ("The debugger was lost while the run was paused at step "
                                       "%" PRIu64 ", “%s”: the run continues.",
                                       stop.step, stop.node);
  text = sonde_message_dup_english (message);
  if (klass->note_lost != NULL)
    klass->note_lost (server->activity, text);
  sonde_session_tell_message (server, SONDE_SESSION_EVENT_LOG, FALSE, message);
}

static void
handle_lost (SondeSessionServer *server, SondeSessionJob *job)
{
  gboolean quit = server->options.client_lost == SONDE_CLIENT_LOST_QUIT && !job->detached;
  gboolean last;

  pthread_mutex_lock (&server->lock);
  last = server->peers->len == 0;
  pthread_mutex_unlock (&server->lock);
  if (job->in_control && !quit && !job->detached && server->state == SONDE_SESSION_PAUSED)
    note_lost (server);
  if (job->in_control && quit)
    server->done = TRUE;
  else if (server->options.client_lost == SONDE_CLIENT_LOST_WAIT && !job->detached)
    ;                               /* somebody else will attach */
  else if (job->in_control || last) /* nobody is left who could let a paused run go on */
    let_go (server);
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
    return (server->run_now && training) || server->peers->len == 0;
  if (server->options.client_lost == SONDE_CLIENT_LOST_WAIT && server->listener.fd >= 0
      && server->state == SONDE_SESSION_PAUSED)
    return FALSE;
  /* what does not run and lost its last client waits for nobody */
  return server->state != SONDE_SESSION_RUNNING && server->peers->len == 0
         && (server->last_peer > 0 || server->listener.fd < 0);
}

static void
begin (SondeSessionServer *server, SondeActivity *activity, gboolean run_now)
{
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };

  server->service = &sonde_session_engine;
  server->release = release_activity;
  server->run_now = run_now;
  if (activity == NULL)
    return;
  sonde_session_adopt (server, activity);
  if (run_now && sonde_debugger_resume (server->debugger, &on, NULL))
    sonde_session_set_state (server, SONDE_SESSION_RUNNING, SONDE_SESSION_EVENT_RESUMED);
}

SondeSessionResult
sonde_session_server_serve (SondeSessionServer *server, SondeActivity *activity, gboolean run_now,
                            GError **error)
{
  begin (server, activity, run_now);
  while (!server->done)
    {
      SondeSessionJob *job = sonde_session_wait_for_work (server, is_over);

      if (job != NULL && job->request != NULL)
        sonde_session_handle (server, job);
      else if (job != NULL)
        handle_lost (server, job);
      else if (!server->done)
        run_activity (server);
    }
  if (server->state != SONDE_SESSION_ENDED && server->activity != NULL)
    {
      g_autoptr (GError) lost = NULL; /* kept in server->failure */

      sonde_session_finish (server, &lost);
    }
  if (server->end == SONDE_SESSION_FAILED && server->failure != NULL)
    g_propagate_error (error, g_steal_pointer (&server->failure));
  return server->end;
}
