/* SPDX-License-Identifier: Apache-2.0
 * The page's side of a session. */
#include "app/debugger/sonde-debug-controller.h"

#include <string.h>

#include "data/models/sonde-model-file.h"

#define QUIT_MS 3000

struct _SondeDebugController
{
  GObject parent_instance;

  char *program;
  SondeSessionClient *client;
  GCancellable *cancellable; /* of everything asked of this client */
  SondeSessionStatus *status;
  SondeGraph *graph;
  GPtrArray *steps, *breakpoints;
  char *listing;
  guint *lines;
  guint n_lines;
  char *at;       /* (nullable): where to stop once loaded */
  guint n_asked;  /* requests under way */
  guint n_facts;  /* of graph, steps, listing: how many are there */
};

G_DEFINE_FINAL_TYPE (SondeDebugController, sonde_debug_controller, G_TYPE_OBJECT)

enum
{
  LOADED,
  CHANGED,
  PROBLEM,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* ---- connecting: blocking calls, so in a thread ----------------------------------------------- */

/* What the connecting thread is to do. */
typedef struct
{
  char *program;
  int pid; /* 0: start a child */
  char *subject, *run_directory, *device;
  SondeSessionInput *inputs;
  guint n_inputs;
  char **sets;
  gboolean training;
  int threads;
} Connecting;

static void
connecting_free (void *data)
{
  Connecting *connecting = data;

  for (guint i = 0; i < connecting->n_inputs; i++)
    {
      g_free ((char *) connecting->inputs[i].name);
      g_free ((char *) connecting->inputs[i].path);
    }
  g_free (connecting->inputs);
  g_free (connecting->program);
  g_free (connecting->subject);
  g_free (connecting->run_directory);
  g_free (connecting->device);
  g_strfreev (connecting->sets);
  g_free (connecting);
}

static void
connect_in_thread (GTask        *task,
                   gpointer      source,
                   gpointer      task_data,
                   GCancellable *cancellable)
{
  Connecting *connecting = task_data;
  GError *error = NULL;
  SondeSessionClient *client = connecting->pid > 0
                                   ? sonde_session_client_attach (connecting->pid, NULL, &error)
                                   : sonde_session_client_spawn (connecting->program, connecting->threads, &error);

  if (client != NULL)
    g_task_return_pointer (task, client, g_object_unref);
  else
    g_task_return_error (task, error);
}

static void
emit_problem (SondeDebugController *self,
              const char           *sentence)
{
  g_signal_emit (self, signals[PROBLEM], 0, sentence);
}

/* ---- asking ----------------------------------------------------------------------------------- */

static void take_reply (SondeDebugController *self, SondeSessionReply *reply);

static void
on_reply (GObject      *source,
          GAsyncResult *result,
          gpointer      data)
{
  g_autoptr (SondeDebugController) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  self->n_asked--;
  if (SONDE_SESSION_CLIENT (source) != self->client)
    return;
  if (reply != NULL)
    take_reply (self, reply);
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    emit_problem (self, error->message);
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
ask (SondeDebugController *self,
     SondeSessionRequest  *request)
{
  if (self->client == NULL)
    {
      sonde_session_request_free (request);
      return;
    }
  self->n_asked++;
  sonde_session_client_send (self->client, request, self->cancellable, on_reply, g_object_ref (self));
}

static void
ask_facts (SondeDebugController *self)
{
  self->n_facts = 0;
  ask (self, sonde_session_request_graph (SONDE_SESSION_GRAPH_EXECUTED));
  ask (self, sonde_session_request_steps ());
  ask (self, sonde_session_request_listing (SONDE_SESSION_GRAPH_EXECUTED));
  ask (self, sonde_session_request_list_breakpoints ());
}

/* A node of the middle of the plan, for a first look. */
static const char *
middle_node (SondeDebugController *self)
{
  for (guint i = self->steps->len / 2; i < self->steps->len; i++)
    {
      const SondeStepInfo *step = g_ptr_array_index (self->steps, i);

      if (step->nodes != NULL && step->nodes[0] != NULL)
        return step->nodes[0];
    }
  return NULL;
}

static void
go_to_start_node (SondeDebugController *self)
{
  g_autofree char *at = g_steal_pointer (&self->at);
  const char *node;

  if (at == NULL)
    return;
  node = *at != '\0' ? at : middle_node (self);
  if (node != NULL)
    sonde_debug_controller_resume (self, SONDE_RESUME_UNTIL, node);
}

static void
fact_arrived (SondeDebugController *self)
{
  if (++self->n_facts < 3)
    return;
  g_signal_emit (self, signals[LOADED], 0);
  go_to_start_node (self);
}

static void
take_graph (SondeDebugController *self,
            GBytes               *bytes)
{
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&self->graph, sonde_graph_unref);
  self->graph = sonde_model_parse (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "graph of the session",
                                   &error);
  if (self->graph == NULL)
    emit_problem (self, error->message);
  fact_arrived (self);
}

static void
take_status (SondeDebugController *self,
             SondeSessionStatus   *status)
{
  SondeSessionState before = self->status != NULL ? self->status->state : SONDE_SESSION_EMPTY;
  gboolean opened = status->state != SONDE_SESSION_EMPTY && status->state != SONDE_SESSION_LOADING;

  g_clear_pointer (&self->status, sonde_session_status_free);
  self->status = status;
  if (opened && (before == SONDE_SESSION_EMPTY || before == SONDE_SESSION_LOADING) && self->steps == NULL)
    ask_facts (self);
}

static void
take_reply (SondeDebugController *self,
            SondeSessionReply    *reply)
{
  if (reply->status != NULL)
    take_status (self, g_steal_pointer (&reply->status));
  if (reply->breakpoints != NULL)
    {
      g_clear_pointer (&self->breakpoints, g_ptr_array_unref);
      self->breakpoints = g_steal_pointer (&reply->breakpoints);
    }
  if (reply->steps != NULL)
    {
      g_clear_pointer (&self->steps, g_ptr_array_unref);
      self->steps = g_steal_pointer (&reply->steps);
      fact_arrived (self);
    }
  if (reply->text != NULL)
    {
      g_free (self->listing);
      g_free (self->lines);
      self->listing = g_steal_pointer (&reply->text);
      self->lines = g_steal_pointer (&reply->lines);
      self->n_lines = reply->n_lines;
      fact_arrived (self);
    }
  if (reply->bytes != NULL)
    take_graph (self, reply->bytes);
}

/* ---- events ----------------------------------------------------------------------------------- */

static void
on_event (SondeSessionClient   *client,
          SondeSessionEvent    *event,
          SondeDebugController *self)
{
  if (client != self->client)
    return;
  switch (event->kind)
    {
    case SONDE_SESSION_EVENT_BREAKPOINTS:
      ask (self, sonde_session_request_list_breakpoints ());
      break;
    case SONDE_SESSION_EVENT_LOG:
      emit_problem (self, event->text);
      break;
    case SONDE_SESSION_EVENT_CLOSED:
      emit_problem (self, event->text);
      g_clear_pointer (&self->status, sonde_session_status_free);
      g_signal_emit (self, signals[CHANGED], 0);
      break;
    default:
      /* Events lend their status; ask for one of our own. */
      ask (self, sonde_session_request_status ());
    }
}

/* ---- life ------------------------------------------------------------------------------------- */

static void
quit_in_thread (GTask        *task,
                gpointer      source,
                gpointer      task_data,
                GCancellable *cancellable)
{
  sonde_session_client_quit_child (SONDE_SESSION_CLIENT (source), QUIT_MS);
  g_task_return_boolean (task, TRUE);
}

void
sonde_debug_controller_close (SondeDebugController *controller)
{
  g_autoptr (SondeSessionClient) client = g_steal_pointer (&controller->client);

  g_cancellable_cancel (controller->cancellable);
  g_clear_object (&controller->cancellable);
  if (client != NULL)
    g_signal_handlers_disconnect_by_data (client, controller);
  if (client != NULL && sonde_session_client_is_attached (client))
    sonde_session_client_detach (client);
  else if (client != NULL)
    {
      /* It may need a moment to write its checkpoint. */
      g_autoptr (GTask) task = g_task_new (client, NULL, NULL, NULL);

      g_task_run_in_thread (task, quit_in_thread);
    }
  g_clear_pointer (&controller->status, sonde_session_status_free);
  g_clear_pointer (&controller->graph, sonde_graph_unref);
  g_clear_pointer (&controller->steps, g_ptr_array_unref);
  g_clear_pointer (&controller->breakpoints, g_ptr_array_unref);
  g_clear_pointer (&controller->listing, g_free);
  g_clear_pointer (&controller->lines, g_free);
  g_clear_pointer (&controller->at, g_free);
  controller->n_lines = 0;
}

static void
open_subject (SondeDebugController *self,
              const Connecting     *connecting)
{
  SondeOpenRequest request = {
    .subject = connecting->subject,
    .inputs = connecting->inputs,
    .n_inputs = connecting->n_inputs,
    .sets = (const char *const *) connecting->sets,
    .run_directory = connecting->run_directory,
    .device = connecting->device,
    .threads = connecting->threads,
    .training = connecting->training,
  };

  ask (self, sonde_session_request_open (&request));
}

static void
on_connected (GObject      *source,
              GAsyncResult *result,
              gpointer      data)
{
  SondeDebugController *self = SONDE_DEBUG_CONTROLLER (source);
  const Connecting *connecting = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionClient) client = g_task_propagate_pointer (G_TASK (result), &error);

