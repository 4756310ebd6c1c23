/* SPDX-License-Identifier: Apache-2.0
 * Searches in messages: origins, small failing cases, divergence, precision. */
#pragma once

#include "engine/session/codec/sonde-codec.h"

G_BEGIN_DECLS

#define SONDE_SESSION_REQUESTS_SEARCH(X)                                                           \
  X (ORIGIN, origin, SONDE_NEEDS_OPEN)                                                             \
  X (REDUCE, reduce, SONDE_NEEDS_OPEN)                                                             \
  X (DIVERGE, diverge, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                                     \
  X (PRECISION, precision, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                                 \
  X (COMPARE_STEP, compare_step, SONDE_NEEDS_CONTROL)

/* Strings are lent by @message. */
void sonde_codec_read_diverge (const Sonde__Session__Diverge *message,
                               SondeDivergeRequest *diverge);
/* All but the order, which the caller lends as it needs it. */
void sonde_codec_read_compare_step (const Sonde__Session__CompareStep *message,
                                    SondeStepComparisonRequest *asked);

void sonde_codec_write_origin (SondeSessionAnswer *answer, const SondeOrigin *origin);
void sonde_codec_write_reduction (SondeSessionAnswer *answer, const SondeReducedCase *reduced);
void sonde_codec_write_divergence (SondeSessionAnswer *answer, const SondeDivergence *divergence);
void sonde_codec_write_precision (SondeSessionAnswer *answer, const SondePrecisionFound *found);

G_END_DECLS
