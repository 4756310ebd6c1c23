/* SPDX-License-Identifier: Apache-2.0
 * RNN, GRU, LSTM: sizes and types of operands and results, what is wrong with them, and where the
 * states of a step lie. For the operators and their gradients. */
#include "engine/ops/rnn/sonde-recurrent.h"

#include <string.h>

static void
read_direction_attributes (const SondeNode *node, SondeRecurrentSizes *sizes)
{
  const char *direction = sonde_node_get_string (node, "direction", "forward");

  sizes->klass = sonde_cell_class_find (node->op);
  sizes->directions = g_ascii_strcasecmp (direction, "bidirectional") == 0 ? 2 : 1;
  sizes->reverse = g_ascii_strcasecmp (direction, "reverse") == 0;
  sizes->batchwise = sonde_node_get_int (node, "layout", 0) != 0;
}

void
sonde_recurrent_sizes_init (SondeRecurrentSizes *sizes, const SondeNode *node, const SondeShape *x,
                            gint64 hidden)
{
  read_direction_attributes (node, sizes);
  sizes->steps = x->dims[sizes->batchwise ? 1 : 0];
  sizes->batch = x->dims[sizes->batchwise ? 0 : 1];
  sizes->inputs = x->dims[2];
  sizes->hidden = hidden;
}

/* ---- shapes -------------------------------------------------------------- */

static gboolean
check_weights (const SondeInferContext *context, const SondeRecurrentSizes *sizes, GError **error)
{
  gint64 rows = sizes->hidden >= 0 ? sizes->klass->gates * sizes->hidden : -1;
  gint64 w[] = { sizes->directions, rows, sizes->inputs };
  gint64 r[] = { sizes->directions, rows, sizes->hidden };
  gint64 b[] = { sizes->directions, rows >= 0 ? 2 * rows : -1 };
  gint64 p[] = { sizes->directions, sizes->hidden >= 0 ? 3 * sizes->hidden : -1 };

  return sonde_infer_need_sizes (context, SONDE_RECURRENT_W, 3, w, error)
         && sonde_infer_need_sizes (context, SONDE_RECURRENT_R, 3, r, error)
         && sonde_infer_need_sizes (context, SONDE_RECURRENT_B, 2, b, error)
         && sonde_infer_need_sizes (context, SONDE_RECURRENT_P, 2, p, error);
}

static gboolean
check_states (const SondeInferContext *context, const SondeRecurrentSizes *sizes, GError **error)
{
  gint64 plain[] = { sizes->directions, sizes->batch, sizes->hidden };
  gint64 batchwise[] = { sizes->batch, sizes->directions, sizes->hidden };
  const gint64 *state = sizes->batchwise ? batchwise : plain;

  return sonde_infer_need_sizes (context, SONDE_RECURRENT_LENGTHS, 1, &sizes->batch, error)
         && sonde_infer_need_sizes (context, SONDE_RECURRENT_H, 3, state, error)
         && sonde_infer_need_sizes (context, SONDE_RECURRENT_C, 3, state, error);
}

static gboolean
check_attributes (const SondeInferContext *context, const SondeRecurrentSizes *sizes,
                  GError **error)
{
  gint64 declared = sonde_node_get_int (context->node, "hidden_size", -1);
  SondeActivation activations[3];

  if (declared >= 0 && sizes->hidden >= 0 && declared != sizes->hidden)
    return sonde_infer_fail (
        error, "hidden_size is %" PRIi64 ", but the recurrence weight is for %" PRIi64, declared,
        sizes->hidden);
  if (sizes->hidden > G_MAXINT64 / 16)
    return sonde_infer_fail (error, "%" PRIi64 " hidden units are too many", sizes->hidden);
  return sonde_cell_read_activations (sizes->klass, context->node, sizes->directions - 1,
                                      activations, error);
}

static gboolean
check_types (const SondeInferContext *context, GError **error)
{
  const SondeType *lengths = sonde_infer_input (context, SONDE_RECURRENT_LENGTHS);

  for (guint k = SONDE_RECURRENT_W; k < context->n_inputs; k++)
    {
      const SondeType *type = k == SONDE_RECURRENT_LENGTHS ? NULL : sonde_infer_input (context, k);

      if (type != NULL && type->dtype != SONDE_DTYPE_INVALID
          && context->inputs[0].dtype != SONDE_DTYPE_INVALID
          && type->dtype != context->inputs[0].dtype)
        return sonde_infer_fail (error, "input %u is %s, but X is %s: insert a Cast", k,
                                 sonde_dtype_name (type->dtype),
                                 sonde_dtype_name (context->inputs[0].dtype));
    }
  if (lengths != NULL && lengths->dtype != SONDE_DTYPE_INVALID && lengths->dtype != SONDE_DTYPE_I32)
    return sonde_infer_fail (error, "sequence_lens is %s, but must be int32",
                             sonde_dtype_name (lengths->dtype));
  return sonde_infer_need_float (context, 0, error);
}

