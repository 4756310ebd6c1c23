/* SPDX-License-Identifier: Apache-2.0
 * File readers -> index: what is unsaved, in one transaction. The readers learn that they are saved
 * only after the commit. */
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
  [PUT_FILE] = "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  [PUT_TAG] = "INSERT OR REPLACE INTO tags VALUES (?, ?, ?, ?)",
  [PUT_DAMAGE] = "INSERT INTO damage VALUES (?, ?, ?, ?, ?)",
  [PUT_SEGMENT] = "INSERT INTO segments (count, first_step, last_step, file, tag, kind)"
                  " VALUES (?, ?, ?, ?, ?, ?)",
  [UPDATE_SEGMENT] = "UPDATE segments SET count = ?, first_step = ?, last_step = ? WHERE id = ?",
  [PUT_BLOCK] = "INSERT INTO blocks (n, summary, segment, number) VALUES (?, ?, ?, ?)",
  [UPDATE_BLOCK] = "UPDATE blocks SET n = ?, summary = ? WHERE id = ?",
  [PUT_DATA] = "INSERT OR REPLACE INTO block_data VALUES (?, ?, ?, ?, ?)",
};

typedef struct
{
  SondeRunIndex *index;
  sqlite3_stmt *statements[N_STATEMENTS];
  GArray *new_rows; /* element-type NewRow: told to the readers after the commit */
} Save;

/* A number that SQLite gave, and where it belongs when the transaction is done. */
typedef struct
{
  gint64 *place;
  gint64 row;
} NewRow;

static gboolean
run (Save      *save,
     Statement  which,
     GError   **error)
{
  return sonde_run_database_run (save->statements[which], error);
}

static gint64
note_new_row (Save   *save,
              gint64 *place)
{
  NewRow new_row = { place, sqlite3_last_insert_rowid (save->index->database) };

  g_array_append_val (save->new_rows, new_row);
  return new_row.row;
}

/* ---- files ---------------------------------------------------------------------------------- */

static gboolean
forget_file (Save               *save,
             SondeRunFileReader *file,
             GError            **error)
{
  g_autofree char *sql = g_strdup_printf (
      "DELETE FROM block_data WHERE id IN (SELECT blocks.id FROM blocks JOIN segments"
      " ON blocks.segment = segments.id WHERE segments.file = %1$" G_GINT64_FORMAT ");"
      "DELETE FROM blocks WHERE segment IN (SELECT id FROM segments WHERE file = %1$" G_GINT64_FORMAT ");"
      "DELETE FROM segments WHERE file = %1$" G_GINT64_FORMAT ";"
      "DELETE FROM tags WHERE file = %1$" G_GINT64_FORMAT ";"
      "DELETE FROM damage WHERE file = %1$" G_GINT64_FORMAT ";"
      "DELETE FROM files WHERE id = %1$" G_GINT64_FORMAT, file->row);

  return sonde_run_database_execute (save->index->database, sql, error);
}

static gboolean
put_file (Save               *save,
          SondeRunFileReader *file,
          gint64             *row,
          GError            **error)
{
  sqlite3_stmt *statement = save->statements[PUT_FILE];
  gint64 numbers[] = { file->inode, file->size, file->mtime_ns, file->position, file->records,
                       file->lost_records, file->finished };
  gint64 rest[] = { file->anchor_end, file->session, file->has_start, file->start_ns, file->has_scalars,
                    file->last_scalar_step };

  if (file->row)
    sqlite3_bind_int64 (statement, 1, file->row);
  sqlite3_bind_blob (statement, 2, file->relative, strlen (file->relative), SQLITE_STATIC);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    sqlite3_bind_int64 (statement, 3 + i, numbers[i]);
  sqlite3_bind_blob (statement, 10, file->anchor, file->n_anchor, SQLITE_STATIC);
  for (gsize i = 0; i < G_N_ELEMENTS (rest); i++)
    sqlite3_bind_int64 (statement, 11 + i, rest[i]);
  if (!run (save, PUT_FILE, error))
    return FALSE;
  *row = file->row ? file->row : note_new_row (save, &file->row);
  return TRUE;
}

