/* SPDX-License-Identifier: Apache-2.0
 * Two channels, one of them over pipes. */
#include "engine/session/client/sonde-session-proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "engine/session/codec/sonde-codec-status.h"
#include "engine/session/sonde-session-channel-private.h"
#include "engine/session/sonde-session-directory.h"

#define MAX_QUEUED ((guint64) 8 << 20) /* bytes that wait for one end before the other is heard */

/* Calls on two pipes as if they were one socket. */
typedef struct
{
  SondeIo io;
  int output;
} PipeIo;

/**
 * @peer: the client; @engine: the session
 * @token: for the client's hello; NULL when it has passed
 */
typedef struct
{
  PipeIo pipes;
  SondeSessionChannel peer, engine;
  char *token;
} Proxy;

/* ---- pipes --------------------------------------------------------------- */

static ssize_t
send_pipe (const SondeIo *io, int fd, const struct msghdr *message, int flags)
{
  return writev (((const PipeIo *) io)->output, message->msg_iov, (int) message->msg_iovlen);
}

static ssize_t
receive_pipe (const SondeIo *io, int fd, struct msghdr *message, int flags)
{
  message->msg_controllen = 0;
  message->msg_flags = 0;
  return readv (fd, message->msg_iov, (int) message->msg_iovlen);
}

static int
leave_open (const SondeIo *io, int fd)
{
  return 0;
}

static void
proxy_init (Proxy *proxy, int engine, char *token, int input, int output)
{
  proxy->pipes = (PipeIo){ .io = *sonde_io_system (), .output = output };
  proxy->pipes.io.send = send_pipe;
  proxy->pipes.io.receive = receive_pipe;
  proxy->pipes.io.close = leave_open;
  proxy->token = token;
  sonde_session_channel_init (&proxy->engine, NULL, engine);
  sonde_session_channel_init (&proxy->peer, &proxy->pipes.io, input);
  proxy->peer.carries_out = TRUE;
}

static void
proxy_clear (Proxy *proxy)
{
  sonde_session_channel_clear (&proxy->engine);
  sonde_session_channel_clear (&proxy->peer);
  g_free (proxy->token);
}

/* ---- frames -------------------------------------------------------------- */

static void
queue_frame (SondeSessionChannel *to, const guint8 *data, gsize length)
{
  guint8 *copy = g_malloc (SONDE_SESSION_LENGTH_BYTES + length);
  guint32 little = GUINT32_TO_LE ((guint32) length);
  g_autoptr (GBytes) frame = g_bytes_new_take (copy, SONDE_SESSION_LENGTH_BYTES + length);

  memcpy (copy, &little, sizeof little);
  memcpy (copy + SONDE_SESSION_LENGTH_BYTES, data, length);
  sonde_session_channel_queue (to, frame, -1);
}

/* The client's first request, with the token that it has not. FALSE: it is another one. */
static gboolean
queue_hello (Proxy *proxy, const Sonde__Session__Request *from)
{
  g_autofree char *token = g_steal_pointer (&proxy->token);
  SondeSessionRequest *hello;
  g_autoptr (GBytes) frame = NULL;

  if (from->body_case != SONDE__SESSION__REQUEST__BODY_HELLO)
    return FALSE;
  hello = sonde_session_request_hello (token, from->hello->control);
  hello->message.id = from->id;
  hello->message.hello->version = from->hello->version;
  frame = sonde_session_pack (&hello->message.base);
  sonde_session_channel_queue (&proxy->engine, frame, -1);
  sonde_session_request_free (hello);
  return TRUE;
}

static gboolean
forward_request (Proxy *proxy, const guint8 *data, gsize length, GError **error)
{
  Sonde__Session__Request *request = NULL;
  gboolean done = FALSE;

  if (proxy->token != NULL)
    {
      request = sonde_session_unpack (&sonde__session__request__descriptor, data, length, "request",
                                      error);
      if (request == NULL)
        return FALSE;
      done = queue_hello (proxy, request);
      sonde_wire_free (request);
    }
  if (!done)
    queue_frame (&proxy->engine, data, length);
  return TRUE;
}

