/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page on an engine that stands still: a line says so, and it can be ended. */
#include <signal.h>

#include "app/pages/sonde-debugger-page.h"
#include "tests/app/pages/debugger-fixture.h"
#include "tests/support/sonde-test-silence.h"

#define SILENT "The engine has not responded for five seconds: its process is stopped."

static SondeSessionClient *
client_of (WindowFixture *fixture)
{
  return sonde_debug_session_get_client (
      sonde_debugger_page_get_session (SONDE_DEBUGGER_PAGE (debugger_page (fixture))));
}

static gboolean
is_calm (WindowFixture *fixture, const void *data)
{
  return !debugger_says (fixture, "The engine has not responded");
}

static gboolean
is_gone (WindowFixture *fixture, const void *data)
{
  return kill (GPOINTER_TO_INT (data), 0) != 0
         && !g_application_get_is_busy (g_application_get_default ());
}

static void
stand_still (WindowFixture *fixture, SondeTestSilence *silence)
{
  sonde_test_silence_begin (silence, client_of (fixture));
  window_fixture_wait (fixture, debugger_says, SILENT);
  g_assert_true (debugger_says (fixture, "Not responding · last state: Paused before conv2"));
}

/* It goes on where it was; what was asked meanwhile is done then. */
static void
test_stopped (void)
{
  SondeTestSilence silence = { 0 };
  WindowFixture fixture;

  debugger_open_at (&fixture, "conv2");
  g_assert_true (is_calm (&fixture, NULL));
  stand_still (&fixture, &silence);
  g_assert_true (debugger_says (&fixture, "End Engine"));
  debugger_activate (&fixture, "debug.step");
  sonde_test_silence_end (&silence);
  window_fixture_wait (&fixture, is_calm, NULL);
  window_fixture_wait (&fixture, debugger_says, "Paused before relu2");
  window_fixture_settle (&fixture);
  sonde_test_silence_clear (&silence);
  window_fixture_clear (&fixture);
}

/* The button ends it, stopped as it is. */
static void
test_ended (void)
{
  SondeTestSilence silence = { 0 };
  WindowFixture fixture;
  int pid;

  debugger_open_at (&fixture, "conv2");
  stand_still (&fixture, &silence);
  pid = sonde_session_client_get_pid (client_of (&fixture));
  debugger_click (window_fixture_find_label (debugger_page (&fixture), "End Engine"));
  window_fixture_wait (&fixture, debugger_says, "No Debug Session");
  sonde_test_silence_clear (&silence);
  window_fixture_wait (&fixture, is_gone, GINT_TO_POINTER (pid));
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("sonde-runtime-XXXXXX", NULL);

  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE); /* sessions of others stay out of it */
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/debugger-silence/stopped", test_stopped);
  g_test_add_func ("/app/pages/debugger-silence/ended", test_ended);
  return g_test_run ();
}
