/* SPDX-License-Identifier: Apache-2.0
 * Axes, limits and marks that a scalar view is asked for: where the ink is, and that what is read is what was
 * recorded. */
#include <glib/gstdio.h>
#include <math.h>

#include "data/charts/sonde-chart-setup.h"
#include "tests/support/sonde-test-image.h"
#include "tests/viewers/run-fixture.h"
#include "viewers/sonde-scalar-view-private.h"

#define WIDTH 500
#define HEIGHT 300
#define BLUE 0x0072b2u

typedef struct
{
  RunFixture run;
  SondeScalarView *view;
} Fixture;

/* 1000 steps: loss 1000 - step, with one point far away; each step is an epoch of 100 steps. */
static void
set_up (Fixture *fixture, const void *data)
{
  int minimum;

  run_fixture_init (&fixture->run);
  for (int i = 0; i < 1000; i++)
    sonde_test_run_scalars (fixture->run.writer, i, "loss", i == 500 ? 1e6 : 1000.0 - i, "epoch",
                            (double) (i / 100), "square", (double) i * i, NULL);
  fixture->view = g_object_ref_sink (SONDE_SCALAR_VIEW (sonde_scalar_view_new ()));
  gtk_widget_measure (GTK_WIDGET (fixture->view), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL,
                      NULL, NULL);
  gtk_widget_allocate (GTK_WIDGET (fixture->view), WIDTH, HEIGHT, -1, NULL);
  sonde_scalar_view_add (
      fixture->view, sonde_run_get_series (run_fixture_settle (&fixture->run), "loss"), "run-a", 0);
}

static void
tear_down (Fixture *fixture, const void *data)
{
  g_object_unref (fixture->view);
  run_fixture_clear (&fixture->run);
}

