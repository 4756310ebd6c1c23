/* SPDX-License-Identifier: Apache-2.0
 * The window in a browser: who is let in, and that the display server is ours alone and ends with us. A
 * server of the test's own stands for GTK's, which need not be installed. */
#include <gio/gio.h>
#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>
#include <string.h>

#include "app/broadway/sonde-broadway-gate.h"
#include "app/broadway/sonde-broadway.h"
#include "tests/support/sonde-test-program.h"

static void
test_port (void)
{
  guint16 port = 1;

  g_assert_true (sonde_broadway_parse_port (NULL, &port));
  g_assert_cmpuint (port, ==, 0);
  g_assert_true (sonde_broadway_parse_port ("8080", &port));
  g_assert_cmpuint (port, ==, 8080);
  g_assert_false (sonde_broadway_parse_port ("80", &port));
  g_assert_false (sonde_broadway_parse_port ("65536", &port));
  g_assert_false (sonde_broadway_parse_port ("8080x", &port));
}

/* ---- the gate ------------------------------------------------------------ */

/* What stands behind the gate: answers "behind:" and what it got first, then what it gets. */
static gboolean
on_behind (GThreadedSocketService *service, GSocketConnection *connection, GObject *source,
           gpointer data)
{
  GSocket *socket = g_socket_connection_get_socket (connection);
  char bytes[4096];
  gssize n;

  g_socket_send (socket, "behind:", 7, NULL, NULL);
  while ((n = g_socket_receive (socket, bytes, sizeof bytes, NULL, NULL)) > 0)
    g_socket_send (socket, bytes, (gsize) n, NULL, NULL);
  return TRUE;
}

typedef struct
{
  char *folder;
  GSocketService *behind;
  SondeBroadwayGate *gate;
} Fixture;

static void
fixture_init (Fixture *fixture)
{
  g_autofree char *path = NULL;
  g_autoptr (GSocketAddress) address = NULL;
  g_autoptr (GError) error = NULL;

  fixture->folder = sonde_test_folder_new ();
  path = g_build_filename (fixture->folder, "socket", NULL);
  address = g_unix_socket_address_new (path);
  fixture->behind = g_threaded_socket_service_new (4);
  g_signal_connect (fixture->behind, "run", G_CALLBACK (on_behind), NULL);
  g_assert_true (g_socket_listener_add_address (G_SOCKET_LISTENER (fixture->behind), address,
                                                G_SOCKET_TYPE_STREAM, 0, NULL, NULL, &error));
  fixture->gate = sonde_broadway_gate_new (0, path, &error);
  g_assert_no_error (error);
}

static void
fixture_clear (Fixture *fixture)
{
  sonde_broadway_gate_free (fixture->gate);
  g_socket_service_stop (fixture->behind);
  g_object_unref (fixture->behind);
  sonde_test_folder_free (fixture->folder);
}

/* A browser: sends a request, and once there is an answer, @then; reads until @enough or the end. */
typedef struct
{
  guint16 port;
  const char *request, *then, *enough;
  GString *answer;
  gboolean over;
} Browser;

static gpointer
browse (gpointer data)
{
  Browser *browser = data;
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GSocketConnection) connection
      = g_socket_client_connect_to_host (client, "127.0.0.1", browser->port, NULL, NULL);
  GSocket *socket = g_socket_connection_get_socket (connection);
  char bytes[4096];
  gssize n;

  g_socket_send (socket, browser->request, strlen (browser->request), NULL, NULL);
  while ((browser->enough == NULL || strstr (browser->answer->str, browser->enough) == NULL)
         && (n = g_socket_receive (socket, bytes, sizeof bytes, NULL, NULL)) > 0)
    {
      if (browser->then != NULL && browser->answer->len == 0)
        g_socket_send (socket, browser->then, strlen (browser->then), NULL, NULL);
      g_string_append_len (browser->answer, bytes, n);
    }
  g_atomic_int_set (&browser->over, TRUE);
  g_main_context_wakeup (NULL);
  return NULL;
}

