/* SPDX-License-Identifier: Apache-2.0
 * Tensors and Landscape pages on records written by the test. */
#include <math.h>
#include <string.h>

#include "app/pages/sonde-record-chooser.h"
#include "app/widgets/sonde-tensor-table.h"
#include "data/arrays/sonde-npz.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/landscape/sonde-landscape-view.h"
#include "viewers/sonde-histogram-view.h"
#include "viewers/sonde-tensor-view.h"

#define N 12

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static gboolean
says (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (page_of (fixture), data) != NULL;
}

static SondeTensor *
make_axis (int n, double low, double high)
{
  SondeShape shape = sonde_shape_make (1, n);
  SondeTensor *axis = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (int i = 0; i < n; i++)
    sonde_tensor_set_double (axis, i, low + (high - low) * i / (n - 1));
  return axis;
}

static void
add_landscape (SondeTestRun *run)
{
  g_autoptr (SondeTensor) x = make_axis (N, -1, 1), y = make_axis (N, -2, 2);
  g_autoptr (SondeTensor) path_x = make_axis (5, -0.8, 0.5), path_y = make_axis (5, 1.5, -0.2);
  SondeShape shape = sonde_shape_make (2, N, N);
  g_autoptr (SondeTensor) z = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeRecord record = { .kind = SONDE_RECORD_LANDSCAPE,
                         .session = 1,
                         .tag = g_intern_static_string ("landscape_[1, 2]"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS };

  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      {
        double a = sonde_tensor_get_double (x, k) - 0.5, b = sonde_tensor_get_double (y, i) + 0.2;

        sonde_tensor_set_double (z, i * N + k, 0.05 + 3 * a * a + b * b);
      }
  record.u.landscape.x = x;
  record.u.landscape.y = y;
  record.u.landscape.z = z;
  record.u.landscape.path_x = path_x;
  record.u.landscape.path_y = path_y;
  record.u.landscape.found[0] = 0.5;
  record.u.landscape.found[1] = -0.2;
  record.u.landscape.found[2] = 0.05;
  record.u.landscape.decomposition = (char *) "PCA";
  record.u.landscape.unit = (char *) "step";
  sonde_test_run_record (run, &record);
}

static void
add_tensor (SondeTestRun *run, const char *tag, gint64 step, double scale)
{
  SondeShape shape = sonde_shape_make (3, 2, 3, 4);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeRecord record = { .kind = SONDE_RECORD_TENSOR,
                         .session = 1,
                         .step = step,
                         .tag = g_intern_string (tag),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS + step,
                         .u.tensor = tensor };

  for (int i = 0; i < 24; i++)
    sonde_tensor_set_double (tensor, i, scale * (i - 11));
  sonde_test_run_record (run, &record);
}

/* runs/a and runs/b in @fixture's folder. */
static void
make_runs (WindowFixture *fixture)
{
  g_autofree char *a = NULL, *b = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-records-XXXXXX", NULL);
  a = g_build_filename (fixture->folder, "runs", "a", NULL);
  b = g_build_filename (fixture->folder, "runs", "b", NULL);
  fixture->run_a = sonde_test_run_new (a);
  fixture->run_b = sonde_test_run_new (b);
  add_landscape (fixture->run_a);
  add_tensor (fixture->run_a, "activations", 0, 3);
  add_tensor (fixture->run_a, "weights", 0, 1);
  add_tensor (fixture->run_a, "weights", 10, 0.5);
  for (int i = 0; i < 20; i++)
    {
      sonde_test_run_scalars (fixture->run_a, i, "loss", 1.0 / (i + 1), NULL);
      sonde_test_run_scalars (fixture->run_b, i, "loss", 2.0 / (i + 1), NULL);
    }
  sonde_test_run_flush (fixture->run_a);
  sonde_test_run_flush (fixture->run_b);
}

static void
test_landscape (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *view;
  g_autofree char *text = NULL;

  make_runs (&fixture);
  window_fixture_open (&fixture, "landscape");
  view = window_fixture_find (page_of (&fixture), SONDE_TYPE_LANDSCAPE_VIEW);
  g_assert_nonnull (view);
  text = sonde_view_describe (SONDE_VIEW (view));
  g_assert_nonnull (strstr (text, "12 × 12 points, a path of 5 points"));
  g_assert_cmpstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), ==,
                   "12 × 12 points · directions by PCA · path of 5 points, one per step");
  window_fixture_clear (&fixture);
}

