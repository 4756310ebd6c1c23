/* SPDX-License-Identifier: Apache-2.0
 * Tensors of the checkpoints that lie in a run's folder, beside those that were recorded: which file,
 * which tensor. A file is read in a thread when it is chosen. */
#pragma once

#include "data/values/sonde-tensor.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_WEIGHTS_CHOOSER (sonde_weights_chooser_get_type ())
G_DECLARE_FINAL_TYPE (SondeWeightsChooser, sonde_weights_chooser, SONDE, WEIGHTS_CHOOSER, GtkBox)

/* Signals: "changed" (): another tensor, none, or a problem. */
GtkWidget *sonde_weights_chooser_new (void);

/* @run: (nullable): its folder; looked at again whenever this is called: the choice stays while its file
 * does. @has_records: without them the first file is chosen */
void sonde_weights_chooser_set_run (SondeWeightsChooser *chooser, const char *run,
                                    gboolean has_records);
guint sonde_weights_chooser_get_n_files (SondeWeightsChooser *chooser);

/* A file is chosen, not what was recorded. */
gboolean sonde_weights_chooser_is_active (SondeWeightsChooser *chooser);
gboolean sonde_weights_chooser_is_busy (SondeWeightsChooser *chooser);
/* @name, @step: (out): of it, -1: none. (transfer none) (nullable): while it is read, or when it cannot
 * be */
SondeTensor *sonde_weights_chooser_get_tensor (SondeWeightsChooser *chooser, const char **name,
                                               gint64 *step);
const char *sonde_weights_chooser_get_problem (SondeWeightsChooser *chooser); /* (nullable) */

G_END_DECLS
