/* SPDX-License-Identifier: Apache-2.0
 * Probabilities, radar, boxes on a picture, edits of a picture: pixels and places. */
#include <math.h>
#include <string.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/paint/sonde-box-paint.h"
#include "viewers/paint/sonde-image-edit.h"
#include "viewers/paint/sonde-probability-paint.h"
#include "viewers/paint/sonde-radar.h"

static guint32
rgb (const SondeColor *color)
{
  return (guint32) lround (255 * color->red) << 16 | (guint32) lround (255 * color->green) << 8
         | (guint32) lround (255 * color->blue);
}

/* ---- probabilities ------------------------------------------------------- */

/* A bar ends where its value says; what is not known has none. */
static void
test_probabilities (void)
{
  SondeProbabilityRow rows[] = { { "cat", "true label", 0.25, NAN, FALSE, TRUE },
                                 { "dog", NULL, 0.75, NAN, TRUE, FALSE },
                                 { "emu", NULL, NAN, NAN, FALSE, FALSE } };
  const SondeTheme *theme = sonde_theme_get (FALSE);
  SondeStroke stroke = sonde_theme_series (theme, 0);
  cairo_surface_t *picture = sonde_test_image_new (400, 100);
  cairo_t *cr = cairo_create (picture);
  g_autofree char *small = sonde_probability_format (3.14e-5),
                  *usual = sonde_probability_format (0.5), *none = sonde_probability_format (NAN);
  double begin, length;

  sonde_paint_probabilities (cr, theme, rows, 3, 0, 0, 400);
  sonde_probabilities_get_bars (rows, 3, 400, &begin, &length);
  g_assert_cmpfloat (begin + length, <, 400);
  for (int i = 0; i < 2; i++)
    {
      int y = (int) ((i + 0.5) * SONDE_PROBABILITY_ROW),
          end = (int) (begin + length * rows[i].value);
      guint32 inside = sonde_test_image_get (picture, end - 3, y),
              outside = sonde_test_image_get (picture, end + 4, y);

      g_assert_cmpuint (inside, !=, outside);
      g_assert_cmpuint (sonde_test_image_get (picture, (int) begin + 2, y), ==, inside);
    }
  g_assert_cmpint (sonde_test_image_distance (picture, (int) begin + 2, 39, rgb (&stroke.color)),
                   <=, 2);
  /* Unknown: the trough from its beginning to its end. */
  g_assert_cmpuint (sonde_test_image_get (picture, (int) begin + 2, 65), ==,
                    sonde_test_image_get (picture, (int) (begin + length) - 3, 65));
  g_assert_cmpstr (small, ==, "< 0.1 %");
  g_assert_cmpstr (usual, ==, "50.0 %");
  g_assert_cmpstr (none, ==, "–");
  cairo_destroy (cr);
  cairo_surface_destroy (picture);
}

/* ---- radar --------------------------------------------------------------- */

/* The first axis points up, the rim is 1, NaN has no place; every value is inked. */
static void
test_radar (void)
{
  static const char *const axes[] = { "a", "b", "c", "d" }, *const names[] = { "x", "y" };
  static const double values[] = { 1, 0.5, 0.25, 1, NAN, 0.1, 0.1, 0.1 };
  SondeRadar radar = { axes, names, 4, 2, values, NULL, -1 };
  const SondeTheme *theme = sonde_theme_get (FALSE);
  SondeStroke stroke = sonde_theme_series (theme, 0);
  cairo_surface_t *picture = sonde_test_image_new (300, 300);
  cairo_t *cr = cairo_create (picture);
  double cx, cy, radius, x, y;

  sonde_radar_place (&radar, 0, 0, 300, 300, &cx, &cy, &radius);
  g_assert_true (sonde_radar_get_point (&radar, 0, 0, cx, cy, radius, &x, &y));
  g_assert_cmpfloat_with_epsilon (x, cx, 1e-9);
  g_assert_cmpfloat_with_epsilon (y, cy - radius, 1e-9);
  g_assert_true (sonde_radar_get_point (&radar, 0, 1, cx, cy, radius, &x, &y));
  g_assert_cmpfloat_with_epsilon (x, cx + radius / 2, 1e-9);
  g_assert_false (sonde_radar_get_point (&radar, 1, 0, cx, cy, radius, &x, &y));
  sonde_paint_radar (cr, theme, &radar, 0, 0, 300, 300);
  for (guint i = 0; i < 4; i++)
    {
      g_assert_true (sonde_radar_get_point (&radar, 0, i, cx, cy, radius, &x, &y));
      g_assert_true (
          sonde_test_image_has (picture, (int) x - 2, (int) y - 2, 4, 4, rgb (&stroke.color), 60));
    }
  cairo_destroy (cr);
  cairo_surface_destroy (picture);
}

