/* SPDX-License-Identifier: Apache-2.0
 * A worker reads the index of a case from one pipe and answers on another
 * "VERDICT\tOPERATOR\tREASON\n". The parent runs no case itself: what a device starts (threads)
 * does not survive a fork. */
#include "tests/engine/onnx-conformance-workers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct
{
  pid_t pid; /* 0: none */
  int to, from;
  gboolean busy;
  guint index;
  gint64 deadline;
  GString *answer;
} Worker;

typedef struct
{
  const char *const *folders;
  const char *device;
  guint n, next, n_workers, most_seconds;
  Worker *workers;
  OnnxCaseDone done;
  gpointer data;
} Pool;

/* ---- the child ----------------------------------------------------------- */

static void
write_all (int fd, const char *text, gsize length)
{
  while (length > 0)
    {
      ssize_t written = write (fd, text, length);

      if (written < 0 && errno != EINTR)
        _exit (1);
      text += MAX (written, 0);
      length -= (gsize) MAX (written, 0);
    }
}

static void
work (const Pool *pool, int in, int out)
{
  g_autoptr (GError) error = NULL;
  SondeDevice *device = NULL;
  guint index = 0;

  if (pool->device != NULL)
    {
      device = sonde_device_open (pool->device, 1, &error);
      if (device == NULL)
        g_error ("%s", error->message);
    }
  while (read (in, &index, sizeof index) == (ssize_t) sizeof index)
    {
      g_autofree char *op = NULL, *reason = NULL, *line = NULL;
      OnnxCaseVerdict verdict = onnx_case_run (pool->folders[index], device, &op, &reason);

      line = g_strdup_printf ("%d\t%s\t%s\n", (int) verdict, op, reason ? reason : "");
      write_all (out, line, strlen (line));
    }
  exit (0); /* a checker of leaks looks now */
}

/* ---- the parent ---------------------------------------------------------- */

static void
start (Pool *pool, Worker *worker)
{
  int to[2], from[2];

  if (pipe (to) != 0 || pipe (from) != 0)
    g_error ("cannot make a pipe: %s", g_strerror (errno));
  fflush (NULL); /* else both print what waits */
  worker->pid = fork ();
  if (worker->pid < 0)
    g_error ("cannot fork: %s", g_strerror (errno));
  if (worker->pid == 0)
    {
      for (guint i = 0; i < pool->n_workers; i++)
        if (pool->workers[i].pid > 0 && &pool->workers[i] != worker)
          {
            close (pool->workers[i].to);
            close (pool->workers[i].from);
          }
      close (to[1]);
      close (from[0]);
      work (pool, to[0], from[1]);
    }
  close (to[0]);
  close (from[1]);
  worker->to = to[1];
  worker->from = from[0];
}

static void
stop (Worker *worker, int *status)
{
  close (worker->to);
  close (worker->from);
  while (waitpid (worker->pid, status, 0) < 0 && errno == EINTR)
    ;
  worker->pid = 0;
  worker->busy = FALSE;
}

static void
give (Pool *pool, Worker *worker)
{
  if (pool->next >= pool->n)
    return;
  if (worker->pid == 0)
    start (pool, worker);
  worker->index = pool->next++;
  worker->busy = TRUE;
  worker->deadline = g_get_monotonic_time () + pool->most_seconds * G_USEC_PER_SEC;
  g_string_truncate (worker->answer, 0);
  if (write (worker->to, &worker->index, sizeof worker->index) != (ssize_t) sizeof worker->index)
    g_error ("a worker does not listen: %s", g_strerror (errno));
}

static void
take_answer (Pool *pool, Worker *worker)
{
  g_auto (GStrv) fields = NULL;

  g_string_truncate (worker->answer, worker->answer->len - 1);
  fields = g_strsplit (worker->answer->str, "\t", 3);
  worker->busy = FALSE;
  pool->done (worker->index, (OnnxCaseVerdict) atoi (fields[0]), fields[1], fields[2], pool->data);
}

static void
take_death (Pool *pool, Worker *worker)
{
  g_autofree char *reason = NULL;
  int status = 0;

  stop (worker, &status);
  reason = WIFSIGNALED (status)
               ? g_strdup_printf ("died of signal %d", WTERMSIG (status))
               : g_strdup_printf ("the process ended with status %d", WEXITSTATUS (status));
  pool->done (worker->index, ONNX_CASE_FAILED, NULL, reason, pool->data);
}

static void
read_worker (Pool *pool, Worker *worker)
{
  char buffer[4096];
  ssize_t got = read (worker->from, buffer, sizeof buffer);

  if (got < 0 && errno == EINTR)
    return;
  if (got <= 0)
    {
      take_death (pool, worker);
      return;
    }
  g_string_append_len (worker->answer, buffer, got);
  if (worker->answer->str[worker->answer->len - 1] == '\n')
    take_answer (pool, worker);
}

static void
take_late (Pool *pool, Worker *worker)
{
  g_autofree char *reason = g_strdup_printf ("took longer than %u s", pool->most_seconds);
  int status = 0;

  kill (worker->pid, SIGKILL);
  stop (worker, &status);
  pool->done (worker->index, ONNX_CASE_FAILED, NULL, reason, pool->data);
}

/* Waits for one event. Returns FALSE when nobody works any more. */
static gboolean
step (Pool *pool)
{
  g_autofree struct pollfd *polled = g_new0 (struct pollfd, pool->n_workers);
  guint n_busy = 0;

  for (guint i = 0; i < pool->n_workers; i++)
    {
      if (!pool->workers[i].busy)
        give (pool, &pool->workers[i]);
      polled[i].fd = pool->workers[i].busy ? pool->workers[i].from : -1;
      polled[i].events = POLLIN;
      n_busy += pool->workers[i].busy;
    }
  if (n_busy == 0)
    return FALSE;

  poll (polled, pool->n_workers, 1000);
  for (guint i = 0; i < pool->n_workers; i++)
    {
      if (polled[i].fd >= 0 && polled[i].revents != 0)
        read_worker (pool, &pool->workers[i]);
      else if (pool->workers[i].busy && g_get_monotonic_time () > pool->workers[i].deadline)
        take_late (pool, &pool->workers[i]);
    }
  return TRUE;
}

gboolean
onnx_workers_run (const char *const *folders, guint n, const char *device, guint n_workers,
                  guint most_seconds, OnnxCaseDone done, gpointer data)
{
  g_autofree Worker *workers = g_new0 (Worker, n_workers);
  Pool pool = { folders, device, n, 0, n_workers, most_seconds, workers, done, data };
  gboolean good = TRUE;

  signal (SIGPIPE, SIG_IGN);
  for (guint i = 0; i < n_workers; i++)
    workers[i].answer = g_string_new (NULL);
  while (step (&pool))
    ;
  for (guint i = 0; i < n_workers; i++)
    {
      int status = 0;

      if (workers[i].pid != 0)
        stop (&workers[i], &status);
      good &= status == 0;
      g_string_free (workers[i].answer, TRUE);
    }
  return good;
}
