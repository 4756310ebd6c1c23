/* SPDX-License-Identifier: Apache-2.0
 * Running commands one after the other, requests, leaving. */
#include "data/base/sonde-clock.h"
#include "engine/commands/sonde-command-runner-private.h"

#define LEAVE_MS 120000      /* for a training to write its checkpoint */
#define LEAVE_SILENT_MS 3000 /* for an engine that does not even say that it writes */
#define INTERRUPT_MS 5000
#define PROGRESS_NS (200 * G_GINT64_CONSTANT (1000000))

G_DEFINE_FINAL_TYPE (SondeCommandRunner, sonde_command_runner, G_TYPE_OBJECT)

/* ---- events -------------------------------------------------------------- */

/* Main context: of what happens while nothing runs only the end of the session is kept. */
static void
on_event (SondeCommandRunner *self, const SondeSessionEvent *event)
{
  if (event->kind == SONDE_SESSION_EVENT_PROGRESS)
    return;
  if (!self->running)
    sonde_command_runner_forget_events (self);
  if (self->running || event->kind == SONDE_SESSION_EVENT_CLOSED)
    g_async_queue_push (self->events, sonde_session_event_copy (event));
}

void
sonde_command_runner_forget_events (SondeCommandRunner *self)
{
  SondeSessionEvent *event;

  while ((event = g_async_queue_try_pop (self->events)) != NULL)
    sonde_session_event_free (event);
}

/* How far the run itself is, or the opening of a model, is not told. */
void
sonde_command_runner_tell (SondeCommandRunner *self, const SondeSessionEvent *event,
                           const SondeCommandResult *stop)
{
  if (self->observer != NULL && event->kind != SONDE_SESSION_EVENT_PROGRESS)
    self->observer (event, stop, self->observer_data);
}

/* ---- requests ------------------------------------------------------------ */

static void
on_told (gpointer runner, const SondeSessionEvent *event)
{
  sonde_command_runner_tell (runner, event, NULL);
}

void
sonde_command_runner_tell_progress (SondeCommandRunner *runner, const char *what, double fraction)
{
  const gint64 now = sonde_clock_monotonic_ns (NULL);
  g_autoptr (SondeMessage) message = sonde_message_new_empty ();
  SondeSessionEvent event = { .kind = SONDE_SESSION_EVENT_PROGRESS, .fraction = fraction };

  if (runner->observer == NULL || (fraction > 0 && now - runner->told_ns < PROGRESS_NS))
    return;
  runner->told_ns = now;
  sonde_message_add_part (message, what, (const char *const[]){ NULL });
  event.message = message;
  event.text = (char *) sonde_message_get_english (message);
  runner->observer (&event, NULL, runner->observer_data);
}

void
sonde_command_runner_set_lost (SondeCommandRunner *self)
{
  atomic_store (&self->over, TRUE);
  atomic_store (&self->failed, TRUE);
}

SondeSessionReply *
sonde_command_runner_call (SondeCommandRunner *runner, SondeSessionRequest *request, GError **error)
{
  SondeSessionReply *reply;

  atomic_store (&runner->waiting, TRUE); /* a value of a running run may take a while to come */
  if (runner->events != NULL)            /* who gets the events hears of silence, too */
    reply = sonde_session_client_call (runner->client, request, -1, error);
  else
    reply = sonde_session_client_call_told (runner->client, request, on_told, runner, error);
  atomic_store (&runner->waiting, FALSE);
  if (reply == NULL && sonde_session_client_is_closed (runner->client))
    sonde_command_runner_set_lost (runner);
  return reply;
}

SondeSessionStatus *
sonde_command_runner_get_status (SondeCommandRunner *runner, GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_command_runner_call (runner, sonde_session_request_status (), error);

  return reply != NULL ? g_steal_pointer (&reply->status) : NULL;
}

/* ---- running ------------------------------------------------------------- */

SondeCommandResult *
sonde_command_runner_run (SondeCommandRunner *runner, const SondeCommand *command, GError **error)
{
  g_autoptr (GError) failure = NULL;
  SondeCommandResult *result;

  atomic_store (&runner->interrupted, FALSE);
  result = command->class->run (command, runner, &failure);

  if (result == NULL && failure == NULL)
    sonde_set_error (&failure, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                     "The engine sent an incomplete reply.");
  if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  return result;
}

void
sonde_command_runner_interrupt (SondeCommandRunner *runner)
{
  g_autoptr (SondeSessionReply) reply = NULL;
  g_autoptr (SondeSessionClient) helper = NULL;

  atomic_store (&runner->interrupted, TRUE);
  g_mutex_lock (&runner->lock);
  g_set_object (&helper, runner->helper);
  g_mutex_unlock (&runner->lock);
  if (helper != NULL)
    sonde_session_client_quit_child (helper, INTERRUPT_MS);
  else if (atomic_load (&runner->waiting))
    reply = sonde_session_client_call (runner->client, sonde_session_request_pause (), INTERRUPT_MS,
                                       NULL);
}

/* ---- engines that help --------------------------------------------------- */

void
sonde_command_runner_set_program (SondeCommandRunner *runner, const char *program)
{
  g_free (runner->program);
  runner->program = g_strdup (program);
}

gboolean
sonde_command_runner_is_interrupted (SondeCommandRunner *runner)
{
  return atomic_load (&runner->interrupted);
}

