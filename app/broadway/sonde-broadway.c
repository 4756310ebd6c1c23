/* SPDX-License-Identifier: Apache-2.0 */
#include "app/broadway/sonde-broadway.h"

#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/prctl.h>

#include "app/broadway/sonde-broadway-gate.h"
#include "data/base/sonde-text.h"

#define SERVER "gtk4-broadwayd"
#define PACKAGE "libgtk-4-bin"
#define START_SECONDS 10
#define FIRST_DISPLAY 20 /* others start at 0 */
#define N_DISPLAYS 200

struct _SondeBroadway
{
  GSubprocess *server;
  SondeBroadwayGate *gate;
  char *folder; /* ours alone, with the socket for browsers */
  char *socket;
  char *display_socket; /* where GTK connects */
  int display;
};

gboolean
sonde_broadway_parse_port (const char *text, guint16 *port)
{
  guint64 value = 0;

  if (text != NULL && *text != '\0'
      && !g_ascii_string_to_unsigned (text, 10, 1024, G_MAXUINT16, &value, NULL))
    return FALSE;
  *port = (guint16) value;
  return TRUE;
}

/* ---- starting ------------------------------------------------------------ */

/* Is it the socket of a server, or was it left behind by one that was killed? */
static gboolean
is_in_use (const char *path)
{
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (path);
  g_autoptr (GSocketConnection) connection
      = g_socket_client_connect (client, G_SOCKET_CONNECTABLE (address), NULL, NULL);

  return connection != NULL;
}

/* GTK and its server agree on the name by the number of the display. */
static gboolean
choose_display (SondeBroadway *broadway, GError **error)
{
  for (int i = FIRST_DISPLAY; i < FIRST_DISPLAY + N_DISPLAYS; i++)
    {
      g_autofree char *name = g_strdup_printf ("broadway%d.socket", i + 1);
      g_autofree char *path = g_build_filename (g_get_user_runtime_dir (), name, NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS) && (is_in_use (path) || g_unlink (path) != 0))
        continue;
      broadway->display = i;
      broadway->display_socket = g_steal_pointer (&path);
      return TRUE;
    }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
               _ ("All displays for browsers are in use in “%s”"), g_get_user_runtime_dir ());
  return FALSE;
}

static void
end_with_parent (gpointer unused)
{
  prctl (PR_SET_PDEATHSIG, SIGTERM);
}

static gboolean
spawn (SondeBroadway *broadway, GError **error)
{
  g_autofree char *display = g_strdup_printf (":%d", broadway->display);
  g_autofree char *program = g_find_program_in_path (SERVER);
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE);

  if (program == NULL)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                   _ ("“%s” is not installed; on Debian it is in the package “%s”"), SERVER,
                   PACKAGE);
      return FALSE;
    }
  g_subprocess_launcher_set_child_setup (launcher, end_with_parent, NULL, NULL);
  broadway->server = g_subprocess_launcher_spawn (launcher, error, program, "--unixsocket",
                                                  broadway->socket, display, NULL);
  return broadway->server != NULL;
}

static gboolean
is_there (SondeBroadway *broadway)
{
  return g_file_test (broadway->socket, G_FILE_TEST_EXISTS)
         && g_file_test (broadway->display_socket, G_FILE_TEST_EXISTS);
}

static void
on_ended (GObject *server, GAsyncResult *result, gpointer ended)
{
  g_subprocess_wait_finish (G_SUBPROCESS (server), result, NULL);
  *(gboolean *) ended = TRUE;
}

static gboolean
on_late (gpointer late)
{
  *(gboolean *) late = TRUE;
  return G_SOURCE_REMOVE;
}

/* Something was made or removed where @path is to be: the present context wakes up. */
static GFileMonitor *
monitor_folder_of (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GFile) file = g_file_new_for_path (folder);

  return g_file_monitor_directory (file, G_FILE_MONITOR_NONE, NULL, error);
}

/* In @context, until both sockets are there, the server has ended, or it is late. FALSE with @error set: files
 * cannot be watched. */
