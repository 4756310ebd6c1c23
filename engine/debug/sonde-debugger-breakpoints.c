/* SPDX-License-Identifier: Apache-2.0
 * The list of breakpoints, and which of them a place of the run hits. */
#include "engine/debug/sonde-watch-private.h"

static void
places_free (void *places)
{
  if (places != NULL)
    g_array_unref (places);
}

static void
breakpoint_free (void *data)
{
  SondeArmedBreakpoint *breakpoint = data;

  sonde_breakpoint_disarm (breakpoint->debugger, breakpoint);
  g_ptr_array_unref (breakpoint->places);
  g_free (breakpoint->info.pattern);
  g_free (breakpoint);
}

GPtrArray *
sonde_debugger_get_breakpoints (SondeDebugger *debugger)
{
  if (debugger->breakpoints == NULL)
    debugger->breakpoints = g_ptr_array_new_with_free_func (breakpoint_free);
  return debugger->breakpoints;
}

const GArray *
sonde_debugger_places (SondeDebugger *debugger, GPtrArray *by_index, guint index,
                       const char *pattern, SondeMoment moment)
{
  g_ptr_array_set_free_func (by_index, places_free);
  if (by_index->len <= index)
    g_ptr_array_set_size (by_index, (int) index + 1);
  if (by_index->pdata[index] == NULL)
    by_index->pdata[index]
        = sonde_place_index_find (g_ptr_array_index (debugger->indices, index), pattern, moment);
  return by_index->pdata[index];
}

const GArray *
sonde_debugger_breakpoint_places (SondeDebugger *debugger, SondeArmedBreakpoint *breakpoint,
                                  guint index)
{
  return sonde_debugger_places (debugger, breakpoint->places, index, breakpoint->info.pattern,
                                breakpoint->info.moment);
}

guint
sonde_debugger_count_inside (SondeDebugger *debugger, const char *pattern)
{
  SondeExecution *outermost = sonde_debugger_get_execution (debugger);
  guint n = sonde_places_count_inside (sonde_plan_get_graph (sonde_execution_get_plan (outermost)),
                                       pattern);

  return n == 0 && debugger->original != NULL
             ? sonde_places_count_inside (debugger->original, pattern)
             : n;
}

static SondeArmedBreakpoint *
breakpoint_new (SondeDebugger *debugger, const SondeBreakpointSpec *spec)
{
  SondeArmedBreakpoint *breakpoint = g_new0 (SondeArmedBreakpoint, 1);

  breakpoint->debugger = debugger;
  breakpoint->places = g_ptr_array_new ();
  breakpoint->info.pattern = g_strdup (spec->pattern);
  breakpoint->info.moment = spec->either ? SONDE_MOMENT_BEFORE : spec->moment;
  breakpoint->info.temporary = spec->temporary;
  breakpoint->info.ignore = spec->ignore;
  breakpoint->info.enabled = TRUE;
  return breakpoint;
}

/* Looks for its places and parses what it says. */
static gboolean
set_up (SondeDebugger *debugger, SondeArmedBreakpoint *breakpoint, const SondeBreakpointSpec *spec,
        guint index, GError **error)
{
  breakpoint->info.n_positions = sonde_debugger_breakpoint_places (debugger, breakpoint, index)->len
                                 + sonde_debugger_count_inside (debugger, spec->pattern);
  if (breakpoint->info.n_positions == 0)
    {
      sonde_place_index_set_error (g_ptr_array_index (debugger->indices, index), spec->pattern,
                                   error);
      return FALSE;
    }
  if (!sonde_breakpoint_arm (debugger, breakpoint, spec, error))
    return FALSE;
  if (!spec->either)
    return TRUE;
  sonde_breakpoint_choose_moment (debugger, breakpoint,
                                  sonde_debugger_breakpoint_places (debugger, breakpoint, index));
  g_ptr_array_set_size (breakpoint->places, 0); /* they depend on it */
  return TRUE;
}

const SondeBreakpoint *
sonde_debugger_add_breakpoint (SondeDebugger *debugger, const SondeBreakpointSpec *spec,
                               GError **error)
{
  GPtrArray *list = sonde_debugger_get_breakpoints (debugger);
  SondeExecution *execution = sonde_debugger_get_execution (debugger);
  SondeArmedBreakpoint *breakpoint;

  if (execution == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                           "Nothing is open that could be stopped.");
      return NULL;
    }
  if (list->len >= SONDE_DEBUGGER_MAX_BREAKPOINTS)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                   "There are %u breakpoints already; clear some first.", list->len);
      return NULL;
    }
  breakpoint = breakpoint_new (debugger, spec);
  if (!set_up (debugger, breakpoint, spec, sonde_debugger_index_of (debugger, execution), error))
    {
      breakpoint_free (breakpoint);
      return NULL;
    }
  breakpoint->info.id = ++debugger->next_id;
  sonde_breakpoint_keep (debugger, breakpoint);
  g_ptr_array_add (list, breakpoint);
  sonde_debugger_refresh (debugger);
  return &breakpoint->info;
}

