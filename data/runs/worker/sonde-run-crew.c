/* SPDX-License-Identifier: Apache-2.0
 * Two queues under one mutex. */
#include "data/runs/worker/sonde-run-crew-private.h"

#include <errno.h>
#include <pthread.h>
#include <sys/eventfd.h>

struct _SondeRunCrew
{
  SondeRunJobFunc func;
  int wakeup;
  guint n_threads, n_started;
  pthread_t *threads;
  pthread_mutex_t mutex;
  pthread_cond_t something_to_do, something_done;
  /* under the mutex: */
  GQueue waiting, done;
  guint n_in_hand;
  gboolean stop;
};

static void *
crew_main (void *data)
{
  SondeRunCrew *crew = data;

  pthread_mutex_lock (&crew->mutex);
  while (TRUE)
    {
      gpointer job;

      while (!crew->stop && g_queue_is_empty (&crew->waiting))
        pthread_cond_wait (&crew->something_to_do, &crew->mutex);
      if (crew->stop)
        break;
      job = g_queue_pop_head (&crew->waiting);
      crew->n_in_hand++;
      pthread_mutex_unlock (&crew->mutex);
      crew->func (job);
      pthread_mutex_lock (&crew->mutex);
      crew->n_in_hand--;
      g_queue_push_tail (&crew->done, job);
      pthread_cond_signal (&crew->something_done);
      eventfd_write (crew->wakeup, 1);
    }
  pthread_mutex_unlock (&crew->mutex);
  return NULL;
}

SondeRunCrew *
sonde_run_crew_new (guint n_threads, SondeRunJobFunc func, int wakeup)
{
  SondeRunCrew *crew = g_new0 (SondeRunCrew, 1);

  crew->func = func;
  crew->wakeup = wakeup;
  crew->n_threads = n_threads;
  crew->threads = g_new0 (pthread_t, n_threads);
  pthread_mutex_init (&crew->mutex, NULL);
  pthread_cond_init (&crew->something_to_do, NULL);
  pthread_cond_init (&crew->something_done, NULL);
  return crew;
}

void
sonde_run_crew_push (SondeRunCrew *crew, gpointer job)
{
  gboolean grow;

  pthread_mutex_lock (&crew->mutex);
  g_queue_push_tail (&crew->waiting, job);
  grow = crew->n_started < crew->n_threads
         && crew->n_started < crew->n_in_hand + crew->waiting.length;
  pthread_cond_signal (&crew->something_to_do);
  pthread_mutex_unlock (&crew->mutex);
  /* with one thread at least everything gets done */
  if (grow && pthread_create (&crew->threads[crew->n_started], NULL, crew_main, crew) == 0)
    crew->n_started++;
  else if (crew->n_started == 0)
    g_error ("cannot start a thread: %s", g_strerror (errno));
}

gpointer
sonde_run_crew_take (SondeRunCrew *crew)
{
  gpointer job;

  pthread_mutex_lock (&crew->mutex);
  job = g_queue_pop_head (&crew->done);
  pthread_mutex_unlock (&crew->mutex);
  return job;
}

gpointer
sonde_run_crew_wait (SondeRunCrew *crew)
{
  gpointer job;

  pthread_mutex_lock (&crew->mutex);
  while (g_queue_is_empty (&crew->done)
         && (crew->n_in_hand > 0 || !g_queue_is_empty (&crew->waiting)))
    pthread_cond_wait (&crew->something_done, &crew->mutex);
  job = g_queue_pop_head (&crew->done);
  pthread_mutex_unlock (&crew->mutex);
  return job;
}

void
sonde_run_crew_stop (SondeRunCrew *crew)
{
  pthread_mutex_lock (&crew->mutex);
  crew->stop = TRUE;
  pthread_cond_broadcast (&crew->something_to_do);
  pthread_mutex_unlock (&crew->mutex);
  for (guint i = 0; i < crew->n_started; i++)
    pthread_join (crew->threads[i], NULL);
  crew->n_started = 0;
  while (!g_queue_is_empty (&crew->waiting))
    g_queue_push_tail (&crew->done, g_queue_pop_head (&crew->waiting));
}

void
sonde_run_crew_free (SondeRunCrew *crew)
{
  pthread_cond_destroy (&crew->something_to_do);
  pthread_cond_destroy (&crew->something_done);
  pthread_mutex_destroy (&crew->mutex);
  g_free (crew->threads);
  g_free (crew);
}
