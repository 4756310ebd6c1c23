/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/sonde-axis.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "viewers/layout/sonde-time-ticks.h"
#include "viewers/paint/sonde-text-paint.h"

/* Px that a label and its air take. */
#define X_LABEL_ROOM 44
#define CLOCK_LABEL_ROOM 76
#define TITLE_ROOM 16 /* px for the title of the y axis beside its labels */
#define Y_LABEL_ROOM 26

typedef struct
{
  SondeAxisTicks ticks;
  double unit; /* ticks × unit is the place on the axis */
  const char *unit_name;
  double values[SONDE_MAX_TICKS]; /* of a LOG axis within few decades: in place of @ticks' own */
  gboolean has_values, is_list;   /* @is_list: at 1-2-5 steps; else at even ones of @ticks */
} Scale;

#define LINEAR_RATIO 10 /* of the ends of a LOG axis, up to which even steps are read best */

/* Less than two whole decades: values that a reader knows, not powers with a fraction. */
static gboolean
find_values (const SondeAxis *axis, int max_ticks, Scale *scale)
{
  double low = axis->low, high = axis->high;

  if (!isfinite (low) || !isfinite (high) || !(low < high) || fabs (low) > 300 || fabs (high) > 300
      || floor (high + 1e-9) - ceil (low - 1e-9) >= 1)
    return FALSE;
  scale->is_list = pow (10, high - low) > LINEAR_RATIO;
  if (scale->is_list)
    scale->ticks.n = sonde_axis_ticks_within_decades (low, high, scale->values);
  else
    {
      scale->ticks = sonde_axis_ticks_linear (pow (10, low), pow (10, high), max_ticks);
      for (int i = 0; i < scale->ticks.n; i++)
        scale->values[i] = sonde_axis_ticks_get (&scale->ticks, i);
    }
  return TRUE;
}

static double
on_scale (const SondeAxis *axis, double value)
{
  return axis->kind == SONDE_AXIS_LOG ? log10 (value) : value;
}

double
sonde_axis_x (const SondeAxis *axis, const cairo_rectangle_t *area, double value)
{
  return area->x + (on_scale (axis, value) - axis->low) / (axis->high - axis->low) * area->width;
}

double
sonde_axis_y (const SondeAxis *axis, const cairo_rectangle_t *area, double value)
{
  return area->y + area->height
         - (on_scale (axis, value) - axis->low) / (axis->high - axis->low) * area->height;
}

static Scale
make_scale (const SondeAxis *axis, double length, double room)
{
  int max_ticks = CLAMP ((int) (length / room), 2, 7);
  Scale scale = { .unit = 1 };

  if (axis->kind == SONDE_AXIS_LOG)
    scale.has_values = find_values (axis, max_ticks, &scale);
  if (scale.has_values)
    return scale;
  if (axis->kind == SONDE_AXIS_LOG)
    scale.ticks = sonde_axis_ticks_decades (axis->low, axis->high, max_ticks);
  else if (axis->kind == SONDE_AXIS_STEP)
    scale.ticks = sonde_axis_ticks_integer (axis->low, axis->high, max_ticks);
  else if (axis->kind == SONDE_AXIS_DURATION)
    scale.ticks = sonde_axis_ticks_duration (axis->low, axis->high, max_ticks, &scale.unit_name,
                                             &scale.unit);
  else if (axis->kind == SONDE_AXIS_CLOCK)
    scale.ticks = sonde_axis_ticks_clock (axis->low, axis->high, max_ticks, NULL);
  else
    scale.ticks = sonde_axis_ticks_linear (axis->low, axis->high, max_ticks);
  return scale;
}

static char *
dup_label (const SondeAxis *axis, const Scale *scale, int i)
{
  if (scale->is_list)
    return sonde_format_number (scale->values[i]);
  if (axis->kind == SONDE_AXIS_LOG && !scale->has_values)
    return sonde_axis_ticks_decade_label (&scale->ticks, i);
  if (axis->kind == SONDE_AXIS_CLOCK)
    return sonde_axis_ticks_clock_label (&scale->ticks, i, NULL);
  return sonde_axis_ticks_label (&scale->ticks, i);
}

