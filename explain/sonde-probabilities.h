/* SPDX-License-Identifier: Apache-2.0
 * Probabilities from logits: softmax over the classes, or of each class by itself where the network
 * ends in a Sigmoid. */
#pragma once

#include "explain/sonde-explainer.h"

G_BEGIN_DECLS

/* Of one row: @p [classes], in double; NaN in @z gives NaN. */
void sonde_probabilities_of_row (SondeLink link, const float *z, gint64 classes, double *p);

/* Of float32 [n, classes], stored as float32. (transfer full) */
SondeTensor *sonde_explainer_probabilities (SondeExplainer *explainer, SondeTensor *logits);

/* d(Σ s · p)/d(logits), row by row; @seeds: s, float32 [n, classes]. (transfer full) */
SondeTensor *sonde_explainer_probability_seeds (SondeExplainer *explainer, SondeTensor *logits,
                                                SondeTensor *seeds);

G_END_DECLS