static gboolean
wait_in (GMainContext *context, SondeBroadway *broadway, GError **error)
{
  g_autoptr (GFileMonitor) browsers = monitor_folder_of (broadway->socket, error);
  g_autoptr (GFileMonitor) display
      = browsers != NULL ? monitor_folder_of (broadway->display_socket, error) : NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GSource) timeout = g_timeout_source_new_seconds (START_SECONDS);
  gboolean ended = FALSE, late = FALSE;

  if (display == NULL)
    return FALSE;
  g_source_set_callback (timeout, on_late, &late, NULL);
  g_source_attach (timeout, context);
  g_subprocess_wait_async (broadway->server, cancellable, on_ended, &ended);
  while (!is_there (broadway) && !ended && !late)
    g_main_context_iteration (context, TRUE);
  g_source_destroy (timeout);
  /* Nobody is told of anything that is no longer here. */
  g_cancellable_cancel (cancellable);
  while (!ended)
    g_main_context_iteration (context, TRUE);
  return TRUE;
}

/* Both sockets are there. The program has no main loop yet. */
static gboolean
wait_for_server (SondeBroadway *broadway, GError **error)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  gboolean waited;

  g_main_context_push_thread_default (context);
  waited = wait_in (context, broadway, error);
  g_main_context_pop_thread_default (context);
  if (!waited || is_there (broadway))
    return waited;
  if (g_subprocess_get_identifier (broadway->server) == NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, _ ("“%s” ended before it could be used"),
                 SERVER);
  else
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, _ ("“%s” did not start within %d seconds"),
                 SERVER, START_SECONDS);
  return FALSE;
}

SondeBroadway *
sonde_broadway_start (guint16 port, GError **error)
{
  g_autoptr (SondeBroadway) broadway = g_new0 (SondeBroadway, 1);
  g_autofree char *display = NULL;

  broadway->folder = g_dir_make_tmp ("sonde-broadway-XXXXXX", error);
  if (broadway->folder == NULL)
    return NULL;
  broadway->socket = g_build_filename (broadway->folder, "http.socket", NULL);
  if (!choose_display (broadway, error) || !spawn (broadway, error)
      || !wait_for_server (broadway, error))
    return NULL;
  broadway->gate = sonde_broadway_gate_new (port, broadway->socket, error);
  if (broadway->gate == NULL)
    return NULL;
  display = g_strdup_printf (":%d", broadway->display);
  g_setenv ("GDK_BACKEND", "broadway", TRUE);
  g_setenv ("BROADWAY_DISPLAY", display, TRUE);
  return g_steal_pointer (&broadway);
}

void
sonde_broadway_stop (SondeBroadway *broadway)
{
  if (broadway == NULL)
    return;
  sonde_broadway_gate_free (broadway->gate);
  if (broadway->server != NULL)
    {
      g_subprocess_send_signal (broadway->server, SIGTERM);
      g_subprocess_wait (broadway->server, NULL, NULL);
      g_unlink (broadway->display_socket);
      g_object_unref (broadway->server);
    }
  if (broadway->socket != NULL)
    g_unlink (broadway->socket);
  if (broadway->folder != NULL)
    g_rmdir (broadway->folder);
  g_free (broadway->display_socket);
  g_free (broadway->socket);
  g_free (broadway->folder);
  g_free (broadway);
}

char *
sonde_broadway_dup_advice (SondeBroadway *broadway)
{
  guint port = sonde_broadway_gate_get_port (broadway->gate);

  return g_strdup_printf (_ ("The window is at\n"
                             "  http://127.0.0.1:%u/?token=%s\n"
                             "From another machine, first: ssh -L %u:127.0.0.1:%u %s@%s\n"
                             "Who has the token can do what you can on this machine. The window "
                             "ends when it is closed, or with Ctrl+C.\n"),
                          port, sonde_broadway_gate_get_token (broadway->gate), port, port,
                          g_get_user_name (), g_get_host_name ());
}
