/* SPDX-License-Identifier: Apache-2.0
 * Axes of charts: grid, ticks, labels, titles. */
#pragma once

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_AXIS_LINEAR,
  SONDE_AXIS_LOG,      /* limits are log10 of the values */
  SONDE_AXIS_STEP,     /* whole numbers */
  SONDE_AXIS_DURATION, /* seconds since a start */
  SONDE_AXIS_CLOCK,    /* seconds since 1970 UTC */
} SondeAxisKind;

/**
 * SondeAxis:
 * @low, @high: values at the ends, in the axis' own scale; low at the left or the bottom
 * @title: (nullable): with unit, "step", "loss"; DURATION adds its unit itself
 */
typedef struct
{
  SondeAxisKind kind;
  double low, high;
  const char *title;
} SondeAxis;

/* Room that axes need around the area of a chart; fixed, so that nothing jumps when numbers
 * change. */
#define SONDE_AXIS_LEFT 54
#define SONDE_AXIS_RIGHT 12
#define SONDE_AXIS_TOP 8
#define SONDE_AXIS_BOTTOM 38 /* labels and the title below */

/* A value on its axis as px; values of LOG axes are given as values, not exponents. */
double sonde_axis_x (const SondeAxis *axis, const cairo_rectangle_t *area, double value);
double sonde_axis_y (const SondeAxis *axis, const cairo_rectangle_t *area, double value);

/* Grid, zero line, frame at the left and the bottom, labels, titles. */
void sonde_paint_axes (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *area,
                       const SondeAxis *x, const SondeAxis *y);

G_END_DECLS
