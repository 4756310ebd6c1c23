/* SPDX-License-Identifier: Apache-2.0
 * Two images compared: the divider by pointer and keys, one zoom for both, what is said of them. */
#include <string.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/media/sonde-image-pair-view.h"

/* Of 8 × 4 pixels on 320 × 180: 32 px a pixel, the most there is when fitted, or 19 beside each other. */
#define WIDTH 320
#define HEIGHT 180

static SondeImage *
make_image (int width, int height, guint8 level)
{
  SondeImage *image = sonde_image_new (width, height, 1);

  memset (image->pixels, level, (gsize) width * (gsize) height);
  return image;
}

static SondeImagePairView *
new_view (SondeImagePairMode mode, int width, guint8 level)
{
  SondeImagePairView *view
      = g_object_ref_sink (SONDE_IMAGE_PAIR_VIEW (sonde_image_pair_view_new ()));
  g_autoptr (SondeImage) first = make_image (8, 4, 100), second = make_image (width, 4, level);
  int ignored;

  sonde_image_pair_view_set_images (view, first, second);
  sonde_image_pair_view_set_names (view, "a", "b");
  sonde_image_pair_view_set_mode (view, mode);
  sonde_view_set_minimum_size (SONDE_VIEW (view), WIDTH, HEIGHT);
  gtk_widget_measure (GTK_WIDGET (view), GTK_ORIENTATION_HORIZONTAL, -1, &ignored, NULL, NULL,
                      NULL);
  gtk_widget_allocate (GTK_WIDGET (view), WIDTH, HEIGHT, -1, NULL);
  return view;
}

static cairo_surface_t *
render (SondeImagePairView *view)
{
  cairo_surface_t *picture = sonde_test_image_new (WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (picture);

  sonde_view_render (SONDE_VIEW (view), cr, WIDTH, HEIGHT);
  cairo_destroy (cr);
  return picture;
}

static GtkEventController *
find_controller (SondeImagePairView *view, GType type)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (view));

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (G_TYPE_CHECK_INSTANCE_TYPE (controller, type))
        return controller; /* the view holds it */
    }
  g_assert_not_reached ();
}

static guint32
grey (guint32 level)
{
  return level << 16 | level << 8 | level;
}

/* Left of the divider the first, right of it the second; the pointer takes it where it is. */
static void
test_divider (void)
{
  SondeImagePairView *view = new_view (SONDE_IMAGE_PAIR_DIVIDER, 8, 200);
  cairo_surface_t *picture = render (view);
  GtkEventController *drag = find_controller (view, GTK_TYPE_GESTURE_DRAG);

  g_assert_cmpint (sonde_test_image_distance (picture, 60, 40, grey (100)), ==, 0);
  g_assert_cmpint (sonde_test_image_distance (picture, 260, 40, grey (200)), ==, 0);
  cairo_surface_destroy (picture);
  g_signal_emit_by_name (drag, "drag-begin", 160.0, 100.0);
  g_signal_emit_by_name (drag, "drag-update", 80.0, 0.0);
  g_signal_emit_by_name (drag, "drag-end", 80.0, 0.0);
  g_assert_cmpfloat_with_epsilon (sonde_image_pair_view_get_divider (view), 0.8125, 1e-9);
  picture = render (view);
  g_assert_cmpint (sonde_test_image_distance (picture, 230, 40, grey (100)), ==, 0);
  cairo_surface_destroy (picture);
  /* Elsewhere a drag pans. */
  g_signal_emit_by_name (drag, "drag-begin", 40.0, 100.0);
  g_signal_emit_by_name (drag, "drag-update", 30.0, 0.0);
  g_signal_emit_by_name (drag, "drag-end", 30.0, 0.0);
  g_assert_cmpfloat_with_epsilon (sonde_image_pair_view_get_divider (view), 0.8125, 1e-9);
  g_assert_false (sonde_view_is_fitted (SONDE_VIEW (view), NULL, NULL));
  g_object_unref (view);
}

static void
test_keys (void)
{
  SondeImagePairView *view = new_view (SONDE_IMAGE_PAIR_DIVIDER, 8, 200);
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (view);
  g_autofree char *text = NULL;

  g_assert_true (class->move_cursor (SONDE_VIEW (view), 1));
  g_assert_true (class->move_cursor (SONDE_VIEW (view), -10));
  g_assert_cmpfloat_with_epsilon (sonde_image_pair_view_get_divider (view), 0.41, 1e-9);
  text = sonde_view_describe (SONDE_VIEW (view));
  g_assert_cmpstr (text, ==,
                   "b compared with a: mean |Δ| 100 · max |Δ| 100 · PSNR 8.1 dB · 100 % of the "
                   "pixels differ; divider at 41 %.");
  g_assert_true (class->move_cursor (SONDE_VIEW (view), G_MAXINT));
  g_assert_cmpfloat (sonde_image_pair_view_get_divider (view), ==, 1);
  g_object_unref (view);
}

