/* SPDX-License-Identifier: Apache-2.0
 * The page Projector with hands and keys, on points of which the neighbours are known. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "app/pages/projector/sonde-projector-options.h"
#include "app/pages/projector/sonde-projector-panel.h"
#include "tests/app/pages/window-fixture.h"

#define N 60
#define D 8

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static const char *
status_of (WindowFixture *fixture)
{
  return sonde_page_get_status (SONDE_PAGE (page_of (fixture)));
}

static SondeScatterView *
view_of (WindowFixture *fixture)
{
  return SONDE_SCATTER_VIEW (window_fixture_find (page_of (fixture), SONDE_TYPE_SCATTER_VIEW));
}

static SondeProjectorPanel *
panel_of (WindowFixture *fixture)
{
  return SONDE_PROJECTOR_PANEL (
      window_fixture_find (page_of (fixture), SONDE_TYPE_PROJECTOR_PANEL));
}

/* Three groups, far from each other; within one, points lie in their order. */
static void
add_embedding (SondeTestRun *run, GBytes *sprite)
{
  static const char *const animals[] = { "cat", "dog", "owl, small" };
  SondeShape shape = sonde_shape_make (2, N, D), label_shape = sonde_shape_make (2, N, 2);
  g_autoptr (SondeTensor) points = sonde_tensor_new (SONDE_DTYPE_F32, &shape), labels = NULL;
  char *texts[2 * N], *columns[] = { (char *) "animal", (char *) "name", NULL };
  SondeRecord record = { .kind = SONDE_RECORD_EMBEDDING,
                         .session = 1,
                         .tag = g_intern_static_string ("features"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS };

  for (int i = 0; i < N; i++)
    {
      for (int k = 0; k < D; k++)
        sonde_tensor_set_double (points, i * D + k,
                                 (k == i % 3 ? 100 : 0) + 0.1 * i * sin (k + i % 3));
      texts[2 * i] = (char *) animals[i % 3];
      texts[2 * i + 1] = g_strdup_printf ("no. %d", i);
    }
  labels = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &label_shape, texts);
  for (int i = 0; i < N; i++)
    g_free (texts[2 * i + 1]);
  record.u.embedding.points = points;
  record.u.embedding.labels = labels;
  record.u.embedding.columns = columns;
  record.u.embedding.sprite = sprite;
  record.u.embedding.tile_width = record.u.embedding.tile_height = 4;
  sonde_test_run_record (run, &record);
}

/* Tiles of 4 × 4 px, ten in a row. (transfer full) */
static GBytes *
make_sprite (void)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 40, 24);
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "sonde-sprite-XXXXXX", NULL);
  char *content;
  gsize length;
  int file = g_mkstemp (path);

  g_assert_cmpint (file, >=, 0);
  close (file);
  g_assert_cmpint (cairo_surface_write_to_png (surface, path), ==, CAIRO_STATUS_SUCCESS);
  cairo_surface_destroy (surface);
  g_assert_true (g_file_get_contents (path, &content, &length, NULL));
  g_assert_cmpint (g_unlink (path), ==, 0);
  return g_bytes_new_take (content, length);
}

static void
open_page (WindowFixture *fixture)
{
  g_autofree char *a = NULL;
  g_autoptr (GBytes) sprite = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-projector-XXXXXX", NULL);
  a = g_build_filename (fixture->folder, "runs", "a", NULL);
  fixture->run_a = sonde_test_run_new (a);
  sprite = make_sprite ();
  add_embedding (fixture->run_a, sprite);
  sonde_test_run_flush (fixture->run_a);
  window_fixture_open (fixture, "projector");
}

static gboolean
is_idle (WindowFixture *fixture, const void *data)
{
  return !sonde_projector_panel_is_busy (panel_of (fixture));
}

static void
select_point (WindowFixture *fixture, gint64 point)
{
  sonde_view_set_selection (SONDE_VIEW (view_of (fixture)), point);
  window_fixture_wait (fixture, is_idle, NULL);
}

static GtkWidget *
find_named (GtkWidget *widget, GType type, const char *label)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, type)
      && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_named (child, type, label);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static void
choose (WindowFixture *fixture, SondeProjectionMethod method, gboolean space)
{
  sonde_projector_options_choose (SONDE_PROJECTOR_OPTIONS (window_fixture_find (
                                      page_of (fixture), SONDE_TYPE_PROJECTOR_OPTIONS)),
                                  method, space);
  window_fixture_settle (fixture);
}

static char *
get_line (const char *table, guint number)
{
  g_auto (GStrv) lines = g_strsplit (table, "\n", -1);

  g_assert_cmpuint (g_strv_length (lines), >, number);
  return g_strdup (lines[number]);
}

static gsize
count_marks (WindowFixture *fixture)
{
  gsize n;

  sonde_scatter_view_get_marks (view_of (fixture), &n);
  return n;
}

