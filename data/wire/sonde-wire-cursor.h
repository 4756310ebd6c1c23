/* SPDX-License-Identifier: Apache-2.0
 * Walking protobuf bytes field after field, without allocation: the only code that reads a varint.
 * sonde-wire-decode.h stands on it; by hand it is for what is streamed: events by the million, and
 * bytes too large to be held. All is inline; a step costs a few nanoseconds. */
#pragma once

#include <string.h>

#include <glib.h>

G_BEGIN_DECLS

/* Numbers are protobuf's. */
typedef enum
{
  SONDE_WIRE_VARINT = 0,
  SONDE_WIRE_FIXED64 = 1,
  SONDE_WIRE_BYTES = 2, /* strings, bytes, messages, packed lists */
  SONDE_WIRE_FIXED32 = 5,
} SondeWireType;

/**
 * SondeWireCursor: what is left of a message
 * @at, @end: lent bytes
 */
typedef struct
{
  const guint8 *at, *end;
} SondeWireCursor;

/**
 * SondeWireItem: one field
 * @number: of the field, from 1; @type: a SondeWireType
 * @value: of a number
 * @bytes, @length: of BYTES: inside the message
 */
typedef struct
{
  guint32 number;
  guint8 type;
  guint64 value;
  const guint8 *bytes;
  gsize length;
} SondeWireItem;

typedef enum
{
  SONDE_WIRE_ITEM,
  SONDE_WIRE_END,
  SONDE_WIRE_BROKEN, /* the bytes are no protobuf message */
} SondeWireStep;

static inline SondeWireCursor
sonde_wire_cursor (const guint8 *bytes, gsize length)
{
  return (SondeWireCursor){ bytes, length > 0 ? bytes + length : bytes };
}

/* FALSE when it does not end inside the bytes, or is a number of more than 64 bits. */
static inline gboolean
sonde_wire_take_varint (SondeWireCursor *cursor, guint64 *value)
{
  guint64 number = 0;

  /* nearly all: keys, small lengths */
  if (G_LIKELY (cursor->at != cursor->end && *cursor->at < 0x80))
    {
      *value = *cursor->at++;
      return TRUE;
    }
  for (guint shift = 0; shift < 70; shift += 7)
    {
      guint8 byte;

      if (G_UNLIKELY (cursor->at == cursor->end))
        return FALSE;
      byte = *cursor->at++;
      number |= (guint64) (byte & 0x7f) << shift;
      if (byte < 0x80 && (shift < 63 || byte <= 1))
        {
          *value = number;
          return TRUE;
        }
    }
  return FALSE;
}

static inline gboolean
sonde_wire_take_fixed (SondeWireCursor *cursor, gsize n, guint64 *value)
{
  guint64 number = 0;

  if (G_UNLIKELY ((gsize) (cursor->end - cursor->at) < n))
    return FALSE;
  memcpy (&number, cursor->at, n);
  cursor->at += n;
  *value = GUINT64_FROM_LE (number);
  return TRUE;
}

/* Number and type of a field: @key & 7 is the type, which may be an unknown one. */
static inline gboolean
sonde_wire_take_key (SondeWireCursor *cursor, guint64 *key)
{
  return sonde_wire_take_varint (cursor, key) && *key >> 3 != 0 && *key >> 3 <= G_MAXUINT32 >> 3;
}

static inline SondeWireStep
sonde_wire_next (SondeWireCursor *cursor, SondeWireItem *item)
{
  guint64 key;
  gboolean right;

  if (cursor->at == cursor->end)
    return SONDE_WIRE_END;
  if (!sonde_wire_take_key (cursor, &key))
    return SONDE_WIRE_BROKEN;
  item->number = (guint32) (key >> 3);
  item->type = key & 7;
  item->bytes = NULL;
  item->length = 0;
  switch (item->type)
    {
    case SONDE_WIRE_VARINT:
      right = sonde_wire_take_varint (cursor, &item->value);
      break;
    case SONDE_WIRE_FIXED64:
      right = sonde_wire_take_fixed (cursor, 8, &item->value);
      break;
    case SONDE_WIRE_FIXED32:
      right = sonde_wire_take_fixed (cursor, 4, &item->value);
      break;
    case SONDE_WIRE_BYTES:
      right = sonde_wire_take_varint (cursor, &item->value)
              && item->value <= (guint64) (cursor->end - cursor->at);
      if (right)
        {
          item->bytes = cursor->at;
          item->length = (gsize) item->value;
          cursor->at += item->length;
        }
      break;
    default: /* groups are long gone */
      right = FALSE;
    }
  return right ? SONDE_WIRE_ITEM : SONDE_WIRE_BROKEN;
}

static inline SondeWireCursor
sonde_wire_item_cursor (const SondeWireItem *item)
{
  return sonde_wire_cursor (item->bytes, item->length);
}

/* Can all fields be stepped over? What is in them is not looked at. */
static inline gboolean
sonde_wire_is_message (const SondeWireItem *item)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (item);
  SondeWireItem field;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &field)) == SONDE_WIRE_ITEM)
    ;
  return step == SONDE_WIRE_END;
}

static inline double
sonde_wire_item_double (const SondeWireItem *item)
{
  double number;

  memcpy (&number, &item->value, sizeof number);
  return number;
}

static inline float
sonde_wire_item_float (const SondeWireItem *item)
{
  guint32 bits = (guint32) item->value;
  float number;

  memcpy (&number, &bits, sizeof number);
  return number;
}

G_END_DECLS
