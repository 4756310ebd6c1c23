/* SPDX-License-Identifier: Apache-2.0
 * Commands that let it run, and what a stop says. */
#include "app/front/sonde-front-private.h"

#include <string.h>

#define QUIT_MS 120000      /* for a training to write its checkpoint */
#define QUIT_SILENT_MS 3000 /* for an engine that does not even say that it writes */

/* ---- what a stop says ---------------------------------------------------- */

/* Where it stands. */
static void
json_place (SondeJsonText *json, const SondeStop *stop)
{
  sonde_json_text_string (json, "node", stop->node);
  sonde_json_text_string (json, "op", stop->op);
  sonde_json_text_string (json, "phase", sonde_phase_name (stop->phase));
  sonde_json_text_uint (json, "step", stop->step);
  sonde_json_text_begin_array (json, "iteration");
  for (guint i = 0; i < stop->n_iterations; i++)
    sonde_json_text_uint (json, NULL, stop->iterations[i]);
  sonde_json_text_end_array (json);
  sonde_json_text_string (json, "when", sonde_moment_name (stop->moment));
  sonde_json_text_string (json, "scope", stop->scope);
  sonde_json_text_uint (json, "position", stop->position);
  sonde_json_text_uint (json, "positions", stop->n_steps);
  sonde_front_json_stack (json, stop->frames);
}

static void
json_stop (SondeJsonText *json, const SondeStop *stop)
{
  sonde_json_text_string (json, "event", "stopped");
  sonde_json_text_string (json, "reason", sonde_stop_reason_name (stop->reason));
  json_place (json, stop);
  sonde_json_text_begin_array (json, "breakpoints");
  for (guint i = 0; i < stop->n_breakpoints; i++)
    sonde_json_text_uint (json, NULL, stop->breakpoints[i]);
  sonde_json_text_end_array (json);
  if (stop->condition_error != NULL)
    sonde_json_text_string (json, "condition_error", stop->condition_error);
}

static void
text_stop (GString *text, const SondeSessionStatus *status)
{
  const SondeStop *stop = &status->stop;

  if (stop->n_breakpoints > 0)
    g_string_append_printf (text, "Breakpoint %u: ", stop->breakpoints[0]);
  else
    g_string_append_printf (text, "Stopped (%s): ", sonde_stop_reason_name (stop->reason));
  g_string_append_printf (text, "%s %s (%s), %s", sonde_moment_name (stop->moment), stop->node,
                          stop->op, sonde_phase_name (stop->phase));
  if (status->facts.kind != SONDE_ACTIVITY_INFERENCE)
    g_string_append_printf (text, ", step %" G_GUINT64_FORMAT, stop->step);
  sonde_front_append_iterations (text, stop->frames);
  g_string_append_printf (text, ", node %u of %u\n", MIN (stop->position + 1, stop->n_steps),
                          stop->n_steps);
  if (stop->condition_error != NULL)
    g_string_append_printf (text, "  %s\n", stop->condition_error);
  if (stop->reason == SONDE_STOP_BEGINNING)
    g_string_append (text, "There is nothing further back.\n");
}

void
sonde_front_answer_stop (SondeFront *front, SondeFrontAnswer *answer,
                         const SondeSessionStatus *status)
{
  front->listed_to = 0;
  if (front->options.json)
    json_stop (&answer->json, &status->stop);
  else
    text_stop (answer->text, status);
  if (front->options.json || status->stop.watchpoints != NULL)
    sonde_front_answer_hits (front, answer, "watchpoints", status->stop.watchpoints);
  sonde_front_answer_displays (front, answer);
}

