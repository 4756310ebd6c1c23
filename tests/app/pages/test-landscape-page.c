/* SPDX-License-Identifier: Apache-2.0
 * The Landscape page computes: asked for by hand, watched, cancelled, refused. */
#include <string.h>

#include "app/pages/landscape/sonde-landscape-beside.h"
#include "tests/app/pages/window-fixture.h"
#include "tests/support/sonde-test-program.h"

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

/* A run r of the program itself, twelve steps with five sets of weights on the way. */
static void
train (WindowFixture *fixture)
{
  g_autoptr (SondeTestProgram) program = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-landscape-XXXXXX", NULL);
  program = sonde_test_run (fixture->folder, NULL, "train", "mlp", "--run", "r", "--set",
                            "data.train=320", "--set", "data.test=80", "--set", "data.batch=16",
                            "--set", "train.steps=12", "--set", "checkpoint.every=3", "--set",
                            "checkpoint.keep=0");
  sonde_test_assert_status (program, 0);
}

static void
open_run (WindowFixture *fixture)
{
  g_autofree char *run = g_build_filename (fixture->folder, "r", NULL);
  const char *const paths[] = { run, NULL };

  window_fixture_open_paths (fixture, paths, "landscape", NULL);
}

static guint
count_record_files (WindowFixture *fixture)
{
  g_autofree char *path = g_build_filename (fixture->folder, "r", "records", NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* ---- the dialog ---------------------------------------------------------- */

/* (nullable) */
static AdwMessageDialog *
find_dialog (const char *heading)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);

      if (ADW_IS_MESSAGE_DIALOG (window)
          && g_str_has_prefix (adw_message_dialog_get_heading (ADW_MESSAGE_DIALOG (window)),
                               heading))
        return ADW_MESSAGE_DIALOG (window);
    }
  return NULL;
}

/* The field of the row that says @title. (nullable) */
static GtkWidget *
find_field (GtkWidget *widget, const char *title)
{
  GtkWidget *found = NULL;

  if (ADW_IS_PREFERENCES_ROW (widget)
      && g_str_equal (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (widget)), title))
    return ADW_IS_COMBO_ROW (widget) ? widget : window_fixture_find (widget, GTK_TYPE_SPIN_BUTTON);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_field (child, title);
  return found;
}

/* The record may be seen before the child that wrote it is gone. */
static gboolean
is_idle (WindowFixture *fixture, const void *data)
{
  GtkWidget *bar = window_fixture_find (page_of (fixture), GTK_TYPE_PROGRESS_BAR);

  return bar == NULL || !gtk_widget_get_visible (gtk_widget_get_parent (bar));
}

static void
ask (WindowFixture *fixture, double grid, double batches, gboolean of_path)
{
  AdwMessageDialog *dialog;
  GtkWidget *form;

  window_fixture_wait (fixture, is_idle, NULL);
  g_assert_true (gtk_widget_activate_action (page_of (fixture), "landscape.compute", NULL));
  dialog = find_dialog ("Loss Landscape of “r”");
  g_assert_nonnull (dialog);
  form = adw_message_dialog_get_extra_child (dialog);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (find_field (form, "Points on a side")), grid);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (find_field (form, "Batches")), batches);
  adw_combo_row_set_selected (ADW_COMBO_ROW (find_field (form, "Directions")), of_path);
  adw_message_dialog_response (dialog, "compute");
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* ---- cases --------------------------------------------------------------- */

static gboolean
shows (WindowFixture *fixture, const void *data)
{
  GtkWidget *view = window_fixture_find (page_of (fixture), SONDE_TYPE_LANDSCAPE_VIEW);
  g_autofree char *text = view != NULL ? sonde_view_describe (SONDE_VIEW (view)) : NULL;

  return text != NULL && strstr (text, data) != NULL;
}

static gboolean
says (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (page_of (fixture), data) != NULL;
}

