/* SPDX-License-Identifier: Apache-2.0
 * An image that is edited with the pointer or the keys. */
#include "viewers/sonde-edit-view.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-map-paint.h"

#define NOISE 20 /* of 255 at strength 1 */

struct _SondeEditView
{
  SondeView parent_instance;

  SondeImageEdit *edit;
  SondeEditTool tool;
  int size;
  guint8 color[3];
  double strength;
  gboolean pressed, has_cursor, has_source;
  double x0, y0, x, y;    /* pixels: where the drag began and is */
  int cursor_x, cursor_y; /* of the keyboard */
  SondeBox source;        /* to paste */
  guint64 n_noise;        /* a new draw each time */
};

enum
{
  EDITED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeEditView, sonde_edit_view, SONDE_TYPE_VIEW)

static gboolean
place (SondeEditView *self, int width, int height, SondeViewRect *rect)
{
  const SondeImage *image = sonde_edit_view_get_image (self);
  double scale;

  if (image == NULL)
    return FALSE;
  scale = fmin ((double) width / image->width, (double) height / image->height);
  if (scale > 1)
    scale = floor (scale);
  *rect = (SondeViewRect){ 0, 0, scale * image->width, scale * image->height };
  return TRUE;
}

static void
sonde_edit_view_paint (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeEditView *self = SONDE_EDIT_VIEW (view);
  SondeViewRect rect;

  if (place (self, width, height, &rect))
    sonde_paint_map (cr, sonde_view_get_theme (view),
                     &(SondeMapImage){ .image = sonde_edit_view_get_image (self) }, rect.x, rect.y,
                     rect.width, rect.height);
}

static SondeBox
drawn_box (SondeEditView *self)
{
  int x0 = (int) floor (fmin (self->x0, self->x)), y0 = (int) floor (fmin (self->y0, self->y));
  int x1 = (int) floor (fmax (self->x0, self->x)) + 1,
      y1 = (int) floor (fmax (self->y0, self->y)) + 1;

  return (SondeBox){ x0, y0, x1 - x0, y1 - y0 };
}

