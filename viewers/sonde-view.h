/* SPDX-License-Identifier: Apache-2.0
 * The base of every chart and image in the window: a widget with zoom, hover, pick, selection, copy and
 * export that calls its child's paint function. What does not live here: any data, any axis.
 *
 * A child keeps its data, calls sonde_view_invalidate() when it changed, and paints with Cairo,
 * best through a painter of viewers/paint so that commands draw the same without a window.
 * Coordinates: px of the view with the origin top left: widget px divided by the desktop's text scale, so that the
 * whole picture grows with the texts beside it and no child knows of it; world units are the child's own. */
#pragma once

#include <gtk/gtk.h>

#include "viewers/paint/sonde-theme.h"

/* ms after its signal “closed” until a popover may leave its parent. GTK 4.8 keeps a reference for ever to one that
 * leaves before the frame after it was hidden has come and gone: with an idle function all of them stay, 60 widgets
 * and more each; after 40 ms one in ten, after 80 none. Frames may be slow. */
#define SONDE_POPOVER_REST 1000

G_BEGIN_DECLS

#define SONDE_TYPE_VIEW (sonde_view_get_type ())
G_DECLARE_DERIVABLE_TYPE (SondeView, sonde_view, SONDE, VIEW, GtkWidget)

/* Which gestures change the viewport. */
typedef enum
{
  SONDE_VIEW_ZOOM_NONE,
  /* wheel zooms x at the pointer, Ctrl: nothing more; drag box takes the x range */
  SONDE_VIEW_ZOOM_X,
  SONDE_VIEW_ZOOM_XY,    /* wheel x, Ctrl+wheel y, Shift+wheel pans; drag zooms to the box */
  SONDE_VIEW_ZOOM_FIXED, /* no gesture, but the shape of the world is kept (small images) */
  /* wheel zooms both at the pointer, Shift+wheel pans; drag pans (graphs, images) */
  SONDE_VIEW_ZOOM_UNIFORM,
  /* Ctrl+wheel zooms x at the pointer, Shift+wheel pans; wheel scrolls, drag pans and scrolls,
   * Shift+drag, or a drag that begins above the area, selects a range of x (rows of spans); never
   * beyond the bounds */
  SONDE_VIEW_ZOOM_ROWS,
} SondeViewZoom;

/* World at the edges of the area: (x0, y0) top left, (x1, y1) bottom right; y0 > y1 points
 * upwards. */
typedef struct
{
  double x0, y0, x1, y1;
} SondeViewport;

typedef cairo_rectangle_t SondeViewRect; /* px: x, y, width, height */

/**
 * SondeViewPick: what is under the pointer
 * @id: the child's own number of the thing, ≥ 0
 * @area: of it in px, where the tool-tip points
 */
typedef struct
{
  gint64 id;
  SondeViewRect area;
} SondeViewPick;

#define SONDE_VIEW_NOTHING (-1) /* no id */

typedef enum
{
  SONDE_VIEW_DRAG_BEGIN,
  SONDE_VIEW_DRAG_MOVE,
  SONDE_VIEW_DRAG_END,
  SONDE_VIEW_DRAG_CANCEL,
} SondeViewDrag;

/**
 * SondeViewClass:
 * @paint: required. The whole drawing for the size given, which is not the view's when exporting:
 *   take area and transform from sonde_view_get_area() and sonde_view_map() with that size. Kept
 *   until sonde_view_invalidate(), so it may take some ms.
 * @paint_overlay: optional: what follows the pointer (crosshair, selection), drawn over it on each
 *   frame; not exported
 * @measure_appendix, @paint_appendix: optional, both or none: px at the bottom of a drawing for a file, where what
 *   belongs to it is written; paint() has the height above, and what is pinned to it may be painted there again
 * @area: optional: the part of the view that the viewport maps to (without axes). Default: all.
 * @prepare: optional: called before paint when something changed or the size is new; the place to
 *   fetch data for @width × @height and to call sonde_view_set_bounds()
 * @describe: required: one or two sentences for assistive tools: what it shows, range, last value,
 *   what is selected. (transfer full)
 * @pick: optional: what is at (x, y); FALSE when nothing is
 * @dup_tooltip: optional: plain text for a pick. (transfer full) (nullable)
 * @dup_reading: optional: the value where keys or a cursor of the child's own stand, told to
 *   assistive tools when nothing is under the pointer; where describe() does not say it already.
 *   (transfer full) (nullable)
 * @dup_table: optional: values as text, cells separated by @separator ('\t' for copy, ',' for
 *   CSV), lines by '\n', full precision. (transfer full) (nullable)
 * @dup_pgfplots: optional: the chart as a TeX document of the package pgfplots. (transfer full)
 * @move_cursor: optional: arrow keys: @count steps (±1, Shift ±10), or to the first/last with
 *   G_MININT/G_MAXINT. Returns TRUE when handled.
 * @hover_changed: optional: the pointer moved or left; default does nothing but draw the overlay
 * @scroll: optional: ROWS: @dy px down, by wheel or drag; else by the wheel with Alt
 * @takes_wheel: optional: the wheel scrolls there, and does not zoom
 * @drag: optional: the pointer is at (x, y) with the primary button and the keys @state held. TRUE at
 *   BEGIN: the drag is the child's, and neither pans nor zooms
 * @select_range: optional: ROWS: from x0 to x1 in world units; @done: the button was released
 */
