/* SPDX-License-Identifier: Apache-2.0
 * Members of JSON objects, written by name and read from files of anyone. Infinities and NaN, which
 * JSON has not, are the texts "inf", "-inf", "nan". */
#pragma once

#include "data/arrays/sonde-json.h"

G_BEGIN_DECLS

void sonde_json_add_text (JsonBuilder *builder, const char *name, const char *text);
void sonde_json_add_count (JsonBuilder *builder, const char *name, guint64 count);
void sonde_json_add_number (JsonBuilder *builder, const char *name, double number);

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
