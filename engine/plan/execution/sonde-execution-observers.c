/* SPDX-License-Identifier: Apache-2.0
 * The observers of an execution: who is called before and after which step. */
#include "engine/plan/execution/sonde-execution-observers.h"

#include "engine/plan/execution/sonde-execution-inner.h"
#include "engine/plan/execution/sonde-execution-updates.h"

/* Joins the wants of all observers into one flag byte a step. */
static void
join_wants (SondeExecution *execution)
{
  guint n_steps = execution->plan->steps->len;
  guint seen = 0, keeping = 0;

  execution->tells = FALSE;
  for (guint i = 0; i < execution->n_observers; i++)
    execution->tells = execution->tells || execution->observers[i]->body_begins != NULL
                       || execution->observers[i]->body_ends != NULL;

  for (guint k = 0; k < n_steps; k++)
    {
      guint8 flags = 0;

      for (guint i = 0; i < execution->n_observers; i++)
        {
          flags |= execution->wants[i][k];
          keeping |= execution->observers[i]->without_old ? 0 : execution->wants[i][k];
        }

      execution->flags[k] = flags | SONDE_FLAG_INTERRUPT;
      seen |= flags;
    }

  atomic_fetch_and (&execution->mask, SONDE_FLAG_INTERRUPT);
  atomic_fetch_or (&execution->mask, seen);
  execution->watched = keeping != 0;
  if (execution->watched)
    sonde_execution_keep_old (execution);
}

static void
ask (SondeExecution *execution, guint index)
{
  SondeObserver *observer = execution->observers[index];

  for (guint k = 0; k < execution->plan->steps->len; k++)
    execution->wants[index][k]
        = observer->wants (observer, execution, k) & (SONDE_WANT_BEFORE | SONDE_WANT_AFTER);
}

static void
add_inside (SondeExecution *inner, gpointer observer)
{
  sonde_execution_add_observer (inner, observer);
}

static void
remove_inside (SondeExecution *inner, gpointer observer)
{
  sonde_execution_remove_observer (inner, observer);
}

static void
refresh_inside (SondeExecution *inner, gpointer data)
{
  sonde_execution_refresh_observers (inner);
}

void
sonde_execution_add_observer (SondeExecution *execution, SondeObserver *observer)
{
  guint index = execution->n_observers;

  g_return_if_fail (observer != NULL && observer->wants != NULL);
  g_return_if_fail (index < SONDE_MAX_OBSERVERS);

  execution->observers[index] = observer;
  g_free (execution->wants[index]);
  execution->wants[index] = g_malloc0 (execution->plan->steps->len + 1);
  execution->n_observers++;
  ask (execution, index);
  join_wants (execution);
  if (observer->nested)
    sonde_execution_foreach_inner (execution, add_inside, observer);
}

void
sonde_execution_remove_observer (SondeExecution *execution, SondeObserver *observer)
{
  guint index = 0;

  while (index < execution->n_observers && execution->observers[index] != observer)
    index++;
  if (index == execution->n_observers)
    return;

  g_free (execution->wants[index]);
  execution->n_observers--;
  for (guint i = index; i < execution->n_observers; i++)
    {
      execution->observers[i] = execution->observers[i + 1];
      execution->wants[i] = execution->wants[i + 1];
    }

  execution->wants[execution->n_observers] = NULL;
  execution->observers[execution->n_observers] = NULL;
  join_wants (execution);
  if (observer->nested)
    sonde_execution_foreach_inner (execution, remove_inside, observer);
}

void
sonde_execution_move_observers (SondeExecution *to, SondeExecution *from)
{
  while (from->n_observers > 0)
    {
      SondeObserver *observer = from->observers[0];

      sonde_execution_remove_observer (from, observer);
      sonde_execution_add_observer (to, observer);
    }
}

void
sonde_execution_refresh_observers (SondeExecution *execution)
{
  for (guint i = 0; i < execution->n_observers; i++)
    ask (execution, i);

  join_wants (execution);
  sonde_execution_foreach_inner (execution, refresh_inside, NULL);
}

static SondeAnswer
stronger (SondeAnswer a, SondeAnswer b)
{
  return MAX (a, b);
}

SondeAnswer
sonde_execution_tell_before (SondeExecution *execution, guint step)
{
  SondeAnswer strongest = SONDE_ANSWER_CONTINUE;

  for (guint i = 0; i < execution->n_observers; i++)
    {
      SondeObserver *observer = execution->observers[i];

      if ((execution->wants[i][step] & SONDE_WANT_BEFORE) != 0 && observer->before != NULL)
        strongest = stronger (strongest, observer->before (observer, execution, step));
    }

  return strongest;
}

SondeAnswer
sonde_execution_tell_after (SondeExecution *execution, guint step)
{
  SondeAnswer strongest = SONDE_ANSWER_CONTINUE;

  for (guint i = 0; i < execution->n_observers; i++)
    {
      SondeObserver *observer = execution->observers[i];

      if ((execution->wants[i][step] & SONDE_WANT_AFTER) != 0 && observer->after != NULL)
        strongest = stronger (strongest, observer->after (observer, execution, step));
    }

  return strongest;
}

SondeAnswer
sonde_execution_tell_begins (SondeExecution *execution)
{
  SondeAnswer strongest = SONDE_ANSWER_CONTINUE;

  for (guint i = 0; i < execution->n_observers; i++)
    {
      SondeObserver *observer = execution->observers[i];

      if (observer->run_begins != NULL)
        strongest = stronger (strongest, observer->run_begins (observer, execution));
    }

  return strongest;
}

SondeAnswer
sonde_execution_tell_ends (SondeExecution *execution)
{
  SondeAnswer strongest = SONDE_ANSWER_CONTINUE;

  for (guint i = 0; i < execution->n_observers; i++)
    {
      SondeObserver *observer = execution->observers[i];

      if (observer->run_ends != NULL)
        strongest = stronger (strongest, observer->run_ends (observer, execution));
    }

  return strongest;
}

SondeAnswer
sonde_execution_tell_body (SondeExecution *execution, gboolean begins)
{
  SondeAnswer strongest = SONDE_ANSWER_CONTINUE;

  for (guint i = 0; i < execution->n_observers; i++)
    {
      SondeObserver *observer = execution->observers[i];
      SondeAnswer (*call) (SondeObserver *, SondeExecution *)
          = begins ? observer->body_begins : observer->body_ends;

      if (call != NULL)
        strongest = stronger (strongest, call (observer, execution));
    }

  return strongest;
}
