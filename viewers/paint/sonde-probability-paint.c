/* SPDX-License-Identifier: Apache-2.0
 * Probabilities as bars. */
#include "viewers/paint/sonde-probability-paint.h"

#include <math.h>

#include "viewers/paint/sonde-text-paint.h"

#define GAP 8
#define BAR 12         /* px high */
#define MARK 12        /* px for the sign of the marked class */
#define MAX_NAMES 0.45 /* of the width */

char *
sonde_probability_format (double value)
{
  if (!isfinite (value))
    return g_strdup ("–");
  if (value > 0 && value < 0.0005)
    return g_strdup ("< 0.1 %");
  return g_strdup_printf ("%.1f %%", 100 * value);
}

static double
name_width (const SondeProbabilityRow *row)
{
  double width
      = sonde_text_measure (row->strong ? SONDE_FONT_STRONG : SONDE_FONT_LABEL, row->name, NULL);

  return row->tag != NULL ? width + 6 + sonde_text_measure (SONDE_FONT_SMALL, row->tag, NULL)
                          : width;
}

/* The difference to before in percentage points, with its sign. */
static char *
change_text (const SondeProbabilityRow *row)
{
  return isfinite (row->before) && isfinite (row->value)
             ? g_strdup_printf ("%+.1f", 100 * (row->value - row->before))
             : NULL;
}

static double
value_width (const SondeProbabilityRow *rows, guint n)
{
  double width = sonde_text_measure (SONDE_FONT_LABEL, "100.0 %", NULL);

  for (guint i = 0; i < n; i++)
    if (isfinite (rows[i].before))
      return width + 6 + sonde_text_measure (SONDE_FONT_SMALL, "+00.0", NULL);
  return width;
}

void
sonde_probabilities_get_bars (const SondeProbabilityRow *rows, guint n, double width, double *begin,
                              double *length)
{
  double names = 0;

  for (guint i = 0; i < n; i++)
    names = fmax (names, name_width (&rows[i]));
  *begin = MARK + ceil (fmin (names, MAX_NAMES * width)) + GAP;
  *length = fmax (width - *begin - GAP - value_width (rows, n), 4);
}

static void
paint_bar (cairo_t *cr, const SondeTheme *theme, const SondeProbabilityRow *row, double x, double y,
           double length)
{
  SondeStroke stroke = sonde_theme_series (theme, 0);

  cairo_rectangle (cr, x, y - BAR / 2, length, BAR);
  sonde_paint_set_color_alpha (cr, &theme->grid, 0.6);
  cairo_fill (cr);
  if (isfinite (row->value))
    {
      cairo_rectangle (cr, x, y - BAR / 2,
                       fmax (length * CLAMP (row->value, 0, 1), row->value > 0 ? 1 : 0), BAR);
      sonde_paint_set_color_alpha (cr, &stroke.color, row->strong ? 1 : 0.65);
      cairo_fill (cr);
    }
  if (isfinite (row->before))
    {
      double at = x + length * CLAMP (row->before, 0, 1);

      cairo_move_to (cr, at, y - BAR / 2 - 3);
      cairo_line_to (cr, at, y + BAR / 2 + 3);
      cairo_set_line_width (cr, 2);
      sonde_paint_set_color (cr, &theme->foreground);
      cairo_stroke (cr);
    }
}

static void
paint_mark (cairo_t *cr, const SondeTheme *theme, double x, double y)
{
  cairo_move_to (cr, x, y - 4);
  cairo_line_to (cr, x + 6, y);
  cairo_line_to (cr, x, y + 4);
  cairo_close_path (cr);
  sonde_paint_set_color (cr, &theme->selection);
  cairo_fill (cr);
}

static void
paint_row (cairo_t *cr, const SondeTheme *theme, const SondeProbabilityRow *row, double x, double y,
           double begin, double length, double width)
{
  double room = begin - MARK - GAP, used;
  double tag = row->tag != NULL ? sonde_text_measure (SONDE_FONT_SMALL, row->tag, NULL) : 0;
  g_autofree char *value = sonde_probability_format (row->value), *change = change_text (row);

  if (row->marked)
    paint_mark (cr, theme, x + 2, y);
  sonde_paint_set_color (cr, &theme->foreground);
  used = sonde_paint_text (cr, row->strong ? SONDE_FONT_STRONG : SONDE_FONT_LABEL,
                           SONDE_ALIGN_START, x + MARK, y,
                           row->tag != NULL ? fmax (room - tag - 6, 20) : room, row->name);
  if (row->tag != NULL)
    {
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x + MARK + used + 6, y,
                        fmax (room - used - 6, 1), row->tag);
    }
  paint_bar (cr, theme, row, x + begin, y, length);
  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_START, x + begin + length + GAP, y, 0, value);
  if (change == NULL)
    return;
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, x + width, y, 0, change);
}

void
sonde_paint_probabilities (cairo_t *cr, const SondeTheme *theme, const SondeProbabilityRow *rows,
                           guint n, double x, double y, double width)
{
  double begin, length;

  sonde_probabilities_get_bars (rows, n, width, &begin, &length);
  for (guint i = 0; i < n; i++)
    paint_row (cr, theme, &rows[i], x, y + (i + 0.5) * SONDE_PROBABILITY_ROW, begin, length, width);
}
