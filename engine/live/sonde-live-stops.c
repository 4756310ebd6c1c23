/* SPDX-License-Identifier: Apache-2.0
 * Where a loop stands, and that it stands there no longer; where it would stand on a way back. */
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

/* ---- on a way back: it comes by once more, and what would stop it is only looked at ---- */

static gboolean
begins_phase (const SondeLiveLoop *loop, const SondeLiveNode *node, SondeMoment moment)
{
  return node->kind == SONDE_LIVE_OPERATOR && moment == SONDE_MOMENT_BEFORE
         && (!loop->has_back_phase || loop->back_phase != node->phase);
}

static gboolean
is_hit (SondeLiveLoop *loop, const SondeLiveNode *node, SondeMoment moment,
        SondeArmedBreakpoint *breakpoint)
{
  const SondePassing passing = { .source = &loop->source,
                                 .node = node->name,
                                 .step = loop->step,
                                 .again = TRUE,
                                 .condition_error = &loop->condition_error };

  return breakpoint->info.enabled && sonde_live_breakpoint_is_at (breakpoint, node, moment)
         && (!g_str_has_prefix (breakpoint->info.pattern, "phase:")
             || begins_phase (loop, node, moment))
         && sonde_live_node_matches (node, breakpoint->info.pattern)
         && sonde_breakpoint_table_pass (&loop->breakpoints, breakpoint, &passing);
}

/* What stops there takes the place of what was found before. */
static void
take_found (SondeLiveLoop *loop)
{
  GPtrArray *watches = loop->found_watches;

  g_array_set_size (loop->found_hits, 0);
  g_array_append_vals (loop->found_hits, loop->hits->data, loop->hits->len);
  g_ptr_array_set_size (watches, 0);
  loop->found_watches = loop->watches.stops;
  loop->watches.stops = watches;
}

gboolean
sonde_live_loop_would_stop (SondeLiveLoop *loop, const SondeLiveNode *node, SondeMoment moment)
{
  gboolean stops = moment == SONDE_MOMENT_AFTER && sonde_live_loop_look_again (loop, node);

  for (guint i = 0; i < loop->breakpoints.list->len; i++)
    {
      SondeArmedBreakpoint *breakpoint = g_ptr_array_index (loop->breakpoints.list, i);

      if (is_hit (loop, node, moment, breakpoint))
        g_array_append_val (loop->hits, breakpoint->info.id);
    }
  stops = stops || loop->hits->len > 0;
  if (stops)
    take_found (loop);
  g_array_set_size (loop->hits, 0);
  sonde_watch_table_forget_stop (&loop->watches);
  if (node->kind == SONDE_LIVE_OPERATOR)
    {
      loop->has_back_phase = TRUE;
      loop->back_phase = node->phase;
    }
  return stops;
}

/* Why it stops where the way back found something. */
static SondeStopReason
give_found (SondeLiveLoop *loop)
{
  GPtrArray *watches = loop->watches.stops;

  g_array_append_vals (loop->hits, loop->found_hits->data, loop->found_hits->len);
  loop->watches.stops = loop->found_watches;
  loop->found_watches = watches;
  return loop->hits->len > 0 ? SONDE_STOP_BREAKPOINT : SONDE_STOP_WATCHPOINT;
}

void
sonde_live_loop_stop_at (SondeLiveLoop *loop, const SondeLiveNode *node, SondeMoment moment,
                         SondeStopReason reason, const char *problem)
{
  sonde_live_loop_set_place (loop, node, moment);
  loop->last_phase = node->phase;
  if (reason == SONDE_STOP_BREAKPOINT)
    reason = give_found (loop);
  loop->stop.error = g_strdup (problem);
  sonde_live_loop_stop_for (loop, reason);
  loop->has_place = TRUE;
}
