/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/data/models/tflite/flat-builder.h"

#include <string.h>

#define SLOT_ROOM 8

static gsize
append (GByteArray *flat, const void *data, gsize length)
{
  gsize at = flat->len;

  g_byte_array_set_size (flat, (guint) (at + length));
  if (data != NULL)
    memcpy (flat->data + at, data, length);
  else
    memset (flat->data + at, 0, length);
  return at;
}

static void
align (GByteArray *flat)
{
  append (flat, NULL, (8 - flat->len % 8) % 8);
}

GByteArray *
flat_new (void)
{
  GByteArray *flat = g_byte_array_new ();

  append (flat, NULL, 4);
  append (flat, "TFL3", 4);
  return flat;
}

/* The vtable stands before its table, all of whose slots are absent. */
gsize
flat_table (GByteArray *flat, guint n_slots)
{
  guint16 head[2] = { (guint16) (4 + 2 * n_slots), (guint16) (4 + SLOT_ROOM * n_slots) };
  gsize vtable, table;
  gint32 back;

  align (flat);
  vtable = append (flat, head, sizeof head);
  append (flat, NULL, 2 * n_slots);
  align (flat);
  append (flat, NULL, 4); /* so that the slots lie at multiples of 8 */
  back = (gint32) (flat->len - vtable);
  table = append (flat, &back, sizeof back);
  append (flat, NULL, SLOT_ROOM * n_slots);
  return table;
}

gsize
flat_slot (GByteArray *flat, gsize table, guint slot)
{
  gint32 back;
  guint16 offset = (guint16) (4 + SLOT_ROOM * slot);

  memcpy (&back, flat->data + table, sizeof back);
  memcpy (flat->data + (gint64) table - back + 4 + 2 * slot, &offset, sizeof offset);
  return table + offset;
}

void
flat_set (GByteArray *flat, gsize table, guint slot, const void *value, gsize size)
{
  memcpy (flat->data + flat_slot (flat, table, slot), value, size);
}

void
flat_set_i8 (GByteArray *flat, gsize table, guint slot, int value)
{
  gint8 byte = (gint8) value;

  flat_set (flat, table, slot, &byte, 1);
}

void
flat_set_i32 (GByteArray *flat, gsize table, guint slot, gint32 value)
{
  flat_set (flat, table, slot, &value, sizeof value);
}

void
flat_set_u64 (GByteArray *flat, gsize table, guint slot, guint64 value)
{
  flat_set (flat, table, slot, &value, sizeof value);
}

void
flat_refer (GByteArray *flat, gsize place, gsize target)
{
  guint32 offset = (guint32) (target - place);

  memcpy (flat->data + place, &offset, sizeof offset);
}

void
flat_set_reference (GByteArray *flat, gsize table, guint slot, gsize target)
{
  flat_refer (flat, flat_slot (flat, table, slot), target);
}

gsize
flat_vector (GByteArray *flat, const void *elements, guint32 count, gsize element_size)
{
  gsize at;

  align (flat);
  append (flat, NULL, 4);
  at = append (flat, &count, sizeof count);
  append (flat, elements, count * element_size);
  return at;
}

gsize
flat_references (GByteArray *flat, guint32 count)
{
  return flat_vector (flat, NULL, count, 4);
}

gsize
flat_element (gsize vector, guint index)
{
  return vector + 4 + 4 * (gsize) index;
}

gsize
flat_text (GByteArray *flat, const char *text)
{
  return flat_vector (flat, text, (guint32) strlen (text), 1);
}

void
flat_set_text (GByteArray *flat, gsize table, guint slot, const char *text)
{
  flat_set_reference (flat, table, slot, flat_text (flat, text));
}

void
flat_set_i32s (GByteArray *flat, gsize table, guint slot, guint n, const gint32 *values)
{
  flat_set_reference (flat, table, slot, flat_vector (flat, values, n, 4));
}
