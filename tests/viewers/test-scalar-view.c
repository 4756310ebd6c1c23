/* SPDX-License-Identifier: Apache-2.0
 * Curves of a real store in the view: what is counted, read out, copied, and where the ink is. */
#include <math.h>

#include "data/base/sonde-format.h"
#include "data/charts/sonde-chart-setup.h"
#include "tests/support/sonde-test-image.h"
#include "tests/viewers/run-fixture.h"
#include "viewers/paint/sonde-chart.h"
#include "viewers/paint/sonde-readout.h"
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

static void
move_pointer (SondeView *view, double x, double y)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (view));

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_MOTION (controller))
        g_signal_emit_by_name (controller, "motion", x, y);
    }
}

/* The record's own value of @tag at @step, found point by point. FALSE: it has none there. */
static gboolean
read_record (SondeRun *run, const char *tag, gint64 step, double *value)
{
  SondeSeries *series = sonde_run_get_series (run, tag);
  SondePoint point;

  for (guint64 i = 0; sonde_series_copy_points (series, i, 1, &point) == 1; i++)
    if (point.step == step)
      {
        *value = point.value;
        return TRUE;
      }
  return FALSE;
}

static void
check_row (SondeRun *run, const char *line, gint64 step)
{
  g_auto (GStrv) cells = g_strsplit (line, "\t", -1);
  g_autofree char *text = NULL;
  gint64 own = step;
  double value = 0;

  g_assert_cmpuint (g_strv_length (cells), ==, 1 + SONDE_READOUT_N_COLUMNS);
  if (g_str_equal (cells[1 + SONDE_READOUT_VALUE], "–"))
    {
      g_assert_false (read_record (run, cells[0], step, &value));
      return;
    }
  if (*cells[1 + SONDE_READOUT_STEP] != '\0')
    {
      g_assert_false (read_record (run, cells[0], step, &value));
      own = g_ascii_strtoll (cells[1 + SONDE_READOUT_STEP], NULL, 10);
    }
  g_assert_true (read_record (run, cells[0], own, &value));
  text = sonde_format_number (value);
  g_assert_cmpstr (cells[1 + SONDE_READOUT_VALUE], ==, text);
}

static void
add_tag (Fixture *fixture, SondeRun *run, const char *tag, guint color)
{
  sonde_scalar_view_add (fixture->view, sonde_run_get_series (run, tag), tag, color);
}

/* Series of another stride, of another end and of another begin: each row is a number of the record
 * at the step that the row or the head names, at every place of the pointer. */
static void
test_truth (Fixture *fixture, const void *data)
{
  SondeView *view = SONDE_VIEW (fixture->view);
  guint n_dashes = 0, n_beside = 0;
  SondeRun *run;

  for (int i = 0; i <= 120; i++)
    {
      if (i % 32 == 0)
        sonde_test_run_scalars (fixture->run.writer, i, "test", 0.3 + i * 0.001, NULL);
      if (i <= 60)
        sonde_test_run_scalars (fixture->run.writer, i, "short", 0.7 - i * 0.002, NULL);
      if (i >= 90)
        sonde_test_run_scalars (fixture->run.writer, i, "late", 0.1 + i * 0.0001, NULL);
    }
  run = run_fixture_settle (&fixture->run);
  sonde_scalar_view_clear (fixture->view);
  add_tag (fixture, run, "loss", 0);
  add_tag (fixture, run, "test", 1);
  add_tag (fixture, run, "short", 2);
  add_tag (fixture, run, "late", 3);
  cairo_surface_destroy (render (fixture));
  for (int x = 56; x < WIDTH - 14; x++)
    {
      g_autofree char *text = NULL;
      g_auto (GStrv) lines = NULL;
      gint64 step;

      move_pointer (view, x, 40 + x % 200);
      text = sonde_scalar_view_dup_readout (fixture->view);
      g_assert_nonnull (text);
      lines = g_strsplit (text, "\n", -1);
      g_assert_true (g_str_has_prefix (lines[0], "Step "));
      step = g_ascii_strtoll (lines[0] + 5, NULL, 10);
      g_assert_cmpint (step, ==, fixture->hovered);
      g_assert_cmpuint (g_strv_length (lines), ==, 1 + 4 + 1);
      for (int i = 1; i <= 4; i++)
        {
          check_row (run, lines[i], step);
          n_dashes += strstr (lines[i], "\t–\t") != NULL;
          n_beside += strstr (lines[i], "test\t0.3") != NULL && step % 32 != 0;
        }
    }
  g_assert_cmpuint (n_dashes, >, 100);
  g_assert_cmpuint (n_beside, >, 10);
}

