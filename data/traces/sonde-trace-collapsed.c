/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/sonde-trace-collapsed.h"

#include <string.h>

#include "data/base/sonde-checked.h"

/* A file whose first right line comes later is not looked for. */
#define SEARCH_BYTES ((guint64) 8 << 20)

/* The count at the end of a line. @n_stack: (out): bytes of the stack before it */
static gboolean
parse_line (const char *line, gsize n, gsize *n_stack, guint64 *count)
{
  gsize digits = n;

  while (digits > 0 && g_ascii_isdigit (line[digits - 1]))
    digits--;
  if (digits == n || digits < 2 || line[digits - 1] != ' ')
    return FALSE;
  *n_stack = digits - 1;
  *count = 0;
  for (gsize i = digits; i < n; i++)
    if (!sonde_checked_mul (count, *count, 10)
        || !sonde_checked_add (count, *count, (guint64) (line[i] - '0')))
      *count = G_MAXINT64;
  return TRUE;
}

gboolean
sonde_trace_is_collapsed (SondeByteStream *stream)
{
  const char *line;
  gsize n, n_stack;
  guint64 count;

  while (sonde_byte_stream_get_offset (stream) < SEARCH_BYTES
         && sonde_byte_stream_take_line (stream, &line, &n))
    {
      if (line == NULL)
        continue;
      if (memchr (line, 0, n) != NULL || !g_utf8_validate_len (line, n, NULL))
        return FALSE;
      if (parse_line (line, n, &n_stack, &count))
        return TRUE;
    }
  return FALSE;
}

static void
add_stack (SondeTraceBuilder *builder, GArray *frames, const char *stack, gsize n, guint64 count)
{
  const char *end = stack + n;

  g_array_set_size (frames, 0);
  for (const char *at = stack; at <= end;)
    {
      const char *semicolon = memchr (at, ';', end - at);
      gsize length = (semicolon != NULL ? semicolon : end) - at;
      guint32 frame = sonde_trace_builder_add_text (builder, at, length);

      g_array_append_val (frames, frame);
      at += length + 1;
    }
  sonde_trace_builder_add_stack (builder, (const guint32 *) frames->data, frames->len, count);
}

gboolean
sonde_trace_read_collapsed (SondeTraceBuilder *builder, SondeByteStream *stream, GError **error)
{
  g_autoptr (GArray) frames = g_array_new (FALSE, FALSE, sizeof (guint32));
  GError *problem;
  const char *line;
  gsize n, n_stack;
  guint64 count;

  while (sonde_byte_stream_take_line (stream, &line, &n))
    {
      if (line != NULL && n == 0)
        continue;
      sonde_trace_builder_count_event (builder);
      if (line != NULL && parse_line (line, n, &n_stack, &count))
        add_stack (builder, frames, line, n_stack, count);
      else
        sonde_trace_builder_count_reason (builder, SONDE_TRACE_REASON_LINE);
    }
  problem = sonde_byte_stream_steal_error (stream);
  if (problem != NULL)
    g_propagate_error (error, problem);
  return problem == NULL;
}
