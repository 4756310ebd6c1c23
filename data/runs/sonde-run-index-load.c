/* SPDX-License-Identifier: Apache-2.0
 * Index -> file readers: everything but the points. What does not fit together is damage. */
#include "data/runs/sonde-run-index-rows-private.h"

#include <string.h>

#include "data/base/sonde-error.h"

/* (element-type gint64 -> SondeRunFileReader) and (element-type gint64 -> Owned) */
typedef struct
{
  SondeRunIndex *index;
  GHashTable *files, *segments;
} Load;

typedef struct
{
  SondeRunFileReader *file;
  SondeRunSegment *segment;
} Owned;

static gboolean
refuse (Load *load, const char *what, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "index “%s.sqlite”: the table “%s” is inconsistent", load->index->path, what);
  return FALSE;
}

/* Text of any bytes. */
static char *
dup_text (sqlite3_stmt *statement, int column)
{
  const char *bytes = sqlite3_column_blob (statement, column);

  /* SQLite has no address for nothing: a tag may be named so */
  return g_strndup (bytes ? bytes : "", bytes ? sqlite3_column_bytes (statement, column) : 0);
}

static gboolean
load_file (Load *load, sqlite3_stmt *row, SondeRunIndexFindFile find_file, gpointer data)
{
  g_autofree char *path = dup_text (row, 1);
  SondeRunFileReader *file = find_file (data, path);
  gint64 id = sqlite3_column_int64 (row, 0);
  gint64 numbers[SONDE_RUN_BATCH_NUMBERS];

  if (!file)
    return TRUE;
  if (file->row != 0)
    return FALSE;
  file->row = id;
  file->n_anchor = MIN (sqlite3_column_bytes (row, 2), SONDE_RUN_ANCHOR_BYTES);
  if (file->n_anchor > 0)
    memcpy (file->anchor, sqlite3_column_blob (row, 2), file->n_anchor);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    numbers[i] = sqlite3_column_int64 (row, 3 + i);
  sonde_run_batch_restore_numbers (file, numbers);
  file->unsaved = FALSE;
  g_hash_table_insert (load->files, g_memdup2 (&id, sizeof id), file);
  return sonde_run_file_reader_is_plausible (file);
}

/* The file that column 0 names; NULL when it is not wanted. */
static SondeRunFileReader *
file_of_row (Load *load, sqlite3_stmt *row)
{
  gint64 id = sqlite3_column_int64 (row, 0);

  return g_hash_table_lookup (load->files, &id);
}

static gboolean
load_tag (Load *load, sqlite3_stmt *row, SondeRunIndexFindFile find_file, gpointer data)
{
  SondeRunFileReader *file = file_of_row (load, row);
  g_autofree char *name = dup_text (row, 2);
  g_autofree char *state = sqlite3_column_type (row, 3) == SQLITE_NULL ? NULL : dup_text (row, 3);
  gint64 id = sqlite3_column_int64 (row, 1);
  SondeRecordTag *tag;

  if (!file)
    return TRUE;
  if (id < (gint64) file->tags->len || id > SONDE_RUN_INDEX_MAX_TAG)
    return FALSE;
  g_array_set_size (file->tags, id + 1);
  tag = &g_array_index (file->tags, SondeRecordTag, id);
  tag->name = g_intern_string (name);
  tag->state = g_intern_string (state);
  file->n_tags_saved = file->tags->len;
  return TRUE;
}

static gboolean
load_damage (Load *load, sqlite3_stmt *row, SondeRunIndexFindFile find_file, gpointer data)
{
  SondeRunFileReader *file = file_of_row (load, row);
  SondeFrameDamage *damage;

  if (!file)
    return TRUE;
  damage = g_new0 (SondeFrameDamage, 1);
  damage->offset = sqlite3_column_int64 (row, 1);
  damage->bytes = sqlite3_column_int64 (row, 2);
  damage->reason = dup_text (row, 3);
  g_ptr_array_add (sqlite3_column_int (row, 4) ? file->tail_damage : file->damage, damage);
  return TRUE;
}

