/* SPDX-License-Identifier: Apache-2.0
 * Short words for the rows of operators. */
#include "data/models/mindir/sonde-mindir-build.h"

#include <string.h>

#include "data/models/mindir/sonde-mindir-lower.h"

/* ONNX numbers types as MindIR's tensors do. */
static gint64
get_onnx_number (SondeDtype dtype)
{
  static const SondeDtype order[]
      = { SONDE_DTYPE_INVALID, SONDE_DTYPE_F32,  SONDE_DTYPE_U8,      SONDE_DTYPE_I8,
          SONDE_DTYPE_U16,     SONDE_DTYPE_I16,  SONDE_DTYPE_I32,     SONDE_DTYPE_I64,
          SONDE_DTYPE_STRING,  SONDE_DTYPE_BOOL, SONDE_DTYPE_F16,     SONDE_DTYPE_F64,
          SONDE_DTYPE_U32,     SONDE_DTYPE_U64,  SONDE_DTYPE_INVALID, SONDE_DTYPE_INVALID,
          SONDE_DTYPE_BF16 };

  for (gsize i = 1; i < G_N_ELEMENTS (order); i++)
    if (order[i] == dtype)
      return (gint64) i;
  return 1;
}

SondeGraphValue *
sonde_mindir_number_like (SondeMindirCall *call, double number, const SondeGraphValue *like)
{
  return sonde_lowering_number (call->l, sonde_mindir_dtype (like), number);
}

SondeGraphValue *
sonde_mindir_ints1 (SondeMindirCall *call, gint64 a)
{
  return sonde_lowering_ints (call->l, &a, 1);
}

SondeGraphValue *
sonde_mindir_cast (SondeMindirCall *call, SondeGraphValue *value, SondeDtype dtype)
{
  SondeGraphValue *cast;

  if (dtype == SONDE_DTYPE_INVALID || value->type.dtype == dtype)
    return value;
  cast = OP1 (call, "Cast", value);
  sonde_node_set_int (cast->producer, "to", get_onnx_number (dtype));
  cast->type = value->type;
  cast->type.dtype = dtype;
  return cast;
}

const SondeType *
sonde_mindir_output_type (SondeMindirCall *call, guint index)
{
  const SondeMindirValue *output = call->node->output;

  if (output != NULL && output->kind == SONDE_MINDIR_SEQUENCE)
    output = index < output->n ? &output->items[index] : NULL;
  return output != NULL && output->kind == SONDE_MINDIR_TENSOR ? &output->type : NULL;
}

SondeDtype
sonde_mindir_output_dtype (SondeMindirCall *call, guint index)
{
  const SondeType *type = sonde_mindir_output_type (call, index);

  return type != NULL ? type->dtype : SONDE_DTYPE_INVALID;
}

SondeGraphValue *
sonde_mindir_cast_to_output (SondeMindirCall *call, SondeGraphValue *value, guint index)
{
  return sonde_mindir_cast (call, value, sonde_mindir_output_dtype (call, index));
}

static gboolean
reads (SondeMindirCall *call, const SondeMindirNode *node, guint index)
{
  const SondeMindirValue *item;

  if (node->n_inputs < 2 || strcmp (node->inputs[0], call->node->name) != 0
      || node->primitive == NULL || strstr (node->primitive, "etItem") == NULL)
    return node->n_inputs > 0 && strcmp (node->inputs[0], call->node->name) == 0;
  item = g_hash_table_lookup (call->lowering->file->constants, node->inputs[1]);
  return item == NULL || item->kind != SONDE_MINDIR_INT || item->i >= (gint64) index;
}

gboolean
sonde_mindir_reads_item (SondeMindirCall *call, guint index)
{
  const GPtrArray *functions = call->lowering->file->functions;

  for (guint f = 0; f < functions->len; f++)
    {
      const SondeMindirFunction *function = functions->pdata[f];

      if (g_hash_table_lookup (function->index, call->node->name) != call->node)
        continue;
      for (guint i = 0; i < function->n_nodes; i++)
        if (reads (call, &function->nodes[i], index))
          return TRUE;
    }
  return FALSE;
}

