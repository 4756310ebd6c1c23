/* SPDX-License-Identifier: Apache-2.0
 * The thread that serves clients: polls, checks who they are, cuts frames, hands requests to the
 * engine thread, sends what waits. It never touches the graph. */
#include "engine/session/server/sonde-session-server-private.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "data/base/sonde-affinity.h"
#include "data/base/sonde-error.h"
#include "engine/session/server/sonde-serve.h"

#define SECOND G_GINT64_CONSTANT (1000000000)
#define HELLO_NS (10 * SECOND)   /* a client says hello in that time */
#define PING_NS (5 * SECOND)     /* between pings of a client that holds the run */
#define SILENCE_NS (30 * SECOND) /* without an answer to them it is lost */
#define FLUSH_MS 1000            /* for what waits to be sent at the end */

static gint64
now (SondeSessionServer *server)
{
  return sonde_clock_monotonic_ns (server->options.clock);
}

/* ---- clients come and go ------------------------------------------------- */

static void
peer_free (void *data)
{
  SondeSessionPeer *peer = data;

  sonde_session_channel_clear (&peer->channel);
  g_free (peer);
}

gboolean
sonde_session_socket_add_peer (SondeSessionServer *server, int fd, gboolean inherited)
{
  SondeSessionPeer *peer = g_new0 (SondeSessionPeer, 1);

  sonde_session_channel_init (&peer->channel, server->io, fd);
  if (server->peers->len >= SONDE_SESSION_MAX_CLIENTS)
    {
      g_autoptr (SondeMessage) full = sonde_message_new (
          "This session already has %d clients, which is the maximum.", SONDE_SESSION_MAX_CLIENTS);

      sonde_session_send_closing (&peer->channel, full);
      peer_free (peer);
      return FALSE;
    }
  peer->id = ++server->last_peer;
  peer->inherited = inherited;
  peer->since_ns = now (server);
  g_ptr_array_add (server->peers, peer);
  if (inherited && server->controller == 0)
    server->controller = peer->id;
  sonde_session_socket_wake (server);
  return TRUE;
}

/* @reason: (nullable) (transfer full): sent to it */
static void
drop_peer (SondeSessionServer *server, SondeSessionPeer *peer, SondeMessage *reason,
           gboolean detached)
{
  if (reason != NULL)
    {
      g_autofree char *english = sonde_message_dup_english (reason);

      g_debug ("client %" PRIu64 " is dropped: %s", peer->id, english);
      sonde_session_send_closing (&peer->channel, reason);
      sonde_message_free (reason);
    }
  if (peer->welcome)
    atomic_fetch_sub (&server->n_welcome, 1);
  sonde_session_cancel_call (server, peer->id, 0);
  sonde_session_push_job (server, peer, NULL, detached);
  if (server->controller == peer->id)
    server->controller = 0;
  g_ptr_array_remove (server->peers, peer);
}

/* Whether more is to be read of it: it reads, and the engine keeps up. */
static gboolean
takes_more (const SondeSessionPeer *peer)
{
  return peer->pending < SONDE_SESSION_PENDING_JOBS
         && peer->channel.queued < SONDE_SESSION_UNREAD_BYTES;
}

/* ---- frames -------------------------------------------------------------- */

/* Cuts frames as long as the engine keeps up. FALSE when the client is gone. */
static gboolean
take_frames (SondeSessionServer *server, SondeSessionPeer *peer)
{
  while (takes_more (peer))
    {
      g_autoptr (GError) error = NULL;
      Sonde__Session__Request *request = NULL;
      SondeMessage *reason = NULL;
      gboolean detached = FALSE;
      const guint8 *data;
      gsize length;

      if (sonde_session_channel_next (&peer->channel, &data, &length, &error) && data == NULL)
        return TRUE;
      if (error == NULL)
        request = sonde_session_unpack (&sonde__session__request__descriptor, data, length,
                                        "request", &error);
      if (request != NULL)
        reason = sonde_session_take_request (server, peer, request, &detached);
      if (error != NULL || reason != NULL || detached)
        {
          drop_peer (server, peer, error != NULL ? sonde_error_dup_message (error) : reason,
                     detached);
          return FALSE;
        }
    }
  return TRUE;
}

