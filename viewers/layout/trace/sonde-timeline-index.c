/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/trace/sonde-timeline-index.h"

#include <math.h>
#include <string.h>

#include "viewers/layout/trace/sonde-timeline-summaries-private.h"
#include "viewers/layout/trace/sonde-timeline-tracks-private.h"

gint64
sonde_timeline_at (const SondeTimelineIndex *index, double since_ns)
{
  guint64 magnitude = fabs (since_ns) < 9e18 ? (guint64) llround (fabs (since_ns)) : G_MAXINT64;
  guint64 room;

  if (isnan (since_ns))
    return index->origin_ns;
  room = since_ns >= 0 ? (guint64) G_MAXINT64 - (guint64) index->origin_ns
                       : (guint64) index->origin_ns - (guint64) G_MININT64;
  magnitude = MIN (magnitude, room);
  return (gint64) (since_ns >= 0 ? (guint64) index->origin_ns + magnitude
                                 : (guint64) index->origin_ns - magnitude);
}

/* ---- rows ---------------------------------------------------------------- */

/* Rows from @first_row on, whose n is known, get their places in the order behind what is there. */
static void
place_rows (SondeTimelineIndex *index, guint32 first_row, guint32 *n_placed)
{
  for (guint32 r = first_row; r < index->rows->len; r++)
    {
      SondeTimelineRow *row = &g_array_index (index->rows, SondeTimelineRow, r);

      row->first = *n_placed;
      *n_placed += row->n;
      row->n = 0;
    }
}

static void
put (SondeTimelineIndex *index, guint32 r, guint32 item)
{
  SondeTimelineRow *row = &g_array_index (index->rows, SondeTimelineRow, r);

  index->order[row->first + row->n++] = item;
}

static void
add_thread_rows (SondeTimelineIndex *index, SondeTimelineTrack *track, guint32 *n_placed)
{
  const SondeTrace *trace = index->trace;
  const SondeTraceThread *thread = sonde_trace_get_thread (trace, track->source);
  guint64 end = thread->first + thread->n;
  g_autofree guint32 *lane_rows = g_new0 (guint32, (gsize) thread->n_lanes + 1);
  guint32 n_rows = 0;

  track->first_row = index->rows->len;
  if (thread->n == 0)
    return;
  for (guint64 i = thread->first; i < end; i++)
    {
      const guint32 lane = sonde_trace_get_lane (trace, i);

      lane_rows[lane] = MAX (lane_rows[lane], sonde_trace_get_depth (trace, i) + 1);
    }
  for (guint32 lane = 0; lane < thread->n_lanes; lane++)
    {
      guint32 depth = lane_rows[lane];

      for (guint32 d = 0; d < depth; d++)
        {
          SondeTimelineRow row = { .lane = lane };
          g_array_append_val (index->rows, row);
        }
      lane_rows[lane] = track->first_row + n_rows;
      n_rows += depth;
    }
  track->n_rows = n_rows;
  for (guint64 i = thread->first; i < end; i++)
    g_array_index (index->rows, SondeTimelineRow,
                   lane_rows[sonde_trace_get_lane (trace, i)] + sonde_trace_get_depth (trace, i))
        .n++;
  place_rows (index, track->first_row, n_placed);
  for (guint64 i = thread->first; i < end; i++)
    put (index, lane_rows[sonde_trace_get_lane (trace, i)] + sonde_trace_get_depth (trace, i),
         (guint32) i);
}

/* @packed: (array length=n): of this track */
static void
add_async_rows (SondeTimelineIndex *index, SondeTimelineTrack *track,
                const SondeTimelinePacked *packed, guint n, guint32 *n_placed)
{
  track->first_row = index->rows->len;
  for (guint i = 0; i < n; i++)
    {
      while (track->n_rows <= packed[i].lane)
        {
          SondeTimelineRow row = { .lane = track->n_rows++ };
          g_array_append_val (index->rows, row);
        }
      g_array_index (index->rows, SondeTimelineRow, track->first_row + packed[i].lane).n++;
    }
  place_rows (index, track->first_row, n_placed);
  for (guint i = 0; i < n; i++)
    put (index, track->first_row + packed[i].lane,
         (guint32) index->trace->n_spans + packed[i].async);
}

static void
add_rows (SondeTimelineIndex *index)
{
  g_autoptr (GArray) packed = sonde_timeline_tracks_pack (index);
  const SondeTimelinePacked *rest = (const SondeTimelinePacked *) (void *) packed->data;
  const SondeTimelinePacked *end = rest + packed->len;
  guint32 n_placed = 0;

  index->order = g_new (guint32, index->n_items);
  index->codes = g_new (SondeTimelineCode, (gsize) index->n_items + 1);
  for (guint t = 0; t < index->tracks->len; t++)
    {
      SondeTimelineTrack *track = &g_array_index (index->tracks, SondeTimelineTrack, t);
      const SondeTimelinePacked *first = rest;

      while (rest < end && rest->track == t)
        rest++;
      if (track->kind == SONDE_TRACK_THREAD)
        add_thread_rows (index, track, &n_placed);
      else if (track->kind == SONDE_TRACK_ASYNC)
        add_async_rows (index, track, first, (guint) (rest - first), &n_placed);
    }
  sonde_timeline_summarise (index);
}

