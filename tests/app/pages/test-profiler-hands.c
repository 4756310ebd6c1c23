/* SPDX-License-Identifier: Apache-2.0
 * The Profiler page by hand: the menu of a row by pointer and by key with all that it offers, the table
 * as a file, the way to Graph and back, and the timeline by pointer. */
#include <string.h>

#include "app/pages/graph/sonde-graph-page.h"
#include "app/pages/profiler/sonde-profiler-page.h"
#include "app/pages/sonde-debugger-page.h"
#include "app/profiler/tables/sonde-call-list.h"
#include "app/profiler/tables/sonde-operator-table.h"
#include "app/profiler/sonde-operators-pane.h"
#include "app/profiler/tables/sonde-span-table.h"
#include "data/base/sonde-format.h"
#include "tests/app/pages/debugger-fixture.h"
#include "viewers/layout/trace/sonde-span-statistics.h"
#include "viewers/paint/trace/sonde-timeline-paint.h"
#include "viewers/paint/trace/sonde-flame-paint.h"
#include "viewers/trace/sonde-flame-view.h"
#include "viewers/trace/sonde-timeline-view.h"

/* The small model of the Debugger's tests, as ONNX Runtime profiles it. */
static const char model_text[]
    = "[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":9,\"name\":\"session_initialization\","
      "\"cat\":\"Session\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":100,\"name\":\"model_run\","
      "\"cat\":\"Session\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":12,\"dur\":40,\"name\":\"conv1_kernel_time\","
      "\"cat\":\"Node\",\"args\":{\"op_name\":\"Conv\"}},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":52,\"dur\":30,\"name\":\"conv2_kernel_time\","
      "\"cat\":\"Node\",\"args\":{\"op_name\":\"Conv\"}},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":82,\"dur\":8,\"name\":\"relu, 1_kernel_time\","
      "\"cat\":\"Node\",\"args\":{\"op_name\":\"Relu\"}}]";

/* A step of two operators, the second of which launches a kernel. */
static const char flow_text[]
    = "{\"traceEvents\":["
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":100,\"name\":\"step\",\"cat\":\"s\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":40,\"name\":\"conv\",\"cat\":\"op\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":50,\"dur\":20,\"name\":\"launch\",\"cat\":\"op\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":7,\"ts\":60,\"dur\":40,\"name\":\"kernel\",\"cat\":\"gpu\"},"
      "{\"ph\":\"s\",\"pid\":1,\"tid\":2,\"ts\":55,\"id\":1,\"name\":\"go\",\"cat\":\"f\"},"
      "{\"ph\":\"f\",\"bp\":\"e\",\"pid\":1,\"tid\":7,\"ts\":60,\"id\":1,\"name\":\"go\",\"cat\":"
      "\"f\"}]}";

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static void
open_text (WindowFixture *fixture, const char *text, gboolean with_model,
           const SondePageRequest *request)
{
  g_autofree char *path = NULL, *model = NULL;

  window_fixture_init (fixture);
  path = g_build_filename (fixture->folder, "trace.json", NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  model = with_model ? debugger_write_model (fixture->folder) : NULL;
  window_fixture_open_paths (fixture, (const char *const[]){ path, model, NULL }, "profiler",
                             request);
}

static void
close_window (WindowFixture *fixture)
{
  window_fixture_close (fixture);
  window_fixture_clear (fixture);
}

static GtkEventController *
find_controller (GtkWidget *widget, GType type, guint button)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (G_TYPE_CHECK_INSTANCE_TYPE (controller, type)
          && (!GTK_IS_GESTURE_SINGLE (controller)
              || gtk_gesture_single_get_button (GTK_GESTURE_SINGLE (controller)) == button))
        return controller; /* the widget holds it */
    }
  g_assert_not_reached ();
}

/* ---- the menu of a row --------------------------------------------------- */

