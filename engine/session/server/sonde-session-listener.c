/* SPDX-License-Identifier: Apache-2.0
 * The socket that others can attach to, and the token that says they may. The token file is locked
 * as long as its server lives, so that what a dead process left behind can be told. */
#include "engine/session/server/sonde-session-listener-private.h"
#include "engine/session/server/sonde-session-server.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "engine/session/sonde-session-path.h"

void
sonde_session_listener_init (SondeSessionListener *listener)
{
  *listener = (SondeSessionListener){ .fd = -1, .token_fd = -1, .directory_fd = -1 };
}

static gboolean
make_token (SondeSessionListener *listener, GError **error)
{
  guint8 random[SONDE_SESSION_TOKEN_CHARS / 2];

  if (getrandom (random, sizeof random, 0) != sizeof random)
    {
      sonde_data_error_set_errno (error, errno,
                                  "cannot get random numbers for the session's token");
      return FALSE;
    }
  for (gsize i = 0; i < sizeof random; i++)
    g_snprintf (listener->token + 2 * i, 3, "%02x", random[i]);
  return TRUE;
}

/* Under a name of its own until it is locked: nobody may take it for one that a dead process
 * left. */
static gboolean
write_token (SondeSessionListener *listener, const SondeIo *io, const char *title, GError **error)
{
  g_autofree char *temporary = g_strconcat (listener->token_path, "~", NULL);

  io->unlink (io, temporary);
  listener->token_fd = io->open (io, AT_FDCWD, temporary,
                                 O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (listener->token_fd < 0 || flock (listener->token_fd, LOCK_EX | LOCK_NB) != 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot make the session's token “%s”", temporary);
      return FALSE;
    }
  sonde_session_listener_describe (listener, title, NULL, 0);
  if (io->rename (io, temporary, listener->token_path) == 0)
    return TRUE;
  sonde_data_error_set_errno (error, errno, "cannot make the session's token “%s”",
                              listener->token_path);
  io->unlink (io, temporary);
  return FALSE;
}

gboolean
sonde_session_listener_open (SondeSessionListener *listener, const SondeIo *io,
                             const char *directory, const char *title, GError **error)
{
  listener->directory_fd = sonde_session_open_directory (io, directory, TRUE, error);
  if (listener->directory_fd < 0)
    return FALSE;
  listener->socket_path = g_strdup_printf ("%s/%d.sock", directory, (int) getpid ());
  listener->token_path = g_strdup_printf ("%s/%d.token", directory, (int) getpid ());
  if (make_token (listener, error) && write_token (listener, io, title, error))
    listener->fd = sonde_session_listen_path (io, listener->socket_path, listener->directory_fd,
                                              SONDE_SESSION_MAX_CLIENTS, error);
  if (listener->fd >= 0)
    return TRUE;
  sonde_session_listener_close (listener, io);
  return FALSE;
}

void
sonde_session_listener_close (SondeSessionListener *listener, const SondeIo *io)
{
  int *fds[] = { &listener->fd, &listener->token_fd, &listener->directory_fd };

  if (listener->fd >= 0)
    io->unlink (io, listener->socket_path);
  if (listener->token_fd >= 0)
    io->unlink (io, listener->token_path);
  for (gsize i = 0; i < G_N_ELEMENTS (fds); i++)
    {
      if (*fds[i] >= 0)
        sonde_io_close (io, *fds[i]);
      *fds[i] = -1;
    }
  g_clear_pointer (&listener->socket_path, g_free);
  g_clear_pointer (&listener->token_path, g_free);
}

void
sonde_session_listener_abandon (SondeSessionListener *listener)
{
  const int fds[] = { listener->fd, listener->token_fd, listener->directory_fd };

  for (gsize i = 0; i < G_N_ELEMENTS (fds); i++)
    if (fds[i] >= 0)
      close (fds[i]);
}

/* In one line. (transfer full) */
static char *
dup_line (const char *text)
{
  return g_strdelimit (g_strdup (text != NULL ? text : ""), "\r\n", ' ');
}

void
sonde_session_listener_describe (SondeSessionListener *listener, const char *title, const char *run,
                                 guint64 step)
{
  g_autofree char *title_line = dup_line (title), *run_line = dup_line (run);
  g_autofree char *text
      = g_strdup_printf ("%s\n%s\n%s\n%" PRIu64 "\n", listener->token, title_line, run_line, step);

  if (listener->token_fd < 0)
    return;
  /* the token is not touched by a reader's bad luck: only what follows it changes */
  if (pwrite (listener->token_fd, text, strlen (text), 0) == (ssize_t) strlen (text)
      && ftruncate (listener->token_fd, (off_t) strlen (text)) != 0)
    g_debug ("what is said of the session was not shortened: %s", g_strerror (errno));
}

int
sonde_session_listener_accept (SondeSessionListener *listener)
{
  int fd = accept4 (listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  struct ucred peer;
  socklen_t length = sizeof peer;

  if (fd < 0)
    return -1;
  if (getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid ())
    return fd;
  close (fd);
  return -1;
}

gboolean
sonde_session_listener_check_token (const SondeSessionListener *listener, const char *token)
{
  gsize length = strlen (token);
  guint8 difference = length != SONDE_SESSION_TOKEN_CHARS;

  for (gsize i = 0; i < SONDE_SESSION_TOKEN_CHARS; i++)
    difference |= (guint8) (listener->token[i] ^ (length > 0 ? token[i % length] : 1));
  return difference == 0;
}
