/* SPDX-License-Identifier: Apache-2.0
 * A model file in memory, all but the large raw_data of its initialisers: those bytes go from the
 * file to their tensors without a stop on the way. Memory for them is reserved and never touched,
 * so every offset is the file's, and the message that is decoded of them lends bytes out of them. */
#include "data/models/onnx/sonde-onnx-file.h"

#include <limits.h>

#include "data/wire/sonde-wire-cursor.h"

#define GRAPH_FIELD 7
#define INITIALIZER_FIELD 5
#define RAW_DATA_FIELD 9
#define LARGE_BYTES 65536 /* of raw_data; smaller ones are read */
#define TAG_BYTES 20      /* at most, of a field's number and length */
#define LEAST_WINDOW ((gsize) 4096)
#define LARGEST_WINDOW ((gsize) 1 << 20)

/* ---- reading ------------------------------------------------------------- */

static gboolean
fill_span (SondeOnnxFile *file, gsize begin, gsize length, GError **error)
{
  gssize got = sonde_io_pread_full (file->io, file->fd, file->path, file->data + begin, length,
                                    begin, error);

  if (got < 0)
    return FALSE;
  if ((gsize) got < length) /* it has become shorter */
    file->length = MIN (file->length, begin + (gsize) got);
  return TRUE;
}

/* All up to @end is there, but for the gaps. Reads ahead, the less the nearer the last gap is. */
static gboolean
fill_to (SondeOnnxFile *file, gsize end, GError **error)
{
  gsize part;

  end = MIN (end, file->length);
  if (end <= file->filled)
    return TRUE;
  part = MIN (MAX (end - file->filled, file->window), file->length - file->filled);
  if (!fill_span (file, file->filled, part, error))
    return FALSE;
  file->filled += part;
  file->window = MIN (2 * file->window, LARGEST_WINDOW);
  return TRUE;
}

static void
leave_gap (SondeOnnxFile *file, const SondeWireItem *item)
{
  SondeOnnxGap gap = { (gsize) (item->bytes - file->data), item->length };

  g_array_append_val (file->gaps, gap);
  file->filled = MAX (file->filled, gap.offset + gap.length);
  file->window = LEAST_WINDOW;
}

/* ---- walking ------------------------------------------------------------- */

/* What it does not understand is read like all else: the decoder will say what is wrong with it. */
static gboolean
read_fields (SondeOnnxFile *file, SondeWireCursor cursor, guint depth, GError **error)
{
  static const guint32 path[] = { GRAPH_FIELD, INITIALIZER_FIELD, RAW_DATA_FIELD };
  SondeWireItem item;

  while (cursor.at != cursor.end)
    {
      gboolean ours;

      if (!fill_to (file, (gsize) (cursor.at - file->data) + TAG_BYTES, error))
        return FALSE;
      if (sonde_wire_next (&cursor, &item) != SONDE_WIRE_ITEM)
        return TRUE;
      ours = item.number == path[depth] && item.type == SONDE_WIRE_BYTES;
      if (ours && depth + 1 < G_N_ELEMENTS (path))
        {
          if (!read_fields (file, sonde_wire_item_cursor (&item), depth + 1, error))
            return FALSE;
        }
      else if (ours && item.length >= LARGE_BYTES)
        leave_gap (file, &item);
      else if (!fill_to (file, (gsize) (cursor.at - file->data), error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sonde_onnx_file_open (SondeOnnxFile *file, const SondeIo *io, const char *path, GError **error)
{
  guint64 size = 0;

  *file = (SondeOnnxFile){ .io = io, .path = path, .window = LEAST_WINDOW };
  file->fd = sonde_io_open_regular (io, path, &size, error);
  if (file->fd < 0)
    return FALSE;
  if (size > INT_MAX)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "“%s” holds %" PRIu64 " bytes; at most %d are read here", path, size,
                       INT_MAX);
      return FALSE;
    }
  file->data = g_try_malloc0 (MAX (size, 1)); /* of this size untouched pages, which cost nothing */
  if (file->data == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                       "“%s” holds %" PRIu64 " bytes, more than the system has free", path, size);
      return FALSE;
    }
  file->length = (gsize) size;
  file->gaps = g_array_new (FALSE, FALSE, sizeof (SondeOnnxGap));
  return read_fields (file, sonde_wire_cursor (file->data, file->length), 0, error)
         && fill_to (file, file->length, error);
}

void
sonde_onnx_file_close (SondeOnnxFile *file)
{
  sonde_io_close (file->io, file->fd);
  g_clear_pointer (&file->gaps, g_array_unref);
  g_clear_pointer (&file->data, g_free);
}

/* ---- gaps ---------------------------------------------------------------- */

static int
compare_gaps (gconstpointer a, gconstpointer b)
{
  const SondeOnnxGap *one = a, *other = b;

  return (one->offset > other->offset) - (one->offset < other->offset);
}

gboolean
sonde_onnx_file_has_gap (const SondeOnnxFile *file, const guint8 *place)
{
  const SondeOnnxGap wanted = { (gsize) (place - file->data), 0 };

  return g_array_binary_search (file->gaps, &wanted, compare_gaps, NULL);
}

gboolean
sonde_onnx_file_read (const SondeOnnxFile *file, const guint8 *place, gsize length, void *to,
                      GError **error)
{
  gsize offset = (gsize) (place - file->data);
  gssize got = sonde_io_pread_full (file->io, file->fd, file->path, to, length, offset, error);

  if (got >= 0 && (gsize) got < length)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s” became shorter while it was read: %zu bytes at offset %zu are gone",
                     file->path, length - (gsize) got, offset + (gsize) got);
  return got >= 0 && (gsize) got == length;
}
