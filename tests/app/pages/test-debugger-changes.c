/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page: going back, and what is around a node. */
#include <string.h>

#include "app/debugger/dialogs/sonde-debug-form.h"
#include "app/debugger/panels/sonde-debug-neighbourhood.h"
#include "app/debugger/sonde-debug-listing.h"
#include "tests/app/pages/debugger-fixture.h"

/* ---- back ---------------------------------------------------------------- */

/* Reverse finds the breakpoint behind, then the beginning. */
static void
test_reverse (void)
{
  WindowFixture fixture;

  debugger_open_at (&fixture, "relu1");
  debugger_activate (&fixture, "debug.breakpoint");
  window_fixture_settle (&fixture);
  debugger_activate (&fixture, "debug.step");
  window_fixture_wait (&fixture, debugger_says, "Paused before conv2");
  window_fixture_settle (&fixture);
  debugger_activate (&fixture, "debug.step");
  window_fixture_wait (&fixture, debugger_says, "Paused before relu2");
  window_fixture_settle (&fixture);
  debugger_activate (&fixture, "debug.reverse");
  window_fixture_wait (&fixture, debugger_says, "Paused before relu1");
  window_fixture_settle (&fixture);
  debugger_activate (&fixture, "debug.reverse");
  window_fixture_wait (&fixture, debugger_says, "Paused before conv1");
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

/* ---- around -------------------------------------------------------------- */

/* Two levels each way, what their values hold, and a click that goes there. */
static void
test_around (void)
{
  WindowFixture fixture;
  GtkWidget *around;

  debugger_open_at (&fixture, "relu1");
  around = debugger_show_tab (&fixture, "neighbourhood", SONDE_TYPE_DEBUG_NEIGHBOURHOOD);
  g_assert_nonnull (window_fixture_find_label (around, "conv1"));
  g_assert_nonnull (window_fixture_find_label (around, "conv1.weight"));
  g_assert_nonnull (window_fixture_find_label (around, "-0.2…0.4"));
  g_assert_nonnull (window_fixture_find_label (around, "relu2"));
  g_assert_nonnull (window_fixture_find_label (around, "—"));
  g_assert_null (window_fixture_find_label (around, "conv2.weight"));
  g_assert_null (window_fixture_find_label (around, "●"));
  debugger_activate (&fixture, "debug.breakpoint");
  window_fixture_settle (&fixture);
  g_assert_nonnull (window_fixture_find_label (around, "●"));
  debugger_click (window_fixture_find_label (around, "conv2"));
  window_fixture_settle (&fixture);
  g_assert_nonnull (window_fixture_find_label (around, "conv2.weight"));
  g_assert_true (debugger_says (&fixture, "Paused before relu1"));
  window_fixture_clear (&fixture);
}

/* ---- listing ------------------------------------------------------------- */

/* Lines are short; what nodes have made stands behind them, and goes with the run that made it. */
static void
test_listing (void)
{
  g_autofree char *name = NULL;
  SondeDebugListing *listing;
  WindowFixture fixture;

  debugger_open_at (&fixture, "conv2");
  listing = SONDE_DEBUG_LISTING (
      window_fixture_find (debugger_page (&fixture), SONDE_TYPE_DEBUG_LISTING));
  g_assert_cmpuint (sonde_debug_listing_find_name (listing, "conv1"), ==, 1);
  g_assert_nonnull (strchr (sonde_debug_listing_get_value (listing, 1), ' '));
  g_assert_nonnull (
      sonde_debug_listing_get_value (listing, sonde_debug_listing_find_name (listing, "relu1")));
  name = sonde_debug_listing_dup_name (listing, 1);
  g_assert_cmpstr (name, ==, "conv1");
  g_assert_null (
      sonde_debug_listing_get_value (listing, sonde_debug_listing_find_name (listing, "conv2")));
  debugger_activate (&fixture, "debug.step");
  window_fixture_wait (&fixture, debugger_says, "Paused before relu2");
  window_fixture_settle (&fixture);
  g_assert_nonnull (
      sonde_debug_listing_get_value (listing, sonde_debug_listing_find_name (listing, "conv2")));
  debugger_activate (&fixture, "debug.restart");
  window_fixture_wait (&fixture, debugger_says, "Ready before");
  window_fixture_settle (&fixture);
  g_assert_null (sonde_debug_listing_get_value (listing, 1));
  window_fixture_clear (&fixture);
}

/* ---- names --------------------------------------------------------------- */

/* The row of a name; fails the test when there is none. */
static void
find_name (GtkTreeModel *names, const char *wanted, GtkTreeIter *iter)
{
  for (gboolean more = gtk_tree_model_get_iter_first (names, iter); more;
       more = gtk_tree_model_iter_next (names, iter))
    {
      g_autofree char *name = NULL;

      gtk_tree_model_get (names, iter, 0, &name, -1);
      if (g_str_equal (name, wanted))
        return;
    }
  g_assert_not_reached ();
}

/* What is typed at the end of an expression becomes the name that is chosen; the rest stays. */
static void
test_names (void)
{
  GtkEntryCompletion *completion;
  GtkWidget *form, *entry;
  WindowFixture fixture;
  gboolean done = FALSE;
  GtkTreeModel *names;
  GtkTreeIter iter;

  debugger_open_at (&fixture, "conv2");
  debugger_activate (&fixture, "debug.watch");
  form = window_fixture_find (debugger_page (&fixture), SONDE_TYPE_DEBUG_FORM);
  window_fixture_settle (&fixture);
  entry = debugger_find_entry (form, "nan(x) || absmax(x) > 1e4");
  completion = gtk_entry_get_completion (GTK_ENTRY (entry));
  names = gtk_entry_completion_get_model (completion);
  gtk_editable_set_text (GTK_EDITABLE (entry), "max(conv2.we) > 3");
  gtk_editable_set_position (GTK_EDITABLE (entry), 12);
  find_name (names, "conv2.weight", &iter);
  g_signal_emit_by_name (completion, "match-selected", names, &iter, &done);
  g_assert_true (done);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "max(conv2.weight) > 3");
  g_assert_cmpint (gtk_editable_get_position (GTK_EDITABLE (entry)), ==, 16);
  find_name (names, "relu1", &iter);
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("sonde-runtime-XXXXXX", NULL);

  /* Sessions of others stay out of it. */
  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/debugger-changes/reverse", test_reverse);
  g_test_add_func ("/app/pages/debugger-changes/around", test_around);
  g_test_add_func ("/app/pages/debugger-changes/listing", test_listing);
  g_test_add_func ("/app/pages/debugger-changes/names", test_names);
  return g_test_run ();
}
