/* SPDX-License-Identifier: Apache-2.0
 * Small helpers around SQLite: statements that free themselves, errors that say which file. */
#pragma once

#include <glib.h>
#include <sqlite3.h>

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (sqlite3_stmt, sqlite3_finalize)

/* One that exists.
 * @read_only: never writes, never checkpoints, not even when it is the last to close.
 * @wait_ms: for locks of other connections, which are rare and short */
sqlite3 *sonde_run_database_open (const char *path, gboolean read_only, int wait_ms,
                                  GError **error);
/* A new one in memory. @page_bytes: a power of two; large ones take fewer calls to write much. */
sqlite3 *sonde_run_database_new (guint page_bytes, GError **error);
/* The bytes of one of sonde_run_database_new(), until it is used again; NULL when there are
 * none. */
const void *sonde_run_database_peek_bytes (sqlite3 *database, gsize *length);
/* For changes while others read: from now on in WAL mode. */
gboolean sonde_run_database_use_wal (sqlite3 *database, GError **error);
/* NULL is fine. */
void sonde_run_database_close (sqlite3 *database);

/* Sets @error from the connection's last failure: SONDE_DATA_ERROR_DAMAGED, NO_SPACE or IO. */
void sonde_run_database_set_error (sqlite3 *database, GError **error);

/* Was the connection's last failure that another one holds a lock? */
gboolean sonde_run_database_is_busy (sqlite3 *database);

gboolean sonde_run_database_execute (sqlite3 *database, const char *sql, GError **error);
/* Returns: (transfer full) (nullable) */
sqlite3_stmt *sonde_run_database_prepare (sqlite3 *database, const char *sql, GError **error);
/* Runs a statement that gives no row, and makes it ready for the next time. */
gboolean sonde_run_database_run (sqlite3_stmt *statement, GError **error);
/* Next row: TRUE; end: FALSE without, failure: FALSE with @error. */
gboolean sonde_run_database_next (sqlite3_stmt *statement, GError **error);
/* One number; @fallback when there is no row or the statement fails. */
gint64 sonde_run_database_ask (sqlite3 *database, const char *sql, gint64 fallback);

G_END_DECLS
