/* SPDX-License-Identifier: Apache-2.0
 * Class-activation maps: what a layer's channels show, weighted by what the class makes of them.
 * Definitions: docs/explain.md. */
#pragma once

#include "explain/attribution/sonde-attribution.h"

G_BEGIN_DECLS

/* From activation and gradient: one forward pass, and back down to the layer. */
extern const SondeAttribution sonde_attribution_gradcam, sonde_attribution_gradcam_plus_plus,
    sonde_attribution_layercam, sonde_attribution_xgradcam, sonde_attribution_hirescam;
/* From the activation alone: the first singular vector of its channels. */
extern const SondeAttribution sonde_attribution_eigencam;
/* From further forward passes, one a channel: of the masked image; of the part after the
 * layer. */
extern const SondeAttribution sonde_attribution_scorecam, sonde_attribution_ablationcam;

G_END_DECLS
