/* SPDX-License-Identifier: Apache-2.0
 * The trainings that were started from this window: how far each is, its curves, its end. */
#pragma once

#include <adwaita.h>

#include "app/training/sonde-training-process.h"
#include "app/workspace/sonde-workspace.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TRAINING_LIST (sonde_training_list_get_type ())
G_DECLARE_FINAL_TYPE (SondeTrainingList, sonde_training_list, SONDE, TRAINING_LIST, AdwBin)

/* Signal "curves" (char *folder), "inside" (char *folder): asked to show those of a run, or to look inside. */

/* Once. */
void sonde_training_list_set_workspace (SondeTrainingList *list, SondeWorkspace *workspace);
/* @n_steps: that it will make; 0: not known */
void sonde_training_list_add (SondeTrainingList *list, SondeTrainingProcess *process,
                              guint64 n_steps);

G_END_DECLS
