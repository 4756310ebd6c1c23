/* SPDX-License-Identifier: Apache-2.0
 * Scan: a body over the entries of its inputs, states carried along; BatchScan, opset 8's: the same
 * for every entry of a batch. */
#include "engine/plan/control/sonde-control.h"

#include <string.h>

/**
 * Parts: what the inputs are
 * @before: inputs that the body does not get
 * @batch: all tensors have a batch dimension in front
 */
typedef struct
{
  guint before;
  gboolean batch;
  guint n_states, n_scanned, n_collected;
  const char *input_directions, *output_directions;
} Parts;

static gint64
list_entry (const SondeNode *node, const char *name, guint k)
{
  gsize n = 0;
  const gint64 *list = name != NULL ? sonde_node_get_ints (node, name, &n) : NULL;

  return list != NULL && k < n ? list[k] : 0;
}

static gboolean
find_parts (SondeControl *control, const SondeDeferredRun *run, gboolean batch, Parts *parts,
            GError **error)
{
  SondeGraph *graph = sonde_body_get_graph (g_ptr_array_index (control->bodies, 0));
  guint before = batch ? 1 : 0, n_inputs = run->node->inputs->len;
  gint64 n_scanned = sonde_node_get_int (run->node, "num_scan_inputs", 0);
  guint n = n_inputs > before ? n_inputs - before : 0;

  *parts = (Parts){
    .before = before,
    .batch = batch,
    .input_directions = batch ? "directions" : "scan_input_directions",
    .output_directions = batch ? NULL : "scan_output_directions",
  };
  if (n_scanned < 1 || n_scanned > n || graph->inputs->len != n
      || graph->outputs->len < n - (guint) n_scanned)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "its body takes %u and returns %u values, which does not match %u inputs with %" PRIi64
          " scanned ones",
          graph->inputs->len, graph->outputs->len, n_inputs, n_scanned);
      return FALSE;
    }

  parts->n_scanned = (guint) n_scanned;
  parts->n_states = n - parts->n_scanned;
  parts->n_collected = graph->outputs->len - parts->n_states;
  return TRUE;
}

/* Entry @index along @axis, as a view. */
static SondeTensor *
entry_of (SondeTensor *tensor, int axis, gint64 index)
{
  SondeShape shape = { .rank = tensor->shape.rank - 1 };
  gint64 strides[SONDE_MAX_RANK];

  for (int d = 0; d < shape.rank; d++)
    {
      shape.dims[d] = tensor->shape.dims[d < axis ? d : d + 1];
      strides[d] = tensor->strides[d < axis ? d : d + 1];
    }

  return sonde_tensor_view (tensor, &shape, strides, index * tensor->strides[axis]);
}

/* Input @k of the body before anything is scanned: of a batch, its entry. */
static SondeTensor *
whole_input (const SondeControl *control, const SondeDeferredRun *run, const Parts *parts, guint k,
             GError **error)
{
  SondeTensor *tensor = sonde_value_get_tensor (run->values[parts->before + k]);

  if (tensor != NULL && !parts->batch)
    return sonde_tensor_ref (tensor);
  if (tensor != NULL && tensor->shape.rank > 0 && control->batch < tensor->shape.dims[0])
    return entry_of (tensor, 0, control->batch);

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "its input %u is not a tensor that can be scanned", parts->before + k);
  return NULL;
}

static gboolean
find_axis (const SondeDeferredRun *run, const SondeTensor *tensor, guint k, int *axis,
           GError **error)
{
  gint64 given = list_entry (run->node, "scan_input_axes", k);

  *axis = (int) (given < 0 ? given + tensor->shape.rank : given);
  if (given >= -tensor->shape.rank && given < tensor->shape.rank)
    return TRUE;

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "scanned input %u has %d dimensions, so it has no axis %" PRIi64, k,
                   tensor->shape.rank, given);
  return FALSE;
}

/* Entries of the scanned inputs, which must agree. */
static gboolean
find_length (SondeControl *control, SondeDeferredRun *run, const Parts *parts, GError **error)
{
  SondeTensor *lengths = parts->batch ? sonde_value_get_tensor (run->values[0]) : NULL;

  for (guint k = 0; k < parts->n_scanned; k++)
    {
      g_autoptr (SondeTensor) tensor
          = whole_input (control, run, parts, parts->n_states + k, error);
      int axis;

      if (tensor == NULL || !find_axis (run, tensor, k, &axis, error))
        return FALSE;

      if (k > 0 && tensor->shape.dims[axis] != control->length)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                           "scanned input %u has %" PRIi64 " entries, but the first has %" PRIi64,
                           k, tensor->shape.dims[axis], control->length);
          return FALSE;
        }

      control->length = tensor->shape.dims[axis];
    }

  if (lengths != NULL && sonde_dtype_is_integer (lengths->dtype)
      && control->batch < sonde_tensor_n_elements (lengths))
    control->length = CLAMP (sonde_tensor_get_int (lengths, control->batch), 0, control->length);
  return TRUE;
}

