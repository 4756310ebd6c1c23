/* SPDX-License-Identifier: Apache-2.0
 * Values and expressions that are read, in messages. */
#pragma once

#include "engine/session/codec/sonde-codec-tensor.h"

G_BEGIN_DECLS

#define SONDE_SESSION_REQUESTS_READING(X)                                                          \
  X (STATISTICS, read, SONDE_NEEDS_OPEN)                                                           \
  X (HISTOGRAM, read, SONDE_NEEDS_OPEN)                                                            \
  X (TENSOR, read, SONDE_NEEDS_OPEN)                                                               \
  X (SAVE, read, SONDE_NEEDS_OPEN)                                                                 \
  X (EVALUATE, evaluate, SONDE_NEEDS_OPEN)

/* The value that a STATISTICS, HISTOGRAM, TENSOR or SAVE is about. */
const Sonde__Session__Value *
sonde_codec_read_value_request (const Sonde__Session__Request *request);

/* Each adds its part to a reply that is a reading. */
void sonde_codec_write_reading_name (SondeSessionAnswer *answer, const char *name);
void sonde_codec_write_reading_form (SondeSessionAnswer *answer, SondeDtype dtype,
                                     const SondeShape *shape);
/* Form and elements. Errors: MEMORY. */
gboolean sonde_codec_write_reading_tensor (SondeSessionAnswer *answer, SondeTensor *tensor,
                                           GError **error);
void sonde_codec_write_reading_statistics (SondeSessionAnswer *answer,
                                           const SondeStatistics *statistics);
void sonde_codec_write_reading_histogram (SondeSessionAnswer *answer, const SondeBins *bins);
/* Of an expression: @explanation: (nullable) */
void sonde_codec_write_reading_truth (SondeSessionAnswer *answer, gboolean truth, gboolean unknown,
                                      const SondeMessage *explanation);

G_END_DECLS
