/* SPDX-License-Identifier: Apache-2.0
 * The gradient family: what one or several backward passes give. Formulas and sources: docs/explain.md. */
#pragma once

#include "explain/attribution/sonde-attribution.h"

G_BEGIN_DECLS

extern const SondeAttribution sonde_attribution_saliency;
extern const SondeAttribution sonde_attribution_input_x_gradient;
extern const SondeAttribution sonde_attribution_contrast_gradient;

/* ---- what its files share ----------------------------------------------------------------------- */

/* float32 [n, classes]: 1 at the target of each row; of pairs −1 at the second. */
SondeTensor *sonde_gradient_make_seeds (SondeTensor *targets,
                                        gint64       classes);

/* float32 [n]: @scores [n, classes] at the targets; of pairs the difference. */
SondeTensor *sonde_gradient_take_scores (SondeTensor *scores,
                                         SondeTensor *targets);

/* to = a · b, all of one shape; @to may be one of them. */
void sonde_gradient_multiply (SondeTensor *a,
                              SondeTensor *b,
                              SondeTensor *to);

/* One backward pass with @how, its layer and score taken from SPEC: fills maps and scores. @values: (out) (optional):
 * what was differentiated with respect to. */
gboolean sonde_gradient_compute (SondeExplainer                *explainer,
                                 const SondeAttributionRequest *request,
                                 const SondeExplainerBackward  *how,
                                 SondeAttributionResult        *result,
                                 SondeTensor                  **values,
                                 GError                       **error);

G_END_DECLS
