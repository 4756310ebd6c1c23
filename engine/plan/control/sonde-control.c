/* SPDX-License-Identifier: Apache-2.0
 * What If, Loop and Scan share: their bodies, what is carried and collected, pausing inside. */
#include "engine/plan/control/sonde-control.h"

#include "engine/plan/execution/sonde-execution-run.h"
#include "engine/plan/sonde-run-budget.h"

#include <string.h>

SondeControl *
sonde_control_new (const SondePlanStep *step)
{
  SondeControl *control = g_new0 (SondeControl, 1);
  const SondeNode *node = step->info.nodes[0];

  control->bodies = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_body_free);
  for (guint i = 0; i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = g_ptr_array_index (node->attributes, i);

      /* Loop and Scan take the first one. */
      if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
        g_ptr_array_insert (control->bodies, strcmp (attribute->name, "body") == 0 ? 0 : -1,
                            sonde_body_new (attribute->u.graph, attribute->name, step));
    }

  return control;
}

static void
drop_run (SondeControl *control, SondeExecution *execution)
{
  sonde_control_forget_memory (control, execution);
  for (guint k = 0; k < control->n_carried; k++)
    sonde_value_unref (control->carried[k]);
  for (guint k = 0; k < control->n_stacks; k++)
    sonde_stack_free (control->stacks[k]);
  g_clear_pointer (&control->carried, g_free);
  g_clear_pointer (&control->stacks, g_free);
  control->n_carried = control->n_stacks = 0;
}

void
sonde_control_reset (SondeControl *control, SondeExecution *execution)
{
  drop_run (control, execution);
  g_clear_pointer (&control->gathered, g_ptr_array_unref);
  sonde_run_budget_give_back (execution->budget, control->held);
  control->held = 0;
  if (control->inside)
    sonde_execution_abandon (control->current);
  control->active = control->inside = FALSE;
  if (!control->silent)
    execution->inner = NULL;
}

void
sonde_control_free (SondeControl *control)
{
  if (control == NULL)
    return;

  g_ptr_array_unref (control->bodies);
  g_free (control);
}

void
sonde_control_begin (SondeControl *control, SondeDeferredRun *run, guint n_carried, guint n_stacks,
                     gint64 expected)
{
  drop_run (control, run->execution);
  control->iteration = 0;
  control->condition = TRUE;
  control->n_carried = n_carried;
  control->n_stacks = n_stacks;
  control->carried = g_new0 (SondeValue *, n_carried + 1);
  control->stacks = g_new0 (SondeStack *, n_stacks + 1);
  for (guint k = 0; k < n_stacks; k++)
    control->stacks[k] = sonde_stack_new (run->execution->budget, expected);
}

/* ---- one run of a body --------------------------------------------------- */

SondeRunResult
sonde_control_run_body (SondeControl *control, SondeDeferredRun *run, guint index,
                        SondeValue *const *inputs, guint n_inputs, GError **error)
{
  SondeExecution *outer = run->execution;
  SondeRunResult result;

  if (!control->inside)
    {
      control->current = NULL; /* may be let go for the new one */
      control->current
          = sonde_body_prepare (g_ptr_array_index (control->bodies, index), run, inputs, n_inputs,
                                control->epoch, !control->silent, error);
      if (control->current == NULL)
        return SONDE_RUN_FAILED;

      sonde_control_begin_body (control, run);
      control->current->iteration = control->iteration;
      control->inside = TRUE;
    }

  if (!control->silent)
    outer->inner = control->current;
  result = sonde_execution_run_body (control->current, control->silent ? 0 : outer->allowed, error);
  if (result == SONDE_RUN_PAUSED)
    return result;

  control->inside = FALSE;
  if (!control->silent)
    outer->inner = NULL;
  return result;
}

gboolean
sonde_control_take_interrupt (SondeControl *control, SondeDeferredRun *run)
{
  if (control->inside || control->silent || control->current == NULL
      || control->current->plan->steps->len > 0)
    return FALSE;

  return sonde_execution_take_interrupt (run->execution);
}

