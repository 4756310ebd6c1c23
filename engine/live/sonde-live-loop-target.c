/* SPDX-License-Identifier: Apache-2.0
 * The loop's debugger as what a server debugs. */
#include "engine/live/sonde-live-loop-private.h"

#include <string.h>

#include "engine/live/sonde-live-watch.h"

static SondeLiveLoop *
loop_of_target (SondeLiveTarget *target)
{
  return (SondeLiveLoop *) target;
}

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

static GPtrArray *
target_get_frames (SondeLiveTarget *target)
{
  SondeLiveLoop *loop = loop_of_target (target);
  GPtrArray *frames = loop->has_place && loop->hooks->get_frames != NULL
                          ? loop->hooks->get_frames (loop->data)
                          : g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_free);
  SondeFrame *outermost = g_new0 (SondeFrame, 1);
  SondeStop stop;

  target_get_stop (target, &stop);
  for (guint i = 0; i < frames->len; i++) /* they lie around one graph */
    {
      ((SondeFrame *) g_ptr_array_index (frames, i))->position = stop.position;
      ((SondeFrame *) g_ptr_array_index (frames, i))->n_steps = stop.n_steps;
    }
  outermost->kind = SONDE_FRAME_GRAPH;
  outermost->node = g_strdup ("");
  outermost->op = g_strdup ("");
  outermost->body = g_strdup ("");
  outermost->iteration = -1;
  outermost->moment = stop.moment;
  outermost->position = stop.position;
  outermost->n_steps = stop.n_steps;
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

/* Between two nodes there is no place to stop at: its next operator is waited for. */
static void
target_stop_here (SondeLiveTarget *target)
{
  SondeLiveLoop *loop = loop_of_target (target);

  if (loop->has_place)
    sonde_live_loop_stop_here (loop);
  else if (loop->stop.reason == SONDE_STOP_NONE)
    {
      loop->pausing = TRUE;
      loop->arming++;
    }
}

static gboolean
target_has_stopped (SondeLiveTarget *target)
{
  return loop_of_target (target)->stop.reason != SONDE_STOP_NONE;
}

/* A name that no step had yet may be one of a later step. */
static void
note_pattern (SondeLiveLoop *loop, SondeBreakpoint *breakpoint)
{
  g_autoptr (GError) error = NULL;

  if (sonde_live_loop_check_pattern (loop, breakpoint->pattern, &breakpoint->n_positions, &error))
    return;
  breakpoint->note = sonde_message_new ("Nothing matches so far. ");
  sonde_message_append (breakpoint->note, sonde_error_get_message (error));
}

/* A pattern that begins like what is caught has to be one that can be. */
static gboolean
check_caught (const char *pattern, GError **error)
{
  if (!g_str_has_prefix (pattern, "catch:") || g_str_equal (pattern, SONDE_BREAKPOINT_ERRORS))
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” cannot be caught; errors can: catch error.", pattern + strlen ("catch:"));
  return FALSE;
}

static const SondeBreakpoint *
target_add_breakpoint (SondeLiveTarget *target, const SondeBreakpointSpec *spec, GError **error)
{
  SondeLiveLoop *loop = loop_of_target (target);
  SondeArmedBreakpoint *breakpoint;

  if (!sonde_breakpoint_table_has_room (&loop->breakpoints, error)
      || !check_caught (spec->pattern, error))
    return NULL;
  breakpoint = sonde_armed_breakpoint_new (spec, error);
  if (breakpoint == NULL)
    return NULL;
  if (g_str_has_prefix (spec->pattern, "phase:")) /* where it begins */
    breakpoint->info.moment = SONDE_MOMENT_BEFORE;
  else if (spec->either && spec->condition != NULL) /* what the node makes is there then */
    breakpoint->info.moment = SONDE_MOMENT_AFTER;
  note_pattern (loop, &breakpoint->info);
  sonde_breakpoint_table_add (&loop->breakpoints, breakpoint, ++loop->last_id);
  loop->arming++;
  return &breakpoint->info;
}

/* Nodes come with the steps: what was none when the breakpoint was set may be many now. */
static void
count_positions (SondeLiveLoop *loop, SondeArmedBreakpoint *breakpoint, const GPtrArray *steps)
{
  SondeBreakpoint *info = &breakpoint->info;

  info->n_positions = sonde_live_loop_count_nodes (loop, info->pattern, steps);
  if (breakpoint->condition != NULL || breakpoint->hit_condition != NULL) /* the note is of those */
    return;
  g_clear_pointer (&info->note, sonde_message_free);
  if (info->n_positions == 0 && !g_str_equal (info->pattern, SONDE_BREAKPOINT_ERRORS))
    note_pattern (loop, info);
}

static GPtrArray *
target_get_breakpoints (SondeLiveTarget *target)
{
  SondeLiveLoop *loop = loop_of_target (target);
  g_autoptr (GPtrArray) steps
      = loop->breakpoints.list->len > 0 ? sonde_live_loop_list_steps (loop, NULL) : NULL;

  for (guint i = 0; steps != NULL && i < loop->breakpoints.list->len; i++)
    count_positions (loop, g_ptr_array_index (loop->breakpoints.list, i), steps);
  return loop->breakpoints.list;
}

static gboolean
check_found (SondeLiveLoop *loop, gboolean found, guint id, GError **error)
{
  loop->arming++;
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

  return check_found (loop, sonde_breakpoint_table_remove (&loop->breakpoints, id) || found, id,
                      error);
}

static gboolean
target_enable (SondeLiveTarget *target, guint id, gboolean enabled, GError **error)
{
  SondeLiveLoop *loop = loop_of_target (target);
  gboolean found = sonde_watch_table_change (&loop->watches, id, SONDE_WATCH_ENABLE, enabled);

  return check_found (
      loop, sonde_breakpoint_table_enable (&loop->breakpoints, id, enabled) || found, id, error);
}

static gboolean
target_ignore (SondeLiveTarget *target, guint id, guint64 count, GError **error)
{
  SondeLiveLoop *loop = loop_of_target (target);
  gboolean found = sonde_watch_table_change (&loop->watches, id, SONDE_WATCH_IGNORE, count);

  return check_found (loop, sonde_breakpoint_table_ignore (&loop->breakpoints, id, count) || found,
                      id, error);
}

static gboolean
add_watch (SondeLiveLoop *loop, const char *text, GPtrArray *added, GError **error)
{
  g_autoptr (SondeArmedWatch) watch = NULL;

  if (!sonde_watch_table_has_room (&loop->watches, error))
    return FALSE;
  watch = sonde_armed_watch_new (text, error);
  if (watch == NULL)
    return FALSE;
  g_ptr_array_add (added, watch);
  sonde_watch_table_add (&loop->watches, g_steal_pointer (&watch), ++loop->last_id);
  loop->arming++;
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

void
sonde_live_loop_init_target (SondeLiveLoop *loop)
{
  loop->target.klass = &target_class;
}
