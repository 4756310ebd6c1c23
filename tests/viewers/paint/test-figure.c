/* SPDX-License-Identifier: Apache-2.0
 * Files of pictures, and the text in them. */
#include <math.h>

#include <glib/gstdio.h>

#include "data/base/sonde-error.h"
#include "viewers/paint/sonde-figure.h"
#include "viewers/paint/sonde-text-paint.h"

static void
paint (cairo_t *cr, int width, int height, void *user_data)
{
  (*(int *) user_data)++;
  cairo_rectangle (cr, 0, 0, width, height);
  cairo_fill (cr);
}

static void
test_formats (void)
{
  static const struct
  {
    const char *name, *begins;
  } cases[] = { { "a.png", "\x89PNG" }, { "a.SVG", "<?xml" }, { "a.pdf", "%PDF" } };
  g_autofree char *folder = g_dir_make_tmp ("sonde-picture-XXXXXX", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_build_filename (folder, cases[i].name, NULL);
      g_autofree char *bytes = NULL;
      g_autoptr (GError) error = NULL;
      int calls = 0;

      g_assert_true (sonde_figure_save (NULL, path, 40, 30, 2, NULL, paint, &calls, &error));
      g_assert_no_error (error);
      g_assert_cmpint (calls, ==, 1);
      g_assert_true (g_file_get_contents (path, &bytes, NULL, NULL));
      g_assert_true (g_str_has_prefix (bytes, cases[i].begins));
      g_unlink (path);
    }
  g_rmdir (folder);
}

static void
test_refused (void)
{
  g_autoptr (GError) ending = NULL;
  g_autoptr (GError) size = NULL;
  g_autoptr (GError) place = NULL;
  int calls = 0;

  g_assert_false (sonde_figure_save (NULL, "a.gif", 40, 30, 1, NULL, paint, &calls, &ending));
  g_assert_error (ending, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
  g_assert_null (sonde_figure_render (SONDE_FIGURE_PNG, 40000, 30, 1, NULL, paint, &calls, &size));
  g_assert_error (size, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
  g_assert_false (
      sonde_figure_save (NULL, "/nowhere/at/all.png", 40, 30, 1, NULL, paint, &calls, &place));
  g_assert_error (place, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
}

static void
test_visible (void)
{
  static const struct
  {
    const char *text, *visible;
  } cases[] = {
    { "conv1.weight", "conv1.weight" },
    { "a\nb", "a␊b" },
    { "a\xe2\x80\xae"
      "b",
      "a⟨U+202E⟩b" },
    { "\xff", "\xef\xbf\xbd" },
    { "<b>", "<b>" },
    { NULL, "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *visible = sonde_text_make_visible (cases[i].text);
      g_assert_cmpstr (visible, ==, cases[i].visible);
    }
}

static void
test_width (void)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, 200, 40);
  cairo_t *cr = cairo_create (surface);
  const char *name = "a/very/long/name/of/a/tensor/that/fits/nowhere.weight";
  double whole = sonde_text_measure (SONDE_FONT_LABEL, name, NULL);
  double drawn = sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_START, 0, 20, 90, name);

  g_assert_cmpfloat (whole, >, 150);
  g_assert_cmpfloat (drawn, <=, 90);
  g_assert_cmpfloat (drawn, >, 40);
  /* Tabular figures: all digits are as wide. */
  g_assert_cmpfloat (sonde_text_measure (SONDE_FONT_LABEL, "1111", NULL), ==,
                     sonde_text_measure (SONDE_FONT_LABEL, "8888", NULL));
  g_assert_cmpfloat (sonde_font_height (SONDE_FONT_TITLE), >, sonde_font_height (SONDE_FONT_SMALL));
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

/* How wide a word is in pixels at a scale. */
static double
measure_scaled (double scale)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, 400, 100);
  cairo_t *cr = cairo_create (surface);
  double drawn;

  cairo_scale (cr, scale, scale);
  drawn = sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_START, 0, 20, 0, "convolution");
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return scale * drawn;
}

/* However finely a picture is zoomed, its words have few sizes, none larger than their room. */
static void
test_sizes (void)
{
  double whole = measure_scaled (1), before = 0;
  int n_sizes = 0;

  for (double scale = 1; scale < 2; scale += 1 / 128.0)
    {
      double now = measure_scaled (scale);

      g_assert_cmpfloat (now, <=, scale * whole * 1.03); /* advances are whole px */
      g_assert_cmpfloat (now, >=, scale * whole * 0.85);
      n_sizes += fabs (now - before) > 1e-6 * now;
      before = now;
    }
  g_assert_cmpint (n_sizes, <=, 8);
  /* Text scalings of a desktop are sizes of their own. */
  g_assert_cmpfloat (measure_scaled (1.25), >, measure_scaled (1.24));
  g_assert_cmpfloat (measure_scaled (1.5), >, measure_scaled (1.49));
  g_assert_cmpfloat_with_epsilon (measure_scaled (2), 2 * whole, 0.03 * whole);
}

/* Sum of all coverage, and its middle. */
static double
measure_ink (double angle, double *x, double *y)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, 120, 120);
  cairo_t *cr = cairo_create (surface);
  const guint8 *rows;
  double sum = 0;

  *x = *y = 0;
  cairo_translate (cr, 60, 60);
  cairo_rotate (cr, angle);
  sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, 0, 0, 0, "0.8008");
  cairo_surface_flush (surface);
  rows = cairo_image_surface_get_data (surface);
  for (int i = 0; i < 120 * 120; i++)
    {
      const int row = i / 120;
      double ink = rows[row * cairo_image_surface_get_stride (surface) + i % 120];

      sum += ink;
      *x += ink * (i % 120);
      *y += ink * row;
    }
  *x /= sum;
  *y /= sum;
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return sum;
}

/* A label along a line is as strong as a level one, and as well in its place. */
static void
test_turned (void)
{
  double x, y, level = measure_ink (0, &x, &y);

  for (double angle = -1.4; angle < 1.5; angle += 0.4)
    {
      double ink = measure_ink (angle, &x, &y);

      g_assert_cmpfloat_with_epsilon (ink / level, 1, 0.15);
      g_assert_cmpfloat_with_epsilon (x, 59.5, 2);
      g_assert_cmpfloat_with_epsilon (y, 59.5, 2);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/paint/picture/formats", test_formats);
  g_test_add_func ("/viewers/paint/picture/refused", test_refused);
  g_test_add_func ("/viewers/paint/text/visible", test_visible);
  g_test_add_func ("/viewers/paint/text/width", test_width);
  g_test_add_func ("/viewers/paint/text/sizes", test_sizes);
  g_test_add_func ("/viewers/paint/text/turned", test_turned);
  return g_test_run ();
}
