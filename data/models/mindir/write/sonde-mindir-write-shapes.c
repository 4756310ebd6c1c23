/* SPDX-License-Identifier: Apache-2.0
 * ONNX operators that move elements, as primitives. MindSpore wants sizes as numbers. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-term.h"
#include "data/models/mindir/write/sonde-mindir-writer.h"

#define IN(index) sonde_mindir_in (w, node, index)
#define CALL(primitive, ...) sonde_mindir_call (w, primitive, SONDE_NAMES (__VA_ARGS__))
#define VALUE(index) sonde_node_get_input (node, index)
#define UNKNOWN_SIZES N_ ("its sizes are not known before the net runs")

static const char *
write_array (SondeMindirWriter *w, const GArray *numbers)
{
  return sonde_mindir_write_ints (w, (const gint64 *) (const void *) numbers->data, numbers->len);
}

/* A shape whose numbers are not in the file may be known of the output. */
static GArray *
find_shape (const SondeNode *node)
{
  GArray *sizes = sonde_mindir_sizes (sonde_node_get_output (node, 0));
  const SondeGraphValue *x = VALUE (0);

  if (sizes != NULL)
    return sizes;
  sizes = sonde_mindir_known_ints (node, 1, NULL);
  for (guint i = 0; sizes != NULL && i < sizes->len; i++)
    if (g_array_index (sizes, gint64, i) == 0)
      {
        if (x->type.rank <= (int) i || x->type.dims[i].size < 0)
          {
            g_array_unref (sizes);
            return NULL;
          }
        g_array_index (sizes, gint64, i) = x->type.dims[i].size;
      }
  return sizes;
}

/* To a computed shape, which may be narrower than the input: ones of that shape widen it. */
static const char *
expand (SondeMindirWriter *w, const SondeNode *node)
{
  return CALL (
      "Mul", IN (0),
      CALL ("FillV2", CALL ("TensorToTuple", IN (1)), sonde_mindir_write_number (w, 1, VALUE (0))));
}

/* The row's text: Reshape or BroadcastTo. */
static void
write_reshape (SondeMindirWriter *w, const SondeNode *node)
{
  g_autoptr (GArray) shape = find_shape (node);
  const gint64 axis = sonde_node_get_int (node, "axis", 1);

  if (shape != NULL)
    sonde_mindir_set (w, node, 0,
                      CALL (sonde_mindir_writer_row (w)->text, IN (0), write_array (w, shape)));
  else if (strcmp (node->op, "Flatten") == 0 && axis == 1)
    sonde_mindir_set (w, node, 0, CALL ("Flatten", IN (0)));
  else if (strcmp (node->op, "Reshape") == 0)
    sonde_mindir_set (w, node, 0, CALL ("Reshape", IN (0), CALL ("TensorToTuple", IN (1))));
  else if (strcmp (node->op, "Expand") == 0 && VALUE (0)->type.dtype != SONDE_DTYPE_BOOL)
    sonde_mindir_set (w, node, 0, expand (w, node));
  else
    sonde_mindir_cannot (w, node, UNKNOWN_SIZES);
}

static void
write_transpose (SondeMindirWriter *w, const SondeNode *node)
{
  g_autoptr (GArray) order = sonde_mindir_known_ints (node, 9, "perm");

  if (order == NULL && VALUE (0) != NULL && VALUE (0)->type.rank >= 0)
    {
      order = g_array_new (FALSE, FALSE, sizeof (gint64));
      for (gint64 i = VALUE (0)->type.rank - 1; i >= 0; i--)
        g_array_append_val (order, i);
    }
  if (order == NULL)
    sonde_mindir_cannot (w, node, UNKNOWN_SIZES);
  else
    sonde_mindir_set (w, node, 0, CALL ("Transpose", IN (0), write_array (w, order)));
}

