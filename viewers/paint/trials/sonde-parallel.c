/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/trials/sonde-parallel.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/layout/sonde-axis-ticks.h"
#include "viewers/paint/sonde-color-map.h"
#include "viewers/paint/sonde-text-paint.h"

#define MAX_TICKS 6
#define MAX_NAMES 12 /* words with a label each */
#define BRUSH_WIDTH 10
#define LABEL_WIDTH 70

/* ---- places -------------------------------------------------------------- */

double
sonde_parallel_get_x (guint axis, guint n_axes, int width)
{
  double room = MAX (width - 2 * SONDE_PARALLEL_SIDE, 1);

  return n_axes > 1 ? SONDE_PARALLEL_SIDE + room * axis / (n_axes - 1) : width / 2.0;
}

double
sonde_parallel_get_place (const SondeParallelAxis *axis, double value)
{
  double low = axis->log ? log10 (axis->low) : axis->low;
  double high = axis->log ? log10 (axis->high) : axis->high;
  double at = axis->log ? log10 (value) : value;

  if (!isfinite (at))
    return NAN;
  return high > low ? (at - low) / (high - low) : 0.5;
}

double
sonde_parallel_get_value (const SondeParallelAxis *axis, double place)
{
  if (axis->log)
    return pow (10, log10 (axis->low) + place * (log10 (axis->high) - log10 (axis->low)));
  return axis->low + place * (axis->high - axis->low);
}

static double
get_room (int height)
{
  return MAX (height - SONDE_PARALLEL_TOP - SONDE_PARALLEL_BOTTOM, 1);
}

double
sonde_parallel_get_y (double place, int height)
{
  return SONDE_PARALLEL_TOP + (1 - place) * get_room (height);
}

double
sonde_parallel_get_place_at (double y, int height)
{
  return CLAMP (1 - (y - SONDE_PARALLEL_TOP) / get_room (height), 0, 1);
}

gboolean
sonde_parallel_is_in (const SondeParallel *parallel, guint line)
{
  for (guint k = 0; k < parallel->n_axes; k++)
    {
      const SondeParallelAxis *axis = &parallel->axes[k];
      double value = parallel->values[(gsize) line * parallel->n_axes + k];

      if (axis->has_brush && !(value >= axis->from && value <= axis->to))
        return FALSE;
    }
  return TRUE;
}

/* ---- lines --------------------------------------------------------------- */

static void
trace_line (cairo_t *cr, const SondeParallel *parallel, guint line, int width, int height)
{
  gboolean drawing = FALSE;

  for (guint k = 0; k < parallel->n_axes; k++)
    {
      double value = parallel->values[(gsize) line * parallel->n_axes + k];
      double place = sonde_parallel_get_place (&parallel->axes[k], value);
      double x = sonde_parallel_get_x (k, parallel->n_axes, width);

      if (isnan (place))
        drawing = FALSE;
      else if (drawing)
        cairo_line_to (cr, x, sonde_parallel_get_y (place, height));
      else
        {
          cairo_move_to (cr, x, sonde_parallel_get_y (place, height));
          drawing = TRUE;
        }
    }
  cairo_stroke (cr);
}

/* Without the end of the map that is too near to the card. */
SondeColor
sonde_parallel_get_shade (const SondeTheme *theme, double place)
{
  return sonde_color_map_get (SONDE_COLOR_MAP_VIRIDIS,
                              theme->dark ? 0.3 + 0.7 * place : 0.85 * place);
}

static SondeColor
choose_color (const SondeTheme *theme, const SondeParallel *parallel, guint line)
{
  const SondeParallelAxis *axis;
  double place;

  if (parallel->color_axis < 0 || (guint) parallel->color_axis >= parallel->n_axes)
    return theme->series[0];
  axis = &parallel->axes[parallel->color_axis];
  place = sonde_parallel_get_place (
      axis, parallel->values[(gsize) line * parallel->n_axes + (guint) parallel->color_axis]);
  return isnan (place) ? theme->masked : sonde_parallel_get_shade (theme, place);
}

static void
paint_lines (cairo_t *cr, const SondeTheme *theme, const SondeParallel *parallel, int width,
             int height)
{
  double alpha = CLAMP (60.0 / MAX (parallel->n_lines, 1), 0.15, 0.9);

  for (int bright = 0; bright < 2; bright++)
    for (guint i = 0; i < parallel->n_lines; i++)
      {
        SondeColor color = choose_color (theme, parallel, i);

        if (sonde_parallel_is_in (parallel, i) != bright)
          continue;
        sonde_paint_set_color_alpha (cr, bright ? &color : &theme->masked,
                                     bright ? alpha : alpha * 0.3);
        cairo_set_line_width (cr, 1.5);
        trace_line (cr, parallel, i, width, height);
      }
}

void
sonde_paint_parallel_line (cairo_t *cr, const SondeTheme *theme, const SondeParallel *parallel,
                           guint line, int width, int height)
{
  SondeColor color = choose_color (theme, parallel, line);

  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  sonde_paint_set_color (cr, &theme->foreground);
  cairo_set_line_width (cr, 5);
  trace_line (cr, parallel, line, width, height);
  sonde_paint_set_color (cr, &color);
  cairo_set_line_width (cr, 3);
  trace_line (cr, parallel, line, width, height);
}

/* ---- axes ---------------------------------------------------------------- */

