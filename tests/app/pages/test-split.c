/* SPDX-License-Identifier: Apache-2.0
 * Two pages in one window: opened, left, closed, undone, folded where there is no room, remembered. */
#include "app/sonde-window-private.h"
#include "tests/app/pages/window-fixture.h"

static void
open_split (WindowFixture *fixture)
{
  window_fixture_init (fixture);
  window_fixture_open (fixture, "runs");
  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 1500, 800);
  g_assert_true (sonde_window_show_beside (fixture->window, "scalars", SONDE_SPLIT_RIGHT));
  window_fixture_settle (fixture);
}

/* What a person sees, from the left or top: "runs|scalars", the active one in brackets. */
static char *
dup_layout (WindowFixture *fixture)
{
  SondePageLayout layout;
  const char *open[2] = { "", "" }, *close[2] = { "", "" };

  sonde_page_split_get_layout (fixture->window->pages, &layout);
  open[layout.active] = "[";
  close[layout.active] = "]";
  if (layout.way == SONDE_SPLIT_NONE)
    return g_strdup (layout.pages[layout.active]);
  return g_strdup_printf ("%s%s%s%c%s%s%s", open[0], layout.pages[0], close[0],
                          layout.way == SONDE_SPLIT_RIGHT ? '|' : '/', open[1], layout.pages[1],
                          close[1]);
}

static void
check_layout (WindowFixture *fixture, const char *expected)
{
  g_autofree char *layout = dup_layout (fixture);

  g_assert_cmpstr (layout, ==, expected);
}

static GtkWidget *
get_page (WindowFixture *fixture, const char *name)
{
  GtkWidget *page = GTK_WIDGET (sonde_window_peek_page (fixture->window, name));

  g_assert_nonnull (page);
  return page;
}

static void
act (WindowFixture *fixture, const char *action, const char *target)
{
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), action, target != NULL ? "s" : NULL,
                              target);
  window_fixture_settle (fixture);
}

/* Where the page is in the window. */
static graphene_rect_t
get_place (WindowFixture *fixture, const char *name)
{
  graphene_rect_t place;

  g_assert_true (
      gtk_widget_compute_bounds (get_page (fixture, name), GTK_WIDGET (fixture->window), &place));
  return place;
}

/* ---- two pages ----------------------------------------------------------- */

/* Both are open and share run and step; each has half the room, beside or below the other. */
static void
test_both (void)
{
  WindowFixture fixture = { 0 };
  graphene_rect_t runs, scalars;

  open_split (&fixture);
  check_layout (&fixture, "runs|[scalars]");
  g_assert_true (sonde_page_is_opened (SONDE_PAGE (get_page (&fixture, "runs"))));
  g_assert_true (sonde_page_is_opened (SONDE_PAGE (get_page (&fixture, "scalars"))));
  runs = get_place (&fixture, "runs");
  scalars = get_place (&fixture, "scalars");
  g_assert_cmpfloat (runs.origin.x + runs.size.width, <=, scalars.origin.x);
  g_assert_cmpfloat_with_epsilon (runs.size.width, scalars.size.width, 20);
  g_assert_true (sonde_page_get_cursor (SONDE_PAGE (get_page (&fixture, "runs")))
                 == sonde_page_get_cursor (SONDE_PAGE (get_page (&fixture, "scalars"))));

  act (&fixture, "win.split", "down");
  check_layout (&fixture, "runs/[scalars]");
  runs = get_place (&fixture, "runs");
  scalars = get_place (&fixture, "scalars");
  g_assert_cmpfloat (runs.origin.y + runs.size.height, <=, scalars.origin.y);
  act (&fixture, "win.swap-halves", NULL);
  check_layout (&fixture, "[scalars]/runs");
  act (&fixture, "win.close-half", NULL);
  check_layout (&fixture, "runs");
  g_assert_false (sonde_page_is_opened (SONDE_PAGE (get_page (&fixture, "scalars"))));
  window_fixture_clear (&fixture);
}

/* The page list and the keys of pages act on the active half; a page of the other half is gone to, and
 * it cannot be opened twice. */
static void
test_active (void)
{
  WindowFixture fixture = { 0 };

  open_split (&fixture);
  act (&fixture, "win.page", "distributions");
  check_layout (&fixture, "runs|[distributions]");
  act (&fixture, "win.page", "runs");
  check_layout (&fixture, "[runs]|distributions");
  act (&fixture, "win.open-beside", "distributions");
  check_layout (&fixture, "[runs]|distributions");
  act (&fixture, "win.open-beside", "scalars");
  check_layout (&fixture, "runs|[scalars]");
  act (&fixture, "win.page", "runs");
  act (&fixture, "win.open-below", "distributions");
  check_layout (&fixture, "runs/[distributions]");
  act (&fixture, "win.close-half", NULL);
  window_fixture_clear (&fixture);
}

