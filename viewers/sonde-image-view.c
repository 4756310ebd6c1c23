/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/sonde-image-view.h"

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-cell-cursor.h"
#include "viewers/paint/sonde-map-paint.h"
#include "viewers/paint/sonde-text-paint.h"

struct _SondeImageView
{
  SondeView parent_instance;
  SondeImage *image;
  char *note;
  gint64 pixel; /* that keys lead to; SONDE_CELL_NONE */
};

G_DEFINE_FINAL_TYPE (SondeImageView, sonde_image_view, SONDE_TYPE_VIEW)

static void
sonde_image_view_prepare (SondeView *base, int width, int height)
{
  const SondeImage *image = SONDE_IMAGE_VIEW (base)->image;

  if (image != NULL)
    sonde_view_set_bounds (base, &(SondeViewport){ 0, 0, image->width, image->height });
}

static void
sonde_image_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  const SondeImage *image = SONDE_IMAGE_VIEW (base)->image;
  const SondeTheme *theme = sonde_view_get_theme (base);
  SondeMapImage drawing = { .image = image };
  SondeViewport v;
  double scale;

  if (image == NULL)
    {
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_CENTER, width / 2.0, height / 2.0, width,
                        _ ("no image"));
      return;
    }
  sonde_view_get_viewport_for (base, width, height, &v);
  scale = width / (v.x1 - v.x0);
  sonde_paint_map (cr, theme, &drawing, -v.x0 * scale, -v.y0 * scale, image->width * scale,
                   image->height * scale);
}

static gboolean
sonde_image_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  const SondeImage *image = SONDE_IMAGE_VIEW (base)->image;
  double wx, wy, x0, y0, x1, y1;

  if (image == NULL)
    return FALSE;
  sonde_view_view_to_world (base, x, y, &wx, &wy);
  if (!(wx >= 0 && wx < image->width && wy >= 0 && wy < image->height))
    return FALSE;
  pick->id = (gint64) wy * image->width + (gint64) wx;
  sonde_view_world_to_view (base, (int) wx, (int) wy, &x0, &y0);
  sonde_view_world_to_view (base, (int) wx + 1, (int) wy + 1, &x1, &y1);
  pick->area = (SondeViewRect){ x0, y0, x1 - x0, y1 - y0 };
  return TRUE;
}

static char *
sonde_image_view_dup_tooltip (SondeView *base, const SondeViewPick *pick)
{
  const SondeImage *image = SONDE_IMAGE_VIEW (base)->image;
  const guint8 *pixel;
  GString *text;

  if (image == NULL || pick->id < 0 || pick->id >= (gint64) image->width * image->height)
    return NULL;
  pixel = image->pixels + pick->id * image->channels;
  text = g_string_new (NULL);
  if (SONDE_IMAGE_VIEW (base)->note != NULL)
    g_string_append_printf (text, "%s\n", SONDE_IMAGE_VIEW (base)->note);
  g_string_append_printf (text, _ ("row %d, column %d:"), (int) (pick->id / image->width),
                          (int) (pick->id % image->width));
  for (int i = 0; i < image->channels; i++)
    g_string_append_printf (text, " %d", pixel[i]);
  return g_string_free (text, FALSE);
}

/* ---- keys: plain arrows go from tile to tile ------------------------------ */

static gboolean
move_pixel (GtkWidget *widget, GVariant *arguments, void *data)
{
  SondeImageView *view = SONDE_IMAGE_VIEW (widget);
  int dx, dy;

  if (view->image == NULL)
    return FALSE;
  g_variant_get (arguments, "(ii)", &dx, &dy);
  view->pixel = sonde_cell_cursor_move (view->pixel, view->image->width, view->image->height, dx,
                                        dy, NULL, NULL);
  sonde_view_keys_moved (SONDE_VIEW (view));
  return TRUE;
}

static gboolean
has_cursor (SondeImageView *view)
{
  return view->image != NULL && view->pixel != SONDE_CELL_NONE
         && view->pixel < (gint64) view->image->width * view->image->height;
}

static char *
sonde_image_view_dup_reading (SondeView *base)
{
  SondeViewPick pick = { .id = SONDE_IMAGE_VIEW (base)->pixel };

  return has_cursor (SONDE_IMAGE_VIEW (base)) ? sonde_image_view_dup_tooltip (base, &pick) : NULL;
}

