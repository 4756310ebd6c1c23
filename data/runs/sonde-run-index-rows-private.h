/* SPDX-License-Identifier: Apache-2.0
 * The open index, shared by the two files that work on it. */
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
/* Inside a transaction that writes: it is one more, and not synced. */
gboolean sonde_run_index_count_transaction (SondeRunIndex *index, GError **error);
