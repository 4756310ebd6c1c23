/* SPDX-License-Identifier: Apache-2.0
 * Beginning and ending. */
#include "app/dap/sonde-dap-session.h"

#include <string.h>

#include "app/dap/sonde-dap-points.h"
#include "app/dap/sonde-dap-run.h"
#include "engine/ops/sonde-engine-error.h"
#include "engine/session/sonde-model-keys.h"

#define QUIT_MS 5000 /* for an engine that has opened nothing */

/* ---- initialize ---------------------------------------------------------- */

void
sonde_dap_initialize (SondeDapRequest *request)
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
  SondeDap *dap = request->dap;
  JsonObject *arguments = request->arguments;
  JsonBuilder *body = sonde_dap_body_new ();

  dap->sends_invalidated = sonde_dap_get_boolean (arguments, "supportsInvalidatedEvent", FALSE);
  dap->lines_at_1 = sonde_dap_get_boolean (arguments, "linesStartAt1", TRUE);
  dap->columns_at_1 = sonde_dap_get_boolean (arguments, "columnsStartAt1", TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (abilities); i++)
    sonde_json_set_boolean (body, abilities[i], TRUE);
  sonde_dap_append_exception_filters (body);
  sonde_dap_request_reply (request, body);
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

  for (guint i = 0; i < sonde_dap_get_length (array); i++)
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

/* The question that opens what @arguments and the command line name; @arguments go first. */
static SondeSessionRequest *
make_open (const SondeDap *dap, const SondeOpenRequest *given, JsonObject *arguments)
{
  SondeOpenRequest open = *given;
  const char *run = sonde_dap_get_string (arguments, "run"),
             *device = sonde_dap_get_string (arguments, "device");
  g_auto (GStrv) inputs = dup_strings (arguments, "inputs"),
                 shapes = dup_strings (arguments, "shapes"),
                 sets = sonde_model_keys_add (dup_strings (arguments, "set"),
                                              sonde_dap_get_string (arguments, "signature"),
                                              sonde_dap_get_string (arguments, "weights"), shapes);
  guint n_inputs = g_strv_length (inputs);
  g_autofree SondeSessionInput *named = g_new0 (SondeSessionInput, n_inputs + 1);

  for (guint i = 0; i < n_inputs; i++)
    {
      char *equals = strchr (inputs[i], '=');

      named[i].name = equals != NULL ? inputs[i] : NULL;
      named[i].path = equals != NULL ? equals + 1 : inputs[i];
      if (equals != NULL)
        *equals = '\0';
    }
  if (n_inputs > 0)
    {
      open.inputs = named;
      open.n_inputs = n_inputs;
    }
  if (sets[0] != NULL)
    open.sets = (const char *const *) sets;
  open.run_directory = run != NULL ? run : open.run_directory;
  open.device = device != NULL ? device : open.device;
  open.training = sonde_dap_get_boolean (arguments, "training", open.training);
  return sonde_session_request_open (&open);
}

/* The model or recipe to launch. (nullable) */
static const char *
get_subject (const SondeDap *dap, JsonObject *arguments)
{
  const char *program = sonde_dap_get_string (arguments, "program"),
             *model = sonde_dap_get_string (arguments, "model");

  if (program != NULL || model != NULL)
    return program != NULL ? program : model;
  return dap->options->open != NULL ? dap->options->open->subject : NULL;
}

static void
tell_process (SondeDap *dap)
{
  JsonBuilder *body = sonde_dap_body_new ();

  sonde_json_set_string (body, "name", dap->source->title);
  sonde_json_set_int (body, "systemProcessId", sonde_session_client_get_pid (dap->client));
  sonde_json_set_boolean (body, "isLocalProcess", TRUE);
  sonde_json_set_string (body, "startMethod", dap->attached ? "attach" : "launch");
  sonde_dap_send_event (dap, "process", body);
}

/* The session could not be opened; the editor may try another. */
static void
give_up (SondeDapRequest *request, const GError *error)
{
  SondeDap *dap = request->dap;

  sonde_dap_leave (dap);
  g_signal_handlers_disconnect_by_data (dap->client, dap);
  g_clear_object (&dap->runner);
  g_clear_object (&dap->client);
  g_clear_pointer (&dap->status, sonde_session_status_free);
  dap->attached = dap->over = FALSE;
  sonde_dap_request_fail (request, error);
}

/* The session is open: the editor may send its breakpoints. The request is answered after
 * configurationDone. */
