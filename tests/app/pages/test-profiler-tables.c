/* SPDX-License-Identifier: Apache-2.0
 * Overview and operators of the Profiler page: what stands on screen is what the analysis says, and the ways
 * between advice, operators, timeline, graph and debugger. */
#include <math.h>
#include <string.h>

#include "app/pages/profiler/sonde-profiler-page.h"
#include "app/profiler/tables/sonde-call-list.h"
#include "app/profiler/tables/sonde-operator-table.h"
#include "app/profiler/sonde-operators-pane.h"
#include "app/profiler/sonde-overview-pane.h"
#include "data/base/sonde-format.h"
#include "data/profiles/sonde-profile-advice.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/profile/sonde-share-view.h"
#include "viewers/profile/sonde-steps-view.h"
#include "viewers/trace/sonde-timeline-view.h"

/* Three steps as PyTorch writes them: two thirds of them wait for data, the last one is slow. */
static const char pytorch_text[]
    = "{\"schemaVersion\":1,\"traceEvents\":["
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":100,\"name\":\"ProfilerStep#0\","
      "\"cat\":\"user_annotation\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":60,\"name\":\"enumerate(DataLoader)#x\","
      "\"cat\":\"user_annotation\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":60,\"dur\":30,\"name\":\"aten::conv\","
      "\"cat\":\"cpu_op\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":70,\"dur\":10,\"name\":\"aten::add\","
      "\"cat\":\"cpu_op\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":100,\"dur\":100,\"name\":\"ProfilerStep#1\","
      "\"cat\":\"user_annotation\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":100,\"dur\":60,\"name\":\"enumerate(DataLoader)#"
      "x\","
      "\"cat\":\"user_annotation\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":160,\"dur\":20,\"name\":\"aten::conv\","
      "\"cat\":\"cpu_op\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":200,\"dur\":400,\"name\":\"ProfilerStep#2\","
      "\"cat\":\"user_annotation\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":200,\"dur\":300,\"name\":\"enumerate(DataLoader)#"
      "x\","
      "\"cat\":\"user_annotation\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":500,\"dur\":70,\"name\":\"aten::conv\","
      "\"cat\":\"cpu_op\"}]}";

/* Two nodes of one type and one of another, as ONNX Runtime writes them. */
static const char onnxruntime_text[]
    = "[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":9,\"name\":\"session_initialization\","
      "\"cat\":\"Session\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":100,\"name\":\"model_run\","
      "\"cat\":\"Session\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":12,\"dur\":40,\"name\":\"fc1_kernel_time\","
      "\"cat\":\"Node\",\"args\":{\"op_name\":\"Gemm\"}},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":52,\"dur\":30,\"name\":\"fc2_kernel_time\","
      "\"cat\":\"Node\",\"args\":{\"op_name\":\"Gemm\"}},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":82,\"dur\":8,\"name\":\"act_kernel_time\","
      "\"cat\":\"Node\",\"args\":{\"op_name\":\"Relu\"}}]";

static void
open_text (WindowFixture *fixture, const char *text, const SondePageRequest *request)
{
  g_autofree char *path = NULL;

  window_fixture_init (fixture);
  path = g_build_filename (fixture->folder, "trace.bin", NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  window_fixture_open_paths (fixture, (const char *const[]){ path, NULL }, "profiler", request);
}

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static const SondeProfile *
profile_of (WindowFixture *fixture)
{
  return sonde_trace_document_get_profile (sonde_workspace_get_profile (fixture->workspace));
}

static void
close_window (WindowFixture *fixture)
{
  window_fixture_close (fixture);
  window_fixture_clear (fixture);
}

/* The visible view of that type with that title. */
static GtkWidget *
find_titled (GtkWidget *widget, GType type, const char *title)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, type)
      && g_strcmp0 (sonde_view_get_title (SONDE_VIEW (widget)), title) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_titled (child, type, title);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static GtkWidget *
find_button (GtkWidget *widget, const char *label)
{
  GtkWidget *found = window_fixture_find_label (widget, label);

  g_assert_nonnull (found);
  return gtk_widget_get_ancestor (found, GTK_TYPE_BUTTON);
}

static void
assert_label_ns (GtkWidget *widget, double ns)
{
  g_autofree char *text = sonde_format_duration ((gint64) ns);

  g_test_message ("looks for %s", text);
  g_assert_nonnull (window_fixture_find_label (widget, text));
}

