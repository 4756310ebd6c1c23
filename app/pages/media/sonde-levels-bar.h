/* SPDX-License-Identifier: Apache-2.0
 * Controls of how the images of a page are looked at: brightness, contrast, difference from the images
 * of the step at which it was switched on. */
#pragma once

#include <adwaita.h>

#include "data/browsing/sonde-image-levels.h"

G_BEGIN_DECLS

#define SONDE_TYPE_LEVELS_BAR (sonde_levels_bar_get_type ())
G_DECLARE_FINAL_TYPE (SondeLevelsBar, sonde_levels_bar, SONDE, LEVELS_BAR, GtkBox)

/* Signal "changed" (): sonde_levels_bar_apply() sets something else. */

/* The step that the page shows. */
void sonde_levels_bar_set_step (SondeLevelsBar *bar, gint64 step);
/* Another run: no difference any more. */
void sonde_levels_bar_reset (SondeLevelsBar *bar);
/* Sets what the controls say. */
void sonde_levels_bar_apply (SondeLevelsBar *bar, SondeImageLevels *levels);

G_END_DECLS
