/* SPDX-License-Identifier: Apache-2.0
 * A loop comes by a node: breakpoints, watches and steps are looked at, and which nodes they want. */
#include "engine/live/sonde-live-loop-private.h"

#include "engine/live/sonde-live-watch.h"

/* ---- coming by ----------------------------------------------------------- */

static void
set_place (SondeLiveLoop *loop, const SondeLiveNode *node, SondeMoment moment)
{
  SondeStop *stop = &loop->stop;

  g_free (stop->node);
  g_free (stop->op);
  g_free (stop->scope);
  g_free (stop->source);
  g_free (stop->thread);
  g_free (loop->begins);
  stop->node = g_strdup (node->name);
  stop->op = g_strdup (node->op);
  stop->scope = g_strdup (node->scope);
  stop->source = g_strdup (node->source);
  stop->thread = g_strdup (node->thread);
  stop->phase = node->phase;
  stop->moment = moment;
  stop->step = loop->step;
  loop->begins = g_strdup (node->begins);
}

/* A phase is stopped at only where it begins. */
static gboolean
stops_at (const SondeLiveLoop *loop, const SondeLiveNode *node, const char *pattern)
{
  if (g_str_has_prefix (pattern, "phase:") && node->phase == loop->last_phase)
    return FALSE;
  return sonde_live_node_matches (node, pattern);
}

/* A value that is complete is passed once: either moment means it. */
static gboolean
is_moment (const SondeArmedBreakpoint *breakpoint, const SondeLiveNode *node, SondeMoment moment)
{
  return breakpoint->info.moment == moment || node->kind == SONDE_LIVE_VALUE;
}

static void
count_hit (SondeLiveLoop *loop, const SondeLiveNode *node, SondeArmedBreakpoint *breakpoint)
{
  const SondePassing passing = { .source = &loop->source,
                                 .node = node->name,
                                 .step = loop->step,
                                 .condition_error = &loop->condition_error };

  if (sonde_breakpoint_table_pass (&loop->breakpoints, breakpoint, &passing))
    g_array_append_val (loop->hits, breakpoint->info.id);
}

static void
count_hits (SondeLiveLoop *loop, const SondeLiveNode *node, SondeMoment moment)
{
  for (guint i = 0; i < loop->breakpoints.list->len; i++)
    {
      SondeArmedBreakpoint *breakpoint = g_ptr_array_index (loop->breakpoints.list, i);

      if (breakpoint->info.enabled && is_moment (breakpoint, node, moment)
          && stops_at (loop, node, breakpoint->info.pattern))
        count_hit (loop, node, breakpoint);
    }
}

/* ---- watches ------------------------------------------------------------- */

static gboolean
looks_at (const SondeArmedWatch *watch, const SondeLiveNode *node, const char *value,
          SondeMoment moment)
{
  return watch->info.enabled && sonde_live_watch_get_moment (watch) == moment
         && sonde_live_watch_is_on (watch, node, value);
}

/* (element-type SondeArmedWatch): those that look at the value at @moment; it is read once for all. One that
 * compares with what was not kept has nothing to say: no optimiser changed the weight. */
static GPtrArray *
find_watches (SondeLiveLoop *loop, const SondeLiveNode *node, const char *value, SondeMoment moment,
              SondeLiveFacts *facts)
{
  GPtrArray *watches = g_ptr_array_new ();

  for (guint i = 0; i < loop->watches.list->len; i++)
    {
      SondeArmedWatch *watch = g_ptr_array_index (loop->watches.list, i);

      if (!looks_at (watch, node, value, moment)
          || (sonde_live_watch_needs_old (watch) && facts->old == NULL))
        continue;
      sonde_live_facts_add (facts, watch);
      g_ptr_array_add (watches, watch);
    }
  return watches;
}

static gboolean
is_about_bad_numbers (const SondeArmedWatch *watch)
{
  return watch->expression == NULL
         && (watch->condition.klass->check == SONDE_CHECK_OVERFLOW
             || watch->condition.klass->check == SONDE_CHECK_OPERATOR);
}

