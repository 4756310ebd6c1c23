/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page on a session of another machine, with a script in place of ssh. */
#include <glib/gstdio.h>

#include "app/pages/sonde-debugger-page.h"
#include "tests/app/pages/debugger-fixture.h"

#define SCRIPT                                                                                     \
  "#!/bin/sh\n"                                                                                    \
  "while [ \"$1\" != -- ]; do shift; done\n"                                                       \
  "[ \"$2\" = box ] && exec sh -c \"$3\"\n"                                                        \
  "echo \"Could not resolve hostname $2\" >&2\n"                                                   \
  "exit 255\n"

/* Programs that PATH finds first: that ssh, and the built `sonde`. (transfer full) */
static char *
make_programs (void)
{
  char *folder = g_dir_make_tmp ("sonde-programs-XXXXXX", NULL);
  g_autofree char *ssh = g_build_filename (folder, "ssh", NULL);
  g_autofree char *sonde = g_build_filename (folder, "sonde", NULL);
  g_autofree char *built = g_build_filename (g_getenv ("SONDE_BUILD"), "app", "sonde", NULL);
  g_autofree char *path = g_strconcat (folder, ":", g_getenv ("PATH"), NULL);

  g_assert_true (g_file_set_contents_full (ssh, SCRIPT, -1, G_FILE_SET_CONTENTS_NONE, 0755, NULL));
  g_assert_cmpint (symlink (built, sonde), ==, 0);
  g_setenv ("PATH", path, TRUE);
  return folder;
}

static void
remove_programs (char *folder)
{
  g_autofree char *ssh = g_build_filename (folder, "ssh", NULL);
  g_autofree char *sonde = g_build_filename (folder, "sonde", NULL);

  g_unlink (ssh);
  g_unlink (sonde);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (folder);
}

/* An engine that listens, with the small model. (transfer full) */
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
attach (WindowFixture *fixture, const char *target)
{
  window_fixture_open_paths (fixture, (const char *const[]){ NULL }, "graph", NULL);
  sonde_workspace_set_debug_arguments (fixture->workspace,
                                       (const char *const[]){ "debug", "--attach", target, NULL });
  g_assert_true (sonde_window_show_page (fixture->window, "debugger", NULL));
  window_fixture_settle (fixture);
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
test_shown (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autoptr (SondeSessionClient) engine = start_engine (fixture.folder);
  int pid = sonde_session_client_get_pid (engine);
  g_autofree char *target = g_strdup_printf ("ssh:box:%d", pid);

  attach (&fixture, target);
  window_fixture_wait (&fixture, is_loaded, NULL);
  g_assert_cmpint (
      sonde_session_client_get_pid (sonde_debug_session_get_client (session_of (&fixture))), ==,
      pid);
  g_assert_cmpstr (
      sonde_debug_steps_get_name (sonde_debug_session_get_steps (session_of (&fixture)), 0), ==,
      "conv1");
  window_fixture_clear (&fixture);
  sonde_session_client_quit_child (engine, 5000);
}

static void
test_not_reached (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };

  attach (&fixture, "ssh:nowhere:1");
  window_fixture_wait (&fixture, debugger_says, "Debugging Not Available");
  g_assert_true (
      debugger_says (&fixture, "ssh does not reach “nowhere”: Could not resolve hostname"));
  window_fixture_clear (&fixture);
}

/* ---- by the dialog ------------------------------------------------------- */

#define TITLE "Attach to a Process"

static gboolean
dialog_says (WindowFixture *fixture, const void *data)
{
  GtkWidget *dialog = debugger_find_window (TITLE);

  return dialog != NULL && window_fixture_find_label (dialog, data) != NULL;
}

static GtkWidget *
find_address (void)
{
  return debugger_find_entry (debugger_find_window (TITLE), "PID, ssh:HOST or ssh:HOST:PID");
}

/* A machine alone has its sessions listed; one of them is chosen by its row. */
static void
test_listed (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autoptr (SondeSessionClient) engine = start_engine (fixture.folder);
  int pid = sonde_session_client_get_pid (engine);
  g_autofree char *target = g_strdup_printf ("ssh:box:%d", pid),
                  *detail = g_strdup_printf ("Process %d · since ", pid);

  window_fixture_open_paths (&fixture, (const char *const[]){ NULL }, "debugger", NULL);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.attach", NULL));
  window_fixture_wait (&fixture, dialog_says, "On This Computer");
  debugger_enter (find_address (), "ssh:nowhere");
  window_fixture_wait (&fixture, dialog_says, "ssh does not reach “nowhere”");
  debugger_enter (find_address (), "ssh:box");
  g_assert_true (dialog_says (&fixture, "On “box”"));
  window_fixture_wait (&fixture, dialog_says, detail);
  gtk_list_box_select_row (
      GTK_LIST_BOX (window_fixture_find (debugger_find_window (TITLE), GTK_TYPE_LIST_BOX)),
      GTK_LIST_BOX_ROW (window_fixture_find (debugger_find_window (TITLE), GTK_TYPE_LIST_BOX_ROW)));
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (find_address ())), ==, target);
  g_signal_emit_by_name (find_address (), "activate");
  window_fixture_wait (&fixture, is_loaded, NULL);
  window_fixture_clear (&fixture);
  sonde_session_client_quit_child (engine, 5000);
}

int
main (int argc, char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("sonde-runtime-XXXXXX", NULL);
  char *programs;
  int status;

  g_setenv ("XDG_RUNTIME_DIR", runtime,
            TRUE); /* as sessions of this machine there are ours alone */
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  programs = make_programs ();
  g_test_add_func ("/app/pages/debugger-remote/shown", test_shown);
  g_test_add_func ("/app/pages/debugger-remote/not-reached", test_not_reached);
  g_test_add_func ("/app/pages/debugger-remote/listed", test_listed);
  status = g_test_run ();
  remove_programs (programs);
  g_rmdir (runtime);
  return status;
}
