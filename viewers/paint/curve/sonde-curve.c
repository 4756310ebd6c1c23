/* SPDX-License-Identifier: Apache-2.0
 * Each bucket becomes first → both extremes → last, so that no peak is lost at any zoom. What a
 * stroke costs in Cairo grows with its length, and noise is long: a million points swing up and
 * down a thousand times over the width, and thousands of runs are a long line, too. Such a line is drawn as one
 * span a column of pixels (sonde-curve-columns.c), which looks the same and takes a hundredth of the time. */
#include "viewers/paint/curve/sonde-curve.h"

#include <math.h>

/* Px that all curves of a chart may go along and up and down, as strokes of best quality (0.3 ms a
 * 1000 px) and of good quality (0.06 ms a 1000 px). */
#define BEST_TRAVEL 8e3
#define STROKE_TRAVEL 30e3

/* ---- a stroke ------------------------------------------------------------ */

static void
add_to_path (double x, double y, gboolean begin, void *data)
{
  if (begin)
    cairo_move_to (data, x, y);
  else
    cairo_line_to (data, x, y);
}

/* ---- either -------------------------------------------------------------- */

/* How far the line goes inside of the area. */
typedef struct
{
  const cairo_rectangle_t *area;
  double x, y, sum;
} Travel;

static void
add_to_travel (double x, double y, gboolean begin, void *data)
{
  Travel *travel = data;
  double inside_x = CLAMP (x, travel->area->x, travel->area->x + travel->area->width);
  double inside_y = CLAMP (y, travel->area->y, travel->area->y + travel->area->height);

  if (!begin)
    travel->sum += fabs (inside_x - travel->x) + fabs (inside_y - travel->y);
  travel->x = inside_x;
  travel->y = inside_y;
}

#define SLICE 256 /* buckets */

/* As far as it goes, or some way beyond @enough. */
static double
measure_travel (const SondeChart *chart, const cairo_rectangle_t *area,
                const SondeChartBucket *buckets, gsize n, double enough)
{
  Travel travel = { .area = area };

  for (gsize i = 0; i < n && travel.sum <= enough; i += SLICE)
    sonde_curve_walk (chart, area, buckets + i, MIN (n - i, SLICE), add_to_travel, &travel);
  return travel.sum;
}

/* As if every other curve went as far. Of very many there is nothing to measure. */
static double
estimate_travel (const SondeChart *chart, const cairo_rectangle_t *area,
                 const SondeChartBucket *buckets, gsize n)
{
  double curves = (double) MAX (chart->n_series, 1);

  if (curves * area->width > STROKE_TRAVEL * 2)
    return INFINITY;
  return measure_travel (chart, area, buckets, n, STROKE_TRAVEL / curves) * curves;
}

/* The fast way of cairo 1.16 has room for a change of coverage a pixel, and writes beyond it where dashes along a row
 * have more: one begins or ends in four pixels at least. */
static gboolean
has_short_dashes (const SondeStroke *stroke)
{
  for (int i = 0; i + 1 < stroke->n_dashes; i += 2)
    if (stroke->dashes[i] + stroke->dashes[i + 1] < 5)
      return TRUE;
  return FALSE;
}

void
sonde_paint_curve (cairo_t *cr, const SondeChart *chart, const cairo_rectangle_t *area,
                   const SondeStroke *stroke, const SondeChartBucket *buckets, gsize n,
                   double alpha)
{
  double travel = estimate_travel (chart, area, buckets, n);

  if (travel > STROKE_TRAVEL)
    {
      sonde_paint_curve_columns (cr, chart, area, stroke, buckets, n, alpha);
      return;
    }
  cairo_new_path (cr);
  sonde_paint_set_color_alpha (cr, &stroke->color, alpha);
  cairo_save (cr);
  cairo_set_line_width (cr, SONDE_CURVE_WIDTH);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_BEVEL);
  cairo_set_antialias (cr, travel > BEST_TRAVEL && !has_short_dashes (stroke)
                               ? CAIRO_ANTIALIAS_FAST
                               : CAIRO_ANTIALIAS_DEFAULT);
  cairo_set_dash (cr, stroke->dashes, stroke->n_dashes, 0);
  sonde_curve_walk (chart, area, buckets, n, add_to_path, cr);
  cairo_stroke (cr);
  cairo_restore (cr);
}
