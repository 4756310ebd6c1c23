/* SPDX-License-Identifier: Apache-2.0
 * The runner of If, Loop and Scan. */
#include "engine/plan/control/sonde-control.h"
#include "engine/plan/execution/sonde-step-runner.h"

#include <string.h>

typedef SondeRunResult (*RunControl) (SondeControl *control, SondeDeferredRun *run, GError **error);

static const struct
{
  const char *op;
  RunControl run;
} kinds[] = {
  { "If", sonde_control_run_if },
  { "Loop", sonde_control_run_loop },
  { "Scan", sonde_control_run_scan },
  { "BatchScan", sonde_control_run_batch_scan },
};

/* Runs the step or goes on with it, and stores its results. Errors name node and iteration. */
static SondeRunResult
run_control (SondeControl *control, SondeDeferredRun *run, GError **error)
{
  SondeRunResult result = SONDE_RUN_FAILED;

  if (!control->active)
    {
      control->epoch++;
      control->current = NULL; /* of an earlier run */
    }
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kinds[i].op, run->node->op) == 0)
      result = kinds[i].run (control, run, error);

  if (result == SONDE_RUN_PAUSED)
    return result;

  if (result == SONDE_RUN_DONE)
    sonde_run_memory_end_step (run->memory, run->execution, run->index);
  if (result == SONDE_RUN_FAILED && sonde_node_is (run->node, SONDE_OP_ID_IF))
    sonde_prefix_error (error, "node “%s” (%s): ", run->node->name, run->node->op);
  else if (result == SONDE_RUN_FAILED)
    sonde_prefix_error (error, "node “%s” (%s), iteration %" PRIi64 ": ", run->node->name,
                        run->node->op, control->iteration);
  sonde_control_reset (control, run->execution);
  if (result == SONDE_RUN_DONE)
    sonde_run_memory_settle_step (run->memory, run->execution, run->index, control->current);
  return result;
}

/* Beside the run, nothing that the run has in its bodies is touched, and nothing is counted. */
static SondeRunResult
run_beside (SondeDeferredRun *run, GError **error)
{
  SondeControl *control = sonde_control_new (run->step);
  SondeRunMemory *memory = sonde_run_memory_get (run->execution);
  SondeRunResult result;

  if (memory != NULL)
    memory->active = FALSE;
  control->silent = TRUE;
  result = run_control (control, run, error);
  sonde_control_free (control);
  if (memory != NULL)
    memory->active = TRUE;
  return result;
}

static SondeRunResult
run_control_step (SondeExecution *execution, guint index, const SondeStorage *storage,
                  gboolean beside, GError **error)
{
  gpointer *state = sonde_execution_step_state (execution, index);
  g_auto (SondeDeferredRun) run = { NULL };

  if (!sonde_deferred_run_init (&run, execution, index, storage, error))
    return SONDE_RUN_FAILED;
  if (storage != &execution->storage)
    return run_beside (&run, error);
  if (!beside)
    sonde_deferred_run_count (&run);

  if (*state == NULL)
    *state = sonde_control_new (run.step);
  return run_control (*state, &run, error);
}

static void
free_state (SondeExecution *execution, gpointer state)
{
  sonde_control_reset (state, execution);
  sonde_control_free (state);
}

static void
reset (SondeExecution *execution, gpointer state)
{
  sonde_control_reset (state, execution);
}

static void
foreach_body (gpointer state, void (*visit) (SondeExecution *body, gpointer data), gpointer data)
{
  const SondeControl *control = state;

  for (guint k = 0; k < control->bodies->len; k++)
    sonde_body_foreach (g_ptr_array_index (control->bodies, k), visit, data);
}

static SondeExecution *
get_body (gpointer state)
{
  return ((SondeControl *) state)->current;
}

const SondeStepRunner sonde_control_runner = {
  .run = run_control_step,
  .free_state = free_state,
  .reset = reset,
  .foreach_body = foreach_body,
  .get_body = get_body,
};
