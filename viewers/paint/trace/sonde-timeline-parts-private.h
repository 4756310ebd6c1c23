/* SPDX-License-Identifier: Apache-2.0
 * Parts of the timeline that stand in files of their own. @area: without axis and names. */
#pragma once

#include "viewers/paint/trace/sonde-timeline-paint.h"

SondeTimelineWindow sonde_timeline_window (const SondeTimelinePicture *picture,
                                           const cairo_rectangle_t *area);
double sonde_timeline_x (const SondeTimelinePicture *picture, const cairo_rectangle_t *area,
                         double since_ns);

/* Place in SondeTimelineIndex.instants of the first of the track's at @since_ns or later. */
guint32 sonde_timeline_find_instant (const SondeTimelineIndex *index,
                                     const SondeTimelineTrack *track, double since_ns);

/* A curve with its name's track at @y. */
void sonde_timeline_paint_series (cairo_t *cr, const SondeTheme *theme,
                                  const SondeTimelinePicture *picture, guint32 series,
                                  const cairo_rectangle_t *area, double y);
/* From track @first on. */
void sonde_timeline_paint_names (cairo_t *cr, const SondeTheme *theme,
                                 const SondeTimelinePicture *picture, guint first,
                                 const cairo_rectangle_t *area);
void sonde_timeline_paint_grid (cairo_t *cr, const SondeTheme *theme,
                                const SondeTimelinePicture *picture, const cairo_rectangle_t *area);
/* With the marks of what was found. */
void sonde_timeline_paint_axis (cairo_t *cr, const SondeTheme *theme,
                                const SondeTimelinePicture *picture, const cairo_rectangle_t *area,
                                int width);