/* Where there is no divider the keys lead to a pixel, from the middle on; its levels are read, and it is marked in
 * both panes. */
static void
test_pixel (void)
{
  SondeImagePairView *view = new_view (SONDE_IMAGE_PAIR_BESIDE, 8, 200);
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (view);
  g_autofree char *nothing = sonde_view_dup_reading (SONDE_VIEW (view)), *middle = NULL,
                  *last = NULL;

  g_assert_null (nothing);
  g_assert_true (class->move_cursor (SONDE_VIEW (view), 1));
  middle = sonde_view_dup_reading (SONDE_VIEW (view));
  g_assert_cmpstr (middle, ==, "row 2, column 4:\na: 100\nb: 200\nΔ: +100");
  g_assert_true (class->move_cursor (SONDE_VIEW (view), 10));
  last = sonde_view_dup_reading (SONDE_VIEW (view));
  g_assert_true (g_str_has_prefix (last, "row 2, column 7:"));
  g_object_unref (view);
}

/* What the pointer is over is the same pixel in both panes, zoomed or not. */
static void
test_beside (void)
{
  SondeImagePairView *view = new_view (SONDE_IMAGE_PAIR_BESIDE, 8, 200);
  GtkEventController *motion = find_controller (view, GTK_TYPE_EVENT_CONTROLLER_MOTION);
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (view);
  cairo_surface_t *picture = render (view);
  SondeViewPick left, right;
  g_autofree char *tip = NULL;

  g_assert_cmpint (sonde_test_image_distance (picture, 70, 100, grey (100)), ==, 0);
  g_assert_cmpint (sonde_test_image_distance (picture, 250, 100, grey (200)), ==, 0);
  cairo_surface_destroy (picture);
  for (int zoomed = 0; zoomed < 2; zoomed++)
    {
      g_signal_emit_by_name (motion, "enter", 50.0, 95.0);
      g_assert_true (class->pick (SONDE_VIEW (view), 50, 95, &left));
      g_signal_emit_by_name (motion, "motion", 50.0 + 166, 95.0);
      g_assert_true (class->pick (SONDE_VIEW (view), 50 + 166, 95, &right));
      g_assert_cmpint (left.id, ==, right.id);
      g_assert_cmpfloat_with_epsilon (right.area.x - left.area.x, 166, 1e-6);
      sonde_view_zoom_at (SONDE_VIEW (view), 50 + 166, 95, 3, 3);
    }
  g_assert_true (class->pick (SONDE_VIEW (view), 50 + 166, 95, &right));
  g_assert_cmpint (right.id, ==, left.id); /* the wheel holds what is under the pointer */
  tip = class->dup_tooltip (SONDE_VIEW (view), &right);
  g_assert_cmpstr (tip, ==, "row 1, column 2:\na: 100\nb: 200\nΔ: +100");
  g_object_unref (view);
}

static void
test_table (void)
{
  SondeImagePairView *view = new_view (SONDE_IMAGE_PAIR_DIFFERENCE, 8, 98);
  g_autofree char *table = sonde_view_dup_table (SONDE_VIEW (view), ',');

  g_assert_true (g_str_has_prefix (
      table, "row,column,channel,first,second,difference\n0,0,0,100,98,-2\n0,1,0,100,98,-2\n"));
  g_object_unref (view);
}

static void
test_words (void)
{
  SondeImagePairView *equal = new_view (SONDE_IMAGE_PAIR_DIFFERENCE, 8, 100),
                     *other = new_view (SONDE_IMAGE_PAIR_DIFFERENCE, 5, 100);
  g_autofree char *same = sonde_image_pair_view_describe_numbers (equal),
                  *sizes = sonde_image_pair_view_describe_numbers (other), *none = NULL;
  cairo_surface_t *picture = render (other);

  g_assert_cmpstr (same, ==, "equal");
  g_assert_cmpstr (sizes, ==, "sizes differ: 8 × 4 and 5 × 4 px");
  g_assert_cmpint (sonde_test_image_count_ink (picture, 0, 80, WIDTH, 40), >, 50); /* it says so */
  sonde_image_pair_view_set_images (other, NULL, NULL);
  none = sonde_image_pair_view_describe_numbers (other);
  g_assert_cmpstr (none, ==, "nothing to compare with");
  cairo_surface_destroy (picture);
  cairo_surface_destroy (render (other));
  g_object_unref (equal);
  g_object_unref (other);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP there is no display\n");
      return 0;
    }
  g_test_add_func ("/viewers/image-pair/divider", test_divider);
  g_test_add_func ("/viewers/image-pair/keys", test_keys);
  g_test_add_func ("/viewers/image-pair/pixel", test_pixel);
  g_test_add_func ("/viewers/image-pair/beside", test_beside);
  g_test_add_func ("/viewers/image-pair/table", test_table);
  g_test_add_func ("/viewers/image-pair/words", test_words);
  return g_test_run ();
}
