/* SPDX-License-Identifier: Apache-2.0
 * Starts the helper, asks, checks what comes back, starts another one when it died. */
#include "data/helper/sonde-helper.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-message-variant.h"
#include "data/helper/sonde-helper-wire-private.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPLY_SECONDS 60 /* the helper's own limit of processor time is shorter */

struct _SondeHelper
{
  char **arguments;
  GMutex lock; /* all below */
  GPid pid;    /* 0: no helper */
  int socket;
};

SondeHelper *
sonde_helper_new (const char *const *arguments)
{
  SondeHelper *helper = g_new0 (SondeHelper, 1);

  helper->arguments = g_strdupv ((char **) arguments);
  helper->socket = -1;
  g_mutex_init (&helper->lock);
  return helper;
}

static void
stop (SondeHelper *helper)
{
  if (helper->pid == 0)
    return;
  close (helper->socket);
  kill (helper->pid, SIGKILL); /* it holds nothing that could be lost */
  while (waitpid (helper->pid, NULL, 0) < 0 && errno == EINTR)
    ;
  g_spawn_close_pid (helper->pid);
  helper->pid = 0;
  helper->socket = -1;
}

void
sonde_helper_free (SondeHelper *helper)
{
  if (helper == NULL)
    return;
  stop (helper);
  g_mutex_clear (&helper->lock);
  g_strfreev (helper->arguments);
  g_free (helper);
}

static gboolean
start (SondeHelper *helper, GError **error)
{
  const struct timeval limit = { .tv_sec = REPLY_SECONDS };
  g_autoptr (GError) reason = NULL;
  int sockets[2];
  gboolean started;

  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot make a socket for the helper process");
      return FALSE;
    }
  started = g_spawn_async_with_pipes_and_fds (
      NULL, (const char *const *) helper->arguments, NULL,
      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH | G_SPAWN_CLOEXEC_PIPES, NULL, NULL,
      sockets[1], sockets[1], -1, NULL, NULL, 0, &helper->pid, NULL, NULL, NULL, &reason);
  close (sockets[1]);
  if (!started)
    {
      close (sockets[0]);
      helper->pid = 0;
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO,
                       "cannot start the helper process “%s”: %s", helper->arguments[0],
                       reason->message);
      return FALSE;
    }
  helper->socket = sockets[0];
  setsockopt (helper->socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt (helper->socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  return TRUE;
}

/* MSG_NOSIGNAL: a dead helper is an error, not a SIGPIPE. */
static gboolean
send_all (int fd, const void *data, gsize length)
{
  const SondeIo *io = sonde_io_system ();
  gsize done = 0;

  while (done < length)
    {
      struct iovec part = { (guint8 *) data + done, length - done };
      struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
      ssize_t count = io->send (io, fd, &message, MSG_NOSIGNAL);

      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return FALSE;
      done += (gsize) count;
    }
  return TRUE;
}

static gboolean
receive_all (int fd, void *data, gsize length)
{
  const SondeIo *io = sonde_io_system ();
  gsize done = 0;

  while (done < length)
    {
      struct iovec part = { (guint8 *) data + done, length - done };
      struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
      ssize_t count = io->receive (io, fd, &message, 0);

      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return FALSE;
      done += (gsize) count;
    }
  return TRUE;
}

/* Sends the file; a helper that died since the last one is replaced once. */
static gboolean
ask (SondeHelper *helper, guint32 kind, GBytes *encoded, GError **error)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (encoded, &length);
  const SondeHelperRequest request = { SONDE_HELPER_WIRE_MAGIC, kind, length };

  for (int attempt = 0; attempt < 2; attempt++)
    {
      if (helper->pid == 0 && !start (helper, error))
        return FALSE;
      if (send_all (helper->socket, &request, sizeof request)
          && send_all (helper->socket, data, length))
        return TRUE;
      stop (helper);
    }
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO,
                   "the helper process “%s” does not respond", helper->arguments[0]);
  return FALSE;
}

static gboolean
receive_refusal (SondeHelper *helper, const SondeHelperReply *reply, const char *name,
                 GError **error)
{
  g_autofree guint8 *packed = NULL;
  g_autoptr (GVariant) variant = NULL;
  SondeMessage *message;

  if (reply->code > 1 + SONDE_DATA_ERROR_CANCELLED || reply->length > SONDE_HELPER_MAX_MESSAGE)
    return FALSE;
  packed = g_malloc (MAX (reply->length, 1));
  if (!receive_all (helper->socket, packed, reply->length))
    return FALSE;
  /* bytes that contradict the type read as empty texts */
  variant = g_variant_ref_sink (g_variant_new_from_data (G_VARIANT_TYPE (SONDE_MESSAGE_VARIANT),
                                                         packed, reply->length, FALSE, NULL, NULL));
  message = sonde_message_from_variant (variant);
  if (message == NULL)
    return FALSE;
  sonde_message_prepend (message, "“%s”: ", name);
  sonde_set_error_message (error, SONDE_DATA_ERROR, (int) reply->code - 1, message);
  return TRUE;
}

/* FALSE: no sound reply came, and the helper is no use any more. @refused: there is an @error */
static gboolean
receive (SondeHelper *helper, const char *name, SondeHelperRoom room, void *data, gboolean *refused,
         GError **error)
{
  SondeHelperReply reply;
  void *place;

  if (!receive_all (helper->socket, &reply, sizeof reply) || reply.magic != SONDE_HELPER_WIRE_MAGIC)
    return FALSE;
  *refused = reply.code != 0;
  if (*refused)
    return receive_refusal (helper, &reply, name, error);
  place = room (reply.facts, reply.length, data);
  return place != NULL && receive_all (helper->socket, place, reply.length);
}

gboolean
sonde_helper_decode (SondeHelper *helper, guint32 kind, GBytes *encoded, const char *name,
                     SondeHelperRoom room, void *data, GError **error)
{
  gboolean asked, received = FALSE, refused = FALSE;

  g_mutex_lock (&helper->lock);
  asked = ask (helper, kind, encoded, error);
  if (asked)
    received = receive (helper, name, room, data, &refused, error);
  if (asked && !received)
    {
      stop (helper);
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s”: the helper process ended while it decoded this file, which may be "
                       "damaged or made to harm",
                       name);
    }
  g_mutex_unlock (&helper->lock);
  return received && !refused;
}
