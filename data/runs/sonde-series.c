/* SPDX-License-Identifier: Apache-2.0
 * A scalar series as a GObject: a track of kind SCALARS under its public name. */
#include "data/runs/sonde-run-private.h"

struct _SondeSeries
{
  GObject parent_instance;
  SondeRun *run; /* owns the series; NULL when it is gone */
  SondeRunTrack *track;
  const char *tag;
  SondeSeriesMemory *memory; /* of a computed one, which keeps its run */
};

G_DEFINE_FINAL_TYPE (SondeSeries, sonde_series, G_TYPE_OBJECT)

enum
{
  SIGNAL_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
sonde_series_finalize (GObject *object)
{
  SondeSeries *series = SONDE_SERIES (object);

  if (series->memory != NULL)
    g_clear_object (&series->run);
  sonde_series_memory_free (series->memory);
  G_OBJECT_CLASS (sonde_series_parent_class)->finalize (object);
}

static void
sonde_series_class_init (SondeSeriesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_series_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_series_init (SondeSeries *series)
{
}

SondeSeries *
sonde_series_new (SondeRun *run, SondeRunTrack *track)
{
  SondeSeries *series = g_object_new (SONDE_TYPE_SERIES, NULL);

  series->run = run;
  series->track = track;
  series->tag = sonde_run_track_get_tag (track);
  return series;
}

SondeSeries *
sonde_series_new_computed (SondeRun *run, const SondePoint *points, gsize n)
{
  SondeSeriesMemory *memory = sonde_series_memory_new (points, n);
  SondeSeries *series = sonde_series_new (run != NULL ? g_object_ref (run) : NULL,
                                          sonde_series_memory_get_track (memory));

  series->memory = memory;
  return series;
}

void
sonde_series_set_points (SondeSeries *series, const SondePoint *points, gsize n)
{
  g_return_if_fail (SONDE_IS_SERIES (series) && series->memory != NULL);
  sonde_series_memory_free (series->memory);
  series->memory = sonde_series_memory_new (points, n);
  series->track = sonde_series_memory_get_track (series->memory);
  sonde_series_emit_changed (series);
}

void
sonde_series_detach (SondeSeries *series)
{
  series->run = NULL;
  series->track = NULL;
}

void
sonde_series_emit_changed (SondeSeries *series)
{
  g_signal_emit (series, signals[SIGNAL_CHANGED], 0);
}

SondeRun *
sonde_series_get_run (SondeSeries *series)
{
  g_return_val_if_fail (SONDE_IS_SERIES (series), NULL);

  return series->run;
}

guint64
sonde_series_get_n_points (SondeSeries *series)
{
  g_return_val_if_fail (SONDE_IS_SERIES (series), 0);

  return series->track ? sonde_run_track_get_n_points (series->track) : 0;
}

gboolean
sonde_series_get_last (SondeSeries *series, SondePoint *point)
{
  g_return_val_if_fail (SONDE_IS_SERIES (series), FALSE);

  return series->track && sonde_run_track_get_last (series->track, point);
}

gboolean
sonde_series_get_range (SondeSeries *series, gint64 *first_step, gint64 *last_step, double *min,
                        double *max)
{
  g_return_val_if_fail (SONDE_IS_SERIES (series), FALSE);

  return series->track
         && sonde_run_track_get_range (series->track, first_step, last_step, min, max);
}

gsize
sonde_series_copy_points (SondeSeries *series, guint64 first, gsize n, SondePoint *points)
{
  g_return_val_if_fail (SONDE_IS_SERIES (series), 0);

  return series->track ? sonde_run_track_copy_points (series->track, first, n, points) : 0;
}

gsize
sonde_series_lend_points (SondeSeries *series, guint64 first, gsize n, SondePointSpan *span)
{
  g_return_val_if_fail (SONDE_IS_SERIES (series), 0);

  span->n = 0;
  return series->track ? sonde_run_track_lend_points (series->track, first, n, span) : 0;
}

SondeSeriesSnapshot *
sonde_series_snapshot_new (SondeSeries *series, guint64 first)
{
  g_return_val_if_fail (SONDE_IS_SERIES (series), NULL);

  return sonde_run_track_take_snapshot (series->track, first);
}

GArray *
sonde_series_query (SondeSeries *series, gint64 from_step, gint64 to_step, guint max_buckets)
{
  g_return_val_if_fail (SONDE_IS_SERIES (series), NULL);

  if (!series->track)
    return g_array_new (FALSE, FALSE, sizeof (SondeBucket));
  return sonde_run_track_query (series->track, from_step, to_step, max_buckets);
}
