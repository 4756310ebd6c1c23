/* SPDX-License-Identifier: Apache-2.0
 * One curve of a chart, and the ways to draw it. */
#pragma once

#include "viewers/paint/sonde-chart.h"

/* Finite, and positive where the axis is logarithmic. */
gboolean sonde_chart_is_drawable (const SondeChart *chart, double value);
double sonde_chart_x (const SondeChart *chart, const cairo_rectangle_t *area, double x);
double sonde_chart_y (const SondeChart *chart, const cairo_rectangle_t *area, double value);

#define SONDE_CURVE_WIDTH 1.5 /* px */

/* Receives the corners of a line in order; @begin: not joined with the one before. */
typedef void (*SondeCornerFunc) (double x, double y, gboolean begin, void *data);
void sonde_curve_walk (const SondeChart *chart, const cairo_rectangle_t *area,
                       const SondeChartBucket *buckets, gsize n, SondeCornerFunc func, void *data);

/* Draws the buckets as a line, column by column of pixels: for lines that go up and down all the time. */
void sonde_paint_curve_columns (cairo_t *cr, const SondeChart *chart, const cairo_rectangle_t *area,
                                const SondeStroke *stroke, const SondeChartBucket *buckets, gsize n,
                                double alpha);

/* Draws the buckets as a line in the stroke's colour × @alpha. */
void sonde_paint_curve (cairo_t *cr, const SondeChart *chart, const cairo_rectangle_t *area,
                        const SondeStroke *stroke, const SondeChartBucket *buckets, gsize n,
                        double alpha);