static void
write_tile (SondeMindirWriter *w, const SondeNode *node)
{
  g_autoptr (GArray) times = sonde_mindir_known_ints (node, 1, NULL);

  if (times == NULL)
    sonde_mindir_cannot (w, node, UNKNOWN_SIZES);
  else
    sonde_mindir_set (w, node, 0, CALL ("Tile", IN (0), write_array (w, times)));
}

static void
write_squeeze (SondeMindirWriter *w, const SondeNode *node)
{
  g_autoptr (GArray) axes = sonde_mindir_known_ints (node, 1, "axes");

  if (axes == NULL)
    axes = g_array_new (FALSE, FALSE, sizeof (gint64));
  sonde_mindir_set (w, node, 0, CALL ("Squeeze", IN (0), write_array (w, axes)));
}

static gint
compare_axes (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

/* One after another, from the front; they count in the result. */
static void
write_unsqueeze (SondeMindirWriter *w, const SondeNode *node)
{
  g_autoptr (GArray) axes = sonde_mindir_known_ints (node, 1, "axes");
  const int rank = VALUE (0) != NULL ? VALUE (0)->type.rank : -1;
  const char *y = IN (0);

  if (axes == NULL || (rank < 0 && axes->len > 1))
    {
      sonde_mindir_cannot (w, node, UNKNOWN_SIZES);
      return;
    }
  for (guint i = 0; rank >= 0 && i < axes->len; i++)
    if (g_array_index (axes, gint64, i) < 0)
      g_array_index (axes, gint64, i) += rank + (gint64) axes->len;
  g_array_sort (axes, compare_axes);
  for (guint i = 0; i < axes->len; i++)
    y = CALL ("ExpandDims", y, sonde_mindir_write_int (w, g_array_index (axes, gint64, i)));
  sonde_mindir_set (w, node, 0, y);
}

/* ---- joining and dividing ------------------------------------------------ */

static void
write_concat (SondeMindirWriter *w, const SondeNode *node)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *tuple;

  for (guint i = 0; i < node->inputs->len; i++)
    g_ptr_array_add (names, (gpointer) IN (i));
  tuple = sonde_mindir_tuple (w, (const char *const *) names->pdata, names->len);
  sonde_mindir_set (
      w, node, 0,
      CALL ("Concat", tuple, sonde_mindir_write_int (w, sonde_node_get_int (node, "axis", 0))));
}

static gboolean
is_even (const GArray *sizes)
{
  for (guint i = 1; i < sizes->len; i++)
    if (g_array_index (sizes, gint64, i) != g_array_index (sizes, gint64, 0))
      return FALSE;
  return TRUE;
}

/* Sizes of the parts along @axis, as the outputs have them. */
static GArray *
find_parts (const SondeNode *node, gint64 axis)
{
  g_autoptr (GArray) sizes = sonde_mindir_known_ints (node, 1, "split");

  if (sizes != NULL)
    return g_steal_pointer (&sizes);
  sizes = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const SondeGraphValue *part = sonde_node_get_output (node, i);
      const gint64 at = part != NULL && axis < 0 ? axis + part->type.rank : axis;

      if (part == NULL || at < 0 || at >= part->type.rank || part->type.dims[at].size < 0)
        return NULL;
      g_array_append_val (sizes, part->type.dims[at].size);
    }
  return g_steal_pointer (&sizes);
}

static void
write_split (SondeMindirWriter *w, const SondeNode *node)
{
  const gint64 axis = sonde_node_get_int (node, "axis", 0);
  g_autoptr (GArray) sizes = find_parts (node, axis);
  const char *where = sonde_mindir_write_int (w, axis), *parts;

  if (sizes == NULL || sizes->len == 0)
    {
      sonde_mindir_cannot (w, node, UNKNOWN_SIZES);
      return;
    }
  if (is_even (sizes))
    parts = CALL ("Split", IN (0), where, sonde_mindir_write_int (w, sizes->len));
  else
    parts = CALL ("SplitWithSize", IN (0), write_array (w, sizes), where);
  for (guint i = 0; i < node->outputs->len; i++)
    sonde_mindir_set (w, node, i, sonde_mindir_item (w, parts, i));
}