  self->n_asked--;
  if (client == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        emit_problem (self, error->message);
      g_signal_emit (self, signals[CHANGED], 0);
      return;
    }
  self->client = g_steal_pointer (&client);
  g_signal_connect (self->client, "event", G_CALLBACK (on_event), self);
  if (connecting->pid > 0)
    ask (self, sonde_session_request_status ());
  else
    open_subject (self, connecting);
}

static void
start_connecting (SondeDebugController *self,
                  Connecting           *connecting)
{
  g_autoptr (GTask) task = NULL;

  self->cancellable = g_cancellable_new ();
  self->n_asked++;
  task = g_task_new (self, self->cancellable, on_connected, NULL);
  g_task_set_task_data (task, connecting, connecting_free);
  g_task_run_in_thread (task, connect_in_thread);
}

void
sonde_debug_controller_open (SondeDebugController   *controller,
                             const SondeOpenRequest *request,
                             const char             *at)
{
  Connecting *connecting = g_new0 (Connecting, 1);

  sonde_debug_controller_close (controller);
  controller->at = g_strdup (at);
  connecting->program = g_strdup (controller->program);
  connecting->subject = g_strdup (request->subject);
  connecting->run_directory = g_strdup (request->run_directory);
  connecting->device = g_strdup (request->device);
  connecting->sets = g_strdupv ((char **) request->sets);
  connecting->training = request->training;
  connecting->threads = request->threads;
  connecting->inputs = g_new0 (SondeSessionInput, MAX (request->n_inputs, 1));
  connecting->n_inputs = request->n_inputs;
  for (guint i = 0; i < request->n_inputs; i++)
    connecting->inputs[i] = (SondeSessionInput) { g_strdup (request->inputs[i].name), g_strdup (request->inputs[i].path) };
  start_connecting (controller, connecting);
}

