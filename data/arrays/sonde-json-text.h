/* SPDX-License-Identifier: Apache-2.0
 * JSON as text: values are appended to a string, without blanks. */
#pragma once

#include <json-glib/json-glib.h>

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/* The shortest decimal that reads back; "nan", "inf" and "-inf" in quotes. @value has the type @dtype */
void sonde_json_append_number (GString *text, SondeDtype dtype, double value);
/* In quotes; bytes that are not UTF-8 are replaced. */
void sonde_json_append_string (GString *text, const char *value);
/* All elements, nested as the shape is; a scalar without brackets. A float32 0.1 is the number 0.1. */
void sonde_json_append_tensor (GString *text, const SondeTensor *tensor);
/* A tree of json-glib. @texts: (element-type JsonNode utf8): text in place of some nodes */
void sonde_json_append_node (GString *text, JsonNode *node, GHashTable *texts);

/* As json_to_string(), which leaves some control characters in texts as they are: here they are escaped,
 * as JSON demands. (transfer full) */
char *sonde_json_node_to_text (JsonNode *node, gboolean pretty);

G_END_DECLS
