/* SPDX-License-Identifier: Apache-2.0
 * If: one of two bodies, once. */
#include "engine/plan/control/sonde-control.h"

#include "engine/ops/control/sonde-op-control.h"

static gboolean
store_results (SondeControl *control, SondeDeferredRun *run, GError **error)
{
  for (guint k = 0; k < run->node->outputs->len; k++)
    {
      SondeValue *value;

      if (sonde_node_get_output (run->node, k) == NULL)
        continue;

      value = sonde_body_read_result (control->current, k, error);
      if (value == NULL || !sonde_deferred_store (run, k, value, error))
        return FALSE;
    }

  return TRUE;
}

/* Attributes may stand in any order. */
static guint
find_body (SondeControl *control, SondeDeferredRun *run, const char *name)
{
  SondeGraph *graph = sonde_node_get_graph (run->node, name);

  for (guint i = 0; i < control->bodies->len; i++)
    if (sonde_body_get_graph (g_ptr_array_index (control->bodies, i)) == graph)
      return i;

  g_assert_not_reached ();
}

SondeRunResult
sonde_control_run_if (SondeControl *control, SondeDeferredRun *run, GError **error)
{
  SondeTensor *condition = sonde_value_get_tensor (run->values[0]);
  SondeRunResult result;

  if (condition == NULL || sonde_tensor_n_elements (condition) != 1)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "its condition must be a single boolean");
      return SONDE_RUN_FAILED;
    }

  control->active = TRUE;
  result = sonde_control_run_body (
      control, run,
      find_body (control, run, sonde_control_is_true (condition) ? "then_branch" : "else_branch"),
      NULL, 0, error);
  if (result != SONDE_RUN_DONE)
    return result;

  sonde_run_memory_mark (run->memory);
  sonde_control_end_body (control, run);
  sonde_control_begin_results (control, run);
  return store_results (control, run, error) ? SONDE_RUN_DONE : SONDE_RUN_FAILED;
}