SondeGraphValue *
sonde_mindir_transpose (SondeMindirCall *call, SondeGraphValue *value, const gint64 *order,
                        int rank)
{
  SondeGraphValue *result = OP1 (call, "Transpose", value);

  sonde_node_set_ints (result->producer, "perm", order, (gsize) rank);
  return sonde_mindir_typed (result, value->type.dtype, rank);
}

SondeGraphValue *
sonde_mindir_swap_last (SondeMindirCall *call, SondeGraphValue *value, int rank)
{
  gint64 order[SONDE_MAX_RANK];

  for (int i = 0; i < rank; i++)
    order[i] = i;
  if (rank < 2)
    return value;
  order[rank - 1] = rank - 2;
  order[rank - 2] = rank - 1;
  return sonde_mindir_transpose (call, value, order, rank);
}

SondeGraphValue *
sonde_mindir_reshape (SondeMindirCall *call, SondeGraphValue *value, const gint64 *sizes, gsize n)
{
  SondeGraphValue *result = OP2 (call, "Reshape", value, sonde_lowering_ints (call->l, sizes, n));

  return sonde_mindir_typed (result, value->type.dtype, (int) n);
}

SondeGraphValue *
sonde_mindir_slice (SondeMindirCall *call, SondeGraphValue *value, gint64 axis, gint64 start,
                    gint64 end, gint64 step)
{
  SondeGraphValue *result = sonde_lowering_op (
      call->l, "Slice",
      SONDE_VALUES (value, sonde_mindir_ints1 (call, start), sonde_mindir_ints1 (call, end),
                    sonde_mindir_ints1 (call, axis), sonde_mindir_ints1 (call, step)));

  return sonde_mindir_typed (result, value->type.dtype, value->type.rank);
}

SondeGraphValue *
sonde_mindir_unsqueeze (SondeMindirCall *call, SondeGraphValue *value, gint64 axis)
{
  SondeGraphValue *result = OP2 (call, "Unsqueeze", value, sonde_mindir_ints1 (call, axis));

  return sonde_mindir_typed (result, value->type.dtype,
                             value->type.rank >= 0 ? value->type.rank + 1 : -1);
}

SondeGraphValue *
sonde_mindir_squeeze (SondeMindirCall *call, SondeGraphValue *value, gint64 axis)
{
  SondeGraphValue *result = OP2 (call, "Squeeze", value, sonde_mindir_ints1 (call, axis));

  return sonde_mindir_typed (result, value->type.dtype,
                             value->type.rank > 0 ? value->type.rank - 1 : -1);
}

SondeGraphValue *
sonde_mindir_reduce (SondeMindirCall *call, const char *op, SondeGraphValue *value,
                     const GArray *axes, gboolean keep)
{
  SondeGraphValue *result;

  if (axes == NULL || axes->len == 0)
    result = OP1 (call, op, value);
  else
    result = OP2 (
        call, op, value,
        sonde_lowering_ints (call->l, (const gint64 *) (const void *) axes->data, axes->len));
  sonde_node_set_int (result->producer, "keepdims", keep);
  return sonde_mindir_typed (result, value->type.dtype, keep ? value->type.rank : -1);
}

SondeGraphValue *
sonde_mindir_concat (SondeMindirCall *call, GPtrArray *values, gint64 axis)
{
  SondeGraphValue *const *inputs = (SondeGraphValue *const *) values->pdata;
  SondeGraphValue *result = sonde_lowering_op (call->l, "Concat", inputs, values->len);

  sonde_node_set_int (result->producer, "axis", axis);
  return sonde_mindir_typed (result, inputs[0]->type.dtype, inputs[0]->type.rank);
}

gint64
sonde_mindir_size (const SondeGraphValue *value, gint64 axis)
{
  if (axis < 0)
    axis += value->type.rank;
  return axis >= 0 && axis < value->type.rank ? value->type.dims[axis].size : -1;
}
