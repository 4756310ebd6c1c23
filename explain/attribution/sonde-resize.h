/* SPDX-License-Identifier: Apache-2.0
 * Planes of numbers in another size. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  SONDE_RESIZE_HALF_PIXEL, /* source y = (i + ½) · h / H − ½, clamped to 0 … h − 1 */
  SONDE_RESIZE_CORNERS,    /* source y = i · (h − 1) / (H − 1) */
} SondeResizeGrid;

/* Bilinear, in float32. @from: [h, w]; @to: [height, width]; all sizes at least 1 */
void sonde_resize_plane (const float *from, gint64 h, gint64 w, float *to, gint64 height,
                         gint64 width, SondeResizeGrid grid);

G_END_DECLS
