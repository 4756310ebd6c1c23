/* SPDX-License-Identifier: Apache-2.0
 * ValueProto and TypeProto of anf_ir graphs. A list of one kind of numbers or texts becomes that
 * list; what is deeper (tuples of tuples, dictionaries, types) becomes text of bounded length. */
#include "data/records/mindspore/sonde-mindspore-graph-private.h"
#include "data/records/mindspore/sonde-mindspore-tensor-private.h"

#include <inttypes.h>

#include "data/records/sonde-record-text.h"
#include "data/wire/sonde-wire-decode.h"

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

/* Which single value is there. */
typedef enum
{
  SINGLE_NONE,
  SINGLE_INT,
  SINGLE_REAL,
  SINGLE_TEXT,
  SINGLE_TENSOR,
} Single;

static Single
single_of (const Mindspore__ValueProto *value)
{
  if (value->has_tensor_val)
    return SINGLE_TENSOR;
  if (value->has_str_val)
    return SINGLE_TEXT;
  if (value->has_double_val || value->has_float_val)
    return SINGLE_REAL;
  return value->has_uint_val || value->has_int_val || value->has_bool_val ? SINGLE_INT
                                                                          : SINGLE_NONE;
}

static gint64
int_of (const Mindspore__ValueProto *value)
{
  if (value->has_uint_val)
    return value->uint_val;
  return value->has_int_val ? value->int_val : value->bool_val != 0;
}

static double
real_of (const Mindspore__ValueProto *value)
{
  return value->has_double_val ? value->double_val : (double) value->float_val;
}

/* ---- as text ------------------------------------------------------------- */

/* "float32", "Tuple"; NULL for an unknown number. */
static const char *
name_of_type (gint64 data_type)
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
append_single (GString *text, const Mindspore__ValueProto *value)
{
  g_autofree char *string = NULL;

  switch (single_of (value))
    {
    case SINGLE_INT:
      if (value->has_uint_val)
        g_string_append_printf (text, "%" PRIu64, (guint64) value->uint_val);
      else if (value->has_int_val)
        g_string_append_printf (text, "%" PRIi64, value->int_val);
      else
        g_string_append (text, value->bool_val ? "true" : "false");
      return TRUE;
    case SINGLE_REAL:
      append_number (text, real_of (value));
      return TRUE;
    case SINGLE_TEXT:
      string = sonde_record_dup_bytes (value->str_val);
      g_string_append_printf (text, "\"%.*s\"", MAX_TEXT_BYTES, string);
      return TRUE;
    default:
      return FALSE;
    }
}

static void append_value (GString *text, const Mindspore__ValueProto *value);

static void
append_list (GString *text, const Mindspore__ValueProto *list)
{
  g_string_append_c (text, '(');
  for (gsize i = 0; i < list->n_values && text->len <= MAX_TEXT_BYTES; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      append_value (text, list->values[i]);
    }
  g_string_append_c (text, ')');
}

static void
append_dictionary (GString *text, const Mindspore__ValueProto *dictionary)
{
  static const Mindspore__ValueProto nothing = MINDSPORE__VALUE_PROTO__INIT;

  g_string_append_c (text, '{');
  for (gsize i = 0; i < dictionary->n_dict_val && text->len <= MAX_TEXT_BYTES; i++)
    {
      const Mindspore__ValueProto__Entry *entry = dictionary->dict_val[i];
      g_autofree char *key = sonde_record_dup_bytes (entry->key);

      g_string_append_printf (text, "%s%.*s: ", i > 0 ? ", " : "", MAX_TEXT_BYTES, key);
      append_value (text, entry->value != NULL ? entry->value : &nothing);
    }
  g_string_append_c (text, '}');
}

/* The decoder bounds how deep it goes. */
static void
append_value (GString *text, const Mindspore__ValueProto *value)
{
  const char *name = name_of_type (value->dtype);

  if (append_single (text, value))
    return;
  if (value->n_dict_val > 0)
    append_dictionary (text, value);
  else if (value->n_values > 0 || value->dtype == 31 || value->dtype == 32)
    append_list (text, value);
  else if (value->type_val != NULL)
    {
      const SondeType type = sonde_mindspore_type (value->type_val);
      g_autofree char *type_text = sonde_type_to_string (&type);

      g_string_append (text, type_text);
    }
  else if (name != NULL)
    g_string_append (text, name);
  else
    g_string_append_printf (text, "type %" PRIi64, value->dtype);
}

/* ---- as attribute -------------------------------------------------------- */

static SondeAttribute *
new_ints (const char *name, const gint64 *ints, gsize n)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_INTS);

  attribute->n = n;
  attribute->u.ints = g_memdup2 (ints, n * sizeof *ints);
  return attribute;
}

static SondeAttribute *
new_floats (const char *name, const float *floats, gsize n)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_FLOATS);

  attribute->n = n;
  attribute->u.floats = g_new (double, n);
  for (gsize i = 0; i < n; i++)
    attribute->u.floats[i] = floats[i];
  return attribute;
}

/* What all entries of a tuple are: integers, numbers (then also SINGLE_REAL) or texts; else NONE. */
static Single
kind_of_all (const Mindspore__ValueProto *tuple)
{
  Single kind = SINGLE_NONE;

  for (gsize i = 0; i < tuple->n_values; i++)
    {
      Single this = single_of (tuple->values[i]);

      if (this == SINGLE_NONE || this == SINGLE_TENSOR
          || (i > 0 && (this == SINGLE_TEXT) != (kind == SINGLE_TEXT)))
        return SINGLE_NONE;
      kind = MAX (kind, this);
    }
  return kind;
}

