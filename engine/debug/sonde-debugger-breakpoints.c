/* SPDX-License-Identifier: Apache-2.0
 * Adding, changing and removing breakpoints and watches, which share ids. */
#include <string.h>

#include "engine/debug/sonde-debugger-private.h"
#include "engine/debug/run/sonde-location-match.h"
#include "engine/debug/watches/sonde-watch-names.h"
#include "engine/debug/sonde-watch.h"

/* ---- breakpoints --------------------------------------------------------- */

GPtrArray *
sonde_debugger_get_breakpoints (SondeDebugger *debugger)
{
  return debugger->breakpoints.list;
}

const SondeBreakpoint *
sonde_debugger_add_breakpoint (SondeDebugger *debugger, const SondeBreakpointSpec *spec,
                               GError **error)
{
  const SondeArmedBreakpoint *breakpoint;

  if (sonde_debugger_get_execution (debugger) == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Nothing is open to stop.");
      return NULL;
    }
  if (g_str_equal (spec->pattern, SONDE_BREAKPOINT_ERRORS))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "A run of Sonde's engine stands at a node that fails by itself, at its end: "
                       "nothing has to be caught.");
      return NULL;
    }
  breakpoint = sonde_breakpoint_locations_add (&debugger->breakpoint_locations, spec,
                                               debugger->last_id + 1, error);
  if (breakpoint == NULL)
    return NULL;
  debugger->last_id++;
  sonde_debuggee_refresh (&debugger->debuggee);
  return &breakpoint->info;
}

void
sonde_debugger_set_log_callback (SondeDebugger *debugger, SondeBreakpointLog callback,
                                 gpointer data)
{
  debugger->breakpoints.log = callback;
  debugger->breakpoints.log_data = data;
}

/* ---- watches ------------------------------------------------------------- */

