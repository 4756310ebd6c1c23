/* SPDX-License-Identifier: Apache-2.0
 * A line as one span a column of pixels. Where the target is an image in memory the spans are written into
 * it: a rectangle of Cairo's costs more than the pixels in it. */
#include <math.h>

#include "viewers/paint/curve/sonde-curve.h"
#include "viewers/paint/curve/sonde-column-ink.h"

#define TALL 8 /* px of a column */

/* Extent of the line in each column of pixels; low > high where it is not. */
typedef struct
{
  cairo_t *cr;
  SondeColumnInk *ink; /* (nullable): NULL: the target is no image */
  const cairo_rectangle_t *area;
  const SondeStroke *stroke;
  int left, n;
  float *low, *high;
  double x, y; /* the corner before */
} Columns;

/* Dashes run along x: where the pattern is off there is no column. @at: px since the begin of @part. */
typedef struct
{
  const SondeStroke *stroke;
  int part;
  double at;
} Dash;

/* Goes on by a column. */
static void
dash_step (Dash *dash)
{
  const SondeStroke *stroke = dash->stroke;

  dash->at += 1;
  for (int i = 0; i < stroke->n_dashes && dash->at >= stroke->dashes[dash->part]; i++)
    {
      dash->at -= stroke->dashes[dash->part];
      dash->part = (dash->part + 1) % stroke->n_dashes;
    }
}

/* Whole pixels are filled three times faster, and on a tall column one does not see the difference. */
static void
fill_rectangle (cairo_t *cr, int x, double low, double high)
{
  if (high - low > TALL)
    {
      low = floor (low);
      high = ceil (high);
    }
  cairo_rectangle (cr, x, low, 1, high - low);
  cairo_fill (cr);
}

static void
clear_columns (Columns *columns)
{
  for (int i = 0; i < columns->n; i++)
    {
      columns->low[i] = INFINITY;
      columns->high[i] = -INFINITY;
    }
}

/* Half of the line's width on both sides; nothing where the dashes have a gap. */
static void
widen_to_line (Columns *columns)
{
  float top = (float) (columns->area->y - SONDE_CURVE_WIDTH),
        bottom = (float) (columns->area->y + columns->area->height + SONDE_CURVE_WIDTH);
  const float half = (float) (SONDE_CURVE_WIDTH / 2);
  Dash dash = { .stroke = columns->stroke };

  for (int i = 0; i < columns->n; i++, dash_step (&dash))
    {
      columns->low[i] = MAX (columns->low[i] - half, top);
      columns->high[i] = dash.part % 2 == 0 ? MIN (columns->high[i] + half, bottom) : -INFINITY;
    }
}

/* Paints what is there and starts anew. */
static void
flush_columns (Columns *columns)
{
  widen_to_line (columns);
  if (columns->ink != NULL)
    sonde_column_ink_fill (columns->ink, columns->left, columns->n, columns->low, columns->high);
  else
    for (int i = 0; i < columns->n; i++)
      if (columns->low[i] < columns->high[i])
        fill_rectangle (columns->cr, columns->left + i, (double) columns->low[i],
                        (double) columns->high[i]);
  clear_columns (columns);
}

static void
widen (Columns *columns, int column, double y0, double y1)
{
  int i = column - columns->left;
  float low = (float) MIN (y0, y1), high = (float) MAX (y0, y1);

  if (i < 0 || i >= columns->n)
    return;
  columns->low[i] = low < columns->low[i] ? low : columns->low[i];
  columns->high[i] = high > columns->high[i] ? high : columns->high[i];
}

/* As floor(), which is a call here; @value is a place near the area. */
static int
round_down (double value)
{
  int whole = (int) value;

  return whole - (value < whole);
}

static void
add_to_columns (double x, double y, gboolean begin, void *data)
{
  Columns *columns = data;
  double x0 = begin ? x : columns->x, y0 = begin ? y : columns->y;
  double left = MIN (x0, x), right = MAX (x0, x), slope = right > left ? (y - y0) / (x - x0) : 0;
  int first = round_down (MAX (left, columns->left)),
      last = round_down (MIN (right, columns->left + columns->n));

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

void
sonde_paint_curve_columns (cairo_t *cr, const SondeChart *chart, const cairo_rectangle_t *area,
                           const SondeStroke *stroke, const SondeChartBucket *buckets, gsize n,
                           double alpha)
{
  SondeColumnInk ink;
  Columns columns = {
    .cr = cr,
    .area = area,
    .stroke = stroke,
    .left = (int) floor (area->x),
    .n = (int) ceil (area->width) + 1,
    .x = -INFINITY,
  };
  g_autofree float *extents = g_new (float, 2 * (gsize) columns.n);

  if (sonde_column_ink_begin (&ink, cr, &stroke->color, alpha))
    columns.ink = &ink;
  cairo_new_path (cr);
  sonde_paint_set_color_alpha (cr, &stroke->color, alpha);
  columns.low = extents;
  columns.high = extents + columns.n;
  clear_columns (&columns);
  sonde_curve_walk (chart, area, buckets, n, add_to_columns, &columns);
  flush_columns (&columns);
  if (columns.ink != NULL)
    sonde_column_ink_end (&ink);
}
