/* SPDX-License-Identifier: Apache-2.0
 * ValueProto and TypeProto of anf_ir graphs. A list of one kind of numbers or texts becomes that
 * list; what is deeper (tuples of tuples, dictionaries, types) becomes text of bounded length. */
#include "data/records/mindspore/sonde-mindspore-graph-private.h"

#include <inttypes.h>

#include "data/base/sonde-budget.h"

#define MAX_TEXT_BYTES 1024 /* longer values are nothing to look at */

/* Names of DataType that are no element types of tensors. */
static const struct
{
  gint64 data_type;
  const char *name;
} type_names[] = {
  { 14, "Tensor" },   { 15, "Graph" },  { 31, "Tuple" },   { 32, "List" },
  { 33, "Dict" },     { 34, "None" },   { 35, "SymInst" }, { 39, "Type" },
  { 40, "Anything" }, { 41, "RefKey" }, { 42, "Ref" },
};

typedef struct
{
  gint64 data_type, bool_val, int_val, uint_val;
  double float_val, double_val;
  SondeWireItem str_val, tensor_val, type_val;
  GArray *bools, *ints, *uints, *floats, *values, *strings, *entries;
  gint64 has; /* number of the field of a single value, 0 without one */
} Value;

enum
{
  NUMBER_OF_FLOAT = 5,
  NUMBER_OF_DOUBLE = 6,
};

static const SondeMindsporeField value_fields[] = {
  { 1, SONDE_MINDSPORE_INT, offsetof (Value, data_type), "ValueProto.dtype" },
  { 2, SONDE_MINDSPORE_INT, offsetof (Value, bool_val), "ValueProto.bool_val" },
  { 3, SONDE_MINDSPORE_INT, offsetof (Value, int_val), "ValueProto.int_val" },
  { 4, SONDE_MINDSPORE_INT, offsetof (Value, uint_val), "ValueProto.uint_val" },
  { NUMBER_OF_FLOAT, SONDE_MINDSPORE_FLOAT, offsetof (Value, float_val), "ValueProto.float_val" },
  { NUMBER_OF_DOUBLE, SONDE_MINDSPORE_DOUBLE, offsetof (Value, double_val),
    "ValueProto.double_val" },
  { 7, SONDE_MINDSPORE_BYTES, offsetof (Value, str_val), "ValueProto.str_val" },
  { 8, SONDE_MINDSPORE_BYTES, offsetof (Value, tensor_val), "ValueProto.tensor_val" },
  { 10, SONDE_MINDSPORE_INTS, offsetof (Value, bools), "ValueProto.bool_vals" },
  { 11, SONDE_MINDSPORE_INTS, offsetof (Value, ints), "ValueProto.int_vals" },
  { 12, SONDE_MINDSPORE_INTS, offsetof (Value, uints), "ValueProto.uint_vals" },
  { 13, SONDE_MINDSPORE_FLOATS, offsetof (Value, floats), "ValueProto.float_vals" },
  { 15, SONDE_MINDSPORE_ITEMS, offsetof (Value, strings), "ValueProto.str_vals" },
  { 18, SONDE_MINDSPORE_ITEMS, offsetof (Value, values), "ValueProto.values" },
  { 19, SONDE_MINDSPORE_ITEMS, offsetof (Value, entries), "ValueProto.dict_val" },
  { 20, SONDE_MINDSPORE_BYTES, offsetof (Value, type_val), "ValueProto.type_val" },
};

typedef struct
{
  SondeWireItem key, value;
} Entry;

static const SondeMindsporeField entry_fields[] = {
  { 1, SONDE_MINDSPORE_BYTES, offsetof (Entry, key), "NamedValueProto.key" },
  { 2, SONDE_MINDSPORE_BYTES, offsetof (Entry, value), "NamedValueProto.value" },
};

static void
value_clear (Value *value)
{
  GArray **arrays[] = { &value->bools,  &value->ints,    &value->uints,  &value->floats,
                        &value->values, &value->strings, &value->entries };

  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_clear_pointer (arrays[i], g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Value, value_clear)

/* Which single value was there: its field's number, 0 for none. */
static guint32
single_field (const SondeWireItem *message)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (message);
  SondeWireItem item;
  guint32 number = 0;

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (item.number >= 2 && item.number <= 8)
      number = item.number;
  return number;
}

