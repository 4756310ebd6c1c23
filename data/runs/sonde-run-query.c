/* SPDX-License-Identifier: Apache-2.0
 * A window over a track, cut into at most so many stretches. Stretches begin and end at points when
 * the window has few, at units when it has many, at blocks when it has very many: every point of the
 * window is in exactly one stretch either way, so minimum and maximum are exact, and the work depends
 * on the number of stretches. */
#include "data/runs/sonde-run-track-private.h"

/* Consecutive points of one block that lie in the window. */
typedef struct
{
  SondeRunBlock *block;
  guint file;
  guint first, n;
} Piece;

/* What stretches are made of. */
typedef enum
{
  GRAIN_POINT,
  GRAIN_UNIT,
  GRAIN_BLOCK,
} Grain;

/* Deals items out to buckets: item i goes to bucket i × max_buckets / n_items. */
typedef struct
{
  GArray *buckets;
  SondeBucket current;
  guint64 n_items, next_item, max_buckets;
} Dealer;

/* ---- which points --------------------------------------------------------------------------- */

/* First index whose step is ≥ @step; steps are sorted. */
static guint
lower_bound (const SondeColumns *columns,
             guint               n,
             gint64              step)
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
add_piece (GArray        *pieces,
           SondeRunBlock *block,
           guint          file,
           guint          first,
           guint          n)
{
  Piece piece = { block, file, first, n };

  if (n > 0)
    g_array_append_val (pieces, piece);
}

/* The part of a block that reaches over an edge of the window. */
static void
add_edge_pieces (GArray        *pieces,
                 SondeRunBlock *block,
                 guint          file,
                 gint64         from_step,
                 gint64         to_step)
{
  g_autoptr (SondeColumns) columns = sonde_run_block_get_columns (block);
  guint begin = 0;

  if (!columns)
    return;
  if (block->summary.sorted)
    {
      guint first = lower_bound (columns, block->n, from_step);
      guint end = to_step == G_MAXINT64 ? block->n : lower_bound (columns, block->n, to_step + 1);

      add_piece (pieces, block, file, first, end - first);
      return;
    }
  for (guint i = 0; i <= block->n; i++)
    if (i == block->n || columns->steps[i] < from_step || columns->steps[i] > to_step)
      {
        add_piece (pieces, block, file, begin, i - begin);
        begin = i + 1;
      }
}

static GArray *
find_pieces (SondeRunTrack *track,
             gint64         from_step,
             gint64         to_step)
{
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  GPtrArray *parts = sonde_run_track_get_parts (track);

  for (guint i = 0; i < parts->len; i++)
    {
      SondeRunPart *part = g_ptr_array_index (parts, i);

      for (guint k = 0; k < part->blocks->len; k++)
        {
          SondeRunBlock *block = g_ptr_array_index (part->blocks, k);

          if (block->summary.max_step < from_step || block->summary.min_step > to_step)
            continue;
          if (block->summary.min_step >= from_step && block->summary.max_step <= to_step)
            add_piece (pieces, block, part->file, 0, block->n);
          else
            add_edge_pieces (pieces, block, part->file, from_step, to_step);
        }
    }
  return pieces;
}

/* ---- dealing -------------------------------------------------------------------------------- */

static void
dealer_flush (Dealer *dealer)
{
  if (dealer->current.count > 0)
    g_array_append_val (dealer->buckets, dealer->current);
  dealer->current = (SondeBucket) { 0 };
}

/* First item of the bucket after the one that takes the next item. */
static guint64
dealer_next_border (const Dealer *dealer)
{
  guint64 bucket = dealer->next_item * dealer->max_buckets / dealer->n_items;

  return ((bucket + 1) * dealer->n_items + dealer->max_buckets - 1) / dealer->max_buckets;
}

static void
dealer_add_item (Dealer            *dealer,
                 const SondeBucket *item)
{
  guint64 border = dealer_next_border (dealer);

  sonde_bucket_merge (&dealer->current, item);
  dealer->next_item++;
  if (dealer->next_item == border)
    dealer_flush (dealer);
}

