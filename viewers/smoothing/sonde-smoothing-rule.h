/* SPDX-License-Identifier: Apache-2.0
 * How means are made of points, one after the other: an exponential mean of all before, or a weighted one of those
 * around. A rule never changes, so threads share it. */
#pragma once

#include "data/runs/sonde-series-snapshot.h"

G_BEGIN_DECLS

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

/**
 * SondeSmoothingRule:
 * @weight: of the past; without a kernel
 * @kernel: (nullable): NULL: exponential; weights from the middle to @reach
 * @reach: points on each side that a mean needs
 * @is_flat: all weights of the kernel are 1
 */
typedef struct
{
  gint ref_count;
  double weight;
  double *kernel;
  gsize reach;
  gboolean is_flat;
} SondeSmoothingRule;

/* What is carried from point to point: l of the formula, and wⁿ, which is missing to a whole weight. */
typedef struct
{
  double last;
  double past_power;
} SondeMeanState;

#define SONDE_MEAN_STATE_START ((SondeMeanState){ .past_power = 1 })

/* Gives points from @first on, at most @n, as sonde_series_lend_points() does. */
typedef struct
{
  gsize (*lend) (void *source, guint64 first, gsize n, SondePointSpan *span);
  void *source;
} SondePointReader;

/* Source: tensorboard, line_chart_v2 `resmoothDataset`: l ← w·l + (1 − w)·x, shown l / (1 − wⁿ). @weight: 0 … 1
 * (exclusive) */
SondeSmoothingRule *sonde_smoothing_rule_new (double weight);
SondeSmoothingRule *sonde_smoothing_rule_new_kernel (SondeSmootherKernel kernel, double width);
SondeSmoothingRule *sonde_smoothing_rule_ref (SondeSmoothingRule *rule);
void sonde_smoothing_rule_unref (SondeSmoothingRule *rule);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSmoothingRule, sonde_smoothing_rule_unref)

/* Exponential: the means after each of @n values, which are those behind @state. */
void sonde_smoothing_rule_advance (const SondeSmoothingRule *rule, SondeMeanState *state,
                                   const double *values, gsize n, double *means);
/* Kernels: the means of points [@first, @first + @n); those that @reader has not are beyond the ends.
 * Returns: for how many of them there are points */
gsize sonde_smoothing_rule_weigh (const SondeSmoothingRule *rule, const SondePointReader *reader,
                                  guint64 first, gsize n, double *means);

G_END_DECLS
