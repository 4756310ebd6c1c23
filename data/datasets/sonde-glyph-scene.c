/* SPDX-License-Identifier: Apache-2.0
 * The scene of a glyph: background, clutter, the object somewhere off the middle, at times a bar
 * across. */
#include "data/datasets/sonde-glyph-scene-private.h"

#include "data/datasets/sonde-glyph-shapes-private.h"

#include <math.h>

/* What makes it hard enough that a small network errs now and then. */
#define OCCLUDED 0.12  /* share of objects with a bar across */
#define OFF_CENTRE 0.8 /* share of objects that are kept away from the middle */
#define MOST_TURN 0.15 /* radians, either way */
#define TINT 0.25      /* how far a colour may lie from grey, a channel */

static const double diameters[] = { 0.36, 0.43, 0.50 }; /* of the image's side */

typedef struct
{
  int shape;
  double x, y; /* of the middle; all in units of the image's side */
  double width, height;
  double turn;
  gboolean occluded;
  double bar_x, bar_y, bar_turn;
} Object;

static double
place_off_centre (SondeDice *dice, double diameter)
{
  double side = sonde_dice_between (dice, 0, 1) < 0.5 ? -1 : 1;

  return 0.5 + side * sonde_dice_between (dice, diameter / 2, 0.5 - diameter / 2);
}

static Object
place_object (SondeDice *dice, int shape)
{
  double diameter = diameters[sonde_dice_one_of (dice, G_N_ELEMENTS (diameters))];
  gboolean off_centre = sonde_dice_between (dice, 0, 1) < OFF_CENTRE;
  gboolean along_x = sonde_dice_between (dice, 0, 1) < 0.5;
  Object object = { .shape = shape };

  object.x = sonde_dice_between (dice, diameter / 2, 1 - diameter / 2);
  object.y = sonde_dice_between (dice, diameter / 2, 1 - diameter / 2);
  if (off_centre)
    *(along_x ? &object.x : &object.y) = place_off_centre (dice, diameter);
  object.width = diameter * sonde_dice_between (dice, 0.85, 1);
  object.height = diameter * sonde_dice_between (dice, 0.85, 1);
  object.turn = sonde_dice_between (dice, -MOST_TURN, MOST_TURN);
  object.occluded = sonde_dice_between (dice, 0, 1) < OCCLUDED;
  object.bar_x = sonde_dice_between (dice, -0.35, 0.35);
  object.bar_y = sonde_dice_between (dice, -0.35, 0.35);
  object.bar_turn = sonde_dice_between (dice, 0, G_PI);
  return object;
}

/* A grey level, tinted in colour images; the tint tells nothing about the class. */
static void
set_colour (SondeDice *dice, gboolean tinted, cairo_t *cairo, double low, double high)
{
  double level = sonde_dice_between (dice, low, high);
  double tint = tinted ? TINT : 0;
  double colour[3];

  for (int c = 0; c < 3; c++)
    colour[c] = CLAMP (level + sonde_dice_between (dice, -tint, tint), 0, 1);
  cairo_set_source_rgb (cairo, colour[0], colour[1], colour[2]);
}

static void
draw_background (SondeDice *dice, gboolean tinted, cairo_t *cairo)
{
  double angle = sonde_dice_between (dice, 0, 2 * G_PI);
  cairo_pattern_t *gradient
      = cairo_pattern_create_linear (0.5 - 0.5 * cos (angle), 0.5 - 0.5 * sin (angle),
                                     0.5 + 0.5 * cos (angle), 0.5 + 0.5 * sin (angle));

  set_colour (dice, tinted, cairo, 0.05, 0.3);
  cairo_paint (cairo);
  cairo_pattern_add_color_stop_rgba (gradient, 0, 0, 0, 0, 0);
  cairo_pattern_add_color_stop_rgba (gradient, 1, 1, 1, 1, sonde_dice_between (dice, 0.05, 0.25));
  cairo_set_source (cairo, gradient);
  cairo_paint (cairo);
  cairo_pattern_destroy (gradient);
}

static void
draw_clutter (SondeDice *dice, gboolean tinted, cairo_t *cairo)
{
  int n = 3 + sonde_dice_one_of (dice, 4);

  for (int i = 0; i < n; i++)
    {
      double x = sonde_dice_between (dice, 0, 1), y = sonde_dice_between (dice, 0, 1);
      double angle = sonde_dice_between (dice, 0, 2 * G_PI),
             length = sonde_dice_between (dice, 0.1, 0.3);
      double bend = sonde_dice_between (dice, -0.15, 0.15);
      double dx = length * cos (angle), dy = length * sin (angle);

      set_colour (dice, tinted, cairo, 0.3, 0.65);
      cairo_set_line_width (cairo, sonde_dice_between (dice, 0.025, 0.055));
      cairo_move_to (cairo, x, y);
      cairo_curve_to (cairo, x + dx / 3 + bend * sin (angle), y + dy / 3 - bend * cos (angle),
                      x + 2 * dx / 3 + bend * sin (angle), y + 2 * dy / 3 - bend * cos (angle),
                      x + dx, y + dy);
      cairo_stroke (cairo);
    }
}

/* In the current colour; also for the mask. */
static void
draw_object (const Object *object, cairo_t *cairo)
{
  cairo_save (cairo);
  cairo_translate (cairo, object->x, object->y);
  cairo_rotate (cairo, object->turn);
  cairo_scale (cairo, object->width, object->height);
  sonde_glyph_draw (cairo, object->shape);
  cairo_restore (cairo);
}

static void
draw_bar (const Object *object, cairo_t *cairo)
{
  cairo_save (cairo);
  cairo_translate (cairo, object->x, object->y);
  cairo_scale (cairo, object->width, object->height);
  cairo_translate (cairo, object->bar_x, object->bar_y);
  cairo_rotate (cairo, object->bar_turn);
  cairo_rectangle (cairo, -0.7, -0.11, 1.4, 0.22);
  cairo_fill (cairo);
  cairo_restore (cairo);
}

void
sonde_glyph_scene_draw (SondeDice dice, int shape, gboolean tinted, cairo_t *cairo)
{
  Object object = place_object (&dice, shape);

  draw_background (&dice, tinted, cairo);
  draw_clutter (&dice, tinted, cairo);
  set_colour (&dice, tinted, cairo, 0.75, 1);
  draw_object (&object, cairo);
  if (object.occluded)
    {
      set_colour (&dice, tinted, cairo, 0.1, 0.4);
      draw_bar (&object, cairo);
    }
}

void
sonde_glyph_scene_draw_mask (SondeDice dice, int shape, cairo_t *cairo)
{
  Object object = place_object (&dice, shape);

  draw_object (&object, cairo);
  cairo_set_operator (cairo, CAIRO_OPERATOR_CLEAR);
  if (object.occluded)
    draw_bar (&object, cairo);
}