/* ---- slices -------------------------------------------------------------- */

/* Ranges of all dimensions; where the mask has a bit the end is open. */
static gboolean
fill_ranges (const SondeNode *node, int rank, gint64 *begin, gint64 *end, gint64 *step,
             gint64 *masks)
{
  g_autoptr (GArray) starts = sonde_mindir_known_ints (node, 1, "starts");
  g_autoptr (GArray) ends = sonde_mindir_known_ints (node, 2, "ends");
  g_autoptr (GArray) axes = sonde_mindir_known_ints (node, 3, "axes");
  g_autoptr (GArray) steps = sonde_mindir_known_ints (node, 4, NULL);

  if (starts == NULL || ends == NULL || starts->len != ends->len)
    return FALSE;
  for (guint i = 0; i < starts->len; i++)
    {
      gint64 axis = axes != NULL && i < axes->len ? g_array_index (axes, gint64, i) : i;

      axis += axis < 0 ? rank : 0;
      if (axis < 0 || axis >= rank)
        return FALSE;
      begin[axis] = g_array_index (starts, gint64, i);
      end[axis] = g_array_index (ends, gint64, i);
      step[axis] = steps != NULL && i < steps->len ? g_array_index (steps, gint64, i) : 1;
      masks[0] &= ~((gint64) 1 << axis);
      masks[1] &= ~((gint64) 1 << axis);
      if (ABS (begin[axis]) > G_MAXINT32 - 1)
        masks[0] |= (gint64) 1 << axis, begin[axis] = 0;
      if (end[axis] > G_MAXINT32 - 1 || end[axis] < -G_MAXINT32)
        masks[1] |= (gint64) 1 << axis, end[axis] = 0;
    }
  return TRUE;
}

static void
write_slice (SondeMindirWriter *w, const SondeNode *node)
{
  const int rank = VALUE (0) != NULL ? VALUE (0)->type.rank : -1;
  gint64 begin[SONDE_MAX_RANK] = { 0 }, end[SONDE_MAX_RANK] = { 0 }, step[SONDE_MAX_RANK];
  gint64 masks[2] = { -1, -1 };
  const char *none = sonde_mindir_write_int (w, 0);

  for (int i = 0; i < SONDE_MAX_RANK; i++)
    step[i] = 1;
  if (rank > 0)
    masks[0] = masks[1] = ((gint64) 1 << rank) - 1;
  if (rank < 1 || !fill_ranges (node, rank, begin, end, step, masks))
    {
      sonde_mindir_cannot (w, node, UNKNOWN_SIZES);
      return;
    }
  sonde_mindir_set (w, node, 0,
                    CALL ("StridedSlice", IN (0), sonde_mindir_write_ints (w, begin, (gsize) rank),
                          sonde_mindir_write_ints (w, end, (gsize) rank),
                          sonde_mindir_write_ints (w, step, (gsize) rank),
                          sonde_mindir_write_int (w, masks[0]),
                          sonde_mindir_write_int (w, masks[1]), none, none, none));
}

/* ---- indices ------------------------------------------------------------- */

static void
write_gather (SondeMindirWriter *w, const SondeNode *node)
{
  sonde_mindir_set (w, node, 0,
                    CALL ("Gather", IN (0), IN (1),
                          sonde_mindir_write_int (w, sonde_node_get_int (node, "axis", 0)),
                          sonde_mindir_write_int (w, 0)));
}

static void
write_gather_elements (SondeMindirWriter *w, const SondeNode *node)
{
  sonde_mindir_set (w, node, 0,
                    CALL ("GatherD", IN (0),
                          sonde_mindir_write_int (w, sonde_node_get_int (node, "axis", 0)),
                          IN (1)));
}

static void
write_gather_nd (SondeMindirWriter *w, const SondeNode *node)
{
  if (sonde_node_get_int (node, "batch_dims", 0) != 0)
    sonde_mindir_cannot (w, node, N_ ("it has batch dimensions"));
  else
    sonde_mindir_set (w, node, 0, CALL ("GatherNd", IN (0), IN (1)));
}

