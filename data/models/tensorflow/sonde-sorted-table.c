/* SPDX-License-Identifier: Apache-2.0
 * Blocks, and the entries in them. */
#include "data/models/tensorflow/sonde-sorted-table.h"

#include <isa-l.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/wire/sonde-wire-cursor.h"

#define MAGIC G_GUINT64_CONSTANT (0xdb4775248b80fb57)
#define TRAILER 5 /* compression, checksum */
#define MASK 0xa282ead8u
#define MAX_PART (1 << 30) /* crc32_iscsi counts in int */

guint32
sonde_crc32c_extend (guint32 crc, const guint8 *bytes, gsize length)
{
  crc = ~crc;
  while (length > 0)
    {
      int part = (int) MIN (length, MAX_PART);

      crc = crc32_iscsi ((unsigned char *) bytes, part, crc);
      bytes += part;
      length -= (gsize) part;
    }
  return ~crc;
}

guint32
sonde_crc32c_mask (guint32 crc)
{
  return ((crc >> 15) | (crc << 17)) + MASK;
}

static guint32
read_u32 (const guint8 *at)
{
  guint32 value;

  memcpy (&value, at, sizeof value);
  return GUINT32_FROM_LE (value);
}

/* ---- blocks -------------------------------------------------------------- */

/* A file that is read. */
typedef struct
{
  const guint8 *data;
  gsize length;
  const char *path;
} Table;

static gboolean
fail (const Table *table, guint64 at, const char *what, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s”: the block at byte %" PRIu64 " %-s", table->path, at, what);
  return FALSE;
}

/* Where a block is; of a footer or an entry of the index. */
typedef struct
{
  guint64 offset, size;
} Handle;

static gboolean
read_handle (SondeWireCursor *cursor, Handle *handle)
{
  return sonde_wire_take_varint (cursor, &handle->offset)
         && sonde_wire_take_varint (cursor, &handle->size);
}

/* The entries of a block, without restarts. */
static gboolean
open_block (const Table *table, const Handle *handle, SondeWireCursor *entries, GError **error)
{
  const guint8 *start;
  guint64 restarts;

  if (handle->offset > table->length || table->length - handle->offset < TRAILER
      || handle->size > table->length - handle->offset - TRAILER)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s”: a block of %" PRIu64 " bytes at byte %" PRIu64
                       " goes past the end of the file, which has %zu",
                       table->path, handle->size, handle->offset, table->length);
      return FALSE;
    }
  start = table->data + handle->offset;
  if (sonde_crc32c_mask (sonde_crc32c_extend (0, start, handle->size + 1))
      != read_u32 (start + handle->size + 1))
    return fail (table, handle->offset, N_ ("has a wrong checksum"), error);
  if (start[handle->size] != 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s”: the block at byte %" PRIu64
                       " is compressed (kind %u), which is not read",
                       table->path, handle->offset, (guint) start[handle->size]);
      return FALSE;
    }
  restarts = handle->size >= 4 ? read_u32 (start + handle->size - 4) : G_MAXUINT32;
  if (restarts * 4 + 4 > handle->size)
    return fail (table, handle->offset, N_ ("has more restarts than bytes"), error);
  *entries = sonde_wire_cursor (start, handle->size - 4 - restarts * 4);
  return TRUE;
}

/* ---- entries ------------------------------------------------------------- */

typedef gboolean (*Each) (const char *key, gsize key_length, const guint8 *value, gsize length,
                          gpointer data, GError **error);

/* The next entry; @key: the one before, which it may begin as. FALSE: cut */
static gboolean
take_entry (SondeWireCursor *cursor, GString *key, const guint8 **value, gsize *length)
{
  guint64 shared, unshared, size;

  if (!sonde_wire_take_varint (cursor, &shared) || !sonde_wire_take_varint (cursor, &unshared)
      || !sonde_wire_take_varint (cursor, &size) || shared > key->len
      || unshared > (guint64) (cursor->end - cursor->at)
      || size > (guint64) (cursor->end - cursor->at) - unshared)
    return FALSE;
  g_string_truncate (key, shared);
  g_string_append_len (key, (const char *) cursor->at, (gssize) unshared);
  *value = cursor->at + unshared;
  *length = size;
  cursor->at += unshared + size;
  return TRUE;
}

static gboolean
walk_block (const Table *table, const Handle *handle, Each each, gpointer data, GError **error)
{
  g_autoptr (GString) key = g_string_new (NULL);
  SondeWireCursor cursor;
  const guint8 *value;
  gsize length;

  if (!open_block (table, handle, &cursor, error))
    return FALSE;
  while (cursor.at != cursor.end)
    {
      if (!take_entry (&cursor, key, &value, &length))
        return fail (table, handle->offset, N_ ("ends inside an entry"), error);
      if (!each (key->str, key->len, value, length, data, error))
        return FALSE;
    }
  return TRUE;
}

/* What stands in the index: the handle of a block of entries. */
typedef struct
{
  const Table *table;
  Each each;
  gpointer data;
} Walk;

static gboolean
walk_indexed (const char *key, gsize key_length, const guint8 *value, gsize length, gpointer data,
              GError **error)
{
  const Walk *walk = data;
  SondeWireCursor cursor = sonde_wire_cursor (value, length);
  Handle handle;

  if (!read_handle (&cursor, &handle))
    return fail (walk->table, (guint64) (value - walk->table->data), N_ ("is said by no number"),
                 error);
  return walk_block (walk->table, &handle, walk->each, walk->data, error);
}

/* ---- the file ------------------------------------------------------------ */

gboolean
sonde_sorted_table_sniff (const guint8 *end, gsize length)
{
  guint64 magic;

  if (length < SONDE_SORTED_TABLE_FOOTER)
    return FALSE;
  memcpy (&magic, end + length - 8, sizeof magic);
  return GUINT64_FROM_LE (magic) == MAGIC;
}

gboolean
sonde_sorted_table_foreach (GBytes *bytes, const char *path, Each each, gpointer data,
                            GError **error)
{
  const Table table = { g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), path };
  Walk walk = { &table, each, data };
  SondeWireCursor cursor;
  Handle meta, index;

  if (!sonde_sorted_table_sniff (table.data, table.length))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s” has %zu bytes and does not end as a table of variables does", path,
                       table.length);
      return FALSE;
    }
  cursor = sonde_wire_cursor (table.data + table.length - SONDE_SORTED_TABLE_FOOTER,
                              SONDE_SORTED_TABLE_FOOTER - 8);
  if (!read_handle (&cursor, &meta) || !read_handle (&cursor, &index))
    return fail (&table, table.length - SONDE_SORTED_TABLE_FOOTER, N_ ("is said by no number"),
                 error);
  return walk_block (&table, &index, walk_indexed, &walk, error);
}
