/* SPDX-License-Identifier: Apache-2.0
 * A training that is debugged is a run of the window: curves, step and rate while it runs, and what is
 * said of where it records. */
#include "app/debugger/dialogs/sonde-debug-form.h"
#include "app/pages/sonde-debugger-page.h"
#include "app/sonde-state-chip.h"
#include "tests/app/pages/debugger-fixture.h"

#define MANY_EPOCHS 20000 /* nobody waits for their end */

static gboolean
window_says (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (GTK_WIDGET (fixture->window), data) != NULL;
}

static gboolean
chip_says (WindowFixture *fixture, const void *data)
{
  GtkWidget *chip = window_fixture_find (GTK_WIDGET (fixture->window), SONDE_TYPE_STATE_CHIP);

  return window_fixture_find_label (chip, data) != NULL;
}

/* (transfer none) (nullable) */
static SondeRun *
run_of (WindowFixture *fixture)
{
  g_autoptr (SondeRun) run
      = g_list_model_get_item (G_LIST_MODEL (sonde_workspace_get_store (fixture->workspace)), 0);

  return run;
}

/* The loss, of at least so many steps. */
static gboolean
has_losses (WindowFixture *fixture, const void *data)
{
  SondeRun *run = run_of (fixture);
  SondeSeries *series = run != NULL ? sonde_run_get_series (run, "loss") : NULL;

  return series != NULL && sonde_series_get_n_points (series) >= GPOINTER_TO_UINT (data);
}

static const SondeSessionStatus *
status_of (WindowFixture *fixture)
{
  return sonde_debug_session_get_status (
      sonde_debugger_page_get_session (SONDE_DEBUGGER_PAGE (debugger_page (fixture))));
}

static gboolean
has_watch (WindowFixture *fixture, const void *data)
{
  GPtrArray *watches = sonde_debug_session_get_watches (
      sonde_debugger_page_get_session (SONDE_DEBUGGER_PAGE (debugger_page (fixture))));

  return watches != NULL && watches->len == 1;
}

static gboolean
is_hit (WindowFixture *fixture, const void *data)
{
  const SondeSessionStatus *status = status_of (fixture);

  return status->state == SONDE_SESSION_PAUSED && status->stop.reason == SONDE_STOP_WATCHPOINT;
}

static gboolean
has_run (WindowFixture *fixture, const void *data)
{
  return run_of (fixture) != NULL;
}

/* It is said where it records, the run is there and the chosen one, and nobody calls it live: it stands. */
static void
test_recorded (void)
{
  g_autofree char *folder = NULL;
  WindowFixture fixture;

  debugger_open_training (&fixture, "conv1");
  folder = g_build_filename (fixture.folder, "run", NULL);
  window_fixture_wait (&fixture, window_says, "Recording to “run” in “");
  window_fixture_wait (&fixture, has_run, NULL);
  g_assert_cmpstr (sonde_run_get_path (run_of (&fixture)), ==, folder);
  g_assert_true (sonde_workspace_get_run (fixture.workspace) == run_of (&fixture));
  g_assert_true (chip_says (&fixture, "Paused · step 1"));
  g_assert_false (chip_says (&fixture, "1 live run"));
  g_assert_true (sonde_run_is_live (run_of (&fixture)));
  g_assert_false (sonde_workspace_is_running (fixture.workspace, run_of (&fixture)));
  window_fixture_clear (&fixture);
}

/* While it runs its curve grows and the bar tells step and rate; a pause says at which step it stands. */
static void
test_running (void)
{
  g_autofree char *paused = NULL, *chip = NULL;
  WindowFixture fixture;

  debugger_open_epochs (&fixture, "conv1", MANY_EPOCHS);
  debugger_activate (&fixture, "debug.continue");
  window_fixture_wait (&fixture, has_losses, GUINT_TO_POINTER (20));
  window_fixture_wait (&fixture, debugger_says, "Running · step ");
  window_fixture_wait (&fixture, chip_says, "Running · step ");
  g_assert_true (sonde_workspace_is_running (fixture.workspace, run_of (&fixture)));
  g_assert_cmpuint (status_of (&fixture)->facts.step, >, 1);
  debugger_activate (&fixture, "debug.pause");
  window_fixture_wait (&fixture, debugger_says, "Paused at step ");
  window_fixture_settle (&fixture);
  g_assert_cmpuint (status_of (&fixture)->stop.step, >, 20);
  paused
      = g_strdup_printf ("Paused at step %" PRIu64 " · before ", status_of (&fixture)->stop.step);
  g_assert_true (debugger_says (&fixture, paused));
  chip = g_strdup_printf ("Paused · step %" PRIu64, status_of (&fixture)->stop.step);
  g_assert_true (chip_says (&fixture, chip));
  g_assert_false (sonde_workspace_is_running (fixture.workspace, run_of (&fixture)));
  window_fixture_clear (&fixture);
}

/* A watch on the loss is offered with a number, and stops the training there. */
static void
test_loss (void)
{
  GtkWidget *form, *entry;
  WindowFixture fixture;

  debugger_open_epochs (&fixture, "conv1", MANY_EPOCHS);
  debugger_activate (&fixture, "debug.continue");
  window_fixture_wait (&fixture, has_losses, GUINT_TO_POINTER (4));
  debugger_activate (&fixture, "debug.pause");
  window_fixture_wait (&fixture, debugger_says, "Paused at step ");
  window_fixture_settle (&fixture);
  debugger_activate (&fixture, "debug.watch");
  form = window_fixture_find (debugger_page (&fixture), SONDE_TYPE_DEBUG_FORM);
  window_fixture_settle (&fixture);
  debugger_click (window_fixture_find_label (form, "Stop When loss > "));
  entry = debugger_find_entry (form, "nan(x) || absmax(x) > 1e4");
  g_assert_true (g_str_has_prefix (gtk_editable_get_text (GTK_EDITABLE (entry)), "loss > "));
  /* The number is selected: what is typed takes its place. */
  gtk_editable_delete_selection (GTK_EDITABLE (entry));
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "loss > ");
  debugger_enter (entry, "loss > 0");
  window_fixture_wait (&fixture, has_watch, NULL);
  debugger_activate (&fixture, "debug.continue");
  window_fixture_wait (&fixture, is_hit, NULL);
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

/* The button of the toast shows the curves; the session goes on, its run stays when it is over. */
static void
test_shown (void)
{
  WindowFixture fixture;

  debugger_open_training (&fixture, "conv1");
  window_fixture_wait (&fixture, window_says, "Recording to “run” in “");
  window_fixture_wait (&fixture, has_run, NULL);
  debugger_click (window_fixture_find_label (GTK_WIDGET (fixture.window), "Show"));
  g_assert_true (sonde_window_get_page (fixture.window)
                 == sonde_window_peek_page (fixture.window, "scalars"));
  g_assert_true (sonde_window_show_page (fixture.window, "debugger", NULL));
  debugger_activate (&fixture, "debug.end");
  window_fixture_wait (&fixture, chip_says, "1 run");
  g_assert_nonnull (run_of (&fixture));
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
  g_test_add_func ("/app/pages/debugger-run/recorded", test_recorded);
  g_test_add_func ("/app/pages/debugger-run/running", test_running);
  g_test_add_func ("/app/pages/debugger-run/shown", test_shown);
  g_test_add_func ("/app/pages/debugger-run/loss", test_loss);
  return g_test_run ();
}
