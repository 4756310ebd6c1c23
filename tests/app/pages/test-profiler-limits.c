/* SPDX-License-Identifier: Apache-2.0
 * The views Roofline, Memory and Data of the Profiler page: what they show equals the analysis, by pointer and
 * by keys; and what they say of traces that lack it. */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "app/profiler/tables/sonde-fact-table.h"
#include "app/profiler/sonde-memory-plan.h"
#include "app/profiler/sonde-roofline-pane.h"
#include "app/workspace/sonde-profile-sources.h"
#include "data/base/sonde-format.h"
#include "data/profiles/sonde-data-pipeline.h"
#include "tests/app/pages/profile-fixture.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/profile/sonde-level-view.h"
#include "viewers/profile/sonde-memory-view.h"
#include "viewers/profile/sonde-roofline-view.h"

/* PyTorch: two steps that load a batch, allocations on a GPU and a counter of memory. */
static const char trace_text[]
    = "{\"schemaVersion\":1,\"traceEvents\":["
      "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1000,\"name\":\"ProfilerStep#1\","
      "\"cat\":\"user_annotation\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":600,\"cat\":\"user_annotation\","
      "\"name\":\"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":700,\"dur\":100,\"name\":\"aten::mm\","
      "\"cat\":\"cpu_op\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":2000,\"dur\":1000,\"name\":\"ProfilerStep#2\","
      "\"cat\":\"user_annotation\"},"
      "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":2000,\"dur\":200,\"cat\":\"user_annotation\","
      "\"name\":\"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__\"},"
      "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":10,\"name\":\"[memory]\",\"args\":{\"Total "
      "Reserved\":4096,\"Total Allocated\":1024,\"Device Id\":0,\"Device Type\":1}},"
      "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":20,\"name\":\"[memory]\",\"args\":{\"Total "
      "Reserved\":8192,\"Total Allocated\":3072,\"Device Id\":0,\"Device Type\":1}},"
      "{\"ph\":\"C\",\"pid\":1,\"ts\":5,\"name\":\"rss\",\"args\":{\"value\":77}}]}";

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static SondeTraceDocument *
document_of (WindowFixture *fixture)
{
  return sonde_profile_sources_get_document (sonde_workspace_get_profiles (fixture->workspace));
}

static void
open_text (WindowFixture *fixture, const char *text, const char *view)
{
  g_autofree char *path = NULL;

  window_fixture_init (fixture);
  path = g_build_filename (fixture->folder, "some.bin", NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  window_fixture_open_paths (fixture, (const char *const[]){ path, NULL }, "profiler",
                             &(SondePageRequest){ .view = view });
}

static gboolean
is_ready (WindowFixture *fixture, const void *type)
{
  return document_of (fixture) != NULL
         && sonde_trace_document_get_state (document_of (fixture)) == SONDE_TRACE_DOCUMENT_READY
         && window_fixture_find (page_of (fixture), *(const GType *) type) != NULL;
}

static void
open_run (WindowFixture *fixture, const char *view, GType type)
{
  g_autofree char *runs = NULL;

  window_fixture_init (fixture);
  runs = g_build_filename (fixture->folder, "runs", NULL);
  profile_fixture_write (fixture->run_a, 1, 1);
  window_fixture_open_paths (fixture, (const char *const[]){ runs, NULL }, "profiler",
                             &(SondePageRequest){ .view = view });
  window_fixture_wait (fixture, is_ready, &type);
  window_fixture_settle (fixture);
}

static void
close_window (WindowFixture *fixture)
{
  window_fixture_close (fixture);
  window_fixture_clear (fixture);
}

/* Cells of the line of @text that begins with @name. (transfer full) (nullable) */
static char **
find_line (const char *text, const char *name)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) cells = g_strsplit (lines[i], "\t", -1);

      if (cells[0] != NULL && strcmp (cells[0], name) == 0)
        return g_steal_pointer (&cells);
    }
  return NULL;
}

static double
number_of (const char *cell)
{
  return g_ascii_strtod (cell, NULL);
}

/* The buttons of what is selected lead to both pages that have the node. */
static void
assert_links (WindowFixture *fixture)
{
  static const char *const pages[][2]
      = { { "Show in Graph", "graph" }, { "Show in Debugger", "debugger" } };

  for (gsize i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      GtkWidget *label = window_fixture_find_label (page_of (fixture), pages[i][0]);

      g_assert_nonnull (label);
      g_signal_emit_by_name (gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON), "clicked");
      g_assert_true (sonde_window_get_page (fixture->window)
                     == sonde_window_peek_page (fixture->window, pages[i][1]));
      sonde_window_show_page (fixture->window, "profiler", NULL);
    }
}

/* ---- roofline ------------------------------------------------------------ */

