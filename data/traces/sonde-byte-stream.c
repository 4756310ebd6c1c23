/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/sonde-byte-stream.h"

#include <string.h>

#define CHUNK_BYTES ((gsize) 256 << 10)
#define KEPT_LINE_MAX (SONDE_BYTE_STREAM_MAX / 8)

/* @at, @end: what is left, in @buffer of @size bytes
 * @offset: where buffer[0] stands
 * @ended: nothing comes after @end */
struct _SondeByteStream
{
  SondeByteSource source;
  gpointer data;
  guint8 *buffer;
  gsize size, at, end;
  guint64 offset;
  gboolean ended;
  GError *error;
  const SondeIo *io; /* of a file */
  int fd;
  const char *name;
};

static gssize
read_file (gpointer data, guint8 *bytes, gsize n, GError **error)
{
  SondeByteStream *stream = data;

  return sonde_io_pread_full (stream->io, stream->fd, stream->name, bytes, n,
                              stream->offset + stream->end, error);
}

SondeByteStream *
sonde_byte_stream_new (SondeByteSource source, gpointer data)
{
  SondeByteStream *stream = g_new0 (SondeByteStream, 1);

  stream->source = source;
  stream->data = data;
  stream->size = 2 * CHUNK_BYTES;
  stream->buffer = g_malloc (stream->size);
  return stream;
}

SondeByteStream *
sonde_byte_stream_new_for_file (const SondeIo *io, int fd, const char *name)
{
  SondeByteStream *stream = sonde_byte_stream_new (read_file, NULL);

  stream->data = stream;
  stream->io = io;
  stream->fd = fd;
  stream->name = name;
  return stream;
}

void
sonde_byte_stream_free (SondeByteStream *stream)
{
  if (stream == NULL)
    return;
  g_free (stream->buffer);
  g_clear_error (&stream->error);
  g_free (stream);
}

guint64
sonde_byte_stream_get_offset (const SondeByteStream *stream)
{
  return stream->offset + stream->at;
}

GError *
sonde_byte_stream_steal_error (SondeByteStream *stream)
{
  return g_steal_pointer (&stream->error);
}

/* Makes room for a chunk behind @wanted bytes from the place on. */
static void
make_space (SondeByteStream *stream, gsize wanted)
{
  gsize n = stream->end - stream->at;

  if (stream->at + wanted + CHUNK_BYTES <= stream->size)
    return;
  memmove (stream->buffer, stream->buffer + stream->at, n);
  stream->offset += stream->at;
  stream->at = 0;
  stream->end = n;
  if (wanted + CHUNK_BYTES <= stream->size)
    return;
  stream->size = MAX (2 * stream->size, wanted + CHUNK_BYTES);
  stream->buffer = g_realloc (stream->buffer, stream->size);
}

const guint8 *
sonde_byte_stream_peek (SondeByteStream *stream, gsize wanted, gsize *n)
{
  while (stream->end - stream->at < wanted && !stream->ended)
    {
      gssize got;

      make_space (stream, wanted);
      got = stream->source (stream->data, stream->buffer + stream->end, stream->size - stream->end,
                            &stream->error);
      stream->ended = got <= 0;
      stream->end += MAX (got, 0);
    }
  *n = stream->end - stream->at;
  return stream->buffer + stream->at;
}

gboolean
sonde_byte_stream_skip (SondeByteStream *stream, guint64 n)
{
  gsize there = stream->end - stream->at;

  /* of a file nothing is read but what lies behind, and the byte before that tells whether it is there */
  if (n > there && stream->io != NULL && !stream->ended)
    {
      if (n > G_MAXINT64 - sonde_byte_stream_get_offset (stream))
        return FALSE;
      sonde_byte_stream_seek (stream, sonde_byte_stream_get_offset (stream) + n - 1);
      sonde_byte_stream_peek (stream, 1, &there);
      n = 1;
    }
  while (n > there)
    {
      stream->at = stream->end;
      n -= there;
      sonde_byte_stream_peek (stream, 1, &there);
      if (there == 0)
        return FALSE;
    }
  stream->at += n;
  return TRUE;
}

void
sonde_byte_stream_seek (SondeByteStream *stream, guint64 offset)
{
  stream->offset = offset;
  stream->at = stream->end = 0;
  stream->ended = stream->error != NULL;
}

/* How many bytes there are up to the end of the line; @n is what there is of it when there is none. */
static const char *
find_line (SondeByteStream *stream, gsize *n, gboolean *has_end)
{
  gsize looked_at = 0, there;
  const guint8 *bytes = sonde_byte_stream_peek (stream, 1, &there);

  while (TRUE)
    {
      const guint8 *end
          = there > looked_at ? memchr (bytes + looked_at, '\n', there - looked_at) : NULL;

      *has_end = end != NULL;
      *n = end != NULL ? (gsize) (end - bytes) : there;
      if (end != NULL || there >= KEPT_LINE_MAX)
        return (const char *) bytes;
      looked_at = there;
      bytes = sonde_byte_stream_peek (stream, looked_at + 1, &there);
      if (there == looked_at)
        return (const char *) bytes;
    }
}

/* A line that is too long to be kept. */
static void
skip_line (SondeByteStream *stream)
{
  gboolean has_end = FALSE;
  gsize n;

  while (!has_end)
    {
      find_line (stream, &n, &has_end);
      if (n == 0 && !has_end)
        return;
      stream->at += n + has_end;
    }
}

gboolean
sonde_byte_stream_take_line (SondeByteStream *stream, const char **bytes, gsize *n)
{
  gboolean has_end;
  const char *line = find_line (stream, n, &has_end);

  *bytes = NULL;
  if (*n == 0 && !has_end)
    return FALSE;
  if (*n > KEPT_LINE_MAX || (*n == KEPT_LINE_MAX && !has_end))
    {
      skip_line (stream);
      return TRUE;
    }
  stream->at += *n + has_end;
  *n -= *n > 0 && line[*n - 1] == '\r';
  *bytes = line;
  return TRUE;
}
