/* SPDX-License-Identifier: Apache-2.0
 * An image cut into connected segments that follow its edges: simple linear iterative clustering
 * (Achanta et al. 2012). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Cells of the grid from which @n segments start: as square as they can be, at least one each way
 * and at most one a pixel. */
void sonde_slic_choose_grid (gint64 n, gint64 height, gint64 width, gint64 *rows, gint64 *columns);

/**
 * sonde_slic:
 * @image: [channels, height, width]
 * @rows, @columns: cells of the grid in whose middles the segments start
 * @compactness: how many hundredths of the image's range of values weigh as much as one cell's
 * side: larger is squarer
 * @of: (out) (array): segment of each pixel [height, width], below rows × columns
 *
 * Ten rounds; then each segment keeps its largest connected part, and the rest goes to the
 * neighbour of the nearest colour. Segments are connected (4 neighbours); one may have no pixel.
 * The same image gives the same segments.
 */
void sonde_slic (const float *image, gint64 channels, gint64 height, gint64 width, gint64 rows,
                 gint64 columns, double compactness, gint32 *of);

G_END_DECLS
