/* SPDX-License-Identifier: Apache-2.0
 * Where a loop stands, and that it stands there no longer. */
#include "engine/live/sonde-live-loop-private.h"

void
sonde_live_going_clear (SondeLiveGoing *going)
{
  g_free (going->until);
  g_free (going->leaves);
  *going = (SondeLiveGoing){ 0 };
}

void
sonde_live_loop_forget_stop (SondeLiveLoop *loop)
{
  loop->stop.reason = SONDE_STOP_NONE;
  g_clear_pointer (&loop->stop.error, g_free);
  g_array_set_size (loop->hits, 0);
  g_clear_pointer (&loop->condition_error, sonde_message_free);
  sonde_watch_table_forget_stop (&loop->watches);
}

/* Tells lists of other nodes, or in another order, from each other. */
static guint
hash_steps (const GPtrArray *steps)
{
  guint hash = 5381;

  for (guint i = 0; i < steps->len; i++)
    hash = hash * 33 + g_str_hash (((const SondeStepInfo *) g_ptr_array_index (steps, i))->name);
  return hash;
}

/* Which node of the listing it stands at; of a module the first in it, behind it the last. */
static void
find_position (SondeLiveLoop *loop)
{
  g_autoptr (GPtrArray) steps = sonde_live_loop_list_steps (loop, NULL);
  SondeStop *stop = &loop->stop;

  stop->position = 0;
  stop->n_steps = steps != NULL ? steps->len : 0;
  stop->listing = steps != NULL ? hash_steps (steps) : 0;
  for (guint i = 0; stop->node != NULL && i < stop->n_steps; i++)
    {
      const SondeStepInfo *step = g_ptr_array_index (steps, i);

      if (!g_str_equal (step->name, stop->node) && g_strcmp0 (step->scope, stop->node) != 0)
        continue;
      stop->position = i;
      if (stop->moment == SONDE_MOMENT_BEFORE || g_str_equal (step->name, stop->node))
        return;
    }
}

void
sonde_live_loop_stop_for (SondeLiveLoop *loop, SondeStopReason reason)
{
  loop->stop.reason = reason;
  loop->pausing = FALSE;
  loop->arming++;
  sonde_live_going_clear (&loop->going);
  sonde_breakpoint_table_drop_temporary (&loop->breakpoints, loop->hits);
  find_position (loop);
}

void
sonde_live_loop_stop_here (SondeLiveLoop *loop)
{
  if (loop->stop.reason == SONDE_STOP_NONE)
    sonde_live_loop_stop_for (loop, SONDE_STOP_PAUSE);
}

void
sonde_live_loop_let_go (SondeLiveLoop *loop)
{
  sonde_breakpoint_table_remove (&loop->breakpoints, 0);
  sonde_watch_table_change (&loop->watches, 0, SONDE_WATCH_REMOVE, 0);
  sonde_live_going_clear (&loop->going);
  loop->pausing = FALSE;
  loop->arming++;
  sonde_live_loop_forget_stop (loop);
}
