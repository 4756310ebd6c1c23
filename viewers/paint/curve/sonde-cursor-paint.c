/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/curve/sonde-cursor-paint.h"

#include <math.h>

#include "viewers/paint/sonde-text-paint.h"

#define TINT 0.08
#define LETTER 16 /* px: a side of its box */

static gboolean
is_in_sight (const cairo_rectangle_t *area, double x)
{
  return x >= area->x - 1 && x <= area->x + area->width + 1;
}

/* A line with a handle on the axis, so that it is no crosshair. */
static void
paint_line (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *area, double x)
{
  double bottom = area->y + area->height;

  sonde_paint_set_color (cr, &theme->cursor);
  cairo_set_line_width (cr, 1);
  cairo_set_dash (cr, (const double[]){ 3, 3 }, 2, 0);
  cairo_move_to (cr, floor (x) + 0.5, area->y);
  cairo_line_to (cr, floor (x) + 0.5, bottom);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  cairo_move_to (cr, x, bottom);
  cairo_line_to (cr, x - 4, bottom + 4);
  cairo_line_to (cr, x + 4, bottom + 4);
  cairo_close_path (cr);
  cairo_fill (cr);
}

/* Beside the line, on the side that is not between the two, as long as there is room. */
static void
paint_letter (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *area, double x,
              double other, const char *letter, gboolean active)
{
  gboolean left = !(other < x);
  double place = left ? x - LETTER - 1 : x + 1;

  place = CLAMP (place, area->x, MAX (area->x + area->width - LETTER, area->x));
  sonde_paint_round_rectangle (cr, place + 0.5, area->y + 0.5, LETTER - 1, LETTER - 1, 3);
  sonde_paint_set_color (cr, active ? &theme->cursor : &theme->card);
  cairo_fill_preserve (cr);
  sonde_paint_set_color (cr, &theme->cursor);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  sonde_paint_set_color (cr, active ? &theme->card : &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_CENTER, place + LETTER / 2.0,
                    area->y + LETTER / 2.0, 0, letter);
}

static void
paint_between (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *area,
               const SondeCursors *cursors)
{
  double left = fmin (cursors->a, cursors->b), right = fmax (cursors->a, cursors->b);

  left = CLAMP (left, area->x, area->x + area->width);
  right = CLAMP (right, area->x, area->x + area->width);
  cairo_rectangle (cr, left, area->y, right - left, area->height);
  sonde_paint_set_color_alpha (cr, &theme->cursor, TINT);
  cairo_fill (cr);
}

void
sonde_paint_cursors (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *area,
                     const SondeCursors *cursors)
{
  gboolean a = is_in_sight (area, cursors->a), b = cursors->has_b && is_in_sight (area, cursors->b);

  if (cursors->has_b && !isnan (cursors->a) && !isnan (cursors->b))
    paint_between (cr, theme, area, cursors);
  if (a)
    paint_line (cr, theme, area, cursors->a);
  if (b)
    paint_line (cr, theme, area, cursors->b);
  if (a && cursors->has_b)
    paint_letter (cr, theme, area, cursors->a, cursors->b, "A", !cursors->b_is_active);
  if (b)
    paint_letter (cr, theme, area, cursors->b, cursors->a, "B", cursors->b_is_active);
}