static void
outline (cairo_t *cr, const SondeColor *color, double x, double y, double width, double height)
{
  cairo_rectangle (cr, x + 0.5, y + 0.5, width - 1, height - 1);
  cairo_set_line_width (cr, 1.5);
  cairo_set_dash (cr, (const double[]){ 4, 3 }, 2, 0);
  sonde_paint_set_color (cr, color);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

/* The brush's disc, the region being drawn, the region that will be pasted, the keyboard's
 * cursor. */
static void
sonde_edit_view_paint_overlay (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeEditView *self = SONDE_EDIT_VIEW (view);
  const SondeTheme *theme = sonde_view_get_theme (view);
  const SondeImage *image = sonde_edit_view_get_image (self);
  SondeViewRect rect;
  double px, py, scale;
  gboolean has_pointer = sonde_view_get_pointer (view, &px, &py);

  if (!place (self, width, height, &rect))
    return;
  scale = rect.width / image->width;
  cairo_rectangle (cr, rect.x, rect.y, rect.width, rect.height);
  cairo_clip (cr);
  if (!has_pointer && self->has_cursor)
    {
      has_pointer = TRUE;
      px = (self->cursor_x + 0.5) * scale;
      py = (self->cursor_y + 0.5) * scale;
    }
  if (self->tool == SONDE_EDIT_BRUSH && has_pointer)
    {
      for (int pass = 0; pass < 2; pass++)
        {
          cairo_arc (cr, px, py, fmax (self->size * scale / 2, 1), 0, 2 * G_PI);
          sonde_paint_set_color (cr, pass == 0 ? &theme->card : &theme->selection);
          cairo_set_line_width (cr, pass == 0 ? 3 : 1.5);
          cairo_stroke (cr);
        }
    }
  if (self->tool != SONDE_EDIT_BRUSH && self->pressed)
    {
      SondeBox box = drawn_box (self);

      outline (cr, &theme->selection, box.x * scale, box.y * scale, box.width * scale,
               box.height * scale);
    }
  if (self->tool == SONDE_EDIT_PASTE && self->has_source && !self->pressed)
    {
      outline (cr, &theme->dim, self->source.x * scale, self->source.y * scale,
               self->source.width * scale, self->source.height * scale);
      if (has_pointer)
        outline (cr, &theme->selection, floor (px / scale - self->source.width / 2.0) * scale,
                 floor (py / scale - self->source.height / 2.0) * scale, self->source.width * scale,
                 self->source.height * scale);
    }
  if (self->tool != SONDE_EDIT_BRUSH && self->has_cursor
      && gtk_widget_has_focus (GTK_WIDGET (view)))
    outline (cr, &theme->selection, self->cursor_x * scale, self->cursor_y * scale, scale, scale);
}

static char *
sonde_edit_view_describe (SondeView *view)
{
  SondeEditView *self = SONDE_EDIT_VIEW (view);
  const SondeImage *image = sonde_edit_view_get_image (self);

  if (image == NULL)
    return g_strdup (_ ("No image."));
  return g_strdup_printf (sonde_image_edit_is_changed (self->edit)
                              ? _ ("Image of %d by %d pixels, edited.")
                              : _ ("Image of %d by %d pixels, not edited."),
                          image->width, image->height);
}

/* ---- tools --------------------------------------------------------------- */

static void
emit_edited (SondeEditView *self)
{
  sonde_view_invalidate (SONDE_VIEW (self));
  g_signal_emit (self, signals[EDITED], 0);
}

static void
paste_at (SondeEditView *self, double x, double y)
{
  sonde_image_edit_begin (self->edit);
  sonde_image_edit_paste (self->edit, &self->source, (int) floor (x - self->source.width / 2.0),
                          (int) floor (y - self->source.height / 2.0));
  emit_edited (self);
}

static void
use_region (SondeEditView *self, const SondeBox *box)
{
  if (self->tool == SONDE_EDIT_PASTE)
    {
      self->source = *box;
      self->has_source = TRUE;
      sonde_view_invalidate_overlay (SONDE_VIEW (self));
      return;
    }
  sonde_image_edit_begin (self->edit);
  if (self->tool == SONDE_EDIT_BLUR)
    sonde_image_edit_blur (self->edit, box, self->strength);
  else
    sonde_image_edit_noise (self->edit, box, NOISE * self->strength, ++self->n_noise);
  emit_edited (self);
}

static void
brush (SondeEditView *self, double x0, double y0, double x1, double y1)
{
  sonde_image_edit_brush (self->edit, x0, y0, x1, y1, fmax (self->size / 2.0, 0.71), self->color);
  emit_edited (self);
}

void
sonde_edit_view_press (SondeEditView *view, double x, double y)
{
  g_return_if_fail (SONDE_IS_EDIT_VIEW (view));
  if (view->edit == NULL)
    return;
  view->pressed = TRUE;
  view->x0 = view->x = x;
  view->y0 = view->y = y;
  if (view->tool != SONDE_EDIT_BRUSH)
    return;
  sonde_image_edit_begin (view->edit);
  brush (view, x, y, x, y);
}

void
sonde_edit_view_move (SondeEditView *view, double x, double y)
{
  g_return_if_fail (SONDE_IS_EDIT_VIEW (view));
  if (!view->pressed)
    return;
  if (view->tool == SONDE_EDIT_BRUSH)
    brush (view, view->x, view->y, x, y);
  view->x = x;
  view->y = y;
  sonde_view_invalidate_overlay (SONDE_VIEW (view));
}

void
sonde_edit_view_release (SondeEditView *view, double x, double y)
{
  SondeBox box;
  gboolean click = floor (x) == floor (view->x0) && floor (y) == floor (view->y0);

  g_return_if_fail (SONDE_IS_EDIT_VIEW (view));
  if (!view->pressed)
    return;
  sonde_edit_view_move (view, x, y);
  view->pressed = FALSE;
  if (view->tool == SONDE_EDIT_BRUSH)
    return;
  if (view->tool == SONDE_EDIT_PASTE && click && view->has_source)
    {
      paste_at (view, x, y);
      return;
    }
  if (click)
    return;
  box = drawn_box (view);
  use_region (view, &box);
}

/* ---- gestures and keys --------------------------------------------------- */

/* Of a place in px of the widget. */
static gboolean
to_pixels (SondeEditView *self, double widget_x, double widget_y, double *px, double *py)
{
  double x = sonde_view_from_widget (SONDE_VIEW (self), widget_x),
         y = sonde_view_from_widget (SONDE_VIEW (self), widget_y);
  SondeViewRect rect;

  if (!place (self, sonde_view_get_width (SONDE_VIEW (self)),
              sonde_view_get_height (SONDE_VIEW (self)), &rect))
    return FALSE;
  *px = (x - rect.x) * sonde_edit_view_get_image (self)->width / rect.width;
  *py = (y - rect.y) * sonde_edit_view_get_image (self)->height / rect.height;
  return TRUE;
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, SondeEditView *self)
{
  double px, py;

  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (to_pixels (self, x, y, &px, &py))
    sonde_edit_view_press (self, px, py);
}

static void
on_drag (GtkGestureDrag *gesture, double dx, double dy, gboolean ends, SondeEditView *self)
{
  double x = 0, y = 0, px, py;

  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  if (!to_pixels (self, x + dx, y + dy, &px, &py))
    return;
  if (ends)
    sonde_edit_view_release (self, px, py);
  else
    sonde_edit_view_move (self, px, py);
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, SondeEditView *self)
{
  on_drag (gesture, dx, dy, FALSE, self);
}

static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, SondeEditView *self)
{
  on_drag (gesture, dx, dy, TRUE, self);
}

