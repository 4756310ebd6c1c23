/* SPDX-License-Identifier: Apache-2.0
 * Messages in, dispatch, messages out. */
#include "app/dap/sonde-dap-private.h"

#include <string.h>

/* ---- members ------------------------------------------------------------- */

static JsonNode *
member_of (JsonObject *object, const char *member)
{
  return object != NULL ? json_object_get_member (object, member) : NULL;
}

const char *
sonde_dap_get_string (JsonObject *object, const char *member)
{
  JsonNode *node = member_of (object, member);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

gint64
sonde_dap_get_int (JsonObject *object, const char *member, gint64 fallback)
{
  JsonNode *node = member_of (object, member);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_INT64
             ? json_node_get_int (node)
             : fallback;
}

gboolean
sonde_dap_get_boolean (JsonObject *object, const char *member, gboolean fallback)
{
  JsonNode *node = member_of (object, member);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_BOOLEAN
             ? json_node_get_boolean (node)
             : fallback;
}

JsonArray *
sonde_dap_get_array (JsonObject *object, const char *member)
{
  JsonNode *node = member_of (object, member);

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

JsonObject *
sonde_dap_get_object (JsonObject *object, const char *member)
{
  JsonNode *node = member_of (object, member);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

/* ---- out ----------------------------------------------------------------- */

/* An editor that does not read any more has gone. */
static void
put_out (SondeDap *dap, SondeJsonText *message)
{
  /* without the braces: the channel writes them, and the number */
  g_autofree char *rest = g_strndup (message->text->str + 1, message->text->len - 2);

  if (!sonde_dap_channel_write (&dap->channel, rest))
    g_main_loop_quit (dap->loop);
  sonde_json_text_clear (message);
}

static void
append_raw (SondeJsonText *message, const char *member, const char *text)
{
  g_string_append_printf (message->text, ",\"%s\":%s", member, text);
}

static void
begin_response (SondeJsonText *message, JsonNode *request, gboolean success)
{
  JsonObject *object = json_node_get_object (request);

  sonde_dap_body_init (message);
  sonde_json_text_string (message, "type", "response");
  sonde_json_text_int (message, "request_seq", sonde_dap_get_int (object, "seq", 0));
  sonde_json_text_boolean (message, "success", success);
  sonde_json_text_string (message, "command", sonde_dap_get_string (object, "command"));
}

void
sonde_dap_reply (SondeDap *dap, JsonNode *request, const char *body)
{
  SondeJsonText message;

  begin_response (&message, request, TRUE);
  if (body != NULL)
    append_raw (&message, "body", body);
  sonde_json_text_end_object (&message);
  put_out (dap, &message);
}

void
sonde_dap_reply_error (SondeDap *dap, JsonNode *request, const GError *error)
{
  SondeJsonText message;

  begin_response (&message, request, FALSE);
  sonde_json_text_string (&message, "message", error->message);
  sonde_json_text_begin_object (&message, "body");
  sonde_json_text_begin_object (&message, "error");
  sonde_json_text_int (&message, "id", error->code + 1);
  sonde_json_text_string (&message, "format", error->message);
  sonde_json_text_boolean (&message, "showUser", TRUE);
  sonde_json_text_end_object (&message);
  sonde_json_text_end_object (&message);
  sonde_json_text_end_object (&message);
  put_out (dap, &message);
}

void
sonde_dap_send_event (SondeDap *dap, const char *event, const char *body)
{
  SondeJsonText message;

  sonde_dap_body_init (&message);
  sonde_json_text_string (&message, "type", "event");
  sonde_json_text_string (&message, "event", event);
  if (body != NULL)
    append_raw (&message, "body", body);
  sonde_json_text_end_object (&message);
  put_out (dap, &message);
}

void
sonde_dap_send_output (SondeDap *dap, const char *category, const char *text)
{
  SondeJsonText body;

  sonde_dap_body_init (&body);
  sonde_json_text_string (&body, "category", category);
  sonde_json_text_string (&body, "output", text);
  sonde_json_text_end_object (&body);
  sonde_dap_send_event (dap, "output", body.text->str);
  sonde_json_text_clear (&body);
}

void
sonde_dap_body_init (SondeJsonText *body)
{
  sonde_json_text_init (body);
  sonde_json_text_begin_object (body, NULL);
}

void
sonde_dap_reply_body (SondeDap *dap, JsonNode *request, SondeJsonText *body)
{
  sonde_json_text_end_object (body);
  sonde_dap_reply (dap, request, body->text->str);
  sonde_json_text_clear (body);
}

/* g_main_context_invoke() would call at once, on the other thread, before the loop runs. */
void
sonde_dap_post (GSourceFunc function, gpointer data)
{
  g_idle_add_full (G_PRIORITY_DEFAULT, function, data, NULL);
}

/* ---- dispatch ------------------------------------------------------------ */

/* @session: something has to be open */
static const struct
{
  const char *command;
  SondeDapHandle *handle;
  gboolean session;
} requests[] = {
  { "initialize", sonde_dap_initialize, FALSE },
  { "launch", sonde_dap_launch, FALSE },
  { "attach", sonde_dap_attach, FALSE },
  { "configurationDone", sonde_dap_configuration_done, TRUE },
  { "disconnect", sonde_dap_disconnect, FALSE },
  { "terminate", sonde_dap_terminate, FALSE },
  { "restart", sonde_dap_restart, TRUE },
  { "threads", sonde_dap_threads, FALSE },
  { "cancel", sonde_dap_cancel, FALSE },
  { "setBreakpoints", sonde_dap_set_breakpoints, TRUE },
  { "breakpointLocations", sonde_dap_breakpoint_locations, TRUE },
  { "setFunctionBreakpoints", sonde_dap_set_function_breakpoints, TRUE },
  { "dataBreakpointInfo", sonde_dap_data_breakpoint_info, TRUE },
  { "setDataBreakpoints", sonde_dap_set_data_breakpoints, TRUE },
  { "setExceptionBreakpoints", sonde_dap_set_exception_breakpoints, TRUE },
  { "exceptionInfo", sonde_dap_exception_info, TRUE },
  { "continue", sonde_dap_continue, TRUE },
  { "next", sonde_dap_next, TRUE },
  { "stepIn", sonde_dap_step_in, TRUE },
  { "stepOut", sonde_dap_step_out, TRUE },
  { "stepBack", sonde_dap_step_back, TRUE },
  { "reverseContinue", sonde_dap_reverse_continue, TRUE },
  { "pause", sonde_dap_pause, TRUE },
  { "restartFrame", sonde_dap_restart_frame, TRUE },
  { "gotoTargets", sonde_dap_goto_targets, TRUE },
  { "goto", sonde_dap_goto, TRUE },
  { "stackTrace", sonde_dap_stack_trace, TRUE },
  { "scopes", sonde_dap_scopes, TRUE },
  { "variables", sonde_dap_variables, TRUE },
  { "setVariable", sonde_dap_set_variable, TRUE },
  { "setExpression", sonde_dap_set_expression, TRUE },
  { "evaluate", sonde_dap_evaluate, TRUE },
  { "completions", sonde_dap_completions, TRUE },
  { "readMemory", sonde_dap_read_memory, TRUE },
  { "source", sonde_dap_source, TRUE },
  { "loadedSources", sonde_dap_loaded_sources, TRUE },
  { "modules", sonde_dap_modules, TRUE },
};

static void
handle_request (SondeDap *dap, JsonNode *request)
{
  JsonObject *object = json_node_get_object (request);
  const char *command = sonde_dap_get_string (object, "command");
  JsonObject *given = sonde_dap_get_object (object, "arguments");
  g_autoptr (JsonObject) arguments = given != NULL ? json_object_ref (given) : json_object_new ();
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (requests); i++)
    if (g_strcmp0 (requests[i].command, command) == 0)
      {
        if (requests[i].session && dap->client == NULL)
          g_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "“%s” needs something that is debugged; launch or attach first.", command);
        else if (requests[i].handle (dap, request, arguments, &error))
          return;
        if (error == NULL)
          g_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                       "“%s” got no answer.", command);
        sonde_dap_reply_error (dap, request, error);
        return;
      }
  g_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
               "Sonde does not know the request “%s”.", command != NULL ? command : "");
  sonde_dap_reply_error (dap, request, error);
}

