/* SPDX-License-Identifier: Apache-2.0
 * Parts of values, what is put around them, and other orders of their elements. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

/* ---- slices -------------------------------------------------------------- */

/* A size of −1 is all that is left. */
static SondeGraphValue *
find_end (SondeTensorflowLower *lower, SondeGraphValue *begin)
{
  guint n = 0, n_sizes = 0;
  g_autofree gint64 *begins = sonde_tensorflow_dup_ints (lower, 1, &n);
  g_autofree gint64 *sizes = sonde_tensorflow_dup_ints (lower, 2, &n_sizes);
  SondeGraphValue *size, *rest, *end;

  if (begins != NULL && sizes != NULL && n == n_sizes)
    {
      for (guint i = 0; i < n; i++)
        sizes[i]
            = sizes[i] < 0 || begins[i] > G_MAXINT64 - sizes[i] ? G_MAXINT64 : begins[i] + sizes[i];
      return sonde_lowering_ints (lower->to, sizes, n);
    }
  size = sonde_tensorflow_in_ints (lower, 2);
  rest = sonde_tensorflow_op2 (lower, "Less", size, sonde_lowering_int (lower->to, 0));
  end = sonde_tensorflow_op2 (lower, "Add", begin, size);
  return sonde_tensorflow_op3 (lower, "Where", rest, sonde_lowering_int (lower->to, G_MAXINT64),
                               end);
}

static void
build_slice (SondeTensorflowLower *lower)
{
  SondeGraphValue *begin = sonde_tensorflow_in_ints (lower, 1);
  SondeGraphValue *value = sonde_tensorflow_op3 (lower, "Slice", sonde_tensorflow_in (lower, 0),
                                                 begin, find_end (lower, begin));
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (lower->to, sonde_tensorflow_in (lower, 2), numbers);

  sonde_lowering_infer (lower->to, value); /* a known size holds, wherever the slice begins */
  for (int i = 0; i < MIN (n, value->type.rank); i++)
    if (numbers[i] >= 0)
      value->type.dims[i] = (SondeDimension){ .size = numbers[i] };
  sonde_tensorflow_out (lower, 0, value);
}

static guint
mask (const SondeTensorflowLower *lower, const char *name)
{
  return (guint) sonde_tensorflow_attr_int (lower->node, name, 0);
}

static gboolean
check_strides (SondeTensorflowLower *lower, const gint64 *strides, guint n)
{
  for (guint i = 0; i < n; i++)
    if (strides[i] == 0)
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "stride %u is 0", i);
  for (guint k = 1; k < 3; k++)
    {
      const SondeType *type = &sonde_tensorflow_in (lower, k)->type;

      if (type->rank != 1 || type->dims[0].size != (gint64) n)
        sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "input %u has not %u numbers", k,
                             n);
    }
  return !sonde_lowering_has_failed (lower->to);
}

/* Bounds that are computed, but known: as constants they make smaller graphs. */
static SondeGraphValue *
take_bounds (SondeTensorflowLower *lower, guint k)
{
  guint n = 0;
  g_autofree gint64 *numbers = sonde_tensorflow_dup_ints (lower, k, &n);

  return numbers != NULL ? sonde_lowering_ints (lower->to, numbers, n)
                         : sonde_tensorflow_in (lower, k);
}

/* Where the rank is not known, an ellipsis in front of what is named would need it; without one the
 * named dimensions are the first. */
static int
find_rank (SondeTensorflowLower *lower, const SondeLoweringSlice *slice)
{
  int rank = sonde_tensorflow_in_rank (lower, 0);

  if (rank >= 0 || slice->ellipsis_mask != 0)
    return rank >= 0 ? rank : sonde_tensorflow_need_rank (lower, 0);
  return slice->n;
}

static void
build_strided_slice (SondeTensorflowLower *lower)
{
  guint n = 0;
  g_autofree gint64 *strides = sonde_tensorflow_need_ints (lower, 3, N_ ("the stride"), &n);
  SondeLoweringSlice slice = { .strides = strides, .n = (int) n };
  SondeGraphValue *value;
  int rank;

  if (strides == NULL || !check_strides (lower, strides, n))
    return;
  slice.begin = take_bounds (lower, 1);
  slice.end = take_bounds (lower, 2);
  slice.begin_mask = mask (lower, "begin_mask");
  slice.end_mask = mask (lower, "end_mask");
  slice.ellipsis_mask = mask (lower, "ellipsis_mask");
  slice.new_axis_mask = mask (lower, "new_axis_mask");
  slice.shrink_axis_mask = mask (lower, "shrink_axis_mask");
  rank = find_rank (lower, &slice);
  if (rank < 0)
    return;
  value = sonde_lowering_strided_slice (lower->to, sonde_tensorflow_in (lower, 0), rank, &slice);
  if (value == NULL)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                         "its masks do not fit an input of %d dimensions", rank);
  else
    sonde_tensorflow_out (lower, 0,
                          value == sonde_tensorflow_in (lower, 0)
                              ? sonde_tensorflow_op1 (lower, "Identity", value)
                              : value);
}

