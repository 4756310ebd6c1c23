/* SPDX-License-Identifier: Apache-2.0
 * Opening a trace of any format, which is recognised by its bytes and never by its name. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

/**
 * sonde_trace_file_sniff:
 * @io: (nullable): NULL is sonde_io_system()
 * @format: (out) (optional): which one it is
 *
 * Whether the bytes at the beginning of a file are those of a trace. Reads a little; of a text that may
 * be collapsed stacks some MiB. Returns FALSE, too, when the file cannot be read.
 */
gboolean sonde_trace_file_sniff (const SondeIo *io, const char *path, SondeTraceFormat *format);

/**
 * sonde_trace_file_read:
 * @io: (nullable): NULL is sonde_io_system()
 *
 * Reads a trace; of a damaged one what can be read, with counts of what could not.
 * Errors: SONDE_DATA_ERROR_UNSUPPORTED when it is empty or no trace, SONDE_DATA_ERROR_IO and others
 * when it cannot be read.
 */
SondeTrace *sonde_trace_file_read (const SondeIo *io, const char *path, GError **error);

G_END_DECLS
