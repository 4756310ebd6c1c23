/* SPDX-License-Identifier: Apache-2.0
 * The recipe that a person puts together: values are checked as they are set, and what usually goes with a choice
 * is chosen with it, as long as the person did not choose it.
 *
 * Signal "changed" (): a value is another one. */
#pragma once

#include "app/training/sonde-training-command.h"

G_BEGIN_DECLS

#define SONDE_TYPE_RECIPE_DOCUMENT (sonde_recipe_document_get_type ())
G_DECLARE_FINAL_TYPE (SondeRecipeDocument, sonde_recipe_document, SONDE, RECIPE_DOCUMENT, GObject)

/* All defaults. */
SondeRecipeDocument *sonde_recipe_document_new (void);
const SondeRecipe *sonde_recipe_document_get_recipe (SondeRecipeDocument *document);

/* (element-type SondeModelEntry): referenced; what sonde_recipe_document_set() knows of models. */
void sonde_recipe_document_set_models (SondeRecipeDocument *document, GPtrArray *models);
/* (nullable): it is a file, or the models are not known yet */
const SondeModelEntry *sonde_recipe_document_find_model (SondeRecipeDocument *document);

/**
 * sonde_recipe_document_set:
 *
 * A choice of the person's. With a model its loss and its kind of labels follow, with an optimiser the learning rate
 * that is usual for it, unless they were chosen before.
 * Errors: the value is not allowed; then nothing is changed.
 */
gboolean sonde_recipe_document_set (SondeRecipeDocument *document, const char *key,
                                    const char *value, GError **error);
/* The default again, and no choice. */
void sonde_recipe_document_reset (SondeRecipeDocument *document, const char *key);
/* Is the value another one than the default? */
gboolean sonde_recipe_document_is_changed (SondeRecipeDocument *document, const char *key);
/* All that a file says counts as chosen. Errors: of sonde_recipe_load(); then nothing is changed. */
gboolean sonde_recipe_document_load (SondeRecipeDocument *document, const char *path,
                                     GError **error);

/* The learning rate to begin with, as text; static. (nullable): the name is not known */
const char *sonde_recipe_document_get_usual_rate (const char *optimiser);

G_END_DECLS
