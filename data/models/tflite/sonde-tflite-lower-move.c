/* SPDX-License-Identifier: Apache-2.0
 * Operators that move elements: shapes, slices, pads. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tflite/sonde-tflite-builders.h"

/* ---- shapes -------------------------------------------------------------- */

/* A vector of 32-bit integers in the options; −1 where it is absent. */
static int
option_ints (SondeTfliteLower *lower, guint slot, gint64 *numbers)
{
  SondeFlatVector vector = sonde_flat_table_get_vector (&lower->op->options, slot, 4);

  if (vector.buffer == NULL)
    return -1;
  if (vector.count > SONDE_MAX_RANK)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_LIMIT,
                           "it has %" PRIu32 " dimensions; at most %d are supported", vector.count,
                           SONDE_MAX_RANK);
      return -1;
    }
  for (guint32 i = 0; i < vector.count; i++)
    numbers[i] = sonde_flat_vector_get_i32 (&vector, i);
  return (int) vector.count;
}

/* Old files say a scalar by one size of 0. */
static void
reshape_to_option (SondeTfliteLower *lower)
{
  gint64 sizes[SONDE_MAX_RANK];
  int rank = option_ints (lower, 0, sizes);

  if (rank < 0)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "it has no new shape");
      return;
    }
  if (rank == 1 && sizes[0] == 0)
    rank = 0;
  sonde_tflite_out (lower, 0,
                    sonde_lowering_reshape (lower->to, sonde_tflite_in (lower, 0), sizes, rank));
}

void
sonde_tflite_build_reshape (SondeTfliteLower *lower)
{
  const SondeTfliteTensor *shape = sonde_tflite_in_tensor (lower, 1);
  guint n = 0;
  g_autofree gint64 *sizes = NULL;
  SondeGraphValue *value;

  if (shape == NULL || shape->dtype != SONDE_DTYPE_I32)
    {
      reshape_to_option (lower);
      return;
    }
  sizes = sonde_tflite_dup_ints (lower, 1, &n);
  if (n > SONDE_MAX_RANK)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_LIMIT,
                         "it has %u dimensions; at most %d are supported", n, SONDE_MAX_RANK);
  else if (sizes != NULL)
    sonde_tflite_out (
        lower, 0, sonde_lowering_reshape (lower->to, sonde_tflite_in (lower, 0), sizes, (int) n));
  else
    {
      value = sonde_lowering_op (
          lower->to, "Reshape",
          SONDE_VALUES (sonde_tflite_in (lower, 0),
                        sonde_tflite_as_ints (lower, sonde_tflite_in (lower, 1))));
      sonde_tflite_out (lower, 0, value);
    }
}

void
sonde_tflite_build_squeeze (SondeTfliteLower *lower)
{
  gint64 axes[SONDE_MAX_RANK];
  int n = option_ints (lower, 0, axes);
  SondeGraphValue *inputs[2] = { sonde_tflite_in (lower, 0) };

  if (n > 0)
    inputs[1] = sonde_lowering_ints (lower->to, axes, (gsize) n);
  sonde_tflite_out (lower, 0, sonde_lowering_op (lower->to, "Squeeze", inputs, n > 0 ? 2 : 1));
}

void
sonde_tflite_build_expand_dims (SondeTfliteLower *lower)
{
  sonde_tflite_out (
      lower, 0,
      sonde_lowering_op (lower->to, "Unsqueeze",
                         SONDE_VALUES (sonde_tflite_in (lower, 0),
                                       sonde_tflite_as_ints (lower, sonde_tflite_in (lower, 1)))));
}

void
sonde_tflite_build_transpose (SondeTfliteLower *lower)
{
  guint n = 0;
  g_autofree gint64 *order
      = sonde_tflite_need_ints (lower, 1, N_ ("the order of the dimensions"), &n);
  guint seen = 0;

  if (order == NULL)
    return;
  for (guint i = 0; i < n && (int) n == sonde_tflite_in_rank (lower, 0); i++)
    {
      if (!sonde_tflite_check_axis (lower, &order[i], (int) n))
        return;
      seen |= 1u << order[i];
    }
  if ((int) n != sonde_tflite_in_rank (lower, 0) || seen != (1u << n) - 1)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                         "the order of %u dimensions does not fit its input of %d", n,
                         sonde_tflite_in_rank (lower, 0));
  else
    sonde_tflite_out (
        lower, 0, sonde_lowering_transpose (lower->to, sonde_tflite_in (lower, 0), order, (int) n));
}