static void
set_nothing_error (SondeArmedWatch *watch, SondeGraph *graph, GError **error)
{
  const char *pattern = watch->info.pattern,
             *nearest = pattern != NULL ? sonde_nearest_in_graph (pattern, graph) : NULL;
  const char *target = sonde_armed_watch_target_name (watch);

  if (error != NULL && *error != NULL)
    return;
  if (pattern == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no %-s here that %s could look at.", target, watch->info.text);
  else if (nearest != NULL && strpbrk (pattern, "*?[:") == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "No %-s is called “%s”; the nearest name is “%s”.", target, pattern, nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "No %-s matches “%s”; info values lists names, op:TYPE and "
                     "kind:weight|gradient|activation|update|state|input|"
                     "output|tensor are understood too.",
                     target, pattern);
}

/* What it looks at is in bodies, whose plans come when they first run. */
static gboolean
is_inside (const SondeArmedWatch *watch, const SondeGraph *graph)
{
  if (watch->info.pattern == NULL)
    return watch->expression != NULL && sonde_expression_get_n_references (watch->expression) > 0;
  return sonde_watch_matches_inside (graph, watch->info.pattern,
                                     watch->expression != NULL ? SONDE_TARGET_TENSOR
                                                               : watch->condition.klass->target);
}

/* In all plans that have run, and in the present one. */
static gboolean
arm_watch (SondeWatchList *list, SondeArmedWatch *watch, GError **error)
{
  SondePlan *plan = sonde_execution_get_plan (sonde_debuggee_get_execution (list->debuggee));
  SondeGraph *graph = sonde_plan_get_graph (plan);
  SondeWatchTargets *present = sonde_watch_list_get_targets (list, plan);
  GHashTableIter iter;
  gpointer targets;

  if (watch->expression != NULL && !sonde_watch_check_names (&present->watched, watch, error))
    return FALSE;
  watch->info.n_values = sonde_watch_targets_add (present, watch);
  if (watch->info.n_values == 0 && !is_inside (watch, graph))
    {
      set_nothing_error (watch, graph, error);
      return FALSE;
    }
  g_hash_table_iter_init (&iter, list->targets);
  while (g_hash_table_iter_next (&iter, NULL, &targets))
    if (targets != present)
      sonde_watch_targets_add (targets, watch);
  return TRUE;
}

static gboolean
add_watch (SondeDebugger *debugger, const char *text, GPtrArray *added, GError **error)
{
  g_autoptr (SondeArmedWatch) watch = NULL;

  if (!sonde_watch_table_has_room (&debugger->watch_table, error))
    return FALSE;
  watch = sonde_armed_watch_new (text, error);
  if (watch == NULL || !arm_watch (&debugger->watches, watch, error))
    return FALSE;
  g_ptr_array_add (added, watch);
  sonde_watch_table_add (&debugger->watch_table, g_steal_pointer (&watch), ++debugger->last_id);
  return TRUE;
}

GPtrArray *
sonde_debugger_add_watches (SondeDebugger *debugger, const char *text, GError **error)
{
  SondeExecution *execution = sonde_debugger_get_execution (debugger);
  g_autoptr (GPtrArray) added = g_ptr_array_new ();
  g_auto (GStrv) texts = NULL;
  gboolean nostop;

  if (execution == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Nothing is open to watch.");
      return NULL;
    }
  if (!sonde_watch_text_is_recommended (text, &nostop))
    {
      if (!add_watch (debugger, text, added, error))
        return NULL;
    }
  else
    {
      texts = sonde_watch_recommend (sonde_execution_get_plan (execution));
      for (guint i = 0; texts[i] != NULL; i++)
        {
          g_autofree char *whole = g_strconcat (texts[i], nostop ? " nostop" : NULL, NULL);

          if (!add_watch (debugger, whole, added, error)
              && !g_error_matches (*error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND))
            return NULL;
          g_clear_error (error);
        }
    }
  sonde_watch_list_attach (&debugger->watches);
  sonde_debuggee_refresh (&debugger->debuggee);
  return g_steal_pointer (&added);
}

GPtrArray *
sonde_debugger_get_watches (SondeDebugger *debugger)
{
  return debugger->watch_table.list;
}

GPtrArray *
sonde_debugger_get_watch_hits (SondeDebugger *debugger, guint id)
{
  return sonde_watch_table_get_hits (&debugger->watch_table, id);
}

/* ---- both ---------------------------------------------------------------- */

static gboolean
finish_change (SondeDebugger *debugger, guint id, gboolean found, GError **error)
{
  if (!found)
    sonde_set_error (
        error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
        "There is no breakpoint %u; info breakpoints and info watches list what there is.", id);
  else
    sonde_debuggee_refresh (&debugger->debuggee);
  return found;
}

static gboolean
change_watches (SondeDebugger *debugger, guint id, SondeWatchChange change, guint64 value)
{
  gboolean found = sonde_watch_table_change (&debugger->watch_table, id, change, value);

  if (found && change != SONDE_WATCH_IGNORE)
    sonde_watch_list_forget_targets (&debugger->watches); /* made again with those that are on */
  return found;
}

gboolean
sonde_debugger_remove_breakpoint (SondeDebugger *debugger, guint id, GError **error)
{
  gboolean found = change_watches (debugger, id, SONDE_WATCH_REMOVE, 0);

  return finish_change (debugger, id,
                        sonde_breakpoint_table_remove (&debugger->breakpoints, id) || found, error);
}

gboolean
sonde_debugger_enable_breakpoint (SondeDebugger *debugger, guint id, gboolean enabled,
                                  GError **error)
{
  gboolean found = change_watches (debugger, id, SONDE_WATCH_ENABLE, enabled);

  return finish_change (
      debugger, id, sonde_breakpoint_table_enable (&debugger->breakpoints, id, enabled) || found,
      error);
}

gboolean
sonde_debugger_ignore_breakpoint (SondeDebugger *debugger, guint id, guint64 count, GError **error)
{
  gboolean found = change_watches (debugger, id, SONDE_WATCH_IGNORE, count);

  return finish_change (debugger, id,
                        sonde_breakpoint_table_ignore (&debugger->breakpoints, id, count) || found,
                        error);
}
