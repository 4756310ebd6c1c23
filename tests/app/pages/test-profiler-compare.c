/* SPDX-License-Identifier: Apache-2.0
 * Two profiles side by side: what is on the screen is what the analysis says; the same thing recorded
 * twice shows nothing significant, a slower operator only itself; filter, keys, what cannot be compared. */
#include <string.h>

#include "app/profiler/sonde-compare-pane.h"
#include "app/profiler/tables/sonde-compare-table.h"
#include "app/workspace/sonde-profile-sources.h"
#include "data/base/sonde-format.h"
#include "data/profiles/sonde-comparison.h"
#include "data/profiles/sonde-profile-file.h"
#include "tests/app/pages/profile-fixture.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/trace/sonde-flame-view.h"

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static GtkWidget *
pane_of (WindowFixture *fixture)
{
  return window_fixture_find (page_of (fixture), SONDE_TYPE_COMPARE_PANE);
}

static gboolean
says (WindowFixture *fixture, const void *data)
{
  GtkWidget *pane = pane_of (fixture);

  return pane != NULL && window_fixture_find_label (pane, data) != NULL;
}

/* Runs a and b, the second with a slower "conv", compared on the page. */
static void
open_compared (WindowFixture *fixture, double slow)
{
  g_autofree char *runs = NULL;

  window_fixture_init (fixture);
  profile_fixture_write (fixture->run_a, 1, 1);
  profile_fixture_write (fixture->run_b, 2, slow);
  runs = g_build_filename (fixture->folder, "runs", NULL);
  window_fixture_open_paths (fixture, (const char *const[]){ runs, NULL }, "profiler",
                             &(SondePageRequest){ .view = "compare" });
  window_fixture_wait (fixture, says, "A step takes ");
  window_fixture_settle (fixture);
}

static void
close_window (WindowFixture *fixture)
{
  window_fixture_close (fixture);
  window_fixture_clear (fixture);
}

static SondeProfile *
analyse (WindowFixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->folder, "runs", "group", name, NULL);
  g_autoptr (GError) error = NULL;
  g_auto (SondeProfileFile) file = { 0 };

  g_assert_true (sonde_profile_file_read (NULL, path, 0, &file, &error));
  g_assert_no_error (error);
  return sonde_profile_new (g_steal_pointer (&file.trace), g_steal_pointer (&file.facts), NULL);
}

static void
assert_shown (WindowFixture *fixture, char *text)
{
  if (window_fixture_find_label (pane_of (fixture), text) == NULL)
    g_error ("“%s” is not shown", text);
  g_free (text);
}

/* Every number of the table, as the analysis has it. */
static void
test_numbers (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (SondeProfile) base = NULL, other = NULL;
  g_autoptr (SondeProfileComparison) comparison = NULL;

  open_compared (&fixture, 1.5);
  base = analyse (&fixture, "a");
  other = analyse (&fixture, "b");
  comparison = sonde_profile_comparison_new (base, other);
  g_assert_cmpuint (comparison->n_significant, ==, 1);
  g_assert_cmpuint (comparison->operators->len, ==, 3);
  for (guint i = 0; i < comparison->operators->len; i++)
    {
      const SondeComparedOperator *op
          = &g_array_index (comparison->operators, SondeComparedOperator, i);

      assert_shown (&fixture, g_strdup (op->base_op->node));
      assert_shown (&fixture, sonde_format_duration ((gint64) (op->base_ns + 0.5)));
      assert_shown (&fixture, sonde_format_duration ((gint64) (op->other_ns + 0.5)));
      assert_shown (&fixture, g_strdup_printf ("× %.3f", op->ratio));
      assert_shown (&fixture, g_strdup_printf ("%.2g", op->p));
    }
  assert_shown (&fixture, g_strdup_printf ("1 operator differs significantly. All operators "
                                           "together: × %.3f in the median.",
                                           comparison->common_ratio));
  assert_shown (&fixture, g_strdup ("slower"));
  close_window (&fixture);
}

static void
test_same (void)
{
  WindowFixture fixture = { 0 };

  open_compared (&fixture, 1);
  g_assert_true (says (&fixture, "No operator differs significantly."));
  g_assert_false (says (&fixture, "slower"));
  g_assert_false (says (&fixture, "faster"));
  close_window (&fixture);
}

static gboolean
has_rows (WindowFixture *fixture, const void *n)
{
  GtkWidget *table = window_fixture_find (pane_of (fixture), SONDE_TYPE_COMPARE_TABLE);

  return sonde_compare_table_get_n_rows (SONDE_COMPARE_TABLE (table)) == GPOINTER_TO_UINT (n);
}

