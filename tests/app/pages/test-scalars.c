/* SPDX-License-Identifier: Apache-2.0
 * The Scalars page by hand and by keys: where the focus goes, what the status line says, and
 * whether the sidebar comes back. */
#include "app/pages/cards/sonde-card-grid.h"
#include "app/sonde-window-private.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/sonde-scalar-view.h"

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static SondeView *
find_view (WindowFixture *fixture)
{
  return SONDE_VIEW (window_fixture_find (page_of (fixture), SONDE_TYPE_SCALAR_VIEW));
}

static GtkEventController *
find_controller (GtkWidget *widget, GType type)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (G_TYPE_CHECK_INSTANCE_TYPE (controller, type))
        return controller;
    }
  return NULL;
}

/* What a press in the middle of @view does: all gestures around it hear of it, the innermost
 * first. */
static void
press_in (SondeView *view)
{
  g_signal_emit_by_name (find_controller (GTK_WIDGET (view), GTK_TYPE_GESTURE_DRAG), "drag-begin",
                         100.0, 60.0);
  for (GtkWidget *around = gtk_widget_get_parent (GTK_WIDGET (view)); around != NULL;
       around = gtk_widget_get_parent (around))
    {
      GtkEventController *click = find_controller (around, GTK_TYPE_GESTURE_CLICK);

      if (click != NULL && g_str_has_prefix (G_OBJECT_TYPE_NAME (around), "GtkListItem"))
        g_signal_emit_by_name (click, "pressed", 1, 100.0, 60.0);
    }
}

static gboolean
is_focused (WindowFixture *fixture, SondeView *view)
{
  return gtk_root_get_focus (GTK_ROOT (fixture->window)) == GTK_WIDGET (view);
}

static void
test_focus (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *readout = NULL;
  SondeStepCursor *cursor;
  SondeView *view;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  cursor = sonde_workspace_get_cursor (fixture.workspace);
  view = find_view (&fixture);
  press_in (view);
  g_assert_true (is_focused (&fixture, view));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Home, 0));
  g_assert_cmpint (sonde_step_cursor_get_step (cursor), ==, 0);
  window_fixture_press (&fixture, GDK_KEY_Right, 0);
  window_fixture_press (&fixture, GDK_KEY_Right, GDK_SHIFT_MASK);
  g_assert_cmpint (sonde_step_cursor_get_step (cursor), ==, 11);
  /* Who uses keys reads the values at the cursor. */
  g_assert_null (sonde_scalar_view_dup_readout (SONDE_SCALAR_VIEW (view)));
  gtk_window_set_focus_visible (GTK_WINDOW (fixture.window), TRUE);
  readout = sonde_scalar_view_dup_readout (SONDE_SCALAR_VIEW (view));
  g_assert_true (g_str_has_prefix (readout, "Step 11\n"));
  sonde_view_set_viewport (view, &(SondeViewport){ 50, 1, 100, 0 });
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_BackSpace, 0));
  g_assert_true (sonde_view_is_fitted (view, NULL, NULL));
  sonde_view_set_viewport (view, &(SondeViewport){ 50, 1, 100, 0 });
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_0, 0));
  g_assert_true (sonde_view_is_fitted (view, NULL, NULL));
  window_fixture_clear (&fixture);
}

static void
test_expanded (void)
{
  WindowFixture fixture = { 0 };
  SondeCardGrid *grid;
  SondeTagCard *card;
  g_autofree char *tag = NULL;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  grid = SONDE_CARD_GRID (window_fixture_find (page_of (&fixture), SONDE_TYPE_CARD_GRID));
  card = SONDE_TAG_CARD (
      gtk_widget_get_ancestor (GTK_WIDGET (find_view (&fixture)), SONDE_TYPE_TAG_CARD));
  tag = g_strdup (sonde_tag_card_get_tag (card));
  g_signal_emit_by_name (card, "expand", tag);
  window_fixture_settle (&fixture);
  g_assert_cmpstr (sonde_card_grid_get_expanded (grid), ==, tag);
  g_assert_true (SONDE_IS_SCALAR_VIEW (gtk_root_get_focus (GTK_ROOT (fixture.window))));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Escape, 0));
  window_fixture_settle (&fixture);
  g_assert_null (sonde_card_grid_get_expanded (grid));
  g_assert_true (is_focused (&fixture, sonde_tag_card_get_view (card)));
  window_fixture_clear (&fixture);
}

