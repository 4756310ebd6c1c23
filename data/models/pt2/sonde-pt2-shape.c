/* SPDX-License-Identifier: Apache-2.0
 * ATen's operators that move, join, cut, repeat and make tensors. */
#include "data/models/pt2/sonde-pt2-lower.h"

static SondeGraphValue *
reshape_to (SondePt2Lowering *self, SondeGraphValue *x, SondeGraphValue *sizes)
{
  SondeGraphValue *y = sonde_pt2_op2 (self, "Reshape", x, sizes);

  sonde_node_set_int (y->producer, "allowzero", 1);
  return y;
}

/* What comes out has sizes that the file gives: all known but one, or computed from the argument. */
static void
lower_view (SondePt2Lowering *self)
{
  const char *sizes = sonde_pt2_has (self, "size") ? "size" : "shape";

  sonde_pt2_set_out (self, 0,
                     reshape_to (self, sonde_pt2_self (self), sonde_pt2_sizes (self, sizes)));
}

/* ---- dimensions joined and split ----------------------------------------- */

/* Dimensions [@from, @to) of the shape of @x, as int64 of rank 1. */
static SondeGraphValue *
part_of_shape (SondePt2Lowering *self, SondeGraphValue *x, int from, int to)
{
  SondeGraphValue *shape = sonde_lowering_op (self->out, "Shape", SONDE_VALUES (x));

  sonde_node_set_int (shape->producer, "start", from);
  sonde_node_set_int (shape->producer, "end", to);
  return shape;
}

/* @x with the dimensions [@from, @to) replaced by @middle. */
static SondeGraphValue *
replace_dimensions (SondePt2Lowering *self, SondeGraphValue *x, int from, int to,
                    SondeGraphValue *middle)
{
  SondeGraphValue *parts[3];
  guint n = 0;

  if (from > 0)
    parts[n++] = part_of_shape (self, x, 0, from);
  parts[n++] = middle;
  if (to < sonde_pt2_rank (self, x))
    parts[n++] = part_of_shape (self, x, to, sonde_pt2_rank (self, x));
  return reshape_to (self, x, n == 1 ? middle : sonde_lowering_concat (self->out, parts, n, 0));
}

static void
lower_flatten (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  int rank = sonde_pt2_rank (self, x);
  int from = sonde_pt2_axis (self, sonde_pt2_arg_int (self, "start_dim", 0), rank);
  int to = sonde_pt2_axis (self, sonde_pt2_arg_int (self, "end_dim", -1), rank);
  const gint64 open = -1;

  if (rank > 0 && from == to)
    sonde_pt2_set_out (self, 0, x);
  else
    sonde_pt2_set_out (self, 0,
                       replace_dimensions (self, x, from, rank == 0 ? 0 : to + 1,
                                           sonde_lowering_ints (self->out, &open, 1)));
}

static void
lower_unflatten (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  int axis = sonde_pt2_axis (self, sonde_pt2_arg_int (self, "dim", 0), sonde_pt2_rank (self, x));

  sonde_pt2_set_out (self, 0,
                     replace_dimensions (self, x, axis, axis + 1, sonde_pt2_sizes (self, "sizes")));
}

/* Dimensions of another size than 1 stay, as PyTorch has it. */
static void
lower_squeeze (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  gint64 given[SONDE_MAX_RANK], axes[SONDE_MAX_RANK];
  int rank = sonde_pt2_rank (self, x), n = sonde_pt2_arg_ints (self, "dim", given, SONDE_MAX_RANK);
  gsize count = 0;

  for (int i = 0; i < (n < 0 ? rank : n); i++)
    {
      int axis = n < 0 ? i : sonde_pt2_axis (self, given[i], rank);

      if (rank > 0 && x->type.dims[axis].size == 1)
        axes[count++] = axis;
    }
  sonde_pt2_set_out (self, 0,
                     count == 0 ? x
                                : sonde_pt2_op2 (self, "Squeeze", x,
                                                 sonde_lowering_ints (self->out, axes, count)));
}

static void
lower_unsqueeze (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  gint64 axis = sonde_pt2_arg_int (self, "dim", 0);

  sonde_pt2_set_out (self, 0,
                     sonde_lowering_unsqueeze (
                         self->out, x, axis < 0 ? axis + sonde_pt2_rank (self, x) + 1 : axis));
}

