/* SPDX-License-Identifier: Apache-2.0
 * Members of JSON from a file that nobody vouches for: what is missing or of another type is
 * absent. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* @object: (nullable) in all of them; what is returned is lent and (nullable). */
JsonObject *sonde_json_member_object (JsonObject *object, const char *name);
JsonArray *sonde_json_member_array (JsonObject *object, const char *name);
const char *sonde_json_member_text (JsonObject *object, const char *name);
gint64 sonde_json_member_int (JsonObject *object, const char *name, gint64 fallback);
gboolean sonde_json_member_bool (JsonObject *object, const char *name, gboolean fallback);

/* @array: (nullable): has no elements */
guint sonde_json_member_count (JsonArray *array);
JsonObject *sonde_json_member_element (JsonArray *array, guint index);

/* A number, also "Infinity", "-Infinity", "NaN" as text. FALSE: none. */
gboolean sonde_json_member_number (JsonNode *node, double *number);

G_END_DECLS
