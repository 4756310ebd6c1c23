/* SPDX-License-Identifier: Apache-2.0
 * Bytes as they stream by, from a file or from anything else that gives some at a time: what lies
 * ahead can be looked at, up to a bounded number of bytes, and is then skipped. What does not live
 * here: what the bytes mean. */
#pragma once

#include "data/base/sonde-io.h"

G_BEGIN_DECLS

/* Greatest number of bytes that can be looked at at once. */
#define SONDE_BYTE_STREAM_MAX ((gsize) 32 << 20)

/* Gives up to @n bytes; 0 at the end, -1 with @error set. */
typedef gssize (*SondeByteSource) (gpointer data, guint8 *bytes, gsize n, GError **error);

typedef struct _SondeByteStream SondeByteStream;

SondeByteStream *sonde_byte_stream_new (SondeByteSource source, gpointer data);
/* From the beginning of a file. @io, @fd, @name: as for sonde_io_pread_full(); must outlive it. */
SondeByteStream *sonde_byte_stream_new_for_file (const SondeIo *io, int fd, const char *name);
void sonde_byte_stream_free (SondeByteStream *stream); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeByteStream, sonde_byte_stream_free)

/* Where the next byte stands. */
guint64 sonde_byte_stream_get_offset (const SondeByteStream *stream);

/**
 * sonde_byte_stream_peek:
 * @wanted: ≤ SONDE_BYTE_STREAM_MAX
 * @n: (out): at least @wanted, less only at the end or after an error
 *
 * Returns: (transfer none): the next bytes; valid until the next call.
 */
const guint8 *sonde_byte_stream_peek (SondeByteStream *stream, gsize wanted, gsize *n);

/* Returns FALSE when there are fewer than @n; the place is not defined then. What is skipped of a file is
 * not read. */
gboolean sonde_byte_stream_skip (SondeByteStream *stream, guint64 n);

/* A file only: the next byte is the one at @offset. */
void sonde_byte_stream_seek (SondeByteStream *stream, guint64 offset);

/* The reading itself failed: (transfer full) (nullable), an error of the source. */
GError *sonde_byte_stream_steal_error (SondeByteStream *stream);

/**
 * sonde_byte_stream_take_line:
 * @bytes, @n: (out): the line without its end ("\n" or "\r\n"); valid until the next call
 *
 * A line longer than SONDE_BYTE_STREAM_MAX / 8 is skipped, @bytes is NULL then.
 * Returns FALSE at the end or after an error.
 */
gboolean sonde_byte_stream_take_line (SondeByteStream *stream, const char **bytes, gsize *n);

G_END_DECLS
