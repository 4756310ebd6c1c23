/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/media/sonde-image-pair-view.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-cell-cursor.h"

#define GRASP 10 /* px from the divider within which a drag moves it */

struct _SondeImagePairView
{
  SondeView parent_instance;
  SondeImagePair *pair;
  SondeImagePairMode mode;
  double divider;
  gint64 pixel; /* that keys lead to; SONDE_CELL_NONE */
};

G_DEFINE_FINAL_TYPE (SondeImagePairView, sonde_image_pair_view, SONDE_TYPE_VIEW)

/* ---- places -------------------------------------------------------------- */

static void
sonde_image_pair_view_prepare (SondeView *base, int width, int height)
{
  SondeViewport bounds = { 0 };
  int columns, rows;

  if (!sonde_image_pair_get_size (SONDE_IMAGE_PAIR_VIEW (base)->pair, &columns, &rows))
    return;
  bounds.x1 = columns;
  bounds.y1 = rows;
  sonde_view_set_bounds (base, &bounds);
}

/* The pane that the pointer is in: both show the same part of their images. */
static void
sonde_image_pair_view_area (SondeView *base, int width, int height, SondeViewRect *area)
{
  SondeImagePairView *view = SONDE_IMAGE_PAIR_VIEW (base);
  SondeViewRect second;
  double x, y;

  sonde_image_pair_get_pane (view->mode, width, height, 0, area);
  sonde_image_pair_get_pane (view->mode, width, height, 1, &second);
  if (sonde_view_get_pointer (base, &x, &y) && x >= second.x)
    *area = second;
}

static cairo_rectangle_t
get_world (SondeImagePairView *view, int width, int height)
{
  SondeViewport v;

  sonde_view_get_viewport_for (SONDE_VIEW (view), width, height, &v);
  return (cairo_rectangle_t){ v.x0, v.y0, v.x1 - v.x0, v.y1 - v.y0 };
}

/* Where the divider can be, px of the widget. */
static cairo_rectangle_t
get_sight (SondeImagePairView *view)
{
  int width = sonde_view_get_width (SONDE_VIEW (view)),
      height = sonde_view_get_height (SONDE_VIEW (view));
  cairo_rectangle_t world = get_world (view, width, height), pane, sight;

  sonde_image_pair_get_pane (view->mode, width, height, 0, &pane);
  sonde_image_pair_get_sight (view->pair, &pane, &world, &sight);
  return sight;
}

static void
sonde_image_pair_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeImagePairView *view = SONDE_IMAGE_PAIR_VIEW (base);
  cairo_rectangle_t world = get_world (view, width, height);

  sonde_paint_image_pair (cr, sonde_view_get_theme (base), view->pair, view->mode, &world,
                          view->divider, width, height);
}

/* ---- the pixel under the pointer ----------------------------------------- */

static gboolean
sonde_image_pair_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  SondeImagePairView *view = SONDE_IMAGE_PAIR_VIEW (base);
  int columns, rows;
  double wx, wy, x0, y0, x1, y1;

  if (!sonde_image_pair_get_size (view->pair, &columns, &rows))
    return FALSE;
  sonde_view_view_to_world (base, x, y, &wx, &wy);
  if (!(wx >= 0 && wx < columns && wy >= 0 && wy < rows))
    return FALSE;
  pick->id = (gint64) wy * columns + (gint64) wx;
  sonde_view_world_to_view (base, (int) wx, (int) wy, &x0, &y0);
  sonde_view_world_to_view (base, (int) wx + 1, (int) wy + 1, &x1, &y1);
  pick->area = (SondeViewRect){ x0, y0, x1 - x0, y1 - y0 };
  return TRUE;
}

static void
append_levels (GString *text, SondeImagePair *pair, guint index, gint64 pixel)
{
  const SondeImage *image = sonde_image_pair_get_image (pair, index);
  const char *name = sonde_image_pair_get_name (pair, index);

  if (image == NULL || pixel >= (gint64) image->width * image->height)
    return;
  g_string_append_printf (text, "\n%s:", name != NULL ? name : "");
  for (int c = 0; c < image->channels; c++)
    g_string_append_printf (text, " %d",
                            image->channels == 1 ? sonde_image_get_level (image, pixel, 0)
                                                 : sonde_image_get_level (image, pixel, c));
}

