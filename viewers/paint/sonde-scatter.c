/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/sonde-scatter.h"

#include <math.h>

#include "viewers/paint/sonde-color-map.h"
#include "viewers/paint/sonde-text-paint.h"

#define RADIUS 3.5
#define SMALL_RADIUS 1.5
#define MANY 5000 /* points, from which on marks are small squares */
#define N_SHAPES 4
#define LINE 18
#define MAX_NAME 140
#define LEGEND_PAD 28 /* px beside its names: the mark, and air */
#define SCALE_WIDTH 140
#define N_SHADES 64 /* of a scale: points of one shade are filled at once */

static void
add_mark (cairo_t *cr, int shape, double x, double y, double r)
{
  switch (shape)
    {
    case 0:
      cairo_new_sub_path (cr);
      cairo_arc (cr, x, y, r, 0, 2 * G_PI);
      break;
    case 1:
      cairo_rectangle (cr, x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
      break;
    case 2:
      cairo_move_to (cr, x, y - r * 1.2);
      cairo_line_to (cr, x + r * 1.15, y + r * 0.9);
      cairo_line_to (cr, x - r * 1.15, y + r * 0.9);
      cairo_close_path (cr);
      break;
    default:
      cairo_move_to (cr, x, y - r * 1.3);
      cairo_line_to (cr, x + r * 1.3, y);
      cairo_line_to (cr, x, y + r * 1.3);
      cairo_line_to (cr, x - r * 1.3, y);
      cairo_close_path (cr);
    }
}

static void
set_kind_color (cairo_t *cr, const SondeTheme *theme, int kind, double pale)
{
  SondeStroke stroke = sonde_theme_series (theme, (guint) MAX (kind, 0));

  sonde_paint_set_color_alpha (cr, kind >= 0 ? &stroke.color : &theme->masked, 0.85 * (1 - pale));
}

/* Kinds that share a hue differ in shape, too. */
static int
shape_of (int kind)
{
  return (kind + kind / 8) % N_SHAPES;
}

/* The group of a point: kind + 1, or the shade + 1; 0 is for those without. */
static int
group_of (const SondeScatter *scatter, gsize i)
{
  double t;

  if (scatter->numbers == NULL)
    return scatter->kinds != NULL ? MIN (scatter->kinds[i], SONDE_SCATTER_MAX_KINDS - 1) + 1 : 1;
  t = (scatter->numbers[i] - scatter->low) / (scatter->high - scatter->low);
  return isfinite (t) ? 1 + (int) (CLAMP (t, 0, 1) * (N_SHADES - 1) + 0.5) : 0;
}

void
sonde_paint_scatter (cairo_t *cr, const SondeTheme *theme, const SondeScatter *scatter)
{
  const gboolean many = scatter->n_points > MANY;
  const int n_groups = 1 + (scatter->numbers != NULL ? N_SHADES : SONDE_SCATTER_MAX_KINDS);
  g_autofree guint8 *groups = g_new (guint8, MAX (scatter->n_points, 1));
  gboolean present[1 + N_SHADES] = { FALSE };

  for (gsize i = 0; i < scatter->n_points; i++)
    {
      groups[i] = (guint8) group_of (scatter, i);
      present[groups[i]] = TRUE;
    }
  for (int g = 0; g < n_groups; g++)
    {
      SondeColor color
          = g > 0 ? sonde_color_map_get (SONDE_COLOR_MAP_VIRIDIS, (g - 1) / (double) (N_SHADES - 1))
                  : theme->hatch;

      if (!present[g])
        continue;
      if (scatter->numbers != NULL)
        sonde_paint_set_color_alpha (cr, &color, 0.85 * (1 - scatter->pale));
      else
        set_kind_color (cr, theme, g - 1, scatter->pale);
      for (gsize i = 0; i < scatter->n_points; i++)
        if (groups[i] == g && isfinite (scatter->xy[2 * i]) && isfinite (scatter->xy[2 * i + 1]))
          add_mark (cr,
                    many                                                 ? 1
                    : scatter->kinds != NULL && scatter->numbers == NULL ? shape_of (MAX (g - 1, 0))
                                                                         : 0,
                    scatter->xy[2 * i], scatter->xy[2 * i + 1], many ? SMALL_RADIUS : RADIUS);
      cairo_fill (cr);
    }
}

double
sonde_measure_scatter_legend (const SondeScatter *scatter)
{
  double width = 0;

  if (scatter->numbers != NULL)
    return SCALE_WIDTH;
  if (scatter->kinds == NULL || scatter->names == NULL)
    return 0;
  for (int k = 0; k < scatter->n_kinds; k++)
    width = fmax (width,
                  fmin (sonde_text_measure (SONDE_FONT_LABEL, scatter->names[k], NULL), MAX_NAME));
  return width + LEGEND_PAD;
}

void
sonde_paint_scatter_legend (cairo_t *cr, const SondeTheme *theme, const SondeScatter *scatter,
                            double right, double top)
{
  double width = sonde_measure_scatter_legend (scatter) - LEGEND_PAD;

  if (scatter->numbers != NULL)
    {
      sonde_paint_color_legend (cr, theme, SONDE_COLOR_MAP_VIRIDIS, scatter->low, scatter->high,
                                right - SCALE_WIDTH, top, SCALE_WIDTH, 10);
      return;
    }
  if (scatter->kinds == NULL || scatter->names == NULL)
    return;
  sonde_paint_set_color_alpha (cr, &theme->card, 0.8);
  sonde_paint_round_rectangle (cr, right - width - LEGEND_PAD, top, width + LEGEND_PAD,
                               scatter->n_kinds * LINE + 6, 6);
  cairo_fill (cr);
  for (int k = 0; k < scatter->n_kinds; k++)
    {
      double y = top + 3 + (k + 0.5) * LINE;

      set_kind_color (cr, theme, k, 0);
      add_mark (cr, shape_of (k), right - width - 18, y, RADIUS);
      cairo_fill (cr);
      sonde_paint_set_color (cr, &theme->foreground);
      sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_START, right - width - 6, y, MAX_NAME,
                        scatter->names[k]);
    }
}

void
sonde_paint_scatter_ring (cairo_t *cr, const SondeTheme *theme, double x, double y)
{
  cairo_new_path (cr);
  cairo_arc (cr, x, y, RADIUS + 3, 0, 2 * G_PI);
  sonde_paint_set_color (cr, &theme->selection);
  cairo_set_line_width (cr, 2);
  cairo_stroke (cr);
}