static GtkEditable *
find_slice (WindowFixture *fixture)
{
  GtkWidget *entry = window_fixture_find (page_of (fixture), GTK_TYPE_ENTRY);

  g_assert_nonnull (entry);
  return GTK_EDITABLE (entry);
}

static void
test_tensors (void)
{
  WindowFixture fixture = { 0 };
  SondePageRequest request = { .has_step = TRUE, .step = 3, .tag = "weig*" };
  g_autofree char *runs = NULL, *text = NULL;

  make_runs (&fixture);
  runs = g_build_filename (fixture.folder, "runs", NULL);
  window_fixture_open_paths (&fixture, (const char *const[]){ runs, NULL }, "tensors", &request);
  /* The step before the cursor. */
  g_assert_true (says (&fixture, "Step 0"));
  g_assert_true (says (&fixture, "float32 [2, 3, 4] · 24 elements · from -11 to 12"));
  g_assert_true (says (&fixture, "[1, 2]"));
  text = sonde_view_describe (
      SONDE_VIEW (window_fixture_find (page_of (&fixture), SONDE_TYPE_HISTOGRAM_VIEW)));
  g_assert_nonnull (strstr (text, "values from -11 to 12"));
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 10);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "float32 [2, 3, 4] · 24 elements · from -5.5 to 6"));
  gtk_editable_set_text (find_slice (&fixture), "1, :, 2:");
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "float32 [2, 3, 4] · 6 elements · from 1.5 to 6"));
  /* What is wrong is said, and the last picture stays. */
  gtk_editable_set_text (find_slice (&fixture), "7");
  window_fixture_settle (&fixture);
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (find_slice (&fixture)), "error"));
  g_assert_true (says (&fixture, "float32 [2, 3, 4] · 24 elements · from -5.5 to 6"));
  window_fixture_clear (&fixture);
}

static GtkWidget *
find_button (GtkWidget *widget, const char *label)
{
  if (GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_button (child, label);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static GtkWidget *
find_marked (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_has_css_class (widget, "marked-element"))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_marked (child);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* Elements are scale × (i − 11): the kept step has a scale of 1, the other of 0.5. */
static void
test_tensor_tools (void)
{
  WindowFixture fixture = { 0 };
  SondePageRequest request = { .has_step = TRUE, .step = 3, .tag = "weig*" };
  g_autofree char *runs = NULL;
  GtkWidget *page;

  make_runs (&fixture);
  runs = g_build_filename (fixture.folder, "runs", NULL);
  window_fixture_open_paths (&fixture, (const char *const[]){ runs, NULL }, "tensors", &request);
  page = page_of (&fixture);
  g_signal_emit_by_name (find_button (page, "Maximum"), "clicked");
  window_fixture_settle (&fixture);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (find_marked (page))), ==, "12");
  g_assert_false (gtk_widget_get_sensitive (find_button (page, "NaN or Infinite")));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find_button (page, "Difference")), TRUE);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "No difference"));
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 10);
  window_fixture_settle (&fixture);
  g_assert_nonnull (find_button (page, "Difference from Step 0"));
  g_assert_true (says (&fixture, "23 of 24 elements differ by more than the tolerance, the most by "
                                 "6 at [1, 2, 3]"));
  g_assert_true (says (&fixture, "float32 [2, 3, 4] · 24 elements · from -6 to 5.5"));
  window_fixture_clear (&fixture);
}

static gboolean
shows_records (WindowFixture *fixture, const void *data)
{
  return says (fixture, "float32 [2, 3, 4] · 24 elements");
}

