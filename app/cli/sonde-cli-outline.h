/* SPDX-License-Identifier: Apache-2.0
 * Prints what a training would be. */
#pragma once

#include "app/worker/sonde-training-outline.h"

G_BEGIN_DECLS

/* On stdout, as lines or as one JSON object. */
void sonde_cli_print_outline (const SondeRecipe *recipe, const SondeTrainingOutline *outline,
                              gboolean as_json);

G_END_DECLS
