/* SPDX-License-Identifier: Apache-2.0
 * Operators over whole axes: sums, softmax, products of matrices. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tflite/sonde-tflite-builders.h"
#include "data/models/tflite/sonde-tflite-fixed-point.h"

/* ---- reductions ---------------------------------------------------------- */

static const struct
{
  int code;
  const char *op;
} reductions[] = {
  { 40, "ReduceMean" }, { 74, "ReduceSum" }, { 81, "ReduceProd" }, { 82, "ReduceMax" },
  { 89, "ReduceMin" },  { 91, "ReduceMax" }, { 140, "ReduceMin" },
};

static const char *
find_reduction (int code)
{
  guint i = 0;

  while (reductions[i].code != code)
    i++;
  return reductions[i].op;
}

/* Axes as ONNX wants them, for channels first where the operator works so. */
static SondeGraphValue *
order_axes (SondeTfliteLower *lower)
{
  guint n = 0;
  g_autofree gint64 *axes = sonde_tflite_dup_ints (lower, 1, &n);
  int rank = sonde_tflite_in_rank (lower, 0);

  if (axes == NULL)
    return sonde_tflite_as_ints (lower, sonde_tflite_in (lower, 1));
  for (guint i = 0; i < n && rank > 0; i++)
    {
      if (!sonde_tflite_check_axis (lower, &axes[i], rank))
        break;
      if (lower->first)
        axes[i] = axes[i] == 0 ? 0 : axes[i] == rank - 1 ? 1 : axes[i] + 1;
    }
  return sonde_lowering_ints (lower->to, axes, rank > 0 ? n : 0);
}

/* All spatial axes go, or none: what is left has the same order in either layout. */
static gboolean
leaves_order (SondeTfliteLower *lower)
{
  guint n = 0;
  g_autofree gint64 *axes = sonde_tflite_dup_ints (lower, 1, &n);
  int rank = sonde_tflite_in_rank (lower, 0), spatial = 0;

  for (guint i = 0; axes != NULL && i < n; i++)
    {
      gint64 axis = axes[i] < 0 ? axes[i] + rank : axes[i];

      spatial += axis > 0 && axis < rank - 1;
    }
  return axes != NULL && spatial == rank - 2;
}

static SondeGraphValue *
emit_reduction (SondeTfliteLower *lower, SondeGraphValue *value, gboolean keep)
{
  value = sonde_lowering_op (lower->to, find_reduction (lower->op->code),
                             SONDE_VALUES (value, order_axes (lower)));
  sonde_node_set_int (value->producer, "keepdims", keep);
  sonde_node_set_int (value->producer, "noop_with_empty_axes", 1);
  return value;
}

void
sonde_tflite_build_reduce (SondeTfliteLower *lower)
{
  gboolean keep = sonde_tflite_option_bool (lower, 0);
  SondeGraphValue *value;

  lower->first = FALSE;
  if (sonde_tflite_in_rank (lower, 0) >= 3 && (keep || leaves_order (lower)))
    sonde_tflite_choose_layout_of (lower);
  value = lower->first ? sonde_tflite_in_first (lower, 0) : sonde_tflite_in (lower, 0);
  value = emit_reduction (lower, value, keep);
  if (keep)
    sonde_tflite_out_any (lower, 0, value);
  else
    sonde_tflite_out (lower, 0, value);
}

/* Elements that a mean is made of; 0 where that is not known. */
static gint64
count_reduced (SondeTfliteLower *lower)
{
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  guint n = 0;
  g_autofree gint64 *axes = sonde_tflite_dup_ints (lower, 1, &n);
  gint64 count = 1;

  for (guint i = 0; axes != NULL && i < n; i++)
    {
      const gint64 axis = axes[i] < 0 ? axes[i] + x->signature.rank : axes[i];

      if (axis < 0 || axis >= x->signature.rank || x->signature.dims[axis] < 1
          || count > G_MAXINT16)
        return 0;
      count *= x->signature.dims[axis];
    }
  return axes != NULL && count <= G_MAXINT16 ? count : 0;
}

/* Sums times a multiplier that was divided by the number of elements before. Source: QuantizedMeanOrSum
 * of tensorflow/lite/kernels/internal/reference/reduce.h */