static gboolean
has_calls (WindowFixture *fixture, const void *data)
{
  GtkWidget *list = window_fixture_find (page_of (fixture), SONDE_TYPE_CALL_LIST);

  return list != NULL && sonde_call_list_get_n_calls (SONDE_CALL_LIST (list)) == 1;
}

static gboolean
is_mapped (WindowFixture *fixture, const void *widget)
{
  return gtk_widget_get_mapped ((GtkWidget *) widget);
}

static GtkWidget *
menu_of (WindowFixture *fixture)
{
  GtkWidget *pane = window_fixture_find (page_of (fixture), SONDE_TYPE_OPERATORS_PANE);
  GtkWidget *menu = gtk_widget_get_last_child (pane);

  g_assert_true (GTK_IS_POPOVER_MENU (menu));
  window_fixture_wait (fixture, is_mapped, menu);
  return menu;
}

/* Of the row of “conv2”, by its cell or by the key of the focused table. */
static void
open_menu (WindowFixture *fixture, gboolean by_key)
{
  GtkWidget *table = window_fixture_find (page_of (fixture), SONDE_TYPE_OPERATOR_TABLE);

  window_fixture_wait (fixture, has_calls, NULL);
  if (by_key)
    {
      gtk_widget_grab_focus (sonde_operator_table_get_view (SONDE_OPERATOR_TABLE (table)));
      g_assert_true (window_fixture_press (fixture, GDK_KEY_Menu, 0));
    }
  else
    g_signal_emit_by_name (find_controller (window_fixture_find_label (table, "conv2"),
                                            GTK_TYPE_GESTURE_CLICK, GDK_BUTTON_SECONDARY),
                           "pressed", 1, 4.0, 4.0);
  g_assert_cmpstr (sonde_operator_table_get_selected (SONDE_OPERATOR_TABLE (table))->node, ==,
                   "conv2");
}

static void
choose (WindowFixture *fixture, const char *words)
{
  GtkWidget *menu = menu_of (fixture), *label = window_fixture_find_label (menu, words);

  g_assert_nonnull (label);
  while (label != menu && g_signal_lookup ("clicked", G_OBJECT_TYPE (label)) == 0)
    label = gtk_widget_get_parent (label);
  g_assert_true (gtk_widget_is_sensitive (label));
  g_signal_emit_by_name (label, "clicked");
  window_fixture_settle (fixture);
}

static void
assert_clipboard (WindowFixture *fixture, const char *text)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (fixture->window));
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_assert_true (
      gdk_content_provider_get_value (gdk_clipboard_get_content (clipboard), &value, NULL));
  g_assert_cmpstr (g_value_get_string (&value), ==, text);
}

static void
test_row_menu (gconstpointer by_key)
{
  static const SondePageRequest request = { .view = "operators", .at = "conv2" };
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL;

  open_text (&fixture, model_text, TRUE, &request);
  open_menu (&fixture, by_key != NULL);
  choose (&fixture, "Copy Name");
  assert_clipboard (&fixture, "conv2");
  open_menu (&fixture, by_key != NULL);
  choose (&fixture, "Show in Timeline");
  g_assert_nonnull (
      window_fixture_find_label (page_of (&fixture), "conv2_kernel_time · 30 µs, from 52 µs"));
  sonde_window_show_page (fixture.window, "profiler", &request);
  open_menu (&fixture, by_key != NULL);
  choose (&fixture, "Show in Debugger");
  g_assert_true (SONDE_IS_DEBUGGER_PAGE (page_of (&fixture)));
  sonde_window_show_page (fixture.window, "profiler", &request);
  open_menu (&fixture, by_key != NULL);
  choose (&fixture, "Show in Graph");
  g_assert_true (SONDE_IS_GRAPH_PAGE (page_of (&fixture)));
  close_window (&fixture);
}

/* ---- to Graph and back --------------------------------------------------- */

static gboolean
can_go_back (WindowFixture *fixture, const void *data)
{
  GtkWidget *label = window_fixture_find_label (page_of (fixture), "Show in Profiler");

  return label != NULL && gtk_widget_is_sensitive (label);
}

