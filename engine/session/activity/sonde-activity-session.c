/* SPDX-License-Identifier: Apache-2.0
 * What is open in a session: an activity comes, is finished, and goes. */
#include "engine/session/activity/sonde-activity-session.h"

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
sonde_activity_session_adopt (SondeActivitySession *session, SondeActivity *activity)
{
  SondeSessionServer *server = session->service.server;
  SondeGraph *original
      = activity->klass->get_original != NULL ? activity->klass->get_original (activity) : NULL;
  SondeDebugger *debugger = sonde_debugger_new (original);
  SondeLiveTarget *target = sonde_activity_target_new (session);
  SondeChanges *changes;

  sonde_debugger_set_step_source (debugger, step_of_activity, activity);
  sonde_debugger_set_log_callback (debugger, sonde_session_tell_line, server);
  sonde_debugger_set_history (debugger, activity->klass->history, activity);
  if (!session->run_now) /* somebody opened it to debug it */
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
  session->activity = activity;
  session->debugger = debugger;
  session->changes = changes;
  pthread_mutex_lock (&server->lock);
  server->target = target;
  server->spans = activity->klass->get_spans != NULL ? activity->klass->get_spans (activity) : NULL;
  pthread_mutex_unlock (&server->lock);
  sonde_session_set_state (server, SONDE_SESSION_READY, SONDE_SESSION_EVENT_PROGRESS);
  pthread_mutex_lock (&server->lock);
  sonde_session_listener_describe (&server->listener, server->status->facts.title,
                                   server->status->facts.run_directory, 0);
  pthread_mutex_unlock (&server->lock);
}

void
sonde_activity_session_forget_end (SondeActivitySession *session)
{
  SondeSessionServer *server = session->service.server;

  g_clear_pointer (&server->end_message, sonde_message_free);
  g_clear_error (&session->failure);
  server->end = SONDE_SESSION_DONE;
}

void
sonde_activity_session_follow_model (SondeActivitySession *session)
{
  SondeSessionServer *server = session->service.server;
  SondeActivity *activity = session->activity;
  g_autoptr (SondeMessage) why = NULL;

  if (activity->klass->set_model == NULL || activity->klass->get_original == NULL
      || !sonde_changes_follow (session->changes, activity->klass->get_original (activity)))
    return;
  sonde_session_publish (server);
  why = sonde_message_new ("back to the previous model");
  sonde_session_tell_message (server, SONDE_SESSION_EVENT_BRANCH, TRUE, why);
}

/* ---- the end ------------------------------------------------------------- */

/* To the end of the step, where nobody asked for the end at once; what there is then is kept in any
 * case. */
static gboolean
finish_activity (SondeActivitySession *session, GError **error)
{
  SondeSessionServer *server = session->service.server;
  SondeActivity *activity = session->activity;
  const SondeActivityClass *klass = activity->klass;
  gboolean good = TRUE;

  if (klass->complete_step != NULL && atomic_load (&server->quitting))
    {
      if (server->state == SONDE_SESSION_PAUSED)
        sonde_session_set_state (server, SONDE_SESSION_RUNNING, SONDE_SESSION_EVENT_RESUMED);
      good = klass->complete_step (activity, error);
    }
  return (klass->finish == NULL || klass->finish (activity, good ? error : NULL)) && good;
}

gboolean
sonde_activity_session_finish (SondeActivitySession *session, GError **error)
{
  SondeSessionServer *server = session->service.server;

  if (session->activity == NULL || server->state == SONDE_SESSION_ENDED)
    return TRUE;
  server->end = SONDE_SESSION_STOPPED;
  sonde_debugger_remove_breakpoint (session->debugger, 0, NULL); /* it is not to stop any more */
  sonde_debugger_run_is_over (session->debugger);
  if (!finish_activity (session, error))
    {
      server->end = SONDE_SESSION_FAILED;
      server->end_message = error != NULL ? sonde_error_dup_message (*error) : NULL;
      if (error != NULL && session->failure == NULL)
        session->failure = g_error_copy (*error);
    }
  sonde_session_set_state (server, SONDE_SESSION_ENDED, SONDE_SESSION_EVENT_ENDED);
  return server->end != SONDE_SESSION_FAILED;
}

void
sonde_activity_session_release (SondeActivitySession *session)
{
  SondeSessionServer *server = session->service.server;
  SondeActivity *activity = g_steal_pointer (&session->activity);
  SondeDebugger *debugger = g_steal_pointer (&session->debugger);

  pthread_mutex_lock (&server->lock);
  g_clear_pointer (&server->target, g_free); /* the socket thread does not see them any more */
  server->spans = NULL;
  pthread_mutex_unlock (&server->lock);
  if (debugger != NULL)
    sonde_debugger_run_is_over (debugger); /* reads that wait are answered */
  g_clear_pointer (&session->changes, sonde_changes_free);
  g_clear_pointer (&debugger, sonde_debugger_free);
  if (activity != NULL)
    activity->klass->free (activity);
}

gboolean
sonde_activity_session_close (SondeActivitySession *session, GError **error)
{
  if (session->activity == NULL)
    return TRUE;
  if (!sonde_activity_session_finish (session, error))
    return FALSE;
  sonde_activity_session_release (session);
  sonde_activity_session_forget_end (session);
  sonde_session_set_state (session->service.server, SONDE_SESSION_EMPTY,
                           SONDE_SESSION_EVENT_PROGRESS);
  return TRUE;
}

gboolean
sonde_activity_session_check_computes (SondeSessionServer *server, GError **error)
{
  SondeActivity *activity = sonde_activity_session_of (server)->activity;
  SondeSessionFacts facts;

  activity->klass->get_facts (activity, &facts);
  if (facts.kind != SONDE_ACTIVITY_DUMP)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "This is a dump: it shows what ran somewhere else, so nothing can be changed, "
                   "computed again or compared with another run here.");
  return FALSE;
}