static GtkWidget *
find_icon (GtkWidget *widget, const char *icon)
{
  if (GTK_IS_BUTTON (widget)
      && g_strcmp0 (gtk_button_get_icon_name (GTK_BUTTON (widget)), icon) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_icon (child, icon);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* Every button of a card is one that Tab gets to, and is seen when it does. */
static void
test_buttons (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *card, *button;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  card = gtk_widget_get_ancestor (GTK_WIDGET (find_view (&fixture)), SONDE_TYPE_TAG_CARD);
  button = find_icon (card, "document-save-symbolic");
  window_fixture_tab_to (&fixture, button);
  g_assert_true (gtk_widget_get_state_flags (card) & GTK_STATE_FLAG_FOCUS_WITHIN);
  window_fixture_clear (&fixture);
}

static gboolean
tells_zoom (WindowFixture *fixture, const void *data)
{
  GtkWidget *label = window_fixture_find_label (GTK_WIDGET (fixture->window->status_bar), "6");

  return label != NULL && gtk_widget_get_width (label) > 100;
}

/* The points in sight change while the chart is drawn; the line says so, and stays there. */
static void
test_status (void)
{
  WindowFixture fixture = { 0 };
  SondeView *view;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  view = find_view (&fixture);
  g_assert_nonnull (
      window_fixture_find_label (GTK_WIDGET (fixture.window->status_bar), "800 of 800"));
  sonde_view_set_viewport (view, &(SondeViewport){ 49.5, 1, 149.5, 0 });
  window_fixture_wait (&fixture, tells_zoom, NULL);
  window_fixture_settle (&fixture);
  g_assert_nonnull (
      window_fixture_find_label (GTK_WIDGET (fixture.window->status_bar), "600 of 800"));
  window_fixture_clear (&fixture);
}

static gboolean
has_folded (WindowFixture *fixture, const void *data)
{
  return adw_flap_get_folded (fixture->window->flap) == *(const gboolean *) data;
}

static void
test_sidebar (void)
{
  WindowFixture fixture = { 0 };
  const gboolean folded = TRUE, unfolded = FALSE;
  int minimum;

  window_fixture_init (&fixture);
  sonde_test_run_scalars (fixture.run_a, 200, "t1", 0.0, "t2", 0.0, "t3", 0.0, "t4", 0.0, "t5", 0.0,
                          "t6", 0.0, "t7", 0.0, "t8", 0.0, NULL);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open (&fixture, "scalars");
  g_assert_false (adw_flap_get_folded (fixture.window->flap));
  /* As many columns as there are now must not be what the page asks for. */
  gtk_widget_measure (page_of (&fixture), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL,
                      NULL);
  g_assert_cmpint (minimum, <=, 540);
  gtk_window_set_default_size (GTK_WINDOW (fixture.window), 620, 700);
  window_fixture_wait (&fixture, has_folded, &folded);
  gtk_window_set_default_size (GTK_WINDOW (fixture.window), 1280, 800);
  window_fixture_wait (&fixture, has_folded, &unfolded);
  g_assert_true (adw_flap_get_reveal_flap (fixture.window->flap));
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/scalars/focus", test_focus);
  g_test_add_func ("/app/pages/scalars/expanded", test_expanded);
  g_test_add_func ("/app/pages/scalars/buttons", test_buttons);
  g_test_add_func ("/app/pages/scalars/status", test_status);
  g_test_add_func ("/app/pages/scalars/sidebar", test_sidebar);
  return g_test_run ();
}
