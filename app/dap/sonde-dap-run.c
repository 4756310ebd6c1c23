/* SPDX-License-Identifier: Apache-2.0
 * Resuming the run, and what the editor is told when it stops or ends. */
#include "app/dap/sonde-dap-run.h"

#include "engine/commands/sonde-command-labels.h"
#include "engine/ops/sonde-engine-error.h"

/* ---- what the editor is told --------------------------------------------- */

static void
append_ids (JsonBuilder *body, const SondeStop *stop)
{
  sonde_json_begin_array (body, "hitBreakpointIds");
  for (guint i = 0; i < stop->n_breakpoints; i++)
    json_builder_add_int_value (body, stop->breakpoints[i]);
  for (guint i = 0; stop->watchpoints != NULL && i < stop->watchpoints->len; i++)
    json_builder_add_int_value (
        body, ((const SondeWatchHit *) g_ptr_array_index (stop->watchpoints, i))->watch);
  json_builder_end_array (body);
}

/* "before conv1 (Conv)". (transfer full) */
static char *
describe_stop (const SondeStop *stop)
{
  return *stop->node != '\0' ? sonde_command_format_place (stop->moment, stop->node, stop->op)
                             : g_strdup ("");
}

void
sonde_dap_tell_stop (SondeDap *dap, const char *reason, const char *description)
{
  JsonBuilder *body = sonde_dap_body_new ();
  const SondeStop *stop = dap->status != NULL ? &dap->status->stop : NULL;
  g_autofree char *text = description != NULL ? g_strdup (description)
                          : stop != NULL      ? describe_stop (stop)
                                              : g_strdup ("");

  if (reason == NULL)
    reason = stop != NULL ? sonde_dap_breakpoints_get_reason (dap->breakpoints, stop) : "pause";
  sonde_dap_variables_forget (dap->variables);
  sonde_json_set_string (body, "reason", reason);
  sonde_json_set_string (body, "description", text);
  if (g_str_equal (reason, "exception"))
    sonde_json_set_string (body, "text", stop != NULL && stop->error != NULL ? stop->error : text);
  sonde_json_set_int (body, "threadId", SONDE_DAP_THREAD);
  sonde_json_set_boolean (body, "allThreadsStopped", TRUE);
  if (stop != NULL)
    append_ids (body, stop);
  sonde_dap_send_event (dap, "stopped", body);
}

void
sonde_dap_tell_end (SondeDap *dap, int exit_status)
{
  JsonBuilder *body;

  if (dap->over)
    return;
  dap->over = TRUE;
  body = sonde_dap_body_new ();
  sonde_json_set_int (body, "exitCode", exit_status);
  sonde_dap_send_event (dap, "exited", body);
  sonde_dap_send_event (dap, "terminated", NULL);
}

/* ---- events of the session ----------------------------------------------- */

void
sonde_dap_take_status (SondeDap *dap, SondeSessionStatus *status)
{
  if (dap->status != NULL && dap->status->branch != status->branch)
    sonde_dap_variables_forget_graph (dap->variables);
  g_clear_pointer (&dap->status, sonde_session_status_free);
  dap->status = status;
}

static void
on_stopped (SondeDap *dap)
{
  const char *reason = dap->reason;

  dap->reason = NULL;
  if (!dap->running) /* the request that stopped it answers by itself */
    return;
  dap->running = FALSE;
  sonde_dap_tell_stop (dap, reason, NULL);
}

/* (transfer full) */
static char *
describe_end (const SondeSessionEnd *end)
{
  const char *result = sonde_command_label_result (end->result);

  if (end->message != NULL)
    return g_strdup_printf (_ ("Ended (%s): %s"), result, sonde_message_get_text (end->message));
  return g_strdup_printf (_ ("Ended (%s)."), result);
}

/* The run is over: the session ends, or stays open so that values can be inspected. */
static void
on_ended (SondeDap *dap)
{
  const SondeSessionEnd *end = &dap->status->end;
  gboolean failed = end->result == SONDE_SESSION_FAILED;
  g_autofree char *text = describe_end (end);

  if (!dap->running)
    return;
  dap->running = FALSE;
  sonde_dap_send_output (dap, failed ? "stderr" : "console", text);
  if (dap->stop_on_end)
    sonde_dap_tell_stop (dap, "pause", _ ("The run has ended; all its values can be inspected."));
  else
    sonde_dap_tell_end (dap, failed);
}