static void
take_listing (SondeDapRequest *request, GPtrArray *answers, gpointer data)
{
  SondeDap *dap = request->dap;
  SondeDapAnswer *listing = g_ptr_array_index (answers, 0);

  if (listing->reply == NULL)
    {
      give_up (request, listing->error);
      return;
    }
  dap->source = sonde_dap_source_new (listing->reply->text, dap->status,
                                      dap->attached ? NULL : get_subject (dap, request->arguments));
  dap->stop_on_entry = sonde_dap_get_boolean (request->arguments, "stopOnEntry", FALSE);
  dap->stop_on_end = sonde_dap_get_boolean (request->arguments, "stopOnEnd", FALSE);
  dap->launch = request;
  tell_process (dap);
  sonde_dap_send_event (dap, "initialized", NULL);
  sonde_dap_request_defer (request);
}

static void
take_opened (SondeDapRequest *request, GPtrArray *answers, gpointer data)
{
  SondeDap *dap = request->dap;
  SondeDapAnswer *opened = g_ptr_array_index (answers, 0);
  GPtrArray *questions;

  if (opened->reply == NULL)
    {
      give_up (request, opened->error);
      return;
    }
  sonde_dap_take_status (dap, g_steal_pointer (&opened->reply->status));
  dap->runner = sonde_command_runner_new (dap->client, SONDE_COMMAND_EVENTS_SIGNALLED);
  if (!dap->attached) /* a capture contains some */
    sonde_command_runner_restore_stops (dap->runner, opened->reply->stops);
  questions = g_ptr_array_new ();
  g_ptr_array_add (questions, sonde_session_request_listing (SONDE_SESSION_GRAPH_EXECUTED));
  sonde_dap_ask_all (request, questions, take_listing, NULL);
}

/* @client: (nullable) (transfer full): NULL with @error. @first: (transfer full): what is asked
 * first; replies the status */
static void
begin (SondeDapRequest *request, SondeSessionClient *client, SondeSessionRequest *first,
       GError *error)
{
  SondeDap *dap = request->dap;
  GPtrArray *questions;

  if (client == NULL)
    {
      sonde_session_request_free (first);
      sonde_dap_request_fail (request, error);
      return;
    }
  dap->client = client;
  g_signal_connect_swapped (client, "event", G_CALLBACK (sonde_dap_on_event), dap);
  questions = g_ptr_array_new ();
  g_ptr_array_add (questions, first);
  sonde_dap_ask_all (request, questions, take_opened, NULL);
}

/* FALSE with @request failed when something is open. */
static gboolean
need_nothing_open (SondeDapRequest *request)
{
  if (request->dap->client == NULL)
    return TRUE;
  sonde_dap_request_refuse (request, SONDE_ENGINE_ERROR_STATE,
                            N_ ("A debug session is already open."));
  return FALSE;
}

void
sonde_dap_launch (SondeDapRequest *request)
{
  SondeDap *dap = request->dap;
  SondeOpenRequest open
      = dap->options->open != NULL ? *dap->options->open : (SondeOpenRequest){ 0 };
  g_autoptr (GError) error = NULL;
  SondeSessionClient *client;

  if (!need_nothing_open (request))
    return;
  open.subject = get_subject (dap, request->arguments);
  open.threads
      = (int) CLAMP (sonde_dap_get_int (request->arguments, "threads", open.threads), 0, 1024);
  if (open.subject == NULL)
    {
      sonde_dap_request_refuse (
          request, SONDE_ENGINE_ERROR_INVALID,
          N_ ("Nothing to debug: set \"program\" to a model, a recipe or a built-in model."));
      return;
    }
  client = sonde_session_client_spawn (dap->options->program, open.threads, &error);
  begin (request, client, make_open (dap, &open, request->arguments), error);
}

/* "pid", or "processId" as VS Code's process picker gives it: a number or its text, which may name
 * another machine. (transfer full) (nullable) */
static char *
dup_target (const SondeDap *dap, JsonObject *arguments)
{
  const char *pid_text = sonde_dap_get_string (arguments, "pid");
  const char *text = pid_text != NULL ? pid_text : sonde_dap_get_string (arguments, "processId");
  gint64 pid = sonde_dap_get_int (arguments, "pid", sonde_dap_get_int (arguments, "processId", 0));

  if (text != NULL || pid == 0)
    return g_strdup (text != NULL ? text : dap->options->attach);
  return g_strdup_printf ("%" G_GINT64_FORMAT, pid);
}