void
sonde_front_answer_end (SondeFront *front, SondeFrontAnswer *answer,
                        const SondeSessionStatus *status)
{
  gboolean failed = status->stop.reason == SONDE_STOP_ERROR;

  front->listed_to = 0;
  front->failed = front->failed || status->end.result == SONDE_SESSION_FAILED;
  if (front->options.json)
    {
      sonde_json_text_string (&answer->json, "event", "ended");
      sonde_json_text_string (&answer->json, "status",
                              sonde_session_result_name (status->end.result));
      if (status->end.message != NULL)
        sonde_json_text_string (&answer->json, "message", status->end.message);
      if (failed)
        json_place (&answer->json, &status->stop);
      return;
    }
  g_string_append_printf (answer->text, "Ended: %s%s%s\n",
                          sonde_session_result_name (status->end.result),
                          status->end.message != NULL ? ": " : "",
                          status->end.message != NULL ? status->end.message : "");
  if (!failed)
    return;
  g_string_append_printf (answer->text, "It failed in %s (%s)", status->stop.node, status->stop.op);
  sonde_front_append_iterations (answer->text, status->stop.frames);
  g_string_append (answer->text, "; what was computed before can be looked at.\n");
}

/* ---- waiting ------------------------------------------------------------- */

static gboolean
is_answer (const SondeSessionEvent *event)
{
  return event->kind == SONDE_SESSION_EVENT_STOPPED || event->kind == SONDE_SESSION_EVENT_ENDED;
}

gboolean
sonde_front_wait (SondeFront *front, SondeFrontAnswer *answer, GError **error)
{
  g_autoptr (SondeSessionEvent) event = NULL;

  atomic_store (&front->waiting, TRUE);
  while ((event = sonde_front_next_event (front, -1)) != NULL && !is_answer (event)
         && event->kind != SONDE_SESSION_EVENT_CLOSED)
    {
      sonde_front_show_told (front, event);
      g_clear_pointer (&event, sonde_session_event_free);
    }
  atomic_store (&front->waiting, FALSE);
  if (event == NULL || event->kind == SONDE_SESSION_EVENT_CLOSED)
    {
      g_autofree char *reason = sonde_session_client_dup_close_reason (front->client);

      front->over = front->failed = TRUE;
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                           reason != NULL ? reason : "The session is over.");
      return FALSE;
    }
  if (event->kind == SONDE_SESSION_EVENT_STOPPED)
    sonde_front_answer_stop (front, answer, event->status);
  else
    sonde_front_answer_end (front, answer, event->status);
  return TRUE;
}

/* Events from before a request that was just answered do not answer it. */
static void
skip_to_resumed (SondeFront *front)
{
  SondeSessionEvent *event;
  gboolean resumed = FALSE;

  while (!resumed && (event = sonde_front_next_event (front, 0)) != NULL)
    {
      resumed = event->kind == SONDE_SESSION_EVENT_RESUMED;
      sonde_front_show_told (front, event);
      sonde_session_event_free (event);
    }
}

SondeSessionReply *
sonde_front_go (SondeFront *front, SondeSessionRequest *request, GError **error)
{
  SondeSessionReply *reply;

  sonde_front_show_events (front);
  reply = sonde_front_call (front, request, error);
  if (reply != NULL)
    skip_to_resumed (front);
  return reply;
}

gboolean
sonde_front_resume (SondeFront *front, const SondeResume *resume, SondeFrontAnswer *answer,
                    GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_front_go (front, sonde_session_request_resume (resume), error);

  return reply != NULL && sonde_front_wait (front, answer, error);
}

/* ---- commands ------------------------------------------------------------ */

gboolean
sonde_front_run_run (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                     GError **error)
{
  const SondeResume resume = { .kind = SONDE_RESUME_CONTINUE };
  g_autoptr (SondeSessionStatus) status = NULL;
  g_autoptr (SondeSessionReply) reply = NULL;

  if (!sonde_front_no_arguments (arguments, error))
    return FALSE;
  status = sonde_front_get_status (front, error);
  if (status == NULL)
    return FALSE;
  if (status->state == SONDE_SESSION_PAUSED || status->state == SONDE_SESSION_RUNNING)
    {
      g_set_error_literal (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
          "It has been started; continue goes on, restart goes back to the beginning.");
      return FALSE;
    }
  if (status->state == SONDE_SESSION_ENDED)
    reply = sonde_front_call (front, sonde_session_request_restart (), error);
  if (status->state == SONDE_SESSION_ENDED && reply == NULL)
    return FALSE;
  return sonde_front_resume (front, &resume, answer, error);
}

