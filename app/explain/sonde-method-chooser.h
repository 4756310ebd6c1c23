/* SPDX-License-Identifier: Apache-2.0
 * A button that chooses attribution methods from their table, and takes parameters as SPEC text. */
#pragma once

#include <adwaita.h>

#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

#define SONDE_TYPE_METHOD_CHOOSER (sonde_method_chooser_get_type ())
G_DECLARE_FINAL_TYPE (SondeMethodChooser, sonde_method_chooser, SONDE, METHOD_CHOOSER, AdwBin)

/* Emits "changed". Begins with GradCAM, integrated gradients and occlusion. */
GtkWidget *sonde_method_chooser_new (void);

/* (array zero-terminated=1) (transfer none): in the order in which they were chosen */
const char *const *sonde_method_chooser_get_specs (SondeMethodChooser *chooser);
/* Only SPECs that parse. Emits "changed" when they are others. */
void sonde_method_chooser_set_specs (SondeMethodChooser *chooser, const char *const *specs);
/* One more; it is there already: nothing. Errors: what is wrong with it, in words. */
gboolean sonde_method_chooser_add (SondeMethodChooser *chooser, const char *spec, GError **error);
void sonde_method_chooser_remove (SondeMethodChooser *chooser, const char *spec);
/* What a map costs is shown beside each method. (nullable): not known; copied */
void sonde_method_chooser_set_info (SondeMethodChooser *chooser, const SondeExplainInfo *info);

G_END_DECLS
