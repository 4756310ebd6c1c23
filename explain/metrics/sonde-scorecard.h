/* SPDX-License-Identifier: Apache-2.0
 * Values of metrics by method, class and sample; their means with intervals, and a composite with
 * open weights. An undefined value is counted and never averaged. */
#pragma once

#include "explain/metrics/sonde-interval.h"

G_BEGIN_DECLS

/**
 * SondeMapMetric: one row of the table of metrics
 * @name: as in --metrics
 * @rises: higher is better
 * @counts: values are 0 or 1: a share with a Wilson interval
 * @low, @high: the range; infinite where it is open
 */
typedef struct
{
  const char *name, *title, *summary;
  gboolean rises, counts;
  double low, high;
} SondeMapMetric;

const SondeMapMetric *sonde_map_metric_list (gsize *n);
const SondeMapMetric *sonde_map_metric_find (const char *name); /* (nullable) */

typedef struct _SondeScorecard SondeScorecard;

SondeScorecard *sonde_scorecard_new (guint64 seed);
void sonde_scorecard_free (SondeScorecard *scorecard);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeScorecard, sonde_scorecard_free)

/* @method: copied; controls go by names of their own, as "random". @label: class of the sample, -1
 * unknown. @value: NaN undefined. */
void sonde_scorecard_add (SondeScorecard *scorecard, const SondeMapMetric *metric,
                          const char *method, guint sample, gint64 label, double value);

/* Methods in the order they came first. (transfer none) (element-type utf8) */
GPtrArray *sonde_scorecard_get_methods (SondeScorecard *scorecard);

/**
 * SondeScoreSummary: a mean
 * @n: values, @n_valid: of them defined
 */
typedef struct
{
  SondeInterval interval;
  gsize n, n_valid;
} SondeScoreSummary;

/* Over all samples, or those of @label (≥ 0). n = 0: no data. */
SondeScoreSummary sonde_scorecard_summarise (SondeScorecard *scorecard,
                                             const SondeMapMetric *metric, const char *method,
                                             gint64 label);

/* Mean of the classes' means, classes without a defined value left out; NaN when there is none. */
double sonde_scorecard_class_mean (SondeScorecard *scorecard, const SondeMapMetric *metric,
                                   const char *method);

/* The value of one sample, NaN undefined; FALSE when it is not there. */
gboolean sonde_scorecard_find (SondeScorecard *scorecard, const SondeMapMetric *metric,
                               const char *method, guint sample, double *value);

/* Numbers of the samples in the order they came, guint; labels beside them, gint64. (transfer
 * full) */
GArray *sonde_scorecard_get_samples (SondeScorecard *scorecard, GArray **labels);

/* Does the method's interval lie wholly on the better side of the control's? FALSE when either is
 * undefined. */
gboolean sonde_scorecard_beats (SondeScorecard *scorecard, const SondeMapMetric *metric,
                                const char *method, const char *control);

/* (value − control) / (best possible − control), in [0, 1]; NaN when one is undefined or the best
 * is infinite. */
double sonde_map_metric_rate (const SondeMapMetric *metric, double value, double control);

/**
 * sonde_scorecard_composite:
 * @metrics: (array length=n), @weights: (array length=n): ≥ 0
 * @control: method whose mean rates 0
 *
 * Weighted mean of the ratings. Metrics without a rating leave the mean; @weight: (out) (optional):
 * what share of the weights counted.
 */
double sonde_scorecard_composite (SondeScorecard *scorecard, const SondeMapMetric *const *metrics,
                                  const double *weights, guint n, const char *method,
                                  const char *control, double *weight);

G_END_DECLS