/* The node is selected there, and its row here; another node leads to another row. */
static void
test_graph_and_back (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *pane, *table;

  open_text (&fixture, model_text, TRUE, &(SondePageRequest){ .view = "operators", .at = "conv2" });
  pane = window_fixture_find (page_of (&fixture), SONDE_TYPE_OPERATORS_PANE);
  g_assert_true (gtk_widget_activate_action (pane, "operators.graph", NULL));
  window_fixture_wait (&fixture, can_go_back, NULL);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "conv2"));
  sonde_window_show_page (fixture.window, "graph", &(SondePageRequest){ .at = "conv1" });
  window_fixture_wait (&fixture, can_go_back, NULL);
  g_signal_emit_by_name (
      gtk_widget_get_ancestor (window_fixture_find_label (page_of (&fixture), "Show in Profiler"),
                               GTK_TYPE_BUTTON),
      "clicked");
  window_fixture_settle (&fixture);
  g_assert_true (SONDE_IS_PROFILER_PAGE (page_of (&fixture)));
  table = window_fixture_find (page_of (&fixture), SONDE_TYPE_OPERATOR_TABLE);
  g_assert_cmpstr (sonde_operator_table_get_selected (SONDE_OPERATOR_TABLE (table))->node, ==,
                   "conv1");
  close_window (&fixture);
}

/* ---- the table as a file ------------------------------------------------- */

/* The dialog that is open, where it has taken its name. */
static gboolean
is_asked (WindowFixture *fixture, const void *name)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);
      g_autoptr (GFile) file = NULL;
      g_autofree char *base = NULL;

      if (!GTK_IS_FILE_CHOOSER_DIALOG (window))
        continue;
      file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (window));
      base = file != NULL ? g_file_get_basename (file) : NULL;
      if (g_strcmp0 (base, "operators.csv") != 0)
        return FALSE;
      *(GtkWindow **) name = window;
      return TRUE;
    }
  return FALSE;
}

static gboolean
is_there (WindowFixture *fixture, const void *path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* What is filtered out is not in it; a name with a comma is quoted. */
static void
test_export (void)
{
  WindowFixture fixture = { 0 };
  GtkWindow *dialog = NULL;
  GtkWidget *pane, *search;
  g_autoptr (GFile) folder = NULL, chosen = NULL;
  g_autofree char *path = NULL, *text = NULL;
  g_auto (GStrv) lines = NULL;

  open_text (&fixture, model_text, FALSE, &(SondePageRequest){ .view = "operators" });
  pane = window_fixture_find (page_of (&fixture), SONDE_TYPE_OPERATORS_PANE);
  search = window_fixture_find (pane, GTK_TYPE_SEARCH_ENTRY);
  gtk_editable_set_text (GTK_EDITABLE (search), "relu");
  g_signal_emit_by_name (search, "search-changed");
  g_assert_true (gtk_widget_activate_action (pane, "operators.export", NULL));
  folder = g_file_new_for_path (fixture.folder);
  path = g_build_filename (fixture.folder, "operators.csv", NULL);
  window_fixture_wait (&fixture, is_asked, &dialog);
  g_assert_true (gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), folder, NULL));
  gtk_dialog_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
  window_fixture_wait (&fixture, is_there, path);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpstr (lines[0], ==, "node,op,calls,mean_self_ns,share,self_ns,total_ns,p50_ns,p95_ns");
  g_assert_true (g_str_has_prefix (lines[1], "\"relu, 1\",Relu,1,8000,"));
  g_assert_cmpstr (lines[2], ==, "");
  close_window (&fixture);
}

/* ---- the timeline by pointer --------------------------------------------- */

static SondeTimelineView *
timeline_of (WindowFixture *fixture)
{
  return SONDE_TIMELINE_VIEW (window_fixture_find (page_of (fixture), SONDE_TYPE_TIMELINE_VIEW));
}

