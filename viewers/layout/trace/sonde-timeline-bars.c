/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/trace/sonde-timeline-bars.h"

#include <math.h>

#define BLOCK SONDE_TIMELINE_BLOCK
#define GROUP SONDE_TIMELINE_GROUP
#define EXACT 128 /* pixels of which a code is exact to an eighth of one */
#define AHEAD 12  /* items that are fetched before they are looked at */

typedef struct
{
  const SondeTimelineIndex *index;
  const SondeTimelineRow *row;
  const guint32 *items;
} Row;

static Row
open_row (const SondeTimelineIndex *index, guint32 r)
{
  const SondeTimelineRow *row = &g_array_index (index->rows, SondeTimelineRow, r);

  return (Row){ index, row, index->order + row->first };
}

static double
start_of (const Row *row, guint32 i)
{
  const SondeTimelineIndex *index = row->index;
  guint32 item = row->items[i];

  if (item < index->trace->n_spans)
    return sonde_timeline_since (index, index->trace->spans[item].start_ns);
  return sonde_timeline_since (index, sonde_timeline_index_get_item (index, item).start_ns);
}

static double
end_of (const Row *row, guint32 i)
{
  const SondeTimelineIndex *index = row->index;
  guint32 item = row->items[i];

  if (item < index->trace->n_spans)
    return sonde_timeline_since (index, index->trace->spans[item].end_ns);
  return sonde_timeline_since (index, sonde_timeline_index_get_item (index, item).end_ns);
}

