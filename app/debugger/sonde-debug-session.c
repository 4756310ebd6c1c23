/* SPDX-License-Identifier: Apache-2.0
 * The page's side of a session. */
#include "app/debugger/sonde-debug-session-private.h"

#include "app/debugger/sonde-debug-connection.h"
#include "app/debugger/sonde-debug-describe.h"
#include "data/models/sonde-model-file.h"
#include "data/base/sonde-error.h"

G_DEFINE_FINAL_TYPE (SondeDebugSession, sonde_debug_session, G_TYPE_OBJECT)

enum
{
  LOADED,
  CHANGED,
  MOVED,
  FOCUS,
  VALUE,
  LOG,
  HITS,
  PROGRESS,
  PROBLEM,
  OVER,
  IDLE,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

void
sonde_debug_session_answered (SondeDebugSession *self)
{
  if (--self->n_asked == 0)
    g_signal_emit (self, signals[IDLE], 0);
}

void
sonde_debug_session_report (SondeDebugSession *self, const char *sentence)
{
  g_signal_emit (self, signals[PROBLEM], 0, sentence);
}

/* ---- asking -------------------------------------------------------------- */

/* One request; @take gets its answer. */
typedef struct
{
  SondeDebugSession *self;
  SondeDebugTake take; /* (nullable) */
  gboolean goes;       /* it makes the run go on */
} Asked;

static void
on_reply (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Asked *asked = data;
  g_autoptr (SondeDebugSession) self = asked->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  if (SONDE_SESSION_CLIENT (source) != self->client)
    {
      sonde_debug_session_answered (self);
      return;
    }
  if (reply != NULL && asked->take != NULL)
    asked->take (self, reply);
  if (reply == NULL && asked->goes)
    self->going = FALSE;
  if (reply == NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      && !sonde_session_client_is_closed (self->client))
    sonde_debug_session_report (self, sonde_error_get_text (error));
  g_signal_emit (self, signals[CHANGED], 0);
  sonde_debug_session_answered (self);
}

void
sonde_debug_session_ask (SondeDebugSession *self, SondeSessionRequest *request, SondeDebugTake take,
                         gboolean goes)
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
go_to_start_node (SondeDebugSession *self)
{
  g_autofree char *at = g_steal_pointer (&self->at);
  const char *node;

  if (at == NULL)
    return;
  node = *at != '\0' ? at : sonde_debug_steps_find_middle (self->steps);
  if (node != NULL)
    sonde_debug_session_resume (self, SONDE_RESUME_UNTIL, node);
}

static void
fact_arrived (SondeDebugSession *self)
{
  if (++self->n_facts < 3)
    return;
  self->is_loaded = TRUE;
  g_signal_emit (self, signals[LOADED], 0);
  go_to_start_node (self);
}

/* Large parameters come without their values, as inputs: they are told from the real ones by their
 * roles. */
static void
take_values (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_clear_pointer (&self->values, g_ptr_array_unref);
  self->values = g_steal_pointer (&reply->values);
}

static void
take_branches (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_clear_pointer (&self->branches, g_ptr_array_unref);
  self->branches = g_steal_pointer (&reply->branches);
}

static void
give_roles (SondeDebugSession *self)
{
  for (guint i = 0; self->values != NULL && i < self->values->len; i++)
    {
      const SondeValueInfo *info = g_ptr_array_index (self->values, i);
      SondeGraphValue *value
          = info->producer == NULL ? sonde_graph_find_value (self->graph, info->name) : NULL;

      if (value != NULL && value->producer == NULL && value->constant == NULL
          && info->role != SONDE_ROLE_NORMAL)
        value->role = info->role;
    }
}

static void
take_graph (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&self->graph, sonde_graph_unref);
  if (reply->bytes != NULL)
    self->graph
        = sonde_model_parse (g_bytes_get_data (reply->bytes, NULL), g_bytes_get_size (reply->bytes),
                             "graph of the session", &error);
  if (self->graph != NULL)
    give_roles (self);
  if (error != NULL)
    sonde_debug_session_report (self, sonde_error_get_text (error));
  fact_arrived (self);
}

