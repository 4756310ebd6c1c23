/* SPDX-License-Identifier: Apache-2.0
 * Any tensor as an image: the last two dimensions are a tile, the others number the tiles, which
 * stand beside each other on one scale: diverging around zero where signs are mixed, else
 * sequential. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "viewers/paint/sonde-color-map.h"

G_BEGIN_DECLS

/**
 * SondeTensorImage: lent fields, read only
 * @tensor: float32, contiguous
 * @columns, @rows: cells of the whole image
 * @tile_width, @tile_height: cells of a tile
 * @tiles_across: tiles in a row of tiles
 * @n_tiles: that are shown; @n_tiles_all: that there are
 * @least, @largest: of the finite elements; NaN when there is none
 * @low, @high: limits of the scale
 */
typedef struct
{
  SondeTensor *tensor;
  int columns, rows, tile_width, tile_height, tiles_across, n_tiles;
  gint64 n_tiles_all;
  SondeColorMap colors;
  double least, largest, low, high;
  cairo_surface_t *surface; /* private */
} SondeTensorImage;

#define SONDE_TENSOR_IMAGE_MAX_TILES 256

/* Any numeric dtype. Returns: (transfer full) (nullable): NULL for text, for nothing, and for a
 * tile of more than 4 M elements. */
SondeTensorImage *sonde_tensor_image_new (SondeTensor *tensor);
void sonde_tensor_image_free (SondeTensorImage *drawing);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTensorImage, sonde_tensor_image_free)

/* Row-major number of the element in a cell; -1 between tiles. */
gint64 sonde_tensor_image_index_at (const SondeTensorImage *drawing, int column, int row);

/**
 * sonde_tensor_image_fit:
 * The size in px at which it fills @width × @height best: cells are squares of whole px where there
 * is room; a row or two are drawn as a band.
 */
void sonde_tensor_image_fit (const SondeTensorImage *drawing, double width, double height,
                             double *image_width, double *image_height);

/* In place of a scale where all finite elements are the same: "All 0". (transfer full) (nullable): they
 * differ, or there is none */
char *sonde_tensor_image_dup_constant (const SondeTensorImage *drawing);

/* NaN and infinities are magenta; tiles are parted by lines of the card's colour. */
void sonde_paint_tensor (cairo_t *cr, const SondeTheme *theme, const SondeTensorImage *drawing,
                         double x, double y, double width, double height);

G_END_DECLS
