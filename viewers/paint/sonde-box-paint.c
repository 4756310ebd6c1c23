/* SPDX-License-Identifier: Apache-2.0
 * A counterfactual by boxes. */
#include "viewers/paint/sonde-box-paint.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-map-paint.h"
#include "viewers/paint/sonde-text-paint.h"

#define COVER 128
#define LEFT 38 /* px for the numbers of the value axis */
#define RIGHT 8
#define TOP 16
#define BOTTOM 18

static void
copy_box (SondeImage *to, const SondeImage *from, const SondeBox *box)
{
  int x0 = CLAMP (box->x, 0, to->width), x1 = CLAMP (box->x + box->width, x0, to->width);
  int y0 = CLAMP (box->y, 0, to->height), y1 = CLAMP (box->y + box->height, y0, to->height);

  for (int y = y0; y < y1; y++)
    {
      gsize at = ((gsize) y * (gsize) to->width + (gsize) x0) * (gsize) to->channels;

      memcpy (to->pixels + at, from->pixels + at, (gsize) (x1 - x0) * (gsize) to->channels);
    }
}

SondeImage *
sonde_box_image_compose (const SondeBoxImage *drawing)
{
  g_autoptr (SondeImage) cover = NULL;
  SondeImage *result;

  if (drawing->mask != NULL && drawing->mask->width == drawing->image->width
      && drawing->mask->height == drawing->image->height
      && drawing->mask->channels == drawing->image->channels)
    cover = sonde_image_ref (drawing->mask);
  else
    {
      cover = sonde_image_new (drawing->image->width, drawing->image->height,
                               drawing->image->channels);
      memset (cover->pixels, COVER,
              (gsize) cover->width * (gsize) cover->height * (gsize) cover->channels);
    }
  result = sonde_image_copy (drawing->reveal ? cover : drawing->image);
  for (guint i = 0; i < drawing->n_boxes; i++)
    copy_box (result, drawing->reveal ? drawing->image : cover, &drawing->boxes[i]);
  return result;
}

void
sonde_paint_boxes (cairo_t *cr, const SondeTheme *theme, const SondeBoxImage *drawing, double x,
                   double y, double width, double height)
{
  g_autoptr (SondeImage) composed = NULL;
  double sx, sy;

  if (drawing->image == NULL)
    return;
  composed = sonde_box_image_compose (drawing);
  sonde_paint_map (cr, theme, &(SondeMapImage){ .image = composed }, x, y, width, height);
  sx = width / drawing->image->width;
  sy = height / drawing->image->height;
  cairo_save (cr);
  cairo_rectangle (cr, x, y, width, height);
  cairo_clip (cr);
  for (guint i = 0; i < drawing->n_boxes; i++)
    {
      const SondeBox *box = &drawing->boxes[i];
      gboolean newest = (int) i == drawing->newest;

      cairo_rectangle (cr, x + box->x * sx + 1, y + box->y * sy + 1, box->width * sx - 2,
                       box->height * sy - 2);
      sonde_paint_set_color_alpha (cr, &theme->card, 0.8);
      cairo_set_line_width (cr, newest ? 4.5 : 3);
      cairo_stroke_preserve (cr);
      sonde_paint_set_color (cr, &theme->selection);
      cairo_set_line_width (cr, newest ? 2.5 : 1.25);
      cairo_stroke (cr);
    }
  cairo_restore (cr);
}

/* ---- trace --------------------------------------------------------------- */

void
sonde_box_trace_get_limits (const SondeBoxTrace *trace, double *low, double *high)
{
  *low = 0;
  *high = 1;
  for (guint i = 0; i <= trace->n; i++)
    {
      double value = i < trace->n ? trace->values[i] : trace->threshold;

      if (!isfinite (value))
        continue;
      *low = fmin (*low, value);
      *high = fmax (*high, value);
    }
}

