/* SPDX-License-Identifier: Apache-2.0
 * Many random numbers at once: those of data/base/sonde-random.h, up to rounding in the last place
 * of a double, at a tenth of the time. */
#pragma once

#include "data/base/sonde-random.h"

G_BEGIN_DECLS

/* Numbers are made this many at a time. */
#define SONDE_RANDOM_BLOCK 64

/**
 * sonde_random_fill_normal:
 * @first: index of the first
 * @cosines: (out) (array length=SONDE_RANDOM_BLOCK): [k] is sonde_random_normal (seed, stream,
 * first + k)
 * @sines: (out) (array length=SONDE_RANDOM_BLOCK): Box and Muller's other form of the same two
 * uniform numbers: independent ones
 *
 * What a number is does not depend on @first: blocks may begin anywhere.
 */
void sonde_random_fill_normal (guint64 seed, guint64 stream, guint64 first, double *cosines,
                               double *sines);

G_END_DECLS
