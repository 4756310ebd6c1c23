/* SPDX-License-Identifier: Apache-2.0
 * Writing: the database is made in memory and takes the file's name whole. */
#include "data/captures/sonde-capture-private.h"

#include <string.h>

#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "data/records/sonde-record.h"

/* Names are unique in their table; a blob of several pieces has rows 0, 1, … of one id. */
static const char schema[]
    = "CREATE TABLE fact (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
      "CREATE TABLE blob (id INTEGER, piece INTEGER, data BLOB NOT NULL, PRIMARY KEY (id, piece)) "
      "WITHOUT ROWID;"
      "CREATE TABLE model (executed INTEGER NOT NULL, bytes INTEGER NOT NULL, blob INTEGER NOT "
      "NULL);"
      "CREATE TABLE input (name TEXT NOT NULL, tensor INTEGER NOT NULL);"
      "CREATE TABLE value (name TEXT NOT NULL, tensor INTEGER, count INTEGER, min REAL, max REAL, "
      "mean REAL, std REAL,"
      " abs_mean REAL, zeros INTEGER, negatives INTEGER, nan INTEGER, pos_inf INTEGER, neg_inf "
      "INTEGER);"
      "CREATE TABLE stop (command TEXT NOT NULL, enabled INTEGER NOT NULL);";

typedef struct
{
  sqlite3 *database;
  const char *path;
  sqlite3_stmt *blob;
  gint64 next_blob;
} Writer;

static gboolean
execute (Writer *writer, const char *sql, GError **error)
{
  if (sqlite3_exec (writer->database, sql, NULL, NULL, NULL) == SQLITE_OK)
    return TRUE;
  sonde_capture_set_error (writer->database, writer->path, error);
  return FALSE;
}

static sqlite3_stmt *
prepare (Writer *writer, const char *sql, GError **error)
{
  sqlite3_stmt *statement = NULL;

  if (sqlite3_prepare_v2 (writer->database, sql, -1, &statement, NULL) != SQLITE_OK)
    sonde_capture_set_error (writer->database, writer->path, error);
  return statement;
}

static gboolean
run (Writer *writer, sqlite3_stmt *statement, GError **error)
{
  gboolean ok = sqlite3_step (statement) == SQLITE_DONE;

  if (!ok)
    sonde_capture_set_error (writer->database, writer->path, error);
  sqlite3_reset (statement);
  sqlite3_clear_bindings (statement);
  return ok;
}

/* Returns: its id, 0 with @error */
static gint64
put_blob (Writer *writer, const void *data, gsize length, GError **error)
{
  gint64 id = ++writer->next_blob;
  gsize done = 0;
  int piece = 0;

  do
    {
      gsize n = MIN (length - done, SONDE_CAPTURE_PIECE);

      sqlite3_bind_int64 (writer->blob, 1, id);
      sqlite3_bind_int (writer->blob, 2, piece++);
      sqlite3_bind_blob64 (writer->blob, 3, (const guint8 *) data + done, n, SQLITE_STATIC);
      if (!run (writer, writer->blob, error))
        return 0;
      done += n;
    }
  while (done < length);
  return id;
}

/* As a tensor record: its dtype stays, it is compressed where that pays. */
static gint64
put_tensor (Writer *writer, const char *name, SondeTensor *tensor, GError **error)
{
  SondeRecord record = { .kind = SONDE_RECORD_TENSOR };
  SondeTagTable *table;
  g_autoptr (GByteArray) bytes = NULL;
  gint64 id;

  if (sonde_tensor_n_bytes (tensor) >= SONDE_BUDGET_RECORD_BYTES)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "capture “%s”: tensor “%s” exceeds the limit of %d MiB for one tensor.",
                       writer->path, name, (int) (SONDE_BUDGET_RECORD_BYTES >> 20));
      return 0;
    }
  record.tag = name;
  record.u.tensor = tensor;
  table = sonde_tag_table_new ();
  bytes = g_byte_array_new ();
  sonde_record_encode (&record, table, bytes);
  id = put_blob (writer, bytes->data, bytes->len, error);
  sonde_tag_table_free (table);
  return id;
}