static void
set_outputs (SondeInferContext *context, const SondeRecurrentSizes *sizes)
{
  const SondeType *x = &context->inputs[SONDE_RECURRENT_X];
  SondeDimension steps = x->dims[sizes->batchwise ? 1 : 0],
                 batch = x->dims[sizes->batchwise ? 0 : 1];
  SondeDimension directions = sonde_dimension (sizes->directions),
                 hidden = sonde_dimension (sizes->hidden);
  SondeType y = sonde_infer_type (x->dtype, 4), state = sonde_infer_type (x->dtype, 3);

  y.dims[0] = sizes->batchwise ? batch : steps;
  y.dims[1] = sizes->batchwise ? steps : directions;
  y.dims[2] = sizes->batchwise ? directions : batch;
  state.dims[0] = sizes->batchwise ? batch : directions;
  state.dims[1] = sizes->batchwise ? directions : batch;
  y.dims[3] = state.dims[2] = hidden;
  for (guint k = 0; k < context->n_outputs; k++)
    context->outputs[k] = k == 0 || k == SONDE_RECURRENT_SUMS ? y : state;
  if (context->n_outputs > SONDE_RECURRENT_SUMS)
    context->outputs[SONDE_RECURRENT_SUMS].dims[3]
        = sonde_dimension (hidden.size >= 0 ? sizes->klass->gates * hidden.size : -1);
}

gboolean
sonde_recurrent_infer (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[SONDE_RECURRENT_X];
  const SondeType *r = &context->inputs[SONDE_RECURRENT_R];
  SondeRecurrentSizes sizes;

  read_direction_attributes (context->node, &sizes);
  if (!check_types (context, error))
    return FALSE;
  if (!sonde_infer_ready (context, 3))
    return TRUE;
  if (x->rank != 3 || r->rank != 3)
    return sonde_infer_fail (error, "X and R must have 3 dimensions, but have %d and %d", x->rank,
                             r->rank);
  sizes.steps = x->dims[sizes.batchwise ? 1 : 0].size;
  sizes.batch = x->dims[sizes.batchwise ? 0 : 1].size;
  sizes.inputs = x->dims[2].size;
  sizes.hidden = r->dims[2].size;
  if (!check_attributes (context, &sizes, error) || !check_weights (context, &sizes, error)
      || !check_states (context, &sizes, error))
    return FALSE;
  set_outputs (context, &sizes);
  return TRUE;
}

gboolean
sonde_recurrent_check_length (gsize row, gint64 length, gint64 steps, GError **error)
{
  if (length >= 0 && length <= steps)
    return TRUE;

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "sequence %zu has length %" PRIi64 ", but X has %" PRIi64 " steps", row, length,
                   steps);
  return FALSE;
}

gboolean
sonde_recurrent_check (const SondeKernelContext *context, GError **error)
{
  const SondeTensor *x = context->inputs[SONDE_RECURRENT_X];
  gint64 steps = x->shape.dims[sonde_node_get_int (context->node, "layout", 0) != 0 ? 1 : 0];
  gsize n = 0;
  g_autofree gint64 *lengths = sonde_kernel_ints (context, SONDE_RECURRENT_LENGTHS, &n);

  for (gsize i = 0; i < n; i++)
    if (!sonde_recurrent_check_length (i, lengths[i], steps, error))
      return FALSE;
  return TRUE;
}

/* ---- kernel -------------------------------------------------------------- */

gint64
sonde_recurrent_state_index (const SondeRecurrentSizes *sizes, int direction, gint64 batch)
{
  return sizes->batchwise ? batch * sizes->directions + direction
                          : direction * sizes->batch + batch;
}

gint64
sonde_recurrent_output_index (const SondeRecurrentSizes *sizes, gint64 step, int direction,
                              gint64 batch)
{
  return sizes->batchwise ? (batch * sizes->steps + step) * sizes->directions + direction
                          : (step * sizes->directions + direction) * sizes->batch + batch;
}
