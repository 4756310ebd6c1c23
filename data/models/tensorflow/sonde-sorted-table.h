/* SPDX-License-Identifier: Apache-2.0
 * A table of sorted keys and values as LevelDB writes it: blocks with a checksum, keys that share their
 * beginning. Read whole. What does not live here: what the values mean. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * sonde_sorted_table_foreach:
 * @path: for messages
 * @each: of every entry in the file's order; @key ends with a NUL behind its last byte. FALSE, with an
 *   error, ends the reading
 *
 * Every block's CRC-32C is checked. Compressed blocks are refused: nobody writes them here.
 * Source: table_format of LevelDB, and tensorflow/core/lib/io/format.cc
 * Errors: SONDE_DATA_ERROR_DAMAGED (with the block's place), UNSUPPORTED.
 */
gboolean sonde_sorted_table_foreach (GBytes *bytes, const char *path,
                                     gboolean (*each) (const char *key, gsize key_length,
                                                       const guint8 *value, gsize length,
                                                       gpointer data, GError **error),
                                     gpointer data, GError **error);

/* Is it the end of such a file? @length: of it */
gboolean sonde_sorted_table_sniff (const guint8 *end, gsize length);

#define SONDE_SORTED_TABLE_FOOTER 48

/* CRC-32C as these files store it, so that a checksum of what holds checksums is none of those. @crc: of
 * the bytes before, 0 at first: see sonde_crc32c_extend() */
guint32 sonde_crc32c_extend (guint32 crc, const guint8 *bytes, gsize length);
guint32 sonde_crc32c_mask (guint32 crc);

G_END_DECLS
