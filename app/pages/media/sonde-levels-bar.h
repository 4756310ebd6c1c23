/* SPDX-License-Identifier: Apache-2.0
 * Controls of how the images of a page are looked at: brightness, contrast, size. */
#pragma once

#include <adwaita.h>

#include "app/workspace/sonde-workspace.h"
#include "data/browsing/sonde-image-levels.h"

G_BEGIN_DECLS

#define SONDE_TYPE_LEVELS_BAR (sonde_levels_bar_get_type ())
G_DECLARE_FINAL_TYPE (SondeLevelsBar, sonde_levels_bar, SONDE, LEVELS_BAR, GtkBox)

/* Signal "changed" (): sonde_levels_bar_apply() sets something else. */

/* Once: sets what @workspace remembers of the size, and tells it of changes. */
void sonde_levels_bar_set_up (SondeLevelsBar *bar, SondeWorkspace *workspace);
/* As of sonde_sample_grid_set_tile_size(). */
int sonde_levels_bar_get_tile_size (SondeLevelsBar *bar);
/* Sets what the controls say. */
void sonde_levels_bar_apply (SondeLevelsBar *bar, SondeImageLevels *levels);

G_END_DECLS
