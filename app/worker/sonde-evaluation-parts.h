/* SPDX-License-Identifier: Apache-2.0
 * Model and data of a recipe as an evaluation of its training has them, without the training: for
 * whoever looks at its weights. */
#pragma once

#include "data/recipes/sonde-recipe.h"
#include "engine/nn/sonde-trainer.h"

G_BEGIN_DECLS

/**
 * SondeEvaluationParts: all owned
 * @model: with the weights that the training begins with
 * @options: of the training; its texts live as long as this
 * @source: its test part holds @n_batches batches of the part that was asked for
 */
typedef struct
{
  SondeGraph *model;
  SondeTrainerOptions options;
  SondeBatchSource *source;
  guint n_batches;
} SondeEvaluationParts;

/**
 * sonde_evaluation_parts_open:
 * @program: path of `sonde`, for the image helper
 * @test: the test part rather than the training part; either without random transforms
 * @seed: the samples stand in an order of their own; 0: as they are
 *
 * Errors: of each part, naming the recipe key; NOT_FOUND when the part has no samples.
 */
SondeEvaluationParts *sonde_evaluation_parts_open (const SondeRecipe *recipe, const char *program,
                                                   gboolean test, guint64 seed, GError **error);
void sonde_evaluation_parts_free (SondeEvaluationParts *parts); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeEvaluationParts, sonde_evaluation_parts_free)

G_END_DECLS
