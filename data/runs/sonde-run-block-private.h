/* SPDX-License-Identifier: Apache-2.0
 * A block of points of one tag in one file, as it was at one moment. The worker, the saver and the
 * owner's thread share it by reference: nothing of it changes once it was made. */
#pragma once

#include "data/runs/sonde-run-columns-private.h"

G_BEGIN_DECLS

/**
 * SondeRunBlock: immutable
 * @number: of the block in its segment: 0, 1, 2 …
 * @n: points; all blocks but a segment's last have SONDE_BLOCK_POINTS
 * @row: in the index, which holds the first @n_saved points there; 0: it has no row
 * @columns: (nullable): a reference; the first @n points are the block's. NULL: only in the index
 * @summary: memory is allocated for the chunks that hold points, no more
 */
typedef struct
{
  gint ref_count;
  guint number, n, n_saved;
  gint64 row;
  SondeColumns *columns;
  SondeBlockSummary summary;
} SondeRunBlock;

/* @columns: (nullable): takes a reference. @summary: of @n points, copied */
SondeRunBlock *sonde_run_block_new (guint number, guint n, SondeColumns *columns,
                                    const SondeBlockSummary *summary, gint64 row, guint n_saved);
/* The same points, all of them in @row and not in memory. */
SondeRunBlock *sonde_run_block_new_saved (const SondeRunBlock *block, gint64 row);
SondeRunBlock *sonde_run_block_ref (SondeRunBlock *block);
void sonde_run_block_unref (SondeRunBlock *block); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeRunBlock, sonde_run_block_unref)

/* Of tag, which is interned, and kind of a SondeRunTag. */
guint sonde_run_tag_hash (gconstpointer tag);
gboolean sonde_run_tag_equal (gconstpointer a, gconstpointer b);

/* All points of it can be read from the index. */
gboolean sonde_run_block_is_saved (const SondeRunBlock *block);

G_END_DECLS
