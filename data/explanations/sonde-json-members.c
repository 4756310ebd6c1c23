/* SPDX-License-Identifier: Apache-2.0 */
#include "data/explanations/sonde-json-members.h"

#include <math.h>

#include "data/base/sonde-error.h"
#include "data/json/sonde-json-depth.h"

JsonParser *
sonde_json_parse (GBytes *json, const char *name, guint max_nesting, GError **error)
{
  gsize n;
  const char *text = g_bytes_get_data (json, &n);
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GError) failure = NULL;

  if (!sonde_json_is_shallow ((const guint8 *) text, n, max_nesting))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "%s is nested more than %u levels deep.", name, max_nesting);
      return NULL;
    }
  if (json_parser_load_from_data (parser, text, (gssize) n, &failure)
      && json_parser_get_root (parser) != NULL
      && JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    return g_steal_pointer (&parser);
  if (failure != NULL)
    sonde_set_error_because (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, failure,
                             "%s is not valid JSON: ", name);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, "%s is not a JSON object.",
                     name);
  return NULL;
}

const char *
sonde_json_get_text (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

JsonArray *
sonde_json_get_array (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

double
sonde_json_to_number (JsonNode *node)
{
  GType type = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node)
                                                            : G_TYPE_INVALID;

  return type == G_TYPE_INT64    ? (double) json_node_get_int (node)
         : type == G_TYPE_DOUBLE ? json_node_get_double (node)
                                 : NAN;
}

double
sonde_json_get_number (JsonObject *object, const char *name)
{
  return sonde_json_to_number (json_object_get_member (object, name));
}