struct _SondeViewClass
{
  GtkWidgetClass parent_class;

  void (*paint) (SondeView *view, cairo_t *cr, int width, int height);
  void (*paint_overlay) (SondeView *view, cairo_t *cr, int width, int height);
  void (*area) (SondeView *view, int width, int height, SondeViewRect *area);
  void (*prepare) (SondeView *view, int width, int height);
  char *(*describe) (SondeView *view);
  gboolean (*pick) (SondeView *view, double x, double y, SondeViewPick *pick);
  char *(*dup_tooltip) (SondeView *view, const SondeViewPick *pick);
  char *(*dup_table) (SondeView *view, char separator);
  gboolean (*move_cursor) (SondeView *view, int count);
  void (*hover_changed) (SondeView *view);
  void (*scroll) (SondeView *view, double dy);
  void (*select_range) (SondeView *view, double x0, double x1, gboolean done);
  gboolean (*drag) (SondeView *view, SondeViewDrag phase, double x, double y,
                    GdkModifierType state);

  gboolean (*takes_wheel) (SondeView *view, double x, double y);
  char *(*dup_pgfplots) (SondeView *view);
  int (*measure_appendix) (SondeView *view, int width, int height);
  void (*paint_appendix) (SondeView *view, cairo_t *cr, int width, int height, int room);
  char *(*dup_reading) (SondeView *view);

  gpointer padding[1];
};

/* Properties: "title" (string), "selection" (int64, SONDE_VIEW_NOTHING when none).
 * Signals: "picked" (gint64 id, int n_presses, double x, double y): primary click; id is
 *   SONDE_VIEW_NOTHING beside everything;
 *   "menu" (gint64 id): the menu is about to be shown, on that or, by a key, on the selection;
 *   "viewport-changed" (): by a gesture or a call. */

/* Name of the chart or image: accessible label, file name on export. */
void sonde_view_set_title (SondeView *view, const char *title);
const char *sonde_view_get_title (SondeView *view);

/* By the widget's style: light or dark. (transfer none) */
const SondeTheme *sonde_view_get_theme (SondeView *view);

/* Views are drawn with at least so many device px a px from now on, whatever the screen has: for pictures
 * of a window that are larger than it. Default: 1 */
void sonde_view_set_picture_scale (guint scale);

/* The same for data that come by themselves, all the time: soon, but the views of a window together paint no more than
 * a part of the time, so that it stays quick however much they show. */
void sonde_view_invalidate_paced (SondeView *view);
gboolean sonde_view_is_paced (SondeView *view); /* something is still to be painted */

/* Data changed: prepare and paint again at the next frame, update the description. Cheap, may be
 * called often. */
void sonde_view_invalidate (SondeView *view);
/* Only the overlay changed. */
void sonde_view_invalidate_overlay (SondeView *view);

/* Size that the view asks for. Default 120 × 90. */
void sonde_view_set_minimum_size (SondeView *view, int width, int height);

/* Its present size: of what paint() draws on the screen. */
int sonde_view_get_width (SondeView *view);
int sonde_view_get_height (SondeView *view);

/* Of a place in widget px, as gestures of a child and measure() have it, to px of the view. */
double sonde_view_from_widget (SondeView *view, double length);
double sonde_view_to_widget (SondeView *view, double length);

/* ---- zoom ---------------------------------------------------------------- */

void sonde_view_set_zoom (SondeView *view, SondeViewZoom zoom);

/* The wheel zooms only with Ctrl, so that a page of charts can be scrolled. Default: off. */
void sonde_view_set_wheel_needs_control (SondeView *view, gboolean needs_control);