static void
drag (SondeTimelineView *view, double x, double y, double dx, double dy)
{
  GtkEventController *gesture
      = find_controller (GTK_WIDGET (view), GTK_TYPE_GESTURE_DRAG, GDK_BUTTON_PRIMARY);

  g_signal_emit_by_name (gesture, "drag-begin", x, y);
  g_signal_emit_by_name (gesture, "drag-update", dx, dy);
  g_signal_emit_by_name (gesture, "drag-end", dx, dy);
}

static void
press (GtkWidget *view, int n_presses, double x, double y)
{
  GtkEventController *gesture = find_controller (view, GTK_TYPE_GESTURE_CLICK, GDK_BUTTON_PRIMARY);

  g_signal_emit_by_name (find_controller (view, GTK_TYPE_GESTURE_DRAG, GDK_BUTTON_PRIMARY),
                         "drag-begin", x, y);
  g_signal_emit_by_name (gesture, "released", n_presses, x, y);
}

static void
click (SondeTimelineView *view, int n_presses, double x, double y)
{
  press (GTK_WIDGET (view), n_presses, x, y);
}

/* Px of a moment. */
static double
x_of (SondeTimelineView *view, double ns)
{
  double x, y;

  sonde_view_world_to_view (SONDE_VIEW (view), ns, 0, &x, &y);
  return x;
}

static gboolean
table_says (WindowFixture *fixture, const void *text)
{
  return window_fixture_find_label (window_fixture_find (page_of (fixture), SONDE_TYPE_SPAN_TABLE),
                                    text)
         != NULL;
}

/* Every row of the table below is what the analysis sums up over that stretch, and no other. */
static void
assert_sums (WindowFixture *fixture, gint64 start_ns, gint64 end_ns)
{
  SondeTraceDocument *document = sonde_workspace_get_profile (fixture->workspace);
  const SondeTimelineIndex *index = sonde_trace_document_get_index (document);
  g_autoptr (GArray) sums = sonde_span_statistics_new (index, start_ns, end_ns, NULL);

  for (guint i = 0; i < sums->len; i++)
    {
      const SondeSpanStatistic *sum = &g_array_index (sums, SondeSpanStatistic, i);
      g_autofree char *self = sonde_format_duration (sum->self_ns);
      g_autofree char *total = sonde_format_duration (sum->total_ns);

      window_fixture_wait (fixture, table_says,
                           sonde_trace_get_label (index->trace, sum->label)->name);
      window_fixture_wait (fixture, table_says, self);
      window_fixture_wait (fixture, table_says, total);
    }
}

/* A drag along the axis selects a stretch, one in the tracks moves. */
static void
test_drag (void)
{
  WindowFixture fixture = { 0 };
  SondeTimelineView *view;
  SondeViewport before, after;
  gint64 start, end;
  double from, to;

  open_text (&fixture, flow_text, FALSE, &(SondePageRequest){ .view = "timeline" });
  view = timeline_of (&fixture);
  from = x_of (view, 20000);
  to = x_of (view, 60000);
  drag (view, from, 8, to - from, 3);
  g_assert_true (sonde_timeline_view_get_range (view, &start, &end));
  g_assert_cmpfloat_with_epsilon ((double) start, 20000, 500);
  g_assert_cmpfloat_with_epsilon ((double) end, 60000, 500);
  window_fixture_settle (&fixture);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "Range of "));
  assert_sums (&fixture, start, end);
  g_assert_false (table_says (&fixture, "kernel"));
  g_signal_emit_by_name (
      gtk_widget_get_ancestor (window_fixture_find_label (page_of (&fixture), "Clear Range"),
                               GTK_TYPE_BUTTON),
      "clicked");
  window_fixture_wait (&fixture, table_says, "kernel");
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_w, 0));
  sonde_view_get_viewport (SONDE_VIEW (view), &before);
  drag (view, from, 60, 50, 0);
  sonde_view_get_viewport (SONDE_VIEW (view), &after);
  g_assert_cmpfloat (after.x0, <, before.x0);
  g_assert_cmpfloat_with_epsilon (after.x1 - after.x0, before.x1 - before.x0, 1e-6);
  g_assert_false (sonde_timeline_view_get_range (view, &start, &end));
  close_window (&fixture);
}

