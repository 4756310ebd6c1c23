/* SPDX-License-Identifier: Apache-2.0
 * Traces of real producers and ill-formed ones, against what an independent reader in decimal arithmetic
 * found in them (shared/samples/traces). */
#include <math.h>
#include <string.h>

#include <json-glib/json-glib.h>

#include "tests/data/traces/trace-bytes.h"

/* Sets of lines are compared, since lists come in any order. */
typedef GHashTable Lines;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Lines, g_hash_table_unref)

static Lines *
lines_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

static void G_GNUC_PRINTF (2, 3) add_line (Lines *lines, const char *format, ...)
{
  va_list arguments;
  char *line;

  va_start (arguments, format);
  line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_hash_table_insert (lines, line,
                       GINT_TO_POINTER (GPOINTER_TO_INT (g_hash_table_lookup (lines, line)) + 1));
}

static void
assert_equal_lines (const char *file, const char *what, Lines *expected, Lines *found)
{
  GHashTableIter iter;
  gpointer line, n;

  g_hash_table_iter_init (&iter, expected);
  while (g_hash_table_iter_next (&iter, &line, &n))
    if (g_hash_table_lookup (found, line) != n)
      {
        g_test_message ("%s: %s lack “%s”", file, what, (char *) line);
        g_test_fail ();
        return;
      }
  if (g_hash_table_size (expected) != g_hash_table_size (found))
    {
      g_test_message ("%s: %u %s instead of %u", file, g_hash_table_size (found), what,
                      g_hash_table_size (expected));
      g_test_fail ();
    }
}

static gint64
get_int (JsonObject *object, const char *name)
{
  return json_object_get_int_member_with_default (object, name, 0);
}

static const char *
get_text (JsonObject *object, const char *name)
{
  return json_object_get_string_member_with_default (object, name, "");
}

/* The elements of a list; none when it is left out. */
static GList *
get_elements (JsonObject *object, const char *name)
{
  return json_object_has_member (object, name)
             ? json_array_get_elements (json_object_get_array_member (object, name))
             : NULL;
}

#define SAMPLED_THREAD "%s %s/%s samples %" G_GINT64_FORMAT

/* Threads of perf; collapsed stacks have none. */
static void
compare_sampled_threads (const char *file, JsonObject *expected, const SondeTrace *trace)
{
  g_autoptr (Lines) a = lines_new (), b = lines_new ();
  g_autoptr (GList) list = get_elements (expected, "threads");

  for (GList *l = list; l != NULL; l = l->next)
    {
      JsonObject *o = json_node_get_object (l->data);

      add_line (a, SAMPLED_THREAD, get_text (o, "process"), get_text (o, "pid"),
                get_text (o, "tid"), get_int (o, "samples"));
    }
  for (guint i = 0; i < trace->threads->len; i++)
    {
      const SondeTraceThread *t = sonde_trace_get_thread (trace, i);

      add_line (b, SAMPLED_THREAD, t->process, t->pid, t->tid, (gint64) t->n_samples);
    }
  assert_equal_lines (file, "threads", a, b);
}

#define THREAD "%s/%s %s/%s/%s n %" G_GINT64_FORMAT " busy %" G_GINT64_FORMAT " lanes %d depth %d"

static void
compare_threads (const char *file, JsonObject *expected, const SondeTrace *trace)
{
  g_autoptr (Lines) a = lines_new (), b = lines_new ();
  g_autoptr (GList) list = get_elements (expected, "threads");

  g_assert_cmpint (trace->n_threads_with_spans, ==, get_int (expected, "thread_count"));
  if (!json_object_has_member (expected, "threads"))
    return;
  for (GList *l = list; l != NULL; l = l->next)
    {
      JsonObject *o = json_node_get_object (l->data);

      add_line (a, THREAD, get_text (o, "pid"), get_text (o, "tid"), get_text (o, "process"),
                get_text (o, "thread"), get_text (o, "track"), get_int (o, "spans"),
                get_int (o, "busy_ns"), (int) get_int (o, "lanes"), (int) get_int (o, "max_depth"));
    }
  for (guint i = 0; i < trace->threads->len; i++)
    {
      const SondeTraceThread *t = sonde_trace_get_thread (trace, i);

      if (t->n > 0)
        add_line (b, THREAD, t->pid, t->tid, t->process, t->name, t->track, (gint64) t->n,
                  t->busy_ns, (int) t->n_lanes, (int) t->max_depth);
    }
  assert_equal_lines (file, "threads", a, b);
}