static gboolean
take_value (const SondeWireItem *message, Value *value, GError **error)
{
  value->has = single_field (message);
  return sonde_mindspore_take (message, value_fields, G_N_ELEMENTS (value_fields), value, error);
}

/* ---- as text ------------------------------------------------------------- */

const char *
sonde_mindspore_type_name (gint64 data_type)
{
  SondeDtype dtype = sonde_mindspore_dtype (data_type);

  if (dtype != SONDE_DTYPE_INVALID)
    return sonde_dtype_name (dtype);
  for (gsize i = 0; i < G_N_ELEMENTS (type_names); i++)
    if (type_names[i].data_type == data_type)
      return type_names[i].name;
  return NULL;
}

static void
append_number (GString *text, double number)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, g_ascii_formatd (digits, sizeof digits, "%.9g", number));
}

static gboolean
append_single (GString *text, const Value *value)
{
  switch (value->has)
    {
    case 2:
      g_string_append (text, value->bool_val ? "true" : "false");
      return TRUE;
    case 3:
      g_string_append_printf (text, "%" PRIi64, value->int_val);
      return TRUE;
    case 4:
      g_string_append_printf (text, "%" PRIu64, (guint64) value->uint_val);
      return TRUE;
    case NUMBER_OF_FLOAT:
    case NUMBER_OF_DOUBLE:
      append_number (text, value->has == NUMBER_OF_FLOAT ? value->float_val : value->double_val);
      return TRUE;
    case 7:
      {
        g_autofree char *string = sonde_mindspore_dup_text (&value->str_val);

        g_string_append_printf (text, "\"%.*s\"", MAX_TEXT_BYTES, string);
        return TRUE;
      }
    default:
      return FALSE;
    }
}

static gboolean append_value (GString *text, const SondeWireItem *message, guint depth,
                              GError **error);

static gboolean
append_list (GString *text, GArray *items, guint depth, GError **error)
{
  g_string_append_c (text, '(');
  for (guint i = 0; items != NULL && i < items->len && text->len <= MAX_TEXT_BYTES; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      if (!append_value (text, &g_array_index (items, SondeWireItem, i), depth + 1, error))
        return FALSE;
    }
  g_string_append_c (text, ')');
  return TRUE;
}

static gboolean
append_dictionary (GString *text, GArray *entries, guint depth, GError **error)
{
  g_string_append_c (text, '{');
  for (guint i = 0; i < entries->len && text->len <= MAX_TEXT_BYTES; i++)
    {
      g_autofree char *key = NULL;
      Entry entry = { { 0 } };

      if (!sonde_mindspore_take (&g_array_index (entries, SondeWireItem, i), entry_fields,
                                 G_N_ELEMENTS (entry_fields), &entry, error))
        return FALSE;
      key = sonde_mindspore_dup_text (&entry.key);
      g_string_append_printf (text, "%s%.*s: ", i > 0 ? ", " : "", MAX_TEXT_BYTES, key);
      if (!append_value (text, &entry.value, depth + 1, error))
        return FALSE;
    }
  g_string_append_c (text, '}');
  return TRUE;
}

/* Nesting is bounded by @depth. */
static gboolean
append_value (GString *text, const SondeWireItem *message, guint depth, GError **error)
{
  g_auto (Value) value = { 0 };
  const char *name;

  if (depth > SONDE_BUDGET_NESTING)
    return sonde_mindspore_damaged (error, "values are nested more than %d deep",
                                    SONDE_BUDGET_NESTING);
  if (!take_value (message, &value, error))
    return FALSE;
  if (append_single (text, &value))
    return TRUE;
  if (value.entries != NULL)
    return append_dictionary (text, value.entries, depth, error);
  if (value.values != NULL || value.data_type == 31 || value.data_type == 32)
    return append_list (text, value.values, depth, error);
  name = sonde_mindspore_type_name (value.data_type);
  if (value.type_val.number != 0)
    {
      SondeType type;
      g_autofree char *type_text = NULL;

      if (!sonde_mindspore_type (&value.type_val, &type, error))
        return FALSE;
      type_text = sonde_type_to_string (&type);
      g_string_append (text, type_text);
    }
  else if (name != NULL)
    g_string_append (text, name);
  else
    g_string_append_printf (text, "type %" PRIi64, value.data_type);
  return TRUE;
}

