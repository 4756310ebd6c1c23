/* SPDX-License-Identifier: Apache-2.0
 * Opening an index: who may write, is it the right one, and single blocks out of it. What goes in
 * and out as a whole is in sonde-run-index-rows.c. */
#include "data/runs/sonde-run-index-rows-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#include "data/base/sonde-error.h"

#define WORKER_WAIT_MS 2000
#define OWNER_WAIT_MS 50 /* the window's frame waits with it */
#define PAGE_BYTES 4096u
#define LARGE_PAGE_BYTES 16384u
#define APPLICATION_ID 0x536e6478 /* "Sndx" */

static const char schema_sql[]
    = "CREATE TABLE meta (key TEXT NOT NULL, layout INTEGER NOT NULL, epoch INTEGER NOT NULL,"
      " generation INTEGER NOT NULL, boot TEXT NOT NULL, synced INTEGER NOT NULL);"
      "CREATE TABLE files (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, anchor BLOB, inode "
      "INTEGER,"
      " size INTEGER, mtime_ns INTEGER, ctime_ns INTEGER, position INTEGER, records INTEGER, lost "
      "INTEGER,"
      " finished INTEGER, anchor_end INTEGER,"
      " session INTEGER, has_start INTEGER, start_ns INTEGER, has_scalars INTEGER,"
      " last_scalar_step INTEGER, ended INTEGER);"
      "CREATE TABLE tags (file INTEGER, id INTEGER, tag BLOB, state BLOB, PRIMARY KEY (file, id)) "
      "WITHOUT ROWID;"
      "CREATE TABLE damage (file INTEGER, start INTEGER, bytes INTEGER, reason TEXT, tail INTEGER);"
      "CREATE INDEX damage_by_file ON damage (file);"
      /* AUTOINCREMENT: a number that somebody still remembers must not come to mean another row */
      "CREATE TABLE segments (id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER, tag BLOB,"
      " kind INTEGER, count INTEGER, first_step INTEGER, last_step INTEGER,"
      " UNIQUE (file, tag, kind));"
      "CREATE TABLE blocks (id INTEGER PRIMARY KEY AUTOINCREMENT, segment INTEGER, number INTEGER,"
      " n INTEGER, summary BLOB, UNIQUE (segment, number));"
      /* the large columns stand apart, so that reading summaries does not touch their pages */
      "CREATE TABLE block_data (id INTEGER PRIMARY KEY, units_crc INTEGER, columns_crc INTEGER,"
      " units BLOB, columns BLOB);";

/* Sizes of what is stored as it lies in memory. */
#define LAYOUT ((gint64) (sizeof (SondeBlockSummary) * 1000 + sizeof (SondeBucket)))

char *
sonde_run_index_make_path (const char *folder, const char *key)
{
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, key, -1);

  hash[32] = '\0';
  return g_build_filename (folder, hash, NULL);
}

static char *
database_path (const char *path)
{
  return g_strconcat (path, ".sqlite", NULL);
}

static gboolean
stat_database (const SondeIo *io, const char *path, struct stat *status)
{
  g_autofree char *file = database_path (path);

  return io->stat (io, AT_FDCWD, file, status, 0) == 0;
}

gboolean
sonde_run_index_exists (const SondeIo *io, const char *path)
{
  struct stat status;

  return stat_database (io ? io : sonde_io_system (), path, &status);
}

static void
close_database (SondeRunIndex *index)
{
  g_clear_pointer (&index->columns_statement, sqlite3_finalize);
  g_clear_pointer (&index->units_statement, sqlite3_finalize);
  g_clear_pointer (&index->database, sonde_run_database_close);
  index->is_new = FALSE;
}

