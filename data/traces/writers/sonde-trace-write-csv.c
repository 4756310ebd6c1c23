/* SPDX-License-Identifier: Apache-2.0
 * Spans as a table. Source of the quoting: RFC 4180. */
#include <inttypes.h>
#include <string.h>

#include "data/traces/writers/sonde-trace-calls.h"
#include "data/traces/writers/sonde-trace-output.h"
#include "data/traces/writers/sonde-trace-writer.h"

#define HEAD "pid,tid,process,thread,category,name,start_ns,duration_ns,depth,self_ns\n"

/* In quotes where there is a comma or a quote; what could steer a terminal as \uXXXX. */
static void
append_field (GString *line, const char *text)
{
  gboolean quoted = strpbrk (text, ",\"") != NULL;

  if (quoted)
    g_string_append_c (line, '"');
  for (; *text != 0; text = g_utf8_next_char (text))
    {
      gunichar c = g_utf8_get_char (text);

      if (sonde_trace_output_is_odd (c))
        g_string_append_printf (line, "\\u%04x", c);
      else
        g_string_append_len (line, text, g_utf8_next_char (text) - text);
      if (c == '"')
        g_string_append_c (line, '"');
    }
  if (quoted)
    g_string_append_c (line, '"');
  g_string_append_c (line, ',');
}

static void
write_span (SondeTraceOutput *output, GString *line, const SondeTrace *trace, gsize i,
            gint64 self_ns)
{
  const SondeTraceSpan *span = &trace->spans[i];
  const SondeTraceThread *thread = sonde_trace_get_thread (trace, span->thread);
  const SondeTraceLabel *label = sonde_trace_get_label (trace, span->label);

  g_string_truncate (line, 0);
  append_field (line, thread->pid);
  append_field (line, thread->tid);
  append_field (line, thread->process);
  append_field (line, *thread->track != 0 ? thread->track : thread->name);
  append_field (line, label->category);
  append_field (line, label->name);
  sonde_trace_output_add (output, line->str, line->len);
  sonde_trace_output_print (output, "%" PRId64 ",%" PRId64 ",%u,%" PRId64 "\n", span->start_ns,
                            span->end_ns - span->start_ns, sonde_trace_get_depth (trace, i),
                            self_ns);
}

static void
write_thread (SondeTraceOutput *output, GString *line, const SondeTrace *trace, guint32 thread)
{
  const SondeTraceThread *t = sonde_trace_get_thread (trace, thread);
  g_autofree gint64 *self_ns = g_new (gint64, MAX (t->n, 1));

  sonde_trace_compute_self (trace, thread, self_ns);
  for (guint64 i = 0; i < t->n && !sonde_trace_output_has_failed (output); i++)
    write_span (output, line, trace, t->first + i, self_ns[i]);
}

gboolean
sonde_trace_write_csv (const SondeTrace *trace, const char *path, GError **error)
{
  g_autoptr (GString) line = g_string_new (NULL);
  SondeTraceOutput *output;

  if (!sonde_trace_output_needs_spans (trace, path, error))
    return FALSE;
  output = sonde_trace_output_new (path, FALSE, error);
  if (output == NULL)
    return FALSE;
  sonde_trace_output_add_text (output, HEAD);
  for (guint i = 0; i < trace->threads->len; i++)
    write_thread (output, line, trace, i);
  return sonde_trace_output_finish (output, error);
}