void
sonde_dap_attach (SondeDapRequest *request)
{
  g_autofree char *target = dup_target (request->dap, request->arguments);
  g_autoptr (GError) error = NULL;
  SondeSessionClient *client;

  if (!need_nothing_open (request))
    return;
  if (target == NULL)
    {
      sonde_dap_request_refuse (request, SONDE_ENGINE_ERROR_INVALID,
                                N_ ("Set \"pid\" to the process to attach to; `sonde debug "
                                    "--attach` lists the running sessions."));
      return;
    }
  request->dap->attached = TRUE;
  client = sonde_session_client_attach_target (target, &error);
  begin (request, client, sonde_session_request_status (), error);
}

/* ---- configurationDone --------------------------------------------------- */

static void
take_position (SondeDapRequest *request, SondeSessionReply *reply)
{
  SondeDap *dap = request->dap;
  SondeSessionState state;

  sonde_dap_take_status (dap, g_steal_pointer (&reply->status));
  state = dap->status->state;
  sonde_dap_request_reply (request, NULL);
  if (dap->launch != NULL)
    sonde_dap_request_reply (g_steal_pointer (&dap->launch), NULL);
  if (dap->configured)
    return;
  dap->configured = TRUE;
  dap->running = state == SONDE_SESSION_RUNNING;
  if (dap->running && dap->stop_on_entry)
    sonde_dap_tell (dap, sonde_session_request_pause ());
  else if (state == SONDE_SESSION_READY && !dap->stop_on_entry)
    sonde_dap_resume_kind (dap, SONDE_RESUME_CONTINUE, NULL);
  else if (!dap->running)
    sonde_dap_tell_stop (dap, state == SONDE_SESSION_READY ? "entry" : "pause", NULL);
}

void
sonde_dap_configuration_done (SondeDapRequest *request)
{
  sonde_dap_ask (request, sonde_session_request_status (), take_position);
}

/* ---- threads, cancel ----------------------------------------------------- */

void
sonde_dap_threads (SondeDapRequest *request)
{
  const SondeDap *dap = request->dap;
  JsonBuilder *body = sonde_dap_body_new ();

  sonde_json_begin_array (body, "threads");
  json_builder_begin_object (body);
  sonde_json_set_int (body, "id", SONDE_DAP_THREAD);
  sonde_json_set_string (body, "name",
                         dap->source != NULL ? dap->source->title : C_ ("name of a thread", "run"));
  json_builder_end_object (body);
  json_builder_end_array (body);
  sonde_dap_request_reply (request, body);
}

/* Interrupts a search that was started in the console; nothing else takes long. */
void
sonde_dap_cancel (SondeDapRequest *request)
{
  SondeDap *dap = request->dap;

  if (dap->runner != NULL && sonde_command_runner_is_busy (dap->runner))
    sonde_command_runner_interrupt_async (dap->runner);
  sonde_dap_request_reply (request, NULL);
}

/* ---- the end ------------------------------------------------------------- */

void
sonde_dap_leave (SondeDap *dap)
{
  if (dap->client == NULL)
    return;
  dap->over = TRUE;
  if (dap->runner != NULL)
    sonde_command_runner_close (dap->runner);
  if (sonde_session_client_is_attached (dap->client))
    sonde_session_client_detach (dap->client);
  else if (!sonde_session_client_is_closed (dap->client) && dap->source == NULL)
    sonde_session_client_quit_child (dap->client, QUIT_MS);
  else if (!sonde_session_client_is_closed (dap->client))
    sonde_command_runner_leave (dap->runner, NULL);
}

void
sonde_dap_terminate (SondeDapRequest *request)
{
  SondeDap *dap = request->dap;

  sonde_dap_request_reply (request, NULL);
  if (dap->running)
    sonde_dap_tell (dap, sonde_session_request_pause ());
  sonde_dap_tell_end (dap, 0);
}

static void
take_quit (SondeDapRequest *request, GPtrArray *answers, gpointer data)
{
  SondeDap *dap = request->dap;

  sonde_dap_request_reply (request, NULL);
  g_main_loop_quit (dap->loop);
}

/* A launched run ends, an attached one continues, unless the editor requests otherwise. */
void
sonde_dap_disconnect (SondeDapRequest *request)
{
  SondeDap *dap = request->dap;
  gboolean end = sonde_dap_get_boolean (request->arguments, "terminateDebuggee", !dap->attached);
  GPtrArray *questions = g_ptr_array_new ();

  dap->over = TRUE; /* the editor knows */
  if (dap->client != NULL && dap->attached && end)
    g_ptr_array_add (questions, sonde_session_request_quit ());
  else if (dap->client != NULL && !dap->attached && !end)
    sonde_session_client_detach (dap->client);
  else if (dap->client != NULL && dap->running)
    g_ptr_array_add (questions, sonde_session_request_pause ());
  sonde_dap_ask_all (request, questions, take_quit, NULL);
}
