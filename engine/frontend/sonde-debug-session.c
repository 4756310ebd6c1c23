/* SPDX-License-Identifier: Apache-2.0
 * The life of a session: connecting, events, the end, and what is looked at. */
#include "engine/frontend/sonde-debug-session-private.h"

#include "engine/frontend/sonde-debug-connection.h"
#include "data/base/sonde-error.h"

#define PROGRESS_US (G_USEC_PER_SEC / 2)

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
  FINDINGS,
  PROGRESS,
  PROBLEM,
  OVER,
  IDLE,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

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

/* How far a training is that runs; more than twice a second nobody reads it. */
static gboolean
is_progress_due (SondeDebugSession *self)
{
  gint64 now = g_get_monotonic_time ();

  if (now - self->progress_us < PROGRESS_US)
    return FALSE;
  self->progress_us = now;
  return TRUE;
}

static void
on_event (SondeSessionClient *client, SondeSessionEvent *event, SondeDebugSession *self)
{
  const char *text = sonde_message_get_text (event->message);

  if (client != self->client)
    return;
  if (event->kind == SONDE_SESSION_EVENT_SILENT || event->kind == SONDE_SESSION_EVENT_ANSWERS)
    {
      set_silence (self, event->kind == SONDE_SESSION_EVENT_SILENT ? text : NULL);
      return; /* the page tells of it, once for all that wait */
    }
  if (event->kind == SONDE_SESSION_EVENT_STOPPED || event->kind == SONDE_SESSION_EVENT_ENDED)
    self->going = FALSE;
  if (event->kind == SONDE_SESSION_EVENT_PROGRESS && text != NULL)
    g_signal_emit (self, signals[PROGRESS], 0, text, event->fraction);
  if (event->kind == SONDE_SESSION_EVENT_BREAKPOINTS)
    sonde_debug_session_refresh_breakpoints (self);
  else if (event->kind == SONDE_SESSION_EVENT_LOG && text != NULL && event->node != NULL)
    g_signal_emit (self, signals[LOG], 0, event->node, text);
  else if (event->kind == SONDE_SESSION_EVENT_LOG && text != NULL)
    sonde_debug_session_report (self, text);
  else if (event->kind == SONDE_SESSION_EVENT_CLOSED)
    {
      on_closed (self, text);
      return;
    }
  else if (event->status != NULL)
    sonde_debug_session_set_status (self, sonde_session_status_copy (event->status));
  if (event->kind != SONDE_SESSION_EVENT_PROGRESS || is_progress_due (self))
    g_signal_emit (self, signals[CHANGED], 0);
}

/* ---- life ---------------------------------------------------------------- */

static void
forget_findings (SondeDebugSession *self)
{
  gboolean had_any = self->findings.errors != NULL || self->findings.kept != NULL;

  sonde_debug_findings_clear (&self->findings);
  if (had_any)
    g_signal_emit (self, signals[FINDINGS], 0);
}

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
  sonde_debug_pace_clear (&session->pace);
  g_clear_pointer (&session->graph, sonde_graph_unref);
  sonde_debug_steps_set (session->steps, NULL);
  sonde_debug_steps_set_lines (session->steps, NULL, 0);
  g_clear_pointer (&session->breakpoints, g_ptr_array_unref);
  g_clear_pointer (&session->watches, g_ptr_array_unref);
  g_clear_pointer (&session->hits, g_ptr_array_unref);
  g_clear_pointer (&session->values, g_ptr_array_unref);
  g_clear_pointer (&session->branches, g_ptr_array_unref);
  forget_findings (session);
  session->is_loaded = FALSE;
  g_clear_pointer (&session->listing, g_free);
  g_clear_pointer (&session->at, g_free);
  g_clear_pointer (&session->silence, g_free);
  session->going = FALSE;
}

/* @client, @first: (transfer full): what is asked for first, with a status as its answer */
static void
talk (SondeDebugSession *self, SondeSessionClient *client, SondeSessionRequest *first)
{
  self->client = client;
  self->console = sonde_command_runner_new (client, SONDE_COMMAND_EVENTS_SIGNALLED);
  sonde_command_runner_set_program (self->console, self->program);
  g_signal_connect (client, "event", G_CALLBACK (on_event), self);
  sonde_debug_session_ask (self, first, sonde_debug_session_take_status, FALSE);
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
  talk (self, g_steal_pointer (&client),
        connecting->target != NULL ? sonde_session_request_status ()
                                   : sonde_session_request_open (&connecting->request));
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
sonde_debug_session_attach (SondeDebugSession *session, const char *target)
{
  const SondeOpenRequest nothing = { 0 };
  SondeDebugConnecting *connecting = sonde_debug_connecting_new (&nothing);

  sonde_debug_session_close (session);
  connecting->target = g_strdup (target);
  start_connecting (session, connecting);
}

void
sonde_debug_session_take (SondeDebugSession *session, SondeSessionClient *client)
{
  sonde_debug_session_close (session);
  session->cancellable = g_cancellable_new ();
  talk (session, client, sonde_session_request_status ());
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
  signals[FINDINGS]
      = g_signal_new ("findings", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
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
sonde_debug_session_new (const char *program, SondeGraphParser parse)
{
  SondeDebugSession *self = g_object_new (SONDE_TYPE_DEBUG_SESSION, NULL);

  self->program = g_strdup (program);
  self->parse = parse;
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
  sonde_debug_session_ask_hits (session);
  g_signal_emit (session, signals[MOVED], 0);
}
