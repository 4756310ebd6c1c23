/* SPDX-License-Identifier: Apache-2.0
 * Columns of one colour, written into the image that a Cairo context draws on. */
#pragma once

#include "viewers/paint/sonde-theme.h"

/**
 * SondeColumnInk:
 * @data, @stride: of the image
 * @scale: its px a px of the context; @x, @y: the context's origin in it
 * @left, @top, @right, @bottom: the clip, in it; right and bottom are outside
 * @colour: premultiplied
 */
typedef struct
{
  cairo_surface_t *surface;
  guint8 *data;
  int stride, scale, x;
  double y;
  int left, top, right, bottom;
  guint32 colour;
} SondeColumnInk;

/* FALSE: the target is no image of colours, or is turned or scaled by a fraction. Between begin and end the
 * context must not be used. The clip counts as the rectangle around it. */
gboolean sonde_column_ink_begin (SondeColumnInk *ink, cairo_t *cr, const SondeColor *color,
                                 double alpha);
/* @n columns from @x on, each from its top to its bottom, which are smooth; one whose top is not above its bottom is
 * not there. */
void sonde_column_ink_fill (const SondeColumnInk *ink, int x, int n, const float *tops,
                            const float *bottoms);
void sonde_column_ink_end (SondeColumnInk *ink);
