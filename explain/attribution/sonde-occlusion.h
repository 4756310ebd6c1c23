/* SPDX-License-Identifier: Apache-2.0
 * Explanations by taking parts of the image away. Definitions: docs/explain.md. */
#pragma once

#include "explain/attribution/sonde-attribution.h"

G_BEGIN_DECLS

/* Windows one after another. Source: Zeiler, Fergus (2014), section 4.2. */
extern const SondeAttribution sonde_attribution_occlusion;
/* Random masks. Source: Petsiuk, Das, Saenko, "RISE" (2018); riseplus: mindspore_xai 2.0. */
extern const SondeAttribution sonde_attribution_rise, sonde_attribution_riseplus;

G_END_DECLS
