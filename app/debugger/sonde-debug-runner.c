/* SPDX-License-Identifier: Apache-2.0
 * Lines of the text debugger beside the main loop. */
#include "app/debugger/sonde-debug-runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/front/sonde-front.h"

struct _SondeDebugRunner
{
  GObject parent_instance;

  SondeSessionClient *client;
  SondeFront *front;
  GAsyncQueue *events; /* SondeSessionEvent, for the thread */
  GQueue waiting;      /* GTask: lines that have not begun */
  gboolean running;
  FILE *output; /* of the line that runs */
  char *said;
  size_t n_said;
};

G_DEFINE_FINAL_TYPE (SondeDebugRunner, sonde_debug_runner, G_TYPE_OBJECT)

/* ---- events -------------------------------------------------------------- */

static SondeSessionEvent *
wait_event (gpointer data, int timeout_ms)
{
  GAsyncQueue *events = data;

  if (timeout_ms < 0)
    return g_async_queue_pop (events);
  return timeout_ms == 0 ? g_async_queue_try_pop (events)
                         : g_async_queue_timeout_pop (events, (guint64) timeout_ms * 1000);
}

/* What nobody waits for is not gathered, but for what the next line must see. */
void
sonde_debug_runner_take_event (SondeDebugRunner *runner, const SondeSessionEvent *event)
{
  if (event->kind == SONDE_SESSION_EVENT_PROGRESS)
    return;
  if (!runner->running)
    while (g_async_queue_length (runner->events) > 0)
      sonde_session_event_free (g_async_queue_pop (runner->events));
  if (runner->running || event->kind == SONDE_SESSION_EVENT_CLOSED)
    g_async_queue_push (runner->events, sonde_session_event_copy (event));
}

void
sonde_debug_runner_close (SondeDebugRunner *runner)
{
  SondeSessionEvent event = { .kind = SONDE_SESSION_EVENT_CLOSED };
  GTask *task;

  g_async_queue_push (runner->events, sonde_session_event_copy (&event));
  while ((task = g_queue_pop_head (&runner->waiting)) != NULL)
    {
      g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The session is over.");
      g_object_unref (task);
    }
}

/* ---- lines --------------------------------------------------------------- */

static void
run_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  SondeDebugRunner *self = source;

  rewind (self->output);
  sonde_front_execute (self->front, task_data);
  fflush (self->output);
  g_task_return_pointer (task, g_strndup (self->said, self->n_said), g_free);
}

static void
complete_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  SondeDebugRunner *self = source;
  const char *line = task_data, *word = line + strlen (line);

  while (word > line && word[-1] != ' ' && word[-1] != '\t')
    word--;
  g_task_return_pointer (task, sonde_front_complete (self->front, line, word),
                         (GDestroyNotify) g_strfreev);
}

static void
start_next (SondeDebugRunner *self)
{
  g_autoptr (GTask) task = self->running ? NULL : g_queue_pop_head (&self->waiting);

  if (task == NULL)
    return;
  self->running = TRUE;
  g_task_run_in_thread (task, g_task_get_source_tag (task) == sonde_debug_runner_run
                                  ? run_in_thread
                                  : complete_in_thread);
}

static void
queue (SondeDebugRunner *self, gpointer tag, const char *line, GAsyncReadyCallback callback,
       gpointer data)
{
  GTask *task = g_task_new (self, NULL, callback, data);

  g_task_set_source_tag (task, tag);
  g_task_set_task_data (task, g_strdup (line), g_free);
  g_queue_push_tail (&self->waiting, task);
  start_next (self);
}

static gpointer
finish (SondeDebugRunner *self, GAsyncResult *result, GError **error)
{
  gpointer answer = g_task_propagate_pointer (G_TASK (result), error);

  if (answer != NULL)
    {
      self->running = FALSE;
      start_next (self);
    }
  return answer;
}

void
sonde_debug_runner_run (SondeDebugRunner *runner, const char *line, GAsyncReadyCallback callback,
                        gpointer data)
{
  queue (runner, sonde_debug_runner_run, line, callback, data);
}

char *
sonde_debug_runner_run_finish (SondeDebugRunner *runner, GAsyncResult *result, GError **error)
{
  return finish (runner, result, error);
}

void
sonde_debug_runner_complete (SondeDebugRunner *runner, const char *line,
                             GAsyncReadyCallback callback, gpointer data)
{
  queue (runner, sonde_debug_runner_complete, line, callback, data);
}

char **
sonde_debug_runner_complete_finish (SondeDebugRunner *runner, GAsyncResult *result, GError **error)
{
  return finish (runner, result, error);
}

gboolean
sonde_debug_runner_is_busy (SondeDebugRunner *runner)
{
  return runner->running || !g_queue_is_empty (&runner->waiting);
}

static void
interrupt_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  sonde_front_interrupt (SONDE_DEBUG_RUNNER (source)->front);
  g_task_return_boolean (task, TRUE);
}

void
sonde_debug_runner_interrupt (SondeDebugRunner *runner)
{
  g_autoptr (GTask) task = g_task_new (runner, NULL, NULL, NULL);

  g_task_run_in_thread (task, interrupt_in_thread);
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_debug_runner_finalize (GObject *object)
{
  SondeDebugRunner *self = SONDE_DEBUG_RUNNER (object);

  sonde_front_free (self->front);
  fclose (self->output);
  free (self->said);
  g_async_queue_unref (self->events);
  g_queue_clear_full (&self->waiting, g_object_unref);
  g_clear_object (&self->client);
  G_OBJECT_CLASS (sonde_debug_runner_parent_class)->finalize (object);
}

static void
sonde_debug_runner_class_init (SondeDebugRunnerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_debug_runner_finalize;
}

static void
sonde_debug_runner_init (SondeDebugRunner *self)
{
  self->events = g_async_queue_new_full ((GDestroyNotify) sonde_session_event_free);
  g_queue_init (&self->waiting);
}

SondeDebugRunner *
sonde_debug_runner_new (SondeSessionClient *client)
{
  SondeDebugRunner *self = g_object_new (SONDE_TYPE_DEBUG_RUNNER, NULL);
  SondeFrontOptions options = { .wait_event = wait_event };

  self->client = g_object_ref (client);
  self->output = open_memstream (&self->said, &self->n_said);
  options.output = self->output;
  options.events = self->events;
  self->front = sonde_front_new (client, &options);
  return self;
}
