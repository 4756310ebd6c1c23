/* SPDX-License-Identifier: Apache-2.0
 * A file that is written piece by piece and takes its name only when it is whole: after a crash either
 * the old or the new one is there. For one piece there is sonde_io_replace_file(). */
#pragma once

#include "data/base/sonde-io.h"

G_BEGIN_DECLS

typedef struct _SondeReplacement SondeReplacement;

/**
 * sonde_replacement_begin:
 * @io: (nullable): NULL is sonde_io_system(); must outlive the replacement
 *
 * A temporary file in the same folder. What is at @path and is no regular file (a device, a pipe, a
 * symbolic link) is written into instead, from here on. Errors: a read-only file is left alone.
 */
SondeReplacement *sonde_replacement_begin (const SondeIo *io, const char *path, GError **error);

/* Returns FALSE with @error set; the replacement is still to be abandoned then. */
gboolean sonde_replacement_write (SondeReplacement *replacement, const void *data, gsize length,
                                  GError **error);

/**
 * sonde_replacement_finish:
 * @replacement: (transfer full)
 *
 * Brings the file to the disk under its name. On an error the old file is untouched and the temporary one
 * removed (only when the last step, the folder's fsync, fails is the new file in place already).
 */
gboolean sonde_replacement_finish (SondeReplacement *replacement, GError **error);

/* Removes what was written. @replacement: (transfer full) (nullable) */
void sonde_replacement_abandon (SondeReplacement *replacement);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeReplacement, sonde_replacement_abandon)

G_END_DECLS
