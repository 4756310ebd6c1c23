/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/sonde-trace-file.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/records/sonde-inflate-io.h"
#include "data/traces/perfetto/sonde-trace-perfetto.h"
#include "data/traces/sonde-trace-chrome.h"
#include "data/traces/sonde-trace-collapsed.h"
#include "data/traces/sonde-trace-mindspore.h"
#include "data/traces/sonde-trace-perf.h"
#include "data/traces/sonde-trace-xspace.h"
#include "data/wire/sonde-wire-cursor.h"

#define HEAD_BYTES 4096
#define BLANK_MAX ((guint64) 8 << 20) /* spaces at the begin; a file with more is no trace */

/* An open file: what its bytes are when it is unpacked. @first: its first character that is no space, or -1
 * @is_blank: whether there is none among the first BLANK_MAX */
typedef struct
{
  const char *path;
  const SondeIo *below, *io;
  SondeInflateIo *inflate; /* NULL when the file is not compressed */
  int fd;
  guint64 bytes;
  char head[HEAD_BYTES];
  gsize n_head;
  int first;
  gboolean is_blank;
} File;

static void
close_file (File *file)
{
  if (file->fd >= 0)
    sonde_io_close (file->io, file->fd);
  g_clear_pointer (&file->inflate, sonde_inflate_io_free);
  file->fd = -1;
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (File, close_file)

static gboolean
read_head (File *file, GError **error)
{
  gssize n = sonde_io_pread_full (file->io, file->fd, file->path, file->head, HEAD_BYTES, 0, error);

  file->n_head = MAX (n, 0);
  return n >= 0;
}

static gboolean
open_inflated (File *file, GError **error)
{
  sonde_io_close (file->io, file->fd);
  file->inflate = sonde_inflate_io_new (file->below);
  file->io = sonde_inflate_io_get_io (file->inflate);
  file->fd = sonde_io_open_regular (file->io, file->path, NULL, error);
  return file->fd >= 0 && read_head (file, error);
}

static SondeByteStream *
open_stream (const File *file)
{
  return sonde_byte_stream_new_for_file (file->io, file->fd, file->path);
}

/* Behind a byte order mark and spaces, which may go on for gigabytes in a small compressed file. */
static void
find_first (File *file)
{
  g_autoptr (SondeByteStream) stream = open_stream (file);
  const guint8 *bytes;
  gsize n, i;

  if (file->n_head >= 3 && memcmp (file->head, "\xef\xbb\xbf", 3) == 0)
    sonde_byte_stream_skip (stream, 3);
  while (sonde_byte_stream_get_offset (stream) < BLANK_MAX)
    {
      bytes = sonde_byte_stream_peek (stream, 1, &n);
      for (i = 0; i < n && bytes[i] != 0 && strchr (" \n\r\t", bytes[i]) != NULL; i++)
        ;
      if (i < n)
        file->first = bytes[i];
      if (i < n || n == 0 || !sonde_byte_stream_skip (stream, n))
        return;
    }
  file->is_blank = TRUE;
}

static gboolean
open_file (File *file, const SondeIo *io, const char *path, GError **error)
{
  *file = (File){ .path = path, .below = io, .io = io, .fd = -1, .first = -1 };
  file->fd = sonde_io_open_regular (io, path, &file->bytes, error);
  if (file->fd < 0 || !read_head (file, error))
    return FALSE;
  if (file->n_head >= 2 && memcmp (file->head, "\x1f\x8b", 2) == 0 && !open_inflated (file, error))
    return FALSE;
  find_first (file);
  return TRUE;
}

/* ---- formats ------------------------------------------------------------- */

/* Whether the file begins with a whole protobuf message in field 1, behind which comes another one or nothing. The key is
 * a line break, and a length of 91 or 123 a bracket, so that the first bytes alone look like JSON or a text. */
static gboolean
begins_with_message (const File *file)
{
  SondeWireCursor cursor = sonde_wire_cursor ((const guint8 *) file->head, file->n_head), message;
  SondeWireItem item;
  SondeWireStep step;

  if (sonde_wire_next (&cursor, &item) != SONDE_WIRE_ITEM || item.number != 1
      || item.type != SONDE_WIRE_BYTES || item.length == 0)
    return FALSE;
  if (cursor.at < cursor.end && *cursor.at != '\n')
    return FALSE;
  message = sonde_wire_cursor (item.bytes, item.length);
  do
    step = sonde_wire_next (&message, &item);
  while (step == SONDE_WIRE_ITEM);
  return step == SONDE_WIRE_END;
}

static gboolean
is_chrome (const File *file)
{
  return (file->first == '{' || file->first == '[') && !begins_with_message (file);
}

static gboolean
read_chrome (File *file, SondeTraceBuilder *builder, GError **error)
{
  g_autoptr (SondeJsonScanner) scanner = sonde_json_scanner_new (file->io, file->fd, file->path);

  return sonde_trace_read_chrome (builder, scanner, error);
}

static gboolean
is_collapsed (const File *file)
{
  g_autoptr (SondeByteStream) stream = open_stream (file);

  return sonde_trace_is_collapsed (stream);
}

static gboolean
read_collapsed (File *file, SondeTraceBuilder *builder, GError **error)
{
  g_autoptr (SondeByteStream) stream = open_stream (file);

  return sonde_trace_read_collapsed (builder, stream, error);
}

static gboolean
is_perf (const File *file)
{
  g_autoptr (SondeByteStream) stream = open_stream (file);

  return sonde_trace_is_perf (stream);
}

static gboolean
read_perf (File *file, SondeTraceBuilder *builder, GError **error)
{
  g_autoptr (SondeByteStream) stream = open_stream (file);

  return sonde_trace_read_perf (builder, stream, error);
}

static gboolean
is_xspace (const File *file)
{
  return sonde_trace_is_xspace ((const guint8 *) file->head, file->n_head);
}

static gboolean
read_xspace (File *file, SondeTraceBuilder *builder, GError **error)
{
  g_autoptr (SondeByteStream) stream = open_stream (file);

  return sonde_trace_read_xspace (builder, stream, error);
}

/* A first packet that is longer than the head, or cut, is only known by its key. */
static gboolean
begins_with_line_break (const File *file)
{
  return file->n_head > 0 && file->head[0] == '\n';
}

static gboolean
read_perfetto (File *file, SondeTraceBuilder *builder, GError **error)
{
  g_autoptr (SondeByteStream) stream = open_stream (file);

  return sonde_trace_read_perfetto (builder, stream, error);
}

/* In the order in which they are asked. */
static const struct
{
  SondeTraceFormat format;
  gboolean (*is) (const File *file);
  gboolean (*read) (File *file, SondeTraceBuilder *builder, GError **error);
} formats[] = {
  { SONDE_TRACE_CHROME, is_chrome, read_chrome },
  { SONDE_TRACE_XSPACE, is_xspace, read_xspace },
  { SONDE_TRACE_PERFETTO, begins_with_message, read_perfetto },
  { SONDE_TRACE_PERF, is_perf, read_perf },
  { SONDE_TRACE_COLLAPSED, is_collapsed, read_collapsed },
  { SONDE_TRACE_PERFETTO, begins_with_line_break, read_perfetto }, /* as a text may, too */
};

gboolean
sonde_trace_file_sniff (const SondeIo *io, const char *path, SondeTraceFormat *format)
{
  g_auto (File) file = { .fd = -1, .first = -1 };

  if (!open_file (&file, io != NULL ? io : sonde_io_system (), path, NULL))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (formats) && !file.is_blank; i++)
    if (formats[i].is (&file))
      {
        if (format != NULL)
          *format = formats[i].format;
        return TRUE;
      }
  return FALSE;
}