static void
test_compute (void)
{
  WindowFixture fixture = { 0 };
  AdwMessageDialog *dialog;

  train (&fixture);
  open_run (&fixture);
  g_assert_true (says (&fixture, "No Landscape"));
  ask (&fixture, 5, 2, FALSE);
  window_fixture_wait (&fixture, shows, "landscape/random: loss from ");
  g_assert_true (shows (&fixture, "on 5 × 5 points, a path of 5 points"));
  g_assert_nonnull (
      strstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), "5 × 5 points"));

  /* The next one begins with the same answers and is chosen in its turn. */
  window_fixture_wait (&fixture, is_idle, NULL);
  gtk_widget_activate_action (page_of (&fixture), "landscape.compute", NULL);
  dialog = find_dialog ("Loss Landscape of “r”");
  g_assert_cmpfloat (gtk_spin_button_get_value (GTK_SPIN_BUTTON (find_field (
                         adw_message_dialog_get_extra_child (dialog), "Points on a side"))),
                     ==, 5);
  adw_message_dialog_response (dialog, "cancel");
  gtk_window_destroy (GTK_WINDOW (dialog));
  ask (&fixture, 7, 1, TRUE);
  window_fixture_wait (&fixture, shows, "landscape/path: loss from ");
  g_assert_true (shows (&fixture, "on 7 × 7 points"));

  /* The same tag and step again: the newest is shown. */
  ask (&fixture, 9, 1, TRUE);
  window_fixture_wait (&fixture, shows, "on 9 × 9 points");
  window_fixture_clear (&fixture);
}

/* Arrow keys go along the path; what is read out is the point. */
static void
test_keys (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *view;
  double yaw;

  train (&fixture);
  open_run (&fixture);
  ask (&fixture, 5, 1, TRUE);
  window_fixture_wait (&fixture, shows, "landscape/path: loss from ");
  view = window_fixture_find (page_of (&fixture), SONDE_TYPE_LANDSCAPE_VIEW);
  window_fixture_tab_to (&fixture, view);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Left, 0));
  g_assert_true (shows (&fixture, "step 12\npoint 5 of 5 of the path\nat (0, 0), loss "));
  window_fixture_press (&fixture, GDK_KEY_Left, 0);
  g_assert_true (shows (&fixture, "step 9\npoint 4 of 5 of the path"));
  window_fixture_press (&fixture, GDK_KEY_Home, 0);
  g_assert_true (shows (&fixture, "step 0\npoint 1 of 5 of the path"));

  /* In space they turn it. */
  sonde_landscape_view_set_solid (SONDE_LANDSCAPE_VIEW (view), TRUE);
  yaw = sonde_landscape_view_get_camera (SONDE_LANDSCAPE_VIEW (view))->yaw;
  window_fixture_press (&fixture, GDK_KEY_Right, 0);
  g_assert_cmpfloat (sonde_landscape_view_get_camera (SONDE_LANDSCAPE_VIEW (view))->yaw, ==,
                     yaw + 10);
  sonde_landscape_view_turn (SONDE_LANDSCAPE_VIEW (view), 0, 200);
  g_assert_cmpfloat (sonde_landscape_view_get_camera (SONDE_LANDSCAPE_VIEW (view))->pitch, ==, 90);
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

