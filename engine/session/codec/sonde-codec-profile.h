/* SPDX-License-Identifier: Apache-2.0
 * Recordings of spans in messages: what to record, and how far it is. */
#pragma once

#include "engine/session/codec/sonde-codec.h"

G_BEGIN_DECLS

#define SONDE_SESSION_REQUESTS_PROFILE(X)                                                          \
  X (PROFILE_START, profile_start, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                         \
  X (PROFILE_STOP, profile_stop, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                           \
  X (PROFILE_KEEP, profile_keep, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                           \
  X (PROFILE_STATUS, profile_status, SONDE_NEEDS_OPEN)

/* FALSE for a factor that is no positive number. */
gboolean sonde_codec_read_profile_start (const Sonde__Session__ProfileStart *message,
                                         SondeSpanLogOptions *options);

/* The body of a reply, whose memory is @memory's. */
Sonde__Session__Profile *sonde_codec_write_profile (GPtrArray *memory,
                                                    const SondeSpanLogStatus *status);

G_END_DECLS