static gboolean
begin (SondeControl *control, SondeDeferredRun *run, const Parts *parts, GError **error)
{
  if (!find_length (control, run, parts, error))
    return FALSE;

  sonde_control_begin (control, run, parts->n_states, parts->n_collected, control->length);
  for (guint k = 0; k < parts->n_states; k++)
    {
      g_autoptr (SondeTensor) tensor = NULL;

      if (!parts->batch)
        {
          control->carried[k] = run->values[k] != NULL ? sonde_value_ref (run->values[k]) : NULL;
          continue;
        }

      tensor = whole_input (control, run, parts, k, error);
      if (tensor == NULL)
        return FALSE;

      control->carried[k] = sonde_value_new_tensor (tensor);
    }

  sonde_control_count_carried (control, run);
  control->active = TRUE;
  return TRUE;
}

static gboolean
set_entries (SondeControl *control, SondeDeferredRun *run, const Parts *parts, SondeValue **inputs,
             GError **error)
{
  for (guint k = 0; k < parts->n_scanned; k++)
    {
      g_autoptr (SondeTensor) tensor
          = whole_input (control, run, parts, parts->n_states + k, error);
      gboolean backwards = list_entry (run->node, parts->input_directions, k) == 1;
      g_autoptr (SondeTensor) entry = NULL;
      int axis;

      if (tensor == NULL || !find_axis (run, tensor, k, &axis, error))
        return FALSE;

      entry = entry_of (tensor, axis,
                        backwards ? control->length - 1 - control->iteration : control->iteration);
      inputs[parts->n_states + k] = sonde_value_new_tensor (entry);
    }

  return TRUE;
}

static SondeRunResult
iterate (SondeControl *control, SondeDeferredRun *run, const Parts *parts, GError **error)
{
  guint n = parts->n_states + parts->n_scanned;
  g_autofree SondeValue **inputs = g_new0 (SondeValue *, n + 1);
  SondeRunResult result = SONDE_RUN_FAILED;

  for (guint k = 0; k < parts->n_states; k++)
    inputs[k] = control->carried[k];
  if (control->inside || set_entries (control, run, parts, inputs, error))
    result = sonde_control_run_body (control, run, 0, inputs, n, error);
  for (guint k = parts->n_states; k < n; k++)
    sonde_value_unref (inputs[k]);

  if (result != SONDE_RUN_DONE)
    return result;

  control->iteration++;
  return sonde_control_collect (control, run, 0, error) ? SONDE_RUN_DONE : SONDE_RUN_FAILED;
}

/* All entries that are left. */
static SondeRunResult
iterate_all (SondeControl *control, SondeDeferredRun *run, const Parts *parts, GError **error)
{
  while (control->inside || control->iteration < control->length)
    {
      SondeRunResult result;

      if (sonde_control_take_interrupt (control, run))
        return SONDE_RUN_PAUSED;

      result = iterate (control, run, parts, error);
      if (result != SONDE_RUN_DONE)
        return result;
    }

  return SONDE_RUN_DONE;
}

static gboolean
store_results (SondeControl *control, SondeDeferredRun *run, const Parts *parts, GError **error)
{
  for (guint k = 0; k < parts->n_states; k++)
    if (!sonde_control_store_carried (control, run, k, error))
      return FALSE;

  for (guint k = 0; k < parts->n_collected; k++)
    {
      guint output = parts->n_states + k;
      g_autoptr (SondeTensor) tensor = NULL;

      if (output >= run->node->outputs->len || sonde_node_get_output (run->node, output) == NULL)
        continue;

      tensor = sonde_control_finish_stack (
          control, control->stacks[k], output, list_entry (run->node, "scan_output_axes", k),
          list_entry (run->node, parts->output_directions, k) == 1, error);
      if (tensor == NULL
          || !sonde_deferred_store (run, output, sonde_value_new_tensor (tensor), error))
        return FALSE;
    }

  return TRUE;
}

