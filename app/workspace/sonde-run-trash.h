/* SPDX-License-Identifier: Apache-2.0
 * A folder into the desktop's trash and back, as the freedesktop.org Trash specification 1.0 says. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * sonde_run_trash_put:
 * @path: absolute
 *
 * Returns: (transfer full) (nullable): where it lies in the trash now. Errors: G_IO_ERROR_*; when the
 *   place cannot be found afterwards, NOT_FOUND.
 */
char *sonde_run_trash_put (const char *path, GError **error);

/* Moves it back from @place to @path, and its entry in the trash goes. Errors: G_IO_ERROR_*; EXISTS:
 * something has come to stand there. */
gboolean sonde_run_trash_restore (const char *place, const char *path, GError **error);

G_END_DECLS
