/* SPDX-License-Identifier: Apache-2.0
 * Watches and their hits in messages. */
#pragma once

#include "engine/session/codec/sonde-codec.h"

G_BEGIN_DECLS

#define SONDE_SESSION_REQUESTS_WATCHES(X)                                                          \
  X (ADD_WATCH, add_watch, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                                 \
  X (LIST_WATCHES, list_watches, SONDE_NEEDS_OPEN)                                                 \
  X (LIST_WATCH_HITS, list_watch_hits, SONDE_NEEDS_OPEN)                                           \
  X (RECHECK, recheck, SONDE_NEEDS_OPEN)

/* All of @list (element-type SondeWatch), or the one with @id; beside breakpoints. */
void sonde_codec_write_watches (SondeSessionAnswer *answer, const GPtrArray *list, guint id);
/* (element-type SondeWatch) (transfer full) */
GPtrArray *sonde_codec_read_watches (Sonde__Session__Watch *const *messages, gsize n);

/* A reply of @hits (element-type SondeWatchHit) */
void sonde_codec_write_watch_hits (SondeSessionAnswer *answer, const GPtrArray *hits);
/* @hits: (element-type SondeWatchHit) (nullable) */
Sonde__Session__WatchHit **sonde_codec_write_hits (GPtrArray *memory, const GPtrArray *hits,
                                                   gsize *n);
/* (element-type SondeWatchHit) (transfer full) */
GPtrArray *sonde_codec_read_hits (Sonde__Session__WatchHit *const *messages, gsize n);

G_END_DECLS
