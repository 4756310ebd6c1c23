/* SPDX-License-Identifier: Apache-2.0
 * Breakpoints in messages. They share their ids with watches, so that what changes one may answer
 * with both. */
#pragma once

#include "engine/session/codec/sonde-codec.h"

G_BEGIN_DECLS

#define SONDE_SESSION_REQUESTS_BREAKPOINTS(X)                                                      \
  X (LIST_BREAKPOINTS, list_breakpoints, SONDE_NEEDS_OPEN)                                         \
  X (ADD_BREAKPOINT, add_breakpoint, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                       \
  X (REMOVE_BREAKPOINT, remove_breakpoint, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                 \
  X (ENABLE_BREAKPOINT, enable_breakpoint, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                 \
  X (IGNORE_BREAKPOINT, ignore_breakpoint, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)

/* Strings are lent by @message. */
void sonde_codec_read_add_breakpoint (const Sonde__Session__AddBreakpoint *message,
                                      SondeBreakpointSpec *spec);
/* All of @list (element-type SondeBreakpoint), or the one with @id. */
void sonde_codec_write_breakpoints (SondeSessionAnswer *answer, const GPtrArray *list, guint id);

G_END_DECLS
