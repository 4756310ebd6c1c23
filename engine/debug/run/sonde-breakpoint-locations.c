/* SPDX-License-Identifier: Apache-2.0
 * Which breakpoints a place of the run hits. */
#include "engine/debug/run/sonde-breakpoint-locations.h"

#include "engine/debug/run/sonde-location-match.h"

/* By plan, looked up once. */
static const GArray *
find_locations (SondeBreakpointLocations *breakpoints, SondeArmedBreakpoint *breakpoint, guint plan)
{
  return sonde_location_index_lookup (breakpoints->locations, breakpoint->places, plan,
                                      breakpoint->info.pattern, breakpoint->info.moment);
}

static void
free_by_plan (gpointer by_plan)
{
  g_ptr_array_unref (by_plan);
}

/* ---- adding -------------------------------------------------------------- */

/* What @breakpoint reads is there, as far as it can be known: values of bodies that have not run
 * cannot. */
static gboolean
check_names (SondeBreakpointLocations *breakpoints, SondeArmedBreakpoint *breakpoint,
             GError **error)
{
  SondeExpression *expression;
  gboolean inside
      = sonde_location_index_count_inside (breakpoints->locations, breakpoint->info.pattern) > 0;

  for (guint k = 0;
       !inside && (expression = sonde_armed_breakpoint_get_expression (breakpoint, k)) != NULL; k++)
    for (guint r = 0; r < sonde_expression_get_n_references (expression); r++)
      {
        const SondeReference *reference = sonde_expression_get_reference (expression, r);
        g_autofree char *slice = NULL;
        SondeExecution *execution;

        if (reference->glob || g_str_equal (reference->name, "hits")
            || g_str_equal (reference->name, "step"))
          continue;
        if (sonde_value_lookup_find (breakpoints->lookup, reference->name, &execution, &slice,
                                     error)
            == NULL)
          return FALSE;
      }
  return TRUE;
}

/* One of @locations is the step that makes what @reference names, or a node inside a body does. */
static gboolean
is_made_at (SondeBreakpointLocations *breakpoints, const SondeArmedBreakpoint *breakpoint,
            const SondeReference *reference, const GArray *locations)
{
  g_autofree char *slice = NULL;
  SondeExecution *execution;
  SondeGraphValue *value
      = sonde_value_lookup_find (breakpoints->lookup, reference->name, &execution, &slice, NULL);
  int step = value != NULL && value->producer != NULL
                 ? sonde_plan_find_step (sonde_execution_get_plan (execution), value->producer)
                 : -1;

  if (sonde_match_makes_inside (sonde_plan_get_graph (sonde_execution_get_plan (
                                    sonde_debuggee_get_execution (breakpoints->lookup->debuggee))),
                                breakpoint->info.pattern, reference->name))
    return TRUE;
  for (guint i = 0;
       step >= 0 && execution == sonde_debuggee_get_execution (breakpoints->lookup->debuggee)
       && i < locations->len;
       i++)
    if (g_array_index (locations, SondeLocation, i).step == (guint) step)
      return TRUE;
  return FALSE;
}

static void
choose_moment (SondeBreakpointLocations *breakpoints, SondeArmedBreakpoint *breakpoint,
               const GArray *locations)
{
  SondeExpression *expression;

  for (guint k = 0; (expression = sonde_armed_breakpoint_get_expression (breakpoint, k)) != NULL;
       k++)
    for (guint r = 0; r < sonde_expression_get_n_references (expression); r++)
      {
        const SondeReference *reference = sonde_expression_get_reference (expression, r);

        if (!reference->previous && !reference->glob
            && (g_str_equal (reference->name, breakpoint->info.pattern)
                || is_made_at (breakpoints, breakpoint, reference, locations)))
          breakpoint->info.moment = SONDE_MOMENT_AFTER;
      }
}

/* Looks for its locations, and whether what it says is there. */
static gboolean
set_up (SondeBreakpointLocations *breakpoints, SondeArmedBreakpoint *breakpoint,
        const SondeBreakpointSpec *spec, guint plan, GError **error)
{
  const GArray *found = find_locations (breakpoints, breakpoint, plan);

  breakpoint->info.n_positions
      = found->len + sonde_location_index_count_inside (breakpoints->locations, spec->pattern);
  if (breakpoint->info.n_positions == 0)
    {
      sonde_location_index_set_error (breakpoints->locations, plan, spec->pattern, error);
      return FALSE;
    }
  if (!check_names (breakpoints, breakpoint, error))
    return FALSE;
  if (!spec->either)
    return TRUE;
  choose_moment (breakpoints, breakpoint, found);
  g_ptr_array_set_size (breakpoint->places, 0); /* they depend on it */
  return TRUE;
}

