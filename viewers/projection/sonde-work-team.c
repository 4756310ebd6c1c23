/* SPDX-License-Identifier: Apache-2.0
 * Work comes in thousands of short rounds: who waits looks a while before it sleeps. */
#include "viewers/projection/sonde-work-team.h"

#include <stdatomic.h>

#include "data/base/sonde-affinity.h"

#define MOST_THREADS 16
#define LOOKS 4000 /* some 10 µs */

struct _SondeWorkTeam
{
  GThread *threads[MOST_THREADS - 1];
  guint n_helpers;
  GMutex lock;
  GCond begun, ended;
  atomic_uint round; /* changes when there is work, under the lock */
  atomic_uint busy;  /* helpers that are in the round */
  atomic_bool closing;
  atomic_size_t next;
  gsize n;
  SondeWorkPiece function;
  void *context;
};

static void
take_pieces (SondeWorkTeam *team)
{
  for (gsize piece = atomic_fetch_add (&team->next, 1); piece < team->n;
       piece = atomic_fetch_add (&team->next, 1))
    team->function (team->context, piece);
}

/* Until there is another round than @seen. */
static void
await_round (SondeWorkTeam *team, guint seen)
{
  for (int look = 0; look < LOOKS; look++)
    if (atomic_load (&team->round) != seen)
      return;
  g_mutex_lock (&team->lock);
  while (atomic_load (&team->round) == seen)
    g_cond_wait (&team->begun, &team->lock);
  g_mutex_unlock (&team->lock);
}

static void *
help (void *data)
{
  SondeWorkTeam *team = data;

  sonde_affinity_restore ();
  for (guint seen = 0;; seen++)
    {
      await_round (team, seen);
      if (atomic_load (&team->closing))
        return NULL;
      take_pieces (team);
      if (atomic_fetch_sub (&team->busy, 1) > 1)
        continue;
      g_mutex_lock (&team->lock);
      g_cond_signal (&team->ended);
      g_mutex_unlock (&team->lock);
    }
}

static void
begin_round (SondeWorkTeam *team)
{
  g_mutex_lock (&team->lock);
  atomic_store (&team->busy, team->n_helpers);
  atomic_fetch_add (&team->round, 1);
  g_cond_broadcast (&team->begun);
  g_mutex_unlock (&team->lock);
}

static void
await_end (SondeWorkTeam *team)
{
  for (int look = 0; look < LOOKS; look++)
    if (atomic_load (&team->busy) == 0)
      return;
  g_mutex_lock (&team->lock);
  while (atomic_load (&team->busy) > 0)
    g_cond_wait (&team->ended, &team->lock);
  g_mutex_unlock (&team->lock);
}

SondeWorkTeam *
sonde_work_team_new (guint n_threads)
{
  SondeWorkTeam *team = g_new0 (SondeWorkTeam, 1);

  if (n_threads == 0)
    n_threads = g_get_num_processors ();
  team->n_helpers = CLAMP (n_threads, 1, MOST_THREADS) - 1;
  g_mutex_init (&team->lock);
  g_cond_init (&team->begun);
  g_cond_init (&team->ended);
  for (guint i = 0; i < team->n_helpers; i++)
    team->threads[i] = g_thread_new ("projection", help, team);
  return team;
}

void
sonde_work_team_free (SondeWorkTeam *team)
{
  if (team == NULL)
    return;
  atomic_store (&team->closing, TRUE);
  begin_round (team);
  for (guint i = 0; i < team->n_helpers; i++)
    g_thread_join (team->threads[i]);
  g_mutex_clear (&team->lock);
  g_cond_clear (&team->begun);
  g_cond_clear (&team->ended);
  g_free (team);
}

void
sonde_work_team_run (SondeWorkTeam *team, gsize n, SondeWorkPiece function, void *context)
{
  team->n = n;
  team->function = function;
  team->context = context;
  atomic_store (&team->next, 0);
  if (team->n_helpers > 0 && n > 1)
    begin_round (team);
  take_pieces (team);
  if (team->n_helpers > 0 && n > 1)
    await_end (team);
}
