/* SPDX-License-Identifier: Apache-2.0
 * Primitives that change sizes and order of dimensions, and join or divide tensors. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-build.h"

/* ---- sizes --------------------------------------------------------------- */

/* A 0 is a size here, not a copy. */
static const SondeMindirTerm *
build_reshape (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"),
                  *shape = sonde_mindir_tensor (call, "shape");
  SondeGraphValue *y = OP2 (call, "Reshape", x, sonde_mindir_cast (call, shape, SONDE_DTYPE_I64));
  const SondeTensor *sizes = sonde_lowering_get_constant (shape);
  gboolean zero = sizes == NULL;

  for (gint64 i = 0; sizes != NULL && i < sonde_tensor_n_elements (sizes); i++)
    zero = zero || sonde_tensor_get_int (sizes, i) == 0;
  if (zero)
    sonde_node_set_int (y->producer, "allowzero", 1);
  return sonde_mindir_give (call, y);
}

static const SondeMindirTerm *
build_transpose (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  g_autoptr (GArray) order = sonde_mindir_ints (call, "perm");

  if (order == NULL || order->len > SONDE_MAX_RANK)
    return sonde_mindir_refuse (call, N_ ("the order of dimensions is not known"), NULL);
  for (guint i = 0; i < order->len; i++)
    if (g_array_index (order, gint64, i) < 0)
      g_array_index (order, gint64, i) += order->len;
  return sonde_mindir_give (
      call, sonde_mindir_transpose (call, x, (const gint64 *) (const void *) order->data,
                                    (int) order->len));
}

static const SondeMindirTerm *
build_exchange (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const int rank = sonde_mindir_rank (call, x);
  gint64 a = sonde_mindir_int (call, "dim0", 0), b = sonde_mindir_int (call, "dim1", 1);
  gint64 order[SONDE_MAX_RANK];

  a += a < 0 ? rank : 0;
  b += b < 0 ? rank : 0;
  if (a < 0 || b < 0 || a >= rank || b >= rank)
    return sonde_mindir_refuse (call, N_ ("it exchanges dimensions that its input has not"), NULL);
  for (int i = 0; i < rank; i++)
    order[i] = i == a ? b : i == b ? a : i;
  return sonde_mindir_give (call, sonde_mindir_transpose (call, x, order, rank));
}

static const SondeMindirTerm *
build_expand_dims (SondeMindirCall *call)
{
  return sonde_mindir_give (call, sonde_mindir_unsqueeze (call, sonde_mindir_tensor (call, "x"),
                                                          sonde_mindir_int (call, "axis", 0)));
}

static const SondeMindirTerm *
build_squeeze (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  g_autoptr (GArray) axes = sonde_mindir_ints (call, "axis");

  if (axes == NULL || axes->len == 0)
    return sonde_mindir_give (call, OP1 (call, "Squeeze", x));
  return sonde_mindir_give (
      call,
      OP2 (call, "Squeeze", x,
           sonde_lowering_ints (call->l, (const gint64 *) (const void *) axes->data, axes->len)));
}

static const SondeMindirTerm *
build_flatten (SondeMindirCall *call)
{
  SondeGraphValue *y = OP1 (call, "Flatten", sonde_mindir_tensor (call, "x"));

  sonde_node_set_int (y->producer, "axis", 1);
  return sonde_mindir_give (call, y);
}

/* Dimensions before keep their size, those behind must be known. */
static const SondeMindirTerm *
build_flatten_ext (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const int rank = sonde_mindir_rank (call, x);
  gint64 first = sonde_mindir_int (call, "start_dim", 0),
         last = sonde_mindir_int (call, "end_dim", -1);
  gint64 sizes[SONDE_MAX_RANK + 1];
  gsize n = 0;

  first += first < 0 ? rank : 0;
  last += last < 0 ? rank : 0;
  for (gint64 i = 0; i < MIN (first, rank); i++)
    sizes[n++] = 0;
  sizes[n++] = -1;
  for (gint64 i = MAX (last + 1, 0); i < rank; i++)
    if ((sizes[n++] = sonde_mindir_size (x, i)) < 0)
      return sonde_mindir_refuse (call, N_ ("a size behind the flattened dimensions is not known"),
                                  NULL);
  return sonde_mindir_give (call, sonde_mindir_reshape (call, x, sizes, n));
}