/* Where the item is picked that lies at that moment. */
static gboolean
find_place (SondeTimelineView *view, gint64 item, double ns, double *x, double *y)
{
  SondeViewPick pick;

  *x = x_of (view, ns);
  for (*y = 30; *y < gtk_widget_get_height (GTK_WIDGET (view)); *y += 4)
    if (SONDE_VIEW_GET_CLASS (view)->pick (SONDE_VIEW (view), *x, *y, &pick) && pick.id == item)
      return TRUE;
  return FALSE;
}

/* A press selects, two zoom, one on a name folds; ] follows the arrow, and Backspace goes back. */
static void
test_press (void)
{
  WindowFixture fixture = { 0 };
  SondeTimelineView *view;
  SondeViewport before, after;
  double x, y;
  gint64 kernel;

  open_text (&fixture, flow_text, FALSE, &(SondePageRequest){ .view = "timeline" });
  view = timeline_of (&fixture);
  g_assert_true (find_place (view, 2, 62000, &x, &y));
  click (view, 1, x, y);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "launch · 20 µs, from 50 µs"));
  gtk_widget_grab_focus (GTK_WIDGET (view));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_bracketright, 0));
  kernel = sonde_view_get_selection (SONDE_VIEW (view));
  g_assert_cmpint (kernel, !=, 2);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "kernel · 40 µs, from 60 µs"));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_bracketleft, 0));
  g_assert_cmpint (sonde_view_get_selection (SONDE_VIEW (view)), ==, 2);
  sonde_view_get_viewport (SONDE_VIEW (view), &before);
  click (view, 2, x, y);
  sonde_view_get_viewport (SONDE_VIEW (view), &after);
  g_assert_cmpfloat_with_epsilon (after.x1 - after.x0, 24000, 100);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_BackSpace, 0));
  sonde_view_get_viewport (SONDE_VIEW (view), &after);
  g_assert_cmpfloat_with_epsilon (after.x1 - after.x0, before.x1 - before.x0, 1e-3);
  click (view, 1, 30, y);
  g_assert_false (find_place (view, 2, 62000, &x, &y));
  g_assert_true (find_place (view, 0, 62000, &x, &y)); /* the outermost row stays */
  close_window (&fixture);
}

/* The menu of a track: above the others, away, and back. */
static void
test_tracks (void)
{
  WindowFixture fixture = { 0 };
  SondeTimelineView *view;
  const SondeTimelinePlaces *places;
  double x, y;

  open_text (&fixture, flow_text, FALSE, &(SondePageRequest){ .view = "timeline" });
  view = timeline_of (&fixture);
  places = sonde_timeline_view_get_places (view);
  g_assert_true (find_place (view, 3, 80000, &x, &y)); /* the kernel, on the second thread */
  g_signal_emit_by_name (
      find_controller (GTK_WIDGET (view), GTK_TYPE_GESTURE_CLICK, GDK_BUTTON_SECONDARY), "pressed",
      1, 30.0, y);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (view), "tracks.pin", NULL));
  g_assert_cmpuint (places->order[0], ==, 2);
  g_assert_true (find_place (view, 3, 80000, &x, &y));
  g_assert_cmpfloat (y, <, 60);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (view), "tracks.hide", NULL));
  g_assert_false (find_place (view, 3, 80000, &x, &y));
  g_signal_emit_by_name (
      find_controller (GTK_WIDGET (view), GTK_TYPE_GESTURE_CLICK, GDK_BUTTON_SECONDARY), "pressed",
      1, 30.0, 40.0);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (view), "tracks.show-all", NULL));
  g_assert_true (find_place (view, 3, 80000, &x, &y));
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (view), "tracks.sort", "s", "busy"));
  g_assert_cmpint (places->sort, ==, SONDE_TIMELINE_BY_BUSY);
  close_window (&fixture);
}

