/* SPDX-License-Identifier: Apache-2.0
 * The index of one run: a SQLite database that spares a second reading. A cache: whatever is wrong
 * with it, it is deleted and filled again from the record files. Only this folder sees sqlite3.h.
 *
 * Who writes: one connection in one thread of one process, elected by flock on KEY.lock; it is the
 * only one that writes and checkpoints (SQLite before 3.51.3 can lose commits when a checkpoint
 * races a write of another connection). All others open the database read-only.
 * A new one is filled in memory first and becomes a file by a rename after its first save, which
 * needs no journal; later saves use WAL. Positions and rows are changed in one transaction, so a
 * killed writer leaves nothing half done. No commit waits for the disk; what was not synced before
 * the machine went down is not believed. One thread at a time uses an open index: the worker, or
 * the saver while it writes. */
#pragma once

#include "data/runs/sonde-run-batch-private.h"

G_BEGIN_DECLS

/* Raise it with any change of tables, SondeBlockSummary, SondeBucket or the form of columns. */
#define SONDE_RUN_INDEX_SCHEMA 6
/* Runs with fewer bytes are parsed sooner than a database is opened, and get none. */
#define SONDE_RUN_INDEX_MIN_BYTES ((guint64) 64 << 10)

/* Ids of tags in a database that is right are below. */
#define SONDE_RUN_INDEX_MAX_TAG 16777215

typedef struct _SondeRunIndex SondeRunIndex;

/* Path of the database without its suffix: @folder and a hash of @key. Returns: (transfer full) */
char *sonde_run_index_make_path (const char *folder, const char *key);
gboolean sonde_run_index_exists (const SondeIo *io, const char *path);

/* Records of so many bytes make an index that is large, too. */
#define SONDE_RUN_INDEX_LARGE_BYTES ((guint64) 16 << 20)

/**
 * sonde_run_index_open:
 * @path: of sonde_run_index_make_path(); its folder is made when missing
 * @key: absolute path of the run; a database of another one is not used
 * @bytes: of records, as far as they are known: a new database has pages for that
 *
 * As writer when nobody else is: then one that is missing, foreign, of another schema or damaged is
 * made anew, in memory until the first save. Otherwise for reading.
 * Errors: cannot be made or, for reading, is not there or not right.
 */
SondeRunIndex *sonde_run_index_open (const SondeIo *io, const char *path, const char *key,
                                     guint64 bytes, GError **error);
void sonde_run_index_close (SondeRunIndex *index);

gboolean sonde_run_index_is_writer (const SondeRunIndex *index);
/* Number of the database: a new one gets another. */
gint64 sonde_run_index_get_epoch (const SondeRunIndex *index);
/* Counts the transactions; as of the last load or save here. */
gint64 sonde_run_index_get_generation (const SondeRunIndex *index);
/* Somebody deleted or replaced the database file. */
gboolean sonde_run_index_is_orphaned (const SondeRunIndex *index);

/**
 * sonde_run_index_load:
 * @find_file: gives the reader for a path relative to the run; it is filled. NULL: not wanted
 *
 * Summaries only; the points stay where they are.
 * Errors: the database is damaged; files may be filled half: reset them.
 */
typedef SondeRunFileReader *(*SondeRunIndexFindFile) (gpointer data, const char *relative);
gboolean sonde_run_index_load (SondeRunIndex *index, SondeRunIndexFindFile find_file, gpointer data,
                               GError **error);

/**
 * sonde_run_index_save:
 *
 * All of @batch in one transaction. Only for the writer, on the one thread that uses it.
 * Errors: nothing was changed, and a new index must be closed; SONDE_DATA_ERROR_DAMAGED: make the
 * index anew; otherwise try later.
 */
gboolean sonde_run_index_save (SondeRunIndex *index, SondeRunBatch *batch, GError **error);
/* Waits until all of it is on the disk, so that it outlives the next start of the machine. */
gboolean sonde_run_index_sync (SondeRunIndex *index);

/* The first @n points or buckets of a row; NULL or FALSE when they are not there. */
SondeColumns *sonde_run_index_load_columns (SondeRunIndex *index, gint64 row, guint n);
gboolean sonde_run_index_load_units (SondeRunIndex *index, gint64 row, SondeBucket *units, guint n);

/* Loads between these share one snapshot, which saves locking for each. */
void sonde_run_index_begin_loads (SondeRunIndex *index);
void sonde_run_index_end_loads (SondeRunIndex *index);

/* For other threads than the writer's: read-only, whoever writes. NULL when @epoch is not there. */
SondeRunIndex *sonde_run_index_open_for_blocks (const char *path, gint64 epoch);

/* Deletes the database; only its writer may. */
void sonde_run_index_delete (SondeRunIndex *index);

G_END_DECLS
