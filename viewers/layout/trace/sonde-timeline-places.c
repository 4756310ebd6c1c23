/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/trace/sonde-timeline-places.h"

static const SondeTimelineTrack *
get_track (const SondeTimelinePlaces *places, guint track)
{
  return &g_array_index (places->index->tracks, SondeTimelineTrack, track);
}

guint32
sonde_timeline_places_count_rows (const SondeTimelinePlaces *places, guint track)
{
  guint32 n = get_track (places, track)->n_rows;

  return places->folded[track] ? MIN (n, 1) : n;
}

static gint64
height_of (const SondeTimelinePlaces *places, guint track)
{
  const SondeTimelineTrack *one = get_track (places, track);

  if (one->kind == SONDE_TRACK_PROCESS)
    return SONDE_TIMELINE_HEAD;
  if (one->kind == SONDE_TRACK_SERIES)
    return SONDE_TIMELINE_SERIES;
  return 2 * SONDE_TIMELINE_PAD + (one->n_instants > 0 ? SONDE_TIMELINE_INSTANTS : 0)
         + (gint64) MAX (sonde_timeline_places_count_rows (places, track), 1) * SONDE_TIMELINE_ROW;
}

static void
place (SondeTimelinePlaces *places)
{
  gint64 top = 0;
  gboolean hidden = FALSE;

  for (guint t = 0; t < places->n_tracks; t++)
    {
      gboolean is_head = get_track (places, t)->kind == SONDE_TRACK_PROCESS;

      if (is_head)
        hidden = places->folded[t];
      places->tops[t] = top;
      if (is_head || !hidden)
        top += height_of (places, t);
    }
  places->tops[places->n_tracks] = top;
}

void
sonde_timeline_places_init (SondeTimelinePlaces *places, const SondeTimelineIndex *index)
{
  places->index = index;
  places->n_tracks = index->tracks->len;
  places->tops = g_new0 (gint64, (gsize) places->n_tracks + 1);
  places->folded = g_new0 (guint8, (gsize) places->n_tracks + 1);
  place (places);
}

void
sonde_timeline_places_clear (SondeTimelinePlaces *places)
{
  g_clear_pointer (&places->tops, g_free);
  g_clear_pointer (&places->folded, g_free);
  places->n_tracks = 0;
}

gboolean
sonde_timeline_places_can_fold (const SondeTimelinePlaces *places, guint track)
{
  const SondeTimelineTrack *one = get_track (places, track);

  return one->kind == SONDE_TRACK_PROCESS || one->n_rows > 1;
}

void
sonde_timeline_places_fold (SondeTimelinePlaces *places, guint track, gboolean folded)
{
  places->folded[track] = folded && sonde_timeline_places_can_fold (places, track);
  place (places);
}

void
sonde_timeline_places_fold_all (SondeTimelinePlaces *places, gboolean folded)
{
  for (guint t = 0; t < places->n_tracks; t++)
    places->folded[t] = folded && get_track (places, t)->kind != SONDE_TRACK_PROCESS
                        && sonde_timeline_places_can_fold (places, t);
  place (places);
}

void
sonde_timeline_places_reveal (SondeTimelinePlaces *places, guint track)
{
  guint head = track;

  while (head > 0 && get_track (places, head)->kind != SONDE_TRACK_PROCESS)
    head--;
  places->folded[head] = FALSE;
  places->folded[track] = FALSE;
  place (places);
}

gboolean
sonde_timeline_places_find (const SondeTimelinePlaces *places, double y, guint *track)
{
  guint low = 0, high = places->n_tracks;

  if (places->n_tracks == 0 || y < 0 || y >= (double) places->tops[places->n_tracks])
    return FALSE;
  /* The last track that begins at or above y: those of no height stand before it. */
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if ((double) places->tops[middle] <= y)
        low = middle + 1;
      else
        high = middle;
    }
  *track = low - 1;
  return TRUE;
}

gint64
sonde_timeline_places_get_row_top (const SondeTimelinePlaces *places, guint track, guint32 k)
{
  const SondeTimelineTrack *one = get_track (places, track);

  return places->tops[track] + SONDE_TIMELINE_PAD
         + (one->n_instants > 0 ? SONDE_TIMELINE_INSTANTS : 0) + (gint64) k * SONDE_TIMELINE_ROW;
}