gboolean
sonde_tflite_exact_mean (SondeTfliteLower *lower)
{
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  const SondeTfliteTensor *out = sonde_tflite_out_tensor (lower, 0);
  const gint64 n = count_reduced (lower);
  gint32 multiplier, shift;
  SondeGraphValue *value;
  int bits;

  if (!sonde_tflite_is_plain (x, TRUE) || !sonde_tflite_is_plain (out, TRUE)
      || x->dtype != out->dtype || n == 0)
    return FALSE;
  sonde_tflite_split_multiplier ((double) sonde_tflite_scale_of (x)
                                     / (double) sonde_tflite_scale_of (out),
                                 &multiplier, &shift);
  bits = MIN ((int) g_bit_storage ((gulong) n) - 1, 31 + shift);
  multiplier = (gint32) (((gint64) multiplier << bits) / n);
  lower->first = FALSE;
  value
      = sonde_lowering_op (lower->to, "ReduceSum",
                           SONDE_VALUES (sonde_tflite_emit_offset (lower, 0), order_axes (lower)));
  sonde_node_set_int (value->producer, "keepdims", sonde_tflite_option_bool (lower, 0));
  sonde_node_set_int (value->producer, "noop_with_empty_axes", 1);
  sonde_tflite_out (lower, 0,
                    sonde_tflite_emit_multiplied (lower, value, multiplier, shift - bits));
  return TRUE;
}

/* Any and all of booleans. */
void
sonde_tflite_build_reduce_bool (SondeTfliteLower *lower)
{
  SondeGraphValue *value
      = sonde_lowering_cast (lower->to, sonde_tflite_in (lower, 0), SONDE_DTYPE_I32);

  lower->first = FALSE;
  value = emit_reduction (lower, value, sonde_tflite_option_bool (lower, 0));
  sonde_tflite_out (lower, 0, sonde_lowering_cast (lower->to, value, SONDE_DTYPE_BOOL));
}

void
sonde_tflite_build_cumsum (SondeTfliteLower *lower)
{
  SondeGraphValue *value = sonde_lowering_op (
      lower->to, "CumSum",
      SONDE_VALUES (sonde_tflite_in (lower, 0), sonde_tflite_in_scalar (lower, 1)));

  sonde_node_set_int (value->producer, "exclusive", sonde_tflite_option_bool (lower, 0));
  sonde_node_set_int (value->producer, "reverse", sonde_tflite_option_bool (lower, 1));
  sonde_tflite_out (lower, 0, value);
}

/* ---- over the last axis -------------------------------------------------- */

void
sonde_tflite_build_softmax (SondeTfliteLower *lower)
{
  enum
  {
    SOFTMAX = 25
  };
  gboolean plain = lower->op->code == SOFTMAX;
  double beta = plain ? (double) sonde_tflite_option_float (lower, 0) : 1;
  SondeGraphValue *value = sonde_tflite_in (lower, 0);

  if (beta != 1)
    value = sonde_lowering_op (
        lower->to, "Mul",
        SONDE_VALUES (value, sonde_lowering_number (lower->to, SONDE_DTYPE_F32, beta)));
  value = sonde_lowering_op (lower->to, plain ? "Softmax" : "LogSoftmax", SONDE_VALUES (value));
  sonde_node_set_int (value->producer, "axis", -1);
  sonde_tflite_out (lower, 0, value);
}

/* x / max (√Σx², 1e-6). Source: tensorflow/lite/kernels/internal/reference/l2normalization.h */
void
sonde_tflite_build_l2_normalization (SondeTfliteLower *lower)
{
  SondeLowering *to = lower->to;
  gint64 last = -1;
  SondeGraphValue *x = sonde_tflite_in (lower, 0), *norm;

  norm = sonde_lowering_op (to, "ReduceL2", SONDE_VALUES (x, sonde_lowering_ints (to, &last, 1)));
  norm = sonde_lowering_op (to, "Max",
                            SONDE_VALUES (norm, sonde_lowering_number (to, SONDE_DTYPE_F32, 1e-6)));
  norm = sonde_lowering_op (to, "Div", SONDE_VALUES (x, norm));
  sonde_tflite_out (lower, 0, sonde_tflite_activate (lower, norm, sonde_tflite_option8 (lower, 0)));
}