/* A tuple whose entries are all integers, all numbers or all texts; else NULL. */
static SondeAttribute *
new_uniform (const char *name, const Mindspore__ValueProto *tuple)
{
  const Single kind = kind_of_all (tuple);
  const gsize n = tuple->n_values;
  SondeAttribute *attribute;

  if (kind == SINGLE_NONE)
    return NULL;
  attribute = sonde_attribute_new (name, kind == SINGLE_INT    ? SONDE_ATTRIBUTE_INTS
                                         : kind == SINGLE_REAL ? SONDE_ATTRIBUTE_FLOATS
                                                               : SONDE_ATTRIBUTE_STRINGS);
  attribute->n = n;
  if (kind == SINGLE_INT)
    attribute->u.ints = g_new (gint64, n);
  else if (kind == SINGLE_REAL)
    attribute->u.floats = g_new (double, n);
  else
    attribute->u.strings = g_new (char *, n);
  for (gsize i = 0; i < n; i++)
    {
      const Mindspore__ValueProto *value = tuple->values[i];

      if (kind == SINGLE_INT)
        attribute->u.ints[i] = int_of (value);
      else if (kind == SINGLE_TEXT)
        attribute->u.strings[i] = sonde_record_dup_bytes (value->str_val);
      else
        attribute->u.floats[i]
            = single_of (value) == SINGLE_REAL ? real_of (value) : (double) int_of (value);
    }
  return attribute;
}

static SondeAttribute *
new_single (const char *name, const Mindspore__ValueProto *value)
{
  const Single kind = single_of (value);
  SondeAttribute *attribute;

  if (kind == SINGLE_NONE || kind == SINGLE_TENSOR)
    return NULL;
  attribute = sonde_attribute_new (name, kind == SINGLE_TEXT  ? SONDE_ATTRIBUTE_STRING
                                         : kind == SINGLE_INT ? SONDE_ATTRIBUTE_INT
                                                              : SONDE_ATTRIBUTE_FLOAT);
  attribute->n = 1;
  if (kind == SINGLE_TEXT)
    attribute->u.string = sonde_record_dup_bytes (value->str_val);
  else if (kind == SINGLE_INT)
    attribute->u.i = int_of (value);
  else
    attribute->u.f = real_of (value);
  return attribute;
}

/* NULL: it is none that is understood. */
static SondeAttribute *
new_tensor (const char *name, const Mindspore__ValueProto *value)
{
  SondeTensor *tensor
      = value->has_tensor_val
            ? sonde_mindspore_tensor (value->tensor_val, SONDE_MINDSPORE_TENSOR_GUESS, NULL)
            : NULL;
  SondeAttribute *attribute;

  if (tensor == NULL)
    return NULL;
  attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_TENSOR);
  attribute->n = 1;
  attribute->u.tensor = tensor;
  return attribute;
}

static SondeAttribute *
new_text (const char *name, const Mindspore__ValueProto *value)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_STRING);
  GString *text = g_string_new (NULL);

  append_value (text, value);
  attribute->n = 1;
  attribute->u.string = g_string_free (text, FALSE);
  return attribute;
}

SondeAttribute *
sonde_mindspore_attribute (const char *name, ProtobufCBinaryData message, GError **error)
{
  g_auto (SondeWireArena) arena = { 0 };
  const Mindspore__ValueProto *value
      = sonde_wire_decode_field (&mindspore__value_proto__descriptor, message, &arena, error);
  SondeAttribute *attribute;

  if (value == NULL)
    return NULL;
  attribute = new_single (name, value);
  if (attribute == NULL && value->n_values > 0 && value->n_dict_val == 0)
    attribute = new_uniform (name, value);
  if (attribute == NULL && value->n_int_vals > 0)
    attribute = new_ints (name, value->int_vals, value->n_int_vals);
  if (attribute == NULL && value->n_float_vals > 0)
    attribute = new_floats (name, value->float_vals, value->n_float_vals);
  if (attribute == NULL)
    attribute = new_tensor (name, value);
  return attribute != NULL ? attribute : new_text (name, value);
}

/* ---- types --------------------------------------------------------------- */

static void
take_shape (const Mindspore__TypeProto__Shape *shape, SondeType *type)
{
  const gsize n = shape != NULL ? shape->n_dim : 0;

  type->rank = n <= SONDE_MAX_RANK ? (int) n : -1;
  for (int i = 0; i < type->rank; i++)
    type->dims[i].size = MAX (shape->dim[i]->size, -1);
}

SondeType
sonde_mindspore_type (const Mindspore__TypeProto *message)
{
  const Mindspore__TypeProto__Tensor *tensor = message != NULL ? message->tensor_type : NULL;
  SondeType type = sonde_type_unknown ();

  if (message == NULL)
    return type;
  if (message->has_sequence_type)
    {
      type.kind = SONDE_VALUE_SEQUENCE;
      return type;
    }
  type.dtype = sonde_mindspore_dtype (tensor != NULL ? tensor->elem_type : message->data_type);
  if (tensor == NULL && type.dtype == SONDE_DTYPE_INVALID)
    return type;
  type.kind = SONDE_VALUE_TENSOR;
  take_shape (tensor != NULL ? tensor->shape : NULL, &type);
  return type;
}
