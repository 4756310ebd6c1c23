/* SPDX-License-Identifier: Apache-2.0
 * Curves of a real store in the view: what is counted, read out, copied, and where the ink is. */
#include <math.h>

#include "tests/support/sonde-test-image.h"
#include "tests/viewers/run-fixture.h"
#include "viewers/paint/sonde-chart.h"
#include "viewers/sonde-scalar-view.h"

#define WIDTH 400
#define HEIGHT 300
#define BLUE 0x0072b2u

typedef struct
{
  RunFixture run;
  SondeScalarView *view;
  gint64 cursor, hovered;
} Fixture;

static void
on_cursor (SondeScalarView *view, gint64 step, Fixture *fixture)
{
  fixture->cursor = step;
}

static void
on_hovered (SondeScalarView *view, gint64 step, Fixture *fixture)
{
  fixture->hovered = step;
}

/* Steps 0, 2, 4 … 198: loss falls from 1 to about 0. */
static void
set_up (Fixture *fixture, const void *data)
{
  int minimum;

  run_fixture_init (&fixture->run);
  for (int i = 0; i < 100; i++)
    sonde_test_run_scalars (fixture->run.writer, i * 2, "loss", 1 - i / 100.0, "rate", 0.1, NULL);
  fixture->view = g_object_ref_sink (SONDE_SCALAR_VIEW (sonde_scalar_view_new ()));
  sonde_view_set_title (SONDE_VIEW (fixture->view), "loss");
  gtk_widget_measure (GTK_WIDGET (fixture->view), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL,
                      NULL, NULL);
  gtk_widget_allocate (GTK_WIDGET (fixture->view), WIDTH, HEIGHT, -1, NULL);
  sonde_scalar_view_add (
      fixture->view, sonde_run_get_series (run_fixture_settle (&fixture->run), "loss"), "run-a", 0);
  g_signal_connect (fixture->view, "cursor-moved", G_CALLBACK (on_cursor), fixture);
  g_signal_connect (fixture->view, "hovered-step", G_CALLBACK (on_hovered), fixture);
}

static void
tear_down (Fixture *fixture, const void *data)
{
  gpointer weak = fixture->view;

  g_object_add_weak_pointer (G_OBJECT (fixture->view), &weak);
  g_object_unref (fixture->view);
  g_assert_null (weak);
  run_fixture_clear (&fixture->run);
}

