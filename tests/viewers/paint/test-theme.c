/* SPDX-License-Identifier: Apache-2.0
 * Colours keep the contrasts that look.md asks for; maps are what they claim to be. */
#include <math.h>

#include "viewers/paint/sonde-color-map.h"
#include "viewers/paint/sonde-strong-theme.h"

static void
test_contrast (void)
{
  for (int dark = 0; dark < 2; dark++)
    {
      const SondeTheme *theme = sonde_theme_get (dark);

      for (guint i = 0; i < 8; i++)
        g_assert_cmpfloat (sonde_color_contrast (&theme->series[i], &theme->card), >=, 3);
      g_assert_cmpfloat (sonde_color_contrast (&theme->foreground, &theme->card), >=, 7);
      g_assert_cmpfloat (sonde_color_contrast (&theme->dim, &theme->card), >=, 4.5);
      for (int i = 0; i < SONDE_N_STATES; i++)
        g_assert_cmpfloat (sonde_color_contrast (&theme->state[i], &theme->card), >=, 3);
      for (int i = 0; i < SONDE_N_FAMILIES; i++)
        {
          g_assert_cmpfloat (sonde_color_contrast (&theme->foreground, &theme->family[i]), >=, 4.5);
          g_assert_cmpfloat (sonde_color_contrast (&theme->family_line[i], &theme->card), >=, 3);
        }
    }
}

/* Forty runs: no two have the same hue and the same dashes. */
static void
test_series (void)
{
  const SondeTheme *theme = sonde_theme_get (FALSE);

  for (guint i = 0; i < 40; i++)
    for (guint k = 0; k < i; k++)
      {
        SondeStroke a = sonde_theme_series (theme, i), b = sonde_theme_series (theme, k);
        gboolean same_color = memcmp (&a.color, &b.color, sizeof a.color) == 0;
        gboolean same_dashes
            = a.n_dashes == b.n_dashes && memcmp (a.dashes, b.dashes, sizeof a.dashes) == 0;

        g_assert_false (same_color && same_dashes);
      }
  g_assert_cmpint (sonde_theme_series (theme, 7).n_dashes, ==, 0);
  g_assert_cmpint (sonde_theme_series (theme, 8).n_dashes, >, 0);
}

/* A colour of one's own stays as it is where it can be seen, and takes dashes like the others. */
static void
test_own_color (void)
{
  const guint red = sonde_series_own_color (0xff0000), dim = sonde_series_own_color (0xfefefe);
  guint parsed;

  g_assert_true (sonde_series_parse_color ("#ff0000", &parsed));
  g_assert_cmpuint (parsed, ==, red);
  g_assert_true (sonde_series_parse_color ("3", &parsed));
  g_assert_cmpuint (parsed, ==, 3);
  g_assert_false (sonde_series_parse_color ("#ff000", &parsed));
  g_assert_false (sonde_series_parse_color ("#gggggg", &parsed));
  g_assert_false (sonde_series_parse_color ("-1", &parsed));
  for (int dark = 0; dark < 2; dark++)
    {
      const SondeTheme *theme = sonde_theme_get (dark);
      SondeStroke seen = sonde_theme_series (theme, red);
      SondeStroke dashed = sonde_theme_series (theme, sonde_series_with_dashes (red, 1));
      SondeStroke black = sonde_theme_series (theme, sonde_series_own_color (0));
      SondeStroke white = sonde_theme_series (theme, dim);

      g_assert_cmpfloat (seen.color.red, ==, 1);
      g_assert_cmpint (seen.n_dashes, ==, 0);
      g_assert_cmpint (dashed.n_dashes, >, 0);
      g_assert_cmpfloat (dashed.color.red, ==, seen.color.red);
      g_assert_cmpfloat (sonde_color_contrast (&black.color, &theme->card), >=, 3);
      g_assert_cmpfloat (sonde_color_contrast (&white.color, &theme->card), >=, 3);
    }
  g_assert_cmpuint (sonde_series_with_dashes (2, 1), ==, 10);
}

static void
test_families (void)
{
  g_assert_cmpint (sonde_family_of_operator ("Conv"), ==, SONDE_FAMILY_CONVOLUTION);
  g_assert_cmpint (sonde_family_of_operator ("Relu"), ==, SONDE_FAMILY_ACTIVATION);
  g_assert_cmpint (sonde_family_of_operator ("Conv2D"), ==, SONDE_FAMILY_CONVOLUTION);
  g_assert_cmpint (sonde_family_of_operator ("aten::linear"), ==, SONDE_FAMILY_MATRIX);
  g_assert_cmpint (sonde_family_of_operator ("Con"), ==, SONDE_FAMILY_OTHER);
  g_assert_cmpint (sonde_family_of_operator (" Conv Relu "), ==, SONDE_FAMILY_OTHER);
  g_assert_cmpint (sonde_family_of_operator (NULL), ==, SONDE_FAMILY_OTHER);
  g_assert_cmpstr (sonde_family_name (SONDE_FAMILY_SHAPE), ==, "Shape");
}

