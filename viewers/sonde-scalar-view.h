/* SPDX-License-Identifier: Apache-2.0
 * Curves of scalar series: several runs in a chart, smoothing, log y, x by step or time, crosshair
 * with the values of all, and the step cursor. Reads through sonde_series_query(): never more
 * points than pixels, yet every extreme. */
#pragma once

#include "data/runs/sonde-run-store.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SCALAR_VIEW (sonde_scalar_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeScalarView, sonde_scalar_view, SONDE, SCALAR_VIEW, SondeView)

typedef enum
{
  SONDE_SCALAR_X_STEP,
  SONDE_SCALAR_X_RELATIVE, /* seconds since the run's first record */
  SONDE_SCALAR_X_WALL,
  SONDE_SCALAR_X_METRIC, /* what another series of the run says at that step, or said last */
} SondeScalarX;

/* No mark, no cursor. */
#define SONDE_SCALAR_NO_STEP G_MININT64

/* Signals: "cursor-moved" (gint64 step): by a click, the arrow keys, or dragged;
 *   "second-moved" (gint64 step): the same of the second cursor: by Shift and a click, by D and the arrow keys;
 *   SONDE_SCALAR_NO_STEP: Escape was pressed;
 *   "hidden-changed" (GStrv titles): by the legend; (nullable): no curve is hidden;
 *   "hovered-step" (gint64 step): SONDE_SCALAR_NO_STEP when the pointer left;
 *   "counts-changed" (): see sonde_scalar_view_get_counts(). */

GtkWidget *sonde_scalar_view_new (void);

void sonde_scalar_view_clear (SondeScalarView *view);
/* @title: of the run; @color_index: of the run. The same series again only takes the new title. */
void sonde_scalar_view_add (SondeScalarView *view, SondeSeries *series, const char *title,
                            guint color_index);
void sonde_scalar_view_remove (SondeScalarView *view, SondeSeries *series);
/* Fills the area between two series that were added; @upper: (nullable): NULL ends it. */
void sonde_scalar_view_set_band (SondeScalarView *view, SondeSeries *lower, SondeSeries *upper);
/* A series that is only the bound of a band: no line, no number in tables. */
void sonde_scalar_view_set_bound (SondeScalarView *view, SondeSeries *series);
guint sonde_scalar_view_get_n_series (SondeScalarView *view);
/* (transfer none) (nullable): NULL for a bound. @title, @color_index: (out): as they were added */
SondeSeries *sonde_scalar_view_get_curve (SondeScalarView *view, guint i, const char **title,
                                          guint *color_index);
/* Its series will be added soon: an empty chart says nothing about that. */
void sonde_scalar_view_set_waiting (SondeScalarView *view, gboolean waiting);

/* 0: off; up to 0.999 */
void sonde_scalar_view_set_smoothing (SondeScalarView *view, double weight);
typedef enum
{
  SONDE_SCALAR_SMOOTH_EXPONENTIAL,
  SONDE_SCALAR_SMOOTH_RUNNING,
  SONDE_SCALAR_SMOOTH_GAUSSIAN,
} SondeScalarSmooth;

/* The same by another method. @amount: a weight, or a width in points; 0: off */
void sonde_scalar_view_set_smoothing_by (SondeScalarView *view, SondeScalarSmooth method,
                                         double amount);
void sonde_scalar_view_set_log_y (SondeScalarView *view, gboolean log_y);
/* @metric: (nullable): what METRIC is called on the axis */
void sonde_scalar_view_set_x (SondeScalarView *view, SondeScalarX x, const char *metric);
/* METRIC: of one series that was added; @x_series: (nullable): without one its points have no place */
void sonde_scalar_view_set_x_series (SondeScalarView *view, SondeSeries *series,
                                     SondeSeries *x_series);
/* Of steps, relative times and metrics; what is not above 0 has no place then. */
void sonde_scalar_view_set_log_x (SondeScalarView *view, gboolean log_x);
/* What "fit" shows in place of what the data asks for, in units of the axes; NaN: the data's. */
void sonde_scalar_view_set_limits (SondeScalarView *view, double x_low, double x_high, double y_low,
                                   double y_high);
/* The y axis is that of 98 of 100 points; what lies beyond is said. */
void sonde_scalar_view_set_clip (SondeScalarView *view, gboolean clip);
/* SondeChartMarks, of raw values. */
void sonde_scalar_view_set_marks (SondeScalarView *view, guint marks);
/* Lines at values and at steps, "0.9 target" each, as of sonde_chart_setup_parse_mark(); (nullable) both */
void sonde_scalar_view_set_rules (SondeScalarView *view, const char *const *rules,
                                  const char *const *milestones);
/* Curves of these titles are named in the legend, and not drawn. (nullable): all are */
void sonde_scalar_view_set_hidden (SondeScalarView *view, const char *const *titles);
/* Names the curves where one line is enough for all, in small charts, too. Default: only large
 * ones do. */
void sonde_scalar_view_set_legend (SondeScalarView *view, gboolean has_legend);
/* A SondeChartOrder: of the lines of the table at the pointer. Default: the nearest first */
void sonde_scalar_view_set_order (SondeScalarView *view, int order);
void sonde_scalar_view_set_cursor (SondeScalarView *view, gint64 step);
/* The cursor B. With it @step of sonde_scalar_view_set_cursor() is A, or without one the last step of all curves.
 * SONDE_SCALAR_NO_STEP: there is none. */
void sonde_scalar_view_set_second (SondeScalarView *view, gint64 step);
/* Where A stands, or the one cursor, or the last step; FALSE: there is no point. @b: SONDE_SCALAR_NO_STEP without it */
gboolean sonde_scalar_view_get_cursors (SondeScalarView *view, gint64 *a, gint64 *b);
/* The step under the pointer in another chart. */
void sonde_scalar_view_set_mark (SondeScalarView *view, gint64 step);

/* Points in the window that are drawn (each is part of a bucket), and points that the series
 * hold. */
void sonde_scalar_view_get_counts (SondeScalarView *view, guint64 *shown, guint64 *held);

/* FALSE while a mean over many points is still being computed. */
gboolean sonde_scalar_view_is_settled (SondeScalarView *view);

/* The value of series @i nearest to @step as drawn; FALSE when there is none. For read-outs. */
gboolean sonde_scalar_view_get_value (SondeScalarView *view, guint i, gint64 step,
                                      SondePoint *point);

/* The table beside the pointer, or beside the step cursor while the keys are used, as it is read on the screen: cells with a tab between, lines by
 * '\n'. (transfer full) (nullable): NULL while there is none */
char *sonde_scalar_view_dup_readout (SondeScalarView *view);

G_END_DECLS