#define INT " %" G_GINT64_FORMAT
#define LABEL "%s|%s" INT INT INT INT INT

static void
compare_names (const char *file, JsonObject *expected, const SondeTrace *trace)
{
  g_autoptr (Lines) a = lines_new (), b = lines_new ();
  g_autoptr (GList) list = get_elements (expected, "names");

  g_assert_cmpint (trace->n_labels_with_spans, ==, get_int (expected, "name_count"));
  if (!json_object_has_member (expected, "names"))
    return;
  for (GList *l = list; l != NULL; l = l->next)
    {
      JsonObject *o = json_node_get_object (l->data);

      add_line (a, LABEL, get_text (o, "category"), get_text (o, "name"), get_int (o, "count"),
                get_int (o, "total_ns"), get_int (o, "self_ns"), get_int (o, "min_ns"),
                get_int (o, "max_ns"));
    }
  for (guint i = 0; i < trace->labels->len; i++)
    {
      const SondeTraceLabel *label = sonde_trace_get_label (trace, i);

      if (label->n > 0)
        add_line (b, LABEL, label->category, label->name, (gint64) label->n, label->total_ns,
                  label->self_ns, label->min_ns, label->max_ns);
    }
  assert_equal_lines (file, "names", a, b);
}

static void
compare_async (const char *file, JsonObject *expected, const SondeTrace *trace)
{
  g_autoptr (Lines) a = lines_new (), b = lines_new ();
  g_autoptr (GList) list = get_elements (expected, "async");
  g_autofree gint64 *n = g_new0 (gint64, trace->labels->len + 1);
  g_autofree gint64 *total = g_new0 (gint64, trace->labels->len + 1);

  for (GList *l = list; l != NULL; l = l->next)
    {
      JsonObject *o = json_node_get_object (l->data);

      add_line (a, "%s|%s" INT INT, get_text (o, "category"), get_text (o, "name"),
                get_int (o, "count"), get_int (o, "total_ns"));
    }
  for (guint i = 0; i < trace->async->len; i++)
    {
      const SondeTraceAsync *async = &g_array_index (trace->async, SondeTraceAsync, i);

      n[async->label]++;
      total[async->label] += async->end_ns - async->start_ns;
    }
  for (guint i = 0; i < trace->labels->len; i++)
    if (n[i] > 0)
      add_line (b, "%s|%s" INT INT, sonde_trace_get_label (trace, i)->category,
                sonde_trace_get_label (trace, i)->name, n[i], total[i]);
  assert_equal_lines (file, "asynchronous spans", a, b);
}

#define COUNTER "%s|%s|%s" INT " %.12g %.12g %.12g"

static void
compare_counters (const char *file, JsonObject *expected, const SondeTrace *trace)
{
  g_autoptr (Lines) a = lines_new (), b = lines_new ();
  g_autoptr (GList) list = get_elements (expected, "counters");

  for (GList *l = list; l != NULL; l = l->next)
    {
      JsonObject *o = json_node_get_object (l->data);

      add_line (a, COUNTER, get_text (o, "pid"), get_text (o, "name"), get_text (o, "key"),
                get_int (o, "points"), json_object_get_double_member (o, "last"),
                json_object_get_double_member (o, "min"), json_object_get_double_member (o, "max"));
    }
  for (guint i = 0; i < trace->counters->len; i++)
    {
      const SondeTraceCounter *c = &g_array_index (trace->counters, SondeTraceCounter, i);

      add_line (b, COUNTER, c->pid, c->name, c->key, (gint64) c->points->len,
                g_array_index (c->points, SondeTracePoint, c->points->len - 1).value, c->min,
                c->max);
    }
  assert_equal_lines (file, "counters", a, b);
}