static char *
sonde_image_pair_view_dup_tooltip (SondeView *base, const SondeViewPick *pick)
{
  SondeImagePair *pair = SONDE_IMAGE_PAIR_VIEW (base)->pair;
  const SondeImage *a = sonde_image_pair_get_image (pair, 0),
                   *b = sonde_image_pair_get_image (pair, 1);
  GString *text = g_string_new (NULL);
  int columns = 1, rows = 1;

  sonde_image_pair_get_size (pair, &columns, &rows);
  g_string_append_printf (text, _ ("row %d, column %d:"), (int) (pick->id / columns),
                          (int) (pick->id % columns));
  if (sonde_image_pair_get_difference (pair) == NULL)
    {
      /* another number of pixels: only those of the second are where the pointer is */
      append_levels (text, pair, b != NULL ? 1 : 0, pick->id);
      return g_string_free (text, FALSE);
    }
  append_levels (text, pair, 0, pick->id);
  append_levels (text, pair, 1, pick->id);
  g_string_append (text, "\nΔ:");
  for (int c = 0; c < sonde_image_count_levels (a, b); c++)
    g_string_append_printf (text, " %+d",
                            sonde_image_get_level (b, pick->id, c)
                                - sonde_image_get_level (a, pick->id, c));
  return g_string_free (text, FALSE);
}

/* FALSE: keys did not lead anywhere, or the images are others by now. */
static gboolean
has_cursor (SondeImagePairView *view)
{
  int columns, rows;

  return view->pixel != SONDE_CELL_NONE && sonde_image_pair_get_size (view->pair, &columns, &rows)
         && view->pixel < (gint64) columns * rows;
}

/* In both panes where there are two. */
static void
paint_cursor (SondeImagePairView *view, cairo_t *cr, int width, int height)
{
  SondeView *base = SONDE_VIEW (view);
  SondeViewRect panes[2], area;
  double x0, y0, x1, y1;
  int columns = 1, rows;

  sonde_image_pair_get_size (view->pair, &columns, &rows);
  sonde_view_get_area (base, width, height, &area);
  for (guint i = 0; i < 2; i++)
    sonde_image_pair_get_pane (view->mode, width, height, i, &panes[i]);
  sonde_view_world_to_view (base, (double) (view->pixel % columns),
                            (double) (view->pixel / columns), &x0, &y0);
  sonde_view_world_to_view (base, (double) (view->pixel % columns + 1),
                            (double) (view->pixel / columns + 1), &x1, &y1);
  for (guint i = 0; i < (view->mode == SONDE_IMAGE_PAIR_BESIDE ? 2 : 1); i++)
    sonde_paint_cell_cursor (
        cr, sonde_view_get_theme (base),
        &(cairo_rectangle_t){ x0 + panes[i].x - area.x, y0, x1 - x0, y1 - y0 });
}

static char *
sonde_image_pair_view_dup_reading (SondeView *base)
{
  SondeViewPick pick = { .id = SONDE_IMAGE_PAIR_VIEW (base)->pixel };

  return has_cursor (SONDE_IMAGE_PAIR_VIEW (base)) ? sonde_image_pair_view_dup_tooltip (base, &pick)
                                                   : NULL;
}

/* Beside each other: the pixel of the other image, too. */
static void
sonde_image_pair_view_paint_overlay (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeImagePairView *view = SONDE_IMAGE_PAIR_VIEW (base);
  const SondeTheme *theme = sonde_view_get_theme (base);
  SondeViewPick pick;
  SondeViewRect panes[2];
  double x, y;

  if (has_cursor (view))
    paint_cursor (view, cr, width, height);
  if (view->mode != SONDE_IMAGE_PAIR_BESIDE || !sonde_view_get_pointer (base, &x, &y)
      || !sonde_image_pair_view_pick (base, x, y, &pick))
    return;
  for (guint i = 0; i < 2; i++)
    sonde_image_pair_get_pane (view->mode, width, height, i, &panes[i]);
  for (int i = 0; i < 2; i++)
    {
      double offset = panes[i].x - (x >= panes[1].x ? panes[1].x : 0);

      cairo_rectangle (cr, pick.area.x + offset - 1, pick.area.y - 1, pick.area.width + 2,
                       pick.area.height + 2);
      sonde_paint_set_color (cr, &theme->selection);
      cairo_set_line_width (cr, 1.5);
      cairo_stroke (cr);
    }
}

