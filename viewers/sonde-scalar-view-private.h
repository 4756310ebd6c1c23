/* SPDX-License-Identifier: Apache-2.0
 * State of the scalar view, shared by its files only. */
#pragma once

#include "data/charts/sonde-chart-setup.h"
#include "data/charts/sonde-curve-difference.h"
#include "viewers/paint/sonde-legend.h"
#include "viewers/paint/sonde-readout.h"
#include "viewers/sonde-scalar-item-private.h"

/* Where values are read: at a recorded point of @item, @x on the axis. */
typedef struct
{
  const SondeScalarItem *item;
  gint64 step, wall_time_ns;
  double x;
} SondePlace;

/* What one series says there. @mean: as drawn, NaN without one; @x, @y: px of what is drawn. */
typedef struct
{
  const SondeScalarItem *item;
  SondeReadingKind kind;
  SondePoint point;
  double mean, x, y, distance;
} SondeReading;

static inline gboolean
sonde_reading_has_value (const SondeReading *reading)
{
  return reading->kind == SONDE_READING_THERE || reading->kind == SONDE_READING_BESIDE;
}

struct _SondeScalarView
{
  SondeView parent_instance;
  GPtrArray *items;      /* SondeScalarItem: those that are drawn */
  GPtrArray *hidden;     /* SondeScalarItem: the others; both by their numbers */
  char **hidden_titles;  /* of the latter; (nullable) */
  gboolean sorts_hidden; /* both are to be sorted out anew */
  guint n_added;
  GHashTable *by_series; /* SondeSeries -> SondeScalarItem */
  double smoothing;      /* 0: off */
  SondeScalarSmooth method;
  guint smoothing_number; /* counts the changes of both */
  gboolean log_y, log_x, clip;
  SondeScalarX x;
  char *metric;
  double x_low, x_high, y_low, y_high; /* asked for; NaN: not */
  guint marks;
  int order;                           /* SondeChartOrder */
  guint first_line, n_lines, n_hidden; /* of the table at the pointer, as it was made last */
  char *reading;                       /* that table as text; (nullable): none is painted */
  char **rules, **milestones;
  GArray *chart_rules, *chart_milestones, *chart_marks; /* of the image; they lend @texts */
  GPtrArray *texts;
  char *note;
  gint64 cursor, second, mark;
  gboolean moves_second; /* the keys do */
  gboolean is_on_cursor; /* the pointer is */
  guint64 shown, held;
  gboolean waiting; /* for its series */
  gboolean has_legend;
  guint legend_lines;
  guint legend_first, legend_shown, legend_total; /* entries, as of the last preparation */
  int legend_focus;                               /* the keys are at this entry; -1: elsewhere */
  double legend_height;                           /* px, as of the last preparation */
  gboolean smoothed;                              /* the last image had all means */
  gboolean tells_progress; /* of means that are on their way for a while already */
  gboolean forgotten;      /* what was fetched for it */
  guint smoothing_source, counts_source;
};

/* Means of few points at once; view->smoothed tells whether others are on their way. */
void sonde_scalar_view_update_smoothers (SondeScalarView *view);
void sonde_scalar_view_fetch (SondeScalarView *view, const SondeViewport *viewport, double width);
/* What of the means is still on its way, in words. (transfer full) (nullable): NULL: nothing */
char *sonde_scalar_view_dup_smoothing_progress (SondeScalarView *view);
/* What was fetched is dropped, or fetched again for who reads values. */
void sonde_scalar_view_forget (SondeScalarView *view);
void sonde_scalar_view_remember (SondeScalarView *view);

const char *sonde_scalar_view_get_x_title (SondeScalarView *view);
/* Is the x axis drawn in decades? Not one of dates. */
gboolean sonde_scalar_view_is_log_x (SondeScalarView *view);
/* Between a value on the x axis and its place in a viewport. */
double sonde_scalar_view_x_to_world (SondeScalarView *view, double value);
double sonde_scalar_view_x_from_world (SondeScalarView *view, double place);
/* Limits of the y axis of 98 of 100 of what was fetched. FALSE: there is nothing to be cut off. */
gboolean sonde_scalar_view_find_clip (SondeScalarView *view, const SondeViewport *viewport,
                                      double *min, double *max);
