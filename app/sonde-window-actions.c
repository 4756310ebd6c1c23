/* SPDX-License-Identifier: Apache-2.0
 * Actions of the window by name, and their keys in one table. */
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

/* Keys of actions without a parameter; those of pages come from their table. */
static const struct
{
  const char *action;
  const char *keys[3];
} key_table[] = {
  { "win.open", { "<Control>o" } },
  { "win.search", { "<Control>k" } },
  { "win.filter-runs", { "<Control><Shift>f" } },
  { "win.toggle-sidebar", { "<Control>b" } },
  { "win.follow", { "<Control>l" } },
  { "win.show-help-overlay", { "<Control>question", "F1" } },
  { "window.close", { "<Control>w" } },
  { "app.quit", { "<Control>q" } },
};

void
sonde_window_add_keys (SondeWindow *window)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (window));
  const char *appearance = sonde_workspace_get_setting (window->workspace, "window", "appearance");

  if (appearance != NULL)
    gtk_widget_activate_action (GTK_WIDGET (window), "win.appearance", "s", appearance);
  if (application == NULL)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (key_table); i++)
    gtk_application_set_accels_for_action (application, key_table[i].action, key_table[i].keys);
  for (const SondePageInfo *info = sonde_page_table; info->name != NULL; info++)
    {
      g_autofree char *action = g_strdup_printf ("win.page::%s", info->name);
      gtk_application_set_accels_for_action (application, action,
                                             (const char *const[]){ info->shortcut, NULL });
    }
}

void
sonde_window_install_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.open", NULL, open_folder);
  gtk_widget_class_install_action (widget_class, "win.open-file", NULL, open_file);
  gtk_widget_class_install_action (widget_class, "win.page", "s", show_page);
  gtk_widget_class_install_action (widget_class, "win.toggle-sidebar", NULL, toggle_sidebar);
  gtk_widget_class_install_action (widget_class, "win.search", NULL, search);
  gtk_widget_class_install_action (widget_class, "win.filter-runs", NULL, filter_runs);
  gtk_widget_class_install_action (widget_class, "win.follow", NULL, follow);
  gtk_widget_class_install_action (widget_class, "win.show-all-runs", NULL, show_all_runs);
  gtk_widget_class_install_action (widget_class, "win.show-run", "s", show_run);
  gtk_widget_class_install_action (widget_class, "win.appearance", "s", set_appearance);
}

void
sonde_window_open_paths (SondeWindow *window, const char *const *paths)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (window));
  g_autoptr (SondeWorkspace) workspace
      = sonde_workspace_new (NULL, sonde_workspace_get_program (window->workspace), paths, NULL);
  const char *const *old = sonde_workspace_get_paths (window->workspace);
  SondeWindow *other = sonde_window_new (ADW_APPLICATION (application), workspace);

  sonde_workspace_start (workspace);
  gtk_window_present (GTK_WINDOW (other));
  /* A window that showed nothing has done its work. */
  if (old[0] == NULL)
    gtk_window_close (GTK_WINDOW (window));
}
