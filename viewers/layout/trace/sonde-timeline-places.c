/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/trace/sonde-timeline-places.h"

#include <string.h>

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

/* ---- order --------------------------------------------------------------- */

static gint64
get_busy (const SondeTimelinePlaces *places, guint track)
{
  const SondeTimelineTrack *one = get_track (places, track);

  return one->kind == SONDE_TRACK_THREAD
             ? 1 + sonde_trace_get_thread (places->index->trace, one->source)->busy_ns
             : 0;
}

/* What tracks are sorted by. @busy: of a process the most of its threads; @keys: NULL unless by name */
typedef struct
{
  const SondeTimelinePlaces *places;
  gint64 *busy;
  char **keys;
} Sorting;

static int
compare_equals (const Sorting *sorting, guint32 x, guint32 y)
{
  int order = 0;

  if (sorting->places->sort == SONDE_TIMELINE_BY_BUSY)
    order = (sorting->busy[x] < sorting->busy[y]) - (sorting->busy[x] > sorting->busy[y]);
  else if (sorting->keys != NULL)
    order = strcmp (sorting->keys[x], sorting->keys[y]);
  return order != 0 ? order : (x > y) - (x < y);
}

static int
compare_tracks (gconstpointer a, gconstpointer b, gpointer data)
{
  const Sorting *sorting = data;
  const guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;
  const guint32 *pinned = sorting->places->pinned, *heads = sorting->places->heads;

  if (pinned[x] != 0 || pinned[y] != 0)
    return pinned[x] == 0   ? 1
           : pinned[y] == 0 ? -1
                            : (pinned[x] > pinned[y]) - (pinned[x] < pinned[y]);
  if (heads[x] != heads[y])
    return compare_equals (sorting, heads[x], heads[y]);
  if (x == heads[x] || y == heads[x])
    return x == heads[x] ? -1 : 1;
  return compare_equals (sorting, x, y);
}

static char **
make_keys (const SondeTimelinePlaces *places)
{
  char **keys = g_new0 (char *, (gsize) places->n_tracks + 1);

  for (guint t = 0; t < places->n_tracks; t++)
    keys[t] = g_utf8_collate_key (get_track (places, t)->name, -1);
  return keys;
}

static void
order_tracks (SondeTimelinePlaces *places)
{
  g_autofree gint64 *busy = g_new0 (gint64, (gsize) places->n_tracks + 1);
  g_auto (GStrv) keys = places->sort == SONDE_TIMELINE_BY_NAME ? make_keys (places) : NULL;
  Sorting sorting = { places, busy, keys };

  for (guint t = 0; t < places->n_tracks; t++)
    {
      const guint head = places->heads[t];

      places->order[t] = t;
      busy[t] = MAX (busy[t], get_busy (places, t));
      busy[head] = MAX (busy[head], busy[t]);
    }
  g_qsort_with_data (places->order, (int) places->n_tracks, sizeof *places->order, compare_tracks,
                     &sorting);
  for (guint k = 0; k < places->n_tracks; k++)
    places->ranks[places->order[k]] = k;
}

static gboolean
is_shown (const SondeTimelinePlaces *places, guint track)
{
  const guint head = places->heads[track];

  if (places->hidden[track] || (places->hidden[head] && places->pinned[track] == 0))
    return FALSE;
  return track == head || places->pinned[track] != 0 || !places->folded[head];
}

static void
place (SondeTimelinePlaces *places)
{
  gint64 top = 0;

  for (guint k = 0; k < places->n_tracks; k++)
    {
      const guint t = places->order[k];

      places->tops[t] = top;
      places->heights[t] = is_shown (places, t) ? height_of (places, t) : 0;
      top += places->heights[t];
    }
  places->tops[places->n_tracks] = top;
}

void
sonde_timeline_places_pin (SondeTimelinePlaces *places, guint track, gboolean pinned)
{
  if (get_track (places, track)->kind == SONDE_TRACK_PROCESS)
    return;
  places->pinned[track] = pinned ? ++places->n_pinned : 0;
  order_tracks (places);
  place (places);
}

void
sonde_timeline_places_sort (SondeTimelinePlaces *places, SondeTimelineSort sort)
{
  places->sort = sort;
  order_tracks (places);
  place (places);
}

/* ---- what is shown ------------------------------------------------------- */

void
sonde_timeline_places_hide (SondeTimelinePlaces *places, guint track)
{
  places->hidden[track] = TRUE;
  place (places);
}

void
sonde_timeline_places_show_all (SondeTimelinePlaces *places)
{
  memset (places->hidden, 0, places->n_tracks);
  place (places);
}

guint
sonde_timeline_places_count_hidden (const SondeTimelinePlaces *places)
{
  guint n = 0;

  for (guint t = 0; t < places->n_tracks; t++)
    n += places->hidden[t];
  return n;
}

void
sonde_timeline_places_init (SondeTimelinePlaces *places, const SondeTimelineIndex *index)
{
  const gsize n = (gsize) index->tracks->len + 1;

  *places = (SondeTimelinePlaces){ .index = index,
                                   .n_tracks = index->tracks->len,
                                   .order = g_new0 (guint32, n),
                                   .ranks = g_new0 (guint32, n),
                                   .pinned = g_new0 (guint32, n),
                                   .heads = g_new0 (guint32, n),
                                   .tops = g_new0 (gint64, n),
                                   .heights = g_new0 (gint64, n),
                                   .folded = g_new0 (guint8, n),
                                   .hidden = g_new0 (guint8, n) };
  for (guint t = 1; t < places->n_tracks; t++)
    places->heads[t]
        = get_track (places, t)->kind == SONDE_TRACK_PROCESS ? t : places->heads[t - 1];
  order_tracks (places);
  place (places);
}

void
sonde_timeline_places_clear (SondeTimelinePlaces *places)
{
  g_clear_pointer (&places->order, g_free);
  g_clear_pointer (&places->ranks, g_free);
  g_clear_pointer (&places->pinned, g_free);
  g_clear_pointer (&places->heads, g_free);
  g_clear_pointer (&places->tops, g_free);
  g_clear_pointer (&places->heights, g_free);
  g_clear_pointer (&places->folded, g_free);
  g_clear_pointer (&places->hidden, g_free);
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
  const guint head = places->heads[track];

  places->folded[head] = places->hidden[head] = FALSE;
  places->folded[track] = places->hidden[track] = FALSE;
  place (places);
}

gboolean
sonde_timeline_places_find (const SondeTimelinePlaces *places, double y, guint *track)
{
  guint low = 0, high = places->n_tracks;

  if (places->n_tracks == 0 || y < 0 || y >= (double) places->tops[places->n_tracks])
    return FALSE;
  /* The last one that begins at or above y: those of no height stand before it. */
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if ((double) places->tops[places->order[middle]] <= y)
        low = middle + 1;
      else
        high = middle;
    }
  *track = places->order[low - 1];
  return TRUE;
}

gint64
sonde_timeline_places_get_row_top (const SondeTimelinePlaces *places, guint track, guint32 k)
{
  const SondeTimelineTrack *one = get_track (places, track);

  return places->tops[track] + SONDE_TIMELINE_PAD
         + (one->n_instants > 0 ? SONDE_TIMELINE_INSTANTS : 0) + (gint64) k * SONDE_TIMELINE_ROW;
}
