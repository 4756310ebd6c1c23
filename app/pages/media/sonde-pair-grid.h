/* SPDX-License-Identifier: Apache-2.0
 * The images of one step beside those of another step or run, as tiles of two: those with one index belong
 * together. */
#pragma once

#include <adwaita.h>

#include "data/browsing/sonde-image-levels.h"
#include "viewers/media/sonde-image-pair-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PAIR_GRID (sonde_pair_grid_get_type ())
G_DECLARE_FINAL_TYPE (SondePairGrid, sonde_pair_grid, SONDE, PAIR_GRID, GtkBox)

/* Once: @levels, which it watches, says how the images are looked at. */
void sonde_pair_grid_set_levels (SondePairGrid *grid, SondeImageLevels *levels);

/**
 * sonde_pair_grid_set_samples:
 * @side: 0: what is compared with; 1: what is shown
 * @samples: (element-type SondeSample): lent; empty where there are none
 * @name: whose they are: "run a · step 3"
 */
void sonde_pair_grid_set_samples (SondePairGrid *grid, guint side, GPtrArray *samples,
                                  const char *name);
void sonde_pair_grid_set_mode (SondePairGrid *grid, SondeImagePairMode mode);
/* The room for images chosen by themselves, px; and as of sonde_sample_grid_set_tile_size(). */
void sonde_pair_grid_set_room (SondePairGrid *grid, int width, int height);
void sonde_pair_grid_set_tile_size (SondePairGrid *grid, int size);
void sonde_pair_grid_set_menu (SondePairGrid *grid, GMenuModel *menu); /* (nullable) */

G_END_DECLS
