/* SPDX-License-Identifier: Apache-2.0
 * Trace Event Format. Source of the keys and phases: "Trace Event Format", Google, 2016; of what programs
 * accept of it: docs/profiler.md. */
#include <inttypes.h>
#include <math.h>

#include "data/base/sonde-checked.h"
#include "data/traces/writers/sonde-trace-output.h"
#include "data/traces/writers/sonde-trace-rows.h"
#include "data/traces/writers/sonde-trace-writer.h"

/* @base_ns: what is taken off of all times */
typedef struct
{
  const SondeTrace *trace;
  SondeTraceOutput *output;
  SondeTraceRows rows;
  gint64 base_ns;
  gboolean has_event; /* whether one was written */
} Writer;

/* ---- values -------------------------------------------------------------- */

/* The bytes from @text on that need no escape. */
static gsize
count_plain (const char *text)
{
  gsize n = 0;

  while ((guchar) text[n] >= 0x20 && (guchar) text[n] < 0x7f && text[n] != '"' && text[n] != '\\')
    n++;
  return n;
}

static void
write_character (Writer *writer, const char *text, gunichar c)
{
  if (c == '"' || c == '\\')
    sonde_trace_output_print (writer->output, "\\%c", (char) c);
  else if (sonde_trace_output_is_odd (c))
    sonde_trace_output_print (writer->output, "\\u%04x", c);
  else
    sonde_trace_output_add (writer->output, text, g_utf8_next_char (text) - text);
}

static void
write_text (Writer *writer, const char *text)
{
  sonde_trace_output_add (writer->output, "\"", 1);
  while (*text != 0)
    {
      gsize n = count_plain (text);

      sonde_trace_output_add (writer->output, text, n);
      text += n;
      if (*text == 0)
        break;
      write_character (writer, text, g_utf8_get_char (text));
      text = g_utf8_next_char (text);
    }
  sonde_trace_output_add (writer->output, "\"", 1);
}

/* Microseconds with three decimals: no program needs more than whole nanoseconds. */
static void
write_time (Writer *writer, const char *key, gint64 ns)
{
  guint64 size = ns < 0 ? -(guint64) ns : (guint64) ns;

  sonde_trace_output_print (writer->output, ",\"%s\":%s%" PRIu64 ".%03u", key, ns < 0 ? "-" : "",
                            size / 1000, (guint) (size % 1000));
}

/* The beginning of an event, up to its category and name. */
static void
begin_event (Writer *writer, char phase, const SondeTraceLabel *label)
{
  sonde_trace_output_print (writer->output, "%s{\"ph\":\"%c\"", writer->has_event ? ",\n" : "\n",
                            phase);
  writer->has_event = TRUE;
  if (*label->category != 0)
    {
      sonde_trace_output_add_text (writer->output, ",\"cat\":");
      write_text (writer, label->category);
    }
  sonde_trace_output_add_text (writer->output, ",\"name\":");
  write_text (writer, label->name);
}

static void
write_row (Writer *writer, const SondeTraceRow *row)
{
  sonde_trace_output_print (writer->output, ",\"pid\":%d,\"tid\":%d", row->pid, row->tid);
}

static void
end_event (Writer *writer)
{
  sonde_trace_output_add (writer->output, "}", 1);
}

/* ---- names --------------------------------------------------------------- */

static void
begin_metadata (Writer *writer, const char *what, gint32 pid, gint32 tid)
{
  sonde_trace_output_print (writer->output, "%s{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d",
                            writer->has_event ? ",\n" : "\n", what, pid);
  writer->has_event = TRUE;
  if (tid > 0)
    sonde_trace_output_print (writer->output, ",\"tid\":%d", tid);
}

static void
write_name (Writer *writer, const char *what, gint32 pid, gint32 tid, const char *key,
            const char *name)
{
  if (*name == 0)
    return;
  begin_metadata (writer, what, pid, tid);
  sonde_trace_output_print (writer->output, ",\"args\":{\"%s\":", key);
  write_text (writer, name);
  sonde_trace_output_add_text (writer->output, "}}");
}

static void
write_order (Writer *writer, const char *what, gint32 pid, gint32 tid, guint order)
{
  begin_metadata (writer, what, pid, tid);
  sonde_trace_output_print (writer->output, ",\"args\":{\"sort_index\":%u}}", order);
}

