/* SPDX-License-Identifier: Apache-2.0
 * Requests one after the other, their answers, questions to the session. */
#include "app/dap/sonde-dap-private.h"

#include "engine/ops/sonde-engine-error.h"

/* ---- out ----------------------------------------------------------------- */

static void
request_free (SondeDapRequest *request)
{
  g_free (request->command);
  json_object_unref (request->arguments);
  g_free (request);
}

static void handle_next (SondeDap *dap);

/* Sends the answer and frees the request. */
static void
answer (SondeDapRequest *request, gboolean success, const char *message, JsonBuilder *body)
{
  SondeDap *dap = request->dap;
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "type", "response");
  json_object_set_int_member (object, "request_seq", request->seq);
  json_object_set_boolean_member (object, "success", success);
  json_object_set_string_member (object, "command", request->command);
  if (message != NULL)
    json_object_set_string_member (object, "message", message);
  if (body != NULL)
    json_object_set_object_member (object, "body", sonde_dap_body_end (body));
  sonde_dap_channel_send (dap->channel, object);
  if (dap->current == request)
    {
      dap->current = NULL;
      handle_next (dap);
    }
  request_free (request);
}

void
sonde_dap_request_reply (SondeDapRequest *request, JsonBuilder *body)
{
  answer (request, TRUE, NULL, body);
}

void
sonde_dap_request_fail (SondeDapRequest *request, const GError *error)
{
  JsonBuilder *body = sonde_dap_body_new ();
  g_autofree char *message = g_utf8_make_valid (error->message, -1);

  sonde_json_begin_object (body, "error");
  sonde_json_set_int (body, "id", error->code + 1);
  sonde_json_set_string (body, "format", message);
  sonde_json_set_boolean (body, "showUser", TRUE);
  json_builder_end_object (body);
  answer (request, FALSE, message, body);
}

void
sonde_dap_request_refuse (SondeDapRequest *request, int code, const char *sentence)
{
  g_autoptr (GError) error = g_error_new_literal (SONDE_ENGINE_ERROR, code, sentence);

  sonde_dap_request_fail (request, error);
}

void
sonde_dap_request_defer (SondeDapRequest *request)
{
  SondeDap *dap = request->dap;

  if (dap->current != request)
    return;
  dap->current = NULL;
  handle_next (dap);
}

void
sonde_dap_send_event (SondeDap *dap, const char *event, JsonBuilder *body)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "type", "event");
  json_object_set_string_member (object, "event", event);
  if (body != NULL)
    json_object_set_object_member (object, "body", sonde_dap_body_end (body));
  sonde_dap_channel_send (dap->channel, object);
}

void
sonde_dap_send_output (SondeDap *dap, const char *category, const char *text)
{
  JsonBuilder *body = sonde_dap_body_new ();
  g_autofree char *line = g_strconcat (text, "\n", NULL);

  sonde_json_set_string (body, "category", category);
  sonde_json_set_string (body, "output", line);
  sonde_dap_send_event (dap, "output", body);
}

/* ---- questions ----------------------------------------------------------- */

/* Several questions; @n_left: without an answer so far */
typedef struct
{
  SondeDapRequest *request;
  GPtrArray *answers;
  guint n_left;
  SondeDapTakeAll *take;
  gpointer data;
} Batch;

/* One of them. */
typedef struct
{
  Batch *batch;
  guint number;
} Question;

static void
answer_free (gpointer data)
{
  SondeDapAnswer *one = data;

  sonde_session_reply_free (one->reply);
  g_clear_error (&one->error);
  g_free (one);
}

static void
finish (Batch *batch)
{
  batch->take (batch->request, batch->answers, batch->data);
  g_ptr_array_unref (batch->answers);
  g_free (batch);
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Question *question = data;
  Batch *batch = question->batch;
  SondeDapAnswer *one = g_ptr_array_index (batch->answers, question->number);

  batch->request->dap->n_asked--;
  one->reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &one->error);
  if (--batch->n_left == 0)
    finish (batch);
}

void
sonde_dap_ask_all (SondeDapRequest *request, GPtrArray *questions, SondeDapTakeAll *take,
                   gpointer data)
{
  Batch *batch = g_new0 (Batch, 1);
  SondeDap *dap = request->dap;
  guint n = questions->len;

  *batch = (Batch){ request, g_ptr_array_new_with_free_func (answer_free), n, take, data };
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (batch->answers, g_new0 (SondeDapAnswer, 1));
  dap->n_asked += n;
  for (guint i = 0; i < n; i++)
    {
      Question *question = g_new0 (Question, 1);

      *question = (Question){ batch, i };
      sonde_session_client_send (dap->client, g_ptr_array_index (questions, i), NULL, on_answer,
                                 question);
    }
  g_ptr_array_unref (questions);
  if (n == 0)
    finish (batch);
}