/* ---- the divider --------------------------------------------------------- */

static gboolean
sonde_image_pair_view_drag (SondeView *base, SondeViewDrag phase, double x, double y,
                            GdkModifierType state)
{
  SondeImagePairView *view = SONDE_IMAGE_PAIR_VIEW (base);
  cairo_rectangle_t sight = get_sight (view);

  if (view->mode != SONDE_IMAGE_PAIR_DIVIDER || sight.width <= 0)
    return FALSE;
  if (phase == SONDE_VIEW_DRAG_BEGIN)
    return fabs (x - (sight.x + view->divider * sight.width)) <= GRASP;
  sonde_image_pair_view_set_divider (view, (x - sight.x) / sight.width);
  return TRUE;
}

/* ---- keys ---------------------------------------------------------------- */

static gboolean
move_pixel (SondeImagePairView *view, int dx, int dy)
{
  int columns, rows;

  if (!sonde_image_pair_get_size (view->pair, &columns, &rows))
    return FALSE;
  view->pixel = sonde_cell_cursor_move (view->pixel, columns, rows, dx, dy, NULL, NULL);
  sonde_view_keys_moved (SONDE_VIEW (view));
  return TRUE;
}

static gboolean
move_row (GtkWidget *widget, GVariant *arguments, void *data)
{
  return move_pixel (SONDE_IMAGE_PAIR_VIEW (widget), 0, g_variant_get_int32 (arguments));
}

/* The divider where there is one, else a mark around a pixel. */
static gboolean
sonde_image_pair_view_move_cursor (SondeView *base, int count)
{
  SondeImagePairView *view = SONDE_IMAGE_PAIR_VIEW (base);
  double divider = count == G_MININT ? 0 : count == G_MAXINT ? 1 : view->divider + count / 100.0;

  if (view->mode != SONDE_IMAGE_PAIR_DIVIDER)
    return move_pixel (view, count, 0);
  sonde_image_pair_view_set_divider (view, divider);
  return TRUE;
}

/* Over the divider the pointer says that it can be moved. */
static void
sonde_image_pair_view_hover_changed (SondeView *base)
{
  SondeImagePairView *view = SONDE_IMAGE_PAIR_VIEW (base);
  double x, y;
  gboolean holds = sonde_view_get_pointer (base, &x, &y)
                   && sonde_image_pair_view_drag (base, SONDE_VIEW_DRAG_BEGIN, x, y, 0);

  gtk_widget_set_cursor_from_name (GTK_WIDGET (view), holds ? "col-resize" : NULL);
}

/* ---- words --------------------------------------------------------------- */

char *
sonde_image_pair_view_describe_numbers (SondeImagePairView *view)
{
  g_return_val_if_fail (SONDE_IS_IMAGE_PAIR_VIEW (view), NULL);
  return sonde_image_pair_describe (view->pair);
}

static char *
sonde_image_pair_view_describe (SondeView *base)
{
  SondeImagePairView *view = SONDE_IMAGE_PAIR_VIEW (base);
  const char *first = sonde_image_pair_get_name (view->pair, 0),
             *second = sonde_image_pair_get_name (view->pair, 1);
  g_autofree char *numbers = sonde_image_pair_describe (view->pair);

  if (view->mode == SONDE_IMAGE_PAIR_DIVIDER)
    return g_strdup_printf (_ ("%s compared with %s: %s; divider at %.0f %%."),
                            second != NULL ? second : "", first != NULL ? first : "", numbers,
                            view->divider * 100);
  return g_strdup_printf (_ ("%s compared with %s: %s."), second != NULL ? second : "",
                          first != NULL ? first : "", numbers);
}

/* A line a pixel: place, levels of both. */
static char *
sonde_image_pair_view_dup_table (SondeView *base, char separator)
{
  SondeImagePair *pair = SONDE_IMAGE_PAIR_VIEW (base)->pair;
  const SondeImage *a = sonde_image_pair_get_image (pair, 0),
                   *b = sonde_image_pair_get_image (pair, 1);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "row%ccolumn%cchannel%cfirst%csecond%cdifference\n", separator,
                          separator, separator, separator, separator);
  if (sonde_image_pair_get_difference (pair) == NULL)
    return g_string_free (text, FALSE);
  for (gint64 i = 0; i < (gint64) b->width * b->height; i++)
    for (int c = 0; c < sonde_image_count_levels (a, b); c++)
      {
        int first = sonde_image_get_level (a, i, c), second = sonde_image_get_level (b, i, c);

        g_string_append_printf (text, "%d%c%d%c%d%c%d%c%d%c%d\n", (int) (i / b->width), separator,
                                (int) (i % b->width), separator, c, separator, first, separator,
                                second, separator, second - first);
      }
  return g_string_free (text, FALSE);
}