static gboolean
look_at_value (SondeLiveLoop *loop, const SondeLiveNode *node, const char *name, SondeMoment moment,
               gboolean again)
{
  const SondeLiveValue value = { node->name, name, loop->step };
  g_auto (SondeLiveFacts) facts = { .old = g_hash_table_lookup (loop->old, name) };
  g_autoptr (GPtrArray) watches = find_watches (loop, node, name, moment, &facts);
  gboolean stops = FALSE;

  for (guint i = 0; i < watches->len; i++)
    {
      SondeArmedWatch *watch = g_ptr_array_index (watches, i);
      SondeWatchHit *hit = sonde_live_watch_check (watch, &value, &facts, &loop->source);

      if (hit == NULL || !sonde_watch_table_note (&loop->watches, watch, hit, again))
        continue;
      stops = TRUE;
      loop->is_bad = loop->is_bad || is_about_bad_numbers (watch);
    }
  return stops;
}

/* Values that @node has just made. What they were before is of no use any more. */
static gboolean
look_at_values (SondeLiveLoop *loop, const SondeLiveNode *node)
{
  gboolean stops = FALSE;

  for (guint k = 0; node->outputs[k] != NULL; k++)
    {
      if (look_at_value (loop, node, node->outputs[k], SONDE_MOMENT_AFTER, FALSE))
        stops = TRUE;
      g_hash_table_remove (loop->old, node->outputs[k]);
    }
  return stops;
}

static SondeTensor *
copy_value (SondeLiveLoop *loop, const char *name, GError **error)
{
  const SondeReference reference = { .name = name };
  g_autoptr (SondeTensor) tensor = loop->source.get_tensor (&loop->source, &reference, error);
  g_autoptr (SondeTensor) dense = tensor != NULL ? sonde_tensor_contiguous (tensor) : NULL;

  return dense != NULL ? sonde_tensor_try_new_from_data (dense->dtype, &dense->shape, dense->data,
                                                         name, error)
                       : NULL;
}

/* Keeps what @name is, for those that compare; that it cannot be had is theirs to say. */
static void
keep_old (SondeLiveLoop *loop, const SondeLiveNode *node, const char *name)
{
  const SondeLiveValue value = { node->name, name, loop->step };
  SondeTensor *copy = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < loop->watches.list->len && copy == NULL; i++)
    {
      SondeArmedWatch *watch = g_ptr_array_index (loop->watches.list, i);

      if (!sonde_live_watch_needs_old (watch) || !looks_at (watch, node, name, SONDE_MOMENT_AFTER))
        continue;
      if (error == NULL)
        copy = copy_value (loop, name, &error);
      if (copy == NULL)
        sonde_watch_table_note (&loop->watches, watch,
                                sonde_live_watch_unchecked (watch, &value, error), FALSE);
    }
  g_hash_table_insert (loop->old, g_strdup (name), copy);
}

/* Weights are about to be changed; in the first step they come by once more, before they are used: what they
 * are then is not compared with. */
static gboolean
look_at_old_values (SondeLiveLoop *loop, const SondeLiveNode *node)
{
  gboolean stops = FALSE;

  for (guint k = 0; node->outputs[k] != NULL; k++)
    {
      const char *name = node->outputs[k];

      if (loop->step > 1 || g_hash_table_contains (loop->old, name))
        keep_old (loop, node, name);
      else if (g_hash_table_insert (loop->old, g_strdup (name), NULL)
               && look_at_value (loop, node, name, SONDE_MOMENT_BEFORE, FALSE))
        stops = TRUE;
    }
  return stops;
}

/* ---- on a way back: it comes by once more, and is only looked at ----------- */

static gboolean
look_again (SondeLiveLoop *loop, const SondeLiveNode *node)
{
  gboolean stops = FALSE;

  for (guint k = 0; node->outputs[k] != NULL; k++)
    if (look_at_value (loop, node, node->outputs[k], SONDE_MOMENT_AFTER, TRUE))
      stops = TRUE;
  return stops;
}

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

  return breakpoint->info.enabled && is_moment (breakpoint, node, moment)
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
  gboolean stops = moment == SONDE_MOMENT_AFTER && look_again (loop, node);

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
  set_place (loop, node, moment);
  loop->last_phase = node->phase;
  if (reason == SONDE_STOP_BREAKPOINT)
    reason = give_found (loop);
  loop->stop.error = g_strdup (problem);
  sonde_live_loop_stop_for (loop, reason);
  loop->has_place = TRUE;
}

