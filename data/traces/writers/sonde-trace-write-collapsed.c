/* SPDX-License-Identifier: Apache-2.0
 * Stacks, a line each, as flame graphs are drawn from. */
#include <inttypes.h>
#include <string.h>

#include "data/traces/writers/sonde-trace-calls.h"
#include "data/traces/writers/sonde-trace-output.h"
#include "data/traces/writers/sonde-trace-writer.h"

/* A semicolon separates and a line end ends: neither can be part of a name. */
static void
append_name (GString *line, const char *name)
{
  for (; *name != 0; name = g_utf8_next_char (name))
    {
      gunichar c = g_utf8_get_char (name);

      if (c == ';')
        g_string_append_c (line, ':');
      else if (sonde_trace_output_is_odd (c))
        g_string_append_c (line, ' ');
      else
        g_string_append_len (line, name, g_utf8_next_char (name) - name);
    }
}

static void
append_frame (GString *line, const char *name)
{
  if (line->len > 0)
    g_string_append_c (line, ';');
  append_name (line, name);
}

static void
append_thread (GString *line, const SondeTrace *trace, guint32 thread)
{
  const SondeTraceThread *t = sonde_trace_get_thread (trace, thread);

  append_name (line, *t->process != 0 ? t->process : t->pid);
  g_string_append_c (line, ';');
  append_name (line, *t->track != 0 ? t->track : *t->name != 0 ? t->name : t->tid);
}

/* @path: guint32, filled with the calls from the outermost to @call */
static void
list_path (const GArray *calls, guint32 call, GArray *path)
{
  guint n = 0;

  for (guint32 i = call; i != SONDE_TRACE_NONE; i = g_array_index (calls, SondeTraceCall, i).parent)
    n++;
  g_array_set_size (path, n);
  for (guint32 i = call; i != SONDE_TRACE_NONE; i = g_array_index (calls, SondeTraceCall, i).parent)
    g_array_index (path, guint32, --n) = i;
}

static void
write_call (SondeTraceOutput *output, GString *line, const SondeTrace *trace, const GArray *calls,
            const GArray *path)
{
  guint32 last = g_array_index (path, guint32, path->len - 1);
  const SondeTraceCall *call = &g_array_index (calls, SondeTraceCall, last);

  g_string_truncate (line, 0);
  if (call->thread != SONDE_TRACE_NONE)
    append_thread (line, trace, call->thread);
  for (guint i = 0; i < path->len; i++)
    append_frame (line,
                  g_array_index (calls, SondeTraceCall, g_array_index (path, guint32, i)).name);
  sonde_trace_output_add (output, line->str, line->len);
  sonde_trace_output_print (output, " %" PRId64 "\n", call->weight);
}

gboolean
sonde_trace_write_collapsed (const SondeTrace *trace, const char *path, GError **error)
{
  g_autoptr (GString) line = g_string_new (NULL);
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) calls = NULL;
  SondeTraceOutput *output = sonde_trace_output_new (path, FALSE, error);

  if (output == NULL)
    return FALSE;
  calls = sonde_trace_list_calls (trace);
  for (guint i = 0; i < calls->len && !sonde_trace_output_has_failed (output); i++)
    {
      if (g_array_index (calls, SondeTraceCall, i).weight == 0)
        continue;
      list_path (calls, i, places);
      write_call (output, line, trace, calls, places);
    }
  return sonde_trace_output_finish (output, error);
}
