/* SPDX-License-Identifier: Apache-2.0
 * AttrValue, and notes about what does not fit. Functions in it are named, not entered: nothing
 * here recurses.
 * Source: tensorflow/tensorflow tensorflow/core/framework/attr_value.proto. */
#include "data/records/tensorboard/sonde-graph-def-private.h"

#include <inttypes.h>

#include "data/base/sonde-wire.h"
#include "data/records/sonde-record-wire-private.h"

#define MAX_PROBLEMS 200u

void
sonde_graph_def_note_problem (SondeGraph *graph, const char *format, ...)
{
  SondeMetadata problem = { NULL, NULL };
  va_list arguments;

  if (graph->metadata->len >= MAX_PROBLEMS)
    return;
  va_start (arguments, format);
  problem.key = g_strdup ("problem");
  problem.value = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_array_append_val (graph->metadata, problem);
}

/* Fields of AttrValue and of its ListValue. */
enum
{
  ATTR_LIST = 1,
  ATTR_STRING = 2,
  ATTR_INT = 3,
  ATTR_FLOAT = 4,
  ATTR_BOOL = 5,
  ATTR_TYPE = 6,
  ATTR_SHAPE = 7,
  ATTR_TENSOR = 8,
  ATTR_FUNCTION = 10,
  ATTR_PLACEHOLDER = 9,
  LIST_FUNCTION = 9,
};

static SondeBytes
bytes_of_item (const SondeWireItem *item)
{
  return (SondeBytes){ item->bytes, item->length };
}

/* The member that holds: the last. */
static gboolean
last_member (SondeBytes value, SondeWireItem *last, GError **error)
{
  SondeWireCursor cursor = sonde_wire_cursor (value.at, value.length);
  SondeWireItem item;
  SondeWireStep step;

  *last = (SondeWireItem){ 0 };
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number <= ATTR_FUNCTION)
      *last = item;
  return step == SONDE_WIRE_END
         || sonde_event_fail (error, "Attribute of a node is not a valid message");
}

static char *
text_of_type (guint64 number)
{
  const gboolean is_reference = number > 100;
  SondeDtype dtype = sonde_tensor_proto_get_dtype ((guint32) MIN (number, G_MAXUINT32), NULL);

  if (dtype == SONDE_DTYPE_INVALID)
    return g_strdup_printf ("type %" PRIu64, number);
  return g_strconcat (sonde_dtype_name (dtype), is_reference ? " reference" : "", NULL);
}

static char *
text_of_shape (SondeBytes shape)
{
  gint64 dims[SONDE_MAX_RANK];
  const guint8 *at;
  GString *text;
  int rank;

  if (!sonde_tensor_proto_view_shape (shape.at, shape.length, &rank, dims, &at))
    return NULL;
  if (rank < 0 || rank > SONDE_MAX_RANK)
    return g_strdup (rank < 0 ? "unknown" : "too many dimensions");
  text = g_string_new ("[");
  for (int i = 0; i < rank; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      if (dims[i] < 0)
        g_string_append_c (text, '?');
      else
        g_string_append_printf (text, "%" PRIi64, dims[i]);
    }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

/* NameAttrList: 1 name. */
static char *
text_of_function (SondeBytes function)
{
  SondeWireCursor cursor = sonde_wire_cursor (function.at, function.length);
  SondeWireItem item, name = { 0 };

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (item.number == 1 && item.type == SONDE_WIRE_BYTES)
      name = item;
  return sonde_record_dup_text (name.bytes, name.length);
}

static SondeTensor *
tensor_of_item (SondeBytes bytes, const char *name, SondeBudget *budget, GError **error)
{
  SondeTensorProto proto;
  const guint8 *at = bytes.at;

  if (sonde_tensor_proto_view (&proto, bytes.at, bytes.length, &at))
    return sonde_tensor_proto_to_tensor (&proto, budget, name, error);
  sonde_event_fail (error, "Tensor of attribute “%s” is not a valid message", name);
  return NULL;
}

/* ---- lists --------------------------------------------------------------- */

typedef struct
{
  GArray *ints, *floats;
  GPtrArray *strings, *tensors;
} Lists;

/* One occurrence of a number field: a number or several packed. */
static gboolean
collect_numbers (const SondeWireItem *item, Lists *lists)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (item);
  const gboolean is_packed = item->type == SONDE_WIRE_BYTES;
  guint64 bits = item->value;

  if (!is_packed
      && item->type != (item->number == ATTR_FLOAT ? SONDE_WIRE_FIXED32 : SONDE_WIRE_VARINT))
    return FALSE;
  while (!is_packed || cursor.at != cursor.end)
    {
      SondeWireItem number = { 0 };

      if (is_packed
          && !(item->number == ATTR_FLOAT ? sonde_wire_take_fixed (&cursor, 4, &bits)
                                          : sonde_wire_take_varint (&cursor, &bits)))
        return FALSE;
      number.value = bits;
      if (item->number == ATTR_FLOAT)
        {
          double value = (double) sonde_wire_item_float (&number);

          g_array_append_val (lists->floats, value);
        }
      else if (item->number == ATTR_TYPE)
        g_ptr_array_add (lists->strings, text_of_type (bits));
      else
        {
          gint64 value = item->number == ATTR_BOOL ? bits != 0 : (gint64) bits;

          g_array_append_val (lists->ints, value);
        }
      if (!is_packed)
        break;
    }
  return TRUE;
}