/* ---- as attribute -------------------------------------------------------- */

static SondeAttribute *
new_list (const char *name, SondeAttributeKind kind, GArray *array)
{
  SondeAttribute *attribute = sonde_attribute_new (name, kind);

  attribute->n = array->len;
  if (kind == SONDE_ATTRIBUTE_INTS)
    attribute->u.ints = g_memdup2 (array->data, array->len * sizeof (gint64));
  else
    attribute->u.floats = g_memdup2 (array->data, array->len * sizeof (double));
  return attribute;
}

/* A tuple whose entries are all integers, all numbers or all texts; else NULL. */
static SondeAttribute *
new_uniform (const char *name, GArray *items)
{
  g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) floats = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  SondeAttribute *attribute;

  for (guint i = 0; i < items->len; i++)
    {
      g_auto (Value) value = { 0 };
      gint64 number;
      double real;

      if (!take_value (&g_array_index (items, SondeWireItem, i), &value, NULL) || value.has == 0)
        return NULL;
      number = value.has == 2   ? value.bool_val != 0
               : value.has == 3 ? value.int_val
                                : value.uint_val;
      real = value.has == NUMBER_OF_FLOAT    ? value.float_val
             : value.has == NUMBER_OF_DOUBLE ? value.double_val
                                             : (double) number;
      if (value.has <= 4)
        g_array_append_val (ints, number);
      if (value.has <= NUMBER_OF_DOUBLE)
        g_array_append_val (floats, real);
      if (value.has == 7)
        g_ptr_array_add (texts, sonde_mindspore_dup_text (&value.str_val));
    }
  if (ints->len == items->len)
    return new_list (name, SONDE_ATTRIBUTE_INTS, ints);
  if (floats->len == items->len)
    return new_list (name, SONDE_ATTRIBUTE_FLOATS, floats);
  if (texts->len != items->len)
    return NULL;
  attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_STRINGS);
  attribute->n = texts->len;
  g_ptr_array_set_free_func (texts, NULL);
  attribute->u.strings = (char **) g_memdup2 (texts->pdata, texts->len * sizeof (char *));
  return attribute;
}

static SondeAttribute *
new_single (const char *name, const Value *value)
{
  SondeAttribute *attribute;

  if (value->has == 0 || value->has > 7)
    return NULL;
  attribute = sonde_attribute_new (name, value->has == 7   ? SONDE_ATTRIBUTE_STRING
                                         : value->has <= 4 ? SONDE_ATTRIBUTE_INT
                                                           : SONDE_ATTRIBUTE_FLOAT);
  attribute->n = 1;
  if (value->has == 7)
    attribute->u.string = sonde_mindspore_dup_text (&value->str_val);
  else if (value->has <= 4)
    attribute->u.i = value->has == 2   ? value->bool_val != 0
                     : value->has == 3 ? value->int_val
                                       : value->uint_val;
  else
    attribute->u.f = value->has == NUMBER_OF_FLOAT ? value->float_val : value->double_val;
  return attribute;
}