static void
test_roofline (void)
{
  WindowFixture fixture = { 0 };
  SondeView *view;
  SondeFactTable *table;
  const SondeProfile *profile;
  g_autofree char *text = NULL, *head = NULL;

  open_run (&fixture, "roofline", SONDE_TYPE_ROOFLINE_VIEW);
  view = SONDE_VIEW (window_fixture_find (page_of (&fixture), SONDE_TYPE_ROOFLINE_VIEW));
  table = SONDE_FACT_TABLE (window_fixture_find (page_of (&fixture), SONDE_TYPE_FACT_TABLE));
  profile = sonde_trace_document_get_profile (document_of (&fixture));
  text = sonde_fact_table_dup_text (table);
  for (guint i = 0; i < profile->operators->len; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (profile, i);
      g_auto (GStrv) cells = find_line (text, op->node);

      g_assert_nonnull (cells);
      g_assert_cmpstr (cells[1], ==, sonde_operator_class_get_title (op->operator_class));
      g_assert_cmpfloat (number_of (cells[2]), ==, op->share);
      g_assert_cmpfloat (number_of (cells[3]), ==, op->gflops);
      g_assert_cmpfloat (number_of (cells[4]), ==, op->gbs);
      g_assert_cmpfloat_with_epsilon (number_of (cells[6]), op->limit_ns / op->mean_self_ns, 1e-9);
    }
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture),
                                               "Measured with 1 thread: 10 GFLOP/s, 10 GB/s"));
  /* keys go through the marks, and the list follows; the copy has none */
  gtk_widget_grab_focus (GTK_WIDGET (view));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Right, 0));
  g_assert_cmpint (sonde_view_get_selection (view), ==, 0);
  g_assert_cmpint (sonde_fact_table_get_selected (table), ==, 0);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_End, 0));
  g_assert_cmpint (sonde_view_get_selection (view), ==, 1);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "relu+fc"));
  g_signal_emit_by_name (table, "fact-selected", (gint64) 2);
  g_assert_cmpint (sonde_view_get_selection (view), ==, SONDE_VIEW_NOTHING);
  g_signal_emit_by_name (view, "picked", (gint64) 0, 1, 0.0, 0.0);
  g_assert_cmpint (sonde_fact_table_get_selected (table), ==, 0);
  assert_links (&fixture);
  close_window (&fixture);
}

static void
test_no_roofline (void)
{
  WindowFixture fixture = { 0 };

  open_text (&fixture, trace_text, "roofline");
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "No Operations to Count"));
  close_window (&fixture);
}

/* ---- memory -------------------------------------------------------------- */

static void
test_plan (void)
{
  WindowFixture fixture = { 0 };
  SondeMemoryPlan *plan;
  SondeFactTable *table;
  SondeView *view;
  g_autofree char *before = NULL, *after = NULL;
  g_auto (GStrv) cells = NULL;

  open_run (&fixture, "memory", SONDE_TYPE_MEMORY_PLAN);
  plan = SONDE_MEMORY_PLAN (window_fixture_find (page_of (&fixture), SONDE_TYPE_MEMORY_PLAN));
  table = SONDE_FACT_TABLE (window_fixture_find (GTK_WIDGET (plan), SONDE_TYPE_FACT_TABLE));
  view = SONDE_VIEW (window_fixture_find (GTK_WIDGET (plan), SONDE_TYPE_MEMORY_VIEW));
  g_assert_cmpuint (sonde_memory_plan_get_step (plan), ==, 0); /* the peak */
  g_assert_nonnull (window_fixture_find_label (GTK_WIDGET (plan), "conv, the peak: 5 KiB"));
  before = sonde_fact_table_dup_text (table);
  cells = find_line (before, "c");
  g_assert_cmpfloat (number_of (cells[2]), ==, 4096);
  g_assert_cmpstr (cells[3], ==, "conv");
  g_assert_null (find_line (before, "y"));
  /* a step further, by the button's value and by what is selected */
  sonde_memory_plan_set_step (plan, 1);
  after = sonde_fact_table_dup_text (table);
  g_assert_null (find_line (after, "c"));
  /* it lies in a body */
  g_assert_nonnull (window_fixture_find_label (
      GTK_WIDGET (plan),
      "relu+fc: 5 KiB · run 1,200 of 1,200 of loop/body, which take 1 KiB to 5 KiB"));
  g_assert_nonnull (strstr (after, "\ny\t"));
  gtk_widget_grab_focus (GTK_WIDGET (view));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Home, 0));
  g_assert_cmpint (sonde_view_get_selection (view), ==, 0);
  g_assert_cmpuint (sonde_memory_plan_get_step (plan), ==, 0);
  g_assert_cmpint (sonde_fact_table_get_selected (table), ==, 0);
  g_assert_nonnull (window_fixture_find_label (GTK_WIDGET (plan), "c activations, 4 KiB"));
  assert_links (&fixture);
  close_window (&fixture);
}