static cairo_surface_t *
render (Fixture *fixture)
{
  cairo_surface_t *picture = sonde_test_image_new (WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (picture);

  sonde_view_render (SONDE_VIEW (fixture->view), cr, WIDTH, HEIGHT);
  cairo_destroy (cr);
  return picture;
}

static gboolean
has_curve (Fixture *fixture, cairo_surface_t *picture, double step, double value)
{
  double x, y;

  sonde_view_world_to_view (SONDE_VIEW (fixture->view), step, value, &x, &y);
  return sonde_test_image_has (picture, (int) x - 1, (int) y - 2, 3, 4, BLUE, 90);
}

static void
test_curve (Fixture *fixture, const void *data)
{
  cairo_surface_t *picture = render (fixture);
  guint64 shown, held;

  for (int i = 10; i < 100; i += 10)
    g_assert_true (has_curve (fixture, picture, i * 2, 1 - i / 100.0));
  g_assert_false (has_curve (fixture, picture, 20, 0.2));
  sonde_scalar_view_get_counts (fixture->view, &shown, &held);
  g_assert_cmpuint (shown, ==, 100);
  g_assert_cmpuint (held, ==, 100);
  cairo_surface_destroy (picture);
}

/* New points come without anybody asking. */
static void
test_live (Fixture *fixture, const void *data)
{
  cairo_surface_t *picture;
  guint64 shown, held;

  cairo_surface_destroy (render (fixture));
  for (int i = 100; i < 150; i++)
    sonde_test_run_scalars (fixture->run.writer, i * 2, "loss", 0.5, NULL);
  run_fixture_settle (&fixture->run);
  picture = render (fixture);
  sonde_scalar_view_get_counts (fixture->view, &shown, &held);
  g_assert_cmpuint (shown, ==, 150);
  g_assert_true (has_curve (fixture, picture, 250, 0.5));
  cairo_surface_destroy (picture);
}

static void
test_zoomed (Fixture *fixture, const void *data)
{
  SondeViewport v = { 50, 1, 61, 0 };
  cairo_surface_t *picture;
  guint64 shown, held;

  cairo_surface_destroy (render (fixture));
  sonde_view_set_viewport (SONDE_VIEW (fixture->view), &v);
  picture = render (fixture);
  sonde_scalar_view_get_counts (fixture->view, &shown, &held);
  g_assert_cmpuint (shown, ==, 6); /* steps 50 … 60 */
  g_assert_cmpuint (held, ==, 100);
  /* The line reaches the edge, to a point beyond it. */
  g_assert_true (has_curve (fixture, picture, 60.8, 1 - 60.8 / 200));
  cairo_surface_destroy (picture);
}

static void
test_values (Fixture *fixture, const void *data)
{
  SondePoint point;

  cairo_surface_destroy (render (fixture));
  g_assert_true (sonde_scalar_view_get_value (fixture->view, 0, 50, &point));
  g_assert_cmpint (point.step, ==, 50);
  g_assert_cmpfloat (point.value, ==, 0.75);
  g_assert_true (sonde_scalar_view_get_value (fixture->view, 0, 5000, &point));
  g_assert_cmpint (point.step, ==, 198);
}

static void
test_pointer (Fixture *fixture, const void *data)
{
  SondeView *view = SONDE_VIEW (fixture->view);
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (view));
  double x, y;

  cairo_surface_destroy (render (fixture));
  sonde_view_world_to_view (view, 100, 0.5, &x, &y);
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (!GTK_IS_EVENT_CONTROLLER_MOTION (controller))
        continue;
      g_signal_emit_by_name (controller, "motion", x + 1, y);
      g_assert_cmpint (fixture->hovered, ==, 100);
      g_signal_emit_by_name (controller, "leave");
      g_assert_cmpint (fixture->hovered, ==, SONDE_SCALAR_NO_STEP);
    }
  g_signal_emit_by_name (view, "picked", SONDE_VIEW_NOTHING, 1, x, y);
  g_assert_cmpint (fixture->cursor, ==, 100);
}

/* The arrows go from recorded step to recorded step. */
static void
test_keys (Fixture *fixture, const void *data)
{
  SondeView *view = SONDE_VIEW (fixture->view);
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (view);

  cairo_surface_destroy (render (fixture));
  sonde_scalar_view_set_cursor (fixture->view, 101);
  g_assert_true (class->move_cursor (view, 1));
  g_assert_cmpint (fixture->cursor, ==, 102);
  g_assert_true (class->move_cursor (view, -1));
  g_assert_cmpint (fixture->cursor, ==, 100);
  g_assert_true (class->move_cursor (view, 10));
  g_assert_cmpint (fixture->cursor, ==, 120);
  g_assert_true (class->move_cursor (view, G_MAXINT));
  g_assert_cmpint (fixture->cursor, ==, 198);
  g_assert_true (class->move_cursor (view, G_MININT));
  g_assert_cmpint (fixture->cursor, ==, 0);
}

static void
test_smoothing (Fixture *fixture, const void *data)
{
  cairo_surface_t *picture;

  sonde_scalar_view_set_smoothing (fixture->view, 0.9);
  picture = render (fixture);
  g_assert_true (sonde_scalar_view_is_settled (fixture->view));
  /* The mean lags behind a falling curve: it is above it. */
  g_assert_false (has_curve (fixture, picture, 100, 0.5));
  g_assert_true (has_curve (fixture, picture, 100, 0.5 + 0.09));
  cairo_surface_destroy (picture);
}

