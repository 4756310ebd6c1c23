/* SPDX-License-Identifier: Apache-2.0
 * JSON as text. */
#include "data/arrays/sonde-json-text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "data/values/sonde-decimal.h"

/* ---- values -------------------------------------------------------------- */

void
sonde_json_append_number (GString *text, SondeDtype dtype, double value)
{
  char digits[SONDE_DECIMAL_BUFFER];
  gsize length = sonde_decimal_format (dtype, value, digits);

  if (!isfinite (value))
    g_string_append_printf (text, "\"%s\"", digits);
  else
    g_string_append_len (text, digits, (gssize) length);
  /* a reader that tells integers from other numbers sees which it is */
  if (isfinite (value) && strpbrk (digits, ".e") == NULL)
    g_string_append (text, ".0");
}

void
sonde_json_append_string (GString *text, const char *value)
{
  g_autofree char *valid = g_utf8_make_valid (value, -1);

  g_string_append_c (text, '"');
  for (const char *at = valid; *at != '\0'; at++)
    {
      static const char plain[] = "\"\\\b\f\n\r\t", escaped[] = "\"\\bfnrt";
      const char *found = strchr (plain, *at);

      if (found != NULL)
        g_string_append_printf (text, "\\%c", escaped[found - plain]);
      else if ((guchar) *at < 0x20 || *at == 0x7f)
        g_string_append_printf (text, "\\u%04x", *at);
      else
        g_string_append_c (text, *at);
    }
  g_string_append_c (text, '"');
}

/* ---- tensors ------------------------------------------------------------- */

static void
append_element (GString *text, const SondeTensor *tensor, gint64 index)
{
  if (tensor->dtype == SONDE_DTYPE_STRING)
    {
      g_autofree char *element = sonde_tensor_format_element (tensor, index);

      sonde_json_append_string (text, element);
    }
  else if (sonde_dtype_has_fractions (tensor->dtype))
    sonde_json_append_number (text, tensor->dtype, sonde_tensor_get_double (tensor, index));
  else if (tensor->dtype == SONDE_DTYPE_BOOL)
    g_string_append (text, sonde_tensor_get_int (tensor, index) != 0 ? "true" : "false");
  else if (tensor->dtype == SONDE_DTYPE_U64 && sonde_tensor_get_int (tensor, index) < 0)
    sonde_json_append_number (text, SONDE_DTYPE_F64,
                              (double) (guint64) sonde_tensor_get_int (tensor, index));
  else
    g_string_append_printf (text, "%" PRIi64, sonde_tensor_get_int (tensor, index));
}

/* Recursion no deeper than SONDE_MAX_RANK. Returns the index after the last one appended. */
static gint64
append_nested (GString *text, const SondeTensor *tensor, int dimension, gint64 index)
{
  if (dimension == tensor->shape.rank)
    {
      append_element (text, tensor, index);
      return index + 1;
    }
  g_string_append_c (text, '[');
  for (gint64 i = 0; i < tensor->shape.dims[dimension]; i++)
    {
      if (i > 0)
        g_string_append_c (text, ',');
      index = append_nested (text, tensor, dimension + 1, index);
    }
  g_string_append_c (text, ']');
  return index;
}

void
sonde_json_append_tensor (GString *text, const SondeTensor *tensor)
{
  append_nested (text, tensor, 0, 0);
}

/* ---- trees --------------------------------------------------------------- */

static void
append_scalar (GString *text, JsonNode *node)
{
  switch (json_node_get_value_type (node))
    {
    case G_TYPE_INT64:
      g_string_append_printf (text, "%" PRIi64, json_node_get_int (node));
      break;
    case G_TYPE_DOUBLE:
      sonde_json_append_number (text, SONDE_DTYPE_F64, json_node_get_double (node));
      break;
    case G_TYPE_BOOLEAN:
      g_string_append (text, json_node_get_boolean (node) ? "true" : "false");
      break;
    default:
      sonde_json_append_string (text, json_node_get_string (node));
      break;
    }
}

static void
append_array (GString *text, JsonArray *array, GHashTable *texts)
{
  g_string_append_c (text, '[');
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      if (i > 0)
        g_string_append_c (text, ',');
      sonde_json_append_node (text, json_array_get_element (array, i), texts);
    }
  g_string_append_c (text, ']');
}

static void
append_object (GString *text, JsonObject *object, GHashTable *texts)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;
  const char *separator = "";

  g_string_append_c (text, '{');
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &member))
    {
      g_string_append (text, separator);
      sonde_json_append_string (text, name);
      g_string_append_c (text, ':');
      sonde_json_append_node (text, member, texts);
      separator = ",";
    }
  g_string_append_c (text, '}');
}

void
sonde_json_append_node (GString *text, JsonNode *node, GHashTable *texts)
{
  const char *given = g_hash_table_lookup (texts, node);

  if (given != NULL)
    g_string_append (text, given);
  else if (JSON_NODE_HOLDS_OBJECT (node))
    append_object (text, json_node_get_object (node), texts);
  else if (JSON_NODE_HOLDS_ARRAY (node))
    append_array (text, json_node_get_array (node), texts);
  else if (JSON_NODE_HOLDS_NULL (node))
    g_string_append (text, "null");
  else
    append_scalar (text, node);
}

/* ---- json-glib's text ---------------------------------------------------- */

char *
sonde_json_node_to_text (JsonNode *node, gboolean pretty)
{
  g_autofree char *text = json_to_string (node, pretty);
  GString *escaped = g_string_sized_new (strlen (text));

  /* outside of texts only newlines are written, and in texts these are escaped already */
  for (const char *p = text; *p != 0; p++)
    if ((guchar) *p < ' ' && *p != '\n')
      g_string_append_printf (escaped, "\\u%04x", (guchar) *p);
    else
      g_string_append_c (escaped, *p);
  return g_string_free (escaped, FALSE);
}
