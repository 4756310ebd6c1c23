/* SPDX-License-Identifier: Apache-2.0
 * Batch -> rows of an index. Rows that are new are noted in the batch; they count only when all of
 * it was committed. */
#include "data/runs/sonde-run-index-rows-private.h"

#include <string.h>

#include "data/base/sonde-error.h"

typedef enum
{
  PUT_FILE,
  PUT_TAG,
  PUT_DAMAGE,
  PUT_SEGMENT,
  UPDATE_SEGMENT,
  PUT_BLOCK,
  UPDATE_BLOCK,
  PUT_DATA,
  N_STATEMENTS
} Statement;

static const char *const statements_sql[N_STATEMENTS] = {
  [PUT_FILE]
  = "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  [PUT_TAG] = "INSERT OR REPLACE INTO tags VALUES (?, ?, ?, ?)",
  [PUT_DAMAGE] = "INSERT INTO damage VALUES (?, ?, ?, ?, ?)",
  [PUT_SEGMENT] = "INSERT INTO segments (count, first_step, last_step, file, tag, kind)"
                  " VALUES (?, ?, ?, ?, ?, ?)",
  [UPDATE_SEGMENT] = "UPDATE segments SET count = ?, first_step = ?, last_step = ? WHERE id = ?",
  [PUT_BLOCK] = "INSERT INTO blocks (n, summary, segment, number) VALUES (?, ?, ?, ?)",
  [UPDATE_BLOCK] = "UPDATE blocks SET n = ?, summary = ? WHERE id = ?",
  [PUT_DATA] = SONDE_RUN_INDEX_PUT_DATA_SQL,
};

static gboolean
run (SondeRunIndexSave *save, Statement which, GError **error)
{
  return sonde_run_database_run (save->statements[which], error);
}

static gint64
last_row (SondeRunIndexSave *save)
{
  return sqlite3_last_insert_rowid (save->index->database);
}

/* ---- files --------------------------------------------------------------- */

static gboolean
forget_file (SondeRunIndexSave *save, SondeRunBatchFile *file, GError **error)
{
  g_autofree char *sql = g_strdup_printf (
      "DELETE FROM block_data WHERE id IN (SELECT blocks.id FROM blocks JOIN segments"
      " ON blocks.segment = segments.id WHERE segments.file = %1$" G_GINT64_FORMAT ");"
      "DELETE FROM blocks WHERE segment IN (SELECT id FROM segments WHERE file = "
      "%1$" G_GINT64_FORMAT ");"
      "DELETE FROM segments WHERE file = %1$" G_GINT64_FORMAT ";"
      "DELETE FROM tags WHERE file = %1$" G_GINT64_FORMAT ";"
      "DELETE FROM damage WHERE file = %1$" G_GINT64_FORMAT ";"
      "DELETE FROM files WHERE id = %1$" G_GINT64_FORMAT,
      file->row);

  return sonde_run_database_execute (save->index->database, sql, error);
}

static gboolean
put_file (SondeRunIndexSave *save, SondeRunBatchFile *file, GError **error)
{
  sqlite3_stmt *statement = save->statements[PUT_FILE];

  if (file->row)
    sqlite3_bind_int64 (statement, 1, file->row);
  sqlite3_bind_blob (statement, 2, file->relative, strlen (file->relative), SQLITE_STATIC);
  sqlite3_bind_blob (statement, 3, file->anchor, file->n_anchor, SQLITE_STATIC);
  for (gsize i = 0; i < G_N_ELEMENTS (file->numbers); i++)
    sqlite3_bind_int64 (statement, 4 + i, file->numbers[i]);
  if (!run (save, PUT_FILE, error))
    return FALSE;
  if (!file->row)
    file->row = last_row (save);
  return TRUE;
}

static gboolean
put_tags (SondeRunIndexSave *save, SondeRunBatchFile *file, GError **error)
{
  sqlite3_stmt *statement = save->statements[PUT_TAG];

  for (guint i = 0; i < file->tags->len; i++)
    {
      const SondeRecordTag *tag = &g_array_index (file->tags, SondeRecordTag, i);

      if (!tag->name)
        continue;
      sqlite3_bind_int64 (statement, 1, file->row);
      sqlite3_bind_int64 (statement, 2, file->first_tag + i);
      sqlite3_bind_blob (statement, 3, tag->name, strlen (tag->name), SQLITE_STATIC);
      if (tag->state)
        sqlite3_bind_blob (statement, 4, tag->state, strlen (tag->state), SQLITE_STATIC);
      if (!run (save, PUT_TAG, error))
        return FALSE;
    }
  return TRUE;
}