/* −1 keeps a size: 1, which any size is spread from. */
static void
lower_expand (SondePt2Lowering *self)
{
  SondeGraphValue *sizes = sonde_pt2_sizes (self, "size"), *one = NULL;

  if (sonde_lowering_get_constant (sizes) == NULL)
    {
      one = sonde_lowering_int (self->out, 1);
      sizes = sonde_pt2_op2 (self, "Max", sizes, one);
    }
  else
    {
      const SondeTensor *tensor = sonde_lowering_get_constant (sizes);
      gint64 known[SONDE_MAX_RANK];
      gint64 n = MIN (sonde_tensor_n_elements (tensor), SONDE_MAX_RANK);

      for (gint64 i = 0; i < n; i++)
        known[i] = (gint64) sonde_tensor_get_double (tensor, i);
      for (gint64 i = 0; i < n; i++)
        known[i] = known[i] == -1 ? 1 : known[i];
      sizes = sonde_lowering_ints (self->out, known, (gsize) n);
    }
  sonde_pt2_set_out (self, 0, sonde_pt2_op2 (self, "Expand", sonde_pt2_self (self), sizes));
}

/* ---- order of dimensions ------------------------------------------------- */

static void
lower_permute (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  int rank = sonde_pt2_rank (self, x);
  gint64 order[SONDE_MAX_RANK];
  int n = sonde_pt2_arg_ints (self, "dims", order, SONDE_MAX_RANK);

  for (int i = 0; i < n; i++)
    order[i] = sonde_pt2_axis (self, order[i], rank);
  if (n != rank)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                         "its order has %d dimensions, the tensor %d", n, rank);
  else
    sonde_pt2_set_out (self, 0, sonde_lowering_transpose (self->out, x, order, rank));
}

static void
lower_transpose (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  int rank = sonde_pt2_rank (self, x);
  int a = sonde_pt2_axis (self, sonde_pt2_arg_int (self, "dim0", 0), rank);
  int b = sonde_pt2_axis (self, sonde_pt2_arg_int (self, "dim1", 1), rank);
  gint64 order[SONDE_MAX_RANK];

  for (int i = 0; i < rank; i++)
    order[i] = i == a ? b : i == b ? a : i;
  sonde_pt2_set_out (self, 0, rank < 2 ? x : sonde_lowering_transpose (self->out, x, order, rank));
}

static void
lower_t (SondePt2Lowering *self)
{
  static const gint64 order[] = { 1, 0 };
  SondeGraphValue *x = sonde_pt2_self (self);

  sonde_pt2_set_out (
      self, 0,
      sonde_pt2_rank (self, x) < 2 ? x : sonde_lowering_transpose (self->out, x, order, 2));
}

/* ---- joined, cut --------------------------------------------------------- */

static void
lower_concat (SondePt2Lowering *self)
{
  g_autoptr (GPtrArray) tensors = sonde_pt2_tensors (self, "tensors");
  SondeDtype dtype = sonde_pt2_out_dtype (self, 0);
  gboolean stack = self->op != NULL;
  int rank = 0, axis = 0;

  if (tensors->len == 0 || sonde_lowering_has_failed (self->out))
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "it joins no tensors");
      return;
    }
  rank = sonde_pt2_rank (self, tensors->pdata[0]) + (stack ? 1 : 0);
  axis = sonde_pt2_axis (self, sonde_pt2_arg_int (self, "dim", 0), rank);
  for (guint i = 0; i < tensors->len; i++)
    {
      tensors->pdata[i] = sonde_pt2_cast (self, tensors->pdata[i], dtype);
      if (stack)
        tensors->pdata[i] = sonde_lowering_unsqueeze (self->out, tensors->pdata[i], axis);
    }
  sonde_pt2_set_out (self, 0,
                     sonde_lowering_concat (self->out, (SondeGraphValue *const *) tensors->pdata,
                                            tensors->len, axis));
}

/* Sizes of the parts of @size along the axis; FALSE: not to be told. */
static gboolean
get_parts (SondePt2Lowering *self, gint64 size, gint64 *parts, guint n)
{
  gint64 each = sonde_pt2_arg_int (self, "split_size",
                                   sonde_pt2_arg_int (self, "split_size_or_sections", 0));

  if (sonde_pt2_has (self, "split_sizes") && !sonde_pt2_has (self, "split_size"))
    return sonde_pt2_arg_ints (self, "split_sizes", parts, (int) n) == (int) n;
  if (sonde_pt2_has (self, "chunks"))
    each = size < 0 ? -1
                    : (size + sonde_pt2_arg_int (self, "chunks", 1) - 1)
                          / MAX (sonde_pt2_arg_int (self, "chunks", 1), 1);
  for (guint i = 0; i < n; i++)
    parts[i] = i + 1 < n ? each : size - each * (gint64) (n - 1);
  return size >= 0 && each > 0 && parts[n - 1] >= 0;
}

