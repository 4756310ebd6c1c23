/* SPDX-License-Identifier: Apache-2.0
 * Reading a file that may be anybody's: read whole through data/base, then as a database in memory,
 * every cell checked. */
#include "data/captures/sonde-capture-private.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "data/records/sonde-record.h"

/* A view of the file may count to infinity: 50 million of SQLite's instructions, about a second,
 * are enough for a million rows. */
#define OPERATIONS_A_LOOK 1000000
#define MAX_LOOKS 50

typedef struct
{
  sqlite3 *database;
  const char *path;
  guint looks;
} Reader;

/* @what: message id */
static gboolean
fail_damaged (Reader *reader, const char *what, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "capture “%s” is damaged: %-s.", reader->path, what);
  return FALSE;
}

static sqlite3_stmt *
prepare (Reader *reader, const char *sql, GError **error)
{
  sqlite3_stmt *statement = NULL;

  if (sqlite3_prepare_v2 (reader->database, sql, -1, &statement, NULL) != SQLITE_OK)
    sonde_capture_set_error (reader->database, reader->path, error);
  return statement;
}

/* TRUE for a row; FALSE at the end, or with @error. */
static gboolean
next (Reader *reader, sqlite3_stmt *statement, guint *n, GError **error)
{
  int result = sqlite3_step (statement);

  if (result == SQLITE_ROW && ++*n <= SONDE_CAPTURE_MAX_ROWS)
    return TRUE;
  if (result == SQLITE_ROW)
    fail_damaged (reader, N_ ("a table has more than a million rows"), error);
  else if (result != SQLITE_DONE)
    sonde_capture_set_error (reader->database, reader->path, error);
  return FALSE;
}

/* Valid UTF-8, or NULL. Lent until the next step. */
static const char *
column_text (sqlite3_stmt *statement, int column)
{
  const char *text = (const char *) sqlite3_column_text (statement, column);
  int length = sqlite3_column_bytes (statement, column);

  return text != NULL && strlen (text) == (gsize) length && g_utf8_validate (text, length, NULL)
             ? text
             : NULL;
}

/* All pieces of blob @id. (transfer full) (nullable) */
static GBytes *
read_blob (Reader *reader, gint64 id, GError **error)
{
  g_autoptr (sqlite3_stmt) statement
      = prepare (reader, "SELECT piece, data FROM blob WHERE id = ? ORDER BY piece", error);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GError) failure = NULL;
  guint n = 0;

  if (statement == NULL)
    return NULL;
  sqlite3_bind_int64 (statement, 1, id);
  while (next (reader, statement, &n, &failure))
    {
      const void *data = sqlite3_column_blob (statement, 1);
      int length = sqlite3_column_bytes (statement, 1);

      if (sqlite3_column_int64 (statement, 0) != n - 1
          || (guint64) bytes->len + (guint64) length > G_MAXUINT32)
        {
          fail_damaged (reader, N_ ("part of a blob is missing"), error);
          return NULL;
        }
      g_byte_array_append (bytes, data, (guint) length);
    }
  if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  else if (n == 0)
    fail_damaged (reader, N_ ("a blob is missing"), error);
  else
    return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
  return NULL;
}

static SondeTensor *
read_tensor (Reader *reader, const char *name, gint64 id, GError **error)
{
  g_autoptr (GBytes) bytes = read_blob (reader, id, error);
  SondeTagTable *table;
  SondeRecord record = { 0 };
  SondeTensor *tensor = NULL;
  gsize length;
  const guint8 *data;

  if (bytes == NULL)
    return NULL;
  table = sonde_tag_table_new ();
  data = g_bytes_get_data (bytes, &length);
  if (!sonde_record_decode (data, length, table, &record, error))
    sonde_prefix_error (error, "capture “%s”, tensor “%s”: ", reader->path, name);
  else if (record.kind != SONDE_RECORD_TENSOR || record.u.tensor == NULL)
    fail_damaged (reader, N_ ("a tensor cannot be read"), error);
  else
    tensor = sonde_tensor_ref (record.u.tensor);
  sonde_record_clear (&record);
  sonde_tag_table_free (table);
  return tensor;
}

