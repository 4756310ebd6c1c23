/* SPDX-License-Identifier: Apache-2.0
 * The socket that others attach to: who may, what is listed, what is left behind, long paths; and
 * the environment of an engine. */
#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "engine/session/sonde-session-directory.h"
#include "tests/engine/session/session-fixture.h"

static void
start_listening (SessionFixture *fixture)
{
  g_autoptr (GError) error = NULL;

  session_fixture_init (fixture);
  fixture->options.client_lost = SONDE_CLIENT_LOST_CONTINUE;
  fixture->options.listen = TRUE;
  session_fixture_start (fixture);
  fixture->activity = session_fixture_open (fixture, "training", &error);
  g_assert_no_error (error);
  fixture->run_now = TRUE;
  g_object_unref (session_fixture_connect (fixture)); /* starts the thread */
}

static mode_t
mode_of (const char *path)
{
  struct stat info;

  g_assert_cmpint (stat (path, &info), ==, 0);
  return info.st_mode & 07777;
}

static void
test_attach (void)
{
  g_autoptr (SondeSessionClient) client = NULL, watcher = NULL;
  g_autoptr (GError) error = NULL, none = NULL;
  g_autoptr (GPtrArray) list = NULL;
  g_autoptr (SondeSessionReply) reply = NULL, status = NULL;
  g_autofree char *token = NULL, *line = NULL;
  const SondeSessionEntry *entry;
  SondeSessionEntry *again;
  SessionFixture fixture;

  start_listening (&fixture);
  token = g_strdup_printf ("%s/%d.token", fixture.directory, getpid ());
  g_assert_cmpuint (mode_of (fixture.directory), ==, 0700);
  g_assert_cmpuint (mode_of (token), ==, 0600);
  g_assert_cmpuint (mode_of (sonde_session_server_get_socket_path (fixture.server)), ==, 0600);
  client = sonde_session_client_attach (getpid (), fixture.directory, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_session_client_is_attached (client));
  reply = call (client, sonde_session_request_tensor ("v3")); /* it runs; so its title is there */
  list = sonde_session_list (NULL, fixture.directory, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (list->len, ==, 1);
  entry = g_ptr_array_index (list, 0);
  g_assert_cmpint (entry->pid, ==, getpid ());
  g_assert_cmpstr (entry->title, ==, "small on nothing");
  g_assert_true (g_path_is_absolute (entry->run));
  g_assert_true (g_str_has_suffix (entry->run, "/runs/small"));
  g_assert_cmpint (ABS (entry->since - g_get_real_time () / G_USEC_PER_SEC), <, 600);
  g_assert_nonnull (strstr (entry->command, "listening"));
  line = sonde_session_entry_to_line (entry);
  again = sonde_session_entry_from_line (line);
  g_assert_cmpint (again->since, ==, entry->since);
  g_assert_cmpstr (again->title, ==, entry->title);
  g_assert_cmpstr (again->command, ==, entry->command);
  sonde_session_entry_free (again);
  watcher = sonde_session_client_attach (getpid (), fixture.directory, &error);
  g_assert_no_error (error);
  status = call (watcher, sonde_session_request_status ());
  g_assert_false (status->status->in_control);
  g_assert_null (sonde_session_client_attach (1, fixture.directory, &none));
  g_assert_error (none, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (none->message, "small on nothing"));
  session_fixture_clear (&fixture); /* socket and token are gone: the folder is empty */
}

/* Of another user, until it is killed. */
static pid_t
start_foreign (void)
{
  int ready[2];
  char byte;
  pid_t pid;

  g_assert_cmpint (pipe (ready), ==, 0);
  pid = fork ();
  if (pid == 0)
    {
      if (setuid (65534) == 0 && write (ready[1], "x", 1) == 1)
        pause ();
      _exit (1);
    }
  g_assert_cmpint (read (ready[0], &byte, 1), ==, 1);
  close (ready[0]);
  close (ready[1]);
  return pid;
}

/* Who asks for a process that is none, or another user's, is told that, not what else there is. */
static void
test_processes (void)
{
  g_autoptr (GError) gone = NULL, foreign = NULL;
  SessionFixture fixture;
  pid_t pid;

  start_listening (&fixture);
  g_assert_null (sonde_session_client_attach (G_MAXINT - 1, fixture.directory, &gone));
  g_assert_error (gone, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_true (g_str_has_prefix (gone->message, "There is no process 2147483646;"));
  if (geteuid () == 0)
    {
      pid = start_foreign ();
      g_assert_null (sonde_session_client_attach (pid, fixture.directory, &foreign));
      kill (pid, SIGKILL);
      waitpid (pid, NULL, 0);
      g_assert_error (foreign, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
      g_assert_nonnull (strstr (foreign->message, "belongs to another user (65534)"));
    }
  session_fixture_clear (&fixture);
}

/* ---- tokens -------------------------------------------------------------- */

static void
write_token (const SessionFixture *fixture, const char *text)
{
  g_autofree char *stem = g_build_filename (fixture->directory, "1.token", NULL);

  g_assert_true (g_file_set_contents (stem, text, -1, NULL));
}

static void
test_token (void)
{
  static const char *const wrong[] = { "", "\n", "0", "zzzz" };
  g_autofree char *path = NULL, *copy = NULL, *contents = NULL, *token = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  start_listening (&fixture);
  /* the same socket, another token beside it */
  path = g_build_filename (fixture.directory, "1.sock", NULL);
  copy = g_build_filename (fixture.directory, "1.token", NULL);
  token = g_strdup_printf ("%s/%d.token", fixture.directory, getpid ());
  g_assert_cmpint (link (sonde_session_server_get_socket_path (fixture.server), path), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) refused = NULL;

      write_token (&fixture, wrong[i]);
      g_assert_null (sonde_session_client_attach_path (path, &refused));
      g_assert_error (refused, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL);
      g_assert_nonnull (strstr (refused->message, "token"));
    }
  g_assert_true (g_file_get_contents (token, &contents, NULL, NULL));
  contents[63] = contents[63] == '0' ? '1' : '0'; /* the right beginning is not enough */
  write_token (&fixture, contents);
  g_assert_null (sonde_session_client_attach_path (path, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL);
  g_unlink (path);
  g_unlink (copy);
  session_fixture_clear (&fixture);
}

/* Another user, even where the modes would let them in. */
static void
test_other_user (void)
{
  SessionFixture fixture;
  const char *path;
  int status;
  pid_t pid;

  if (geteuid () != 0)
    {
      g_test_skip ("only root can become another user");
      return;
    }
  start_listening (&fixture);
  path = sonde_session_server_get_socket_path (fixture.server);
  g_assert_cmpint (chmod (fixture.directory, 0755), ==, 0);
  g_assert_cmpint (chmod (path, 0666), ==, 0);
  pid = fork ();
  if (pid == 0)
    {
      struct sockaddr_un address = { .sun_family = AF_UNIX };
      int fd = socket (AF_UNIX, SOCK_STREAM, 0);
      char byte;

      strncpy (address.sun_path, path, sizeof address.sun_path - 1);
      if (setgid (65534) != 0 || setuid (65534) != 0)
        _exit (2);
      if (connect (fd, (struct sockaddr *) &address, sizeof address) != 0)
        _exit (3);
      _exit (read (fd, &byte, 1) <= 0 ? 0 : 1); /* closed without a byte */
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
  session_fixture_clear (&fixture);
}

/* ---- folders ------------------------------------------------------------- */

static void
test_open_folder (void)
{
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_init (&fixture);
  fixture.options.listen = TRUE;
  g_assert_cmpint (chmod (fixture.directory, 0750), ==, 0);
  g_assert_null (sonde_session_server_new (&fixture.options, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN);
  g_assert_nonnull (strstr (error->message, "0750"));
  g_clear_error (&error);
  g_assert_null (sonde_session_list (NULL, fixture.directory, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN);
  session_fixture_clear (&fixture);
}

static void
test_long_path (void)
{
  g_autofree char *name = g_strnfill (120, 'd');
  g_autofree char *directory = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionClient) client = NULL;
  g_autoptr (GPtrArray) list = NULL;
  SessionFixture fixture;

  session_fixture_init (&fixture);
  directory = g_build_filename (fixture.directory, name, NULL);
  fixture.options.directory = directory;
  fixture.options.listen = TRUE;
  session_fixture_start (&fixture);
  fixture.activity = session_fixture_open (&fixture, "inference", NULL);
  g_object_unref (session_fixture_connect (&fixture));
  g_assert_cmpuint (strlen (sonde_session_server_get_socket_path (fixture.server)), >, 107);
  list = sonde_session_list (NULL, directory, &error);
  g_assert_cmpuint (list->len, ==, 1);
  client = sonde_session_client_attach (getpid (), directory, &error);
  g_assert_no_error (error);
  sonde_session_server_quit (fixture.server);
  session_fixture_join (&fixture);
  g_clear_pointer (&fixture.server, sonde_session_server_free);
  g_assert_cmpint (g_rmdir (directory), ==, 0);
  session_fixture_clear (&fixture);
}

static void
test_stale (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) list = NULL, none = NULL;
  g_autofree char *socket_path = NULL, *token = NULL, *missing = NULL;
  SessionFixture fixture;

  session_fixture_init (&fixture);
  socket_path = g_build_filename (fixture.directory, "4242.sock", NULL);
  token = g_build_filename (fixture.directory, "4242.token", NULL);
  missing = g_build_filename (fixture.directory, "missing", NULL);
  g_assert_true (g_file_set_contents (socket_path, "", 0, NULL));
  g_assert_true (g_file_set_contents (token, "abc\nlong ago\n", -1, NULL));
  list = sonde_session_list (NULL, fixture.directory, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (list->len, ==, 0);
  g_assert_false (g_file_test (socket_path, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (token, G_FILE_TEST_EXISTS));
  none = sonde_session_list (NULL, missing, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (none->len, ==, 0);
  session_fixture_clear (&fixture);
}

static void
test_directory (void)
{
  g_autofree char *runtime = g_dir_make_tmp ("sonde-runtime-XXXXXX", NULL);
  g_autofree char *expected = g_build_filename (runtime, "sonde", NULL);
  g_autofree char *with = NULL, *without = NULL;

  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  with = sonde_session_dup_directory ();
  g_assert_cmpstr (with, ==, expected);
  g_unsetenv ("XDG_RUNTIME_DIR");
  without = sonde_session_dup_directory ();
  g_assert_true (g_str_has_prefix (without, g_get_user_cache_dir ()));
  g_rmdir (runtime);
}

/* In a process of its own: GLib asks for the cache's folder once. */
static void
test_directory_without_cache (void)
{
  if (g_test_subprocess ())
    {
      g_autofree char *file = g_build_filename (g_get_tmp_dir (), "sonde-no-folder-XXXXXX", NULL);
      g_autofree char *directory = NULL;
      int fd = g_mkstemp (file);

      g_assert_cmpint (fd, >=, 0);
      close (fd);
      g_unsetenv ("XDG_RUNTIME_DIR");
      g_setenv ("XDG_CACHE_HOME", file, TRUE);
      directory = sonde_session_dup_directory ();
      g_unlink (file);
      g_assert_true (g_str_has_prefix (directory, g_get_tmp_dir ()));
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

/* ---- environment --------------------------------------------------------- */

static void
test_environment (void)
{
  char *nothing[] = { NULL };
  char *set[] = { "OMP_NUM_THREADS=7", "OMP_WAIT_POLICY=passive", "OMP_PROC_BIND=false", NULL };
  g_auto (GStrv) one = sonde_session_dup_environment (nothing, 1),
                 two = sonde_session_dup_environment (nothing, 2);
  g_auto (GStrv) kept = sonde_session_dup_environment (set, 0),
                 asked = sonde_session_dup_environment (set, 2);
  guint cpus = g_get_num_processors ();

  g_assert_cmpstr (g_environ_getenv (one, "OMP_NUM_THREADS"), ==, "1");
  g_assert_null (g_environ_getenv (one, "OMP_PROC_BIND"));
  g_assert_cmpstr (g_environ_getenv (one, "GOMP_SPINCOUNT"), ==, "1000");
  g_assert_nonnull (g_environ_getenv (one, "SONDE_AFFINITY"));
  g_assert_cmpstr (g_environ_getenv (two, "OMP_PROC_BIND"), ==, cpus >= 2 ? "true" : NULL);
  g_assert_cmpstr (g_environ_getenv (kept, "OMP_NUM_THREADS"), ==, "7");
  g_assert_null (g_environ_getenv (kept, "GOMP_SPINCOUNT"));
  g_assert_cmpstr (g_environ_getenv (kept, "OMP_PROC_BIND"), ==, "false");
  g_assert_cmpstr (g_environ_getenv (asked, "OMP_NUM_THREADS"), ==, "2");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/session/listening/environment", test_environment);
  g_test_add_func ("/engine/session/listening/directory", test_directory);
  g_test_add_func ("/engine/session/listening/directory-without-cache",
                   test_directory_without_cache);
  g_test_add_func ("/engine/session/listening/attach", test_attach);
  g_test_add_func ("/engine/session/listening/processes", test_processes);
  g_test_add_func ("/engine/session/listening/token", test_token);
  g_test_add_func ("/engine/session/listening/other-user", test_other_user);
  g_test_add_func ("/engine/session/listening/open-folder", test_open_folder);
  g_test_add_func ("/engine/session/listening/long-path", test_long_path);
  g_test_add_func ("/engine/session/listening/stale", test_stale);
  return g_test_run ();
}