/* What is drawn beside the curves: rules, milestones, extremes; what is said in the corner. */
void sonde_scalar_view_decorate (SondeScalarView *view, const SondeTheme *theme,
                                 const SondeViewport *viewport, SondeChart *chart);
void sonde_scalar_view_clear_decoration (SondeScalarView *view);
char *sonde_scalar_view_describe (SondeView *view);
char *sonde_scalar_view_dup_pgfplots (SondeView *view);
char *sonde_scalar_view_dup_table (SondeView *view, char separator);
void sonde_scalar_view_paint_overlay (SondeView *view, cairo_t *cr, int width, int height);
gboolean sonde_scalar_view_move_cursor (SondeView *view, int count);
gboolean sonde_scalar_view_drag (SondeView *view, SondeViewDrag phase, double x, double y,
                                 GdkModifierType state);
int sonde_scalar_view_measure_appendix (SondeView *view, int width, int height);
void sonde_scalar_view_paint_appendix (SondeView *view, cairo_t *cr, int width, int height,
                                       int room);
/* Alt and the wheel: the lines of the table at the pointer. */
void sonde_scalar_view_scroll (SondeView *view, double dy);
/* Page Up and Page Down: the same; D: a second cursor, or the other one; Escape: away
 * with it. */
void sonde_scalar_view_add_keys (GtkWidgetClass *widget_class);
void sonde_scalar_view_hover_changed (SondeView *view);
void sonde_scalar_view_connect_click (SondeScalarView *view);

/* ---- legend (sonde-scalar-view-legend.c) --------------------------------- */

/* A large chart names its curves; a small one does where its owner asks for it and one line is
 * enough for all. Finds out how much room that takes. */
void sonde_scalar_view_update_legend (SondeScalarView *view, int width, int height);
void sonde_scalar_view_paint_legend (SondeScalarView *view, cairo_t *cr, int width);
/* Which curves are drawn; before anything else is prepared. */
void sonde_scalar_view_sort_hidden (SondeScalarView *view);
/* FALSE: (@x, @y) is not in the legend. @alone: that curve and no other */
gboolean sonde_scalar_view_click_legend (SondeScalarView *view, double x, double y, gboolean alone);
/* The wheel is for the legend there, which has more entries than room. */
gboolean sonde_scalar_view_takes_wheel (SondeView *view, double x, double y);
void sonde_scalar_view_scroll_legend (SondeScalarView *view, int entries);
/* FALSE: the keys are not in the legend. */
gboolean sonde_scalar_view_move_in_legend (SondeScalarView *view, int count);
gboolean sonde_scalar_view_leave_legend (SondeScalarView *view);
/* A sentence with their titles, if there are any. */
void sonde_scalar_view_describe_hidden (SondeScalarView *view, GString *text);
/* L: into the legend and out; Space: the curve; Ctrl+Space: it alone. */
void sonde_scalar_view_add_legend_keys (GtkWidgetClass *widget_class);

/* ---- readings (sonde-scalar-readings.c) ---------------------------------- */

void sonde_scalar_view_get_axes (SondeScalarView *view, int width, int height, SondeAxis *x,
                                 SondeAxis *y);
/* (element-type SondeReading) (transfer full): at the recorded point nearest to the px (@px, @py),
 * which is put into @place: those with a value first, nearest to @py first. Empty: no point. */
GArray *sonde_scalar_view_read_at (SondeScalarView *view, const SondeViewRect *area, int width,
                                   int height, double px, double py, SondePlace *place);
/* The same of the series that have a point of that very step, in their order. */
GArray *sonde_scalar_view_read_step (SondeScalarView *view, const SondeViewRect *area, int width,
                                     int height, gint64 step);
/* Where values are read: under the pointer, else at the step cursor while the keys are used here. */
gboolean sonde_scalar_view_find_place (SondeScalarView *view, const SondeViewRect *area, int width,
                                       int height, double *px, double *py);
/* The number of the one that is nearest to the pointer; 0 where none has a value. */
guint sonde_scalar_view_find_nearest (GArray *readings);
/* As many lines as fit in @height px, from @view's first_line on, which is brought into what there is. */
SondeReadout *sonde_scalar_view_make_readout (SondeScalarView *view, const SondePlace *place,
                                              GArray *readings, int height);
