/* SPDX-License-Identifier: Apache-2.0
 * A model file in memory, all but the large raw_data of its initialisers: those bytes go from the
 * file to their tensors without a stop on the way. Memory for them is reserved and never touched,
 * so every offset is the file's. */
#include "data/models/onnx/sonde-onnx-file.h"

#include <limits.h>

#include "data/models/onnx/sonde-onnx-field.h"

#define TAG_BYTES 20 /* at most, of a field's number and length */
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
leave_gap (SondeOnnxFile *file, const SondeOnnxField *field)
{
  SondeOnnxSpan gap = { field->content, field->end - field->content };

  g_array_append_val (file->gaps, gap);
  file->filled = MAX (file->filled, field->end);
  file->window = LEAST_WINDOW;
}

/* ---- walking ------------------------------------------------------------- */

/* What it does not understand is read like all else: the scan will say what is wrong with it. */
static gboolean
read_fields (SondeOnnxFile *file, gsize begin, gsize end, guint depth, GError **error)
{
  static const guint64 path[]
      = { SONDE_ONNX_GRAPH_FIELD, SONDE_ONNX_INITIALIZER_FIELD, SONDE_ONNX_RAW_DATA_FIELD };
  SondeOnnxField field = { 0 };

  for (gsize at = begin; at < end; at = field.end)
    {
      gboolean ours;

      if (!fill_to (file, at + TAG_BYTES, error))
        return FALSE;
      if (!sonde_onnx_next_field (file->data, end, at, &field))
        return TRUE;
      ours = field.number == path[depth] && field.wire == 2;
      if (ours && depth + 1 < G_N_ELEMENTS (path))
        {
          if (!read_fields (file, field.content, field.end, depth + 1, error))
            return FALSE;
        }
      else if (ours && field.end - field.content >= SONDE_ONNX_LARGE_BYTES)
        leave_gap (file, &field);
      else if (!fill_to (file, field.end, error))
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
  file->gaps = g_array_new (FALSE, FALSE, sizeof (SondeOnnxSpan));
  return read_fields (file, 0, file->length, 0, error) && fill_to (file, file->length, error);
}

void
sonde_onnx_file_close (SondeOnnxFile *file)
{
  sonde_io_close (file->io, file->fd);
  g_clear_pointer (&file->gaps, g_array_unref);
  g_clear_pointer (&file->data, g_free);
}

/* ---- gaps ---------------------------------------------------------------- */

gboolean
sonde_onnx_file_fill (SondeOnnxFile *file, GError **error)
{
  for (guint i = 0; i < file->gaps->len; i++)
    {
      const SondeOnnxSpan *gap = &g_array_index (file->gaps, SondeOnnxSpan, i);

      if (!fill_span (file, gap->offset, gap->length, error))
        return FALSE;
    }
  g_array_set_size (file->gaps, 0);
  return TRUE;
}

/* Both are in the order of the file. */
gboolean
sonde_onnx_file_has_gaps_only_at (const SondeOnnxFile *file, const GArray *spans)
{
  guint k = 0;

  for (guint i = 0; spans != NULL && i < spans->len && k < file->gaps->len; i++)
    {
      const SondeOnnxSpan *span = &g_array_index (spans, SondeOnnxSpan, i);
      const SondeOnnxSpan *gap = &g_array_index (file->gaps, SondeOnnxSpan, k);

      k += span->offset == gap->offset && span->length == gap->length;
    }
  return k == file->gaps->len;
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