static void
compare_frames (const char *file, JsonObject *expected, const SondeTrace *trace)
{
  g_autoptr (Lines) a = lines_new (), b = lines_new ();
  g_autoptr (GList) list = get_elements (expected, "frames");

  g_assert_cmpint (trace->n_samples, ==, get_int (expected, "samples"));
  g_assert_cmpint (trace->weight, ==, get_int (expected, "weight"));
  for (GList *l = list; l != NULL; l = l->next)
    {
      JsonObject *o = json_node_get_object (l->data);

      add_line (a, "%s" INT INT, get_text (o, "name"), get_int (o, "self"), get_int (o, "total"));
    }
  for (guint i = 0; i < trace->frames->len; i++)
    {
      const SondeTraceFrame *frame = &g_array_index (trace->frames, SondeTraceFrame, i);

      add_line (b, "%s" INT INT, frame->name, (gint64) frame->self, (gint64) frame->total);
    }
  assert_equal_lines (file, "frames", a, b);
}

/* An object of numbers: what is left out is 0. */
static void
compare_reasons (const char *file, JsonObject *expected, const SondeTrace *trace)
{
  JsonObject *damage = json_object_get_object_member (expected, "ill_formed");

  g_assert_cmpint (trace->truncated, ==, json_object_get_boolean_member (damage, "truncated"));
  for (guint i = 0; i < SONDE_TRACE_N_REASONS; i++)
    {
      g_test_message ("%s: %s", file, sonde_trace_reason_get_name (i));
      g_assert_cmpint (trace->reasons[i], ==, get_int (damage, sonde_trace_reason_get_name (i)));
    }
}

static void
compare_ignored (JsonObject *expected, const SondeTrace *trace)
{
  JsonObject *ignored = json_object_get_object_member (expected, "ignored");

  g_assert_cmpint (trace->ignored->len, ==, json_object_get_size (ignored));
  for (guint i = 0; i < trace->ignored->len; i++)
    {
      const SondeTraceIgnored *entry = &g_array_index (trace->ignored, SondeTraceIgnored, i);

      g_assert_cmpint (entry->n, ==, get_int (ignored, entry->name));
    }
}

static void
compare_flows (JsonObject *expected, const SondeTrace *trace)
{
  JsonObject *flows = json_object_get_object_member (expected, "flows");
  JsonObject *objects = json_object_get_object_member (expected, "objects");
  gint64 n_bound = 0;

  for (guint i = 0; i < trace->arrows->len; i++)
    n_bound += g_array_index (trace->arrows, SondeTraceArrow, i).is_bound;
  g_assert_cmpint (trace->n_flow_starts, ==, get_int (flows, "s"));
  g_assert_cmpint (trace->n_flow_steps, ==, get_int (flows, "t"));
  g_assert_cmpint (trace->n_flow_ends, ==, get_int (flows, "f"));
  g_assert_cmpint (trace->arrows->len, ==, get_int (flows, "arrows"));
  g_assert_cmpint (n_bound, ==, get_int (flows, "bound"));
  g_assert_cmpint (trace->n_created, ==, get_int (objects, "created"));
  g_assert_cmpint (trace->n_snapshots, ==, get_int (objects, "snapshots"));
  g_assert_cmpint (trace->n_deleted, ==, get_int (objects, "deleted"));
}

static void
compare_head (JsonObject *expected, const SondeTrace *trace)
{
  g_assert_cmpstr (sonde_trace_format_get_name (trace->format), ==, get_text (expected, "format"));
  g_assert_cmpint (trace->compressed, ==, json_object_get_boolean_member (expected, "compressed"));
  g_assert_cmpint (trace->has_time, ==, !json_object_get_null_member (expected, "start_ns"));
  if (trace->has_time)
    {
      g_assert_cmpint (trace->start_ns, ==, get_int (expected, "start_ns"));
      g_assert_cmpint (trace->end_ns, ==, get_int (expected, "end_ns"));
    }
}

static void
compare_counts (JsonObject *expected, const SondeTrace *trace)
{
  g_assert_cmpstr (trace->producer, ==, get_text (expected, "producer"));
  g_assert_cmpint (trace->clock_base_ns, ==, get_int (expected, "clock_base_ns"));
  g_assert_cmpint (trace->n_events, ==, get_int (expected, "events"));
  g_assert_cmpint (trace->n_spans, ==, get_int (expected, "spans"));
  g_assert_cmpint (trace->instants->len, ==, get_int (expected, "instants"));
  g_assert_cmpint (trace->async->len, ==, get_int (expected, "async_spans"));
  g_assert_cmpint (trace->n_dropped, ==, get_int (expected, "dropped"));
}

