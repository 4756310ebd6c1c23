/* SPDX-License-Identifier: Apache-2.0
 * The two colour tables and the small shapes that all painters share. */
#include "viewers/paint/sonde-theme.h"

#include <math.h>
#include <string.h>

#define RGB(hex)                                                                                   \
  {                                                                                                \
    (((hex) >> 16) & 0xff) / 255.0, (((hex) >> 8) & 0xff) / 255.0, ((hex) &0xff) / 255.0, 1.0      \
  }
#define RGBA(hex, alpha)                                                                           \
  {                                                                                                \
    (((hex) >> 16) & 0xff) / 255.0, (((hex) >> 8) & 0xff) / 255.0, ((hex) &0xff) / 255.0, (alpha)  \
  }

/* The hues are those of Okabe and Ito, "Color Universal Design", 2008. Orange, sky blue, purple and
 * yellow are darkened on the light card, the others lightened on the dark one, until each reaches
 * 3:1; black becomes a light grey on dark. The order puts the strongest contrasts first. */
static const SondeTheme themes[2] = {
  {
    .dark = FALSE,
    .background = RGB (0xfafafa),
    .card = RGB (0xffffff),
    .foreground = RGB (0x2e2e32),
    .dim = RGB (0x66666c),
    .grid = RGB (0xececee),
    .axis = RGB (0xc4c4c9),
    .zero = RGB (0x9a9aa0),
    .selection = RGB (0x1c71d8),
    .crosshair = RGB (0x77777d),
    .cursor = RGB (0x1c71d8),
    .masked = RGB (0xb4b4b8),
    .hatch = RGB (0xd01fb5),
    .series = {
      RGB (0x0072b2), RGB (0xd55e00), RGB (0x009e73), RGB (0xc977a4),
      RGB (0xc08500), RGB (0x4999c6), RGB (0x9b932b), RGB (0x2e2e32),
    },
    .state = {
      [SONDE_STATE_IDLE] = RGB (0x77777d),
      [SONDE_STATE_RUNNING] = RGB (0x1c71d8),
      [SONDE_STATE_PAUSED] = RGB (0xae7b03),
      [SONDE_STATE_ERROR] = RGB (0xc01c28),
      [SONDE_STATE_OK] = RGB (0x26853f),
    },
    .family = {
      [SONDE_FAMILY_OTHER] = RGB (0xf1f1f3),
      [SONDE_FAMILY_CONVOLUTION] = RGB (0xd6e6f7),
      [SONDE_FAMILY_MATRIX] = RGB (0xdcdcf5),
      [SONDE_FAMILY_NORMALISATION] = RGB (0xd8efe6),
      [SONDE_FAMILY_ACTIVATION] = RGB (0xfbe3d3),
      [SONDE_FAMILY_SHAPE] = RGB (0xe8e8ea),
      [SONDE_FAMILY_REDUCTION] = RGB (0xf3efcb),
      [SONDE_FAMILY_DATA] = RGB (0xd9f0f3),
      [SONDE_FAMILY_GRADIENT] = RGB (0xf6dcea),
      [SONDE_FAMILY_OPTIMISER] = RGB (0xe9dcf3),
    },
    .family_line = {
      [SONDE_FAMILY_OTHER] = RGB (0x8f8f96),
      [SONDE_FAMILY_CONVOLUTION] = RGB (0x3f7fbf),
      [SONDE_FAMILY_MATRIX] = RGB (0x6b6bc4),
      [SONDE_FAMILY_NORMALISATION] = RGB (0x3a9272),
      [SONDE_FAMILY_ACTIVATION] = RGB (0xc9743a),
      [SONDE_FAMILY_SHAPE] = RGB (0x85858c),
      [SONDE_FAMILY_REDUCTION] = RGB (0x9b8f24),
      [SONDE_FAMILY_DATA] = RGB (0x33919e),
      [SONDE_FAMILY_GRADIENT] = RGB (0xb85a8e),
      [SONDE_FAMILY_OPTIMISER] = RGB (0x8a55b0),
    },
  },
  {
    .dark = TRUE,
    .background = RGB (0x242424),
    .card = RGB (0x303032),
    .foreground = RGB (0xf2f2f4),
    .dim = RGB (0xb4b4ba),
    .grid = RGB (0x3d3d40),
    .axis = RGB (0x66666c),
    .zero = RGB (0x8e8e94),
    .selection = RGB (0x78aeed),
    .crosshair = RGB (0xa4a4aa),
    .cursor = RGB (0x78aeed),
    .masked = RGB (0x7a7a80),
    .hatch = RGB (0xf26fe0),
    .series = {
      RGB (0x58a3cd), RGB (0xe8894a), RGB (0x35b894), RGB (0xd794b8),
      RGB (0xe6b032), RGB (0x8accf2), RGB (0xdcd25a), RGB (0xd6d6da),
    },
    .state = {
      [SONDE_STATE_IDLE] = RGB (0xa4a4aa),
      [SONDE_STATE_RUNNING] = RGB (0x78aeed),
      [SONDE_STATE_PAUSED] = RGB (0xf0b83c),
      [SONDE_STATE_ERROR] = RGB (0xff7b6f),
      [SONDE_STATE_OK] = RGB (0x6fd08a),
    },
    .family = {
      [SONDE_FAMILY_OTHER] = RGB (0x3e3e42),
      [SONDE_FAMILY_CONVOLUTION] = RGB (0x2a4159),
      [SONDE_FAMILY_MATRIX] = RGB (0x3b3b62),
      [SONDE_FAMILY_NORMALISATION] = RGB (0x27493d),
      [SONDE_FAMILY_ACTIVATION] = RGB (0x573a26),
      [SONDE_FAMILY_SHAPE] = RGB (0x46464a),
      [SONDE_FAMILY_REDUCTION] = RGB (0x4b4720),
      [SONDE_FAMILY_DATA] = RGB (0x24484d),
      [SONDE_FAMILY_GRADIENT] = RGB (0x552f45),
      [SONDE_FAMILY_OPTIMISER] = RGB (0x472f58),
    },
    .family_line = {
      [SONDE_FAMILY_OTHER] = RGB (0x93939a),
      [SONDE_FAMILY_CONVOLUTION] = RGB (0x6ea8e0),
      [SONDE_FAMILY_MATRIX] = RGB (0x9d9de8),
      [SONDE_FAMILY_NORMALISATION] = RGB (0x5fc09c),
      [SONDE_FAMILY_ACTIVATION] = RGB (0xe69a62),
      [SONDE_FAMILY_SHAPE] = RGB (0xa6a6ad),
      [SONDE_FAMILY_REDUCTION] = RGB (0xcabe54),
      [SONDE_FAMILY_DATA] = RGB (0x62bfcb),
      [SONDE_FAMILY_GRADIENT] = RGB (0xe088b6),
      [SONDE_FAMILY_OPTIMISER] = RGB (0xb98add),
    },
  },
};

