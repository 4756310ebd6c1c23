/* SPDX-License-Identifier: Apache-2.0
 * Levels over time: numbers that hold until the next one, such as memory that is taken or batches that are
 * ready. However many points there are, no pixel loses its least and its greatest one. */
#pragma once

#include "data/traces/sonde-trace.h"
#include "viewers/paint/sonde-axis.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_LEVEL_NUMBER,
  SONDE_LEVEL_BYTES,
  SONDE_LEVEL_SHARE, /* of 1, shown in % */
} SondeLevelUnit;

/* @points: SondeTracePoint by time; not owned */
typedef struct
{
  const char *name;
  const SondeTracePoint *points;
  gsize n_points;
} SondeLevelSeries;

/**
 * SondeLevelPlot: nothing is owned
 * @origin_ns: zero of the axis of time
 * @title: (nullable): of the vertical axis, of numbers only
 * @low, @high: s since the origin at the ends; @bottom, @top: values at the ends
 * @cursor: index of a point of the first series; -1: none
 * @message: (nullable): a sentence in place of the picture
 */
typedef struct
{
  SondeLevelUnit unit;
  const SondeLevelSeries *series;
  gsize n_series;
  gint64 origin_ns;
  const char *title;
  double low, high, bottom, top;
  gint64 cursor;
  const char *message;
} SondeLevelPlot;

/* "1.5 MiB", "12.3 %". (transfer full) */
char *sonde_level_format (SondeLevelUnit unit, double value);
/* All points, and zero. */
void sonde_level_plot_fit (SondeLevelPlot *plot);
void sonde_level_plot_get_area (int width, int height, cairo_rectangle_t *area);
/* What holds at a time: index of a point of @series; -1 before the first. */
gint64 sonde_level_find (const SondeLevelSeries *series, gint64 at_ns);
void sonde_paint_level (cairo_t *cr, const SondeTheme *theme, const SondeLevelPlot *plot, int width,
                        int height);

G_END_DECLS
