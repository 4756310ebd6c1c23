/* SPDX-License-Identifier: Apache-2.0
 * What is written is read again: the same names with the same sums, to the nanosecond. */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>
#include <isa-l/igzip_lib.h>

#include "data/base/sonde-error.h"
#include "data/traces/sonde-trace-builder.h"
#include "data/traces/sonde-trace-file.h"
#include "data/traces/writers/sonde-trace-writer.h"
#include "data/wire/sonde-wire-cursor.h"
#include "tests/support/sonde-test-program.h"

static char *folder;

/* ---- comparing ----------------------------------------------------------- */

typedef GHashTable Lines;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Lines, g_hash_table_unref)

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

#define INT " %" G_GINT64_FORMAT

static void
extend (gint64 *begin, gint64 at_ns)
{
  *begin = MIN (*begin, at_ns);
}

/* When the first of what is written begins: object events, which only count, are not. */
static gint64
get_first (const SondeTrace *trace)
{
  gint64 first = trace->end_ns;

  for (gsize i = 0; i < trace->n_spans; i++)
    extend (&first, trace->spans[i].start_ns);
  for (guint i = 0; i < trace->instants->len; i++)
    extend (&first, g_array_index (trace->instants, SondeTraceInstant, i).at_ns);
  for (guint i = 0; i < trace->async->len; i++)
    extend (&first, g_array_index (trace->async, SondeTraceAsync, i).start_ns);
  for (guint i = 0; i < trace->arrows->len; i++)
    extend (&first, g_array_index (trace->arrows, SondeTraceArrow, i).from_ns);
  for (guint i = 0; i < trace->counters->len; i++)
    extend (&first, g_array_index (g_array_index (trace->counters, SondeTraceCounter, i).points,
                                   SondeTracePoint, 0)
                        .at_ns);
  return first;
}

/* What must survive, as lines. */
static Lines *
list_lines (const SondeTrace *trace)
{
  Lines *lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gint64 first = get_first (trace);

  for (guint i = 0; i < trace->labels->len; i++)
    {
      const SondeTraceLabel *label = sonde_trace_get_label (trace, i);

      if (label->n > 0)
        add_line (lines, "%s|%s" INT INT INT INT INT, label->category, label->name,
                  (gint64) label->n, label->total_ns, label->self_ns, label->min_ns, label->max_ns);
    }
  for (guint i = 0; i < trace->async->len; i++)
    {
      const SondeTraceAsync *async = &g_array_index (trace->async, SondeTraceAsync, i);
      const SondeTraceLabel *label = sonde_trace_get_label (trace, async->label);

      add_line (lines, "async %s|%s" INT, label->category, label->name,
                async->end_ns - async->start_ns);
    }
  for (guint i = 0; i < trace->instants->len; i++)
    {
      const SondeTraceInstant *instant = &g_array_index (trace->instants, SondeTraceInstant, i);
      const SondeTraceLabel *label = sonde_trace_get_label (trace, instant->label);

      add_line (lines, "instant %s|%s" INT, label->category, label->name, instant->at_ns - first);
    }
  for (guint i = 0; i < trace->counters->len; i++)
    {
      const SondeTraceCounter *counter = &g_array_index (trace->counters, SondeTraceCounter, i);

      add_line (lines, "counter %u %.17g %.17g %.17g", counter->points->len, counter->min,
                counter->max, g_array_index (counter->points, SondeTracePoint, 0).value);
    }
  return lines;
}

static void
assert_same (const char *file, const SondeTrace *a, const SondeTrace *b)
{
  g_autoptr (Lines) x = list_lines (a), y = list_lines (b);
  GHashTableIter iter;
  gpointer line, n;

  g_hash_table_iter_init (&iter, x);
  while (g_hash_table_iter_next (&iter, &line, &n))
    if (g_hash_table_lookup (y, line) != n)
      {
        g_test_message ("%s lacks “%s”", file, (char *) line);
        g_test_fail ();
        return;
      }
  g_assert_cmpint (g_hash_table_size (x), ==, g_hash_table_size (y));
  for (guint i = 0; i < SONDE_TRACE_N_REASONS; i++)
    if (b->reasons[i] > 0)
      {
        g_test_message ("%s: %s", file, sonde_trace_reason_get_name (i));
        g_test_fail ();
      }
  g_assert_false (b->truncated);
}

