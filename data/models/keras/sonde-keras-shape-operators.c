/* SPDX-License-Identifier: Apache-2.0
 * Operators on tensors that move elements. */
#include "data/models/keras/sonde-keras-operands.h"

#include <string.h>

#include "data/models/lowering/sonde-lowering-types.h"

/* ---- sizes and orders ---------------------------------------------------- */

static void
lower_reshape (SondeKerasLowering *self, const char *op)
{
  gint64 sizes[SONDE_MAX_RANK];
  const char *name = sonde_keras_param (self, 1, "newshape") != NULL ? "newshape" : "shape";
  int n = sonde_keras_param_ints (self, 1, name, sizes);

  if (n < 0)
    {
      sonde_keras_refuse (self, sonde_message_new ("a shape that is computed is not read"), NULL);
      return;
    }
  sonde_keras_set_inferred (self, 0,
                            sonde_lowering_reshape (self->out, sonde_keras_in (self, 0), sizes, n));
}

static void
set_order (SondeKerasLowering *self, const gint64 *order, int n)
{
  sonde_keras_set_inferred (
      self, 0, sonde_lowering_transpose (self->out, sonde_keras_in (self, 0), order, n));
}

static void
lower_transpose (SondeKerasLowering *self, const char *op)
{
  const char *name = sonde_keras_param (self, 1, "axes") != NULL ? "axes" : "perm";
  gint64 order[SONDE_MAX_RANK];
  int rank = sonde_keras_in (self, 0)->type.rank, n = sonde_keras_param_ints (self, 1, name, order);

  if (n < 0)
    for (n = 0; n < rank; n++)
      order[n] = rank - 1 - n;
  for (int i = 0; i < n; i++)
    order[i] = sonde_keras_axis (self, order[i], rank);
  if (n == rank)
    set_order (self, order, n);
  else
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                         "its axes are no order of %d dimensions", rank);
}

static void
lower_swap (SondeKerasLowering *self, const char *op)
{
  int rank = sonde_keras_in (self, 0)->type.rank;
  int a = sonde_keras_axis (self, sonde_keras_param_int (self, 1, "axis1", 0), rank);
  int b = sonde_keras_axis (self, sonde_keras_param_int (self, 2, "axis2", 0), rank);
  gint64 order[SONDE_MAX_RANK];

  for (int i = 0; i < rank; i++)
    order[i] = i == a ? b : i == b ? a : i;
  set_order (self, order, MAX (rank, 0));
}

static void
lower_move (SondeKerasLowering *self, const char *op)
{
  int rank = sonde_keras_in (self, 0)->type.rank, next = 0;
  int from = sonde_keras_axis (self, sonde_keras_param_int (self, 1, "source", 0), rank);
  int to = sonde_keras_axis (self, sonde_keras_param_int (self, 2, "destination", 0), rank);
  gint64 order[SONDE_MAX_RANK];

  for (int i = 0; i < rank; i++)
    {
      next += next == from ? 1 : 0;
      order[i] = i == to ? from : next++;
    }
  set_order (self, order, MAX (rank, 0));
}

static void
lower_axes (SondeKerasLowering *self, const char *op)
{
  gint64 axes[SONDE_MAX_RANK];
  int n = sonde_keras_param_ints (self, 1, "axis", axes);
  SondeGraphValue *x = sonde_keras_in (self, 0);

  sonde_keras_set_inferred (
      self, 0,
      sonde_lowering_op (self->out, op,
                         (SondeGraphValue *const[]){
                             x, n > 0 ? sonde_lowering_ints (self->out, axes, (gsize) n) : NULL },
                         n > 0 ? 2 : 1));
}

/* ---- joining and cutting ------------------------------------------------- */

static void
lower_concatenate (SondeKerasLowering *self, const char *op)
{
  gint64 axis = sonde_keras_param_int (self, 1, "axis", -1);

  sonde_keras_set_inferred (self, 0,
                            sonde_lowering_concat (self->out,
                                                   (SondeGraphValue *const *) self->inputs->pdata,
                                                   self->inputs->len, axis));
}

