/* SPDX-License-Identifier: Apache-2.0
 * Opening, running, going back, captures and the end, in messages. */
#pragma once

#include "engine/session/codec/sonde-codec.h"

G_BEGIN_DECLS

#define SONDE_SESSION_REQUESTS_RUN(X)                                                              \
  X (OPEN, open, SONDE_NEEDS_CONTROL | SONDE_GIVES_STATUS)                                         \
  X (QUIT, quit, SONDE_NEEDS_CONTROL)                                                              \
  X (RESUME, resume, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                                       \
  X (PAUSE, pause, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                                         \
  X (RESTART, restart, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL | SONDE_GIVES_STATUS)                \
  X (GO_BACK, go_back, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                                     \
  X (REWIND, rewind, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                                       \
  X (CAPTURE, capture, SONDE_NEEDS_OPEN)

/* What the requests say; everything is lent by @message, arrays by @memory. */
void sonde_codec_read_open (const Sonde__Session__Open *message, GPtrArray *memory,
                            SondeOpenRequest *open);
/* FALSE for a way to go on, or back, that this version does not know. */
gboolean sonde_codec_read_resume (const Sonde__Session__Resume *message, SondeResume *resume);
gboolean sonde_codec_read_go_back (const Sonde__Session__GoBack *message, SondeBack *back);

/* (element-type SondeCaptureStop) (transfer full) */
GPtrArray *sonde_codec_read_stops (Sonde__Session__Command *const *messages, gsize n);
/* A reply of @stops (element-type SondeCaptureStop) (nullable) */
void sonde_codec_write_stops (SondeSessionAnswer *answer, const GPtrArray *stops);

G_END_DECLS