/* ---- backwards ----------------------------------------------------------- */

static void
reverse (SondeTensorflowLower *lower, gint64 *axes, guint n)
{
  SondeGraphValue *value = sonde_tensorflow_in (lower, 0);
  int rank = value->type.rank;

  for (guint i = 0; i < n; i++)
    if (rank < 0 || sonde_tensorflow_check_axis (lower, &axes[i], rank))
      value = sonde_lowering_slice (lower->to, value, axes[i], -1, G_MININT64, -1);
  if (n == 0)
    value = sonde_tensorflow_op1 (lower, "Identity", value);
  sonde_tensorflow_out (lower, 0, value);
}

static void
build_reverse_v2 (SondeTensorflowLower *lower)
{
  guint n = 0;
  g_autofree gint64 *axes = sonde_tensorflow_need_ints (lower, 1, N_ ("the axis"), &n);

  if (axes != NULL)
    reverse (lower, axes, n);
}

/* ONNX reverses where time and batch are the first two dimensions. */
static void
build_reverse_sequence (SondeTensorflowLower *lower)
{
  gint64 time = sonde_tensorflow_attr_int (lower->node, "seq_dim", 0);
  gint64 batch = sonde_tensorflow_attr_int (lower->node, "batch_dim", 0);
  int rank = sonde_tensorflow_need_rank (lower, 0), n = 0;
  gint64 order[SONDE_MAX_RANK], back[SONDE_MAX_RANK];
  SondeGraphValue *value;

  if (rank < 0 || !sonde_tensorflow_check_axis (lower, &time, rank)
      || !sonde_tensorflow_check_axis (lower, &batch, rank))
    return;
  if (time == batch)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                           "time and batch are the same dimension");
      return;
    }
  order[n++] = batch;
  order[n++] = time;
  for (int i = 0; i < rank; i++)
    if (i != batch && i != time)
      order[n++] = i;
  for (int i = 0; i < rank; i++)
    back[order[i]] = i;
  value = sonde_lowering_transpose (lower->to, sonde_tensorflow_in (lower, 0), order, rank);
  value
      = sonde_tensorflow_op2 (lower, "ReverseSequence", value, sonde_tensorflow_in_ints (lower, 1));
  sonde_node_set_int (value->producer, "batch_axis", 0);
  sonde_node_set_int (value->producer, "time_axis", 1);
  sonde_lowering_infer (lower->to, value);
  sonde_tensorflow_out (lower, 0, sonde_lowering_transpose (lower->to, value, back, rank));
}

/* What goes out at one end comes in at the other: two parts that change places. */
static void
build_roll (SondeTensorflowLower *lower)
{
  guint n = 0, n_axes = 0;
  g_autofree gint64 *shifts = sonde_tensorflow_need_ints (lower, 1, N_ ("the shift"), &n);
  g_autofree gint64 *axes = NULL;
  SondeGraphValue *value;
  int rank;

  if (shifts == NULL)
    return;
  axes = sonde_tensorflow_need_ints (lower, 2, N_ ("the axis"), &n_axes);
  rank = axes != NULL ? sonde_tensorflow_need_rank (lower, 0) : -1;
  value = sonde_tensorflow_in (lower, 0);
  for (guint i = 0; rank >= 0 && i < MIN (n, n_axes); i++)
    {
      gint64 size, shift;

      if (!sonde_tensorflow_check_axis (lower, &axes[i], rank))
        return;
      size = sonde_tensorflow_in (lower, 0)->type.dims[axes[i]].size;
      shift = size > 0 ? ((shifts[i] % size) + size) % size : shifts[i];
      if (shift == 0)
        continue;
      value = sonde_lowering_concat (
          lower->to,
          SONDE_VALUES (sonde_lowering_slice (lower->to, value, axes[i], -shift, G_MAXINT64, 1),
                        sonde_lowering_slice (lower->to, value, axes[i], 0, -shift, 1)),
          axes[i]);
    }
  if (rank >= 0)
    sonde_tensorflow_out (lower, 0,
                          value == sonde_tensorflow_in (lower, 0)
                              ? sonde_tensorflow_op1 (lower, "Identity", value)
                              : value);
}

