/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect`: what is in a trace of a profiler. */
#include <stdlib.h>

#include "app/cli/sonde-cli-inspect-private.h"
#include "app/cli/sonde-cli-table.h"
#include "data/arrays/sonde-json.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/traces/sonde-trace-file.h"
#include "data/traces/sonde-trace-mindspore.h"

#define ROWS 15 /* names in the table of a terminal */

/* ---- JSON ---------------------------------------------------------------- */

static void
set_time (JsonBuilder *json, const char *name, const SondeTrace *trace, gint64 ns)
{
  if (trace->has_time)
    {
      sonde_json_set_int (json, name, ns);
      return;
    }
  json_builder_set_member_name (json, name);
  json_builder_add_null_value (json);
}

static gboolean
is_sampled (const SondeTrace *trace)
{
  return trace->format == SONDE_TRACE_COLLAPSED || trace->format == SONDE_TRACE_PERF;
}

/* Threads on which samples were taken. */
static void
add_sampled_threads (JsonBuilder *json, const SondeTrace *trace)
{
  sonde_json_begin_array (json, "threads");
  for (guint i = 0; i < trace->threads->len; i++)
    {
      const SondeTraceThread *thread = sonde_trace_get_thread (trace, i);

      json_builder_begin_object (json);
      sonde_json_set_string (json, "process", thread->process);
      sonde_json_set_string (json, "pid", thread->pid);
      sonde_json_set_string (json, "tid", thread->tid);
      sonde_json_set_int (json, "samples", thread->n_samples);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

static void
add_threads (JsonBuilder *json, const SondeTrace *trace)
{
  if (is_sampled (trace))
    {
      add_sampled_threads (json, trace);
      return;
    }
  sonde_json_begin_array (json, "threads");
  for (guint i = 0; i < trace->threads->len; i++)
    {
      const SondeTraceThread *thread = sonde_trace_get_thread (trace, i);

      if (thread->n == 0)
        continue;
      json_builder_begin_object (json);
      sonde_json_set_string (json, "pid", thread->pid);
      sonde_json_set_string (json, "tid", thread->tid);
      sonde_json_set_string (json, "process", thread->process);
      sonde_json_set_string (json, "thread", thread->name);
      sonde_json_set_string (json, "track", thread->track);
      sonde_json_set_int (json, "spans", thread->n);
      sonde_json_set_int (json, "busy_ns", thread->busy_ns);
      sonde_json_set_int (json, "lanes", thread->n_lanes);
      sonde_json_set_int (json, "max_depth", thread->max_depth);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

static void
add_names (JsonBuilder *json, const SondeTrace *trace)
{
  sonde_json_begin_array (json, "names");
  for (guint i = 0; i < trace->labels->len; i++)
    {
      const SondeTraceLabel *label = sonde_trace_get_label (trace, i);

      if (label->n == 0)
        continue;
      json_builder_begin_object (json);
      sonde_json_set_string (json, "category", label->category);
      sonde_json_set_string (json, "name", label->name);
      sonde_json_set_int (json, "count", label->n);
      sonde_json_set_int (json, "total_ns", label->total_ns);
      sonde_json_set_int (json, "self_ns", label->self_ns);
      sonde_json_set_int (json, "min_ns", label->min_ns);
      sonde_json_set_int (json, "max_ns", label->max_ns);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

/* @sum with how long @async takes; at most G_MAXINT64, as the sums of spans */
static gint64
add_duration (gint64 sum, const SondeTraceAsync *async)
{
  guint64 duration = (guint64) async->end_ns - (guint64) async->start_ns;

  return duration > (guint64) (G_MAXINT64 - sum) ? G_MAXINT64 : sum + (gint64) duration;
}

/* How many asynchronous spans of each label, and how long. */
static void
add_async (JsonBuilder *json, const SondeTrace *trace)
{
  g_autofree guint64 *counts = g_new0 (guint64, MAX (trace->labels->len, 1));
  g_autofree gint64 *totals = g_new0 (gint64, MAX (trace->labels->len, 1));

  for (guint i = 0; i < trace->async->len; i++)
    {
      const SondeTraceAsync *async = &g_array_index (trace->async, SondeTraceAsync, i);

      counts[async->label]++;
      totals[async->label] = add_duration (totals[async->label], async);
    }
  sonde_json_begin_array (json, "async");
  for (guint i = 0; i < trace->labels->len; i++)
    {
      if (counts[i] == 0)
        continue;
      json_builder_begin_object (json);
      sonde_json_set_string (json, "category", sonde_trace_get_label (trace, i)->category);
      sonde_json_set_string (json, "name", sonde_trace_get_label (trace, i)->name);
      sonde_json_set_int (json, "count", counts[i]);
      sonde_json_set_int (json, "total_ns", totals[i]);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

static void
add_counters (JsonBuilder *json, const SondeTrace *trace)
{
  sonde_json_begin_array (json, "counters");
  for (guint i = 0; i < trace->counters->len; i++)
    {
      const SondeTraceCounter *counter = &g_array_index (trace->counters, SondeTraceCounter, i);
      const GArray *points = counter->points;

      json_builder_begin_object (json);
      sonde_json_set_string (json, "pid", counter->pid);
      sonde_json_set_string (json, "name", counter->name);
      sonde_json_set_string (json, "key", counter->key);
      sonde_json_set_int (json, "points", points->len);
      sonde_json_set_double (json, "last",
                             g_array_index (points, SondeTracePoint, points->len - 1).value);
      sonde_json_set_double (json, "min", counter->min);
      sonde_json_set_double (json, "max", counter->max);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

static void
add_frames (JsonBuilder *json, const SondeTrace *trace)
{
  if (!is_sampled (trace))
    return;
  sonde_json_set_int (json, "samples", trace->n_samples);
  sonde_json_set_int (json, "weight", trace->weight);
  sonde_json_begin_array (json, "frames");
  for (guint i = 0; i < trace->frames->len; i++)
    {
      const SondeTraceFrame *frame = &g_array_index (trace->frames, SondeTraceFrame, i);

      json_builder_begin_object (json);
      sonde_json_set_string (json, "name", frame->name);
      sonde_json_set_int (json, "self", frame->self);
      sonde_json_set_int (json, "total", frame->total);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

static guint64
count_bound (const SondeTrace *trace)
{
  guint64 n = 0;

  for (guint i = 0; i < trace->arrows->len; i++)
    n += g_array_index (trace->arrows, SondeTraceArrow, i).is_bound;
  return n;
}

static void
add_flows_and_objects (JsonBuilder *json, const SondeTrace *trace)
{
  sonde_json_begin_object (json, "flows");
  sonde_json_set_int (json, "s", trace->n_flow_starts);
  sonde_json_set_int (json, "t", trace->n_flow_steps);
  sonde_json_set_int (json, "f", trace->n_flow_ends);
  sonde_json_set_int (json, "arrows", trace->arrows->len);
  sonde_json_set_int (json, "bound", count_bound (trace));
  json_builder_end_object (json);
  sonde_json_begin_object (json, "objects");
  sonde_json_set_int (json, "created", trace->n_created);
  sonde_json_set_int (json, "snapshots", trace->n_snapshots);
  sonde_json_set_int (json, "deleted", trace->n_deleted);
  json_builder_end_object (json);
}

static void
add_damage (JsonBuilder *json, const SondeTrace *trace)
{
  sonde_json_begin_object (json, "ignored");
  for (guint i = 0; i < trace->ignored->len; i++)
    {
      const SondeTraceIgnored *ignored = &g_array_index (trace->ignored, SondeTraceIgnored, i);

      sonde_json_set_int (json, ignored->name, ignored->n);
    }
  json_builder_end_object (json);
  sonde_json_begin_object (json, "ill_formed");
  sonde_json_set_boolean (json, "truncated", trace->truncated);
  if (trace->truncated)
    sonde_json_set_int (json, "at", trace->truncated_at);
  for (guint i = 0; i < SONDE_TRACE_N_REASONS; i++)
    if (trace->reasons[i] > 0)
      sonde_json_set_int (json, sonde_trace_reason_get_name (i), trace->reasons[i]);
  json_builder_end_object (json);
}

static JsonNode *
make_json (const char *path, const SondeTrace *trace)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();
  g_autofree char *valid = g_filename_display_name (path);

  json_builder_begin_object (json);
  sonde_json_set_string (json, "path", valid);
  sonde_json_set_string (json, "format", sonde_trace_format_get_name (trace->format));
  sonde_json_set_string (json, "producer", trace->producer);
  sonde_json_set_boolean (json, "compressed", trace->compressed);
  sonde_json_set_int (json, "bytes", trace->bytes);
  sonde_json_set_int (json, "clock_base_ns", trace->clock_base_ns);
  set_time (json, "start_ns", trace, trace->start_ns);
  set_time (json, "end_ns", trace, trace->end_ns);
  sonde_json_set_int (json, "events", trace->n_events);
  sonde_json_set_int (json, "spans", trace->n_spans);
  sonde_json_set_int (json, "instants", trace->instants->len);
  sonde_json_set_int (json, "async_spans", trace->async->len);
  sonde_json_set_int (json, "dropped", trace->n_dropped);
  sonde_json_set_int (json, "thread_count",
                      is_sampled (trace) ? trace->threads->len : trace->n_threads_with_spans);
  sonde_json_set_int (json, "name_count", trace->n_labels_with_spans);
  add_threads (json, trace);
  add_names (json, trace);
  add_async (json, trace);
  add_counters (json, trace);
  add_frames (json, trace);
  add_flows_and_objects (json, trace);
  add_damage (json, trace);
  json_builder_end_object (json);
  return json_builder_get_root (json);
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
    json_array_add_element (findings->traces, make_json (path, trace));
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
