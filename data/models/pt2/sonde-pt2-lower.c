/* SPDX-License-Identifier: Apache-2.0
 * Arguments and results of ATen's operators. */
#include "data/models/pt2/sonde-pt2-lower.h"

#include <string.h>

/* ---- arguments ----------------------------------------------------------- */

static JsonNode *
find (SondePt2Lowering *self, const char *name)
{
  return g_hash_table_lookup (self->arguments, name);
}

static gboolean
is_kind (SondePt2Lowering *self, const char *name, const char *kind)
{
  return g_strcmp0 (g_hash_table_lookup (self->kinds, name), kind) == 0;
}

gboolean
sonde_pt2_has (SondePt2Lowering *self, const char *name)
{
  return find (self, name) != NULL && !is_kind (self, name, "as_none");
}

double
sonde_pt2_arg_number (SondePt2Lowering *self, const char *name, double fallback)
{
  JsonNode *node = find (self, name);
  double number = 0;

  if (node != NULL && JSON_NODE_HOLDS_VALUE (node)
      && json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    return json_node_get_boolean (node);
  return sonde_json_member_number (node, &number) ? number : fallback;
}

gint64
sonde_pt2_arg_int (SondePt2Lowering *self, const char *name, gint64 fallback)
{
  JsonNode *node = find (self, name);

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node)
      || json_node_get_value_type (node) != G_TYPE_INT64)
    return fallback;
  return json_node_get_int (node);
}

gboolean
sonde_pt2_arg_bool (SondePt2Lowering *self, const char *name, gboolean fallback)
{
  return sonde_pt2_arg_number (self, name, fallback ? 1 : 0) != 0;
}

const char *
sonde_pt2_arg_text (SondePt2Lowering *self, const char *name, const char *fallback)
{
  JsonNode *node = find (self, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : fallback;
}

/* An element of a list of sizes: a number, or an object with "as_int". FALSE: computed. */
static gboolean
read_size (JsonNode *node, gint64 *value)
{
  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
    node = json_object_get_member (json_node_get_object (node), "as_int");
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node)
      || json_node_get_value_type (node) != G_TYPE_INT64)
    return FALSE;
  *value = json_node_get_int (node);
  return TRUE;
}

int
sonde_pt2_arg_ints (SondePt2Lowering *self, const char *name, gint64 *values, int most)
{
  JsonNode *node = find (self, name);
  JsonArray *array
      = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  int n = (int) sonde_json_member_count (array);

  if (array == NULL && node != NULL && read_size (node, values))
    return 1;
  if (array == NULL)
    return -1;
  if (n > most)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                         "argument %s has %d numbers, at most %d are possible", name, n, most);
  n = MIN (n, most);
  for (int i = 0; i < n; i++)
    if (!read_size (json_array_get_element (array, (guint) i), &values[i]))
      {
        sonde_lowering_fail (
            self->out, SONDE_DATA_ERROR_UNSUPPORTED,
            "argument %s depends on sizes that are not known. Fix them with --shape", name);
        values[i] = 1;
      }
  return n;
}

/* ---- tensors ------------------------------------------------------------- */

static SondeGraphValue *
find_value (SondePt2Lowering *self, const char *name)
{
  SondeGraphValue *value = name != NULL ? g_hash_table_lookup (self->values, name) : NULL;

  if (value == NULL)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "no node before it makes “%s”",
                         name != NULL ? name : "");
  return value;
}

static const char *
get_name (JsonNode *node, const char *member)
{
  return node != NULL && JSON_NODE_HOLDS_OBJECT (node)
             ? sonde_json_member_text (json_node_get_object (node), member)
             : NULL;
}

gboolean
sonde_pt2_is_tensor (SondePt2Lowering *self, const char *name)
{
  return get_name (find (self, name), "name") != NULL
         || get_name (find (self, name), "as_name") != NULL;
}

SondeGraphValue *
sonde_pt2_tensor (SondePt2Lowering *self, const char *name)
{
  JsonNode *node = find (self, name);
  const char *found = get_name (node, "name");

  found = found != NULL ? found : get_name (node, "as_name");
  return found != NULL ? find_value (self, found) : NULL;
}

SondeGraphValue *
sonde_pt2_needed (SondePt2Lowering *self, const char *name)
{
  SondeGraphValue *value = sonde_pt2_tensor (self, name);

  if (value != NULL)
    return value;
  sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "its argument %s is missing", name);
  return sonde_lowering_number (self->out, SONDE_DTYPE_F32, 0);
}

SondeGraphValue *
sonde_pt2_self (SondePt2Lowering *self)
{
  return sonde_pt2_needed (self, sonde_pt2_has (self, "self") ? "self" : "input");
}

SondeGraphValue *
sonde_pt2_operand (SondePt2Lowering *self, const char *name, SondeDtype dtype)
{
  SondeGraphValue *value = sonde_pt2_tensor (self, name);
  gint64 whole = sonde_pt2_arg_int (self, name, 0);

  if (value != NULL)
    return sonde_pt2_cast (self, value, dtype);
  if (dtype == SONDE_DTYPE_I64)
    return sonde_lowering_int (self->out, whole);
  return sonde_lowering_number (self->out, dtype, sonde_pt2_arg_number (self, name, 0));
}

