/* SPDX-License-Identifier: Apache-2.0
 * A recipe's keys as the trainer's options. */
#pragma once

#include "data/recipes/sonde-recipe.h"
#include "engine/nn/sonde-trainer.h"

G_BEGIN_DECLS

/**
 * SondeTrainingSettings: zero-initialise
 * @trainer: strings of the recipe and of this struct; batch size, memory mode and device are the
 * caller's
 */
typedef struct
{
  SondeTrainerOptions trainer;
  char *groups;   /* (nullable) train.freeze, then train.groups */
  char **metrics; /* train.metrics, and what checkpoint.best looks at */
  SondeTensor *class_weights;
} SondeTrainingSettings;

/* @recipe: borrowed, outlives it. Errors: train.class-weights cannot be read. */
gboolean sonde_training_settings_init (SondeTrainingSettings *settings, const SondeRecipe *recipe,
                                       GError **error);
void sonde_training_settings_clear (SondeTrainingSettings *settings);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeTrainingSettings, sonde_training_settings_clear)

/* The settings behind the names, which a recipe does not know. Errors: of the engine, with the key
 * before them. */
gboolean sonde_training_settings_check (const SondeRecipe *recipe, GError **error);

G_END_DECLS
