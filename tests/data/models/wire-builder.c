/* SPDX-License-Identifier: Apache-2.0
 * Protobuf's wire format in as few lines as it takes. */
#include "tests/data/models/wire-builder.h"

#include <string.h>

GByteArray *
wire_new (void)
{
  return g_byte_array_new ();
}

void
wire_varint (GByteArray *bytes, guint64 value)
{
  for (;; value >>= 7)
    {
      guint8 byte = (value & 0x7f) | (value >= 0x80 ? 0x80 : 0);

      g_byte_array_append (bytes, &byte, 1);
      if (value < 0x80)
        return;
    }
}

void
wire_key (GByteArray *bytes, guint number, guint wire_type)
{
  wire_varint (bytes, (guint64) number << 3 | wire_type);
}

void
wire_int (GByteArray *bytes, guint number, gint64 value)
{
  wire_key (bytes, number, 0);
  wire_varint (bytes, (guint64) value);
}

void
wire_float (GByteArray *bytes, guint number, float value)
{
  wire_key (bytes, number, 5);
  g_byte_array_append (bytes, (const guint8 *) &value, sizeof value);
}

void
wire_bytes (GByteArray *bytes, guint number, const void *data, gsize length)
{
  wire_key (bytes, number, 2);
  wire_varint (bytes, length);
  if (length > 0)
    g_byte_array_append (bytes, data, (guint) length);
}

void
wire_text (GByteArray *bytes, guint number, const char *text)
{
  wire_bytes (bytes, number, text, strlen (text));
}

void
wire_take (GByteArray *bytes, guint number, GByteArray *message)
{
  wire_bytes (bytes, number, message->data, message->len);
  g_byte_array_unref (message);
}

GByteArray *
wire_tensor (const char *name, int data_type, guint n_dims, const gint64 *dims)
{
  GByteArray *tensor = wire_new ();

  for (guint i = 0; i < n_dims; i++)
    wire_int (tensor, 1, dims[i]);
  wire_int (tensor, 2, data_type);
  wire_text (tensor, 8, name);
  return tensor;
}

static void
add_names (GByteArray *node, guint number, const char *names)
{
  g_auto (GStrv) split = g_strsplit (names, " ", -1);

  for (guint i = 0; split[i] != NULL; i++)
    if (*split[i] != '\0')
      wire_text (node, number, strcmp (split[i], "-") == 0 ? "" : split[i]);
}

GByteArray *
wire_node (const char *op, const char *inputs, const char *outputs)
{
  GByteArray *node = wire_new ();

  add_names (node, 1, inputs);
  add_names (node, 2, outputs);
  wire_text (node, 4, op);
  return node;
}

GByteArray *
wire_value (const char *name)
{
  GByteArray *value = wire_new ();

  wire_text (value, 1, name);
  return value;
}

GByteArray *
wire_model (GByteArray *graph)
{
  GByteArray *model = wire_new (), *opset = wire_new ();

  wire_int (model, 1, 8);
  wire_int (opset, 2, 17);
  wire_take (model, 8, opset);
  wire_take (model, 7, graph);
  return model;
}