static double
luminance (const SondeColor *color)
{
  static const SondeColor black = { 0, 0, 0, 1 };

  return sonde_color_contrast (color, &black);
}

static void
test_sequential (void)
{
  const SondeColorMap maps[]
      = { SONDE_COLOR_MAP_VIRIDIS, SONDE_COLOR_MAP_BATLOW, SONDE_COLOR_MAP_GREY };

  for (gsize m = 0; m < G_N_ELEMENTS (maps); m++)
    {
      double last = 0;

      for (int i = 0; i <= 64; i++)
        {
          SondeColor color = sonde_color_map_get (maps[m], i / 64.0);
          double now = luminance (&color);

          g_assert_cmpfloat (now, >=, last - 0.02); /* never darker again */
          last = now;
        }
    }
}

/* The published ends and middle of viridis, to 2/255. */
static void
test_viridis (void)
{
  static const struct
  {
    double t, rgb[3];
  } published[] = {
    { 0, { 0.267004, 0.004874, 0.329415 } },
    { 128 / 255.0, { 0.127568, 0.566949, 0.550556 } },
    { 1, { 0.993248, 0.906157, 0.143936 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (published); i++)
    {
      SondeColor color = sonde_color_map_get (SONDE_COLOR_MAP_VIRIDIS, published[i].t);

      g_assert_cmpfloat_with_epsilon (color.red, published[i].rgb[0], 2.5 / 255);
      g_assert_cmpfloat_with_epsilon (color.green, published[i].rgb[1], 2.5 / 255);
      g_assert_cmpfloat_with_epsilon (color.blue, published[i].rgb[2], 2.5 / 255);
    }
}

static void
test_diverging (void)
{
  SondeColor middle = sonde_color_map_get (SONDE_COLOR_MAP_DIVERGING, 0.5);
  double low, high;

  g_assert_cmpfloat (middle.red, >, 0.99);
  g_assert_cmpfloat (middle.blue, >, 0.99);
  for (int i = 1; i <= 32; i++)
    {
      SondeColor blue = sonde_color_map_get (SONDE_COLOR_MAP_DIVERGING, 0.5 - i / 64.0);
      SondeColor red = sonde_color_map_get (SONDE_COLOR_MAP_DIVERGING, 0.5 + i / 64.0);

      g_assert_cmpfloat (blue.blue, >, blue.red);
      g_assert_cmpfloat (red.red, >, red.blue);
      g_assert_cmpfloat_with_epsilon (luminance (&blue) / luminance (&red), 1, 0.25);
    }
  sonde_color_map_limits (SONDE_COLOR_MAP_DIVERGING, -1, 3, &low, &high);
  g_assert_cmpfloat (low, ==, -3);
  g_assert_cmpfloat (high, ==, 3);
  sonde_color_map_limits (SONDE_COLOR_MAP_VIRIDIS, NAN, NAN, &low, &high);
  g_assert_cmpfloat (high - low, ==, 1);
}

static void
test_nan (void)
{
  SondeColor color = sonde_color_map_get (SONDE_COLOR_MAP_VIRIDIS, NAN);
  guint32 table[256];

  g_assert_cmpfloat (color.red, >, color.green);
  g_assert_cmpfloat (color.blue, >, color.green);
  sonde_color_map_fill (SONDE_COLOR_MAP_GREY, table);
  g_assert_cmphex (table[0], ==, 0xff000000);
  g_assert_cmphex (table[255], ==, 0xffffffff);
}

/* Texts as strong as can be, and lines that can be seen; what the data are drawn with stays. */
static void
test_strong (void)
{
  for (int dark = 0; dark < 2; dark++)
    {
      const SondeTheme *plain = sonde_theme_get (dark), *strong = sonde_strong_theme_get (dark);

      g_assert_cmpint (strong->dark, ==, dark);
      g_assert_cmpfloat (sonde_color_contrast (&strong->foreground, &strong->card), >=, 12);
      g_assert_cmpfloat (sonde_color_contrast (&strong->dim, &strong->card), >=, 12);
      g_assert_cmpfloat (sonde_color_contrast (&strong->axis, &strong->card), >=, 3);
      g_assert_cmpfloat (sonde_color_contrast (&strong->zero, &strong->card), >=, 3);
      g_assert_cmpfloat (sonde_color_contrast (&strong->grid, &strong->card), >=, 1.5);
      g_assert_cmpmem (strong->series, sizeof strong->series, plain->series, sizeof plain->series);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/paint/theme/contrast", test_contrast);
  g_test_add_func ("/viewers/paint/theme/strong", test_strong);
  g_test_add_func ("/viewers/paint/theme/series", test_series);
  g_test_add_func ("/viewers/paint/theme/own-color", test_own_color);
  g_test_add_func ("/viewers/paint/theme/families", test_families);
  g_test_add_func ("/viewers/paint/color-map/sequential", test_sequential);
  g_test_add_func ("/viewers/paint/color-map/viridis", test_viridis);
  g_test_add_func ("/viewers/paint/color-map/diverging", test_diverging);
  g_test_add_func ("/viewers/paint/color-map/nan", test_nan);
  return g_test_run ();
}