/* ---- tests --------------------------------------------------------------- */

static void
test_methods (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *text = NULL;

  open_page (&fixture);
  g_assert_true (g_str_has_prefix (status_of (&fixture), "60 points of 8 dimensions, "));
  g_assert_nonnull (strstr (status_of (&fixture), "of the variance in this plane"));
  choose (&fixture, SONDE_PROJECTION_PCA, TRUE);
  g_assert_nonnull (strstr (status_of (&fixture), "of the variance in this space"));
  choose (&fixture, SONDE_PROJECTION_TSNE, FALSE);
  g_assert_nonnull (strstr (status_of (&fixture), "t-SNE, 1,000 iterations, divergence "));
  g_assert_nonnull (strstr (status_of (&fixture), "at 60 points"));
  choose (&fixture, SONDE_PROJECTION_UMAP, TRUE);
  g_assert_nonnull (strstr (status_of (&fixture), "UMAP, 15 neighbours"));
  text = sonde_view_describe (SONDE_VIEW (view_of (&fixture)));
  g_assert_cmpstr (text, ==, "features: 60 points, UMAP 1, UMAP 2 and UMAP 3, coloured by animal.");
  choose (&fixture, SONDE_PROJECTION_PCA, FALSE);
  g_assert_nonnull (strstr (status_of (&fixture), "of the variance in this plane"));
  window_fixture_clear (&fixture);
}

/* Points of one group only, the next ones of its order first. */
static void
test_neighbours (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *table = NULL, *head = NULL, *first = NULL, *text = NULL;

  open_page (&fixture);
  select_point (&fixture, 30);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "Neighbours of point 30"));
  table = sonde_projector_panel_dup_table (panel_of (&fixture), ',');
  head = get_line (table, 0);
  first = get_line (table, 1);
  g_assert_cmpstr (head, ==, "point,x,y,animal,name,distance");
  g_assert_true (g_str_has_prefix (first, "27,") || g_str_has_prefix (first, "33,"));
  g_assert_nonnull (strstr (first, ",cat,no. "));
  g_assert_cmpuint (count_marks (&fixture), ==, 21); /* with itself */
  text = sonde_view_describe (SONDE_VIEW (view_of (&fixture)));
  g_assert_nonnull (strstr (text, " Marked: 21. Point 30, animal: cat, name: no. 30."));
  /* They stay those of the points, whatever the picture is. */
  choose (&fixture, SONDE_PROJECTION_PCA, TRUE);
  g_assert_cmpuint (count_marks (&fixture), ==, 21);
  window_fixture_clear (&fixture);
}

static void
test_search (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *table = NULL, *first = NULL;

  open_page (&fixture);
  g_assert_true (sonde_projector_panel_search (panel_of (&fixture), "^OWL"));
  g_assert_cmpuint (count_marks (&fixture), ==, 20);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "20 points marked"));
  table = sonde_projector_panel_dup_table (panel_of (&fixture), ',');
  first = get_line (table, 1);
  g_assert_true (g_str_has_prefix (first, "2,"));
  g_assert_true (g_str_has_suffix (first, ",\"owl, small\",no. 2"));
  g_assert_false (sonde_projector_panel_search (panel_of (&fixture), "(owl"));
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "Error while"));
  g_assert_true (sonde_projector_panel_search (panel_of (&fixture), "whale"));
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "No label matches"));
  g_assert_cmpuint (count_marks (&fixture), ==, 0);
  window_fixture_clear (&fixture);
}

/* ---- hands --------------------------------------------------------------- */

static GtkEventController *
find_drag (SondeScatterView *view)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (view));

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_GESTURE_DRAG (controller))
        return controller; /* the view holds it */
    }
  g_assert_not_reached ();
}

static void
drag (SondeScatterView *view, const double (*steps)[2], gsize n)
{
  GtkEventController *gesture = find_drag (view);

  g_signal_emit_by_name (gesture, "drag-begin", steps[0][0], steps[0][1]);
  for (gsize i = 1; i < n; i++)
    g_signal_emit_by_name (gesture, "drag-update", steps[i][0] - steps[0][0],
                           steps[i][1] - steps[0][1]);
  g_signal_emit_by_name (gesture, "drag-end", steps[n - 1][0] - steps[0][0],
                         steps[n - 1][1] - steps[0][1]);
}

