/* SPDX-License-Identifier: Apache-2.0
 * One curve of a scalar view: from a window on the x axis to buckets ready for the painter. */
#pragma once

#include "viewers/paint/sonde-chart.h"
#include "viewers/smoothing/sonde-smoother.h"
#include "viewers/sonde-scalar-view.h"

/**
 * SondeScalarItem: one curve
 * @overview: of all points, for limits and for times -> steps; NULL: to be fetched again
 * @band_to: (nullable): the other bound of an area; not owned, only compared
 * @x_low, @x_high: of all points on the x axis, as of the last sonde_scalar_item_get_x_range();
 *   low > high: there are none
 * @window: what is drawn now; @raw, @smooth: the same in the axis' units
 */
typedef struct
{
  SondeSeries *series;
  char *title;
  double title_width; /* px in a legend; 0: not measured */
  guint color_index;
  SondeSeries *band_to;
  gboolean is_bound; /* of a band, and nothing else */
  guint number;      /* as they were added */
  gulong changed;
  SondeSmoother *smoother;
  guint smoothing_number; /* of the view when it was made */
  GArray *overview;       /* SondeBucket */
  GArray *window;         /* SondeBucket */
  GArray *raw, *smooth;   /* SondeChartBucket; @smooth NULL without smoothing */
  double x_low, x_high;
  guint64 shown;
  SondeSeries *x_series; /* METRIC; (nullable) */
  gulong x_changed;
  GArray *x_points; /* SondePoint of it; NULL: to be fetched again */
  gboolean log_x;   /* of the view, as of the last preparation */
} SondeScalarItem;

#define SONDE_SCALAR_SHORT 4096u /* points: smoothed at once, again and again */
void sonde_scalar_item_free (SondeScalarItem *item);
/* All that was fetched, but for what is known of its ends. */
void sonde_scalar_item_forget (SondeScalarItem *item);
/* @x_series: (nullable); @changed (@x_series, @user_data) when it is to be read again */
void sonde_scalar_item_set_x_series (SondeScalarItem *item, SondeSeries *x_series,
                                     GCallback changed, void *user_data);
/* Limits on the x axis of all points. FALSE when there is none. */
gboolean sonde_scalar_item_get_x_range (SondeScalarItem *item, SondeScalarX x, double *low,
                                        double *high);
/* Fetches what lies between @low and @high on the x axis, in at most @width buckets, and a
 * neighbour on each side. */
void sonde_scalar_item_fetch (SondeScalarItem *item, SondeScalarX x, double low, double high,
                              int width);
/* Finite limits of what was fetched inside of @low … @high; only values > 0 with @log_y. */
gboolean sonde_scalar_item_get_y_range (const SondeScalarItem *item, double low, double high,
                                        gboolean log_y, double *min, double *max);
/* Place of a step on the x axis; NaN when unknown. */
double sonde_scalar_item_x_of_step (const SondeScalarItem *item, SondeScalarX x, gint64 step);
/* The point nearest to @value on the x axis. */
gboolean sonde_scalar_item_nearest (const SondeScalarItem *item, SondeScalarX x, double value,
                                    SondePoint *point);
double sonde_scalar_item_x_of (const SondeScalarItem *item, SondeScalarX x, gint64 step,
                               gint64 wall_ns);