static void
sonde_image_view_paint_overlay (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeImageView *view = SONDE_IMAGE_VIEW (base);
  double x0, y0, x1, y1;
  int column, row;

  if (!has_cursor (view))
    return;
  column = (int) (view->pixel % view->image->width);
  row = (int) (view->pixel / view->image->width);
  sonde_view_world_to_view (base, column, row, &x0, &y0);
  sonde_view_world_to_view (base, column + 1, row + 1, &x1, &y1);
  sonde_paint_cell_cursor (cr, sonde_view_get_theme (base),
                           &(cairo_rectangle_t){ x0, y0, x1 - x0, y1 - y0 });
}

static void
bind_keys (GtkWidgetClass *class)
{
  static const struct
  {
    guint key;
    int dx, dy;
  } keys[]
      = { { GDK_KEY_Left, -1, 0 }, { GDK_KEY_Right, 1, 0 },       { GDK_KEY_Up, 0, -1 },
          { GDK_KEY_Down, 0, 1 },  { GDK_KEY_Home, G_MININT, 0 }, { GDK_KEY_End, G_MAXINT, 0 } };

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding (class, keys[i].key, GDK_CONTROL_MASK, move_pixel, "(ii)",
                                  keys[i].dx, keys[i].dy);
  for (gsize i = 0; i < 4; i++)
    gtk_widget_class_add_binding (class, keys[i].key, GDK_CONTROL_MASK | GDK_SHIFT_MASK, move_pixel,
                                  "(ii)", 10 * keys[i].dx, 10 * keys[i].dy);
}

/* ---- text ---------------------------------------------------------------- */

static char *
sonde_image_view_describe (SondeView *base)
{
  SondeImageView *view = SONDE_IMAGE_VIEW (base);

  if (view->image == NULL)
    return g_strdup (_ ("No image."));
  return view->note != NULL ? g_strdup_printf (_ ("Image of %d by %d pixels: %s."),
                                               view->image->width, view->image->height, view->note)
                            : g_strdup_printf (_ ("Image of %d by %d pixels."), view->image->width,
                                               view->image->height);
}

/* One line a row; the channels of a pixel stand beside each other. */
static char *
sonde_image_view_dup_table (SondeView *base, char separator)
{
  const SondeImage *image = SONDE_IMAGE_VIEW (base)->image;
  GString *text = g_string_new (NULL);
  int n = image != NULL ? image->width * image->channels : 0;

  for (int y = 0; image != NULL && y < image->height; y++)
    for (int i = 0; i < n; i++)
      g_string_append_printf (text, "%d%c", image->pixels[(gsize) y * n + i],
                              i + 1 < n ? separator : '\n');
  return g_string_free (text, FALSE);
}

void
sonde_image_view_set_image (SondeImageView *view, SondeImage *image)
{
  g_return_if_fail (SONDE_IS_IMAGE_VIEW (view));
  g_clear_pointer (&view->image, sonde_image_unref);
  view->image = image;
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_image_view_set_note (SondeImageView *view, const char *note)
{
  g_return_if_fail (SONDE_IS_IMAGE_VIEW (view));
  g_free (view->note);
  view->note = g_strdup (note);
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
sonde_image_view_finalize (GObject *object)
{
  SondeImageView *view = SONDE_IMAGE_VIEW (object);

  g_clear_pointer (&view->image, sonde_image_unref);
  g_free (view->note);
  G_OBJECT_CLASS (sonde_image_view_parent_class)->finalize (object);
}

static void
sonde_image_view_class_init (SondeImageViewClass *klass)
{
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_image_view_finalize;
  view_class->prepare = sonde_image_view_prepare;
  bind_keys (GTK_WIDGET_CLASS (klass));
  view_class->paint = sonde_image_view_paint;
  view_class->paint_overlay = sonde_image_view_paint_overlay;
  view_class->dup_reading = sonde_image_view_dup_reading;
  view_class->pick = sonde_image_view_pick;
  view_class->dup_tooltip = sonde_image_view_dup_tooltip;
  view_class->describe = sonde_image_view_describe;
  view_class->dup_table = sonde_image_view_dup_table;
}

static void
sonde_image_view_init (SondeImageView *view)
{
  view->pixel = SONDE_CELL_NONE;
  sonde_view_set_zoom (SONDE_VIEW (view), SONDE_VIEW_ZOOM_UNIFORM);
  sonde_view_set_scale_limits (SONDE_VIEW (view), 0.01, 64, 32);
}
