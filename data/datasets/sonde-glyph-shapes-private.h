/* SPDX-License-Identifier: Apache-2.0
 * The ten things that the glyphs dataset draws, as Cairo paths. No font is used, so that the
 * images are the same on every machine. */
#pragma once

#include <cairo.h>
#include <glib.h>

#define SONDE_GLYPH_N_CLASSES 10

/* "two" … "cross"; static */
const char *sonde_glyph_get_name (int shape);

/* Draws glyph @shape in the current colour, about 1 × 1 around the origin of @cairo. */
void sonde_glyph_draw (cairo_t *cairo, int shape);
