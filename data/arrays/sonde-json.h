/* SPDX-License-Identifier: Apache-2.0
 * Values as JSON, for json-glib's builder. Numbers read back as the same numbers; NaN and infinities
 * become strings. */
#pragma once

#include <json-glib/json-glib.h>

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/* "nan", "inf" and "-inf" as strings, else the number */
void sonde_json_add_double (JsonBuilder *builder, double value);
/* NULL is null; bytes that are no UTF-8 are replaced */
void sonde_json_add_string (JsonBuilder *builder, const char *value);
/* [2, 3]; [] for a scalar */
void sonde_json_add_shape (JsonBuilder *builder, const SondeShape *shape);
/* As sonde_json_append_tensor(). The elements get no nodes: only sonde_json_to_line() writes them. */
void sonde_json_add_tensor (JsonBuilder *builder, const SondeTensor *tensor);

/* The same as the member @name of the object that is open; with integers and booleans */
void sonde_json_set_double (JsonBuilder *builder, const char *name, double value);
void sonde_json_set_string (JsonBuilder *builder, const char *name, const char *value);
void sonde_json_set_int (JsonBuilder *builder, const char *name, gint64 value);
void sonde_json_set_boolean (JsonBuilder *builder, const char *name, gboolean value);
void sonde_json_set_shape (JsonBuilder *builder, const char *name, const SondeShape *shape);
void sonde_json_set_tensor (JsonBuilder *builder, const char *name, const SondeTensor *tensor);

/* A member that is an array or an object; json_builder_end_array() or _end_object() ends it. */
void sonde_json_begin_array (JsonBuilder *builder, const char *name);
void sonde_json_begin_object (JsonBuilder *builder, const char *name);

/* What was built, on one line without newline, with the shortest decimals that read back. (transfer
 * full) */
char *sonde_json_to_line (JsonBuilder *builder);

G_END_DECLS
