/* SPDX-License-Identifier: Apache-2.0
 * The window: what it is made of, what is remembered, what the workspace tells, keys. Its pages are in
 * sonde-window-pages.c, its actions in sonde-window-actions.c. */
#include "app/sonde-file-drop.h"
#include "app/sonde-focus-sight.h"
#include "app/sonde-popover-guard.h"
#include "app/sonde-recent-paths.h"
#include "app/sonde-text-menus.h"
#include "app/sonde-window-private.h"
#include "app/workspace/sonde-preferred.h"
#include "app/widgets/sonde-layout-guard.h"

#include "data/base/sonde-text.h"
#include "viewers/sonde-text-scale.h"

#define RESOURCE "/org/sonde/Sonde/sonde-window.ui"
#define DEFAULT_WIDTH 1280
#define DEFAULT_HEIGHT 800
#define CONTENT_WIDTH                                                                              \
  540 /* px that a page asks for beside the list of pages, times the text scale */
#define LEAST_RUNS_HEIGHT 300  /* px below the list of pages, the head of the window included */
#define MAX_CONTENT_WIDTH 1000 /* so that the window still fits on a small screen */

G_DEFINE_FINAL_TYPE (SondeWindow, sonde_window, ADW_TYPE_APPLICATION_WINDOW)

SondeWorkspace *
sonde_window_get_workspace (SondeWindow *window)
{
  g_return_val_if_fail (SONDE_IS_WINDOW (window), NULL);
  return window->workspace;
}

/* ---- what the workspace tells -------------------------------------------- */

static void
on_workspace_changed (SondeWindow *window)
{
  sonde_window_update_title (window);
  sonde_window_update_progress (window);
  sonde_window_look_soon (window);
}

/* What came of something that was just done does not wait behind a notice. */
static void
on_problem (SondeWindow *window, const char *sentence)
{
  g_autofree char *escaped = g_markup_escape_text (sentence, -1);
  AdwToast *toast = adw_toast_new (escaped);

  adw_toast_set_priority (toast, ADW_TOAST_PRIORITY_HIGH);
  adw_toast_overlay_add_toast (window->toasts, toast);
}

static void
on_notice (SondeWindow *window, const char *sentence, const char *button, const char *action)
{
  g_autofree char *escaped = g_markup_escape_text (sentence, -1);
  AdwToast *toast = adw_toast_new (escaped);

  adw_toast_set_button_label (toast, button);
  adw_toast_set_detailed_action_name (toast, action);
  adw_toast_overlay_add_toast (window->toasts, toast);
}

static void
update_undo (SondeWindow *window)
{
  SondeHistory *history = sonde_workspace_get_history (window->workspace);
  GtkWidget *widget = GTK_WIDGET (window);

  gtk_widget_action_set_enabled (widget, "win.undo", sonde_history_get_undo (history) != NULL);
  gtk_widget_action_set_enabled (widget, "win.redo", sonde_history_get_redo (history) != NULL);
}

/* A profile that was recorded opens by itself; who has turned to something else meanwhile is told. */
static void
on_recorded (SondeWindow *window)
{
  if (sonde_page_split_is_shown (window->pages, "debugger")
      || sonde_page_split_is_shown (window->pages, "profiler"))
    sonde_window_show_page (window, "profiler", NULL);
  else
    on_problem (window, _ ("A profile was recorded; it is open on the Profiler page."));
}

/* ---- what is remembered -------------------------------------------------- */

static int
get_number (SondeWindow *window, const char *key, int fallback)
{
  const char *text = sonde_workspace_get_setting (window->workspace, "window", key);
  gint64 value;

  if (text == NULL || !g_ascii_string_to_signed (text, 10, 100, 16384, &value, NULL))
    return fallback;
  return (int) value;
}