/* ---- what it shows ------------------------------------------------------- */

void
sonde_image_pair_view_set_images (SondeImagePairView *view, const SondeImage *first,
                                  const SondeImage *second)
{
  g_return_if_fail (SONDE_IS_IMAGE_PAIR_VIEW (view));
  sonde_image_pair_set_images (view->pair, first, second);
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_image_pair_view_set_names (SondeImagePairView *view, const char *first, const char *second)
{
  g_return_if_fail (SONDE_IS_IMAGE_PAIR_VIEW (view));
  sonde_image_pair_set_names (view->pair, first, second);
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_image_pair_view_set_levels (SondeImagePairView *view, double brightness, double contrast)
{
  g_return_if_fail (SONDE_IS_IMAGE_PAIR_VIEW (view));
  sonde_image_pair_set_levels (view->pair, brightness, contrast);
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_image_pair_view_set_mode (SondeImagePairView *view, SondeImagePairMode mode)
{
  g_return_if_fail (SONDE_IS_IMAGE_PAIR_VIEW (view) && mode < SONDE_N_IMAGE_PAIR_MODES);
  view->mode = mode;
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_image_pair_view_set_divider (SondeImagePairView *view, double divider)
{
  g_return_if_fail (SONDE_IS_IMAGE_PAIR_VIEW (view));
  view->divider = CLAMP (divider, 0, 1);
  sonde_view_invalidate (SONDE_VIEW (view));
}

double
sonde_image_pair_view_get_divider (SondeImagePairView *view)
{
  g_return_val_if_fail (SONDE_IS_IMAGE_PAIR_VIEW (view), 0);
  return view->divider;
}

int
sonde_image_pair_view_get_extra_height (SondeImagePairMode mode)
{
  SondeViewRect pane;

  sonde_image_pair_get_pane (mode, 1000, 1000, 0, &pane);
  return 1000 - (int) pane.height;
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_image_pair_view_finalize (GObject *object)
{
  sonde_image_pair_free (SONDE_IMAGE_PAIR_VIEW (object)->pair);
  G_OBJECT_CLASS (sonde_image_pair_view_parent_class)->finalize (object);
}

static void
sonde_image_pair_view_class_init (SondeImagePairViewClass *klass)
{
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_image_pair_view_finalize;
  view_class->prepare = sonde_image_pair_view_prepare;
  view_class->area = sonde_image_pair_view_area;
  view_class->paint = sonde_image_pair_view_paint;
  view_class->paint_overlay = sonde_image_pair_view_paint_overlay;
  view_class->pick = sonde_image_pair_view_pick;
  view_class->drag = sonde_image_pair_view_drag;
  view_class->move_cursor = sonde_image_pair_view_move_cursor;
  view_class->hover_changed = sonde_image_pair_view_hover_changed;
  view_class->dup_tooltip = sonde_image_pair_view_dup_tooltip;
  view_class->dup_reading = sonde_image_pair_view_dup_reading;
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), GDK_KEY_Up, 0, move_row, "i", -1);
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), GDK_KEY_Down, 0, move_row, "i", 1);
  view_class->describe = sonde_image_pair_view_describe;
  view_class->dup_table = sonde_image_pair_view_dup_table;
}

static void
sonde_image_pair_view_init (SondeImagePairView *view)
{
  view->pair = sonde_image_pair_new ();
  view->divider = 0.5;
  view->pixel = SONDE_CELL_NONE;
  sonde_view_set_zoom (SONDE_VIEW (view), SONDE_VIEW_ZOOM_UNIFORM);
  sonde_view_set_wheel_needs_control (SONDE_VIEW (view), TRUE);
  sonde_view_set_scale_limits (SONDE_VIEW (view), 0.01, 64, 32);
}

GtkWidget *
sonde_image_pair_view_new (void)
{
  return g_object_new (SONDE_TYPE_IMAGE_PAIR_VIEW, NULL);
}
