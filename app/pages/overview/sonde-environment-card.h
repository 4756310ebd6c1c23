/* SPDX-License-Identifier: Apache-2.0
 * A card of the Overview with where the run comes from: device, host, command, folder, commit, seed. What a
 * run does not say has no line; a run that says nothing has no card. */
#pragma once

#include "data/browsing/sonde-run-progress.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_ENVIRONMENT_CARD (sonde_environment_card_get_type ())
G_DECLARE_FINAL_TYPE (SondeEnvironmentCard, sonde_environment_card, SONDE, ENVIRONMENT_CARD, GtkBox)

/* @trial: (nullable): not read yet. FALSE: there is nothing to show. */
gboolean sonde_environment_card_set_trial (SondeEnvironmentCard *card, SondeTrial *trial);

G_END_DECLS