double
sonde_box_trace_get_x (const SondeBoxTrace *trace, double x, double width, guint step)
{
  return x + LEFT + (width - LEFT - RIGHT) * (trace->n > 1 ? (double) step / (trace->n - 1) : 0);
}

static double
value_y (const SondeBoxTrace *trace, double y, double height, double value)
{
  double low, high;

  sonde_box_trace_get_limits (trace, &low, &high);
  return y + TOP + (height - TOP - BOTTOM) * (1 - (value - low) / (high - low));
}

static void
paint_axis (cairo_t *cr, const SondeTheme *theme, const SondeBoxTrace *trace, double x, double y,
            double width, double height)
{
  double low, high;
  const double *ticks = (const double[]){ 0, 0.5, 1 };

  sonde_box_trace_get_limits (trace, &low, &high);
  cairo_set_line_width (cr, 1);
  for (int i = -1; i < 3; i++)
    {
      double value = i < 0 ? low : ticks[i], at = floor (value_y (trace, y, height, value)) + 0.5;
      g_autofree char *text = g_strdup_printf ("%.2g", value);

      if (i < 0 && low == 0)
        continue;
      cairo_move_to (cr, x + LEFT, at);
      cairo_line_to (cr, x + width - RIGHT, at);
      sonde_paint_set_color (cr, value == 0 ? &theme->axis : &theme->grid);
      cairo_stroke (cr);
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, x + LEFT - 6, at, LEFT, text);
    }
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y + 6, width, trace->label);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, x + width - RIGHT, y + height - 7, width,
                    _ ("steps →"));
}

static void
paint_threshold (cairo_t *cr, const SondeTheme *theme, const SondeBoxTrace *trace, double x,
                 double y, double width, double height)
{
  double at = floor (value_y (trace, y, height, trace->threshold)) + 0.5;
  g_autofree char *number = sonde_format_number (trace->threshold),
                  *text = g_strdup_printf (_ ("threshold %s"), number);
  /* the side where the line does not begin */
  gboolean above = !(trace->values[0] > trace->threshold);

  cairo_move_to (cr, x + LEFT, at);
  cairo_line_to (cr, x + width - RIGHT, at);
  cairo_set_dash (cr, (const double[]){ 6, 4 }, 2, 0);
  sonde_paint_set_color (cr, &theme->state[SONDE_STATE_ERROR]);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x + LEFT + 6, above ? at - 8 : at + 9,
                    width - LEFT, text);
}

static void
paint_line (cairo_t *cr, const SondeTheme *theme, const SondeBoxTrace *trace, double x, double y,
            double width, double height)
{
  SondeStroke stroke = sonde_theme_series (theme, 0);

  cairo_new_path (cr);
  for (guint i = 0; i < trace->n; i++)
    if (isfinite (trace->values[i]))
      cairo_line_to (cr, sonde_box_trace_get_x (trace, x, width, i),
                     value_y (trace, y, height, trace->values[i]));
    else
      cairo_new_sub_path (cr);
  sonde_paint_set_color (cr, &stroke.color);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
  for (guint i = 0; i < trace->n; i++)
    if (isfinite (trace->values[i]))
      {
        cairo_arc (cr, sonde_box_trace_get_x (trace, x, width, i),
                   value_y (trace, y, height, trace->values[i]), i == trace->at ? 5 : 2.5, 0,
                   2 * G_PI);
        cairo_fill (cr);
      }
}

void
sonde_paint_box_trace (cairo_t *cr, const SondeTheme *theme, const SondeBoxTrace *trace, double x,
                       double y, double width, double height)
{
  if (trace->n == 0 || width < LEFT + RIGHT + 20 || height < TOP + BOTTOM + 20)
    return;
  paint_axis (cr, theme, trace, x, y, width, height);
  if (isfinite (trace->threshold))
    paint_threshold (cr, theme, trace, x, y, width, height);
  paint_line (cr, theme, trace, x, y, width, height);
}
