/* SPDX-License-Identifier: Apache-2.0
 * Operators over whole axes: sums, softmax, running sums, the largest. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

/* ---- reductions ---------------------------------------------------------- */

/* All spatial axes go, or none: what is left has the same order in either layout. */
static gboolean
leaves_order (const gint64 *axes, guint n, int rank)
{
  int spatial = 0;

  for (guint i = 0; i < n; i++)
    {
      gint64 axis = axes[i] < 0 ? axes[i] + rank : axes[i];

      spatial += axis > 0 && axis < rank - 1;
    }
  return spatial == rank - 2;
}

static gboolean
keeps (const SondeTensorflowLower *lower)
{
  return sonde_tensorflow_attr_bool (lower->node, "keep_dims", FALSE);
}

/* @axes: counted from the front, for channels first where the operator works so; FALSE: they are none */
static gboolean
order_axes (SondeTensorflowLower *lower, gint64 *axes, guint n, int rank)
{
  for (guint i = 0; i < n && rank >= 0; i++)
    {
      if (!sonde_tensorflow_check_axis (lower, &axes[i], rank))
        return FALSE;
      if (lower->first)
        axes[i] = axes[i] == 0 ? 0 : axes[i] == rank - 1 ? 1 : axes[i] + 1;
    }
  return TRUE;
}

/* @x: NULL: input 0. NULL after a failure */
static SondeGraphValue *
emit_reduction (SondeTensorflowLower *lower, SondeGraphValue *x)
{
  SondeGraphValue *input = sonde_tensorflow_in (lower, 0), *value;
  guint n = 0;
  g_autofree gint64 *axes = sonde_tensorflow_dup_ints (lower, 1, &n);
  int rank = input->type.rank;

  if (x == NULL && axes != NULL && rank >= 3 && (keeps (lower) || leaves_order (axes, n, rank)))
    lower->first = sonde_lowering_find_channels_first (lower->to, input) != NULL;
  if (axes != NULL && !order_axes (lower, axes, n, rank))
    return NULL;
  value = sonde_tensorflow_op2 (lower, lower->row->to,
                                x != NULL ? x : sonde_tensorflow_in_any (lower, 0),
                                axes != NULL ? sonde_lowering_ints (lower->to, axes, n)
                                             : sonde_tensorflow_in_ints (lower, 1));
  sonde_node_set_int (value->producer, "keepdims", keeps (lower));
  sonde_node_set_int (value->producer, "noop_with_empty_axes", 1);
  return value;
}

static void
build_reduce (SondeTensorflowLower *lower)
{
  SondeGraphValue *value = emit_reduction (lower, NULL);

  if (value == NULL)
    return;
  if (keeps (lower))
    sonde_tensorflow_out_any (lower, 0, value);
  else
    sonde_tensorflow_out (lower, 0, value);
}

/* Any and all of booleans. */
static void
build_reduce_bool (SondeTensorflowLower *lower)
{
  SondeGraphValue *value = emit_reduction (
      lower, sonde_lowering_cast (lower->to, sonde_tensorflow_in (lower, 0), SONDE_DTYPE_I32));

  if (value != NULL)
    sonde_tensorflow_out (lower, 0, sonde_lowering_cast (lower->to, value, SONDE_DTYPE_BOOL));
}

static void
build_arg (SondeTensorflowLower *lower)
{
  SondeDtype dtype = sonde_tensorflow_attr_dtype (lower->node, "output_type");
  gint64 axis = 0;
  int rank = sonde_tensorflow_in_rank (lower, 0);
  SondeGraphValue *value;

  if (!sonde_tensorflow_need_int (lower, 1, N_ ("the axis"), &axis)
      || (rank >= 0 && !sonde_tensorflow_check_axis (lower, &axis, rank)))
    return;
  value = sonde_tensorflow_op1 (lower, lower->row->to, sonde_tensorflow_in (lower, 0));
  sonde_node_set_int (value->producer, "axis", axis);
  sonde_node_set_int (value->producer, "keepdims", 0);
  sonde_tensorflow_out (
      lower, 0,
      sonde_tensorflow_cast (lower, value, dtype != SONDE_DTYPE_INVALID ? dtype : SONDE_DTYPE_I64));
}

/* ---- along an axis ------------------------------------------------------- */

static void
build_cumsum (SondeTensorflowLower *lower)
{
  SondeGraphValue *value = sonde_tensorflow_op2 (lower, "CumSum", sonde_tensorflow_in (lower, 0),
                                                 sonde_tensorflow_in_scalar (lower, 1));

  sonde_node_set_int (value->producer, "exclusive",
                      sonde_tensorflow_attr_bool (lower->node, "exclusive", FALSE));
  sonde_node_set_int (value->producer, "reverse",
                      sonde_tensorflow_attr_bool (lower->node, "reverse", FALSE));
  sonde_tensorflow_out (lower, 0, value);
}

static void
build_softmax (SondeTensorflowLower *lower)
{
  SondeGraphValue *value
      = sonde_tensorflow_op1 (lower, lower->row->to, sonde_tensorflow_in (lower, 0));

  sonde_node_set_int (value->producer, "axis", -1);
  sonde_tensorflow_out (lower, 0, value);
}

/* Version 1 has the number as an attribute. */
static void
build_top_k (SondeTensorflowLower *lower)
{
  gint64 k = sonde_tensorflow_attr_int (lower->node, "k", 0);
  SondeDtype dtype = sonde_tensorflow_attr_dtype (lower->node, "index_type");
  SondeGraphValue *inputs[2] = { sonde_tensorflow_in (lower, 0) };
  SondeNode *node;

  inputs[1] = lower->n_inputs > 1 ? sonde_tensorflow_in_ints (lower, 1)
                                  : sonde_lowering_ints (lower->to, &k, 1);
  node = sonde_lowering_node (lower->to, "", "TopK", inputs, 2, 2);
  sonde_tensorflow_out (lower, 0, sonde_node_get_output (node, 0));
  sonde_tensorflow_out (
      lower, 1,
      sonde_lowering_cast (lower->to, sonde_node_get_output (node, 1),
                           dtype != SONDE_DTYPE_INVALID ? dtype : SONDE_DTYPE_I32));
}

/* ---- the table ----------------------------------------------------------- */

const SondeTensorflowRow sonde_tensorflow_reduce_rows[] = {
  { "All", 2, build_reduce_bool, "ReduceMin" },
  { "Any", 2, build_reduce_bool, "ReduceMax" },
  { "ArgMax", 2, build_arg, "ArgMax" },
  { "ArgMin", 2, build_arg, "ArgMin" },
  { "Cumsum", 2, build_cumsum, NULL },
  { "EuclideanNorm", 2, build_reduce, "ReduceL2" },
  { "LogSoftmax", 1, build_softmax, "LogSoftmax" },
  { "Max", 2, build_reduce, "ReduceMax" },
  { "Mean", 2, build_reduce, "ReduceMean" },
  { "Min", 2, build_reduce, "ReduceMin" },
  { "Prod", 2, build_reduce, "ReduceProd" },
  { "Softmax", 1, build_softmax, "Softmax" },
  { "Sum", 2, build_reduce, "ReduceSum" },
  { "TopK", 1, build_top_k, NULL },
  { "TopKV2", 2, build_top_k, NULL },
  { NULL, 0, NULL, NULL },
};