static void
paint_label (cairo_t *cr, const SondeTheme *theme, double x, double y, const char *text)
{
  SondeColor halo = theme->card;
  double width = fmin (sonde_text_measure (SONDE_FONT_SMALL, text, NULL), LABEL_WIDTH);

  sonde_paint_set_color_alpha (cr, &halo, 0.75);
  cairo_rectangle (cr, x + 6, y - 7, width + 2, 14);
  cairo_fill (cr);
  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x + 7, y, LABEL_WIDTH, text);
}

static void
paint_names (cairo_t *cr, const SondeTheme *theme, const SondeParallelAxis *axis, double x,
             int height)
{
  guint every = (axis->n_names + MAX_NAMES - 1) / MAX_NAMES;

  for (guint i = 0; i < axis->n_names; i += MAX (every, 1))
    paint_label (cr, theme, x, sonde_parallel_get_y (sonde_parallel_get_place (axis, i), height),
                 axis->names[i]);
}

/* The ends in any case; between them what is round and not too near to them. */
static void
paint_numbers (cairo_t *cr, const SondeTheme *theme, const SondeParallelAxis *axis, double x,
               int height)
{
  const double ends[2] = { axis->low, axis->high };
  SondeAxisTicks ticks
      = axis->log ? sonde_axis_ticks_decades (log10 (axis->low), log10 (axis->high), MAX_TICKS)
                  : sonde_axis_ticks_linear (axis->low, axis->high, MAX_TICKS);

  for (int i = 0; i < (axis->high > axis->low ? 2 : 1); i++)
    {
      g_autofree char *text = sonde_format_number (ends[i]);

      paint_label (cr, theme, x,
                   sonde_parallel_get_y (sonde_parallel_get_place (axis, ends[i]), height), text);
    }
  for (int i = 0; i < ticks.n; i++)
    {
      double tick = sonde_axis_ticks_get (&ticks, i), value = axis->log ? pow (10, tick) : tick;
      double place = sonde_parallel_get_place (axis, value);
      g_autofree char *text = sonde_format_number (value);

      if (place > 0.08 && place < 0.92)
        paint_label (cr, theme, x, sonde_parallel_get_y (place, height), text);
    }
}

/* The axis whose place makes the colour is its own scale. */
static void
paint_scale (cairo_t *cr, const SondeTheme *theme, double x, int height)
{
  double top = sonde_parallel_get_y (1, height), bottom = sonde_parallel_get_y (0, height);
  cairo_pattern_t *pattern = cairo_pattern_create_linear (0, bottom, 0, top);

  for (int i = 0; i <= 16; i++)
    {
      SondeColor color = sonde_parallel_get_shade (theme, i / 16.0);

      cairo_pattern_add_color_stop_rgb (pattern, i / 16.0, color.red, color.green, color.blue);
    }
  cairo_rectangle (cr, x - 3, top, 6, bottom - top);
  cairo_set_source (cr, pattern);
  cairo_fill (cr);
  cairo_pattern_destroy (pattern);
}

static void
paint_brush (cairo_t *cr, const SondeTheme *theme, const SondeParallelAxis *axis, double x,
             int height)
{
  double low = sonde_parallel_get_place (axis, axis->from);
  double high = sonde_parallel_get_place (axis, axis->to);
  double from = sonde_parallel_get_y (CLAMP (low, 0, 1), height);
  double to = sonde_parallel_get_y (CLAMP (high, 0, 1), height);

  cairo_rectangle (cr, x - BRUSH_WIDTH / 2.0 - 0.5, to, BRUSH_WIDTH + 1, fmax (from - to, 2));
  sonde_paint_set_color_alpha (cr, &theme->selection, 0.35);
  cairo_fill_preserve (cr);
  sonde_paint_set_color (cr, &theme->selection);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

static void
paint_axis (cairo_t *cr, const SondeTheme *theme, const SondeParallel *parallel, guint k, int width,
            int height)
{
  const SondeParallelAxis *axis = &parallel->axes[k];
  double x = sonde_parallel_get_x (k, parallel->n_axes, width);
  double room
      = parallel->n_axes > 1 ? (width - 2.0 * SONDE_PARALLEL_SIDE) / (parallel->n_axes - 1) : width;

  if (parallel->color_axis == (int) k)
    paint_scale (cr, theme, x, height);
  sonde_paint_set_color (cr, parallel->focused == (int) k ? &theme->selection : &theme->axis);
  cairo_set_line_width (cr, parallel->focused == (int) k ? 3 : 1);
  cairo_move_to (cr, x, sonde_parallel_get_y (1, height));
  cairo_line_to (cr, x, sonde_parallel_get_y (0, height));
  cairo_stroke (cr);
  if (axis->names != NULL)
    paint_names (cr, theme, axis, x, height);
  else
    paint_numbers (cr, theme, axis, x, height);
  if (axis->has_brush)
    paint_brush (cr, theme, axis, x, height);
  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_STRONG, SONDE_ALIGN_CENTER, x, 10,
                    fmin (room - 8, 2.0 * SONDE_PARALLEL_SIDE - 8), axis->title);
  sonde_paint_set_color (cr, &theme->dim);
  if (axis->log)
    sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_CENTER, x, 24, room, _ ("log"));
}

void
sonde_paint_parallel (cairo_t *cr, const SondeTheme *theme, const SondeParallel *parallel,
                      int width, int height)
{
  paint_lines (cr, theme, parallel, width, height);
  if (parallel->emphasised >= 0 && (guint) parallel->emphasised < parallel->n_lines)
    sonde_paint_parallel_line (cr, theme, parallel, (guint) parallel->emphasised, width, height);
  for (guint k = 0; k < parallel->n_axes; k++)
    paint_axis (cr, theme, parallel, k, width, height);
}
