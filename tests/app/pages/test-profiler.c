/* SPDX-License-Identifier: Apache-2.0
 * The Profiler page on traces: opened by their bytes, timeline and flame graph, search, range, keys, errors,
 * and what the views are called to those who listen. */
#include <string.h>

#include "app/pages/profiler/sonde-profiler-page.h"
#include "app/profiler/tables/sonde-span-table.h"
#include "app/profiler/sonde-timeline-pane.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/trace/sonde-flame-view.h"
#include "viewers/trace/sonde-timeline-view.h"

/* Two steps with operators inside, and an end that has no begin. */
static const char trace_text[]
    = "{\"traceEvents\":["
      "{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\",\"args\":{\"name\":\"main\"}},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":100,\"name\":\"step#1\",\"cat\":\"s\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":60,\"name\":\"conv\",\"cat\":\"op\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":75,\"dur\":20,\"name\":\"relu\",\"cat\":\"op\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":110,\"dur\":100,\"name\":\"step#2\",\"cat\":\"s\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":120,\"dur\":80,\"name\":\"conv\",\"cat\":\"op\"},"
      "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":205,\"name\":\"stray\"}]}";

static void
open_text (WindowFixture *fixture, const char *text, const SondePageRequest *request)
{
  g_autofree char *path = NULL;

  window_fixture_init (fixture);
  path = g_build_filename (fixture->folder, "some.bin", NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  window_fixture_open_paths (fixture, (const char *const[]){ path, NULL }, "profiler", request);
}

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static void
close_window (WindowFixture *fixture)
{
  window_fixture_close (fixture);
  window_fixture_clear (fixture);
}

static gboolean
says (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (page_of (fixture), data) != NULL;
}

/* A trace is known by its bytes, and shown without being asked for. */
static void
test_opens (void)
{
  WindowFixture fixture = { 0 };
  SondeTimelineView *view;
  g_autofree char *text = NULL, *table = NULL;

  open_text (&fixture, trace_text, &(SondePageRequest){ .view = "timeline" });
  g_assert_nonnull (sonde_workspace_get_trace (fixture.workspace));
  g_assert_cmpstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), ==,
                   "5 spans in 210 µs");
  view = SONDE_TIMELINE_VIEW (window_fixture_find (page_of (&fixture), SONDE_TYPE_TIMELINE_VIEW));
  text = sonde_view_describe (SONDE_VIEW (view));
  g_assert_nonnull (strstr (text, "5 spans"));
  table = sonde_view_dup_table (SONDE_VIEW (view), ',');
  g_assert_nonnull (strstr (table, "1,2,main,5,200000"));
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "Irregularities"));
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "140 µs")); /* conv */
  close_window (&fixture);
}

static void
test_search (void)
{
  WindowFixture fixture = { 0 };
  SondeTimelineView *view;
  GtkWidget *search;
  guint place;
  gint64 start, end;

  open_text (&fixture, trace_text, &(SondePageRequest){ .view = "timeline" });
  view = SONDE_TIMELINE_VIEW (window_fixture_find (page_of (&fixture), SONDE_TYPE_TIMELINE_VIEW));
  search = window_fixture_find (window_fixture_find (page_of (&fixture), SONDE_TYPE_TIMELINE_PANE),
                                GTK_TYPE_SEARCH_ENTRY);
  gtk_editable_set_text (GTK_EDITABLE (search), "CONV");
  window_fixture_wait (&fixture, says, "2 matches");
  for (guint i = 0; i < 3; i++)
    {
      g_signal_emit_by_name (search, "activate");
      g_assert_cmpuint (sonde_timeline_view_find_next (view, FALSE, &place), !=,
                        SONDE_TIMELINE_NONE);
      g_assert_nonnull (
          window_fixture_find_label (page_of (&fixture), i % 2 == 0 ? "1 of 2" : "2 of 2"));
    }
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "conv · 60 µs, from 10 µs"));
  sonde_timeline_view_set_range (view, 110000, 160000);
  window_fixture_settle (&fixture);
  sonde_view_set_selection (SONDE_VIEW (view), SONDE_VIEW_NOTHING);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "Range of 50 µs, from 110 µs"));
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "40 µs")); /* conv in it */
  g_assert_true (sonde_timeline_view_get_range (view, &start, &end));
  g_assert_cmpint (end - start, ==, 50000);
  close_window (&fixture);
}

