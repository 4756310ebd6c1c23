/* SPDX-License-Identifier: Apache-2.0
 * The recipe as a form: the choices that make a training in groups, all other keys behind expanders. Every key of a
 * recipe has a row. */
#pragma once

#include <adwaita.h>

#include "app/training/sonde-recipe-document.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TRAINING_FORM (sonde_training_form_get_type ())
G_DECLARE_FINAL_TYPE (SondeTrainingForm, sonde_training_form, SONDE, TRAINING_FORM, AdwBin)

/* Once. */
void sonde_training_form_set_document (SondeTrainingForm *form, SondeRecipeDocument *document);
/* (element-type SondeModelEntry): the built-in models to choose from */
void sonde_training_form_set_models (SondeTrainingForm *form, GPtrArray *models);

G_END_DECLS