/* ---- why it stops -------------------------------------------------------- */

gboolean
sonde_live_loop_is_armed (const SondeLiveLoop *loop)
{
  return loop->breakpoints.list->len > 0 || loop->watches.list->len > 0 || loop->going.active
         || loop->pausing
         || atomic_load_explicit (&((SondeLiveLoop *) loop)->interrupted, memory_order_relaxed);
}

static SondeStopReason
find_reason (SondeLiveLoop *loop, const SondeLiveNode *node, SondeMoment moment)
{
  SondeStopReason reason = SONDE_STOP_NONE;

  if (moment == SONDE_MOMENT_BEFORE && node->kind == SONDE_LIVE_VALUE)
    return look_at_old_values (loop, node) ? SONDE_STOP_WATCHPOINT : SONDE_STOP_NONE;
  if (moment == SONDE_MOMENT_BEFORE)
    reason = sonde_live_loop_arrive (loop, node);
  else if (look_at_values (loop, node))
    reason = SONDE_STOP_WATCHPOINT;
  count_hits (loop, node, moment);
  if (moment == SONDE_MOMENT_BEFORE && node->kind == SONDE_LIVE_OPERATOR)
    loop->last_phase = node->phase;
  return loop->hits->len > 0 ? SONDE_STOP_BREAKPOINT : reason;
}

gboolean
sonde_live_loop_pass (SondeLiveLoop *loop, const SondeLiveNode *node, SondeMoment moment)
{
  gboolean asked;
  SondeStopReason reason;

  if (!sonde_live_loop_is_armed (loop))
    return FALSE;
  set_place (loop, node, moment);
  asked = atomic_exchange (&loop->interrupted, FALSE);
  loop->is_bad = FALSE;
  reason = find_reason (loop, node, moment);
  if (reason != SONDE_STOP_NONE)
    sonde_live_loop_stop_for (loop, reason);
  loop->has_place = reason != SONDE_STOP_NONE || asked;
  return loop->has_place;
}

gboolean
sonde_live_loop_is_bad (const SondeLiveLoop *loop)
{
  return loop->has_place && loop->is_bad;
}

void
sonde_live_loop_tell (SondeLiveLoop *loop, const char *text)
{
  const SondeLogLine line = { .node = loop->stop.node != NULL ? loop->stop.node : "",
                              .text = text,
                              .step = loop->step,
                              .moment = loop->stop.moment };

  if (loop->breakpoints.log != NULL)
    loop->breakpoints.log (&line, loop->breakpoints.log_data);
}

gboolean
sonde_live_loop_fail (SondeLiveLoop *loop, const SondeLiveNode *node, const char *problem)
{
  gboolean stood = FALSE;

  set_place (loop, node, SONDE_MOMENT_BEFORE); /* its outputs are not there */
  for (guint i = 0; i < loop->breakpoints.list->len; i++)
    {
      SondeArmedBreakpoint *breakpoint = g_ptr_array_index (loop->breakpoints.list, i);

      if (breakpoint->info.enabled
          && g_str_equal (breakpoint->info.pattern, SONDE_BREAKPOINT_ERRORS))
        count_hit (loop, node, breakpoint);
    }
  stood = loop->hits->len > 0;
  if (stood)
    {
      loop->stop.error = g_strdup (problem);
      sonde_live_loop_stop_for (loop, SONDE_STOP_ERROR);
    }
  loop->has_place = stood || atomic_exchange (&loop->interrupted, FALSE);
  return loop->has_place;
}

void
sonde_live_loop_leave_place (SondeLiveLoop *loop)
{
  loop->has_place = FALSE;
}

void
sonde_live_loop_begin_step (SondeLiveLoop *loop, guint64 number)
{
  loop->step = number;
  loop->has_back_phase = FALSE;
  g_hash_table_remove_all (loop->old);
}

void
sonde_live_loop_interrupt (SondeLiveLoop *loop)
{
  atomic_store (&loop->interrupted, TRUE);
  if (loop->hooks->wake != NULL)
    loop->hooks->wake (loop->data);
}

