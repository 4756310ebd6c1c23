/* SPDX-License-Identifier: Apache-2.0
 * Colour maps: stops taken from the published tables at 0, 8, 16 … 255 of 256 and interpolated
 * between, within 2/255 of the tables; the diverging one is computed. */
#include "viewers/paint/sonde-color-map.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "viewers/paint/sonde-text-paint.h"

#define N_STOPS 33

/* matplotlib, lib/matplotlib/_cm_listed.py, "viridis" (CC0) */
static const guint32 viridis[N_STOPS] = {
  0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453681, 0x424086, 0x3f4989, 0x3b528b,
  0x375a8d, 0x33638d, 0x2f6a8e, 0x2c728e, 0x297a8e, 0x26818e, 0x23898e, 0x21908c, 0x1f988b,
  0x1f9f88, 0x21a685, 0x28ae80, 0x31b57b, 0x3ebc74, 0x4cc26c, 0x5dc963, 0x6ece58, 0x82d34c,
  0x96d83f, 0xabdc32, 0xc0df24, 0xd5e21a, 0xeae51a, 0xfde725,
};

/* F. Crameri, Scientific colour maps 8.0, doi:10.5281/zenodo.1243862, "batlow" (MIT) */
static const guint32 batlow[N_STOPS] = {
  0x011959, 0x08255b, 0x0d315d, 0x0f3b5f, 0x114360, 0x134b61, 0x165262, 0x1b5962, 0x226061,
  0x2a655e, 0x356a59, 0x406f54, 0x4d734d, 0x597646, 0x667a3f, 0x737e38, 0x818232, 0x90862d,
  0xa08a2b, 0xb08d2e, 0xbf9035, 0xce923f, 0xdb954c, 0xe8985b, 0xf29d6c, 0xf8a27e, 0xfca891,
  0xfdaea3, 0xfdb4b4, 0xfdbac5, 0xfcc0d6, 0xfbc6e8, 0xfaccfa,
};

static SondeColor
from_stops (const guint32 *stops, double t)
{
  double at = t * (N_STOPS - 1);
  int i = MIN ((int) at, N_STOPS - 2);
  double f = at - i;
  double channel[3];

  for (int k = 0; k < 3; k++)
    {
      double a = (stops[i] >> (16 - 8 * k)) & 0xff, b = (stops[i + 1] >> (16 - 8 * k)) & 0xff;
      channel[k] = (a + (b - a) * f) / 255;
    }
  return (SondeColor){ channel[0], channel[1], channel[2], 1 };
}

static double
to_srgb (double linear)
{
  double v = CLAMP (linear, 0, 1);

  return v <= 0.0031308 ? 12.92 * v : 1.055 * pow (v, 1 / 2.4) - 0.055;
}

/* OKLab to sRGB, matrices of Ottosson 2020. */
static SondeColor
from_oklab (double lightness, double a, double b)
{
  double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
  double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
  double s = lightness - 0.0894841775 * a - 1.2914855480 * b;

  l = l * l * l;
  m = m * m * m;
  s = s * s * s;
  return (SondeColor){
    to_srgb (4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    to_srgb (-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    to_srgb (-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s),
    1,
  };
}

/* Lightness falls from white in the middle to 0.52 at both ends; hue 255° (blue) and 27° (red). */
static SondeColor
diverging (double t)
{
  const double end_lightness = 0.52, end_chroma = 0.165;
  double d = 2 * t - 1, strength = fabs (d);
  double hue = (d < 0 ? 255 : 27) * G_PI / 180;
  double chroma = end_chroma * pow (strength, 0.85);

  return from_oklab (1 - (1 - end_lightness) * strength, chroma * cos (hue), chroma * sin (hue));
}

SondeColor
sonde_color_map_get (SondeColorMap map, double t)
{
  double u = CLAMP (t, 0, 1);

  if (isnan (t))
    return sonde_theme_get (FALSE)->hatch;
  if (map == SONDE_COLOR_MAP_VIRIDIS)
    return from_stops (viridis, u);
  if (map == SONDE_COLOR_MAP_BATLOW)
    return from_stops (batlow, u);
  if (map == SONDE_COLOR_MAP_DIVERGING)
    return diverging (u);
  return (SondeColor){ u, u, u, 1 };
}

void
sonde_color_map_fill (SondeColorMap map, guint32 table[256])
{
  for (int i = 0; i < 256; i++)
    {
      SondeColor c = sonde_color_map_get (map, i / 255.0);

      table[i] = 0xff000000u | (guint32) lround (c.red * 255) << 16
                 | (guint32) lround (c.green * 255) << 8 | (guint32) lround (c.blue * 255);
    }
}

void
sonde_color_map_limits (SondeColorMap map, double min, double max, double *low, double *high)
{
  if (!isfinite (min) || !isfinite (max))
    min = max = 0;
  if (map == SONDE_COLOR_MAP_DIVERGING)
    {
      max = MAX (fabs (min), fabs (max));
      min = -max;
    }
  if (!(max > min))
    {
      min -= 0.5;
      max += 0.5;
    }
  *low = min;
  *high = max;
}

void
sonde_paint_color_legend (cairo_t *cr, const SondeTheme *theme, SondeColorMap map, double low,
                          double high, double x, double y, double width, double height)
{
  cairo_pattern_t *gradient = cairo_pattern_create_linear (x, 0, x + width, 0);
  double line = y + height + 3 + sonde_font_height (SONDE_FONT_SMALL) / 2;
  g_autofree char *low_text = sonde_format_number (low);
  g_autofree char *high_text = sonde_format_number (high);

  for (int i = 0; i <= 64; i++)
    {
      SondeColor c = sonde_color_map_get (map, i / 64.0);
      cairo_pattern_add_color_stop_rgb (gradient, i / 64.0, c.red, c.green, c.blue);
    }
  cairo_rectangle (cr, x, y, width, height);
  cairo_set_source (cr, gradient);
  cairo_fill (cr);
  cairo_pattern_destroy (gradient);

  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, line, width / 2, low_text);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, x + width, line, width / 2, high_text);
  if (map == SONDE_COLOR_MAP_DIVERGING && width > 120)
    sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_CENTER, x + width / 2, line, 0, "0");
}
