/* SPDX-License-Identifier: Apache-2.0
 * IDX files: a header of sizes, then bytes. They are hostile: what the header promises is compared
 * with what is there before memory is taken. */
#include "data/datasets/sonde-idx-private.h"

#include "data/base/sonde-budget.h"
#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"

#include <isa-l/igzip_lib.h>
#include <string.h>

#define MAX_SIDE 4096
#define IDX_BYTES 0x08 /* type: unsigned bytes */

/* Bytes of a file, inflated piece by piece when it is .gz, so that never more is made than was
 * asked. */
typedef struct
{
  const char *path;
  GBytes *file; /* owned */
  gboolean compressed;
  struct inflate_state inflate;
  gsize at; /* in the plain file */
} Stream;

static gboolean
stream_open (Stream *stream, const SondeIo *io, const char *path, GError **error)
{
  gsize length;
  const guint8 *data;

  stream->path = path;
  stream->at = 0;
  stream->file = sonde_io_read_file (io, path, SONDE_BUDGET_PARSE_BYTES, error);
  if (stream->file == NULL)
    return FALSE;
  data = g_bytes_get_data (stream->file, &length);
  stream->compressed = length >= 2 && data[0] == 0x1f && data[1] == 0x8b;
  if (stream->compressed)
    {
      isal_inflate_init (&stream->inflate);
      stream->inflate.crc_flag = ISAL_GZIP;
      stream->inflate.next_in = (guint8 *) data;
      stream->inflate.avail_in = (guint32) length;
    }
  return TRUE;
}

static gboolean G_GNUC_PRINTF (5, 6)
    idx_fail (const Stream *stream, SondeDataError code, gsize offset, GError **error,
              const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  sonde_set_error_va (error, SONDE_DATA_ERROR, code, format, arguments);
  va_end (arguments);
  if (stream->compressed)
    sonde_prefix_error (error, "“%s”, offset %zu of the uncompressed data: ", stream->path, offset);
  else
    sonde_prefix_error (error, "“%s”, offset %zu: ", stream->path, offset);
  return FALSE;
}

static gsize
take_plain (Stream *stream, guint8 *to, gsize length)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (stream->file, &size);
  gsize part = MIN (length, size - stream->at);

  if (part > 0)
    memcpy (to, data + stream->at, part);
  return part;
}

/* FALSE when the compressed bytes are damaged. */
static gboolean
take_inflated (Stream *stream, guint8 *to, gsize length, gsize *got)
{
  stream->inflate.next_out = to;
  stream->inflate.avail_out = (guint32) length;
  while (stream->inflate.avail_out > 0 && stream->inflate.block_state != ISAL_BLOCK_FINISH)
    {
      guint32 in = stream->inflate.avail_in, out = stream->inflate.avail_out;

      if (isal_inflate (&stream->inflate) != ISAL_DECOMP_OK)
        return FALSE;
      if (in == stream->inflate.avail_in && out == stream->inflate.avail_out)
        break; /* the file ends before its data does */
    }
  *got = length - stream->inflate.avail_out;
  return TRUE;
}

static gboolean
stream_read (Stream *stream, guint8 *to, gsize length, GError **error)
{
  gsize got = 0;

  if (stream->compressed && !take_inflated (stream, to, length, &got))
    return idx_fail (stream, SONDE_DATA_ERROR_DAMAGED, stream->at, error,
                     "the compressed data are damaged");
  if (!stream->compressed)
    got = take_plain (stream, to, length);
  stream->at += got;
  if (got < length)
    return idx_fail (stream, SONDE_DATA_ERROR_DAMAGED, stream->at, error,
                     "the file ends before all its elements");
  return TRUE;
}

/* After the last element: nothing more may come, and the checksum of .gz must be right. */
static gboolean
stream_end (Stream *stream, GError **error)
{
  guint8 beyond;
  gsize got = 0;

  if (stream->compressed && !take_inflated (stream, &beyond, 1, &got))
    return idx_fail (stream, SONDE_DATA_ERROR_DAMAGED, stream->at, error,
                     "the checksum of the compressed file does not match its data");
  if (stream->compressed && got == 0 && stream->inflate.block_state != ISAL_BLOCK_FINISH)
    return idx_fail (stream, SONDE_DATA_ERROR_DAMAGED, stream->at, error,
                     "the compressed file is truncated: its checksum is missing");
  if (!stream->compressed)
    got = take_plain (stream, &beyond, 1);
  if (got > 0)
    return idx_fail (stream, SONDE_DATA_ERROR_DAMAGED, stream->at, error,
                     "more bytes follow than the header declares");
  return TRUE;
}

/* The sizes of the header, and the number of elements. */
static gboolean
read_header (Stream *stream, int rank, guint32 *sizes, gsize *n_bytes, GError **error)
{
  guint8 header[4 + 4 * 3];
  gsize total = 1;

  if (!stream_read (stream, header, 4 + 4 * (gsize) rank, error))
    return FALSE;
  if (header[0] != 0 || header[1] != 0 || header[2] != IDX_BYTES || header[3] != rank)
    return idx_fail (stream, SONDE_DATA_ERROR_DAMAGED, 0, error,
                     "the first bytes are %02x %02x %02x %02x; an IDX file with %-s begins with "
                     "00 00 08 %02x",
                     header[0], header[1], header[2], header[3],
                     rank == 3 ? N_ ("images") : N_ ("labels"), rank);
  for (int i = 0; i < rank; i++)
    {
      memcpy (&sizes[i], header + 4 + 4 * i, 4);
      sizes[i] = GUINT32_FROM_BE (sizes[i]);
      if (!sonde_checked_mul (&total, total, (gsize) sizes[i]) || total > SONDE_BUDGET_PARSE_BYTES
          || (i > 0 && (sizes[i] == 0 || sizes[i] > MAX_SIDE)))
        return idx_fail (stream, SONDE_DATA_ERROR_LIMIT, 4 + 4 * (gsize) i, error,
                         "size %u in dimension %d is impossible, or exceeds the limit of %d MiB",
                         sizes[i], i, (int) (SONDE_BUDGET_PARSE_BYTES >> 20));
    }
  *n_bytes = total;
  return TRUE;
}

/* A plain file tells its size, so that a lie in the header costs no memory. */
static gboolean
check_present (const Stream *stream, gsize n_bytes, GError **error)
{
  gsize size = g_bytes_get_size (stream->file);

  /* deflate packs 1032 bytes into one at best */
  if (stream->compressed ? n_bytes / 1032 <= size : n_bytes <= size - stream->at)
    return TRUE;
  return idx_fail (stream, SONDE_DATA_ERROR_DAMAGED, size, error,
                   "the file ends before all its elements");
}

guint8 *
sonde_idx_read (const SondeIo *io, const char *path, int rank, guint32 *sizes, GError **error)
{
  Stream stream;
  gsize n_bytes = 0;
  guint8 *elements = NULL;
  gboolean whole;

  if (!stream_open (&stream, io, path, error))
    return NULL;
  whole = read_header (&stream, rank, sizes, &n_bytes, error)
          && check_present (&stream, n_bytes, error);
  if (whole)
    elements = sonde_try_alloc (NULL, n_bytes, path, error);
  whole = elements != NULL && (n_bytes == 0 || stream_read (&stream, elements, n_bytes, error))
          && stream_end (&stream, error);
  g_bytes_unref (stream.file);
  if (!whole)
    g_clear_pointer (&elements, g_free);
  return elements;
}
