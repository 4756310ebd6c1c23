/* SPDX-License-Identifier: Apache-2.0
 * What surrounds the pages: keys, panes, search over actions, recent paths, files that are
 * dropped. */
#include "app/sonde-file-drop.h"
#include "app/sonde-preferences.h"
#include "app/sonde-recent-paths.h"
#include "app/workspace/sonde-preferred.h"
#include "app/sidebar/sonde-page-list.h"
#include "app/sidebar/sonde-run-list.h"
#include "app/sonde-search.h"
#include "app/sonde-status-bar.h"
#include "app/widgets/sonde-tab-stop.h"
#include "tests/app/pages/window-fixture.h"

static GtkWidget *
find (WindowFixture *fixture, GType type)
{
  GtkWidget *widget = window_fixture_find (GTK_WIDGET (fixture->window), type);

  g_assert_nonnull (widget);
  return widget;
}

/* Some field below @widget has it. */
static gboolean
has_text (GtkWidget *widget, const char *text)
{
  gboolean has = GTK_IS_EDITABLE (widget)
                 && g_str_equal (gtk_editable_get_text (GTK_EDITABLE (widget)), text);

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && !has;
       child = gtk_widget_get_next_sibling (child))
    has = has_text (child, text);
  return has;
}

static gboolean
is_focus_in (WindowFixture *fixture, GtkWidget *widget)
{
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (fixture->window));

  return focus != NULL && gtk_widget_is_ancestor (focus, widget);
}

/* ---- keys ---------------------------------------------------------------- */

/* The first ten pages have Alt with the digit of their place, the others none. */
static void
test_page_keys (void)
{
  WindowFixture fixture = { 0 };
  int place = 0;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "overview");
  for (const SondePageInfo *info = sonde_page_table; info->name != NULL; info++)
    {
      g_autofree char *action = g_strdup_printf ("win.page::%s", info->name);
      g_autofree char *key = g_strdup_printf ("<Alt>%d", ++place % 10);
      g_auto (GStrv) keys = gtk_application_get_accels_for_action (
          gtk_window_get_application (GTK_WINDOW (fixture.window)), action);

      if (place > 10)
        g_assert_cmpuint (g_strv_length (keys), ==, 0);
      else
        g_assert_cmpstr (keys[0], ==, key);
    }
  g_assert_cmpint (place, >, 10);
  window_fixture_clear (&fixture);
}

/* A page may have a stop of its own. */
static GtkWidget *
find_pages (WindowFixture *fixture)
{
  return window_fixture_find (find (fixture, SONDE_TYPE_PAGE_LIST), SONDE_TYPE_TAB_STOP);
}

static void
on_run_shown (SondeWorkspace *workspace, GParamSpec *pspec, GtkActionable *button)
{
  gtk_actionable_set_action_target (button, "s", "another");
}

/* A button names a run, and names another as soon as that is shown, as buttons in a list of runs do. */
static void
test_show_run (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *button = g_object_ref_sink (gtk_button_new ());
  g_autoptr (SondeRun) run = NULL;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  run = g_list_model_get_item (sonde_workspace_get_shown_runs (fixture.workspace), 0);
  gtk_box_append (GTK_BOX (gtk_widget_get_parent (find (&fixture, SONDE_TYPE_STATUS_BAR))), button);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", sonde_run_get_path (run));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.show-run");
  g_signal_connect_object (fixture.workspace, "notify::run", G_CALLBACK (on_run_shown), button, 0);
  g_signal_emit_by_name (button, "clicked");
  g_assert_true (sonde_workspace_get_run (fixture.workspace) == run);
  window_fixture_clear (&fixture);
  g_object_unref (button);
}

