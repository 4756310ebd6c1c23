/* SPDX-License-Identifier: Apache-2.0
 * Views under the desktop's text scaling: what is drawn is larger, what the hand meets is the same. */
#include <string.h>

#include "tests/support/sonde-test-image.h"
#include "tests/viewers/run-fixture.h"
#include "viewers/media/sonde-image-pair-view.h"
#include "viewers/sonde-badge.h"
#include "viewers/sonde-edit-view.h"
#include "viewers/sonde-scalar-view.h"
#include "viewers/sonde-text-scale.h"

#define WIDTH 400
#define HEIGHT 300
#define LABELS 48 /* px at the left where the ticks' numbers stand */

/* @scale: of texts; the widget is as much larger */
typedef struct
{
  double scale;
  GtkWidget *window;
  SondeView *view;
} Shown;

static void
show (Shown *shown, GtkWidget *view, double scale)
{
  int minimum;

  sonde_text_scale_set (scale);
  *shown = (Shown){ scale, g_object_ref_sink (gtk_window_new ()), SONDE_VIEW (view) };
  gtk_window_set_child (GTK_WINDOW (shown->window), view);
  gtk_widget_measure (view, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  gtk_widget_measure (view, GTK_ORIENTATION_VERTICAL, -1, &minimum, NULL, NULL, NULL);
  gtk_widget_allocate (view, (int) (WIDTH * scale), (int) (HEIGHT * scale), -1, NULL);
}

static void
hide (Shown *shown)
{
  gtk_window_destroy (GTK_WINDOW (shown->window));
  g_object_unref (shown->window);
  sonde_text_scale_set (1);
}

/* (transfer full) */
static GskRenderNode *
make_node (const Shown *shown)
{
  for (;;)
    {
      GtkSnapshot *snapshot = gtk_snapshot_new ();
      GskRenderNode *node;

      GTK_WIDGET_GET_CLASS (shown->view)->snapshot (GTK_WIDGET (shown->view), snapshot);
      node = gtk_snapshot_free_to_node (snapshot);
      if (!sonde_view_is_paced (shown->view))
        return node;
      /* The picture before it took long: this one has to wait for its turn. */
      gsk_render_node_unref (node);
      while (sonde_view_is_paced (shown->view))
        g_main_context_iteration (NULL, TRUE);
    }
}

/* @scale: pixels a px of the widget */
static cairo_surface_t *
draw (const Shown *shown, double scale)
{
  cairo_surface_t *picture = sonde_test_image_new (2 * WIDTH, 2 * HEIGHT);
  g_autoptr (GskRenderNode) node = make_node (shown);
  cairo_t *cr = cairo_create (picture);

  cairo_scale (cr, scale, scale);
  gsk_render_node_draw (node, cr);
  cairo_destroy (cr);
  return picture;
}

/* In twice as many pixels as designed, whatever makes them so many. */
static cairo_surface_t *
snapshot (const Shown *shown)
{
  return draw (shown, 2 / shown->scale);
}

static GtkEventController *
find_controller (const Shown *shown, GType type)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (shown->view));

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (G_TYPE_CHECK_INSTANCE_TYPE (controller, type)
          && (!GTK_IS_GESTURE_CLICK (controller)
              || gtk_gesture_single_get_button (GTK_GESTURE_SINGLE (controller))
                     == GDK_BUTTON_PRIMARY))
        return controller; /* the view holds it */
    }
  g_assert_not_reached ();
}

/* In px of the design, which are @scale px of the widget. */
static void
hover (const Shown *shown, double x, double y)
{
  g_signal_emit_by_name (find_controller (shown, GTK_TYPE_EVENT_CONTROLLER_MOTION), "enter",
                         x * shown->scale, y * shown->scale);
}

static void
click (const Shown *shown, double x, double y)
{
  g_signal_emit_by_name (find_controller (shown, GTK_TYPE_GESTURE_CLICK), "released", 1,
                         x * shown->scale, y * shown->scale);
}

static void
drag (const Shown *shown, double x, double y, double dx, double dy)
{
  GtkEventController *gesture = find_controller (shown, GTK_TYPE_GESTURE_DRAG);

  g_signal_emit_by_name (gesture, "drag-begin", x * shown->scale, y * shown->scale);
  g_signal_emit_by_name (gesture, "drag-update", dx * shown->scale, dy * shown->scale);
  g_signal_emit_by_name (gesture, "drag-end", dx * shown->scale, dy * shown->scale);
}

/* ---- a chart ------------------------------------------------------------- */

static void
set_up (RunFixture *fixture, const void *data)
{
  run_fixture_init (fixture);
  for (int i = 0; i < 100; i++)
    sonde_test_run_scalars (fixture->writer, i * 2, "loss", 1 - i / 100.0, NULL);
}

static void
tear_down (RunFixture *fixture, const void *data)
{
  run_fixture_clear (fixture);
}