static void
test_curves (void)
{
  WindowFixture fixture = { 0 };
  SondeView *view;
  SondeFactTable *table;
  GtkWidget *facts;
  g_autofree char *text = NULL, *said = NULL;

  open_text (&fixture, trace_text, "memory");
  view = SONDE_VIEW (window_fixture_find (page_of (&fixture), SONDE_TYPE_LEVEL_VIEW));
  table = SONDE_FACT_TABLE (window_fixture_find (page_of (&fixture), SONDE_TYPE_FACT_TABLE));
  text = sonde_fact_table_dup_text (table);
  g_assert_nonnull (strstr (text, "\n10000 ns\t\t1024\t4096\n20000 ns\t2048\t3072\t8192\n"));
  facts = window_fixture_find_label (page_of (&fixture), "GPU 0: at most 3 KiB; 2 events");
  g_assert_nonnull (facts);
  g_assert_cmpint (sonde_trace_document_get_profile (document_of (&fixture))->peak_bytes, ==, 3072);
  gtk_widget_grab_focus (GTK_WIDGET (view));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_End, 0));
  g_assert_cmpint (sonde_fact_table_get_selected (table), ==, 1);
  said = sonde_view_describe (view);
  g_assert_nonnull (strstr (said, "reserved: 8 KiB"));
  /* the counter stands beside the device */
  for (GtkWidget *child = gtk_widget_get_first_child (gtk_widget_get_parent (facts)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_DROP_DOWN (child))
      gtk_drop_down_set_selected (GTK_DROP_DOWN (child), 1);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "rss: at most 77; 1 event"));
  close_window (&fixture);
}

/* ---- data ---------------------------------------------------------------- */

static void
test_data (void)
{
  WindowFixture fixture = { 0 };
  SondeView *view;
  SondeFactTable *stages;
  GtkStack *tables;
  const SondeProfile *profile;
  g_autofree char *text = NULL, *wait = NULL, *sentence = NULL, *steps = NULL;
  g_auto (GStrv) cells = NULL;

  open_text (&fixture, trace_text, "data");
  profile = sonde_trace_document_get_profile (document_of (&fixture));
  view = SONDE_VIEW (window_fixture_find (page_of (&fixture), SONDE_TYPE_LEVEL_VIEW));
  stages = SONDE_FACT_TABLE (window_fixture_find (page_of (&fixture), SONDE_TYPE_FACT_TABLE));
  wait = sonde_format_duration ((gint64) profile->part_ns[SONDE_STEP_PART_DATA_WAIT]);
  g_assert_cmpstr (wait, ==, "400 µs");
  sentence = g_strdup_printf ("Each batch is made while the engine waits: %s of 1 ms a step (40.0 "
                              "%%). With 1 worker",
                              wait);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), sentence));
  text = sonde_fact_table_dup_text (stages);
  cells = find_line (text, "DataLoader");
  g_assert_cmpfloat (number_of (cells[1]), ==, 2);
  g_assert_cmpfloat (number_of (cells[2]), ==, 400000);
  g_assert_cmpfloat (number_of (cells[3]), ==, 580000);
  /* the cursor shows the step in the list */
  gtk_widget_grab_focus (GTK_WIDGET (view));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Home, 0));
  tables = GTK_STACK (gtk_widget_get_parent (GTK_WIDGET (stages)));
  g_assert_cmpstr (gtk_stack_get_visible_child_name (tables), ==, "steps");
  steps = sonde_fact_table_dup_text (SONDE_FACT_TABLE (gtk_stack_get_visible_child (tables)));
  g_assert_nonnull (
      strstr (steps, "\n0\t1000000 ns\t600000 ns\t0.6\n1\t1000000 ns\t200000 ns\t0.2\n"));
  close_window (&fixture);
}

static void
test_no_data (void)
{
  WindowFixture fixture = { 0 };

  open_text (&fixture,
             "{\"traceEvents\":[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":9,"
             "\"name\":\"a\",\"cat\":\"b\"}]}",
             "data");
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "No Data Pipeline"));
  close_window (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/profiler-limits/roofline", test_roofline);
  g_test_add_func ("/app/pages/profiler-limits/no-roofline", test_no_roofline);
  g_test_add_func ("/app/pages/profiler-limits/plan", test_plan);
  g_test_add_func ("/app/pages/profiler-limits/curves", test_curves);
  g_test_add_func ("/app/pages/profiler-limits/data", test_data);
  g_test_add_func ("/app/pages/profiler-limits/no-data", test_no_data);
  return g_test_run ();
}
