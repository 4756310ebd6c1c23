/* SPDX-License-Identifier: Apache-2.0
 * Contrast of the texts on every page, measured on what is drawn: WCAG 2.1, success criterion 1.4.3,
 * asks for 4.5 : 1. */
#include <math.h>
#include <string.h>

#include "tests/app/pages/window-fixture.h"

#define LEAST 4.5
#define SCALE 3 /* a stem of a letter fills at least one pixel */

/* BGRA, premultiplied; @stride in bytes */
typedef struct
{
  guchar *pixels;
  int width, height;
  gsize stride;
} Drawing;

static void
drawing_init (Drawing *drawing, GtkWidget *window)
{
  GdkPaintable *paintable = gtk_widget_paintable_new (window);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  int width = gtk_widget_get_width (window), height = gtk_widget_get_height (window);
  GskRenderNode *node;
  GdkTexture *texture;

  gtk_snapshot_scale (snapshot, SCALE, SCALE);
  gdk_paintable_snapshot (paintable, GDK_SNAPSHOT (snapshot), width, height);
  node = gtk_snapshot_free_to_node (snapshot);
  texture = gsk_renderer_render_texture (
      gtk_native_get_renderer (GTK_NATIVE (window)), node,
      &GRAPHENE_RECT_INIT (0, 0, (float) width * SCALE, (float) height * SCALE));
  drawing->width = gdk_texture_get_width (texture);
  drawing->height = gdk_texture_get_height (texture);
  drawing->stride = (gsize) drawing->width * 4;
  drawing->pixels = g_malloc (drawing->stride * (gsize) drawing->height);
  gdk_texture_download (texture, drawing->pixels, drawing->stride);
  g_object_unref (texture);
  gsk_render_node_unref (node);
  g_object_unref (paintable);
}

static guint32
get_pixel (const Drawing *drawing, int x, int y)
{
  guint32 pixel;

  memcpy (&pixel, drawing->pixels + (gsize) y * drawing->stride + (gsize) x * 4, 4);
  return pixel & 0xffffff;
}

/* Relative luminance of sRGB, WCAG 2.1. */
static double
luminance (guint32 pixel)
{
  static const double weights[] = { 0.0722, 0.7152, 0.2126 };
  double sum = 0;

  for (int c = 0; c < 3; c++)
    {
      double v = (double) (pixel >> (8 * c) & 0xff) / 255;

      sum += weights[c] * (v <= 0.04045 ? v / 12.92 : pow ((v + 0.055) / 1.055, 2.4));
    }
  return sum;
}

static double
contrast (guint32 one, guint32 other)
{
  double a = luminance (one), b = luminance (other);

  return (MAX (a, b) + 0.05) / (MIN (a, b) + 0.05);
}

/* The ground is the most frequent colour, the text the one that differs most from it. */
static double
measure (const Drawing *drawing, const graphene_rect_t *box)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer pixel, count;
  guint32 ground = 0;
  guint most = 0;
  double best = 1;
  int left = MAX ((int) (box->origin.x * SCALE), 0), top = MAX ((int) (box->origin.y * SCALE), 0);
  int right = MIN ((int) ((box->origin.x + box->size.width) * SCALE), drawing->width);
  int bottom = MIN ((int) ((box->origin.y + box->size.height) * SCALE), drawing->height);

  for (int y = top; y < bottom; y++)
    for (int x = left; x < right; x++)
      {
        gpointer key = GUINT_TO_POINTER (get_pixel (drawing, x, y));

        g_hash_table_insert (
            counts, key,
            GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (counts, key)) + 1));
      }
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &pixel, &count))
    if (GPOINTER_TO_UINT (count) > most)
      {
        most = GPOINTER_TO_UINT (count);
        ground = GPOINTER_TO_UINT (pixel);
      }
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &pixel, &count))
    best = MAX (best, contrast (GPOINTER_TO_UINT (pixel), ground));
  return best;
}

/* What is cut off by a scrolled window is not on screen as a whole. */
static gboolean
is_whole (GtkWidget *label, const graphene_rect_t *box)
{
  for (GtkWidget *widget = gtk_widget_get_parent (label); widget != NULL;
       widget = gtk_widget_get_parent (widget))
    {
      graphene_rect_t bounds, inside;

      if (gtk_widget_get_overflow (widget) != GTK_OVERFLOW_HIDDEN)
        continue;
      if (!gtk_widget_compute_bounds (widget, GTK_WIDGET (gtk_widget_get_root (label)), &bounds)
          || !graphene_rect_intersection (&bounds, box, &inside)
          || inside.size.height < box->size.height || inside.size.width < 8)
        return FALSE;
    }
  return TRUE;
}

/* What cannot be used now may be faint (WCAG exempts it). */
static gboolean
is_text (GtkWidget *widget)
{
  return GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) && gtk_widget_is_sensitive (widget)
         && *gtk_label_get_text (GTK_LABEL (widget)) != '\0' && gtk_widget_get_width (widget) > 8;
}

/* Number of texts below the limit; each is named. */
static guint
check_below (GtkWidget *widget, const Drawing *drawing, const char *where, guint *n_texts)
{
  guint n_faint = 0;

  if (is_text (widget))
    {
      graphene_rect_t box;

      if (gtk_widget_compute_bounds (widget, GTK_WIDGET (gtk_widget_get_root (widget)), &box)
          && is_whole (widget, &box))
        {
          double found = measure (drawing, &box);

          ++*n_texts;
          if (found < LEAST)
            {
              g_test_message ("%s: “%s” has %.2f : 1", where,
                              gtk_label_get_text (GTK_LABEL (widget)), found);
              n_faint++;
            }
        }
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n_faint += check_below (child, drawing, where, n_texts);
  return n_faint;
}

static guint
check_page (WindowFixture *fixture, const char *page, const char *appearance)
{
  g_autofree char *where = g_strconcat (page, ", ", appearance, NULL);
  Drawing drawing;
  guint n_faint, n_texts = 0;

  sonde_window_show_page (fixture->window, page, NULL);
  window_fixture_settle (fixture);
  drawing_init (&drawing, GTK_WIDGET (fixture->window));
  n_faint = check_below (GTK_WIDGET (fixture->window), &drawing, where, &n_texts);
  g_free (drawing.pixels);
  g_assert_cmpuint (n_texts, >, 10);
  return n_faint;
}

static void
test_contrast (gconstpointer data)
{
  const char *appearance = data;
  WindowFixture fixture = { 0 };
  guint n_faint = 0;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "overview");
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.appearance", "s", appearance);
  for (const SondePageInfo *info = sonde_page_table; info->name != NULL; info++)
    n_faint += check_page (&fixture, info->name, appearance);
  g_assert_cmpuint (n_faint, ==, 0);
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.appearance", "s", "light");
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("sonde-runtime-XXXXXX", NULL);

  /* Sessions of others stay out of it. */
  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_data_func ("/app/pages/contrast/light", "light", test_contrast);
  g_test_add_data_func ("/app/pages/contrast/dark", "dark", test_contrast);
  return g_test_run ();
}