static void
test_axes (Fixture *fixture, const void *data)
{
  SondeViewport v;
  cairo_surface_t *picture;

  sonde_scalar_view_set_log_y (fixture->view, TRUE);
  picture = render (fixture);
  sonde_view_get_viewport (SONDE_VIEW (fixture->view), &v);
  g_assert_cmpfloat (v.y1, <, -1.9);
  g_assert_true (has_curve (fixture, picture, 180, log10 (0.1)));
  cairo_surface_destroy (picture);

  sonde_scalar_view_set_log_y (fixture->view, FALSE);
  sonde_scalar_view_set_x (fixture->view, SONDE_SCALAR_X_RELATIVE);
  picture = render (fixture);
  sonde_view_get_viewport (SONDE_VIEW (fixture->view), &v);
  g_assert_cmpfloat_with_epsilon (v.x1, 1.98 * 1.01, 1e-6); /* 10 ms a step */
  g_assert_true (has_curve (fixture, picture, 1.0, 0.5));
  cairo_surface_destroy (picture);

  sonde_scalar_view_set_x (fixture->view, SONDE_SCALAR_X_WALL);
  picture = render (fixture);
  g_assert_true (has_curve (fixture, picture, (double) SONDE_TEST_RUN_START_NS / 1e9 + 1, 0.5));
  cairo_surface_destroy (picture);
}

/* Full precision, every point of the window. */
static void
test_text (Fixture *fixture, const void *data)
{
  g_autofree char *text = NULL;
  g_autofree char *table = NULL;
  g_auto (GStrv) lines = NULL;

  cairo_surface_destroy (render (fixture));
  text = sonde_view_describe (SONDE_VIEW (fixture->view));
  g_assert_nonnull (strstr (text, "loss"));
  g_assert_nonnull (strstr (text, "run-a: 100 points, steps 0 to 198"));
  table = sonde_view_dup_table (SONDE_VIEW (fixture->view), '\t');
  lines = g_strsplit (table, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 102);
  g_assert_cmpstr (lines[0], ==, "run\tstep\twall_time\tvalue");
  g_assert_true (g_str_has_prefix (lines[4], "run-a\t6\t1750000000.06"));
  g_assert_true (g_str_has_suffix (lines[4], "\t0.97"));
}

static void
test_resumed (Fixture *fixture, const void *data)
{
  cairo_surface_t *picture;

  sonde_test_run_next_session (fixture->run.writer);
  for (int i = 50; i < 100; i++)
    sonde_test_run_scalars (fixture->run.writer, i * 2, "loss", 0.9, NULL);
  run_fixture_settle (&fixture->run);
  picture = render (fixture);
  g_assert_true (has_curve (fixture, picture, 150, 0.9));
  g_assert_true (has_curve (fixture, picture, 150, 0.25));
  /* No line from the end of the first session back to the begin of the second. */
  g_assert_false (has_curve (fixture, picture, 149, 0.45));
  cairo_surface_destroy (picture);
}

static void
test_remove (Fixture *fixture, const void *data)
{
  SondeSeries *series = sonde_run_get_series (run_fixture_settle (&fixture->run), "loss");
  cairo_surface_t *picture;

  sonde_scalar_view_add (fixture->view, series, "run-a", 0);
  g_assert_cmpuint (sonde_scalar_view_get_n_series (fixture->view), ==, 1);
  sonde_scalar_view_remove (fixture->view, series);
  g_assert_cmpuint (sonde_scalar_view_get_n_series (fixture->view), ==, 0);
  picture = render (fixture);
  g_assert_false (sonde_test_image_has (picture, 0, 0, WIDTH, HEIGHT, BLUE, 60));
  cairo_surface_destroy (picture);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *, const void *);
  } tests[] = {
    { "curve", test_curve },     { "live", test_live },           { "zoomed", test_zoomed },
    { "values", test_values },   { "pointer", test_pointer },     { "keys", test_keys },
    { "axes", test_axes },       { "smoothing", test_smoothing }, { "text", test_text },
    { "resumed", test_resumed }, { "remove", test_remove },
  };

  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP there is no display\n");
      return 0;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strdup_printf ("/viewers/scalar-view/%s", tests[i].path);
      g_test_add (path, Fixture, NULL, set_up, tests[i].test, tear_down);
    }
  return g_test_run ();
}
