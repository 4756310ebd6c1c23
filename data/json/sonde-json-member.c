/* SPDX-License-Identifier: Apache-2.0
 * Careful steps into JSON. */
#include "data/json/sonde-json-member.h"

#include <math.h>

static JsonNode *
get_member (JsonObject *object, const char *name)
{
  return object != NULL ? json_object_get_member (object, name) : NULL;
}

/* The member @name where it is a value of that type, else NULL. */
static JsonNode *
get_value (JsonObject *object, const char *name, GType type)
{
  JsonNode *node = get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == type
             ? node
             : NULL;
}

JsonObject *
sonde_json_member_object (JsonObject *object, const char *name)
{
  JsonNode *node = get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

JsonArray *
sonde_json_member_array (JsonObject *object, const char *name)
{
  JsonNode *node = get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

const char *
sonde_json_member_text (JsonObject *object, const char *name)
{
  JsonNode *node = get_value (object, name, G_TYPE_STRING);

  return node != NULL ? json_node_get_string (node) : NULL;
}

gint64
sonde_json_member_int (JsonObject *object, const char *name, gint64 fallback)
{
  JsonNode *node = get_value (object, name, G_TYPE_INT64);

  return node != NULL ? json_node_get_int (node) : fallback;
}

gboolean
sonde_json_member_bool (JsonObject *object, const char *name, gboolean fallback)
{
  JsonNode *node = get_value (object, name, G_TYPE_BOOLEAN);

  return node != NULL ? json_node_get_boolean (node) : fallback;
}

guint
sonde_json_member_count (JsonArray *array)
{
  return array != NULL ? json_array_get_length (array) : 0;
}

JsonObject *
sonde_json_member_element (JsonArray *array, guint index)
{
  JsonNode *node
      = index < sonde_json_member_count (array) ? json_array_get_element (array, index) : NULL;

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

gboolean
sonde_json_member_number (JsonNode *node, double *number)
{
  static const struct
  {
    const char *text;
    double number;
  } words[] = { { "Infinity", INFINITY }, { "-Infinity", -INFINITY }, { "NaN", NAN } };
  const char *text = NULL;

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node))
    return FALSE;
  if (json_node_get_value_type (node) == G_TYPE_INT64
      || json_node_get_value_type (node) == G_TYPE_DOUBLE)
    {
      *number = json_node_get_double (node);
      return TRUE;
    }
  text = json_node_get_value_type (node) == G_TYPE_STRING ? json_node_get_string (node) : NULL;
  for (gsize i = 0; text != NULL && i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (text, words[i].text))
      {
        *number = words[i].number;
        return TRUE;
      }
  return FALSE;
}
