/* SPDX-License-Identifier: Apache-2.0
 * Precision and recall over thresholds as points, and the areas below their curves. Pure
 * functions. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/* @false_rate: FP / (FP + TN), 0 without negatives; @recall: TP / (TP + FN), the y of a ROC
 * curve; @f1: the harmonic mean of precision and recall, 0 where both are */
typedef struct
{
  double threshold, true_positives, false_positives, true_negatives, false_negatives;
  double precision, recall, false_rate, f1;
} SondePrPoint;

/**
 * sonde_pr_points_make:
 * @rows: [6, n] numbers as in a PR_CURVE record; thresholds are i / (n - 1)
 * @n_points: (out)
 *
 * Trailing thresholds that nothing reaches (TP + FP = 0, where precision means nothing) are left
 * out.
 * Returns: (transfer full) (nullable) (array length=n_points): by rising threshold; NULL when @rows
 *   is of another form or nothing is left.
 */
SondePrPoint *sonde_pr_points_make (const SondeTensor *rows, gsize *n_points);

/* Average precision: the sum over thresholds of the recall that each adds times its precision. NaN
 * without points. Source: scikit-learn, average_precision_score. */
double sonde_pr_points_average_precision (const SondePrPoint *points, gsize n_points);
/* Area below the ROC curve by trapezoids, from (0, 0) on. NaN without points. */
double sonde_pr_points_roc_area (const SondePrPoint *points, gsize n_points);

/* The point of the greatest F1, the highest threshold of equal ones; only of @n_points > 0. */
gsize sonde_pr_points_best_f1 (const SondePrPoint *points, gsize n_points);
/* The precision that has F1 = @f1 at @recall; NaN: none up to 1 has. */
double sonde_pr_iso_f1 (double f1, double recall);

G_END_DECLS