static double
place (const SondeAxis *axis, const Scale *scale, int i)
{
  if (scale->has_values)
    return (log10 (scale->values[i]) - axis->low) / (axis->high - axis->low);
  return (sonde_axis_ticks_get (&scale->ticks, i) * scale->unit - axis->low)
         / (axis->high - axis->low);
}

/* Lines of one px stand on whole px. */
static double
sharp (double value)
{
  return floor (value) + 0.5;
}

static void
paint_line (cairo_t *cr, const SondeColor *color, double x0, double y0, double x1, double y1)
{
  sonde_paint_set_color (cr, color);
  cairo_move_to (cr, x0, y0);
  cairo_line_to (cr, x1, y1);
  cairo_stroke (cr);
}

static void
paint_x (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *area, const SondeAxis *axis)
{
  Scale scale = make_scale (axis, area->width,
                            axis->kind == SONDE_AXIS_CLOCK ? CLOCK_LABEL_ROOM : X_LABEL_ROOM);
  double bottom = area->y + area->height;
  double label_y = bottom + 4 + sonde_font_height (SONDE_FONT_LABEL) / 2;

  for (int i = 0; i < scale.ticks.n; i++)
    {
      g_autofree char *label = dup_label (axis, &scale, i);
      double x = area->x + place (axis, &scale, i) * area->width;
      double half = sonde_text_measure (SONDE_FONT_LABEL, label, NULL) / 2;

      paint_line (cr, &theme->grid, sharp (x), area->y, sharp (x), bottom);
      sonde_paint_set_color (cr, &theme->dim);
      /* The outermost labels stay inside the drawing. */
      sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER,
                        CLAMP (x, half + 2, area->x + area->width + SONDE_AXIS_RIGHT - half - 1),
                        label_y, 0, label);
    }
  if (axis->title != NULL)
    {
      g_autofree char *title = scale.unit_name != NULL
                                   ? g_strdup_printf ("%s (%s)", axis->title, scale.unit_name)
                                   : g_strdup (axis->title);
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, area->x + area->width, bottom + 28,
                        area->width, title);
    }
}

/* How the labels of a column are written: all in the same way. */
typedef enum
{
  LABELS_PLAIN,
  LABELS_SHORT,  /* "5e-05" */
  LABELS_SCALED, /* "5.0" with the power of ten said once */
} Labels;

/* @exponent, @decimals: of SCALED */
typedef struct
{
  Labels kind;
  int exponent, decimals;
} LabelStyle;

#define MAX_DECIMALS 4 /* of a scaled label */

static char *
dup_scaled (double value, int decimals)
{
  char format[16], text[G_ASCII_DTOSTR_BUF_SIZE];

  g_snprintf (format, sizeof format, "%%.%df", decimals);
  return g_strdup (g_ascii_formatd (text, sizeof text, format, value));
}

static char *
dup_styled (const SondeAxis *axis, const Scale *scale, const LabelStyle *style, int i)
{
  if (style->kind == LABELS_SHORT)
    return sonde_axis_ticks_short_label (&scale->ticks, i);
  if (style->kind == LABELS_SCALED)
    return dup_scaled (sonde_axis_ticks_get (&scale->ticks, i) / pow (10, style->exponent),
                       style->decimals);
  return dup_label (axis, scale, i);
}

static gboolean
has_room (const SondeAxis *axis, const Scale *scale, const LabelStyle *style, double room)
{
  for (int i = 0; i < scale->ticks.n; i++)
    {
      g_autofree char *label = dup_styled (axis, scale, style, i);

      if (sonde_text_measure (SONDE_FONT_LABEL, label, NULL) > room)
        return FALSE;
    }
  return TRUE;
}

