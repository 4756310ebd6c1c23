/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cli/sonde-cli-inspect-trace-json.h"

#include <string.h>

#include "data/arrays/sonde-json-text.h"
#include "data/arrays/sonde-json.h"

/* ---- elements of lists --------------------------------------------------- */

/* The members of element @i, whose object is open. FALSE, with nothing added: it is left out. */
typedef gboolean (*ElementFunc) (JsonBuilder *json, const SondeTrace *trace, guint i);

static gboolean
is_sampled (const SondeTrace *trace)
{
  return trace->format == SONDE_TRACE_COLLAPSED || trace->format == SONDE_TRACE_PERF;
}

static gboolean
add_sampled_thread (JsonBuilder *json, const SondeTrace *trace, guint i)
{
  const SondeTraceThread *thread = sonde_trace_get_thread (trace, i);

  sonde_json_set_string (json, "process", thread->process);
  sonde_json_set_string (json, "pid", thread->pid);
  sonde_json_set_string (json, "tid", thread->tid);
  sonde_json_set_int (json, "samples", thread->n_samples);
  return TRUE;
}

static gboolean
add_thread (JsonBuilder *json, const SondeTrace *trace, guint i)
{
  const SondeTraceThread *thread = sonde_trace_get_thread (trace, i);

  if (thread->n == 0)
    return FALSE;
  sonde_json_set_string (json, "pid", thread->pid);
  sonde_json_set_string (json, "tid", thread->tid);
  sonde_json_set_string (json, "process", thread->process);
  sonde_json_set_string (json, "thread", thread->name);
  sonde_json_set_string (json, "track", thread->track);
  sonde_json_set_int (json, "spans", thread->n);
  sonde_json_set_int (json, "busy_ns", thread->busy_ns);
  sonde_json_set_int (json, "lanes", thread->n_lanes);
  sonde_json_set_int (json, "max_depth", thread->max_depth);
  return TRUE;
}

static gboolean
add_name (JsonBuilder *json, const SondeTrace *trace, guint i)
{
  const SondeTraceLabel *label = sonde_trace_get_label (trace, i);

  if (label->n == 0)
    return FALSE;
  sonde_json_set_string (json, "category", label->category);
  sonde_json_set_string (json, "name", label->name);
  sonde_json_set_int (json, "count", label->n);
  sonde_json_set_int (json, "total_ns", label->total_ns);
  sonde_json_set_int (json, "self_ns", label->self_ns);
  sonde_json_set_int (json, "min_ns", label->min_ns);
  sonde_json_set_int (json, "max_ns", label->max_ns);
  return TRUE;
}

static gboolean
add_counter (JsonBuilder *json, const SondeTrace *trace, guint i)
{
  const SondeTraceCounter *counter = &g_array_index (trace->counters, SondeTraceCounter, i);
  const GArray *points = counter->points;

  sonde_json_set_string (json, "pid", counter->pid);
  sonde_json_set_string (json, "name", counter->name);
  sonde_json_set_string (json, "key", counter->key);
  sonde_json_set_int (json, "points", points->len);
  sonde_json_set_double (json, "last",
                         g_array_index (points, SondeTracePoint, points->len - 1).value);
  sonde_json_set_double (json, "min", counter->min);
  sonde_json_set_double (json, "max", counter->max);
  return TRUE;
}

static gboolean
add_frame (JsonBuilder *json, const SondeTrace *trace, guint i)
{
  const SondeTraceFrame *frame = &g_array_index (trace->frames, SondeTraceFrame, i);

  sonde_json_set_string (json, "name", frame->name);
  sonde_json_set_int (json, "self", frame->self);
  sonde_json_set_int (json, "total", frame->total);
  return TRUE;
}

/* ---- lists ---------------------------------------------------------------- */

/* Takes what was built, without its braces. (transfer full) */
static char *
take_members (JsonBuilder *json)
{
  JsonNode *root;
  char *text;
  gsize n;

  json_builder_end_object (json);
  root = json_builder_get_root (json);
  text = sonde_json_node_to_text (root, FALSE);
  json_node_unref (root);
  json_builder_reset (json);
  n = strlen (text);
  g_assert (n >= 2);
  text[n - 1] = '\0';
  memmove (text, text + 1, n - 1);
  return text;
}