/* ---- products ------------------------------------------------------------ */

/* Its input as rows of @width. */
static SondeGraphValue *
as_rows (SondeTfliteLower *lower, gint64 width)
{
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  gint64 sizes[] = { -1, width };
  SondeGraphValue *value = sonde_tflite_in (lower, 0);

  if (x->shape.rank == 2 && x->signature.dims[1] == width)
    return value;
  return sonde_lowering_reshape (lower->to, value, sizes, 2);
}

/* Weights [out, in]. */
static SondeGraphValue *
emit_rows_product (SondeTfliteLower *lower, gint64 width)
{
  SondeGraphValue *inputs[]
      = { as_rows (lower, width), sonde_tflite_in (lower, 1), sonde_tflite_in (lower, 2) };
  SondeGraphValue *value = sonde_lowering_op (lower->to, "Gemm", inputs, inputs[2] ? 3 : 2);

  sonde_node_set_int (value->producer, "transB", 1);
  return value;
}

static SondeGraphValue *
emit_kept_product (SondeTfliteLower *lower)
{
  static const gint64 turned[] = { 1, 0 };
  SondeGraphValue *bias = sonde_tflite_in (lower, 2), *value;

  value = sonde_lowering_op (
      lower->to, "MatMul",
      SONDE_VALUES (sonde_tflite_in (lower, 0),
                    sonde_lowering_permute (lower->to, sonde_tflite_in (lower, 1), turned, 2)));
  return bias != NULL ? sonde_lowering_op (lower->to, "Add", SONDE_VALUES (value, bias)) : value;
}

void
sonde_tflite_build_fully_connected (SondeTfliteLower *lower)
{
  const SondeTfliteTensor *weights = sonde_tflite_in_tensor (lower, 1);
  gboolean keep = sonde_tflite_option_bool (lower, 2);
  SondeGraphValue *value;

  if (sonde_tflite_option8 (lower, 1) != 0)
    {
      sonde_tflite_refuse (lower, sonde_message_new ("its weights are shuffled for one processor"),
                           sonde_message_new ("Convert the model without that optimisation"));
      return;
    }
  if (weights->shape.rank != 2 || weights->shape.dims[1] < 1)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                           "its weights have %d dimensions; 2 are needed", weights->shape.rank);
      return;
    }
  value = keep && sonde_tflite_in_rank (lower, 0) > 2
              ? emit_kept_product (lower)
              : emit_rows_product (lower, weights->shape.dims[1]);
  sonde_tflite_out (lower, 0,
                    sonde_tflite_activate (lower, value, sonde_tflite_option8 (lower, 0)));
}

/* With its last two dimensions changed. */
static SondeGraphValue *
adjoin (SondeTfliteLower *lower, guint k)
{
  int rank = sonde_tflite_in_rank (lower, k);
  gint64 order[SONDE_MAX_RANK];

  for (int i = 0; i < rank; i++)
    order[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
  return sonde_lowering_transpose (lower->to, sonde_tflite_in (lower, k), order, rank);
}

void
sonde_tflite_build_batch_matmul (SondeTfliteLower *lower)
{
  SondeGraphValue *operands[2];

  for (guint k = 0; k < 2; k++)
    if (sonde_tflite_in_rank (lower, k) < 2)
      {
        sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "input %u is no matrix", k);
        return;
      }
  for (guint k = 0; k < 2; k++)
    operands[k]
        = sonde_tflite_option_bool (lower, k) ? adjoin (lower, k) : sonde_tflite_in (lower, k);
  sonde_tflite_out (lower, 0, sonde_lowering_op (lower->to, "MatMul", operands, 2));
}