/* The page opens with it; advice, split and step times say what the analysis does. */
static void
test_overview (void)
{
  WindowFixture fixture = { 0 };
  const SondeProfile *profile;
  const SondeAdvice *advice;
  GtkWidget *view;
  g_autofree char *table = NULL, *expected = NULL, *steps = NULL;
  double sum = 0;

  open_text (&fixture, pytorch_text, NULL);
  profile = profile_of (&fixture);
  g_assert_nonnull (window_fixture_find (page_of (&fixture), SONDE_TYPE_OVERVIEW_PANE));
  advice = g_ptr_array_index (profile->advice, 0);
  g_assert_nonnull (
      window_fixture_find_label (page_of (&fixture), sonde_message_get_text (advice->message)));
  view = find_titled (page_of (&fixture), SONDE_TYPE_SHARE_VIEW, "Where a step goes");
  table = sonde_view_dup_table (SONDE_VIEW (view), ',');
  expected = g_strdup_printf ("data wait,%.0f,", profile->part_ns[SONDE_STEP_PART_DATA_WAIT]);
  g_test_message ("%s in %s", expected, table);
  g_assert_nonnull (strstr (table, expected));
  for (guint i = 0; i < SONDE_STEP_N_PARTS; i++)
    sum += profile->part_ns[i];
  g_assert_cmpfloat_with_epsilon (sum, profile->wall_ns, 1e-6 * sum);
  view = window_fixture_find (page_of (&fixture), SONDE_TYPE_STEPS_VIEW);
  steps = sonde_view_dup_table (SONDE_VIEW (view), ',');
  g_assert_cmpstr (steps, ==, "step,ns\n0,100000\n1,100000\n2,400000\n");
  assert_label_ns (page_of (&fixture), profile->wall_ns);
  assert_label_ns (page_of (&fixture), profile->step_p95_ns);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "1 of 3")); /* slow */
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "What it cannot tell"));
  close_window (&fixture);
}

/* Without an advice, what a device does is said first. */
static void
test_device (void)
{
  static const char text[]
      = "{\"schemaVersion\":1,\"traceEvents\":["
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":100,\"name\":\"ProfilerStep#0\","
        "\"cat\":\"user_annotation\"},"
        "{\"ph\":\"X\",\"pid\":0,\"tid\":7,\"ts\":10,\"dur\":20,\"name\":\"gemm\",\"cat\":"
        "\"kernel\"},"
        "{\"ph\":\"X\",\"pid\":0,\"tid\":8,\"ts\":20,\"dur\":20,\"name\":\"ncclSum\",\"cat\":"
        "\"kernel\"}]}";
  WindowFixture fixture = { 0 };

  open_text (&fixture, text, NULL);
  g_assert_cmpuint (profile_of (&fixture)->advice->len, ==, 0);
  g_assert_nonnull (window_fixture_find_label (
      page_of (&fixture), "The device is idle for 70.0 % of the time; communication that no "
                          "computation hides takes 10.0 %."));
  close_window (&fixture);
}

/* The button of an advice goes to the step; Enter on an operator to its row. */
static void
test_ways (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *view;
  SondeTimelineView *timeline;
  gint64 start, end;

  open_text (&fixture, pytorch_text, NULL);
  view = find_titled (page_of (&fixture), SONDE_TYPE_SHARE_VIEW, "Top operators");
  gtk_widget_grab_focus (view);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Down, 0));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Down, 0));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Return, 0));
  window_fixture_settle (&fixture);
  g_assert_cmpstr (
      sonde_operator_table_get_selected (SONDE_OPERATOR_TABLE (window_fixture_find (
                                             page_of (&fixture), SONDE_TYPE_OPERATOR_TABLE)))
          ->op,
      ==, sonde_profile_get_operator (profile_of (&fixture), 1)->op);
  sonde_trace_document_show_view (sonde_workspace_get_profile (fixture.workspace), "overview");
  window_fixture_settle (&fixture);
  g_signal_emit_by_name (find_button (page_of (&fixture), "Show Data Pipeline"), "clicked");
  window_fixture_settle (&fixture);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "The engine waits for"));
  sonde_trace_document_show_view (sonde_workspace_get_profile (fixture.workspace), "overview");
  window_fixture_settle (&fixture);
  g_signal_emit_by_name (find_button (page_of (&fixture), "Show Longest Step"), "clicked");
  window_fixture_settle (&fixture);
  timeline
      = SONDE_TIMELINE_VIEW (window_fixture_find (page_of (&fixture), SONDE_TYPE_TIMELINE_VIEW));
  g_assert_true (sonde_timeline_view_get_range (timeline, &start, &end));
  g_assert_cmpint (start, ==, 200000);
  g_assert_cmpint (end, ==, 600000);
  close_window (&fixture);
}