static void
write_scatter_nd (SondeMindirWriter *w, const SondeNode *node)
{
  static const char *const names[][2] = { { "none", "TensorScatterUpdate" },
                                          { "add", "TensorScatterAdd" },
                                          { "mul", "TensorScatterMul" },
                                          { "max", "TensorScatterMax" },
                                          { "min", "TensorScatterMin" } };
  const char *reduction = sonde_node_get_string (node, "reduction", "none");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i][0], reduction) == 0)
      sonde_mindir_set (w, node, 0, CALL (names[i][1], IN (0), IN (1), IN (2)));
}

/* @axis and the last dimension change places. */
static const char *
swap_last (SondeMindirWriter *w, const char *x, gint64 axis, int rank)
{
  gint64 order[SONDE_MAX_RANK];

  if (axis == rank - 1)
    return x;
  for (int i = 0; i < rank; i++)
    order[i] = i;
  order[axis] = rank - 1;
  order[rank - 1] = axis;
  return CALL ("Transpose", x, sonde_mindir_write_ints (w, order, (gsize) rank));
}

/* MindSpore knows the largest of the last dimension; the smallest are those of the negative. */
static void
write_top (SondeMindirWriter *w, const SondeNode *node)
{
  g_autoptr (GArray) k = sonde_mindir_known_ints (node, 1, "k");
  const int rank = VALUE (0) != NULL ? VALUE (0)->type.rank : -1;
  const gboolean largest = sonde_node_get_int (node, "largest", 1) != 0;
  gint64 axis = sonde_node_get_int (node, "axis", -1);
  const char *x, *pair, *values, *places;

  axis += axis < 0 ? rank : 0;
  if (k == NULL || k->len != 1 || axis < 0 || axis >= rank
      || (!largest && !sonde_dtype_is_float (VALUE (0)->type.dtype)))
    {
      sonde_mindir_cannot (w, node, N_ ("only a known number of the largest is written"));
      return;
    }
  x = swap_last (w, IN (0), axis, rank);
  x = largest ? x : CALL ("Neg", x);
  sonde_mindir_attribute_bool (w, "sorted", TRUE);
  pair = sonde_mindir_call_old (
      w, "TopK", SONDE_NAMES (x, sonde_mindir_write_int (w, g_array_index (k, gint64, 0))));
  values = sonde_mindir_item (w, pair, 0);
  places = CALL ("Cast", sonde_mindir_item (w, pair, 1),
                 sonde_mindir_write_int (w, sonde_mindir_id_of_dtype (SONDE_DTYPE_I64)));
  values = largest ? values : CALL ("Neg", values);
  sonde_mindir_set (w, node, 0, swap_last (w, values, axis, rank));
  sonde_mindir_set (w, node, 1, swap_last (w, places, axis, rank));
}

static void
write_triangle (SondeMindirWriter *w, const SondeNode *node)
{
  g_autoptr (GArray) k = sonde_mindir_known_ints (node, 1, NULL);
  const gboolean upper = sonde_node_get_int (node, "upper", 1) != 0;

  sonde_mindir_attribute_int (w, "diagonal",
                              k != NULL && k->len == 1 ? g_array_index (k, gint64, 0) : 0);
  sonde_mindir_set (w, node, 0,
                    sonde_mindir_call_old (w, upper ? "Triu" : "Tril", SONDE_NAMES (IN (0))));
}

/* ---- padding, resizing, blocks ------------------------------------------- */