/* Without another page that was seen before, curves stand beside the one at hand. */
static void
test_split_action (void)
{
  WindowFixture fixture = { 0 };

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "graph");
  act (&fixture, "win.page", "lineage");
  act (&fixture, "win.split", "right");
  check_layout (&fixture, "lineage|[graph]");
  act (&fixture, "win.close-half", NULL);
  check_layout (&fixture, "lineage");
  window_fixture_clear (&fixture);
}

/* ---- hands --------------------------------------------------------------- */

static gboolean
is_focus_in (WindowFixture *fixture, const char *page)
{
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (fixture->window));

  return focus != NULL && gtk_widget_is_ancestor (focus, get_page (fixture, page));
}

/* Who works in a page has the focus in the one that is opened beside it. */
static void
test_focus_along (void)
{
  WindowFixture fixture = { 0 };

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "runs");
  gtk_window_set_default_size (GTK_WINDOW (fixture.window), 1500, 800);
  window_fixture_tab_to (&fixture, get_page (&fixture, "runs"));
  act (&fixture, "win.open-beside", "scalars");
  g_assert_false (is_focus_in (&fixture, "runs"));
  check_layout (&fixture, "runs|[scalars]");
  sonde_window_end_split (fixture.window);
  window_fixture_clear (&fixture);
}

/* The key goes from half to half, and the half that has the focus is the active one. */
static void
test_focus (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *window;

  open_split (&fixture);
  window = GTK_WIDGET (fixture.window);
  window_fixture_tab_to (&fixture, get_page (&fixture, "runs"));
  check_layout (&fixture, "[runs]|scalars");
  gtk_widget_activate_action (window, "win.next-pane", "i", 1);
  g_assert_true (is_focus_in (&fixture, "scalars"));
  check_layout (&fixture, "runs|[scalars]");
  gtk_widget_activate_action (window, "win.next-pane", "i", -1);
  check_layout (&fixture, "[runs]|scalars");
  act (&fixture, "win.close-half", NULL);
  check_layout (&fixture, "scalars");
  window_fixture_clear (&fixture);
}

static GtkEventController *
find_click (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_GESTURE_CLICK (controller))
        return controller;
    }
  g_assert_not_reached ();
}

/* A press anywhere in a half makes it the active one. */
static void
test_press (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *half;

  open_split (&fixture);
  half = sonde_page_split_get_half (fixture.window->pages, 0);
  g_signal_emit_by_name (find_click (half), "pressed", 1, 40.0, 300.0);
  check_layout (&fixture, "[runs]|scalars");
  sonde_window_end_split (fixture.window);
  check_layout (&fixture, "runs");
  window_fixture_clear (&fixture);
}

static GtkWidget *
find_entry (GtkWidget *widget, const char *label)
{
  GtkWidget *found = NULL;

  if (g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkModelButton"))
    {
      g_autofree char *text = NULL;

      g_object_get (widget, "text", &text, NULL);
      if (g_strcmp0 (text, label) == 0)
        return widget;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_entry (child, label);
  return found;
}

/* The menu of a row, by its key: "Open Beside" shows the row's page there. */
static void
test_row_menu (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *entry, *box;
  const int place = (int) (sonde_page_info_find ("distributions") - sonde_page_table);

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "runs");
  box = window_fixture_find (GTK_WIDGET (fixture.window->page_list), GTK_TYPE_LIST_BOX);
  gtk_widget_grab_focus (GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (box), place)));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Menu, 0));
  entry = find_entry (GTK_WIDGET (fixture.window->page_list), "Open Beside");
  g_assert_nonnull (entry);
  gtk_widget_activate (entry);
  window_fixture_settle (&fixture);
  check_layout (&fixture, "runs|[distributions]");
  sonde_window_end_split (fixture.window);
  window_fixture_clear (&fixture);
}

/* ---- undo, room, memory -------------------------------------------------- */

static void
test_undo (void)
{
  WindowFixture fixture = { 0 };

  open_split (&fixture);
  act (&fixture, "win.split", "down");
  act (&fixture, "win.undo", NULL);
  check_layout (&fixture, "runs|[scalars]");
  act (&fixture, "win.undo", NULL);
  check_layout (&fixture, "runs");
  act (&fixture, "win.redo", NULL);
  check_layout (&fixture, "runs|[scalars]");
  act (&fixture, "win.close-half", NULL);
  act (&fixture, "win.undo", NULL);
  check_layout (&fixture, "[runs]|scalars");
  sonde_window_end_split (fixture.window);
  window_fixture_clear (&fixture);
}