SondeRunResult
sonde_control_run_scan (SondeControl *control, SondeDeferredRun *run, GError **error)
{
  SondeRunResult result;
  Parts parts;

  if (!find_parts (control, run, FALSE, &parts, error)
      || (!control->active && !begin (control, run, &parts, error)))
    return SONDE_RUN_FAILED;

  result = iterate_all (control, run, &parts, error);
  if (result != SONDE_RUN_DONE)
    return result;

  sonde_control_begin_results (control, run);
  return store_results (control, run, &parts, error) ? SONDE_RUN_DONE : SONDE_RUN_FAILED;
}

/* ---- batches ------------------------------------------------------------- */

/* The longest sequence of the batch: shorter ones are filled up with zeros. */
static gint64
longest (const SondeDeferredRun *run, const Parts *parts)
{
  const SondeTensor *first = sonde_value_get_tensor (run->values[parts->before + parts->n_states]);

  return first != NULL && first->shape.rank > 1 ? first->shape.dims[1] : 0;
}

static SondeTensor *
fill_up (SondeTensor *tensor, gint64 length)
{
  SondeShape shape = tensor->shape;
  SondeTensor *filled;

  if (shape.rank == 0 || shape.dims[0] >= length || tensor->dtype == SONDE_DTYPE_STRING)
    return sonde_tensor_ref (tensor);

  shape.dims[0] = length;
  filled = sonde_tensor_new (tensor->dtype, &shape);
  memcpy (filled->data, tensor->data, sonde_tensor_n_bytes (tensor));
  return filled;
}

static gboolean
gather_results (SondeControl *control, SondeDeferredRun *run, const Parts *parts, GError **error)
{
  for (guint k = 0; k < parts->n_states + parts->n_collected; k++)
    {
      g_autoptr (SondeTensor) tensor = NULL, filled = NULL;

      if (k < parts->n_states)
        tensor = sonde_value_get_tensor (control->carried[k]) != NULL
                     ? sonde_tensor_contiguous (sonde_value_get_tensor (control->carried[k]))
                     : NULL;
      else
        tensor = sonde_control_finish_stack (control, control->stacks[k - parts->n_states], k, 0,
                                             FALSE, error);
      if (tensor == NULL)
        return FALSE;

      filled = k < parts->n_states ? sonde_tensor_ref (tensor)
                                   : fill_up (tensor, longest (run, parts));
      if (!sonde_stack_append (g_ptr_array_index (control->gathered, k), filled, error))
        return FALSE;
      sonde_control_count_stacks (control, run);
    }

  return TRUE;
}

static gboolean
store_gathered (SondeControl *control, SondeDeferredRun *run, GError **error)
{
  for (guint k = 0; k < run->node->outputs->len; k++)
    {
      g_autoptr (SondeTensor) tensor = NULL;

      if (sonde_node_get_output (run->node, k) == NULL)
        continue;

      tensor = sonde_control_finish_stack (control, g_ptr_array_index (control->gathered, k), k, 0,
                                           FALSE, error);
      if (tensor == NULL || !sonde_deferred_store (run, k, sonde_value_new_tensor (tensor), error))
        return FALSE;
    }

  return TRUE;
}

static void
begin_batch (SondeControl *control, SondeDeferredRun *run, const Parts *parts)
{
  guint n = parts->n_states + parts->n_collected;

  control->batch = 0;
  control->gathered = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_stack_free);
  for (guint k = 0; k < n; k++)
    g_ptr_array_add (control->gathered, sonde_stack_new (run->execution->budget, -1));
}

SondeRunResult
sonde_control_run_batch_scan (SondeControl *control, SondeDeferredRun *run, GError **error)
{
  const SondeTensor *first;
  Parts parts;

  if (!find_parts (control, run, TRUE, &parts, error))
    return SONDE_RUN_FAILED;

  first = sonde_value_get_tensor (run->values[parts.before + parts.n_states]);
  if (control->gathered == NULL)
    begin_batch (control, run, &parts);

  while (first != NULL && first->shape.rank > 0 && control->batch < first->shape.dims[0])
    {
      SondeRunResult result;

      if (!control->active && !begin (control, run, &parts, error))
        return SONDE_RUN_FAILED;

      result = iterate_all (control, run, &parts, error);
      if (result != SONDE_RUN_DONE)
        return result;
      if (!gather_results (control, run, &parts, error))
        return SONDE_RUN_FAILED;

      control->active = FALSE;
      control->batch++;
    }

  sonde_control_begin_results (control, run);
  return store_gathered (control, run, error) ? SONDE_RUN_DONE : SONDE_RUN_FAILED;
}
