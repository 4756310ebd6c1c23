/* SPDX-License-Identifier: Apache-2.0
 * Metrics of an evaluation: fed batch by batch, asked at the end. Definitions as scikit-learn's. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "engine/nn/sonde-settings.h"

G_BEGIN_DECLS

typedef struct _SondeMetric SondeMetric;

/**
 * sonde_metric_new:
 * @text: "accuracy", "top-k:k=5", "precision", "recall", "f1" (macro average over classes that
 *   occur or are predicted; two classes: of class 1; a ratio without a denominator is 0),
 *   "confusion-matrix" (at most 4,096 classes), "auc" (area under the ROC; more classes: one
 *   against the rest, macro over the classes that occur; ties count half; a class's score is its
 *   softmax), "mae", "rmse"
 * @has_classes: labels are class indices; else they have the prediction's shape
 *
 * Errors: INVALID naming the metrics there are, or that it needs class labels.
 */
SondeMetric *sonde_metric_new (const char *text, gboolean has_classes, GError **error);
void sonde_metric_free (SondeMetric *metric);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeMetric, sonde_metric_free)

const char *sonde_metric_get_name (const SondeMetric *metric); /* "top-5", as tag "test/top-5" */
/* larger, but for errors; NAN is worse than all */
gboolean sonde_metric_is_better (const SondeMetric *metric, double value, double than);

void sonde_metric_reset (SondeMetric *metric);
/**
 * sonde_metric_add:
 * @prediction: logits [N, C, …] or values; two classes may be one column of logits [N] or [N, 1]
 * @labels: class indices [N, …], integers: those outside [0, C) do not count; or values
 * Errors: SHAPE when the two do not fit, or the number of classes changed
 */
gboolean sonde_metric_add (SondeMetric *metric, SondeTensor *prediction, SondeTensor *labels,
                           GError **error);
/* NAN: nothing was added, or it is no number (confusion-matrix) */
double sonde_metric_get_value (const SondeMetric *metric);
/* Counts [true class, predicted class], int64 [C, C]. Returns: (transfer full) (nullable): not of
 * this metric */
SondeTensor *sonde_metric_dup_table (const SondeMetric *metric);

char *sonde_metric_list (void);

G_END_DECLS
