/* SPDX-License-Identifier: Apache-2.0
 * What is debugged. */
#include "engine/debug/run/sonde-debuggee.h"

SondeExecution *
sonde_debuggee_get_execution (const SondeDebuggee *debuggee)
{
  if (debuggee->target == NULL)
    return NULL;
  return debuggee->current != NULL ? debuggee->current
                                   : debuggee->target->get_execution (debuggee->target_data);
}

SondeExecution *
sonde_debuggee_get_innermost (const SondeDebuggee *debuggee)
{
  SondeExecution *execution = sonde_debuggee_get_execution (debuggee);
  SondeExecution *inner;

  while (execution != NULL && (inner = sonde_execution_get_inner (execution)) != NULL)
    execution = inner;
  return execution;
}

void
sonde_debuggee_set_original (SondeDebuggee *debuggee, SondeGraph *original)
{
  SondeGraph *old = debuggee->original;

  debuggee->original = original != NULL ? sonde_graph_ref (original) : NULL;
  g_clear_pointer (&old, sonde_graph_unref);
}

SondeGraph *
sonde_debuggee_original_of (const SondeDebuggee *debuggee, SondeExecution *execution)
{
  SondeExecution *parent = sonde_execution_get_parent (execution);
  SondeGraph *around = parent != NULL ? sonde_debuggee_original_of (debuggee, parent) : NULL;
  const SondeNode *node = sonde_execution_get_node (execution);
  const SondeNode *original;

  if (parent == NULL)
    return debuggee->original;
  if (around == NULL)
    return NULL;
  original = sonde_graph_find_node (
      around, node->origins->len > 0 ? g_ptr_array_index (node->origins, 0) : node->name);
  return original != NULL
             ? sonde_node_get_graph (original, sonde_execution_get_body_name (execution))
             : NULL;
}

guint
sonde_debuggee_position_of (const SondeDebuggee *debuggee, SondeExecution *execution)
{
  guint n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (execution));

  if (sonde_execution_get_parent (execution) == NULL && !debuggee->began)
    return 0;
  return MIN (sonde_execution_get_position (execution), n_steps);
}

void
sonde_debuggee_refresh (const SondeDebuggee *debuggee)
{
  if (debuggee->target != NULL)
    debuggee->target->refresh_observers (debuggee->target_data);
}

void
sonde_debuggee_begin_run (SondeDebuggee *debuggee, SondeExecution *execution)
{
  debuggee->current = execution;
  debuggee->step = debuggee->step_source != NULL ? debuggee->step_source (debuggee->step_data)
                                                 : debuggee->step + 1;
  debuggee->began = TRUE;
  debuggee->run
      = debuggee->history != NULL ? debuggee->history->get_run (debuggee->history_data) : 0;
}

guint64
sonde_debuggee_get_step (const SondeDebuggee *debuggee)
{
  if (debuggee->began)
    return debuggee->step;
  return debuggee->step_source != NULL ? debuggee->step_source (debuggee->step_data) : 1;
}

gboolean
sonde_debuggee_reads_steps (const SondeDebuggee *debuggee)
{
  return debuggee->history != NULL && debuggee->history->read_before != NULL;
}

gboolean
sonde_debuggee_is_in_run (const SondeDebuggee *debuggee)
{
  SondeExecution *execution = sonde_debuggee_get_execution (debuggee);
  gboolean in_place = debuggee->history == NULL || debuggee->history->in_place;

  return debuggee->began
         && (sonde_execution_is_running (execution)
             || (in_place
                 && (sonde_execution_get_position (execution) > 0
                     || sonde_execution_get_inner (execution) != NULL)));
}

gboolean
sonde_debuggee_is_at_end (const SondeDebuggee *debuggee)
{
  SondeExecution *execution = sonde_debuggee_get_execution (debuggee);

  return sonde_debuggee_is_in_run (debuggee) && !sonde_execution_is_running (execution)
         && sonde_execution_get_position (execution)
                == sonde_plan_get_n_steps (sonde_execution_get_plan (execution));
}
