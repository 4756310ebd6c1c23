/* SPDX-License-Identifier: Apache-2.0
 * A server's life, and the queue between the thread that serves clients and the one that runs. */
#include "engine/session/server/sonde-serve.h"
#include "engine/session/sonde-session-directory.h"

#include <unistd.h>

SondeSessionServer *
sonde_session_server_new (const SondeSessionServerOptions *options, GError **error)
{
  SondeSessionServer *server = g_new0 (SondeSessionServer, 1);
  g_autofree char *usual = options->directory == NULL ? sonde_session_dup_directory () : NULL;

  server->options = *options;
  server->io = options->io != NULL ? options->io : sonde_io_system ();
  server->wake = -1;
  server->status = sonde_session_empty_status (options->title);
  server->options.directory = server->options.title = NULL; /* not kept */
  pthread_mutex_init (&server->lock, NULL);
  pthread_cond_init (&server->work, NULL);
  g_queue_init (&server->jobs);
  sonde_session_listener_init (&server->listener);
  if ((!options->listen
       || sonde_session_listener_open (&server->listener, server->io,
                                       options->directory != NULL ? options->directory : usual,
                                       options->title, error))
      && sonde_session_socket_start (server, error))
    return server;
  sonde_session_server_free (server);
  return NULL;
}

void
sonde_session_server_free (SondeSessionServer *server)
{
  SondeSessionJob *job;

  if (server == NULL)
    return;
  if (server->service != NULL)
    server->service->klass->free (g_steal_pointer (&server->service));
  sonde_session_socket_stop (server);
  sonde_session_listener_close (&server->listener, server->io);
  while ((job = g_queue_pop_head (&server->jobs)) != NULL)
    sonde_session_job_free (job);
  sonde_session_status_free (server->status);
  pthread_cond_destroy (&server->work);
  pthread_mutex_destroy (&server->lock);
  sonde_message_free (server->end_message);
  g_free (server);
}

gboolean
sonde_session_server_add_fd (SondeSessionServer *server, int fd, GError **error)
{
  gboolean added;

  pthread_mutex_lock (&server->lock);
  added = sonde_session_socket_add_peer (server, fd, TRUE);
  pthread_mutex_unlock (&server->lock);
  if (!added)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "This session has %d clients already.", SONDE_SESSION_MAX_CLIENTS);
  return added;
}

gboolean
sonde_session_server_is_heard (SondeSessionServer *server)
{
  return atomic_load_explicit (&server->n_welcome, memory_order_relaxed) > 0;
}

/* ---- fork ---------------------------------------------------------------- */

void
sonde_session_server_before_fork (SondeSessionServer *server)
{
  pthread_mutex_lock (&server->lock);
}

void
sonde_session_server_after_fork (SondeSessionServer *server, gboolean is_child)
{
  if (is_child)
    {
      for (guint i = 0; i < server->peers->len; i++)
        close (((SondeSessionPeer *) g_ptr_array_index (server->peers, i))->channel.fd);
      sonde_session_listener_abandon (&server->listener);
      close (server->wake);
    }
  pthread_mutex_unlock (&server->lock);
}

const char *
sonde_session_server_get_socket_path (SondeSessionServer *server)
{
  return server->listener.socket_path;
}

void
sonde_session_server_quit (SondeSessionServer *server)
{
  atomic_store (&server->quitting, TRUE);
  sonde_session_socket_wake (server);
}

SondeSessionJob *
sonde_session_wait_for_work (SondeSessionServer *server,
                             gboolean (*is_over) (SondeSessionServer *server))
{
  SondeSessionJob *job = NULL;

  pthread_mutex_lock (&server->lock);
  while (TRUE)
    {
      server->done = server->done || atomic_load (&server->quitting);
      job = server->done ? NULL : g_queue_pop_head (&server->jobs);
      if (job != NULL && job->request != NULL)
        sonde_session_begin_call (server, job);
      server->done = server->done || (job == NULL && is_over (server));
      server->running = !server->done && job == NULL && server->state == SONDE_SESSION_RUNNING;
      if (job != NULL || server->done || server->running)
        break;
      pthread_cond_wait (&server->work, &server->lock);
    }
  pthread_mutex_unlock (&server->lock);
  return job;
}
