/* SPDX-License-Identifier: Apache-2.0
 * Protobuf's binary form, as Caffe's .caffemodel have it. Fields that the tables do not know are
 * stepped over; numbers of blobs stay where they are. */
#include "data/models/caffe/sonde-caffe-message.h"
#include "data/wire/sonde-wire-cursor.h"

#define MOST_NESTING 16
#define MOST_ENTRIES 2000000

typedef struct
{
  const char *path;
  const guint8 *bytes;
  guint entries;
  GError **error;
} Reader;

static gboolean
fail (Reader *reader, const guint8 *at, const SondeCaffeType *type, const char *what)
{
  sonde_set_error (reader->error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s”, byte %zu, in %s: %-s", reader->path, (gsize) (at - reader->bytes),
                   type->name, what);
  return FALSE;
}

static gboolean read_message (Reader *reader, SondeCaffeMessage *message, SondeWireCursor cursor,
                              guint depth);

static double
number_of (const SondeCaffeField *field, const SondeWireItem *item)
{
  if (item->type == SONDE_WIRE_FIXED64)
    return sonde_wire_item_double (item);
  if (item->type == SONDE_WIRE_FIXED32)
    return (double) sonde_wire_item_float (item);
  return (double) (gint64) item->value;
}

/* A packed list of varints, each a value of its own. */
static gboolean
read_varints (Reader *reader, SondeCaffeMessage *message, const SondeCaffeField *field,
              const SondeWireItem *item)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (item);
  guint64 value = 0;

  while (cursor.at != cursor.end)
    {
      if (!sonde_wire_take_varint (&cursor, &value))
        return fail (reader, cursor.at, message->type, N_ ("a number does not end"));
      if (++reader->entries > MOST_ENTRIES)
        return fail (reader, cursor.at, message->type, N_ ("there are too many values"));
      sonde_caffe_message_add (message, field)->number = (double) (gint64) value;
    }
  return TRUE;
}

static gboolean
read_packed (Reader *reader, SondeCaffeMessage *message, const SondeCaffeField *field,
             const SondeWireItem *item)
{
  gsize width = g_str_has_prefix (field->name, "double_") ? 8 : 4;
  SondeCaffeEntry *entry = NULL;

  if (!field->is_float)
    return read_varints (reader, message, field, item);
  if (item->length % width != 0)
    return fail (reader, item->bytes, message->type,
                 N_ ("the length of a list of numbers is no multiple of the size of one"));
  entry = sonde_caffe_message_add (message, field);
  entry->packed = item->bytes;
  entry->n_packed = item->length / width;
  entry->width = width;
  return TRUE;
}

static gboolean
read_text (Reader *reader, SondeCaffeMessage *message, const SondeCaffeField *field,
           const SondeWireItem *item)
{
  const char *text = (const char *) item->bytes;

  if (!g_utf8_validate_len (text, item->length, NULL))
    return fail (reader, item->bytes, message->type, N_ ("a text is not valid UTF-8"));
  sonde_caffe_message_add (message, field)->text = g_strndup (text, item->length);
  return TRUE;
}

static gboolean
read_inner (Reader *reader, SondeCaffeMessage *parent, const SondeCaffeField *field,
            const SondeWireItem *item, guint depth)
{
  SondeCaffeMessage *message = sonde_caffe_message_new (field->type, 0);

  sonde_caffe_message_add (parent, field)->message = message;
  if (depth >= MOST_NESTING)
    return fail (reader, item->bytes, parent->type, N_ ("messages lie too deep in each other"));
  return field->type->fields == NULL
         || read_message (reader, message, sonde_wire_item_cursor (item), depth + 1);
}

static gboolean
read_item (Reader *reader, SondeCaffeMessage *message, const SondeCaffeField *field,
           const SondeWireItem *item, const guint8 *at, guint depth)
{
  gboolean is_bytes = item->type == SONDE_WIRE_BYTES;

  if (++reader->entries > MOST_ENTRIES)
    return fail (reader, at, message->type, N_ ("there are too many values"));
  if (is_bytes && field->kind == SONDE_CAFFE_MESSAGE)
    return read_inner (reader, message, field, item, depth);
  if (is_bytes && field->kind == SONDE_CAFFE_TEXT)
    return read_text (reader, message, field, item);
  if (is_bytes && field->kind == SONDE_CAFFE_NUMBER)
    return read_packed (reader, message, field, item);
  if (is_bytes || field->kind == SONDE_CAFFE_MESSAGE || field->kind == SONDE_CAFFE_TEXT)
    return fail (reader, at, message->type, N_ ("a field has another type than Caffe gives it"));
  sonde_caffe_message_add (message, field)->number = number_of (field, item);
  return TRUE;
}

static gboolean
read_message (Reader *reader, SondeCaffeMessage *message, SondeWireCursor cursor, guint depth)
{
  SondeWireItem item;
  SondeWireStep step;
  const guint8 *at = cursor.at;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    {
      const SondeCaffeField *field = sonde_caffe_field_by_number (message->type, item.number);

      if (field != NULL && !read_item (reader, message, field, &item, at, depth))
        return FALSE;
      at = cursor.at;
    }
  if (step == SONDE_WIRE_BROKEN)
    return fail (
        reader, at, message->type,
        N_ ("the bytes are cut or damaged: no field begins here, or it goes beyond the end"));
  return TRUE;
}

SondeCaffeMessage *
sonde_caffe_parse_bytes (const char *path, const guint8 *bytes, gsize length, GError **error)
{
  g_autoptr (SondeCaffeMessage) net = sonde_caffe_message_new (&sonde_caffe_net_type, 0);
  Reader reader = { .path = path, .bytes = bytes, .error = error };

  return read_message (&reader, net, sonde_wire_cursor (bytes, length), 1) ? g_steal_pointer (&net)
                                                                           : NULL;
}
