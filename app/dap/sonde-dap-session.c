/* SPDX-License-Identifier: Apache-2.0
 * Beginning, going on, ending. */
#include "app/dap/sonde-dap-private.h"

#include <signal.h>
#include <string.h>

#include "engine/session/sonde-session-directory.h"

/* ---- initialize ---------------------------------------------------------- */

gboolean
sonde_dap_initialize (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  static const char *const abilities[] = {
    "supportsConfigurationDoneRequest",
    "supportsFunctionBreakpoints",
    "supportsConditionalBreakpoints",
    "supportsHitConditionalBreakpoints",
    "supportsEvaluateForHovers",
    "supportsStepBack",
    "supportsSetVariable",
    "supportsRestartFrame",
    "supportsGotoTargetsRequest",
    "supportsCompletionsRequest",
    "supportsModulesRequest",
    "supportsRestartRequest",
    "supportsExceptionInfoRequest",
    "supportTerminateDebuggee",
    "supportsLoadedSourcesRequest",
    "supportsLogPoints",
    "supportsSetExpression",
    "supportsTerminateRequest",
    "supportsDataBreakpoints",
    "supportsReadMemoryRequest",
    "supportsCancelRequest",
    "supportsBreakpointLocationsRequest",
    "supportsClipboardContext",
    "supportsSteppingGranularity",
    "supportsExceptionFilterOptions",
    "supportsDelayedStackTraceLoading",
    "supportsValueFormattingOptions",
  };
  SondeJsonText body;

  dap->sends_invalidated = sonde_dap_get_boolean (arguments, "supportsInvalidatedEvent", FALSE);
  dap->lines_at_1 = sonde_dap_get_boolean (arguments, "linesStartAt1", TRUE);
  dap->columns_at_1 = sonde_dap_get_boolean (arguments, "columnsStartAt1", TRUE);
  sonde_dap_body_init (&body);
  for (gsize i = 0; i < G_N_ELEMENTS (abilities); i++)
    sonde_json_text_boolean (&body, abilities[i], TRUE);
  sonde_dap_append_exception_filters (&body);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}

/* ---- launch and attach --------------------------------------------------- */

/* Strings of an array, or the members "name": "file" of an object as "name=file". (transfer
 * full) */
static char **
dup_strings (JsonObject *arguments, const char *member)
{
  GPtrArray *strings = g_ptr_array_new ();
  JsonArray *array = sonde_dap_get_array (arguments, member);
  JsonObject *object = sonde_dap_get_object (arguments, member);
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *element = json_array_get_element (array, i);

      if (JSON_NODE_HOLDS_VALUE (element) && json_node_get_string (element) != NULL)
        g_ptr_array_add (strings, json_node_dup_string (element));
    }
  if (object != NULL)
    json_object_iter_init (&iter, object);
  while (object != NULL && json_object_iter_next (&iter, &name, &value))
    if (JSON_NODE_HOLDS_VALUE (value) && json_node_get_string (value) != NULL)
      g_ptr_array_add (strings, g_strdup_printf ("%s=%s", name, json_node_get_string (value)));
  g_ptr_array_add (strings, NULL);
  return (char **) g_ptr_array_free (strings, FALSE);
}

/* Events of @client are waited for by the runner: they go to a context that nobody iterates. */
static SondeSessionClient *
spawn_or_attach (SondeDap *dap, int threads, int pid, GError **error)
{
  g_autoptr (GMainContext) nobody = g_main_context_new ();
  SondeSessionClient *client;

  g_main_context_push_thread_default (nobody);
  client = pid > 0 ? sonde_session_client_attach (pid, NULL, error)
                   : sonde_session_client_spawn (dap->options->program, threads, error);
  g_main_context_pop_thread_default (nobody);
  return client;
}