/* FALSE when the client is gone. */
static gboolean
serve_peer (SondeSessionServer *server, SondeSessionPeer *peer, short events)
{
  g_autoptr (GError) error = NULL;
  gboolean open = TRUE, held;

  if ((events & (POLLIN | POLLHUP | POLLERR)) != 0)
    {
      peer->heard_ns = now (server);
      open = sonde_session_channel_receive (&peer->channel, &error);
      if (peer->channel.received->len > 0)
        {
          drop_peer (server, peer, sonde_message_new ("Clients may not send descriptors."), FALSE);
          return FALSE;
        }
    }
  /* also what came before it closed */
  if (!take_frames (server, peer))
    return FALSE;
  held = !takes_more (peer);
  if (open && !sonde_session_channel_flush (&peer->channel, &error))
    open = FALSE;
  /* what came before and was not looked at: nothing will say that it is there */
  if (open && held && !take_frames (server, peer))
    return FALSE;
  if (!open)
    drop_peer (server, peer, NULL, FALSE);
  else if (peer->channel.queued > SONDE_SESSION_QUEUE_BYTES)
    {
      drop_peer (server, peer,
                 sonde_message_new ("The client does not receive the replies to its requests."),
                 FALSE);
      return FALSE;
    }
  return open;
}

static void
send_ping (SondeSessionServer *server, SondeSessionPeer *peer)
{
  Sonde__Session__Message message = SONDE__SESSION__MESSAGE__INIT;
  Sonde__Session__Event event = SONDE__SESSION__EVENT__INIT;

  event.ping = TRUE;
  message.body_case = SONDE__SESSION__MESSAGE__BODY_EVENT;
  message.event = &event;
  sonde_session_send (server, peer, &message, -1);
  if (peer->pinged_ns == 0)
    peer->heard_ns = now (server);
  peer->pinged_ns = now (server);
}

/* Whether @peer holds up a run that would go on, or could be taken over, without it. */
static gboolean
holds_the_run (SondeSessionServer *server, const SondeSessionPeer *peer)
{
  return server->options.client_lost != SONDE_CLIENT_LOST_QUIT && peer->id == server->controller
         && server->status->state == SONDE_SESSION_PAUSED;
}

/* FALSE when the client is gone. */
static gboolean
check_times (SondeSessionServer *server, SondeSessionPeer *peer)
{
  gint64 time = now (server);

  if (!peer->welcome && time - peer->since_ns > HELLO_NS)
    {
      drop_peer (server, peer,
                 sonde_message_new ("The client did not send hello within %d seconds.",
                                    (int) (HELLO_NS / SECOND)),
                 FALSE);
      return FALSE;
    }
  if (!holds_the_run (server, peer))
    {
      peer->pinged_ns = 0;
      return TRUE;
    }
  if (peer->pinged_ns != 0 && time - peer->heard_ns > SILENCE_NS)
    {
      drop_peer (server, peer,
                 sonde_message_new ("The client has not responded for %d seconds and no longer "
                                    "holds the run.",
                                    (int) (SILENCE_NS / SECOND)),
                 FALSE);
      return FALSE;
    }
  if (peer->pinged_ns == 0 || time - peer->pinged_ns > PING_NS)
    send_ping (server, peer);
  return TRUE;
}

/* ---- the thread ---------------------------------------------------------- */

typedef struct
{
  struct pollfd fds[SONDE_SESSION_MAX_CLIENTS + 2];
  guint64 peers[SONDE_SESSION_MAX_CLIENTS + 2];
  guint n;
  int timeout_ms;
} PollSet;

static void
add_to_set (PollSet *set, int fd, short events, guint64 peer)
{
  set->fds[set->n] = (struct pollfd){ .fd = fd, .events = events };
  set->peers[set->n++] = peer;
}