/* ---- in ------------------------------------------------------------------ */

/* @request: NULL at the end of input; @error: why it ended early */
typedef struct
{
  SondeDap *dap;
  JsonNode *request;
  GError *error;
} Arrival;

static gboolean
on_arrival (gpointer data)
{
  Arrival *arrival = data;
  SondeDap *dap = arrival->dap;

  if (arrival->request != NULL)
    handle_request (dap, arrival->request);
  else
    {
      if (arrival->error != NULL)
        {
          g_printerr ("sonde debug --dap: %s\n", arrival->error->message);
          dap->status = 1;
        }
      g_main_loop_quit (dap->loop);
    }
  g_clear_pointer (&arrival->request, json_node_unref);
  g_clear_error (&arrival->error);
  g_free (arrival);
  return G_SOURCE_REMOVE;
}

/* A request; NULL with @error for what is none. */
static JsonNode *
parse_request (const char *text, GError **error)
{
  g_autoptr (JsonNode) node = json_from_string (text, error);
  JsonObject *object
      = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;

  if (object != NULL && sonde_dap_get_string (object, "type") != NULL)
    return g_steal_pointer (&node);
  if (error != NULL && *error == NULL)
    g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                         "The editor sent a message that is no object with a “type”.");
  return NULL;
}

static gpointer
read_messages (gpointer data)
{
  SondeDap *dap = data;
  gboolean more = TRUE;

  while (more)
    {
      Arrival *arrival = g_new0 (Arrival, 1);
      g_autofree char *text = sonde_dap_channel_read (&dap->channel, &arrival->error);

      arrival->dap = dap;
      if (text != NULL)
        arrival->request = parse_request (text, &arrival->error);
      more = arrival->request != NULL;
      /* what the editor answers to our own requests is nothing to do */
      if (more
          && g_strcmp0 (sonde_dap_get_string (json_node_get_object (arrival->request), "type"),
                        "request")
                 != 0)
        {
          json_node_unref (arrival->request);
          g_free (arrival);
          continue;
        }
      sonde_dap_post (on_arrival, arrival);
    }
  return NULL;
}

