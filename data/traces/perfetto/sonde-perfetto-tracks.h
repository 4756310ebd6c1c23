/* SPDX-License-Identifier: Apache-2.0
 * The tracks of a Perfetto trace: rows that events name by a number and that are described before, between
 * or behind them. */
#pragma once

#include "data/traces/perfetto/sonde-perfetto-packet.h"
#include "data/traces/sonde-trace-builder.h"

G_BEGIN_DECLS

typedef struct _SondePerfettoTracks SondePerfettoTracks;

SondePerfettoTracks *sonde_perfetto_tracks_new (SondeTraceBuilder *builder);
void sonde_perfetto_tracks_free (SondePerfettoTracks *tracks);

/* What is said of a track; the last one counts. */
void sonde_perfetto_tracks_describe (SondePerfettoTracks *tracks,
                                     const SondePerfettoTrackInfo *info);

/* The builder's thread, or counter, of a track that may not be described yet. */
guint32 sonde_perfetto_tracks_get_thread (SondePerfettoTracks *tracks, guint64 uuid);
guint32 sonde_perfetto_tracks_get_counter (SondePerfettoTracks *tracks, guint64 uuid);

/* Behind the last packet: hands the names of all tracks to the builder. */
void sonde_perfetto_tracks_finish (SondePerfettoTracks *tracks);

G_END_DECLS
