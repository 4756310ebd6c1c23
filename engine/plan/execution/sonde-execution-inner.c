/* SPDX-License-Identifier: Apache-2.0
 * From an execution to those of the bodies of its nodes, and back. */
#include "engine/plan/execution/sonde-execution-inner.h"

#include "engine/plan/execution/sonde-step-runner.h"

gpointer *
sonde_execution_step_state (SondeExecution *execution, guint index)
{
  if (execution->step_state == NULL)
    execution->step_state = g_new0 (gpointer, execution->plan->steps->len + 1);
  return &execution->step_state[index];
}

static gpointer
peek_state (SondeExecution *execution, guint step)
{
  return execution->step_state != NULL ? execution->step_state[step] : NULL;
}

void
sonde_execution_free_step_state (SondeExecution *execution)
{
  for (guint i = 0; execution->step_state != NULL && i < execution->plan->steps->len; i++)
    if (execution->step_state[i] != NULL)
      sonde_plan_step (execution->plan, i)
          ->runner->free_state (execution, execution->step_state[i]);
  g_clear_pointer (&execution->step_state, g_free);
}

void
sonde_execution_foreach_inner (SondeExecution *execution,
                               void (*visit) (SondeExecution *inner, gpointer data), gpointer data)
{
  for (guint i = 0; execution->step_state != NULL && i < execution->plan->steps->len; i++)
    {
      const SondeStepRunner *runner = sonde_plan_step (execution->plan, i)->runner;

      if (execution->step_state[i] != NULL && runner->foreach_body != NULL)
        runner->foreach_body (execution->step_state[i], visit, data);
    }
}

void
sonde_execution_reset_inner (SondeExecution *execution)
{
  for (guint i = 0; execution->step_state != NULL && i < execution->plan->steps->len; i++)
    {
      const SondeStepRunner *runner = sonde_plan_step (execution->plan, i)->runner;

      if (execution->step_state[i] != NULL && runner->reset != NULL)
        runner->reset (execution, execution->step_state[i]);
    }
}

/* The execution of the body of step @step that runs or ran last. */
static SondeExecution *
get_body (SondeExecution *execution, guint step)
{
  const SondeStepRunner *runner = sonde_plan_step (execution->plan, step)->runner;
  gpointer state = peek_state (execution, step);

  return state != NULL && runner->get_body != NULL ? runner->get_body (state) : NULL;
}

SondeExecution *
sonde_execution_get_inner (SondeExecution *execution)
{
  SondeExecution *body;

  if (execution->state != SONDE_EXECUTION_OVER
      || execution->position >= execution->plan->steps->len)
    return execution->inner;

  body = get_body (execution, execution->position);
  return body != NULL && body->state == SONDE_EXECUTION_OVER ? body : NULL;
}

SondeExecution *
sonde_execution_find_inner (SondeExecution *execution, const SondeNode *node)
{
  int step = sonde_plan_find_step (execution->plan, node);

  return step >= 0 ? get_body (execution, (guint) step) : NULL;
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
