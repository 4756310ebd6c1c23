/* SPDX-License-Identifier: Apache-2.0
 * FlatBuffers by slots. Source: flatbuffers.dev, "FlatBuffer internals". */
#include "data/models/tflite/sonde-flat-buffer.h"

#include <string.h>

#define OFFSET_BYTES 4
#define SLOT_BYTES 2
#define VTABLE_HEAD_BYTES 4 /* its own size and the table's */
#define BYTES_OF_VISIT 64

void
sonde_flat_buffer_init (SondeFlatBuffer *buffer, const guint8 *data, gsize length, const char *name)
{
  *buffer = (SondeFlatBuffer){
    .data = data, .length = length, .name = name, .visits_left = SONDE_FLAT_BUFFER_VISITS
  };
}

void
sonde_flat_buffer_clear (SondeFlatBuffer *buffer)
{
  g_clear_error (&buffer->error);
}

/* ---- damage -------------------------------------------------------------- */

void
sonde_flat_buffer_fail (SondeFlatBuffer *buffer, SondeDataError code, const char *format, ...)
{
  SondeMessage *message;
  va_list arguments;

  if (buffer->error != NULL)
    return;
  va_start (arguments, format);
  message = sonde_message_new_va (format, arguments);
  va_end (arguments);
  sonde_message_prepend (message, "“%s”: ", buffer->name);
  sonde_set_error_message (&buffer->error, SONDE_DATA_ERROR, (int) code, message);
}

gboolean
sonde_flat_buffer_check (const SondeFlatBuffer *buffer, GError **error)
{
  if (buffer->error != NULL)
    g_propagate_error (error, g_error_copy (buffer->error));
  return buffer->error == NULL;
}

/* Are there @wanted bytes at @at? @what: N_("a table"). */
static gboolean
check_span (SondeFlatBuffer *buffer, gsize at, guint64 wanted, const char *what)
{
  if (buffer->error != NULL)
    return FALSE;
  if (at <= buffer->length && wanted <= buffer->length - at)
    return TRUE;
  sonde_flat_buffer_fail (buffer, SONDE_DATA_ERROR_DAMAGED,
                          "%-s at offset %zu needs %" PRIu64 " bytes; the file ends at %zu", what,
                          at, wanted, buffer->length);
  return FALSE;
}

/* @bytes: that the caller may copy. */
static gboolean
visit (SondeFlatBuffer *buffer, guint64 bytes)
{
  guint64 cost = 1 + bytes / BYTES_OF_VISIT;

  if (buffer->visits_left >= cost)
    {
      buffer->visits_left -= (guint) cost;
      return TRUE;
    }
  sonde_flat_buffer_fail (buffer, SONDE_DATA_ERROR_LIMIT,
                          "more than %u tables, vectors and texts; the file may refer to the same "
                          "ones again and again",
                          SONDE_FLAT_BUFFER_VISITS);
  return FALSE;
}

/* ---- numbers ------------------------------------------------------------- */

static guint16
load_u16 (const SondeFlatBuffer *buffer, gsize at)
{
  guint16 value;

  memcpy (&value, buffer->data + at, sizeof value);
  return GUINT16_FROM_LE (value);
}

static guint32
load_u32 (const SondeFlatBuffer *buffer, gsize at)
{
  guint32 value;

  memcpy (&value, buffer->data + at, sizeof value);
  return GUINT32_FROM_LE (value);
}

static guint64
load_u64 (const SondeFlatBuffer *buffer, gsize at)
{
  guint64 value;

  memcpy (&value, buffer->data + at, sizeof value);
  return GUINT64_FROM_LE (value);
}