/* Calls @change on the breakpoint or watch @id, or on all. FALSE with @error when there is none of
 * that id. */
static gboolean
change_breakpoints (SondeDebugger *debugger, guint id, SondeWatchChange of_watch,
                    void (*change) (SondeBreakpoint *breakpoint, guint64 value), guint64 value,
                    GError **error)
{
  GPtrArray *list = sonde_debugger_get_breakpoints (debugger);
  gboolean found = sonde_watch_list_change (debugger->watches, id, of_watch, value) || id == 0;

  for (guint i = 0; i < list->len; i++)
    {
      SondeBreakpoint *breakpoint = g_ptr_array_index (list, i);

      if (id != 0 && breakpoint->id != id)
        continue;
      change (breakpoint, value);
      found = TRUE;
    }
  if (!found)
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                 "There is no breakpoint %u; info breakpoints and info watches list what there is.",
                 id);
  else
    sonde_debugger_refresh (debugger);
  return found;
}

static void
set_enabled (SondeBreakpoint *breakpoint, guint64 value)
{
  breakpoint->enabled = value != 0;
}

static void
set_ignore (SondeBreakpoint *breakpoint, guint64 value)
{
  breakpoint->ignore = value;
}

gboolean
sonde_debugger_enable_breakpoint (SondeDebugger *debugger, guint id, gboolean enabled,
                                  GError **error)
{
  return change_breakpoints (debugger, id, SONDE_WATCH_ENABLE, set_enabled, enabled, error);
}

gboolean
sonde_debugger_ignore_breakpoint (SondeDebugger *debugger, guint id, guint64 count, GError **error)
{
  return change_breakpoints (debugger, id, SONDE_WATCH_IGNORE, set_ignore, count, error);
}

static void
keep (SondeBreakpoint *breakpoint, guint64 value)
{
}

gboolean
sonde_debugger_remove_breakpoint (SondeDebugger *debugger, guint id, GError **error)
{
  GPtrArray *list = sonde_debugger_get_breakpoints (debugger);

  if (!change_breakpoints (debugger, id, SONDE_WATCH_REMOVE, keep, 0, error))
    return FALSE;
  for (guint i = list->len; i > 0; i--)
    {
      SondeBreakpoint *breakpoint = g_ptr_array_index (list, i - 1);

      if (id == 0 || breakpoint->id == id)
        g_ptr_array_remove_index (list, i - 1);
    }
  sonde_debugger_refresh (debugger);
  return TRUE;
}

/* ---- hits ---------------------------------------------------------------- */

static const SondeStep *
step_of_place (SondeDebugger *debugger, guint index, const SondePlace *place)
{
  const SondePlaceIndex *places = g_ptr_array_index (debugger->indices, index);

  return sonde_plan_get_step (places->plan, place->step);
}

static const SondeNode *
node_of_place (SondeDebugger *debugger, guint index, const SondePlace *place)
{
  const SondeStep *step = step_of_place (debugger, index, place);

  return place->node != NULL || step->n_nodes == 0 ? place->node : step->nodes[step->n_nodes - 1];
}

const SondeNode *
sonde_debugger_count_hits (SondeDebugger *debugger, guint index, guint step, SondeMoment moment)
{
  GPtrArray *list = sonde_debugger_get_breakpoints (debugger);
  const SondeNode *node = NULL, *found;

  if (debugger->hits->len == 0)
    g_clear_pointer (&debugger->condition_error, g_free);
  for (guint i = 0; i < list->len; i++)
    {
      SondeArmedBreakpoint *breakpoint = g_ptr_array_index (list, i);
      const SondePlace *place;

      if (!breakpoint->info.enabled)
        continue;
      place = sonde_places_at (sonde_debugger_breakpoint_places (debugger, breakpoint, index), step,
                               moment);
      if (place == NULL)
        continue;
      found = node_of_place (debugger, index, place);
      if (!sonde_breakpoint_comes_by (debugger, breakpoint,
                                      found != NULL ? found->name
                                                    : step_of_place (debugger, index, place)->name))
        continue;
      g_array_append_val (debugger->hits, breakpoint->info.id);
      if (node == NULL)
        node = found;
    }
  return node;
}

void
sonde_debugger_drop_temporary (SondeDebugger *debugger)
{
  GPtrArray *list = sonde_debugger_get_breakpoints (debugger);

  for (guint i = list->len; i > 0; i--)
    {
      const SondeBreakpoint *breakpoint = g_ptr_array_index (list, i - 1);
      gboolean hit = FALSE;

      for (guint h = 0; h < debugger->hits->len; h++)
        hit = hit || g_array_index (debugger->hits, guint, h) == breakpoint->id;
      if (hit && breakpoint->temporary)
        g_ptr_array_remove_index (list, i - 1);
    }
}