void
sonde_debug_controller_attach (SondeDebugController *controller,
                               int                   pid)
{
  Connecting *connecting = g_new0 (Connecting, 1);

  sonde_debug_controller_close (controller);
  connecting->pid = pid;
  start_connecting (controller, connecting);
}

static void
sonde_debug_controller_dispose (GObject *object)
{
  SondeDebugController *self = SONDE_DEBUG_CONTROLLER (object);

  sonde_debug_controller_close (self);
  g_clear_pointer (&self->program, g_free);
  G_OBJECT_CLASS (sonde_debug_controller_parent_class)->dispose (object);
}

static void
sonde_debug_controller_class_init (SondeDebugControllerClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_controller_dispose;
  signals[LOADED] = g_signal_new ("loaded", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[CHANGED] = g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[PROBLEM] = g_signal_new ("problem", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                   G_TYPE_STRING);
}

static void
sonde_debug_controller_init (SondeDebugController *self)
{
}

SondeDebugController *
sonde_debug_controller_new (const char *program)
{
  SondeDebugController *self = g_object_new (SONDE_TYPE_DEBUG_CONTROLLER, NULL);

  self->program = g_strdup (program);
  return self;
}

/* ---- what is known ---------------------------------------------------------------------------- */

gboolean
sonde_debug_controller_is_busy (SondeDebugController *controller)
{
  return controller->n_asked > 0;
}

const SondeSessionStatus *
sonde_debug_controller_get_status (SondeDebugController *controller)
{
  return controller->status;
}

SondeGraph *
sonde_debug_controller_get_graph (SondeDebugController *controller)
{
  return controller->graph;
}

GPtrArray *
sonde_debug_controller_get_steps (SondeDebugController *controller)
{
  return controller->steps;
}

GPtrArray *
sonde_debug_controller_get_breakpoints (SondeDebugController *controller)
{
  return controller->breakpoints;
}

const char *
sonde_debug_controller_get_listing (SondeDebugController *controller)
{
  return controller->listing;
}

guint
sonde_debug_controller_get_line (SondeDebugController *controller,
                                 guint                 position)
{
  return position < controller->n_lines ? controller->lines[position] : 0;
}

SondeSessionClient *
sonde_debug_controller_get_client (SondeDebugController *controller)
{
  return controller->client;
}

/* ---- commands --------------------------------------------------------------------------------- */

void
sonde_debug_controller_resume (SondeDebugController *controller,
                               SondeResumeKind       kind,
                               const char           *target)
{
  SondeResume resume = { .kind = kind, .target = target };

  ask (controller, sonde_session_request_resume (&resume));
}

void
sonde_debug_controller_pause (SondeDebugController *controller)
{
  ask (controller, sonde_session_request_pause ());
}

void
sonde_debug_controller_restart (SondeDebugController *controller)
{
  ask (controller, sonde_session_request_restart ());
}

void
sonde_debug_controller_toggle_breakpoint (SondeDebugController *controller,
                                          const char           *pattern)
{
  SondeBreakpointSpec spec = { .pattern = pattern, .moment = SONDE_MOMENT_BEFORE };
  gboolean removed = FALSE;

  for (guint i = 0; controller->breakpoints != NULL && i < controller->breakpoints->len; i++)
    {
      const SondeBreakpointInfo *info = g_ptr_array_index (controller->breakpoints, i);

      if (g_strcmp0 (info->pattern, pattern) != 0)
        continue;
      ask (controller, sonde_session_request_remove_breakpoint (info->id));
      removed = TRUE;
    }
  if (!removed)
    ask (controller, sonde_session_request_add_breakpoint (&spec));
  ask (controller, sonde_session_request_list_breakpoints ());
}
