/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect`: what is in a trace of a profiler. */
#include <stdlib.h>

#include "app/cli/sonde-cli-inspect-private.h"
#include "app/cli/sonde-cli-inspect-trace-json.h"
#include "app/cli/sonde-cli-table.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/traces/sonde-trace-file.h"
#include "data/traces/sonde-trace-mindspore.h"

#define ROWS 15 /* names in the table of a terminal */

static gboolean
is_sampled (const SondeTrace *trace)
{
  return trace->format == SONDE_TRACE_COLLAPSED || trace->format == SONDE_TRACE_PERF;
}

/* ---- text ---------------------------------------------------------------- */

static int
compare_self (gconstpointer a, gconstpointer b, gpointer trace)
{
  const SondeTraceLabel *x = sonde_trace_get_label (trace, *(const guint32 *) a);
  const SondeTraceLabel *y = sonde_trace_get_label (trace, *(const guint32 *) b);

  return (x->self_ns < y->self_ns) - (x->self_ns > y->self_ns);
}

static void
add_label_row (SondeTable *table, const SondeTraceLabel *label)
{
  g_autofree char *count = sonde_cli_format_count (label->n);
  g_autofree char *self = sonde_format_duration (label->self_ns);
  g_autofree char *total = sonde_format_duration (label->total_ns);

  sonde_table_add (table, label->name, label->category, count, self, total, NULL);
}

/* The names that took most time. */
static void
print_names (const SondeTrace *trace)
{
  static const char *const columns[]
      = { N_ ("<NAME"), N_ ("<CATEGORY"), N_ (">CALLS"), N_ (">SELF"), N_ (">TOTAL"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < trace->labels->len; i++)
    if (sonde_trace_get_label (trace, i)->n > 0)
      g_array_append_val (order, i);
  g_array_sort_with_data (order, compare_self, (gpointer) trace);
  for (guint i = 0; i < MIN (order->len, ROWS); i++)
    add_label_row (table, sonde_trace_get_label (trace, g_array_index (order, guint32, i)));
  sonde_table_print (table, 2);
  if (order->len > ROWS)
    sonde_cli_print (ngettext ("  and %u more name\n", "  and %u more names\n", order->len - ROWS),
                     order->len - ROWS);
}

static int
compare_frames (gconstpointer a, gconstpointer b)
{
  const SondeTraceFrame *x = *(const SondeTraceFrame *const *) a;
  const SondeTraceFrame *y = *(const SondeTraceFrame *const *) b;

  return x->self != y->self ? (x->self < y->self) - (x->self > y->self)
                            : (x->total < y->total) - (x->total > y->total);
}

/* The frames in which most samples were taken. */
static void
print_frames (const SondeTrace *trace)
{
  static const char *const columns[] = { N_ ("<FRAME"), N_ (">SELF"), N_ (">TOTAL"), NULL };
  g_autoptr (SondeTable) table = sonde_table_new (columns);
  g_autoptr (GPtrArray) order = g_ptr_array_new ();

  for (guint i = 0; i < trace->frames->len; i++)
    g_ptr_array_add (order, &g_array_index (trace->frames, SondeTraceFrame, i));
  g_ptr_array_sort (order, compare_frames);
  for (guint i = 0; i < MIN (order->len, ROWS); i++)
    {
      const SondeTraceFrame *frame = g_ptr_array_index (order, i);
      g_autofree char *self = sonde_cli_format_count (frame->self);
      g_autofree char *total = sonde_cli_format_count (frame->total);

      sonde_table_add (table, frame->name, self, total, NULL);
    }
  sonde_table_print (table, 2);
  if (order->len > ROWS)
    sonde_cli_print (
        ngettext ("  and %u more frame\n", "  and %u more frames\n", order->len - ROWS),
        order->len - ROWS);
}

static void
print_damage (const SondeTrace *trace)
{
  if (trace->truncated)
    sonde_cli_print (_ ("  cut or damaged at byte %" PRIu64 "; everything before is shown\n"),
                     (guint64) trace->truncated_at);
  for (guint i = 0; i < SONDE_TRACE_N_REASONS; i++)
    if (trace->reasons[i] > 0)
      {
        g_autofree char *count = sonde_cli_format_count (trace->reasons[i]);

        sonde_cli_print ("  %s: %s\n", sonde_trace_reason_get_name (i), count);
      }
}

static char *
make_head (const SondeTrace *trace)
{
  g_autofree char *spans = sonde_cli_format_count (trace->n_spans);
  g_autofree char *events = sonde_cli_format_count (trace->n_events);
  g_autofree char *threads = sonde_cli_format_count (trace->n_threads_with_spans);
  g_autofree char *duration
      = sonde_format_duration (trace->has_time ? trace->end_ns - trace->start_ns : 0);

  return g_strdup_printf (_ ("%s trace (%s), %s, events: %s, spans: %s, threads: %s"),
                          sonde_trace_format_get_name (trace->format), trace->producer, duration,
                          events, spans, threads);
}

static char *
make_sampled_head (const SondeTrace *trace)
{
  g_autofree char *samples = sonde_cli_format_count (trace->n_samples);
  g_autofree char *weight = sonde_cli_format_count (trace->weight);
  g_autofree char *frames = sonde_cli_format_count (trace->frames->len);

  return g_strdup_printf (_ ("%s stacks, samples: %s, weight: %s, frames: %s"),
                          sonde_trace_format_get_name (trace->format), samples, weight, frames);
}

static void
print_text (const char *path, const SondeTrace *trace)
{
  g_autofree char *head = is_sampled (trace) ? make_sampled_head (trace) : make_head (trace);

  sonde_inspect_print_head (path, head);
  if (is_sampled (trace))
    print_frames (trace);
  else
    print_names (trace);
  print_damage (trace);
  sonde_cli_print ("\n");
}

gboolean
sonde_inspect_trace (SondeFindings *findings, const char *path, GError **error)
{
  g_autoptr (SondeTrace) trace = sonde_trace_file_read (NULL, path, error);

  if (trace == NULL)
    return FALSE;
  if (findings->text)
    print_text (path, trace);
  else
    {
      g_string_append (findings->traces, findings->traces->len > 0 ? ",\n    " : "\n    ");
      sonde_inspect_trace_append_json (findings->traces, path, trace);
    }
  return TRUE;
}

gboolean
sonde_inspect_traces (SondeFindings *findings, const char *path, guint *n, GError **error)
{
  g_autoptr (GPtrArray) traces = sonde_trace_list_folder (path);

  if (n != NULL)
    *n = traces->len;
  for (guint i = 0; i < traces->len; i++)
    if (!sonde_inspect_trace (findings, g_ptr_array_index (traces, i), error))
      return FALSE;
  return TRUE;
}