/**
 * sonde_view_set_bounds:
 * The world that "fit" shows. While the view is fitted in a direction, the viewport follows it (a
 * growing curve); otherwise it stays where the user put it. May be called from prepare().
 */
void sonde_view_set_bounds (SondeView *view, const SondeViewport *bounds);

/* UNIFORM only: px a world unit at least, at most, and at most when fitting (a small graph is not
 * blown up). Defaults 0.02, 4, 1. */
void sonde_view_set_scale_limits (SondeView *view, double min, double max, double max_fit);

/* ROWS only: world units that are shown at least. Default 1. */
void sonde_view_set_min_extent (SondeView *view, double extent);

/* As shown on the screen; for UNIFORM widened to the shape of the area. */
void sonde_view_get_viewport (SondeView *view, SondeViewport *viewport);
/* The same for another size (export). */
void sonde_view_get_viewport_for (SondeView *view, int width, int height, SondeViewport *viewport);
/* Goes there and remembers where it was for sonde_view_zoom_back(). */
void sonde_view_set_viewport (SondeView *view, const SondeViewport *viewport);
/* @factor > 1 magnifies around (x, y) px. Directions of the zoom mode only. */
void sonde_view_zoom_at (SondeView *view, double x, double y, double factor_x, double factor_y);
void sonde_view_pan (SondeView *view, double dx, double dy); /* px */
/* Shows the same stretch of x as @leader, or all of it as that does; nobody is told, and the way back stays. */
void sonde_view_follow_x (SondeView *view, SondeView *leader);
void sonde_view_zoom_fit (SondeView *view);
gboolean sonde_view_zoom_back (SondeView *view); /* FALSE when there is no earlier one */
gboolean sonde_view_is_fitted (SondeView *view, gboolean *x,
                               gboolean *y); /* (out) (optional) each; TRUE when both are */
/* UNIFORM: centres the world rectangle, zooming out only if it does not fit. */
void sonde_view_reveal (SondeView *view, const SondeViewport *rectangle);

void sonde_view_get_area (SondeView *view, int width, int height, SondeViewRect *area);
/* World -> px and back, for the view's own size. */
void sonde_view_world_to_view (SondeView *view, double wx, double wy, double *x, double *y);
void sonde_view_view_to_world (SondeView *view, double x, double y, double *wx, double *wy);

/* ---- pointer, selection -------------------------------------------------- */

/* FALSE when the pointer is elsewhere. */
gboolean sonde_view_get_pointer (SondeView *view, double *x, double *y);
/* Keys moved a cursor of the child's own, other than by move_cursor(): its reading is told from now on, until the
 * pointer moves. */
void sonde_view_keys_moved (SondeView *view);
/* Keys that were held when the button of the last click was released. */
GdkModifierType sonde_view_get_click_state (SondeView *view);
gint64 sonde_view_get_hovered (SondeView *view); /* id, or SONDE_VIEW_NOTHING */
gint64 sonde_view_get_selection (SondeView *view);
void sonde_view_set_selection (SondeView *view, gint64 id);

/* What stands in the menu before what every view has there. (nullable) */
void sonde_view_set_menu (SondeView *view, GMenuModel *model);
void sonde_view_popup_menu (SondeView *view);

/* The value under the cursor in words: what pointer or keys, whichever moved last, stand on; after sonde_view_describe()
 * in what assistive tools read. (transfer full) (nullable): nothing is there */
char *sonde_view_dup_reading (SondeView *view);
/* A dup_reading() for children whose selection has the ids of their picks: its tip. (transfer full) (nullable) */
char *sonde_view_dup_selected (SondeView *view);

/* ---- copy and export ----------------------------------------------------- */

/* (transfer full) (nullable) */
char *sonde_view_dup_table (SondeView *view, char separator);
char *sonde_view_describe (SondeView *view);
/* Paints the whole with background on @cr; for previews and tests. */
void sonde_view_render (SondeView *view, cairo_t *cr, int width, int height);
/* While an image is made that shall name everything in it: a legend has all its entries then. */
gboolean sonde_view_wants_legend (SondeView *view);
void sonde_view_set_wants_legend (SondeView *view, gboolean wants_legend);
/* By the ending of @path: .png, .svg, .pdf, .csv or .tex (pgfplots). Errors: SONDE_DATA_ERROR_*. */
gboolean sonde_view_export (SondeView *view, const char *path, int width, int height,
                            GError **error);

G_END_DECLS
