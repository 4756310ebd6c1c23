/* SPDX-License-Identifier: Apache-2.0
 * A debugger for a loop that is not ours. */
#include "engine/live/sonde-live-loop-private.h"

#include <fnmatch.h>
#include <string.h>

#include "engine/live/sonde-live-watch.h"
#include "engine/live/sonde-nearest.h"

static SondeLiveLoop *
loop_of_target (SondeLiveTarget *target)
{
  return (SondeLiveLoop *) target;
}

static SondeLiveLoop *
loop_of_source (SondeExpressionSource *source)
{
  return (SondeLiveLoop *) ((char *) source - G_STRUCT_OFFSET (SondeLiveLoop, source));
}

/* ---- values -------------------------------------------------------------- */

static SondeTensor *
get_tensor (SondeExpressionSource *source, const SondeReference *reference, GError **error)
{
  SondeLiveLoop *loop = loop_of_source (source);

  return loop->hooks->get_value (loop->data, reference->name, reference->previous, error);
}

static gboolean
get_number (SondeExpressionSource *source, const char *name, double *number)
{
  if (!g_str_equal (name, "step"))
    return FALSE;
  *number = (double) loop_of_source (source)->step;
  return TRUE;
}

/* ---- patterns ------------------------------------------------------------ */

static gboolean
matches (const SondeLiveNode *node, const char *pattern)
{
  if (g_str_equal (pattern, node->name) || fnmatch (pattern, node->name, 0) == 0)
    return TRUE;
  if (g_str_has_prefix (pattern, "op:"))
    return fnmatch (pattern + strlen ("op:"), node->op, 0) == 0;
  if (g_str_has_prefix (pattern, "scope:"))
    return node->scope != NULL && fnmatch (pattern + strlen ("scope:"), node->scope, 0) == 0;
  if (g_str_has_prefix (pattern, "phase:"))
    return g_str_equal (pattern + strlen ("phase:"), sonde_phase_name (node->phase));
  return g_strv_contains (node->outputs, pattern);
}

static const char *
candidate (guint k, gpointer names)
{
  return ((char **) names)[k];
}

/* Names of nodes are known once a step has run; a pattern that means none of them is an error then,
 * unless it is one that means many. */
static gboolean
check_pattern (SondeLiveLoop *loop, const char *pattern, guint *n, GError **error)
{
  g_auto (GStrv) names = loop->hooks->list_nodes (loop->data);
  const char *nearest;

  *n = 0;
  for (guint i = 0; names[i] != NULL; i++)
    *n += fnmatch (pattern, names[i], 0) == 0;
  if (*n > 0 || names[0] == NULL || strpbrk (pattern, "*?[:") != NULL)
    return TRUE;
  nearest = sonde_nearest_name (pattern, candidate, g_strv_length (names), names);
  if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no node “%s”; the nearest name is “%s”.", pattern, nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no node “%s”; use list to list the nodes.", pattern);
  return FALSE;
}

/* ---- stops --------------------------------------------------------------- */

static void
set_place (SondeLiveLoop *loop, const SondeLiveNode *node, SondeMoment moment)
{
  SondeStop *stop = &loop->stop;

  g_free (stop->node);
  g_free (stop->op);
  g_free (stop->scope);
  stop->node = g_strdup (node->name);
  stop->op = g_strdup (node->op);
  stop->scope = g_strdup (node->scope);
  stop->phase = node->phase;
  stop->moment = moment;
  stop->step = loop->step;
}

static void
forget_stop (SondeLiveLoop *loop)
{
  loop->stop.reason = SONDE_STOP_NONE;
  g_array_set_size (loop->hits, 0);
  g_clear_pointer (&loop->condition_error, sonde_message_free);
  sonde_watch_table_forget_stop (&loop->watches);
}

static void
forget_resume (SondeLiveLoop *loop)
{
  loop->stepping = FALSE;
  g_clear_pointer (&loop->until, g_free);
  loop->until_step = 0;
}

