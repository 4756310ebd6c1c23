/* SPDX-License-Identifier: Apache-2.0
 * What a user says about a model beside its path: signature, weights, sizes. The same for every command,
 * for recipes and sessions. */
#pragma once

#include "app/worker/models/sonde-weight-match.h"
#include "data/models/sonde-model-file.h"
#include "data/recipes/sonde-recipe.h"

G_BEGIN_DECLS

/**
 * SondeModelChoice: all (nullable)
 * @signature: which of the model's entry points
 * @weights: file of weights that replaces the model's own, see sonde_weight_match(); of a Caffe net the
 *   .caffemodel
 * @shapes: (array zero-terminated=1): "NAME=D,D,…"
 *
 * The strings belong to whoever fills it; sonde_model_choice_clear() frees them.
 */
typedef struct
{
  char *signature, *weights;
  char **shapes;
} SondeModelChoice;

void sonde_model_choice_clear (SondeModelChoice *choice);
gboolean sonde_model_choice_is_empty (const SondeModelChoice *choice);
/* Is there a file of weights that the model's own reader does not take? */
gboolean sonde_model_choice_has_weights (const SondeModelChoice *choice);

/* The model keys of a recipe but its name; @choice borrows from @recipe. */
void sonde_model_choice_from_recipe (SondeModelChoice *choice, const SondeRecipe *recipe);

/**
 * sonde_model_choice_parse_shapes:
 * Returns: (transfer full) (element-type SondeModelShape): in the order given
 * Errors: INVALID quoting the text that is not NAME=D,D,… or names an input again.
 */
GPtrArray *sonde_model_choice_parse_shapes (const SondeModelChoice *choice, GError **error);

/**
 * sonde_model_choice_open:
 * @choice: (nullable): none of it
 * @report: (out) (optional) (transfer full) (nullable): what became of the file of weights; NULL:
 *   there is none, or the model's reader took it
 *
 * Errors: of sonde_model_read(), of the file of weights, of sonde_weight_put_on().
 */
SondeGraph *sonde_model_choice_open (const SondeModelChoice *choice, const char *path,
                                     SondeWeightReport **report, GError **error);

/**
 * sonde_model_choice_read:
 * @partial, @quantised: as in SondeModelOptions
 * @conversion: (out) (optional) (transfer full) (nullable): as in sonde_model_read()
 *
 * The model without the weights of another file, but where its reader takes them.
 */
SondeGraph *sonde_model_choice_read (const SondeModelChoice *choice, const char *path,
                                     gboolean partial, SondeQuantisedForm quantised,
                                     SondeConversion **conversion, GError **error);
/* Those weights. TRUE also where there are none. */
gboolean sonde_model_choice_put_weights (const SondeModelChoice *choice, SondeGraph *model,
                                         SondeWeightReport **report, GError **error);

G_END_DECLS
