/* SPDX-License-Identifier: Apache-2.0
 * Explanations by regions of the image that are there or not: the score of chosen subsets, and
 * what each region has to do with it. Definitions: docs/explain.md. */
#pragma once

#include "explain/attribution/sonde-attribution.h"

G_BEGIN_DECLS

extern const SondeAttribution sonde_attribution_feature_ablation, sonde_attribution_shapley,
    sonde_attribution_kernelshap, sonde_attribution_lime;

G_END_DECLS