/* Sequences that grow from iteration to iteration count, so that an endless loop ends. */
static gboolean
count_growth (SondeControl *control, SondeDeferredRun *run, const SondeValue *before,
              const SondeValue *after, GError **error)
{
  gsize bytes = 0;

  if (sonde_value_get_kind (after) != SONDE_VALUE_SEQUENCE)
    return TRUE;

  for (gsize i = sonde_value_get_n_items (before); i < sonde_value_get_n_items (after); i++)
    {
      const SondeTensor *tensor = sonde_value_get_tensor (sonde_value_get_item (after, i));

      bytes += 128 + (tensor != NULL ? sonde_tensor_n_bytes (tensor) : 0);
    }

  if (!sonde_run_budget_take (run->execution->budget, bytes, error))
    return FALSE;

  control->held += bytes;
  return TRUE;
}

static gboolean
stack_result (SondeControl *control, guint k, SondeValue *value, GError **error)
{
  SondeTensor *tensor = sonde_value_get_tensor (value);

  if (tensor != NULL)
    return sonde_stack_append (control->stacks[k], tensor, error);

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "scan output %u of its body is not a tensor; only tensors can be collected", k);
  return FALSE;
}

gboolean
sonde_control_collect (SondeControl *control, SondeDeferredRun *run, guint first, GError **error)
{
  sonde_run_memory_mark (run->memory);
  for (guint k = 0; k < control->n_carried + control->n_stacks; k++)
    {
      g_autoptr (SondeValue) value = sonde_body_read_result (control->current, first + k, error);
      gboolean good = value != NULL;

      sonde_run_memory_take (run->memory, value);
      if (good && k >= control->n_carried)
        good = stack_result (control, k - control->n_carried, value, error);
      else if (good)
        good = count_growth (control, run, control->carried[k], value, error);
      sonde_control_count_stacks (control, run);
      sonde_run_memory_give_back (run->memory,
                                  k < control->n_carried ? control->carried[k] : value);
      if (!good)
        return FALSE;

      if (k < control->n_carried)
        {
          sonde_value_unref (control->carried[k]);
          control->carried[k] = g_steal_pointer (&value);
        }
    }

  sonde_control_end_body (control, run);
  return TRUE;
}

/* ---- results ------------------------------------------------------------- */

gboolean
sonde_control_store_carried (SondeControl *control, SondeDeferredRun *run, guint k, GError **error)
{
  if (k >= run->node->outputs->len || sonde_node_get_output (run->node, k) == NULL)
    return TRUE;

  if (control->carried[k] != NULL)
    return sonde_deferred_store (run, k, sonde_deferred_own_value (run, control->carried[k]),
                                 error);

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "its loop-carried value %u has no value", k);
  return FALSE;
}

/* Sizes that no iteration decided are 0, as the one along which nothing was collected. */
static SondeTensor *
empty_stack (SondeControl *control, guint result, gint64 axis, GError **error)
{
  SondeGraph *graph = sonde_body_get_graph (g_ptr_array_index (control->bodies, 0));
  const SondeType *type = &((SondeGraphValue *) g_ptr_array_index (graph->outputs, result))->type;
  SondeShape shape = { .rank = MIN (MAX (type->rank, 0) + 1, SONDE_MAX_RANK) };
  gint64 at = axis < 0 ? axis + shape.rank : axis;

  if (type->dtype == SONDE_DTYPE_INVALID)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "it ran no iteration, and the type of its scan outputs is not known");
      return NULL;
    }

  for (int d = 0; d < shape.rank; d++)
    {
      int from = d < at ? d : d - 1;

      shape.dims[d]
          = d == at || from < 0 || from >= type->rank ? 0 : MAX (type->dims[from].size, 0);
    }

  return sonde_tensor_new (type->dtype, &shape);
}

SondeTensor *
sonde_control_finish_stack (SondeControl *control, SondeStack *stack, guint result, gint64 axis,
                            gboolean reverse, GError **error)
{
  GError *failure = NULL;
  SondeTensor *tensor = sonde_stack_finish (stack, axis, reverse, &failure);

  if (failure != NULL)
    g_propagate_error (error, failure);
  else if (tensor == NULL)
    tensor = empty_stack (control, result, axis, error);
  return tensor;
}