static guint
count_bound (const SondeTrace *trace)
{
  guint n = 0;

  for (guint i = 0; i < trace->arrows->len; i++)
    {
      const SondeTraceArrow *arrow = &g_array_index (trace->arrows, SondeTraceArrow, i);

      n += arrow->from != SONDE_TRACE_NONE && arrow->to != SONDE_TRACE_NONE;
    }
  return n;
}

/* Where everything begins, on the clock that the file names. */
static gint64
get_begin (const SondeTrace *trace)
{
  return trace->clock_base_ns + get_first (trace);
}

/* ---- formats ------------------------------------------------------------- */

static SondeTrace *
write_and_read (const SondeTrace *trace, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  SondeTrace *again;

  g_assert_true (sonde_trace_writer_for_path (path) (trace, path, &error));
  g_assert_no_error (error);
  again = sonde_trace_file_read (NULL, path, &error);
  g_assert_no_error (error);
  return again;
}

static void
check_chrome (const char *file, const SondeTrace *trace, const char *name)
{
  g_autoptr (SondeTrace) again = write_and_read (trace, name);

  g_assert_cmpint (again->format, ==, SONDE_TRACE_CHROME);
  g_assert_cmpstr (again->producer, ==, "sonde");
  g_assert_cmpint (again->compressed, ==, g_str_has_suffix (name, ".gz"));
  assert_same (file, trace, again);
  g_assert_cmpint (again->arrows->len, ==, trace->arrows->len);
  g_assert_cmpint (count_bound (again), >=, count_bound (trace));
  if (trace->has_time)
    g_assert_cmpint (get_begin (again), ==, get_begin (trace));
}

static void
check_perfetto (const char *file, const SondeTrace *trace)
{
  g_autoptr (SondeTrace) again = write_and_read (trace, "t.pftrace");

  g_assert_cmpint (again->format, ==, SONDE_TRACE_PERFETTO);
  assert_same (file, trace, again);
  g_assert_cmpint (again->arrows->len, ==, count_bound (trace));
  g_assert_cmpint (count_bound (again), ==, count_bound (trace));
  if (trace->has_time)
    g_assert_cmpint (get_first (again), ==, get_first (trace) - MIN (trace->start_ns, 0));
}

static gint64
sum_self (const SondeTrace *trace)
{
  gint64 sum = 0;

  for (guint i = 0; i < trace->labels->len; i++)
    sum += sonde_trace_get_label (trace, i)->self_ns;
  return sum;
}

static void
check_collapsed (const SondeTrace *trace)
{
  g_autofree char *path = g_build_filename (folder, "t.collapsed", NULL), *text = NULL;
  g_autoptr (SondeTrace) again = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (sonde_trace_write_collapsed (trace, path, &error));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  if (*text == '[' || *text == '{')
    return; /* such a file is taken for JSON */
  again = sonde_trace_file_read (NULL, path, NULL);
  g_assert_cmpint (again != NULL ? (gint64) again->weight : 0, ==,
                   trace->n_samples > 0 ? (gint64) trace->weight : sum_self (trace));
  g_assert_cmpint (again != NULL ? again->reasons[SONDE_TRACE_REASON_LINE] : 0, ==, 0);
}

/* Lines, and the sum of their last field. */
static void
check_csv (const SondeTrace *trace)
{
  g_autofree char *path = g_build_filename (folder, "t.csv", NULL), *text = NULL;
  g_autoptr (GError) error = NULL;
  gint64 n = 0, sum = 0;

  g_assert_true (sonde_trace_write_csv (trace, path, &error));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (g_str_has_prefix (
      text, "pid,tid,process,thread,category,name,start_ns,duration_ns,depth,self_ns\n"));
  for (char *line = strchr (text, '\n') + 1; *line != 0; line = strchr (line, '\n') + 1, n++)
    {
      *strchr (line, '\n') = 0;
      sum += g_ascii_strtoll (strrchr (line, ',') + 1, NULL, 10);
      line[strlen (line)] = '\n';
    }
  g_assert_cmpint (n, ==, trace->n_spans);
  g_assert_cmpint (sum, ==, sum_self (trace));
}

/* ---- pprof --------------------------------------------------------------- */