void
sonde_tflite_build_shape (SondeTfliteLower *lower)
{
  SondeGraphValue *shape
      = sonde_lowering_op (lower->to, "Shape", SONDE_VALUES (sonde_tflite_in_raw (lower, 0)));

  sonde_tflite_out (
      lower, 0, sonde_lowering_cast (lower->to, shape, sonde_tflite_out_tensor (lower, 0)->dtype));
}

void
sonde_tflite_build_rank (SondeTfliteLower *lower)
{
  SondeGraphValue *shape
      = sonde_lowering_op (lower->to, "Shape", SONDE_VALUES (sonde_tflite_in_raw (lower, 0)));

  sonde_tflite_out (
      lower, 0,
      sonde_lowering_cast (lower->to, sonde_lowering_op (lower->to, "Size", SONDE_VALUES (shape)),
                           SONDE_DTYPE_I32));
}

/* ---- repeating ----------------------------------------------------------- */

/* Tile, Expand: the second input is numbers. */
void
sonde_tflite_build_repeat (SondeTfliteLower *lower)
{
  enum
  {
    TILE = 69
  };

  sonde_tflite_out (
      lower, 0,
      sonde_lowering_op (lower->to, lower->op->code == TILE ? "Tile" : "Expand",
                         SONDE_VALUES (sonde_tflite_in (lower, 0),
                                       sonde_tflite_as_ints (lower, sonde_tflite_in (lower, 1)))));
}

void
sonde_tflite_build_fill (SondeTfliteLower *lower)
{
  sonde_tflite_out (
      lower, 0,
      sonde_lowering_op (lower->to, "Expand",
                         SONDE_VALUES (sonde_tflite_in (lower, 1),
                                       sonde_tflite_as_ints (lower, sonde_tflite_in (lower, 0)))));
}

void
sonde_tflite_build_zeros_like (SondeTfliteLower *lower)
{
  SondeDtype dtype = sonde_tflite_out_tensor (lower, 0)->dtype;
  SondeGraphValue *shape
      = sonde_lowering_op (lower->to, "Shape", SONDE_VALUES (sonde_tflite_in (lower, 0)));

  sonde_tflite_out (
      lower, 0,
      sonde_lowering_op (lower->to, "Expand",
                         SONDE_VALUES (sonde_lowering_number (lower->to, dtype, 0), shape)));
}

void
sonde_tflite_build_range (SondeTfliteLower *lower)
{
  sonde_tflite_out (lower, 0,
                    sonde_lowering_op (lower->to, "Range",
                                       SONDE_VALUES (sonde_tflite_in_scalar (lower, 0),
                                                     sonde_tflite_in_scalar (lower, 1),
                                                     sonde_tflite_in_scalar (lower, 2))));
}

/* The shape that two shapes broadcast to; the shorter one begins with ones. */
void
sonde_tflite_build_broadcast_args (SondeTfliteLower *lower)
{
  SondeGraphValue *shapes[2];
  gint64 sizes[2], most, one = 1;
  SondeGraphValue *is_one;

  for (guint k = 0; k < 2; k++)
    {
      shapes[k] = sonde_tflite_in (lower, k);
      sizes[k] = sonde_tflite_in_tensor (lower, k)->shape.dims[0];
      if (sonde_tflite_in_rank (lower, k) != 1 || sizes[k] > SONDE_MAX_RANK)
        {
          sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "its inputs are no shapes");
          return;
        }
    }
  most = MAX (sizes[0], sizes[1]);
  for (guint k = 0; k < 2; k++)
    if (sizes[k] < most)
      {
        gint64 pads[] = { most - sizes[k], 0 };

        shapes[k] = sonde_lowering_op (
            lower->to, "Pad",
            SONDE_VALUES (shapes[k], sonde_lowering_ints (lower->to, pads, 2),
                          sonde_lowering_number (
                              lower->to, sonde_tflite_in_tensor (lower, k)->dtype, (double) one)));
      }
  is_one = sonde_lowering_op (
      lower->to, "Equal",
      SONDE_VALUES (shapes[0], sonde_lowering_number (
                                   lower->to, sonde_tflite_in_tensor (lower, 0)->dtype, 1)));
  sonde_tflite_out (
      lower, 0,
      sonde_lowering_op (lower->to, "Where", SONDE_VALUES (is_one, shapes[1], shapes[0])));
}

/* ---- slices -------------------------------------------------------------- */

