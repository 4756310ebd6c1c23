/* SPDX-License-Identifier: Apache-2.0
 * Tensors, statistics and bytes in messages; what is large travels as a descriptor. */
#pragma once

#include "engine/session/codec/sonde-codec.h"
#include "engine/session/sonde-session-channel-private.h"

G_BEGIN_DECLS

/**
 * SondeReplySource: where memory that does not lie in a reply comes from
 * @taken: bytes of descriptors that were taken over, to be told to the server
 */
typedef struct
{
  SondeSessionChannel *channel;
  guint64 taken;
} SondeReplySource;

/* A tensor without its elements. */
Sonde__Session__Tensor *sonde_codec_write_form (GPtrArray *memory, SondeDtype dtype,
                                                const SondeShape *shape);
/* Errors: PROTOCOL for what no tensor can be. */
gboolean sonde_codec_read_form (const Sonde__Session__Tensor *message, SondeDtype *dtype,
                                SondeShape *shape, GError **error);

/* With them; outside of the frame where they are many. (nullable): NULL with @error MEMORY */
Sonde__Session__Tensor *sonde_codec_write_tensor (SondeSessionAnswer *answer, SondeTensor *tensor,
                                                  GError **error);
/* @tensor: (out) (transfer full): NULL where no elements came. Errors: PROTOCOL */
gboolean sonde_codec_read_tensor (const Sonde__Session__Tensor *message, SondeReplySource *source,
                                  SondeDtype *dtype, SondeShape *shape, SondeTensor **tensor,
                                  GError **error);

/* With them inside of the frame, not of strings. */
Sonde__Session__Tensor *sonde_codec_write_inside (GPtrArray *memory, SondeTensor *tensor);
/* (transfer full) (nullable): NULL where bytes and shape do not go together */
SondeTensor *sonde_codec_read_inside (const Sonde__Session__Tensor *message);

/* Errors: MEMORY. */
gboolean sonde_codec_write_bytes (SondeSessionAnswer *answer, Sonde__Session__Data *data,
                                  const void *bytes, gsize length, GError **error);
/* (transfer full) Errors: PROTOCOL, MEMORY. */
GBytes *sonde_codec_read_bytes (const Sonde__Session__Data *data, SondeReplySource *source,
                                GError **error);
/* Bytes of the reply that lie in a descriptor. */
guint64 sonde_codec_memfd_bytes (const Sonde__Session__Reply *reply);

Sonde__Session__Statistics *sonde_codec_write_statistics (GPtrArray *memory,
                                                          const SondeStatistics *statistics);
void sonde_codec_read_statistics (const Sonde__Session__Statistics *from,
                                  SondeStatistics *statistics);

G_END_DECLS
