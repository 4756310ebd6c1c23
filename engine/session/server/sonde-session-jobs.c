/* SPDX-License-Identifier: Apache-2.0
 * What the thread that serves clients and the one that runs share: clients, jobs, waking. */
#include <unistd.h>

#include "engine/session/server/sonde-serve.h"

void
sonde_session_socket_wake (SondeSessionServer *server)
{
  const guint64 one = 1;

  if (write (server->wake, &one, sizeof one) < 0)
    return; /* full: it is awake already */
}

SondeSessionPeer *
sonde_session_find_peer (SondeSessionServer *server, guint64 id)
{
  for (guint i = 0; i < server->peers->len; i++)
    {
      SondeSessionPeer *peer = g_ptr_array_index (server->peers, i);

      if (peer->id == id)
        return peer;
    }
  return NULL;
}

void
sonde_session_job_free (SondeSessionJob *job)
{
  if (job->request != NULL)
    sonde_wire_free (job->request);
  g_free (job);
}

void
sonde_session_push_job (SondeSessionServer *server, SondeSessionPeer *peer,
                        Sonde__Session__Request *request, gboolean detached)
{
  SondeSessionJob *job = g_new0 (SondeSessionJob, 1);

  job->peer = peer->id;
  job->id = request != NULL ? request->id : 0;
  job->request = request;
  job->detached = detached;
  job->in_control = peer->id == server->controller;
  peer->pending++;
  g_queue_push_tail (&server->jobs, job);
  pthread_cond_signal (&server->work);
  if (!server->running)
    return;
  server->target->klass->interrupt (server->target);
}

/* ---- calls --------------------------------------------------------------- */

void
sonde_session_cancel_call (SondeSessionServer *server, guint64 peer, guint32 id)
{
  if (server->calling_peer == peer && (id == 0 || server->calling_id == id))
    atomic_store (&server->call_cancelled, TRUE);
  for (GList *l = server->jobs.head; l != NULL; l = l->next)
    {
      SondeSessionJob *job = l->data;

      if (job->peer == peer && (id == 0 || job->id == id))
        job->cancelled = TRUE; /* only calls ask */
    }
}

void
sonde_session_begin_call (SondeSessionServer *server, const SondeSessionJob *job)
{
  if (job->request->body_case != SONDE__SESSION__REQUEST__BODY_CALL)
    return;
  atomic_store (&server->call_cancelled, job->cancelled);
  server->calling_peer = job->peer;
  server->calling_id = job->id;
}