static gboolean
load_segment (Load *load, sqlite3_stmt *row, SondeRunIndexFindFile find_file, gpointer data)
{
  SondeRunFileReader *file = file_of_row (load, row);
  g_autofree char *tag = dup_text (row, 2);
  SondeRunSegment *segment;
  Owned owned = { .file = file };
  gint64 id = sqlite3_column_int64 (row, 1);

  if (!file)
    return TRUE;
  segment = sonde_run_file_reader_ensure_segment (file, g_intern_string (tag),
                                                  sqlite3_column_int (row, 3));
  if (segment->row != 0)
    return FALSE;
  segment->row = id;
  segment->what.count = sqlite3_column_int64 (row, 4);
  segment->what.first_step = sqlite3_column_int64 (row, 5);
  segment->what.last_step = sqlite3_column_int64 (row, 6);
  owned.segment = segment;
  g_hash_table_insert (load->segments, g_memdup2 (&id, sizeof id),
                       g_memdup2 (&owned, sizeof owned));
  return TRUE;
}

/* Blocks come in order: all but the last are full. */
static gboolean
load_block (Load *load, sqlite3_stmt *row, SondeRunIndexFindFile find_file, gpointer data)
{
  gint64 segment_id = sqlite3_column_int64 (row, 1);
  Owned *owned = g_hash_table_lookup (load->segments, &segment_id);
  gint64 n = sqlite3_column_int64 (row, 3);
  SondeBlockSummary summary = { 0 };
  gsize size = n >= 1 && n <= SONDE_BLOCK_POINTS ? sonde_block_summary_get_size (n) : 0;
  g_autoptr (SondeRunBlock) block = NULL;
  SondeRunSegment *segment;

  if (!owned)
    return TRUE;
  segment = owned->segment;
  if (sqlite3_column_int64 (row, 2) != segment->n_full || segment->n_tail > 0 || size == 0
      || (gsize) sqlite3_column_bytes (row, 4) != size)
    return FALSE;
  memcpy (&summary, sqlite3_column_blob (row, 4), size);
  if (!sonde_block_summary_has_points (&summary, n))
    return FALSE;
  block
      = sonde_run_block_new (segment->n_full, n, NULL, &summary, sqlite3_column_int64 (row, 0), n);
  sonde_run_file_reader_send_block (owned->file, segment, block);
  if (n == SONDE_BLOCK_POINTS)
    {
      segment->n_full++;
      return TRUE;
    }
  sonde_run_segment_set_saved_tail (segment, block);
  return TRUE;
}

/* In this order: later rows refer to earlier ones. */
static const struct
{
  const char *what, *sql;
  gboolean (*load) (Load *load, sqlite3_stmt *row, SondeRunIndexFindFile find_file, gpointer data);
} tables[] = {
  { "files",
    "SELECT id, path, anchor, inode, size, mtime_ns, ctime_ns, position, records, lost, finished,"
    " anchor_end, session, has_start, start_ns, has_scalars, last_scalar_step, ended FROM files "
    "ORDER BY id",
    load_file },
  { "tags", "SELECT file, id, tag, state FROM tags ORDER BY file, id", load_tag },
  { "damage", "SELECT file, start, bytes, reason, tail FROM damage ORDER BY rowid", load_damage },
  { "segments",
    "SELECT file, id, tag, kind, count, first_step, last_step FROM segments ORDER BY id",
    load_segment },
  { "blocks", "SELECT id, segment, number, n, summary FROM blocks ORDER BY segment, number",
    load_block },
};

static gboolean
load_tables (Load *load, SondeRunIndexFindFile find_file, gpointer data, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      g_autoptr (sqlite3_stmt) rows
          = sonde_run_database_prepare (load->index->database, tables[i].sql, error);
      g_autoptr (GError) failure = NULL;

      if (!rows)
        return FALSE;
      while (sonde_run_database_next (rows, &failure))
        if (!tables[i].load (load, rows, find_file, data))
          return refuse (load, tables[i].what, error);
      if (failure)
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
sonde_run_index_load (SondeRunIndex *index, SondeRunIndexFindFile find_file, gpointer data,
                      GError **error)
{
  g_autoptr (GHashTable) files = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GHashTable) segments
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  Load load = { index, files, segments };
  gboolean done;

  /* one snapshot: another process may be writing */
  if (!sonde_run_index_ensure_database (index, error)
      || !sonde_run_database_execute (index->database, "BEGIN", error))
    return FALSE;
  index->generation = sonde_run_database_ask (index->database, "SELECT generation FROM meta", -1);
  done = load_tables (&load, find_file, data, error);
  sonde_run_database_execute (index->database, "COMMIT", NULL);
  return done;
}