static void
remember (SondeWindow *window)
{
  g_autofree char *width = NULL, *height = NULL, *pages = NULL;
  g_autoptr (GError) error = NULL;
  int w, h;

  gtk_window_get_default_size (GTK_WINDOW (window), &w, &h);
  width = g_strdup_printf ("%d", w);
  height = g_strdup_printf ("%d", h);
  sonde_workspace_set_setting (window->workspace, "window", "width", width);
  sonde_workspace_set_setting (window->workspace, "window", "height", height);
  pages = g_strdup_printf ("%d", gtk_paned_get_position (window->sidebar));
  sonde_workspace_set_setting (window->workspace, "window", "pages-height", pages);
  sonde_workspace_set_setting (window->workspace, "window", "maximized",
                               gtk_window_is_maximized (GTK_WINDOW (window)) ? "true" : "false");
  sonde_window_remember_layout (window);
  if (!sonde_workspace_save_settings (window->workspace, &error))
    g_message ("cannot save the window settings: %s", error->message);
}

static gboolean
sonde_window_close_request (GtkWindow *self)
{
  remember (SONDE_WINDOW (self));
  return GTK_WINDOW_CLASS (sonde_window_parent_class)->close_request (self);
}

/* Keys go on from the page when what had them has gone with another page. */
static gboolean
sonde_window_focus (GtkWidget *widget, GtkDirectionType direction)
{
  SondePage *page = sonde_window_get_page (SONDE_WINDOW (widget));

  if (gtk_window_get_focus (GTK_WINDOW (widget)) == NULL && page != NULL)
    gtk_root_set_focus (GTK_ROOT (widget), GTK_WIDGET (page));
  return GTK_WIDGET_CLASS (sonde_window_parent_class)->focus (widget, direction);
}

static void
sonde_window_dispose (GObject *object)
{
  SondeWindow *window = SONDE_WINDOW (object);

  if (window->pages != NULL)
    sonde_window_close_pages (window);
  g_clear_handle_id (&window->look_source, g_source_remove);
  g_clear_handle_id (&window->return_source, g_source_remove);
  g_clear_pointer (&window->notifier, sonde_notifier_free);
  if (window->progress_tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (window), window->progress_tick);
  window->progress_tick = 0;
  gtk_widget_dispose_template (GTK_WIDGET (window), SONDE_TYPE_WINDOW);
  window->pages = NULL;
  g_clear_object (&window->workspace);
  G_OBJECT_CLASS (sonde_window_parent_class)->dispose (object);
}

static void
sonde_window_class_init (SondeWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_window_dispose;
  widget_class->focus = sonde_window_focus;
  GTK_WINDOW_CLASS (klass)->close_request = sonde_window_close_request;
  g_type_ensure (SONDE_TYPE_STATE_CHIP);
  g_type_ensure (SONDE_TYPE_RUN_LIST);
  g_type_ensure (SONDE_TYPE_SEARCH);
  g_type_ensure (SONDE_TYPE_STATUS_BAR);
  g_type_ensure (SONDE_TYPE_PAGE_LIST);
  g_type_ensure (SONDE_TYPE_PAGE_SPLIT);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, SondeWindow, title);
  gtk_widget_class_bind_template_child (widget_class, SondeWindow, flap);
  gtk_widget_class_bind_template_child (widget_class, SondeWindow, sidebar);
  gtk_widget_class_bind_template_child (widget_class, SondeWindow, page_list);
  gtk_widget_class_bind_template_child (widget_class, SondeWindow, pages);
  gtk_widget_class_bind_template_child (widget_class, SondeWindow, run_list);
  gtk_widget_class_bind_template_child (widget_class, SondeWindow, progress);
  gtk_widget_class_bind_template_child (widget_class, SondeWindow, status_bar);
  gtk_widget_class_bind_template_child (widget_class, SondeWindow, search);
  gtk_widget_class_bind_template_child (widget_class, SondeWindow, search_button);
  gtk_widget_class_bind_template_child (widget_class, SondeWindow, state_chip);
  gtk_widget_class_bind_template_child (widget_class, SondeWindow, recent_menu);
  for (const SondeWindowAction *row = sonde_window_actions; row->name != NULL; row++)
    gtk_widget_class_install_action (widget_class, row->name, row->parameter_type, row->activate);
}