static void
stop_for (SondeLiveLoop *loop, SondeStopReason reason)
{
  loop->stop.reason = reason;
  forget_resume (loop);
  sonde_breakpoint_table_drop_temporary (&loop->breakpoints, loop->hits);
}

static void
count_hits (SondeLiveLoop *loop, const SondeLiveNode *node, SondeMoment moment)
{
  for (guint i = 0; i < loop->breakpoints.list->len; i++)
    {
      SondeArmedBreakpoint *breakpoint = g_ptr_array_index (loop->breakpoints.list, i);
      const SondePassing passing = { .source = &loop->source,
                                     .node = node->name,
                                     .step = loop->step,
                                     .condition_error = &loop->condition_error };

      if (breakpoint->info.enabled && breakpoint->info.moment == moment
          && matches (node, breakpoint->info.pattern)
          && sonde_breakpoint_table_pass (&loop->breakpoints, breakpoint, &passing))
        g_array_append_val (loop->hits, breakpoint->info.id);
    }
}

/* Values that @node has just made. */
static gboolean
look_at_values (SondeLiveLoop *loop, const SondeLiveNode *node)
{
  gboolean stops = FALSE;

  for (guint i = 0; i < loop->watches.list->len; i++)
    {
      SondeArmedWatch *watch = g_ptr_array_index (loop->watches.list, i);
      const char *pattern = watch->info.pattern;

      for (guint k = 0; watch->info.enabled && node->outputs[k] != NULL; k++)
        {
          const SondeLiveValue value = { node->name, node->outputs[k], loop->step };
          SondeWatchHit *hit;

          if (pattern != NULL && fnmatch (pattern, value.name, 0) != 0 && !matches (node, pattern))
            continue;
          hit = sonde_live_watch_check (watch, &value, &loop->source);
          if (hit != NULL && sonde_watch_table_note (&loop->watches, watch, hit, FALSE))
            stops = TRUE;
        }
    }
  return stops;
}

/* A step or until is done BEFORE @node. */
static SondeStopReason
reason_before (SondeLiveLoop *loop, const SondeLiveNode *node)
{
  if (!loop->stepping)
    return SONDE_STOP_NONE;
  if (loop->until_step > 0)
    return loop->step >= loop->until_step ? SONDE_STOP_UNTIL : SONDE_STOP_NONE;
  if (loop->until != NULL)
    return matches (node, loop->until) ? SONDE_STOP_UNTIL : SONDE_STOP_NONE;
  return --loop->resume.count == 0 ? SONDE_STOP_STEP : SONDE_STOP_NONE;
}

gboolean
sonde_live_loop_is_armed (const SondeLiveLoop *loop)
{
  return loop->breakpoints.list->len > 0 || loop->watches.list->len > 0 || loop->stepping
         || atomic_load_explicit (&((SondeLiveLoop *) loop)->interrupted, memory_order_relaxed);
}

void
sonde_live_loop_pass (SondeLiveLoop *loop, const SondeLiveNode *node, SondeMoment moment)
{
  gboolean asked;
  SondeStopReason reason = SONDE_STOP_NONE;

  if (loop->stand == NULL || !sonde_live_loop_is_armed (loop))
    return;
  set_place (loop, node, moment);
  asked = atomic_exchange (&loop->interrupted, FALSE);
  if (moment == SONDE_MOMENT_BEFORE)
    reason = reason_before (loop, node);
  else if (look_at_values (loop, node))
    reason = SONDE_STOP_WATCHPOINT;
  count_hits (loop, node, moment);
  if (loop->hits->len > 0)
    reason = SONDE_STOP_BREAKPOINT;
  if (reason != SONDE_STOP_NONE)
    stop_for (loop, reason);
  if (reason != SONDE_STOP_NONE || asked)
    loop->stand (loop, loop->stand_data);
}

void
sonde_live_loop_begin_step (SondeLiveLoop *loop, guint64 number)
{
  loop->step = number;
}

void
sonde_live_loop_interrupt (SondeLiveLoop *loop)
{
  atomic_store (&loop->interrupted, TRUE);
}