static void
lower_split (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  int axis = sonde_pt2_axis (self, sonde_pt2_arg_int (self, "dim", 0), sonde_pt2_rank (self, x));
  guint n = sonde_pt2_count_outputs (self);
  g_autofree gint64 *parts = g_new0 (gint64, MAX (n, 1));
  SondeNode *node = NULL;

  if (n == 0 || n > 65536 || !get_parts (self, x->type.dims[axis].size, parts, n))
    {
      sonde_pt2_refuse (self, sonde_message_new ("the sizes of its parts are not known"),
                        sonde_message_new ("Fix the size of the input with --shape"));
      return;
    }
  node = sonde_lowering_node (self->out, "", "Split",
                              SONDE_VALUES (x, sonde_lowering_ints (self->out, parts, n)), n);
  sonde_node_set_int (node, "axis", axis);
  for (guint i = 0; i < n; i++)
    sonde_pt2_set_out (self, i, sonde_node_get_output (node, i));
}

static void
lower_unbind (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  int axis = sonde_pt2_axis (self, sonde_pt2_arg_int (self, "dim", 0), sonde_pt2_rank (self, x));
  guint n = MIN (sonde_pt2_count_outputs (self), 65536);

  for (guint i = 0; i < n; i++)
    {
      SondeGraphValue *index = sonde_lowering_int (self->out, i);
      SondeGraphValue *y = sonde_pt2_op2 (self, "Gather", x, index);

      sonde_node_set_int (y->producer, "axis", axis);
      sonde_pt2_set_out (self, i, y);
    }
}

/* ---- repeated ------------------------------------------------------------ */

/* More repeats than dimensions: new ones in front. */
static void
lower_repeat (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  gint64 repeats[SONDE_MAX_RANK];
  const char *name = sonde_pt2_has (self, "repeats") ? "repeats" : "dims";
  int n = sonde_pt2_arg_ints (self, name, repeats, SONDE_MAX_RANK), rank = sonde_pt2_rank (self, x);

  if (n < rank && n >= 0)
    {
      for (int i = rank - 1; i >= 0; i--)
        repeats[i] = i >= rank - n ? repeats[i - (rank - n)] : 1;
      n = rank;
    }
  for (int i = 0; i < n - rank; i++)
    x = sonde_lowering_unsqueeze (self->out, x, 0);
  sonde_pt2_set_out (self, 0,
                     sonde_pt2_op2 (self, "Tile", x,
                                    sonde_lowering_ints (self->out, repeats, (gsize) MAX (n, 0))));
}

static void
lower_flip (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  gint64 dims[SONDE_MAX_RANK];
  int n = sonde_pt2_arg_ints (self, "dims", dims, SONDE_MAX_RANK), rank = sonde_pt2_rank (self, x);

  for (int i = 0; i < n; i++)
    x = sonde_lowering_slice (self->out, x, sonde_pt2_axis (self, dims[i], rank), -1,
                              G_MININT64 + 1, -1);
  sonde_pt2_set_out (self, 0, x);
}

/* The last @shift come first. */
static void
lower_roll (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  gint64 shifts[SONDE_MAX_RANK], dims[SONDE_MAX_RANK];
  int n = sonde_pt2_arg_ints (self, "shifts", shifts, SONDE_MAX_RANK),
      rank = sonde_pt2_rank (self, x);
  int n_dims = sonde_pt2_arg_ints (self, "dims", dims, SONDE_MAX_RANK);

  if (n < 1 || n_dims != n)
    {
      sonde_pt2_refuse (self, sonde_message_new ("it rolls over all dimensions at once"),
                        sonde_message_new ("Name the dimensions"));
      return;
    }
  for (int i = 0; i < n; i++)
    {
      int axis = sonde_pt2_axis (self, dims[i], rank);
      gint64 size = x->type.rank == rank ? x->type.dims[axis].size : -1;
      gint64 shift = size > 0 ? shifts[i] % size : shifts[i];
      SondeGraphValue *parts[2]
          = { sonde_lowering_slice (self->out, x, axis, -shift, G_MAXINT64, 1),
              sonde_lowering_slice (self->out, x, axis, 0, -shift, 1) };
      SondeType type = x->type;

      if (shift == 0)
        continue;
      x = sonde_lowering_concat (self->out, parts, 2, axis);
      x->type = type;
    }
  sonde_pt2_set_out (self, 0, x);
}