/* ---- arrows -------------------------------------------------------------- */

static int
compare_from (gconstpointer a, gconstpointer b, gpointer data)
{
  const GArray *arrows = ((const SondeTimelineIndex *) data)->trace->arrows;
  guint32 left = g_array_index (arrows, SondeTraceArrow, *(const guint32 *) a).from;
  guint32 right = g_array_index (arrows, SondeTraceArrow, *(const guint32 *) b).from;

  return (left > right) - (left < right);
}

static int
compare_to (gconstpointer a, gconstpointer b, gpointer data)
{
  const GArray *arrows = ((const SondeTimelineIndex *) data)->trace->arrows;
  guint32 left = g_array_index (arrows, SondeTraceArrow, *(const guint32 *) a).to;
  guint32 right = g_array_index (arrows, SondeTraceArrow, *(const guint32 *) b).to;

  return (left > right) - (left < right);
}

static void
sort_arrows (SondeTimelineIndex *index)
{
  const GArray *arrows = index->trace->arrows;

  for (guint32 i = 0; i < arrows->len; i++)
    {
      const SondeTraceArrow *arrow = &g_array_index (arrows, SondeTraceArrow, i);

      if (arrow->from != SONDE_TRACE_NONE)
        g_array_append_val (index->arrows_from, i);
      if (arrow->to != SONDE_TRACE_NONE)
        g_array_append_val (index->arrows_to, i);
    }
  g_array_sort_with_data (index->arrows_from, compare_from, index);
  g_array_sort_with_data (index->arrows_to, compare_to, index);
}

/* The first of @sorted whose end is @item or greater. */
static guint
lower_bound (const SondeTimelineIndex *index, const GArray *sorted, gboolean from, guint32 item)
{
  guint low = 0, high = sorted->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const SondeTraceArrow *arrow = &g_array_index (index->trace->arrows, SondeTraceArrow,
                                                     g_array_index (sorted, guint32, middle));

      if ((from ? arrow->from : arrow->to) < item)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

GArray *
sonde_timeline_index_list_arrows (const SondeTimelineIndex *index, guint32 item, guint max)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (int from = 0; from < 2; from++)
    {
      const GArray *sorted = from ? index->arrows_from : index->arrows_to;

      for (guint i = lower_bound (index, sorted, from, item); i < sorted->len && found->len < max;
           i++)
        {
          guint32 k = g_array_index (sorted, guint32, i);
          const SondeTraceArrow *arrow = &g_array_index (index->trace->arrows, SondeTraceArrow, k);

          if ((from ? arrow->from : arrow->to) != item)
            break;
          g_array_append_val (found, k);
        }
    }
  return found;
}

/* ---- the index ----------------------------------------------------------- */

guint8
sonde_trace_hue_of (const char *name)
{
  guint32 hash = 2166136261u; /* FNV-1a */

  for (const char *p = name; *p != '\0'; p++)
    if (!g_ascii_isdigit (*p))
      hash = (hash ^ (guint8) *p) * 16777619u;
  return (guint8) ((hash ^ (hash >> 16)) & 0xff);
}

static void
map_threads (SondeTimelineIndex *index)
{
  guint n = index->trace->threads->len;

  index->thread_tracks = g_new (guint32, (gsize) n + 1);
  for (guint i = 0; i < n; i++)
    index->thread_tracks[i] = SONDE_TIMELINE_NONE;
  for (guint t = 0; t < index->tracks->len; t++)
    {
      const SondeTimelineTrack *track = &g_array_index (index->tracks, SondeTimelineTrack, t);

      if (track->kind == SONDE_TRACK_THREAD)
        index->thread_tracks[track->source] = t;
    }
}