/* With large texts the list of pages goes sooner, as there is less room for them. */
static void
update_room (SondeWindow *window)
{
  gtk_widget_set_size_request (
      adw_flap_get_content (window->flap),
      MIN (sonde_text_scale_length (GTK_WIDGET (window), CONTENT_WIDTH), MAX_CONTENT_WIDTH), -1);
}

static void
sonde_window_init (SondeWindow *window)
{
  gtk_widget_init_template (GTK_WIDGET (window));
  g_signal_connect_object (gtk_widget_get_settings (GTK_WIDGET (window)), "notify::gtk-xft-dpi",
                           G_CALLBACK (update_room), window, G_CONNECT_SWAPPED);
  update_room (window);
  sonde_layout_guard_start ();
  sonde_text_menus_start ();
  sonde_focus_sight_start ();
  sonde_popover_guard_start ();
  sonde_window_add_pages (window);
  g_signal_connect_object (window->pages, "divider-moved", G_CALLBACK (sonde_window_divider_moved),
                           window, G_CONNECT_SWAPPED);
  sonde_file_drop_add (GTK_WIDGET (window), "win.open-paths");
}

/* ---- keys ---------------------------------------------------------------- */

/* Keys of actions; those of pages come from their table. */
static const struct
{
  const char *action;
  const char *keys[3];
} key_table[] = {
  { "win.open", { "<Control>o" } },
  { "win.new", { "<Control>n" } },
  { "win.preferences", { "<Control>comma" } },
  { "win.next-pane(1)", { "<Control>F6", "F6" } },
  { "win.next-pane(-1)", { "<Control><Shift>F6", "<Shift>F6" } },
  { "win.split::right", { "<Control>backslash" } },
  { "win.split::down", { "<Control><Shift>backslash", "<Control>bar" } },
  { "win.close-half", { "<Control><Shift>w" } },
  { "win.search", { "<Control>k" } },
  { "win.filter-runs", { "<Control><Shift>f" } },
  { "win.undo", { "<Control>z" } },
  { "win.redo", { "<Control><Shift>z", "<Control>y" } },
  { "win.toggle-sidebar", { "<Control>b" } },
  { "win.follow", { "<Control>l" } },
  { "win.show-help-overlay", { "<Control>question", "F1" } },
  { "window.close", { "<Control>w" } },
  { "app.quit", { "<Control>q" } },
};

/* Once the application is known. */
static void
add_keys (SondeWindow *window)
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

static void
fill_recent (SondeWindow *window)
{
  sonde_recent_paths_fill_menu (window->recent_menu, "win.open-paths");
}

/* ---- making one ---------------------------------------------------------- */

static SondePage *
peek_page (const char *name, void *window)
{
  return sonde_window_peek_page (window, name);
}

static void
show_page (const char *name, const SondePageRequest *request, void *window)
{
  sonde_window_show_page (window, name, request);
}

void
sonde_window_get_search_scope (SondeWindow *window, SondeSearchScope *scope)
{
  *scope = (SondeSearchScope){ window->workspace, peek_page, show_page, window };
}

/* Who opens explanations, a dump, a trace or a model wants to see it; else where the last window was.
 * (nullable) */
static const char *
choose_first_page (SondeWorkspace *workspace)
{
  const char *first = sonde_workspace_get_paths (workspace)[0];

  if (sonde_workspace_get_explained (workspace) != NULL)
    return "explain";
  if (sonde_workspace_get_debug_arguments (workspace) != NULL)
    return "debugger";
  if (sonde_workspace_get_trace (workspace) != NULL)
    return "profiler";
  if (first != NULL && sonde_opened_model_is_path (first)
      && g_file_test (first, G_FILE_TEST_IS_REGULAR))
    return "graph";
  return NULL;
}

