/* SPDX-License-Identifier: Apache-2.0
 * A window over a track, cut into at most so many stretches. Stretches begin and end at points when
 * the window has few, at units, chunks or blocks the more it has: every point of the window is in
 * exactly one stretch either way, so minimum and maximum are exact, and the work depends on the
 * number of stretches. From chunks on only the edges of the window are read from the index. */
#include "data/runs/sonde-run-track-private.h"

/* Consecutive points of one block that lie in the window. */
typedef struct
{
  SondeRunCachedBlock *cached;
  guint file;
  guint first, n;
} Piece;

/* What stretches are made of: points, and how many of them are one grain. */
typedef enum
{
  GRAIN_POINT = 1,
  GRAIN_UNIT = SONDE_UNIT_POINTS,
  GRAIN_CHUNK = SONDE_CHUNK_POINTS,
  GRAIN_BLOCK = SONDE_BLOCK_POINTS,
} Grain;

/* Deals items out to buckets: item i goes to bucket i × max_buckets / n_items. */
typedef struct
{
  GArray *buckets;
  SondeBucket current;
  guint64 n_items, next_item, max_buckets;
} Dealer;

/* ---- which points -------------------------------------------------------- */

/* First index whose step is ≥ @step; steps are sorted. */
static guint
lower_bound (const SondeColumns *columns, guint n, gint64 step)
{
  guint low = 0, high = n;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (columns->steps[middle] < step)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
add_piece (GArray *pieces, SondeRunCachedBlock *cached, guint file, guint first, guint n)
{
  Piece piece = { cached, file, first, n };

  if (n > 0)
    g_array_append_val (pieces, piece);
}

/* The part of a block that reaches over an edge of the window. */
static void
add_edge_pieces (GArray *pieces, SondeRunCachedBlock *cached, guint file, gint64 from_step,
                 gint64 to_step)
{
  g_autoptr (SondeColumns) columns = sonde_run_cached_block_get_columns (cached);
  guint begin = 0;

  if (!columns)
    return;
  if (cached->block->summary.sorted)
    {
      guint first = lower_bound (columns, cached->block->n, from_step);
      guint end = to_step == G_MAXINT64 ? cached->block->n
                                        : lower_bound (columns, cached->block->n, to_step + 1);

      add_piece (pieces, cached, file, first, end - first);
      return;
    }
  for (guint i = 0; i <= cached->block->n; i++)
    if (i == cached->block->n || columns->steps[i] < from_step || columns->steps[i] > to_step)
      {
        add_piece (pieces, cached, file, begin, i - begin);
        begin = i + 1;
      }
}

static GArray *
find_pieces (SondeRunTrack *track, gint64 from_step, gint64 to_step)
{
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  GPtrArray *parts = sonde_run_track_get_parts (track);

  for (guint i = 0; i < parts->len; i++)
    {
      SondeRunTrackPart *part = g_ptr_array_index (parts, i);

      for (guint k = 0; k < part->blocks->len; k++)
        {
          SondeRunCachedBlock *cached = g_ptr_array_index (part->blocks, k);

          if (cached->block->summary.max_step < from_step
              || cached->block->summary.min_step > to_step)
            continue;
          if (cached->block->summary.min_step >= from_step
              && cached->block->summary.max_step <= to_step)
            add_piece (pieces, cached, part->file, 0, cached->block->n);
          else
            add_edge_pieces (pieces, cached, part->file, from_step, to_step);
        }
    }
  return pieces;
}

typedef void (*ItemFunc) (gpointer data, const SondeBucket *item);

/* ---- dealing ------------------------------------------------------------- */

static void
dealer_flush (Dealer *dealer)
{
  if (dealer->current.count > 0)
    g_array_append_val (dealer->buckets, dealer->current);
  dealer->current = (SondeBucket){ 0 };
}

/* First item of the bucket after the one that takes the next item. */
static guint64
dealer_next_border (const Dealer *dealer)
{
  guint64 bucket = dealer->next_item * dealer->max_buckets / dealer->n_items;

  return ((bucket + 1) * dealer->n_items + dealer->max_buckets - 1) / dealer->max_buckets;
}

static void
dealer_add_item (Dealer *dealer, const SondeBucket *item)
{
  guint64 border = dealer_next_border (dealer);

  sonde_bucket_merge (&dealer->current, item);
  dealer->next_item++;
  if (dealer->next_item == border)
    dealer_flush (dealer);
}

/* Each point is an item. */
static void
deal_points (Dealer *dealer, const Piece *piece)
{
  g_autoptr (SondeColumns) columns = sonde_run_cached_block_get_columns (piece->cached);
  guint at = piece->first, end = piece->first + piece->n;

  while (columns && at < end)
    {
      guint64 border = dealer_next_border (dealer);
      guint n = MIN (border - dealer->next_item, end - at);

      sonde_bucket_add_points (&dealer->current, columns, at, at + n);
      at += n;
      dealer->next_item += n;
      if (dealer->next_item == border)
        dealer_flush (dealer);
    }
}

/* [*first, *end): grains that are whole; *first > *end when the piece lies inside one. */
static void
split_piece (const Piece *piece, Grain grain, guint *first, guint *end)
{
  *first = (piece->first + grain - 1) / grain;
  *end = (piece->first + piece->n) / grain;
}

/* Points [begin, end) of @cached that are no whole grain. */
static void
give_rest (SondeRunCachedBlock *cached, guint begin, guint end, ItemFunc func, gpointer data)
{
  g_autoptr (SondeColumns) columns
      = begin < end ? sonde_run_cached_block_get_columns (cached) : NULL;
  SondeBucket rest = { 0 };

  if (!columns)
    return;
  sonde_bucket_add_points (&rest, columns, begin, end);
  func (data, &rest);
}

/* Calls @func for the rest of a grain (a unit or a chunk), each whole one, and the begin of one. */
static void
for_each_grain (const Piece *piece, Grain grain, ItemFunc func, gpointer data)
{
  guint end = piece->first + piece->n, first_grain, end_grain;
  const SondeBucket *grains = piece->cached->block->summary.chunks;

  split_piece (piece, grain, &first_grain, &end_grain);
  if (first_grain > end_grain)
    {
      give_rest (piece->cached, piece->first, end, func, data);
      return;
    }
  give_rest (piece->cached, piece->first, first_grain * grain, func, data);
  if (grain == GRAIN_UNIT && first_grain < end_grain)
    grains = sonde_run_cached_block_get_units (piece->cached);
  for (guint i = first_grain; grains && i < end_grain; i++)
    func (data, &grains[i]);
  /* a chunk that is not full yet is known as far as the block goes */
  if (grain == GRAIN_CHUNK && end == piece->cached->block->n && end > end_grain * grain)
    func (data, &grains[end_grain]);
  else
    give_rest (piece->cached, end_grain * grain, end, func, data);
}

static void
deal_grain (gpointer data, const SondeBucket *item)
{
  dealer_add_item (data, item);
}

static void
merge_grain (gpointer data, const SondeBucket *item)
{
  sonde_bucket_merge (data, item);
}

static void
deal_piece (Dealer *dealer, const Piece *piece, Grain grain)
{
  SondeBucket whole = { 0 };

  if (grain == GRAIN_POINT)
    deal_points (dealer, piece);
  else if (grain < GRAIN_BLOCK)
    for_each_grain (piece, grain, deal_grain, dealer);
  else
    {
      if (piece->n == piece->cached->block->n)
        whole = piece->cached->block->summary.bucket;
      else
        for_each_grain (piece, GRAIN_CHUNK, merge_grain, &whole);
      dealer_add_item (dealer, &whole);
    }
}

/* How many items a piece is, as deal_piece() makes them. */
static guint64
count_items (const Piece *piece, Grain grain)
{
  guint first_grain, end_grain, end = piece->first + piece->n;

  if (grain == GRAIN_POINT)
    return piece->n;
  if (grain == GRAIN_BLOCK)
    return 1;
  split_piece (piece, grain, &first_grain, &end_grain);
  if (first_grain > end_grain)
    return 1;
  return end_grain - first_grain + (piece->first % grain != 0) + (end % grain != 0);
}

/* ---- the query ----------------------------------------------------------- */

/* Pieces [begin, end) into at most @max_buckets. */
static void
deal_pieces (GArray *buckets, GArray *pieces, guint begin, guint end, Grain grain,
             guint64 max_buckets)
{
  Dealer dealer = { .buckets = buckets, .max_buckets = max_buckets };

  for (guint i = begin; i < end; i++)
    dealer.n_items += count_items (&g_array_index (pieces, Piece, i), grain);
  dealer.max_buckets = MIN (max_buckets, dealer.n_items);
  for (guint i = begin; i < end; i++)
    deal_piece (&dealer, &g_array_index (pieces, Piece, i), grain);
  dealer_flush (&dealer);
}

/* End of the pieces that are of the same file as piece @begin; counts their points. */
static guint
find_file_end (GArray *pieces, guint begin, guint64 *n_points)
{
  guint file = g_array_index (pieces, Piece, begin).file;
  guint end = begin;

  for (*n_points = 0; end < pieces->len && g_array_index (pieces, Piece, end).file == file; end++)
    *n_points += g_array_index (pieces, Piece, end).n;
  return end;
}

/* The finest of which a bucket gets less than one of the next coarser: a stretch is off by a pixel
 * at most then, and what is finer stays in the index. */
static Grain
choose_grain (guint64 n_points, guint max_buckets)
{
  if (n_points / SONDE_UNIT_POINTS <= max_buckets)
    return GRAIN_POINT;
  if (n_points / SONDE_CHUNK_POINTS <= max_buckets)
    return GRAIN_UNIT;
  if (n_points / SONDE_BLOCK_POINTS <= max_buckets)
    return GRAIN_CHUNK;
  return GRAIN_BLOCK;
}

static void
query (SondeRunTrack *track, gint64 from_step, gint64 to_step, guint max_buckets, GArray *buckets)
{
  g_autoptr (GArray) pieces = find_pieces (track, from_step, to_step);
  guint64 n_points = 0, n_files = 0, n;
  Grain grain;

  for (guint i = 0; i < pieces->len; i = find_file_end (pieces, i, &n), n_points += n)
    n_files++;
  if (n_points == 0)
    return;
  /* room for all of them at once */
  g_array_set_size (buckets, (guint) MIN (max_buckets, n_points));
  g_array_set_size (buckets, 0);
  grain = choose_grain (n_points, max_buckets);
  if (n_files >= max_buckets)
    {
      deal_pieces (buckets, pieces, 0, pieces->len, grain, max_buckets);
      return;
    }
  /* Every file gets one bucket and its share of the others, or one a point when they all fit. */
  for (guint begin = 0, end; begin < pieces->len; begin = end)
    {
      end = find_file_end (pieces, begin, &n);
      deal_pieces (buckets, pieces, begin, end, grain,
                   n_points <= max_buckets ? n : 1 + (max_buckets - n_files) * n / n_points);
    }
}

GArray *
sonde_run_track_query (SondeRunTrack *track, gint64 from_step, gint64 to_step, guint max_buckets)
{
  GArray *buckets = g_array_new (FALSE, FALSE, sizeof (SondeBucket));

  if (from_step > to_step || max_buckets == 0)
    return buckets;
  query (track, from_step, to_step, max_buckets, buckets);
  return buckets;
}