static void
set_helper (SondeCommandRunner *runner, SondeSessionClient *helper)
{
  g_mutex_lock (&runner->lock);
  g_set_object (&runner->helper, helper);
  g_mutex_unlock (&runner->lock);
}

/* Of the engine that works for the command. */
static void
on_helped (gpointer data, const SondeSessionEvent *event)
{
  SondeCommandRunner *runner = data;

  if (runner->observer != NULL)
    runner->observer (event, NULL, runner->observer_data);
}

static SondeSessionReply *
call_helper (SondeCommandRunner *runner, SondeSessionClient *helper, SondeSessionRequest *request,
             GError **error)
{
  SondeSessionReply *reply = NULL;

  set_helper (runner, helper);
  if (!sonde_command_runner_is_interrupted (runner)) /* before there was a helper to end */
    reply = sonde_session_client_call_told (helper, request, on_helped, runner, error);
  else
    sonde_session_request_free (request);
  set_helper (runner, NULL);
  return reply;
}

SondeSessionReply *
sonde_command_runner_call_helper (SondeCommandRunner *runner, SondeSessionRequest *request,
                                  int threads, GError **error)
{
  g_autofree char *program = runner->program != NULL ? g_strdup (runner->program)
                                                     : g_file_read_link ("/proc/self/exe", error);
  g_autoptr (SondeSessionClient) helper
      = program != NULL ? sonde_session_client_spawn (program, threads, error) : NULL;
  g_autoptr (GError) failure = NULL;
  SondeSessionReply *reply;

  if (helper == NULL)
    {
      sonde_session_request_free (request);
      return NULL;
    }
  reply = call_helper (runner, helper, request, &failure);
  sonde_session_client_quit_child (helper, LEAVE_SILENT_MS);
  if (reply == NULL && sonde_command_runner_is_interrupted (runner))
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "The comparison was cancelled.");
  else if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  return reply;
}

/* ---- leaving ------------------------------------------------------------- */

void
sonde_command_runner_detach (SondeCommandRunner *runner)
{
  sonde_session_client_detach (runner->client);
  atomic_store (&runner->over, TRUE);
}

gboolean
sonde_command_runner_leave (SondeCommandRunner *runner, GError **error)
{
  int timeout_ms, status;

  atomic_store (&runner->over, TRUE);
  if (sonde_session_client_is_closed (runner->client))
    return TRUE;
  if (sonde_session_client_is_attached (runner->client))
    {
      sonde_session_client_detach (runner->client);
      return TRUE;
    }
  timeout_ms = sonde_session_client_is_silent (runner->client) ? LEAVE_SILENT_MS : LEAVE_MS;
  status = sonde_session_client_quit_child (runner->client, timeout_ms);
  if (status == 0)
    return TRUE;
  atomic_store (&runner->failed, TRUE);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "The engine exited with status %d; its last output may be lost.", status);
  return FALSE;
}

void
sonde_command_runner_set_failed (SondeCommandRunner *runner)
{
  atomic_store (&runner->failed, TRUE);
}

gboolean
sonde_command_runner_is_over (SondeCommandRunner *runner)
{
  return atomic_load (&runner->over);
}

gboolean
sonde_command_runner_has_failed (SondeCommandRunner *runner)
{
  return atomic_load (&runner->failed);
}

/* ---- what commands keep -------------------------------------------------- */

SondeSessionClient *
sonde_command_runner_get_client (SondeCommandRunner *runner)
{
  return runner->client;
}

guint
sonde_command_runner_get_listed (SondeCommandRunner *runner)
{
  return runner->listed;
}

void
sonde_command_runner_set_listed (SondeCommandRunner *runner, guint line)
{
  runner->listed = line;
}

GPtrArray *
sonde_command_runner_get_displays (SondeCommandRunner *runner)
{
  return runner->displays;
}

void
sonde_command_runner_set_observer (SondeCommandRunner *runner, SondeCommandObserver observer,
                                   gpointer data)
{
  runner->observer = observer;
  runner->observer_data = data;
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_command_runner_finalize (GObject *object)
{
  SondeCommandRunner *self = SONDE_COMMAND_RUNNER (object);

  g_ptr_array_unref (self->displays);
  g_queue_clear_full (&self->queue, g_object_unref);
  g_clear_pointer (&self->events, g_async_queue_unref);
  g_clear_object (&self->client);
  g_clear_object (&self->helper);
  g_mutex_clear (&self->lock);
  g_free (self->program);
  G_OBJECT_CLASS (sonde_command_runner_parent_class)->finalize (object);
}

static void
sonde_command_runner_class_init (SondeCommandRunnerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_command_runner_finalize;
}

static void
sonde_command_runner_init (SondeCommandRunner *self)
{
  self->displays = g_ptr_array_new_with_free_func (g_free);
  g_queue_init (&self->queue);
  g_mutex_init (&self->lock);
}

SondeCommandRunner *
sonde_command_runner_new (SondeSessionClient *client, SondeCommandEvents events)
{
  SondeCommandRunner *self = g_object_new (SONDE_TYPE_COMMAND_RUNNER, NULL);

  self->client = g_object_ref (client);
  if (events == SONDE_COMMAND_EVENTS_SIGNALLED)
    {
      self->events = g_async_queue_new_full ((GDestroyNotify) sonde_session_event_free);
      g_signal_connect_object (client, "event", G_CALLBACK (on_event), self, G_CONNECT_SWAPPED);
    }
  return self;
}