/* −1 keeps a size: broadcasting with 1 does. */
static const SondeMindirTerm *
build_broadcast (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"),
                  *shape = sonde_mindir_tensor (call, "shape");
  const SondeTensor *sizes = sonde_lowering_get_constant (shape);
  gint64 kept[SONDE_MAX_RANK];
  gint64 n = sizes != NULL ? sonde_tensor_n_elements (sizes) : 0;

  for (gint64 i = 0; i < MIN (n, SONDE_MAX_RANK); i++)
    {
      kept[i] = sonde_tensor_get_int (sizes, i);
      kept[i] = kept[i] < 0 ? 1 : kept[i];
    }
  if (n > 0)
    shape = sonde_lowering_ints (call->l, kept, (gsize) MIN (n, SONDE_MAX_RANK));
  return sonde_mindir_give (call, OP2 (call, "Expand", x, shape));
}

/* Fewer dimensions than repeats: ones come in front. */
static const SondeMindirTerm *
build_tile (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  g_autoptr (GArray) times = sonde_mindir_ints (call, "multiples");
  const int rank = sonde_mindir_rank (call, x);
  const gint64 one = 1;

  if (times == NULL || rank < 0)
    return sonde_mindir_refuse (call, N_ ("how often it repeats is not known"), NULL);
  for (guint i = times->len; (int) i < rank; i++)
    g_array_prepend_val (times, one);
  for (int i = rank; i < (int) times->len; i++)
    x = sonde_mindir_unsqueeze (call, x, 0);
  return sonde_mindir_give (
      call,
      OP2 (call, "Tile", x,
           sonde_lowering_ints (call->l, (const gint64 *) (const void *) times->data, times->len)));
}

/* Sizes that are known are numbers; so a shape computed of them is known too. */
static const SondeMindirTerm *
build_shape (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const int rank = sonde_mindir_rank (call, x);
  SondeGraphValue *shape = NULL;
  SondeMindirTerm *tuple
      = sonde_mindir_term_new (call->lowering, SONDE_MINDIR_TERM_TUPLE, (guint) MAX (rank, 0));

  for (int i = 0; i < rank; i++)
    {
      const gint64 size = sonde_mindir_size (x, i);

      if (size < 0 && shape == NULL)
        shape = OP1 (call, "Shape", x);
      tuple->items[i] = size >= 0
                            ? sonde_mindir_term_of_int (call->lowering, size)
                            : sonde_mindir_give (
                                call, sonde_mindir_typed (OP2 (call, "Gather", shape,
                                                               sonde_lowering_int (call->l, i)),
                                                          SONDE_DTYPE_I64, 0));
    }
  return tuple;
}

static const SondeMindirTerm *
build_shape_tensor (SondeMindirCall *call)
{
  return sonde_mindir_give (call, OP1 (call, "Shape", sonde_mindir_tensor (call, "x")));
}