void
sonde_live_loop_forget_interrupt (SondeLiveLoop *loop)
{
  atomic_store (&loop->interrupted, FALSE);
}

/* ---- what is to be passed ------------------------------------------------ */

guint64
sonde_live_loop_get_arming (const SondeLiveLoop *loop)
{
  return loop->arming;
}

static gboolean
goes_by (const SondeLiveLoop *loop, const SondeLiveNode *node)
{
  if (loop->going.active && loop->going.until != NULL)
    return sonde_live_node_matches (node, loop->going.until);
  return (loop->going.active || loop->pausing) && node->kind == SONDE_LIVE_OPERATOR;
}

/* Where a phase begins shows only who passes all operators. */
static guint
wanted_by (const SondeArmedBreakpoint *breakpoint, const SondeLiveNode *node)
{
  if (!breakpoint->info.enabled)
    return 0;
  if (g_str_has_prefix (breakpoint->info.pattern, "phase:"))
    return node->kind == SONDE_LIVE_OPERATOR ? 1u << SONDE_MOMENT_BEFORE : 0;
  if (!sonde_live_node_matches (node, breakpoint->info.pattern))
    return 0;
  return 1u << (node->kind == SONDE_LIVE_VALUE ? SONDE_MOMENT_AFTER : breakpoint->info.moment);
}

static gboolean
is_watched (const SondeLiveLoop *loop, const SondeLiveNode *node, const char *value)
{
  for (guint i = 0; i < loop->watches.list->len; i++)
    if (looks_at (g_ptr_array_index (loop->watches.list, i), node, value, SONDE_MOMENT_AFTER))
      return TRUE;
  return FALSE;
}

/* Somebody looks at the weight before it is changed, or compares with what it was. */
static gboolean
is_wanted_old (const SondeLiveLoop *loop, const SondeLiveNode *node)
{
  for (guint i = 0; i < loop->watches.list->len; i++)
    {
      const SondeArmedWatch *watch = g_ptr_array_index (loop->watches.list, i);

      for (guint k = 0; node->outputs[k] != NULL; k++)
        if (looks_at (watch, node, node->outputs[k], SONDE_MOMENT_BEFORE)
            || (sonde_live_watch_needs_old (watch)
                && looks_at (watch, node, node->outputs[k], SONDE_MOMENT_AFTER)))
          return TRUE;
    }
  return FALSE;
}

/* Conditions alone: a look tells whether one of them may be met. */
static guint
wanted_by_watches (const SondeLiveLoop *loop, const SondeLiveNode *node)
{
  guint wanted = 0;

  for (guint k = 0; node->outputs[k] != NULL; k++)
    if (is_watched (loop, node, node->outputs[k]))
      {
        g_autoptr (SondeLiveLook) look
            = sonde_live_look_new (&loop->watches, node, node->outputs[k]);

        if (look == NULL)
          return 1u << SONDE_MOMENT_AFTER;
        wanted = 1u << SONDE_MOMENT_AFTER | SONDE_LIVE_WANTS_LOOK;
      }
  return wanted;
}

guint
sonde_live_loop_wants (const SondeLiveLoop *loop, const SondeLiveNode *node)
{
  guint moments = goes_by (loop, node) ? 1u << SONDE_MOMENT_BEFORE : 0;
  guint watched = wanted_by_watches (loop, node);

  for (guint i = 0; i < loop->breakpoints.list->len; i++)
    moments |= wanted_by (g_ptr_array_index (loop->breakpoints.list, i), node);
  if ((moments & (1u << SONDE_MOMENT_AFTER)) != 0)
    watched &= ~SONDE_LIVE_WANTS_LOOK;
  if (node->kind == SONDE_LIVE_VALUE && is_wanted_old (loop, node))
    moments |= 1u << SONDE_MOMENT_BEFORE;
  return moments | watched;
}

GPtrArray *
sonde_live_loop_get_looks (const SondeLiveLoop *loop, const SondeLiveNode *node)
{
  GPtrArray *looks = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_live_look_free);

  for (guint k = 0; node->outputs[k] != NULL; k++)
    g_ptr_array_add (looks, sonde_live_look_new (&loop->watches, node, node->outputs[k]));
  return looks;
}
