/* SPDX-License-Identifier: Apache-2.0
 * Loop: a body as long as its condition holds, at most as often as the trip count says. Between
 * iterations a loop can be interrupted, even when its body has no steps. */
#include "engine/plan/control/sonde-control.h"

#include "engine/ops/control/sonde-op-control.h"

/* A scalar, or one element where the body says so. */
static SondeValue *
make_scalar (SondeControl *control, guint input, SondeDtype dtype, gint64 number)
{
  SondeGraph *graph = sonde_body_get_graph (g_ptr_array_index (control->bodies, 0));
  const SondeGraphValue *formal = g_ptr_array_index (graph->inputs, input);
  SondeShape shape = { .rank = formal->type.rank == 1 ? 1 : 0, .dims = { 1 } };
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (dtype, &shape);

  if (dtype == SONDE_DTYPE_I64)
    *(gint64 *) (void *) tensor->data = number;
  else
    *tensor->data = number != 0;
  return sonde_value_new_tensor (tensor);
}

static gboolean
read_control (SondeControl *control, SondeDeferredRun *run, GError **error)
{
  SondeTensor *trips = run->node->inputs->len > 0 ? sonde_value_get_tensor (run->values[0]) : NULL;
  SondeTensor *condition
      = run->node->inputs->len > 1 ? sonde_value_get_tensor (run->values[1]) : NULL;

  control->length = G_MAXINT64;
  if (trips != NULL && sonde_tensor_n_elements (trips) == 1
      && sonde_dtype_is_integer (trips->dtype))
    control->length = sonde_tensor_get_int (trips, 0);
  else if (trips != NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "its trip count must be a single integer");
      return FALSE;
    }

  control->condition = condition == NULL || sonde_control_is_true (condition);
  return TRUE;
}

static gboolean
begin (SondeControl *control, SondeDeferredRun *run, GError **error)
{
  SondeGraph *graph = sonde_body_get_graph (g_ptr_array_index (control->bodies, 0));
  guint n_carried = run->node->inputs->len > 2 ? run->node->inputs->len - 2 : 0;

  if (graph->inputs->len != n_carried + 2 || graph->outputs->len < n_carried + 1)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "its body takes %u and gives %u values, which do not go with %u carried ones",
          graph->inputs->len, graph->outputs->len, n_carried);
      return FALSE;
    }

  sonde_control_begin (control, run, n_carried, graph->outputs->len - 1 - n_carried, -1);
  for (guint k = 0; k < n_carried; k++)
    control->carried[k] = run->values[k + 2] != NULL ? sonde_value_ref (run->values[k + 2]) : NULL;
  sonde_control_count_carried (control, run);
  control->active = TRUE;
  return read_control (control, run, error);
}

/* One iteration, or the rest of one. */
static SondeRunResult
iterate (SondeControl *control, SondeDeferredRun *run, GError **error)
{
  g_autofree SondeValue **inputs = g_new0 (SondeValue *, control->n_carried + 2);
  g_autoptr (SondeValue) number = NULL, truth = NULL, condition = NULL;
  SondeRunResult result;

  if (!control->inside)
    {
      inputs[0] = number = make_scalar (control, 0, SONDE_DTYPE_I64, control->iteration);
      inputs[1] = truth = make_scalar (control, 1, SONDE_DTYPE_BOOL, TRUE);
      for (guint k = 0; k < control->n_carried; k++)
        inputs[k + 2] = control->carried[k];
    }

  result = sonde_control_run_body (control, run, 0, inputs, control->n_carried + 2, error);
  if (result != SONDE_RUN_DONE)
    return result;

  condition = sonde_body_read_result (control->current, 0, error);
  if (condition == NULL || !sonde_control_collect (control, run, 1, error))
    return SONDE_RUN_FAILED;

  control->condition = sonde_value_get_tensor (condition) == NULL
                       || sonde_control_is_true (sonde_value_get_tensor (condition));
  control->iteration++;
  return SONDE_RUN_DONE;
}

static gboolean
store_results (SondeControl *control, SondeDeferredRun *run, GError **error)
{
  for (guint k = 0; k < control->n_carried; k++)
    if (!sonde_control_store_carried (control, run, k, error))
      return FALSE;

  for (guint k = control->n_carried; k < run->node->outputs->len; k++)
    {
      g_autoptr (SondeTensor) tensor = NULL;

      if (sonde_node_get_output (run->node, k) == NULL)
        continue;

      tensor = sonde_control_finish_stack (control, control->stacks[k - control->n_carried], k + 1,
                                           0, FALSE, error);
      if (tensor == NULL || !sonde_deferred_store (run, k, sonde_value_new_tensor (tensor), error))
        return FALSE;
    }

  return TRUE;
}

SondeRunResult
sonde_control_run_loop (SondeControl *control, SondeDeferredRun *run, GError **error)
{
  if (!control->active && !begin (control, run, error))
    return SONDE_RUN_FAILED;

  while (control->inside || (control->iteration < control->length && control->condition))
    {
      SondeRunResult result;

      if (sonde_control_take_interrupt (control, run))
        return SONDE_RUN_PAUSED;

      result = iterate (control, run, error);
      if (result != SONDE_RUN_DONE)
        return result;
    }

  sonde_control_begin_results (control, run);
  return store_results (control, run, error) ? SONDE_RUN_DONE : SONDE_RUN_FAILED;
}
