/* SPDX-License-Identifier: Apache-2.0
 * Layers that join, cut, move and count. */
#include "data/models/caffe/sonde-caffe-lower.h"

static gint64
get_axis (SondeCaffeLowering *self, const char *field, const char *old_field, gint64 fallback)
{
  if (old_field != NULL && sonde_caffe_has (self->param, old_field))
    return sonde_caffe_get_int (self->param, old_field, fallback);
  return sonde_caffe_get_int (self->param, field, fallback);
}

/* ---- Concat, Slice ------------------------------------------------------- */

static gboolean
joins (const SondeShape *a, const SondeShape *b, int axis)
{
  if (a->rank != b->rank)
    return FALSE;
  for (int i = 0; i < a->rank; i++)
    if (i != axis && a->dims[i] != b->dims[i])
      return FALSE;
  return TRUE;
}

static void
lower_concat (SondeCaffeLowering *self)
{
  guint n = self->layer->bottoms->len;
  g_autofree SondeGraphValue **parts = g_new (SondeGraphValue *, n);
  SondeShape shape = sonde_caffe_shape_of (sonde_caffe_bottom (self, 0));
  int axis = sonde_caffe_axis (self, get_axis (self, "axis", "concat_dim", 1), shape.rank, FALSE);
  SondeGraphValue *y = NULL;

  for (guint i = 0; i < n; i++)
    {
      SondeShape other = { 0 };

      parts[i] = sonde_caffe_bottom (self, i);
      other = sonde_caffe_shape_of (parts[i]);
      if (!joins (&shape, &other, axis))
        sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                             "bottoms 0 and %u differ in other sizes than that of axis %d", i,
                             axis);
      shape.dims[axis] += i > 0 ? other.dims[axis] : 0;
    }
  y = sonde_lowering_op (self->out, "Concat", parts, n);
  sonde_node_set_int (y->producer, "axis", axis);
  sonde_caffe_set_top (self, 0, y, &shape);
}

/* Sizes of the parts of @size; FALSE: the points do not fit. */
static gboolean
get_parts (SondeCaffeLowering *self, gint64 size, gint64 *parts, guint n)
{
  const SondeCaffeEntry *point = NULL;
  gint64 from = 0;

  for (guint i = 0; i < n; i++)
    {
      point = sonde_caffe_get_entry (self->param, "slice_point", i);
      if (!sonde_caffe_has (self->param, "slice_point"))
        parts[i] = size % n == 0 ? size / n : 0;
      else if (i + 1 < n)
        parts[i] = point != NULL ? (gint64) point->number - from : 0;
      else
        parts[i] = point == NULL ? size - from : 0;
      if (parts[i] <= 0)
        return FALSE;
      from += parts[i];
    }
  return from == size;
}

static void
lower_slice (SondeCaffeLowering *self)
{
  guint n = self->layer->tops->len;
  g_autofree gint64 *parts = g_new0 (gint64, MAX (n, 1));
  SondeGraphValue *x = sonde_caffe_bottom (self, 0);
  SondeShape shape = sonde_caffe_shape_of (x);
  int axis = sonde_caffe_axis (self, get_axis (self, "axis", "slice_dim", 1), shape.rank, FALSE);
  SondeNode *node = NULL;

  if (sonde_lowering_has_failed (self->out))
    return;
  if (!get_parts (self, shape.dims[axis], parts, n))
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                           "%" PRId64 " cannot be cut into its %u tops", shape.dims[axis], n);
      return;
    }
  node = sonde_lowering_node (self->out, "", "Split",
                              SONDE_VALUES (x, sonde_lowering_ints (self->out, parts, n)), n);
  sonde_node_set_int (node, "axis", axis);
  for (guint i = 0; i < n; i++)
    {
      shape.dims[axis] = parts[i];
      sonde_caffe_set_top (self, i, sonde_node_get_output (node, i), &shape);
    }
}

/* ---- Flatten, Reshape ---------------------------------------------------- */

static void
lower_flatten (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0);
  SondeShape from = sonde_caffe_shape_of (x), to = { 0 };
  int first = sonde_caffe_axis (self, get_axis (self, "axis", NULL, 1), from.rank, FALSE);
  int last = sonde_caffe_axis (self, get_axis (self, "end_axis", NULL, -1), from.rank, FALSE);

  if (last < first)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "end_axis lies before axis");
  for (int i = 0; i < from.rank; i++)
    if (i > first && i <= last)
      to.dims[to.rank - 1] *= from.dims[i];
    else
      to.dims[to.rank++] = from.dims[i];
  sonde_caffe_set_top (self, 0, sonde_caffe_reshape (self, x, &to), &to);
}

