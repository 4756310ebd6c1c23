/* SPDX-License-Identifier: Apache-2.0
 * The open index, shared by the two files that work on it. */
#pragma once

#include "data/runs/sonde-run-database-private.h"
#include "data/runs/sonde-run-index-private.h"

struct _SondeRunIndex
{
  const SondeIo *io;
  char *path; /* without suffix */
  int lock;   /* descriptor; -1: not the writer */
  sqlite3 *database;
  sqlite3_stmt *columns_statement, *units_statement; /* made when first needed */
  gint64 epoch, generation;
  guint64 inode; /* of the database file */
};

/* Inside a transaction that writes: it is one more, and not synced. */
gboolean sonde_run_index_count_transaction (SondeRunIndex *index,
                                            GError       **error);
