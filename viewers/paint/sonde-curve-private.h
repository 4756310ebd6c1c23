/* SPDX-License-Identifier: Apache-2.0
 * One curve of a chart; shared by the files of this folder. */
#pragma once

#include "viewers/paint/sonde-chart.h"

/* Finite, and positive where the axis is logarithmic. */
gboolean sonde_chart_is_drawable (const SondeChart *chart, double value);
double sonde_chart_x (const SondeChart *chart, const cairo_rectangle_t *area, double x);
double sonde_chart_y (const SondeChart *chart, const cairo_rectangle_t *area, double value);

/* Draws the buckets as a line in the stroke's colour × @alpha. */
void sonde_paint_curve (cairo_t *cr, const SondeChart *chart, const cairo_rectangle_t *area,
                        const SondeStroke *stroke, const SondeChartBucket *buckets, gsize n,
                        double alpha);