static void
lower_stack (SondeKerasLowering *self, const char *op)
{
  gint64 axis = sonde_keras_param_int (self, 1, "axis", 0);
  g_autofree SondeGraphValue **values = g_new (SondeGraphValue *, self->inputs->len);

  for (guint i = 0; i < self->inputs->len; i++)
    values[i] = sonde_lowering_unsqueeze (self->out, sonde_keras_in (self, i), axis);
  sonde_keras_set_inferred (self, 0,
                            sonde_lowering_concat (self->out, values, self->inputs->len, axis));
}

static void
lower_split (SondeKerasLowering *self, const char *op)
{
  gint64 sections = sonde_keras_param_int (self, 1, "indices_or_sections", 0);
  SondeNode *node = NULL;

  if (sections < 1 || sections > 4096)
    {
      sonde_keras_refuse (self, sonde_message_new ("only parts of equal size are read"), NULL);
      return;
    }
  node = sonde_lowering_node (self->out, "", "Split", SONDE_VALUES (sonde_keras_in (self, 0)),
                              (guint) sections);
  sonde_node_set_int (node, "axis", sonde_keras_param_int (self, 2, "axis", 0));
  sonde_node_set_int (node, "num_outputs", sections);
  for (guint i = 0; i < sections; i++)
    sonde_keras_set_inferred (self, i, sonde_node_get_output (node, i));
}

static void
lower_tile (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0);
  gint64 given[SONDE_MAX_RANK], times[SONDE_MAX_RANK];
  int n = sonde_keras_param_ints (self, 1, "repeats", given), rank = x->type.rank;

  if (n < 0 || n > rank)
    {
      sonde_keras_refuse (self, sonde_message_new ("only as many numbers as dimensions are read"),
                          NULL);
      return;
    }
  for (int i = 0; i < rank; i++)
    times[i] = i < rank - n ? 1 : given[i - rank + n];
  sonde_keras_set_inferred (
      self, 0,
      sonde_lowering_op (self->out, "Tile",
                         SONDE_VALUES (x, sonde_lowering_ints (self->out, times, (gsize) rank))));
}

/* Each slice several times: an axis more, spread, and joined with the one in front. */
static void
lower_repeat (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0);
  gint64 times = sonde_keras_param_int (self, 1, "repeats", 0), axis = 0, indices[4096];
  gint64 size = -1;

  if (sonde_keras_param_ints (self, 2, "axis", &axis) == 1 && x->type.rank > 0)
    size = x->type.dims[sonde_keras_axis (self, axis, x->type.rank)].size;
  if (times < 1 || size < 1 || times > (gint64) G_N_ELEMENTS (indices) / size)
    {
      sonde_keras_refuse (
          self, sonde_message_new ("only one number for an axis of known size is read"), NULL);
      return;
    }
  for (gint64 i = 0; i < times * size; i++)
    indices[i] = i / times;
  x = sonde_lowering_op (
      self->out, "Gather",
      SONDE_VALUES (x, sonde_lowering_ints (self->out, indices, (gsize) (times * size))));
  sonde_node_set_int (x->producer, "axis", axis);
  sonde_keras_set_inferred (self, 0, x);
}

static void
lower_take (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0);
  SondeGraphValue *indices = sonde_keras_operand (self, 1, "indices", SONDE_DTYPE_I64);
  gint64 axis = 0;
  const gint64 flat[] = { -1 };

  if (indices == NULL)
    {
      sonde_keras_refuse (self, sonde_message_new ("without indices it is not read"), NULL);
      return;
    }
  if (sonde_keras_param_ints (self, 2, "axis", &axis) < 1)
    x = sonde_lowering_reshape (self->out, x, flat, 1);
  if (indices->type.dtype != SONDE_DTYPE_I64 && indices->type.dtype != SONDE_DTYPE_I32)
    indices = sonde_lowering_cast (self->out, indices, SONDE_DTYPE_I64);
  x = sonde_lowering_op (self->out, "Gather", SONDE_VALUES (x, indices));
  sonde_node_set_int (x->producer, "axis", axis);
  sonde_keras_set_inferred (self, 0, x);
}