gboolean
sonde_front_run_continue (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                          GError **error)
{
  const SondeResume resume = { .kind = SONDE_RESUME_CONTINUE };

  return sonde_front_no_arguments (arguments, error)
         && sonde_front_resume (front, &resume, answer, error);
}

gboolean
sonde_front_resume_by (SondeFront *front, SondeResumeKind kind, const char *arguments,
                       SondeFrontAnswer *answer, GError **error)
{
  SondeResume resume = { .kind = kind, .count = 1 };

  if (*arguments != '\0' && !sonde_front_parse_number (arguments, 1, "count", &resume.count, error))
    return FALSE;
  return sonde_front_resume (front, &resume, answer, error);
}

gboolean
sonde_front_run_step (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                      GError **error)
{
  return sonde_front_resume_by (front, SONDE_RESUME_STEP, arguments, answer, error);
}

gboolean
sonde_front_run_next (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                      GError **error)
{
  return sonde_front_resume_by (front, SONDE_RESUME_NEXT, arguments, answer, error);
}

gboolean
sonde_front_run_until (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                       GError **error)
{
  g_autofree char *target = sonde_front_unquote (arguments);
  const SondeResume resume = { .kind = SONDE_RESUME_UNTIL, .target = target };

  return sonde_front_resume (front, &resume, answer, error);
}

gboolean
sonde_front_run_pause (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                       GError **error)
{
  g_autoptr (SondeSessionReply) reply = NULL;
  g_autoptr (SondeSessionStatus) status = NULL;

  if (!sonde_front_no_arguments (arguments, error))
    return FALSE;
  sonde_front_show_events (front);
  reply = sonde_front_call (front, sonde_session_request_pause (), error);
  status = reply != NULL ? sonde_front_get_status (front, error) : NULL;
  if (status == NULL)
    return FALSE;
  while (TRUE) /* its event says the same */
    {
      g_autoptr (SondeSessionEvent) event = sonde_front_next_event (front, 0);

      if (event == NULL)
        break;
      sonde_front_show_told (front, event);
    }
  if (status->state == SONDE_SESSION_ENDED)
    sonde_front_answer_end (front, answer, status);
  else
    sonde_front_answer_stop (front, answer, status);
  return TRUE;
}

/* ---- leaving ------------------------------------------------------------- */

gboolean
sonde_front_run_detach (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                        GError **error)
{
  if (!sonde_front_no_arguments (arguments, error))
    return FALSE;
  sonde_session_client_detach (front->client);
  front->over = TRUE;
  if (!front->options.json)
    g_string_append (answer->text, "Detached; the run goes on.\n");
  return TRUE;
}

/* Ends or leaves the session. FALSE with @error when something was lost. */
static gboolean
leave (SondeFront *front, GError **error)
{
  int timeout_ms, status;

  front->over = TRUE;
  if (sonde_session_client_is_closed (front->client))
    return TRUE;
  if (sonde_session_client_is_attached (front->client))
    {
      sonde_session_client_detach (front->client);
      return TRUE;
    }
  timeout_ms = sonde_session_client_is_silent (front->client) ? QUIT_SILENT_MS : QUIT_MS;
  status = sonde_session_client_quit_child (front->client, timeout_ms);
  if (status == 0)
    return TRUE;
  front->failed = TRUE;
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
               "The engine ended with exit status %d: what it wrote last may be lost.", status);
  return FALSE;
}

gboolean
sonde_front_run_quit (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                      GError **error)
{
  return sonde_front_no_arguments (arguments, error) && leave (front, error);
}

int
sonde_front_close (SondeFront *front)
{
  g_autoptr (GError) error = NULL;

  if (!leave (front, &error) && front->options.messages != NULL)
    fprintf (front->options.messages, "%s\n", error->message);
  return front->failed ? 1 : 0;
}