static gboolean
collect_item (const SondeWireItem *item, const char *name, SondeBudget *budget, Lists *lists,
              GError **error)
{
  SondeBytes bytes = bytes_of_item (item);
  SondeTensor *tensor;

  if (item->number >= ATTR_INT && item->number <= ATTR_TYPE)
    return collect_numbers (item, lists)
           || sonde_event_fail (error, "List “%s” is not a valid message", name);
  if (item->number < ATTR_STRING || item->number > LIST_FUNCTION)
    return TRUE;
  if (item->type != SONDE_WIRE_BYTES
      || !sonde_budget_take (budget, SONDE_GRAPH_DEF_ATTRIBUTE_BYTES, name, error))
    return error != NULL && *error != NULL
               ? FALSE
               : sonde_event_fail (error, "List “%s” is not a valid message", name);
  if (item->number == ATTR_TENSOR)
    {
      tensor = tensor_of_item (bytes, name, budget, error);
      if (tensor != NULL)
        g_ptr_array_add (lists->tensors, tensor);
      return tensor != NULL;
    }
  if (item->number == ATTR_SHAPE)
    {
      char *text = text_of_shape (bytes);

      g_ptr_array_add (lists->strings, text != NULL ? text : g_strdup ("damaged"));
    }
  else
    g_ptr_array_add (lists->strings, item->number == LIST_FUNCTION
                                         ? text_of_function (bytes)
                                         : sonde_record_dup_text (bytes.at, bytes.length));
  return TRUE;
}

static SondeAttribute *
attribute_of_lists (const char *name, Lists *lists)
{
  SondeAttribute *attribute;

  if (lists->strings->len > 0)
    {
      attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_STRINGS);
      attribute->u.strings = (char **) g_ptr_array_steal (lists->strings, &attribute->n);
    }
  else if (lists->tensors->len > 0)
    {
      attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_TENSORS);
      attribute->u.tensors = (SondeTensor **) g_ptr_array_steal (lists->tensors, &attribute->n);
    }
  else if (lists->floats->len > 0)
    {
      attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_FLOATS);
      attribute->u.floats = (double *) g_array_steal (lists->floats, &attribute->n);
    }
  else
    {
      attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_INTS);
      attribute->u.ints = (gint64 *) g_array_steal (lists->ints, &attribute->n);
    }
  return attribute;
}

static SondeAttribute *
view_list (SondeBytes list, const char *name, SondeBudget *budget, GError **error)
{
  g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64)),
                     floats = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func (g_free),
                        tensors
                        = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  SondeWireCursor cursor = sonde_wire_cursor (list.at, list.length);
  Lists lists = { ints, floats, strings, tensors };
  g_autoptr (GError) failure = NULL;
  SondeWireItem item;
  SondeWireStep step;

  /* numbers take up to eight times their bytes, names of types more */
  if (!sonde_budget_take (budget, 16 * (guint64) list.length, name, error))
    return NULL;
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (!collect_item (&item, name, budget, &lists, &failure))
      {
        g_propagate_error (error, g_steal_pointer (&failure));
        return NULL;
      }
  if (step == SONDE_WIRE_END)
    return attribute_of_lists (name, &lists);
  sonde_event_fail (error, "List “%s” is not a valid message", name);
  return NULL;
}