static void
lower_one_hot (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0), *y = NULL;
  const gint64 depth[] = { sonde_keras_param_int (self, 1, "num_classes", 1) };
  static const SondeShape pair = { .rank = 1, .dims = { 2 } };
  g_autoptr (SondeTensor) ends = sonde_tensor_new (SONDE_DTYPE_F32, &pair);
  g_autofree char *name = g_strdup_printf ("%s%s.ends", self->scope, self->layer->name);

  sonde_tensor_set_double (ends, 0, 0);
  sonde_tensor_set_double (ends, 1, 1);
  y = sonde_lowering_op (self->out, "OneHot",
                         SONDE_VALUES (x, sonde_lowering_ints (self->out, depth, 1),
                                       sonde_lowering_constant (self->out, name, ends)));
  sonde_node_set_int (y->producer, "axis", sonde_keras_param_int (self, 2, "axis", -1));
  sonde_keras_set_inferred (self, 0, y);
}

/* ---- padding ------------------------------------------------------------- */

static void
lower_pad (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0), *number = NULL;
  JsonNode *node = sonde_keras_param (self, 1, "pad_width");
  JsonNode *mode = sonde_keras_param (self, 2, "mode");
  JsonArray *pairs
      = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  gint64 pads[2 * SONDE_MAX_RANK] = { 0 };
  int rank = x->type.rank;

  if ((int) sonde_json_member_count (pairs) != rank || rank < 1
      || (mode != NULL && g_strcmp0 (json_node_get_string (mode), "constant") != 0))
    {
      sonde_keras_refuse (
          self, sonde_message_new ("only constants around every dimension are read"), NULL);
      return;
    }
  for (int i = 0; i < rank; i++)
    {
      JsonNode *pair = json_array_get_element (pairs, (guint) i);
      JsonArray *ends = JSON_NODE_HOLDS_ARRAY (pair) ? json_node_get_array (pair) : NULL;

      for (guint k = 0; k < 2 && k < sonde_json_member_count (ends); k++)
        pads[i + (int) k * rank] = json_array_get_int_element (ends, k);
    }
  number = sonde_keras_operand (self, -1, "constant_values", x->type.dtype);
  sonde_keras_set_inferred (
      self, 0,
      sonde_lowering_op (self->out, "Pad",
                         (SondeGraphValue *const[]){
                             x, sonde_lowering_ints (self->out, pads, 2 * (gsize) rank), number },
                         number != NULL ? 3 : 2));
}

/* ---- x[1:3, …, 0] -------------------------------------------------------- */

/**
 * Item: what the brackets say of one dimension
 * @n: slices so far; @gone: axes that an index removes; @axis: the next one
 */
typedef struct
{
  gint64 starts[SONDE_MAX_RANK], ends[SONDE_MAX_RANK], steps[SONDE_MAX_RANK], axes[SONDE_MAX_RANK],
      gone[SONDE_MAX_RANK], added[SONDE_MAX_RANK];
  int n, n_gone, n_added, axis, made;
} Item;

static gboolean
is_class (JsonNode *node, const char *class_name)
{
  return JSON_NODE_HOLDS_OBJECT (node)
         && g_strcmp0 (sonde_json_member_text (json_node_get_object (node), "class_name"),
                       class_name)
                == 0;
}

static gint64
get_end (JsonObject *slice, const char *name, gint64 fallback)
{
  return sonde_json_member_int (slice, name, fallback);
}

/* FALSE: something that is no slice, number, ellipsis or new axis */
static gboolean
read_item (Item *item, JsonNode *node, int left, int rank)
{
  JsonObject *slice = NULL;

  if (JSON_NODE_HOLDS_NULL (node))
    {
      item->added[item->n_added++] = item->made++;
      return item->n_added < SONDE_MAX_RANK;
    }
  if (is_class (node, "__ellipsis__"))
    {
      item->made += MAX (rank - item->axis - left, 0);
      item->axis = MAX (rank - left, item->axis);
      return TRUE;
    }
  if (item->axis >= rank)
    return FALSE;
  item->axes[item->n] = item->axis;
  item->steps[item->n] = 1;
  if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_INT64)
    {
      item->starts[item->n] = json_node_get_int (node);
      item->ends[item->n] = item->starts[item->n] == -1 ? G_MAXINT64 : item->starts[item->n] + 1;
      item->gone[item->n_gone++] = item->axis++;
      item->n++;
      return TRUE;
    }
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return FALSE;
  slice = json_node_get_object (node);
  slice = is_class (node, "__slice__") ? sonde_json_member_object (slice, "config") : slice;
  item->steps[item->n] = get_end (slice, "step", 1);
  item->starts[item->n] = get_end (slice, "start", item->steps[item->n] > 0 ? 0 : G_MAXINT64);
  item->ends[item->n] = get_end (slice, "stop", item->steps[item->n] > 0 ? G_MAXINT64 : G_MININT64);
  item->n++;
  item->axis++;
  item->made++;
  return slice != NULL && item->steps[item->n - 1] != 0;
}

