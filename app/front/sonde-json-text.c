/* SPDX-License-Identifier: Apache-2.0
 * JSON written as text. */
#include "app/front/sonde-json-text.h"

#include <math.h>
#include <string.h>

void
sonde_json_text_init (SondeJsonText *json)
{
  json->text = g_string_new (NULL);
  json->comma = FALSE;
}

void
sonde_json_text_clear (SondeJsonText *json)
{
  if (json->text != NULL)
    g_string_free (json->text, TRUE);
  json->text = NULL;
}

static void
append_quoted (GString *text, const char *value)
{
  g_autofree char *valid = g_utf8_make_valid (value, -1);

  g_string_append_c (text, '"');
  for (const char *at = valid; *at != '\0'; at++)
    {
      guchar c = (guchar) *at;

      if (c == '"' || c == '\\')
        g_string_append_c (text, '\\');
      if (c < 0x20 || c == 0x7f)
        g_string_append_printf (text, "\\u%04x", c);
      else
        g_string_append_c (text, (char) c);
    }
  g_string_append_c (text, '"');
}

static void
begin_member (SondeJsonText *json, const char *name)
{
  if (json->comma)
    g_string_append_c (json->text, ',');
  json->comma = TRUE;
  if (name == NULL)
    return;
  append_quoted (json->text, name);
  g_string_append_c (json->text, ':');
}

static void
begin_nested (SondeJsonText *json, const char *name, char open)
{
  begin_member (json, name);
  g_string_append_c (json->text, open);
  json->comma = FALSE;
}

static void
end_nested (SondeJsonText *json, char close)
{
  g_string_append_c (json->text, close);
  json->comma = TRUE;
}

void
sonde_json_text_begin_object (SondeJsonText *json, const char *name)
{
  begin_nested (json, name, '{');
}

void
sonde_json_text_end_object (SondeJsonText *json)
{
  end_nested (json, '}');
}

void
sonde_json_text_begin_array (SondeJsonText *json, const char *name)
{
  begin_nested (json, name, '[');
}

void
sonde_json_text_end_array (SondeJsonText *json)
{
  end_nested (json, ']');
}

void
sonde_json_text_string (SondeJsonText *json, const char *name, const char *value)
{
  begin_member (json, name);
  if (value == NULL)
    g_string_append (json->text, "null");
  else
    append_quoted (json->text, value);
}

void
sonde_json_text_int (SondeJsonText *json, const char *name, gint64 value)
{
  begin_member (json, name);
  g_string_append_printf (json->text, "%" G_GINT64_FORMAT, value);
}

void
sonde_json_text_uint (SondeJsonText *json, const char *name, guint64 value)
{
  begin_member (json, name);
  g_string_append_printf (json->text, "%" G_GUINT64_FORMAT, value);
}

void
sonde_json_text_boolean (SondeJsonText *json, const char *name, gboolean value)
{
  begin_member (json, name);
  g_string_append (json->text, value ? "true" : "false");
}

void
sonde_json_text_double (SondeJsonText *json, const char *name, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  begin_member (json, name);
  if (isnan (value))
    g_string_append (json->text, "\"nan\"");
  else if (isinf (value))
    g_string_append (json->text, value > 0 ? "\"inf\"" : "\"-inf\"");
  else
    g_string_append (json->text, g_ascii_dtostr (buffer, sizeof buffer, value));
}

void
sonde_json_text_shape (SondeJsonText *json, const char *name, const SondeShape *shape)
{
  sonde_json_text_begin_array (json, name);
  for (int i = 0; i < shape->rank; i++)
    sonde_json_text_int (json, NULL, shape->dims[i]);
  sonde_json_text_end_array (json);
}

/* ---- tensors ------------------------------------------------------------- */

static void
append_element (GString *text, const SondeTensor *tensor, gint64 index)
{
  g_autofree char *element = sonde_tensor_format_element (tensor, index);
  gboolean plain = tensor->dtype != SONDE_DTYPE_STRING
                   && (!sonde_dtype_has_fractions (tensor->dtype)
                       || isfinite (sonde_tensor_get_double (tensor, index)));

  if (plain)
    g_string_append (text, element);
  else
    append_quoted (text, element);
}

/* Recursion no deeper than SONDE_MAX_RANK. Returns the index after the last one written. */
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
sonde_json_text_tensor (SondeJsonText *json, const char *name, const SondeTensor *tensor)
{
  begin_member (json, name);
  append_nested (json->text, tensor, 0, 0);
}
