/* SPDX-License-Identifier: Apache-2.0
 * A chart of curves that were down-sampled before: a bucket for each pixel column or each point. */
#pragma once

#include "viewers/paint/sonde-axis.h"

G_BEGIN_DECLS

/**
 * SondeChartBucket: consecutive points
 * @x0, @x1: of the first and the last point; @min … @last: values, NaN when there is none
 * @count: points; @n_nan: those that are NaN
 * @starts: not joined with the bucket before (a resumed run)
 */
typedef struct
{
  double x0, x1, min, max, first, last;
  guint count, n_nan;
  gboolean starts;
} SondeChartBucket;

/* @smooth: drawn over @raw, which fades to 25 %; NULL when there is no smoothing. Not owned.
 * @band_to: 0, or one more than the number of the series that with this one bounds an area, at 15
 * %
 * @is_bound: no line: it only bounds the area of another one */
typedef struct
{
  SondeStroke stroke;
  const SondeChartBucket *raw, *smooth;
  gsize n_raw, n_smooth;
  gsize band_to;
  gboolean is_bound;
} SondeChartSeries;

/* A line through the chart: at a value, or at a place on the x axis. @label: "" without; not owned */
typedef struct
{
  double at;
  const char *label;
} SondeChartRule;

typedef enum
{
  SONDE_CHART_SIGN_MIN,
  SONDE_CHART_SIGN_MAX,
  SONDE_CHART_SIGN_LAST,
} SondeChartSign;

/* An extreme or the end of a curve. @label: (nullable): its value; not owned */
typedef struct
{
  double x, y;
  SondeChartSign sign;
  SondeColor color;
  const char *label;
} SondeChartMark;

/**
 * SondeChart:
 * @rules: dashed lines at values; @milestones: at places on the x axis; both with their labels
 * @message: (nullable): a sentence in place of curves ("No points between these steps")
 * @note: (nullable): small, in the upper right corner ("12 values ≤ 0 have no logarithm")
 */
typedef struct
{
  SondeAxis x, y;
  const SondeChartSeries *series;
  gsize n_series;
  const SondeChartRule *rules, *milestones;
  gsize n_rules, n_milestones;
  const SondeChartMark *marks;
  gsize n_marks;
  const char *message, *note;
} SondeChart;

/* Px a point at least, for points to be marked. */
#define SONDE_CHART_POINT_SPACING 6

/* Where curves go in a chart of @width × @height px. */
void sonde_chart_get_area (int width, int height, cairo_rectangle_t *area);

void sonde_paint_chart (cairo_t *cr, const SondeTheme *theme, const SondeChart *chart, int width,
                        int height);

/* Limits that show finite @min … @max with air above and below; LOG: of log10, with max > 0. When
 * they are equal or not finite, a range around them. */
void sonde_chart_pad_limits (SondeAxisKind kind, double min, double max, double *low, double *high);

G_END_DECLS