/* ---- going on ------------------------------------------------------------ */

static gboolean
set_until (SondeLiveLoop *loop, const char *target, GError **error)
{
  guint n;

  if (target == NULL || *target == '\0')
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Missing target: name a node or step:N.");
      return FALSE;
    }
  if (!g_str_has_prefix (target, "step:"))
    {
      if (!check_pattern (loop, target, &n, error))
        return FALSE;
      loop->until = g_strdup (target);
      return TRUE;
    }
  if (g_ascii_string_to_unsigned (target + strlen ("step:"), 10, loop->step + 1, G_MAXINT64,
                                  &loop->until_step, NULL))
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” is no step that comes: the run is at step %" PRIu64 ".", target,
                   loop->step);
  return FALSE;
}

gboolean
sonde_live_loop_resume (SondeLiveLoop *loop, const SondeResume *resume, GError **error)
{
  forget_resume (loop);
  if (resume->kind == SONDE_RESUME_INTO || resume->kind == SONDE_RESUME_OUT)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "A loop that is not Sonde's has no bodies to go into or out of; use step, "
                       "next or until.");
      return FALSE;
    }
  if (resume->kind == SONDE_RESUME_UNTIL && !set_until (loop, resume->target, error))
    return FALSE;
  loop->resume = (SondeResume){ .kind = resume->kind, .count = MAX (resume->count, 1) };
  loop->stepping = resume->kind != SONDE_RESUME_CONTINUE;
  forget_stop (loop);
  return TRUE;
}

void
sonde_live_loop_stop_here (SondeLiveLoop *loop)
{
  if (loop->stop.reason == SONDE_STOP_NONE)
    stop_for (loop, SONDE_STOP_PAUSE);
}

void
sonde_live_loop_let_go (SondeLiveLoop *loop)
{
  sonde_breakpoint_table_remove (&loop->breakpoints, 0);
  sonde_watch_table_change (&loop->watches, 0, SONDE_WATCH_REMOVE, 0);
  forget_resume (loop);
  forget_stop (loop);
}

/* ---- as a target --------------------------------------------------------- */

static void
target_interrupt (SondeLiveTarget *target)
{
  sonde_live_loop_interrupt (loop_of_target (target));
}

static void
target_get_stop (SondeLiveTarget *target, SondeStop *stop)
{
  SondeLiveLoop *loop = loop_of_target (target);

  *stop = loop->stop;
  stop->node = stop->node != NULL ? stop->node : (char *) "";
  stop->op = stop->op != NULL ? stop->op : (char *) "";
  stop->step = MAX (loop->step, 1);
  stop->breakpoints = &g_array_index (loop->hits, guint, 0);
  stop->n_breakpoints = loop->hits->len;
  stop->condition_error = loop->hits->len > 0 ? loop->condition_error : NULL;
  stop->watchpoints = loop->watches.stops;
}

/* Which node of the listing it stands at. */
static void
fill_position (SondeLiveLoop *loop, const SondeStop *stop, SondeFrame *frame)
{
  g_autoptr (GPtrArray) steps = sonde_live_loop_list_steps (loop, NULL);

  frame->n_steps = steps != NULL ? steps->len : 0;
  for (guint i = 0; i < frame->n_steps; i++)
    if (g_str_equal (((const SondeStepInfo *) g_ptr_array_index (steps, i))->name, stop->node))
      {
        frame->position = i;
        return;
      }
}

static GPtrArray *
target_get_frames (SondeLiveTarget *target)
{
  SondeLiveLoop *loop = loop_of_target (target);
  GPtrArray *frames = loop->hooks->get_frames != NULL
                          ? loop->hooks->get_frames (loop->data)
                          : g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_free);
  SondeFrame *outermost = g_new0 (SondeFrame, 1);
  SondeStop stop;

  target_get_stop (target, &stop);
  outermost->kind = SONDE_FRAME_GRAPH;
  outermost->node = g_strdup ("");
  outermost->op = g_strdup ("");
  outermost->body = g_strdup ("");
  outermost->iteration = -1;
  outermost->moment = stop.moment;
  fill_position (loop, &stop, outermost);
  outermost->at = g_strdup (stop.node);
  outermost->at_op = g_strdup (stop.op);
  outermost->scope = g_strdup (stop.scope);
  outermost->originals = g_new0 (char *, 1);
  outermost->scopes = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_scope_free);
  g_ptr_array_add (frames, outermost);
  return frames;
}