/* A descriptor comes no later than its frame; it goes before it. */
static gboolean
forward_message (Proxy *proxy, const guint8 *data, gsize length, GError **error)
{
  int fd;

  while ((fd = sonde_session_channel_take_fd (&proxy->engine)) >= 0)
    if (!sonde_session_channel_queue_carried (&proxy->peer, fd, error))
      return FALSE;
  queue_frame (&proxy->peer, data, length);
  return TRUE;
}

/* All whole frames that came from one end. */
static gboolean
forward (Proxy *proxy, SondeSessionChannel *from, GError **error)
{
  const guint8 *data;
  gsize length;

  while (sonde_session_channel_next (from, &data, &length, error))
    {
      if (data == NULL)
        return TRUE;
      if (!(from == &proxy->peer ? forward_request (proxy, data, length, error)
                                 : forward_message (proxy, data, length, error)))
        return FALSE;
    }
  return FALSE;
}

/* ---- the loop ------------------------------------------------------------ */

/* Hears and sends what can be. FALSE: an end is gone, or spoke nonsense, which is an @error. */
static gboolean
go_round (Proxy *proxy, GError **error)
{
  struct pollfd set[] = {
    { .fd = proxy->engine.fd, .events = proxy->peer.queued < MAX_QUEUED ? POLLIN : 0 },
    { .fd = proxy->peer.fd, .events = proxy->engine.queued < MAX_QUEUED ? POLLIN : 0 },
    { .fd = proxy->pipes.output, .events = proxy->peer.queued > 0 ? POLLOUT : 0 },
  };
  gboolean open = TRUE;

  set[0].events |= proxy->engine.queued > 0 ? POLLOUT : 0;
  if (poll (set, G_N_ELEMENTS (set), -1) < 0)
    return errno == EINTR;
  if (set[2].revents & (POLLERR | POLLNVAL))
    return FALSE;
  if (set[0].revents & (POLLIN | POLLHUP | POLLERR))
    open = sonde_session_channel_receive (&proxy->engine, NULL);
  if (!forward (proxy, &proxy->engine, error))
    return FALSE;
  if (set[1].revents & (POLLIN | POLLHUP | POLLERR))
    open &= sonde_session_channel_receive (&proxy->peer, NULL);
  return forward (proxy, &proxy->peer, error) && sonde_session_channel_flush (&proxy->engine, NULL)
         && sonde_session_channel_flush (&proxy->peer, NULL) && open;
}

/* What the session said last. */
static void
say_the_rest (Proxy *proxy)
{
  struct pollfd set = { .fd = proxy->pipes.output, .events = POLLOUT };

  while (proxy->peer.queued > 0 && poll (&set, 1, -1) > 0 && !(set.revents & (POLLERR | POLLNVAL))
         && sonde_session_channel_flush (&proxy->peer, NULL))
    ;
}

gboolean
sonde_session_proxy_run (int pid, const char *directory, int input, int output, GError **error)
{
  int input_flags = fcntl (input, F_GETFL), output_flags = fcntl (output, F_GETFL);
  char *token = NULL;
  int fd = sonde_session_open_pid (pid, directory, &token, error);
  GError *problem = NULL;
  Proxy proxy;

  if (fd < 0)
    return FALSE;
  signal (SIGPIPE, SIG_IGN);
  proxy_init (&proxy, fd, token, input, output);
  fcntl (output, F_SETFL, output_flags | O_NONBLOCK);
  while (go_round (&proxy, &problem))
    ;
  say_the_rest (&proxy);
  proxy_clear (&proxy);
  fcntl (input, F_SETFL, input_flags);
  fcntl (output, F_SETFL, output_flags);
  if (problem != NULL)
    g_propagate_error (error, problem);
  return problem == NULL;
}
