/* SPDX-License-Identifier: Apache-2.0
 * Hierarchical occlusion of one image, from its settings as text to its results. */
#pragma once

#include "explain/counterfactual/sonde-occlusion-settings.h"

G_BEGIN_DECLS

/**
 * sonde_occlusion_run:
 * @image: float32 [C, H, W], contiguous, in network space
 * @settings: (out): what was chosen for the image; its thresholds are gone
 * @mask: (out) (transfer full): what covers: "gaussian:2"
 *
 * Makes the mask, scores the image, resolves the settings and searches. Returns: (transfer full)
 * (element-type SondeOcclusionResult): one for each threshold. Errors: of the settings for that
 * image; of @score.
 */
GPtrArray *sonde_occlusion_run (const SondeOcclusionSpec *spec, SondeTensor *image,
                                SondeScoreFunction score, gpointer data,
                                SondeOcclusionSettings *settings, char **mask, GError **error);

G_END_DECLS
