/* SPDX-License-Identifier: Apache-2.0
 * From an execution to those of the bodies of its nodes, and back. */
#include "engine/plan/control/sonde-control.h"

static SondeControl *
get_control (SondeExecution *execution, guint step)
{
  return execution->deferred != NULL && execution->deferred[step] != NULL
             ? execution->deferred[step]->control
             : NULL;
}

void
sonde_execution_foreach_inner (SondeExecution *execution,
                               void (*visit) (SondeExecution *inner, gpointer data), gpointer data)
{
  for (guint i = 0; execution->deferred != NULL && i < execution->plan->steps->len; i++)
    {
      SondeControl *control = get_control (execution, i);

      for (guint k = 0; control != NULL && k < control->bodies->len; k++)
        sonde_body_foreach (g_ptr_array_index (control->bodies, k), visit, data);
    }
}

void
sonde_execution_reset_inner (SondeExecution *execution)
{
  for (guint i = 0; execution->deferred != NULL && i < execution->plan->steps->len; i++)
    if (get_control (execution, i) != NULL)
      sonde_control_reset (get_control (execution, i), execution);
}

SondeExecution *
sonde_execution_get_inner (SondeExecution *execution)
{
  SondeControl *control;

  if (execution->state != SONDE_EXECUTION_OVER
      || execution->position >= execution->plan->steps->len)
    return execution->inner;

  control = get_control (execution, execution->position);
  return control != NULL && control->current != NULL
                 && control->current->state == SONDE_EXECUTION_OVER
             ? control->current
             : NULL;
}

SondeExecution *
sonde_execution_find_inner (SondeExecution *execution, const SondeNode *node)
{
  int step = sonde_plan_find_step (execution->plan, node);
  SondeControl *control = step >= 0 ? get_control (execution, (guint) step) : NULL;

  return control != NULL ? control->current : NULL;
}

SondeExecution *
sonde_execution_get_parent (SondeExecution *execution)
{
  return execution->parent;
}

SondeNode *
sonde_execution_get_node (SondeExecution *execution)
{
  return execution->node;
}

const char *
sonde_execution_get_body_name (SondeExecution *execution)
{
  return execution->body_name;
}

guint64
sonde_execution_get_pass (const SondeExecution *execution)
{
  return execution->pass;
}

gint64
sonde_execution_get_iteration (const SondeExecution *execution)
{
  return execution->iteration;
}
