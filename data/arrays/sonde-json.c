/* SPDX-License-Identifier: Apache-2.0
 * Values as JSON. */
#include "data/arrays/sonde-json.h"

#include <math.h>

#include "data/arrays/sonde-json-text.h"

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

/* Text of values that have no nodes of their own: a node that stands for the value -> its text. */
static GHashTable *
get_texts (JsonBuilder *builder)
{
  static const char key[] = "sonde-json-texts";
  GHashTable *texts = g_object_get_data (G_OBJECT (builder), key);

  if (texts == NULL)
    {
      texts = g_hash_table_new_full (NULL, NULL, NULL, g_free);
      g_object_set_data_full (G_OBJECT (builder), key, texts, (GDestroyNotify) g_hash_table_unref);
    }
  return texts;
}

void
sonde_json_add_tensor (JsonBuilder *builder, const SondeTensor *tensor)
{
  JsonNode *node = json_node_init_null (json_node_alloc ());
  GString *text = g_string_new (NULL);

  sonde_json_append_tensor (text, tensor);
  g_hash_table_insert (get_texts (builder), node, g_string_free (text, FALSE));
  json_builder_add_value (builder, node);
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
  GString *line = g_string_new (NULL);

  sonde_json_append_node (line, root, get_texts (builder));
  return g_string_free (line, FALSE);
}