static void
on_resumed (SondeDap *dap)
{
  JsonBuilder *body;

  if (dap->running)
    return;
  dap->running = TRUE; /* another client did it */
  body = sonde_dap_body_new ();
  sonde_json_set_int (body, "threadId", SONDE_DAP_THREAD);
  sonde_json_set_boolean (body, "allThreadsContinued", TRUE);
  sonde_dap_send_event (dap, "continued", body);
}

void
sonde_dap_on_event (SondeDap *dap, SondeSessionEvent *event)
{
  if (event->status != NULL)
    sonde_dap_take_status (dap, sonde_session_status_copy (event->status));
  if (!dap->configured && event->kind != SONDE_SESSION_EVENT_CLOSED)
    return;
  switch (event->kind)
    {
    case SONDE_SESSION_EVENT_RESUMED:
      on_resumed (dap);
      break;
    case SONDE_SESSION_EVENT_STOPPED:
      on_stopped (dap);
      break;
    case SONDE_SESSION_EVENT_ENDED:
      on_ended (dap);
      break;
    case SONDE_SESSION_EVENT_LOG:
      if (event->node != NULL && event->text != NULL)
        sonde_dap_send_output (dap, "console", event->text);
      break;
    case SONDE_SESSION_EVENT_SILENT:
    case SONDE_SESSION_EVENT_ANSWERS:
      if (event->text != NULL)
        sonde_dap_send_output (dap, "console", sonde_message_get_text (event->message));
      break;
    case SONDE_SESSION_EVENT_CLOSED:
      dap->running = FALSE;
      if (event->text != NULL && !dap->over)
        sonde_dap_send_output (dap, "important", sonde_message_get_text (event->message));
      sonde_dap_tell_end (dap, 1);
      break;
    default:
      break;
    }
}

/* ---- resuming ------------------------------------------------------------ */

static void
on_resume_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeDap *dap = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  dap->n_asked--;
  if (reply != NULL || sonde_session_client_is_closed (dap->client))
    return;
  dap->running = FALSE;
  dap->reason = NULL;
  sonde_dap_send_output (dap, "important", sonde_error_get_text (error));
  sonde_dap_tell_stop (dap, "pause", sonde_error_get_text (error));
}

void
sonde_dap_resume (SondeDap *dap, SondeSessionRequest *question, const char *reason)
{
  dap->running = TRUE;
  dap->reason = reason;
  dap->n_asked++;
  sonde_session_client_send (dap->client, question, NULL, on_resume_answer, dap);
}

void
sonde_dap_resume_kind (SondeDap *dap, SondeResumeKind kind, const char *reason)
{
  const SondeResume resume = { .kind = kind };

  sonde_dap_resume (dap, sonde_session_request_resume (&resume), reason);
}

/* Answers @request, then resumes. */
static void
go_on (SondeDapRequest *request, SondeResumeKind kind, const char *reason)
{
  SondeDap *dap = request->dap;

  if (!sonde_dap_need_pause (request))
    return;
  sonde_dap_request_reply (request, NULL);
  sonde_dap_resume_kind (dap, kind, reason);
}

static void
go_back (SondeDapRequest *request, SondeBackKind kind, const char *target, const char *reason)
{
  const SondeBack back = { .kind = kind, .count = 1, .target = target };
  SondeDap *dap = request->dap;
  SondeSessionRequest *question = sonde_session_request_go_back (&back);

  sonde_dap_request_reply (request, NULL);
  sonde_dap_resume (dap, question, reason);
}

void
sonde_dap_continue (SondeDapRequest *request)
{
  SondeDap *dap = request->dap;
  JsonBuilder *body;

  if (!sonde_dap_need_pause (request))
    return;
  body = sonde_dap_body_new ();
  sonde_json_set_boolean (body, "allThreadsContinued", TRUE);
  sonde_dap_request_reply (request, body);
  if (dap->status->state == SONDE_SESSION_ENDED) /* the values have been inspected */
    sonde_dap_tell_end (dap, 0);
  else
    sonde_dap_resume_kind (dap, SONDE_RESUME_CONTINUE, NULL);
}

/* statement: a node; line: a scope; instruction: a kernel, which is the node that was executed */
void
sonde_dap_next (SondeDapRequest *request)
{
  const char *granularity = sonde_dap_get_string (request->arguments, "granularity");

  go_on (request, g_strcmp0 (granularity, "line") == 0 ? SONDE_RESUME_NEXT : SONDE_RESUME_STEP,
         "step");
}

