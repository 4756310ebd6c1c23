/* SPDX-License-Identifier: Apache-2.0
 * Means of a whole series for display, down-sampled like the series itself. A mean runs over every point, so a curve
 * looks the same at any zoom and its past never moves. A few points are taken in here and now, many on another thread. */
#pragma once

#include "viewers/smoothing/sonde-smoothing-rule.h"

G_BEGIN_DECLS

typedef struct _SondeSmoother SondeSmoother;

/* @weight: 0 … 1 (exclusive); of the past */
SondeSmoother *sonde_smoother_new (SondeSeries *series, double weight);
SondeSmoother *sonde_smoother_new_kernel (SondeSeries *series, SondeSmootherKernel kernel,
                                          double width);
/* Ends what it does on another thread. */
void sonde_smoother_free (SondeSmoother *smoother); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSmoother, sonde_smoother_free)

double sonde_smoother_get_weight (const SondeSmoother *smoother);

/* Takes in at most @max_points new points (starts anew when the series was rebuilt). Returns TRUE
 * when all are in. */
gboolean sonde_smoother_update (SondeSmoother *smoother, guint64 max_points);

typedef void (*SondeSmootherFunc) (void *user_data);

/**
 * sonde_smoother_catch_up:
 * @at_once: new points at most that are taken in here and now; more are on another thread, of the series as it is now
 *
 * Until @done is called, from the main context, the means are those that there were. It is not when the points could not
 * be read: the run reads its files again then, and the series changes.
 * Returns: TRUE: all points are in; FALSE: @done will be called, once, however often this is asked
 */
gboolean sonde_smoother_catch_up (SondeSmoother *smoother, guint64 at_once, SondeSmootherFunc done,
                                  void *user_data);
/* How many of how many points are in; FALSE: nothing is done on another thread. */
gboolean sonde_smoother_get_progress (const SondeSmoother *smoother, guint64 *n_done,
                                      guint64 *n_all);

/* As sonde_series_query(), of the means; NaN points change nothing and are left out.
 * (transfer full) (element-type SondeBucket) */
GArray *sonde_smoother_query (SondeSmoother *smoother, gint64 from_step, gint64 to_step,
                              guint max_buckets);

G_END_DECLS
