/* SPDX-License-Identifier: Apache-2.0
 * Frames in messages: where a run stands, and which frame is selected. */
#pragma once

#include "engine/session/codec/sonde-codec.h"
#include "engine/types/sonde-frame.h"

G_BEGIN_DECLS

#define SONDE_SESSION_REQUESTS_FRAMES(X)                                                           \
  X (FRAMES, frames, SONDE_NEEDS_OPEN)                                                             \
  X (SELECT_FRAME, select_frame, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)

/* @frames: (element-type SondeFrame) (nullable) */
Sonde__Session__Frame **sonde_codec_write_frames (GPtrArray *memory, const GPtrArray *frames,
                                                  gsize *n);
/* (element-type SondeFrame) (transfer full) */
GPtrArray *sonde_codec_read_frames (Sonde__Session__Frame *const *messages, gsize n);

G_END_DECLS
