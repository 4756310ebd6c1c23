/* SPDX-License-Identifier: Apache-2.0
 * Walking over the fields of a serialised message without decoding it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SONDE_ONNX_GRAPH_FIELD 7
#define SONDE_ONNX_INITIALIZER_FIELD 5
#define SONDE_ONNX_RAW_DATA_FIELD 9
#define SONDE_ONNX_LARGE_BYTES 65536 /* of raw_data; smaller ones go through the message */

/* One field: its number, where its tag begins, where its content does; and where the next field
 * begins. */
typedef struct
{
  guint64 number;
  guint wire;
  gsize start, content, end;
} SondeOnnxField;

/* The field at @at of a message that ends at @end; FALSE: it is none. */
gboolean sonde_onnx_next_field (const guint8 *data, gsize end, gsize at, SondeOnnxField *field);

G_END_DECLS
