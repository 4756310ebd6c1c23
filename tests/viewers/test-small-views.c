/* SPDX-License-Identifier: Apache-2.0
 * Histogram view, image view, marks: what they hold and say, and that they go away. */
#include <math.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/sonde-histogram-view.h"
#include "viewers/sonde-image-view.h"
#include "viewers/sonde-badge.h"

static cairo_surface_t *
render (SondeView *view, int width, int height)
{
  cairo_surface_t *picture = sonde_test_image_new (width, height);
  cairo_t *cr = cairo_create (picture);

  sonde_view_render (view, cr, width, height);
  cairo_destroy (cr);
  return picture;
}

static SondeBins *
make_bins (double mean)
{
  SondeHistogram histogram;
  float values[100];
  SondeShape shape = sonde_shape_make (1, 100);
  g_autoptr (SondeTensor) tensor = NULL;

  for (int i = 0; i < 100; i++)
    values[i] = (float) (mean + (i - 50) * 0.01);
  tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, values);
  sonde_histogram_init (&histogram);
  sonde_histogram_add (&histogram, tensor);
  return sonde_bins_from_histogram (&histogram);
}

static void
on_cursor (SondeView *view, gint64 step, gint64 *cursor)
{
  *cursor = step;
}

static void
test_histogram (void)
{
  SondeHistogramView *view = g_object_ref_sink (SONDE_HISTOGRAM_VIEW (sonde_histogram_view_new ()));
  g_autofree char *empty = sonde_view_describe (SONDE_VIEW (view));
  g_autofree char *text = NULL, *table = NULL;
  gint64 cursor = -1;
  gpointer weak = view;

  g_assert_nonnull (strstr (empty, "no histograms"));
  cairo_surface_destroy (render (SONDE_VIEW (view), 300, 200));
  /* Any order; the same step again replaces the older. */
  for (int i = 0; i < 5; i++)
    {
      g_autoptr (SondeBins) bins = make_bins (i);

      sonde_histogram_view_add (view, (i * 2) % 5 * 10, bins);
      sonde_histogram_view_add (view, (i * 2) % 5 * 10, bins);
    }
  g_assert_cmpuint (sonde_histogram_view_get_n_rows (view), ==, 5);
  text = sonde_view_describe (SONDE_VIEW (view));
  g_assert_nonnull (strstr (text, "5 histograms, steps 0 to 40"));
  for (int kind = 0; kind < 3; kind++)
    {
      cairo_surface_t *picture;

      sonde_histogram_view_set_kind (view, (SondeDistributionKind) kind);
      picture = render (SONDE_VIEW (view), 300, 200);
      g_assert_cmpint (sonde_test_image_count_ink (picture, 0, 0, 300, 200), >, 500);
      cairo_surface_destroy (picture);
    }
  g_signal_connect (view, "cursor-moved", G_CALLBACK (on_cursor), &cursor);
  sonde_histogram_view_set_cursor (view, 25);
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->move_cursor (SONDE_VIEW (view), 1));
  g_assert_cmpint (cursor, ==, 30);
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->move_cursor (SONDE_VIEW (view), G_MAXINT));
  g_assert_cmpint (cursor, ==, 40);
  table = sonde_view_dup_table (SONDE_VIEW (view), ',');
  g_assert_true (g_str_has_prefix (table, "step,lower,upper,count\n0,"));
  g_object_add_weak_pointer (G_OBJECT (view), &weak);
  g_object_unref (view);
  g_assert_null (weak);
}

/* One without any finite value says so, and has no axis. */
static void
test_empty_histogram (void)
{
  SondeHistogramView *view = g_object_ref_sink (SONDE_HISTOGRAM_VIEW (sonde_histogram_view_new ()));
  g_autoptr (SondeBins) bins = sonde_bins_new (0);
  cairo_surface_t *picture;
  SondeViewPick pick;

  bins->nan = 3;
  sonde_histogram_view_add (view, 7, bins);
  gtk_widget_measure (GTK_WIDGET (view), GTK_ORIENTATION_HORIZONTAL, -1, NULL, NULL, NULL, NULL);
  gtk_widget_allocate (GTK_WIDGET (view), 300, 200, -1, NULL);
  picture = render (SONDE_VIEW (view), 300, 200);
  g_assert_cmpint (sonde_test_image_count_ink (picture, 60, 80, 180, 40), >, 50);
  g_assert_cmpint (sonde_test_image_count_ink (picture, 0, 140, 300, 60), ==, 0);
  g_assert_false (SONDE_VIEW_GET_CLASS (view)->pick (SONDE_VIEW (view), 150, 100, &pick));
  cairo_surface_destroy (picture);
  g_object_unref (view);
}

