/* SPDX-License-Identifier: Apache-2.0
 * The engine as a child process: started with libgomp's variables set, and never left behind. */
#include "engine/session/client/sonde-session-client-private.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "engine/session/sonde-session-directory.h"

#define CHILD_FD 3 /* number of the socket in the child */

/* As strsignal(), in English: the C library translates it where it is shown. */
static const char *
describe_signal (int number)
{
  const char *text = sigdescr_np (number);

  return text != NULL ? text : N_ ("Unknown signal");
}

SondeMessage *
sonde_session_describe_exit (int wait_status)
{
  if (WIFSIGNALED (wait_status))
    {
      int number = WTERMSIG (wait_status);

      if (number == SIGKILL)
        return sonde_message_new (
            "The engine was killed by signal %d (%-s), perhaps because memory "
            "ran out.",
            number, describe_signal (number));
      return sonde_message_new ("The engine was killed by signal %d (%-s).", number,
                                describe_signal (number));
    }
  if (WIFEXITED (wait_status))
    return sonde_message_new ("The engine ended with exit status %d.", WEXITSTATUS (wait_status));
  return sonde_message_new ("The engine ended.");
}

/* TRUE when @pid ends in that time. */
static gboolean
wait_for_end (int pid, int timeout_ms)
{
  int fd = (int) syscall (SYS_pidfd_open, pid, 0);
  struct pollfd set = { .fd = fd, .events = POLLIN };
  gboolean ended;

  if (fd < 0)
    return FALSE;
  ended = poll (&set, 1, timeout_ms) == 1;
  close (fd);
  return ended;
}

int
sonde_session_reap (int pid, int timeout_ms)
{
  int status = 0;

  if (!wait_for_end (pid, timeout_ms))
    kill (pid, SIGKILL);
  while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
    ;
  return status;
}

/* ---- later --------------------------------------------------------------- */

typedef struct
{
  int pid, timeout_ms;
} Reaper;

static void *
reap (void *data)
{
  Reaper *reaper = data;

  sonde_session_reap (reaper->pid, reaper->timeout_ms);
  g_free (reaper);
  return NULL;
}

void
sonde_session_reap_later (int pid, int timeout_ms)
{
  Reaper *reaper = g_new0 (Reaper, 1);
  pthread_t thread;

  *reaper = (Reaper){ .pid = pid, .timeout_ms = timeout_ms };
  if (pthread_create (&thread, NULL, reap, reaper) == 0)
    pthread_detach (thread);
  else
    reap (reaper);
}

/* ---- spawning ------------------------------------------------------------ */

/* In the child, between fork and exec: a terminal's Ctrl-C is for the program in front, not for the
 * engine behind it. */
static void
leave_the_terminal (gpointer data)
{
  sigset_t none;

  setpgid (0, 0);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
}

int
sonde_session_spawn (const char *program, int threads, int *fd, GError **error)
{
  g_autofree char *number = g_strdup_printf ("%d", CHILD_FD);
  const char *argv[] = { program, "engine", "--fd", number, NULL };
  g_auto (GStrv) inherited = g_get_environ ();
  g_auto (GStrv) environment = sonde_session_dup_environment (inherited, threads);
  const int target = CHILD_FD;
  int ends[2];
  GPid pid = 0;

  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot make the socket to the engine");
      return 0;
    }
  if (!g_spawn_async_with_pipes_and_fds (NULL, argv, (const char *const *) environment,
                                         G_SPAWN_DO_NOT_REAP_CHILD, leave_the_terminal, NULL, -1,
                                         STDERR_FILENO, -1, &ends[1], &target, 1, &pid, NULL, NULL,
                                         NULL, error))
    {
      close (ends[0]);
      pid = 0;
    }
  else
    *fd = ends[0];
  close (ends[1]);
  return pid;
}
