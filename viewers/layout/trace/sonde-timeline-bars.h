/* SPDX-License-Identifier: Apache-2.0
 * What of a row can be seen: as many bars as there are pixels at most, whatever the row holds. Pure
 * functions. */
#pragma once

#include "viewers/layout/trace/sonde-timeline-index.h"

G_BEGIN_DECLS

/* @start_ns, @end_ns: since the start of the trace, at the edges of @width pixels; end > start */
typedef struct
{
  double start_ns, end_ns;
  int width;
} SondeTimelineWindow;

/**
 * SondeTimelineBar:
 * @x0, @x1: px from the left edge, cut off there; of one item where it is
 * @item: what it stands for; of several the longest, but for a thousandth
 * @n: how many items; where there are more than four a pixel their last may reach into the next one
 * @cover: how much of it is taken by them, 0 to 1
 */
typedef struct
{
  double x0, x1;
  guint32 item, n;
  double cover;
} SondeTimelineBar;

/* Items narrower than this are joined with those of the same pixel. */
#define SONDE_TIMELINE_DENSE 2.0

/* @bars: SondeTimelineBar, emptied first; at most one a pixel, and one before it */
void sonde_timeline_row_cut (const SondeTimelineIndex *index, guint32 row,
                             const SondeTimelineWindow *window, GArray *bars);

/* The item that lies at @x px, or the longest within a pixel and a half of it; SONDE_TIMELINE_NONE
 * when there is none. */
guint32 sonde_timeline_row_pick (const SondeTimelineIndex *index, guint32 row,
                                 const SondeTimelineWindow *window, double x);

/* Places in the row: of the first item that ends at or after @since_ns, and of the first that starts at or
 * after it; row's n when there is none. */
guint32 sonde_timeline_row_find_end (const SondeTimelineIndex *index, guint32 row, double since_ns);
guint32 sonde_timeline_row_find_start (const SondeTimelineIndex *index, guint32 row,
                                       double since_ns);

/* Least and greatest value of a series in each of @window's pixels, and its last value there. NaN where
 * nothing was told yet. @low, @high, @last: of @window's width */
void sonde_timeline_series_cut (const SondeTimelineIndex *index, guint32 series,
                                const SondeTimelineWindow *window, double *low, double *high,
                                double *last);

/* The value of a series at a time; NaN before its first point. */
double sonde_timeline_series_get (const SondeTimelineIndex *index, guint32 series, double since_ns);

G_END_DECLS
