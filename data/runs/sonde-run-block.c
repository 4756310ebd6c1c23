/* SPDX-License-Identifier: Apache-2.0 */
#include "data/runs/sonde-run-block-private.h"

#include <string.h>

SondeRunBlock *
sonde_run_block_new (guint number, guint n, SondeColumns *columns, const SondeBlockSummary *summary,
                     gint64 row, guint n_saved)
{
  gsize size = sonde_block_summary_get_size (n);
  SondeRunBlock *block = g_malloc (offsetof (SondeRunBlock, summary) + size);

  block->ref_count = 1;
  block->number = number;
  block->n = n;
  block->n_saved = n_saved;
  block->row = row;
  block->columns = columns ? sonde_columns_ref (columns) : NULL;
  memcpy (&block->summary, summary, size);
  return block;
}

SondeRunBlock *
sonde_run_block_new_saved (const SondeRunBlock *block, gint64 row)
{
  return sonde_run_block_new (block->number, block->n, NULL, &block->summary, row, block->n);
}

SondeRunBlock *
sonde_run_block_ref (SondeRunBlock *block)
{
  g_atomic_int_inc (&block->ref_count);
  return block;
}

void
sonde_run_block_unref (SondeRunBlock *block)
{
  if (!block || !g_atomic_int_dec_and_test (&block->ref_count))
    return;
  sonde_columns_unref (block->columns);
  g_free (block);
}

gboolean
sonde_run_block_is_saved (const SondeRunBlock *block)
{
  return block->row != 0 && block->n_saved >= block->n;
}

guint
sonde_run_tag_hash (gconstpointer data)
{
  const SondeRunTag *tag = data;

  return g_direct_hash (tag->tag) * 31 + tag->kind;
}

gboolean
sonde_run_tag_equal (gconstpointer a, gconstpointer b)
{
  const SondeRunTag *one = a, *other = b;

  return one->tag == other->tag && one->kind == other->kind;
}