/* Keys of the timeline: zoom, move, show, back, let go. */
static void
test_keys (void)
{
  WindowFixture fixture = { 0 };
  SondeView *view;
  SondeViewport fitted, v;
  gint64 start, end;

  open_text (&fixture, trace_text, &(SondePageRequest){ .view = "timeline" });
  view = SONDE_VIEW (window_fixture_find (page_of (&fixture), SONDE_TYPE_TIMELINE_VIEW));
  gtk_widget_grab_focus (GTK_WIDGET (view));
  sonde_view_get_viewport (view, &fitted);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_w, 0));
  sonde_view_get_viewport (view, &v);
  g_assert_cmpfloat (v.x1 - v.x0, <, fitted.x1 - fitted.x0);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_d, 0));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_End, 0));
  sonde_view_get_viewport (view, &v);
  g_assert_cmpfloat_with_epsilon (v.x1, fitted.x1, 1e-3);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_s, 0));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_s, 0));
  sonde_view_get_viewport (view, &v);
  g_assert_cmpfloat_with_epsilon (v.x1 - v.x0, fitted.x1 - fitted.x0, 1e-3);
  sonde_view_set_selection (view, 2);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_m, 0));
  g_assert_true (sonde_timeline_view_get_range (SONDE_TIMELINE_VIEW (view), &start, &end));
  g_assert_cmpint (start, ==, 75000);
  g_assert_cmpint (end, ==, 95000);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_comma, 0));
  g_assert_cmpint (sonde_view_get_selection (view), ==, 1);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_period, 0));
  g_assert_cmpint (sonde_view_get_selection (view), ==, 2);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_bracketright, 0));
  g_assert_cmpint (sonde_view_get_selection (view), ==, 2); /* no arrow */
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_f, 0));
  sonde_view_get_viewport (view, &v);
  g_assert_cmpfloat (v.x1 - v.x0, <, 80000);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Escape, 0));
  g_assert_cmpint (sonde_view_get_selection (view), ==, SONDE_VIEW_NOTHING);
  close_window (&fixture);
}

static void
test_flame (void)
{
  WindowFixture fixture = { 0 };
  SondeFlameView *view;
  const SondeFlameTree *tree;
  g_autofree char *table = NULL;

  open_text (&fixture, trace_text, &(SondePageRequest){ .view = "flame" });
  window_fixture_settle (&fixture);
  view = SONDE_FLAME_VIEW (window_fixture_find (page_of (&fixture), SONDE_TYPE_FLAME_VIEW));
  tree = sonde_flame_view_get_tree (view);
  g_assert_cmpint (sonde_flame_tree_get (tree, 0)->total, ==, 200000);
  table = sonde_view_dup_table (SONDE_VIEW (view), '\t');
  g_assert_nonnull (strstr (table, "step#2;conv\t1\t80000\t80000\n"));
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "all: 200 µs, 100.0 % of all"));
  close_window (&fixture);
}

/* A request for a span's name shows it. */
static void
test_at (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *view;

  open_text (&fixture, trace_text, &(SondePageRequest){ .at = "relu", .view = "timeline" });
  window_fixture_settle (&fixture);
  view = window_fixture_find (page_of (&fixture), SONDE_TYPE_TIMELINE_VIEW);
  g_assert_cmpint (sonde_view_get_selection (SONDE_VIEW (view)), ==, 2);
  close_window (&fixture);
}

static void
test_nothing (void)
{
  WindowFixture fixture = { 0 };

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "profiler");
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "No Profile"));
  close_window (&fixture);
}

/* A file that is dropped takes the place of the one that was open; what is no trace is said. */
static void
test_drop (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL;
  g_autoptr (GListModel) controllers = NULL;
  g_auto (GValue) value = G_VALUE_INIT;
  g_autoptr (GFile) file = NULL;
  GSList *files = NULL;

  open_text (&fixture, trace_text, &(SondePageRequest){ .view = "timeline" });
  path = g_build_filename (fixture.folder, "other", NULL);
  g_assert_true (g_file_set_contents (path, "this is no trace\x01", -1, NULL));
  file = g_file_new_for_path (path);
  files = g_slist_prepend (NULL, file);
  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_set_boxed (&value, files);
  g_slist_free (files);
  controllers = gtk_widget_observe_controllers (page_of (&fixture));
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);
      gboolean taken = FALSE;

      if (!GTK_IS_DROP_TARGET (controller))
        continue;
      g_signal_emit_by_name (controller, "drop", &value, 5.0, 5.0, &taken);
      g_assert_true (taken);
    }
  window_fixture_wait (&fixture, says, "Cannot Read the Profile");
  close_window (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/profiler/opens", test_opens);
  g_test_add_func ("/app/pages/profiler/search", test_search);
  g_test_add_func ("/app/pages/profiler/keys", test_keys);
  g_test_add_func ("/app/pages/profiler/flame", test_flame);
  g_test_add_func ("/app/pages/profiler/at", test_at);
  g_test_add_func ("/app/pages/profiler/drop", test_drop);
  g_test_add_func ("/app/pages/profiler/nothing", test_nothing);
  return g_test_run ();
}