const SondeMindirRow sonde_mindir_shape_rows[] = {
  { "Reshape", "x shape", build_reshape, NULL, 0 },
  { "View", "x shape", build_reshape, NULL, 0 },
  { "Transpose", "x perm", build_transpose, NULL, 0 },
  { "TransposeView", "x perm", build_transpose, NULL, 0 },
  { "TransposeExtView", "x dim0 dim1", build_exchange, NULL, 0 },
  { "ExpandDims", "x axis", build_expand_dims, NULL, 0 },
  { "ExpandDimsView", "x axis", build_expand_dims, NULL, 0 },
  { "Squeeze", "x axis", build_squeeze, NULL, 0 },
  { "Flatten", "x", build_flatten, NULL, 0 },
  { "FlattenExt", "x start_dim end_dim", build_flatten_ext, NULL, 0 },
  { "BroadcastTo", "x shape", build_broadcast, NULL, 0 },
  { "BroadcastToView", "x shape", build_broadcast, NULL, 0 },
  { "DynamicBroadcastTo", "x shape", build_broadcast, NULL, 0 },
  { "Tile", "x multiples", build_tile, NULL, 0 },
  { "Repeat", "x multiples", build_tile, NULL, 0 },
  { "Shape", "x", build_shape, NULL, 0 },
  { "TensorShape", "x", build_shape_tensor, NULL, 0 },
  { "DynamicShape", "x", build_shape_tensor, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 },
};

/* ---- joining ------------------------------------------------------------- */

/* The dimension is an attribute, or stands behind the tensors. */
static gint64
find_axis (SondeMindirCall *call, const char *name, guint *n_last)
{
  const SondeMindirTerm *last = call->n > 1 ? call->inputs[call->n - 1] : NULL;
  g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64));

  *n_last = 0;
  if (last != NULL && last->kind == SONDE_MINDIR_TERM_CONSTANT
      && last->constant->kind == SONDE_MINDIR_INT && sonde_mindir_term_get_ints (last, ints))
    {
      *n_last = 1;
      return g_array_index (ints, gint64, 0);
    }
  return sonde_mindir_int (call, name, 0);
}

static const SondeMindirTerm *
build_concat (SondeMindirCall *call)
{
  guint n_last;
  const gint64 axis = find_axis (call, "axis", &n_last);
  g_autoptr (GPtrArray) values = sonde_mindir_tensors (call, n_last);

  return sonde_mindir_give (call, sonde_mindir_concat (call, values, axis));
}

static const SondeMindirTerm *
build_stack (SondeMindirCall *call)
{
  guint n_last;
  const gint64 axis = find_axis (call, call->row->text, &n_last);
  g_autoptr (GPtrArray) values = sonde_mindir_tensors (call, n_last);

  for (guint i = 0; i < values->len; i++)
    values->pdata[i] = sonde_mindir_unsqueeze (call, values->pdata[i], axis);
  return sonde_mindir_give (call, sonde_mindir_concat (call, values, axis));
}

/* ---- dividing ------------------------------------------------------------ */

#define MAX_PARTS 65536

static SondeNode *
divide (SondeMindirCall *call, SondeGraphValue *x, gint64 axis, const gint64 *sizes, guint n)
{
  SondeNode *node;

  if (sizes != NULL)
    node = sonde_lowering_node (call->l, "", "Split",
                                SONDE_VALUES (x, sonde_lowering_ints (call->l, sizes, n)), n);
  else
    node = sonde_lowering_node (call->l, "", "Split", SONDE_VALUES (x), n);
  sonde_node_set_int (node, "axis", axis);
  if (sizes == NULL)
    sonde_node_set_int (node, "num_outputs", n);
  for (guint i = 0; i < n; i++)
    sonde_mindir_typed (sonde_node_get_output (node, i), x->type.dtype, x->type.rank);
  return node;
}

static const SondeMindirTerm *
give_parts (SondeMindirCall *call, const SondeNode *node)
{
  return sonde_mindir_give_tuple (call, (SondeGraphValue *const *) node->outputs->pdata,
                                  node->outputs->len);
}

static gboolean
is_countable (gint64 n)
{
  return n > 0 && n <= MAX_PARTS;
}

static const SondeMindirTerm *
build_split (SondeMindirCall *call)
{
  const gint64 n = sonde_mindir_int (call, "output_num", 1);

  if (!is_countable (n))
    return sonde_mindir_refuse (call, N_ ("the number of its parts makes no sense"), NULL);
  return give_parts (call, divide (call, sonde_mindir_tensor (call, "x"),
                                   sonde_mindir_int (call, "axis", 0), NULL, (guint) n));
}