SondeAttribute *
sonde_mindspore_attribute (const char *name, const SondeWireItem *message, GError **error)
{
  g_autoptr (GString) text = NULL;
  g_auto (Value) value = { 0 };
  SondeAttribute *attribute;

  if (!take_value (message, &value, error))
    return NULL;
  attribute = new_single (name, &value);
  if (attribute == NULL && value.values != NULL && value.entries == NULL)
    attribute = new_uniform (name, value.values);
  if (attribute == NULL && value.ints != NULL)
    attribute = new_list (name, SONDE_ATTRIBUTE_INTS, value.ints);
  if (attribute == NULL && value.floats != NULL)
    attribute = new_list (name, SONDE_ATTRIBUTE_FLOATS, value.floats);
  if (attribute == NULL && value.tensor_val.number != 0)
    {
      SondeTensor *tensor
          = sonde_mindspore_tensor (&value.tensor_val, SONDE_MINDSPORE_TENSOR_GUESS, NULL);

      if (tensor != NULL)
        {
          attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_TENSOR);
          attribute->n = 1;
          attribute->u.tensor = tensor;
        }
    }
  if (attribute != NULL)
    return attribute;
  text = g_string_new (NULL);
  if (!append_value (text, message, 0, error))
    return NULL;
  attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_STRING);
  attribute->n = 1;
  attribute->u.string = g_string_free (g_steal_pointer (&text), FALSE);
  return attribute;
}

/* ---- types --------------------------------------------------------------- */

typedef struct
{
  gint64 data_type;
  SondeWireItem tensor, sequence;
} Type;

static const SondeMindsporeField type_fields[] = {
  { 1, SONDE_MINDSPORE_INT, offsetof (Type, data_type), "TypeProto.data_type" },
  { 2, SONDE_MINDSPORE_BYTES, offsetof (Type, tensor), "TypeProto.tensor_type" },
  { 3, SONDE_MINDSPORE_BYTES, offsetof (Type, sequence), "TypeProto.sequence_type" },
};

typedef struct
{
  gint64 data_type;
  SondeWireItem shape;
} TensorType;

static const SondeMindsporeField tensor_type_fields[] = {
  { 1, SONDE_MINDSPORE_INT, offsetof (TensorType, data_type), "TypeProto.Tensor.elem_type" },
  { 2, SONDE_MINDSPORE_BYTES, offsetof (TensorType, shape), "TypeProto.Tensor.shape" },
};

typedef struct
{
  GArray *dimensions;
} Shape;

static const SondeMindsporeField shape_fields[] = {
  { 1, SONDE_MINDSPORE_ITEMS, offsetof (Shape, dimensions), "TensorShapeProto.dim" },
};

typedef struct
{
  gint64 size;
} Dimension;

static const SondeMindsporeField dimension_fields[] = {
  { 1, SONDE_MINDSPORE_INT, offsetof (Dimension, size), "Dimension.size" },
};

static gboolean
take_shape (const SondeWireItem *message, SondeType *type, GError **error)
{
  Shape shape = { NULL };
  gboolean right
      = sonde_mindspore_take (message, shape_fields, G_N_ELEMENTS (shape_fields), &shape, error);
  g_autoptr (GArray) dimensions = shape.dimensions;
  guint n = dimensions != NULL ? dimensions->len : 0;

  type->rank = n <= SONDE_MAX_RANK ? (int) n : -1;
  for (int i = 0; right && i < type->rank; i++)
    {
      Dimension dimension = { -1 };

      right = sonde_mindspore_take (&g_array_index (dimensions, SondeWireItem, i), dimension_fields,
                                    G_N_ELEMENTS (dimension_fields), &dimension, error);
      type->dims[i].size = MAX (dimension.size, -1);
    }
  return right;
}

gboolean
sonde_mindspore_type (const SondeWireItem *message, SondeType *type, GError **error)
{
  TensorType tensor = { 0 };
  Type proto = { 0 };

  *type = sonde_type_unknown ();
  if (!sonde_mindspore_take (message, type_fields, G_N_ELEMENTS (type_fields), &proto, error)
      || !sonde_mindspore_take (&proto.tensor, tensor_type_fields,
                                G_N_ELEMENTS (tensor_type_fields), &tensor, error))
    return FALSE;
  if (proto.sequence.number != 0)
    {
      type->kind = SONDE_VALUE_SEQUENCE;
      return TRUE;
    }
  type->dtype
      = sonde_mindspore_dtype (proto.tensor.number != 0 ? tensor.data_type : proto.data_type);
  if (proto.tensor.number == 0 && type->dtype == SONDE_DTYPE_INVALID)
    return TRUE;
  type->kind = SONDE_VALUE_TENSOR;
  type->rank = 0;
  return take_shape (&tensor.shape, type, error);
}
