/* SPDX-License-Identifier: Apache-2.0
 * What writing and reading captures share. */
#pragma once

#include <sqlite3.h>

#include "data/captures/sonde-capture.h"

G_BEGIN_DECLS

/* Pieces of a large blob: SQLite's own limit is 1 GB a cell. */
#define SONDE_CAPTURE_PIECE ((gsize) 64 << 20)
#define SONDE_CAPTURE_MAX_BYTES ((guint64) 4 << 30)
#define SONDE_CAPTURE_MAX_ROWS 1000000

G_DEFINE_AUTOPTR_CLEANUP_FUNC (sqlite3, sqlite3_close)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (sqlite3_stmt, sqlite3_finalize)

/* Always sets @error, with what SQLite says. */
void sonde_capture_set_error (sqlite3 *database, const char *path, GError **error);

G_END_DECLS
