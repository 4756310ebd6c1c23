/* SPDX-License-Identifier: Apache-2.0
 * Reading values of a run, of what was folded, and of iterations of a body. */
#include "engine/debug/searches/sonde-origin-private.h"

#include <string.h>

#include "engine/passes/sonde-passes.h"

#define MAX_BYTES ((guint64) 1 << 30) /* that frames keep: what is beyond is read again */

/* NULL: it is known that the body cannot be run again. */
static void
free_frames (void *frames)
{
  if (frames != NULL)
    g_ptr_array_unref (frames);
}

SondeOriginFrame *
sonde_origin_frame_new (SondeOriginSearch *search, SondeExecution *execution, SondeGraph *graph,
                        SondeOriginFrame *parent, SondeNode *node, gint64 iteration)
{
  SondeOriginFrame *frame = g_new0 (SondeOriginFrame, 1);

  frame->execution = execution;
  frame->graph = graph;
  frame->parent = parent;
  frame->node = node;
  frame->iteration = iteration;
  frame->known = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sonde_value_unref);
  frame->bodies = g_hash_table_new_full (NULL, NULL, NULL, free_frames);
  g_ptr_array_add (search->frames, frame);
  return frame;
}

void
sonde_origin_frame_free (void *data)
{
  SondeOriginFrame *frame = data;

  g_clear_pointer (&frame->bound, g_hash_table_unref);
  g_hash_table_unref (frame->known);
  g_hash_table_unref (frame->bodies);
  g_clear_pointer (&frame->owned, sonde_graph_unref);
  g_free (frame);
}

static gsize
bytes_of (const SondeValue *value)
{
  const SondeTensor *tensor = sonde_value_get_tensor (value);
  gsize bytes = tensor != NULL ? sonde_tensor_n_bytes (tensor) : 64;

  for (gsize i = 0; tensor == NULL && i < sonde_value_get_n_items (value); i++)
    bytes
        += 64
           + (sonde_value_get_tensor (sonde_value_get_item (value, i)) != NULL
                  ? sonde_tensor_n_bytes (sonde_value_get_tensor (sonde_value_get_item (value, i)))
                  : 0);
  return bytes;
}

/* Of frames of a run, which can be read again at any time. */
static void
forget (SondeOriginSearch *search)
{
  for (guint i = 0; i < search->frames->len; i++)
    {
      SondeOriginFrame *frame = g_ptr_array_index (search->frames, i);

      if (frame->execution != NULL)
        g_hash_table_remove_all (frame->known);
    }
  search->bytes = 0;
}

/* (transfer none) @value: (transfer full) */
static SondeValue *
keep (SondeOriginSearch *search, SondeOriginFrame *frame, SondeGraphValue *key, SondeValue *value)
{
  const gsize bytes = bytes_of (value);

  if (frame->execution != NULL && search->bytes + bytes > MAX_BYTES)
    forget (search);
  search->bytes += bytes;
  g_hash_table_insert (frame->known, key, value);
  return value;
}

static SondeValue *
read_live (SondeOriginFrame *frame, SondeGraphValue *value, GError **error)
{
  const gboolean over = !sonde_execution_is_running (frame->execution);

  /* what the nodes read, not what the optimiser left behind */
  if (over && value->producer == NULL
      && (value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_STATE))
    return sonde_execution_read_source (frame->execution, value, error);
  return sonde_execution_read_value (frame->execution, value, error);
}

/* What is there without computing; NULL: it has to be made. */
static SondeValue *
find_there (SondeOriginFrame *frame, SondeGraphValue *value)
{
  SondeValue *there = g_hash_table_lookup (frame->known, value);

  if (there == NULL && frame->bound != NULL)
    there = g_hash_table_lookup (frame->bound, value);
  if (there == NULL && value->producer == NULL)
    there = value->constant;
  return there;
}

static gboolean
run_pure (SondeOriginSearch *search, SondeOriginFrame *frame, SondeNode *node, GError **error)
{
  const guint n_inputs = node->inputs->len, n_outputs = node->outputs->len;
  g_autofree SondeValue **inputs = g_new0 (SondeValue *, n_inputs + 1);
  g_autofree SondeValue **outputs = g_new0 (SondeValue *, n_outputs + 1);

  for (guint k = 0; k < n_inputs; k++)
    if (sonde_node_get_input (node, k) != NULL)
      inputs[k] = find_there (frame, sonde_node_get_input (node, k));
  if (!sonde_op_run_reference_values (node, inputs, n_inputs, 0, 0, outputs, n_outputs, error))
    return FALSE;
  for (guint k = 0; k < n_outputs; k++)
    if (outputs[k] != NULL && sonde_node_get_output (node, k) != NULL)
      keep (search, frame, sonde_node_get_output (node, k), outputs[k]);
    else
      sonde_value_unref (outputs[k]);
  return TRUE;
}