static void
lower_triangle (SondePt2Lowering *self)
{
  SondeGraphValue *y
      = sonde_pt2_op2 (self, "Trilu", sonde_pt2_self (self),
                       sonde_lowering_int (self->out, sonde_pt2_arg_int (self, "diagonal", 0)));

  sonde_node_set_int (y->producer, "upper", self->op[0] == 'u' ? 1 : 0);
  sonde_pt2_set_out (self, 0, y);
}

/* ---- made ---------------------------------------------------------------- */

/* @number spread to the sizes of an argument, or of a tensor. */
static void
set_filled (SondePt2Lowering *self, SondeGraphValue *sizes, double number)
{
  SondeDtype dtype = sonde_pt2_out_dtype (self, 0);

  sonde_pt2_set_out (
      self, 0,
      sonde_pt2_op2 (self, "Expand", sonde_lowering_number (self->out, dtype, number), sizes));
}

static double
get_filling (SondePt2Lowering *self)
{
  return self->op != NULL ? (self->op[0] == '1' ? 1 : 0)
                          : sonde_pt2_arg_number (self, "fill_value", 0);
}

static void
lower_filled (SondePt2Lowering *self)
{
  set_filled (self, sonde_pt2_sizes (self, "size"), get_filling (self));
}

static void
lower_filled_like (SondePt2Lowering *self)
{
  set_filled (self, sonde_lowering_op (self->out, "Shape", SONDE_VALUES (sonde_pt2_self (self))),
              get_filling (self));
}

static void
lower_arange (SondePt2Lowering *self)
{
  SondeDtype dtype = sonde_pt2_out_dtype (self, 0);
  SondeGraphValue *start = sonde_pt2_operand (self, "start", dtype);
  SondeGraphValue *step = sonde_pt2_has (self, "step")
                              ? sonde_pt2_operand (self, "step", dtype)
                              : sonde_lowering_number (self->out, dtype, 1);

  sonde_pt2_set_out (
      self, 0,
      sonde_lowering_op (self->out, "Range",
                         SONDE_VALUES (start, sonde_pt2_operand (self, "end", dtype), step)));
}

static void
lower_scalar (SondePt2Lowering *self)
{
  sonde_pt2_set_out (self, 0, sonde_pt2_operand (self, "s", sonde_pt2_out_dtype (self, 0)));
}

/* One size of a tensor, an int64 scalar. */
static void
lower_size (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  int axis = sonde_pt2_axis (self, sonde_pt2_arg_int (self, "dim", 0), sonde_pt2_rank (self, x));
  SondeGraphValue *size
      = sonde_lowering_squeeze (self->out, part_of_shape (self, x, axis, axis + 1), 0);

  size->type = sonde_type_tensor (SONDE_DTYPE_I64, &(SondeShape){ 0 });
  sonde_pt2_set_out (self, 0, size);
}

const SondePt2Row sonde_pt2_shape_rows[] = {
  { "_unsafe_view.default", lower_view },
  { "arange.default", lower_arange },
  { "arange.start", lower_arange },
  { "arange.start_step", lower_arange },
  { "cat.default", lower_concat },
  { "chunk.default", lower_split },
  { "expand.default", lower_expand },
  { "flatten.using_ints", lower_flatten },
  { "flip.default", lower_flip },
  { "full.default", lower_filled },
  { "full_like.default", lower_filled_like },
  { "new_full.default", lower_filled },
  { "new_ones.default", lower_filled, "1" },
  { "new_zeros.default", lower_filled, "0" },
  { "ones.default", lower_filled, "1" },
  { "ones_like.default", lower_filled_like, "1" },
  { "permute.default", lower_permute },
  { "repeat.default", lower_repeat },
  { "reshape.default", lower_view },
  { "roll.default", lower_roll },
  { "scalar_tensor.default", lower_scalar },
  { "split.Tensor", lower_split },
  { "split_with_sizes.default", lower_split },
  { "squeeze.default", lower_squeeze },
  { "squeeze.dim", lower_squeeze },
  { "squeeze.dims", lower_squeeze },
  { "stack.default", lower_concat, "stack" },
  { "sym_size.int", lower_size },
  { "t.default", lower_t },
  { "tile.default", lower_repeat },
  { "transpose.int", lower_transpose },
  { "tril.default", lower_triangle, "lower" },
  { "triu.default", lower_triangle, "upper" },
  { "unbind.int", lower_unbind },
  { "unflatten.int", lower_unflatten },
  { "unsqueeze.default", lower_unsqueeze },
  { "view.default", lower_view },
  { "zeros.default", lower_filled, "0" },
  { "zeros_like.default", lower_filled_like, "0" },
  { NULL },
};
