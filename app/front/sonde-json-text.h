/* SPDX-License-Identifier: Apache-2.0
 * JSON written as text, one object a line: values of a network are long, and a tree of nodes for
 * them would be longer. Only writes; reading is json-glib's. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/**
 * SondeJsonText: zero-initialise, then sonde_json_text_init()
 * @text: what was written so far
 * @comma: a comma is due before the next member or element
 */
typedef struct
{
  GString *text;
  gboolean comma;
} SondeJsonText;

void sonde_json_text_init (SondeJsonText *json);
void sonde_json_text_clear (SondeJsonText *json);

/* @name: (nullable): of the member; NULL for an element of an array */
void sonde_json_text_begin_object (SondeJsonText *json, const char *name);
void sonde_json_text_end_object (SondeJsonText *json);
void sonde_json_text_begin_array (SondeJsonText *json, const char *name);
void sonde_json_text_end_array (SondeJsonText *json);
/* @value: NULL is null; bytes that are no UTF-8 are replaced */
void sonde_json_text_string (SondeJsonText *json, const char *name, const char *value);
void sonde_json_text_int (SondeJsonText *json, const char *name, gint64 value);
void sonde_json_text_uint (SondeJsonText *json, const char *name, guint64 value);
void sonde_json_text_boolean (SondeJsonText *json, const char *name, gboolean value);
/* Shortest text that reads back; "nan", "inf", "-inf" as strings */
void sonde_json_text_double (SondeJsonText *json, const char *name, double value);
/* [2, 3]; [] for a scalar */
void sonde_json_text_shape (SondeJsonText *json, const char *name, const SondeShape *shape);
/* All elements, nested as the shape is; a scalar stands alone */
void sonde_json_text_tensor (SondeJsonText *json, const char *name, const SondeTensor *tensor);

G_END_DECLS
