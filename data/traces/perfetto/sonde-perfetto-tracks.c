/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/perfetto/sonde-perfetto-tracks.h"

#include <string.h>

/* Tracks inside each other; a process or thread farther up is not looked for. */
#define PARENTS_MAX 64

/* @thread, @counter: of the builder, or SONDE_TRACE_NONE
 * Texts are the builder's. */
typedef struct
{
  guint64 uuid, parent;
  gboolean has_parent, has_process, has_thread, is_incremental;
  gint64 pid, tid, multiplier;
  guint32 name, thread_name;
  guint32 thread, counter;
} Track;

/* @last: index of the track that was asked for last */
struct _SondePerfettoTracks
{
  SondeTraceBuilder *builder;
  GArray *tracks;      /* Track */
  GHashTable *indices; /* guint64 uuid → index */
  guint last;
};

SondePerfettoTracks *
sonde_perfetto_tracks_new (SondeTraceBuilder *builder)
{
  SondePerfettoTracks *tracks = g_new0 (SondePerfettoTracks, 1);

  tracks->builder = builder;
  tracks->tracks = g_array_new (FALSE, FALSE, sizeof (Track));
  tracks->indices = g_hash_table_new (sonde_perfetto_hash, NULL);
  return tracks;
}

void
sonde_perfetto_tracks_free (SondePerfettoTracks *tracks)
{
  g_array_unref (tracks->tracks);
  g_hash_table_unref (tracks->indices);
  g_free (tracks);
}

static Track *
get_track (SondePerfettoTracks *tracks, guint index)
{
  return &g_array_index (tracks->tracks, Track, index);
}

/* NULL when nothing was said of it and nothing lies on it */
static Track *
find_track (SondePerfettoTracks *tracks, guint64 uuid)
{
  gpointer index = g_hash_table_lookup (tracks->indices, GSIZE_TO_POINTER (uuid));

  return index != NULL ? get_track (tracks, GPOINTER_TO_UINT (index) - 1) : NULL;
}

static Track *
add_track (SondePerfettoTracks *tracks, guint64 uuid)
{
  Track entry
      = { .uuid = uuid, .multiplier = 1, .thread = SONDE_TRACE_NONE, .counter = SONDE_TRACE_NONE };
  Track *track;

  if (tracks->last < tracks->tracks->len && get_track (tracks, tracks->last)->uuid == uuid)
    return get_track (tracks, tracks->last);
  track = find_track (tracks, uuid);
  if (track == NULL)
    {
      g_array_append_val (tracks->tracks, entry);
      g_hash_table_insert (tracks->indices, GSIZE_TO_POINTER (uuid),
                           GUINT_TO_POINTER (tracks->tracks->len));
      track = get_track (tracks, tracks->tracks->len - 1);
    }
  tracks->last = track - get_track (tracks, 0);
  return track;
}

static guint32
add_text (SondePerfettoTracks *tracks, SondePerfettoBytes text)
{
  return text.bytes == NULL
             ? 0
             : sonde_trace_builder_add_text (tracks->builder, (const char *) text.bytes, text.n);
}

static guint32
add_number (SondePerfettoTracks *tracks, gint64 number)
{
  char text[32];

  g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, number);
  return sonde_trace_builder_add_text (tracks->builder, text, strlen (text));
}

void
sonde_perfetto_tracks_describe (SondePerfettoTracks *tracks, const SondePerfettoTrackInfo *info)
{
  Track *track = add_track (tracks, info->uuid);

  track->has_parent = info->has_parent;
  track->parent = info->parent;
  track->has_process = info->has_process;
  track->has_thread = info->has_thread;
  track->pid = info->pid;
  track->tid = info->tid;
  track->multiplier = info->multiplier;
  track->is_incremental = info->is_incremental;
  track->name = add_text (tracks, info->name);
  track->thread_name = add_text (tracks, info->thread_name);
  if (info->process_name.bytes != NULL)
    sonde_trace_builder_name_process (tracks->builder, add_number (tracks, info->pid),
                                      add_text (tracks, info->process_name));
}

guint32
sonde_perfetto_tracks_get_thread (SondePerfettoTracks *tracks, guint64 uuid)
{
  Track *track = add_track (tracks, uuid);

  if (track->thread == SONDE_TRACE_NONE)
    track->thread = sonde_trace_builder_add_thread (tracks->builder, 0, 0, uuid);
  return track->thread;
}

guint32
sonde_perfetto_tracks_get_counter (SondePerfettoTracks *tracks, guint64 uuid)
{
  Track *track = add_track (tracks, uuid);

  if (track->counter == SONDE_TRACE_NONE)
    track->counter = sonde_trace_builder_add_counter (tracks->builder, uuid);
  return track->counter;
}

/* The nearest thread or process from @track upwards; NULL when there is none. */
static const Track *
find_owner (SondePerfettoTracks *tracks, const Track *track)
{
  for (guint i = 0; track != NULL && i < PARENTS_MAX; i++)
    {
      if (track->has_thread || track->has_process)
        return track;
      track = track->has_parent ? find_track (tracks, track->parent) : NULL;
    }
  return NULL;
}

static guint32
get_track_name (SondePerfettoTracks *tracks, const Track *track)
{
  if (track->has_thread)
    return 0;
  if (track->has_process)
    return sonde_trace_builder_add_text (tracks->builder, "process", 7);
  return track->name;
}

static void
name_track (SondePerfettoTracks *tracks, const Track *track)
{
  const Track *owner = find_owner (tracks, track);
  SondeTraceThreadTexts texts = {
    .pid = owner != NULL ? add_number (tracks, owner->pid) : 0,
    .tid = owner != NULL && owner->has_thread ? add_number (tracks, owner->tid) : 0,
    .process = owner != NULL ? SONDE_TRACE_NONE : 0,
    .name = owner != NULL && owner->has_thread ? owner->thread_name : 0,
    .track = get_track_name (tracks, track),
  };

  if (track->thread != SONDE_TRACE_NONE)
    sonde_trace_builder_describe_thread (tracks->builder, track->thread, &texts);
  if (track->counter != SONDE_TRACE_NONE)
    sonde_trace_builder_describe_counter (
        tracks->builder, track->counter, texts.pid, track->name,
        sonde_trace_builder_add_text (tracks->builder, "value", 5), track->multiplier,
        track->is_incremental);
}

void
sonde_perfetto_tracks_finish (SondePerfettoTracks *tracks)
{
  for (guint i = 0; i < tracks->tracks->len; i++)
    name_track (tracks, get_track (tracks, i));
}
