/* SPDX-License-Identifier: Apache-2.0
 * A cue that repeats: a small place that carries the evidence of many images with the same wrong
 * answer. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeCue: a square of @side pixels at @x, @y
 * @predicted: the class it makes
 * @n: errors with that answer; @n_sharing: those whose map has at least @share of its positive mass
 * in the square
 * @n_changed: those of them whose prediction changed when the square was painted over
 */
typedef struct
{
  gint64 predicted;
  int x, y, side;
  double share;
  guint n, n_sharing, n_changed;
} SondeCue;

/* Leaves of @map [height, width] what is above 0, scaled to sum 1; all zeros when nothing is (or
 * not finite). */
void sonde_cue_normalise (float *map, gsize n);

/* Share of a normalised map in a square. */
double sonde_cue_get_share (const float *map, int height, int width, const SondeCue *cue);

/**
 * sonde_cue_find:
 * @maps: (array length=n): normalised maps [height, width] of errors with the same answer
 * @cue: (out): the square shared by the most; its answer and changes are left 0
 *
 * Squares of 1/8, 7/32 and 5/16 of the smaller side are tried at every place; a map shares one that
 * carries at least 0.3 of it, or four times its part of the image. Returns: whether at least
 * three maps and a tenth of them share one.
 */
gboolean sonde_cue_find (const float *const *maps, guint n, int height, int width, SondeCue *cue);

/* Paints the square over, in each of @channels planes [height, width], with the mean of a ring of
 * two pixels around it. */
void sonde_cue_paint_over (const SondeCue *cue, float *image, int channels, int height, int width);

G_END_DECLS
