/* SPDX-License-Identifier: Apache-2.0
 * The list of runs: boxes of folders, several selected, keys, what a person says of runs. */
#include "app/sidebar/sonde-run-list.h"
#include "app/sidebar/sonde-run-row.h"
#include "app/widgets/sonde-tooltip.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/sonde-scalar-view.h"

static GtkWidget *
find_view (WindowFixture *fixture)
{
  GtkWidget *list = window_fixture_find (GTK_WIDGET (fixture->window), SONDE_TYPE_RUN_LIST);

  return window_fixture_find (list, GTK_TYPE_LIST_VIEW);
}

/* The @n-th row that is bound, from the top. */
static SondeRunRow *
find_row (WindowFixture *fixture, int n)
{
  GtkWidget *child = gtk_widget_get_first_child (find_view (fixture));

  for (; child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *row = window_fixture_find (child, SONDE_TYPE_RUN_ROW);

      if (row != NULL && sonde_run_row_get_node (SONDE_RUN_ROW (row)) != NULL && n-- == 0)
        return SONDE_RUN_ROW (row);
    }
  g_assert_not_reached ();
}

static GtkCheckButton *
find_box (WindowFixture *fixture, int n)
{
  return GTK_CHECK_BUTTON (
      window_fixture_find (GTK_WIDGET (find_row (fixture, n)), GTK_TYPE_CHECK_BUTTON));
}

static guint
count_shown (WindowFixture *fixture)
{
  return g_list_model_get_n_items (sonde_workspace_get_shown_runs (fixture->workspace));
}

static void
select_rows (WindowFixture *fixture, guint first, guint n)
{
  GtkSelectionModel *model = gtk_list_view_get_model (GTK_LIST_VIEW (find_view (fixture)));

  gtk_selection_model_select_range (model, first, n, TRUE);
}

static SondeRun *
get_run (WindowFixture *fixture, guint i)
{
  SondeRun *run
      = g_list_model_get_item (G_LIST_MODEL (sonde_workspace_get_store (fixture->workspace)), i);

  g_object_unref (run);
  return run;
}

/* "group" with a and b: its box is all, some or none of them. */
static void
test_folder_box (void)
{
  WindowFixture fixture = { 0 };

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  g_assert_true (gtk_check_button_get_active (find_box (&fixture, 0)));
  gtk_check_button_set_active (find_box (&fixture, 1), FALSE);
  g_assert_cmpuint (count_shown (&fixture), ==, 1);
  g_assert_true (gtk_check_button_get_inconsistent (find_box (&fixture, 0)));
  gtk_check_button_set_active (find_box (&fixture, 0), TRUE);
  g_assert_cmpuint (count_shown (&fixture), ==, 2);
  g_assert_false (gtk_check_button_get_inconsistent (find_box (&fixture, 0)));
  gtk_check_button_set_active (find_box (&fixture, 0), FALSE);
  g_assert_cmpuint (count_shown (&fixture), ==, 0);
  g_assert_false (gtk_check_button_get_active (find_box (&fixture, 2)));
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.undo", NULL);
  g_assert_cmpuint (count_shown (&fixture), ==, 2);
  window_fixture_clear (&fixture);
}

/* One selected row chooses the run of the pages, several do not; keys act on all of them. */
static void
test_several (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *view;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  view = find_view (&fixture);
  select_rows (&fixture, 2, 1);
  g_assert_true (sonde_workspace_get_run (fixture.workspace) == get_run (&fixture, 1));
  select_rows (&fixture, 1, 2);
  g_assert_true (sonde_workspace_get_run (fixture.workspace) == get_run (&fixture, 1));
  window_fixture_tab_to (&fixture, view);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_space, 0));
  g_assert_cmpuint (count_shown (&fixture), ==, 0);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_space, 0));
  g_assert_cmpuint (count_shown (&fixture), ==, 2);
  select_rows (&fixture, 1, 1);
  gtk_widget_activate_action (view, "runs.only", NULL);
  g_assert_cmpuint (count_shown (&fixture), ==, 1);
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.show-all-runs", NULL);
  window_fixture_clear (&fixture);
}

/* One stop for Tab, whatever stands in the rows; the arrow keys fold. */
static void
test_one_stop (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *view;
  GListModel *rows;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  view = find_view (&fixture);
  select_rows (&fixture, 0, 1);
  window_fixture_tab_to (&fixture, view);
  rows = G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (view)));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Left, 0));
  g_assert_cmpuint (g_list_model_get_n_items (rows), ==, 1);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Right, 0));
  g_assert_cmpuint (g_list_model_get_n_items (rows), ==, 3);
  window_fixture_press (&fixture, GDK_KEY_Tab, 0);
  g_assert_false (gtk_widget_is_ancestor (gtk_root_get_focus (GTK_ROOT (fixture.window)), view));
  window_fixture_clear (&fixture);
}