/* ---- tables -------------------------------------------------------------- */

typedef gboolean TakeRow (Reader *reader, SondeCapture *capture, sqlite3_stmt *statement,
                          GError **error);

static gboolean
take_fact (Reader *reader, SondeCapture *capture, sqlite3_stmt *statement, GError **error)
{
  const char *value = column_text (statement, 1), *key = column_text (statement, 0);

  if (key == NULL || value == NULL)
    return fail_damaged (reader, N_ ("a property is not text"), error);
  sonde_capture_set_fact (capture, key, value);
  return TRUE;
}

static gboolean
take_model (Reader *reader, SondeCapture *capture, sqlite3_stmt *statement, GError **error)
{
  gint64 length = sqlite3_column_int64 (statement, 1);

  if (capture->model != NULL)
    return fail_damaged (reader, N_ ("it contains two models"), error);
  capture->executed = sqlite3_column_int (statement, 0) != 0;
  capture->model = read_blob (reader, sqlite3_column_int64 (statement, 2), error);
  if (capture->model == NULL)
    return FALSE;
  return (gint64) g_bytes_get_size (capture->model) == length
         || fail_damaged (reader, N_ ("its model is truncated"), error);
}

static gboolean
take_input (Reader *reader, SondeCapture *capture, sqlite3_stmt *statement, GError **error)
{
  g_autofree char *name = g_strdup (column_text (statement, 0));
  g_autoptr (SondeTensor) tensor = NULL;

  if (name == NULL)
    return fail_damaged (reader, N_ ("an input has no name"), error);
  tensor = read_tensor (reader, name, sqlite3_column_int64 (statement, 1), error);
  if (tensor == NULL)
    return FALSE;
  sonde_capture_add_input (capture, name, tensor);
  return TRUE;
}

static double
column_number (sqlite3_stmt *statement, int column)
{
  return sqlite3_column_type (statement, column) == SQLITE_NULL
             ? NAN
             : sqlite3_column_double (statement, column);
}

static gboolean
take_value (Reader *reader, SondeCapture *capture, sqlite3_stmt *statement, GError **error)
{
  g_autofree char *name = g_strdup (column_text (statement, 0));
  gboolean has_tensor = sqlite3_column_type (statement, 1) != SQLITE_NULL;
  gboolean has_statistics = sqlite3_column_type (statement, 2) != SQLITE_NULL;
  const SondeStatistics statistics = {
    .count = sqlite3_column_int64 (statement, 2),
    .min = column_number (statement, 3),
    .max = column_number (statement, 4),
    .mean = column_number (statement, 5),
    .std = column_number (statement, 6),
    .abs_mean = column_number (statement, 7),
    .zeros = sqlite3_column_int64 (statement, 8),
    .negatives = sqlite3_column_int64 (statement, 9),
    .nan = sqlite3_column_int64 (statement, 10),
    .pos_inf = sqlite3_column_int64 (statement, 11),
    .neg_inf = sqlite3_column_int64 (statement, 12),
  };
  g_autoptr (SondeTensor) tensor = NULL;

  if (name == NULL)
    return fail_damaged (reader, N_ ("a value has no name"), error);
  if (has_tensor)
    {
      tensor = read_tensor (reader, name, sqlite3_column_int64 (statement, 1), error);
      if (tensor == NULL)
        return FALSE;
    }
  sonde_capture_add_value (capture, name, tensor, has_statistics ? &statistics : NULL);
  return TRUE;
}