/* What has no value there says how far it goes, what is smoothed says both numbers. */
static void
test_readout (Fixture *fixture, const void *data)
{
  SondeView *view = SONDE_VIEW (fixture->view);
  g_autofree char *text = NULL, *ended = NULL, *smoothed = NULL;
  SondeRecord end = { .kind = SONDE_RECORD_END,
                      .session = 1,
                      .tag = g_intern_static_string (""),
                      .wall_time_ns = SONDE_TEST_RUN_START_NS };
  double x, y;
  SondeRun *run;

  for (int i = 0; i < 20; i++)
    sonde_test_run_scalars (fixture->run.writer, i * 2, "short", 0.5, NULL);
  run = run_fixture_settle (&fixture->run);
  add_tag (fixture, run, "short", 2);
  cairo_surface_destroy (render (fixture));
  sonde_view_world_to_view (view, 100, 0.5, &x, &y);
  move_pointer (view, x, y);
  text = sonde_scalar_view_dup_readout (fixture->view);
  g_assert_cmpstr (text, ==, "Step 100\nrun-a\t0.5\t\t\t1 s\nshort\t–\t\tso far to 38\t\n");
  sonde_test_run_record (fixture->run.writer, &end);
  run_fixture_settle (&fixture->run);
  ended = sonde_scalar_view_dup_readout (fixture->view);
  g_assert_nonnull (strstr (ended, "short\t–\t\tended at 38\t\n"));
  sonde_scalar_view_set_smoothing (fixture->view, 0.9);
  cairo_surface_destroy (render (fixture));
  smoothed = sonde_scalar_view_dup_readout (fixture->view);
  g_assert_true (g_str_has_prefix (smoothed, "Step 100\nrun-a\t0.5"));
  g_assert_nonnull (strstr (smoothed, "\t0.5\t\t1 s\n"));
}

/* Of another chart's step only what belongs to it is marked: no series that ended before. */
static void
test_mark (Fixture *fixture, const void *data)
{
  SondeView *view = SONDE_VIEW (fixture->view);
  cairo_surface_t *picture;
  GtkSnapshot *snapshot;

  for (int round = 0; round < 2; round++)
    {
      g_autoptr (GskRenderNode) node = NULL;
      double x, y;
      cairo_t *cr;

      sonde_scalar_view_set_mark (fixture->view, round == 0 ? 300 : 100);
      picture = sonde_test_image_new (WIDTH, HEIGHT);
      cr = cairo_create (picture);
      snapshot = gtk_snapshot_new ();
      GTK_WIDGET_GET_CLASS (view)->snapshot (GTK_WIDGET (view), snapshot);
      node = gtk_snapshot_free_to_node (snapshot);
      gsk_render_node_draw (node, cr);
      cairo_destroy (cr);
      sonde_view_world_to_view (view, round == 0 ? 198 : 100, round == 0 ? 0.01 : 0.5, &x, &y);
      /* A dot is wider than the line under it. */
      g_assert_true (sonde_test_image_has (picture, (int) x - 1, (int) y + 2, 2, 1, BLUE, 60)
                     == (round == 1));
      cairo_surface_destroy (picture);
    }
}