/* (nullable): the dialog over the window */
static GtkWidget *
find_dialog (void)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (ADW_IS_MESSAGE_DIALOG (window))
        return window;
    }
  return NULL;
}

static void
answer (WindowFixture *fixture, guint key, GdkModifierType modifiers, const char *text)
{
  GtkWidget *dialog, *field;

  g_assert_true (window_fixture_press (fixture, key, modifiers));
  dialog = find_dialog ();
  g_assert_nonnull (dialog);
  field = adw_message_dialog_get_extra_child (ADW_MESSAGE_DIALOG (dialog));
  if (GTK_IS_ENTRY (field))
    gtk_editable_set_text (GTK_EDITABLE (field), text);
  else
    gtk_text_buffer_set_text (
        gtk_text_view_get_buffer (GTK_TEXT_VIEW (window_fixture_find (field, GTK_TYPE_TEXT_VIEW))),
        text, -1);
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), "save");
  gtk_window_destroy (GTK_WINDOW (dialog));
}

static const char *
get_mark (WindowFixture *fixture, guint i, SondeRunMark mark)
{
  return sonde_workspace_get_run_mark (fixture->workspace, get_run (fixture, i), mark);
}

/* Name, note and tags are asked with keys, for all that is selected, and stand in the rows. */
static void
test_dialogs (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *view;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  view = find_view (&fixture);
  select_rows (&fixture, 1, 1);
  window_fixture_tab_to (&fixture, view);
  answer (&fixture, GDK_KEY_F2, 0, " the best ");
  g_assert_nonnull (window_fixture_find_label (view, "the best"));
  answer (&fixture, GDK_KEY_i, GDK_CONTROL_MASK, "two\nlines");
  g_assert_cmpstr (get_mark (&fixture, 0, SONDE_RUN_MARK_NOTE), ==, "two\nlines");
  select_rows (&fixture, 1, 2);
  answer (&fixture, GDK_KEY_t, GDK_CONTROL_MASK, "#keep  baseline");
  g_assert_cmpstr (get_mark (&fixture, 1, SONDE_RUN_MARK_TAGS), ==, "keep, baseline");
  g_assert_nonnull (window_fixture_find_label (view, "#keep #baseline"));
  gtk_widget_activate_action (view, "runs.pin", NULL);
  g_assert_cmpstr (get_mark (&fixture, 1, SONDE_RUN_MARK_PIN), ==, "true");
  for (int i = 0; i < 4; i++)
    gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.undo", NULL);
  g_assert_null (get_mark (&fixture, 0, SONDE_RUN_MARK_TITLE));
  g_assert_null (window_fixture_find_label (view, "#keep"));
  window_fixture_clear (&fixture);
}

/* The colours stand in a dialog of names; one press is enough. */
static void
test_color (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *view, *dialog, *box;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  view = find_view (&fixture);
  select_rows (&fixture, 1, 2);
  gtk_widget_activate_action (view, "runs.color", NULL);
  dialog = find_dialog ();
  g_assert_nonnull (dialog);
  g_assert_nonnull (window_fixture_find_label (dialog, "Amber"));
  box = adw_message_dialog_get_extra_child (ADW_MESSAGE_DIALOG (dialog));
  g_signal_emit_by_name (box, "child-activated",
                         gtk_flow_box_get_child_at_index (GTK_FLOW_BOX (box), 4));
  g_assert_cmpuint (sonde_run_get_color_index (get_run (&fixture, 0)), ==, 4);
  g_assert_cmpuint (sonde_run_get_color_index (get_run (&fixture, 1)), ==, 4);
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.undo", NULL);
  g_assert_cmpuint (sonde_run_get_color_index (get_run (&fixture, 1)), ==, 1);
  window_fixture_clear (&fixture);
}

/* The table has the same actions, and says what was said. */
static void
test_table (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *page, *view;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "runs");
  page = GTK_WIDGET (sonde_window_get_page (fixture.window));
  view = window_fixture_find (page, GTK_TYPE_COLUMN_VIEW);
  sonde_workspace_set_run (fixture.workspace, get_run (&fixture, 1));
  window_fixture_tab_to (&fixture, view);
  answer (&fixture, GDK_KEY_t, GDK_CONTROL_MASK, "keep");
  g_assert_cmpstr (get_mark (&fixture, 1, SONDE_RUN_MARK_TAGS), ==, "keep");
  g_assert_nonnull (window_fixture_find_label (view, "group/b  #keep"));
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.undo", NULL);
  g_assert_null (window_fixture_find_label (view, "group/b  #keep"));
  window_fixture_clear (&fixture);
}