static SondeSeries *
get_series (Fixture *fixture, const char *tag)
{
  return sonde_run_get_series (run_fixture_settle (&fixture->run), tag);
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

/* Ink of the curve at a place of the viewport. */
static gboolean
has_curve (Fixture *fixture, double wx, double wy)
{
  cairo_surface_t *picture = render (fixture);
  gboolean found;
  double x, y;

  sonde_view_world_to_view (SONDE_VIEW (fixture->view), wx, wy, &x, &y);
  found = sonde_test_image_has (picture, (int) x - 2, (int) y - 3, 5, 6, BLUE, 90);
  cairo_surface_destroy (picture);
  return found;
}

static void
test_metric (Fixture *fixture, const void *data)
{
  const SondeScalarItem *item;
  SondePoint point;

  sonde_scalar_view_set_clip (fixture->view, TRUE);
  sonde_scalar_view_set_x_series (fixture->view, get_series (fixture, "loss"),
                                  get_series (fixture, "square"));
  sonde_scalar_view_set_x (fixture->view, SONDE_SCALAR_X_METRIC, "square");
  /* Step 900 stands at 810,000 with its own value. */
  g_assert_true (has_curve (fixture, 810000, 100));
  g_assert_false (has_curve (fixture, 810000, 500));
  item = fixture->view->items->pdata[0];
  g_assert_true (sonde_scalar_item_nearest (item, SONDE_SCALAR_X_METRIC, 810000, &point));
  g_assert_cmpint (point.step, ==, 900);
  g_assert_cmpfloat (point.value, ==, 100);
}

/* What the epoch was at that step; later points of it count when they come. */
static void
test_epoch (Fixture *fixture, const void *data)
{
  const SondeScalarItem *item = fixture->view->items->pdata[0];

  sonde_scalar_view_set_x_series (fixture->view, get_series (fixture, "loss"),
                                  get_series (fixture, "epoch"));
  g_assert_cmpfloat (sonde_scalar_item_x_of (item, SONDE_SCALAR_X_METRIC, 250, 0), ==, 2);
  g_assert_cmpfloat (sonde_scalar_item_x_of (item, SONDE_SCALAR_X_METRIC, 5000, 0), ==, 9);
  g_assert_true (isnan (sonde_scalar_item_x_of (item, SONDE_SCALAR_X_METRIC, -1, 0)));
  sonde_test_run_scalars (fixture->run.writer, 1000, "loss", 1.0, "epoch", 77.0, NULL);
  run_fixture_settle (&fixture->run);
  g_assert_cmpfloat (sonde_scalar_item_x_of (item, SONDE_SCALAR_X_METRIC, 5000, 0), ==, 77);
}

static void
test_log_x (Fixture *fixture, const void *data)
{
  SondeViewport v;

  sonde_scalar_view_set_clip (fixture->view, TRUE);
  sonde_scalar_view_set_log_x (fixture->view, TRUE);
  g_assert_true (has_curve (fixture, log10 (900), 100));
  sonde_view_get_viewport (SONDE_VIEW (fixture->view), &v);
  g_assert_cmpfloat (v.x0, <=, 0);
  g_assert_cmpfloat (v.x0, >, -0.2);
  /* The left half of the axis has its points, too: 1 to 30 of 1000. */
  for (int step = 2; step < 30; step += 3)
    g_assert_true (has_curve (fixture, log10 (step), 1000 - step));
  /* Dates have no logarithm. */
  sonde_scalar_view_set_x (fixture->view, SONDE_SCALAR_X_WALL, NULL);
  cairo_surface_destroy (render (fixture));
  g_assert_false (sonde_scalar_view_is_log_x (fixture->view));
}

static void
test_limits (Fixture *fixture, const void *data)
{
  SondeViewport v;

  sonde_scalar_view_set_limits (fixture->view, 100, 200, 0, NAN);
  cairo_surface_destroy (render (fixture));
  sonde_view_get_viewport (SONDE_VIEW (fixture->view), &v);
  g_assert_cmpfloat (v.x0, ==, 100);
  g_assert_cmpfloat (v.x1, ==, 200);
  g_assert_cmpfloat (v.y1, ==, 0);
  g_assert_cmpfloat (v.y0, >, 900);
  /* Ends that would turn the axis round are not taken. */
  sonde_scalar_view_set_limits (fixture->view, 200, 100, NAN, NAN);
  cairo_surface_destroy (render (fixture));
  sonde_view_get_viewport (SONDE_VIEW (fixture->view), &v);
  g_assert_cmpfloat (v.x0, <, v.x1);
  g_assert_cmpfloat (v.x1, >, 900);
}

static void
test_outliers (Fixture *fixture, const void *data)
{
  SondeViewport v;

  cairo_surface_destroy (render (fixture));
  sonde_view_get_viewport (SONDE_VIEW (fixture->view), &v);
  g_assert_cmpfloat (v.y0, >, 1e6);
  g_assert_cmpstr (fixture->view->note, ==, "");
  sonde_scalar_view_set_clip (fixture->view, TRUE);
  cairo_surface_destroy (render (fixture));
  sonde_view_get_viewport (SONDE_VIEW (fixture->view), &v);
  g_assert_cmpfloat (v.y0, <, 1100);
  g_assert_cmpstr (fixture->view->note, ==, "outliers cut off: values from 1 to 1 M");
}

static const SondeChartMark *
find_mark (Fixture *fixture, SondeChartSign sign)
{
  for (guint i = 0; i < fixture->view->chart_marks->len; i++)
    {
      const SondeChartMark *mark = &g_array_index (fixture->view->chart_marks, SondeChartMark, i);

      if (mark->sign == sign)
        return mark;
    }
  return NULL;
}

/* The labels are the record's numbers. */
static void
test_marks (Fixture *fixture, const void *data)
{
  sonde_scalar_view_set_marks (fixture->view, SONDE_CHART_MARK_ALL);
  cairo_surface_destroy (render (fixture));
  g_assert_cmpfloat (find_mark (fixture, SONDE_CHART_SIGN_MIN)->y, ==, 1);
  g_assert_cmpfloat (find_mark (fixture, SONDE_CHART_SIGN_MAX)->y, ==, 1e6);
  g_assert_cmpfloat_with_epsilon (find_mark (fixture, SONDE_CHART_SIGN_MAX)->x, 500, 3);
  g_assert_cmpstr (find_mark (fixture, SONDE_CHART_SIGN_LAST)->label, ==, "1");
  g_assert_cmpfloat (find_mark (fixture, SONDE_CHART_SIGN_LAST)->x, ==, 999);
  sonde_scalar_view_set_marks (fixture->view, 0);
  cairo_surface_destroy (render (fixture));
  g_assert_cmpuint (fixture->view->chart_marks->len, ==, 0);
}

static void
test_rules (Fixture *fixture, const void *data)
{
  static const char *const rules[] = { "500 half", "no number", NULL };
  static const char *const milestones[] = { "250 resumed", NULL };
  const SondeChartRule *milestone;

  sonde_scalar_view_set_clip (fixture->view, TRUE);
  sonde_scalar_view_set_rules (fixture->view, rules, milestones);
  cairo_surface_destroy (render (fixture));
  g_assert_cmpuint (fixture->view->chart_rules->len, ==, 1);
  g_assert_cmpstr (g_array_index (fixture->view->chart_rules, SondeChartRule, 0).label, ==, "half");
  /* A step stands where the axis has it: 10 ms a step. */
  sonde_scalar_view_set_x (fixture->view, SONDE_SCALAR_X_RELATIVE, NULL);
  cairo_surface_destroy (render (fixture));
  milestone = &g_array_index (fixture->view->chart_milestones, SondeChartRule, 0);
  g_assert_cmpfloat_with_epsilon (milestone->at, 2.5, 0.02);
}

/* A document that pgfplots reads: every point drawn, the names made harmless. */
static void
test_pgfplots (Fixture *fixture, const void *data)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-tex-XXXXXX", NULL), *text = NULL;
  g_autofree char *path = g_build_filename (folder, "chart.tex", NULL);
  GError *error = NULL;

  sonde_view_set_title (SONDE_VIEW (fixture->view), "loss_50%");
  sonde_scalar_view_set_limits (fixture->view, 0, 20, NAN, NAN);
  cairo_surface_destroy (render (fixture));
  g_assert_true (sonde_view_export (SONDE_VIEW (fixture->view), path, WIDTH, HEIGHT, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "ylabel={loss\\_50\\%}"));
  g_assert_nonnull (strstr (text, "\n    7 993\n"));
  g_assert_nonnull (strstr (text, "\\addlegendentry{run-a}"));
  g_unlink (path);
  g_rmdir (folder);
}

