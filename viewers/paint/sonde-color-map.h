/* SPDX-License-Identifier: Apache-2.0
 * Maps from a number to a colour, and the legend that must stand beside every mapped drawing. */
#pragma once

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/**
 * SondeColorMap:
 * @SONDE_COLOR_MAP_VIRIDIS: sequential. Source: matplotlib `_cm_listed.py` (CC0), S. van der Walt,
 * N. Smith
 * @SONDE_COLOR_MAP_BATLOW: sequential. Source: F. Crameri, Scientific colour maps 8.0 (MIT)
 * @SONDE_COLOR_MAP_DIVERGING: blue – white (dark: near black) – red; both ends have the same OKLab
 *   lightness, interpolated in OKLab. Source: B. Ottosson, "A perceptual color space", 2020
 * @SONDE_COLOR_MAP_GREY: black to white
 */
typedef enum
{
  SONDE_COLOR_MAP_VIRIDIS,
  SONDE_COLOR_MAP_BATLOW,
  SONDE_COLOR_MAP_DIVERGING,
  SONDE_COLOR_MAP_GREY,
  SONDE_N_COLOR_MAPS
} SondeColorMap;

/* @t: 0…1, clamped; DIVERGING: 0.5 is zero. NaN gives magenta. */
SondeColor sonde_color_map_get (SondeColorMap map, double t);

/**
 * sonde_color_map_fill:
 * @table: (out) (array fixed-size=256): 0xFFRRGGBB, as CAIRO_FORMAT_RGB24 wants them
 *
 * For images with many pixels: look up floor (t × 255.999).
 */
void sonde_color_map_fill (SondeColorMap map, guint32 table[256]);

/* Limits of an image: DIVERGING takes [-m, m] with m = max (|min|, |max|); the others [min, max].
 * NaN or equal limits become a range of width 1. */
void sonde_color_map_limits (SondeColorMap map, double min, double max, double *low, double *high);

/* A horizontal bar of @width × @height px with the limits below it and, for DIVERGING, a zero. */
void sonde_paint_color_legend (cairo_t *cr, const SondeTheme *theme, SondeColorMap map, double low,
                               double high, double x, double y, double width, double height);

G_END_DECLS