/* Both views of the page; the second is NULL unless it is seen. */
static void
find_views (GtkWidget *widget, SondeLandscapeView *views[2])
{
  if (SONDE_IS_LANDSCAPE_VIEW (widget) && gtk_widget_get_mapped (widget))
    views[views[0] != NULL] = SONDE_LANDSCAPE_VIEW (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    find_views (child, views);
}

static gboolean
compares (WindowFixture *fixture, const void *data)
{
  SondeLandscapeView *views[2] = { NULL, NULL };

  find_views (page_of (fixture), views);
  return views[1] != NULL && says (fixture, data);
}

/* Two landscapes of a run: side by side by name, turned together, the second gone again. */
static void
test_compare (void)
{
  WindowFixture fixture = { 0 };
  SondeLandscapeView *views[2] = { NULL, NULL };
  GtkWidget *beside;
  double ranges[2][2];

  train (&fixture);
  open_run (&fixture);
  ask (&fixture, 5, 1, FALSE);
  window_fixture_wait (&fixture, shows, "landscape/random: loss from ");
  ask (&fixture, 5, 1, TRUE);
  window_fixture_wait (&fixture, shows, "landscape/path: loss from ");
  beside = window_fixture_find (page_of (&fixture), SONDE_TYPE_LANDSCAPE_BESIDE);
  sonde_landscape_beside_choose (SONDE_LANDSCAPE_BESIDE (beside), "r · landscape/random");
  window_fixture_wait (&fixture, compares, "r · landscape/random: loss ");
  find_views (page_of (&fixture), views);
  for (int i = 0; i < 2; i++)
    g_assert_true (sonde_landscape_view_get_range (views[i], &ranges[i][0], &ranges[i][1]));
  g_assert_true (ranges[0][0] != ranges[1][0] || ranges[0][1] != ranges[1][1]);
  g_assert_false (sonde_landscape_view_has_axes_of (views[0], views[1]));

  sonde_landscape_beside_set_solid (SONDE_LANDSCAPE_BESIDE (beside), TRUE);
  sonde_landscape_view_turn (views[1], 20, -10);
  g_assert_cmpmem (sonde_landscape_view_get_camera (views[0]), sizeof (SondeSurfaceCamera),
                   sonde_landscape_view_get_camera (views[1]), sizeof (SondeSurfaceCamera));

  sonde_landscape_beside_choose (SONDE_LANDSCAPE_BESIDE (beside), "Nothing");
  views[0] = views[1] = NULL;
  find_views (page_of (&fixture), views);
  g_assert_null (views[1]);
  window_fixture_clear (&fixture);
}

static gboolean
computes (WindowFixture *fixture, const void *data)
{
  GtkWidget *bar = window_fixture_find (page_of (fixture), GTK_TYPE_PROGRESS_BAR);

  return bar != NULL && gtk_widget_get_mapped (bar)
         && g_str_has_suffix (gtk_progress_bar_get_text (GTK_PROGRESS_BAR (bar)),
                              "of 65,541 points");
}

static GtkWidget *
find_button (GtkWidget *widget, const char *label)
{
  GtkWidget *found = NULL;

  if (GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_button (child, label);
  return found;
}

static void
test_cancel (void)
{
  WindowFixture fixture = { 0 };

  train (&fixture);
  open_run (&fixture);
  ask (&fixture, 256, 0, FALSE);
  window_fixture_wait (&fixture, computes, NULL);
  g_assert_false (gtk_widget_activate_action (page_of (&fixture), "landscape.compute", NULL)
                  && find_dialog ("Loss Landscape") != NULL);
  g_signal_emit_by_name (find_button (page_of (&fixture), "Cancel"), "clicked");
  window_fixture_wait (&fixture, says, "No Landscape");
  g_assert_cmpuint (count_record_files (&fixture), ==, 1);
  window_fixture_clear (&fixture);
}

static gboolean
has_dialog (WindowFixture *fixture, const void *heading)
{
  return find_dialog (heading) != NULL;
}

static void
test_failed (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *checkpoints = NULL;
  AdwMessageDialog *dialog;

  train (&fixture);
  checkpoints = g_build_filename (fixture.folder, "r", "checkpoints", NULL);
  open_run (&fixture);
  sonde_test_remove (checkpoints);
  ask (&fixture, 3, 1, FALSE);
  window_fixture_wait (&fixture, has_dialog, "Landscape Not Computed");
  dialog = find_dialog ("Landscape Not Computed");
  g_assert_nonnull (strstr (adw_message_dialog_get_body (dialog), "contains no checkpoint"));
  gtk_window_destroy (GTK_WINDOW (dialog));
  g_assert_true (says (&fixture, "No Landscape"));
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 77;
  g_test_add_func ("/landscape-page/compute", test_compute);
  g_test_add_func ("/landscape-page/keys", test_keys);
  g_test_add_func ("/landscape-page/compare", test_compare);
  g_test_add_func ("/landscape-page/cancel", test_cancel);
  g_test_add_func ("/landscape-page/failed", test_failed);
  return g_test_run ();
}