/* The lock's descriptor, or -1 when another process or connection is the writer. */
static int
try_lock (const SondeIo *io, const char *path)
{
  g_autofree char *file = g_strconcat (path, ".lock", NULL);
  int fd = io->open (io, AT_FDCWD, file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

  if (fd < 0)
    return -1;
  if (flock (fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  sonde_io_close (io, fd);
  return -1;
}

static void
delete_files (const SondeIo *io, const char *path)
{
  static const char *const suffixes[]
      = { ".sqlite", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal", ".sqlite-new" };

  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autofree char *file = g_strconcat (path, suffixes[i], NULL);

      io->unlink (io, file);
    }
}

/* Which start of the machine this is. Commits are left to the kernel without waiting for the disk:
 * a database that was written before the last start may have lost some of its pages, unless it was
 * synced since. */
static char *
dup_boot (const SondeIo *io)
{
  static const char path[] = "/proc/sys/kernel/random/boot_id";
  int fd = sonde_io_open_regular (io, path, NULL, NULL);
  char text[64] = "";

  if (fd >= 0)
    {
      sonde_io_pread_full (io, fd, path, text, sizeof text - 1, 0, NULL);
      sonde_io_close (io, fd);
    }
  return g_strdup (g_strstrip (text));
}

/* Reads the head; FALSE when this is not the index of @key in our schema. */
static gboolean
check_head (SondeRunIndex *index, const char *key)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  g_autofree char *boot = dup_boot (index->io);
  const char *stored;

  if (sonde_run_database_ask (index->database, "PRAGMA application_id", 0) != APPLICATION_ID
      || sonde_run_database_ask (index->database, "PRAGMA user_version", 0)
             != SONDE_RUN_INDEX_SCHEMA
      || sonde_run_database_ask (index->database,
                                 "SELECT count (*) FROM sqlite_schema"
                                 " WHERE type IN ('trigger', 'view')",
                                 1)
             != 0)
    return FALSE;
  statement = sonde_run_database_prepare (
      index->database, "SELECT key, layout, epoch, generation, boot, synced FROM meta", NULL);
  if (!statement || !sonde_run_database_next (statement, NULL))
    return FALSE;
  stored = (const char *) sqlite3_column_text (statement, 0);
  index->epoch = sqlite3_column_int64 (statement, 2);
  index->generation = sqlite3_column_int64 (statement, 3);
  return (!key || g_strcmp0 (stored, key) == 0) && sqlite3_column_int64 (statement, 1) == LAYOUT
         && (sqlite3_column_int (statement, 5)
             || g_strcmp0 ((const char *) sqlite3_column_text (statement, 4), boot) == 0);
}

static gboolean
make_schema (SondeRunIndex *index, const char *key, GError **error)
{
  g_autofree char *head
      = g_strdup_printf ("BEGIN IMMEDIATE; PRAGMA application_id = %d; PRAGMA user_version = %d",
                         APPLICATION_ID, SONDE_RUN_INDEX_SCHEMA);
  g_autoptr (sqlite3_stmt) statement = NULL;
  g_autofree char *boot = dup_boot (index->io);

  index->epoch = (gint64) ((guint64) g_random_int () << 31 | g_random_int ()) + 1;
  index->generation = 0;
  if (!sonde_run_database_execute (index->database, head, error)
      || !sonde_run_database_execute (index->database, schema_sql, error))
    return FALSE;
  statement = sonde_run_database_prepare (index->database,
                                          "INSERT INTO meta VALUES (?, ?, ?, 0, ?, 0)", error);
  if (!statement)
    return FALSE;
  sqlite3_bind_text (statement, 1, key, -1, SQLITE_STATIC);
  sqlite3_bind_int64 (statement, 2, LAYOUT);
  sqlite3_bind_int64 (statement, 3, index->epoch);
  sqlite3_bind_text (statement, 4, boot, -1, SQLITE_STATIC);
  return sonde_run_database_run (statement, error)
         && sonde_run_database_execute (index->database, "COMMIT", error);
}

static gboolean
open_as_writer (SondeRunIndex *index, const char *key, guint page_bytes, GError **error)
{
  g_autofree char *file = database_path (index->path);

  index->database = sonde_run_database_open (file, FALSE, WORKER_WAIT_MS, NULL);
  if (index->database && check_head (index, key))
    return TRUE;
  /* Held by a program that does not know of our lock: what it holds is not to be deleted under
   * it. */
  if (index->database && sonde_run_database_is_busy (index->database))
    {
      sonde_run_database_set_error (index->database, error);
      return FALSE;
    }
  /* Missing, of another schema, or damaged: the records are all there is to lose nothing of. */
  g_clear_pointer (&index->database, sonde_run_database_close);
  delete_files (index->io, index->path);
  index->database = sonde_run_database_new (page_bytes, error);
  index->is_new = TRUE;
  return index->database && make_schema (index, key, error);
}

static gboolean
open_as_reader (SondeRunIndex *index, const char *key, int wait_ms, GError **error)
{
  g_autofree char *file = database_path (index->path);

  index->database = sonde_run_database_open (file, TRUE, wait_ms, error);
  if (!index->database)
    return FALSE;
  if (check_head (index, key))
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "index “%s” is used by another process and does not belong to “%s”", file,
                   key ? key : "");
  return FALSE;
}

static SondeRunIndex *
index_new (const SondeIo *io, const char *path)
{
  SondeRunIndex *index = g_new0 (SondeRunIndex, 1);

  index->io = io ? io : sonde_io_system ();
  index->path = g_strdup (path);
  index->lock = -1;
  return index;
}

static gboolean
note_inode (SondeRunIndex *index)
{
  struct stat status;

  if (!stat_database (index->io, index->path, &status))
    return FALSE;
  index->inode = status.st_ino;
  return TRUE;
}

SondeRunIndex *
sonde_run_index_open (const SondeIo *io, const char *path, const char *key, guint64 bytes,
                      GError **error)
{
  guint page_bytes = bytes < SONDE_RUN_INDEX_LARGE_BYTES ? PAGE_BYTES : LARGE_PAGE_BYTES;
  SondeRunIndex *index = index_new (io, path);
  g_autofree char *folder = g_path_get_dirname (path);

  if (!sonde_io_make_directories (index->io, folder, error))
    {
      sonde_run_index_close (index);
      return NULL;
    }
  index->lock = try_lock (index->io, path);
  if (!(index->lock >= 0 ? open_as_writer (index, key, page_bytes, error)
                         : open_as_reader (index, key, WORKER_WAIT_MS, error)))
    {
      sonde_run_index_close (index);
      return NULL;
    }
  /* without its inode each save would take it for another's */
  if (!note_inode (index) && !index->is_new)
    {
      sonde_data_error_set_errno (error, errno, "cannot access the index “%s.sqlite”", path);
      sonde_run_index_close (index);
      return NULL;
    }
  return index;
}

SondeRunIndex *
sonde_run_index_open_for_blocks (const char *path, gint64 epoch)
{
  SondeRunIndex *index = index_new (NULL, path);

  if (open_as_reader (index, NULL, OWNER_WAIT_MS, NULL) && index->epoch == epoch)
    return index;
  sonde_run_index_close (index);
  return NULL;
}

void
sonde_run_index_close (SondeRunIndex *index)
{
  if (!index)
    return;
  close_database (index);
  /* only now may another process become the writer */
  if (index->lock >= 0)
    sonde_io_close (index->io, index->lock);
  g_free (index->path);
  g_free (index);
}

gboolean
sonde_run_index_is_writer (const SondeRunIndex *index)
{
  return index->lock >= 0;
}

gint64
sonde_run_index_get_epoch (const SondeRunIndex *index)
{
  return index->epoch;
}

gint64
sonde_run_index_get_generation (const SondeRunIndex *index)
{
  return index->generation;
}

gboolean
sonde_run_index_is_orphaned (const SondeRunIndex *index)
{
  struct stat status;

  if (index->is_new)
    return FALSE;
  return !stat_database (index->io, index->path, &status) || status.st_ino != index->inode;
}

void
sonde_run_index_delete (SondeRunIndex *index)
{
  g_return_if_fail (index->lock >= 0);

  close_database (index);
  delete_files (index->io, index->path);
}

gboolean
sonde_run_index_ensure_database (SondeRunIndex *index, GError **error)
{
  g_autofree char *file = index->database ? NULL : database_path (index->path);

  if (!index->database)
    index->database = sonde_run_database_open (file, index->lock < 0, WORKER_WAIT_MS, error);
  return index->database != NULL;
}

static gboolean
write_new_file (SondeRunIndex *index, const char *file, GError **error)
{
  gsize length;
  const void *bytes = sonde_run_database_peek_bytes (index->database, &length);
  int fd = index->io->open (index->io, AT_FDCWD, file,
                            O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  gboolean done;

  if (fd < 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot create the index “%s”", file);
      return FALSE;
    }
  done = bytes && sonde_io_write_full (index->io, fd, file, bytes, length, NULL, error);
  sonde_io_close (index->io, fd);
  return done;
}

gboolean
sonde_run_index_publish (SondeRunIndex *index, GError **error)
{
  g_autofree char *file = database_path (index->path),
                  *temporary = g_strconcat (file, "-new", NULL);
  gboolean done = write_new_file (index, temporary, error);

  if (done && index->io->rename (index->io, temporary, file) < 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot move the index “%s” into place", file);
      done = FALSE;
    }
  if (!done)
    {
      index->io->unlink (index->io, temporary);
      return FALSE;
    }
  close_database (index);
  note_inode (index);
  return TRUE;
}

gboolean
sonde_run_index_count_transaction (SondeRunIndex *index, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = sonde_run_database_prepare (
      index->database, "UPDATE meta SET generation = generation + 1, boot = ?, synced = 0", error);
  g_autofree char *boot = dup_boot (index->io);

  if (!statement)
    return FALSE;
  sqlite3_bind_text (statement, 1, boot, -1, SQLITE_STATIC);
  return sonde_run_database_run (statement, error);
}

gboolean
sonde_run_index_sync (SondeRunIndex *index)
{
  g_return_val_if_fail (index->lock >= 0, FALSE);

  return sonde_run_index_ensure_database (index, NULL)
         && sonde_run_database_execute (
             index->database,
             "PRAGMA synchronous = FULL; PRAGMA wal_checkpoint (TRUNCATE);"
             "UPDATE meta SET synced = 1; PRAGMA synchronous = OFF",
             NULL);
}

/* ---- single blocks ------------------------------------------------------- */

/* Runs @sql, kept in *@statement, for the row's two columns (checksum, blob). FALSE when it is not
 * there or not right. The caller resets the statement: until then the blob is lent. */
static gboolean
find_blob (SondeRunIndex *index, sqlite3_stmt **statement, const char *sql, gint64 row)
{
  if (!*statement && sonde_run_index_ensure_database (index, NULL))
    *statement = sonde_run_database_prepare (index->database, sql, NULL);
  if (!*statement)
    return FALSE;
  sqlite3_bind_int64 (*statement, 1, row);
  return sonde_run_database_next (*statement, NULL)
         && sqlite3_column_type (*statement, 1) == SQLITE_BLOB
         && sqlite3_column_int64 (*statement, 0)
                == sonde_frame_masked_crc (sqlite3_column_blob (*statement, 1),
                                           sqlite3_column_bytes (*statement, 1));
}

SondeColumns *
sonde_run_index_load_columns (SondeRunIndex *index, gint64 row, guint n)
{
  SondeColumns *columns = NULL;

  if (find_blob (index, &index->columns_statement,
                 "SELECT columns_crc, columns FROM block_data WHERE id = ?", row))
    columns = sonde_columns_parse (sqlite3_column_blob (index->columns_statement, 1),
                                   sqlite3_column_bytes (index->columns_statement, 1), n);
  sqlite3_reset (index->columns_statement);
  return columns;
}

gboolean
sonde_run_index_load_units (SondeRunIndex *index, gint64 row, SondeBucket *units, guint n)
{
  gsize bytes = n * sizeof (SondeBucket);
  gboolean found;

  if (n == 0)
    return TRUE;
  found = find_blob (index, &index->units_statement,
                     "SELECT units_crc, units FROM block_data WHERE id = ?", row)
          && (gsize) sqlite3_column_bytes (index->units_statement, 1) >= bytes;
  if (found)
    memcpy (units, sqlite3_column_blob (index->units_statement, 1), bytes);
  sqlite3_reset (index->units_statement);
  return found;
}

void
sonde_run_index_begin_loads (SondeRunIndex *index)
{
  sonde_run_database_execute (index->database, "BEGIN", NULL);
}

void
sonde_run_index_end_loads (SondeRunIndex *index)
{
  sonde_run_database_execute (index->database, "COMMIT", NULL);
}
