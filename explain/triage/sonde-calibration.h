/* SPDX-License-Identifier: Apache-2.0
 * How far probabilities can be believed. Samples without a label count nowhere. */
#pragma once

#include "data/values/sonde-wilson.h"

G_BEGIN_DECLS

#define SONDE_CALIBRATION_BINS 15

/* −Σ p ln p with 0 · ln 0 = 0, in nats. */
double sonde_entropy (const float *probabilities, guint classes);

/* ln Σ e^z */
double sonde_log_sum_exp (const float *logits, guint classes);

/* One bin (low, high] of the largest probability; 0 is in the first. */
typedef struct
{
  guint n;
  double confidence, accuracy; /* means; NaN when empty */
} SondeCalibrationBin;

/**
 * SondeCalibration: NaN where nothing is labelled
 * @ece, @mce: Σ n_b / n · |accuracy − confidence|, and the largest of these differences
 * @brier: mean Σ_k (p_k − [k = y])²
 * @nll: mean −ln max (p_y, 1e-12)
 */
typedef struct
{
  guint n, right, n_bins;
  double accuracy, low, high;
  double ece, mce, brier, nll;
  SondeCalibrationBin bins[SONDE_CALIBRATION_BINS];
} SondeCalibration;

/* @probabilities: [n, classes]; @labels: -1 unknown; @n_bins: at most SONDE_CALIBRATION_BINS */
void sonde_calibration_measure (SondeCalibration *calibration, const float *probabilities,
                                const gint64 *labels, guint n, guint classes, guint n_bins);

/* The temperature in [0.05, 20] with the least NLL of softmax (z / T), by golden section on ln T;
 * NaN without labels.
 * Source: Guo, Pleiss, Sun, Weinberger, "On calibration of modern neural networks" (2017). */
double sonde_calibration_find_temperature (const float *logits, const gint64 *labels, guint n,
                                           guint classes);

/* softmax (z / @temperature), [n, classes]. */
void sonde_calibration_apply_temperature (const float *logits, guint n, guint classes,
                                          double temperature, float *probabilities);

G_END_DECLS