/* A large chart of several series names them above, and the curves stay where they say. */
static void
test_legend (Fixture *fixture, const void *data)
{
  SondeView *view = SONDE_VIEW (fixture->view);
  SondeRun *run = run_fixture_settle (&fixture->run);
  SondeViewRect area;
  cairo_surface_t *picture;

  add_tag (fixture, run, "rate", 1);
  cairo_surface_destroy (render (fixture));
  sonde_view_get_area (view, WIDTH, HEIGHT, &area);
  g_assert_cmpfloat (area.y, ==, SONDE_AXIS_TOP);
  sonde_scalar_view_set_legend (fixture->view, TRUE);
  picture = render (fixture);
  sonde_view_get_area (view, WIDTH, HEIGHT, &area);
  g_assert_cmpfloat (area.y, >, SONDE_AXIS_TOP + 15);
  g_assert_true (sonde_test_image_has (picture, SONDE_AXIS_LEFT, 5, 12, 10, BLUE, 60));
  g_assert_true (has_curve (fixture, picture, 100, 0.5));
  cairo_surface_destroy (picture);
  sonde_scalar_view_remove (fixture->view, sonde_run_get_series (run, "rate"));
  picture = render (fixture);
  g_assert_false (sonde_test_image_has (picture, SONDE_AXIS_LEFT, 2, 12, 5, BLUE, 60));
  cairo_surface_destroy (picture);
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
  sonde_scalar_view_set_x (fixture->view, SONDE_SCALAR_X_RELATIVE, NULL);
  picture = render (fixture);
  sonde_view_get_viewport (SONDE_VIEW (fixture->view), &v);
  g_assert_cmpfloat_with_epsilon (v.x1, 1.98 * 1.01, 1e-6); /* 10 ms a step */
  g_assert_true (has_curve (fixture, picture, 1.0, 0.5));
  cairo_surface_destroy (picture);

  sonde_scalar_view_set_x (fixture->view, SONDE_SCALAR_X_WALL, NULL);
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

/* ---- very many curves ---------------------------------------------------- */

#define N_MANY 600
#define N_EACH 50
#define N_LINES 30

static double
many_value (guint curve, int step)
{
  return curve + 0.01 * step;
}

/* Nothing but the image is kept of them, and still every value that is read is the record's. */
static void
test_many (Fixture *fixture, const void *data)
{
  SondeRun *run;
  guint64 shown, held;

  sonde_scalar_view_clear (fixture->view);
  for (guint i = 0; i < N_MANY; i++)
    {
      g_autofree char *tag = g_strdup_printf ("many-%u", i);

      for (int step = 0; step < N_EACH; step++)
        sonde_test_run_scalars (fixture->run.writer, step, g_intern_string (tag),
                                many_value (i, step), NULL);
    }
  run = run_fixture_settle (&fixture->run);
  for (guint i = 0; i < N_MANY; i++)
    {
      g_autofree char *tag = g_strdup_printf ("many-%u", i);

      sonde_scalar_view_add (fixture->view, sonde_run_get_series (run, tag), tag, i);
    }
  for (int round = 0; round < 2; round++)
    {
      sonde_scalar_view_set_smoothing (fixture->view, round * 0.5);
      cairo_surface_destroy (render (fixture));
      sonde_scalar_view_get_counts (fixture->view, &shown, &held);
      g_assert_cmpuint (shown, ==, N_MANY * N_EACH);
      g_assert_cmpuint (held, ==, N_MANY * N_EACH);
      for (guint i = 0; i < N_MANY; i += 37)
        {
          SondePoint point;

          g_assert_true (sonde_scalar_view_get_value (fixture->view, i, 17, &point));
          g_assert_cmpint (point.step, ==, 17);
          g_assert_cmpfloat (point.value, ==, many_value (i, 17));
        }
    }
}

/* Names of the lines between the head and the last one, in their order. */
static char *
dup_names (Fixture *fixture, char **last)
{
  g_autofree char *text = sonde_scalar_view_dup_readout (fixture->view);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n = g_strv_length (lines);
  GString *names = g_string_new (NULL);

  for (guint i = 1; i + 2 < n; i++)
    {
      *strchr (lines[i], '\t') = '\0';
      g_string_append_printf (names, "%s ", lines[i]);
    }
  *last = g_strdup (lines[n - 2]);
  return g_string_free (names, FALSE);
}

static void
check_lines (Fixture *fixture, const char *first, const char *expected_last)
{
  g_autofree char *last = NULL, *names = dup_names (fixture, &last);

  g_assert_true (g_str_has_prefix (names, first));
  g_assert_cmpstr (last, ==, expected_last);
}

/* No line of the table at the pointer is out of reach, in whichever order they are. */
static void
test_lines (Fixture *fixture, const void *data)
{
  SondeView *view = SONDE_VIEW (fixture->view);
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (view);
  double x, y;

  sonde_scalar_view_clear (fixture->view);
  for (guint i = 0; i < N_LINES; i++)
    {
      const SondePoint points[] = { { 0, 0, i, 0 }, { 10, 0, i, 0 } };
      g_autoptr (SondeSeries) series = sonde_series_new_computed (NULL, points, 2);
      g_autofree char *name = g_strdup_printf ("c%u", i);

      sonde_scalar_view_add (fixture->view, series, name, i);
    }
  cairo_surface_destroy (render (fixture));
  sonde_view_world_to_view (view, 0, 7, &x, &y);
  move_pointer (view, x, y);
  check_lines (fixture, "c7 ", "1–13 of 30 · Alt+wheel");
  class->scroll (view, 60);
  check_lines (fixture, "c5 ", "4–16 of 30 · Alt+wheel"); /* after 7 6 8 */
  for (int i = 0; i < 20; i++)
    class->scroll (view, 60);
  check_lines (fixture, "c17 c18 ", "18–30 of 30 · Alt+wheel");
  sonde_scalar_view_set_order (fixture->view, SONDE_CHART_ORDER_GREATEST);
  check_lines (fixture, "c29 c28 ", "1–13 of 30 · Alt+wheel");
  sonde_scalar_view_set_order (fixture->view, SONDE_CHART_ORDER_SMALLEST);
  check_lines (fixture, "c0 c1 ", "1–13 of 30 · Alt+wheel");
  sonde_scalar_view_set_order (fixture->view, SONDE_CHART_ORDER_RUNS);
  class->scroll (view, 60);
  check_lines (fixture, "c3 c4 ", "4–16 of 30 · Alt+wheel");
  class->scroll (view, -60);
  check_lines (fixture, "c0 c1 ", "1–13 of 30 · Alt+wheel");
}

static void
on_hidden (SondeScalarView *view, char **titles, char **told)
{
  g_free (*told);
  *told = titles != NULL ? g_strjoinv (",", titles) : g_strdup ("");
}

static void
check_told (char **told, const char *expected)
{
  g_assert_cmpstr (*told, ==, expected);
  g_clear_pointer (told, g_free);
}

/* A curve that is hidden is in the legend and nowhere else: no ink, no limit of an axis, no line of a table. */
static void
test_hidden (Fixture *fixture, const void *data)
{
  const SondePoint low[] = { { 0, 0, 0, 0 }, { 198, 0, 0.5, 0 } },
                   high[] = { { 0, 0, 100, 0 }, { 198, 0, 90, 0 } };
  g_autoptr (SondeSeries) one = sonde_series_new_computed (NULL, low, 2),
                          other = sonde_series_new_computed (NULL, high, 2);
  SondeView *view = SONDE_VIEW (fixture->view);
  g_autofree char *told = NULL, *readout = NULL;
  SondeViewport v;
  double x, y;

  sonde_scalar_view_clear (fixture->view);
  sonde_scalar_view_add (fixture->view, one, "low", 0);
  sonde_scalar_view_add (fixture->view, other, "high", 1);
  sonde_scalar_view_set_legend (fixture->view, TRUE);
  g_signal_connect (view, "hidden-changed", G_CALLBACK (on_hidden), &told);
  cairo_surface_destroy (render (fixture));
  sonde_view_get_viewport (view, &v);
  g_assert_cmpfloat (v.y0, >=, 100);
  g_signal_emit_by_name (view, "picked", SONDE_VIEW_NOTHING, 1, SONDE_AXIS_LEFT + 4.0, 8.0);
  check_told (&told, "low");
  cairo_surface_destroy (render (fixture));
  sonde_view_get_viewport (view, &v);
  g_assert_cmpfloat (v.y1, >, 80);
  sonde_view_world_to_view (view, 0, 100, &x, &y);
  move_pointer (view, x, y);
  readout = sonde_scalar_view_dup_readout (fixture->view);
  g_assert_nonnull (strstr (readout, "high"));
  g_assert_null (strstr (readout, "low"));
  g_assert_cmpuint (sonde_scalar_view_get_n_series (fixture->view), ==, 1);
  g_signal_emit_by_name (view, "picked", SONDE_VIEW_NOTHING, 1, SONDE_AXIS_LEFT + 4.0, 8.0);
  check_told (&told, "");
  cairo_surface_destroy (render (fixture));
  g_assert_cmpuint (sonde_scalar_view_get_n_series (fixture->view), ==, 2);
  /* All of them: the names stay. */
  sonde_scalar_view_set_hidden (fixture->view, (const char *const[]){ "low", "high", NULL });
  cairo_surface_destroy (render (fixture));
  g_assert_cmpuint (sonde_scalar_view_get_n_series (fixture->view), ==, 0);
  g_signal_emit_by_name (view, "picked", SONDE_VIEW_NOTHING, 1, SONDE_AXIS_LEFT + 4.0, 8.0);
  check_told (&told, "high");
  sonde_scalar_view_remove (fixture->view, other);
  cairo_surface_destroy (render (fixture));
  g_assert_cmpuint (sonde_scalar_view_get_n_series (fixture->view), ==, 1);
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
    { "resumed", test_resumed }, { "remove", test_remove },       { "truth", test_truth },
    { "readout", test_readout }, { "mark", test_mark },           { "legend", test_legend },
    { "many", test_many },       { "lines", test_lines },         { "hidden", test_hidden },
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