/* (transfer full) */
static char *
ask (Fixture *fixture, const char *request, const char *then, const char *enough)
{
  Browser browser = {
    sonde_broadway_gate_get_port (fixture->gate), request, then, enough, g_string_new (NULL), FALSE
  };
  GThread *thread = g_thread_new ("browser", browse, &browser);

  while (!g_atomic_int_get (&browser.over))
    g_main_context_iteration (NULL, TRUE);
  g_thread_join (thread);
  return g_string_free (browser.answer, FALSE);
}

static void
test_gate (void)
{
  Fixture fixture = { 0 };
  g_autofree char *refused = NULL, *wrong = NULL, *cookie = NULL, *admitted = NULL, *other = NULL;
  g_autofree char *first = NULL, *guess = NULL, *next = NULL, *foreign = NULL;
  const char *token;
  guint port;

  fixture_init (&fixture);
  token = sonde_broadway_gate_get_token (fixture.gate);
  port = sonde_broadway_gate_get_port (fixture.gate);
  g_assert_cmpuint (strlen (token), ==, 32);
  refused = ask (&fixture, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", NULL, NULL);
  g_assert_true (g_str_has_prefix (refused, "HTTP/1.1 403"));
  guess = g_strdup_printf ("GET /?token=%.31s%c HTTP/1.1\r\n\r\n", token,
                           token[31] == '0' ? '1' : '0');
  wrong = ask (&fixture, guess, NULL, NULL);
  g_assert_true (g_str_has_prefix (wrong, "HTTP/1.1 403"));
  first = g_strdup_printf ("GET /?token=%s HTTP/1.1\r\n\r\n", token);
  cookie = ask (&fixture, first, NULL, NULL);
  g_assert_true (g_str_has_prefix (cookie, "HTTP/1.1 303"));
  g_assert_nonnull (strstr (cookie, "HttpOnly; SameSite=Strict"));

  next = g_strdup_printf ("GET /socket HTTP/1.1\r\ncookie: a=b; sonde-%u=%s\r\n\r\n", port, token);
  admitted = ask (&fixture, next, "frames of a socket", "frames of a socket");
  g_assert_true (g_str_has_prefix (admitted, "behind:GET /socket"));
  /* Of another window. */
  foreign = g_strdup_printf ("GET / HTTP/1.1\r\nCookie: sonde-%u=%s\r\n\r\n", port ^ 1, token);
  other = ask (&fixture, foreign, NULL, NULL);
  g_assert_true (g_str_has_prefix (other, "HTTP/1.1 403"));
  fixture_clear (&fixture);
}

/* One that only sends and never ends its head is let go; a port that is taken is an error. */
static void
test_limits (void)
{
  Fixture fixture = { 0 };
  g_autofree char *long_head = g_strnfill (20000, 'x'), *answer = NULL;
  g_autoptr (GError) error = NULL;

  fixture_init (&fixture);
  answer = ask (&fixture, long_head, NULL, NULL);
  g_assert_cmpstr (answer, ==, "");
  g_assert_null (
      sonde_broadway_gate_new (sonde_broadway_gate_get_port (fixture.gate), "/nowhere", &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE);
  fixture_clear (&fixture);
}

/* ---- the program --------------------------------------------------------- */

static void
test_missing (void)
{
  g_autofree char *folder = sonde_test_folder_new (), *path = g_strdup (g_getenv ("PATH"));
  g_autoptr (SondeTestProgram) program = NULL, wrong = NULL;

  g_setenv ("PATH", folder, TRUE);
  program = sonde_test_run (folder, NULL, "--broadway");
  wrong = sonde_test_run (folder, NULL, "--broadway=80");
  g_setenv ("PATH", path, TRUE);
  sonde_test_assert_status (program, 1);
  sonde_test_assert_contains (program->err, "gtk4-broadwayd");
  sonde_test_assert_contains (program->err, "libgtk-4-bin");
  sonde_test_assert_status (wrong, 2);
  sonde_test_assert_contains (wrong->err, "1024 to 65535");
  sonde_test_folder_free (g_steal_pointer (&folder));
}

/* Makes both sockets, says who it is and what it was told, and closes what connects. */
static const char server[]
    = "#!/usr/bin/env python3\n"
      "import os, selectors, socket, sys\n"
      "open('server', 'w').write(' '.join([str(os.getpid())] + sys.argv[1:]))\n"
      "runtime = os.environ.get('XDG_RUNTIME_DIR') or os.path.expanduser('~/.cache')\n"
      "names = [sys.argv[2], '%s/broadway%d.socket' % (runtime, int(sys.argv[3][1:]) + 1)]\n"
      "look = selectors.DefaultSelector()\n"
      "for name in names:\n"
      "    one = socket.socket(socket.AF_UNIX)\n"
      "    one.bind(name)\n"
      "    one.listen()\n"
      "    look.register(one, selectors.EVENT_READ)\n"
      "while True:\n"
      "    for key, _ in look.select():\n"
      "        key.fileobj.accept()[0].close()\n";

/* The kernel ends the server some time after its parent; where nobody reaps it, it stays as a number
 * without a command. */
static gboolean
is_over (const char *number)
{
  g_autofree char *path = g_strdup_printf ("/proc/%s/cmdline", number), *text = NULL;
  gsize length;

  return !g_file_get_contents (path, &text, &length, NULL) || length == 0;
}

static void
wait_for_end (const char *number)
{
  gint64 deadline = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;

  while (!is_over (number) && g_get_monotonic_time () < deadline)
    g_thread_yield ();
  g_assert_true (is_over (number));
}

/* The server listens on a socket that only we can reach, and is gone when the program is, although this
 * one never shows a window. */
static void
test_child (void)
{
  g_autofree char *folder = sonde_test_folder_new (), *path = g_strdup (g_getenv ("PATH"));
  g_autofree char *script = g_build_filename (folder, "gtk4-broadwayd", NULL);
  g_autofree char *with_script = g_strconcat (folder, ":", path, NULL);
  g_autofree char *told = g_build_filename (folder, "server", NULL), *text = NULL;
  g_autoptr (SondeTestProgram) program = NULL;
  g_auto (GStrv) words = NULL;

  g_assert_true (g_file_set_contents_full (script, server, -1, 0, 0700, NULL));
  g_setenv ("PATH", with_script, TRUE);
  program = sonde_test_run (folder, NULL, "--broadway");
  g_setenv ("PATH", path, TRUE);
  g_assert_cmpint (program->status, !=, 0);
  sonde_test_assert_contains (program->out, "http://127.0.0.1:");
  sonde_test_assert_contains (program->out, "?token=");
  sonde_test_assert_contains (program->out, "ssh -L");
  text = sonde_test_read_text (told);
  words = g_strsplit (text, " ", -1);
  g_assert_cmpstr (words[1], ==, "--unixsocket");
  wait_for_end (words[0]);
  sonde_test_folder_free (g_steal_pointer (&folder));
}

/* A server that ends instead of listening is said to have done so; nobody waits for it any longer. */
static void
test_ends (void)
{
  g_autofree char *folder = sonde_test_folder_new (), *path = g_strdup (g_getenv ("PATH"));
  g_autofree char *script = g_build_filename (folder, "gtk4-broadwayd", NULL);
  g_autofree char *with_script = g_strconcat (folder, ":", path, NULL);
  g_autoptr (SondeTestProgram) program = NULL;

  g_assert_true (g_file_set_contents_full (script, "#!/bin/sh\nexit 3\n", -1, 0, 0700, NULL));
  g_setenv ("PATH", with_script, TRUE);
  program = sonde_test_run (folder, NULL, "--broadway");
  g_setenv ("PATH", path, TRUE);
  sonde_test_assert_status (program, 1);
  sonde_test_assert_contains (program->err, "gtk4-broadwayd");
  sonde_test_assert_contains (program->err, "ended");
  sonde_test_folder_free (g_steal_pointer (&folder));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/broadway/port", test_port);
  g_test_add_func ("/app/broadway/gate", test_gate);
  g_test_add_func ("/app/broadway/limits", test_limits);
  g_test_add_func ("/app/broadway/missing", test_missing);
  g_test_add_func ("/app/broadway/child", test_child);
  g_test_add_func ("/app/broadway/ends", test_ends);
  return g_test_run ();
}