static void
take_steps (SondeDebugSession *self, SondeSessionReply *reply)
{
  sonde_debug_steps_set (self->steps, g_steal_pointer (&reply->steps));
  fact_arrived (self);
}

static void
take_listing (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_free (self->listing);
  self->listing = g_steal_pointer (&reply->text);
  sonde_debug_steps_set_lines (self->steps, g_steal_pointer (&reply->lines), reply->n_lines);
  fact_arrived (self);
}

void
sonde_debug_session_take_breakpoints (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_clear_pointer (&self->breakpoints, g_ptr_array_unref);
  self->breakpoints = g_steal_pointer (&reply->breakpoints);
  self->breakpoints_serial++;
}

static void
take_watches (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_clear_pointer (&self->watches, g_ptr_array_unref);
  self->watches = g_steal_pointer (&reply->watches);
}

void
sonde_debug_session_refresh_breakpoints (SondeDebugSession *session)
{
  /* The answers come in this order: the serial changes once both are there. */
  sonde_debug_session_ask (session, sonde_session_request_list_watches (), take_watches, FALSE);
  sonde_debug_session_ask (session, sonde_session_request_list_breakpoints (),
                           sonde_debug_session_take_breakpoints, FALSE);
}

void
sonde_debug_session_take_hits (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_clear_pointer (&self->hits, g_ptr_array_unref);
  self->hits = g_steal_pointer (&reply->watch_hits);
  g_signal_emit (self, signals[HITS], 0);
}

static void
ask_hits (SondeDebugSession *self)
{
  if (sonde_debug_session_has_position (self))
    sonde_debug_session_ask (self, sonde_session_request_list_watch_hits (0),
                             sonde_debug_session_take_hits, FALSE);
}

static void
ask_facts (SondeDebugSession *self)
{
  self->n_facts = 0;
  sonde_debug_session_ask (self, sonde_session_request_values (NULL), take_values, FALSE);
  sonde_debug_session_ask (self, sonde_session_request_branch (SONDE_BRANCH_LIST, NULL),
                           take_branches, FALSE);
  sonde_debug_session_ask (self, sonde_session_request_graph (SONDE_SESSION_GRAPH_EXECUTED),
                           take_graph, FALSE);
  sonde_debug_session_ask (self, sonde_session_request_steps (), take_steps, FALSE);
  sonde_debug_session_ask (self, sonde_session_request_listing (SONDE_SESSION_GRAPH_EXECUTED),
                           take_listing, FALSE);
  sonde_debug_session_refresh_breakpoints (self);
}

static gboolean
is_open (const SondeSessionStatus *status)
{
  return status != NULL && status->state != SONDE_SESSION_EMPTY
         && status->state != SONDE_SESSION_LOADING;
}

/* Another place, not only another number of a training that runs. */
static gboolean
is_elsewhere (const SondeSessionStatus *a, const SondeSessionStatus *b)
{
  return a == NULL || a->state != b->state
         || (b->state != SONDE_SESSION_RUNNING
             && (a->stop.position != b->stop.position || a->stop.step != b->stop.step));
}

static void
set_status (SondeDebugSession *self, SondeSessionStatus *status)
{
  gboolean was_open = is_open (self->status), moved = is_elsewhere (self->status, status), other;

  /* Another branch may have another graph. */
  other = was_open && self->status->branch != status->branch;
  g_clear_pointer (&self->status, sonde_session_status_free);
  self->status = status;
  if (is_open (status) && (!was_open || other))
    ask_facts (self);
  moved = moved || other;
  if (!moved)
    return;
  self->focus = SONDE_DEBUG_NO_STEP;
  ask_hits (self);
  g_signal_emit (self, signals[MOVED], 0);
}

void
sonde_debug_session_take_status (SondeDebugSession *self, SondeSessionReply *reply)
{
  if (reply->status != NULL)
    set_status (self, g_steal_pointer (&reply->status));
}

/* ---- events -------------------------------------------------------------- */

static void
on_closed (SondeDebugSession *self, const char *reason)
{
  g_autofree char *sentence = g_strdup (reason);

  self->going = FALSE;
  g_clear_pointer (&self->silence, g_free);
  g_clear_pointer (&self->status, sonde_session_status_free);
  g_signal_emit (self, signals[OVER], 0, sentence);
}

