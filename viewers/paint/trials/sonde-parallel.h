/* SPDX-License-Identifier: Apache-2.0
 * Parallel coordinates: an axis a column, a line a trial. No GTK. */
#pragma once

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/**
 * SondeParallelAxis: nothing is owned
 * @low, @high: values at the bottom and at the top; of a log axis > 0
 * @names: (nullable): the values are words, 0 … n_names - 1
 * @has_brush: only lines whose value is from @from to @to are bright
 */
typedef struct
{
  const char *title;
  double low, high;
  gboolean log;
  const char *const *names;
  guint n_names;
  gboolean has_brush;
  double from, to;
} SondeParallelAxis;

/**
 * SondeParallel: nothing is owned
 * @values: [n_lines, n_axes]; NaN: the line has a gap there
 * @color_axis: whose place makes the colour, -1: none
 * @emphasised: a line that is drawn thick above all, -1: none
 * @focused: an axis that keys are for, -1: none
 */
typedef struct
{
  const SondeParallelAxis *axes;
  guint n_axes;
  const double *values;
  guint n_lines;
  int color_axis, emphasised, focused;
} SondeParallel;

#define SONDE_PARALLEL_TOP 34 /* px above the axes, for titles and scales */
#define SONDE_PARALLEL_BOTTOM 14
#define SONDE_PARALLEL_SIDE 60

double sonde_parallel_get_x (guint axis, guint n_axes, int width);
/* 0 at the bottom … 1 at the top; NaN: the axis has no such place. A range without width puts all in
 * the middle. */
double sonde_parallel_get_place (const SondeParallelAxis *axis, double value);
double sonde_parallel_get_value (const SondeParallelAxis *axis, double place); /* and back */
double sonde_parallel_get_y (double place, int height);
double sonde_parallel_get_place_at (double y, int height); /* within 0 … 1 */
/* Within the brushes of all axes. */
gboolean sonde_parallel_is_in (const SondeParallel *parallel, guint line);

/* The colour of a place, 0 … 1, on the axis that makes the colour. */
SondeColor sonde_parallel_get_shade (const SondeTheme *theme, double place);

void sonde_paint_parallel (cairo_t *cr, const SondeTheme *theme, const SondeParallel *parallel,
                           int width, int height);
/* One line alone, thick: what is under the pointer. */
void sonde_paint_parallel_line (cairo_t *cr, const SondeTheme *theme, const SondeParallel *parallel,
                                guint line, int width, int height);

G_END_DECLS
