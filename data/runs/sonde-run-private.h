/* SPDX-License-Identifier: Apache-2.0
 * Runs and series as their store makes and feeds them; on the owner's thread. */
#pragma once

#include "data/runs/sonde-run-readers-private.h"
#include "data/runs/sonde-run-track-private.h"
#include "data/runs/worker/sonde-run-worker-private.h"

G_BEGIN_DECLS

/* What the runs of a store share; outlives them. */
typedef struct
{
  const SondeIo *io;
  SondeRunWorker *worker;
  SondeRunCache cache;
  SondeRunReaders readers;
} SondeRunContext;

SondeRun *sonde_run_new (SondeRunContext *context, guint number, guint color_index,
                         SondeRunInfo *info);
/* Takes over updates and info, and says so by the signals. */
void sonde_run_apply (SondeRun *run, SondeRunUpdate *update);
/* The store is going: the run stays empty from here on. */
void sonde_run_detach (SondeRun *run);

/* (nullable): also for kinds other than SCALARS */
SondeRunTrack *sonde_run_find_track (SondeRun *run, const char *tag, SondeRecordKind kind);
SondeRunInfo *sonde_run_get_info (SondeRun *run); /* (transfer none) */
const SondeIo *sonde_run_get_io (SondeRun *run);

/* The points of a computed series (sonde-series-computed.c). */
typedef struct _SondeSeriesMemory SondeSeriesMemory;

SondeSeriesMemory *sonde_series_memory_new (const SondePoint *points, gsize n);
SondeRunTrack *sonde_series_memory_get_track (SondeSeriesMemory *memory); /* (transfer none) */
void sonde_series_memory_free (SondeSeriesMemory *memory);                /* NULL is fine */

SondeSeries *sonde_series_new (SondeRun *run, SondeRunTrack *track);
/* The track is going. */
void sonde_series_detach (SondeSeries *series);
void sonde_series_emit_changed (SondeSeries *series);

G_END_DECLS
