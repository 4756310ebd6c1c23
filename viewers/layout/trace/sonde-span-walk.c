/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/trace/sonde-span-walk.h"

#include "viewers/layout/trace/sonde-timeline-bars.h"

#define CHECK_EVERY 65536u

typedef struct
{
  const SondeTimelineIndex *index;
  gint64 start_ns, end_ns;
  const SondeSpanVisitor *visitor;
  gpointer data;
  const int *cancelled;
  /* of the thread that is walked, by lane: the innermost open span */
  guint32 *tops;
  /* slots of open spans, by lane and depth: row of the track */
  guint32 *slots;
  guint32 *lane_rows;
  guint32 outermost;
} Walk;

static gboolean
is_cancelled (const Walk *walk)
{
  return walk->cancelled != NULL && g_atomic_int_get (walk->cancelled) != 0;
}

static void
leave (Walk *walk, guint32 lane, guint32 until)
{
  const SondeTraceNesting *nesting = walk->index->trace->nesting;

  while (walk->tops[lane] != until)
    {
      if (walk->visitor->leave != NULL)
        walk->visitor->leave (walk->tops[lane], lane, walk->data);
      walk->tops[lane] = nesting[walk->tops[lane]].parent;
    }
}

static void
enter (Walk *walk, guint32 s)
{
  const SondeTrace *trace = walk->index->trace;
  const SondeTraceSpan *span = &trace->spans[s];
  const guint32 parent = trace->nesting[s].parent, lane = sonde_trace_get_lane (trace, s),
                depth = sonde_trace_get_depth (trace, s);
  SondeSpanVisit visit
      = { s, parent, lane, MIN (span->end_ns, walk->end_ns) - MAX (span->start_ns, walk->start_ns),
          walk->outermost };
  guint32 *slots = walk->slots + walk->lane_rows[lane];

  leave (walk, lane, parent);
  if (depth > 0)
    visit.slot = slots[depth - 1];
  slots[depth] = walk->visitor->enter (&visit, walk->data);
  walk->tops[lane] = s;
}

/* Those that were open when the stretch began, the outer ones first. */
static void
enter_open (Walk *walk, const SondeTimelineTrack *track)
{
  const SondeTimelineIndex *index = walk->index;
  double since = sonde_timeline_since (index, walk->start_ns);

  for (guint32 r = track->first_row; r < track->first_row + track->n_rows; r++)
    {
      const SondeTimelineRow *row = &g_array_index (index->rows, SondeTimelineRow, r);
      guint32 i = sonde_timeline_row_find_end (index, r, since);

      for (; i < row->n; i++)
        {
          guint32 s = index->order[row->first + i];
          const SondeTraceSpan *span = &index->trace->spans[s];

          if (span->start_ns >= walk->start_ns)
            break;
          if (span->end_ns > walk->start_ns)
            enter (walk, s);
        }
    }
}

static guint64
find_start (const SondeTrace *trace, const SondeTraceThread *thread, gint64 start_ns)
{
  guint64 low = thread->first, high = thread->first + thread->n;

  while (low < high)
    {
      guint64 middle = low + (high - low) / 2;

      if (trace->spans[middle].start_ns < start_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
prepare_lanes (Walk *walk, const SondeTimelineTrack *track, guint32 n_lanes)
{
  walk->tops = g_renew (guint32, walk->tops, n_lanes);
  walk->lane_rows = g_renew (guint32, walk->lane_rows, n_lanes);
  walk->slots = g_renew (guint32, walk->slots, track->n_rows);
  for (guint32 lane = 0; lane < n_lanes; lane++)
    walk->tops[lane] = SONDE_TRACE_NONE;
  for (guint32 r = track->n_rows; r-- > 0;)
    walk->lane_rows[g_array_index (walk->index->rows, SondeTimelineRow, track->first_row + r).lane]
        = r;
}

static gboolean
walk_thread (Walk *walk, const SondeTimelineTrack *track)
{
  const SondeTrace *trace = walk->index->trace;
  const SondeTraceThread *thread = sonde_trace_get_thread (trace, track->source);
  guint64 end = thread->first + thread->n;

  prepare_lanes (walk, track, thread->n_lanes);
  walk->outermost = walk->visitor->begin_thread != NULL
                        ? walk->visitor->begin_thread (track->source, walk->data)
                        : 0;
  enter_open (walk, track);
  for (guint64 i = find_start (trace, thread, walk->start_ns);
       i < end && trace->spans[i].start_ns < walk->end_ns; i++)
    {
      if (i % CHECK_EVERY == 0 && is_cancelled (walk))
        return FALSE;
      enter (walk, (guint32) i);
    }
  for (guint32 lane = 0; lane < thread->n_lanes; lane++)
    leave (walk, lane, SONDE_TRACE_NONE);
  return TRUE;
}

gboolean
sonde_span_walk (const SondeTimelineIndex *index, gint64 start_ns, gint64 end_ns,
                 const SondeSpanVisitor *visitor, gpointer data, const int *cancelled)
{
  Walk walk = { .index = index,
                .start_ns = start_ns,
                .end_ns = end_ns,
                .visitor = visitor,
                .data = data,
                .cancelled = cancelled };
  gboolean done = TRUE;

  for (guint t = 0; done && t < index->tracks->len; t++)
    {
      const SondeTimelineTrack *track = &g_array_index (index->tracks, SondeTimelineTrack, t);

      if (track->kind == SONDE_TRACK_THREAD && track->n_rows > 0)
        done = walk_thread (&walk, track);
      if (t % 1024 == 0 && is_cancelled (&walk))
        done = FALSE;
    }
  g_free (walk.tops);
  g_free (walk.slots);
  g_free (walk.lane_rows);
  return done;
}
