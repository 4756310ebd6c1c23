/* SPDX-License-Identifier: Apache-2.0
 * How a step of a plan runs. There is one runner for each kind of step, a constant table; a step is
 * given its runner when the plan is made, and an execution runs its steps, and reaches the bodies
 * inside them, through the runner alone. */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"

G_BEGIN_DECLS

/**
 * SondeStepRunner:
 * @run: runs step @index on @storage: DONE; PAUSED inside a body; STOPPED; FAILED with an error that
 *   names step or node. @beside: values of other steps lie where the step's scratch lies in the run
 * @free_state: (nullable): frees what it keeps of a step
 * @reset: (nullable): gives up a run that paused inside the step
 * @foreach_body: (nullable): calls @visit for the executions of the step's bodies
 * @count_kept: (nullable): bytes of the device that it keeps from run to run, beside what is planned
 * @get_body: (nullable): the execution of the body that runs or ran last (nullable)
 */
struct _SondeStepRunner
{
  SondeRunResult (*run) (SondeExecution *execution, guint index, const SondeStorage *storage,
                         gboolean beside, GError **error);
  void (*free_state) (SondeExecution *execution, gpointer state);
  void (*reset) (SondeExecution *execution, gpointer state);
  void (*foreach_body) (gpointer state, void (*visit) (SondeExecution *body, gpointer data),
                        gpointer data);
  guint64 (*count_kept) (SondeExecution *execution, gpointer state);
  SondeExecution *(*get_body) (gpointer state);
};

extern const SondeStepRunner sonde_kernel_runner, sonde_reorder_runner, sonde_idle_runner,
    sonde_deferred_runner, sonde_control_runner;

static inline SondeRunResult
sonde_execution_run_step (SondeExecution *execution, guint index, const SondeStorage *storage,
                          gboolean beside, GError **error)
{
  return sonde_plan_step (execution->plan, index)
      ->runner->run (execution, index, storage, beside, error);
}

/* Where the runner of step @index keeps its state; NULL at first. */
gpointer *sonde_execution_step_state (SondeExecution *execution, guint index);

G_END_DECLS
