/* SPDX-License-Identifier: Apache-2.0
 * The open index, shared by the files that work on it. */
#pragma once

#include "data/runs/sonde-run-database-private.h"
#include "data/runs/sonde-run-index-private.h"

struct _SondeRunIndex
{
  const SondeIo *io;
  char *path;                                        /* without suffix */
  int lock;                                          /* descriptor; -1: not the writer */
  sqlite3 *database;                                 /* (nullable): opened again when next needed */
  gboolean is_new;                                   /* in memory only, until its first save */
  sqlite3_stmt *columns_statement, *units_statement; /* made when first needed */
  gint64 epoch, generation;
  guint64 inode; /* of the database file */
};

/* Every use of @database begins here. */
gboolean sonde_run_index_ensure_database (SondeRunIndex *index, GError **error);
/* A new index was filled: its bytes become the file, at once and whole. */
gboolean sonde_run_index_publish (SondeRunIndex *index, GError **error);
/**
 * SondeRunIndexSave: a transaction that writes
 * @statements: (array): prepared, in the order of what was asked for
 */
typedef struct
{
  SondeRunIndex *index;
  sqlite3_stmt **statements;
} SondeRunIndexSave;

/**
 * sonde_run_index_write:
 * @first: (nullable): SQL that comes before all else
 * @sql: (array length=n): of the statements that @write_file runs
 * @write_file: required: one file of @batch
 *
 * Writes the files of @batch inside one transaction that counts, and makes a file of a new index.
 * Errors: those of @write_file, and as sonde_run_index_save()
 */
gboolean sonde_run_index_write (SondeRunIndex *index, SondeRunBatch *batch, const char *first,
                                const char *const *sql, gsize n,
                                gboolean (*write_file) (SondeRunIndexSave *save,
                                                        SondeRunBatchFile *file, GError **error),
                                GError **error);

/* For sonde_run_index_put_data(): */
#define SONDE_RUN_INDEX_PUT_DATA_SQL "INSERT OR REPLACE INTO block_data VALUES (?, ?, ?, ?, ?)"
/* The points and units of @block, which has columns, into @row. */
gboolean sonde_run_index_put_data (sqlite3_stmt *statement, const SondeRunBlock *block, gint64 row,
                                   GError **error);

/* For sonde_run_index_has_data(): */
#define SONDE_RUN_INDEX_FIND_DATA_SQL                                                              \
  "SELECT id, units_crc, columns_crc, units, columns FROM block_data WHERE id = ?"
/* Does @row hold just what sonde_run_index_put_data() would put there. */
gboolean sonde_run_index_has_data (sqlite3_stmt *statement, const SondeRunBlock *block, gint64 row);

/* Inside a transaction that writes: it is one more, and not synced. */
gboolean sonde_run_index_count_transaction (SondeRunIndex *index, GError **error);
