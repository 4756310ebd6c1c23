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
  DELETE_BLOCKS,
  DELETE_FILE,
  PUT_FILE,
  PUT_DATA,
  N_STATEMENTS
} Statement;

static const char *const statements_sql[N_STATEMENTS] = {
  [FIND_FILE] = "SELECT id FROM shared WHERE path = ?",
  [DELETE_BLOCKS] = "DELETE FROM block_data WHERE id >= ? AND id < ?",
  [DELETE_FILE] = "DELETE FROM shared WHERE id = ?",
  [PUT_FILE] = "INSERT INTO shared (path, crc, state) VALUES (?, ?, ?)",
  [PUT_DATA] = SONDE_RUN_INDEX_PUT_DATA_SQL,
};

typedef struct
{
  SondeRunIndex *index;
  SondeRunBatch *batch;
  sqlite3_stmt *statements[N_STATEMENTS];
} Save;

static gboolean
delete_file (Save *save, const SondeRunBatchFile *file, GError **error)
{
  sqlite3_stmt *find = save->statements[FIND_FILE], *blocks = save->statements[DELETE_BLOCKS];
  g_autoptr (GError) failure = NULL;
  gint64 id = 0;

  sqlite3_bind_blob (find, 1, file->path, strlen (file->path), SQLITE_STATIC);
  if (sonde_run_database_next (find, &failure))
    id = sqlite3_column_int64 (find, 0);
  sqlite3_reset (find);
  if (failure)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  if (id == 0)
    return TRUE;
  sqlite3_bind_int64 (blocks, 1, id << BLOCK_BITS);
  sqlite3_bind_int64 (blocks, 2, (id + 1) << BLOCK_BITS);
  sqlite3_bind_int64 (save->statements[DELETE_FILE], 1, id);
  return sonde_run_database_run (blocks, error)
         && sonde_run_database_run (save->statements[DELETE_FILE], error);
}

static gboolean
put_file (Save *save, const SondeRunBatchFile *file, gint64 *id, GError **error)
{
  g_autoptr (GByteArray) state = sonde_run_shared_encode (file);
  sqlite3_stmt *statement = save->statements[PUT_FILE];

  sqlite3_bind_blob (statement, 1, file->path, strlen (file->path), SQLITE_STATIC);
  sqlite3_bind_int64 (statement, 2, sonde_frame_masked_crc (state->data, state->len));
  sqlite3_bind_blob (statement, 3, state->data, state->len, SQLITE_STATIC);
  if (!sonde_run_database_run (statement, error))
    return FALSE;
  *id = sqlite3_last_insert_rowid (save->index->database);
  return TRUE;
}

static gboolean
save_file (Save *save, SondeRunBatchFile *file, GError **error)
{
  gint64 id, row;

  if (!delete_file (save, file, error))
    return FALSE;
  if (file->gone)
    return TRUE;
  if (!put_file (save, file, &id, error))
    return FALSE;
  row = id << BLOCK_BITS;
  for (guint i = 0; i < file->segments->len; i++)
    {
      SondeRunBatchSegment *segment = g_ptr_array_index (file->segments, i);

      for (guint k = 0; k < segment->blocks->len; k++)
        {
          g_array_index (segment->rows, gint64, k) = row;
          if (!sonde_run_index_put_data (save->statements[PUT_DATA],
                                         g_ptr_array_index (segment->blocks, k), row++, error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
save_files (SondeRunIndex *index, gpointer data, GError **error)
{
  Save *save = data;

  if (!sonde_run_database_execute (index->database, table_sql, error))
    return FALSE;
  for (gsize i = 0; i < N_STATEMENTS; i++)
    {
      save->statements[i] = sonde_run_database_prepare (index->database, statements_sql[i], error);
      if (!save->statements[i])
        return FALSE;
    }
  for (guint i = 0; i < save->batch->files->len; i++)
    if (!save_file (save, g_ptr_array_index (save->batch->files, i), error))
      return FALSE;
  return TRUE;
}

static void
finish_statements (gpointer data)
{
  Save *save = data;

  for (gsize i = 0; i < N_STATEMENTS; i++)
    g_clear_pointer (&save->statements[i], sqlite3_finalize);
}

gboolean
sonde_run_shared_save (SondeRunIndex *index, SondeRunBatch *batch, GError **error)
{
  Save save = { .index = index, .batch = batch };

  return sonde_run_index_write (index, save_files, finish_statements, &save, error);
}

/* ---- reading ------------------------------------------------------------- */

static void
load_row (sqlite3_stmt *row, SondeRunIndexFindFile find_file, gpointer data)
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
      && sonde_run_shared_decode (file, sqlite3_column_int64 (row, 0) << BLOCK_BITS, state, length))
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
    load_row (rows, find_file, data);
  if (!failure)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}