/* A size of −1 is all that is left. */
void
sonde_tflite_build_slice (SondeTfliteLower *lower)
{
  SondeLowering *to = lower->to;
  guint n = 0, n_sizes = 0;
  g_autofree gint64 *begins = sonde_tflite_dup_ints (lower, 1, &n);
  g_autofree gint64 *sizes = sonde_tflite_dup_ints (lower, 2, &n_sizes);
  SondeGraphValue *begin, *size, *end, *rest;

  begin = sonde_tflite_as_ints (lower, sonde_tflite_in (lower, 1));
  if (begins != NULL && sizes != NULL && n == n_sizes)
    {
      for (guint i = 0; i < n; i++)
        sizes[i] = sizes[i] < 0 ? G_MAXINT64 : begins[i] + sizes[i];
      end = sonde_lowering_ints (to, sizes, n);
    }
  else
    {
      size = sonde_tflite_as_ints (lower, sonde_tflite_in (lower, 2));
      rest = sonde_lowering_op (to, "Less", SONDE_VALUES (size, sonde_lowering_int (to, 0)));
      end = sonde_lowering_op (to, "Add", SONDE_VALUES (begin, size));
      end = sonde_lowering_op (to, "Where",
                               SONDE_VALUES (rest, sonde_lowering_int (to, G_MAXINT64), end));
    }
  sonde_tflite_out (
      lower, 0,
      sonde_lowering_op (to, "Slice", SONDE_VALUES (sonde_tflite_in (lower, 0), begin, end)));
}

void
sonde_tflite_build_strided_slice (SondeTfliteLower *lower)
{
  guint n = 0;
  g_autofree gint64 *strides = sonde_tflite_need_ints (lower, 3, N_ ("the stride"), &n);
  SondeLoweringSlice slice = { .strides = strides, .n = (int) n };
  SondeGraphValue *value;

  if (strides == NULL)
    return;
  for (guint i = 0; i < n; i++)
    if (strides[i] == 0)
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "stride %u is 0", i);
  for (guint k = 1; k < 3; k++)
    if (sonde_tflite_in_rank (lower, k) != 1
        || sonde_tflite_in_tensor (lower, k)->shape.dims[0] != (gint64) n)
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "input %u has not %u numbers", k,
                           n);
  if (sonde_lowering_has_failed (lower->to))
    return;
  slice.begin = sonde_tflite_in (lower, 1);
  slice.end = sonde_tflite_in (lower, 2);
  slice.begin_mask = (guint) sonde_tflite_option (lower, 0, 0);
  slice.end_mask = (guint) sonde_tflite_option (lower, 1, 0);
  slice.ellipsis_mask = (guint) sonde_tflite_option (lower, 2, 0);
  slice.new_axis_mask = (guint) sonde_tflite_option (lower, 3, 0);
  slice.shrink_axis_mask = (guint) sonde_tflite_option (lower, 4, 0);
  slice.end_is_length = sonde_tflite_option_bool (lower, 5);
  value = sonde_lowering_strided_slice (lower->to, sonde_tflite_in (lower, 0),
                                        sonde_tflite_in_rank (lower, 0), &slice);
  if (value == NULL)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                         "its masks do not fit an input of %d dimensions",
                         sonde_tflite_in_rank (lower, 0));
  else if (value == sonde_tflite_in (lower, 0))
    sonde_tflite_out (lower, 0, sonde_lowering_op (lower->to, "Identity", SONDE_VALUES (value)));
  else
    sonde_tflite_out (lower, 0, value);
}

void
sonde_tflite_build_reverse (SondeTfliteLower *lower)
{
  guint n = 0;
  g_autofree gint64 *axes = sonde_tflite_need_ints (lower, 1, N_ ("the axis"), &n);
  SondeGraphValue *value;

  if (axes == NULL)
    return;
  value = sonde_tflite_in (lower, 0);
  for (guint i = 0; i < n; i++)
    if (sonde_tflite_check_axis (lower, &axes[i], sonde_tflite_in_rank (lower, 0)))
      value = sonde_lowering_slice (lower->to, value, axes[i], -1, G_MININT64, -1);
  sonde_tflite_out (lower, 0, value);
}

