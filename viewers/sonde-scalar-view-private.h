/* SPDX-License-Identifier: Apache-2.0
 * State of the scalar view, shared by its files only. */
#pragma once

#include "viewers/paint/sonde-chart.h"
#include "viewers/sonde-scalar-view.h"
#include "viewers/sonde-smoother.h"

/**
 * SondeScalarItem: one curve
 * @overview: of all points, for limits and for times -> steps; NULL: to be fetched again
 * @band_to: (nullable): the other bound of an area; not owned, only compared
 * @window: what is drawn now; @raw, @smooth: the same in the axis' units
 */
typedef struct
{
  SondeSeries *series;
  char *title;
  guint color_index;
  SondeSeries *band_to;
  gulong changed;
  SondeSmoother *smoother;
  GArray *overview;     /* SondeBucket */
  GArray *window;       /* SondeBucket */
  GArray *raw, *smooth; /* SondeChartBucket; @smooth NULL without smoothing */
  guint64 shown;
} SondeScalarItem;

struct _SondeScalarView
{
  SondeView parent_instance;
  GPtrArray *items; /* SondeScalarItem */
  double smoothing;
  gboolean log_y;
  SondeScalarX x;
  gint64 cursor, mark;
  guint64 shown, held;
  gboolean smoothed; /* the last image had all means */
  guint smoothing_source;
};

void sonde_scalar_item_free (SondeScalarItem *item);
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

const char *sonde_scalar_x_title (SondeScalarX x);
char *sonde_scalar_view_describe (SondeView *view);
char *sonde_scalar_view_dup_table (SondeView *view, char separator);
void sonde_scalar_view_paint_overlay (SondeView *view, cairo_t *cr, int width, int height);
gboolean sonde_scalar_view_move_cursor (SondeView *view, int count);
void sonde_scalar_view_hover_changed (SondeView *view);
void sonde_scalar_view_connect_click (SondeScalarView *view);