static gboolean
put_facts (Writer *writer, const SondeCapture *capture, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = prepare (writer, "INSERT INTO fact VALUES (?, ?)", error);
  GHashTableIter iter;
  gpointer key, value;

  if (statement == NULL)
    return FALSE;
  g_hash_table_iter_init (&iter, capture->facts);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      sqlite3_bind_text (statement, 1, key, -1, SQLITE_STATIC);
      sqlite3_bind_text (statement, 2, value, -1, SQLITE_STATIC);
      if (!run (writer, statement, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
put_model (Writer *writer, const SondeCapture *capture, GError **error)
{
  g_autoptr (sqlite3_stmt) statement
      = prepare (writer, "INSERT INTO model VALUES (?, ?, ?)", error);
  gsize length;
  const void *data;
  gint64 id;

  if (statement == NULL)
    return FALSE;
  if (capture->model == NULL)
    return TRUE;
  data = g_bytes_get_data (capture->model, &length);
  id = put_blob (writer, data, length, error);
  if (id == 0)
    return FALSE;
  sqlite3_bind_int (statement, 1, capture->executed);
  sqlite3_bind_int64 (statement, 2, (gint64) length);
  sqlite3_bind_int64 (statement, 3, id);
  return run (writer, statement, error);
}

static gboolean
put_inputs (Writer *writer, const SondeCapture *capture, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = prepare (writer, "INSERT INTO input VALUES (?, ?)", error);

  for (guint i = 0; statement != NULL && i < capture->inputs->len; i++)
    {
      const SondeCaptureValue *input = g_ptr_array_index (capture->inputs, i);
      gint64 id = put_tensor (writer, input->name, input->tensor, error);

      if (id == 0)
        return FALSE;
      sqlite3_bind_text (statement, 1, input->name, -1, SQLITE_STATIC);
      sqlite3_bind_int64 (statement, 2, id);
      if (!run (writer, statement, error))
        return FALSE;
    }
  return statement != NULL;
}

/* NaN has no place in a REAL column: SQLite makes it NULL, and NULL is read as NaN. */
static void
bind_statistics (sqlite3_stmt *statement, const SondeStatistics *statistics)
{
  sqlite3_bind_int64 (statement, 3, statistics->count);
  sqlite3_bind_double (statement, 4, statistics->min);
  sqlite3_bind_double (statement, 5, statistics->max);
  sqlite3_bind_double (statement, 6, statistics->mean);
  sqlite3_bind_double (statement, 7, statistics->std);
  sqlite3_bind_double (statement, 8, statistics->abs_mean);
  sqlite3_bind_int64 (statement, 9, statistics->zeros);
  sqlite3_bind_int64 (statement, 10, statistics->negatives);
  sqlite3_bind_int64 (statement, 11, statistics->nan);
  sqlite3_bind_int64 (statement, 12, statistics->pos_inf);
  sqlite3_bind_int64 (statement, 13, statistics->neg_inf);
}

static gboolean
put_values (Writer *writer, const SondeCapture *capture, GError **error)
{
  g_autoptr (sqlite3_stmt) statement
      = prepare (writer, "INSERT INTO value VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", error);

  for (guint i = 0; statement != NULL && i < capture->values->len; i++)
    {
      const SondeCaptureValue *value = g_ptr_array_index (capture->values, i);
      gint64 id
          = value->tensor != NULL ? put_tensor (writer, value->name, value->tensor, error) : 0;

      if (value->tensor != NULL && id == 0)
        return FALSE;
      sqlite3_bind_text (statement, 1, value->name, -1, SQLITE_STATIC);
      if (id > 0)
        sqlite3_bind_int64 (statement, 2, id);
      if (value->has_statistics)
        bind_statistics (statement, &value->statistics);
      if (!run (writer, statement, error))
        return FALSE;
    }
  return statement != NULL;
}

static gboolean
put_stops (Writer *writer, const SondeCapture *capture, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = prepare (writer, "INSERT INTO stop VALUES (?, ?)", error);

  for (guint i = 0; statement != NULL && i < capture->stops->len; i++)
    {
      const SondeCaptureStop *stop = g_ptr_array_index (capture->stops, i);

      sqlite3_bind_text (statement, 1, stop->command, -1, SQLITE_STATIC);
      sqlite3_bind_int (statement, 2, stop->enabled);
      if (!run (writer, statement, error))
        return FALSE;
    }
  return statement != NULL;
}

static gboolean
fill (Writer *writer, const SondeCapture *capture, GError **error)
{
  g_autofree char *pragmas
      = g_strdup_printf ("PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN;",
                         SONDE_CAPTURE_APPLICATION_ID, SONDE_CAPTURE_VERSION);
  gboolean ok
      = execute (writer, pragmas, error) && execute (writer, schema, error)
        && (writer->blob = prepare (writer, "INSERT INTO blob VALUES (?, ?, ?)", error)) != NULL
        && put_facts (writer, capture, error) && put_model (writer, capture, error)
        && put_inputs (writer, capture, error) && put_values (writer, capture, error)
        && put_stops (writer, capture, error);

  g_clear_pointer (&writer->blob, sqlite3_finalize);
  return ok && execute (writer, "COMMIT", error);
}

gboolean
sonde_capture_write (const SondeCapture *capture, const char *path, GError **error)
{
  g_autoptr (sqlite3) database = NULL;
  Writer writer = { .path = path };
  sqlite3_int64 limit = (sqlite3_int64) SONDE_CAPTURE_MAX_BYTES, length = 0;
  const void *bytes;

  if (sqlite3_open_v2 ("capture", &database,
                       SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "memdb")
      != SQLITE_OK)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                       "not enough memory for the capture “%s”.", path);
      return FALSE;
    }
  sqlite3_file_control (database, "main", SQLITE_FCNTL_SIZE_LIMIT, &limit);
  writer.database = database;
  if (!execute (&writer, "PRAGMA journal_mode = OFF", error) || !fill (&writer, capture, error))
    return FALSE;
  bytes = sqlite3_serialize (database, "main", &length, SQLITE_SERIALIZE_NOCOPY);
  if (bytes == NULL)
    {
      sonde_capture_set_error (database, path, error);
      return FALSE;
    }
  return sonde_io_replace_file (NULL, path, bytes, (gsize) length, error);
}
