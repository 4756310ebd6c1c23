/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/trace/sonde-timeline-bars.h"

#include <math.h>

#define BLOCK SONDE_TIMELINE_BLOCK
/* So many blocks are looked at one by one before their summaries count. */
#define SINGLE_BLOCKS 2
#define AHEAD 12 /* items that are fetched before they are looked at */

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

typedef struct
{
  guint32 longest;
  gint64 most_ns;
  double busy_ns;
} Sum;

static void
add_to_sum (const Row *row, Sum *sum, guint32 longest, double busy_ns)
{
  SondeTimelineItem item = sonde_timeline_index_get_item (row->index, longest);

  sum->busy_ns += busy_ns;
  if (item.end_ns - item.start_ns > sum->most_ns)
    {
      sum->most_ns = item.end_ns - item.start_ns;
      sum->longest = longest;
    }
}

static const SondeTimelineBlock *
get_blocks (const Row *row)
{
  return &g_array_index (row->index->blocks, SondeTimelineBlock, row->row->first_block);
}

static Sum
sum_up (const Row *row, guint32 i, guint32 j)
{
  const SondeTimelineBlock *blocks = get_blocks (row);
  Sum sum = { SONDE_TIMELINE_NONE, -1, 0 };

  while (i < j)
    if (i % BLOCK == 0 && j - i >= BLOCK)
      {
        add_to_sum (row, &sum, blocks[i / BLOCK].longest, (double) blocks[i / BLOCK].busy_ns);
        i += BLOCK;
      }
    else
      {
        add_to_sum (row, &sum, row->items[i], end_of (row, i) - start_of (row, i));
        i++;
      }
  return sum;
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

static void
add_joined_bar (const Row *row, const SondeTimelineWindow *window, guint32 i, guint32 j,
                const Sum *sum, GArray *bars)
{
  double scale = window->width / (window->end_ns - window->start_ns);
  SondeTimelineBar bar
      = { .x0 = MAX ((start_of (row, i) - window->start_ns) * scale, 0),
          .x1 = MIN ((end_of (row, j - 1) - window->start_ns) * scale, window->width),
          .item = sum->longest,
          .n = j - i,
          .cover = CLAMP (sum->busy_ns * scale, 0, 1) };

  g_array_append_val (bars, bar);
}

/* Adds up items from @i on, one by one, until one begins at @pixel_end or is as wide as a bar of its own;
 * of very many at the beginning of a block. Returns where it stopped. */
static guint32
sum_up_singly (const Row *row, guint32 i, double pixel_end, double dense_ns, Sum *sum)
{
  const SondeTrace *trace = row->index->trace;
  guint32 j = i, n = (guint32) MIN (((guint64) i / BLOCK + 1 + SINGLE_BLOCKS) * BLOCK, row->row->n);
  gint64 busy_ns = 0;

  for (; j < n; j++)
    {
      guint32 item = row->items[j];
      SondeTimelineItem it;
      double lasts;

      if (j + AHEAD < n && row->items[j + AHEAD] < trace->n_spans)
        __builtin_prefetch (&trace->spans[row->items[j + AHEAD]]);
      if (item < trace->n_spans)
        {
          it.start_ns = trace->spans[item].start_ns;
          it.end_ns = trace->spans[item].end_ns;
        }
      else
        it = sonde_timeline_index_get_item (row->index, item);
      lasts = (double) (it.end_ns - it.start_ns);
      if (j > i
          && (lasts >= dense_ns || sonde_timeline_since (row->index, it.start_ns) >= pixel_end))
        break;
      busy_ns += it.end_ns - it.start_ns;
      if (it.end_ns - it.start_ns > sum->most_ns)
        {
          sum->most_ns = it.end_ns - it.start_ns;
          sum->longest = item;
        }
    }
  sum->busy_ns += (double) busy_ns;
  return j;
}

/* The same by whole blocks from @i on, which begins one; a block counts for the pixel that it begins in. One
 * with an item that is as wide as a bar of its own ends it. */
static guint32
sum_up_blocks (const Row *row, guint32 i, double pixel_end, double dense_ns, Sum *sum)
{
  const SondeTimelineBlock *blocks = get_blocks (row);
  guint32 b = i / BLOCK, n = row->row->n / BLOCK;

  for (; b < n && blocks[b].longest_ns < dense_ns
         && sonde_timeline_since (row->index, blocks[b].start_ns) < pixel_end;
       b++)
    {
      sum->busy_ns += (double) blocks[b].busy_ns;
      if ((gint64) blocks[b].longest_ns > sum->most_ns)
        {
          sum->most_ns = (gint64) blocks[b].longest_ns;
          sum->longest = blocks[b].longest;
        }
    }
  return b * BLOCK;
}

/* Bars of blocks alone, as long as there are several on a pixel. Returns where they end. */
static guint32
cut_blocks (const Row *row, guint32 i, const SondeTimelineWindow *window, GArray *bars)
{
  const SondeTimelineBlock *blocks = get_blocks (row);
  double pixel_ns = (window->end_ns - window->start_ns) / window->width;

  while (i + BLOCK <= row->row->n)
    {
      double start = sonde_timeline_since (row->index, blocks[i / BLOCK].start_ns);
      double x = floor ((start - window->start_ns) / pixel_ns);
      Sum sum = { SONDE_TIMELINE_NONE, -1, 0 };
      SondeTimelineBar bar = { .x0 = x, .x1 = x + 1 };
      guint32 j;

      if (start >= window->end_ns || x < 0)
        break;
      j = sum_up_blocks (row, i, window->start_ns + (x + 1) * pixel_ns,
                         pixel_ns * SONDE_TIMELINE_DENSE, &sum);
      if (j - i < SINGLE_BLOCKS * BLOCK)
        break;
      bar.item = sum.longest;
      bar.n = j - i;
      bar.cover = CLAMP (sum.busy_ns / pixel_ns, 0, 1);
      g_array_append_val (bars, bar);
      i = j;
    }
  return i;
}

void
sonde_timeline_row_cut (const SondeTimelineIndex *index, guint32 r,
                        const SondeTimelineWindow *window, GArray *bars)
{
  Row row = open_row (index, r);
  double pixel_ns = (window->end_ns - window->start_ns) / window->width;
  double dense_ns = pixel_ns * SONDE_TIMELINE_DENSE;
  guint32 i = bisect (&row, TRUE, 0, row.row->n, window->start_ns);

  g_array_set_size (bars, 0);
  while (i < row.row->n)
    {
      double start = start_of (&row, i), pixel_end;
      Sum sum = { SONDE_TIMELINE_NONE, -1, 0 };
      guint32 j;

      if (start >= window->end_ns)
        break;
      if (end_of (&row, i) - start >= dense_ns)
        {
          add_bar (&row, window, i++, bars);
          continue;
        }
      pixel_end = window->start_ns
                  + (floor ((MAX (start, window->start_ns) - window->start_ns) / pixel_ns) + 1)
                        * pixel_ns;
      j = sum_up_singly (&row, i, pixel_end, dense_ns, &sum);
      if (j % BLOCK == 0)
        j = sum_up_blocks (&row, j, pixel_end, dense_ns, &sum);
      if (j == i + 1)
        add_bar (&row, window, i, bars);
      else
        add_joined_bar (&row, window, i, j, &sum, bars);
      i = j % BLOCK == 0 ? cut_blocks (&row, j, window, bars) : j;
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
  return i < j ? sum_up (&row, i, j).longest : SONDE_TIMELINE_NONE;
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
