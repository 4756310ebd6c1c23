/* SPDX-License-Identifier: Apache-2.0
 * Requests that go back. Engine thread. The way back is a run like any other: it can be paused. */
#include "engine/session/sonde-session-server-private.h"

static gboolean
set_state_error (GError **error, const char *message)
{
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, message);
  return FALSE;
}

static gboolean
go_back (SondeSessionServer *server, const SondeBack *back, GError **error)
{
  if (!sonde_debugger_go_back (server->debugger, back, error))
    return FALSE;
  g_clear_pointer (&server->end_message, g_free);
  g_clear_error (&server->failure);
  server->end = SONDE_SESSION_DONE;
  sonde_session_set_state (server, SONDE_SESSION_RUNNING, SONDE_SESSION_EVENT_RESUMED);
  return TRUE;
}

gboolean
sonde_session_handle_go_back (SondeSessionServer *server, SondeSessionJob *job,
                              SondeSessionAnswer *answer, GError **error)
{
  const Sonde__Session__GoBack *message = job->request->go_back;
  SondeBack back = { .count = message->count, .target = message->target };

  if (server->state == SONDE_SESSION_RUNNING)
    return set_state_error (error, "It runs; pause it first.");
  if (message->kind > SONDE_BACK_RUN)
    return set_state_error (error, "This version does not know that way back.");
  back.kind = (SondeBackKind) message->kind;
  return go_back (server, &back, error);
}

gboolean
sonde_session_handle_rewind (SondeSessionServer *server, SondeSessionJob *job,
                             SondeSessionAnswer *answer, GError **error)
{
  const SondeActivityClass *klass = server->activity->klass;
  const char *path = job->request->rewind->path;
  g_autofree char *file = NULL, *valid = NULL;
  SondeBack back = { .kind = SONDE_BACK_RUN };
  SondeStop stop;

  if (server->state == SONDE_SESSION_RUNNING)
    return set_state_error (error, "It runs; pause it first.");
  if (klass->save_batch == NULL)
    return set_state_error (
        error,
        "Only a training has steps and batches to rewind to; restart goes back to the beginning.");
  sonde_debugger_get_stop (server->debugger, &stop);
  back.count = stop.step;
  file = klass->save_batch (server->activity, stop.step, *path != '\0' ? path : NULL, error);
  if (file == NULL || !go_back (server, &back, error))
    return FALSE;
  valid = g_utf8_make_valid (file, -1);
  answer->reply.path = sonde_session_answer_strdup (answer, valid);
  return TRUE;
}