/* A lasso around the whole picture has all points; Escape lets them go. */
static void
test_lasso (void)
{
  WindowFixture fixture = { 0 };
  SondeScatterView *view;
  double width, height;

  open_page (&fixture);
  view = view_of (&fixture);
  width = gtk_widget_get_width (GTK_WIDGET (view));
  height = gtk_widget_get_height (GTK_WIDGET (view));
  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (find_named (page_of (&fixture), GTK_TYPE_TOGGLE_BUTTON, "Lasso")), TRUE);
  drag (view,
        (const double[][2]){ { 1, 1 }, { width, 1 }, { width, height }, { 1, height }, { 1, 5 } },
        5);
  g_assert_cmpuint (count_marks (&fixture), ==, N);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "60 points marked"));
  gtk_widget_grab_focus (GTK_WIDGET (view));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Escape, 0));
  g_assert_cmpuint (count_marks (&fixture), ==, 0);
  drag (view, (const double[][2]){ { 1, 1 }, { 9, 1 }, { 9, 9 }, { 1, 9 } }, 4);
  g_assert_cmpuint (count_marks (&fixture), ==, 0);
  window_fixture_clear (&fixture);
}

/* The picture in space is another one after a drag, and the first again after the way back. */
/* What says the colours stands beside the points. */
static void
test_legend (void)
{
  WindowFixture fixture = { 0 };
  SondeScatterView *view;
  SondeViewRect area;
  int width, height;
  double x, y;

  open_page (&fixture);
  view = view_of (&fixture);
  width = sonde_view_get_width (SONDE_VIEW (view));
  height = sonde_view_get_height (SONDE_VIEW (view));
  sonde_view_get_area (SONDE_VIEW (view), width, height, &area);
  g_assert_cmpfloat (area.x + area.width, <, width - 40);
  for (gsize i = 0; i < N; i++)
    {
      sonde_scatter_view_get_place (view, i, &x, &y);
      g_assert_cmpfloat (x, <=, area.x + area.width);
    }
  window_fixture_clear (&fixture);
}

static void
test_turning (void)
{
  WindowFixture fixture = { 0 };
  double x[4], y[4];
  SondeScatterView *view;
  SondeViewPick pick;

  open_page (&fixture);
  choose (&fixture, SONDE_PROJECTION_PCA, TRUE);
  view = view_of (&fixture);
  for (int i = 0; i < 4; i++)
    {
      sonde_scatter_view_get_place (view, 10, &x[i], &y[i]);
      if (i == 0)
        drag (view, (const double[][2]){ { 50, 50 }, { 90, 50 } }, 2);
      else if (i == 1)
        drag (view, (const double[][2]){ { 90, 50 }, { 50, 50 } }, 2);
      else if (i == 2)
        {
          gtk_widget_grab_focus (GTK_WIDGET (view));
          g_assert_true (window_fixture_press (&fixture, GDK_KEY_Right, GDK_CONTROL_MASK));
        }
    }
  g_assert_cmpfloat (hypot (x[1] - x[0], y[1] - y[0]), >, 5);
  g_assert_cmpfloat (hypot (x[2] - x[0], y[2] - y[0]), <, 1e-6);
  g_assert_cmpfloat (hypot (x[3] - x[2], y[3] - y[2]), >, 2);
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->pick (SONDE_VIEW (view), x[3], y[3], &pick)
                 && pick.id >= 0);
  window_fixture_clear (&fixture);
}

/* Arrow keys go from point to point, and say which it is. */
static void
test_keys (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *text = NULL;

  open_page (&fixture);
  gtk_widget_grab_focus (GTK_WIDGET (view_of (&fixture)));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Home, 0));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Right, 0));
  window_fixture_wait (&fixture, is_idle, NULL);
  text = sonde_view_describe (SONDE_VIEW (view_of (&fixture)));
  g_assert_nonnull (strstr (text, " Point 1, animal: dog, name: no. 1."));
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "Neighbours of point 1"));
  window_fixture_clear (&fixture);
}

/* Pictures where there is room, and only when they are asked for. */
static void
test_pictures (void)
{
  WindowFixture fixture = { 0 };

  open_page (&fixture);
  g_assert_cmpuint (sonde_scatter_view_get_n_pictures (view_of (&fixture)), ==, 0);
  sonde_projector_options_set_pictures (SONDE_PROJECTOR_OPTIONS (window_fixture_find (
                                            page_of (&fixture), SONDE_TYPE_PROJECTOR_OPTIONS)),
                                        TRUE);
  window_fixture_settle (&fixture);
  g_assert_cmpuint (sonde_scatter_view_get_n_pictures (view_of (&fixture)), >, 2);
  g_assert_cmpuint (sonde_scatter_view_get_n_pictures (view_of (&fixture)), <=, N);
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/projector/methods", test_methods);
  g_test_add_func ("/app/pages/projector/neighbours", test_neighbours);
  g_test_add_func ("/app/pages/projector/search", test_search);
  g_test_add_func ("/app/pages/projector/lasso", test_lasso);
  g_test_add_func ("/app/pages/projector/legend", test_legend);
  g_test_add_func ("/app/pages/projector/turning", test_turning);
  g_test_add_func ("/app/pages/projector/keys", test_keys);
  g_test_add_func ("/app/pages/projector/pictures", test_pictures);
  return g_test_run ();
}
