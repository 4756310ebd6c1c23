/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page: going back, and what is around a node. */
#include <string.h>

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
  return g_test_run ();
}