static float
load_f32 (const SondeFlatBuffer *buffer, gsize at)
{
  guint32 bits = load_u32 (buffer, at);
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* ---- tables -------------------------------------------------------------- */

/* The vtable lies at @at − the signed number there. */
static gboolean
find_vtable (SondeFlatBuffer *buffer, gsize at, gsize *vtable)
{
  gint64 place = (gint64) at - (gint32) load_u32 (buffer, at);

  if (place >= 0 && (guint64) place <= buffer->length)
    {
      *vtable = (gsize) place;
      return check_span (buffer, *vtable, VTABLE_HEAD_BYTES, N_ ("the slots of a table"));
    }
  sonde_flat_buffer_fail (buffer, SONDE_DATA_ERROR_DAMAGED,
                          "the slots of the table at offset %zu would lie at %" PRIi64
                          "; the file has %zu bytes",
                          at, place, buffer->length);
  return FALSE;
}

static SondeFlatTable
open_table (SondeFlatBuffer *buffer, gsize at)
{
  const SondeFlatTable absent = { 0 };
  SondeFlatTable table = { .buffer = buffer, .at = at };
  gsize vtable = 0;
  guint vtable_bytes;

  if (!visit (buffer, 0) || !check_span (buffer, at, OFFSET_BYTES, N_ ("a table"))
      || !find_vtable (buffer, at, &vtable))
    return absent;
  vtable_bytes = load_u16 (buffer, vtable);
  table.size = load_u16 (buffer, vtable + SLOT_BYTES);
  table.slots = vtable + VTABLE_HEAD_BYTES;
  if (vtable_bytes < VTABLE_HEAD_BYTES || table.size < OFFSET_BYTES)
    {
      sonde_flat_buffer_fail (buffer, SONDE_DATA_ERROR_DAMAGED,
                              "the table at offset %zu has %u bytes of slots and %u of fields; at "
                              "least 4 and 4 are needed",
                              at, vtable_bytes, table.size);
      return absent;
    }
  if (!check_span (buffer, vtable, vtable_bytes, N_ ("the slots of a table"))
      || !check_span (buffer, at, table.size, N_ ("a table")))
    return absent;
  table.n_slots = (vtable_bytes - VTABLE_HEAD_BYTES) / SLOT_BYTES;
  return table;
}

/* What the unsigned offset at @from refers to, counted from its own place. Inside the file. */
static gboolean
follow (SondeFlatBuffer *buffer, gsize from, gsize *to)
{
  guint32 offset = load_u32 (buffer, from);

  if (offset != 0 && offset <= buffer->length - from)
    {
      *to = from + offset;
      return TRUE;
    }
  sonde_flat_buffer_fail (buffer, SONDE_DATA_ERROR_DAMAGED,
                          "the reference at offset %zu leads %" PRIu32
                          " bytes on; the file ends %zu bytes behind it",
                          from, offset, buffer->length - from);
  return FALSE;
}

SondeFlatTable
sonde_flat_buffer_get_root (SondeFlatBuffer *buffer)
{
  gsize at = 0;

  if (!check_span (buffer, 0, OFFSET_BYTES, N_ ("the reference to the root"))
      || !follow (buffer, 0, &at))
    return (SondeFlatTable){ 0 };
  return open_table (buffer, at);
}

/* Where the @bytes of slot number @slot lie; FALSE when it is absent. */
static gboolean
find_slot (const SondeFlatTable *table, guint slot, guint bytes, gsize *at)
{
  guint offset;

  if (table->buffer == NULL || table->buffer->error != NULL || slot >= table->n_slots)
    return FALSE;
  offset = load_u16 (table->buffer, table->slots + SLOT_BYTES * slot);
  if (offset == 0)
    return FALSE;
  *at = table->at + offset;
  if (offset >= OFFSET_BYTES && offset + bytes <= table->size)
    return TRUE;
  sonde_flat_buffer_fail (table->buffer, SONDE_DATA_ERROR_DAMAGED,
                          "field %u of the table at offset %zu has %u bytes at %u; the table has "
                          "%u bytes",
                          slot, table->at, bytes, offset, table->size);
  return FALSE;
}

gboolean
sonde_flat_table_get_bool (const SondeFlatTable *table, guint slot)
{
  return sonde_flat_table_get_u8 (table, slot, 0) != 0;
}

int
sonde_flat_table_get_i8 (const SondeFlatTable *table, guint slot, int fallback)
{
  gsize at;

  return find_slot (table, slot, 1, &at) ? (gint8) table->buffer->data[at] : fallback;
}

guint
sonde_flat_table_get_u8 (const SondeFlatTable *table, guint slot, guint fallback)
{
  gsize at;

  return find_slot (table, slot, 1, &at) ? table->buffer->data[at] : fallback;
}

gint32
sonde_flat_table_get_i32 (const SondeFlatTable *table, guint slot, gint32 fallback)
{
  gsize at;

  return find_slot (table, slot, 4, &at) ? (gint32) load_u32 (table->buffer, at) : fallback;
}

guint32
sonde_flat_table_get_u32 (const SondeFlatTable *table, guint slot, guint32 fallback)
{
  gsize at;

  return find_slot (table, slot, 4, &at) ? load_u32 (table->buffer, at) : fallback;
}

guint64
sonde_flat_table_get_u64 (const SondeFlatTable *table, guint slot, guint64 fallback)
{
  gsize at;

  return find_slot (table, slot, 8, &at) ? load_u64 (table->buffer, at) : fallback;
}

float
sonde_flat_table_get_f32 (const SondeFlatTable *table, guint slot, float fallback)
{
  gsize at;

  return find_slot (table, slot, 4, &at) ? load_f32 (table->buffer, at) : fallback;
}

SondeFlatTable
sonde_flat_table_get_table (const SondeFlatTable *table, guint slot)
{
  gsize from, at = 0;

  if (!find_slot (table, slot, OFFSET_BYTES, &from) || !follow (table->buffer, from, &at))
    return (SondeFlatTable){ 0 };
  return open_table (table->buffer, at);
}

/* ---- vectors ------------------------------------------------------------- */

SondeFlatVector
sonde_flat_table_get_vector (const SondeFlatTable *table, guint slot, guint element_size)
{
  SondeFlatBuffer *buffer = table->buffer;
  const SondeFlatVector absent = { 0 };
  gsize from, at = 0;
  guint32 count;

  if (!find_slot (table, slot, OFFSET_BYTES, &from) || !follow (buffer, from, &at)
      || !check_span (buffer, at, OFFSET_BYTES, N_ ("a vector")))
    return absent;
  count = load_u32 (buffer, at);
  at += OFFSET_BYTES;
  if (!check_span (buffer, at, (guint64) count * element_size, N_ ("a vector"))
      || !visit (buffer, element_size > 1 ? (guint64) count * element_size : 0))
    return absent;
  return (SondeFlatVector){ buffer, at, count };
}

char *
sonde_flat_table_dup_string (const SondeFlatTable *table, guint slot)
{
  SondeFlatVector bytes = sonde_flat_table_get_vector (table, slot, 1);
  g_autofree char *text = NULL;

  if (bytes.buffer == NULL || !visit (bytes.buffer, bytes.count))
    return NULL;
  text = g_strndup ((const char *) sonde_flat_vector_get_bytes (&bytes), bytes.count);
  return g_utf8_validate (text, -1, NULL) ? g_steal_pointer (&text) : g_utf8_make_valid (text, -1);
}

SondeFlatTable
sonde_flat_vector_get_table (const SondeFlatVector *vector, guint32 index)
{
  gsize at = 0;

  if (vector->buffer->error != NULL
      || !follow (vector->buffer, vector->at + OFFSET_BYTES * (gsize) index, &at))
    return (SondeFlatTable){ 0 };
  return open_table (vector->buffer, at);
}

gint32
sonde_flat_vector_get_i32 (const SondeFlatVector *vector, guint32 index)
{
  return (gint32) load_u32 (vector->buffer, vector->at + 4 * (gsize) index);
}

gint64
sonde_flat_vector_get_i64 (const SondeFlatVector *vector, guint32 index)
{
  return (gint64) load_u64 (vector->buffer, vector->at + 8 * (gsize) index);
}

float
sonde_flat_vector_get_f32 (const SondeFlatVector *vector, guint32 index)
{
  return load_f32 (vector->buffer, vector->at + 4 * (gsize) index);
}

const guint8 *
sonde_flat_vector_get_bytes (const SondeFlatVector *vector)
{
  return vector->buffer != NULL ? vector->buffer->data + vector->at : NULL;
}