static void
test_golden (gconstpointer data)
{
  const char *path = data;
  g_autofree char *expected_path = g_strconcat (path, ".expected.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTrace) trace = sonde_trace_file_read (NULL, path, &error);
  JsonObject *expected;

  g_assert_no_error (error);
  json_parser_load_from_file (parser, expected_path, &error);
  g_assert_no_error (error);
  expected = json_node_get_object (json_parser_get_root (parser));
  g_assert_true (sonde_trace_file_sniff (NULL, path, NULL));
  compare_head (expected, trace);
  compare_frames (path, expected, trace);
  compare_reasons (path, expected, trace);
  if (json_object_has_member (expected, "frames"))
    {
      compare_sampled_threads (path, expected, trace);
      return;
    }
  compare_counts (expected, trace);
  compare_threads (path, expected, trace);
  compare_names (path, expected, trace);
  compare_async (path, expected, trace);
  compare_counters (path, expected, trace);
  compare_flows (expected, trace);
  compare_ignored (expected, trace);
}

/* Not even the beginning is a trace. */
static void
test_refused (gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTrace) trace = sonde_trace_file_read (NULL, data, &error);

  g_assert_null (trace);
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
}

/* A name of 400 MB in 400 kB of gzip costs time, not memory. */
static void
test_bomb (gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTrace) trace = sonde_trace_file_read (NULL, data, &error);

  g_assert_no_error (error);
  g_assert_cmpint (trace->reasons[SONDE_TRACE_REASON_LONG_TEXT], ==, 1);
  for (guint i = 0; i < trace->labels->len; i++)
    g_assert_cmpint (strlen (sonde_trace_get_label (trace, i)->name), <=, 1 << 20);
}

static void
test_depth (gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTrace) trace = sonde_trace_file_read (NULL, data, &error);

  g_assert_no_error (error);
  g_assert_cmpint (trace->n_spans, ==, 3);
  g_assert_false (trace->truncated);
}

static void
add_test (const char *folder, const char *name)
{
  static const struct
  {
    const char *name;
    GTestDataFunc func;
  } special[] = { { "bad-bomb.json.gz", test_bomb },
                  { "bad-depth.json", test_depth },
                  { "bad-empty.json", test_refused },
                  { "bad-garbage.json", test_refused } };
  g_autofree char *test = g_strconcat ("/data/traces/golden/", name, NULL);
  g_autofree char *expected = g_strconcat (folder, "/", name, ".expected.json", NULL);
  char *path = g_build_filename (folder, name, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (special); i++)
    if (strcmp (special[i].name, name) == 0)
      {
        g_test_add_data_func_full (test, path, special[i].func, g_free);
        return;
      }
  if (g_file_test (expected, G_FILE_TEST_EXISTS))
    g_test_add_data_func_full (test, path, test_golden, g_free);
  else
    g_free (path);
}

static void
test_missing (void)
{
  g_test_skip ("the shared traces are not here");
}

/* Spaces before the first bracket: many are part of a file, megabytes are not worth reading. */
static void
test_blank (void)
{
  for (gsize n = 0; n <= 12 << 20; n = n == 0 ? 5000 : n * 50)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GString) text = g_string_new ("\xef\xbb\xbf");
      g_autoptr (SondeTrace) trace = NULL;

      for (gsize i = 0; i < n; i++)
        g_string_append_c (text, i % 3 == 0 ? '\n' : ' ');
      g_string_append (text, "{\"traceEvents\":[{\"ph\":\"i\",\"ts\":1,\"name\":\"x\"}]}");
      trace = read_trace (text->str, text->len, 1 << 20, &error);
      if (n > 8 << 20)
        g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
      else
        {
          g_assert_no_error (error);
          g_assert_cmpint (trace->format, ==, SONDE_TRACE_CHROME);
          g_assert_cmpint (trace->instants->len, ==, 1);
        }
    }
}

int
main (int argc, char **argv)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *folder = g_build_filename (shared ? shared : "", "samples", "traces", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/traces/golden/blank", test_blank);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    add_test (folder, name);
  if (dir == NULL)
    g_test_add_func ("/data/traces/golden/missing", test_missing);
  return g_test_run ();
}
