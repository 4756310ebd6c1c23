/* SPDX-License-Identifier: Apache-2.0
 * Exponential mean of a whole series for display, down-sampled like the series itself. The mean
 * runs over every point, so a curve looks the same at any zoom and its past never moves.
 * Source: tensorboard, line_chart_v2 `resmoothDataset`: l ← w·l + (1 − w)·x, shown l / (1 − wⁿ). */
#pragma once

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

typedef struct _SondeSmoother SondeSmoother;

/* @weight: 0 … 1 (exclusive); of the past */
SondeSmoother *sonde_smoother_new (SondeSeries *series, double weight);
/**
 * SondeSmootherKernel: means of the points around each point
 * RUNNING: of equal weight, @width points, the middle one in the middle
 * GAUSSIAN: weights of a normal distribution with the standard deviation @width, in points, cut off at three of them
 *
 * What is missing beyond the ends, and what is not finite, has no weight; a point that is not finite passes by.
 */
typedef enum
{
  SONDE_SMOOTHER_RUNNING,
  SONDE_SMOOTHER_GAUSSIAN,
} SondeSmootherKernel;

#define SONDE_SMOOTHER_MAX_REACH 5000 /* points on each side */

SondeSmoother *sonde_smoother_new_kernel (SondeSeries *series, SondeSmootherKernel kernel,
                                          double width);
void sonde_smoother_free (SondeSmoother *smoother);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSmoother, sonde_smoother_free)

double sonde_smoother_get_weight (const SondeSmoother *smoother);

/* Takes in at most @max_points new points (starts anew when the series was rebuilt). Returns TRUE
 * when all are in. */
gboolean sonde_smoother_update (SondeSmoother *smoother, guint64 max_points);

/* As sonde_series_query(), of the means; NaN points change nothing and are left out.
 * (transfer full) (element-type SondeBucket) */
GArray *sonde_smoother_query (SondeSmoother *smoother, gint64 from_step, gint64 to_step,
                              guint max_buckets);

G_END_DECLS
