/* SPDX-License-Identifier: Apache-2.0
 * Members of a zip archive, one after the other, in memory through libarchive; nothing is unpacked to
 * disk. */
#pragma once

#include "data/base/sonde-io.h"

G_BEGIN_DECLS

/**
 * SondeZipTaker: who gets the members
 * @wants: FALSE steps over the member @name
 * @take: a whole member, its checksum compared. @bytes: (transfer full). FALSE ends the reading
 */
typedef struct
{
  gboolean (*wants) (gpointer data, const char *name);
  gboolean (*take) (gpointer data, const char *name, guint8 *bytes, gsize length, GError **error);
} SondeZipTaker;

/**
 * sonde_zip_read:
 * @io: (nullable): file calls
 * @kind: what the file should be, for messages: ".npz"
 *
 * In the order in which they lie. What is wanted is at most the parse budget in all. Errors: of
 * @taker; IO, DAMAGED with file, member and offset, LIMIT.
 */
gboolean sonde_zip_read (const SondeIo *io, const char *path, const char *kind,
                         const SondeZipTaker *taker, gpointer data, GError **error);

G_END_DECLS