/* What the launch names goes before what the command line named. */
static gboolean
open_launch (SondeDap *dap, JsonObject *arguments, GError **error)
{
  SondeOpenRequest open
      = dap->options->open != NULL ? *dap->options->open : (SondeOpenRequest){ 0 };
  const char *program = sonde_dap_get_string (arguments, "program"),
             *model = sonde_dap_get_string (arguments, "model");
  const char *run = sonde_dap_get_string (arguments, "run"),
             *device = sonde_dap_get_string (arguments, "device");
  g_auto (GStrv) inputs = dup_strings (arguments, "inputs"), sets = dup_strings (arguments, "set");
  guint n_inputs = g_strv_length (inputs);
  g_autofree SondeSessionInput *named = g_new0 (SondeSessionInput, n_inputs + 1);
  g_autoptr (SondeSessionReply) reply = NULL;

  for (guint i = 0; i < n_inputs; i++)
    {
      char *equals = strchr (inputs[i], '=');

      named[i].name = equals != NULL ? inputs[i] : NULL;
      named[i].path = equals != NULL ? equals + 1 : inputs[i];
      if (equals != NULL)
        *equals = '\0';
    }
  if (program != NULL || model != NULL)
    open.subject = program != NULL ? program : model;
  if (n_inputs > 0)
    {
      open.inputs = named;
      open.n_inputs = n_inputs;
    }
  if (sets[0] != NULL)
    open.sets = (const char *const *) sets;
  open.run_directory = run != NULL ? run : open.run_directory;
  open.device = device != NULL ? device : open.device;
  open.threads = (int) CLAMP (sonde_dap_get_int (arguments, "threads", open.threads), 0, 1024);
  open.training = sonde_dap_get_boolean (arguments, "training", open.training);
  if (open.subject == NULL)
    {
      g_set_error_literal (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "What is to be debugged? Give \"program\": a model, a recipe or a built-in model.");
      return FALSE;
    }
  dap->client = spawn_or_attach (dap, open.threads, 0, error);
  if (dap->client == NULL)
    return FALSE;
  reply = sonde_session_client_call (dap->client, sonde_session_request_open (&open), -1, error);
  if (reply != NULL)
    {
      dap->opened_stops = g_steal_pointer (&reply->stops);
      return TRUE;
    }
  sonde_session_client_quit_child (dap->client, 5000);
  g_clear_object (&dap->client);
  return FALSE;
}

static void
tell_process (SondeDap *dap)
{
  SondeJsonText body;

  sonde_dap_body_init (&body);
  sonde_json_text_string (&body, "name", dap->title != NULL ? dap->title : "sonde");
  sonde_json_text_int (&body, "systemProcessId", sonde_session_client_get_pid (dap->client));
  sonde_json_text_boolean (&body, "isLocalProcess", TRUE);
  sonde_json_text_string (&body, "startMethod", dap->attached ? "attach" : "launch");
  sonde_json_text_end_object (&body);
  sonde_dap_send_event (dap, "process", body.text->str);
  sonde_json_text_clear (&body);
}

/* It is open: the editor may send its breakpoints; the request is answered when it says that it
 * has. */
static gboolean
begin (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  sonde_dap_start_fronts (dap);
  sonde_front_restore_stops (dap->front, dap->opened_stops);
  dap->launch = json_node_ref (request);
  if (!sonde_dap_load_listing (dap, error))
    {
      g_clear_pointer (&dap->launch, json_node_unref);
      sonde_dap_stop_fronts (dap);
      g_clear_object (&dap->client);
      return FALSE;
    }
  dap->stop_on_entry = sonde_dap_get_boolean (arguments, "stopOnEntry", FALSE);
  dap->stop_on_end = sonde_dap_get_boolean (arguments, "stopOnEnd", FALSE);
  tell_process (dap);
  sonde_dap_send_event (dap, "initialized", NULL);
  return TRUE;
}

static gboolean
need_nothing_open (SondeDap *dap, GError **error)
{
  if (dap->client == NULL)
    return TRUE;
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Something is debugged already.");
  return FALSE;
}

gboolean
sonde_dap_launch (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  return need_nothing_open (dap, error) && open_launch (dap, arguments, error)
         && begin (dap, request, arguments, error);
}

/* "pid", or "processId" as VS Code's process picker gives it: a number or its text. */
static gint64
get_pid (SondeDap *dap, JsonObject *arguments)
{
  const char *text = sonde_dap_get_string (arguments, "processId");
  gint64 pid = sonde_dap_get_int (arguments, "pid",
                                  sonde_dap_get_int (arguments, "processId", dap->options->attach));

  return text != NULL ? g_ascii_strtoll (text, NULL, 10) : pid;
}

