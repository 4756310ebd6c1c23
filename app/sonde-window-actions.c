/* SPDX-License-Identifier: Apache-2.0
 * Actions of the window by name. */
#include "app/sonde-window-private.h"

#include "data/base/sonde-text.h"

static void
on_folder_chosen (GtkNativeDialog *dialog, int response, SondeWindow *window)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (response == GTK_RESPONSE_ACCEPT && path != NULL)
    sonde_window_open_paths (window, (const char *const[]){ path, NULL });
  g_object_unref (dialog);
}

static void
choose (SondeWindow *window, const char *title, GtkFileChooserAction action)
{
  GtkFileChooserNative *dialog
      = gtk_file_chooser_native_new (title, GTK_WINDOW (window), action, _ ("_Open"), NULL);

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_folder_chosen), window, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
open_folder (GtkWidget *widget, const char *action, GVariant *parameter)
{
  choose (SONDE_WINDOW (widget), _ ("Open a Folder of Runs"),
          GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER);
}

static void
open_file (GtkWidget *widget, const char *action, GVariant *parameter)
{
  choose (SONDE_WINDOW (widget), _ ("Open a Record File or Model"), GTK_FILE_CHOOSER_ACTION_OPEN);
}

static void
show_page (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_window_show_page (SONDE_WINDOW (widget), g_variant_get_string (parameter, NULL), NULL);
}

static void
toggle_sidebar (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AdwFlap *flap = SONDE_WINDOW (widget)->flap;

  adw_flap_set_reveal_flap (flap, !adw_flap_get_reveal_flap (flap));
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

/* @parameter: path of a run */
static void
show_run (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeWorkspace *workspace = SONDE_WINDOW (widget)->workspace;
  GListModel *runs = sonde_workspace_get_shown_runs (workspace);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      if (g_str_equal (sonde_run_get_path (run), g_variant_get_string (parameter, NULL)))
        sonde_workspace_set_run (workspace, run);
    }
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

const SondeWindowAction sonde_window_actions[] = {
  { "win.open", NULL, open_folder },
  { "win.open-file", NULL, open_file },
  { "win.page", "s", show_page },
  { "win.toggle-sidebar", NULL, toggle_sidebar },
  { "win.search", NULL, search },
  { "win.filter-runs", NULL, filter_runs },
  { "win.follow", NULL, follow },
  { "win.show-all-runs", NULL, show_all_runs },
  { "win.show-run", "s", show_run },
  { "win.appearance", "s", set_appearance },
  { NULL },
};