static gboolean
put_tags (Save               *save,
          SondeRunFileReader *file,
          gint64              row,
          GError            **error)
{
  sqlite3_stmt *statement = save->statements[PUT_TAG];

  for (guint i = file->n_tags_saved; i < file->tags->len; i++)
    {
      const SondeRecordTag *tag = &g_array_index (file->tags, SondeRecordTag, i);

      if (!tag->name)
        continue;
      sqlite3_bind_int64 (statement, 1, row);
      sqlite3_bind_int64 (statement, 2, i);
      sqlite3_bind_blob (statement, 3, tag->name, strlen (tag->name), SQLITE_STATIC);
      if (tag->state)
        sqlite3_bind_blob (statement, 4, tag->state, strlen (tag->state), SQLITE_STATIC);
      if (!run (save, PUT_TAG, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
put_damage (Save      *save,
            GPtrArray *list,
            gint64     row,
            gboolean   tail,
            GError   **error)
{
  sqlite3_stmt *statement = save->statements[PUT_DAMAGE];

  for (guint i = 0; i < list->len; i++)
    {
      const SondeFrameDamage *damage = g_ptr_array_index (list, i);

      sqlite3_bind_int64 (statement, 1, row);
      sqlite3_bind_int64 (statement, 2, damage->offset);
      sqlite3_bind_int64 (statement, 3, damage->bytes);
      sqlite3_bind_text (statement, 4, damage->reason, -1, SQLITE_STATIC);
      sqlite3_bind_int (statement, 5, tail);
      if (!run (save, PUT_DAMAGE, error))
        return FALSE;
    }
  return TRUE;
}

/* Lists are short: written anew each time. */
static gboolean
put_all_damage (Save               *save,
                SondeRunFileReader *file,
                gint64              row,
                GError            **error)
{
  g_autofree char *sql = g_strdup_printf ("DELETE FROM damage WHERE file = %" G_GINT64_FORMAT, row);

  return sonde_run_database_execute (save->index->database, sql, error) &&
         put_damage (save, file->damage, row, FALSE, error) &&
         put_damage (save, file->tail_damage, row, TRUE, error);
}

/* ---- segments and blocks -------------------------------------------------------------------- */

static gboolean
put_segment (Save            *save,
             SondeRunSegment *segment,
             gint64           file_row,
             gint64          *row,
             GError         **error)
{
  Statement which = segment->row ? UPDATE_SEGMENT : PUT_SEGMENT;
  sqlite3_stmt *statement = save->statements[which];

  sqlite3_bind_int64 (statement, 1, segment->count);
  sqlite3_bind_int64 (statement, 2, segment->first_step);
  sqlite3_bind_int64 (statement, 3, segment->last_step);
  sqlite3_bind_int64 (statement, 4, segment->row ? segment->row : file_row);
  if (which == PUT_SEGMENT)
    {
      sqlite3_bind_blob (statement, 5, segment->tag, strlen (segment->tag), SQLITE_STATIC);
      sqlite3_bind_int64 (statement, 6, segment->kind);
    }
  if (!run (save, which, error))
    return FALSE;
  *row = segment->row ? segment->row : note_new_row (save, &segment->row);
  return TRUE;
}

static gboolean
put_data (Save               *save,
          const SondeColumns *columns,
          guint               n,
          gint64              row,
          GError            **error)
{
  sqlite3_stmt *statement = save->statements[PUT_DATA];
  g_autoptr (GBytes) bytes = sonde_columns_serialise (columns, n);
  SondeBucket some_units[SONDE_BLOCK_UNITS];
  const SondeBucket *units = n == SONDE_BLOCK_POINTS && columns->units ? columns->units : some_units;
  gsize n_units = n / SONDE_UNIT_POINTS, size;
  const void *data = g_bytes_get_data (bytes, &size);

  if (units == some_units)
    sonde_units_compute (some_units, columns, 0, n_units);
  sqlite3_bind_int64 (statement, 1, row);
  sqlite3_bind_int64 (statement, 2, sonde_frame_masked_crc (units, n_units * sizeof *units));
  sqlite3_bind_int64 (statement, 3, sonde_frame_masked_crc (data, size));
  sqlite3_bind_blob (statement, 4, units, n_units * sizeof *units, SQLITE_STATIC);
  sqlite3_bind_blob (statement, 5, data, size, SQLITE_STATIC);
  return run (save, PUT_DATA, error);
}

/* @row: (inout): its place in the reader */
static gboolean
put_block (Save                    *save,
           gint64                   segment_row,
           guint                    number,
           const SondeColumns      *columns,
           guint                    n,
           const SondeBlockSummary *summary,
           gint64                  *row,
           GError                 **error)
{
  Statement which = *row ? UPDATE_BLOCK : PUT_BLOCK;
  sqlite3_stmt *statement = save->statements[which];
  gint64 id = *row;

  sqlite3_bind_int64 (statement, 1, n);
  sqlite3_bind_blob (statement, 2, summary, sizeof *summary, SQLITE_STATIC);
  sqlite3_bind_int64 (statement, 3, *row ? *row : segment_row);
  if (which == PUT_BLOCK)
    sqlite3_bind_int64 (statement, 4, number);
  if (!run (save, which, error))
    return FALSE;
  if (which == PUT_BLOCK)
    id = note_new_row (save, row);
  return put_data (save, columns, n, id, error);
}

static gboolean
save_segment (Save            *save,
              SondeRunSegment *segment,
              gint64           file_row,
              GError         **error)
{
  gint64 row;

  if (!segment->unsaved)
    return TRUE;
  if (!put_segment (save, segment, file_row, &row, error))
    return FALSE;
  for (guint i = 0; i < segment->sealed->len; i++)
    {
      SondeRunSealedBlock *block = &g_array_index (segment->sealed, SondeRunSealedBlock, i);

      if (!put_block (save, row, block->number, block->columns, SONDE_BLOCK_POINTS, &block->summary,
                      &block->row, error))
        return FALSE;
    }
  if (segment->n_tail == segment->n_tail_saved)
    return TRUE;
  sonde_run_segment_summarise (segment);
  return put_block (save, row, segment->n_sealed, segment->tail, segment->n_tail,
                    &segment->tail_summary, &segment->tail_row, error);
}

static gboolean
save_file (Save               *save,
           SondeRunFileReader *file,
           GError            **error)
{
  gint64 row;

  if (!file->unsaved)
    return TRUE;
  if (file->forget && file->row && !forget_file (save, file, error))
    return FALSE;
  if (file->gone)
    return TRUE;
  if (!put_file (save, file, &row, error) || !put_tags (save, file, row, error) ||
      !put_all_damage (save, file, row, error))
    return FALSE;
  for (guint i = 0; i < file->segments->len; i++)
    if (!save_segment (save, g_ptr_array_index (file->segments, i), row, error))
      return FALSE;
  return TRUE;
}

/* ---- after the commit ----------------------------------------------------------------------- */

static void
mark_segment_saved (SondeRunFileReader *file,
                    SondeRunSegment    *segment)
{
  if (!segment->unsaved)
    return;
  for (guint i = 0; i < segment->sealed->len; i++)
    {
      SondeRunSealedBlock *block = &g_array_index (segment->sealed, SondeRunSealedBlock, i);

      sonde_run_file_reader_tell_saved (file, segment, block->number, SONDE_BLOCK_POINTS,
                                        &block->summary, block->row);
    }
  g_array_set_size (segment->sealed, 0);
  segment->n_tail_saved = segment->n_tail;
  segment->unsaved = FALSE;
}

static void
mark_saved (Save      *save,
            GPtrArray *files)
{
  for (guint i = 0; i < save->new_rows->len; i++)
    {
      NewRow *new_row = &g_array_index (save->new_rows, NewRow, i);

      *new_row->place = new_row->row;
    }
  for (guint i = 0; i < files->len; i++)
    {
      SondeRunFileReader *file = g_ptr_array_index (files, i);

      if (!file->unsaved)
        continue;
      for (guint k = 0; k < file->segments->len; k++)
        mark_segment_saved (file, g_ptr_array_index (file->segments, k));
      file->n_tags_saved = file->tags->len;
      file->unsaved = file->forget = FALSE;
      if (file->gone)
        file->row = 0;
    }
}

/* ---- the transaction ------------------------------------------------------------------------ */

static gboolean
save_all (Save      *save,
          GPtrArray *files,
          GError   **error)
{
  sqlite3 *database = save->index->database;

  for (gsize i = 0; i < N_STATEMENTS; i++)
    {
      save->statements[i] = sonde_run_database_prepare (database, statements_sql[i], error);
      if (!save->statements[i])
        return FALSE;
    }
  if (!sonde_run_database_execute (
          database, "BEGIN IMMEDIATE; UPDATE meta SET generation = generation + 1", error))
    return FALSE;
  for (guint i = 0; i < files->len; i++)
    if (!save_file (save, g_ptr_array_index (files, i), error))
      return FALSE;
  return sonde_run_database_execute (database, "COMMIT", error);
}

gboolean
sonde_run_index_save (SondeRunIndex *index,
                      GPtrArray     *files,
                      GError       **error)
{
  g_autoptr (GArray) new_rows = g_array_new (FALSE, FALSE, sizeof (NewRow));
  Save save = { .index = index, .new_rows = new_rows };
  gboolean done;

  g_return_val_if_fail (index->lock >= 0, FALSE);

  done = save_all (&save, files, error);
  for (gsize i = 0; i < N_STATEMENTS; i++)
    sqlite3_finalize (save.statements[i]);
  if (done)
    {
      index->generation++;
      mark_saved (&save, files);
    }
  /* a full disk may have rolled back already */
  else if (!sqlite3_get_autocommit (index->database))
    sonde_run_database_execute (index->database, "ROLLBACK", NULL);
  return done;
}
