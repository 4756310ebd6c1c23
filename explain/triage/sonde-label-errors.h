/* SPDX-License-Identifier: Apache-2.0
 * Which labels are suspect, by confident learning on out-of-sample probabilities.
 * Source: Northcutt, Jiang, Chuang, "Confident learning: estimating uncertainty in dataset labels"
 * (2021). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeLabelErrors: for each of @n samples; those without a label have NaN scores and are nowhere
 * counted
 * @thresholds: (array length=classes): mean p_k over the samples labelled k; 1 where there are none
 * @joint: [classes, classes]: rows labels, columns confident classes
 * @confident: the class counted in the joint, -1 when no class reaches its threshold
 * @self_confidence: p_y; @normalised_margin: (p_y − max other + 1) / 2; @weighted_entropy: ln (1 +
 *   q) / q with q = (H / ln K) / p_y. All: lower is more suspect
 * @order: by self-confidence, the most suspect first, of equals the earlier sample; @n_labelled of
 * them
 */
typedef struct
{
  guint n, classes, n_labelled, n_suspects; /* suspects: off the joint's diagonal */
  double *thresholds;
  guint *joint;
  gint64 *labels, *confident;
  double *self_confidence, *normalised_margin, *weighted_entropy;
  guint *order;
} SondeLabelErrors;

/* @probabilities: [n, classes]; @labels: -1 unknown */
SondeLabelErrors *sonde_label_errors_new (const float *probabilities, const gint64 *labels, guint n,
                                          guint classes);
void sonde_label_errors_free (SondeLabelErrors *errors);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeLabelErrors, sonde_label_errors_free)

gboolean sonde_label_errors_is_suspect (const SondeLabelErrors *errors, guint sample);

/* Sample numbers by @scores, the smallest first, of equals the earlier; NaN last. (transfer full)
 * (array length=n) */
guint *sonde_label_errors_rank (const double *scores, guint n);

G_END_DECLS
