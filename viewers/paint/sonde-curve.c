/* SPDX-License-Identifier: Apache-2.0
 * Each bucket becomes first → both extremes → last, so that no peak is lost at any zoom. What a
 * stroke costs in Cairo grows with its length, and noise is long: a million points swing up and
 * down a thousand times over the width. Such a line is drawn as one rectangle a column of pixels,
 * which looks the same and takes a hundredth of the time (bench-chart). */
#include "viewers/paint/sonde-curve-private.h"

#include <math.h>

#define LINE_WIDTH 1.5
#define TALL 8 /* px of a column */

/* Px that all curves of a chart may go up and down, as strokes of best quality (0.3 ms a 1000 px)
 * and of good quality (0.06 ms a 1000 px). */
#define BEST_TRAVEL 20e3
#define STROKE_TRAVEL 120e3

/* Cairo's coordinates have 24 bits; a zoomed curve goes far beyond the chart. */
#define FAR 1e5

gboolean
sonde_chart_is_drawable (const SondeChart *chart, double value)
{
  return isfinite (value) && (chart->y.kind != SONDE_AXIS_LOG || value > 0);
}

double
sonde_chart_x (const SondeChart *chart, const cairo_rectangle_t *area, double x)
{
  return CLAMP (sonde_axis_x (&chart->x, area, x), -FAR, FAR);
}

double
sonde_chart_y (const SondeChart *chart, const cairo_rectangle_t *area, double value)
{
  return CLAMP (sonde_axis_y (&chart->y, area, value), -FAR, FAR);
}

/* ---- corners of the line ------------------------------------------------- */

/* Receives the corners in order; @begin: not joined with the one before. */
typedef void (*CornerFunc) (double x, double y, gboolean begin, void *data);

typedef struct
{
  const SondeChart *chart;
  const cairo_rectangle_t *area;
  CornerFunc func;
  void *data;
  gboolean begin;
} Walk;

static void
corner (Walk *walk, double x, double value)
{
  if (!sonde_chart_is_drawable (walk->chart, value))
    return;
  walk->func (x, sonde_chart_y (walk->chart, walk->area, value), walk->begin, walk->data);
  walk->begin = FALSE;
}

static void
walk_bucket (Walk *walk, const SondeChartBucket *bucket)
{
  double x0 = sonde_chart_x (walk->chart, walk->area, bucket->x0);
  double x1 = sonde_chart_x (walk->chart, walk->area, bucket->x1), middle = (x0 + x1) / 2;
  /* The extreme that lies nearer to the first value is passed first. */
  gboolean up = fabs (bucket->first - bucket->min) <= fabs (bucket->max - bucket->first);

  corner (walk, x0, bucket->first);
  if (bucket->count > 1)
    {
      corner (walk, middle, up ? bucket->min : bucket->max);
      corner (walk, middle, up ? bucket->max : bucket->min);
      corner (walk, x1, bucket->last);
    }
}

static void
walk_corners (const SondeChart *chart, const cairo_rectangle_t *area,
              const SondeChartBucket *buckets, gsize n, CornerFunc func, void *data)
{
  Walk walk = { chart, area, func, data, TRUE };

  for (gsize i = 0; i < n; i++)
    {
      /* A bucket of nothing but NaN interrupts the line. */
      walk.begin = walk.begin || buckets[i].starts || buckets[i].n_nan == buckets[i].count;
      walk_bucket (&walk, &buckets[i]);
    }
}

/* ---- a stroke ------------------------------------------------------------ */

static void
add_to_path (double x, double y, gboolean begin, void *data)
{
  if (begin)
    cairo_move_to (data, x, y);
  else
    cairo_line_to (data, x, y);
}

/* ---- columns ------------------------------------------------------------- */

/* Extent of the line in each column of pixels; low > high where it is not. */
typedef struct
{
  cairo_t *cr;
  const cairo_rectangle_t *area;
  const SondeStroke *stroke;
  int left, n;
  float *low, *high;
  double x, y; /* the corner before */
} Columns;

/* Dashes run along x: where the pattern is off there is no column. */
static gboolean
is_dash_on (const SondeStroke *stroke, double x)
{
  double period = 0, at;

  for (int i = 0; i < stroke->n_dashes; i++)
    period += stroke->dashes[i];
  if (period <= 0)
    return TRUE;
  at = fmod (x, period);
  for (int i = 0; i < stroke->n_dashes; i++)
    {
      if (at < stroke->dashes[i])
        return i % 2 == 0;
      at -= stroke->dashes[i];
    }
  return TRUE;
}

