/* SPDX-License-Identifier: Apache-2.0
 * The window that attaches: from the empty page and the menu's action, by what it lists and by an address,
 * and what it says in place when that fails. An engine that listens plays the process. */
#include <glib/gstdio.h>
#include <unistd.h>

#include "app/debugger/dialogs/sonde-debug-attach-dialog.h"
#include "app/pages/sonde-debugger-page.h"
#include "tests/app/pages/debugger-fixture.h"

#define TITLE "Attach to a Process"
#define PLACEHOLDER "PID, ssh:HOST or ssh:HOST:PID"

typedef struct
{
  WindowFixture fixture;
  SondeSessionClient *engine;
  int pid;
} Attaching;

/* With the small model; somebody else's, for the window. (transfer full) */
static SondeSessionClient *
start_engine (const char *folder)
{
  g_autofree char *model = debugger_write_model (folder);
  g_autofree char *program = g_build_filename (g_getenv ("SONDE_BUILD"), "app", "sonde", NULL);
  g_autoptr (GError) error = NULL;
  SondeSessionClient *client = sonde_session_client_spawn (program, 1, &error);
  const SondeOpenRequest request = { .subject = model };
  g_autoptr (SondeSessionReply) reply = NULL;

  g_assert_no_error (error);
  reply = sonde_session_client_call (client, sonde_session_request_open (&request), -1, &error);
  g_assert_no_error (error);
  return client;
}

static void
set_up (Attaching *attaching, gconstpointer data)
{
  attaching->fixture.folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL);
  attaching->engine = start_engine (attaching->fixture.folder);
  attaching->pid = sonde_session_client_get_pid (attaching->engine);
  window_fixture_open_paths (&attaching->fixture, (const char *const[]){ NULL }, "debugger", NULL);
}

static void
tear_down (Attaching *attaching, gconstpointer data)
{
  window_fixture_clear (&attaching->fixture);
  sonde_session_client_quit_child (attaching->engine, 5000);
  g_object_unref (attaching->engine);
}

/* ---- hands and eyes ------------------------------------------------------ */

static gboolean
is_open (WindowFixture *fixture, const void *data)
{
  return debugger_find_window (TITLE) != NULL;
}

static gboolean
is_closed (WindowFixture *fixture, const void *data)
{
  return debugger_find_window (TITLE) == NULL;
}

/* In the dialog. */
static gboolean
says (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (debugger_find_window (TITLE), data) != NULL;
}

static GtkWidget *
find_entry (void)
{
  return debugger_find_entry (debugger_find_window (TITLE), PLACEHOLDER);
}

static gboolean
has_address (WindowFixture *fixture, const void *data)
{
  return g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (find_entry ())), data) == 0;
}

static SondeDebugSession *
session_of (WindowFixture *fixture)
{
  return sonde_debugger_page_get_session (SONDE_DEBUGGER_PAGE (debugger_page (fixture)));
}

static gboolean
is_loaded (WindowFixture *fixture, const void *data)
{
  return sonde_debug_session_is_loaded (session_of (fixture));
}

static void
open_dialog (Attaching *attaching)
{
  g_assert_true (
      gtk_widget_activate_action (GTK_WIDGET (attaching->fixture.window), "win.attach", NULL));
  window_fixture_wait (&attaching->fixture, is_open, NULL);
}

/* An address is entered, and the dialog says so in place. */
static void
fail_with (Attaching *attaching, const char *address, const char *words)
{
  debugger_enter (find_entry (), address);
  window_fixture_wait (&attaching->fixture, says, words);
  g_assert_true (is_open (&attaching->fixture, NULL));
}

/* ---- what a user does ---------------------------------------------------- */

/* The first session is chosen already, and said with its process and the time; Return attaches. */
static void
test_listed (Attaching *attaching, gconstpointer data)
{
  g_autofree char *address = g_strdup_printf ("%d", attaching->pid);
  g_autofree char *detail = g_strdup_printf ("Process %d · since ", attaching->pid);

  g_assert_true (
      debugger_says (&attaching->fixture, "No Debug Session")); /* else it would be another test */
  debugger_click (
      window_fixture_find_label (debugger_page (&attaching->fixture), "Attach to a Process…"));
  window_fixture_wait (&attaching->fixture, is_open, NULL);
  window_fixture_wait (&attaching->fixture, says, detail);
  g_assert_true (says (&attaching->fixture, "small"));
  g_assert_true (has_address (&attaching->fixture, address));
  g_signal_emit_by_name (find_entry (), "activate");
  window_fixture_wait (&attaching->fixture, is_loaded, NULL);
  window_fixture_wait (&attaching->fixture, is_closed, NULL);
  g_assert_cmpint (sonde_session_client_get_pid (
                       sonde_debug_session_get_client (session_of (&attaching->fixture))),
                   ==, attaching->pid);
}

/* From another page; a session that is open already is said to end. */
static void
test_again (Attaching *attaching, gconstpointer data)
{
  g_autofree char *address = g_strdup_printf ("%d", attaching->pid);

  g_assert_true (sonde_window_show_page (attaching->fixture.window, "graph", NULL));
  open_dialog (attaching);
  g_assert_false (says (&attaching->fixture, "The session that is open"));
  debugger_enter (find_entry (), address);
  window_fixture_wait (&attaching->fixture, is_loaded, NULL);
  window_fixture_wait (&attaching->fixture, is_closed, NULL);
  open_dialog (attaching);
  g_assert_true (says (&attaching->fixture, "The session that is open"));
  gtk_window_close (GTK_WINDOW (debugger_find_window (TITLE)));
  window_fixture_wait (&attaching->fixture, is_closed, NULL);
  g_assert_true (is_loaded (&attaching->fixture, NULL));
}

/* The token beside the socket is another. */
static void
spoil_token (Attaching *attaching)
{
  g_autofree char *path
      = g_strdup_printf ("%s/sonde/%d.token", g_getenv ("XDG_RUNTIME_DIR"), attaching->pid);
  FILE *file = g_fopen (path, "r+");

  g_assert_nonnull (file);
  g_assert_cmpint (fputc ('z', file), ==, 'z');
  g_assert_cmpint (fclose (file), ==, 0);
}

static void
test_failures (Attaching *attaching, gconstpointer data)
{
  g_autofree char *address = g_strdup_printf ("%d", attaching->pid);
  g_autofree char *none = g_strdup_printf ("Process %d has no session.", getpid ());
  g_autofree char *own = g_strdup_printf ("%d", getpid ());

  open_dialog (attaching);
  fail_with (attaching, "ssh:-oProxyCommand=x", "That is no address:");
  fail_with (attaching, "2147483646", "There is no process 2147483646;");
  fail_with (attaching, own, none);
  spoil_token (attaching);
  fail_with (attaching, address, "No session: ");
  g_assert_false (is_loaded (&attaching->fixture, NULL));
}

int
main (int argc, char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("sonde-runtime-XXXXXX", NULL);
  int status;

  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE); /* sessions of others stay out of it */
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add ("/app/pages/debugger-attach/listed", Attaching, NULL, set_up, test_listed, tear_down);
  g_test_add ("/app/pages/debugger-attach/again", Attaching, NULL, set_up, test_again, tear_down);
  g_test_add ("/app/pages/debugger-attach/failures", Attaching, NULL, set_up, test_failures,
              tear_down);
  status = g_test_run ();
  g_rmdir (runtime);
  return status;
}
