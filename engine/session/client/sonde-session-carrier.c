/* SPDX-License-Identifier: Apache-2.0
 * Starting ssh, and its end in words. */
#include "engine/session/client/sonde-session-carrier.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "engine/ops/sonde-engine-error.h"
#include "engine/session/client/sonde-session-client-private.h"

#define PASSWORD_MS 180000
#define END_MS 5000
#define MAX_LIST_BYTES (1 << 20)
#define MAX_ERROR_BYTES 4096 /* the end of what it said */
#define MAX_LINE_BYTES 300

/* ---- starting ------------------------------------------------------------ */

/* In the child, between fork and exec. Ctrl-C of the terminal pauses a run; it is not for ssh. Its
 * group stays: a process in the background could not ask for a password. */
static void
ignore_interrupts (gpointer data)
{
  sigset_t none;

  signal (SIGINT, SIG_IGN);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
}

static gboolean
spawn (SondeSessionCarrier *carrier, int pid, int end, GError **error)
{
  g_autofree char *command = pid > 0 ? g_strdup_printf ("sonde debug --attach %d --proxy", pid)
                                     : g_strdup ("sonde debug --attach --proxy");
  const char *argv[] = {
    "ssh", "-T", "-a", "-x", "-o", "ClearAllForwardings=yes", "--", carrier->host, command, NULL,
  };
  GPid child = 0;

  if (!g_spawn_async_with_pipes_and_fds (
          NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH, ignore_interrupts,
          NULL, end, end, carrier->errors, NULL, NULL, 0, &child, NULL, NULL, NULL, error))
    {
      sonde_prefix_error (error, "Cannot start ssh: ");
      return FALSE;
    }
  carrier->pid = child;
  return TRUE;
}

SondeSessionCarrier *
sonde_session_carrier_new (const char *host, int pid, GError **error)
{
  g_autoptr (SondeSessionCarrier) carrier = g_new0 (SondeSessionCarrier, 1);
  int ends[2];
  gboolean started;

  carrier->host = g_strdup (host);
  carrier->fd = -1;
  carrier->errors = memfd_create ("sonde-ssh", MFD_CLOEXEC);
  if (carrier->errors < 0 || socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot make the socket to ssh");
      return NULL;
    }
  carrier->fd = ends[0];
  started = spawn (carrier, pid, ends[1], error);
  close (ends[1]);
  return started ? g_steal_pointer (&carrier) : NULL;
}

void
sonde_session_carrier_free (SondeSessionCarrier *carrier)
{
  if (carrier == NULL)
    return;
  if (carrier->fd >= 0)
    close (carrier->fd);
  if (carrier->errors >= 0)
    close (carrier->errors);
  if (carrier->pid > 0)
    sonde_session_reap_later (carrier->pid, END_MS);
  g_free (carrier->host);
  g_free (carrier);
}

/* ---- its end ------------------------------------------------------------- */

/* The last line that it wrote to stderr, in valid UTF-8 without control characters. */
static char *
dup_last_line (const SondeSessionCarrier *carrier)
{
  char text[MAX_ERROR_BYTES + 1];
  off_t size = lseek (carrier->errors, 0, SEEK_END);
  ssize_t got = pread (carrier->errors, text, MAX_ERROR_BYTES, MAX (size - MAX_ERROR_BYTES, 0));
  const char *line;
  char *valid;

  text[MAX (got, 0)] = '\0';
  g_strchomp (text);
  line = strrchr (text, '\n');
  line = line != NULL ? line + 1 : text;
  valid = g_utf8_make_valid (line, (gssize) MIN (strlen (line), MAX_LINE_BYTES));
  for (char *c = valid; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c))
      *c = ' ';
  return g_strstrip (valid);
}

/* "sonde debug: Process 3 has no session." without whose words they are */
static const char *
skip_program (const char *line)
{
  const char *colon = g_str_has_prefix (line, "sonde debug: ") ? strstr (line, ": ") : NULL;

  return colon != NULL ? colon + 2 : line;
}

static SondeMessage *
describe (const SondeSessionCarrier *carrier, int status)
{
  g_autofree char *line = dup_last_line (carrier);

  if (WIFSIGNALED (status) && (WTERMSIG (status) == SIGPIPE || WTERMSIG (status) == SIGKILL))
    return NULL; /* by us: we listened no longer */
  if (WIFSIGNALED (status))
    return sonde_message_new ("ssh to “%s” was ended by signal %d.", carrier->host,
                              WTERMSIG (status));
  switch (WEXITSTATUS (status))
    {
    case 0:
      return NULL;
    case 255: /* ssh's own */
      return sonde_message_new ("ssh does not reach “%s”: %s", carrier->host, line);
    case 126: /* a shell's */
    case 127:
      return sonde_message_new ("On “%s” no program “sonde” is found by a shell that runs one "
                                "command: %s",
                                carrier->host, line);
    case 2: /* wrong use of the command line */
      return sonde_message_new ("The Sonde on “%s” does not know sessions over ssh; the version "
                                "that is here does: %s",
                                carrier->host, skip_program (line));
    default:
      return sonde_message_new ("Sonde on “%s”: %s", carrier->host, skip_program (line));
    }
}

SondeMessage *
sonde_session_carrier_end (SondeSessionCarrier *carrier)
{
  int status;

  if (carrier->pid <= 0)
    return NULL;
  status = sonde_session_reap (carrier->pid, END_MS);
  carrier->pid = 0;
  return describe (carrier, status);
}

/* It ended and should not have. */
static void
set_ended_error (SondeSessionCarrier *carrier, GError **error)
{
  SondeMessage *reason = sonde_session_carrier_end (carrier);

  if (reason == NULL)
    reason = sonde_message_new ("Sonde on “%s” ended without a word.", carrier->host);
  sonde_set_error_message (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL, reason);
}

/* ---- what it says -------------------------------------------------------- */

/* FALSE: nothing came in that time. */
static gboolean
wait_to_read (SondeSessionCarrier *carrier, GError **error)
{
  struct pollfd set = { .fd = carrier->fd, .events = POLLIN };
  int ready;

  do
    ready = poll (&set, 1, PASSWORD_MS);
  while (ready < 0 && errno == EINTR);
  if (ready > 0)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                   "Nothing came from “%s” in %d seconds.", carrier->host, PASSWORD_MS / 1000);
  return FALSE;
}

gboolean
sonde_session_carrier_wait (SondeSessionCarrier *carrier, GError **error)
{
  char first;

  if (!wait_to_read (carrier, error))
    return FALSE;
  if (recv (carrier->fd, &first, 1, MSG_PEEK) > 0)
    return TRUE;
  set_ended_error (carrier, error);
  return FALSE;
}

char *
sonde_session_carrier_read_all (SondeSessionCarrier *carrier, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char bytes[4096];
  ssize_t got = 1;

  shutdown (carrier->fd, SHUT_WR);
  while (got != 0 && text->len < MAX_LIST_BYTES)
    {
      if (!wait_to_read (carrier, error))
        return NULL;
      got = recv (carrier->fd, bytes, sizeof bytes, 0);
      if (got < 0 && errno != EINTR)
        break;
      g_string_append_len (text, bytes, MAX (got, 0));
    }
  if (got == 0)
    {
      SondeMessage *reason = sonde_session_carrier_end (carrier);

      if (reason == NULL)
        return g_string_free (g_steal_pointer (&text), FALSE);
      sonde_set_error_message (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL, reason);
      return NULL;
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                   "“%s” sent more than a list of sessions.", carrier->host);
  return NULL;
}
