/* SPDX-License-Identifier: Apache-2.0
 * `sonde explain --hoc SPEC`: counterfactual boxes of images, one JSON file each. */
#pragma once

#include "explain/counterfactual/sonde-occlusion-settings.h"
#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

/**
 * sonde_explain_counterfactual_write:
 * @image: float32 [C, H, W], in network space
 * @target: class that is kept or destroyed; of a flip the class to reach
 * @path: (nullable): of the file; its folder exists
 * @boxes: (out) (optional): the first threshold's result; sample and spec are the caller's to set
 *
 * A search that ends without boxes is a result. Errors: of the settings for that image; of the
 * network; of writing.
 */
gboolean sonde_explain_counterfactual_write (SondeExplainer *explainer, SondeTensor *image,
                                             gint64 target, const SondeOcclusionSpec *spec,
                                             const char *path, SondeCounterfactual **boxes,
                                             GError **error);

/* FOLDER/N-K.json for each of @targets, int64 [N, K], of @inputs, float32 [N, C, H, W]. */
gboolean sonde_explain_counterfactual_write_batch (SondeExplainer *explainer, SondeTensor *inputs,
                                                   SondeTensor *targets,
                                                   const SondeOcclusionSpec *spec,
                                                   const char *folder, GError **error);

G_END_DECLS