static void
take_one (SondeDapRequest *request, GPtrArray *answers, gpointer data)
{
  SondeDapAnswer *one = g_ptr_array_index (answers, 0);
  SondeDapTake *take = data;

  if (one->reply != NULL)
    take (request, one->reply);
  else
    sonde_dap_request_fail (request, one->error);
}

void
sonde_dap_ask (SondeDapRequest *request, SondeSessionRequest *question, SondeDapTake *take)
{
  GPtrArray *questions = g_ptr_array_new ();

  g_ptr_array_add (questions, question);
  sonde_dap_ask_all (request, questions, take_one, take);
}

static void
on_told (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeDap *dap = data;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, NULL);

  dap->n_asked--;
}

void
sonde_dap_tell (SondeDap *dap, SondeSessionRequest *question)
{
  dap->n_asked++;
  sonde_session_client_send (dap->client, question, NULL, on_told, dap);
}

gboolean
sonde_dap_need_pause (SondeDapRequest *request)
{
  if (!request->dap->running)
    return TRUE;
  sonde_dap_request_refuse (request, SONDE_ENGINE_ERROR_STATE, "Pause the run first.");
  return FALSE;
}

/* ---- dispatch ------------------------------------------------------------ */

/* @session: something has to be open; @at_once: it does not wait for the request before it */
static const struct
{
  const char *command;
  SondeDapHandle *handle;
  gboolean session, at_once;
} handlers[] = {
  { "initialize", sonde_dap_initialize, FALSE, FALSE },
  { "launch", sonde_dap_launch, FALSE, FALSE },
  { "attach", sonde_dap_attach, FALSE, FALSE },
  { "configurationDone", sonde_dap_configuration_done, TRUE, FALSE },
  { "disconnect", sonde_dap_disconnect, FALSE, FALSE },
  { "terminate", sonde_dap_terminate, FALSE, FALSE },
  { "restart", sonde_dap_restart, TRUE, FALSE },
  { "threads", sonde_dap_threads, FALSE, FALSE },
  { "cancel", sonde_dap_cancel, FALSE, TRUE },
  { "setBreakpoints", sonde_dap_set_breakpoints, TRUE, FALSE },
  { "breakpointLocations", sonde_dap_breakpoint_locations, TRUE, FALSE },
  { "setFunctionBreakpoints", sonde_dap_set_function_breakpoints, TRUE, FALSE },
  { "dataBreakpointInfo", sonde_dap_data_breakpoint_info, TRUE, FALSE },
  { "setDataBreakpoints", sonde_dap_set_data_breakpoints, TRUE, FALSE },
  { "setExceptionBreakpoints", sonde_dap_set_exception_breakpoints, TRUE, FALSE },
  { "exceptionInfo", sonde_dap_exception_info, TRUE, FALSE },
  { "continue", sonde_dap_continue, TRUE, FALSE },
  { "next", sonde_dap_next, TRUE, FALSE },
  { "stepIn", sonde_dap_step_in, TRUE, FALSE },
  { "stepOut", sonde_dap_step_out, TRUE, FALSE },
  { "stepBack", sonde_dap_step_back, TRUE, FALSE },
  { "reverseContinue", sonde_dap_reverse_continue, TRUE, FALSE },
  { "pause", sonde_dap_pause, TRUE, TRUE },
  { "restartFrame", sonde_dap_restart_frame, TRUE, FALSE },
  { "gotoTargets", sonde_dap_goto_targets, TRUE, FALSE },
  { "goto", sonde_dap_goto, TRUE, FALSE },
  { "stackTrace", sonde_dap_stack_trace, TRUE, FALSE },
  { "scopes", sonde_dap_scopes, TRUE, FALSE },
  { "variables", sonde_dap_variables, TRUE, FALSE },
  { "setVariable", sonde_dap_set_variable, TRUE, FALSE },
  { "setExpression", sonde_dap_set_expression, TRUE, FALSE },
  { "evaluate", sonde_dap_evaluate, TRUE, FALSE },
  { "completions", sonde_dap_completions, TRUE, FALSE },
  { "readMemory", sonde_dap_read_memory, TRUE, FALSE },
  { "source", sonde_dap_source, TRUE, FALSE },
  { "loadedSources", sonde_dap_loaded_sources, TRUE, FALSE },
  { "modules", sonde_dap_modules, TRUE, FALSE },
};

