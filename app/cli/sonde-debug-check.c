/* SPDX-License-Identifier: Apache-2.0
 * Evaluates an expression at the end of a run, for scripts: the exit status tells whether it holds. */
#include "app/cli/sonde-debug-check.h"

#include "data/arrays/sonde-json.h"
#include "data/base/sonde-text.h"
#include "engine/live/sonde-expression.h"

/* ---- running ------------------------------------------------------------- */

static gboolean
has_message (const SondeSessionEvent *event)
{
  return event->message != NULL
         && (event->kind == SONDE_SESSION_EVENT_LOG || event->kind == SONDE_SESSION_EVENT_SILENT
             || event->kind == SONDE_SESSION_EVENT_ANSWERS);
}

/* Resumes and waits until the run stops or ends. (transfer full) */
static SondeSessionStatus *
resume_run (SondeSessionClient *client, const SondeResume *resume, GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_call (client, sonde_session_request_resume (resume), -1, error);
  g_autoptr (SondeSessionEvent) event = NULL;
  gboolean resumed = FALSE;

  if (reply == NULL)
    return NULL;
  while ((event = sonde_session_client_wait_event (client, -1)) != NULL
         && event->kind != SONDE_SESSION_EVENT_CLOSED)
    {
      resumed = resumed || event->kind == SONDE_SESSION_EVENT_RESUMED;
      if (resumed
          && (event->kind == SONDE_SESSION_EVENT_STOPPED
              || event->kind == SONDE_SESSION_EVENT_ENDED))
        return g_steal_pointer (&event->status);
      if (has_message (event))
        g_printerr ("%s\n", sonde_message_get_text (event->message));
      g_clear_pointer (&event, sonde_session_event_free);
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                   "The engine exited before the run ended.");
  return NULL;
}

static SondeSessionStatus *
resume_to_step (SondeSessionClient *client, guint64 step, GError **error)
{
  g_autofree char *target = g_strdup_printf ("step:%" PRIu64, step);
  const SondeResume until = { .kind = SONDE_RESUME_UNTIL, .target = target };

  return resume_run (client, &until, error);
}

/* After @node. */
static SondeSessionStatus *
resume_past (SondeSessionClient *client, const char *node, GError **error)
{
  const SondeBreakpointSpec spec
      = { .pattern = node, .moment = SONDE_MOMENT_AFTER, .temporary = TRUE };
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_call (client, sonde_session_request_add_breakpoint (&spec), -1, error);

  return reply != NULL ? resume_run (client, &on, error) : NULL;
}

/* Name of the last node of a step. (transfer full) */
static char *
dup_last_node (SondeSessionClient *client, GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_call (client, sonde_session_request_steps (), -1, error);

  if (reply == NULL)
    return NULL;
  if (reply->steps->len == 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "This model has no executable node.");
      return NULL;
    }
  return g_strdup (
      ((const SondeStepInfo *) g_ptr_array_index (reply->steps, reply->steps->len - 1))->name);
}

/* Runs to the place where the expression is evaluated. (transfer full) */
static SondeSessionStatus *
run_to_place (SondeSessionClient *client, const char *at, GError **error)
{
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };
  g_autoptr (SondeSessionReply) begun
      = sonde_session_client_call (client, sonde_session_request_status (), -1, error);
  g_autoptr (SondeSessionStatus) status = NULL;
  g_autofree char *last = NULL;
  guint64 step = 0;

  if (begun == NULL)
    return NULL;
  if (at != NULL && g_str_has_prefix (at, "step:")
      && g_ascii_string_to_unsigned (at + 5, 10, 1, G_MAXINT64, &step, NULL))
    at = NULL;
  if (begun->status->facts.kind == SONDE_ACTIVITY_INFERENCE)
    return at != NULL ? resume_past (client, at, error) : resume_run (client, &on, error);
  step = step > 0 ? step : begun->status->facts.total_steps;
  if (step == 0 && at == NULL)
    return resume_run (client, &on, error);
  last = at != NULL ? g_strdup (at) : dup_last_node (client, error);
  if (last == NULL)
    return NULL;
  if (step > begun->status->stop.step)
    {
      status = resume_to_step (client, step, error);
      if (status == NULL || status->state == SONDE_SESSION_ENDED)
        return g_steal_pointer (&status);
    }
  return resume_past (client, last, error);
}

/* ---- the result ---------------------------------------------------------- */

static void
print_json (const char *text, const SondeSessionReply *reply, const SondeStop *stop)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree char *line = NULL;

  json_builder_begin_object (builder);
  sonde_json_set_string (builder, "check", text);
  sonde_json_set_boolean (builder, "holds", reply->truth);
  if (reply->tensor != NULL)
    sonde_json_set_tensor (builder, "value", reply->tensor);
  else
    sonde_json_set_string (builder, "value", NULL);
  sonde_json_set_string (builder, "explanation", sonde_message_get_english (reply->explanation));
  sonde_json_set_boolean (builder, "unknown", reply->unknown);
  sonde_json_set_int (builder, "step", (gint64) stop->step);
  sonde_json_set_string (builder, "node", stop->node);
  json_builder_end_object (builder);
  line = sonde_json_to_line (builder);
  g_print ("%s\n", line);
}

static void
print_text (const char *text, const SondeSessionReply *reply)
{
  const char *verdict = reply->unknown ? C_ ("result of --check", "unknown")
                        : reply->truth ? C_ ("result of --check", "holds")
                                       : C_ ("result of --check", "does not hold");

  g_print ("%s: %s\n  %s\n", verdict, text,
           reply->explanation != NULL ? sonde_message_get_text (reply->explanation) : "");
}

int
sonde_debug_check (const SondeCliCommand *command, SondeSessionClient *client, const char *text,
                   const char *at, gboolean json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeExpression) expression = sonde_expression_parse (text, &error);
  g_autoptr (SondeSessionReply) early = NULL, reply = NULL;
  g_autoptr (SondeSessionStatus) status = NULL;

  if (expression == NULL)
    return sonde_cli_misuse (command, "%s", sonde_error_get_text (error));
  /* evaluated before the run, too: from then on values of earlier steps that it needs are kept */
  early = sonde_session_client_call (
      client, sonde_session_request_evaluate (text, SONDE_SESSION_WANT_CHECKED, NULL), -1, NULL);
  status = run_to_place (client, at, &error);
  if (status != NULL)
    reply = sonde_session_client_call (
        client, sonde_session_request_evaluate (text, SONDE_SESSION_WANT_CHECKED, NULL), -1,
        &error);
  if (reply == NULL)
    return sonde_cli_fail (command, error);
  if (json)
    print_json (sonde_expression_get_text (expression), reply, &status->stop);
  else
    print_text (sonde_expression_get_text (expression), reply);
  if (status->state == SONDE_SESSION_ENDED && status->end.result == SONDE_SESSION_FAILED)
    {
      SondeMessage *message = sonde_message_new ("The run failed earlier: ");

      if (status->end.message != NULL)
        sonde_message_append (message, status->end.message);
      sonde_set_error_message (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, message);
      return sonde_cli_fail (command, error);
    }
  return reply->truth ? SONDE_EXIT_FAILED : SONDE_EXIT_DONE;
}
