/* SPDX-License-Identifier: Apache-2.0
 * An index that the small runs of a folder share, because opening a database for each would take
 * longer than parsing them again. It is a database like that of one run, but what is known of a
 * file is one row that is written whole or not at all: a file that is not as it was then is parsed
 * again from its beginning. So the rows do not depend on each other, nor on who wrote them. */
#pragma once

#include "data/runs/sonde-run-index-private.h"

G_BEGIN_DECLS

/* Folders with fewer runs are parsed sooner than a database is opened. */
#define SONDE_RUN_SHARED_MIN_RUNS 64u

/* All files of @batch, each with everything that is known of it, in one transaction. Errors: as
 * sonde_run_index_save() */
gboolean sonde_run_shared_save (SondeRunIndex *index, SondeRunBatch *batch, GError **error);

/**
 * sonde_run_shared_load:
 * @find_file: gives the reader for an absolute path, with nothing in it; it is filled. NULL: not
 *   wanted
 * @n_rows: (out): files that the index knows, wanted or not
 *
 * A row that is not right is left out. Errors: the database is damaged
 */
gboolean sonde_run_shared_load (SondeRunIndex *index, SondeRunIndexFindFile find_file,
                                gpointer data, guint *n_rows, GError **error);

/* ---- sonde-run-shared-codec.c -------------------------------------------- */

/* All of @file but the points. Returns: (transfer full) */
GByteArray *sonde_run_shared_encode (const SondeRunBatchFile *file);
/* Fills @file, whose blocks are rows from @first_block on; FALSE when the bytes are not right: then
 * it is to be reset. @names: (element-type utf8): the tags of the file before, now of this one:
 * most have the same, which need not be interned again */
gboolean sonde_run_shared_decode (SondeRunFileReader *file, gint64 first_block, const guint8 *data,
                                  gsize length, GPtrArray *names);

G_END_DECLS
