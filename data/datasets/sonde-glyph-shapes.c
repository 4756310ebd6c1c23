/* SPDX-License-Identifier: Apache-2.0
 * Digits as strokes and shapes as filled polygons, in a square of -0.5 … 0.5, y downwards. */
#include "data/datasets/sonde-glyph-shapes-private.h"

#include <math.h>

#define STROKE 0.19

typedef struct
{
  const char *name;
  void (*trace) (cairo_t *cairo);
  gboolean stroked;
} Shape;

static void
trace_two (cairo_t *cairo)
{
  cairo_move_to (cairo, -0.28, -0.20);
  cairo_curve_to (cairo, -0.25, -0.50, 0.30, -0.50, 0.28, -0.16);
  cairo_curve_to (cairo, 0.26, 0.06, -0.10, 0.16, -0.28, 0.40);
  cairo_line_to (cairo, 0.30, 0.40);
}

static void
trace_three (cairo_t *cairo)
{
  cairo_move_to (cairo, -0.27, -0.30);
  cairo_curve_to (cairo, -0.14, -0.48, 0.28, -0.46, 0.25, -0.20);
  cairo_curve_to (cairo, 0.23, -0.04, 0.02, -0.03, -0.06, -0.03);
  cairo_curve_to (cairo, 0.06, -0.03, 0.30, 0.00, 0.28, 0.20);
  cairo_curve_to (cairo, 0.25, 0.48, -0.18, 0.46, -0.30, 0.28);
}

static void
trace_four (cairo_t *cairo)
{
  cairo_move_to (cairo, 0.14, 0.42);
  cairo_line_to (cairo, 0.14, -0.40);
  cairo_line_to (cairo, -0.32, 0.14);
  cairo_line_to (cairo, 0.34, 0.14);
}

static void
trace_five (cairo_t *cairo)
{
  cairo_move_to (cairo, 0.27, -0.40);
  cairo_line_to (cairo, -0.22, -0.40);
  cairo_line_to (cairo, -0.25, -0.04);
  cairo_curve_to (cairo, 0.05, -0.20, 0.34, -0.05, 0.27, 0.18);
  cairo_curve_to (cairo, 0.22, 0.46, -0.18, 0.46, -0.30, 0.28);
}

static void
trace_seven (cairo_t *cairo)
{
  cairo_move_to (cairo, -0.30, -0.38);
  cairo_line_to (cairo, 0.30, -0.38);
  cairo_line_to (cairo, -0.06, 0.42);
}

static void
trace_ring (cairo_t *cairo)
{
  cairo_arc (cairo, 0, 0, 0.36, 0, 2 * G_PI);
}

static void
trace_square (cairo_t *cairo)
{
  cairo_rectangle (cairo, -0.38, -0.38, 0.76, 0.76);
}

static void
trace_triangle (cairo_t *cairo)
{
  cairo_move_to (cairo, 0, -0.46);
  cairo_line_to (cairo, 0.46, 0.38);
  cairo_line_to (cairo, -0.46, 0.38);
  cairo_close_path (cairo);
}

static void
trace_star (cairo_t *cairo)
{
  for (int i = 0; i < 10; i++)
    {
      double radius = i % 2 == 0 ? 0.52 : 0.19;
      double angle = i * G_PI / 5;

      cairo_line_to (cairo, radius * sin (angle), -radius * cos (angle));
    }
  cairo_close_path (cairo);
}

static void
trace_cross (cairo_t *cairo)
{
  cairo_move_to (cairo, -0.36, -0.36);
  cairo_line_to (cairo, 0.36, 0.36);
  cairo_move_to (cairo, 0.36, -0.36);
  cairo_line_to (cairo, -0.36, 0.36);
}

static const Shape shapes[SONDE_GLYPH_N_CLASSES] = {
  { "two", trace_two, TRUE },        { "three", trace_three, TRUE },
  { "four", trace_four, TRUE },      { "five", trace_five, TRUE },
  { "seven", trace_seven, TRUE },    { "ring", trace_ring, TRUE },
  { "square", trace_square, FALSE }, { "triangle", trace_triangle, FALSE },
  { "star", trace_star, FALSE },     { "cross", trace_cross, TRUE },
};

const char *
sonde_glyph_get_name (int shape)
{
  return shapes[shape].name;
}

void
sonde_glyph_draw (cairo_t *cairo, int shape)
{
  cairo_new_path (cairo);
  shapes[shape].trace (cairo);
  cairo_set_line_width (cairo, STROKE);
  cairo_set_line_join (cairo, CAIRO_LINE_JOIN_ROUND);
  if (shapes[shape].stroked)
    cairo_stroke (cairo);
  else
    cairo_fill (cairo);
}