/* Lists are short: written anew each time. */
static gboolean
put_damage (SondeRunIndexSave *save, SondeRunBatchFile *file, GError **error)
{
  g_autofree char *sql = g_strdup_printf ("DELETE FROM damage WHERE file = %" PRIi64, file->row);
  sqlite3_stmt *statement = save->statements[PUT_DAMAGE];

  if (!sonde_run_database_execute (save->index->database, sql, error))
    return FALSE;
  for (guint i = 0; i < file->damage->len; i++)
    {
      const SondeFrameDamage *damage = g_ptr_array_index (file->damage, i);

      sqlite3_bind_int64 (statement, 1, file->row);
      sqlite3_bind_int64 (statement, 2, damage->offset);
      sqlite3_bind_int64 (statement, 3, damage->bytes);
      sqlite3_bind_text (statement, 4, damage->reason, -1, SQLITE_STATIC);
      sqlite3_bind_int (statement, 5, i >= file->n_damage);
      if (!run (save, PUT_DAMAGE, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- segments and blocks ------------------------------------------------- */

static gboolean
put_segment (SondeRunIndexSave *save, SondeRunBatchSegment *segment, gint64 file_row,
             GError **error)
{
  Statement which = segment->row ? UPDATE_SEGMENT : PUT_SEGMENT;
  sqlite3_stmt *statement = save->statements[which];

  sqlite3_bind_int64 (statement, 1, segment->what.count);
  sqlite3_bind_int64 (statement, 2, segment->what.first_step);
  sqlite3_bind_int64 (statement, 3, segment->what.last_step);
  sqlite3_bind_int64 (statement, 4, segment->row ? segment->row : file_row);
  if (which == PUT_SEGMENT)
    {
      sqlite3_bind_blob (statement, 5, segment->what.tag, strlen (segment->what.tag),
                         SQLITE_STATIC);
      sqlite3_bind_int64 (statement, 6, segment->what.kind);
    }
  if (!run (save, which, error))
    return FALSE;
  if (!segment->row)
    segment->row = last_row (save);
  return TRUE;
}

/* Units of @block, from where they are or made in @some_units. */
static const SondeBucket *
get_units (const SondeRunBlock *block, SondeBucket some_units[SONDE_BLOCK_UNITS], gsize *size)
{
  guint n = block->n / SONDE_UNIT_POINTS;

  *size = n * sizeof (SondeBucket);
  if (block->n == SONDE_BLOCK_POINTS && block->columns->units)
    return block->columns->units;
  sonde_units_compute (some_units, block->columns, 0, n);
  return some_units;
}

gboolean
sonde_run_index_put_data (sqlite3_stmt *statement, const SondeRunBlock *block, gint64 row,
                          GError **error)
{
  g_autoptr (GBytes) bytes = sonde_columns_serialise (block->columns, block->n);
  SondeBucket some_units[SONDE_BLOCK_UNITS];
  gsize units_size, size;
  const SondeBucket *units = get_units (block, some_units, &units_size);
  const void *data = g_bytes_get_data (bytes, &size);

  sqlite3_bind_int64 (statement, 1, row);
  sqlite3_bind_int64 (statement, 2, sonde_frame_masked_crc (units, units_size));
  sqlite3_bind_int64 (statement, 3, sonde_frame_masked_crc (data, size));
  sqlite3_bind_blob (statement, 4, units, units_size, SQLITE_STATIC);
  sqlite3_bind_blob (statement, 5, data, size, SQLITE_STATIC);
  return sonde_run_database_run (statement, error);
}

static gboolean
column_is (sqlite3_stmt *row, int column, gconstpointer data, gsize size)
{
  return (gsize) sqlite3_column_bytes (row, column) == size
         && (size == 0 || memcmp (sqlite3_column_blob (row, column), data, size) == 0);
}

gboolean
sonde_run_index_has_data (sqlite3_stmt *statement, const SondeRunBlock *block, gint64 row)
{
  g_autoptr (GBytes) bytes = sonde_columns_serialise (block->columns, block->n);
  SondeBucket some_units[SONDE_BLOCK_UNITS];
  gsize units_size, size;
  const SondeBucket *units = get_units (block, some_units, &units_size);
  const void *data = g_bytes_get_data (bytes, &size);
  gboolean has;

  sqlite3_bind_int64 (statement, 1, row);
  has = sonde_run_database_next (statement, NULL)
        && sqlite3_column_int64 (statement, 1) == sonde_frame_masked_crc (units, units_size)
        && sqlite3_column_int64 (statement, 2) == sonde_frame_masked_crc (data, size)
        && column_is (statement, 3, units, units_size) && column_is (statement, 4, data, size);
  sqlite3_reset (statement);
  return has;
}

/* @row: (inout): 0 for a new one */
static gboolean
put_block (SondeRunIndexSave *save, const SondeRunBlock *block, gint64 *row, gint64 segment_row,
           GError **error)
{
  Statement which = *row ? UPDATE_BLOCK : PUT_BLOCK;
  sqlite3_stmt *statement = save->statements[which];

  sqlite3_bind_int64 (statement, 1, block->n);
  sqlite3_bind_blob (statement, 2, &block->summary, sonde_block_summary_get_size (block->n),
                     SQLITE_STATIC);
  sqlite3_bind_int64 (statement, 3, *row ? *row : segment_row);
  if (which == PUT_BLOCK)
    sqlite3_bind_int64 (statement, 4, block->number);
  if (!run (save, which, error))
    return FALSE;
  if (!*row)
    *row = last_row (save);
  return sonde_run_index_put_data (save->statements[PUT_DATA], block, *row, error);
}

static gboolean
save_segment (SondeRunIndexSave *save, SondeRunBatchSegment *segment, gint64 file_row,
              GError **error)
{
  if (!put_segment (save, segment, file_row, error))
    return FALSE;
  for (guint i = 0; i < segment->blocks->len; i++)
    if (!put_block (save, g_ptr_array_index (segment->blocks, i),
                    &g_array_index (segment->rows, gint64, i), segment->row, error))
      return FALSE;
  return TRUE;
}

static gboolean
save_file (SondeRunIndexSave *save, SondeRunBatchFile *file, GError **error)
{
  if (file->forget && file->row && !forget_file (save, file, error))
    return FALSE;
  if (file->gone)
    return TRUE;
  if (!put_file (save, file, error) || !put_tags (save, file, error)
      || !put_damage (save, file, error))
    return FALSE;
  for (guint i = 0; i < file->segments->len; i++)
    if (!save_segment (save, g_ptr_array_index (file->segments, i), file->row, error))
      return FALSE;
  return TRUE;
}

gboolean
sonde_run_index_save (SondeRunIndex *index, SondeRunBatch *batch, GError **error)
{
  return sonde_run_index_write (index, batch, NULL, statements_sql, N_STATEMENTS, save_file, error);
}
