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

/**
 * SondeTimelinePlaces:
 * @tops: (array length=n_tracks + 1): px from the top of all, rising; the last is the height
 * @folded: of a process: its tracks are hidden; of a thread: only its outermost row is shown
 */
typedef struct
{
  const SondeTimelineIndex *index;
  guint n_tracks;
  gint64 *tops;
  guint8 *folded;
} SondeTimelinePlaces;

void sonde_timeline_places_init (SondeTimelinePlaces *places, const SondeTimelineIndex *index);
void sonde_timeline_places_clear (SondeTimelinePlaces *places);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeTimelinePlaces, sonde_timeline_places_clear)

void sonde_timeline_places_fold (SondeTimelinePlaces *places, guint track, gboolean folded);
/* Every thread, or none. */
void sonde_timeline_places_fold_all (SondeTimelinePlaces *places, gboolean folded);

/* Whether it would look different folded. */
gboolean sonde_timeline_places_can_fold (const SondeTimelinePlaces *places, guint track);
/* Unfolds what hides @track. */
void sonde_timeline_places_reveal (SondeTimelinePlaces *places, guint track);

/* The track at @y px; FALSE beyond the ends. */
gboolean sonde_timeline_places_find (const SondeTimelinePlaces *places, double y, guint *track);

/* Rows of the track that are shown. */
guint32 sonde_timeline_places_count_rows (const SondeTimelinePlaces *places, guint track);
/* Top of the bars of row @k of the track. */
gint64 sonde_timeline_places_get_row_top (const SondeTimelinePlaces *places, guint track,
                                          guint32 k);

G_END_DECLS