/* A size of a Reshape: 0 copies what stands at its place behind @axis, −1 is told by the others. */
static SondeShape
resolve_shape (SondeCaffeLowering *self, const SondeShape *from, int axis, int n,
               const SondeShape *wanted)
{
  SondeShape to = { .rank = from->rank - n + wanted->rank };
  gint64 known = 1, all = sonde_caffe_count_sizes (from, 0, from->rank);
  int open = -1;

  for (int i = 0; i < to.rank; i++)
    {
      int k = i - axis;

      if (k < 0 || k >= wanted->rank)
        to.dims[i] = from->dims[k < 0 ? i : i - wanted->rank + n];
      else if (wanted->dims[k] == 0)
        to.dims[i] = axis + k < from->rank ? from->dims[axis + k] : 0;
      else
        to.dims[i] = wanted->dims[k];
      if (to.dims[i] == -1 && open < 0)
        open = i;
      else
        known *= to.dims[i];
    }
  if (open >= 0)
    to.dims[open] = known > 0 ? all / known : 0;
  if (sonde_caffe_count_sizes (&to, 0, to.rank) != all)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                         "the new shape has another number of elements");
  return to;
}

static void
lower_reshape (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0);
  SondeShape from = sonde_caffe_shape_of (x), wanted = { 0 }, to = { 0 };
  gint64 first = get_axis (self, "axis", NULL, 0), n = get_axis (self, "num_axes", NULL, -1);
  int axis = sonde_caffe_axis (self, first < 0 ? first + 1 : first, from.rank, TRUE);

  n = n == -1 ? from.rank - axis : n;
  if (!sonde_caffe_read_shape (sonde_caffe_get_message (self->param, "shape"), &wanted) || n < 0
      || axis + n > from.rank || from.rank - n + wanted.rank > SONDE_MAX_RANK)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "the new shape does not fit");
      return;
    }
  to = resolve_shape (self, &from, axis, (int) n, &wanted);
  sonde_caffe_set_top (self, 0, sonde_caffe_reshape (self, x, &to), &to);
}

/* ---- Permute, ShuffleChannel (forks) ------------------------------------- */

static SondeGraphValue *
transpose (SondeCaffeLowering *self, SondeGraphValue *x, const gint64 *order, int rank)
{
  SondeGraphValue *y = sonde_lowering_op (self->out, "Transpose", SONDE_VALUES (x));

  sonde_node_set_ints (y->producer, "perm", order, (gsize) rank);
  return y;
}

/* The order may be short: the axes it does not name follow. */
static gboolean
get_order (SondeCaffeLowering *self, int rank, gint64 *order)
{
  const SondeCaffeEntry *entry = NULL;
  guint seen = 0;
  int n = 0;

  for (; (entry = sonde_caffe_get_entry (self->param, "order", (guint) n)) != NULL; n++)
    {
      if (n >= rank || entry->number < 0 || entry->number >= rank
          || (seen >> (guint) entry->number & 1) != 0)
        return FALSE;
      order[n] = (gint64) entry->number;
      seen |= 1u << (guint) entry->number;
    }
  for (int i = 0; i < rank; i++)
    if ((seen >> i & 1) == 0)
      order[n++] = i;
  return TRUE;
}

static void
lower_permute (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0);
  SondeShape from = sonde_caffe_shape_of (x), to = from;
  gint64 order[SONDE_MAX_RANK];

  if (!get_order (self, from.rank, order))
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                           "its order is no order of %d dimensions", from.rank);
      return;
    }
  for (int i = 0; i < from.rank; i++)
    to.dims[i] = from.dims[order[i]];
  sonde_caffe_set_top (self, 0, transpose (self, x, order, from.rank), &to);
}