void
sonde_dap_step_in (SondeDapRequest *request)
{
  go_on (request, SONDE_RESUME_INTO, "step");
}

void
sonde_dap_step_out (SondeDapRequest *request)
{
  go_on (request, SONDE_RESUME_OUT, "step");
}

void
sonde_dap_step_back (SondeDapRequest *request)
{
  if (sonde_dap_need_pause (request))
    go_back (request, SONDE_BACK_STEPS, NULL, NULL);
}

void
sonde_dap_reverse_continue (SondeDapRequest *request)
{
  if (sonde_dap_need_pause (request))
    go_back (request, SONDE_BACK_REVERSE, NULL, NULL);
}

/* Also ends a search that the editor's console began. */
void
sonde_dap_pause (SondeDapRequest *request)
{
  SondeDap *dap = request->dap;
  gboolean searches = dap->current != NULL && dap->current != request;

  sonde_dap_request_reply (request, NULL);
  if (dap->running || searches)
    sonde_dap_tell (dap, sonde_session_request_pause ());
  else
    sonde_dap_tell_stop (dap, "pause", NULL);
}

/* ---- going elsewhere ----------------------------------------------------- */

static void
take_restarted (SondeDapRequest *request, SondeSessionReply *reply)
{
  SondeDap *dap = request->dap;

  sonde_dap_take_status (dap, g_steal_pointer (&reply->status));
  sonde_dap_request_reply (request, NULL);
  if (dap->stop_on_entry)
    sonde_dap_tell_stop (dap, "entry", NULL);
  else
    sonde_dap_resume_kind (dap, SONDE_RESUME_CONTINUE, NULL);
}

void
sonde_dap_restart (SondeDapRequest *request)
{
  if (sonde_dap_need_pause (request))
    sonde_dap_ask (request, sonde_session_request_restart (), take_restarted);
}

static void
take_restarted_frame (SondeDapRequest *request, SondeSessionReply *reply)
{
  SondeDap *dap = request->dap;

  sonde_dap_take_status (dap, g_steal_pointer (&reply->status));
  sonde_dap_request_reply (request, NULL);
  sonde_dap_tell_stop (dap, "goto", NULL);
}

/* Runs the node of the current frame again. */
void
sonde_dap_restart_frame (SondeDapRequest *request)
{
  const SondeDap *dap = request->dap;

  if (!sonde_dap_need_pause (request))
    return;
  if (*dap->status->stop.node != '\0')
    go_back (request, SONDE_BACK_NODE, dap->status->stop.node, "goto");
  else
    sonde_dap_ask (request, sonde_session_request_restart (), take_restarted_frame);
}

/* A target's id is the line of its node. */
void
sonde_dap_goto_targets (SondeDapRequest *request)
{
  const SondeDap *dap = request->dap;
  guint line = sonde_dap_get_uint (request->arguments, "line", 0) + !dap->lines_at_1, found = 0;
  const char *node = sonde_dap_source_find_node (dap->source, line, &found);
  JsonBuilder *body = sonde_dap_body_new ();

  sonde_json_begin_array (body, "targets");
  if (node != NULL)
    {
      json_builder_begin_object (body);
      sonde_json_set_int (body, "id", found);
      sonde_json_set_string (body, "label", node);
      sonde_json_set_int (body, "line", found - !dap->lines_at_1);
      json_builder_end_object (body);
    }
  json_builder_end_array (body);
  sonde_dap_request_reply (request, body);
}

/* Forward or back, wherever the node lies. */
void
sonde_dap_goto (SondeDapRequest *request)
{
  SondeDap *dap = request->dap;
  guint found = 0;
  const char *node = sonde_dap_source_find_node (
      dap->source, sonde_dap_get_uint (request->arguments, "targetId", 0), &found);
  const SondeResume resume = { .kind = SONDE_RESUME_UNTIL, .target = node };
  const char *here = dap->status->stop.node;

  if (!sonde_dap_need_pause (request))
    return;
  if (node == NULL)
    sonde_dap_request_refuse (request, SONDE_ENGINE_ERROR_NOT_FOUND,
                              N_ ("There is no node to go to."));
  else if (*here != '\0' && found <= sonde_dap_source_find_line (dap->source, here))
    go_back (request, SONDE_BACK_NODE, node, "goto");
  else
    {
      sonde_dap_request_reply (request, NULL);
      sonde_dap_resume (dap, sonde_session_request_resume (&resume), "goto");
    }
}
