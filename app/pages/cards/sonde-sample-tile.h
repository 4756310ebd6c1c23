/* SPDX-License-Identifier: Apache-2.0
 * A sample image with what is known of it: its true class, the prediction, how sure. */
#pragma once

#include <gtk/gtk.h>

#include "data/records/sonde-record.h"
#include "data/values/sonde-animation.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SAMPLE_TILE (sonde_sample_tile_get_type ())
G_DECLARE_FINAL_TYPE (SondeSampleTile, sonde_sample_tile, SONDE, SAMPLE_TILE, GtkBox)

/* @size: px of the image's side */
GtkWidget *sonde_sample_tile_new (int size);

/* @note: copied; @index: among the images of the step, from 0, for one without name and classes
 * (-1: say nothing); @image: (nullable) (transfer full): NULL is one that could not be decoded */
void sonde_sample_tile_set (SondeSampleTile *tile, const SondeSampleNote *note, int index,
                            SondeImage *image);
/* What the image measures when @image is a smaller copy of it; 0 × 0: as @image. Before
 * _set(). */
void sonde_sample_tile_set_true_size (SondeSampleTile *tile, int width, int height);
/* What @image is the first frame of; then a button plays it, and the signal "frame-changed" says that the image
 * of sonde_sample_tile_get_frame() is wanted. (nullable): referenced. Before _set(). */
void sonde_sample_tile_set_animation (SondeSampleTile *tile, const SondeAnimation *animation);
guint sonde_sample_tile_get_frame (SondeSampleTile *tile); /* from 0 */
/* The image alone; @image as above */
void sonde_sample_tile_set_image (SondeSampleTile *tile, SondeImage *image);
void sonde_sample_tile_set_size (SondeSampleTile *tile, int size);

/* Without the probability, and of an error the prediction alone: for little room. Before _set(). */
void sonde_sample_tile_set_compact (SondeSampleTile *tile);

/* The line under an image: its classes, its name, or which of several it is (@index ≥ 0). (transfer full) */
char *sonde_sample_note_dup_caption (const SondeSampleNote *note, int index);
/* What stands first in the menu of the image. (nullable) */
void sonde_sample_tile_set_menu (SondeSampleTile *tile, GMenuModel *menu);

/* Prediction and truth are known and differ. */
gboolean sonde_sample_note_is_error (const SondeSampleNote *note);

G_END_DECLS
