/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/writers/sonde-trace-output.h"

#include <stdio.h>
#include <string.h>

#include <isa-l/igzip_lib.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-replacement.h"

#define PIECE_BYTES ((gsize) 256 << 10)

/* What compressing needs. @level: its memory */
typedef struct
{
  struct isal_zstream stream;
  guint8 *level, *packed;
} Gzip;

struct _SondeTraceOutput
{
  SondeReplacement *replacement;
  GString *piece;
  Gzip *gzip; /* NULL: not compressed */
  GError *error;
};

static Gzip *
gzip_new (void)
{
  Gzip *gzip = g_new0 (Gzip, 1);

  gzip->level = g_malloc (ISAL_DEF_LVL1_DEFAULT);
  gzip->packed = g_malloc (PIECE_BYTES);
  isal_deflate_init (&gzip->stream);
  gzip->stream.level = 1;
  gzip->stream.level_buf = gzip->level;
  gzip->stream.level_buf_size = ISAL_DEF_LVL1_DEFAULT;
  gzip->stream.gzip_flag = IGZIP_GZIP;
  return gzip;
}

static void
gzip_free (Gzip *gzip)
{
  g_free (gzip->level);
  g_free (gzip->packed);
  g_free (gzip);
}

SondeTraceOutput *
sonde_trace_output_new (const char *path, gboolean gzip, GError **error)
{
  SondeReplacement *replacement = sonde_replacement_begin (NULL, path, error);
  SondeTraceOutput *output;

  if (replacement == NULL)
    return NULL;
  output = g_new0 (SondeTraceOutput, 1);
  output->replacement = replacement;
  output->piece = g_string_sized_new (2 * PIECE_BYTES);
  output->gzip = gzip ? gzip_new () : NULL;
  return output;
}

static void
write_bytes (SondeTraceOutput *output, const void *bytes, gsize n)
{
  if (output->error == NULL)
    sonde_replacement_write (output->replacement, bytes, n, &output->error);
}

static void
write_packed (SondeTraceOutput *output, gboolean is_last)
{
  struct isal_zstream *stream = &output->gzip->stream;

  stream->next_in = (guint8 *) output->piece->str;
  stream->avail_in = (guint32) output->piece->len;
  stream->end_of_stream = is_last;
  do
    {
      stream->next_out = output->gzip->packed;
      stream->avail_out = PIECE_BYTES;
      isal_deflate (stream);
      write_bytes (output, output->gzip->packed, PIECE_BYTES - stream->avail_out);
    }
  while (output->error == NULL && stream->avail_out == 0);
}

static void
flush (SondeTraceOutput *output, gboolean is_last)
{
  if (output->gzip != NULL)
    write_packed (output, is_last);
  else if (output->piece->len > 0)
    write_bytes (output, output->piece->str, output->piece->len);
  g_string_set_size (output->piece, 0);
}

static void
flush_if_full (SondeTraceOutput *output)
{
  if (output->piece->len >= PIECE_BYTES)
    flush (output, FALSE);
}

void
sonde_trace_output_add (SondeTraceOutput *output, const void *bytes, gsize n)
{
  g_string_append_len (output->piece, bytes, n);
  flush_if_full (output);
}

void
sonde_trace_output_add_text (SondeTraceOutput *output, const char *text)
{
  sonde_trace_output_add (output, text, strlen (text));
}

void
sonde_trace_output_print (SondeTraceOutput *output, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_string_append_vprintf (output->piece, format, arguments);
  va_end (arguments);
  flush_if_full (output);
}

gboolean
sonde_trace_output_has_failed (const SondeTraceOutput *output)
{
  return output->error != NULL;
}

gboolean
sonde_trace_output_finish (SondeTraceOutput *output, GError **error)
{
  SondeReplacement *replacement = output->replacement;
  GError *problem;

  flush (output, TRUE);
  problem = output->error;
  g_string_free (output->piece, TRUE);
  g_clear_pointer (&output->gzip, gzip_free);
  g_free (output);
  if (problem == NULL)
    return sonde_replacement_finish (replacement, error);
  sonde_replacement_abandon (replacement);
  g_propagate_error (error, problem);
  return FALSE;
}

gboolean
sonde_trace_output_needs_spans (const SondeTrace *trace, const char *path, GError **error)
{
  if (trace->format != SONDE_TRACE_COLLAPSED && trace->format != SONDE_TRACE_PERF)
    return TRUE;
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
      "“%s” cannot hold sampled stacks, which have no beginning and no end; write them "
      "to a .collapsed or .pprof file.",
      path);
  return FALSE;
}

gboolean
sonde_trace_output_is_odd (gunichar c)
{
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200b && c <= 0x200f)
         || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}
