/* SPDX-License-Identifier: Apache-2.0
 * Blocks that are only in the index are read through a connection of the snapshot's own; a few of the last ones are kept,
 * for who looks at points around a point. */
#include "data/runs/sonde-series-snapshot.h"

#include "data/runs/sonde-run-index-private.h"
#include "data/runs/sonde-run-track-private.h"

#define KEPT 6u /* blocks that were read last */

/* @columns: (nullable): of @block */
typedef struct
{
  const SondeRunBlock *block;
  SondeColumns *columns;
} Kept;

/**
 * SondeSeriesSnapshot:
 * @blocks: (element-type SondeRunBlock): from point @begin on
 * @ends: number of the point behind each of them
 * @at: of the block that was read last
 * @index: (nullable): opened for the first block that needs it
 */
struct _SondeSeriesSnapshot
{
  GPtrArray *blocks;
  GArray *ends;
  guint64 begin, end;
  guint at;
  char *index_path;
  gint64 index_epoch;
  SondeRunIndex *index;
  Kept kept[KEPT];
  guint next_kept;
};

static void
take_blocks (SondeSeriesSnapshot *snapshot, SondeRunTrack *track, guint64 first)
{
  GPtrArray *parts = sonde_run_track_get_parts (track);

  for (guint i = 0; i < parts->len; i++)
    {
      const SondeRunTrackPart *part = parts->pdata[i];

      for (guint k = 0; k < part->blocks->len; k++)
        {
          SondeRunBlock *block = ((SondeRunCachedBlock *) part->blocks->pdata[k])->block;

          snapshot->end += block->n;
          if (snapshot->end <= first)
            {
              snapshot->begin = snapshot->end;
              continue;
            }
          g_ptr_array_add (snapshot->blocks, sonde_run_block_ref (block));
          g_array_append_val (snapshot->ends, snapshot->end);
        }
    }
}

SondeSeriesSnapshot *
sonde_run_track_take_snapshot (SondeRunTrack *track, guint64 first)
{
  SondeSeriesSnapshot *snapshot = g_new0 (SondeSeriesSnapshot, 1);

  snapshot->blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_run_block_unref);
  snapshot->ends = g_array_new (FALSE, FALSE, sizeof (guint64));
  if (track == NULL)
    return snapshot;
  snapshot->index_path = g_strdup (sonde_run_track_locate (track, &snapshot->index_epoch));
  take_blocks (snapshot, track, first);
  return snapshot;
}

void
sonde_series_snapshot_free (SondeSeriesSnapshot *snapshot)
{
  if (snapshot == NULL)
    return;
  for (guint i = 0; i < KEPT; i++)
    sonde_columns_unref (snapshot->kept[i].columns);
  g_clear_pointer (&snapshot->index, sonde_run_index_close);
  g_free (snapshot->index_path);
  g_ptr_array_unref (snapshot->blocks);
  g_array_unref (snapshot->ends);
  g_free (snapshot);
}

guint64
sonde_series_snapshot_get_n_points (const SondeSeriesSnapshot *snapshot)
{
  return snapshot->end;
}

/* (transfer full) (nullable) */
static SondeColumns *
load_columns (SondeSeriesSnapshot *snapshot, const SondeRunBlock *block)
{
  if (block->columns != NULL)
    return sonde_columns_ref (block->columns);
  if (snapshot->index == NULL && snapshot->index_path != NULL)
    snapshot->index = sonde_run_index_open_for_blocks (snapshot->index_path, snapshot->index_epoch);
  return snapshot->index != NULL
             ? sonde_run_index_load_columns (snapshot->index, block->row, block->n)
             : NULL;
}

/* (transfer none) (nullable) */
static const SondeColumns *
get_columns (SondeSeriesSnapshot *snapshot, const SondeRunBlock *block)
{
  Kept *kept;

  for (guint i = 0; i < KEPT; i++)
    if (snapshot->kept[i].block == block)
      return snapshot->kept[i].columns;
  kept = &snapshot->kept[snapshot->next_kept++ % KEPT];
  g_clear_pointer (&kept->columns, sonde_columns_unref);
  kept->columns = load_columns (snapshot, block);
  kept->block = kept->columns != NULL ? block : NULL;
  return kept->columns;
}

/* Begin of the block that holds point @first; FALSE: none does. Mostly it is the one read last, or the next. */
static gboolean
find_block (SondeSeriesSnapshot *snapshot, guint64 first, guint64 *begin)
{
  const guint64 *ends = (const guint64 *) snapshot->ends->data;

  if (first < snapshot->begin || first >= snapshot->end)
    return FALSE;
  while (snapshot->at > 0 && first < ends[snapshot->at - 1])
    snapshot->at--;
  while (first >= ends[snapshot->at])
    snapshot->at++;
  *begin = snapshot->at > 0 ? ends[snapshot->at - 1] : snapshot->begin;
  return TRUE;
}

gsize
sonde_series_snapshot_lend_points (SondeSeriesSnapshot *snapshot, guint64 first, gsize n,
                                   SondePointSpan *span)
{
  const SondeRunBlock *block;
  const SondeColumns *columns;
  guint64 begin;

  span->n = 0;
  if (n == 0 || !find_block (snapshot, first, &begin))
    return 0;
  block = snapshot->blocks->pdata[snapshot->at];
  columns = get_columns (snapshot, block);
  if (columns == NULL)
    return 0;
  sonde_columns_lend (columns, (guint) (first - begin), (guint) MIN (n, begin + block->n - first),
                      span);
  return span->n;
}
