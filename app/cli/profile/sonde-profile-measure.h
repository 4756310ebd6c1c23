/* SPDX-License-Identifier: Apache-2.0
 * Models and recipes as operands of `sonde profile`: they are run here, and what ran when is recorded. */
#pragma once

#include "app/cli/profile/sonde-profile-operand.h"

G_BEGIN_DECLS

#define SONDE_PROFILE_RUNS 20  /* of a model, where nobody says otherwise */
#define SONDE_PROFILE_FIRST 5  /* step of a recipe, and */
#define SONDE_PROFILE_STEPS 20 /* how many from there on */

/* The file of a model. */
gboolean sonde_profile_accepts_model (const char *path);

/**
 * sonde_profile_measure_model:
 *
 * One run that is not looked at, then as many as @options say. Errors: of the model and its inputs;
 * INVALID for options of recipes.
 */
gboolean sonde_profile_measure_model (const char *path, const SondeProfileOptions *options,
                                      SondeProfileInput *input, GError **error);

/* A recipe's file, or a built-in model's name. */
gboolean sonde_profile_accepts_recipe (const char *path);

/**
 * sonde_profile_measure_recipe:
 *
 * Trains, up to the last of the steps that @options name, into options->run or, without, into a
 * folder that is gone afterwards. Errors: of the training; INVALID for options of models, and where
 * the training ends before the first of those steps.
 */
gboolean sonde_profile_measure_recipe (const char *path, const SondeProfileOptions *options,
                                       SondeProfileInput *input, GError **error);

G_END_DECLS