gboolean
sonde_dap_attach (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  gint64 pid = get_pid (dap, arguments);

  if (!need_nothing_open (dap, error))
    return FALSE;
  if (pid <= 0 || pid > G_MAXINT)
    {
      g_set_error_literal (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "Give the process to attach to as \"pid\"; `sonde debug --attach` lists what runs.");
      return FALSE;
    }
  dap->client = spawn_or_attach (dap, 0, (int) pid, error);
  dap->attached = dap->client != NULL;
  return dap->attached && begin (dap, request, arguments, error);
}

/* ---- configurationDone --------------------------------------------------- */

/* Reads where it stands, as a stop. */
static void
note_position (SondeDap *dap)
{
  g_clear_pointer (&dap->stop, json_object_unref);
  dap->stop = sonde_dap_ask (dap, "info state", NULL);
}

gboolean
sonde_dap_configuration_done (SondeDap *dap, JsonNode *request, JsonObject *arguments,
                              GError **error)
{
  const char *state;

  sonde_dap_reply (dap, request, NULL);
  if (dap->launch != NULL)
    sonde_dap_reply (dap, dap->launch, NULL);
  g_clear_pointer (&dap->launch, json_node_unref);
  if (dap->configured)
    return TRUE;
  dap->configured = TRUE;
  note_position (dap);
  state = dap->stop != NULL ? sonde_dap_get_string (dap->stop, "state") : NULL;
  if (g_strcmp0 (state, "running") == 0)
    sonde_dap_run_line (dap, NULL, NULL);
  else if (g_strcmp0 (state, "ready") == 0 && !dap->stop_on_entry)
    sonde_dap_run_line (dap, "run", NULL);
  else
    sonde_dap_tell_stop (dap, g_strcmp0 (state, "ready") == 0 ? "entry" : "pause", NULL);
  if (dap->running && dap->stop_on_entry)
    sonde_front_interrupt (dap->runner);
  return TRUE;
}

/* ---- going on ------------------------------------------------------------ */

static gboolean
go_on (SondeDap *dap, JsonNode *request, const char *line, const char *reason, GError **error)
{
  if (!sonde_dap_need_pause (dap, error))
    return FALSE;
  sonde_dap_reply (dap, request, NULL);
  sonde_dap_run_line (dap, line, reason);
  return TRUE;
}

gboolean
sonde_dap_continue (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  g_autoptr (JsonObject) state = NULL;
  const char *name;

  if (!sonde_dap_need_pause (dap, error))
    return FALSE;
  sonde_dap_reply (dap, request, "{\"allThreadsContinued\":true}");
  state = sonde_dap_ask (dap, "info state", NULL);
  name = state != NULL ? sonde_dap_get_string (state, "state") : NULL;
  if (g_strcmp0 (name, "ended") == 0) /* the last look at the values is over */
    sonde_dap_tell_end (dap, 0);
  else
    sonde_dap_run_line (dap, g_strcmp0 (name, "ready") == 0 ? "run" : "continue", NULL);
  return TRUE;
}

/* statement: a node; line: a scope; instruction: a kernel, which is the node that was executed */
gboolean
sonde_dap_next (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  gboolean scope = g_strcmp0 (sonde_dap_get_string (arguments, "granularity"), "line") == 0;

  return go_on (dap, request, scope ? "next" : "step", "step", error);
}

gboolean
sonde_dap_step_in (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  return go_on (dap, request, "into", "step", error);
}

gboolean
sonde_dap_step_out (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  return go_on (dap, request, "out", "step", error);
}

gboolean
sonde_dap_step_back (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  return go_on (dap, request, "back", NULL, error);
}

gboolean
sonde_dap_reverse_continue (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  return go_on (dap, request, "reverse", NULL, error);
}

gboolean
sonde_dap_pause (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  sonde_dap_reply (dap, request, NULL);
  if (dap->running)
    sonde_front_interrupt (dap->runner);
  else
    sonde_dap_tell_stop (dap, "pause", NULL);
  return TRUE;
}

/* ---- going elsewhere ----------------------------------------------------- */

/* The node of the present frame, once more. */
gboolean
sonde_dap_restart_frame (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  const char *node = dap->stop != NULL ? sonde_dap_get_string (dap->stop, "node") : NULL;
  g_autofree char *line
      = node != NULL ? g_strconcat ("restart ", node, NULL) : g_strdup ("restart");

  return go_on (dap, request, line, "goto", error);
}

