/* SPDX-License-Identifier: Apache-2.0
 * The plain gradient. */
#pragma once

#include "explain/attribution/sonde-attribution.h"

G_BEGIN_DECLS

/* a = ∂z_c/∂x: one forward, one backward with seed e_c on the logits; signed.
 * Source: Simonyan, Vedaldi, Zisserman, "Deep inside convolutional networks" (2014), section 3. */
SondeTensor *sonde_saliency_compute (SondeExplainer *explainer,
                                     SondeTensor    *inputs,
                                     SondeTensor    *targets,
                                     SondeTensor   **scores,
                                     GError        **error);

G_END_DECLS
