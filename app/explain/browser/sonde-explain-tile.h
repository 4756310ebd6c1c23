/* SPDX-License-Identifier: Apache-2.0
 * One sample in a gallery: a tile with thumbnail and answer, or a row with the evidence beside it. */
#pragma once

#include <adwaita.h>

#include "app/explain/browser/sonde-thumbnail-loader.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAIN_TILE (sonde_explain_tile_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainTile, sonde_explain_tile, SONDE, EXPLAIN_TILE, AdwBin)

GtkWidget *sonde_explain_tile_new (gboolean row);

/* @item, @thumbnails: (nullable) */
void sonde_explain_tile_set_item (SondeExplainTile *tile, SondeExplainItem *item,
                                  SondeThumbnailLoader *thumbnails);

/* A row becomes its thumbnail alone, @side px wide. */
void sonde_explain_tile_set_thumbnail_only (SondeExplainTile *tile, int side);

G_END_DECLS
