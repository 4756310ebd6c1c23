/* SPDX-License-Identifier: Apache-2.0
 * Which sessions there are, and the environment of an engine child. */
#include "engine/session/sonde-session-directory.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/base/sonde-affinity.h"
#include "data/base/sonde-error.h"
#include "engine/ops/sonde-engine-error.h"
#include "engine/session/sonde-session-path.h"

#define MAX_TOKEN_FILE_BYTES 65536
#define MAX_COMMAND_BYTES 4096

/* Is @path there, or can it be made? The nearest folder that is there decides. */
static gboolean
is_usable (const char *path)
{
  g_autofree char *folder = g_strdup (path);

  while (!g_file_test (folder, G_FILE_TEST_EXISTS))
    {
      char *parent = g_path_get_dirname (folder);

      g_free (folder);
      folder = parent;
    }
  return access (folder, W_OK | X_OK) == 0;
}

char *
sonde_session_dup_directory (void)
{
  const char *runtime = g_getenv ("XDG_RUNTIME_DIR");
  g_autofree char *cached = NULL, *name = NULL;

  if (runtime != NULL && g_path_is_absolute (runtime) && g_file_test (runtime, G_FILE_TEST_IS_DIR))
    return g_build_filename (runtime, "sonde", NULL);
  cached = g_build_filename (g_get_user_cache_dir (), "sonde", "sessions", NULL);
  if (is_usable (cached))
    return g_steal_pointer (&cached);
  /* Whoever opens it checks that it is ours alone. */
  name = g_strdup_printf ("sonde-%u", (guint) geteuid ());
  return g_build_filename (g_get_tmp_dir (), name, NULL);
}

/* Number in "PID.token", 0 for other names. */
static int
pid_of_name (const char *name)
{
  char *end;
  gint64 pid = g_ascii_strtoll (name, &end, 10);

  return g_str_equal (end, ".token") && pid > 0 && pid < G_MAXINT ? (int) pid : 0;
}

/* A token that can be locked has no living owner. */
static gboolean
is_stale (const SondeIo *io, const char *token_path)
{
  int fd = io->open (io, AT_FDCWD, token_path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
  gboolean stale = fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) == 0;

  if (fd >= 0)
    sonde_io_close (io, fd);
  return stale;
}

/* The beginning is enough; who may not read it sees none. (transfer full) (nullable) */
static char *
read_command (const SondeIo *io, int pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/cmdline", pid);
  char words[MAX_COMMAND_BYTES];
  int fd = io->open (io, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  ssize_t n = fd >= 0 ? io->read (io, fd, words, sizeof words) : -1;

  if (fd >= 0)
    sonde_io_close (io, fd);
  if (n <= 0)
    return NULL;
  n -= words[n - 1] == '\0';
  for (ssize_t i = 0; i < n; i++)
    if (words[i] == '\0')
      words[i] = ' ';
  return g_utf8_make_valid (words, n);
}

/* 0: not known. The name of a process in /proc/PID/stat may hold anything but ends with the last “)”. */
static int
parent_of (const SondeIo *io, int pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", pid);
  char text[MAX_COMMAND_BYTES];
  int fd = io->open (io, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), parent = 0;
  ssize_t n = fd >= 0 ? io->read (io, fd, text, sizeof text - 1) : -1;
  const char *end;

  if (fd >= 0)
    sonde_io_close (io, fd);
  if (n <= 0)
    return 0;
  text[n] = '\0';
  end = strrchr (text, ')');
  return end != NULL && sscanf (end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* An engine was started by the program that people know. (transfer full) (nullable) */
static char *
describe_process (const SondeIo *io, int pid)
{
  g_autofree char *command = read_command (io, pid);
  const int parent
      = command != NULL && strstr (command, " engine --fd ") != NULL ? parent_of (io, pid) : 0;
  char *starter = parent > 1 ? read_command (io, parent) : NULL;

  return starter != NULL ? starter : g_steal_pointer (&command);
}

/* The socket is made once, and not written to. 0: not known */
static gint64
time_of (const SondeIo *io, const char *path)
{
  struct stat status;

  return io->stat (io, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_mtime : 0;
}

static SondeSessionEntry *
read_entry (const SondeIo *io, const char *directory, int pid)
{
  g_autofree char *token_path = g_strdup_printf ("%s/%d.token", directory, pid);
  g_autofree char *socket_path = g_strdup_printf ("%s/%d.sock", directory, pid);
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  SondeSessionEntry *entry;
  guint n;

  if (is_stale (io, token_path))
    {
      io->unlink (io, socket_path);
      io->unlink (io, token_path);
      return NULL;
    }
  bytes = sonde_io_read_file (io, token_path, MAX_TOKEN_FILE_BYTES, NULL);
  if (bytes == NULL)
    return NULL;
  text = g_utf8_make_valid (g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));
  lines = g_strsplit (text, "\n", 5);
  n = g_strv_length (lines);
  entry = g_new0 (SondeSessionEntry, 1);
  entry->pid = pid;
  entry->title = g_strdup (n > 1 ? lines[1] : "");
  entry->run = n > 2 && *lines[2] != '\0' ? g_strdup (lines[2]) : NULL;
  entry->step = n > 3 ? g_ascii_strtoull (lines[3], NULL, 10) : 0;
  entry->since = time_of (io, socket_path);
  entry->command = describe_process (io, pid);
  entry->path = g_steal_pointer (&socket_path);
  return entry;
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const SondeSessionEntry *const *x = a, *const *y = b;

  return (*x)->pid < (*y)->pid ? -1 : (*x)->pid > (*y)->pid;
}

GPtrArray *
sonde_session_list (const SondeIo *io, const char *directory, GError **error)
{
  g_autoptr (GPtrArray) list
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_session_entry_free);
  g_autofree char *usual = directory == NULL ? sonde_session_dup_directory () : NULL;
  const char *path = directory != NULL ? directory : usual;
  g_autoptr (GDir) folder = NULL;
  const char *name;
  int fd;

  io = io != NULL ? io : sonde_io_system ();
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&list);
  fd = sonde_session_open_directory (io, path, FALSE, error);
  if (fd < 0)
    return NULL;
  sonde_io_close (io, fd);
  folder = g_dir_open (path, 0, error);
  if (folder == NULL)
    return NULL;
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      int pid = pid_of_name (name);
      SondeSessionEntry *entry = pid > 0 ? read_entry (io, path, pid) : NULL;

      if (entry != NULL)
        g_ptr_array_add (list, entry);
    }
  g_ptr_array_sort (list, compare_entries);
  return g_steal_pointer (&list);
}