/* Behind members that stand there. */
static void
append_list (GString *text, const char *name, const SondeTrace *trace, guint n, ElementFunc add)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();
  const char *before = "\n        ";

  g_string_append_printf (text, ",\n      \"%s\" : [", name);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *members = NULL;

      json_builder_begin_object (json);
      if (!add (json, trace, i))
        {
          json_builder_reset (json);
          continue;
        }
      members = take_members (json);
      g_string_append_printf (text, "%s{%s}", before, members);
      before = ",\n        ";
    }
  g_string_append_c (text, ']');
}

/* @sum with how long @async takes; at most G_MAXINT64, as the sums of spans */
static gint64
add_duration (gint64 sum, const SondeTraceAsync *async)
{
  guint64 duration = (guint64) async->end_ns - (guint64) async->start_ns;

  return duration > (guint64) (G_MAXINT64 - sum) ? G_MAXINT64 : sum + (gint64) duration;
}

/* Asynchronous spans of a label. */
typedef struct
{
  const SondeTraceLabel *label;
  guint64 n;
  gint64 total_ns;
} AsyncSum;

static void
append_async_sum (GString *text, const AsyncSum *sum, const char *before)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();
  g_autofree char *members = NULL;

  json_builder_begin_object (json);
  sonde_json_set_string (json, "category", sum->label->category);
  sonde_json_set_string (json, "name", sum->label->name);
  sonde_json_set_int (json, "count", sum->n);
  sonde_json_set_int (json, "total_ns", sum->total_ns);
  members = take_members (json);
  g_string_append_printf (text, "%s{%s}", before, members);
}

static void
append_async (GString *text, const SondeTrace *trace)
{
  g_autofree AsyncSum *sums = g_new0 (AsyncSum, MAX (trace->labels->len, 1));
  const char *before = "\n        ";

  for (guint i = 0; i < trace->async->len; i++)
    {
      const SondeTraceAsync *async = &g_array_index (trace->async, SondeTraceAsync, i);
      AsyncSum *sum = &sums[async->label];

      sum->label = sonde_trace_get_label (trace, async->label);
      sum->total_ns = add_duration (sum->total_ns, async);
      sum->n++;
    }
  g_string_append (text, ",\n      \"async\" : [");
  for (guint i = 0; i < trace->labels->len; i++)
    if (sums[i].n > 0)
      {
        append_async_sum (text, &sums[i], before);
        before = ",\n        ";
      }
  g_string_append_c (text, ']');
}

/* ---- the rest -------------------------------------------------------------- */

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

static void
add_head (JsonBuilder *json, const char *path, const SondeTrace *trace)
{
  g_autofree char *valid = g_filename_display_name (path);

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
  if (is_sampled (trace))
    {
      sonde_json_set_int (json, "samples", trace->n_samples);
      sonde_json_set_int (json, "weight", trace->weight);
    }
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

void
sonde_inspect_trace_append_json (GString *text, const char *path, const SondeTrace *trace)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();
  g_autofree char *head = NULL, *tail = NULL;

  json_builder_begin_object (json);
  add_head (json, path, trace);
  head = take_members (json);
  g_string_append_printf (text, "{%s", head);
  append_list (text, "threads", trace, trace->threads->len,
               is_sampled (trace) ? add_sampled_thread : add_thread);
  append_list (text, "names", trace, trace->labels->len, add_name);
  append_async (text, trace);
  append_list (text, "counters", trace, trace->counters->len, add_counter);
  if (is_sampled (trace))
    append_list (text, "frames", trace, trace->frames->len, add_frame);
  json_builder_begin_object (json);
  add_flows_and_objects (json, trace);
  add_damage (json, trace);
  tail = take_members (json);
  g_string_append_printf (text, ",\n      %s}", tail);
}