/* All of the list of pages, unless too little would be left for that of runs. */
static int
choose_pages_height (SondeWindow *window)
{
  int whole, natural;

  gtk_widget_measure (GTK_WIDGET (window->page_list), GTK_ORIENTATION_VERTICAL, -1, NULL, &natural,
                      NULL, NULL);
  whole = get_number (window, "height", DEFAULT_HEIGHT);
  return CLAMP (natural, whole / 2, MAX (whole - LEAST_RUNS_HEIGHT, whole / 2));
}

SondeWindow *
sonde_window_new (AdwApplication *application, SondeWorkspace *workspace)
{
  SondeWindow *window = g_object_new (SONDE_TYPE_WINDOW, "application", application, NULL);
  SondeSearchScope scope;
  const char *page;
  SondeNumberStyle style = sonde_preferred_get_number_style (workspace);

  window->workspace = g_object_ref (workspace);
  sonde_format_set_style (&style);
  sonde_window_add_notifier (window);
  gtk_window_set_default_size (GTK_WINDOW (window), get_number (window, "width", DEFAULT_WIDTH),
                               get_number (window, "height", DEFAULT_HEIGHT));
  gtk_paned_set_position (window->sidebar,
                          get_number (window, "pages-height", choose_pages_height (window)));
  if (g_strcmp0 (sonde_workspace_get_setting (workspace, "window", "maximized"), "true") == 0)
    gtk_window_maximize (GTK_WINDOW (window));
  sonde_page_list_set_folded (
      window->page_list,
      g_strcmp0 (sonde_workspace_get_setting (workspace, "window", "fold-pages"), "true") == 0);
  sonde_run_list_set_workspace (window->run_list, workspace);
  sonde_status_bar_set_workspace (window->status_bar, workspace);
  sonde_window_get_search_scope (window, &scope);
  sonde_search_set_scope (window->search, &scope);
  add_keys (window);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (on_workspace_changed), window,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notice", G_CALLBACK (on_notice), window, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "session-changed", G_CALLBACK (sonde_window_update_title),
                           window, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "session-changed", G_CALLBACK (sonde_window_look_soon),
                           window, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "problem", G_CALLBACK (on_problem), window,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (sonde_workspace_get_history (workspace), "changed",
                           G_CALLBACK (update_undo), window, G_CONNECT_SWAPPED);
  update_undo (window);
  g_signal_connect_object (sonde_workspace_get_recorder (workspace), "recorded",
                           G_CALLBACK (on_recorded), window, G_CONNECT_SWAPPED);
  sonde_state_chip_set_workspace (window->state_chip, workspace);
  on_workspace_changed (window);
  g_signal_connect_object (gtk_recent_manager_get_default (), "changed", G_CALLBACK (fill_recent),
                           window, G_CONNECT_SWAPPED);
  fill_recent (window);
  page = choose_first_page (workspace);
  if (page == NULL)
    sonde_window_restore_layout (window);
  else
    sonde_window_show_page (window, page, NULL);
  return window;
}

void
sonde_window_open_paths (SondeWindow *window, const char *const *paths)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (window));
  g_autoptr (SondeWorkspace) workspace
      = sonde_workspace_new (NULL, sonde_workspace_get_program (window->workspace), paths, NULL);
  const char *const *old = sonde_workspace_get_paths (window->workspace);
  SondeWindow *other = sonde_window_new (ADW_APPLICATION (application), workspace);

  sonde_recent_paths_add (paths);
  sonde_workspace_start (workspace);
  gtk_window_present (GTK_WINDOW (other));
  /* A window that showed nothing has done its work. */
  if (old[0] == NULL && paths[0] != NULL)
    gtk_window_close (GTK_WINDOW (window));
}
