/* SPDX-License-Identifier: Apache-2.0
 * Resuming a run and waiting for its stop; events that no command waited for. */
#include "engine/commands/sonde-command-runner-private.h"

/* ---- events -------------------------------------------------------------- */

/* The next event, NULL at the time-out or when the session is over. (transfer full) */
static SondeSessionEvent *
next_event (SondeCommandRunner *self, int timeout_ms)
{
  if (self->events == NULL)
    return sonde_session_client_wait_event (self->client, timeout_ms);
  if (timeout_ms < 0)
    return g_async_queue_pop (self->events);
  return g_async_queue_try_pop (self->events);
}

static gboolean
is_stop (const SondeSessionEvent *event)
{
  return event->kind == SONDE_SESSION_EVENT_STOPPED || event->kind == SONDE_SESSION_EVENT_ENDED;
}

void
sonde_command_runner_report_events (SondeCommandRunner *runner)
{
  SondeSessionEvent *event;

  while ((event = next_event (runner, 0)) != NULL)
    {
      g_autoptr (SondeCommandResult) stop = NULL;

      if (is_stop (event))
        stop = sonde_command_stop_new (runner, g_steal_pointer (&event->status),
                                       event->kind == SONDE_SESSION_EVENT_ENDED);
      sonde_command_runner_tell (runner, event, stop);
      sonde_session_event_free (event);
    }
}

void
sonde_command_runner_drain (SondeCommandRunner *runner)
{
  SondeSessionEvent *event;

  while ((event = next_event (runner, 0)) != NULL)
    {
      if (!is_stop (event))
        sonde_command_runner_tell (runner, event, NULL);
      sonde_session_event_free (event);
    }
}

/* Events from before a request that was just answered do not answer it. */
static void
skip_to_resumed (SondeCommandRunner *self)
{
  SondeSessionEvent *event;
  gboolean resumed = FALSE;

  while (!resumed && (event = next_event (self, 0)) != NULL)
    {
      resumed = event->kind == SONDE_SESSION_EVENT_RESUMED;
      if (!is_stop (event))
        sonde_command_runner_tell (self, event, NULL);
      sonde_session_event_free (event);
    }
}

/* ---- resuming and waiting ------------------------------------------------ */

SondeSessionReply *
sonde_command_runner_go (SondeCommandRunner *runner, SondeSessionRequest *request, GError **error)
{
  SondeSessionReply *reply;

  if (runner->events == NULL)
    sonde_command_runner_report_events (runner);
  else
    sonde_command_runner_drain (runner);
  reply = sonde_command_runner_call (runner, request, error);
  if (reply != NULL)
    skip_to_resumed (runner);
  return reply;
}

SondeCommandResult *
sonde_command_runner_wait (SondeCommandRunner *runner, GError **error)
{
  g_autoptr (SondeSessionEvent) event = NULL;

  atomic_store (&runner->waiting, TRUE);
  while ((event = next_event (runner, -1)) != NULL && !is_stop (event)
         && event->kind != SONDE_SESSION_EVENT_CLOSED)
    {
      sonde_command_runner_tell (runner, event, NULL);
      g_clear_pointer (&event, sonde_session_event_free);
    }
  atomic_store (&runner->waiting, FALSE);
  if (event == NULL || event->kind == SONDE_SESSION_EVENT_CLOSED)
    {
      SondeMessage *reason = sonde_session_client_dup_close_reason (runner->client);

      sonde_command_runner_set_lost (runner);
      if (reason != NULL)
        sonde_set_error_message (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL, reason);
      else
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                         "The session has ended.");
      return NULL;
    }
  return sonde_command_stop_new (runner, g_steal_pointer (&event->status),
                                 event->kind == SONDE_SESSION_EVENT_ENDED);
}

SondeCommandResult *
sonde_command_runner_resume (SondeCommandRunner *runner, SondeSessionRequest *request,
                             GError **error)
{
  g_autoptr (SondeSessionReply) reply = sonde_command_runner_go (runner, request, error);

  return reply != NULL ? sonde_command_runner_wait (runner, error) : NULL;
}