/* Index in the table, -1: none */
static int
find_handler (const char *command)
{
  for (gsize i = 0; i < G_N_ELEMENTS (handlers); i++)
    if (g_str_equal (handlers[i].command, command))
      return (int) i;
  return -1;
}

static void
handle (SondeDapRequest *request)
{
  SondeDap *dap = request->dap;
  int i = find_handler (request->command);
  g_autoptr (GError) error = NULL;

  if (i < 0)
    sonde_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "Unknown request “%s”.", request->command);
  else if (handlers[i].session && dap->source == NULL)
    sonde_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "“%s” needs a debug session; launch or attach first.", request->command);
  if (error != NULL)
    sonde_dap_request_fail (request, error);
  else
    handlers[i].handle (request);
}

static void
handle_next (SondeDap *dap)
{
  while (dap->current == NULL && !g_queue_is_empty (&dap->waiting))
    {
      dap->current = g_queue_pop_head (&dap->waiting);
      handle (dap->current);
    }
}

/* What the editor answers to requests of ours is nothing to do: there are none. */
static void
on_message (SondeDap *dap, JsonObject *message)
{
  const char *type = sonde_dap_get_string (message, "type"),
             *command = sonde_dap_get_string (message, "command");
  JsonObject *arguments = sonde_dap_get_object (message, "arguments");
  SondeDapRequest *request;
  int i;

  if (type == NULL)
    {
      g_printerr ("sonde debug --dap: The editor sent a message without a “type”.\n");
      dap->exit_status = 1;
      g_main_loop_quit (dap->loop);
      return;
    }
  if (!g_str_equal (type, "request"))
    return;
  request = g_new0 (SondeDapRequest, 1);
  request->dap = dap;
  request->seq = sonde_dap_get_int (message, "seq", 0);
  request->command = g_strdup (command != NULL ? command : "");
  request->arguments = arguments != NULL ? json_object_ref (arguments) : json_object_new ();
  i = find_handler (request->command);
  if (i >= 0 && handlers[i].at_once)
    {
      handle (request);
      return;
    }
  g_queue_push_tail (&dap->waiting, request);
  handle_next (dap);
}

static void
on_closed (SondeDap *dap, const GError *error)
{
  if (error != NULL)
    {
      g_printerr ("sonde debug --dap: %s\n", error->message);
      dap->exit_status = 1;
    }
  g_main_loop_quit (dap->loop);
}

/* ---- life ---------------------------------------------------------------- */

static void
dap_init (SondeDap *dap, const SondeDapOptions *options)
{
  dap->options = options;
  dap->loop = g_main_loop_new (NULL, FALSE);
  g_queue_init (&dap->waiting);
  dap->breakpoints = sonde_dap_breakpoints_new ();
  dap->variables = sonde_dap_variables_new ();
  dap->lines_at_1 = dap->columns_at_1 = TRUE;
  dap->channel = sonde_dap_channel_new (options->input, options->output);
  g_signal_connect_swapped (dap->channel, "message", G_CALLBACK (on_message), dap);
  g_signal_connect_swapped (dap->channel, "closed", G_CALLBACK (on_closed), dap);
}

static void
dap_clear (SondeDap *dap)
{
  g_clear_pointer (&dap->current, request_free);
  g_clear_pointer (&dap->launch, request_free);
  g_queue_clear_full (&dap->waiting, (GDestroyNotify) request_free);
  g_clear_pointer (&dap->status, sonde_session_status_free);
  g_clear_pointer (&dap->source, sonde_dap_source_free);
  sonde_dap_variables_free (dap->variables);
  sonde_dap_breakpoints_free (dap->breakpoints);
  if (dap->client != NULL)
    g_signal_handlers_disconnect_by_data (dap->client, dap);
  g_clear_object (&dap->runner);
  g_clear_object (&dap->client);
  g_signal_handlers_disconnect_by_data (dap->channel, dap);
  g_clear_object (&dap->channel);
  g_main_loop_unref (dap->loop);
}

int
sonde_dap_run (const SondeDapOptions *options)
{
  SondeDap dap = { 0 };

  dap_init (&dap, options);
  sonde_dap_channel_start (dap.channel);
  g_main_loop_run (dap.loop);
  sonde_dap_channel_stop (dap.channel);
  sonde_dap_leave (&dap);
  while (dap.n_asked > 0 || g_main_context_pending (NULL)) /* what is under way comes back */
    g_main_context_iteration (NULL, TRUE);
  sonde_dap_channel_flush (dap.channel);
  dap_clear (&dap);
  return dap.exit_status;
}