static gboolean
take_stop (Reader *reader, SondeCapture *capture, sqlite3_stmt *statement, GError **error)
{
  const char *command = column_text (statement, 0);

  if (command == NULL)
    return fail_damaged (reader, N_ ("a breakpoint is not text"), error);
  sonde_capture_add_stop (capture, command, sqlite3_column_int (statement, 1) != 0);
  return TRUE;
}

static const struct
{
  const char *sql;
  TakeRow *take;
} tables[] = {
  { "SELECT key, value FROM fact", take_fact },
  { "SELECT executed, bytes, blob FROM model", take_model },
  { "SELECT name, tensor FROM input", take_input },
  { "SELECT name, tensor, count, min, max, mean, std, abs_mean, zeros, negatives, nan, pos_inf, "
    "neg_inf FROM value",
    take_value },
  { "SELECT command, enabled FROM stop", take_stop },
};

static gboolean
read_tables (Reader *reader, SondeCapture *capture, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      g_autoptr (sqlite3_stmt) statement = prepare (reader, tables[i].sql, error);
      g_autoptr (GError) failure = NULL;
      guint n = 0;

      if (statement == NULL)
        return FALSE;
      while (next (reader, statement, &n, &failure))
        if (!tables[i].take (reader, capture, statement, error))
          return FALSE;
      if (failure != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
    }
  return TRUE;
}

/* ---- the file ------------------------------------------------------------ */

static gint64
ask (Reader *reader, const char *sql)
{
  g_autoptr (sqlite3_stmt) statement = prepare (reader, sql, NULL);

  return statement != NULL && sqlite3_step (statement) == SQLITE_ROW
             ? sqlite3_column_int64 (statement, 0)
             : -1;
}

static gboolean
check_version (Reader *reader, GError **error)
{
  gint64 version = ask (reader, "PRAGMA user_version");

  if (ask (reader, "PRAGMA application_id") != SONDE_CAPTURE_APPLICATION_ID)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s” is not a Sonde capture file.", reader->path);
      return FALSE;
    }
  if (version <= SONDE_CAPTURE_VERSION)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "capture “%s” has version %" PRIi64
                   ", but this version of Sonde reads up to %d: update Sonde.",
                   reader->path, version, SONDE_CAPTURE_VERSION);
  return FALSE;
}

static int
look (void *data)
{
  Reader *reader = data;

  return ++reader->looks > MAX_LOOKS;
}

/* No triggers, no functions of the schema, cells checked. */
static gboolean
open_bytes (Reader *reader, GBytes *bytes, GError **error)
{
  gsize length;
  const void *data = g_bytes_get_data (bytes, &length);

  if (sqlite3_open_v2 (":memory:", &reader->database, SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE,
                       NULL)
      != SQLITE_OK)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                       "not enough memory for the capture “%s”.", reader->path);
      return FALSE;
    }
  sqlite3_progress_handler (reader->database, OPERATIONS_A_LOOK, look, reader);
  sqlite3_db_config (reader->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (reader->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  if (sqlite3_deserialize (reader->database, "main", (unsigned char *) data, (sqlite3_int64) length,
                           (sqlite3_int64) length, SQLITE_DESERIALIZE_READONLY)
          != SQLITE_OK
      || sqlite3_exec (reader->database, "PRAGMA cell_size_check = ON", NULL, NULL, NULL)
             != SQLITE_OK)
    {
      sonde_capture_set_error (reader->database, reader->path, error);
      return FALSE;
    }
  return TRUE;
}

SondeCapture *
sonde_capture_read (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (NULL, path, SONDE_CAPTURE_MAX_BYTES, error);
  g_autoptr (SondeCapture) capture = NULL;
  Reader reader = { .path = path };
  gboolean ok;

  if (bytes == NULL)
    return NULL;
  capture = sonde_capture_new ();
  ok = open_bytes (&reader, bytes, error) && check_version (&reader, error)
       && read_tables (&reader, capture, error);
  sqlite3_close (reader.database);
  return ok ? g_steal_pointer (&capture) : NULL;
}
