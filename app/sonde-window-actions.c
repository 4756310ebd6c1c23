/* SPDX-License-Identifier: Apache-2.0
 * Actions of the window by name. */
#include "app/pages/sonde-debugger-page.h"
#include "app/sonde-preferences.h"
#include "app/sonde-window-private.h"

#include "data/base/sonde-text.h"

static void
show_page (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeWindow *window = SONDE_WINDOW (widget);

  sonde_window_show_page (window, g_variant_get_string (parameter, NULL), NULL);
  if (adw_flap_get_folded (window->flap))
    adw_flap_set_reveal_flap (window->flap, FALSE);
}

static void
attach (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_window_show_page (SONDE_WINDOW (widget), "debugger",
                          &(SondePageRequest){ .view = SONDE_DEBUGGER_VIEW_ATTACH });
}

/* @parameter: "right" or "down" */
static void
split (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_window_split (SONDE_WINDOW (widget),
                      sonde_split_way_from_word (g_variant_get_string (parameter, NULL)));
}

/* @parameter: name of a page */
static void
open_beside (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_window_open_in_half (SONDE_WINDOW (widget), g_variant_get_string (parameter, NULL),
                             SONDE_SPLIT_RIGHT);
}

static void
open_below (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_window_open_in_half (SONDE_WINDOW (widget), g_variant_get_string (parameter, NULL),
                             SONDE_SPLIT_DOWN);
}

static void
close_half (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_window_close_half (SONDE_WINDOW (widget));
}

static void
swap_halves (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_window_swap_halves (SONDE_WINDOW (widget));
}

static void
toggle_sidebar (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AdwFlap *flap = SONDE_WINDOW (widget)->flap;

  adw_flap_set_reveal_flap (flap, !adw_flap_get_reveal_flap (flap));
}

/* FALSE: it is hidden or has nothing to focus. */
static gboolean
enter_pane (SondeWindow *window, GtkWidget *pane)
{
  for (guint half = 0; half < 2; half++)
    if (pane != NULL && pane == sonde_page_split_get_half (window->pages, half))
      return sonde_page_split_focus (window->pages, half);
  return pane != NULL && gtk_widget_child_focus (pane, GTK_DIR_TAB_FORWARD);
}

/* The panes: pages, runs, what the page shows, or each of two. @parameter: 1 or -1 */
static void
move_to_pane (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeWindow *window = SONDE_WINDOW (widget);
  GtkWidget *panes[]
      = { GTK_WIDGET (window->page_list), GTK_WIDGET (window->run_list),
          sonde_page_split_get_half (window->pages, 0),
          sonde_page_split_get_half (window->pages, 1), GTK_WIDGET (window->status_bar) };
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (window));
  const int n = G_N_ELEMENTS (panes), step = g_variant_get_int32 (parameter);
  int at = step > 0 ? n - 1 : 0;

  for (int i = 0; focus != NULL && i < n; i++)
    if (panes[i] != NULL && (focus == panes[i] || gtk_widget_is_ancestor (focus, panes[i])))
      at = i;
  for (int i = 1; i < n; i++)
    if (enter_pane (window, panes[(at + i * step + n * n) % n]))
      return;
}

static void
search (GtkWidget *widget, const char *action, GVariant *parameter)
{
  gtk_menu_button_popup (SONDE_WINDOW (widget)->search_button);
}

static void
filter_runs (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeWindow *window = SONDE_WINDOW (widget);

  adw_flap_set_reveal_flap (window->flap, TRUE);
  sonde_run_list_focus_filter (window->run_list);
}

static void
follow (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_step_cursor_follow (sonde_workspace_get_cursor (SONDE_WINDOW (widget)->workspace));
}

static void
show_all_runs (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeWindow *window = SONDE_WINDOW (widget);

  sonde_run_list_clear_filter (window->run_list);
  sonde_workspace_show_only (window->workspace, NULL);
}

/* @parameter: path of a run; gone when a button for the run that is shown now sent it */
static void
show_run (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeWorkspace *workspace = SONDE_WINDOW (widget)->workspace;
  GListModel *runs = sonde_workspace_get_shown_runs (workspace);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      if (g_str_equal (sonde_run_get_path (run), g_variant_get_string (parameter, NULL)))
        {
          sonde_workspace_set_run (workspace, run);
          return;
        }
    }
}

/* @parameter: path of a run; what it has first of all is how it gets on */
static void
show_curves (GtkWidget *widget, const char *action, GVariant *parameter)
{
  show_run (widget, action, parameter);
  sonde_window_show_page (SONDE_WINDOW (widget), "scalars", NULL);
}

static void
undo (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_history_undo (sonde_workspace_get_history (SONDE_WINDOW (widget)->workspace));
}

static void
redo (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_history_redo (sonde_workspace_get_history (SONDE_WINDOW (widget)->workspace));
}

static void
set_appearance (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeWindow *window = SONDE_WINDOW (widget);
  const char *word = g_variant_get_string (parameter, NULL);
  AdwColorScheme scheme = ADW_COLOR_SCHEME_DEFAULT;

  if (g_str_equal (word, "light"))
    scheme = ADW_COLOR_SCHEME_FORCE_LIGHT;
  else if (g_str_equal (word, "dark"))
    scheme = ADW_COLOR_SCHEME_FORCE_DARK;
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), scheme);
  sonde_workspace_set_setting (window->workspace, "window", "appearance", word);
}

static void
show_preferences (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeWindow *window = SONDE_WINDOW (widget);

  gtk_window_present (GTK_WINDOW (sonde_preferences_new (GTK_WINDOW (window), window->workspace)));
}

const SondeWindowAction sonde_window_actions[] = {
  { "win.open", NULL, sonde_window_choose_folder },
  { "win.open-file", NULL, sonde_window_choose_file },
  { "win.add-folder", NULL, sonde_window_add_folder },
  { "win.attach", NULL, attach },
  { "win.open-paths", "aay", sonde_window_open_given },
  { "win.new", NULL, sonde_window_open_empty },
  { "win.next-pane", "i", move_to_pane },
  { "win.page", "s", show_page },
  { "win.split", "s", split },
  { "win.open-beside", "s", open_beside },
  { "win.open-below", "s", open_below },
  { "win.close-half", NULL, close_half },
  { "win.swap-halves", NULL, swap_halves },
  { "win.toggle-sidebar", NULL, toggle_sidebar },
  { "win.search", NULL, search },
  { "win.filter-runs", NULL, filter_runs },
  { "win.follow", NULL, follow },
  { "win.show-all-runs", NULL, show_all_runs },
  { "win.show-run", "s", show_run },
  { "win.show-curves", "s", show_curves },
  { "win.undo", NULL, undo },
  { "win.redo", NULL, redo },
  { "win.appearance", "s", set_appearance },
  { "win.preferences", NULL, show_preferences },
  { NULL },
};
