/* SPDX-License-Identifier: Apache-2.0
 * The sample images of one step as tiles, as large as their number lets them be. */
#pragma once

#include <adwaita.h>

#include "data/browsing/sonde-image-levels.h"

G_BEGIN_DECLS

#define SONDE_TILE_SIZE_AUTOMATIC 0
#define SONDE_TILE_SIZE_TRUE (-1)

#define SONDE_TYPE_SAMPLE_GRID (sonde_sample_grid_get_type ())
G_DECLARE_FINAL_TYPE (SondeSampleGrid, sonde_sample_grid, SONDE, SAMPLE_GRID, GtkBox)

/* Once: @levels, which it watches, says how the images are looked at. */
void sonde_sample_grid_set_levels (SondeSampleGrid *grid, SondeImageLevels *levels);

/* @samples: (element-type SondeSample): of @step, lent; in place of those before. Tiles stay where
 * they are from step to step, only their images change. */
void sonde_sample_grid_set_samples (SondeSampleGrid *grid, GPtrArray *samples, gint64 step);

/* Chosen by itself, the side of an image is at most so many px; 0: as many as their number lets them have. */
void sonde_sample_grid_set_max_size (SondeSampleGrid *grid, int size);

/* The side of an image: px, SONDE_TILE_SIZE_TRUE: as many as it has pixels, or SONDE_TILE_SIZE_AUTOMATIC: as many as
 * their number and the room let them have; at first automatic. */
void sonde_sample_grid_set_tile_size (SondeSampleGrid *grid, int size);
/* What stands first in the menu of an image. (nullable) */
void sonde_sample_grid_set_menu (SondeSampleGrid *grid, GMenuModel *menu);

/* Only misclassified samples, as long as some sample's class and prediction are known. */
void sonde_sample_grid_set_only_errors (SondeSampleGrid *grid, gboolean only_errors);

guint sonde_sample_grid_get_n_samples (SondeSampleGrid *grid);
guint sonde_sample_grid_get_n_judged (SondeSampleGrid *grid); /* class and prediction are known */
guint sonde_sample_grid_get_n_errors (SondeSampleGrid *grid); /* and differ */
gint64 sonde_sample_grid_get_step (SondeSampleGrid *grid);
/* (nullable): why an image could not be decoded */
const char *sonde_sample_grid_get_problem (SondeSampleGrid *grid);

G_END_DECLS