static void
lower_shuffle (SondeCaffeLowering *self)
{
  static const gint64 order[] = { 0, 2, 1, 3, 4 };
  SondeGraphValue *x = sonde_caffe_bottom (self, 0);
  SondeShape shape = sonde_caffe_shape_of (x);
  gint64 group = sonde_caffe_get_int (self->param, "group", 1);
  SondeShape split = { .rank = 5 };

  if (shape.rank != 4 || group < 1 || shape.dims[1] % group != 0)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                           "its channels cannot be divided into %" PRId64 " groups", group);
      return;
    }
  split.dims[0] = shape.dims[0];
  split.dims[1] = group;
  split.dims[2] = shape.dims[1] / group;
  split.dims[3] = shape.dims[2];
  split.dims[4] = shape.dims[3];
  x = transpose (self, sonde_caffe_reshape (self, x, &split), order, 5);
  sonde_caffe_set_same (self, sonde_caffe_reshape (self, x, &shape));
}

/* ---- Crop, Tile ---------------------------------------------------------- */

/* To the sizes of the second bottom, from @axis on. */
static void
lower_crop (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0);
  SondeShape shape = sonde_caffe_shape_of (x);
  SondeShape like = sonde_caffe_shape_of (sonde_caffe_bottom (self, 1));
  int axis = sonde_caffe_axis (self, get_axis (self, "axis", NULL, 2), shape.rank, FALSE);
  guint n = sonde_caffe_count (self->param, "offset"), count = 0;
  gint64 starts[SONDE_MAX_RANK], ends[SONDE_MAX_RANK], axes[SONDE_MAX_RANK];

  for (int i = axis; i < shape.rank && like.rank == shape.rank; i++, count++)
    {
      const SondeCaffeEntry *offset
          = sonde_caffe_get_entry (self->param, "offset", n == 1 ? 0 : (guint) (i - axis));

      axes[count] = i;
      starts[count] = offset != NULL ? (gint64) offset->number : 0;
      ends[count] = starts[count] + like.dims[i];
      if (starts[count] < 0 || ends[count] > shape.dims[i])
        sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                             "what is to be left of axis %d lies outside of it", i);
      shape.dims[i] = like.dims[i];
    }
  if (count == 0)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                         "its bottoms have different numbers of dimensions");
  x = sonde_lowering_op (self->out, "Slice",
                         SONDE_VALUES (x, sonde_lowering_ints (self->out, starts, count),
                                       sonde_lowering_ints (self->out, ends, count),
                                       sonde_lowering_ints (self->out, axes, count)));
  sonde_caffe_set_top (self, 0, x, &shape);
}

static void
lower_tile (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0);
  SondeShape shape = sonde_caffe_shape_of (x);
  int axis = sonde_caffe_axis (self, get_axis (self, "axis", NULL, 1), shape.rank, FALSE);
  gint64 tiles = sonde_caffe_get_int (self->param, "tiles", 0), repeats[SONDE_MAX_RANK];

  if (tiles < 1 || tiles > 65536)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "%" PRId64 " tiles cannot be made",
                         tiles);
  for (int i = 0; i < shape.rank; i++)
    repeats[i] = i == axis ? tiles : 1;
  shape.dims[axis] *= tiles;
  x = sonde_lowering_op (
      self->out, "Tile",
      SONDE_VALUES (x, sonde_lowering_ints (self->out, repeats, (gsize) shape.rank)));
  sonde_caffe_set_top (self, 0, x, &shape);
}

/* ---- Reduction, ArgMax, Softmax ------------------------------------------ */

/* All axes from @axis on are gone afterwards. */
static void
lower_reduction (SondeCaffeLowering *self)
{
  static const char *const ops[] = { "ReduceSum", "ReduceL1", "ReduceSumSquare", "ReduceMean" };
  SondeGraphValue *x = sonde_caffe_bottom (self, 0), *y = NULL;
  SondeShape shape = sonde_caffe_shape_of (x);
  int axis = sonde_caffe_axis (self, get_axis (self, "axis", NULL, 0), shape.rank, FALSE);
  gint64 operation = CLAMP (sonde_caffe_get_int (self->param, "operation", 1), 1, 4);
  double factor = sonde_caffe_get_number (self->param, "coeff", 1);
  gint64 axes[SONDE_MAX_RANK];
  gsize n = 0;

  for (int i = axis; i < shape.rank; i++)
    axes[n++] = i;
  y = sonde_lowering_op (self->out, ops[operation - 1],
                         SONDE_VALUES (x, sonde_lowering_ints (self->out, axes, n)));
  sonde_node_set_int (y->producer, "keepdims", 0);
  if (factor != 1)
    y = sonde_lowering_op (self->out, "Mul", SONDE_VALUES (y, sonde_caffe_number (self, factor)));
  shape.rank = axis;
  sonde_caffe_set_top (self, 0, y, &shape);
}

