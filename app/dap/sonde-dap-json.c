/* SPDX-License-Identifier: Apache-2.0
 * Members of messages. */
#include "app/dap/sonde-dap-json.h"

/* ---- reading ------------------------------------------------------------- */

static JsonNode *
member_of (JsonObject *object, const char *member)
{
  return object != NULL ? json_object_get_member (object, member) : NULL;
}

static gboolean
holds (JsonNode *node, GType type)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == type;
}

const char *
sonde_dap_get_string (JsonObject *object, const char *member)
{
  JsonNode *node = member_of (object, member);

  return holds (node, G_TYPE_STRING) ? json_node_get_string (node) : NULL;
}

gint64
sonde_dap_get_int (JsonObject *object, const char *member, gint64 fallback)
{
  JsonNode *node = member_of (object, member);

  return holds (node, G_TYPE_INT64) ? json_node_get_int (node) : fallback;
}

guint
sonde_dap_get_uint (JsonObject *object, const char *member, guint fallback)
{
  return (guint) CLAMP (sonde_dap_get_int (object, member, fallback), 0, G_MAXINT);
}

gboolean
sonde_dap_get_boolean (JsonObject *object, const char *member, gboolean fallback)
{
  JsonNode *node = member_of (object, member);

  return holds (node, G_TYPE_BOOLEAN) ? json_node_get_boolean (node) : fallback;
}

JsonArray *
sonde_dap_get_array (JsonObject *object, const char *member)
{
  JsonNode *node = member_of (object, member);

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

JsonObject *
sonde_dap_get_object (JsonObject *object, const char *member)
{
  JsonNode *node = member_of (object, member);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

guint
sonde_dap_get_length (JsonArray *array)
{
  return array != NULL ? json_array_get_length (array) : 0;
}

JsonObject *
sonde_dap_get_element (JsonArray *array, guint i)
{
  JsonNode *node = i < sonde_dap_get_length (array) ? json_array_get_element (array, i) : NULL;

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

/* ---- building ------------------------------------------------------------ */

JsonBuilder *
sonde_dap_body_new (void)
{
  JsonBuilder *body = json_builder_new ();

  json_builder_begin_object (body);
  return body;
}

JsonObject *
sonde_dap_body_end (JsonBuilder *body)
{
  g_autoptr (JsonBuilder) owned = body;
  g_autoptr (JsonNode) root = NULL;

  json_builder_end_object (body);
  root = json_builder_get_root (body);
  return json_object_ref (json_node_get_object (root));
}