/* The list of pages is one stop of the Tab key: at the page that is shown, then on. */
static void
test_one_stop (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *pages;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  pages = find_pages (&fixture);
  window_fixture_tab_to (&fixture, pages);
  g_assert_true (gtk_list_box_row_is_selected (
      GTK_LIST_BOX_ROW (gtk_root_get_focus (GTK_ROOT (fixture.window)))));
  window_fixture_press (&fixture, GDK_KEY_Tab, 0);
  g_assert_false (is_focus_in (&fixture, pages));
  window_fixture_press (&fixture, GDK_KEY_Tab, GDK_SHIFT_MASK);
  g_assert_true (is_focus_in (&fixture, pages));
  window_fixture_press (&fixture, GDK_KEY_Tab, GDK_SHIFT_MASK);
  g_assert_false (is_focus_in (&fixture, pages));
  window_fixture_clear (&fixture);
}

static void
test_panes (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *pages, *runs, *page;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  pages = find_pages (&fixture);
  runs = find (&fixture, SONDE_TYPE_RUN_LIST);
  page = GTK_WIDGET (sonde_window_get_page (fixture.window));
  window_fixture_tab_to (&fixture, pages);
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.next-pane", "i", 1);
  g_assert_true (is_focus_in (&fixture, runs));
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.next-pane", "i", 1);
  g_assert_true (is_focus_in (&fixture, page));
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.next-pane", "i", -1);
  g_assert_true (is_focus_in (&fixture, runs));
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.next-pane", "i", -1);
  g_assert_true (is_focus_in (&fixture, pages));
  window_fixture_clear (&fixture);
}

/* ---- search -------------------------------------------------------------- */

static SondePage *
peek_nothing (const char *name, void *user_data)
{
  return NULL;
}

static gboolean
is_dark (WindowFixture *fixture, const void *data)
{
  return adw_style_manager_get_dark (adw_style_manager_get_default ());
}

/* "dark" finds the appearance, and Enter in the search changes it. */
static void
test_search_actions (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (GPtrArray) results = NULL;
  SondeSearchScope scope = { .peek = peek_nothing };
  GtkWidget *search, *entry;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "overview");
  scope.workspace = fixture.workspace;
  results = sonde_search_find (&scope, "dark", 10);
  g_assert_cmpuint (results->len, ==, 1);
  g_assert_cmpstr (((SondeSearchResult *) results->pdata[0])->action, ==, "win.appearance::dark");

  g_assert_false (is_dark (&fixture, NULL));
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.search", NULL);
  search = find (&fixture, SONDE_TYPE_SEARCH);
  entry = window_fixture_find (search, GTK_TYPE_SEARCH_ENTRY);
  gtk_editable_set_text (GTK_EDITABLE (entry), "dark");
  g_signal_emit_by_name (entry, "search-changed");
  g_signal_emit_by_name (entry, "activate");
  window_fixture_wait (&fixture, is_dark, NULL);
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.appearance", "s", "light");
  window_fixture_clear (&fixture);
}

/* ---- what is opened ------------------------------------------------------ */

/* The first entry of the menu is that path. */
static gboolean
is_first_recent (WindowFixture *fixture, const void *data)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GVariant) target = NULL;
  g_autofree const char **paths = NULL;

  sonde_recent_paths_fill_menu (menu, "win.open-paths");
  if (g_menu_model_get_n_items (G_MENU_MODEL (menu)) == 0)
    return FALSE;
  target = g_menu_model_get_item_attribute_value (G_MENU_MODEL (menu), 0, G_MENU_ATTRIBUTE_TARGET,
                                                  G_VARIANT_TYPE_BYTESTRING_ARRAY);
  paths = g_variant_get_bytestring_array (target, NULL);
  return g_str_equal (paths[0], data);
}

static void
test_recent (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *runs = NULL;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "overview");
  runs = g_build_filename (fixture.folder, "runs", NULL);
  sonde_recent_paths_add ((const char *const[]){ "/is/not/there", runs, NULL });
  window_fixture_wait (&fixture, is_first_recent, runs);
  window_fixture_clear (&fixture);
}

static GtkEventController *
find_drop_target (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_DROP_TARGET (controller))
        return controller;
    }
  return NULL;
}

