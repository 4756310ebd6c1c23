/* SPDX-License-Identifier: Apache-2.0
 * Text in charts: Pango on Cairo, one line, ellipsised in the middle, tabular figures. Names from
 * files are never markup here; control and bidi characters are made visible. */
#pragma once

#include <pango/pangocairo.h>

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_ALIGN_START, /* x is the left edge */
  SONDE_ALIGN_CENTER,
  SONDE_ALIGN_END, /* x is the right edge */
} SondeTextAlign;

/**
 * sonde_paint_text:
 * @x, @y: anchor; @y is the vertical middle of the line
 * @max_width: px, beyond it the middle is ellipsised; ≤ 0: never
 * @text: any bytes; made safe by sonde_text_make_visible()
 *
 * Draws with the source colour of @cr. Returns: the width drawn, in px.
 */
double sonde_paint_text (cairo_t *cr, SondeFont font, SondeTextAlign align, double x, double y,
                         double max_width, const char *text);

/* What sonde_paint_text() draws, to be drawn often by pango_cairo_show_layout() at the left end of its top.
 * @width: (out): px. (transfer full) */
PangoLayout *sonde_text_layout_new (cairo_t *cr, SondeFont font, double max_width, const char *text,
                                    double *width);

/* sonde_paint_text() turned by a quarter to read upwards, centred on (x, y). */
void sonde_paint_text_upwards (cairo_t *cr, SondeFont font, double x, double y, double max_width,
                               const char *text);

/* Width in px; @height: (out) (optional): of the line. */
double sonde_text_measure (SondeFont font, const char *text, double *height);

double sonde_font_height (SondeFont font); /* of a line, px */

/* Valid UTF-8 with control characters, line breaks and bidi controls replaced by visible signs
 * ("␊", "⟨U+202E⟩"). Returns: (transfer full) */
char *sonde_text_make_visible (const char *text);

G_END_DECLS