static GByteArray *
read_gzip (const char *path)
{
  g_autofree char *packed = NULL;
  GByteArray *bytes = g_byte_array_new ();
  struct inflate_state *state = g_new0 (struct inflate_state, 1);
  gsize n;
  guint8 piece[4096];

  g_assert_true (g_file_get_contents (path, &packed, &n, NULL));
  isal_inflate_init (state);
  state->crc_flag = ISAL_GZIP;
  state->next_in = (guint8 *) packed;
  state->avail_in = n;
  do
    {
      state->next_out = piece;
      state->avail_out = sizeof piece;
      g_assert_cmpint (isal_inflate (state), ==, ISAL_DECOMP_OK);
      g_byte_array_append (bytes, piece, sizeof piece - state->avail_out);
    }
  while (state->block_state != ISAL_BLOCK_FINISH);
  g_free (state);
  return bytes;
}

/* The last of the packed values of a sample. */
static gint64
get_last_value (SondeWireCursor sample)
{
  SondeWireItem item;
  guint64 value = 0;

  while (sonde_wire_next (&sample, &item) == SONDE_WIRE_ITEM)
    if (item.number == 2)
      for (SondeWireCursor values = sonde_wire_item_cursor (&item); values.at != values.end;)
        g_assert_true (sonde_wire_take_varint (&values, &value));
  return (gint64) value;
}

static void
check_pprof (const SondeTrace *trace)
{
  g_autofree char *path = g_build_filename (folder, "t.pprof", NULL);
  g_autoptr (GByteArray) bytes = NULL;
  g_autoptr (GError) error = NULL;
  SondeWireCursor cursor;
  SondeWireItem item;
  gint64 sum = 0;

  g_assert_true (sonde_trace_write_pprof (trace, path, &error));
  bytes = read_gzip (path);
  cursor = sonde_wire_cursor (bytes->data, bytes->len);
  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (item.number == 2)
      sum += get_last_value (sonde_wire_item_cursor (&item));
    else if (item.number == 6 && item.length == 0)
      g_assert_cmpint (sum, ==, 0); /* the empty text is the first */
  g_assert_true (cursor.at == cursor.end);
  g_assert_cmpint (sum, ==, trace->n_samples > 0 ? (gint64) trace->weight : sum_self (trace));
}

/* ---- all samples --------------------------------------------------------- */