/* ONNX reverses where time and batch are the first two dimensions. */
void
sonde_tflite_build_reverse_sequence (SondeTfliteLower *lower)
{
  gint64 time = sonde_tflite_option (lower, 0, 0), batch = sonde_tflite_option (lower, 1, 0);
  int rank = sonde_tflite_in_rank (lower, 0), n = 0;
  gint64 order[SONDE_MAX_RANK], back[SONDE_MAX_RANK];
  SondeGraphValue *value, *lengths;

  if (!sonde_tflite_check_axis (lower, &time, rank)
      || !sonde_tflite_check_axis (lower, &batch, rank))
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
  value = sonde_lowering_transpose (lower->to, sonde_tflite_in (lower, 0), order, rank);
  lengths = sonde_tflite_as_ints (lower, sonde_tflite_in (lower, 1));
  value = sonde_lowering_op (lower->to, "ReverseSequence", SONDE_VALUES (value, lengths));
  sonde_node_set_int (value->producer, "batch_axis", 0);
  sonde_node_set_int (value->producer, "time_axis", 1);
  sonde_tflite_out (lower, 0, sonde_lowering_transpose (lower->to, value, back, rank));
}

/* ---- padding ------------------------------------------------------------- */

/* [n, 2] → all begins, then all ends. */
static SondeGraphValue *
order_pads (SondeTfliteLower *lower, gboolean first)
{
  static const gint64 turned[] = { 1, 0 };
  guint n = 0;
  g_autofree gint64 *pads = sonde_tflite_dup_ints (lower, 1, &n);
  guint rank = n / 2;
  g_autofree gint64 *ordered = g_new0 (gint64, MAX (n, 1));
  SondeGraphValue *value;

  if (pads == NULL)
    {
      value = sonde_lowering_transpose (lower->to, sonde_tflite_in (lower, 1), turned, 2);
      return sonde_tflite_as_ints (lower, value);
    }
  for (guint i = 0; i < rank; i++)
    {
      guint at = !first || i == 0 ? i : i == rank - 1 ? 1 : i + 1;

      ordered[at] = pads[2 * i];
      ordered[rank + at] = pads[2 * i + 1];
    }
  return sonde_lowering_ints (lower->to, ordered, n);
}

static gboolean
check_pads (SondeTfliteLower *lower)
{
  const SondeTfliteTensor *pads = sonde_tflite_in_tensor (lower, 1);

  if (pads->shape.rank == 2 && pads->shape.dims[1] == 2
      && pads->shape.dims[0] == sonde_tflite_in_rank (lower, 0))
    return TRUE;
  sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                       "its padding does not fit an input of %d dimensions",
                       sonde_tflite_in_rank (lower, 0));
  return FALSE;
}

/* What is padded with: input 2, else real 0. */
static SondeGraphValue *
find_filling (SondeTfliteLower *lower)
{
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);

  if (sonde_tflite_in_tensor (lower, 2) != NULL)
    return sonde_tflite_in_scalar (lower, 2);
  if (sonde_tflite_is_quantised (x))
    return sonde_lowering_number (lower->to, x->dtype, (double) x->quantisation.zero_points[0]);
  return NULL;
}

void
sonde_tflite_build_pad (SondeTfliteLower *lower)
{
  SondeGraphValue *inputs[3];

  if (!check_pads (lower))
    return;
  sonde_tflite_choose_layout (lower, 1);
  lower->first = lower->first && sonde_tflite_in_tensor (lower, 1)->data != NULL;
  inputs[0] = sonde_tflite_in_any (lower, 0);
  inputs[1] = order_pads (lower, lower->first);
  inputs[2] = find_filling (lower);
  sonde_tflite_out_any (lower, 0,
                        sonde_lowering_op (lower->to, "Pad", inputs, inputs[2] != NULL ? 3 : 2));
}

void
sonde_tflite_build_mirror_pad (SondeTfliteLower *lower)
{
  enum
  {
    SYMMETRIC = 1
  };
  gboolean symmetric = sonde_tflite_option8 (lower, 0) == SYMMETRIC;
  guint n = 0;
  g_autofree gint64 *pads = NULL;
  SondeGraphValue *value;

  if (!check_pads (lower))
    return;
  pads = sonde_tflite_need_ints (lower, 1, N_ ("the padding"), &n);
  if (pads == NULL)
    return;
  value = sonde_tflite_in (lower, 0);
  if (symmetric)
    for (guint i = 0; i < n / 2; i++)
      value = sonde_lowering_mirror (lower->to, value, i, pads[2 * i], pads[2 * i + 1], TRUE);
  else
    {
      value = sonde_lowering_op (lower->to, "Pad", SONDE_VALUES (value, order_pads (lower, FALSE)));
      sonde_node_set_string (value->producer, "mode", "reflect");
    }
  if (value == sonde_tflite_in (lower, 0))
    value = sonde_lowering_op (lower->to, "Identity", SONDE_VALUES (value));
  sonde_tflite_out (lower, 0, value);
}
