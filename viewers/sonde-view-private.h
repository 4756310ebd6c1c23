/* SPDX-License-Identifier: Apache-2.0
 * State of the base view, shared by its files only. */
#pragma once

#include "data/base/sonde-clock.h"
#include "viewers/sonde-view.h"

typedef struct
{
  char *title;
  gint64 selection, hovered;
  int minimum_width, minimum_height;   /* px of the view */
  double text_scale;                   /* widget px a px of the view */
  gboolean dark, strong, wants_legend; /* strong: high contrast */

  /* image */
  GskRenderNode *node; /* of paint(), as pixels, kept until invalidated */
  int node_width, node_height, node_scale;
  /* of the node, and of the one before, which GTK still compares with: without it Cairo would copy them */
  cairo_surface_t *pixels, *old_pixels;
  cairo_surface_t *older_pixels; /* (nullable): to be painted over */
  gboolean dirty, preparing;
  gboolean paced;    /* dirty by nothing but data that came */
  guint pace_source; /* waits until it may be painted */
  GtkWidget *widget; /* the view, for the source */

  /* assistive tools: what is shown, and what is under the cursor; both are their description */
  char *summary, *reading;
  gboolean tells_summary, tells_reading; /* may be new with the next frame */
  gboolean reads_keys;                   /* moved the cursor last, not the pointer */

  /* zoom */
  SondeViewZoom zoom;
  gboolean wheel_needs_control;
  SondeViewport bounds, viewport;
  gboolean fit_x, fit_y;
  double min_scale, max_scale, max_fit_scale, min_extent;
  GArray *history; /* SondeViewPlace */

  /* pointer */
  gboolean has_pointer;
  double pointer_x, pointer_y;
  gboolean dragging, selecting_range, drag_is_taken; /* by the child */
  double drag_x, drag_y, drag_dx, drag_dy;
  GdkModifierType click_state;
  double pinch;           /* scale of the gesture so far */
  GtkWidget *menu;        /* (nullable): while it is open */
  guint menu_source;      /* lets it go */
  GMenuModel *menu_model; /* of its user; (nullable) */
} SondeViewPrivate;

/* One entry of the way back. */
typedef struct
{
  SondeViewport viewport;
  gboolean fit_x, fit_y;
} SondeViewPlace;

SondeViewPrivate *sonde_view_get_private (SondeView *view);

/* Gestures change the viewport. */
static inline gboolean
sonde_view_can_zoom (const SondeViewPrivate *priv)
{
  return priv->zoom != SONDE_VIEW_ZOOM_NONE && priv->zoom != SONDE_VIEW_ZOOM_FIXED;
}

/* Gestures change y, too. */
static inline gboolean
sonde_view_can_zoom_y (const SondeViewPrivate *priv)
{
  return priv->zoom != SONDE_VIEW_ZOOM_X && priv->zoom != SONDE_VIEW_ZOOM_ROWS;
}

/* Tables of the files beside sonde-view.c, which installs and connects them. */

typedef struct
{
  const char *name, *parameter_type; /* parameter_type: (nullable) */
  GtkWidgetActionActivateFunc activate;
} SondeViewAction;

/* @action: (nullable): NULL moves the cursor by @count; @factor: of an action that wants one */
typedef struct
{
  guint key;
  GdkModifierType modifiers;
  const char *action;
  double factor;
  int count;
} SondeViewKey;

typedef enum
{
  SONDE_VIEW_MOTION,
  SONDE_VIEW_SCROLL,
  SONDE_VIEW_CLICK,
  SONDE_VIEW_DRAG,
  SONDE_VIEW_SECONDARY, /* clicks */
  SONDE_VIEW_PINCH,
  SONDE_VIEW_N_CONTROLLERS
} SondeViewController;

/* @callback: with the view as its last parameter */
typedef struct
{
  SondeViewController controller;
  const char *signal;
  GCallback callback;
} SondeViewHandler;

extern const SondeViewAction sonde_view_actions[];   /* ended by a NULL name */
extern const SondeViewKey sonde_view_keys[];         /* ended by key 0 */
extern const SondeViewHandler sonde_view_handlers[]; /* ended by a NULL signal */

/* What is drawn is forgotten. */
void sonde_view_clear_picture (SondeViewPrivate *priv);
/* Prepares and paints for that size when anything changed. */
void sonde_view_update_picture (SondeView *view, SondeViewPrivate *priv, int width, int height);
/* What the pace of all views goes by from now on, NULL being the system's; forgets what was painted when. */
void sonde_view_set_clock (const SondeClock *clock);
/* (transfer full) (nullable): nothing is under the cursor (sonde-view-picture.c) */
char *sonde_view_read_cursor (SondeView *view, SondeViewPrivate *priv);
/* Tells assistive tools what is new, once a frame at most. */
void sonde_view_tell (SondeView *view, SondeViewPrivate *priv);
/* The class's prepare() for that size. (sonde-view-picture.c) */
void sonde_view_prepare (SondeView *view, SondeViewPrivate *priv, int width, int height);
/* Asks for kind, size and legend, then for the file (sonde-view-export.c). */
void sonde_view_ask_export (SondeView *view);
void sonde_view_set_hovered (SondeView *view, gint64 id);
/* Remembers the place for sonde_view_zoom_back(); gestures call it once at their start. */
void sonde_view_remember_place (SondeView *view);
void sonde_view_change_viewport (SondeView *view, const SondeViewport *viewport, gboolean x,
                                 gboolean y);
void sonde_view_emit_viewport_changed (SondeView *view);