static void
write_pad (SondeMindirWriter *w, const SondeNode *node)
{
  g_autoptr (GArray) pads = sonde_mindir_known_ints (node, 1, "pads");
  const char *mode = sonde_node_get_string (node, "mode", "constant"), *value = IN (2);
  int rank = pads != NULL ? (int) pads->len / 2 : 0;
  gint64 paddings[2 * SONDE_MAX_RANK];

  const char *none = sonde_mindir_write_none (w);

  if (rank == 0 || rank > SONDE_MAX_RANK || VALUE (3) != NULL)
    {
      sonde_mindir_cannot (w, node, UNKNOWN_SIZES);
      return;
    }
  for (int i = 0; i < rank; i++)
    {
      paddings[2 * i] = g_array_index (pads, gint64, rank - 1 - i);
      paddings[2 * i + 1] = g_array_index (pads, gint64, 2 * rank - 1 - i);
    }
  /* Mirrors know the last dimensions only. */
  while (strcmp (mode, "constant") != 0 && rank > 1 && paddings[2 * rank - 1] == 0
         && paddings[2 * rank - 2] == 0)
    rank--;
  if (value == NULL && strcmp (mode, "constant") == 0)
    value = sonde_mindir_write_number (w, sonde_node_get_float (node, "value", 0), VALUE (0));
  sonde_mindir_attribute_text (w, "mode", strcmp (mode, "wrap") == 0 ? "circular" : mode);
  sonde_mindir_attribute_bool (w, "paddings_contiguous", TRUE);
  sonde_mindir_set (
      w, node, 0,
      sonde_mindir_call_old (w, "PadV3",
                             SONDE_NAMES (IN (0),
                                          sonde_mindir_write_ints (w, paddings, 2 * (gsize) rank),
                                          value != NULL ? value : none)));
}

static void
write_resize (SondeMindirWriter *w, const SondeNode *node)
{
  const char *mode = sonde_node_get_string (node, "mode", "nearest");
  const char *way = sonde_node_get_string (node, "coordinate_transformation_mode", "half_pixel");
  const char *rounding = sonde_node_get_string (node, "nearest_mode", "round_prefer_floor");
  const gboolean align = strcmp (way, "align_corners") == 0,
                 nearest = strcmp (mode, "nearest") == 0;
  const gboolean half = strcmp (way, "half_pixel") == 0 || strcmp (way, "pytorch_half_pixel") == 0;
  g_autoptr (GArray) sizes = sonde_mindir_sizes (sonde_node_get_output (node, 0));

  if (sizes == NULL || sizes->len != 4 || strcmp (mode, "cubic") == 0
      || (nearest && !align && !half && strcmp (rounding, "floor") != 0)
      || (!align && !half && strcmp (way, "asymmetric") != 0))
    {
      sonde_mindir_cannot (w, node, N_ ("only plain images of known sizes are written"));
      return;
    }
  sonde_mindir_set (
      w, node, 0,
      CALL (nearest ? "ResizeNearestNeighborV2" : "ResizeBilinearV2", IN (0),
            sonde_mindir_write_ints (w, (const gint64 *) (const void *) sizes->data + 2, 2),
            sonde_mindir_write_bool (w, align), sonde_mindir_write_bool (w, half)));
}

static void
write_blocks (SondeMindirWriter *w, const SondeNode *node)
{
  if (strcmp (sonde_node_get_string (node, "mode", "DCR"), "DCR") != 0)
    {
      sonde_mindir_cannot (w, node, N_ ("its blocks are in another order"));
      return;
    }
  sonde_mindir_attribute_int (w, "block_size", sonde_node_get_int (node, "blocksize", 1));
  sonde_mindir_attribute_text (w, "format", "NCHW");
  sonde_mindir_set (w, node, 0, sonde_mindir_call_old (w, node->op, SONDE_NAMES (IN (0))));
}

/* ---- constants ----------------------------------------------------------- */

static void
write_constant (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeTensor *tensor = sonde_node_get_tensor (node, "value");

  if (tensor == NULL)
    sonde_mindir_cannot (w, node, N_ ("it is no tensor"));
  else
    sonde_mindir_set (w, node, 0, sonde_mindir_write_tensor (w, tensor));
}