/* Each number of the table is that of the analysis; the copy has all its digits. */
static void
test_numbers (void)
{
  WindowFixture fixture = { 0 };
  const SondeProfile *profile;
  GtkWidget *table;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  open_text (&fixture, pytorch_text, &(SondePageRequest){ .view = "operators" });
  window_fixture_settle (&fixture);
  profile = profile_of (&fixture);
  table = window_fixture_find (page_of (&fixture), SONDE_TYPE_OPERATOR_TABLE);
  text = sonde_operator_table_dup_text (SONDE_OPERATOR_TABLE (table), ',');
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpstr (lines[0], ==, "op,calls,mean_self_ns,share,self_ns,total_ns,p50_ns,p95_ns");
  g_assert_cmpuint (g_strv_length (lines), ==, profile->operators->len + 2);
  for (guint i = 0; i < profile->operators->len; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (profile, i);
      g_auto (GStrv) cells = g_strsplit (lines[i + 1], ",", -1);

      g_assert_cmpstr (cells[0], ==, op->op);
      g_assert_cmpuint (g_ascii_strtoull (cells[1], NULL, 10), ==, op->n_calls);
      g_assert_cmpfloat (g_ascii_strtod (cells[2], NULL), ==, op->mean_self_ns);
      g_assert_cmpfloat (g_ascii_strtod (cells[3], NULL), ==, op->share);
      g_assert_cmpint (g_ascii_strtoll (cells[4], NULL, 10), ==, op->self_ns);
      g_assert_cmpint (g_ascii_strtoll (cells[5], NULL, 10), ==, op->total_ns);
      g_assert_cmpfloat (g_ascii_strtod (cells[6], NULL), ==, op->p50_ns);
      g_assert_cmpfloat (g_ascii_strtod (cells[7], NULL), ==, op->p95_ns);
      assert_label_ns (table, op->mean_self_ns);
      assert_label_ns (table, op->p95_ns);
    }
  close_window (&fixture);
}

static gboolean
has_calls (WindowFixture *fixture, const void *data)
{
  GtkWidget *list = window_fixture_find (page_of (fixture), SONDE_TYPE_CALL_LIST);

  return list != NULL
         && sonde_call_list_get_n_calls (SONDE_CALL_LIST (list)) == GPOINTER_TO_UINT (data);
}

/* Nodes and types, filter, the selected one with its calls, and where the double press leads. */
static void
test_operators (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *pane, *nodes, *search, *view;
  g_autoptr (GArray) types = NULL;
  const SondeOperatorType *gemm;

  open_text (&fixture, onnxruntime_text, &(SondePageRequest){ .view = "operators", .at = "fc2" });
  window_fixture_settle (&fixture);
  pane = window_fixture_find (page_of (&fixture), SONDE_TYPE_OPERATORS_PANE);
  nodes = window_fixture_find (pane, SONDE_TYPE_OPERATOR_TABLE);
  g_assert_cmpstr (sonde_operator_table_get_selected (SONDE_OPERATOR_TABLE (nodes))->node, ==,
                   "fc2");
  window_fixture_wait (&fixture, has_calls, GUINT_TO_POINTER (1));
  search = window_fixture_find (pane, GTK_TYPE_SEARCH_ENTRY);
  gtk_editable_set_text (GTK_EDITABLE (search), "GEMM");
  g_signal_emit_by_name (search, "search-changed");
  g_assert_cmpuint (sonde_operator_table_get_n_rows (SONDE_OPERATOR_TABLE (nodes)), ==, 2);
  g_assert_nonnull (window_fixture_find_label (pane, "2 of 3 rows"));
  types = sonde_operator_types_new (profile_of (&fixture));
  gemm = &g_array_index (types, SondeOperatorType, 0);
  g_assert_cmpuint (types->len, ==, 2);
  g_assert_cmpstr (gemm->sum.op, ==, "Gemm");
  g_assert_cmpuint (gemm->n_operators, ==, 2);
  g_assert_cmpint (gemm->sum.self_ns, ==, 70000);
  g_assert_cmpfloat (gemm->sum.p50_ns, ==, 35000);
  g_assert_cmpfloat_with_epsilon (gemm->sum.share, 0.7, 1e-9);
  view = sonde_operator_table_get_view (SONDE_OPERATOR_TABLE (nodes));
  gtk_widget_grab_focus (view);
  g_signal_emit_by_name (view, "activate", 1u);
  g_assert_cmpstr (G_OBJECT_TYPE_NAME (page_of (&fixture)), ==, "SondeGraphPage");
  close_window (&fixture);
}

