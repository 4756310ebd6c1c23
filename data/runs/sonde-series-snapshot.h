/* SPDX-License-Identifier: Apache-2.0
 * Points of a series without copies: on its own thread, and, as they are at one moment, on another one.
 * The blocks of a series never change once they were made, so a snapshot is a list of references: taking one costs
 * some microseconds for a million points, and what the run does meanwhile does not reach it. */
#pragma once

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

/* @n points that follow each other, column by column. */
typedef struct
{
  gsize n;
  const gint64 *steps, *walls; /* walls: ns */
  const double *values;
  const guint32 *sessions;
} SondePointSpan;

/**
 * sonde_series_lend_points:
 * @n: at most so many
 * @span: (out): from @first on as far as their block goes; lent until the next call for any series of the store
 *
 * On the series' thread. Returns: how many; 0: there is no such point, or it cannot be read now
 */
gsize sonde_series_lend_points (SondeSeries *series, guint64 first, gsize n, SondePointSpan *span);

typedef struct _SondeSeriesSnapshot SondeSeriesSnapshot;

/**
 * sonde_series_snapshot_new:
 * @first: points before it will not be read
 *
 * On the series' thread; from then on one thread at a time may use and free it, whatever becomes of the series.
 * Returns: (transfer full)
 */
SondeSeriesSnapshot *sonde_series_snapshot_new (SondeSeries *series, guint64 first);
void sonde_series_snapshot_free (SondeSeriesSnapshot *snapshot); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSeriesSnapshot, sonde_series_snapshot_free)

/* Those of the series at that moment, the first ones counted. */
guint64 sonde_series_snapshot_get_n_points (const SondeSeriesSnapshot *snapshot);
/* As sonde_series_lend_points(), until the next call for this snapshot; 0 for points that are there: the index that
 * holds them was replaced. */
gsize sonde_series_snapshot_lend_points (SondeSeriesSnapshot *snapshot, guint64 first, gsize n,
                                         SondePointSpan *span);

G_END_DECLS
