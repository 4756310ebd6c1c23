/* SPDX-License-Identifier: Apache-2.0
 * The page's side of a session. */
#include "app/debugger/sonde-debug-controller.h"

#include "app/debugger/sonde-debug-connection.h"
#include "app/debugger/sonde-debug-words.h"
#include "data/models/sonde-model-file.h"

struct _SondeDebugController
{
  GObject parent_instance;

  char *program;
  SondeSessionClient *client;
  GCancellable *cancellable; /* of everything asked of this client */
  SondeSessionStatus *status;
  SondeGraph *graph;
  GPtrArray *steps, *breakpoints, *values;
  char *listing;
  guint *lines;
  guint n_lines;
  char *at;       /* (nullable): where to stop once loaded */
  guint breakpoints_serial;
  guint focus;
  SondeDebugRunner *console, *commands, *searches; /* (nullable) */
  guint n_asked;  /* requests under way */
  guint n_facts;  /* of graph, steps, listing: how many are there */
  gboolean going; /* on the way to @at: a stop or the end will come */
};

G_DEFINE_FINAL_TYPE (SondeDebugController, sonde_debug_controller, G_TYPE_OBJECT)

enum
{
  LOADED,
  CHANGED,
  MOVED,
  FOCUS,
  VALUE,
  LOG,
  PROBLEM,
  OVER,
  IDLE,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
answered (SondeDebugController *self)
{
  if (--self->n_asked == 0)
    g_signal_emit (self, signals[IDLE], 0);
}

static void
emit_problem (SondeDebugController *self,
              const char           *sentence)
{
  g_signal_emit (self, signals[PROBLEM], 0, sentence);
}

/* ---- asking ----------------------------------------------------------------------------------- */

typedef void (*Take) (SondeDebugController *self, SondeSessionReply *reply);

/* One request; @take gets its answer. */
typedef struct
{
  SondeDebugController *self;
  Take take;       /* (nullable) */
  gboolean goes;   /* it makes the run go on */
} Asked;

static void
on_reply (GObject      *source,
          GAsyncResult *result,
          gpointer      data)
{
  g_autofree Asked *asked = data;
  g_autoptr (SondeDebugController) self = asked->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  if (SONDE_SESSION_CLIENT (source) != self->client)
    {
      answered (self);
      return;
    }
  if (reply != NULL && asked->take != NULL)
    asked->take (self, reply);
  if (reply == NULL && asked->goes)
    self->going = FALSE;
  if (reply == NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      && !sonde_session_client_is_closed (self->client))
    emit_problem (self, error->message);
  g_signal_emit (self, signals[CHANGED], 0);
  answered (self);
}

static void
ask_and_go (SondeDebugController *self,
            SondeSessionRequest  *request,
            Take                  take,
            gboolean              goes)
{
  Asked *asked;

  if (self->client == NULL)
    {
      sonde_session_request_free (request);
      return;
    }
  asked = g_new0 (Asked, 1);
  asked->self = g_object_ref (self);
  asked->take = take;
  asked->goes = goes;
  self->n_asked++;
  sonde_session_client_send (self->client, request, self->cancellable, on_reply, asked);
}

static void
ask (SondeDebugController *self,
     SondeSessionRequest  *request,
     Take                  take)
{
  ask_and_go (self, request, take, FALSE);
}

static void
go_to_start_node (SondeDebugController *self)
{
  g_autofree char *at = g_steal_pointer (&self->at);
  const char *node;

  if (at == NULL)
    return;
  node = *at != '\0' ? at : sonde_debug_middle_node (self->steps);
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

/* Large parameters come without their values, as inputs: they are told from the real ones by their roles. */
static void
take_values (SondeDebugController *self,
             SondeSessionReply    *reply)
{
  g_clear_pointer (&self->values, g_ptr_array_unref);
  self->values = g_steal_pointer (&reply->values);
}

static void
give_roles (SondeDebugController *self)
{
  for (guint i = 0; self->values != NULL && i < self->values->len; i++)
    {
      const SondeValueInfo *info = g_ptr_array_index (self->values, i);
      SondeGraphValue *value = info->producer == NULL ? sonde_graph_find_value (self->graph, info->name) : NULL;

      if (value != NULL && value->producer == NULL && value->constant == NULL && info->role != SONDE_ROLE_NORMAL)
        value->role = info->role;
    }
}

static void
take_graph (SondeDebugController *self,
            SondeSessionReply    *reply)
{
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&self->graph, sonde_graph_unref);
  if (reply->bytes != NULL)
    self->graph = sonde_model_parse (g_bytes_get_data (reply->bytes, NULL), g_bytes_get_size (reply->bytes),
                                     "graph of the session", &error);
  if (self->graph != NULL)
    give_roles (self);
  if (error != NULL)
    emit_problem (self, error->message);
  fact_arrived (self);
}

static void
take_steps (SondeDebugController *self,
            SondeSessionReply    *reply)
{
  g_clear_pointer (&self->steps, g_ptr_array_unref);
  self->steps = g_steal_pointer (&reply->steps);
  fact_arrived (self);
}

static void
take_listing (SondeDebugController *self,
              SondeSessionReply    *reply)
{
  g_free (self->listing);
  g_free (self->lines);
  self->listing = g_steal_pointer (&reply->text);
  self->lines = g_steal_pointer (&reply->lines);
  self->n_lines = self->lines != NULL ? reply->n_lines : 0;
  fact_arrived (self);
}

static void
take_breakpoints (SondeDebugController *self,
                  SondeSessionReply    *reply)
{
  g_clear_pointer (&self->breakpoints, g_ptr_array_unref);
  self->breakpoints = g_steal_pointer (&reply->breakpoints);
  self->breakpoints_serial++;
}

static void
ask_facts (SondeDebugController *self)
{
  self->n_facts = 0;
  ask (self, sonde_session_request_values (NULL), take_values);
  ask (self, sonde_session_request_graph (SONDE_SESSION_GRAPH_EXECUTED), take_graph);
  ask (self, sonde_session_request_steps (), take_steps);
  ask (self, sonde_session_request_listing (SONDE_SESSION_GRAPH_EXECUTED), take_listing);
  ask (self, sonde_session_request_list_breakpoints (), take_breakpoints);
}

static gboolean
is_open (const SondeSessionStatus *status)
{
  return status != NULL && status->state != SONDE_SESSION_EMPTY && status->state != SONDE_SESSION_LOADING;
}

/* Another place, not only another number of a training that runs. */
static gboolean
is_elsewhere (const SondeSessionStatus *a,
              const SondeSessionStatus *b)
{
  return a == NULL || a->state != b->state
         || (b->state != SONDE_SESSION_RUNNING
             && (a->stop.position != b->stop.position || a->stop.step != b->stop.step));
}

static void
set_status (SondeDebugController *self,
            SondeSessionStatus   *status)
{
  gboolean was_open = is_open (self->status), moved = is_elsewhere (self->status, status);

  g_clear_pointer (&self->status, sonde_session_status_free);
  self->status = status;
  if (is_open (status) && !was_open)
    ask_facts (self);
  if (!moved)
    return;
  self->focus = SONDE_DEBUG_NO_STEP;
  g_signal_emit (self, signals[MOVED], 0);
}

static void
take_status (SondeDebugController *self,
             SondeSessionReply    *reply)
{
  if (reply->status != NULL)
    set_status (self, g_steal_pointer (&reply->status));
}

/* ---- events ----------------------------------------------------------------------------------- */

static void
on_closed (SondeDebugController *self,
           const char           *reason)
{
  g_autofree char *sentence = g_strdup (reason);

  self->going = FALSE;
  g_clear_pointer (&self->status, sonde_session_status_free);
  g_signal_emit (self, signals[OVER], 0, sentence);
}

static void
on_event (SondeSessionClient   *client,
          SondeSessionEvent    *event,
          SondeDebugController *self)
{
  if (client != self->client)
    return;
  sonde_debug_runner_take_event (self->console, event);
  sonde_debug_runner_take_event (self->commands, event);
  sonde_debug_runner_take_event (self->searches, event);
  if (event->kind == SONDE_SESSION_EVENT_STOPPED || event->kind == SONDE_SESSION_EVENT_ENDED)
    self->going = FALSE;
  if (event->kind == SONDE_SESSION_EVENT_BREAKPOINTS)
    ask (self, sonde_session_request_list_breakpoints (), take_breakpoints);
  else if (event->kind == SONDE_SESSION_EVENT_LOG && event->text != NULL && event->node != NULL)
    g_signal_emit (self, signals[LOG], 0, event->node, event->text);
  else if (event->kind == SONDE_SESSION_EVENT_LOG && event->text != NULL)
    emit_problem (self, event->text);
  else if (event->kind == SONDE_SESSION_EVENT_CLOSED)
    {
      on_closed (self, event->text);
      return;
    }
  else if (event->status != NULL)
    set_status (self, sonde_session_status_copy (event->status));
  g_signal_emit (self, signals[CHANGED], 0);
}

/* ---- life ------------------------------------------------------------------------------------- */

static void
close_runner (SondeDebugRunner **runner)
{
  if (*runner != NULL)
    sonde_debug_runner_close (*runner);
  g_clear_object (runner);
}

void
sonde_debug_controller_close (SondeDebugController *controller)
{
  g_autoptr (SondeSessionClient) client = g_steal_pointer (&controller->client);

  g_cancellable_cancel (controller->cancellable);
  g_clear_object (&controller->cancellable);
  close_runner (&controller->console);
  close_runner (&controller->commands);
  close_runner (&controller->searches);
  controller->focus = SONDE_DEBUG_NO_STEP;
  if (client != NULL)
    g_signal_handlers_disconnect_by_data (client, controller);
  if (client != NULL && sonde_session_client_is_attached (client))
    sonde_session_client_detach (client);
  else if (client != NULL && !sonde_session_client_is_closed (client))
    sonde_debug_end_child (client);
  g_clear_pointer (&controller->status, sonde_session_status_free);
  g_clear_pointer (&controller->graph, sonde_graph_unref);
  g_clear_pointer (&controller->steps, g_ptr_array_unref);
  g_clear_pointer (&controller->breakpoints, g_ptr_array_unref);
  g_clear_pointer (&controller->values, g_ptr_array_unref);
  g_clear_pointer (&controller->listing, g_free);
  g_clear_pointer (&controller->lines, g_free);
  g_clear_pointer (&controller->at, g_free);
  controller->n_lines = 0;
  controller->going = FALSE;
}

static void
on_connected (GObject      *source,
              GAsyncResult *result,
              gpointer      data)
{
  SondeDebugController *self = SONDE_DEBUG_CONTROLLER (source);
  const SondeDebugConnecting *connecting = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionClient) client = g_task_propagate_pointer (G_TASK (result), &error);