/* (nullable): another window of ours than that of @fixture */
static SondeWindow *
find_other_window (WindowFixture *fixture)
{
  GList *windows
      = gtk_application_get_windows (gtk_window_get_application (GTK_WINDOW (fixture->window)));

  for (; windows != NULL; windows = windows->next)
    if (SONDE_IS_WINDOW (windows->data) && windows->data != (gpointer) fixture->window)
      return windows->data;
  return NULL;
}

static gboolean
drop (WindowFixture *fixture, GSList *files)
{
  GtkEventController *target = find_drop_target (GTK_WIDGET (fixture->window));
  GValue value = G_VALUE_INIT;
  gboolean taken = FALSE;

  g_assert_nonnull (target);
  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_set_boxed (&value, files);
  g_signal_emit_by_name (target, "drop", &value, 10.0, 10.0, &taken);
  g_value_unset (&value);
  return taken;
}

static void
test_drop (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL;
  g_autoptr (GFile) folder = NULL, far = g_file_new_for_uri ("sftp://elsewhere/runs");
  g_autoptr (GSList) files = NULL, far_files = g_slist_append (NULL, far);
  SondeWindow *other;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "overview");
  path = g_build_filename (fixture.folder, "runs", NULL);
  folder = g_file_new_for_path (path);
  files = g_slist_append (NULL, folder);
  g_assert_false (drop (&fixture, far_files));
  g_assert_null (find_other_window (&fixture));

  g_assert_true (drop (&fixture, files));
  other = find_other_window (&fixture);
  g_assert_nonnull (other);
  g_assert_cmpstr (sonde_workspace_get_paths (sonde_window_get_workspace (other))[0], ==, path);
  gtk_window_close (GTK_WINDOW (other));
  window_fixture_clear (&fixture);
}

static gboolean
has_two_folders (WindowFixture *fixture, const void *data)
{
  GListModel *runs = G_LIST_MODEL (sonde_workspace_get_store (fixture->workspace));

  return g_list_model_get_n_items (runs) == 3;
}

/* A folder joins those of the window, and its title says so. */
static void
test_add_folder (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL, *run = NULL;
  g_autoptr (SondeTestRun) other = NULL;

  window_fixture_init (&fixture);
  path = g_build_filename (fixture.folder, "more", NULL);
  run = g_build_filename (path, "c", NULL);
  other = sonde_test_run_new (run);
  sonde_test_run_scalars (other, 0, "loss", 1.0, NULL);
  sonde_test_run_flush (other);
  window_fixture_open (&fixture, "overview");
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (fixture.window)), ==, "runs – Overview");
  sonde_workspace_add_path (fixture.workspace, path);
  sonde_workspace_add_path (fixture.workspace, path);
  window_fixture_wait (&fixture, has_two_folders, NULL);
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (fixture.window)), ==,
                   "runs and 1 more – Overview");
  window_fixture_clear (&fixture);
}

static gboolean
is_on_page (WindowFixture *fixture, const void *name)
{
  return sonde_window_get_page (fixture->window) == sonde_window_peek_page (fixture->window, name);
}

/* A window on nothing offers the ways in; each is one press. */
static void
test_welcome (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *page, *label;

  window_fixture_init (&fixture);
  window_fixture_open_paths (&fixture, (const char *const[]){ NULL }, "overview", NULL);
  page = GTK_WIDGET (sonde_window_get_page (fixture.window));
  g_assert_nonnull (window_fixture_find_label (page, "Watch"));
  g_assert_nonnull (window_fixture_find_label (page, "Try a Sample"));
  label = window_fixture_find_label (page, "Explain");
  g_assert_nonnull (label);
  adw_action_row_activate (ADW_ACTION_ROW (gtk_widget_get_ancestor (label, ADW_TYPE_ACTION_ROW)));
  window_fixture_wait (&fixture, is_on_page, "explain");
  window_fixture_clear (&fixture);
}

/* What the smoothing of the Scalars page reads. */
static double
get_smoothing (WindowFixture *fixture)
{
  GtkWidget *scale
      = window_fixture_find (GTK_WIDGET (sonde_window_get_page (fixture->window)), GTK_TYPE_SCALE);

  g_assert_nonnull (scale);
  return gtk_range_get_value (GTK_RANGE (scale));
}

