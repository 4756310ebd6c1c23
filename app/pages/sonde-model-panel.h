/* SPDX-License-Identifier: Apache-2.0
 * A model file at a glance: name, size, what it takes and gives, and what can be done with it. */
#pragma once

#include <gtk/gtk.h>

#include "app/workspace/sonde-opened-model.h"

G_BEGIN_DECLS

#define SONDE_TYPE_MODEL_PANEL (sonde_model_panel_get_type ())
G_DECLARE_FINAL_TYPE (SondeModelPanel, sonde_model_panel, SONDE, MODEL_PANEL, GtkBox)

/* @model: READY; shown anew only when it is another one */
void sonde_model_panel_set_model (SondeModelPanel *panel, SondeOpenedModel *model);

G_END_DECLS