/* ---- one ----------------------------------------------------------------- */

static SondeAttribute *
take_text (const char *name, char *text)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_STRING);

  attribute->u.string = text != NULL ? text : g_strdup ("damaged");
  return attribute;
}

static SondeAttribute *
view_number (const char *name, const SondeWireItem *item)
{
  SondeAttribute *attribute;

  if (item->number == ATTR_FLOAT && item->type == SONDE_WIRE_FIXED32)
    {
      attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_FLOAT);
      attribute->u.f = (double) sonde_wire_item_float (item);
      return attribute;
    }
  if (item->number == ATTR_TYPE)
    return take_text (name, text_of_type (item->value));
  attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_INT);
  attribute->u.i = item->number == ATTR_BOOL ? item->value != 0 : (gint64) item->value;
  return attribute;
}

SondeAttribute *
sonde_graph_def_view_attribute (SondeBytes value, const char *name, SondeBudget *budget,
                                GError **error)
{
  SondeAttribute *attribute;
  SondeTensor *tensor;
  SondeWireItem item;
  SondeBytes bytes;

  if (!sonde_budget_take (budget, SONDE_GRAPH_DEF_ATTRIBUTE_BYTES + value.length, name, error)
      || !last_member (value, &item, error))
    return NULL;
  if (item.type != SONDE_WIRE_BYTES)
    return item.number == 0 ? take_text (name, g_strdup ("")) : view_number (name, &item);
  bytes = bytes_of_item (&item);
  switch (item.number)
    {
    case ATTR_LIST:
      return view_list (bytes, name, budget, error);
    case ATTR_SHAPE:
      return take_text (name, text_of_shape (bytes));
    case ATTR_FUNCTION:
      return take_text (name, text_of_function (bytes));
    case ATTR_TENSOR:
      tensor = tensor_of_item (bytes, name, budget, error);
      if (tensor == NULL)
        return NULL;
      attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_TENSOR);
      attribute->u.tensor = tensor;
      return attribute;
    default:
      return take_text (name, sonde_record_dup_text (bytes.at, bytes.length));
    }
}

SondeDtype
sonde_graph_def_view_type (SondeBytes value)
{
  SondeWireItem item;

  if (!last_member (value, &item, NULL) || item.number != ATTR_TYPE
      || item.type != SONDE_WIRE_VARINT)
    return SONDE_DTYPE_INVALID;
  return sonde_tensor_proto_get_dtype ((guint32) MIN (item.value, G_MAXUINT32), NULL);
}

gboolean
sonde_graph_def_foreach_shape (SondeBytes value, SondeGraphDefShape shape, gpointer data,
                               GError **error)
{
  SondeWireItem item;
  SondeWireCursor cursor;
  SondeWireStep step;
  gint64 dims[SONDE_MAX_RANK];
  const guint8 *at;
  guint index = 0;
  int rank;

  if (!last_member (value, &item, error))
    return FALSE;
  if (item.number == ATTR_SHAPE && item.type == SONDE_WIRE_BYTES)
    return sonde_tensor_proto_view_shape (item.bytes, item.length, &rank, dims, &at)
               ? shape (data, 0, rank, dims, error)
               : sonde_event_fail (error, "Shape of a node's output is not a valid message");
  if (item.number != ATTR_LIST || item.type != SONDE_WIRE_BYTES)
    return TRUE;
  cursor = sonde_wire_item_cursor (&item);
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number == ATTR_SHAPE && item.type == SONDE_WIRE_BYTES)
      {
        if (!sonde_tensor_proto_view_shape (item.bytes, item.length, &rank, dims, &at))
          return sonde_event_fail (error, "Shape of a node's output is not a valid message");
        if (!shape (data, index++, rank, dims, error))
          return FALSE;
      }
  return step == SONDE_WIRE_END
         || sonde_event_fail (error, "Shapes of a node's outputs are not a valid message");
}
