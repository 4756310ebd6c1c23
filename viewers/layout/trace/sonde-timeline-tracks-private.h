/* SPDX-License-Identifier: Apache-2.0
 * Which tracks a trace has, for the index alone. */
#pragma once

#include "viewers/layout/trace/sonde-timeline-index.h"

/* An asynchronous span and where it was put. */
typedef struct
{
  guint32 async, track, lane;
} SondeTimelinePacked;

/* Fills tracks, series, instants and texts; rows are still to come. */
void sonde_timeline_tracks_add (SondeTimelineIndex *index);

/* SondeTimelinePacked of all asynchronous spans by track and start: each in the first lane of its track
 * that is free. (transfer full) */
GArray *sonde_timeline_tracks_pack (const SondeTimelineIndex *index);
