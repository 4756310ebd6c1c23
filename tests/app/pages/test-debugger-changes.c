/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page: going back, and what is around a node. */
#include "app/debugger/sonde-debug-around.h"
#include "app/debugger/sonde-debug-dock.h"
#include "tests/app/pages/debugger-fixture.h"

/* The model is opened and stands before @at. */
static void
open_at (WindowFixture *fixture,
         const char    *at)
{
  SondePageRequest request = { .at = at };
  g_autofree char *path = NULL;

  *fixture = (WindowFixture) { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  path = debugger_write_model (fixture->folder);
  window_fixture_open_paths (fixture, (const char *const[]) { path, NULL }, "debugger", &request);
}

static GtkWidget *
show_tab (WindowFixture *fixture,
          const char    *name,
          GType          type)
{
  GtkWidget *dock = window_fixture_find (debugger_page (fixture), SONDE_TYPE_DEBUG_DOCK);

  sonde_debug_dock_show (SONDE_DEBUG_DOCK (dock), name);
  window_fixture_settle (fixture);
  return window_fixture_find (dock, type);
}

static void
click (GtkWidget *label)
{
  g_assert_nonnull (label);
  g_signal_emit_by_name (gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON), "clicked");
}

/* ---- back ------------------------------------------------------------------------------------- */

/* Reverse finds the breakpoint behind, then the beginning. */
static void
test_reverse (void)
{
  WindowFixture fixture;

  open_at (&fixture, "relu1");
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

/* ---- around ----------------------------------------------------------------------------------- */

/* Two levels each way, what their values hold, and a click that goes there. */
static void
test_around (void)
{
  WindowFixture fixture;
  GtkWidget *around;

  open_at (&fixture, "relu1");
  around = show_tab (&fixture, "around", SONDE_TYPE_DEBUG_AROUND);
  g_assert_nonnull (window_fixture_find_label (around, "conv1"));
  g_assert_nonnull (window_fixture_find_label (around, "conv1.weight"));
  g_assert_nonnull (window_fixture_find_label (around, "-0.2 … 0.4"));
  g_assert_nonnull (window_fixture_find_label (around, "relu2"));
  g_assert_nonnull (window_fixture_find_label (around, "not yet"));
  g_assert_null (window_fixture_find_label (around, "conv2.weight"));
  g_assert_null (window_fixture_find_label (around, "●"));
  debugger_activate (&fixture, "debug.breakpoint");
  window_fixture_settle (&fixture);
  g_assert_nonnull (window_fixture_find_label (around, "●"));
  click (window_fixture_find_label (around, "conv2"));
  window_fixture_settle (&fixture);
  g_assert_nonnull (window_fixture_find_label (around, "conv2.weight"));
  g_assert_true (debugger_says (&fixture, "Paused before relu1"));
  window_fixture_clear (&fixture);
}

int
main (int    argc,
      char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("sonde-runtime-XXXXXX", NULL);

  /* Sessions of others stay out of it. */
  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/debugger-changes/reverse", test_reverse);
  g_test_add_func ("/app/pages/debugger-changes/around", test_around);
  return g_test_run ();
}