static void
collect_set (SondeSessionServer *server, PollSet *set)
{
  gint64 wait = server->listener.accept_after_ns - now (server);

  set->n = 0;
  set->timeout_ms = -1;
  add_to_set (set, server->wake, POLLIN, 0);
  if (server->listener.fd >= 0)
    add_to_set (set, server->listener.fd, wait > 0 ? 0 : POLLIN, 0);
  if (wait > 0)
    set->timeout_ms = (int) (wait / 1000000) + 1;
  for (guint i = 0; i < server->peers->len; i++)
    {
      const SondeSessionPeer *peer = g_ptr_array_index (server->peers, i);
      short in = takes_more (peer) ? POLLIN : 0;

      add_to_set (set, peer->channel.fd, (short) (in | (peer->channel.queued > 0 ? POLLOUT : 0)),
                  peer->id);
      if (!peer->welcome || holds_the_run (server, peer))
        set->timeout_ms = set->timeout_ms < 0 ? 1000 : MIN (set->timeout_ms, 1000);
    }
}

static void
serve_set (SondeSessionServer *server, const PollSet *set)
{
  guint64 counted;

  if (set->fds[0].revents != 0 && read (server->wake, &counted, sizeof counted) < 0)
    g_debug ("nothing to wake up for");
  for (guint i = 1; i < set->n; i++)
    {
      SondeSessionPeer *peer
          = set->peers[i] != 0 ? sonde_session_find_peer (server, set->peers[i]) : NULL;

      if (set->peers[i] == 0 && (set->fds[i].revents & POLLIN) != 0)
        {
          int fd = sonde_session_listener_accept (&server->listener);

          if (fd >= 0)
            sonde_session_socket_add_peer (server, fd, FALSE);
        }
      else if (peer != NULL && serve_peer (server, peer, set->fds[i].revents))
        check_times (server, peer);
    }
}

/* What waits is sent as far as it goes; then all are closed. */
static void
flush_and_close (SondeSessionServer *server)
{
  gint64 end = now (server) + FLUSH_MS * (SECOND / 1000);

  for (guint i = 0; i < server->peers->len; i++)
    {
      SondeSessionPeer *peer = g_ptr_array_index (server->peers, i);
      struct pollfd fd = { .fd = peer->channel.fd, .events = POLLOUT };

      while (sonde_session_channel_flush (&peer->channel, NULL) && peer->channel.queued > 0
             && now (server) < end)
        poll (&fd, 1, 50);
    }
  g_ptr_array_set_size (server->peers, 0);
}

static void *
serve_clients (void *data)
{
  SondeSessionServer *server = data;
  PollSet set;

  sonde_affinity_restore ();
  pthread_mutex_lock (&server->lock);
  while (!atomic_load (&server->closing))
    {
      collect_set (server, &set);
      pthread_mutex_unlock (&server->lock);
      if (poll (set.fds, set.n, set.timeout_ms) < 0)
        set.n = 0;
      pthread_mutex_lock (&server->lock);
      if (set.n > 0)
        serve_set (server, &set);
      if (atomic_load (&server->quitting))
        {
          pthread_cond_signal (&server->work);
          if (server->running)
            server->target->klass->interrupt (server->target);
        }
    }
  flush_and_close (server);
  pthread_mutex_unlock (&server->lock);
  return NULL;
}

gboolean
sonde_session_socket_start (SondeSessionServer *server, GError **error)
{
  int result;

  server->peers = g_ptr_array_new_with_free_func (peer_free);
  server->wake = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  result = server->wake < 0 ? errno : pthread_create (&server->thread, NULL, serve_clients, server);
  server->has_thread = result == 0;
  if (result != 0)
    sonde_data_error_set_errno (error, result, "cannot start the session's thread");
  return result == 0;
}

void
sonde_session_socket_stop (SondeSessionServer *server)
{
  atomic_store (&server->closing, TRUE);
  if (server->has_thread)
    {
      sonde_session_socket_wake (server);
      pthread_join (server->thread, NULL);
      server->has_thread = FALSE;
    }
  g_clear_pointer (&server->peers, g_ptr_array_unref);
  if (server->wake >= 0)
    close (server->wake);
  server->wake = -1;
}