gboolean
sonde_tflite_exact_batch_matmul (SondeTfliteLower *lower)
{
  const SondeTfliteTensor *a = sonde_tflite_in_tensor (lower, 0);
  const SondeTfliteTensor *b = sonde_tflite_in_tensor (lower, 1);
  const SondeTfliteTensor *out = sonde_tflite_out_tensor (lower, 0);
  SondeGraphValue *operands[2];
  double real;

  if (!sonde_tflite_is_plain (a, TRUE) || !sonde_tflite_is_plain (b, TRUE)
      || !sonde_tflite_is_plain (out, TRUE) || a->dtype != b->dtype || a->shape.rank < 2
      || b->shape.rank < 2)
    return FALSE;
  for (guint k = 0; k < 2; k++)
    {
      operands[k]
          = sonde_tflite_option_bool (lower, k) ? adjoin (lower, k) : sonde_tflite_in (lower, k);
    }
  real = (double) sonde_tflite_scale_of (a) * (double) sonde_tflite_scale_of (b)
         / (double) sonde_tflite_scale_of (out);
  sonde_tflite_out (
      lower, 0,
      sonde_tflite_emit_scaled (lower, sonde_tflite_emit_product (lower, operands[0], operands[1]),
                                &real, 1, 0, 0));
  return TRUE;
}

/* ---- diagonals ----------------------------------------------------------- */

/* Where row and column are equal; their numbers are known when the model runs. @n: (nullable) */
static SondeGraphValue *
emit_diagonal (SondeTfliteLower *lower, SondeGraphValue *rows, SondeGraphValue *columns)
{
  SondeLowering *to = lower->to;
  SondeGraphValue *zero = sonde_lowering_int (to, 0), *one = sonde_lowering_int (to, 1);
  SondeGraphValue *down = sonde_lowering_op (to, "Range", SONDE_VALUES (zero, rows, one));
  SondeGraphValue *across = sonde_lowering_op (to, "Range", SONDE_VALUES (zero, columns, one));

  return sonde_lowering_op (to, "Equal",
                            SONDE_VALUES (sonde_lowering_unsqueeze (to, down, 1), across));
}

/* Size of dimension @axis, counted from the end, as a scalar. */
static SondeGraphValue *
size_of (SondeTfliteLower *lower, guint k, gint64 axis)
{
  SondeGraphValue *shape
      = sonde_lowering_op (lower->to, "Shape", SONDE_VALUES (sonde_tflite_in (lower, k)));

  return sonde_lowering_op (lower->to, "Gather",
                            SONDE_VALUES (shape, sonde_lowering_int (lower->to, axis)));
}

void
sonde_tflite_build_matrix_diag (SondeTfliteLower *lower)
{
  SondeLowering *to = lower->to;
  SondeGraphValue *n, *value;

  if (sonde_tflite_in_rank (lower, 0) < 1)
    {
      sonde_lowering_fail (to, SONDE_DATA_ERROR_DAMAGED, "its input is no vector");
      return;
    }
  n = size_of (lower, 0, -1);
  value = sonde_lowering_unsqueeze (to, sonde_tflite_in (lower, 0), -2);
  value = sonde_lowering_op (
      to, "Where",
      SONDE_VALUES (emit_diagonal (lower, n, n), value,
                    sonde_lowering_number (to, sonde_tflite_out_tensor (lower, 0)->dtype, 0)));
  sonde_tflite_out (lower, 0, value);
}

/* The diagonal of a matrix with more columns than rows is filled up to them. */
void
sonde_tflite_build_matrix_set_diag (SondeTfliteLower *lower)
{
  SondeLowering *to = lower->to;
  const SondeShape *shape = &sonde_tflite_in_tensor (lower, 0)->shape;
  int rank = shape->rank;
  SondeGraphValue *diagonal = sonde_tflite_in (lower, 1), *where;

  if (rank < 2 || sonde_tflite_in_rank (lower, 1) != rank - 1)
    {
      sonde_lowering_fail (to, SONDE_DATA_ERROR_DAMAGED, "its input is no matrix");
      return;
    }
  if (shape->dims[rank - 1] > shape->dims[rank - 2])
    {
      gint64 pads[] = { 0, shape->dims[rank - 1] - shape->dims[rank - 2] }, axis = -1;

      diagonal = sonde_lowering_op (to, "Pad",
                                    SONDE_VALUES (diagonal, sonde_lowering_ints (to, pads, 2), NULL,
                                                  sonde_lowering_ints (to, &axis, 1)));
    }
  where = emit_diagonal (lower, size_of (lower, 0, -2), size_of (lower, 0, -1));
  sonde_tflite_out (
      lower, 0,
      sonde_lowering_op (to, "Where",
                         SONDE_VALUES (where, sonde_lowering_unsqueeze (to, diagonal, -2),
                                       sonde_tflite_in (lower, 0))));
}