static guint
target_get_selected (SondeLiveTarget *target)
{
  return 0;
}

static gboolean
target_select_frame (SondeLiveTarget *target, guint level, GError **error)
{
  if (level == 0)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "Names mean the same in every frame of this run; none is selected.");
  return FALSE;
}

static gboolean
target_resume (SondeLiveTarget *target, const SondeResume *resume, GError **error)
{
  return sonde_live_loop_resume (loop_of_target (target), resume, error);
}

static void
target_stop_here (SondeLiveTarget *target)
{
  sonde_live_loop_stop_here (loop_of_target (target));
}

static gboolean
target_has_stopped (SondeLiveTarget *target)
{
  return loop_of_target (target)->stop.reason != SONDE_STOP_NONE;
}

static const SondeBreakpoint *
target_add_breakpoint (SondeLiveTarget *target, const SondeBreakpointSpec *spec, GError **error)
{
  SondeLiveLoop *loop = loop_of_target (target);
  SondeArmedBreakpoint *breakpoint;
  guint n;

  if (!sonde_breakpoint_table_has_room (&loop->breakpoints, error)
      || !check_pattern (loop, spec->pattern, &n, error))
    return NULL;
  breakpoint = sonde_armed_breakpoint_new (spec, error);
  if (breakpoint == NULL)
    return NULL;
  if (spec->either && spec->condition != NULL) /* the values that the node makes are there then */
    breakpoint->info.moment = SONDE_MOMENT_AFTER;
  breakpoint->info.n_positions = n;
  sonde_breakpoint_table_add (&loop->breakpoints, breakpoint, ++loop->last_id);
  return &breakpoint->info;
}

static GPtrArray *
target_get_breakpoints (SondeLiveTarget *target)
{
  return loop_of_target (target)->breakpoints.list;
}

static gboolean
check_found (gboolean found, guint id, GError **error)
{
  if (!found && id != 0)
    sonde_set_error (
        error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
        "There is no breakpoint %u; info breakpoints and info watches list what there is.", id);
  return found || id == 0;
}

static gboolean
target_remove (SondeLiveTarget *target, guint id, GError **error)
{
  SondeLiveLoop *loop = loop_of_target (target);
  gboolean found = sonde_watch_table_change (&loop->watches, id, SONDE_WATCH_REMOVE, 0);

  return check_found (sonde_breakpoint_table_remove (&loop->breakpoints, id) || found, id, error);
}

static gboolean
target_enable (SondeLiveTarget *target, guint id, gboolean enabled, GError **error)
{
  SondeLiveLoop *loop = loop_of_target (target);
  gboolean found = sonde_watch_table_change (&loop->watches, id, SONDE_WATCH_ENABLE, enabled);

  return check_found (sonde_breakpoint_table_enable (&loop->breakpoints, id, enabled) || found, id,
                      error);
}

static gboolean
target_ignore (SondeLiveTarget *target, guint id, guint64 count, GError **error)
{
  SondeLiveLoop *loop = loop_of_target (target);
  gboolean found = sonde_watch_table_change (&loop->watches, id, SONDE_WATCH_IGNORE, count);

  return check_found (sonde_breakpoint_table_ignore (&loop->breakpoints, id, count) || found, id,
                      error);
}

static gboolean
add_watch (SondeLiveLoop *loop, const char *text, GPtrArray *added, GError **error)
{
  g_autoptr (SondeArmedWatch) watch = NULL;

  if (!sonde_watch_table_has_room (&loop->watches, error))
    return FALSE;
  watch = sonde_armed_watch_new (text, error);
  if (watch == NULL || !sonde_live_watch_can_check (watch, error))
    return FALSE;
  g_ptr_array_add (added, watch);
  sonde_watch_table_add (&loop->watches, g_steal_pointer (&watch), ++loop->last_id);
  return TRUE;
}