/* The texts of @spec are wrong: where its place is wrong, too, that comes first. */
static void
set_text_error (SondeBreakpointLocations *breakpoints, const char *pattern, guint plan,
                GError *wrong, GError **error)
{
  g_autoptr (GArray) found
      = sonde_location_index_find (breakpoints->locations, plan, pattern, SONDE_MOMENT_BEFORE);

  if (found->len > 0 || sonde_location_index_count_inside (breakpoints->locations, pattern) > 0)
    {
      g_propagate_error (error, wrong);
      return;
    }
  g_error_free (wrong);
  sonde_location_index_set_error (breakpoints->locations, plan, pattern, error);
}

SondeArmedBreakpoint *
sonde_breakpoint_locations_add (SondeBreakpointLocations *breakpoints,
                                const SondeBreakpointSpec *spec, guint id, GError **error)
{
  SondeExecution *execution = sonde_debuggee_get_execution (breakpoints->lookup->debuggee);
  guint plan = sonde_location_index_of (breakpoints->locations, execution);
  g_autoptr (SondeArmedBreakpoint) breakpoint = NULL;
  SondeExpression *expression;
  GError *wrong = NULL;

  if (!sonde_breakpoint_table_has_room (breakpoints->table, error))
    return NULL;
  breakpoint = sonde_armed_breakpoint_new (spec, &wrong);
  if (breakpoint == NULL)
    {
      set_text_error (breakpoints, spec->pattern, plan, wrong, error);
      return NULL;
    }
  breakpoint->places = g_ptr_array_new ();
  breakpoint->free_places = free_by_plan;
  if (!set_up (breakpoints, breakpoint, spec, plan, error))
    return NULL;
  for (guint k = 0; (expression = sonde_armed_breakpoint_get_expression (breakpoint, k)) != NULL;
       k++)
    sonde_previous_values_keep_references (breakpoints->previous, expression,
                                           NULL); /* else it is unknown, and says why */
  sonde_breakpoint_table_add (breakpoints->table, breakpoint, id);
  return g_steal_pointer (&breakpoint);
}

/* ---- in the run ---------------------------------------------------------- */

guint
sonde_breakpoint_locations_want (SondeBreakpointLocations *breakpoints, SondeExecution *execution,
                                 guint step)
{
  const GPtrArray *list = breakpoints->table->list;
  guint plan = sonde_location_index_of (breakpoints->locations, execution);
  guint result = SONDE_WANT_NOTHING;

  for (guint i = 0; i < list->len && result != (SONDE_WANT_BEFORE | SONDE_WANT_AFTER); i++)
    {
      SondeArmedBreakpoint *breakpoint = g_ptr_array_index (list, i);
      const GArray *found = find_locations (breakpoints, breakpoint, plan);

      if (!breakpoint->info.enabled)
        continue;
      if (sonde_locations_at (found, step, SONDE_MOMENT_BEFORE) != NULL)
        result |= SONDE_WANT_BEFORE;
      if (sonde_locations_at (found, step, SONDE_MOMENT_AFTER) != NULL)
        result |= SONDE_WANT_AFTER;
    }
  return result;
}

const SondeNode *
sonde_breakpoint_locations_count_hits (SondeBreakpointLocations *breakpoints,
                                       SondeExecution *execution, guint step, SondeMoment moment,
                                       gboolean again)
{
  const GPtrArray *list = breakpoints->table->list;
  SondeStopRecord *record = breakpoints->record;
  guint plan = sonde_location_index_of (breakpoints->locations, execution);
  const SondeNode *node = NULL;
  SondeValueSource source;

  if (record->hits->len == 0)
    g_clear_pointer (&record->condition_error, sonde_message_free);
  sonde_value_source_init (&source, breakpoints->lookup, breakpoints->previous);
  for (guint i = 0; i < list->len; i++)
    {
      SondeArmedBreakpoint *breakpoint = g_ptr_array_index (list, i);
      SondePassing passing = { .source = &source.source,
                               .step = breakpoints->lookup->debuggee->step,
                               .again = again,
                               .condition_error = &record->condition_error };
      const SondeLocation *location;

      if (!breakpoint->info.enabled)
        continue;
      location = sonde_locations_at (find_locations (breakpoints, breakpoint, plan), step, moment);
      if (location == NULL)
        continue;
      passing.node = sonde_location_index_name (breakpoints->locations, plan, location);
      if (!sonde_breakpoint_table_pass (breakpoints->table, breakpoint, &passing))
        continue;
      g_array_append_val (record->hits, breakpoint->info.id);
      if (node == NULL)
        node = sonde_location_index_node (breakpoints->locations, plan, location);
    }
  return node;
}