static void
set_silence (SondeDebugSession *self, const char *sentence)
{
  g_free (self->silence);
  self->silence = g_strdup (sentence);
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
on_event (SondeSessionClient *client, SondeSessionEvent *event, SondeDebugSession *self)
{
  if (client != self->client)
    return;
  if (event->kind == SONDE_SESSION_EVENT_SILENT || event->kind == SONDE_SESSION_EVENT_ANSWERS)
    {
      set_silence (self, event->kind == SONDE_SESSION_EVENT_SILENT ? event->text : NULL);
      return; /* the page tells of it, once for all that wait */
    }
  if (event->kind == SONDE_SESSION_EVENT_STOPPED || event->kind == SONDE_SESSION_EVENT_ENDED)
    self->going = FALSE;
  if (event->kind == SONDE_SESSION_EVENT_PROGRESS && event->text != NULL)
    g_signal_emit (self, signals[PROGRESS], 0, event->text, event->fraction);
  if (event->kind == SONDE_SESSION_EVENT_BREAKPOINTS)
    sonde_debug_session_refresh_breakpoints (self);
  else if (event->kind == SONDE_SESSION_EVENT_LOG && event->text != NULL && event->node != NULL)
    g_signal_emit (self, signals[LOG], 0, event->node, event->text);
  else if (event->kind == SONDE_SESSION_EVENT_LOG && event->text != NULL)
    sonde_debug_session_report (self, event->text);
  else if (event->kind == SONDE_SESSION_EVENT_CLOSED)
    {
      on_closed (self, event->text);
      return;
    }
  else if (event->status != NULL)
    set_status (self, sonde_session_status_copy (event->status));
  g_signal_emit (self, signals[CHANGED], 0);
}

/* ---- life ---------------------------------------------------------------- */

void
sonde_debug_session_close (SondeDebugSession *session)
{
  g_autoptr (SondeSessionClient) client = g_steal_pointer (&session->client);

  g_cancellable_cancel (session->cancellable);
  g_clear_object (&session->cancellable);
  if (session->console != NULL)
    sonde_command_runner_close (session->console);
  g_clear_object (&session->console);
  session->focus = SONDE_DEBUG_NO_STEP;
  if (client != NULL)
    g_signal_handlers_disconnect_by_data (client, session);
  if (client != NULL && sonde_session_client_is_attached (client))
    sonde_session_client_detach (client);
  else if (client != NULL && !sonde_session_client_is_closed (client))
    sonde_debug_end_child (client);
  g_clear_pointer (&session->status, sonde_session_status_free);
  g_clear_pointer (&session->graph, sonde_graph_unref);
  sonde_debug_steps_set (session->steps, NULL);
  sonde_debug_steps_set_lines (session->steps, NULL, 0);
  g_clear_pointer (&session->breakpoints, g_ptr_array_unref);
  g_clear_pointer (&session->watches, g_ptr_array_unref);
  g_clear_pointer (&session->hits, g_ptr_array_unref);
  g_clear_pointer (&session->values, g_ptr_array_unref);
  g_clear_pointer (&session->branches, g_ptr_array_unref);
  session->is_loaded = FALSE;
  g_clear_pointer (&session->listing, g_free);
  g_clear_pointer (&session->at, g_free);
  g_clear_pointer (&session->silence, g_free);
  session->going = FALSE;
}

static void
on_connected (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeDebugSession *self = SONDE_DEBUG_SESSION (source);
  const SondeDebugConnecting *connecting = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionClient) client = g_task_propagate_pointer (G_TASK (result), &error);

  sonde_debug_session_answered (self);
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
        sonde_debug_session_report (self, sonde_error_get_text (error));
      g_signal_emit (self, signals[CHANGED], 0);
      return;
    }
  self->client = g_steal_pointer (&client);
  self->console = sonde_command_runner_new (self->client, SONDE_COMMAND_EVENTS_SIGNALLED);
  g_signal_connect (self->client, "event", G_CALLBACK (on_event), self);
  if (connecting->pid > 0)
    sonde_debug_session_ask (self, sonde_session_request_status (), sonde_debug_session_take_status,
                             FALSE);
  else
    sonde_debug_session_ask (self, sonde_session_request_open (&connecting->request),
                             sonde_debug_session_take_status, FALSE);
}