static void
show_chart (Shown *shown, RunFixture *fixture, double scale)
{
  GtkWidget *view = sonde_scalar_view_new ();

  sonde_view_set_title (SONDE_VIEW (view), "loss");
  sonde_scalar_view_add (SONDE_SCALAR_VIEW (view),
                         sonde_run_get_series (run_fixture_settle (fixture), "loss"), "run-a", 0);
  show (shown, view, scale);
}

static void
on_step (SondeScalarView *view, gint64 step, gint64 *told)
{
  *told = step;
}

static int
count_different (cairo_surface_t *a, cairo_surface_t *b)
{
  int n = 0;

  for (int y = 0; y < 2 * HEIGHT; y++)
    for (int x = 0; x < 2 * WIDTH; x++)
      n += sonde_test_image_distance (a, x, y, sonde_test_image_get (b, x, y)) > 0;
  return n;
}

/* The same pixels as on a screen with twice as many, margins and ticks included. What follows the pointer is drawn
 * by commands, whose glyphs may stand a pixel apart. */
static void
test_picture (RunFixture *fixture, const void *data)
{
  cairo_surface_t *plain[2], *hovered[2];

  for (int k = 0; k < 2; k++)
    {
      Shown shown;

      sonde_view_set_picture_scale (k == 0 ? 2 : 1);
      show_chart (&shown, fixture, k + 1);
      g_assert_cmpint (sonde_view_get_width (shown.view), ==, WIDTH);
      g_assert_cmpint (sonde_view_get_height (shown.view), ==, HEIGHT);
      plain[k] = snapshot (&shown);
      hover (&shown, 200, 120);
      hovered[k] = snapshot (&shown);
      hide (&shown);
    }
  g_assert_cmpint (count_different (plain[0], plain[1]), ==, 0);
  g_assert_cmpint (count_different (plain[1], hovered[1]), >, 4 * WIDTH * HEIGHT / 100);
  g_assert_cmpint (count_different (hovered[0], hovered[1]), <, 4 * WIDTH * HEIGHT / 200);
  for (int k = 0; k < 2; k++)
    {
      cairo_surface_destroy (plain[k]);
      cairo_surface_destroy (hovered[k]);
    }
}

/* Rows of ink of the first number of the axis, in pixels of the widget. */
static int
measure_number (const Shown *shown)
{
  int width = (int) (LABELS * shown->scale), height = 0;
  cairo_surface_t *picture = draw (shown, 1);

  for (int y = 0; y < 2 * HEIGHT; y++)
    {
      gboolean inked = sonde_test_image_count_ink (picture, 0, y, width, 1) > 0;

      if (inked)
        height++;
      else if (height > 0)
        break;
    }
  cairo_surface_destroy (picture);
  return height;
}

static void
test_texts (RunFixture *fixture, const void *data)
{
  int heights[2];

  for (int k = 0; k < 2; k++)
    {
      Shown shown;

      show_chart (&shown, fixture, k + 1);
      heights[k] = measure_number (&shown);
      hide (&shown);
    }
  g_assert_cmpint (heights[0], >=, 6);
  /* Each of two edges is blurred by up to a pixel. */
  g_assert_cmpint (ABS (heights[1] - 2 * heights[0]), <=, 3);
}

/* The pointer over the same place of the drawing meets the same step, zooms to the same stretch. */
static void
test_hands (RunFixture *fixture, const void *data)
{
  static const double scales[] = { 1, 1.5, 2 };
  gint64 hovered[3] = { 0 }, clicked[3] = { 0 };
  SondeViewport zoomed[3];

  for (int k = 0; k < 3; k++)
    {
      Shown shown;

      show_chart (&shown, fixture, scales[k]);
      g_signal_connect (shown.view, "hovered-step", G_CALLBACK (on_step), &hovered[k]);
      g_signal_connect (shown.view, "cursor-moved", G_CALLBACK (on_step), &clicked[k]);
      cairo_surface_destroy (snapshot (&shown));
      hover (&shown, 200, 120);
      click (&shown, 300, 120);
      drag (&shown, 100, 50, 200, 100);
      sonde_view_get_viewport (shown.view, &zoomed[k]);
      hide (&shown);
    }
  g_assert_cmpint (hovered[0], >, 60);
  g_assert_cmpint (clicked[0], >, hovered[0]);
  for (int k = 1; k < 3; k++)
    {
      g_assert_cmpint (hovered[k], ==, hovered[0]);
      g_assert_cmpint (clicked[k], ==, clicked[0]);
      g_assert_cmpfloat_with_epsilon (zoomed[k].x0, zoomed[0].x0, 1e-9);
      g_assert_cmpfloat_with_epsilon (zoomed[k].x1, zoomed[0].x1, 1e-9);
    }
}

/* Somebody turns it up while the chart is there. */
static void
test_live (RunFixture *fixture, const void *data)
{
  Shown shown;
  int before, after;

  show_chart (&shown, fixture, 1);
  gtk_widget_measure (GTK_WIDGET (shown.view), GTK_ORIENTATION_VERTICAL, -1, &before, NULL, NULL,
                      NULL);
  sonde_text_scale_set (2);
  gtk_widget_measure (GTK_WIDGET (shown.view), GTK_ORIENTATION_VERTICAL, -1, &after, NULL, NULL,
                      NULL);
  g_assert_cmpint (after, ==, 2 * before);
  g_assert_cmpint (sonde_view_get_width (shown.view), ==, WIDTH / 2);
  hide (&shown);
}

