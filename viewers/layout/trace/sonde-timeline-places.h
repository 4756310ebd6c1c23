/* SPDX-License-Identifier: Apache-2.0
 * Where the tracks of a timeline stand above each other, and which of them are folded. Heights in px of
 * the screen; nothing here depends on time. */
#pragma once

#include "viewers/layout/trace/sonde-timeline-index.h"

G_BEGIN_DECLS

#define SONDE_TIMELINE_ROW 18      /* a row of bars, with the gap below it */
#define SONDE_TIMELINE_HEAD 24     /* of a process */
#define SONDE_TIMELINE_SERIES 44   /* a curve */
#define SONDE_TIMELINE_INSTANTS 10 /* the marks above the bars */
#define SONDE_TIMELINE_PAD 4       /* above and below a track */

/* In which order the tracks of a process stand; processes by their busiest thread, or by name. */
typedef enum
{
  SONDE_TIMELINE_BY_FILE,
  SONDE_TIMELINE_BY_BUSY, /* that of the longest spans together first; series last */
  SONDE_TIMELINE_BY_NAME,
} SondeTimelineSort;

/**
 * SondeTimelinePlaces:
 * @order: (array length=n_tracks): tracks from the top to the bottom: first what is pinned; @ranks: the reverse
 * @tops: (array length=n_tracks + 1): px of each track from the top of all; the last is the height
 * @heights: 0 of what is not shown
 * @folded: of a process: its tracks are hidden; of a thread: only its outermost row is shown
 * @heads: the process of each, as a track
 * @pinned: 1 + its place among those that are pinned, or 0; @hidden: also of a process, with its tracks
 */
typedef struct
{
  const SondeTimelineIndex *index;
  guint n_tracks, n_pinned;
  guint32 *order, *ranks, *heads, *pinned;
  gint64 *tops, *heights;
  guint8 *folded, *hidden;
  SondeTimelineSort sort;
} SondeTimelinePlaces;

void sonde_timeline_places_init (SondeTimelinePlaces *places, const SondeTimelineIndex *index);
void sonde_timeline_places_clear (SondeTimelinePlaces *places);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeTimelinePlaces, sonde_timeline_places_clear)

void sonde_timeline_places_fold (SondeTimelinePlaces *places, guint track, gboolean folded);
/* Every thread, or none. */
void sonde_timeline_places_fold_all (SondeTimelinePlaces *places, gboolean folded);

/* Whether it would look different folded. */
gboolean sonde_timeline_places_can_fold (const SondeTimelinePlaces *places, guint track);

/* A pinned track stands above all others, the one pinned last at the end. Processes cannot be pinned. */
void sonde_timeline_places_pin (SondeTimelinePlaces *places, guint track, gboolean pinned);
void sonde_timeline_places_hide (SondeTimelinePlaces *places, guint track);
void sonde_timeline_places_show_all (SondeTimelinePlaces *places);
guint sonde_timeline_places_count_hidden (const SondeTimelinePlaces *places);
void sonde_timeline_places_sort (SondeTimelinePlaces *places, SondeTimelineSort sort);

/* Unfolds and shows what hides @track. */
void sonde_timeline_places_reveal (SondeTimelinePlaces *places, guint track);

/* The track at @y px; FALSE beyond the ends. */
gboolean sonde_timeline_places_find (const SondeTimelinePlaces *places, double y, guint *track);

/* Rows of the track that are shown. */
guint32 sonde_timeline_places_count_rows (const SondeTimelinePlaces *places, guint track);
/* Top of the bars of row @k of the track. */
gint64 sonde_timeline_places_get_row_top (const SondeTimelinePlaces *places, guint track,
                                          guint32 k);

G_END_DECLS