static void
test_radar_small (void)
{
  static const char *const axes[] = { "a", "b" }, *const names[] = { "x" };
  static const double values[] = { 1, 1 };
  SondeRadar radar = { axes, names, 2, 1, values, NULL, -1 };
  cairo_surface_t *picture = sonde_test_image_new (300, 100);
  cairo_t *cr = cairo_create (picture);

  sonde_paint_radar (cr, sonde_theme_get (FALSE), &radar, 0, 0, 300, 100);
  g_assert_cmpint (sonde_test_image_count_ink (picture, 0, 0, 300, 100), >, 50);
  cairo_destroy (cr);
  cairo_surface_destroy (picture);
}

/* ---- boxes --------------------------------------------------------------- */

static SondeImage *
make_image (int width, int height, guint8 base)
{
  SondeImage *image = sonde_image_new (width, height, 3);

  for (int i = 0; i < width * height * 3; i++)
    image->pixels[i] = (guint8) (base + i);
  return image;
}

/* Revealing: the picture in the boxes, the mask elsewhere; hiding the other way round; boxes may
 * reach over the edge. */
static void
test_compose (void)
{
  g_autoptr (SondeImage) image = make_image (6, 4, 0), mask = make_image (6, 4, 100);
  const SondeBox boxes[] = { { 1, 1, 2, 2 }, { 5, 3, 9, 9 }, { -4, -4, 2, 2 } };

  for (int reveal = 0; reveal < 2; reveal++)
    {
      SondeBoxImage picture = { image, mask, reveal, boxes, 3, -1 };
      g_autoptr (SondeImage) shown = sonde_box_image_compose (&picture);

      for (int y = 0; y < 4; y++)
        for (int x = 0; x < 6; x++)
          {
            gboolean in_box = (x >= 1 && x < 3 && y >= 1 && y < 3) || (x == 5 && y == 3);
            const SondeImage *from = in_box == (reveal == 1) ? image : mask;

            g_assert_cmpmem (shown->pixels + (y * 6 + x) * 3, 3, from->pixels + (y * 6 + x) * 3, 3);
          }
    }
}

static void
test_trace (void)
{
  const double values[] = { 0.9, 0.7, -0.5 };
  SondeBoxTrace trace = { values, 3, 1, 0.5, "p" };
  const SondeTheme *theme = sonde_theme_get (FALSE);
  cairo_surface_t *picture = sonde_test_image_new (300, 160);
  cairo_t *cr = cairo_create (picture);
  double low, high;

  sonde_box_trace_get_limits (&trace, &low, &high);
  g_assert_cmpfloat (low, ==, -0.5);
  g_assert_cmpfloat (high, ==, 1);
  g_assert_cmpfloat (sonde_box_trace_get_x (&trace, 0, 300, 0), <,
                     sonde_box_trace_get_x (&trace, 0, 300, 1));
  sonde_paint_box_trace (cr, theme, &trace, 0, 0, 300, 160);
  g_assert_true (
      sonde_test_image_has (picture, 60, 10, 200, 140, rgb (&theme->state[SONDE_STATE_ERROR]), 30));
  cairo_destroy (cr);
  cairo_surface_destroy (picture);
}