/* ---- tool-tips ----------------------------------------------------------- */

/* Does @widget have one in its middle? It is asked as GTK does when the pointer rests there. */
static gboolean
has_tooltip (GtkWidget *widget, GtkWidget *part)
{
  g_autoptr (GObject) tooltip = g_object_new (GTK_TYPE_TOOLTIP, NULL);
  graphene_rect_t place;
  gboolean found = FALSE;

  g_assert_true (gtk_widget_get_has_tooltip (widget));
  g_assert_true (gtk_widget_compute_bounds (part, widget, &place));
  g_signal_emit_by_name (widget, "query-tooltip", (int) (place.origin.x + place.size.width / 2),
                         (int) (place.origin.y + place.size.height / 2), FALSE, tooltip, &found);
  return found;
}

/* The box of a folder says what it is for, its name nothing that is not there already; a run says where it is. */
static void
test_tooltips (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *folder, *run, *title;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  folder = GTK_WIDGET (find_row (&fixture, 0));
  run = GTK_WIDGET (find_row (&fixture, 1));
  g_assert_true (has_tooltip (folder, GTK_WIDGET (find_box (&fixture, 0))));
  g_assert_false (has_tooltip (folder, window_fixture_find (folder, GTK_TYPE_LABEL)));
  g_assert_true (has_tooltip (run, GTK_WIDGET (find_box (&fixture, 1))));
  g_assert_true (has_tooltip (run, window_fixture_find (run, GTK_TYPE_LABEL)));

  title = gtk_label_new ("title");
  g_object_ref_sink (title);
  sonde_set_tooltip (title, "one");
  sonde_set_tooltip (title, "two");
  g_assert_cmpstr (sonde_get_tooltip (title), ==, "two");
  g_assert_true (has_tooltip (title, title));
  sonde_set_tooltip (title, NULL);
  g_assert_false (gtk_widget_get_has_tooltip (title));
  g_object_unref (title);
  window_fixture_clear (&fixture);
}

/* ---- very many ----------------------------------------------------------- */

#define N_MANY 600

static void
make_many (const char *folder)
{
  for (int i = 0; i < N_MANY; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/runs/run-%03d", folder, i);
      g_autoptr (SondeTestRun) run = sonde_test_run_new (path);

      for (int step = 0; step < 3; step++)
        sonde_test_run_scalars (run, step, "loss", 1.0 / (step + 1), "rate", 0.1, NULL);
      sonde_test_run_flush (run);
    }
}

static gboolean
count_curves (GtkWidget *widget, guint *n_charts)
{
  if (SONDE_IS_SCALAR_VIEW (widget) && gtk_widget_get_mapped (widget))
    {
      g_assert_cmpuint (sonde_scalar_view_get_n_series (SONDE_SCALAR_VIEW (widget)), ==, N_MANY);
      (*n_charts)++;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    count_curves (child, n_charts);
  return *n_charts > 0;
}

/* Cards of many runs take turns; when the page has settled each has had its own. */
static void
test_many (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *runs = NULL;
  guint n_charts = 0;

  fixture.folder = g_dir_make_tmp ("sonde-many-XXXXXX", NULL);
  runs = g_build_filename (fixture.folder, "runs", NULL);
  make_many (fixture.folder);
  window_fixture_open_paths (&fixture, (const char *const[]){ runs, NULL }, "scalars", NULL);
  window_fixture_settle (&fixture);
  g_assert_true (count_curves (GTK_WIDGET (sonde_window_get_page (fixture.window)), &n_charts));
  g_assert_cmpuint (n_charts, ==, 2);
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/run-list/folder-box", test_folder_box);
  g_test_add_func ("/app/pages/run-list/several", test_several);
  g_test_add_func ("/app/pages/run-list/one-stop", test_one_stop);
  g_test_add_func ("/app/pages/run-list/dialogs", test_dialogs);
  g_test_add_func ("/app/pages/run-list/color", test_color);
  g_test_add_func ("/app/pages/run-list/table", test_table);
  g_test_add_func ("/app/pages/run-list/tooltips", test_tooltips);
  g_test_add_func ("/app/pages/run-list/many", test_many);
  return g_test_run ();
}