/* The power of ten of the greatest tick, and as many decimals as tell two ticks apart exactly. FALSE: too many. */
static gboolean
find_power (const Scale *scale, LabelStyle *style)
{
  double greatest = 0, step;

  if (scale->ticks.n < 2)
    return FALSE;
  for (int i = 0; i < scale->ticks.n; i++)
    greatest = fmax (greatest, fabs (sonde_axis_ticks_get (&scale->ticks, i)));
  style->exponent = (int) floor (log10 (greatest) + 1e-9);
  step = fabs (sonde_axis_ticks_get (&scale->ticks, 1) - sonde_axis_ticks_get (&scale->ticks, 0))
         / pow (10, style->exponent);
  for (style->decimals = 0; style->decimals <= MAX_DECIMALS; style->decimals++)
    {
      double digits = step * pow (10, style->decimals);

      if (fabs (digits - round (digits)) < 1e-3 && digits > 0.5)
        return TRUE;
    }
  return FALSE;
}

static LabelStyle
choose_style (const SondeAxis *axis, const Scale *scale, double room)
{
  LabelStyle plain = { .kind = LABELS_PLAIN }, brief = { .kind = LABELS_SHORT },
             scaled = { .kind = LABELS_SCALED };

  if (axis->kind != SONDE_AXIS_LINEAR || has_room (axis, scale, &plain, room))
    return plain;
  if (!has_room (axis, scale, &brief, room) && find_power (scale, &scaled)
      && has_room (axis, scale, &scaled, room))
    return scaled;
  return brief;
}

/* Once, in the upper corner of the area. */
static void
paint_power (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *area, int exponent)
{
  g_autofree char *text = g_strdup_printf ("×1e%+03d", exponent);

  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, area->x + 4, area->y + 5, 0, text);
}

/* Returns: the width of its widest label */
static double
paint_y (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *area, const SondeAxis *axis)
{
  Scale scale = make_scale (axis, area->height, Y_LABEL_ROOM);
  LabelStyle style = choose_style (axis, &scale, area->x - 8);
  double right = area->x + area->width, widest = 0;

  for (int i = 0; i < scale.ticks.n; i++)
    {
      g_autofree char *label = dup_styled (axis, &scale, &style, i);
      double y = area->y + area->height - place (axis, &scale, i) * area->height;
      gboolean zero
          = axis->kind == SONDE_AXIS_LINEAR && sonde_axis_ticks_get (&scale.ticks, i) == 0;

      paint_line (cr, zero ? &theme->zero : &theme->grid, area->x, sharp (y), right, sharp (y));
      sonde_paint_set_color (cr, &theme->dim);
      widest = fmax (widest, sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_END, area->x - 6,
                                               y, area->x - 8, label));
    }
  if (style.kind == LABELS_SCALED)
    paint_power (cr, theme, area, style.exponent);
  return widest;
}

/* Along the axis, where the labels leave room; else below its foot. */
static void
paint_y_title (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *area,
               const char *title, double widest)
{
  sonde_paint_set_color (cr, &theme->dim);
  if (widest + 6 + TITLE_ROOM <= area->x)
    sonde_paint_text_upwards (cr, SONDE_FONT_SMALL, area->x - 6 - widest - TITLE_ROOM / 2,
                              area->y + area->height / 2, area->height, title);
  else
    sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, area->x,
                      sharp (area->y + area->height) + 28, area->width * 0.7, title);
}

void
sonde_paint_axes (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *area,
                  const SondeAxis *x, const SondeAxis *y)
{
  double bottom = sharp (area->y + area->height), widest;

  cairo_save (cr);
  cairo_set_line_width (cr, 1);
  paint_x (cr, theme, area, x);
  widest = paint_y (cr, theme, area, y);
  paint_line (cr, &theme->axis, area->x, bottom, area->x + area->width, bottom);
  if (y->title != NULL)
    paint_y_title (cr, theme, area, y->title, widest);
  cairo_restore (cr);
}
