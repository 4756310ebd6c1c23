/* SPDX-License-Identifier: Apache-2.0
 * Members of JSON objects read by name from files of anyone. Writing: data/arrays/sonde-json.h. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* An object of at most @max_nesting levels; @name: for messages. Errors: LIMIT, DAMAGED. (transfer
 * full): immutable */
JsonParser *sonde_json_parse (GBytes *json, const char *name, guint max_nesting, GError **error);

/* (nullable): lent: there is no such text, no such array */
const char *sonde_json_get_text (JsonObject *object, const char *name);
JsonArray *sonde_json_get_array (JsonObject *object, const char *name);
/* NaN where it is no number. @node: (nullable) */
double sonde_json_to_number (JsonNode *node);
double sonde_json_get_number (JsonObject *object, const char *name);

G_END_DECLS