SondeTimelineIndex *
sonde_timeline_index_new (const SondeTrace *trace)
{
  SondeTimelineIndex *index = g_new0 (SondeTimelineIndex, 1);
  guint64 n_items = trace->n_spans + trace->async->len;

  index->trace = trace;
  index->origin_ns = trace->has_time ? trace->start_ns : 0;
  index->length_ns = trace->has_time ? MAX (sonde_timeline_since (index, trace->end_ns), 1.0) : 1.0;
  /* Readers give spans 32-bit numbers; what would not fit beside them is left out. */
  index->n_items = (guint32) (n_items < SONDE_TIMELINE_NONE ? n_items : trace->n_spans);
  index->rows = g_array_new (FALSE, FALSE, sizeof (SondeTimelineRow));
  index->blocks = g_array_new (FALSE, FALSE, sizeof (SondeTimelineBlock));
  index->groups = g_array_new (FALSE, FALSE, sizeof (SondeTimelineGroup));
  index->tracks = g_array_new (FALSE, FALSE, sizeof (SondeTimelineTrack));
  index->series = g_array_new (FALSE, FALSE, sizeof (SondeTimelineSeries));
  index->instants = g_array_new (FALSE, FALSE, sizeof (guint32));
  index->arrows_from = g_array_new (FALSE, FALSE, sizeof (guint32));
  index->arrows_to = g_array_new (FALSE, FALSE, sizeof (guint32));
  index->texts = g_string_chunk_new (4096);
  index->hues = g_new (guint8, trace->labels->len + 1);
  for (guint i = 0; i < trace->labels->len; i++)
    index->hues[i] = sonde_trace_hue_of (sonde_trace_get_label (trace, i)->name);
  sonde_timeline_tracks_add (index);
  map_threads (index);
  add_rows (index);
  sort_arrows (index);
  return index;
}

void
sonde_timeline_index_free (SondeTimelineIndex *index)
{
  if (index == NULL)
    return;
  for (guint i = 0; i < index->series->len; i++)
    {
      SondeTimelineSeries *series = &g_array_index (index->series, SondeTimelineSeries, i);

      g_array_unref (series->points);
      g_free (series->ranges);
    }
  g_array_unref (index->rows);
  g_array_unref (index->blocks);
  g_array_unref (index->groups);
  g_array_unref (index->tracks);
  g_array_unref (index->series);
  g_array_unref (index->instants);
  g_array_unref (index->arrows_from);
  g_array_unref (index->arrows_to);
  g_free (index->order);
  g_free (index->codes);
  g_free (index->thread_tracks);
  g_free (index->hues);
  g_string_chunk_free (index->texts);
  g_free (index);
}

gsize
sonde_timeline_index_get_bytes (const SondeTimelineIndex *index)
{
  return (gsize) index->n_items * (sizeof *index->order + sizeof *index->codes)
         + (gsize) index->rows->len * sizeof (SondeTimelineRow)
         + (gsize) index->blocks->len * sizeof (SondeTimelineBlock)
         + (gsize) index->groups->len * sizeof (SondeTimelineGroup)
         + (gsize) index->tracks->len * sizeof (SondeTimelineTrack)
         + ((gsize) index->instants->len + index->arrows_from->len + index->arrows_to->len)
               * sizeof (guint32)
         + (gsize) index->trace->threads->len * sizeof (guint32) + index->trace->labels->len;
}

/* The first row of @lane on @track, by bisection: rows stand lane by lane. */
static guint32
find_lane (const SondeTimelineIndex *index, const SondeTimelineTrack *track, guint32 lane)
{
  guint32 low = track->first_row, high = track->first_row + track->n_rows;

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (g_array_index (index->rows, SondeTimelineRow, middle).lane < lane)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static gboolean
row_holds (const SondeTimelineIndex *index, guint32 r, guint32 item)
{
  const SondeTimelineRow *row = &g_array_index (index->rows, SondeTimelineRow, r);
  const guint32 *items = index->order + row->first;
  gint64 start = sonde_timeline_index_get_item (index, item).start_ns;
  guint32 low = 0, high = row->n;

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (sonde_timeline_index_get_item (index, items[middle]).start_ns < start)
        low = middle + 1;
      else
        high = middle;
    }
  for (; low < row->n; low++)
    if (items[low] == item)
      return TRUE;
    else if (sonde_timeline_index_get_item (index, items[low]).start_ns != start)
      break;
  return FALSE;
}

gboolean
sonde_timeline_index_find (const SondeTimelineIndex *index, guint32 item, guint32 *track,
                           guint32 *row)
{
  const SondeTrace *trace = index->trace;

  if (item >= index->n_items)
    return FALSE;
  if (item < trace->n_spans)
    {
      *track = index->thread_tracks[trace->spans[item].thread];
      *row = find_lane (index, &g_array_index (index->tracks, SondeTimelineTrack, *track),
                        sonde_trace_get_lane (trace, item))
             + sonde_trace_get_depth (trace, item);
      return TRUE;
    }
  for (guint t = 0; t < index->tracks->len; t++)
    {
      const SondeTimelineTrack *one = &g_array_index (index->tracks, SondeTimelineTrack, t);

      for (guint32 r = one->first_row;
           one->kind == SONDE_TRACK_ASYNC && r < one->first_row + one->n_rows; r++)
        if (row_holds (index, r, item))
          return *track = t, *row = r, TRUE;
    }
  return FALSE;
}
