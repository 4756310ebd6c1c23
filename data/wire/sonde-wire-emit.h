/* SPDX-License-Identifier: Apache-2.0
 * Writing protobuf bytes by hand: field after field at the end of a buffer, messages inside each
 * other between begin and end. For formats whose messages we only write. */
#pragma once

#include <string.h>

#include <glib.h>

G_BEGIN_DECLS

static inline void
sonde_emit_varint (GByteArray *out, guint64 value)
{
  guint8 bytes[10];
  guint n = 0;

  for (; value >= 0x80; value >>= 7)
    bytes[n++] = (guint8) value | 0x80;
  bytes[n++] = (guint8) value;
  g_byte_array_append (out, bytes, n);
}

static inline void
sonde_emit_raw (GByteArray *out, const void *data, gsize length)
{
  if (length > 0)
    g_byte_array_append (out, data, (guint) length);
}

static inline void
sonde_emit_number (GByteArray *out, guint field, gint64 value)
{
  sonde_emit_varint (out, (guint64) field << 3);
  sonde_emit_varint (out, (guint64) value);
}

static inline void
sonde_emit_double (GByteArray *out, guint field, double value)
{
  sonde_emit_varint (out, (guint64) field << 3 | 1);
  sonde_emit_raw (out, &value, sizeof value);
}

static inline void
sonde_emit_float (GByteArray *out, guint field, double value)
{
  const float single = (float) value;

  sonde_emit_varint (out, (guint64) field << 3 | 5);
  sonde_emit_raw (out, &single, sizeof single);
}

static inline void
sonde_emit_bytes (GByteArray *out, guint field, const void *data, gsize length)
{
  sonde_emit_varint (out, (guint64) field << 3 | 2);
  sonde_emit_varint (out, length);
  sonde_emit_raw (out, data, length);
}

/* Nothing for NULL. */
static inline void
sonde_emit_text (GByteArray *out, guint field, const char *text)
{
  if (text != NULL)
    sonde_emit_bytes (out, field, text, strlen (text));
}

/* Returns what sonde_emit_end() needs. */
static inline gsize
sonde_emit_begin (GByteArray *out, guint field)
{
  sonde_emit_varint (out, (guint64) field << 3 | 2);
  return out->len;
}

static inline void
sonde_emit_end (GByteArray *out, gsize start)
{
  gsize length = out->len - start;
  guint8 bytes[10];
  guint n = 0;

  for (guint64 value = length;; value >>= 7)
    {
      bytes[n++] = (guint8) (value & 0x7f) | (value >= 0x80 ? 0x80 : 0);
      if (value < 0x80)
        break;
    }
  g_byte_array_set_size (out, out->len + n);
  memmove (out->data + start + n, out->data + start, length);
  memcpy (out->data + start, bytes, n);
}

G_END_DECLS