/* ---- the flame graph ----------------------------------------------------- */

static SondeFlameView *
flame_of (WindowFixture *fixture)
{
  return SONDE_FLAME_VIEW (window_fixture_find (page_of (fixture), SONDE_TYPE_FLAME_VIEW));
}

/* Steps are one frame until they are wanted apart, PyTorch's own mark is none; a press says the path, two zoom there,
 * Backspace goes back. */
static void
test_flame (void)
{
  static const char text[]
      = "{\"schemaVersion\":1,\"traceEvents\":["
        "{\"ph\":\"X\",\"pid\":\"Spans\",\"tid\":\"P\",\"ts\":0,\"dur\":900,\"name\":\"PyTorch "
        "Profiler "
        "(0)\",\"cat\":\"Trace\"},"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":100,\"name\":\"ProfilerStep#0\","
        "\"cat\":\"user_annotation\"},"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":20,\"dur\":60,\"name\":\"aten::conv\",\"cat\":"
        "\"cpu_op\"},"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":100,\"dur\":100,\"name\":\"ProfilerStep#1\","
        "\"cat\":\"user_annotation\"},"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":120,\"dur\":40,\"name\":\"aten::conv\",\"cat\":"
        "\"cpu_op\"}]}";
  WindowFixture fixture = { 0 };
  SondeFlameView *view;
  SondeViewport fitted, v;
  GtkWidget *apart;
  const double row = 1.5 * SONDE_FLAME_ROW;

  open_text (&fixture, text, FALSE, &(SondePageRequest){ .view = "flame" });
  view = flame_of (&fixture);
  g_assert_cmpuint (sonde_flame_view_get_tree (view)->nodes->len, ==, 3);
  g_assert_cmpint (sonde_flame_tree_get (sonde_flame_view_get_tree (view), 0)->total, ==, 200000);
  press (GTK_WIDGET (view), 1, 20, row + SONDE_FLAME_ROW);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "step › aten::conv"));
  g_assert_nonnull (window_fixture_find_label (
      page_of (&fixture), "aten::conv: 100 µs, 50.0 % of all; self 100 µs, 2 calls"));
  sonde_view_get_viewport (SONDE_VIEW (view), &fitted);
  press (GTK_WIDGET (view), 2, 20, row + SONDE_FLAME_ROW);
  sonde_view_get_viewport (SONDE_VIEW (view), &v);
  g_assert_cmpfloat_with_epsilon (v.x1 - v.x0, 100000, 1);
  gtk_widget_grab_focus (GTK_WIDGET (view));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_BackSpace, 0));
  sonde_view_get_viewport (SONDE_VIEW (view), &v);
  g_assert_cmpfloat_with_epsilon (v.x1 - v.x0, fitted.x1 - fitted.x0, 1);
  apart = gtk_widget_get_ancestor (window_fixture_find_label (page_of (&fixture), "Steps Apart"),
                                   GTK_TYPE_TOGGLE_BUTTON);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (apart), TRUE);
  window_fixture_settle (&fixture);
  g_assert_cmpuint (sonde_flame_view_get_tree (view)->nodes->len, ==, 6);
  close_window (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_data_func ("/app/pages/profiler-hands/row-menu/pointer", NULL, test_row_menu);
  g_test_add_data_func ("/app/pages/profiler-hands/row-menu/key", GINT_TO_POINTER (1),
                        test_row_menu);
  g_test_add_func ("/app/pages/profiler-hands/graph-and-back", test_graph_and_back);
  g_test_add_func ("/app/pages/profiler-hands/export", test_export);
  g_test_add_func ("/app/pages/profiler-hands/drag", test_drag);
  g_test_add_func ("/app/pages/profiler-hands/press", test_press);
  g_test_add_func ("/app/pages/profiler-hands/tracks", test_tracks);
  g_test_add_func ("/app/pages/profiler-hands/flame", test_flame);
  return g_test_run ();
}