/* What is chosen holds at once and is remembered; a window on a new folder has the charts it says. */
static void
test_preferences (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *preferences, *smoothing, *toggle;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "overview");
  preferences = sonde_preferences_new (GTK_WINDOW (fixture.window), fixture.workspace);
  smoothing = window_fixture_find (preferences, GTK_TYPE_SPIN_BUTTON);
  g_assert_cmpfloat (gtk_spin_button_get_value (GTK_SPIN_BUTTON (smoothing)), ==, 0.6);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (smoothing), 0.3);
  toggle = window_fixture_find (preferences, GTK_TYPE_SWITCH);
  g_assert_true (gtk_switch_get_active (GTK_SWITCH (toggle)));
  gtk_switch_set_active (GTK_SWITCH (toggle), FALSE);
  gtk_window_destroy (GTK_WINDOW (preferences));
  g_assert_cmpstr (sonde_workspace_get_setting (fixture.workspace, "notifications", "ended"), ==,
                   "false");
  window_fixture_close (&fixture);

  window_fixture_open (&fixture, "scalars");
  g_assert_cmpfloat_with_epsilon (get_smoothing (&fixture), 0.3, 1e-9);
  sonde_workspace_set_setting (fixture.workspace, "notifications", "ended", NULL);
  sonde_workspace_set_setting (fixture.workspace, "new-charts", "smoothing", NULL);
  window_fixture_clear (&fixture);
}

static GtkWidget *
find_row (GtkWidget *widget, const char *title)
{
  GtkWidget *found = NULL;

  if (ADW_IS_PREFERENCES_ROW (widget)
      && g_str_equal (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (widget)), title))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_row (child, title);
  return found;
}

static gboolean
reads (WindowFixture *fixture, const void *text)
{
  return window_fixture_find_label (GTK_WIDGET (sonde_window_get_page (fixture->window)), text)
         != NULL;
}

/* Numbers are written as it is preferred, at once, and in the next window too. */
static void
test_number_style (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *preferences, *digits;
  g_autofree char *text = NULL;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  window_fixture_wait (&fixture, reads, "group/a  0.9813");
  preferences = sonde_preferences_new (GTK_WINDOW (fixture.window), fixture.workspace);
  digits = window_fixture_find (find_row (preferences, "Significant digits"), GTK_TYPE_SPIN_BUTTON);
  g_assert_cmpint (gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (digits)), ==, 4);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (digits), 6);
  adw_combo_row_set_selected (ADW_COMBO_ROW (find_row (preferences, "Thousands separator")),
                              SONDE_GROUPING_NONE);
  window_fixture_wait (&fixture, reads, "group/a  0.981314"); /* 1 - exp (-199 * 0.02) */
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (find_row (preferences, "Example"))),
                   ==, "0.0123457   12.3457 M   3.14e-07   1200000");
  gtk_window_destroy (GTK_WINDOW (preferences));
  sonde_format_set_style (&SONDE_NUMBER_STYLE_DEFAULT);
  window_fixture_close (&fixture);

  window_fixture_open (&fixture, "overview");
  text = sonde_format_number (0.0123456789);
  g_assert_cmpstr (text, ==, "0.0123457");
  sonde_preferred_set_number_style (fixture.workspace, &SONDE_NUMBER_STYLE_DEFAULT);
  window_fixture_clear (&fixture);
}

/* A training is recorded where it is preferred, when the window has no folder of runs. */
static void
test_runs_folder (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *preferences, *row;
  g_autofree char *wanted = NULL, *folder = NULL;

  window_fixture_init (&fixture);
  window_fixture_open_paths (&fixture, (const char *const[]){ NULL }, "overview", NULL);
  preferences = sonde_preferences_new (GTK_WINDOW (fixture.window), fixture.workspace);
  row = find_row (preferences, "Folder");
  gtk_editable_set_text (GTK_EDITABLE (row), fixture.folder);
  g_signal_emit_by_name (row, "apply");
  gtk_window_destroy (GTK_WINDOW (preferences));
  folder = sonde_preferred_dup_runs_folder (fixture.workspace);
  g_assert_cmpstr (folder, ==, fixture.folder);
  sonde_window_show_page (fixture.window, "train", NULL);
  window_fixture_settle (&fixture);
  wanted = g_build_filename (fixture.folder, "lenet", NULL);
  g_assert_true (has_text (GTK_WIDGET (sonde_window_get_page (fixture.window)), wanted));
  sonde_preferred_set_runs_folder (fixture.workspace, NULL);
  window_fixture_clear (&fixture);
}

