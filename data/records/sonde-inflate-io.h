/* SPDX-License-Identifier: Apache-2.0
 * A table of file calls that shows a gzip file as what is inside: offsets are those of the inflated
 * bytes. Reading forward inflates as it goes; a bounded window behind can be read again, what is
 * further back begins anew. Nothing is ever unpacked to the disk. One file and one thread at a
 * time. */
#pragma once

#include "data/base/sonde-io.h"

G_BEGIN_DECLS

typedef struct _SondeInflateIo SondeInflateIo;

SondeInflateIo *sonde_inflate_io_new (const SondeIo *below); /* (nullable), outlives it */
void sonde_inflate_io_free (SondeInflateIo *inflate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeInflateIo, sonde_inflate_io_free)

/* Only reading calls work on what it opens. Until the end was met the size is a number beyond all
 * files. */
const SondeIo *sonde_inflate_io_get_io (SondeInflateIo *inflate);

/**
 * sonde_inflate_io_is_complete:
 * @reason: (out) (optional) (transfer none): why not, NULL when nothing is wrong so far: static
 *
 * Whether the end of the compressed data was met, checksum and all.
 */
gboolean sonde_inflate_io_is_complete (SondeInflateIo *inflate, const char **reason);

/* Whether the end was met at all, and how much is inside then. */
gboolean sonde_inflate_io_get_size (SondeInflateIo *inflate, guint64 *size);

G_END_DECLS
