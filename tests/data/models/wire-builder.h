/* SPDX-License-Identifier: Apache-2.0
 * ONNX bytes written by hand, so that a test can say what no writer would. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

GByteArray *wire_new (void);
void wire_varint (GByteArray *bytes, guint64 value); /* without a key */
void wire_key (GByteArray *bytes, guint number, guint wire_type);
void wire_int (GByteArray *bytes, guint number, gint64 value);
void wire_float (GByteArray *bytes, guint number, float value);
void wire_bytes (GByteArray *bytes, guint number, const void *data, gsize length);
void wire_text (GByteArray *bytes, guint number, const char *text);
void wire_take (GByteArray *bytes, guint number, GByteArray *message); /* (transfer full) message */

/* TensorProto with @n_dims sizes and nothing else but name and type. */
GByteArray *wire_tensor (const char *name, int data_type, guint n_dims, const gint64 *dims);
/* NodeProto; names are separated by blanks, "-" is an absent one. */
GByteArray *wire_node (const char *op, const char *inputs, const char *outputs);
/* ValueInfoProto without a type. */
GByteArray *wire_value (const char *name);
/* A whole model of opset 17 around @graph (transfer full). */
GByteArray *wire_model (GByteArray *graph);

G_END_DECLS
