/* SPDX-License-Identifier: Apache-2.0
 * Runs the built program. */
#include "tests/support/sonde-test-program.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN_SECONDS 120

/* ---- folders ------------------------------------------------------------- */

char *
sonde_test_folder_new (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("sonde-test-XXXXXX", &error);

  g_assert_no_error (error);
  return folder;
}

void
sonde_test_remove (const char *path)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (!g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    dir = g_dir_open (path, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      sonde_test_remove (child);
    }
  g_remove (path);
}

void
sonde_test_folder_free (char *folder)
{
  if (folder != NULL)
    sonde_test_remove (folder);
  g_free (folder);
}

/* ---- starting ------------------------------------------------------------ */

char *
sonde_test_program_dup_path (void)
{
  const char *build = g_getenv ("SONDE_BUILD");

  if (build == NULL)
    g_error ("SONDE_BUILD is not set; the tests are run by meson test.");
  return g_build_filename (build, "app", "sonde", NULL);
}

/* The user's own sockets, caches and history are left alone. */
static char **
make_environment (const char *folder)
{
  static const char *const variables[] = { "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_STATE_HOME",
                                           "XDG_CONFIG_HOME", "XDG_DATA_HOME" };
  char **environment = g_get_environ ();

  for (gsize i = 0; i < G_N_ELEMENTS (variables); i++)
    {
      g_autofree char *name = g_ascii_strdown (variables[i], -1);
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_mkdir (path, 0700);
      environment = g_environ_setenv (environment, variables[i], path, TRUE);
    }
  environment = g_environ_unsetenv (environment, "G_DEBUG");
  return g_environ_setenv (environment, "LC_ALL", "C.UTF-8", TRUE);
}

/* Several programs of one test may run at the same time. */
static char *
dup_stream_path (const char *folder, const char *name)
{
  char *path = g_strdup_printf ("%s/%s-XXXXXX", folder, name);
  int fd = g_mkstemp (path);

  g_assert_cmpint (fd, >=, 0);
  close (fd);
  return path;
}

SondeTestProgram *
sonde_test_start_any (const char *folder, const char *input, const char *const *arguments)
{
  SondeTestProgram *program = g_new0 (SondeTestProgram, 1);
  g_autofree char *in_path = dup_stream_path (folder, "in");
  g_auto (GStrv) environment = make_environment (folder);
  posix_spawn_file_actions_t actions;
  int error;

  program->folder = g_strdup (folder);
  program->out_path = dup_stream_path (folder, "out");
  program->err_path = dup_stream_path (folder, "err");
  program->status = -1;
  posix_spawn_file_actions_init (&actions);
  if (input != NULL)
    {
      g_assert_true (g_file_set_contents (in_path, input, -1, NULL));
      posix_spawn_file_actions_addopen (&actions, STDIN_FILENO, in_path, O_RDONLY, 0);
    }
  else
    posix_spawn_file_actions_addclose (&actions, STDIN_FILENO);
  posix_spawn_file_actions_addopen (&actions, STDOUT_FILENO, program->out_path,
                                    O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen (&actions, STDERR_FILENO, program->err_path,
                                    O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addchdir_np (&actions, folder);
  error = posix_spawnp (&program->pid, arguments[0], &actions, NULL, (char *const *) arguments,
                        environment);
  posix_spawn_file_actions_destroy (&actions);
  if (error != 0)
    g_error ("%s was not started: %s", arguments[0], g_strerror (error));
  return program;
}

SondeTestProgram *
sonde_test_start (const char *folder, const char *input, const char *const *arguments)
{
  g_autofree char *path = sonde_test_program_dup_path ();
  g_autoptr (GPtrArray) all = g_ptr_array_new ();

  g_ptr_array_add (all, path);
  for (gsize i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (all, (char *) arguments[i]);
  g_ptr_array_add (all, NULL);
  return sonde_test_start_any (folder, input, (const char *const *) all->pdata);
}

/* ---- ending -------------------------------------------------------------- */

/* FALSE at the deadline. */
static gboolean
wait_for_end (int pid, int seconds)
{
  int fd = (int) syscall (SYS_pidfd_open, pid, 0);
  struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
  gint64 end = g_get_monotonic_time () + seconds * G_TIME_SPAN_SECOND;
  int ready;

  g_assert_cmpint (fd, >=, 0);
  do
    ready = poll (&poll_fd, 1, (int) (MAX (end - g_get_monotonic_time (), 0) / 1000));
  while (ready < 0 && errno == EINTR);
  close (fd);
  return ready > 0;
}

static void
reap (SondeTestProgram *program)
{
  int status;

  while (waitpid (program->pid, &status, 0) < 0 && errno == EINTR)
    ;
  program->pid = 0;
  program->status = WIFSIGNALED (status) ? 128 + WTERMSIG (status) : WEXITSTATUS (status);
  program->out = sonde_test_read_text (program->out_path);
  program->err = sonde_test_read_text (program->err_path);
}

int
sonde_test_wait (SondeTestProgram *program, int seconds)
{
  gboolean ended = wait_for_end (program->pid, seconds);

  if (!ended)
    kill (program->pid, SIGKILL);
  reap (program);
  if (!ended)
    {
      g_test_message ("killed after %d s; stdout: %s stderr: %s", seconds, program->out,
                      program->err);
      g_test_fail ();
    }
  return program->status;
}

void
sonde_test_program_free (SondeTestProgram *program)
{
  if (program == NULL)
    return;
  if (program->pid > 0)
    {
      kill (program->pid, SIGKILL);
      reap (program);
    }
  g_free (program->folder);
  g_free (program->out_path);
  g_free (program->err_path);
  g_free (program->out);
  g_free (program->err);
  g_free (program);
}

SondeTestProgram *
sonde_test_run_strv (const char *folder, const char *input, const char *const *arguments)
{
  SondeTestProgram *program = sonde_test_start (folder, input, arguments);

  sonde_test_wait (program, RUN_SECONDS);
  return program;
}

/* ---- reading ------------------------------------------------------------- */

char *
sonde_test_read_text (const char *path)
{
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

JsonNode *
sonde_test_parse_json (const char *text)
{
  g_autoptr (GError) error = NULL;
  JsonNode *node = json_from_string (text, &error);

  if (error != NULL)
    g_test_message ("no JSON: %s", text);
  g_assert_no_error (error);
  g_assert_nonnull (node);
  g_assert_true (JSON_NODE_HOLDS_OBJECT (node));
  return node;
}

JsonNode *
sonde_test_read_json (const char *path)
{
  g_autofree char *text = sonde_test_read_text (path);

  return sonde_test_parse_json (text);
}

void
sonde_test_assert_members (JsonObject *object, const char *names)
{
  g_auto (GStrv) wanted = g_strsplit (names, " ", -1);
  g_autoptr (GList) found = json_object_get_members (object);

  for (gsize i = 0; wanted[i] != NULL; i++)
    if (!json_object_has_member (object, wanted[i]))
      g_error ("the object has no member “%s”", wanted[i]);
  for (GList *item = found; item != NULL; item = item->next)
    if (!g_strv_contains ((const char *const *) wanted, item->data))
      g_error ("the object has an unexpected member “%s”", (char *) item->data);
}
