/* SPDX-License-Identifier: Apache-2.0
 * Colours and fonts of every chart, light and dark, as a plain table. No GTK: the same table
 * serves widgets, exported images and reports. Colour maps live in sonde-color-map.h. */
#pragma once

#include <cairo.h>
#include <glib.h>

#include "data/graph/sonde-family.h"

G_BEGIN_DECLS

/* sRGB, straight alpha, each 0…1 */
typedef struct
{
  double red, green, blue, alpha;
} SondeColor;

/* State of a run, a node or a session. A shape is drawn with each: see sonde_paint_state(). */
typedef enum
{
  SONDE_STATE_IDLE,
  SONDE_STATE_RUNNING, /* blue, triangle */
  SONDE_STATE_PAUSED,  /* amber, two bars */
  SONDE_STATE_ERROR,   /* red, octagon; also a breakpoint that was hit */
  SONDE_STATE_OK,      /* green, tick */
  SONDE_N_STATES
} SondeState;

typedef enum
{
  SONDE_FONT_LABEL,  /* 12 px: axis labels, legends, read-outs; tabular figures */
  SONDE_FONT_SMALL,  /* 10.5 px: second lines, units */
  SONDE_FONT_STRONG, /* 12 px bold */
  SONDE_FONT_TITLE,  /* 14 px bold */
  SONDE_FONT_MONO,   /* 12 px monospace: shapes, attributes, listings */
  SONDE_N_FONTS
} SondeFont;

/**
 * SondeTheme:
 * @background: behind cards; @card: behind a chart or image; @foreground: text; @dim: secondary text,
 *   ≥ 4.5:1 on @card; @grid, @axis: lines of charts; @zero: the line at zero
 * @selection: accent of selected and focused things; @crosshair: pointer lines; @cursor: the step
 *   cursor all pages share
 * @masked: grey of masked values; @hatch: magenta of NaN
 * @series: read through sonde_theme_series()
 * @family, @family_line: fill and outline of nodes
 */
typedef struct
{
  gboolean dark;
  SondeColor background, card, foreground, dim, grid, axis, zero;
  SondeColor selection, crosshair, cursor, masked, hatch;
  SondeColor series[8];
  SondeColor state[SONDE_N_STATES];
  SondeColor family[SONDE_N_FAMILIES];
  SondeColor family_line[SONDE_N_FAMILIES];
} SondeTheme;

/* Static; never freed. */
const SondeTheme *sonde_theme_get (gboolean dark);

/**
 * SondeStroke: how a series is distinguished from the others
 * @color: one of the eight hues (Okabe and Ito 2008), at least 3:1 against the card
 * @dashes: lengths in px; @n_dashes: 0 (solid) for the first eight series, then a pattern for each
 *   further eight
 */
typedef struct
{
  SondeColor color;
  double dashes[4];
  int n_dashes;
} SondeStroke;

/* @index: of the run, by order of appearance, or of sonde_series_own_color(); any value. */
SondeStroke sonde_theme_series (const SondeTheme *theme, guint index);
/* The index of a colour that a person chose, 0xrrggbb; it is made lighter or darker where it has less
 * than 3:1 against the card. */
guint sonde_series_own_color (guint32 rgb);
/* The colour of @index with other dashes: those of the @number-th further series. */
guint sonde_series_with_dashes (guint index, guint number);
/* "#rrggbb", or the decimal index of a hue. FALSE: it is neither. */
gboolean sonde_series_parse_color (const char *text, guint *index);

/* ---- small shapes shared by all painters --------------------------------- */

void sonde_paint_set_color (cairo_t *cr, const SondeColor *color);
/* The same with its alpha multiplied by @alpha. */
void sonde_paint_set_color_alpha (cairo_t *cr, const SondeColor *color, double alpha);
SondeColor sonde_color_mix (const SondeColor *a, const SondeColor *b, double t); /* t 0: a, 1: b */
/* Contrast of WCAG 2: 1…21; @a is blended on @b first. */
double sonde_color_contrast (const SondeColor *a, const SondeColor *b);
/* Path of a rectangle with round corners. */
void sonde_paint_round_rectangle (cairo_t *cr, double x, double y, double width, double height,
                                  double radius);
/* The shape of a state, centred, in a square of @size px. */
void sonde_paint_state (cairo_t *cr, const SondeTheme *theme, SondeState state, double x, double y,
                        double size);

G_END_DECLS
