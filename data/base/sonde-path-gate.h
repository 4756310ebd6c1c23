/* SPDX-License-Identifier: Apache-2.0
 * The gate for every path that stands inside a file (external data, assets): it may only lead to a
 * regular file with one name, beneath the folder of the file that mentions it. No path strings are
 * compared; the kernel resolves (openat2 beneath, without symbolic links). */
#pragma once

#include "data/base/sonde-io.h"

G_BEGIN_DECLS

/**
 * sonde_path_gate_open:
 * @folder: the trusted folder; NULL or "" is an error, never the current directory
 * @path: relative path out of a file
 * @size: (out) (optional): size of the opened file in bytes
 *
 * Returns: a file descriptor for reading, or -1 with @error set.
 * Errors: SONDE_DATA_ERROR_FORBIDDEN (absolute, leaves @folder, symbolic or hard link, not
 * regular), NOT_FOUND, IO.
 */
int sonde_path_gate_open (const SondeIo *io, const char *folder, const char *path, guint64 *size,
                          GError **error);

/* The whole of such a file, with a NUL behind its last byte. Errors: also LIMIT when larger than
 * @max_bytes, NO_MEMORY.
 * Returns: (transfer full) */
GBytes *sonde_path_gate_read (const SondeIo *io, const char *folder, const char *path,
                              guint64 max_bytes, GError **error);

G_END_DECLS