static void
write_shape (SondeMindirWriter *w, const SondeNode *node)
{
  g_autoptr (GArray) sizes = sonde_mindir_sizes (VALUE (0));
  const SondeShape shape = { .rank = 1, .dims = { sizes != NULL ? (gint64) sizes->len : 0 } };
  g_autoptr (SondeTensor) tensor = NULL;

  if (sizes == NULL)
    {
      sonde_mindir_set (w, node, 0, CALL ("TensorShape", IN (0)));
      return;
    }
  tensor = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &shape, sizes->data);
  sonde_mindir_set (w, node, 0, sonde_mindir_write_tensor (w, tensor));
}

static void
write_one_hot (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeTensor *values = sonde_mindir_known (node, 2);
  g_autoptr (GArray) depth = sonde_mindir_known_ints (node, 1, NULL);

  if (values == NULL || sonde_tensor_n_elements (values) != 2 || depth == NULL || depth->len != 1)
    {
      sonde_mindir_cannot (w, node, N_ ("its depth or values are not known before the net runs"));
      return;
    }
  sonde_mindir_set (
      w, node, 0,
      CALL ("OneHot", IN (0), sonde_mindir_write_int (w, g_array_index (depth, gint64, 0)),
            sonde_mindir_write_number (w, sonde_tensor_get_double (values, 1), VALUE (2)),
            sonde_mindir_write_number (w, sonde_tensor_get_double (values, 0), VALUE (2)),
            sonde_mindir_write_int (w, sonde_node_get_int (node, "axis", -1))));
}

/* 1 adds; what else ONNX can do in one place, MindSpore cannot. */
static void
write_scatter_elements (SondeMindirWriter *w, const SondeNode *node)
{
  const char *reduction = sonde_node_get_string (node, "reduction", "none");
  const gboolean add = strcmp (reduction, "add") == 0;

  if (!add && strcmp (reduction, "none") != 0)
    sonde_mindir_cannot (w, node, N_ ("there is no primitive for it"));
  else
    sonde_mindir_set (w, node, 0,
                      CALL ("TensorScatterElements", IN (0), IN (1), IN (2),
                            sonde_mindir_write_int (w, sonde_node_get_int (node, "axis", 0)),
                            sonde_mindir_write_int (w, add ? 1 : 0)));
}

/* A row an element there, a column in ONNX. */
static void
write_non_zero (SondeMindirWriter *w, const SondeNode *node)
{
  const gint64 order[] = { 1, 0 };

  sonde_mindir_set (
      w, node, 0,
      CALL ("Transpose", CALL ("NonZero", IN (0)), sonde_mindir_write_ints (w, order, 2)));
}

const SondeMindirWriteRow sonde_mindir_write_shape_rows[] = {
  { "ScatterElements", write_scatter_elements, NULL, 0 },
  { "NonZero", write_non_zero, NULL, 0 },
  { "OneHot", write_one_hot, NULL, 0 },
  { "Reshape", write_reshape, "Reshape", 0 },
  { "Flatten", write_reshape, "Reshape", 0 },
  { "Expand", write_reshape, "BroadcastTo", 0 },
  { "Transpose", write_transpose, NULL, 0 },
  { "Tile", write_tile, NULL, 0 },
  { "Squeeze", write_squeeze, NULL, 0 },
  { "Unsqueeze", write_unsqueeze, NULL, 0 },
  { "Concat", write_concat, NULL, 0 },
  { "Split", write_split, NULL, 0 },
  { "Slice", write_slice, NULL, 0 },
  { "Gather", write_gather, NULL, 0 },
  { "GatherElements", write_gather_elements, NULL, 0 },
  { "GatherND", write_gather_nd, NULL, 0 },
  { "ScatterND", write_scatter_nd, NULL, 0 },
  { "TopK", write_top, NULL, 0 },
  { "Trilu", write_triangle, NULL, 0 },
  { "Pad", write_pad, NULL, 0 },
  { "Resize", write_resize, NULL, 0 },
  { "SpaceToDepth", write_blocks, NULL, 0 },
  { "DepthToSpace", write_blocks, NULL, 0 },
  { "Constant", write_constant, NULL, 0 },
  { "Shape", write_shape, NULL, 0 },
  { NULL, NULL, NULL, 0 },
};