/* ---- padding ------------------------------------------------------------- */

/* [n, 2] → all begins, then all ends. */
static SondeGraphValue *
order_pads (SondeTensorflowLower *lower, const gint64 *pads, guint n)
{
  static const gint64 turned[] = { 1, 0 };
  guint rank = n / 2;
  g_autofree gint64 *ordered = g_new0 (gint64, MAX (n, 1));
  gint64 all = -1;
  SondeGraphValue *value;

  if (pads == NULL)
    {
      value = sonde_lowering_transpose (lower->to, sonde_tensorflow_in (lower, 1), turned, 2);
      value = sonde_lowering_reshape (lower->to, value, &all, 1);
      return sonde_tensorflow_cast (lower, value, SONDE_DTYPE_I64);
    }
  for (guint i = 0; i < rank; i++)
    {
      guint at = !lower->first || i == 0 ? i : i == rank - 1 ? 1 : i + 1;

      ordered[at] = pads[2 * i];
      ordered[rank + at] = pads[2 * i + 1];
    }
  return sonde_lowering_ints (lower->to, ordered, n);
}

static gboolean
check_pads (SondeTensorflowLower *lower)
{
  const SondeType *pads = &sonde_tensorflow_in (lower, 1)->type;
  int rank = sonde_tensorflow_in_rank (lower, 0);

  if (pads->rank < 0 || rank < 0
      || (pads->rank == 2 && (pads->dims[1].size == 2 || pads->dims[1].size < 0)
          && (pads->dims[0].size == rank || pads->dims[0].size < 0)))
    return TRUE;
  sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                       "its padding does not fit an input of %d dimensions", rank);
  return FALSE;
}

static void
build_pad (SondeTensorflowLower *lower)
{
  guint n = 0;
  g_autofree gint64 *pads = NULL;
  SondeGraphValue *inputs[3];

  if (!check_pads (lower))
    return;
  pads = sonde_tensorflow_dup_ints (lower, 1, &n);
  lower->first
      = pads != NULL
        && sonde_lowering_find_channels_first (lower->to, sonde_tensorflow_in (lower, 0)) != NULL;
  inputs[0] = lower->first ? sonde_tensorflow_in_first (lower, 0, (int) n / 2)
                           : sonde_tensorflow_in (lower, 0);
  inputs[1] = order_pads (lower, pads, n);
  inputs[2] = lower->n_inputs > 2 ? sonde_tensorflow_in_scalar (lower, 2) : NULL;
  sonde_tensorflow_out_any (
      lower, 0, sonde_lowering_op (lower->to, "Pad", inputs, inputs[2] != NULL ? 3 : 2));
}

static void
build_mirror_pad (SondeTensorflowLower *lower)
{
  gboolean symmetric = sonde_tensorflow_attr_is (lower->node, "mode", "SYMMETRIC");
  guint n = 0;
  g_autofree gint64 *pads = NULL;
  SondeGraphValue *value = sonde_tensorflow_in (lower, 0);

  if (!check_pads (lower))
    return;
  pads = sonde_tensorflow_need_ints (lower, 1, N_ ("the padding"), &n);
  if (pads == NULL)
    return;
  if (symmetric)
    for (guint i = 0; i < n / 2; i++)
      value = sonde_lowering_mirror (lower->to, value, i, pads[2 * i], pads[2 * i + 1], TRUE);
  else
    {
      value = sonde_tensorflow_op2 (lower, "Pad", value, order_pads (lower, pads, n));
      sonde_node_set_string (value->producer, "mode", "reflect");
    }
  if (value == sonde_tensorflow_in (lower, 0))
    value = sonde_tensorflow_op1 (lower, "Identity", value);
  sonde_tensorflow_out (lower, 0, value);
}

/* ---- the table ----------------------------------------------------------- */

const SondeTensorflowRow sonde_tensorflow_slice_rows[] = {
  { "MirrorPad", 2, build_mirror_pad, NULL },
  { "Pad", 2, build_pad, NULL },
  { "PadV2", 3, build_pad, NULL },
  { "ReverseSequence", 2, build_reverse_sequence, NULL },
  { "ReverseV2", 2, build_reverse_v2, NULL },
  { "Roll", 3, build_roll, NULL },
  { "Slice", 3, build_slice, NULL },
  { "StridedSlice", 4, build_strided_slice, NULL },
  { NULL, 0, NULL, NULL },
};
