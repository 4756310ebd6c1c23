/* SPDX-License-Identifier: Apache-2.0
 * Opening SQLite with the settings that a database of unknown origin needs. */
#include "data/runs/sonde-run-database-private.h"

#include "data/base/sonde-error.h"

#define CHECKPOINT_BYTES (16 << 20)

/* In a database that is as we made it, no table is missing and nothing is there twice. */
static gboolean
is_damage (int reason)
{
  return reason == SQLITE_CORRUPT || reason == SQLITE_NOTADB || reason == SQLITE_CONSTRAINT
         || reason == SQLITE_ERROR;
}

void
sonde_run_database_set_error (sqlite3 *database, GError **error)
{
  int reason = sqlite3_errcode (database) & 0xff;
  SondeDataError code = is_damage (reason)      ? SONDE_DATA_ERROR_DAMAGED
                        : reason == SQLITE_FULL ? SONDE_DATA_ERROR_NO_SPACE
                                                : SONDE_DATA_ERROR_IO;
  const char *path = sqlite3_db_filename (database, "main");

  sonde_set_error (error, SONDE_DATA_ERROR, code, "index “%s”: %s", path ? path : "",
                   sqlite3_errmsg (database));
}

gboolean
sonde_run_database_is_busy (sqlite3 *database)
{
  int reason = sqlite3_errcode (database) & 0xff;

  return reason == SQLITE_BUSY || reason == SQLITE_LOCKED;
}

/* Contents may be anybody's: no triggers' functions, no extensions, cells checked. */
static gboolean
harden (sqlite3 *database, gboolean read_only, int wait_ms, GError **error)
{
  sqlite3_extended_result_codes (database, 1);
  sqlite3_busy_timeout (database, wait_ms);
  sqlite3_db_config (database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config (database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, read_only, NULL);
  sqlite3_wal_autocheckpoint (database, 0);
  if (!sonde_run_database_execute (database, "PRAGMA cell_size_check = ON", error))
    return FALSE;
  /* This one reads the schema. Whoever is kept from it has waited now, and is told with the first
   * question. */
  if (read_only || sonde_run_database_execute (database, "PRAGMA synchronous = OFF", NULL))
    return TRUE;
  if (sonde_run_database_is_busy (database))
    return sqlite3_busy_timeout (database, 0) == SQLITE_OK;
  sonde_run_database_set_error (database, error);
  return FALSE;
}

gboolean
sonde_run_database_use_wal (sqlite3 *database, GError **error)
{
  gint64 page_bytes = sonde_run_database_ask (database, "PRAGMA page_size", 4096);

  sqlite3_wal_autocheckpoint (database, (int) (CHECKPOINT_BYTES / MAX (page_bytes, 1)));
  return sonde_run_database_execute (database, "PRAGMA journal_mode = WAL", error);
}

/* Takes the place of the name of a file. */
#define MEMORY_NAME "new"

sqlite3 *
sonde_run_database_new (guint page_bytes, GError **error)
{
  g_autofree char *page_size = g_strdup_printf ("PRAGMA page_size = %u", page_bytes);
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3 *database = NULL;

  if (sqlite3_open_v2 (MEMORY_NAME, &database, flags, "memdb") != SQLITE_OK)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO,
                       "cannot create a new index: %-s",
                       database ? sqlite3_errmsg (database) : N_ ("no memory"));
      sqlite3_close (database);
      return NULL;
    }
  if (!harden (database, FALSE, 0, error)
      || !sonde_run_database_execute (database, page_size, error)
      || !sonde_run_database_execute (database, "PRAGMA journal_mode = OFF", error))
    g_clear_pointer (&database, sqlite3_close);
  return database;
}

const void *
sonde_run_database_peek_bytes (sqlite3 *database, gsize *length)
{
  sqlite3_int64 size = 0;
  const void *bytes = sqlite3_serialize (database, "main", &size, SQLITE_SERIALIZE_NOCOPY);

  *length = size > 0 ? size : 0;
  return bytes;
}

sqlite3 *
sonde_run_database_open (const char *path, gboolean read_only, int wait_ms, GError **error)
{
  int flags = SQLITE_OPEN_NOMUTEX | (read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
  sqlite3 *database = NULL;

  if (sqlite3_open_v2 (path, &database, flags, NULL) != SQLITE_OK)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO, "index “%s”: %-s", path,
                       database ? sqlite3_errmsg (database) : N_ ("no memory"));
      sqlite3_close (database);
      return NULL;
    }
  if (!harden (database, read_only, wait_ms, error))
    {
      sqlite3_close (database);
      return NULL;
    }
  return database;
}

void
sonde_run_database_close (sqlite3 *database)
{
  sqlite3_close (database);
}

gboolean
sonde_run_database_execute (sqlite3 *database, const char *sql, GError **error)
{
  if (sqlite3_exec (database, sql, NULL, NULL, NULL) == SQLITE_OK)
    return TRUE;
  sonde_run_database_set_error (database, error);
  return FALSE;
}

sqlite3_stmt *
sonde_run_database_prepare (sqlite3 *database, const char *sql, GError **error)
{
  sqlite3_stmt *statement = NULL;

  if (sqlite3_prepare_v2 (database, sql, -1, &statement, NULL) != SQLITE_OK)
    sonde_run_database_set_error (database, error);
  return statement;
}

gboolean
sonde_run_database_next (sqlite3_stmt *statement, GError **error)
{
  int result = sqlite3_step (statement);

  if (result != SQLITE_ROW && result != SQLITE_DONE)
    sonde_run_database_set_error (sqlite3_db_handle (statement), error);
  return result == SQLITE_ROW;
}

gboolean
sonde_run_database_run (sqlite3_stmt *statement, GError **error)
{
  g_autoptr (GError) failure = NULL;

  sonde_run_database_next (statement, &failure);
  sqlite3_reset (statement);
  sqlite3_clear_bindings (statement);
  if (!failure)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

gint64
sonde_run_database_ask (sqlite3 *database, const char *sql, gint64 fallback)
{
  g_autoptr (sqlite3_stmt) statement = sonde_run_database_prepare (database, sql, NULL);

  if (!statement || !sonde_run_database_next (statement, NULL))
    return fallback;
  return sqlite3_column_int64 (statement, 0);
}
