/* SPDX-License-Identifier: Apache-2.0 */
#include "data/runs/sonde-run-shared-private.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/runs/sonde-run-index-rows-private.h"

/* Blocks of file N have the rows from N << BLOCK_BITS on; there are fewer in memory. */
#define BLOCK_BITS 32

/* AUTOINCREMENT: a number that somebody still remembers must not come to mean another file */
static const char table_sql[]
    = "CREATE TABLE IF NOT EXISTS shared (id INTEGER PRIMARY KEY AUTOINCREMENT,"
      " path BLOB NOT NULL UNIQUE, crc INTEGER, state BLOB)";

/* ---- writing ------------------------------------------------------------- */

typedef enum
{
  FIND_FILE,
  FIND_DATA,
  DELETE_BLOCKS,
  DELETE_FILE,
  PUT_FILE,
  PUT_DATA,
  N_STATEMENTS
} Statement;

static const char *const statements_sql[N_STATEMENTS] = {
  [FIND_FILE] = "SELECT id, crc, state FROM shared WHERE path = ?",
  [FIND_DATA] = SONDE_RUN_INDEX_FIND_DATA_SQL,
  [DELETE_BLOCKS] = "DELETE FROM block_data WHERE id >= ? AND id < ?",
  [DELETE_FILE] = "DELETE FROM shared WHERE id = ?",
  [PUT_FILE] = "INSERT INTO shared (path, crc, state) VALUES (?, ?, ?)",
  [PUT_DATA] = SONDE_RUN_INDEX_PUT_DATA_SQL,
};

/* @id: (out): of the file's row, 0: there is none; @same: (out): it says @state */
static gboolean
find_row (SondeRunIndexSave *save, const SondeRunBatchFile *file, const GByteArray *state,
          gint64 *id, gboolean *same, GError **error)
{
  sqlite3_stmt *find = save->statements[FIND_FILE];
  g_autoptr (GError) failure = NULL;

  *id = 0;
  *same = FALSE;
  sqlite3_bind_blob (find, 1, file->path, strlen (file->path), SQLITE_STATIC);
  if (sonde_run_database_next (find, &failure))
    {
      *id = sqlite3_column_int64 (find, 0);
      *same = state && (guint) sqlite3_column_bytes (find, 2) == state->len
              && memcmp (sqlite3_column_blob (find, 2), state->data, state->len) == 0
              && sqlite3_column_int64 (find, 1) == sonde_frame_masked_crc (state->data, state->len);
    }
  sqlite3_reset (find);
  if (!failure)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

static gboolean
delete_file (SondeRunIndexSave *save, gint64 id, GError **error)
{
  sqlite3_stmt *blocks = save->statements[DELETE_BLOCKS];

  sqlite3_bind_int64 (blocks, 1, id << BLOCK_BITS);
  sqlite3_bind_int64 (blocks, 2, (id + 1) << BLOCK_BITS);
  sqlite3_bind_int64 (save->statements[DELETE_FILE], 1, id);
  return sonde_run_database_run (blocks, error)
         && sonde_run_database_run (save->statements[DELETE_FILE], error);
}

static gboolean
put_file (SondeRunIndexSave *save, const SondeRunBatchFile *file, const GByteArray *state,
          gint64 *id, GError **error)
{
  sqlite3_stmt *statement = save->statements[PUT_FILE];

  sqlite3_bind_blob (statement, 1, file->path, strlen (file->path), SQLITE_STATIC);
  sqlite3_bind_int64 (statement, 2, sonde_frame_masked_crc (state->data, state->len));
  sqlite3_bind_blob (statement, 3, state->data, state->len, SQLITE_STATIC);
  if (!sonde_run_database_run (statement, error))
    return FALSE;
  *id = sqlite3_last_insert_rowid (save->index->database);
  return TRUE;
}

/* The blocks of row @id, in order. FALSE when @do_block says so of one. */
static gboolean
for_each_block (SondeRunIndexSave *save, SondeRunBatchFile *file, gint64 id,
                gboolean (*do_block) (sqlite3_stmt *statement, const SondeRunBlock *block,
                                      gint64 row, GError **error),
                Statement which, GError **error)
{
  gint64 row = id << BLOCK_BITS;

  for (guint i = 0; i < file->segments->len; i++)
    {
      SondeRunBatchSegment *segment = g_ptr_array_index (file->segments, i);

      for (guint k = 0; k < segment->blocks->len; k++, row++)
        {
          g_array_index (segment->rows, gint64, k) = row;
          if (!do_block (save->statements[which], g_ptr_array_index (segment->blocks, k), row,
                         error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
has_data (sqlite3_stmt *statement, const SondeRunBlock *block, gint64 row, GError **error)
{
  return sonde_run_index_has_data (statement, block, row);
}

/* A row that says just this, and whose points are there, stays: another process may have written it,
 * and know it by its number. */
static gboolean
save_file (SondeRunIndexSave *save, SondeRunBatchFile *file, GError **error)
{
  g_autoptr (GByteArray) state = file->gone ? NULL : sonde_run_shared_encode (file);
  gboolean same;
  gint64 id;

  if (!find_row (save, file, state, &id, &same, error))
    return FALSE;
  if (same && for_each_block (save, file, id, has_data, FIND_DATA, NULL))
    return TRUE;
  if (id != 0 && !delete_file (save, id, error))
    return FALSE;
  return file->gone
         || (put_file (save, file, state, &id, error)
             && for_each_block (save, file, id, sonde_run_index_put_data, PUT_DATA, error));
}

gboolean
sonde_run_shared_save (SondeRunIndex *index, SondeRunBatch *batch, GError **error)
{
  return sonde_run_index_write (index, batch, table_sql, statements_sql, N_STATEMENTS, save_file,
                                error);
}

/* ---- reading ------------------------------------------------------------- */

static void
load_row (sqlite3_stmt *row, SondeRunIndexFindFile find_file, gpointer data, GPtrArray *names)
{
  const char *bytes = sqlite3_column_blob (row, 1);
  g_autofree char *path = g_strndup (bytes ? bytes : "", sqlite3_column_bytes (row, 1));
  SondeRunFileReader *file = find_file (data, path);
  const guint8 *state;
  gsize length;

  if (!file)
    return;
  state = sqlite3_column_blob (row, 3);
  length = sqlite3_column_bytes (row, 3);
  if (state && sqlite3_column_int64 (row, 2) == sonde_frame_masked_crc (state, length)
      && sonde_run_shared_decode (file, sqlite3_column_int64 (row, 0) << BLOCK_BITS, state, length,
                                  names))
    {
      file->unsaved = FALSE;
      return;
    }
  sonde_run_file_reader_reset (file);
  file->inode = 0;
}

gboolean
sonde_run_shared_load (SondeRunIndex *index, SondeRunIndexFindFile find_file, gpointer data,
                       guint *n_rows, GError **error)
{
  g_autoptr (sqlite3_stmt) rows = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GError) failure = NULL;

  *n_rows = 0;
  if (!sonde_run_index_ensure_database (index, error))
    return FALSE;
  if (sonde_run_database_ask (index->database,
                              "SELECT count (*) FROM sqlite_schema WHERE name = 'shared'", 0)
      == 0)
    return TRUE;
  rows = sonde_run_database_prepare (index->database,
                                     "SELECT id, path, crc, state FROM shared ORDER BY id", error);
  if (!rows)
    return FALSE;
  for (; sonde_run_database_next (rows, &failure); ++*n_rows)
    load_row (rows, find_file, data, names);
  if (!failure)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}