/* Patterns of the second, third … eight series, in px. */
static const struct
{
  double dashes[4];
  int n;
} dash_table[] = {
  { { 0 }, 0 }, { { 6, 3 }, 2 }, { { 2, 2 }, 2 }, { { 8, 3, 2, 3 }, 4 }, { { 12, 4 }, 2 },
};

const SondeTheme *
sonde_theme_get (gboolean dark)
{
  return &themes[dark ? 1 : 0];
}

/* An index is the number of a series; or, with the highest bit, seven bits of dashes and a colour. */
#define OWN 0x80000000u
#define DASH_SHIFT 24
#define MAX_DASHES 0x7fu
#define MIN_CONTRAST 3.0

guint
sonde_series_own_color (guint32 rgb)
{
  return OWN | (rgb & 0xffffff);
}

guint
sonde_series_with_dashes (guint index, guint number)
{
  guint dashes;

  if ((index & OWN) == 0)
    return (index + number * (guint) G_N_ELEMENTS (((SondeTheme *) NULL)->series)) & ~OWN;
  dashes = ((index >> DASH_SHIFT) + number) & MAX_DASHES;
  return OWN | dashes << DASH_SHIFT | (index & 0xffffff);
}

gboolean
sonde_series_parse_color (const char *text, guint *index)
{
  guint64 value;

  if (text[0] == '#' && strlen (text) == 7
      && g_ascii_string_to_unsigned (text + 1, 16, 0, 0xffffff, &value, NULL))
    *index = sonde_series_own_color ((guint32) value);
  else if (g_ascii_string_to_unsigned (text, 10, 0, 0xffff, &value, NULL))
    *index = (guint) value;
  else
    return FALSE;
  return TRUE;
}

/* Towards black or white, whichever the card is not, until it can be seen. */
static SondeColor
own_color (const SondeTheme *theme, guint rgb)
{
  const double end = theme->dark ? 1 : 0;
  const SondeColor chosen
      = { (rgb >> 16 & 0xff) / 255.0, (rgb >> 8 & 0xff) / 255.0, (rgb & 0xff) / 255.0, 1 };
  const SondeColor far = { end, end, end, 1 };
  SondeColor color = chosen;

  for (int i = 1; i <= 20 && sonde_color_contrast (&color, &theme->card) < MIN_CONTRAST; i++)
    color = sonde_color_mix (&chosen, &far, i / 20.0);
  return color;
}

