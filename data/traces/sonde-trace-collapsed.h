/* SPDX-License-Identifier: Apache-2.0
 * Collapsed stacks, a line each: frames from the outermost inwards, a semicolon between them, a space
 * and how often the stack was seen. Written by py-spy (raw), stackcollapse-*.pl, inferno, austin. */
#pragma once

#include "data/traces/sonde-byte-stream.h"
#include "data/traces/sonde-trace-builder.h"

G_BEGIN_DECLS

/* Whether there is a right line among the first MiBs; what is no text has none. */
gboolean sonde_trace_is_collapsed (SondeByteStream *stream);

/**
 * sonde_trace_read_collapsed:
 * @stream: at the beginning of the file
 *
 * Lines that are neither empty nor right are counted. Errors: of the stream.
 */
gboolean sonde_trace_read_collapsed (SondeTraceBuilder *builder, SondeByteStream *stream,
                                     GError **error);

G_END_DECLS
