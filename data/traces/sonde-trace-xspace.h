/* SPDX-License-Identifier: Apache-2.0
 * Traces of TensorFlow's and JAX's profiler: an XSpace message (*.xplane.pb) of planes, lines and
 * events. A plane may hold gigabytes in one message, with the names behind the events: it is walked
 * over twice. Source of the numbers: tensorflow/tsl xplane.proto. */
#pragma once

#include "data/traces/sonde-byte-stream.h"
#include "data/traces/sonde-trace-builder.h"

G_BEGIN_DECLS

/* @head: the first bytes of a file. Whether they begin a plane with a name. */
gboolean sonde_trace_is_xspace (const guint8 *head, gsize n);

/**
 * sonde_trace_read_xspace:
 * @stream: at the beginning of the file
 *
 * Where the bytes are no XSpace any more the trace is marked as truncated; everything before counts.
 * Errors: of the stream.
 */
gboolean sonde_trace_read_xspace (SondeTraceBuilder *builder, SondeByteStream *stream,
                                  GError **error);

G_END_DECLS
