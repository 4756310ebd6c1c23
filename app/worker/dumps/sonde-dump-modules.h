/* SPDX-License-Identifier: Apache-2.0
 * What modules gave, out of a dump of msprobe, by their paths: what another run is compared with. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * sonde_dump_modules_read:
 * @path: the folder of a rank, that of a step with one, or the whole dump, of which the first step counts
 * @is_dump: (out): FALSE without an error: msprobe dumped nothing into @path
 *
 * Path of a module ("layers.0.conv") -> SondeTensor, the first output of its first forward call. Returns: (transfer full) (nullable). Errors: INVALID where it must be said which rank;
 * NOT_FOUND, saying why, where the dump has no tensors of modules; of its files.
 */
GHashTable *sonde_dump_modules_read (const char *path, gboolean *is_dump, GError **error);

G_END_DECLS
