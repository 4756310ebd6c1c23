/* SPDX-License-Identifier: Apache-2.0
 * Replies and events on the client's side: which codec reads which reply. */
#pragma once

#include "engine/session/codec/sonde-codec-tensor.h"

G_BEGIN_DECLS

/**
 * SondeReplyCodec: a kind of reply; each codec has a row for each kind that it knows
 * @read: fills what @kind has in @reply; the server is another process and may be of another make:
 * sizes, kinds and texts are checked. Errors: PROTOCOL
 * @clear: frees what @read filled, or a part of it
 */
typedef struct
{
  SondeSessionReplyKind kind;
  gboolean (*read) (const Sonde__Session__Reply *message, SondeSessionReply *reply,
                    SondeReplySource *source, GError **error);
  void (*clear) (SondeSessionReply *reply);
} SondeReplyCodec;

/* Body of the message, codec. */
#define SONDE_SESSION_REPLIES(X)                                                                   \
  X (STOPS, stops)                                                                                 \
  X (BREAKPOINTS, breakpoints)                                                                     \
  X (WATCH_HITS, watch_hits)                                                                       \
  X (FRAMES, frames)                                                                               \
  X (GRAPH, graph)                                                                                 \
  X (LISTING, listing)                                                                             \
  X (STEPS, steps)                                                                                 \
  X (VALUES, values)                                                                               \
  X (READING, reading)                                                                             \
  X (CHANGES, changes)                                                                             \
  X (BRANCHES, branches)                                                                           \
  X (ORIGIN, origin)                                                                               \
  X (REDUCTION, reduction)                                                                         \
  X (DIVERGENCE, divergence)                                                                       \
  X (PRECISION, precision)                                                                         \
  X (CALL, call)                                                                                   \
  X (PROFILE, profile)

#define SONDE_SESSION_DECLARE_REPLY(body, name) extern const SondeReplyCodec sonde_codec_##name;
SONDE_SESSION_REPLIES (SONDE_SESSION_DECLARE_REPLY)
#undef SONDE_SESSION_DECLARE_REPLY

/**
 * sonde_codec_read_reply:
 * @source: memory that comes along; taken also where the reply is refused
 * Returns: (transfer full): NULL with @error: what the engine said, or PROTOCOL for a reply that
 * contradicts itself
 */
SondeSessionReply *sonde_codec_read_reply (const Sonde__Session__Reply *message,
                                           SondeReplySource *source, GError **error);

/* (transfer full) */
SondeSessionEvent *sonde_codec_read_event (const Sonde__Session__Event *message);

G_END_DECLS
