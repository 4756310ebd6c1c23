/* SPDX-License-Identifier: Apache-2.0
 * The runner of deferred steps: a kernel for the types of the operands, or the reference for what no
 * device has kernels for. */
#include "engine/plan/deferred/sonde-deferred-kernels.h"
#include "engine/plan/execution/sonde-step-runner.h"

static gboolean
all_numbers (const SondeDeferredRun *run)
{
  for (guint i = 0; i < run->node->inputs->len; i++)
    {
      const SondeTensor *tensor = sonde_value_get_tensor (run->values[i]);

      if (run->values[i] != NULL && (tensor == NULL || tensor->dtype == SONDE_DTYPE_STRING))
        return FALSE;
    }

  return TRUE;
}

/* Whether an output is planned as something else than numbers: strings made of numbers. */
static gboolean
makes_numbers (const SondeDeferredRun *run)
{
  for (guint k = 0; k < run->node->outputs->len; k++)
    {
      const SondeGraphValue *value = sonde_node_get_output (run->node, k);

      if (value != NULL
          && (value->type.dtype == SONDE_DTYPE_STRING
              || (value->type.kind != SONDE_VALUE_TENSOR && value->type.kind != SONDE_VALUE_NONE)))
        return FALSE;
    }

  return TRUE;
}

/* Kernels of values may keep what they are given. */
static void
unwrap (SondeDeferredRun *run)
{
  for (guint i = 0; i < run->node->inputs->len; i++)
    if (run->wrapped[i])
      {
        g_autoptr (SondeValue) wrapped = run->values[i];
        g_autoptr (SondeTensor) copy = sonde_tensor_copy (sonde_value_get_tensor (wrapped));

        run->values[i] = sonde_value_new_tensor (copy);
        sonde_run_memory_take (run->memory, run->values[i]);
        run->wrapped[i] = FALSE;
      }
}

static gboolean
store_results (SondeDeferredRun *run, SondeValue **results, GError **error)
{
  for (guint k = 0; k < run->node->outputs->len; k++)
    {
      const SondeGraphValue *value = sonde_node_get_output (run->node, k);

      if (value == NULL)
        continue;

      if (results[k] == NULL)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_DEVICE,
                           "node “%s” (%s) produced nothing for its output “%s”", run->node->name,
                           run->node->op, value->name);
          return FALSE;
        }

      if (!sonde_deferred_store (run, k, g_steal_pointer (&results[k]), error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
run_reference (SondeDeferredRun *run, GError **error)
{
  guint n_outputs = run->node->outputs->len;
  g_autofree SondeValue **results = g_new0 (SondeValue *, n_outputs + 1);
  gboolean good;

  if (run->step->klass->compute_values != NULL)
    unwrap (run);
  good = sonde_op_run_reference_values (run->node, run->values, run->node->inputs->len,
                                        run->execution->run_seed, run->execution->run_counter,
                                        results, n_outputs, error)
         && store_results (run, results, error);
  for (guint k = 0; k < n_outputs; k++)
    sonde_value_unref (results[k]);
  return good;
}

static gboolean
run_kernels (SondeDeferredRun *run, GError **error)
{
  gpointer *state = sonde_execution_step_state (run->execution, run->index);

  if (*state == NULL)
    *state = sonde_deferred_kernels_new (run->execution->plan->graph, run->node);
  return sonde_deferred_kernels_run (*state, run, error);
}

static gboolean
is_for_reference (const SondeDeferredRun *run)
{
  const SondeOpClass *klass = run->step->klass;

  return klass->compute == NULL || (klass->flags & SONDE_OP_DYNAMIC) != 0 || !all_numbers (run)
         || !makes_numbers (run);
}

static SondeRunResult
run_deferred_step (SondeExecution *execution, guint index, const SondeStorage *storage,
                   gboolean beside, GError **error)
{
  g_auto (SondeDeferredRun) run = { NULL };

  if (!sonde_deferred_run_init (&run, execution, index, storage, error))
    return SONDE_RUN_FAILED;

  if (!beside)
    sonde_deferred_run_count (&run);
  if (!(is_for_reference (&run) ? run_reference (&run, error) : run_kernels (&run, error)))
    return SONDE_RUN_FAILED;
  sonde_run_memory_end_step (run.memory, execution, index);
  return SONDE_RUN_DONE;
}

static void
free_kernels (SondeExecution *execution, gpointer state)
{
  sonde_deferred_kernels_free (state, execution->plan->device);
}

static guint64
count_kept (SondeExecution *execution, gpointer state)
{
  return sonde_deferred_kernels_count_kept (state);
}

const SondeStepRunner sonde_deferred_runner = {
  .run = run_deferred_step,
  .free_state = free_kernels,
  .count_kept = count_kept,
};