/* ---- opening ------------------------------------------------------------- */

int
sonde_session_open_socket (const char *path, char **token, GError **error)
{
  g_autofree char *stem = g_str_has_suffix (path, ".sock")
                              ? g_strndup (path, strlen (path) - strlen (".sock"))
                              : g_strdup (path);
  g_autofree char *token_path = g_strconcat (stem, ".token", NULL);
  g_autoptr (GBytes) bytes = sonde_io_read_file (NULL, token_path, MAX_TOKEN_FILE_BYTES, error);

  if (bytes == NULL)
    return -1;
  *token = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  (*token)[strcspn (*token, "\n")] = '\0';
  return sonde_session_connect_path (path, error);
}

/* Whose it is, or that it is none: nobody need look further. */
static gboolean
set_process_error (int pid, GError **error)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d", pid);
  struct stat status;

  if (stat (path, &status) != 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                       "There is no process %d; it may have ended.", pid);
      return TRUE;
    }
  if (status.st_uid == geteuid ())
    return FALSE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "Process %d belongs to another user (%u), who alone may debug it.", pid,
                   (guint) status.st_uid);
  return TRUE;
}

static void
set_no_session_error (int pid, const GPtrArray *sessions, GError **error)
{
  g_autoptr (GString) list = g_string_new (NULL);

  if (set_process_error (pid, error))
    return;
  for (guint i = 0; i < sessions->len; i++)
    {
      const SondeSessionEntry *entry = g_ptr_array_index (sessions, i);

      g_string_append_printf (list, "%s%d (%s)", i > 0 ? ", " : "", entry->pid, entry->title);
    }
  if (sessions->len > 0)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "Process %d has no session. Processes with a session: %s.", pid, list->str);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "Process %d has no session, and neither has any other process.", pid);
}

int
sonde_session_open_pid (int pid, const char *directory, char **token, GError **error)
{
  g_autoptr (GPtrArray) sessions = sonde_session_list (NULL, directory, error);

  if (sessions == NULL)
    return -1;
  for (guint i = 0; i < sessions->len; i++)
    {
      const SondeSessionEntry *entry = g_ptr_array_index (sessions, i);

      if (entry->pid == pid)
        return sonde_session_open_socket (entry->path, token, error);
    }
  set_no_session_error (pid, sessions, error);
  return -1;
}

/* ---- the environment ----------------------------------------------------- */

char **
sonde_session_dup_environment (char **environment, int threads)
{
  char **copy = g_strdupv (environment);
  int n_cpus;
  g_autofree char *affinity = sonde_affinity_describe (&n_cpus);
  const char *wanted = g_environ_getenv (copy, "OMP_NUM_THREADS");
  int n = threads > 0 ? threads : wanted != NULL ? atoi (wanted) : n_cpus;
  g_autofree char *number = g_strdup_printf ("%d", MAX (n, 1));

  copy = g_environ_setenv (copy, "OMP_NUM_THREADS", number, threads > 0);
  /* Spinning longer costs five times as much beside one busy neighbour and gains nothing when
   * alone. */
  if (g_environ_getenv (copy, "OMP_WAIT_POLICY") == NULL)
    copy = g_environ_setenv (copy, "GOMP_SPINCOUNT", "1000", FALSE);
  /* More threads than processors would be bound on top of each other. */
  if (n >= 2 && n <= n_cpus)
    copy = g_environ_setenv (copy, "OMP_PROC_BIND", "true", FALSE);
  if (affinity != NULL)
    copy = g_environ_setenv (copy, SONDE_AFFINITY_VARIABLE, affinity, TRUE);
  return copy;
}
