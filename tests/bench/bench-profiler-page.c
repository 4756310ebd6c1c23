/* SPDX-License-Identifier: Apache-2.0
 * How long the Profiler page holds up the main loop with N operators: opening the table, sorting it, filtering, scrolling.
 * Usage: bench-profiler-page [N] (100000), on a display. One line an action: the longest turn of the main loop, the
 * processor time of its thread in all, and the turns. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "app/profiler/tables/sonde-operator-table.h"
#include "app/profiler/sonde-operators-pane.h"
#include "tests/app/pages/window-fixture.h"

#define REST_US 200000 /* an action is over when for so long no turn took */
#define REST_MS 1.0    /* so much: some frames */
#define MOST_US 20000000

static double
now_ms (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return (double) time.tv_sec * 1e3 + (double) time.tv_nsec / 1e6;
}

/* Turns the loop until what @start_ms began with is over and the page has settled. */
static void
follow (WindowFixture *fixture, const char *action, double start_ms)
{
  double longest = now_ms () - start_ms;
  gint64 last = g_get_monotonic_time (), end = last + MOST_US;
  guint n_turns = 1;

  while (g_get_monotonic_time () < MIN (last + REST_US, end))
    {
      double begin = now_ms ();
      gboolean worked = g_main_context_iteration (NULL, FALSE);

      if (now_ms () - begin > REST_MS
          || !sonde_page_is_settled (sonde_window_get_page (fixture->window)))
        last = g_get_monotonic_time ();
      n_turns += worked;
      longest = MAX (longest, now_ms () - begin);
    }
  printf ("%-8s longest %8.2f ms, together %8.1f ms in %u turns\n", action, longest,
          now_ms () - start_ms, n_turns);
}

/* One span an operator, as ONNX Runtime writes them. (transfer full) */
static char *
write_trace (const char *folder, guint n)
{
  char *path = g_build_filename (folder, "trace.json", NULL);
  GString *text = g_string_new ("[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":9,\"name\":"
                                "\"session_initialization\",\"cat\":\"Session\"}");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (
        text,
        ",{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":%u,\"dur\":%u,\"name\":"
        "\"node_%u_kernel_time\",\"cat\":\"Node\",\"args\":{\"op_name\":\"Op%u\"}}",
        10 + 100 * i, 1 + i * 7919 % 97, i, i % 50);
  g_string_append_c (text, ']');
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  g_string_free (text, TRUE);
  return path;
}

static void
scroll (WindowFixture *fixture, GtkWidget *pane)
{
  GtkWidget *scrolled = window_fixture_find (window_fixture_find (pane, SONDE_TYPE_OPERATOR_TABLE),
                                             GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled));

  for (guint i = 0; i < 10; i++)
    {
      double start = now_ms ();

      gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment) * i / 10);
      follow (fixture, "scroll", start);
    }
}

int
main (int argc, char **argv)
{
  WindowFixture fixture = { 0 };
  guint n = argc > 1 ? (guint) atoi (argv[1]) : 100000;
  g_autofree char *path = NULL;
  GtkWidget *pane, *search, *view;
  double start;

  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  window_fixture_init (&fixture);
  path = write_trace (fixture.folder, n);
  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "profiler", NULL);
  start = now_ms ();
  sonde_trace_document_show_view (sonde_workspace_get_profile (fixture.workspace), "operators");
  follow (&fixture, "open", start);
  pane = window_fixture_find (GTK_WIDGET (sonde_window_get_page (fixture.window)),
                              SONDE_TYPE_OPERATORS_PANE);
  view = sonde_operator_table_get_view (
      SONDE_OPERATOR_TABLE (window_fixture_find (pane, SONDE_TYPE_OPERATOR_TABLE)));
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (
          gtk_column_view_get_columns (GTK_COLUMN_VIEW (view)), i == 0 ? 0 : 4);

      start = now_ms ();
      gtk_column_view_sort_by_column (GTK_COLUMN_VIEW (view), column, GTK_SORT_ASCENDING);
      follow (&fixture, "sort", start);
    }
  search = window_fixture_find (pane, GTK_TYPE_SEARCH_ENTRY);
  for (guint i = 0; i < 2; i++)
    {
      start = now_ms ();
      gtk_editable_set_text (GTK_EDITABLE (search), i == 0 ? "node_77" : "");
      g_signal_emit_by_name (search, "search-changed");
      follow (&fixture, "filter", start);
    }
  scroll (&fixture, pane);
  window_fixture_close (&fixture);
  window_fixture_clear (&fixture);
  return 0;
}