/* Paints what is there and starts anew. */
static void
flush_columns (Columns *columns)
{
  double top = columns->area->y - LINE_WIDTH,
         bottom = columns->area->y + columns->area->height + LINE_WIDTH;

  for (int i = 0; i < columns->n; i++)
    {
      double low = MAX (columns->low[i] - LINE_WIDTH / 2, top),
             high = MIN (columns->high[i] + LINE_WIDTH / 2, bottom);

      columns->low[i] = INFINITY;
      columns->high[i] = -INFINITY;
      if (!(low < high) || !is_dash_on (columns->stroke, i))
        continue;
      /* Whole pixels are filled three times faster, and on a tall column one does not see the
       * difference. */
      if (high - low > TALL)
        {
          low = floor (low);
          high = ceil (high);
        }
      cairo_rectangle (columns->cr, columns->left + i, low, 1, high - low);
      cairo_fill (columns->cr);
    }
}

static void
widen (Columns *columns, int column, double y0, double y1)
{
  int i = column - columns->left;

  if (i < 0 || i >= columns->n)
    return;
  columns->low[i] = fminf (columns->low[i], (float) MIN (y0, y1));
  columns->high[i] = fmaxf (columns->high[i], (float) MAX (y0, y1));
}

static void
add_to_columns (double x, double y, gboolean begin, void *data)
{
  Columns *columns = data;
  double x0 = begin ? x : columns->x, y0 = begin ? y : columns->y;
  double left = MIN (x0, x), right = MAX (x0, x), slope = right > left ? (y - y0) / (x - x0) : 0;
  int first = (int) floor (MAX (left, columns->left)),
      last = (int) floor (MIN (right, columns->left + columns->n));

  /* A resumed run goes back: a line of its own over the one before. */
  if (begin && x < columns->x)
    flush_columns (columns);
  if (first == last)
    widen (columns, first, y0, y);
  for (int column = first; column <= last && first < last; column++)
    {
      double from = MAX (left, column), to = MIN (right, column + 1);
      widen (columns, column, y0 + (from - x0) * slope, y0 + (to - x0) * slope);
    }
  columns->x = x;
  columns->y = y;
}

static void
paint_columns (cairo_t *cr, const SondeChart *chart, const cairo_rectangle_t *area,
               const SondeStroke *stroke, const SondeChartBucket *buckets, gsize n)
{
  Columns columns = {
    .cr = cr,
    .area = area,
    .stroke = stroke,
    .left = (int) floor (area->x),
    .n = (int) ceil (area->width) + 1,
    .x = -INFINITY,
  };
  g_autofree float *extents = g_new (float, 2 * (gsize) columns.n);

  columns.low = extents;
  columns.high = extents + columns.n;
  for (int i = 0; i < columns.n; i++)
    {
      columns.low[i] = INFINITY;
      columns.high[i] = -INFINITY;
    }
  walk_corners (chart, area, buckets, n, add_to_columns, &columns);
  flush_columns (&columns);
}

/* ---- either -------------------------------------------------------------- */

/* How far the line goes up and down inside of the area. */
typedef struct
{
  double top, bottom, last, sum;
} Travel;

static void
add_to_travel (double x, double y, gboolean begin, void *data)
{
  Travel *travel = data;
  double inside = CLAMP (y, travel->top, travel->bottom);

  if (!begin)
    travel->sum += fabs (inside - travel->last);
  travel->last = inside;
}

static double
measure_travel (const SondeChart *chart, const cairo_rectangle_t *area,
                const SondeChartBucket *buckets, gsize n)
{
  Travel travel = { .top = area->y, .bottom = area->y + area->height };

  walk_corners (chart, area, buckets, n, add_to_travel, &travel);
  return travel.sum;
}

void
sonde_paint_curve (cairo_t *cr, const SondeChart *chart, const cairo_rectangle_t *area,
                   const SondeStroke *stroke, const SondeChartBucket *buckets, gsize n,
                   double alpha)
{
  /* As if every other curve went as far. */
  double travel = measure_travel (chart, area, buckets, n) * (double) MAX (chart->n_series, 1);

  cairo_new_path (cr);
  sonde_paint_set_color_alpha (cr, &stroke->color, alpha);
  if (travel > STROKE_TRAVEL)
    {
      paint_columns (cr, chart, area, stroke, buckets, n);
      return;
    }
  cairo_save (cr);
  cairo_set_line_width (cr, LINE_WIDTH);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_BEVEL);
  cairo_set_antialias (cr, travel > BEST_TRAVEL ? CAIRO_ANTIALIAS_FAST : CAIRO_ANTIALIAS_DEFAULT);
  cairo_set_dash (cr, stroke->dashes, stroke->n_dashes, 0);
  walk_corners (chart, area, buckets, n, add_to_path, cr);
  cairo_stroke (cr);
  cairo_restore (cr);
}