/* An image with a legend names every curve, however small it is. */
static void
test_legend (Fixture *fixture, const void *data)
{
  double without;

  sonde_scalar_view_add (fixture->view, get_series (fixture, "epoch"), "epoch", 1);
  cairo_surface_destroy (render (fixture));
  without = fixture->view->legend_height;
  sonde_view_set_wants_legend (SONDE_VIEW (fixture->view), TRUE);
  cairo_surface_destroy (render (fixture));
  g_assert_cmpfloat (without, ==, 0);
  g_assert_cmpfloat (fixture->view->legend_height, >, 0);
  sonde_view_set_wants_legend (SONDE_VIEW (fixture->view), FALSE);
  cairo_surface_destroy (render (fixture));
  g_assert_cmpfloat (fixture->view->legend_height, ==, 0);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*test) (Fixture *fixture, const void *data);
  } tests[] = {
    { "metric", test_metric }, { "epoch", test_epoch },       { "log-x", test_log_x },
    { "limits", test_limits }, { "outliers", test_outliers }, { "marks", test_marks },
    { "rules", test_rules },   { "pgfplots", test_pgfplots }, { "legend", test_legend },
  };

  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check ())
    return 77;
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strdup_printf ("/viewers/scalar-axes/%s", tests[i].name);

      g_test_add (path, Fixture, NULL, set_up, tests[i].test, tear_down);
    }
  return g_test_run ();
}
