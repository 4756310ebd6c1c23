/* SPDX-License-Identifier: Apache-2.0
 * Commands beside a main loop: one at a time, each on a thread that waits for the engine. */
#include <string.h>

#include "engine/commands/sonde-command-runner-private.h"

/* What a GTask does: a command, or the completion of a line. */
typedef struct
{
  SondeCommand *command; /* (nullable): NULL: @line is completed */
  char *line;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  sonde_command_free (job->command);
  g_free (job->line);
  g_free (job);
}

static void start_next (SondeCommandRunner *self);

/* ---- the thread ---------------------------------------------------------- */

static void
complete (SondeCommandRunner *self, GTask *task, const char *line)
{
  const char *word = line + strlen (line);

  while (word > line && word[-1] != ' ' && word[-1] != '\t')
    word--;
  g_task_return_pointer (task, sonde_command_runner_complete (self, line, word),
                         (GDestroyNotify) g_strfreev);
}

static void
run_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  SondeCommandRunner *self = source;
  const Job *job = task_data;
  SondeCommandResult *result;
  GError *error = NULL;

  if (job->command == NULL)
    {
      complete (self, task, job->line);
      return;
    }
  result = sonde_command_runner_run (self, job->command, &error);
  if (result != NULL)
    g_task_return_pointer (task, result, (GDestroyNotify) sonde_command_result_free);
  else
    g_task_return_error (task, error);
}

/* ---- the queue ----------------------------------------------------------- */

static void
on_cancelled (GCancellable *cancellable, SondeCommandRunner *self)
{
  sonde_command_runner_interrupt_async (self);
}

/* Comes after the caller's callback was called. */
static void
on_completed (GTask *task, GParamSpec *pspec, gpointer data)
{
  SondeCommandRunner *self = g_task_get_source_object (task);
  GCancellable *cancellable = g_task_get_cancellable (task);

  if (cancellable != NULL)
    g_signal_handlers_disconnect_by_func (cancellable, on_cancelled, self);
  self->running = FALSE;
  start_next (self);
}

static void
start (SondeCommandRunner *self, GTask *task)
{
  GCancellable *cancellable = g_task_get_cancellable (task);

  self->running = TRUE;
  g_signal_connect (task, "notify::completed", G_CALLBACK (on_completed), NULL);
  if (cancellable != NULL)
    g_signal_connect_object (cancellable, "cancelled", G_CALLBACK (on_cancelled), self, 0);
  g_task_run_in_thread (task, run_in_thread);
}

static void
start_next (SondeCommandRunner *self)
{
  while (!self->running && !g_queue_is_empty (&self->queue))
    {
      g_autoptr (GTask) task = g_queue_pop_head (&self->queue);

      if (!g_task_return_error_if_cancelled (task))
        start (self, task);
    }
}

static void
enqueue (SondeCommandRunner *self, Job *job, GCancellable *cancellable,
         GAsyncReadyCallback callback, gpointer data)
{
  GTask *task = g_task_new (self, cancellable, callback, data);

  g_task_set_task_data (task, job, job_free);
  g_task_set_check_cancellable (task, FALSE); /* an interrupted search has an error of its own */
  g_queue_push_tail (&self->queue, task);
  start_next (self);
}

void
sonde_command_runner_run_async (SondeCommandRunner *runner, SondeCommand *command,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer data)
{
  Job *job = g_new0 (Job, 1);

  job->command = command;
  enqueue (runner, job, cancellable, callback, data);
}

SondeCommandResult *
sonde_command_runner_run_finish (SondeCommandRunner *runner, GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

const SondeCommand *
sonde_command_runner_get_command (GAsyncResult *result)
{
  const Job *job = g_task_get_task_data (G_TASK (result));

  return job->command;
}

void
sonde_command_runner_complete_async (SondeCommandRunner *runner, const char *line,
                                     GAsyncReadyCallback callback, gpointer data)
{
  Job *job = g_new0 (Job, 1);

  job->line = g_strdup (line);
  enqueue (runner, job, NULL, callback, data);
}

char **
sonde_command_runner_complete_finish (SondeCommandRunner *runner, GAsyncResult *result,
                                      GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

gboolean
sonde_command_runner_is_busy (SondeCommandRunner *runner)
{
  return runner->running || !g_queue_is_empty (&runner->queue);
}

/* ---- ending -------------------------------------------------------------- */

static void
interrupt_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  sonde_command_runner_interrupt (source);
  g_task_return_boolean (task, TRUE);
}

void
sonde_command_runner_interrupt_async (SondeCommandRunner *runner)
{
  g_autoptr (GTask) task = g_task_new (runner, NULL, NULL, NULL);

  g_task_run_in_thread (task, interrupt_in_thread);
}

void
sonde_command_runner_close (SondeCommandRunner *runner)
{
  SondeSessionEvent event = { .kind = SONDE_SESSION_EVENT_CLOSED };
  GTask *task;

  if (runner->events != NULL)
    g_async_queue_push (runner->events, sonde_session_event_copy (&event));
  while ((task = g_queue_pop_head (&runner->queue)) != NULL)
    {
      g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The session is over.");
      g_object_unref (task);
    }
}
