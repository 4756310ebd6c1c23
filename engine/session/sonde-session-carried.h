/* SPDX-License-Identifier: Apache-2.0
 * What travels as a descriptor where a Unix socket is, as bytes where none is (ssh): a length with
 * its highest bit set, then so many bytes, then the frame that the descriptor went with. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* ---- out ----------------------------------------------------------------- */

/* What a sealed memfd holds. @memfd: (transfer full). Returns: (transfer full): it is not copied */
GBytes *sonde_session_carried_dup_bytes (int memfd, GError **error);
/* What stands before @bytes. (transfer full) */
GBytes *sonde_session_carried_dup_head (GBytes *bytes);

/* ---- in ------------------------------------------------------------------ */

/* Is it the length of such bytes, not of a frame? */
gboolean sonde_session_carried_is_head (guint32 length);
guint64 sonde_session_carried_get_bytes (guint32 length);
guint64 sonde_session_carried_get_size (int fd); /* of a whole one */

/**
 * sonde_session_carried_open:
 * @bytes, @n: how many wait to be taken, these included: bytes, and descriptors before
 * Returns: (transfer full): a descriptor to be filled; -1 with @error PROTOCOL for more than anybody
 * may send
 */
int sonde_session_carried_open (guint64 bytes, guint n, GError **error);

/**
 * sonde_session_carried_take:
 * @start: @there bytes that came
 * @left: (inout): that are still to come
 * @consumed: (inout): of the caller's input
 * Writes what belongs to it; when all is there, it is sealed.
 */
gboolean sonde_session_carried_take (int fd, const guint8 *start, gsize there, guint64 *left,
                                     gsize *consumed, GError **error);

/* Closes one that is not whole, if there is any. */
void sonde_session_carried_drop (int *fd);

G_END_DECLS