static GtkWidget *
find_search (GtkWidget *widget)
{
  /* Beside the list of profiles, which has one of its own. */
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = GTK_IS_DROP_DOWN (child) ? NULL : find_search (child);

      if (GTK_IS_SEARCH_ENTRY (child) || found != NULL)
        return found != NULL ? found : child;
    }
  return NULL;
}

/* By name and by whether it changed; with the keys alone. */
static void
test_filter (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *search, *only;

  open_compared (&fixture, 1.5);
  search = find_search (pane_of (&fixture));
  only = gtk_widget_get_next_sibling (search);
  gtk_editable_set_text (GTK_EDITABLE (search), "GEMM");
  window_fixture_wait (&fixture, has_rows, GUINT_TO_POINTER (1));
  gtk_editable_set_text (GTK_EDITABLE (search), "");
  window_fixture_wait (&fixture, has_rows, GUINT_TO_POINTER (3));
  window_fixture_tab_to (&fixture, only);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_space, 0));
  window_fixture_wait (&fixture, has_rows, GUINT_TO_POINTER (1));
  g_assert_true (says (&fixture, "conv"));
  close_window (&fixture);
}

static void
test_nothing (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *runs = NULL;

  window_fixture_init (&fixture);
  profile_fixture_write (fixture.run_a, 1, 1);
  runs = g_build_filename (fixture.folder, "runs", NULL);
  window_fixture_open_paths (&fixture, (const char *const[]){ runs, NULL }, "profiler",
                             &(SondePageRequest){ .view = "compare" });
  window_fixture_wait (&fixture, says, "Nothing to Compare With");
  profile_fixture_write (fixture.run_b, 2, 1);
  window_fixture_wait (&fixture, says, "A step takes ");
  close_window (&fixture);
}

/* The slower operator has its times of a step and its path said; the step is one frame. */
static void
test_flame (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *pane, *as_flame;
  SondeFlameView *view;
  const SondeFlameTree *tree;
  guint32 conv = 0;
  g_autofree char *table = NULL, *words = NULL;

  open_compared (&fixture, 2);
  pane = window_fixture_find (page_of (&fixture), SONDE_TYPE_COMPARE_PANE);
  as_flame = gtk_widget_get_ancestor (window_fixture_find_label (pane, "Flame Graph"),
                                      GTK_TYPE_TOGGLE_BUTTON);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (as_flame), TRUE);
  window_fixture_settle (&fixture);
  view = SONDE_FLAME_VIEW (window_fixture_find (pane, SONDE_TYPE_FLAME_VIEW));
  tree = sonde_flame_view_get_tree (view);
  g_assert_cmpuint (tree->nodes->len, ==, 5); /* all, the step, three operators */
  for (guint32 i = 1; i < tree->nodes->len; i++)
    if (g_str_equal (sonde_flame_tree_get (tree, i)->name, "conv"))
      conv = i;
  g_assert_cmpuint (conv, !=, 0);
  sonde_view_set_selection (SONDE_VIEW (view), conv);
  g_assert_nonnull (window_fixture_find_label (pane, "step › conv"));
  words = sonde_flame_view_dup_sentence (view, conv);
  g_assert_true (g_str_has_prefix (words, "conv: 2.0"));
  g_assert_nonnull (strstr (words, "instead of 1.0"));
  g_assert_nonnull (window_fixture_find_label (pane, words));
  table = sonde_view_dup_table (SONDE_VIEW (view), ',');
  g_assert_true (g_str_has_prefix (table, "path,base_ns,other_ns\nstep,"));
  close_window (&fixture);
}

/* Nothing is compared while the loop waits: one that is left before it is done takes nothing with it. */
static void
test_leave (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *pane;

  open_compared (&fixture, 2);
  pane = window_fixture_find (page_of (&fixture), SONDE_TYPE_COMPARE_PANE);
  g_assert_false (sonde_trace_document_is_busy (sonde_workspace_get_profile (fixture.workspace)));
  {
    GtkWidget *choice = window_fixture_find (pane, GTK_TYPE_DROP_DOWN);

    g_object_notify (G_OBJECT (choice), "selected"); /* chosen anew */
  }
  g_assert_true (sonde_trace_document_is_busy (sonde_workspace_get_profile (fixture.workspace)));
  g_assert_null (window_fixture_find_label (pane, "A step takes "));
  close_window (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/profiler-compare/numbers", test_numbers);
  g_test_add_func ("/app/pages/profiler-compare/same", test_same);
  g_test_add_func ("/app/pages/profiler-compare/filter", test_filter);
  g_test_add_func ("/app/pages/profiler-compare/nothing", test_nothing);
  g_test_add_func ("/app/pages/profiler-compare/flame", test_flame);
  g_test_add_func ("/app/pages/profiler-compare/leave", test_leave);
  return g_test_run ();
}