static void
test_image (void)
{
  SondeImageView *view
      = g_object_ref_sink (SONDE_IMAGE_VIEW (g_object_new (SONDE_TYPE_IMAGE_VIEW, NULL)));
  SondeImage *image = sonde_image_new (2, 2, 3);
  const guint8 pixels[] = { 255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0 };
  cairo_surface_t *picture;
  SondeViewPick pick;
  g_autofree char *tip = NULL, *table = NULL;
  int minimum;
  gpointer weak = view;

  memcpy (image->pixels, pixels, sizeof pixels);
  sonde_image_view_set_image (view, image);
  sonde_image_view_set_note (view, "seven");
  gtk_widget_measure (GTK_WIDGET (view), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL,
                      NULL);
  gtk_widget_allocate (GTK_WIDGET (view), 128, 128, -1, NULL);
  /* 32 px a pixel: in the middle of the widget. */
  picture = render (SONDE_VIEW (view), 128, 128);
  g_assert_cmphex (sonde_test_image_get (picture, 48, 48), ==, 0xff0000);
  g_assert_cmphex (sonde_test_image_get (picture, 63, 63), ==, 0xff0000);
  g_assert_cmphex (sonde_test_image_get (picture, 65, 48), ==, 0x00ff00);
  g_assert_cmphex (sonde_test_image_get (picture, 48, 80), ==, 0x0000ff);
  cairo_surface_destroy (picture);
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->pick (SONDE_VIEW (view), 80, 80, &pick));
  g_assert_cmpint (pick.id, ==, 3);
  tip = SONDE_VIEW_GET_CLASS (view)->dup_tooltip (SONDE_VIEW (view), &pick);
  g_assert_cmpstr (tip, ==, "seven\nrow 1, column 1: 255 255 0");
  g_assert_false (SONDE_VIEW_GET_CLASS (view)->pick (SONDE_VIEW (view), 2, 2, &pick));
  table = sonde_view_dup_table (SONDE_VIEW (view), '\t');
  g_assert_cmpstr (table, ==, "255\t0\t0\t0\t255\t0\n0\t0\t255\t255\t255\t0\n");
  g_object_add_weak_pointer (G_OBJECT (view), &weak);
  g_object_unref (view);
  g_assert_null (weak);
}

static void
test_mark (void)
{
  GtkWidget *mark = g_object_ref_sink (sonde_badge_new ());
  int width, height;

  gtk_widget_measure (mark, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  gtk_widget_measure (mark, GTK_ORIENTATION_VERTICAL, -1, &height, NULL, NULL, NULL);
  gtk_widget_allocate (mark, width, height, -1, NULL);
  for (int i = 0; i < SONDE_N_STATES + 2; i++)
    {
      GtkSnapshot *snapshot = gtk_snapshot_new ();
      GskRenderNode *node;

      if (i < SONDE_N_STATES)
        sonde_badge_set_state (SONDE_BADGE (mark), (SondeState) i);
      else if (i == SONDE_N_STATES)
        sonde_badge_set_series (SONDE_BADGE (mark), 9);
      else
        sonde_badge_set_nothing (SONDE_BADGE (mark));
      GTK_WIDGET_GET_CLASS (mark)->snapshot (mark, snapshot);
      node = gtk_snapshot_free_to_node (snapshot);
      g_assert_true ((node != NULL) == (i <= SONDE_N_STATES));
      g_clear_pointer (&node, gsk_render_node_unref);
    }
  g_object_unref (mark);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP there is no display\n");
      return 0;
    }
  g_test_add_func ("/viewers/histogram-view", test_histogram);
  g_test_add_func ("/viewers/histogram-view-without-values", test_empty_histogram);
  g_test_add_func ("/viewers/image-view", test_image);
  g_test_add_func ("/viewers/mark", test_mark);
  return g_test_run ();
}