  answered (self);
  if (client != NULL && g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    {
      /* Closed, or opened anew, meanwhile. */
      if (!sonde_session_client_is_attached (client))
        sonde_debug_end_child (client);
      return;
    }
  if (client == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        emit_problem (self, error->message);
      g_signal_emit (self, signals[CHANGED], 0);
      return;
    }
  self->client = g_steal_pointer (&client);
  self->console = sonde_debug_runner_new (self->client, FALSE);
  self->commands = sonde_debug_runner_new (self->client, TRUE);
  self->searches = sonde_debug_runner_new (self->client, TRUE);
  g_signal_connect (self->client, "event", G_CALLBACK (on_event), self);
  if (connecting->pid > 0)
    ask (self, sonde_session_request_status (), take_status);
  else
    ask (self, sonde_session_request_open (&connecting->request), take_status);
}

static void
start_connecting (SondeDebugController *self,
                  SondeDebugConnecting *connecting)
{
  self->cancellable = g_cancellable_new ();
  self->n_asked++;
  sonde_debug_connect_async (self, connecting, self->cancellable, on_connected);
}

void
sonde_debug_controller_open (SondeDebugController   *controller,
                             const SondeOpenRequest *request,
                             const char             *at)
{
  SondeDebugConnecting *connecting = sonde_debug_connecting_new (request);

  sonde_debug_controller_close (controller);
  controller->at = g_strdup (at);
  connecting->program = g_strdup (controller->program);
  start_connecting (controller, connecting);
}

void
sonde_debug_controller_attach (SondeDebugController *controller,
                               int                   pid)
{
  const SondeOpenRequest nothing = { 0 };
  SondeDebugConnecting *connecting = sonde_debug_connecting_new (&nothing);

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
  signals[MOVED] = g_signal_new ("moved", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[FOCUS] = g_signal_new ("focus", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[IDLE] = g_signal_new ("idle", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[VALUE] = g_signal_new ("value", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[LOG] = g_signal_new ("log", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING,
                               G_TYPE_STRING);
  signals[PROBLEM] = g_signal_new ("problem", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                   G_TYPE_STRING);
  signals[OVER] = g_signal_new ("over", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sonde_debug_controller_init (SondeDebugController *self)
{
  self->focus = SONDE_DEBUG_NO_STEP;
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
sonde_debug_controller_is_loaded (SondeDebugController *controller)
{
  return controller->client != NULL && controller->n_facts >= 3 && controller->steps != NULL;
}

gboolean
sonde_debug_controller_is_busy (SondeDebugController *controller)
{
  return controller->n_asked > 0 || controller->going;
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

guint
sonde_debug_controller_get_breakpoints_serial (SondeDebugController *controller)
{
  return controller->breakpoints_serial;
}

const char *
sonde_debug_controller_get_listing (SondeDebugController *controller)
{
  return controller->listing;
}

GPtrArray *
sonde_debug_controller_get_values (SondeDebugController *controller)
{
  return controller->values;
}

SondeDebugRunner *
sonde_debug_controller_get_console (SondeDebugController *controller)
{
  return controller->console;
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

  controller->going = controller->client != NULL && kind != SONDE_RESUME_CONTINUE;
  ask_and_go (controller, sonde_session_request_resume (&resume), NULL, TRUE);
}

void
sonde_debug_controller_pause (SondeDebugController *controller)
{
  ask (controller, sonde_session_request_pause (), NULL);
}

void
sonde_debug_controller_restart (SondeDebugController *controller)
{
  ask (controller, sonde_session_request_restart (), take_status);
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
      ask (controller, sonde_session_request_remove_breakpoint (info->id), NULL);
      removed = TRUE;
    }
  if (!removed)
    ask (controller, sonde_session_request_add_breakpoint (&spec), NULL);
  sonde_debug_controller_refresh_breakpoints (controller);
}

void
sonde_debug_controller_remove_breakpoint (SondeDebugController *controller,
                                          guint                 id)
{
  ask (controller, sonde_session_request_remove_breakpoint (id), NULL);
  sonde_debug_controller_refresh_breakpoints (controller);
}

void
sonde_debug_controller_enable_breakpoint (SondeDebugController *controller,
                                          guint                 id,
                                          gboolean              enabled)
{
  ask (controller, sonde_session_request_enable_breakpoint (id, enabled), NULL);
  sonde_debug_controller_refresh_breakpoints (controller);
}

void
sonde_debug_controller_refresh_breakpoints (SondeDebugController *controller)
{
  ask (controller, sonde_session_request_list_breakpoints (), take_breakpoints);
}

/* ---- asking for others ------------------------------------------------------------------------ */

typedef struct
{
  SondeDebugController *self;
  GAsyncReadyCallback callback; /* (nullable) */
  gpointer data;
} Passed;

static void
on_passed (GObject      *source,
           GAsyncResult *result,
           gpointer      data)
{
  g_autofree Passed *passed = data;
  g_autoptr (SondeDebugController) self = passed->self;

  if (passed->callback != NULL)
    passed->callback (source, result, passed->data);
  else
    {
      g_autoptr (GError) error = NULL;
      JsonObject *answer = sonde_debug_runner_run_finish_json (SONDE_DEBUG_RUNNER (source), result, &error);

      g_clear_pointer (&answer, json_object_unref);
      if (error != NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        emit_problem (self, error->message);
    }
  answered (self);
}

static Passed *
pass (SondeDebugController *self,
      GAsyncReadyCallback   callback,
      gpointer              data)
{
  Passed *passed = g_new0 (Passed, 1);

  *passed = (Passed) { g_object_ref (self), callback, data };
  self->n_asked++;
  return passed;
}

gboolean
sonde_debug_controller_send (SondeDebugController *controller,
                             SondeSessionRequest  *request,
                             GCancellable         *cancellable,
                             GAsyncReadyCallback   callback,
                             gpointer              data)
{
  if (controller->client == NULL)
    {
      sonde_session_request_free (request);
      return FALSE;
    }
  sonde_session_client_send (controller->client, request, cancellable, on_passed, pass (controller, callback, data));
  return TRUE;
}

gboolean
sonde_debug_controller_command (SondeDebugController *controller,
                                const char           *line,
                                GAsyncReadyCallback   callback,
                                gpointer              data)
{
  if (controller->commands == NULL)
    return FALSE;
  sonde_debug_runner_run (controller->commands, line, on_passed, pass (controller, callback, data));
  return TRUE;
}

gboolean
sonde_debug_controller_search (SondeDebugController *controller,
                               const char           *line,
                               GAsyncReadyCallback   callback,
                               gpointer              data)
{
  if (controller->searches == NULL)
    return FALSE;
  sonde_debug_runner_run (controller->searches, line, on_passed, pass (controller, callback, data));
  return TRUE;
}

void
sonde_debug_controller_give_up (SondeDebugController *controller)
{
  if (controller->searches != NULL)
    sonde_debug_runner_interrupt (controller->searches);
}

void
sonde_debug_controller_hold (SondeDebugController *controller)
{
  controller->n_asked++;
}

void
sonde_debug_controller_release (SondeDebugController *controller)
{
  answered (controller);
}

/* ---- what is looked at -------------------------------------------------------------------------- */

guint
sonde_debug_controller_get_focus (SondeDebugController *controller)
{
  return controller->focus;
}

void
sonde_debug_controller_set_focus (SondeDebugController *controller,
                                  guint                 position)
{
  if (controller->focus == position)
    return;
  controller->focus = position;
  g_signal_emit (controller, signals[FOCUS], 0);
}

gboolean
sonde_debug_controller_focus_name (SondeDebugController *controller,
                                   const char           *name)
{
  guint position = sonde_debug_controller_find_node (controller, name);

  if (position == SONDE_DEBUG_NO_STEP)
    position = sonde_debug_controller_find_producer (controller, name);
  if (position == SONDE_DEBUG_NO_STEP)
    return FALSE;
  sonde_debug_controller_set_focus (controller, position);
  return TRUE;
}

void
sonde_debug_controller_show_value (SondeDebugController *controller,
                                   const char           *name)
{
  g_signal_emit (controller, signals[VALUE], 0, name);
}

void
sonde_debug_controller_touch (SondeDebugController *controller)
{
  g_signal_emit (controller, signals[MOVED], 0);
}

void
sonde_debug_controller_report (SondeDebugController *controller,
                               const char           *sentence)
{
  emit_problem (controller, sentence);
}