/* A pid that is no number is said beside the name of the process, or is the name. */
static void
write_process (Writer *writer, const SondeTraceRowProcess *process, guint order)
{
  g_autofree char *number = g_strdup_printf ("%d", process->pid);
  gboolean is_kept = g_str_equal (number, process->text);

  if (*process->name != 0)
    {
      write_name (writer, "process_name", process->pid, 0, "name", process->name);
      if (!is_kept)
        write_name (writer, "process_labels", process->pid, 0, "labels", process->text);
    }
  else if (!is_kept)
    write_name (writer, "process_name", process->pid, 0, "name", process->text);
  write_order (writer, "process_sort_index", process->pid, 0, order);
}

static void
write_names (Writer *writer)
{
  for (guint i = 0; i < writer->rows.processes->len; i++)
    write_process (writer, &g_array_index (writer->rows.processes, SondeTraceRowProcess, i), i);
  for (guint i = 0; i < writer->rows.rows->len; i++)
    {
      const SondeTraceRow *row = &g_array_index (writer->rows.rows, SondeTraceRow, i);
      g_autofree char *name = sonde_trace_rows_dup_name (writer->trace, row);

      write_name (writer, "thread_name", row->pid, row->tid, "name", name);
      write_order (writer, "thread_sort_index", row->pid, row->tid, i);
    }
}

/* ---- events -------------------------------------------------------------- */

static void
write_details (Writer *writer, guint32 label)
{
  guint n;
  const SondeTraceDetail *details = sonde_trace_get_details (writer->trace, label, &n);

  for (guint i = 0; i < n; i++)
    {
      sonde_trace_output_print (writer->output, "%s\"%s\":", i == 0 ? ",\"args\":{" : ",",
                                details[i].key);
      if (details[i].text != NULL)
        write_text (writer, details[i].text);
      else
        sonde_trace_output_print (writer->output, "%" PRId64, details[i].number);
    }
  if (n > 0)
    sonde_trace_output_add (writer->output, "}", 1);
}

static void
write_spans (Writer *writer)
{
  const SondeTrace *trace = writer->trace;

  for (gsize i = 0; i < trace->n_spans && !sonde_trace_output_has_failed (writer->output); i++)
    {
      const SondeTraceSpan *span = &trace->spans[i];

      begin_event (writer, 'X', sonde_trace_get_label (trace, span->label));
      write_row (writer, sonde_trace_rows_of_span (&writer->rows, trace, i));
      write_time (writer, "ts", span->start_ns - writer->base_ns);
      write_time (writer, "dur", span->end_ns - span->start_ns);
      write_details (writer, span->label);
      end_event (writer);
    }
}

static void
write_instants (Writer *writer)
{
  for (guint i = 0; i < writer->trace->instants->len; i++)
    {
      const SondeTraceInstant *instant
          = &g_array_index (writer->trace->instants, SondeTraceInstant, i);

      begin_event (writer, 'i', sonde_trace_get_label (writer->trace, instant->label));
      write_row (writer, sonde_trace_rows_get (&writer->rows, instant->thread, 0));
      write_time (writer, "ts", instant->at_ns - writer->base_ns);
      sonde_trace_output_add_text (writer->output, ",\"s\":\"t\"");
      end_event (writer);
    }
}

/* Each span has an id of its own: no two pair by mistake. */
static void
write_async (Writer *writer)
{
  for (guint i = 0; i < writer->trace->async->len; i++)
    {
      const SondeTraceAsync *async = &g_array_index (writer->trace->async, SondeTraceAsync, i);

      for (guint k = 0; k < 2; k++)
        {
          begin_event (writer, k == 0 ? 'b' : 'e',
                       sonde_trace_get_label (writer->trace, async->label));
          write_row (writer, sonde_trace_rows_get (&writer->rows, async->thread, 0));
          write_time (writer, "ts", (k == 0 ? async->start_ns : async->end_ns) - writer->base_ns);
          sonde_trace_output_print (writer->output, ",\"id\":\"0x%x\"", i + 1);
          end_event (writer);
        }
    }
}

