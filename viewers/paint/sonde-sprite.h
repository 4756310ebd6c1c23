/* SPDX-License-Identifier: Apache-2.0
 * Small pictures that stand side by side in one large one, row by row. */
#pragma once

#include "data/values/sonde-image.h"
#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

typedef struct _SondeSprite SondeSprite;

/* @image: of tiles of @tile_width × @tile_height px. Returns: (transfer full) (nullable): NULL when not
 * one of them fits */
SondeSprite *sonde_sprite_new (const SondeImage *image, int tile_width, int tile_height);
void sonde_sprite_free (SondeSprite *sprite);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSprite, sonde_sprite_free)

gsize sonde_sprite_get_n_tiles (const SondeSprite *sprite);

/* Tile @number with its lower edge's middle at (x, y), its larger side @side px. One that is not there
 * draws nothing. */
void sonde_paint_sprite (cairo_t *cr, const SondeTheme *theme, const SondeSprite *sprite,
                         gsize number, double x, double y, double side);

G_END_DECLS