/* ---- edits --------------------------------------------------------------- */

static gboolean
same (const SondeImage *a, const SondeImage *b)
{
  return memcmp (a->pixels, b->pixels, (gsize) a->width * (gsize) a->height * (gsize) a->channels)
         == 0;
}

/* The way back and forth; a new edit forgets what was undone. */
static void
test_undo (void)
{
  g_autoptr (SondeImage) image = make_image (16, 16, 0);
  g_autoptr (SondeImageEdit) edit = sonde_image_edit_new (image);
  g_autoptr (SondeImage) first = NULL;
  const guint8 red[] = { 255, 0, 0 };

  g_assert_false (sonde_image_edit_undo (edit));
  g_assert_false (sonde_image_edit_is_changed (edit));
  sonde_image_edit_begin (edit);
  sonde_image_edit_brush (edit, 8, 8, 8, 8, 2, red);
  g_assert_true (sonde_image_edit_is_changed (edit));
  first = sonde_image_copy (sonde_image_edit_get_image (edit));
  sonde_image_edit_begin (edit);
  sonde_image_edit_noise (edit, NULL, 30, 1);
  g_assert_true (sonde_image_edit_undo (edit));
  g_assert_true (same (first, sonde_image_edit_get_image (edit)));
  g_assert_true (sonde_image_edit_undo (edit));
  g_assert_true (same (image, sonde_image_edit_get_image (edit)));
  g_assert_false (sonde_image_edit_can_undo (edit));
  g_assert_true (sonde_image_edit_redo (edit));
  g_assert_true (same (first, sonde_image_edit_get_image (edit)));
  sonde_image_edit_reset (edit);
  g_assert_true (same (image, sonde_image_edit_get_image (edit)));
  g_assert_false (sonde_image_edit_can_redo (edit));
  g_assert_true (sonde_image_edit_undo (edit));
  g_assert_true (same (first, sonde_image_edit_get_image (edit)));
  for (int i = 0; i < 200; i++)
    sonde_image_edit_begin (edit);
}

/* A disc and its way; nothing beside it. */
static void
test_brush (void)
{
  g_autoptr (SondeImage) image = sonde_image_new (20, 10, 3);
  g_autoptr (SondeImageEdit) edit = sonde_image_edit_new (image);
  const guint8 color[] = { 10, 20, 30 };
  const SondeImage *now;

  sonde_image_edit_brush (edit, 4, 5, 15, 5, 2, color);
  now = sonde_image_edit_get_image (edit);
  for (int y = 0; y < 10; y++)
    for (int x = 0; x < 20; x++)
      {
        double px = x + 0.5, py = y + 0.5, nearest = hypot (px - CLAMP (px, 4, 15), py - 5);

        g_assert_cmpint (now->pixels[(y * 20 + x) * 3 + 1], ==, nearest <= 2 ? 20 : 0);
      }
  sonde_image_edit_brush (edit, -5, -5, 40, 40, 3, color); /* over every edge */
}

static void
test_paste (void)
{
  g_autoptr (SondeImage) image = make_image (10, 10, 0);
  g_autoptr (SondeImageEdit) edit = sonde_image_edit_new (image);
  const SondeImage *now;

  /* Overlaps itself: what is read is the picture before. */
  sonde_image_edit_paste (edit, &(SondeBox){ 0, 0, 4, 4 }, 2, 2);
  now = sonde_image_edit_get_image (edit);
  for (int y = 0; y < 4; y++)
    g_assert_cmpmem (now->pixels + ((y + 2) * 10 + 2) * 3, 12, image->pixels + y * 30, 12);
  g_assert_cmpmem (now->pixels, 30, image->pixels, 30);
  /* Cut at the left edge when read, at the right when written. */
  sonde_image_edit_reset (edit);
  sonde_image_edit_paste (edit, &(SondeBox){ -2, 0, 4, 1 }, 7, 9);
  now = sonde_image_edit_get_image (edit);
  g_assert_cmpmem (now->pixels + 99 * 3, 3, image->pixels, 3);
  g_assert_cmpmem (now->pixels + 98 * 3, 3, image->pixels + 98 * 3, 3);
}