/* Makes @wanted and what it needs, without recursion. */
static SondeValue *
read_pure (SondeOriginSearch *search, SondeOriginFrame *frame, SondeGraphValue *wanted,
           GError **error)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  g_ptr_array_add (stack, wanted);
  while (stack->len > 0)
    {
      SondeGraphValue *value = g_ptr_array_index (stack, stack->len - 1);
      const guint before = stack->len;

      if (find_there (frame, value) != NULL)
        {
          g_ptr_array_set_size (stack, before - 1);
          continue;
        }
      if (value->outer != NULL && frame->parent != NULL)
        {
          SondeValue *outer = sonde_origin_read (search, frame->parent, value->outer, error);

          if (outer == NULL)
            return NULL;
          keep (search, frame, value, sonde_value_ref (outer));
          continue;
        }
      if (value->producer == NULL)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                           "Value “%s” cannot be read: it was not given.", value->name);
          return NULL;
        }
      for (guint k = 0; k < value->producer->inputs->len; k++)
        {
          SondeGraphValue *input = sonde_node_get_input (value->producer, k);

          if (input != NULL && find_there (frame, input) == NULL)
            g_ptr_array_add (stack, input);
        }
      if (stack->len == before && !run_pure (search, frame, value->producer, error))
        return NULL;
      if (stack->len == before && find_there (frame, value) == NULL)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                           "Value “%s” cannot be computed again.", value->name);
          return NULL;
        }
    }
  return find_there (frame, wanted);
}

SondeValue *
sonde_origin_read (SondeOriginSearch *search, SondeOriginFrame *frame, SondeGraphValue *value,
                   GError **error)
{
  SondeValue *there = g_hash_table_lookup (frame->known, value);

  if (there != NULL)
    return there;
  if (frame->execution == NULL)
    return read_pure (search, frame, value, error);
  there = read_live (frame, value, error);
  return there != NULL ? keep (search, frame, value, there) : NULL;
}

SondeTensor *
sonde_origin_read_tensor (SondeOriginSearch *search, SondeOriginFrame *frame,
                          SondeGraphValue *value, GError **error)
{
  SondeValue *content = sonde_origin_read (search, frame, value, error);
  SondeTensor *tensor = content != NULL ? sonde_value_get_tensor (content) : NULL;

  if (content == NULL)
    return NULL;
  if (tensor != NULL && tensor->dtype != SONDE_DTYPE_STRING)
    return tensor;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” is no tensor of numbers; NaN and infinity are looked for in those.",
                   value->name);
  return NULL;
}

/* Only the shape of it counts; its bytes may be gone. */
static SondeTensor *
make_empty (const SondeGraphValue *value)
{
  SondeShape shape;

  if (!sonde_type_get_shape (&value->type, &shape) || value->type.dtype == SONDE_DTYPE_INVALID)
    return NULL;
  return sonde_tensor_try_new (value->type.dtype, &shape, NULL, value->name, NULL);
}

GPtrArray *
sonde_origin_read_inputs (SondeOriginSearch *search, SondeOriginFrame *frame, const SondeNode *node,
                          GError **error)
{
  const SondeOpClass *klass = sonde_op_of_node (node);
  g_autoptr (GPtrArray) inputs
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);

  for (guint k = 0; k < node->inputs->len; k++)
    {
      SondeGraphValue *value = sonde_node_get_input (node, k);
      SondeTensor *tensor = NULL;
      SondeValue *content;

      if (value != NULL && klass != NULL && (klass->shape_only >> MIN (k, 31) & 1))
        tensor = make_empty (value);
      if (value != NULL && tensor == NULL)
        {
          content = sonde_origin_read (search, frame, value, error);
          if (content == NULL)
            return NULL;
          tensor = sonde_value_get_tensor (content);
          if (tensor != NULL)
            tensor = sonde_tensor_contiguous (tensor);
        }
      g_ptr_array_add (inputs, tensor);
    }
  return g_steal_pointer (&inputs);
}

/* ---- where a value is made ----------------------------------------------- */

/* The original graph as it would run with nothing folded. */
static SondeOriginFrame *
open_folded (SondeOriginSearch *search)
{
  g_autoptr (SondeGraph) graph = NULL;

  if (search->folded != NULL || search->original == NULL)
    return search->folded;
  graph = sonde_graph_copy (search->original, TRUE);
  if (!sonde_pass_inline (graph, NULL) || !sonde_pass_legalise (graph, NULL)
      || !sonde_pass_infer (graph, NULL, 0, NULL))
    return NULL;
  search->folded = sonde_origin_frame_new (search, NULL, graph, NULL, NULL, -1);
  search->folded->owned = g_steal_pointer (&graph);
  return search->folded;
}

void
sonde_origin_resolve (SondeOriginSearch *search, SondeOriginFrame **frame, SondeGraphValue **value)
{
  SondeGraphValue *found;

  while ((*value)->outer != NULL && (*frame)->parent != NULL && (*value)->producer == NULL)
    {
      *value = (*value)->outer;
      *frame = (*frame)->parent;
    }
  if ((*value)->producer != NULL || (*frame)->execution == NULL || (*value)->constant == NULL
      || (*value)->role == SONDE_ROLE_PARAMETER || (*value)->role == SONDE_ROLE_STATE
      || search->original == NULL)
    return;
  found = sonde_graph_find_value (search->original, (*value)->name);
  if (found == NULL || found->producer == NULL || open_folded (search) == NULL)
    return;
  found = sonde_graph_find_value (search->folded->graph, (*value)->name);
  if (found == NULL || found->producer == NULL
      || sonde_origin_read (search, search->folded, found, NULL) == NULL)
    return;
  *frame = search->folded;
  *value = found;
}
