/* SPDX-License-Identifier: Apache-2.0
 * A trace arranged for a timeline: tracks of processes, threads and series, and on them rows of bars
 * that do not overlap. Made once, in any thread; constant and readable from all afterwards.
 *
 * Memory: 4 bytes a span for the order of its row, 4 for its times there, and 1¾ for the summaries above. */
#pragma once

#include "data/traces/sonde-counter-unit.h"

G_BEGIN_DECLS

/* Items of a row that one summary covers, and those of a finer one. */
#define SONDE_TIMELINE_BLOCK 32u
#define SONDE_TIMELINE_GROUP 4u

/* No item. */
#define SONDE_TIMELINE_NONE SONDE_TRACE_NONE

/* What a bar stands for: @item < n_spans is the span of that index, others are asynchronous. */
typedef struct
{
  gint64 start_ns, end_ns;
  guint32 label, thread;
} SondeTimelineItem;

/**
 * SondeTimelineRow:
 * @first, @n: its items: [first, first + n) of SondeTimelineIndex.order, by start; none overlaps another
 * @first_block: of SondeTimelineIndex.blocks: n / 32 summaries of whole blocks; their groups are eight times
 *   as far in SondeTimelineIndex.groups
 * @lane: as of SondeTraceNesting
 */
typedef struct
{
  guint32 first, n, first_block, lane;
} SondeTimelineRow;

/* Of 32 items of a row. @longest_ns: rounded; @busy_ns: together; @start_ns: of the first */
typedef struct
{
  guint32 longest;
  float longest_ns;
  gint64 busy_ns, start_ns;
} SondeTimelineBlock;

/* Times of a row in few bytes, since a frame may go through all of it: 6 bits of the exponent, 10 (of busy
 * times 8) of the mantissa.
 *
 * SondeTimelineCode: of an item of a block: from the start of the block, not more than it is, and how long it
 * lasts, not less. SondeTimelineGroup: of 4 items: the longest, and their times together, whose code is in
 * the upper 14 bits of @busy; below it stands which is the longest. */
typedef struct
{
  guint16 offset, lasts;
} SondeTimelineCode;

typedef struct
{
  guint16 longest, busy;
} SondeTimelineGroup;

#define SONDE_TIMELINE_CODE_SHIFT 13 /* bits of a float that are left out */
#define SONDE_TIMELINE_BUSY_SHIFT 15

static inline double
sonde_timeline_decode_ns (guint32 code, int shift)
{
  union
  {
    guint32 bits;
    float value;
  } as = { (code << shift) + 0x3f800000u - (1u << shift) };

  return code == 0 ? 0 : (double) as.value;
}

typedef enum
{
  SONDE_TRACK_PROCESS, /* heads the tracks behind it, up to the next of its kind */
  SONDE_TRACK_THREAD,
  SONDE_TRACK_ASYNC, /* spans of a process that belong to no thread */
  SONDE_TRACK_SERIES,
} SondeTrackKind;

/**
 * SondeTimelineTrack:
 * @source: index of SondeTrace.threads, or of SondeTimelineIndex.series; else SONDE_TIMELINE_NONE
 * @first_row, @n_rows: of SondeTimelineIndex.rows; lane by lane, there by depth
 * @first_instant, @n_instants: of SondeTimelineIndex.instants, by time
 * @name: what stands beside it; @detail: all that is known, for a tool-tip
 */
typedef struct
{
  SondeTrackKind kind;
  guint32 source;
  guint32 first_row, n_rows;
  guint32 first_instant, n_instants;
  const char *name, *detail;
} SondeTimelineTrack;

/**
 * SondeTimelineSeries:
 * @points: SondeTracePoint by time
 * @ranges: double[2] of least and greatest value of each 32 points
 * @min, @max: of all
 */
typedef struct
{
  const char *name;
  GArray *points;
  double *ranges;
  double min, max;
  SondeCounterUnit unit;
} SondeTimelineSeries;

/**
 * SondeTimelineIndex:
 * @trace: outlives the index
 * @origin_ns: start of the trace; @length_ns: of everything shown, ≥ 1
 * @n_items: spans and asynchronous spans
 * @order: items; @codes: of items of blocks, at their places in the order
 * @arrows_from, @arrows_to: indices of bound arrows of the trace, by the span they leave or reach
 * @thread_tracks: of each thread its track, or SONDE_TIMELINE_NONE
 * @hues: sonde_trace_hue_of() each label
 */
typedef struct
{
  const SondeTrace *trace;
  gint64 origin_ns;
  double length_ns;
  guint32 n_items;
  guint32 *order;
  SondeTimelineCode *codes;
  GArray *rows;   /* SondeTimelineRow */
  GArray *blocks; /* SondeTimelineBlock */
  GArray *groups; /* SondeTimelineGroup: eight a block */
  GArray *tracks; /* SondeTimelineTrack */
  GArray *series; /* SondeTimelineSeries */
  GArray *instants;
  GArray *arrows_from, *arrows_to;
  guint32 *thread_tracks;
  guint8 *hues;
  GStringChunk *texts;
} SondeTimelineIndex;

/* (transfer full) */
SondeTimelineIndex *sonde_timeline_index_new (const SondeTrace *trace);
void sonde_timeline_index_free (SondeTimelineIndex *index); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTimelineIndex, sonde_timeline_index_free)

/* Memory that it takes beside the trace. */
gsize sonde_timeline_index_get_bytes (const SondeTimelineIndex *index);

static inline SondeTimelineItem
sonde_timeline_index_get_item (const SondeTimelineIndex *index, guint32 item)
{
  const SondeTrace *trace = index->trace;

  if (item < trace->n_spans)
    {
      const SondeTraceSpan *span = &trace->spans[item];

      return (SondeTimelineItem){ span->start_ns, span->end_ns, span->label, span->thread };
    }
  else
    {
      const SondeTraceAsync *async
          = &g_array_index (trace->async, SondeTraceAsync, item - (guint32) trace->n_spans);

      return (SondeTimelineItem){ async->start_ns, async->end_ns, async->label, async->thread };
    }
}

/* The track and the row (of SondeTimelineIndex.rows) of an item; FALSE when it has none. */
gboolean sonde_timeline_index_find (const SondeTimelineIndex *index, guint32 item, guint32 *track,
                                    guint32 *row);

/* Indices of the arrows that leave or reach span @item, at most @max. (transfer full) guint32 */
GArray *sonde_timeline_index_list_arrows (const SondeTimelineIndex *index, guint32 item, guint max);

/* A number for a name by its bytes without digits: what is only numbered has one colour. */
guint8 sonde_trace_hue_of (const char *name);

/* Since the start of the trace; exact to 2⁵³ ns. */
static inline double
sonde_timeline_since (const SondeTimelineIndex *index, gint64 at_ns)
{
  return at_ns >= index->origin_ns ? (double) ((guint64) at_ns - (guint64) index->origin_ns)
                                   : -(double) ((guint64) index->origin_ns - (guint64) at_ns);
}

/* The reverse, cut off at the ends of 64 bits. */
gint64 sonde_timeline_at (const SondeTimelineIndex *index, double since_ns);

G_END_DECLS
