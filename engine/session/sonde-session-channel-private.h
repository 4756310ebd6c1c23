/* SPDX-License-Identifier: Apache-2.0
 * One end of a session socket: collects bytes to frames, keeps what is to be sent in a queue. Never
 * blocks; its owner polls the descriptor. No lock of its own. Shared by server and client. */
#pragma once

#include "data/base/sonde-io.h"
#include "engine/session/sonde-session-wire-private.h"

G_BEGIN_DECLS

/**
 * SondeSessionChannel:
 * @queued: bytes that wait to be sent
 * @greeted: the other end's preamble has come
 * @ended: the other end closed
 * @queued_fds: descriptors that wait to be sent
 * @n_received: bytes that came, all in all
 * @carries_out: what would be a descriptor goes as its bytes, because no Unix socket is between the
 *   ends: before the frame, a length with the highest bit set, then they
 * @carries_in: so it comes, and is given as the descriptor that it was
 */
typedef struct
{
  const SondeIo *io;
  int fd;
  gboolean greeted;
  gboolean ended;
  guint64 queued;
  guint queued_fds;
  guint64 n_received;
  gboolean carries_out, carries_in;
  /*< private >*/
  GByteArray *input;
  gsize consumed;   /* of @input */
  GArray *received; /* (element-type int): descriptors that came and were not taken */
  GQueue output;    /* (element-type Chunk) */
  int carried;      /* what comes now as bytes, or -1 */
  guint64 carried_left, carried_bytes; /* of it; of all that came so and was not taken */
} SondeSessionChannel;

/* @fd: (transfer full): made non-blocking. Queues the preamble. */
void sonde_session_channel_init (SondeSessionChannel *channel, const SondeIo *io, int fd);
void sonde_session_channel_clear (SondeSessionChannel *channel);

/* Queues a frame. @memfd: (transfer full): goes with it, or -1 */
void sonde_session_channel_queue (SondeSessionChannel *channel, GBytes *frame, int memfd);
/* Queues, for a channel that @carries_out, what came elsewhere as a descriptor; its frame follows.
 * @memfd: (transfer full): sealed */
gboolean sonde_session_channel_queue_carried (SondeSessionChannel *channel, int memfd,
                                              GError **error);

/* Sends what the socket takes. FALSE with @error when the other end is gone. */
gboolean sonde_session_channel_flush (SondeSessionChannel *channel, GError **error);

/* Takes in what is there, at most 1 MiB a call. FALSE with @error: PROTOCOL when the other end is
 * gone (message “…closed…”), or sent too many descriptors. */
gboolean sonde_session_channel_receive (SondeSessionChannel *channel, GError **error);

/**
 * sonde_session_channel_next:
 * @data: (out): a whole frame's content, valid until the next call; NULL when none is there yet
 * Returns: FALSE with @error PROTOCOL for a wrong preamble (at its first wrong byte) or length.
 */
gboolean sonde_session_channel_next (SondeSessionChannel *channel, const guint8 **data,
                                     gsize *length, GError **error);

/* The descriptor that came first and was not taken, or -1. (transfer full) */
int sonde_session_channel_take_fd (SondeSessionChannel *channel);

G_END_DECLS