/* ---- life ---------------------------------------------------------------- */

static void
dap_init (SondeDap *dap, const SondeDapOptions *options)
{
  dap->options = options;
  dap->loop = g_main_loop_new (NULL, FALSE);
  dap->runs = g_async_queue_new ();
  dap->source_breakpoints = g_array_new (FALSE, FALSE, sizeof (guint));
  dap->function_breakpoints = g_array_new (FALSE, FALSE, sizeof (guint));
  dap->data_breakpoints = g_array_new (FALSE, FALSE, sizeof (guint));
  dap->exception_watches = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  dap->references = g_ptr_array_new_with_free_func (sonde_dap_reference_free);
  dap->lines_at_1 = dap->columns_at_1 = TRUE;
  sonde_dap_channel_init (&dap->channel, options->input, options->output);
}

static void
dap_clear (SondeDap *dap)
{
  sonde_dap_stop_fronts (dap);
  sonde_dap_clear_listing (dap);
  g_clear_pointer (&dap->launch, json_node_unref);
  g_clear_pointer (&dap->stop, json_object_unref);
  g_clear_pointer (&dap->graph, sonde_graph_unref);
  g_clear_object (&dap->client);
  g_ptr_array_unref (dap->references);
  g_clear_pointer (&dap->opened_stops, g_ptr_array_unref);
  g_hash_table_unref (dap->exception_watches);
  g_array_unref (dap->source_breakpoints);
  g_array_unref (dap->function_breakpoints);
  g_array_unref (dap->data_breakpoints);
  g_async_queue_unref (dap->runs);
  g_main_loop_unref (dap->loop);
  g_free (dap->title);
  sonde_dap_channel_clear (&dap->channel);
}

int
sonde_dap_run (const SondeDapOptions *options)
{
  SondeDap dap = { 0 };

  dap_init (&dap, options);
  dap.reader = g_thread_new ("dap-reader", read_messages, &dap);
  g_main_loop_run (dap.loop);
  sonde_dap_channel_stop (&dap.channel);
  g_thread_join (dap.reader);
  sonde_dap_stop_fronts (&dap);
  while (g_main_context_iteration (NULL, FALSE)) /* what had arrived */
    ;
  dap_clear (&dap);
  return dap.status;
}
