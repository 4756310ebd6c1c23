/* SPDX-License-Identifier: Apache-2.0
 * Every dialog, menu and popover as a screen reader has it: nothing that gets the keys is without a name. */
#include "app/pages/landscape/sonde-landscape-dialog.h"
#include "app/widgets/sonde-run-dialogs.h"
#include "tests/app/pages/debugger-fixture.h"
#include "tests/app/pages/screen-reader.h"
#include "tests/app/whole/whole-fixture.h"

/* ---- what is open -------------------------------------------------------- */

static gboolean
is_over (WindowFixture *fixture, const void *data)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (window != GTK_WIDGET (fixture->window) && gtk_widget_get_mapped (window))
        return TRUE;
    }
  return FALSE;
}

static void
close_others (WindowFixture *fixture)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = g_list_model_get_n_items (windows); i-- > 0;)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);

      if (window != GTK_WINDOW (fixture->window))
        gtk_window_destroy (window);
    }
}

static GtkWidget *
find_open_popover (GtkWidget *widget)
{
  if (GTK_IS_POPOVER (widget) && gtk_widget_get_mapped (widget))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_open_popover (child);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static gboolean
has_popover (WindowFixture *fixture, const void *data)
{
  return find_open_popover (GTK_WIDGET (fixture->window)) != NULL;
}

static gboolean
has_no_popover (WindowFixture *fixture, const void *data)
{
  return find_open_popover (GTK_WIDGET (fixture->window)) == NULL;
}

static void
close_popover (WindowFixture *fixture)
{
  gtk_popover_popdown (GTK_POPOVER (find_open_popover (GTK_WIDGET (fixture->window))));
  window_fixture_wait (fixture, has_no_popover, NULL);
}

/* ---- dialogs of the window ----------------------------------------------- */

/* (transfer full): of the first run that is shown */
static GPtrArray *
dup_run (WindowFixture *fixture)
{
  GPtrArray *runs = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (runs,
                   g_list_model_get_item (sonde_workspace_get_shown_runs (fixture->workspace), 0));
  g_assert_nonnull (g_ptr_array_index (runs, 0));
  return runs;
}

typedef void (*AskOfRuns) (GtkWidget *widget, SondeWorkspace *workspace, GPtrArray *runs);

static void
ask_of_run (WindowFixture *fixture, AskOfRuns ask)
{
  g_autoptr (GPtrArray) runs = dup_run (fixture);

  ask (GTK_WIDGET (fixture->window), fixture->workspace, runs);
}

static void
ask_title (WindowFixture *fixture)
{
  ask_of_run (fixture, sonde_run_dialogs_ask_title);
}

static void
ask_note (WindowFixture *fixture)
{
  ask_of_run (fixture, sonde_run_dialogs_ask_note);
}

static void
ask_tags (WindowFixture *fixture)
{
  ask_of_run (fixture, sonde_run_dialogs_ask_tags);
}

static void
ask_color (WindowFixture *fixture)
{
  ask_of_run (fixture, sonde_run_dialogs_ask_color);
}

static void
ask_color_regex (WindowFixture *fixture)
{
  sonde_run_dialogs_ask_color_regex (GTK_WIDGET (fixture->window), fixture->workspace);
}

static void
ignore_answer (const SondeLandscapeSettings *settings, gpointer data)
{
}

static void
ask_landscape (WindowFixture *fixture)
{
  sonde_landscape_dialog_ask (GTK_WIDGET (fixture->window), fixture->workspace, "a", ignore_answer,
                              G_OBJECT (fixture->workspace));
}

/* @action: (nullable): of the window; else @open opens it. The window of shortcuts is GTK's, and warns by itself. */
static const struct
{
  const char *name, *action;
  void (*open) (WindowFixture *fixture);
} dialogs[] = {
  { "preferences", "win.preferences", NULL },
  { "about", "app.about", NULL },
  { "name of a run", NULL, ask_title },
  { "note", NULL, ask_note },
  { "tags", NULL, ask_tags },
  { "colour", NULL, ask_color },
  { "colours by expression", NULL, ask_color_regex },
  { "landscape", NULL, ask_landscape },
};

static void
test_dialogs (void)
{
  WindowFixture fixture = { 0 };
  ScreenReader reader;

  if (!screen_reader_init (&reader))
    {
      g_test_skip ("There is no accessibility bus.");
      return;
    }
  whole_fixture_open (&fixture, "overview");
  for (gsize i = 0; i < G_N_ELEMENTS (dialogs); i++)
    {
      g_test_message ("%s", dialogs[i].name);
      if (dialogs[i].open != NULL)
        dialogs[i].open (&fixture);
      else
        g_assert_true (
            gtk_widget_activate_action (GTK_WIDGET (fixture.window), dialogs[i].action, NULL));
      window_fixture_wait (&fixture, is_over, NULL);
      screen_reader_check_own_names (&reader);
      close_others (&fixture);
    }
  window_fixture_clear (&fixture);
  screen_reader_clear (&reader);
}

/* ---- popovers ------------------------------------------------------------ */

static void
collect_buttons (GtkWidget *widget, GPtrArray *buttons)
{
  if (GTK_IS_MENU_BUTTON (widget) && gtk_widget_get_mapped (widget)
      && gtk_widget_is_sensitive (widget))
    g_ptr_array_add (buttons, g_object_ref (widget));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect_buttons (child, buttons);
}

/* What opens from the buttons of a page; of the first one's header bar, sidebar and status bar, too. */
static void
test_popovers (gconstpointer data)
{
  const SondePageInfo *info = data;
  WindowFixture fixture = { 0 };
  ScreenReader reader;
  g_autoptr (GPtrArray) buttons = g_ptr_array_new_with_free_func (g_object_unref);

  if (!screen_reader_init (&reader))
    {
      g_test_skip ("There is no accessibility bus.");
      return;
    }
  whole_fixture_open (&fixture, info->name);
  collect_buttons (info == &sonde_page_table[0]
                       ? GTK_WIDGET (fixture.window)
                       : GTK_WIDGET (sonde_window_get_page (fixture.window)),
                   buttons);
  for (guint i = 0; i < buttons->len; i++)
    {
      g_test_message ("button %u: %s", i, gtk_widget_get_tooltip_text (buttons->pdata[i]));
      gtk_menu_button_popup (buttons->pdata[i]);
      window_fixture_wait (&fixture, has_popover, NULL);
      screen_reader_check_own_names (&reader);
      close_popover (&fixture);
    }
  window_fixture_clear (&fixture);
  screen_reader_clear (&reader);
}

/* ---- the debugger -------------------------------------------------------- */

static void
test_debugger (void)
{
  static const char *const popovers[] = { "debug.watch", "debug.go-to", "debug.attr" };
  static const char *const windows[]
      = { "debug.origin", "debug.diverge", "debug.reduce", "debug.precision", "debug.rerun" };
  WindowFixture fixture = { 0 };
  ScreenReader reader;

  if (!screen_reader_init (&reader))
    {
      g_test_skip ("There is no accessibility bus.");
      return;
    }
  debugger_open_at (&fixture, "relu1");
  for (gsize i = 0; i < G_N_ELEMENTS (popovers); i++)
    {
      g_test_message ("%s", popovers[i]);
      debugger_activate (&fixture, popovers[i]);
      window_fixture_wait (&fixture, has_popover, NULL);
      screen_reader_check_own_names (&reader);
      close_popover (&fixture);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (windows); i++)
    {
      g_test_message ("%s", windows[i]);
      debugger_activate (&fixture, windows[i]);
      window_fixture_wait (&fixture, is_over, NULL);
      screen_reader_check_own_names (&reader);
      close_others (&fixture);
    }
  window_fixture_clear (&fixture);
  screen_reader_clear (&reader);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_setenv ("GTK_A11Y", "atspi", TRUE);
  g_unsetenv ("NO_AT_BRIDGE");
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/whole/dialogs/window", test_dialogs);
  g_test_add_func ("/app/whole/dialogs/debugger", test_debugger);
  for (const SondePageInfo *info = sonde_page_table; info->name != NULL; info++)
    {
      g_autofree char *path = g_strdup_printf ("/app/whole/dialogs/popovers/%s", info->name);

      g_test_add_data_func (path, info, test_popovers);
    }
  return g_test_run ();
}