static gboolean
move_key (GtkWidget *widget, GVariant *arguments, void *data)
{
  SondeEditView *self = SONDE_EDIT_VIEW (widget);
  const SondeImage *image = sonde_edit_view_get_image (self);
  int dx, dy;

  if (image == NULL)
    return FALSE;
  g_variant_get (arguments, "(ii)", &dx, &dy);
  if (!self->has_cursor)
    {
      self->cursor_x = image->width / 2;
      self->cursor_y = image->height / 2;
    }
  self->has_cursor = TRUE;
  self->cursor_x = CLAMP (self->cursor_x + dx, 0, image->width - 1);
  self->cursor_y = CLAMP (self->cursor_y + dy, 0, image->height - 1);
  sonde_view_invalidate_overlay (SONDE_VIEW (self));
  return TRUE;
}

static gboolean
use_key (GtkWidget *widget, GVariant *arguments, void *data)
{
  SondeEditView *self = SONDE_EDIT_VIEW (widget);
  double x = self->cursor_x + 0.5, y = self->cursor_y + 0.5;
  SondeBox box = { self->cursor_x - self->size / 2, self->cursor_y - self->size / 2, self->size,
                   self->size };

  if (self->edit == NULL || !self->has_cursor)
    return FALSE;
  if (self->tool == SONDE_EDIT_PASTE && self->has_source)
    paste_at (self, x, y);
  else if (self->tool == SONDE_EDIT_BRUSH)
    {
      sonde_edit_view_press (self, x, y);
      sonde_edit_view_release (self, x, y);
    }
  else
    use_region (self, &box);
  return TRUE;
}

static gboolean
undo_key (GtkWidget *widget, GVariant *arguments, void *data)
{
  return g_variant_get_boolean (arguments) ? sonde_edit_view_redo (SONDE_EDIT_VIEW (widget))
                                           : sonde_edit_view_undo (SONDE_EDIT_VIEW (widget));
}

/* ---- content ------------------------------------------------------------- */