/* The first in [low, high) that starts, or ends, at @since_ns or later; @high when none does. */
static guint32
bisect (const Row *row, gboolean ends, guint32 low, guint32 high, double since_ns)
{
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if ((ends ? end_of (row, middle) : start_of (row, middle)) < since_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

guint32
sonde_timeline_row_find_end (const SondeTimelineIndex *index, guint32 r, double since_ns)
{
  Row row = open_row (index, r);

  return bisect (&row, TRUE, 0, row.row->n, since_ns);
}

guint32
sonde_timeline_row_find_start (const SondeTimelineIndex *index, guint32 r, double since_ns)
{
  Row row = open_row (index, r);

  return bisect (&row, FALSE, 0, row.row->n, since_ns);
}

/* ---- joining ------------------------------------------------------------- */

/* @item: the longest, or NONE: it stands at @place of the row; @end_ns: of the last item that was looked at by
 * itself; @in_blocks: whether others followed it */
typedef struct
{
  guint32 item, place;
  double most_ns, busy_ns, end_ns;
  gboolean in_blocks;
} Sum;

/* @dense_ns: what is as long as this is a bar of its own */
typedef struct
{
  double pixel_ns, dense_ns, pixel_end_ns;
} Cut;

/* Item @i of a row */
typedef struct
{
  guint32 i;
  double start_ns, lasts_ns;
} Look;

/* Number @b of a row's, and where the next begins */
typedef struct
{
  guint32 b;
  double start_ns, next_ns;
} Block;

static const SondeTimelineBlock *
get_blocks (const Row *row)
{
  return &g_array_index (row->index->blocks, SondeTimelineBlock, row->row->first_block);
}

static const SondeTimelineGroup *
get_groups (const Row *row)
{
  return &g_array_index (row->index->groups, SondeTimelineGroup,
                         (gsize) row->row->first_block * (BLOCK / GROUP));
}

/* Of the items [i, j). */
static guint32
find_longest (const Row *row, guint32 i, guint32 j)
{
  const SondeTimelineBlock *blocks = get_blocks (row);
  guint32 longest = SONDE_TIMELINE_NONE;
  gint64 most = -1;

  while (i < j)
    {
      gboolean whole = i % BLOCK == 0 && j - i >= BLOCK;
      guint32 item = whole ? blocks[i / BLOCK].longest : row->items[i];
      SondeTimelineItem it = sonde_timeline_index_get_item (row->index, item);

      if (it.end_ns - it.start_ns > most)
        {
          most = it.end_ns - it.start_ns;
          longest = item;
        }
      i += whole ? BLOCK : 1;
    }
  return longest;
}

/* ---- bars ---------------------------------------------------------------- */

static void
add_bar (const Row *row, const SondeTimelineWindow *window, guint32 i, GArray *bars)
{
  double scale = window->width / (window->end_ns - window->start_ns);
  SondeTimelineBar bar = { .x0 = MAX ((start_of (row, i) - window->start_ns) * scale, 0),
                           .x1 = MIN ((end_of (row, i) - window->start_ns) * scale, window->width),
                           .item = row->items[i],
                           .n = 1,
                           .cover = 1 };

  bar.cover = MIN (bar.x1 - bar.x0, 1);
  g_array_append_val (bars, bar);
}

/* Whether the items from @start_ns to before @next_start_ns count as a whole: none of them is a bar of its own,
 * and all lie within a pixel of their begin. */
static gboolean
is_whole (double start_ns, double next_start_ns, double longest_ns, const Cut *cut)
{
  return start_ns < cut->pixel_end_ns && next_start_ns - start_ns <= cut->pixel_ns
         && longest_ns < cut->dense_ns;
}

/* Blocks from item @i on, which begins one. Returns where they end. */
static guint32
add_blocks (const Row *row, guint32 i, const Cut *cut, Sum *sum)
{
  const SondeTimelineBlock *blocks = get_blocks (row);
  guint32 b = i / BLOCK, n = row->row->n / BLOCK;
  double start = b < n ? sonde_timeline_since (row->index, blocks[b].start_ns) : 0, next;

  for (; b + 1 < n; b++, start = next)
    {
      double longest_ns = (double) blocks[b].longest_ns;

      next = sonde_timeline_since (row->index, blocks[b + 1].start_ns);
      if (!is_whole (start, next, longest_ns, cut))
        break;
      sum->busy_ns += (double) blocks[b].busy_ns;
      if (longest_ns > sum->most_ns)
        {
          sum->most_ns = longest_ns;
          sum->item = blocks[b].longest;
        }
    }
  return b * BLOCK;
}

/* The block of item @i as its codes tell it. FALSE: the item is in none, or in one so long that they are not exact. */
static gboolean
open_block (const Row *row, guint32 i, const Cut *cut, Block *block)
{
  const SondeTimelineBlock *blocks = get_blocks (row);
  guint32 b = i / BLOCK;

  if (b + 1 >= row->row->n / BLOCK)
    return FALSE;
  if (block->b != b)
    {
      block->b = b;
      block->start_ns = sonde_timeline_since (row->index, blocks[b].start_ns);
      block->next_ns = sonde_timeline_since (row->index, blocks[b + 1].start_ns);
    }
  return block->next_ns - block->start_ns < cut->pixel_ns * EXACT;
}

static double
get_start (const Row *row, guint32 i, const Block *block)
{
  guint32 code = row->index->codes[row->row->first + i].offset;

  return block->start_ns + sonde_timeline_decode_ns (code, SONDE_TIMELINE_CODE_SHIFT);
}

/* Groups from item @i on, which begins one, up to the end of its block. Returns where they end. */
static guint32
add_groups (const Row *row, guint32 i, const Cut *cut, const Block *block, Sum *sum)
{
  const SondeTimelineGroup *groups = get_groups (row);
  guint32 g = i / GROUP, end = (block->b + 1) * (BLOCK / GROUP);
  double start = get_start (row, i, block), next;

  for (; g < end; g++, start = next)
    {
      double longest_ns = sonde_timeline_decode_ns (groups[g].longest, SONDE_TIMELINE_CODE_SHIFT);

      next = g + 1 < end ? get_start (row, (g + 1) * GROUP, block) : block->next_ns;
      if (!is_whole (start, next, longest_ns, cut))
        break;
      sum->busy_ns += sonde_timeline_decode_ns (groups[g].busy / 4u, SONDE_TIMELINE_BUSY_SHIFT);
      if (longest_ns > sum->most_ns)
        {
          sum->most_ns = longest_ns;
          sum->item = SONDE_TIMELINE_NONE;
          sum->place = g * GROUP + groups[g].busy % GROUP;
        }
    }
  return g * GROUP;
}

/* Where item @i begins, and how long it lasts: as exactly as can be seen. */
static void
look (const Row *row, guint32 i, const Cut *cut, Block *block, Look *at)
{
  const SondeTrace *trace = row->index->trace;

  if (at->i == i)
    return;
  at->i = i;
  if (open_block (row, i, cut, block))
    {
      at->start_ns = get_start (row, i, block);
      at->lasts_ns = sonde_timeline_decode_ns (row->index->codes[row->row->first + i].lasts,
                                               SONDE_TIMELINE_CODE_SHIFT);
      return;
    }
  if (i + AHEAD < row->row->n && row->items[i + AHEAD] < trace->n_spans)
    __builtin_prefetch (&trace->spans[row->items[i + AHEAD]]);
  at->start_ns = start_of (row, i);
  at->lasts_ns = end_of (row, i) - at->start_ns;
}

/* Adds up what begins in the pixel of item @i. Returns where it ends: @i when that is a bar of its own. */
static guint32
sum_up_pixel (const Row *row, guint32 i, const Cut *cut, Block *block, Look *at, Sum *sum)
{
  guint32 j = i;

  while (j < row->row->n)
    {
      guint32 from = j;

      if (j % BLOCK == 0)
        j = add_blocks (row, j, cut, sum);
      if (j % GROUP == 0 && open_block (row, j, cut, block))
        j = add_groups (row, j, cut, block, sum);
      if (j > from)
        {
          sum->in_blocks = TRUE;
          continue;
        }
      look (row, j, cut, block, at);
      if (at->start_ns >= cut->pixel_end_ns || at->lasts_ns >= cut->dense_ns)
        break;
      sum->in_blocks = FALSE;
      sum->end_ns = at->start_ns + at->lasts_ns;
      sum->busy_ns += at->lasts_ns;
      if (at->lasts_ns > sum->most_ns)
        {
          sum->most_ns = at->lasts_ns;
          sum->item = SONDE_TIMELINE_NONE;
          sum->place = j;
        }
      j++;
    }
  return j;
}

static void
add_joined_bar (const Row *row, const SondeTimelineWindow *window, double start_ns, guint32 n,
                const Cut *cut, const Sum *sum, GArray *bars)
{
  double scale = 1 / cut->pixel_ns, end = sum->in_blocks ? cut->pixel_end_ns : sum->end_ns;
  SondeTimelineBar bar
      = { .x0 = MAX ((start_ns - window->start_ns) * scale, 0),
          .x1 = MIN ((end - window->start_ns) * scale, window->width),
          .item = sum->item != SONDE_TIMELINE_NONE ? sum->item : row->items[sum->place],
          .n = n,
          .cover = CLAMP (sum->busy_ns * scale, 0, 1) };

  g_array_append_val (bars, bar);
}

void
sonde_timeline_row_cut (const SondeTimelineIndex *index, guint32 r,
                        const SondeTimelineWindow *window, GArray *bars)
{
  Row row = open_row (index, r);
  double pixel_ns = (window->end_ns - window->start_ns) / window->width, scale = 1 / pixel_ns;
  Cut cut = { pixel_ns, pixel_ns * SONDE_TIMELINE_DENSE, 0 };
  Block block = { .b = SONDE_TIMELINE_NONE };
  Look at = { .i = SONDE_TIMELINE_NONE };
  guint32 i = bisect (&row, TRUE, 0, row.row->n, window->start_ns);

  g_array_set_size (bars, 0);
  while (i < row.row->n)
    {
      Sum sum = { SONDE_TIMELINE_NONE, 0, -1, 0, 0, FALSE };
      double start;
      guint32 j = i;

      look (&row, i, &cut, &block, &at);
      if (at.start_ns >= window->end_ns)
        break;
      start = MAX (at.start_ns, window->start_ns);
      if (at.lasts_ns < cut.dense_ns)
        {
          int x = (int) ((start - window->start_ns) * scale);

          cut.pixel_end_ns = window->start_ns + (x + 1) * pixel_ns;
          j = sum_up_pixel (&row, i, &cut, &block, &at, &sum);
        }
      if (j == i)
        add_bar (&row, window, j++, bars);
      else
        add_joined_bar (&row, window, start, j - i, &cut, &sum, bars);
      i = j;
    }
}

guint32
sonde_timeline_row_pick (const SondeTimelineIndex *index, guint32 r,
                         const SondeTimelineWindow *window, double x)
{
  Row row = open_row (index, r);
  double pixel_ns = (window->end_ns - window->start_ns) / window->width;
  double at = window->start_ns + x * pixel_ns;
  guint32 i = bisect (&row, TRUE, 0, row.row->n, at), j;

  if (i < row.row->n && start_of (&row, i) <= at
      && end_of (&row, i) - start_of (&row, i) >= SONDE_TIMELINE_DENSE * pixel_ns)
    return row.items[i];
  i = bisect (&row, TRUE, 0, row.row->n, at - 1.5 * pixel_ns);
  j = bisect (&row, FALSE, i, row.row->n, at + 1.5 * pixel_ns);
  return find_longest (&row, i, j);
}

/* ---- series -------------------------------------------------------------- */

static guint
find_point (const SondeTimelineIndex *index, const GArray *points, guint low, double since_ns)
{
  guint high = points->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (sonde_timeline_since (index, g_array_index (points, SondeTracePoint, middle).at_ns)
          <= since_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Of points [i, j). */
static void
widen (const SondeTimelineSeries *series, guint i, guint j, double *low, double *high)
{
  while (i < j)
    if (i % BLOCK == 0 && j - i >= BLOCK)
      {
        *low = fmin (*low, series->ranges[2 * (i / BLOCK)]);
        *high = fmax (*high, series->ranges[2 * (i / BLOCK) + 1]);
        i += BLOCK;
      }
    else
      {
        double value = g_array_index (series->points, SondeTracePoint, i++).value;

        *low = fmin (*low, value);
        *high = fmax (*high, value);
      }
}

void
sonde_timeline_series_cut (const SondeTimelineIndex *index, guint32 s,
                           const SondeTimelineWindow *window, double *low, double *high,
                           double *last)
{
  const SondeTimelineSeries *series = &g_array_index (index->series, SondeTimelineSeries, s);
  double pixel_ns = (window->end_ns - window->start_ns) / window->width;
  guint i = find_point (index, series->points, 0, window->start_ns);
  double value = i > 0 ? g_array_index (series->points, SondeTracePoint, i - 1).value : NAN;

  for (int x = 0; x < window->width; x++)
    {
      guint j = find_point (index, series->points, i, window->start_ns + (x + 1) * pixel_ns);

      low[x] = high[x] = value;
      widen (series, i, j, &low[x], &high[x]);
      if (j > i)
        value = g_array_index (series->points, SondeTracePoint, j - 1).value;
      last[x] = value;
      i = j;
    }
}

double
sonde_timeline_series_get (const SondeTimelineIndex *index, guint32 s, double since_ns)
{
  const SondeTimelineSeries *series = &g_array_index (index->series, SondeTimelineSeries, s);
  guint i = find_point (index, series->points, 0, since_ns);

  return i > 0 ? g_array_index (series->points, SondeTracePoint, i - 1).value : NAN;
}