static const SondeMindirTerm *
build_split_sizes (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const char *name = sonde_mindir_has (call, "size_splits") ? "size_splits" : "split_size";
  const char *axis = sonde_mindir_has (call, "split_dim") ? "split_dim" : "dim";
  g_autoptr (GArray) sizes = sonde_mindir_ints (call, name);

  if (sizes == NULL || !is_countable (sizes->len))
    return sonde_mindir_refuse (call, N_ ("the sizes of its parts are not known"), NULL);
  return give_parts (call, divide (call, x, sonde_mindir_int (call, axis, 0),
                                   (const gint64 *) (const void *) sizes->data, sizes->len));
}

/* Parts of one size, the last one of what is left. */
static const SondeMindirTerm *
divide_evenly (SondeMindirCall *call, SondeGraphValue *x, gint64 axis, gint64 size, gint64 all)
{
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (gint64));

  if (all < 0 || size <= 0 || all / size >= MAX_PARTS)
    return sonde_mindir_refuse (call, N_ ("the sizes of its parts are not known"),
                                N_ ("export the model with fixed sizes"));
  for (gint64 left = all; left > 0; left -= size)
    {
      gint64 part = MIN (left, size);

      g_array_append_val (sizes, part);
    }
  return give_parts (
      call, divide (call, x, axis, (const gint64 *) (const void *) sizes->data, sizes->len));
}

static const SondeMindirTerm *
build_split_tensor (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const gint64 axis = sonde_mindir_int (call, "dim", 0);

  return divide_evenly (call, x, axis, sonde_mindir_int (call, "split_size", 0),
                        sonde_mindir_size (x, axis));
}

static const SondeMindirTerm *
build_chunk (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const gint64 axis = sonde_mindir_int (call, "dim", 0), all = sonde_mindir_size (x, axis);
  const gint64 n = MAX (sonde_mindir_int (call, "chunks", 1), 1);

  return divide_evenly (call, x, axis, all >= 0 ? all / n + (all % n != 0) : 0, all);
}

static const SondeMindirTerm *
build_unstack (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const gint64 axis = sonde_mindir_int (call, call->row->text, 0);
  gint64 n = sonde_mindir_int (call, "num", sonde_mindir_size (x, axis));
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  SondeNode *node;

  if (!is_countable (n))
    return sonde_mindir_refuse (call, N_ ("the number of its parts is not known"),
                                N_ ("export the model with fixed sizes"));
  node = divide (call, x, axis, NULL, (guint) n);
  for (guint i = 0; i < (guint) n; i++)
    g_ptr_array_add (parts, sonde_mindir_squeeze (call, sonde_node_get_output (node, i), axis));
  return sonde_mindir_give_tuple (call, (SondeGraphValue *const *) parts->pdata, parts->len);
}

const SondeMindirRow sonde_mindir_joining_rows[] = {
  { "Concat", "", build_concat, NULL, 0 },
  { "Stack", "", build_stack, "axis", 0 },
  { "StackExt", "", build_stack, "dim", 0 },
  { "Split", "x axis output_num", build_split, NULL, 0 },
  { "SplitWithSize", "x split_size dim", build_split_sizes, NULL, 0 },
  { "SplitWithSizeView", "x split_size dim", build_split_sizes, NULL, 0 },
  { "SplitV", "x", build_split_sizes, NULL, 0 },
  { "SplitTensor", "x split_size dim", build_split_tensor, NULL, 0 },
  { "SplitTensorView", "x split_size dim", build_split_tensor, NULL, 0 },
  { "Chunk", "x chunks dim", build_chunk, NULL, 0 },
  { "ChunkView", "x chunks dim", build_chunk, NULL, 0 },
  { "Unstack", "x", build_unstack, "axis", 0 },
  { "UnstackExtView", "x dim", build_unstack, "dim", 0 },
  { NULL, NULL, NULL, NULL, 0 },
};
