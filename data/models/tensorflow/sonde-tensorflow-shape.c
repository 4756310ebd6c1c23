/* SPDX-License-Identifier: Apache-2.0
 * Operators on shapes, and those that only rename the places of elements or repeat them. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

/* ---- sizes --------------------------------------------------------------- */

static SondeDtype
out_type (const SondeTensorflowLower *lower)
{
  SondeDtype dtype = sonde_tensorflow_attr_dtype (lower->node, "out_type");

  return dtype != SONDE_DTYPE_INVALID ? dtype : SONDE_DTYPE_I32;
}

static void
build_shape (SondeTensorflowLower *lower)
{
  for (guint k = 0; k < lower->n_inputs; k++) /* of ShapeN several */
    {
      SondeGraphValue *shape = sonde_tensorflow_shape_of (lower, sonde_tensorflow_in (lower, k));

      sonde_tensorflow_out (lower, k, sonde_tensorflow_cast (lower, shape, out_type (lower)));
    }
}

static void
build_size (SondeTensorflowLower *lower)
{
  SondeGraphValue *size = sonde_tensorflow_op1 (lower, "Size", sonde_tensorflow_in (lower, 0));

  sonde_tensorflow_out (lower, 0, sonde_tensorflow_cast (lower, size, out_type (lower)));
}

static void
build_rank (SondeTensorflowLower *lower)
{
  SondeGraphValue *shape = sonde_tensorflow_shape_of (lower, sonde_tensorflow_in (lower, 0));

  sonde_tensorflow_out (
      lower, 0,
      sonde_tensorflow_cast (lower, sonde_tensorflow_op1 (lower, "Size", shape), SONDE_DTYPE_I32));
}

/* ---- other shapes -------------------------------------------------------- */

/* ONNX copies a size where 0 is asked for; TensorFlow means it. */
static void
build_reshape (SondeTensorflowLower *lower)
{
  guint n = 0;
  g_autofree gint64 *sizes = sonde_tensorflow_dup_ints (lower, 1, &n);
  SondeGraphValue *x = sonde_tensorflow_in (lower, 0);
  SondeGraphValue *value
      = sonde_tensorflow_op2 (lower, "Reshape", x, sonde_tensorflow_in_ints (lower, 1));
  gboolean zero = FALSE, rest = FALSE;

  for (guint i = 0; i < n; i++)
    {
      zero |= sizes[i] == 0;
      rest |= sizes[i] < 0;
    }
  if (zero && !rest)
    sonde_node_set_int (value->producer, "allowzero", 1);
  sonde_tensorflow_out (lower, 0, value);
}

static void
build_squeeze (SondeTensorflowLower *lower)
{
  const gint64 *axes;
  gsize n = sonde_tensorflow_attr_ints (lower->node, "squeeze_dims", &axes);
  SondeGraphValue *inputs[2] = { sonde_tensorflow_in (lower, 0) };

  if (n == 0)
    n = sonde_tensorflow_attr_ints (lower->node, "axis", &axes);
  if (n > 0)
    inputs[1] = sonde_lowering_ints (lower->to, axes, n);
  sonde_tensorflow_out (lower, 0, sonde_lowering_op (lower->to, "Squeeze", inputs, n > 0 ? 2 : 1));
}

static void
build_expand_dims (SondeTensorflowLower *lower)
{
  sonde_tensorflow_out (lower, 0,
                        sonde_tensorflow_op2 (lower, "Unsqueeze", sonde_tensorflow_in (lower, 0),
                                              sonde_tensorflow_in_ints (lower, 1)));
}

/* Each dimension once? Negative ones count from the end. */
static gboolean
is_permutation (SondeTensorflowLower *lower, gint64 *order, guint n)
{
  guint seen = 0;

  for (guint i = 0; i < n && n <= SONDE_MAX_RANK; i++)
    {
      if (!sonde_tensorflow_check_axis (lower, &order[i], (int) n))
        return FALSE;
      seen |= 1u << order[i];
    }
  if (n <= SONDE_MAX_RANK && seen == (1u << n) - 1
      && sonde_tensorflow_check_rank (lower, 0, (int) n))
    return TRUE;
  if (!sonde_lowering_has_failed (lower->to))
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                         "the order of %u dimensions does not fit its input of %d", n,
                         sonde_tensorflow_in_rank (lower, 0));
  return FALSE;
}

static void
build_transpose (SondeTensorflowLower *lower)
{
  guint n = 0;
  g_autofree gint64 *order
      = sonde_tensorflow_need_ints (lower, 1, N_ ("the order of the dimensions"), &n);

  if (order != NULL && is_permutation (lower, order, n))
    sonde_tensorflow_out (
        lower, 0,
        sonde_lowering_transpose (lower->to, sonde_tensorflow_in (lower, 0), order, (int) n));
}

/* ---- repeating ----------------------------------------------------------- */

/* Tile, Expand: the second input is numbers. */
static void
build_repeat (SondeTensorflowLower *lower)
{
  sonde_tensorflow_out (lower, 0,
                        sonde_tensorflow_op2 (lower, lower->row->to, sonde_tensorflow_in (lower, 0),
                                              sonde_tensorflow_in_ints (lower, 1)));
}

static void
build_fill (SondeTensorflowLower *lower)
{
  sonde_tensorflow_out (lower, 0,
                        sonde_tensorflow_op2 (lower, "Expand",
                                              sonde_tensorflow_in_scalar (lower, 1),
                                              sonde_tensorflow_in_ints (lower, 0)));
}

static void
fill_like (SondeTensorflowLower *lower, double number)
{
  SondeGraphValue *x = sonde_tensorflow_in (lower, 0);

  sonde_tensorflow_out (lower, 0,
                        sonde_tensorflow_op2 (lower, "Expand",
                                              sonde_tensorflow_number (lower, x, number),
                                              sonde_tensorflow_shape_of (lower, x)));
}