gboolean
sonde_dap_restart (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  if (!sonde_dap_need_pause (dap, error))
    return FALSE;
  g_clear_pointer (&dap->stop, json_object_unref);
  dap->stop = sonde_dap_ask (dap, "restart", error);
  if (dap->stop == NULL)
    return FALSE;
  sonde_dap_reply (dap, request, NULL);
  if (dap->stop_on_entry)
    sonde_dap_tell_stop (dap, "entry", NULL);
  else
    sonde_dap_run_line (dap, "run", NULL);
  return TRUE;
}

/* A target's id is the line of its node. */
gboolean
sonde_dap_goto_targets (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  guint line
      = (guint) CLAMP (sonde_dap_get_int (arguments, "line", 0) + !dap->lines_at_1, 0, G_MAXINT),
      found = 0;
  const char *node = sonde_dap_node_on_line (dap, line, &found);
  SondeJsonText body;

  sonde_dap_body_init (&body);
  sonde_json_text_begin_array (&body, "targets");
  if (node != NULL)
    {
      sonde_json_text_begin_object (&body, NULL);
      sonde_json_text_uint (&body, "id", found);
      sonde_json_text_string (&body, "label", node);
      sonde_json_text_uint (&body, "line", found - !dap->lines_at_1);
      sonde_json_text_end_object (&body);
    }
  sonde_json_text_end_array (&body);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}

/* Forward or back, whichever the node lies. */
gboolean
sonde_dap_goto (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  guint found = 0;
  const char *node = sonde_dap_node_on_line (
      dap, (guint) CLAMP (sonde_dap_get_int (arguments, "targetId", 0), 0, G_MAXINT), &found);
  const char *here = dap->stop != NULL ? sonde_dap_get_string (dap->stop, "node") : NULL;
  g_autofree char *line = NULL;

  if (node == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                           "There is no node to go to.");
      return FALSE;
    }
  line = g_strdup_printf (
      "%s %s", here != NULL && found <= sonde_dap_line_of_node (dap, here) ? "restart" : "until",
      node);
  return go_on (dap, request, line, "goto", error);
}

/* ---- threads, cancel ----------------------------------------------------- */

gboolean
sonde_dap_threads (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  SondeJsonText body;

  sonde_dap_body_init (&body);
  sonde_json_text_begin_array (&body, "threads");
  sonde_json_text_begin_object (&body, NULL);
  sonde_json_text_int (&body, "id", SONDE_DAP_THREAD);
  sonde_json_text_string (&body, "name", dap->title != NULL ? dap->title : "run");
  sonde_json_text_end_object (&body);
  sonde_json_text_end_array (&body);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}

/* Requests are answered before the next is read, so there is nothing left to cancel but a run. */
gboolean
sonde_dap_cancel (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  sonde_dap_reply (dap, request, NULL);
  return TRUE;
}

/* ---- the end ------------------------------------------------------------- */

void
sonde_dap_tell_end (SondeDap *dap, int exit_status)
{
  g_autofree char *body = g_strdup_printf ("{\"exitCode\":%d}", exit_status);

  sonde_dap_send_event (dap, "exited", body);
  sonde_dap_send_event (dap, "terminated", NULL);
}

gboolean
sonde_dap_terminate (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  sonde_dap_reply (dap, request, NULL);
  if (dap->running)
    sonde_front_interrupt (dap->runner);
  sonde_dap_tell_end (dap, 0);
  return TRUE;
}

/* A launched run ends, an attached one goes on, unless the editor says otherwise. */
gboolean
sonde_dap_disconnect (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  gboolean end = sonde_dap_get_boolean (arguments, "terminateDebuggee", !dap->attached);

  if (dap->client != NULL && dap->running)
    sonde_front_interrupt (dap->runner);
  if (dap->client != NULL && dap->attached && end)
    {
      g_autoptr (SondeSessionReply) reply
          = sonde_session_client_call (dap->client, sonde_session_request_quit (), 10000, NULL);
    }
  else if (dap->client != NULL && !dap->attached && !end)
    sonde_session_client_detach (dap->client);
  sonde_dap_reply (dap, request, NULL);
  g_main_loop_quit (dap->loop);
  return TRUE;
}