static void
write_counter (Writer *writer, const SondeTraceCounter *counter)
{
  const SondeTraceRowProcess *process = sonde_trace_rows_get_process (&writer->rows, counter->pid);
  const SondeTraceLabel label = { .category = "", .name = counter->name };
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < counter->points->len; i++)
    {
      const SondeTracePoint *point = &g_array_index (counter->points, SondeTracePoint, i);

      if (!isfinite (point->value))
        continue;
      begin_event (writer, 'C', &label);
      sonde_trace_output_print (writer->output, ",\"pid\":%d", process->pid);
      write_time (writer, "ts", point->at_ns - writer->base_ns);
      sonde_trace_output_add_text (writer->output, ",\"args\":{");
      write_text (writer, counter->key);
      sonde_trace_output_print (writer->output, ":%s}",
                                g_ascii_dtostr (number, sizeof number, point->value));
      end_event (writer);
    }
}

static void
write_flow (Writer *writer, char phase, guint id, const SondeTraceRow *row, gint64 at_ns,
            gboolean encloses)
{
  const SondeTraceLabel label = { .category = "flow", .name = "flow" };

  begin_event (writer, phase, &label);
  write_row (writer, row);
  write_time (writer, "ts", at_ns - writer->base_ns);
  sonde_trace_output_print (writer->output, ",\"id\":\"0x%x\"%s", id,
                            encloses ? ",\"bp\":\"e\"" : "");
  end_event (writer);
}

static const SondeTraceRow *
get_end (const Writer *writer, guint32 span, guint32 thread)
{
  return span != SONDE_TRACE_NONE ? sonde_trace_rows_of_span (&writer->rows, writer->trace, span)
                                  : sonde_trace_rows_get (&writer->rows, thread, 0);
}

/* Chains become arrows of their own. One that ends before its span begins is bound to the next span. */
static void
write_arrows (Writer *writer)
{
  const SondeTrace *trace = writer->trace;

  for (guint i = 0; i < trace->arrows->len; i++)
    {
      const SondeTraceArrow *arrow = &g_array_index (trace->arrows, SondeTraceArrow, i);
      gboolean is_early
          = arrow->to != SONDE_TRACE_NONE && trace->spans[arrow->to].start_ns > arrow->to_ns;

      write_flow (writer, 's', i + 1, get_end (writer, arrow->from, arrow->from_thread),
                  arrow->from_ns, FALSE);
      write_flow (writer, 'f', i + 1, get_end (writer, arrow->to, arrow->to_thread), arrow->to_ns,
                  !is_early);
    }
}

/* ---- the file ------------------------------------------------------------ */

/* Times count from the beginning where it can be said when that was. */
static void
choose_base (Writer *writer, gint64 *file_base_ns)
{
  const SondeTrace *trace = writer->trace;
  gint64 ns;

  *file_base_ns = trace->clock_base_ns;
  if (!trace->has_time || !sonde_checked_sub (&ns, trace->end_ns, trace->start_ns)
      || !sonde_checked_add (&ns, trace->clock_base_ns, trace->start_ns))
    return;
  writer->base_ns = trace->start_ns;
  *file_base_ns = ns;
}

static void
write_head (Writer *writer)
{
  gint64 file_base_ns;

  choose_base (writer, &file_base_ns);
  sonde_trace_output_add_text (writer->output, "{\"metadata\":{\"producer\":\"sonde\",\"source\":");
  write_text (writer, writer->trace->producer);
  sonde_trace_output_print (writer->output,
                            "},\n\"baseTimeNanoseconds\":%" PRId64 ",\"displayTimeUnit\":\"ns\",\n"
                            "\"traceEvents\":[",
                            file_base_ns);
}

static void
write_all (Writer *writer)
{
  write_head (writer);
  write_names (writer);
  write_spans (writer);
  write_instants (writer);
  write_async (writer);
  for (guint i = 0; i < writer->trace->counters->len; i++)
    write_counter (writer, &g_array_index (writer->trace->counters, SondeTraceCounter, i));
  write_arrows (writer);
  sonde_trace_output_add_text (writer->output, "\n]}\n");
}

gboolean
sonde_trace_write_chrome (const SondeTrace *trace, const char *path, GError **error)
{
  Writer writer = { .trace = trace };

  if (!sonde_trace_output_needs_spans (trace, path, error))
    return FALSE;
  writer.output = sonde_trace_output_new (path, g_str_has_suffix (path, ".gz"), error);
  if (writer.output == NULL)
    return FALSE;
  sonde_trace_rows_init (&writer.rows, trace);
  write_all (&writer);
  sonde_trace_rows_clear (&writer.rows);
  return sonde_trace_output_finish (writer.output, error);
}