/* The divider by its keys: each move can be taken back. */
static void
test_undo_divider (void)
{
  WindowFixture fixture = { 0 };
  SondePageSplit *pages;
  GtkWidget *divider;
  gboolean handled;
  double before, moved;

  open_split (&fixture);
  pages = fixture.window->pages;
  divider = window_fixture_find (GTK_WIDGET (pages), GTK_TYPE_PANED);
  sonde_page_split_set_fraction (pages, 0.5); /* whatever the window before left */
  window_fixture_settle (&fixture);
  before = sonde_page_split_get_fraction (pages);
  g_assert_true (gtk_widget_grab_focus (divider));
  g_signal_emit_by_name (divider, "move-handle", GTK_SCROLL_PAGE_RIGHT, &handled);
  g_assert_true (handled);
  window_fixture_settle (&fixture);
  moved = sonde_page_split_get_fraction (pages);
  g_assert_cmpfloat (moved, >, before + 0.02);
  act (&fixture, "win.undo", NULL);
  g_assert_cmpfloat_with_epsilon (sonde_page_split_get_fraction (pages), before, 0.01);
  check_layout (&fixture, "runs|[scalars]");
  act (&fixture, "win.redo", NULL);
  g_assert_cmpfloat_with_epsilon (sonde_page_split_get_fraction (pages), moved, 0.01);
  sonde_window_end_split (fixture.window);
  window_fixture_clear (&fixture);
}

static gboolean
is_folded (WindowFixture *fixture, const void *data)
{
  return sonde_page_split_is_shown (fixture->window->pages, data) == FALSE;
}

/* In a narrow window one half is there, the key leads to the other, and both are back with the room. */
static void
test_fold (void)
{
  WindowFixture fixture = { 0 };

  open_split (&fixture);
  gtk_window_set_default_size (GTK_WINDOW (fixture.window), 620, 800);
  window_fixture_wait (&fixture, is_folded, "runs");
  g_assert_false (sonde_page_is_opened (SONDE_PAGE (get_page (&fixture, "runs"))));
  g_assert_true (gtk_widget_get_mapped (get_page (&fixture, "scalars")));
  g_assert_nonnull (
      window_fixture_find_label (sonde_page_split_get_half (fixture.window->pages, 1), "Runs"));
  window_fixture_tab_to (&fixture, get_page (&fixture, "scalars"));
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.next-pane", "i", -1);
  window_fixture_settle (&fixture);
  check_layout (&fixture, "[runs]|scalars");
  g_assert_true (gtk_widget_get_mapped (get_page (&fixture, "runs")));
  g_assert_false (gtk_widget_get_mapped (get_page (&fixture, "scalars")));
  gtk_window_set_default_size (GTK_WINDOW (fixture.window), 1500, 800);
  while (!sonde_page_split_is_shown (fixture.window->pages, "scalars"))
    window_fixture_settle (&fixture);
  g_assert_true (gtk_widget_get_mapped (get_page (&fixture, "scalars")));
  sonde_window_end_split (fixture.window);
  window_fixture_clear (&fixture);
}

/* The next window has what the last one had when it was closed; one that is asked for a page has that. */
static void
test_remembered (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *runs = NULL;

  open_split (&fixture);
  act (&fixture, "win.split", "down");
  sonde_page_split_set_fraction (fixture.window->pages, 0.6);
  window_fixture_settle (&fixture);
  window_fixture_close (&fixture);

  runs = g_build_filename (fixture.folder, "runs", NULL);
  window_fixture_present (&fixture, (const char *const[]){ runs, NULL }, NULL, NULL);
  gtk_window_set_default_size (GTK_WINDOW (fixture.window), 1500, 800);
  sonde_workspace_start (fixture.workspace);
  window_fixture_settle (&fixture);
  check_layout (&fixture, "runs/[scalars]");
  g_assert_cmpfloat_with_epsilon (sonde_page_split_get_fraction (fixture.window->pages), 0.6, 0.02);
  sonde_window_end_split (fixture.window);
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/split/both", test_both);
  g_test_add_func ("/app/pages/split/active", test_active);
  g_test_add_func ("/app/pages/split/action", test_split_action);
  g_test_add_func ("/app/pages/split/focus", test_focus);
  g_test_add_func ("/app/pages/split/focus-along", test_focus_along);
  g_test_add_func ("/app/pages/split/press", test_press);
  g_test_add_func ("/app/pages/split/row-menu", test_row_menu);
  g_test_add_func ("/app/pages/split/undo", test_undo);
  g_test_add_func ("/app/pages/split/undo-divider", test_undo_divider);
  g_test_add_func ("/app/pages/split/fold", test_fold);
  g_test_add_func ("/app/pages/split/remembered", test_remembered);
  return g_test_run ();
}
