/* SPDX-License-Identifier: Apache-2.0
 * The timeline of a trace: a time axis, the names of the tracks on the left, and beside them bars,
 * curves and marks. */
#pragma once

#include "viewers/layout/trace/sonde-timeline-bars.h"
#include "viewers/layout/trace/sonde-timeline-places.h"
#include "viewers/paint/trace/sonde-trace-paint.h"

G_BEGIN_DECLS

#define SONDE_TIMELINE_TOP 26 /* px of the time axis */

/**
 * SondeTimelinePicture: nothing is owned
 * @start_ns, @end_ns: since the start of the trace, at the edges of the area
 * @scroll: px of @places above the area
 * @found: (nullable): by label: 1 for what was looked for; the others are drawn pale
 * @hits: (nullable): guint32: the items that were found, by start
 * @labels: (nullable)
 */
typedef struct
{
  const SondeTimelineIndex *index;
  const SondeTimelinePlaces *places;
  double start_ns, end_ns, scroll;
  const guint8 *found;
  const GArray *hits;
  SondeLabelCache *labels;
} SondeTimelinePicture;

/* Without the axis and the names. */
void sonde_timeline_get_area (int width, int height, cairo_rectangle_t *area);

void sonde_paint_timeline (cairo_t *cr, const SondeTheme *theme,
                           const SondeTimelinePicture *picture, int width, int height);

/**
 * SondeTimelineMarks: what is drawn over it and changes often
 * @selected, @hovered: items; SONDE_TIMELINE_NONE none
 * @has_range, @range_start_ns, @range_end_ns: the selected stretch, since the start of the trace
 * @pointer: px; negative: none
 */
typedef struct
{
  guint32 selected, hovered;
  gboolean has_range;
  double range_start_ns, range_end_ns;
  double pointer;
} SondeTimelineMarks;

void sonde_paint_timeline_marks (cairo_t *cr, const SondeTheme *theme,
                                 const SondeTimelinePicture *picture,
                                 const SondeTimelineMarks *marks, int width, int height);

/**
 * SondeTimelineHit: what is at a place
 * @track: index, SONDE_TIMELINE_NONE: none there
 * @item: SONDE_TIMELINE_NONE: none
 * @instant: index of SondeTrace.instants, or SONDE_TIMELINE_NONE
 * @on_names: on the names at the left
 */
typedef struct
{
  guint32 track, item, instant;
  gboolean on_names;
  double since_ns;
} SondeTimelineHit;

void sonde_timeline_hit (const SondeTimelinePicture *picture, int width, int height, double x,
                         double y, SondeTimelineHit *hit);

/* Where an item stands, cut off at the area; FALSE when its track is folded or it is not in the area. */
gboolean sonde_timeline_get_box (const SondeTimelinePicture *picture, guint32 item, int width,
                                 int height, cairo_rectangle_t *box);

G_END_DECLS