void
sonde_edit_view_set_image (SondeEditView *view, const SondeImage *image)
{
  g_return_if_fail (SONDE_IS_EDIT_VIEW (view));
  g_clear_pointer (&view->edit, sonde_image_edit_free);
  view->edit = image != NULL ? sonde_image_edit_new (image) : NULL;
  view->pressed = view->has_cursor = view->has_source = FALSE;
  sonde_view_invalidate (SONDE_VIEW (view));
}

const SondeImage *
sonde_edit_view_get_image (SondeEditView *view)
{
  return view->edit != NULL ? sonde_image_edit_get_image (view->edit) : NULL;
}

SondeImageEdit *
sonde_edit_view_get_edit (SondeEditView *view)
{
  return view->edit;
}

void
sonde_edit_view_set_tool (SondeEditView *view, SondeEditTool tool)
{
  g_return_if_fail (SONDE_IS_EDIT_VIEW (view));
  view->tool = tool;
  view->pressed = view->has_source = FALSE;
  sonde_view_invalidate_overlay (SONDE_VIEW (view));
}

void
sonde_edit_view_set_brush (SondeEditView *view, int size, const guint8 *color, double strength)
{
  g_return_if_fail (SONDE_IS_EDIT_VIEW (view));
  view->size = MAX (size, 1);
  for (int c = 0; c < 3; c++)
    view->color[c] = color[c];
  view->strength = fmax (strength, 0.1);
}

gboolean
sonde_edit_view_undo (SondeEditView *view)
{
  if (view->edit == NULL || !sonde_image_edit_undo (view->edit))
    return FALSE;
  emit_edited (view);
  return TRUE;
}

gboolean
sonde_edit_view_redo (SondeEditView *view)
{
  if (view->edit == NULL || !sonde_image_edit_redo (view->edit))
    return FALSE;
  emit_edited (view);
  return TRUE;
}

void
sonde_edit_view_reset (SondeEditView *view)
{
  if (view->edit == NULL || !sonde_image_edit_is_changed (view->edit))
    return;
  sonde_image_edit_reset (view->edit);
  emit_edited (view);
}

static void
sonde_edit_view_finalize (GObject *object)
{
  sonde_image_edit_free (SONDE_EDIT_VIEW (object)->edit);
  G_OBJECT_CLASS (sonde_edit_view_parent_class)->finalize (object);
}

static void
sonde_edit_view_class_init (SondeEditViewClass *klass)
{
  static const struct
  {
    guint key;
    int dx, dy;
  } keys[] = {
    { GDK_KEY_Left, -1, 0 }, { GDK_KEY_Right, 1, 0 }, { GDK_KEY_Up, 0, -1 }, { GDK_KEY_Down, 0, 1 }
  };
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_edit_view_finalize;
  signals[EDITED] = g_signal_new ("edited", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      gtk_widget_class_add_binding (widget, keys[i].key, 0, move_key, "(ii)", keys[i].dx,
                                    keys[i].dy);
      gtk_widget_class_add_binding (widget, keys[i].key, GDK_SHIFT_MASK, move_key, "(ii)",
                                    10 * keys[i].dx, 10 * keys[i].dy);
    }
  gtk_widget_class_add_binding (widget, GDK_KEY_space, 0, use_key, NULL);
  gtk_widget_class_add_binding (widget, GDK_KEY_Return, 0, use_key, NULL);
  gtk_widget_class_add_binding (widget, GDK_KEY_z, GDK_CONTROL_MASK, undo_key, "b", FALSE);
  gtk_widget_class_add_binding (widget, GDK_KEY_z, GDK_CONTROL_MASK | GDK_SHIFT_MASK, undo_key, "b",
                                TRUE);
  view->paint = sonde_edit_view_paint;
  view->paint_overlay = sonde_edit_view_paint_overlay;
  view->describe = sonde_edit_view_describe;
}

static void
sonde_edit_view_init (SondeEditView *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  self->size = 4;
  self->strength = 2;
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (on_drag_end), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_NONE);
  sonde_view_set_title (SONDE_VIEW (self), _ ("Image to edit"));
  sonde_view_set_minimum_size (SONDE_VIEW (self), 240, 240);
}
