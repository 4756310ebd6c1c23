/* SPDX-License-Identifier: Apache-2.0
 * A painting as PNG, SVG or PDF bytes or file. The painter is the one that draws on
 * screen. */
#pragma once

#include "data/base/sonde-io.h"
#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_FIGURE_PNG,
  SONDE_FIGURE_SVG,
  SONDE_FIGURE_PDF,
} SondeFigureFormat;

/* Paints @width × @height px; the background is painted already. */
typedef void (*SondePaintFunc) (cairo_t *cr, int width, int height, void *user_data);

/* By the ending of @path, in any case. Errors: SONDE_DATA_ERROR_UNSUPPORTED, naming the endings. */
gboolean sonde_figure_format_from_path (const char *path, SondeFigureFormat *format,
                                        GError **error);

/**
 * sonde_figure_render:
 * @background: (nullable): NULL is transparent
 * @scale: pixels a unit, PNG only; > 0
 *
 * Returns: (transfer full): the bytes of the file. Errors: SONDE_DATA_ERROR_LIMIT when the image
 * is larger than 32767 px a side.
 */
GBytes *sonde_figure_render (SondeFigureFormat format, int width, int height, double scale,
                             const SondeColor *background, SondePaintFunc paint, void *user_data,
                             GError **error);

/* Render, then replace @path by it whole. */
gboolean sonde_figure_save (const SondeIo *io, const char *path, int width, int height,
                            double scale, const SondeColor *background, SondePaintFunc paint,
                            void *user_data, GError **error);

G_END_DECLS