static SondeGraphValue *
cast_to_float (SondeCaffeLowering *self, SondeGraphValue *value)
{
  value = sonde_lowering_op (self->out, "Cast", SONDE_VALUES (value));
  sonde_node_set_int (value->producer, "to", 1);
  return value;
}

/* Values and places of the largest numbers along @axis. */
static SondeNode *
add_top_k (SondeCaffeLowering *self, SondeGraphValue *x, int axis, gint64 k)
{
  SondeNode *node = sonde_lowering_node (
      self->out, "", "TopK", SONDE_VALUES (x, sonde_lowering_ints (self->out, &k, 1)), 2);

  sonde_node_set_int (node, "axis", axis);
  return node;
}

/* With an axis: the places along it, or the values. Without: of each sample as one list, N×1×k
 * places, or N×2×k places and values. All are floats. */
static void
lower_argmax (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0), *y = NULL;
  SondeShape shape = sonde_caffe_shape_of (x);
  gboolean values = sonde_caffe_get_bool (self->param, "out_max_val", FALSE);
  gboolean along = sonde_caffe_has (self->param, "axis");
  gint64 k = sonde_caffe_get_int (self->param, "top_k", 1);
  int axis = along ? sonde_caffe_axis (self, sonde_caffe_get_int (self->param, "axis", 0),
                                       shape.rank, FALSE)
                   : 2;
  SondeNode *best = NULL;

  if (!along)
    {
      shape = (SondeShape){ 3,
                            { shape.dims[0], 1, sonde_caffe_count_sizes (&shape, 1, shape.rank) } };
      x = sonde_caffe_reshape (self, x, &shape);
    }
  if (k < 1 || k > shape.dims[axis])
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                         "the largest %" PRId64 " of %" PRId64 " numbers do not exist", k,
                         shape.dims[axis]);
  best = add_top_k (self, x, axis, k);
  y = along && values ? sonde_node_get_output (best, 0)
                      : cast_to_float (self, sonde_node_get_output (best, 1));
  if (!along && values)
    {
      y = sonde_lowering_op (self->out, "Concat",
                             SONDE_VALUES (y, sonde_node_get_output (best, 0)));
      sonde_node_set_int (y->producer, "axis", 1);
      shape.dims[1] = 2;
    }
  shape.dims[axis] = k;
  sonde_caffe_set_top (self, 0, y, &shape);
}

static void
lower_softmax (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0);
  int rank = sonde_caffe_shape_of (x).rank;
  SondeGraphValue *y = sonde_lowering_op (self->out, "Softmax", SONDE_VALUES (x));

  sonde_node_set_int (y->producer, "axis",
                      sonde_caffe_axis (self, get_axis (self, "axis", NULL, 1), rank, FALSE));
  sonde_caffe_set_same (self, y);
}

/* Without labels the loss cannot be told; what it is computed from can. */
static void
lower_softmax_loss (SondeCaffeLowering *self)
{
  lower_softmax (self);
  sonde_lowering_note (self->out, SONDE_NOTE_INFORMATION,
                       sonde_message_new ("the loss is replaced by its probabilities"), NULL);
}

const SondeCaffeRow sonde_caffe_shape_rows[] = {
  { "ArgMax", "argmax_param", 1, 1, lower_argmax },
  { "Concat", "concat_param", 1, G_MAXUINT, lower_concat },
  { "Crop", "crop_param", 2, 2, lower_crop },
  { "Flatten", "flatten_param", 1, 1, lower_flatten },
  { "Permute", "permute_param", 1, 1, lower_permute },
  { "Reduction", "reduction_param", 1, 1, lower_reduction },
  { "Reshape", "reshape_param", 1, 1, lower_reshape },
  { "ShuffleChannel", "shuffle_channel_param", 1, 1, lower_shuffle },
  { "Slice", "slice_param", 1, 1, lower_slice },
  { "Softmax", "softmax_param", 1, 1, lower_softmax },
  { "SoftmaxWithLoss", "softmax_param", 1, 1, lower_softmax_loss },
  { "Tile", "tile_param", 1, 1, lower_tile },
  { NULL },
};