GPtrArray *
sonde_pt2_tensors (SondePt2Lowering *self, const char *name)
{
  JsonNode *node = find (self, name);
  JsonArray *array
      = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  GPtrArray *values = g_ptr_array_new ();

  for (guint i = 0; i < sonde_json_member_count (array); i++)
    {
      JsonObject *element = sonde_json_member_element (array, i);
      JsonObject *tensor = sonde_json_member_object (element, "as_tensor");
      const char *found = sonde_json_member_text (tensor != NULL ? tensor : element, "name");

      g_ptr_array_add (values, found != NULL ? find_value (self, found) : NULL);
    }
  return values;
}

/* ---- sizes --------------------------------------------------------------- */

static SondeGraphValue *
size_value (SondePt2Lowering *self, JsonNode *node)
{
  gint64 size = 1;

  if (read_size (node, &size))
    return sonde_lowering_ints (self->out, &size, 1);
  return sonde_lowering_unsqueeze (self->out, find_value (self, get_name (node, "as_name")), 0);
}

SondeGraphValue *
sonde_pt2_size (SondePt2Lowering *self, const char *name, gint64 fallback)
{
  if (!sonde_pt2_has (self, name))
    return sonde_lowering_ints (self->out, &fallback, 1);
  return size_value (self, find (self, name));
}

SondeGraphValue *
sonde_pt2_sizes (SondePt2Lowering *self, const char *name)
{
  JsonNode *node = find (self, name);
  JsonArray *array
      = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  guint n = MIN (sonde_json_member_count (array), SONDE_MAX_RANK);
  SondeGraphValue *parts[SONDE_MAX_RANK];
  gint64 known[SONDE_MAX_RANK];
  gboolean all = TRUE;

  for (guint i = 0; i < n; i++)
    all = read_size (json_array_get_element (array, i), &known[i]) && all;
  if (all)
    return sonde_lowering_ints (self->out, known, n);
  for (guint i = 0; i < n; i++)
    {
      parts[i] = size_value (self, json_array_get_element (array, i));
      if (sonde_lowering_has_failed (self->out))
        return sonde_lowering_ints (self->out, known, 0);
    }
  return sonde_lowering_concat (self->out, parts, n, 0);
}

/* ---- types --------------------------------------------------------------- */

int
sonde_pt2_rank (SondePt2Lowering *self, const SondeGraphValue *value)
{
  if (value->type.rank < 0)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "the shape of “%s” is missing",
                         value->name);
  return MAX (value->type.rank, 0);
}

int
sonde_pt2_axis (SondePt2Lowering *self, gint64 axis, int rank)
{
  gint64 found = axis < 0 ? axis + MAX (rank, 1) : axis;

  if (found >= 0 && found < MAX (rank, 1))
    return (int) found;
  sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                       "dimension %" PRId64 " is outside of a tensor of %d dimensions", axis, rank);
  return 0;
}

gint64
sonde_pt2_onnx_type (SondeDtype dtype)
{
  static const gint64 numbers[] = {
    [SONDE_DTYPE_F32] = 1,  [SONDE_DTYPE_U8] = 2,   [SONDE_DTYPE_I8] = 3,    [SONDE_DTYPE_U16] = 4,
    [SONDE_DTYPE_I16] = 5,  [SONDE_DTYPE_I32] = 6,  [SONDE_DTYPE_I64] = 7,   [SONDE_DTYPE_BOOL] = 9,
    [SONDE_DTYPE_F16] = 10, [SONDE_DTYPE_F64] = 11, [SONDE_DTYPE_BF16] = 16,
  };

  return dtype < (int) G_N_ELEMENTS (numbers) ? numbers[dtype] : 0;
}

/* "Symbol('s52', integer=True)" alone is a symbol. */
static const char *
symbol_of (JsonObject *expression)
{
  const char *text = sonde_json_member_text (expression, "expr_str");
  const char *begin = text != NULL && g_str_has_prefix (text, "Symbol('") ? text + 8 : NULL;
  const char *end = begin != NULL ? strchr (begin, '\'') : NULL;
  g_autofree char *name = end != NULL && end > begin && end - begin < 64
                              ? g_strndup (begin, (gsize) (end - begin))
                              : NULL;

  return name != NULL && g_str_is_ascii (name) ? g_intern_string (name) : NULL;
}

SondeType
sonde_pt2_type_of_meta (JsonObject *meta)
{
  JsonArray *sizes = sonde_json_member_array (meta, "sizes");
  SondeType type = sonde_type_unknown ();

  type.kind = SONDE_VALUE_TENSOR;
  type.dtype = sonde_pt2_dtype (sonde_json_member_int (meta, "dtype", 0));
  if (sizes == NULL || sonde_json_member_count (sizes) > SONDE_MAX_RANK)
    return type;
  type.rank = (int) sonde_json_member_count (sizes);
  for (int i = 0; i < type.rank; i++)
    {
      JsonObject *size = sonde_json_member_element (sizes, (guint) i);

      type.dims[i].size = MAX (sonde_json_member_int (size, "as_int", -1), -1);
      type.dims[i].symbol = symbol_of (sonde_json_member_object (size, "as_expr"));
    }
  return type;
}

