/* SPDX-License-Identifier: Apache-2.0
 * One transaction of an index, whatever its rows are. */
#include "data/runs/sonde-run-index-rows-private.h"

typedef gboolean (*WriteFile) (SondeRunIndexSave *save, SondeRunBatchFile *file, GError **error);

static gboolean
prepare (SondeRunIndexSave *save, const char *const *sql, gsize n, GError **error)
{
  for (gsize i = 0; i < n; i++)
    {
      save->statements[i] = sonde_run_database_prepare (save->index->database, sql[i], error);
      if (!save->statements[i])
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_files (SondeRunIndexSave *save, SondeRunBatch *batch, WriteFile write_file, GError **error)
{
  for (guint i = 0; i < batch->files->len; i++)
    if (!write_file (save, g_ptr_array_index (batch->files, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
begin (SondeRunIndex *index, const char *first, GError **error)
{
  return sonde_run_index_ensure_database (index, error)
         && (index->is_new || sonde_run_database_use_wal (index->database, error))
         && sonde_run_database_execute (index->database, "BEGIN IMMEDIATE", error)
         && sonde_run_index_count_transaction (index, error)
         && (!first || sonde_run_database_execute (index->database, first, error));
}

/* After a failure: nothing is to be changed. */
static void
undo (SondeRunIndex *index)
{
  if (index->is_new)
    g_clear_pointer (&index->database,
                     sonde_run_database_close); /* it cannot go back: with it all is gone */
  /* a full disk may have rolled back already */
  else if (index->database && !sqlite3_get_autocommit (index->database))
    sonde_run_database_execute (index->database, "ROLLBACK", NULL);
}

gboolean
sonde_run_index_write (SondeRunIndex *index, SondeRunBatch *batch, const char *first,
                       const char *const *sql, gsize n, WriteFile write_file, GError **error)
{
  g_autofree sqlite3_stmt **statements = g_new0 (sqlite3_stmt *, n);
  SondeRunIndexSave save = { index, statements };
  gboolean done;

  g_return_val_if_fail (index->lock >= 0, FALSE);

  done = begin (index, first, error) && prepare (&save, sql, n, error)
         && write_files (&save, batch, write_file, error)
         && sonde_run_database_execute (index->database, "COMMIT", error);
  for (gsize i = 0; i < n; i++)
    sqlite3_finalize (statements[i]);
  if (done && index->is_new)
    done = sonde_run_index_publish (index, error);
  if (done)
    index->generation++;
  else
    undo (index);
  return done;
}