SondeStroke
sonde_theme_series (const SondeTheme *theme, guint index)
{
  guint n = G_N_ELEMENTS (theme->series), n_patterns = G_N_ELEMENTS (dash_table);
  gboolean own = (index & OWN) != 0;
  guint pattern = own ? (index >> DASH_SHIFT & MAX_DASHES) % n_patterns : (index / n) % n_patterns;
  SondeStroke stroke = { .color = own ? own_color (theme, index) : theme->series[index % n],
                         .n_dashes = dash_table[pattern].n };

  for (int i = 0; i < stroke.n_dashes; i++)
    stroke.dashes[i] = dash_table[pattern].dashes[i];
  return stroke;
}

void
sonde_paint_set_color (cairo_t *cr, const SondeColor *color)
{
  cairo_set_source_rgba (cr, color->red, color->green, color->blue, color->alpha);
}

void
sonde_paint_set_color_alpha (cairo_t *cr, const SondeColor *color, double alpha)
{
  cairo_set_source_rgba (cr, color->red, color->green, color->blue, color->alpha * alpha);
}

SondeColor
sonde_color_mix (const SondeColor *a, const SondeColor *b, double t)
{
  return (SondeColor){
    a->red + (b->red - a->red) * t,
    a->green + (b->green - a->green) * t,
    a->blue + (b->blue - a->blue) * t,
    a->alpha + (b->alpha - a->alpha) * t,
  };
}

static double
linear (double channel)
{
  return channel <= 0.04045 ? channel / 12.92 : pow ((channel + 0.055) / 1.055, 2.4);
}

static double
luminance (const SondeColor *color)
{
  return 0.2126 * linear (color->red) + 0.7152 * linear (color->green)
         + 0.0722 * linear (color->blue);
}

double
sonde_color_contrast (const SondeColor *a, const SondeColor *b)
{
  SondeColor over = sonde_color_mix (b, a, a->alpha);
  double x = luminance (&over), y = luminance (b);

  return (MAX (x, y) + 0.05) / (MIN (x, y) + 0.05);
}

void
sonde_paint_round_rectangle (cairo_t *cr, double x, double y, double width, double height,
                             double radius)
{
  double r = MIN (radius, MIN (width, height) / 2);

  cairo_new_sub_path (cr);
  cairo_arc (cr, x + width - r, y + r, r, -G_PI_2, 0);
  cairo_arc (cr, x + width - r, y + height - r, r, 0, G_PI_2);
  cairo_arc (cr, x + r, y + height - r, r, G_PI_2, G_PI);
  cairo_arc (cr, x + r, y + r, r, G_PI, 1.5 * G_PI);
  cairo_close_path (cr);
}

static void
path_polygon (cairo_t *cr, double x, double y, double radius, int corners, double turn)
{
  cairo_new_sub_path (cr);
  for (int i = 0; i < corners; i++)
    {
      double angle = turn + 2 * G_PI * i / corners;
      cairo_line_to (cr, x + radius * cos (angle), y + radius * sin (angle));
    }
  cairo_close_path (cr);
}

void
sonde_paint_state (cairo_t *cr, const SondeTheme *theme, SondeState state, double x, double y,
                   double size)
{
  double h = size / 2;

  cairo_save (cr);
  cairo_new_path (cr);
  sonde_paint_set_color (cr, &theme->state[state]);
  if (state == SONDE_STATE_RUNNING)
    path_polygon (cr, x - h * 0.15, y, h * 0.95, 3, 0);
  else if (state == SONDE_STATE_PAUSED)
    {
      cairo_rectangle (cr, x - h * 0.7, y - h * 0.8, h * 0.5, h * 1.6);
      cairo_rectangle (cr, x + h * 0.2, y - h * 0.8, h * 0.5, h * 1.6);
    }
  else if (state == SONDE_STATE_ERROR)
    path_polygon (cr, x, y, h, 8, G_PI / 8);
  else if (state == SONDE_STATE_IDLE)
    cairo_arc (cr, x, y, h * 0.5, 0, 2 * G_PI);

  if (state == SONDE_STATE_OK)
    {
      cairo_set_line_width (cr, MAX (1.5, size / 6));
      cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
      cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
      cairo_move_to (cr, x - h * 0.7, y);
      cairo_line_to (cr, x - h * 0.15, y + h * 0.6);
      cairo_line_to (cr, x + h * 0.75, y - h * 0.6);
      cairo_stroke (cr);
    }
  else
    cairo_fill (cr);
  cairo_restore (cr);
}
