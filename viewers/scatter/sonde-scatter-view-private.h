/* SPDX-License-Identifier: Apache-2.0
 * State of the scatter view, shared by its files only. */
#pragma once

#include "viewers/paint/sonde-scatter.h"
#include "viewers/scatter/sonde-scatter-view.h"

G_BEGIN_DECLS

#define SONDE_SCATTER_WORLD 1000.0 /* units of the larger side, whatever the numbers are */
#define SONDE_SCATTER_MARGIN 12    /* px around what has no axes */

struct _SondeScatterView
{
  SondeView parent_instance;
  int dims;
  double *places; /* [n, dims] as given; owned */
  double *world;  /* [n, 2] in units, y downwards; of space as it is turned */
  double *depths; /* [n]: of space, 0 far … 1 near; else NULL */
  gsize n;
  double low[3], high[3], range; /* of finite places; the largest extent */
  double yaw, pitch;             /* radians */
  SondeTensor *labels;           /* (nullable) */
  gint64 n_columns;
  char **columns, *titles[3];
  int color_column, name_column;
  int *kinds;       /* (nullable) */
  GPtrArray *names; /* of kinds */
  double *numbers;  /* (nullable) */
  double color_low, color_high;
  double legend_width; /* px at the right that no point may be in */
  SondeViewport bounds;
  SondeSprite *sprite; /* (nullable) */
  gboolean show_sprite;
  guint n_pictures; /* drawn last */
  GArray *marks;    /* guint32, ascending */
  gboolean lasso, turning;
  GArray
      *outline; /* double x, y of the lasso or the corners of the box, px; empty: none is drawn */
  gboolean boxing;
  double turned_x, turned_y; /* where the pointer was last, px */
};

/* ---- sonde-scatter-view-space.c ---- */
void sonde_scatter_view_turn_points (SondeScatterView *view); /* world and depths of places */

/* A place in a unit cube around the middle, as it is turned, in world units, y downwards. Returns: how
 * near it is, the larger the nearer */
double sonde_scatter_view_turn_place (const SondeScatterView *view, const double unit[3], double *x,
                                      double *y);

/* ---- sonde-scatter-view-paint.c ---- */
void sonde_scatter_view_paint (SondeView *base, cairo_t *cr, int width, int height);
double sonde_scatter_view_measure_legend (SondeScatterView *view);

/* ---- sonde-scatter-view-colors.c ---- */
void sonde_scatter_view_clear_colors (SondeScatterView *view);

/* ---- sonde-scatter-view-text.c ---- */
char *sonde_scatter_view_describe (SondeView *base);
char *sonde_scatter_view_dup_tooltip (SondeView *base, const SondeViewPick *pick);
char *sonde_scatter_view_dup_table (SondeView *base, char separator);
/* “label: cat”, a line a column. */
void sonde_scatter_view_append_labels (SondeScatterView *view, GString *text, gsize point,
                                       const char *before);

/* ---- sonde-scatter-view-hands.c ---- */
gboolean sonde_scatter_view_drag (SondeView *base, SondeViewDrag phase, double x, double y,
                                  GdkModifierType state);
gboolean sonde_scatter_view_move_cursor (SondeView *base, int count);
void sonde_scatter_view_add_keys (GtkWidgetClass *class);

G_END_DECLS
