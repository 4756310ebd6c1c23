/* SPDX-License-Identifier: Apache-2.0
 * Names -> locations on all plans of a debuggee. */
#include "engine/debug/run/sonde-plan-locations-private.h"

#include "engine/debug/run/sonde-location-match.h"
#include "engine/debug/run/sonde-step-scope.h"

void
sonde_location_index_init (SondeLocationIndex *index, const SondeDebuggee *debuggee)
{
  index->debuggee = debuggee;
  index->plans = g_ptr_array_new_with_free_func (sonde_plan_locations_free);
}

void
sonde_location_index_clear (SondeLocationIndex *index)
{
  g_clear_pointer (&index->plans, g_ptr_array_unref);
}

static SondePlanLocations *
get_plan (const SondeLocationIndex *index, guint plan)
{
  return g_ptr_array_index (index->plans, plan);
}

guint
sonde_location_index_of (SondeLocationIndex *index, SondeExecution *execution)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  SondePlanLocations *made;

  for (guint i = 0; i < index->plans->len; i++)
    if (get_plan (index, i)->plan == plan)
      return i;
  made = sonde_plan_locations_new (plan, sonde_debuggee_original_of (index->debuggee, execution));
  made->is_body = sonde_execution_get_parent (execution) != NULL;
  made->base = g_strdup (sonde_execution_scope (execution));
  g_ptr_array_add (index->plans, made);
  return index->plans->len - 1;
}

GArray *
sonde_location_index_find (SondeLocationIndex *index, guint plan, const char *pattern,
                           SondeMoment moment)
{
  return sonde_plan_locations_find (get_plan (index, plan), pattern, moment);
}

static void
free_locations (gpointer locations)
{
  if (locations != NULL)
    g_array_unref (locations);
}

const GArray *
sonde_location_index_lookup (SondeLocationIndex *index, GPtrArray *by_plan, guint plan,
                             const char *pattern, SondeMoment moment)
{
  g_ptr_array_set_free_func (by_plan, free_locations);
  if (by_plan->len <= plan)
    g_ptr_array_set_size (by_plan, (int) plan + 1);
  if (by_plan->pdata[plan] == NULL)
    by_plan->pdata[plan] = sonde_location_index_find (index, plan, pattern, moment);
  return by_plan->pdata[plan];
}

guint
sonde_location_index_count_inside (const SondeLocationIndex *index, const char *pattern)
{
  SondeExecution *outermost = sonde_debuggee_get_execution (index->debuggee);
  guint n = sonde_match_count_inside (sonde_plan_get_graph (sonde_execution_get_plan (outermost)),
                                      pattern);

  return n == 0 && index->debuggee->original != NULL
             ? sonde_match_count_inside (index->debuggee->original, pattern)
             : n;
}

void
sonde_location_index_set_error (SondeLocationIndex *index, guint plan, const char *pattern,
                                GError **error)
{
  sonde_plan_locations_set_error (get_plan (index, plan), pattern, error);
}

const SondeNode *
sonde_location_index_node (const SondeLocationIndex *index, guint plan,
                           const SondeLocation *location)
{
  const SondeStep *step = sonde_plan_get_step (get_plan (index, plan)->plan, location->step);

  return location->node != NULL || step->n_nodes == 0 ? location->node
                                                      : step->nodes[step->n_nodes - 1];
}

const char *
sonde_location_index_name (const SondeLocationIndex *index, guint plan,
                           const SondeLocation *location)
{
  const SondeNode *node = sonde_location_index_node (index, plan, location);

  return node != NULL ? node->name
                      : sonde_plan_get_step (get_plan (index, plan)->plan, location->step)->name;
}