/* How many of @list behind @from take a dimension each. */
static int
count_left (JsonArray *list, guint from)
{
  int n = 0;

  for (guint i = from; i < json_array_get_length (list); i++)
    n += !JSON_NODE_HOLDS_NULL (json_array_get_element (list, i))
                 && !is_class (json_array_get_element (list, i), "__ellipsis__")
             ? 1
             : 0;
  return n;
}

static SondeGraphValue *
emit_item (SondeKerasLowering *self, SondeGraphValue *x, const Item *item)
{
  gsize n = (gsize) item->n;

  if (n > 0)
    x = sonde_lowering_op (self->out, "Slice",
                           SONDE_VALUES (x, sonde_lowering_ints (self->out, item->starts, n),
                                         sonde_lowering_ints (self->out, item->ends, n),
                                         sonde_lowering_ints (self->out, item->axes, n),
                                         sonde_lowering_ints (self->out, item->steps, n)));
  if (item->n_gone > 0)
    x = sonde_lowering_op (
        self->out, "Squeeze",
        SONDE_VALUES (x, sonde_lowering_ints (self->out, item->gone, (gsize) item->n_gone)));
  if (item->n_added > 0)
    x = sonde_lowering_op (
        self->out, "Unsqueeze",
        SONDE_VALUES (x, sonde_lowering_ints (self->out, item->added, (gsize) item->n_added)));
  return x;
}

static void
lower_item (SondeKerasLowering *self, const char *op)
{
  const char *name = sonde_keras_param (self, 1, "slice_spec") != NULL ? "slice_spec" : "key";
  JsonNode *node = sonde_keras_param (self, 1, name);
  SondeGraphValue *x = sonde_keras_in (self, 0);
  JsonArray *list
      = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  Item item = { .n = 0 };
  gboolean fits = node != NULL && x->type.rank >= 0;

  if (list == NULL && fits)
    fits = read_item (&item, node, 1, x->type.rank);
  for (guint i = 0; fits && i < sonde_json_member_count (list); i++)
    fits = read_item (&item, json_array_get_element (list, i), count_left (list, i + 1),
                      x->type.rank);
  if (fits)
    sonde_keras_set_inferred (self, 0, emit_item (self, x, &item));
  else
    sonde_keras_refuse (self, sonde_message_new ("only slices, numbers and new axes are read"),
                        NULL);
}

const SondeKerasOperator sonde_keras_shape_operators[] = {
  { "Concatenate", "concat", lower_concatenate, NULL },
  { "ExpandDims", "expand_dims", lower_axes, "Unsqueeze" },
  { "GetItem", "__operators__.getitem", lower_item, NULL },
  { "Moveaxis", NULL, lower_move, NULL },
  { "OneHot", NULL, lower_one_hot, NULL },
  { "Pad", NULL, lower_pad, NULL },
  { "Repeat", "repeat", lower_repeat, NULL },
  { "Reshape", "reshape", lower_reshape, NULL },
  { "Split", NULL, lower_split, NULL },
  { "Squeeze", "compat.v1.squeeze", lower_axes, "Squeeze" },
  { "Stack", "stack", lower_stack, NULL },
  { "Swapaxes", NULL, lower_swap, NULL },
  { "Take", "compat.v1.gather", lower_take, NULL },
  { "Tile", "tile", lower_tile, NULL },
  { "Transpose", "compat.v1.transpose", lower_transpose, NULL },
  { NULL, NULL },
};
