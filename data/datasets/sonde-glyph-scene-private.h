/* SPDX-License-Identifier: Apache-2.0
 * A glyph on clutter, as Cairo draws it: the same for the same dice, whatever the size. What does
 * not live here: noise, cues, classes (sonde-dataset-glyphs.c). */
#pragma once

#include "data/base/sonde-random.h"

#include <cairo.h>

/* Random numbers in the order they are asked for: hashes of (seed, stream, how many before). */
typedef struct
{
  guint64 seed, stream, next;
} SondeDice;

static inline double
sonde_dice_between (SondeDice *dice, double low, double high)
{
  return low + (high - low) * sonde_random_uniform (dice->seed, dice->stream, dice->next++);
}

static inline int
sonde_dice_one_of (SondeDice *dice, int n)
{
  return (int) sonde_dice_between (dice, 0, n);
}

/* Draws the scene with glyph @shape; the user space of @cairo is 1 × 1. @tinted: in colours, which
 * tell nothing about the shape. */
void sonde_glyph_scene_draw (SondeDice dice, int shape, gboolean tinted, cairo_t *cairo);

/* Draws what is seen of the glyph of the same scene, opaque on nothing. */
void sonde_glyph_scene_draw_mask (SondeDice dice, int shape, cairo_t *cairo);