static void
start_connecting (SondeDebugSession *self, SondeDebugConnecting *connecting)
{
  self->cancellable = g_cancellable_new ();
  self->n_asked++;
  sonde_debug_connect_async (self, connecting, self->cancellable, on_connected);
}

void
sonde_debug_session_open (SondeDebugSession *session, const SondeOpenRequest *request,
                          const char *at)
{
  SondeDebugConnecting *connecting = sonde_debug_connecting_new (request);

  sonde_debug_session_close (session);
  session->at = g_strdup (at);
  connecting->program = g_strdup (session->program);
  start_connecting (session, connecting);
}

void
sonde_debug_session_attach (SondeDebugSession *session, int pid)
{
  const SondeOpenRequest nothing = { 0 };
  SondeDebugConnecting *connecting = sonde_debug_connecting_new (&nothing);

  sonde_debug_session_close (session);
  connecting->pid = pid;
  start_connecting (session, connecting);
}

static void
sonde_debug_session_dispose (GObject *object)
{
  SondeDebugSession *self = SONDE_DEBUG_SESSION (object);

  sonde_debug_session_close (self);
  g_clear_pointer (&self->program, g_free);
  G_OBJECT_CLASS (sonde_debug_session_parent_class)->dispose (object);
}

static void
sonde_debug_session_finalize (GObject *object)
{
  g_object_unref (SONDE_DEBUG_SESSION (object)->steps);
  G_OBJECT_CLASS (sonde_debug_session_parent_class)->finalize (object);
}

static void
sonde_debug_session_class_init (SondeDebugSessionClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_session_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_debug_session_finalize;
  signals[LOADED]
      = g_signal_new ("loaded", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[CHANGED]
      = g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[MOVED]
      = g_signal_new ("moved", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[FOCUS]
      = g_signal_new ("focus", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[HITS]
      = g_signal_new ("hits", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[IDLE]
      = g_signal_new ("idle", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[VALUE] = g_signal_new ("value", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                 1, G_TYPE_STRING);
  signals[PROGRESS] = g_signal_new ("progress", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                    G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_DOUBLE);
  signals[LOG] = g_signal_new ("log", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                               G_TYPE_STRING, G_TYPE_STRING);
  signals[PROBLEM] = g_signal_new ("problem", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[OVER] = g_signal_new ("over", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                1, G_TYPE_STRING);
}

static void
sonde_debug_session_init (SondeDebugSession *self)
{
  self->focus = SONDE_DEBUG_NO_STEP;
  self->steps = sonde_debug_steps_new ();
}

SondeDebugSession *
sonde_debug_session_new (const char *program)
{
  SondeDebugSession *self = g_object_new (SONDE_TYPE_DEBUG_SESSION, NULL);

  self->program = g_strdup (program);
  return self;
}

/* ---- what is looked at --------------------------------------------------- */

guint
sonde_debug_session_get_focus (SondeDebugSession *session)
{
  return session->focus;
}

void
sonde_debug_session_set_focus (SondeDebugSession *session, guint position)
{
  if (session->focus == position)
    return;
  session->focus = position;
  g_signal_emit (session, signals[FOCUS], 0);
}

gboolean
sonde_debug_session_focus_name (SondeDebugSession *session, const char *name)
{
  guint position = sonde_debug_steps_find_node (session->steps, name);

  if (position == SONDE_DEBUG_NO_STEP)
    position = sonde_debug_steps_find_producer (session->steps, name, session->graph);
  if (position == SONDE_DEBUG_NO_STEP)
    return FALSE;
  sonde_debug_session_set_focus (session, position);
  return TRUE;
}

void
sonde_debug_session_show_value (SondeDebugSession *session, const char *name)
{
  g_signal_emit (session, signals[VALUE], 0, name);
}

void
sonde_debug_session_touch (SondeDebugSession *session)
{
  ask_hits (session);
  g_signal_emit (session, signals[MOVED], 0);
}
