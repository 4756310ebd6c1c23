/* SPDX-License-Identifier: Apache-2.0
 * Long requests of the engine: how far they are, and when they are given up. */

#include "data/base/sonde-clock.h"
#include "engine/session/activity/sonde-activity-session.h"

#define PROGRESS_NS (200 * G_GINT64_CONSTANT (1000000))

static gboolean
is_given_up (SondeSessionServer *server)
{
  gboolean given_up = atomic_load (&server->quitting) || atomic_load (&server->closing);

  pthread_mutex_lock (&server->lock);
  for (GList *l = server->jobs.head; l != NULL && !given_up; l = l->next)
    {
      const SondeSessionJob *job = l->data;

      given_up = job->request == NULL
                     ? job->in_control
                     : job->in_control
                           && (job->request->body_case == SONDE__SESSION__REQUEST__BODY_PAUSE
                               || job->request->body_case == SONDE__SESSION__REQUEST__BODY_QUIT);
    }
  pthread_mutex_unlock (&server->lock);
  return given_up;
}

gboolean
sonde_session_work_tick (guint step, guint n_steps, gpointer data)
{
  SondeSessionWork *work = data;
  gint64 now = sonde_clock_monotonic_ns (NULL);

  if (now - work->told_ns >= PROGRESS_NS)
    {
      sonde_session_tell_progress (work->server, work->what, (double) step / MAX (n_steps, 1));
      work->told_ns = now;
    }
  return is_given_up (work->server);
}