/* ---- others -------------------------------------------------------------- */

/* A drag that is the child's own. */
static void
test_divider (void)
{
  for (int k = 1; k <= 2; k++)
    {
      SondeImagePairView *view = SONDE_IMAGE_PAIR_VIEW (sonde_image_pair_view_new ());
      g_autoptr (SondeImage) image = sonde_image_new (8, 6, 1);
      Shown shown;

      sonde_image_pair_view_set_images (view, image, image);
      sonde_image_pair_view_set_mode (view, SONDE_IMAGE_PAIR_DIVIDER);
      show (&shown, GTK_WIDGET (view), k);
      cairo_surface_destroy (snapshot (&shown));
      drag (&shown, WIDTH / 2, 150, 64, 0); /* a pixel of the image is at most 32 large */
      g_assert_cmpfloat_with_epsilon (sonde_image_pair_view_get_divider (view), 0.75, 1e-9);
      hide (&shown);
    }
}

/* A gesture that the child has beside those of every view. */
static void
test_brush (void)
{
  g_autoptr (SondeImage) image = sonde_image_new (16, 12, 3);
  guint8 painted[2][16 * 12 * 3];

  for (int k = 1; k <= 2; k++)
    {
      GtkWidget *view = g_object_new (SONDE_TYPE_EDIT_VIEW, NULL);
      g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (view);
      Shown shown;

      sonde_edit_view_set_image (SONDE_EDIT_VIEW (view), image);
      sonde_edit_view_set_brush (SONDE_EDIT_VIEW (view), 2, (const guint8[]){ 255, 0, 0 }, 1);
      show (&shown, view, k);
      for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
        {
          g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

          if (GTK_IS_GESTURE_DRAG (controller))
            g_signal_emit_by_name (controller, "drag-begin", 130.0 * k, 90.0 * k);
        }
      memcpy (painted[k - 1], sonde_edit_view_get_image (SONDE_EDIT_VIEW (view))->pixels,
              sizeof painted[0]);
      hide (&shown);
    }
  g_assert_nonnull (memchr (painted[0], 255, sizeof painted[0]));
  g_assert_cmpmem (painted[0], sizeof painted[0], painted[1], sizeof painted[1]);
}

/* A widget that is no view. */
static void
test_request (void)
{
  GtkWidget *box = g_object_ref_sink (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0));
  int width, height;

  sonde_text_scale_request (box, 90, -1);
  sonde_text_scale_set (2);
  gtk_widget_get_size_request (box, &width, &height);
  g_assert_cmpint (width, ==, 180);
  g_assert_cmpint (height, ==, -1);
  sonde_text_scale_request (box, 50, 20);
  sonde_text_scale_set (1);
  gtk_widget_get_size_request (box, &width, &height);
  g_assert_cmpint (width, ==, 50);
  g_assert_cmpint (height, ==, 20);
  g_object_unref (box);
}

static void
test_badge (void)
{
  GtkWidget *badge = g_object_ref_sink (sonde_badge_new ());
  int plain, large;

  gtk_widget_measure (badge, GTK_ORIENTATION_HORIZONTAL, -1, &plain, NULL, NULL, NULL);
  sonde_text_scale_set (1.5);
  g_assert_cmpfloat_with_epsilon (sonde_text_scale_get (badge), 1.5, 1e-3);
  g_assert_cmpint (sonde_text_scale_length (badge, 5), ==, 8);
  gtk_widget_queue_resize (badge);
  gtk_widget_measure (badge, GTK_ORIENTATION_HORIZONTAL, -1, &large, NULL, NULL, NULL);
  g_assert_cmpint (2 * large, ==, 3 * plain);
  /* A desktop that does not say. */
  g_object_set (gtk_settings_get_default (), "gtk-xft-dpi", -1, NULL);
  g_assert_cmpfloat (sonde_text_scale_get (badge), ==, 1);
  g_object_unref (badge);
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
  g_test_add ("/viewers/text-scale/picture", RunFixture, NULL, set_up, test_picture, tear_down);
  g_test_add ("/viewers/text-scale/texts", RunFixture, NULL, set_up, test_texts, tear_down);
  g_test_add ("/viewers/text-scale/hands", RunFixture, NULL, set_up, test_hands, tear_down);
  g_test_add ("/viewers/text-scale/live", RunFixture, NULL, set_up, test_live, tear_down);
  g_test_add_func ("/viewers/text-scale/divider", test_divider);
  g_test_add_func ("/viewers/text-scale/brush", test_brush);
  g_test_add_func ("/viewers/text-scale/request", test_request);
  g_test_add_func ("/viewers/text-scale/badge", test_badge);
  return g_test_run ();
}