SondeGraphValue *
sonde_pt2_cast (SondePt2Lowering *self, SondeGraphValue *value, SondeDtype dtype)
{
  SondeGraphValue *y = NULL;

  if (value->type.dtype == dtype || dtype == SONDE_DTYPE_INVALID)
    return value;
  y = sonde_lowering_cast (self->out, value, dtype);
  y->type = value->type;
  y->type.dtype = dtype;
  return y;
}

/* ---- results ------------------------------------------------------------- */

/* (nullable): the name of an output, counting through lists */
static const char *
get_out_name (SondePt2Lowering *self, guint index)
{
  JsonArray *outputs = sonde_json_member_array (self->node, "outputs");
  guint at = 0;

  for (guint i = 0; i < sonde_json_member_count (outputs); i++)
    {
      JsonObject *output = sonde_json_member_element (outputs, i);
      JsonArray *list = sonde_json_member_array (output, "as_tensors");
      JsonObject *tensor = sonde_json_member_object (output, "as_tensor");
      JsonObject *size = sonde_json_member_object (output, "as_sym_int");

      if (list == NULL && at++ == index)
        return tensor != NULL ? sonde_json_member_text (tensor, "name")
                              : sonde_json_member_text (size, "as_name");
      for (guint k = 0; k < sonde_json_member_count (list); k++)
        if (at++ == index)
          return sonde_json_member_text (sonde_json_member_element (list, k), "name");
    }
  return NULL;
}

guint
sonde_pt2_count_outputs (SondePt2Lowering *self)
{
  JsonArray *outputs = sonde_json_member_array (self->node, "outputs");
  guint count = 0;

  for (guint i = 0; i < sonde_json_member_count (outputs); i++)
    {
      JsonArray *list
          = sonde_json_member_array (sonde_json_member_element (outputs, i), "as_tensors");

      count += list != NULL ? sonde_json_member_count (list) : 1;
    }
  return count;
}

SondeDtype
sonde_pt2_out_dtype (SondePt2Lowering *self, guint index)
{
  const char *name = get_out_name (self, index);
  JsonObject *meta = name != NULL ? sonde_json_member_object (self->metas, name) : NULL;

  return sonde_pt2_dtype (sonde_json_member_int (meta, "dtype", 0));
}

/* In a graph of an operator names begin with those of both. */
static SondeGraphValue *
name_value (SondePt2Lowering *self, SondeGraphValue *value, const char *name)
{
  g_autofree char *full = self->prefix != NULL ? g_strconcat (self->prefix, name, NULL) : NULL;

  return sonde_lowering_name (self->out, value, full != NULL ? full : name);
}

void
sonde_pt2_set_out (SondePt2Lowering *self, guint index, SondeGraphValue *value)
{
  const char *name = get_out_name (self, index);
  JsonObject *meta = name != NULL ? sonde_json_member_object (self->metas, name) : NULL;

  if (name == NULL || value == NULL || sonde_lowering_has_failed (self->out))
    return;
  value = name_value (self, value, name);
  if (meta != NULL)
    value->type = sonde_pt2_type_of_meta (meta);
  g_hash_table_insert (self->values, (gpointer) name, value);
}

void
sonde_pt2_refuse (SondePt2Lowering *self, SondeMessage *what, SondeMessage *advice)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name = NULL;
  guint n = sonde_pt2_count_outputs (self);
  SondeNode *node = NULL;

  g_hash_table_iter_init (&iter, self->arguments);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (sonde_pt2_is_tensor (self, name))
      g_ptr_array_add (inputs, sonde_pt2_tensor (self, name));
  node = sonde_lowering_refuse (self->out, (SondeGraphValue *const *) inputs->pdata, inputs->len,
                                MAX (n, 1), what, advice);
  for (guint i = 0; i < n; i++)
    sonde_pt2_set_out (self, i, sonde_node_get_output (node, i));
}

/* ---- short forms --------------------------------------------------------- */

SondeGraphValue *
sonde_pt2_op (SondePt2Lowering *self, const char *op, SondeGraphValue *a)
{
  SondeGraphValue *y = sonde_lowering_op (self->out, op, SONDE_VALUES (a));

  y->type = a->type;
  return y;
}

SondeGraphValue *
sonde_pt2_op2 (SondePt2Lowering *self, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *y = sonde_lowering_op (self->out, op, SONDE_VALUES (a, b));

  y->type.kind = SONDE_VALUE_TENSOR;
  y->type.dtype = a->type.dtype;
  return y;
}

SondeGraphValue *
sonde_pt2_number (SondePt2Lowering *self, const SondeGraphValue *like, double number)
{
  return sonde_lowering_number (self->out, like->type.dtype, number);
}