/* A constant stays; a step spreads symmetrically; outside of the box nothing changes. */
static void
test_blur (void)
{
  g_autoptr (SondeImage) image = sonde_image_new (21, 21, 1);
  g_autoptr (SondeImageEdit) edit = NULL;
  const SondeImage *now;

  image->pixels[10 * 21 + 10] = 250;
  edit = sonde_image_edit_new (image);
  sonde_image_edit_blur (edit, &(SondeBox){ 5, 5, 11, 11 }, 1.5);
  now = sonde_image_edit_get_image (edit);
  g_assert_cmpint (now->pixels[10 * 21 + 10], <, 60);
  for (int d = 1; d < 4; d++)
    {
      g_assert_cmpint (now->pixels[10 * 21 + 10 + d], ==, now->pixels[10 * 21 + 10 - d]);
      g_assert_cmpint (now->pixels[(10 + d) * 21 + 10], ==, now->pixels[10 * 21 + 10 + d]);
      g_assert_cmpint (now->pixels[10 * 21 + 10 + d], <=, now->pixels[10 * 21 + 10 + d - 1]);
    }
  for (int i = 0; i < 21; i++)
    g_assert_cmpint (now->pixels[4 * 21 + i], ==, 0);
  memset (image->pixels, 77, 21 * 21);
  sonde_image_edit_free (g_steal_pointer (&edit));
  edit = sonde_image_edit_new (image);
  sonde_image_edit_blur (edit, NULL, 100);
  g_assert_false (sonde_image_edit_is_changed (edit));
}

/* Of the deviation that was asked for, inside only, the same for the same seed. */
static void
test_noise (void)
{
  g_autoptr (SondeImage) image = sonde_image_new (64, 64, 3);
  g_autoptr (SondeImageEdit) a = NULL, b = NULL;
  SondeBox box = { 0, 0, 64, 32 };
  double sum = 0, squares = 0;
  const SondeImage *now;

  memset (image->pixels, 128, 64 * 64 * 3);
  a = sonde_image_edit_new (image);
  b = sonde_image_edit_new (image);
  sonde_image_edit_noise (a, &box, 20, 3);
  sonde_image_edit_noise (b, &box, 20, 3);
  now = sonde_image_edit_get_image (a);
  g_assert_true (same (now, sonde_image_edit_get_image (b)));
  for (int i = 0; i < 64 * 32 * 3; i++)
    {
      sum += now->pixels[i] - 128.0;
      squares += (now->pixels[i] - 128.0) * (now->pixels[i] - 128.0);
    }
  g_assert_cmpfloat (fabs (sum / (64 * 32 * 3)), <, 1.5);
  g_assert_cmpfloat_with_epsilon (sqrt (squares / (64 * 32 * 3)), 20, 1.5);
  g_assert_cmpmem (now->pixels + 64 * 32 * 3, 64 * 32 * 3, image->pixels + 64 * 32 * 3,
                   64 * 32 * 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/paint/probabilities/bars", test_probabilities);
  g_test_add_func ("/viewers/paint/radar/points", test_radar);
  g_test_add_func ("/viewers/paint/radar/too-few-axes", test_radar_small);
  g_test_add_func ("/viewers/paint/boxes/compose", test_compose);
  g_test_add_func ("/viewers/paint/boxes/trace", test_trace);
  g_test_add_func ("/viewers/paint/edit/undo", test_undo);
  g_test_add_func ("/viewers/paint/edit/brush", test_brush);
  g_test_add_func ("/viewers/paint/edit/paste", test_paste);
  g_test_add_func ("/viewers/paint/edit/blur", test_blur);
  g_test_add_func ("/viewers/paint/edit/noise", test_noise);
  return g_test_run ();
}