static gboolean
has_rows (WindowFixture *fixture, const void *n)
{
  GtkWidget *table = window_fixture_find (page_of (fixture), SONDE_TYPE_OPERATOR_TABLE);

  return sonde_operator_table_get_n_rows (SONDE_OPERATOR_TABLE (table)) == GPOINTER_TO_UINT (n);
}

/* More rows than are arranged at once: the loop turns meanwhile, the newest question is answered, and the
 * selected row stays so. */
static void
test_many (void)
{
  const guint n = 2 * SONDE_OPERATOR_LIST_SHORT;
  g_autoptr (GString) text
      = g_string_new ("[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":9,"
                      "\"name\":\"session_initialization\",\"cat\":\"Session\"}");
  WindowFixture fixture = { 0 };
  SondeTraceDocument *document;
  SondeOperatorTable *table;
  GtkColumnView *view;
  const SondeProfileOperator *selected;
  g_autofree char *lines = NULL;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text,
                            ",{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":%u,\"dur\":%u,\"name\":"
                            "\"n%u_kernel_time\",\"cat\":\"Node\",\"args\":{\"op_name\":\"Op\"}}",
                            10 + 1000 * i, 1 + i % 997, i);
  g_string_append_c (text, ']');
  open_text (&fixture, text->str, &(SondePageRequest){ .view = "operators" });
  window_fixture_settle (&fixture);
  document = sonde_workspace_get_profile (fixture.workspace);
  table
      = SONDE_OPERATOR_TABLE (window_fixture_find (page_of (&fixture), SONDE_TYPE_OPERATOR_TABLE));
  selected = sonde_profile_get_operator (profile_of (&fixture), 7);
  g_assert_true (sonde_operator_table_select (table, selected));
  sonde_operator_table_set_filter (table, "nothing like this");
  g_assert_true (sonde_trace_document_is_busy (document));
  g_assert_cmpuint (sonde_operator_table_get_n_rows (table), ==, n);
  sonde_operator_table_set_filter (table, "N1");
  window_fixture_wait (&fixture, has_rows, GUINT_TO_POINTER (1 + 10 + 100 + 1000));
  sonde_operator_table_set_filter (table, "");
  window_fixture_wait (&fixture, has_rows, GUINT_TO_POINTER (n));
  g_assert_true (sonde_operator_table_select (table, selected));
  view = GTK_COLUMN_VIEW (sonde_operator_table_get_view (table));
  {
    g_autoptr (GtkColumnViewColumn) names
        = g_list_model_get_item (gtk_column_view_get_columns (view), 0);

    gtk_column_view_sort_by_column (view, names, GTK_SORT_DESCENDING);
  }
  window_fixture_settle (&fixture);
  g_assert_true (sonde_operator_table_get_selected (table) == selected);
  lines = sonde_operator_table_dup_text (table, ',');
  g_assert_nonnull (strstr (lines, "\nn999,Op,1,"));
  g_assert_true (strstr (lines, "\nn999,") < strstr (lines, "\nn998,"));
  close_window (&fixture);
}

/* The row's menu and the buttons: to the timeline. */
static void
test_to_timeline (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *pane;

  open_text (&fixture, onnxruntime_text, &(SondePageRequest){ .view = "operators", .at = "fc2" });
  window_fixture_wait (&fixture, has_calls, GUINT_TO_POINTER (1));
  pane = window_fixture_find (page_of (&fixture), SONDE_TYPE_OPERATORS_PANE);
  g_assert_true (gtk_widget_activate_action (pane, "operators.timeline", NULL));
  window_fixture_settle (&fixture);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "fc2_kernel_time · 30 µs"));
  close_window (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/profiler-tables/overview", test_overview);
  g_test_add_func ("/app/pages/profiler-tables/device", test_device);
  g_test_add_func ("/app/pages/profiler-tables/ways", test_ways);
  g_test_add_func ("/app/pages/profiler-tables/numbers", test_numbers);
  g_test_add_func ("/app/pages/profiler-tables/operators", test_operators);
  g_test_add_func ("/app/pages/profiler-tables/many", test_many);
  g_test_add_func ("/app/pages/profiler-tables/to-timeline", test_to_timeline);
  return g_test_run ();
}
