/* SPDX-License-Identifier: Apache-2.0
 * Traces in Perfetto's protobuf format: track events, packet by packet. */
#pragma once

#include "data/traces/sonde-byte-stream.h"
#include "data/traces/sonde-trace-builder.h"

G_BEGIN_DECLS

/**
 * sonde_trace_read_perfetto:
 * @stream: at the beginning of the file
 *
 * Packets that cannot be read are counted; where the bytes are no packets any more the trace is
 * marked as truncated. Errors: of the stream.
 */
gboolean sonde_trace_read_perfetto (SondeTraceBuilder *builder, SondeByteStream *stream,
                                    GError **error);

G_END_DECLS
