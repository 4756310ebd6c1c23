/* SPDX-License-Identifier: Apache-2.0
 * What a person prefers in all windows, as it stands in the settings: how numbers are written, where new
 * runs are recorded. */
#pragma once

#include "app/workspace/sonde-workspace.h"
#include "data/base/sonde-format.h"

G_BEGIN_DECLS

/* The style of the settings; what makes no sense there is as good as nothing. */
SondeNumberStyle sonde_preferred_get_number_style (SondeWorkspace *workspace);
/* Keeps it, and writes with it from now on. */
void sonde_preferred_set_number_style (SondeWorkspace *workspace, const SondeNumberStyle *style);

/* Absolute. (transfer full) (nullable): nothing is preferred */
char *sonde_preferred_dup_runs_folder (SondeWorkspace *workspace);
/* @folder: (nullable) or empty: none is preferred */
void sonde_preferred_set_runs_folder (SondeWorkspace *workspace, const char *folder);

/**
 * sonde_preferred_choose_run:
 * @parent: the folder of runs
 * @model: name or path of what is trained
 *
 * A path in @parent that is free, called as the model: "lenet", "lenet-2" … Nothing is made. (transfer full)
 */
char *sonde_preferred_choose_run (const char *parent, const char *model);

G_END_DECLS
