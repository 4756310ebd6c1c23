/* SPDX-License-Identifier: Apache-2.0
 * Protobuf bytes by hand, for tests of readers that know no .proto. */
#pragma once

#include <string.h>

#include <glib.h>

static inline void
wire_varint (GByteArray *out, guint64 number)
{
  do
    {
      guint8 byte = (guint8) ((number & 0x7f) | (number > 0x7f ? 0x80 : 0));

      g_byte_array_append (out, &byte, 1);
      number >>= 7;
    }
  while (number > 0);
}

static inline void
wire_number (GByteArray *out, guint field, guint64 number)
{
  wire_varint (out, (guint64) field << 3);
  wire_varint (out, number);
}

static inline void
wire_float (GByteArray *out, guint field, float number)
{
  wire_varint (out, (guint64) field << 3 | 5);
  g_byte_array_append (out, (const guint8 *) &number, sizeof number);
}

static inline void
wire_double (GByteArray *out, guint field, double number)
{
  wire_varint (out, (guint64) field << 3 | 1);
  g_byte_array_append (out, (const guint8 *) &number, sizeof number);
}

static inline void
wire_bytes (GByteArray *out, guint field, const void *bytes, gsize length)
{
  wire_varint (out, (guint64) field << 3 | 2);
  wire_varint (out, length);
  g_byte_array_append (out, bytes, (guint) length);
}

static inline void
wire_text (GByteArray *out, guint field, const char *text)
{
  wire_bytes (out, field, text, strlen (text));
}

/* (transfer full) @message */
static inline void
wire_message (GByteArray *out, guint field, GByteArray *message)
{
  wire_bytes (out, field, message->data, message->len);
  g_byte_array_unref (message);
}