static void
check_refused (const SondeTrace *trace, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (sonde_trace_writer_for_path (path) (trace, path, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

static void
test_sample (gconstpointer data)
{
  g_autoptr (SondeTrace) trace = sonde_trace_file_read (NULL, data, NULL);

  if (trace == NULL)
    return;
  check_collapsed (trace);
  check_pprof (trace);
  if (trace->n_samples > 0)
    {
      check_refused (trace, "r.json");
      check_refused (trace, "r.pftrace");
      check_refused (trace, "r.csv");
      return;
    }
  check_csv (trace);
  if (trace->end_ns / 2 - trace->start_ns / 2 > G_MAXINT64 / 2)
    return; /* times from the beginning do not fit into 63 bits */
  check_chrome (data, trace, "t.json");
  check_chrome (data, trace, "t.json.gz");
  check_perfetto (data, trace);
}

/* ---- what no sample has -------------------------------------------------- */

typedef struct
{
  SondeTraceBuilder *builder;
  guint64 place;
} Maker;

static guint32
add_text (Maker *maker, const char *text)
{
  return sonde_trace_builder_add_text (maker->builder, text, strlen (text));
}

static void
add_span (Maker *maker, const char *pid, const char *tid, const char *name, gint64 start_ns,
          gint64 end_ns)
{
  guint32 thread = sonde_trace_builder_add_thread (maker->builder, add_text (maker, pid),
                                                   add_text (maker, tid), 0);

  sonde_trace_builder_add_span (maker->builder, thread,
                                sonde_trace_builder_add_label (maker->builder,
                                                               add_text (maker, "c,d"),
                                                               add_text (maker, name)),
                                start_ns, end_ns, maker->place++);
}

/* Lanes, ids of all kinds, times before zero, names that could turn a line around. */
static SondeTrace *
make_odd_trace (void)
{
  Maker maker = { sonde_trace_builder_new (SONDE_TRACE_CHROME), 0 };
  SondeTrace *trace;

  add_span (&maker, "7", "9", "a;b,\"c\"\\", -1000, 10);
  add_span (&maker, "7", "9", "odd \x1b[31m \n \t \xe2\x80\xae \xc2\x85 größe", -500, 600);
  add_span (&maker, "7", "9", "inside", 0, 599);
  add_span (&maker, "7", "9", "inside", 0, 0);
  add_span (&maker, "7", "9", "third", 5, 700);
  add_span (&maker, "7", "GPU 0", "", 1, 2);
  add_span (&maker, "7", "-1", "x", 1, 2);
  add_span (&maker, "GPU", "9", "x", 1, 2);
  add_span (&maker, "", "", "x", 1, 1);
  add_span (&maker, "4294967296", "0", "x", 1, 3);
  add_span (&maker, "1", "1", "x", 2, 3);
  sonde_trace_builder_set_clock_base (maker.builder, 5);
  trace = sonde_trace_builder_finish (maker.builder);
  sonde_trace_builder_free (maker.builder);
  return trace;
}

static void
test_odd (void)
{
  g_autoptr (SondeTrace) trace = make_odd_trace ();
  g_autoptr (SondeTrace) again = NULL;
  g_autofree char *json = g_build_filename (folder, "t.json", NULL), *text = NULL;
  g_autofree char *csv = g_build_filename (folder, "t.csv", NULL), *table = NULL;

  g_assert_cmpint (trace->reasons[SONDE_TRACE_REASON_OVERLAPPING], ==, 3);
  check_chrome ("odd", trace, "t.json");
  check_perfetto ("odd", trace);
  check_collapsed (trace);
  check_csv (trace);
  check_pprof (trace);
  g_assert_true (g_file_get_contents (json, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "odd \\u001b[31m \\u000a \\u0009 \\u202e \\u0085 größe"));
  g_assert_nonnull (strstr (text, "\"a;b,\\\"c\\\"\\\\\""));
  g_assert_nonnull (strstr (text, "\"9, lane 2\""));
  g_assert_true (g_file_get_contents (csv, &table, NULL, NULL));
  g_assert_nonnull (strstr (table, ",\"c,d\",\"a;b,\"\"c\"\"\\\",-1000,1010,0,1010\n"));
  g_assert_nonnull (strstr (table, "odd \\u001b[31m \\u000a \\u0009 \\u202e \\u0085 größe,"));
  again = sonde_trace_file_read (NULL, json, NULL);
  for (guint i = 0; i < again->threads->len; i++)
    {
      gint64 pid = g_ascii_strtoll (sonde_trace_get_thread (again, i)->pid, NULL, 10);

      g_assert_cmpint (pid, >=, 1);
      g_assert_cmpint (pid, <=, G_MAXINT32);
    }
}

static void
test_collapsed_lines (void)
{
  g_autoptr (SondeTrace) trace = make_odd_trace ();
  g_autofree char *path = g_build_filename (folder, "t.collapsed", NULL), *text = NULL;

  g_assert_true (sonde_trace_write_collapsed (trace, path, NULL));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (g_str_has_prefix (text, "7;9;a:b,\"c\"\\ 1010\n"
                                         "7;9;odd  [31m         größe 501\n"
                                         "7;9;odd  [31m         größe;inside 599\n"
                                         "7;9;third 695\n"));
}

/* More levels than get a line of their own: their time lies on the last that does. */
static void
test_deep (void)
{
  Maker maker = { sonde_trace_builder_new (SONDE_TRACE_CHROME), 0 };
  g_autoptr (SondeTrace) trace = NULL;

  for (guint i = 0; i < 20000; i++)
    add_span (&maker, "1", "1", "level", i, 40000 - i);
  trace = sonde_trace_builder_finish (maker.builder);
  sonde_trace_builder_free (maker.builder);
  check_collapsed (trace);
  check_pprof (trace);
  check_perfetto ("deep", trace);
}

/* What is known of a label goes along with each of its spans. */
static void
test_details (void)
{
  g_autoptr (SondeTraceBuilder) builder = sonde_trace_builder_new (SONDE_TRACE_CHROME);
  g_autofree char *json = g_build_filename (folder, "details.json", NULL);
  g_autofree char *perfetto = g_build_filename (folder, "details.pftrace", NULL), *bytes = NULL;
  guint32 thread = sonde_trace_builder_add_thread (
      builder, 0, sonde_trace_builder_add_text (builder, "1", 1), 0);
  guint32 plain
      = sonde_trace_builder_add_label (builder, 0, sonde_trace_builder_add_text (builder, "p", 1));
  guint32 known
      = sonde_trace_builder_add_label (builder, 0, sonde_trace_builder_add_text (builder, "k", 1));
  g_autoptr (SondeTrace) trace = NULL, again = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonArray *events;
  guint n_known = 0;
  gsize n;

  for (guint i = 0; i < 6; i++)
    sonde_trace_builder_add_span (builder, thread, i % 2 == 0 ? plain : known, i * 10, i * 10 + 5,
                                  i);
  trace = sonde_trace_builder_finish (builder);
  sonde_trace_add_detail (trace, known, "op_type", "a \"b\"", 0);
  sonde_trace_add_detail (trace, known, "flops", NULL, 123456789012);
  g_assert_true (sonde_trace_write_chrome (trace, json, NULL));
  root = sonde_test_read_json (json);
  events = json_object_get_array_member (json_node_get_object (root), "traceEvents");
  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *event = json_array_get_object_element (events, i), *args;

      if (!g_str_equal (json_object_get_string_member (event, "ph"), "X"))
        continue;
      g_assert_true (json_object_has_member (event, "args")
                     == g_str_equal (json_object_get_string_member (event, "name"), "k"));
      if (!json_object_has_member (event, "args"))
        continue;
      args = json_object_get_object_member (event, "args");
      g_assert_cmpstr (json_object_get_string_member (args, "op_type"), ==, "a \"b\"");
      g_assert_cmpint (json_object_get_int_member (args, "flops"), ==, 123456789012);
      n_known++;
    }
  g_assert_cmpuint (n_known, ==, 3);
  g_assert_true (sonde_trace_write_perfetto (trace, perfetto, NULL));
  again = sonde_trace_file_read (NULL, perfetto, NULL);
  g_assert_cmpint (again->n_spans, ==, 6);
  g_assert_cmpint (again->reasons[SONDE_TRACE_REASON_PACKET], ==, 0);
  g_assert_true (g_file_get_contents (perfetto, &bytes, &n, NULL));
  g_assert_nonnull (memmem (bytes, n, "op_type", strlen ("op_type")));
}

static void
test_failures (void)
{
  g_autoptr (SondeTrace) trace = make_odd_trace ();
  static const char *const names[] = { "t.json", "t.pftrace", "t.collapsed", "t.csv", "t.pprof" };

  g_assert_null (sonde_trace_writer_for_path ("trace.txt"));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, "missing", names[i], NULL);
      g_autoptr (GError) error = NULL;

      g_assert_nonnull (strstr (sonde_trace_writer_get_endings (), strchr (names[i], '.')));
      g_assert_false (sonde_trace_writer_for_path (path) (trace, path, &error));
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
      g_clear_error (&error);
      g_assert_false (sonde_trace_writer_for_path (path) (trace, "/dev/full", &error));
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_SPACE);
    }
}

static void
add_samples (void)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *samples = g_build_filename (shared ? shared : "", "samples", "traces", NULL);
  g_autoptr (GDir) dir = g_dir_open (samples, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *test = g_strconcat ("/data/traces/writers/samples/", name, NULL);

      /* the bomb and 10⁵ threads need minutes under a checker of memory */
      if (!g_str_has_suffix (name, ".expected.json") && strstr (name, "README") == NULL
          && strstr (name, "bomb") == NULL && strstr (name, ".table.json") == NULL)
        g_test_add_data_func_full (test, g_build_filename (samples, name, NULL), test_sample,
                                   g_free);
    }
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = sonde_test_folder_new ();
  g_test_add_func ("/data/traces/writers/odd", test_odd);
  g_test_add_func ("/data/traces/writers/collapsed", test_collapsed_lines);
  g_test_add_func ("/data/traces/writers/deep", test_deep);
  g_test_add_func ("/data/traces/writers/details", test_details);
  g_test_add_func ("/data/traces/writers/failures", test_failures);
  add_samples ();
  status = g_test_run ();
  sonde_test_folder_free (folder);
  return status;
}
