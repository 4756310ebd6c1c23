/* SPDX-License-Identifier: Apache-2.0
 * The text that `perf script` of Linux prints: a block a sample, which begins with a line
 *
 *   COMM PID[/TID] [CPU] SECONDS: [PERIOD] EVENT:
 *
 * and goes on with the frames from the innermost outwards, a line each:
 *
 *   ADDRESS SYMBOL+0xOFFSET (FILE)
 *
 * A sample without call chain has its one frame in the first line. */
#pragma once

#include "data/traces/sonde-byte-stream.h"
#include "data/traces/sonde-trace-builder.h"

G_BEGIN_DECLS

/* Whether the first line that is neither empty nor a comment begins a block. */
gboolean sonde_trace_is_perf (SondeByteStream *stream);

/**
 * sonde_trace_read_perf:
 * @stream: at the beginning of the file
 *
 * A block is one sample. Lines outside of blocks that are no comment are counted.
 * Errors: of the stream.
 */
gboolean sonde_trace_read_perf (SondeTraceBuilder *builder, SondeByteStream *stream,
                                GError **error);

G_END_DECLS
