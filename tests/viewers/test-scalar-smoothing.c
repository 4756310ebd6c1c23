/* SPDX-License-Identifier: Apache-2.0
 * A curve of a million points: it is there at once, what is still missing is said, and then the means are there. */
#include <math.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/sonde-scalar-view-private.h"

#define N_POINTS 1000000u
#define WIDTH 400
#define HEIGHT 300

typedef struct
{
  SondeSeries *series;
  SondeScalarView *view;
} Fixture;

static void
set_up (Fixture *fixture, const void *data)
{
  g_autofree SondePoint *points = g_new0 (SondePoint, N_POINTS);
  int minimum;

  for (guint i = 0; i < N_POINTS; i++)
    points[i] = (SondePoint){ .step = i, .wall_time_ns = i, .value = i % 2 };
  fixture->series = sonde_series_new_computed (NULL, points, N_POINTS);
  fixture->view = g_object_ref_sink (SONDE_SCALAR_VIEW (sonde_scalar_view_new ()));
  gtk_widget_measure (GTK_WIDGET (fixture->view), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL,
                      NULL, NULL);
  gtk_widget_allocate (GTK_WIDGET (fixture->view), WIDTH, HEIGHT, -1, NULL);
  sonde_scalar_view_set_smoothing (fixture->view, 0.99);
  sonde_scalar_view_add (fixture->view, fixture->series, "run-a", 0);
}

static void
tear_down (Fixture *fixture, const void *data)
{
  gpointer weak = fixture->view;

  g_object_add_weak_pointer (G_OBJECT (fixture->view), &weak);
  g_object_unref (fixture->view);
  g_assert_null (weak);
  g_object_unref (fixture->series);
}

static void
render (Fixture *fixture)
{
  cairo_surface_t *picture = sonde_test_image_new (WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (picture);

  sonde_view_render (SONDE_VIEW (fixture->view), cr, WIDTH, HEIGHT);
  cairo_destroy (cr);
  cairo_surface_destroy (picture);
}

static gboolean
is_said_by_description (Fixture *fixture)
{
  g_autofree char *text = sonde_view_describe (SONDE_VIEW (fixture->view));

  return strstr (text, "being computed") != NULL;
}

static const SondeScalarItem *
get_item (Fixture *fixture)
{
  return fixture->view->items->pdata[0];
}

/* The first picture has every point of the curve and no mean. */
static void
test_meanwhile (Fixture *fixture, const void *data)
{
  g_autofree char *text = NULL;

  render (fixture);
  g_assert_false (sonde_scalar_view_is_settled (fixture->view));
  g_assert_cmpuint (get_item (fixture)->shown, ==, N_POINTS);
  g_assert_true (get_item (fixture)->smooth == NULL || get_item (fixture)->smooth->len == 0);
  text = sonde_scalar_view_dup_smoothing_progress (fixture->view);
  g_assert_true (g_str_has_prefix (text, "Smoothing 1,000,000 points… "));
  g_assert_true (g_str_has_suffix (text, " %"));
  g_assert_true (is_said_by_description (fixture));
}

static void
test_then (Fixture *fixture, const void *data)
{
  g_autofree char *text = NULL;
  GArray *smooth;

  for (render (fixture); !sonde_scalar_view_is_settled (fixture->view); render (fixture))
    g_main_context_iteration (NULL, TRUE);
  text = sonde_scalar_view_dup_smoothing_progress (fixture->view);
  g_assert_null (text);
  g_assert_false (is_said_by_description (fixture));
  smooth = get_item (fixture)->smooth;
  g_assert_cmpuint (smooth->len, >, 100);
  /* l ← 0.99 l + 0.01 x of 0, 1, 0, 1 … ends between 0.4975 and 0.5025 */
  for (guint i = smooth->len / 2; i < smooth->len; i++)
    g_assert_cmpfloat_with_epsilon (g_array_index (smooth, SondeChartBucket, i).max, 0.5025, 1e-4);
}

/* Another weight, and none: what was asked for last counts. */
static void
test_other_weight (Fixture *fixture, const void *data)
{
  render (fixture);
  sonde_scalar_view_set_smoothing (fixture->view, 0.5);
  test_meanwhile (fixture, NULL);
  sonde_scalar_view_set_smoothing (fixture->view, 0);
  render (fixture);
  g_assert_true (sonde_scalar_view_is_settled (fixture->view));
  g_assert_false (is_said_by_description (fixture));
  g_assert_null (get_item (fixture)->smooth);
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
  g_test_add ("/viewers/scalar-smoothing/meanwhile", Fixture, NULL, set_up, test_meanwhile,
              tear_down);
  g_test_add ("/viewers/scalar-smoothing/then", Fixture, NULL, set_up, test_then, tear_down);
  g_test_add ("/viewers/scalar-smoothing/other-weight", Fixture, NULL, set_up, test_other_weight,
              tear_down);
  return g_test_run ();
}