static void
build_zeros_like (SondeTensorflowLower *lower)
{
  fill_like (lower, 0);
}

static void
build_ones_like (SondeTensorflowLower *lower)
{
  fill_like (lower, 1);
}

static void
build_range (SondeTensorflowLower *lower)
{
  sonde_tensorflow_out (lower, 0,
                        sonde_tensorflow_op3 (lower, "Range", sonde_tensorflow_in_scalar (lower, 0),
                                              sonde_tensorflow_in_scalar (lower, 1),
                                              sonde_tensorflow_in_scalar (lower, 2)));
}

/* start + i · (stop − start) / (n − 1) */
static void
build_linspace (SondeTensorflowLower *lower)
{
  SondeGraphValue *start = sonde_tensorflow_in_scalar (lower, 0);
  SondeGraphValue *stop = sonde_tensorflow_in_scalar (lower, 1), *step;
  SondeGraphValue *n
      = sonde_tensorflow_cast (lower, sonde_tensorflow_in_scalar (lower, 2), SONDE_DTYPE_I64);
  SondeGraphValue *one = sonde_lowering_int (lower->to, 1), *steps, *value;

  steps = sonde_tensorflow_op2 (lower, "Max", sonde_tensorflow_op2 (lower, "Sub", n, one), one);
  steps = sonde_tensorflow_cast (lower, steps, start->type.dtype);
  step = sonde_tensorflow_op2 (lower, "Div", sonde_tensorflow_op2 (lower, "Sub", stop, start),
                               steps);
  value = sonde_tensorflow_op3 (lower, "Range", sonde_lowering_int (lower->to, 0), n, one);
  value = sonde_tensorflow_cast (lower, value, start->type.dtype);
  value = sonde_tensorflow_op2 (lower, "Mul", value, step);
  sonde_tensorflow_out (lower, 0, sonde_tensorflow_op2 (lower, "Add", value, start));
}

/* The shape that two shapes broadcast to; the shorter one begins with ones. */
static void
build_broadcast_args (SondeTensorflowLower *lower)
{
  SondeGraphValue *shapes[2], *is_one;
  gint64 most = 0;

  for (guint k = 0; k < 2; k++)
    {
      shapes[k] = sonde_tensorflow_in (lower, k);
      if (shapes[k]->type.rank != 1 || shapes[k]->type.dims[0].size < 0)
        {
          sonde_tensorflow_refuse (
              lower, sonde_message_new ("how many dimensions input %u has is not known", k), NULL);
          return;
        }
      most = MAX (most, shapes[k]->type.dims[0].size);
    }
  for (guint k = 0; k < 2; k++)
    if (shapes[k]->type.dims[0].size < most)
      {
        gint64 pads[] = { most - shapes[k]->type.dims[0].size, 0 };

        shapes[k] = sonde_tensorflow_op3 (lower, "Pad", shapes[k],
                                          sonde_lowering_ints (lower->to, pads, 2),
                                          sonde_tensorflow_number (lower, shapes[k], 1));
      }
  is_one
      = sonde_tensorflow_op2 (lower, "Equal", shapes[0],
                              sonde_tensorflow_number (lower, sonde_tensorflow_in (lower, 0), 1));
  sonde_tensorflow_out (lower, 0,
                        sonde_tensorflow_op3 (lower, "Where", is_one, shapes[1], shapes[0]));
}

/* ---- orders -------------------------------------------------------------- */

/* Where each of 0, 1, … stands: the order that sorts them. */
static void
build_invert_permutation (SondeTensorflowLower *lower)
{
  SondeGraphValue *x = sonde_tensorflow_in (lower, 0), *indices, *n, *places;
  gint64 last = -1;

  indices = sonde_tensorflow_cast (lower, x, SONDE_DTYPE_I64);
  n = sonde_tensorflow_op1 (lower, "Size", indices);
  places = sonde_tensorflow_op3 (lower, "Range", sonde_lowering_int (lower->to, 0), n,
                                 sonde_lowering_int (lower->to, 1));
  indices = sonde_tensorflow_op2 (lower, "Unsqueeze", indices,
                                  sonde_lowering_ints (lower->to, &last, 1));
  places = sonde_tensorflow_op3 (lower, "ScatterND", places, indices, places);
  sonde_tensorflow_out (lower, 0, sonde_tensorflow_cast (lower, places, x->type.dtype));
}

/* ---- the table ----------------------------------------------------------- */

const SondeTensorflowRow sonde_tensorflow_shape_rows[] = {
  { "BroadcastArgs", 2, build_broadcast_args, NULL },
  { "BroadcastTo", 2, build_repeat, "Expand" },
  { "ConjugateTranspose", 2, build_transpose, NULL },
  { "ExpandDims", 2, build_expand_dims, NULL },
  { "Fill", 2, build_fill, NULL },
  { "InvertPermutation", 1, build_invert_permutation, NULL },
  { "LinSpace", 3, build_linspace, NULL },
  { "OnesLike", 1, build_ones_like, NULL },
  { "Range", 3, build_range, NULL },
  { "Rank", 1, build_rank, NULL },
  { "Reshape", 2, build_reshape, NULL },
  { "Shape", 1, build_shape, NULL },
  { "ShapeN", 1, build_shape, NULL },
  { "Size", 1, build_size, NULL },
  { "Squeeze", 1, build_squeeze, NULL },
  { "Tile", 2, build_repeat, "Tile" },
  { "Transpose", 2, build_transpose, NULL },
  { "ZerosLike", 1, build_zeros_like, NULL },
  { NULL, 0, NULL, NULL },
};