/* A run without recorded tensors has those of its last checkpoint. */
static void
test_checkpoints (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *a = NULL, *folder = NULL;
  GtkWidget *records;

  fixture.folder = g_dir_make_tmp ("sonde-weights-XXXXXX", NULL);
  a = g_build_filename (fixture.folder, "runs", "a", NULL);
  folder = g_build_filename (a, "checkpoints", NULL);
  fixture.run_a = sonde_test_run_new (a);
  sonde_test_run_scalars (fixture.run_a, 0, "loss", 1.0, NULL);
  sonde_test_run_flush (fixture.run_a);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  for (int step = 10; step <= 20; step += 10)
    {
      g_autofree char *name = g_strdup_printf ("%s/step-%08d.npz", folder, step);
      g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
      g_autoptr (SondeTensor) weights = make_axis (5, 0, step), bias = make_axis (3, 0, 1);

      sonde_named_tensors_set (tensors, "conv.bias", bias);
      sonde_named_tensors_set (tensors, "conv.weight", weights);
      g_assert_true (sonde_npz_write (NULL, name, tensors, NULL));
    }
  window_fixture_open (&fixture, "tensors");
  records = window_fixture_find (
      window_fixture_find (page_of (&fixture), SONDE_TYPE_RECORD_CHOOSER), GTK_TYPE_DROP_DOWN);
  g_assert_false (gtk_widget_get_visible (records)); /* it has nothing to choose */
  g_assert_true (says (&fixture, "step-00000020.npz"));
  g_assert_true (says (&fixture, "conv.bias"));
  g_assert_true (says (&fixture, "float32 [3] · 3 elements · from 0 to 1"));
  g_assert_cmpstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), ==,
                   "Tensors: 0 · steps of this tensor: 0 · checkpoints: 2");
  /* What is recorded later is what people look for. */
  add_tensor (fixture.run_a, "activations", 0, 3);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_wait (&fixture, shows_records, NULL);
  g_assert_true (gtk_widget_get_visible (records));
  g_assert_true (says (&fixture, "float32 [2, 3, 4] · 24 elements"));
  window_fixture_clear (&fixture);
}

/* What a button says that opens something is what its action asks for. */
static void
check_buttons (GtkWidget *widget)
{
  const char *action
      = GTK_IS_BUTTON (widget) ? gtk_actionable_get_action_name (GTK_ACTIONABLE (widget)) : NULL;

  if (g_strcmp0 (action, "win.open") == 0)
    g_assert_nonnull (strstr (gtk_button_get_label (GTK_BUTTON (widget)), "Folder"));
  if (g_strcmp0 (action, "win.open-file") == 0)
    g_assert_null (strstr (gtk_button_get_label (GTK_BUTTON (widget)), "Folder"));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    check_buttons (child);
}

/* Numbers of tensors without counts are nothing that could be drawn, and the page says where they are. */
static void
test_statistics_alone (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-statistics-XXXXXX", NULL) };
  g_autofree char *path = g_build_filename (fixture.folder, "runs", "a", NULL);
  const SondeRecord record = { .kind = SONDE_RECORD_STATISTICS,
                               .session = 1,
                               .tag = g_intern_static_string ("weights/fc"),
                               .wall_time_ns = SONDE_TEST_RUN_START_NS,
                               .u.statistics = { .count = 4, .min = -1, .max = 1, .std = 0.5 } };

  fixture.run_a = sonde_test_run_new (path);
  sonde_test_run_record (fixture.run_a, &record);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open (&fixture, "distributions");
  g_assert_true (says (&fixture, "Statistics without Histograms"));
  gtk_widget_activate_action (page_of (&fixture), "win.page", "s", "tensors");
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "weights/fc"));
  window_fixture_clear (&fixture);
}

static void
test_nothing (void)
{
  static const char *const pages[] = { "tensors", "landscape", "graph" };

  for (gsize i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      WindowFixture fixture = { 0 };

      window_fixture_init (&fixture);
      window_fixture_open (&fixture, pages[i]);
      g_assert_true (says (&fixture, i == 0 ? "No Tensors" : i == 1 ? "No Landscape" : "No Graph"));
      check_buttons (page_of (&fixture));
      window_fixture_clear (&fixture);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/record-pages/landscape", test_landscape);
  g_test_add_func ("/record-pages/tensors", test_tensors);
  g_test_add_func ("/record-pages/tensors/checkpoints", test_checkpoints);
  g_test_add_func ("/record-pages/tensors/tools", test_tensor_tools);
  g_test_add_func ("/record-pages/distributions/statistics", test_statistics_alone);
  g_test_add_func ("/record-pages/nothing", test_nothing);
  return g_test_run ();
}