/* Each point is an item. */
static void
deal_points (Dealer      *dealer,
             const Piece *piece)
{
  g_autoptr (SondeColumns) columns = sonde_run_block_get_columns (piece->block);
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

/* Points before the first whole unit, the whole units, and the points behind them. */
static void
split_piece (const Piece *piece,
             guint       *first_unit,
             guint       *end_unit)
{
  *first_unit = (piece->first + SONDE_UNIT_POINTS - 1) / SONDE_UNIT_POINTS;
  *end_unit = (piece->first + piece->n) / SONDE_UNIT_POINTS;
}

typedef void (*ItemFunc) (gpointer           data,
                          const SondeBucket *item);

/* Calls @func for the rest of a unit, each whole unit, and the begin of a unit. */
static void
for_each_unit (const Piece *piece,
               ItemFunc     func,
               gpointer     data)
{
  g_autoptr (SondeColumns) columns = NULL;
  guint end = piece->first + piece->n, first_unit, end_unit;
  SondeBucket rest = { 0 };

  split_piece (piece, &first_unit, &end_unit);
  if (first_unit > end_unit || piece->first % SONDE_UNIT_POINTS || end % SONDE_UNIT_POINTS)
    {
      columns = sonde_run_block_get_columns (piece->block);
      if (!columns)
        return;
    }
  if (first_unit > end_unit)
    {
      sonde_bucket_add_points (&rest, columns, piece->first, end);
      func (data, &rest);
      return;
    }
  if (piece->first % SONDE_UNIT_POINTS)
    {
      sonde_bucket_add_points (&rest, columns, piece->first, first_unit * SONDE_UNIT_POINTS);
      func (data, &rest);
    }
  if (first_unit < end_unit)
    {
      const SondeBucket *units = sonde_run_block_get_units (piece->block);

      for (guint i = first_unit; units && i < end_unit; i++)
        func (data, &units[i]);
    }
  if (end % SONDE_UNIT_POINTS)
    {
      rest = (SondeBucket) { 0 };
      sonde_bucket_add_points (&rest, columns, end_unit * SONDE_UNIT_POINTS, end);
      func (data, &rest);
    }
}

static void
deal_unit (gpointer           data,
           const SondeBucket *item)
{
  dealer_add_item (data, item);
}

static void
merge_unit (gpointer           data,
            const SondeBucket *item)
{
  sonde_bucket_merge (data, item);
}

static void
deal_piece (Dealer      *dealer,
            const Piece *piece,
            Grain        grain)
{
  SondeBucket whole = { 0 };

  if (grain == GRAIN_POINT)
    deal_points (dealer, piece);
  else if (grain == GRAIN_UNIT)
    for_each_unit (piece, deal_unit, dealer);
  else
    {
      if (piece->n == piece->block->n)
        whole = piece->block->summary.bucket;
      else
        for_each_unit (piece, merge_unit, &whole);
      dealer_add_item (dealer, &whole);
    }
}

/* How many items a piece is, as deal_piece() makes them. */
static guint64
count_items (const Piece *piece,
             Grain        grain)
{
  guint first_unit, end_unit, end = piece->first + piece->n;

  if (grain == GRAIN_POINT)
    return piece->n;
  if (grain == GRAIN_BLOCK)
    return 1;
  split_piece (piece, &first_unit, &end_unit);
  if (first_unit > end_unit)
    return 1;
  return end_unit - first_unit + (piece->first % SONDE_UNIT_POINTS != 0) +
         (end % SONDE_UNIT_POINTS != 0);
}

/* ---- the query ------------------------------------------------------------------------------ */

/* Pieces [begin, end) into at most @max_buckets. */
static void
deal_pieces (GArray *buckets,
             GArray *pieces,
             guint   begin,
             guint   end,
             Grain   grain,
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
find_file_end (GArray  *pieces,
               guint    begin,
               guint64 *n_points)
{
  guint file = g_array_index (pieces, Piece, begin).file;
  guint end = begin;

  for (*n_points = 0; end < pieces->len && g_array_index (pieces, Piece, end).file == file; end++)
    *n_points += g_array_index (pieces, Piece, end).n;
  return end;
}

static Grain
choose_grain (guint64 n_points,
              guint   max_buckets)
{
  if (n_points / SONDE_UNIT_POINTS <= max_buckets)
    return GRAIN_POINT;
  /* a block a bucket at least: a stretch is off by one pixel at most, and units stay in the index */
  if (n_points / SONDE_BLOCK_POINTS <= max_buckets)
    return GRAIN_UNIT;
  return GRAIN_BLOCK;
}

static void
query (SondeRunTrack *track,
       gint64         from_step,
       gint64         to_step,
       guint          max_buckets,
       GArray        *buckets)
{
  g_autoptr (GArray) pieces = find_pieces (track, from_step, to_step);
  guint64 n_points = 0, n_files = 0, n;
  Grain grain;

  for (guint i = 0; i < pieces->len; i = find_file_end (pieces, i, &n), n_points += n)
    n_files++;
  if (n_points == 0)
    return;
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
sonde_run_track_query (SondeRunTrack *track,
                       gint64         from_step,
                       gint64         to_step,
                       guint          max_buckets)
{
  GArray *buckets = g_array_new (FALSE, FALSE, sizeof (SondeBucket));

  if (from_step > to_step || max_buckets == 0)
    return buckets;
  sonde_run_track_begin_loads (track);
  query (track, from_step, to_step, max_buckets, buckets);
  sonde_run_track_end_loads (track);
  return buckets;
}
