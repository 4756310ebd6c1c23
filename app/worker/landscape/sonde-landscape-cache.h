/* SPDX-License-Identifier: Apache-2.0
 * Landscapes that a run has, found by what they were computed from. */
#pragma once

#include "app/worker/landscape/sonde-landscape-job.h"
#include "data/recipes/sonde-recipe.h"

G_BEGIN_DECLS

/**
 * sonde_landscape_cache_digest:
 * @path: (element-type SondeWeightStation)
 *
 * Of what decides a landscape: what the recipe says of model, data and loss, the weights in the
 * files, the options. Files of data are not looked into.
 * Returns: (transfer full). Errors: of reading weights.
 */
char *sonde_landscape_cache_digest (const SondeLandscapeOptions *options, const SondeRecipe *recipe,
                                    const GArray *path, GError **error);

/* @record: (out): the caller clears it; that of the digest, the newest. FALSE: the run has none */
gboolean sonde_landscape_cache_find (const char *run, const char *digest, SondeRecord *record);

G_END_DECLS
