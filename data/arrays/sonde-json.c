/* SPDX-License-Identifier: Apache-2.0
 * Values as JSON. */
#include "data/arrays/sonde-json.h"

#include <math.h>

void
sonde_json_add_double (JsonBuilder *builder, double value)
{
  if (isnan (value))
    json_builder_add_string_value (builder, "nan");
  else if (isinf (value))
    json_builder_add_string_value (builder, value > 0 ? "inf" : "-inf");
  else
    json_builder_add_double_value (builder, value);
}

void
sonde_json_add_string (JsonBuilder *builder, const char *value)
{
  g_autofree char *valid = value != NULL ? g_utf8_make_valid (value, -1) : NULL;

  if (valid != NULL)
    json_builder_add_string_value (builder, valid);
  else
    json_builder_add_null_value (builder);
}

void
sonde_json_add_shape (JsonBuilder *builder, const SondeShape *shape)
{
  json_builder_begin_array (builder);
  for (int i = 0; i < shape->rank; i++)
    json_builder_add_int_value (builder, shape->dims[i]);
  json_builder_end_array (builder);
}

/* ---- tensors ------------------------------------------------------------- */

/* The shortest decimal number that reads back as the element, which is not always the number that
 * the element's bits are as a double. */
static void
add_fraction (JsonBuilder *builder, const SondeTensor *tensor, gint64 index)
{
  g_autofree char *text = sonde_tensor_format_element (tensor, index);

  if (isfinite (sonde_tensor_get_double (tensor, index)))
    json_builder_add_double_value (builder, g_ascii_strtod (text, NULL));
  else
    json_builder_add_string_value (builder, text);
}

static void
add_element (JsonBuilder *builder, const SondeTensor *tensor, gint64 index)
{
  if (tensor->dtype == SONDE_DTYPE_STRING)
    {
      g_autofree char *text = sonde_tensor_format_element (tensor, index);

      sonde_json_add_string (builder, text);
    }
  else if (sonde_dtype_has_fractions (tensor->dtype))
    add_fraction (builder, tensor, index);
  else if (tensor->dtype == SONDE_DTYPE_BOOL)
    json_builder_add_boolean_value (builder, sonde_tensor_get_int (tensor, index) != 0);
  else if (tensor->dtype == SONDE_DTYPE_U64 && sonde_tensor_get_int (tensor, index) < 0)
    json_builder_add_double_value (builder,
                                   (double) (guint64) sonde_tensor_get_int (tensor, index));
  else
    json_builder_add_int_value (builder, sonde_tensor_get_int (tensor, index));
}

/* Recursion no deeper than SONDE_MAX_RANK. Returns the index after the last one added. */
static gint64
add_nested (JsonBuilder *builder, const SondeTensor *tensor, int dimension, gint64 index)
{
  if (dimension == tensor->shape.rank)
    {
      add_element (builder, tensor, index);
      return index + 1;
    }
  json_builder_begin_array (builder);
  for (gint64 i = 0; i < tensor->shape.dims[dimension]; i++)
    index = add_nested (builder, tensor, dimension + 1, index);
  json_builder_end_array (builder);
  return index;
}

void
sonde_json_add_tensor (JsonBuilder *builder, const SondeTensor *tensor)
{
  add_nested (builder, tensor, 0, 0);
}

/* ---- members ------------------------------------------------------------- */

void
sonde_json_set_double (JsonBuilder *builder, const char *name, double value)
{
  json_builder_set_member_name (builder, name);
  sonde_json_add_double (builder, value);
}

void
sonde_json_set_string (JsonBuilder *builder, const char *name, const char *value)
{
  json_builder_set_member_name (builder, name);
  sonde_json_add_string (builder, value);
}

void
sonde_json_set_int (JsonBuilder *builder, const char *name, gint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

void
sonde_json_set_boolean (JsonBuilder *builder, const char *name, gboolean value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_boolean_value (builder, value);
}

void
sonde_json_set_shape (JsonBuilder *builder, const char *name, const SondeShape *shape)
{
  json_builder_set_member_name (builder, name);
  sonde_json_add_shape (builder, shape);
}

void
sonde_json_set_tensor (JsonBuilder *builder, const char *name, const SondeTensor *tensor)
{
  json_builder_set_member_name (builder, name);
  sonde_json_add_tensor (builder, tensor);
}

void
sonde_json_begin_array (JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
}

void
sonde_json_begin_object (JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
}

char *
sonde_json_to_line (JsonBuilder *builder)
{
  g_autoptr (JsonNode) root = json_builder_get_root (builder);

  return json_to_string (root, FALSE);
}