static gboolean
is_row_dim (WindowFixture *fixture, const void *page)
{
  GtkWidget *box = window_fixture_find (find (fixture, SONDE_TYPE_PAGE_LIST), GTK_TYPE_LIST_BOX);
  int place = (int) (sonde_page_info_find (page) - sonde_page_table);

  return gtk_widget_has_css_class (
      GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (box), place)), "nothing-inside");
}

static gboolean
is_row_bright (WindowFixture *fixture, const void *page)
{
  return !is_row_dim (fixture, page);
}

static gboolean
is_row_shown (WindowFixture *fixture, const char *page)
{
  return window_fixture_find_label (find (fixture, SONDE_TYPE_PAGE_LIST), page) != NULL;
}

/* Pages that nothing was recorded for are dim, the button folds them away but for the one that is shown; what
 * is recorded brings its page back. */
static void
test_empty_pages (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *list, *button;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  list = find (&fixture, SONDE_TYPE_PAGE_LIST);
  window_fixture_wait (&fixture, is_row_dim, "media");
  g_assert_true (is_row_dim (&fixture, "pr-curves"));
  g_assert_false (is_row_dim (&fixture, "scalars"));
  g_assert_false (is_row_dim (&fixture, "distributions"));
  g_assert_false (is_row_dim (&fixture, "debugger"));
  g_assert_true (is_row_shown (&fixture, "Media"));

  button = gtk_widget_get_ancestor (window_fixture_find_label (list, "Only Pages with Content"),
                                    GTK_TYPE_BUTTON);
  g_signal_emit_by_name (button, "clicked");
  g_assert_false (is_row_shown (&fixture, "Media"));
  g_assert_true (is_row_shown (&fixture, "Scalars"));
  g_assert_nonnull (window_fixture_find_label (list, "4 More Pages"));
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.page", "s", "media");
  g_assert_true (is_row_shown (&fixture, "Media"));
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.page", "s", "scalars");
  g_assert_false (is_row_shown (&fixture, "Media"));

  sonde_test_run_image (fixture.run_a, 0, "digit", 0, 1, 1);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_wait (&fixture, is_row_bright, "media");
  g_assert_true (is_row_shown (&fixture, "Media"));
  window_fixture_close (&fixture);

  window_fixture_open (&fixture, "scalars");
  window_fixture_wait (&fixture, is_row_dim, "pr-curves");
  g_assert_false (is_row_shown (&fixture, "PR Curves"));
  sonde_workspace_set_setting (fixture.workspace, "window", "fold-pages", NULL);
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/shell/page-keys", test_page_keys);
  g_test_add_func ("/app/pages/shell/show-run", test_show_run);
  g_test_add_func ("/app/pages/shell/one-stop", test_one_stop);
  g_test_add_func ("/app/pages/shell/panes", test_panes);
  g_test_add_func ("/app/pages/shell/search-actions", test_search_actions);
  g_test_add_func ("/app/pages/shell/recent", test_recent);
  g_test_add_func ("/app/pages/shell/drop", test_drop);
  g_test_add_func ("/app/pages/shell/add-folder", test_add_folder);
  g_test_add_func ("/app/pages/shell/welcome", test_welcome);
  g_test_add_func ("/app/pages/shell/preferences", test_preferences);
  g_test_add_func ("/app/pages/shell/number-style", test_number_style);
  g_test_add_func ("/app/pages/shell/runs-folder", test_runs_folder);
  g_test_add_func ("/app/pages/shell/empty-pages", test_empty_pages);
  return g_test_run ();
}