/* A compressed file that ends early is a cut file, whatever its last bytes look like. */
static void
note_inflation (File *file, SondeTrace *trace)
{
  guint64 size = 0;

  trace->bytes = file->bytes;
  trace->compressed = file->inflate != NULL;
  if (file->inflate == NULL || trace->truncated
      || sonde_inflate_io_is_complete (file->inflate, NULL))
    return;
  sonde_inflate_io_get_size (file->inflate, &size);
  trace->truncated = TRUE;
  trace->truncated_at = size;
}

SondeTrace *
sonde_trace_file_read (const SondeIo *io, const char *path, GError **error)
{
  g_auto (File) file = { .fd = -1, .first = -1 };

  if (!open_file (&file, io != NULL ? io : sonde_io_system (), path, error))
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (formats) && !file.is_blank; i++)
    {
      g_autoptr (SondeTraceBuilder) builder = NULL;
      SondeTrace *trace;

      if (!formats[i].is (&file))
        continue;
      builder = sonde_trace_builder_new (formats[i].format);
      if (!formats[i].read (&file, builder, error))
        return NULL;
      trace = sonde_trace_builder_finish (builder);
      note_inflation (&file, trace);
      if (strcmp (trace->producer, "mindspore") == 0)
        sonde_trace_add_types (trace, file.below, path);
      return trace;
    }
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   file.n_head == 0 ? N_ ("“%s” is empty.") : N_ ("“%s” is no trace."), path);
  return NULL;
}
