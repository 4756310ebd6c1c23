/* SPDX-License-Identifier: Apache-2.0
 * The timeline of a trace. Its selection is an item of the index, or SONDE_VIEW_NOTHING. A press on a
 * track's name folds it; a double press on a bar shows it as wide as the view. M selects the stretch of the
 * selected span, comma and period go to its neighbours in the row, [ and ] along arrows. */
#pragma once

#include "viewers/layout/trace/sonde-timeline-places.h"
#include "viewers/trace/sonde-trace-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TIMELINE_VIEW (sonde_timeline_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeTimelineView, sonde_timeline_view, SONDE, TIMELINE_VIEW, SondeTraceView)

/* Signal: "range-changed" (gboolean done): the selected stretch of time is another; @done: as long as the
 * button is held more will come. */

GtkWidget *sonde_timeline_view_new (void);

/* @index: (nullable): lives as long as @owner, which the view holds */
void sonde_timeline_view_set_index (SondeTimelineView *view, const SondeTimelineIndex *index,
                                    GObject *owner);

/* The selected stretch in ns of the file's clock, [start, end); FALSE when there is none. */
gboolean sonde_timeline_view_get_range (SondeTimelineView *view, gint64 *start_ns, gint64 *end_ns);
void sonde_timeline_view_set_range (SondeTimelineView *view, gint64 start_ns, gint64 end_ns);
void sonde_timeline_view_clear_range (SondeTimelineView *view);
/* What is in sight. */
void sonde_timeline_view_get_shown (SondeTimelineView *view, gint64 *start_ns, gint64 *end_ns);

/* Selects an item and brings it into sight: unfolds its track, scrolls, and zooms in where it would be too
 * narrow to be seen. */
void sonde_timeline_view_reveal (SondeTimelineView *view, guint32 item);

/* What was looked for, as sonde_span_search() gives it. (transfer full) (nullable) both */
void sonde_timeline_view_set_found (SondeTimelineView *view, guint8 *found, GArray *hits);
/* The next item that was found behind the selected one, or before it; SONDE_TIMELINE_NONE when
 * nothing was found. @place: (out): which of them it is, from 0 */
guint32 sonde_timeline_view_find_next (SondeTimelineView *view, gboolean forward, guint *place);

/* The track that a number of the signal "menu" stands for; SONDE_TIMELINE_NONE: none. */
guint32 sonde_timeline_view_find_track (SondeTimelineView *view, gint64 id);
const SondeTimelinePlaces *sonde_timeline_view_get_places (SondeTimelineView *view);
/* As the functions of the places, and drawn anew. */
void sonde_timeline_view_pin (SondeTimelineView *view, guint32 track, gboolean pinned);
void sonde_timeline_view_hide (SondeTimelineView *view, guint32 track);
void sonde_timeline_view_show_all (SondeTimelineView *view);
void sonde_timeline_view_sort (SondeTimelineView *view, SondeTimelineSort sort);

/* All threads to one row each, or to all their rows. */
void sonde_timeline_view_fold_all (SondeTimelineView *view, gboolean folded);

G_END_DECLS