static GPtrArray *
target_add_watches (SondeLiveTarget *target, const char *text, GError **error)
{
  SondeLiveLoop *loop = loop_of_target (target);
  g_autoptr (GPtrArray) added = g_ptr_array_new ();
  g_auto (GStrv) texts = NULL;
  gboolean nostop = FALSE;

  if (!sonde_watch_text_is_recommended (text, &nostop))
    return add_watch (loop, text, added, error) ? g_steal_pointer (&added) : NULL;
  texts = sonde_live_loop_recommend (loop);
  for (guint i = 0; texts[i] != NULL; i++)
    {
      g_autofree char *whole = g_strconcat (texts[i], nostop ? " nostop" : NULL, NULL);

      if (!add_watch (loop, whole, added, error))
        return NULL;
    }
  return g_steal_pointer (&added);
}

static GPtrArray *
target_get_watches (SondeLiveTarget *target)
{
  return loop_of_target (target)->watches.list;
}

static GPtrArray *
target_get_watch_hits (SondeLiveTarget *target, guint id)
{
  return sonde_watch_table_get_hits (&loop_of_target (target)->watches, id);
}

static GPtrArray *
target_recheck (SondeLiveTarget *target, guint64 step, gboolean may_go, GError **error)
{
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "Values of a loop that is not Sonde's are checked as they are made; info hits "
                   "lists what was met.");
  return NULL;
}

static const SondeLiveTargetClass target_class = {
  .interrupt = target_interrupt,
  .get_stop = target_get_stop,
  .get_frames = target_get_frames,
  .get_selected = target_get_selected,
  .select_frame = target_select_frame,
  .resume = target_resume,
  .stop_here = target_stop_here,
  .has_stopped = target_has_stopped,
  .add_breakpoint = target_add_breakpoint,
  .get_breakpoints = target_get_breakpoints,
  .remove = target_remove,
  .enable = target_enable,
  .ignore = target_ignore,
  .add_watches = target_add_watches,
  .get_watches = target_get_watches,
  .get_watch_hits = target_get_watch_hits,
  .recheck = target_recheck,
};

/* ---- life ---------------------------------------------------------------- */

SondeLiveLoop *
sonde_live_loop_new (const SondeLiveHooks *hooks, gpointer data)
{
  SondeLiveLoop *loop = g_new0 (SondeLiveLoop, 1);

  loop->target.klass = &target_class;
  loop->source.get_tensor = get_tensor;
  loop->source.get_number = get_number;
  loop->hooks = hooks;
  loop->data = data;
  loop->hits = g_array_new (FALSE, FALSE, sizeof (guint));
  sonde_breakpoint_table_init (&loop->breakpoints);
  sonde_watch_table_init (&loop->watches);
  return loop;
}

void
sonde_live_loop_free (SondeLiveLoop *loop)
{
  if (loop == NULL)
    return;
  sonde_live_loop_let_go (loop);
  sonde_watch_table_clear (&loop->watches);
  sonde_breakpoint_table_clear (&loop->breakpoints);
  g_array_unref (loop->hits);
  g_free (loop->stop.node);
  g_free (loop->stop.op);
  g_free (loop->stop.scope);
  g_free (loop);
}

void
sonde_live_loop_set_stand (SondeLiveLoop *loop, SondeLiveStand stand, gpointer data)
{
  loop->stand = stand;
  loop->stand_data = data;
}

void
sonde_live_loop_set_log (SondeLiveLoop *loop, SondeBreakpointLog log, gpointer data)
{
  loop->breakpoints.log = log;
  loop->breakpoints.log_data = data;
}

SondeLiveTarget *
sonde_live_loop_get_target (SondeLiveLoop *loop)
{
  return &loop->target;
}

SondeExpressionSource *
sonde_live_loop_get_source (SondeLiveLoop *loop)
{
  return &loop->source;
}
