/* SPDX-License-Identifier: Apache-2.0
 * The pages of the window: made when first shown, opened while they are to be seen; and what follows the
 * page at hand: title, status line, progress line. The type of the window is that of sonde-window.c, which
 * calls this. */
#include "app/sonde-window-private.h"

#include "data/base/sonde-spare-memory.h"
#include "data/base/sonde-text.h"

#define REST_BEFORE_RETURN 5          /* s from a change of pages until memory goes back */
#define LEAST_TO_RETURN (4 * 1048576) /* bytes */

SondePage *
sonde_window_get_page (SondeWindow *window)
{
  return sonde_page_split_get_page (window->pages);
}

SondePage *
sonde_window_peek_page (SondeWindow *window, const char *name)
{
  return sonde_page_split_find (window->pages, name);
}

/* ---- progress ------------------------------------------------------------ */

gboolean
sonde_window_is_settled (SondeWindow *window)
{
  for (const SondePageInfo *info = sonde_page_table; info->name != NULL; info++)
    if (sonde_page_split_is_shown (window->pages, info->name)
        && !sonde_page_is_settled (sonde_window_peek_page (window, info->name)))
      return FALSE;
  return TRUE;
}

/* "Loading…" may now be an empty state. */
static void
tell_settled (SondeWindow *window)
{
  for (const SondePageInfo *info = sonde_page_table; info->name != NULL; info++)
    if (sonde_page_split_is_shown (window->pages, info->name))
      sonde_page_settled_changed (sonde_window_peek_page (window, info->name));
}

static gboolean
on_progress_tick (GtkWidget *widget, GdkFrameClock *clock, void *user_data)
{
  SondeWindow *window = user_data;
  SondeRunStore *store = sonde_workspace_get_store (window->workspace);
  gboolean loading = sonde_run_store_is_loading (store);

  if (loading)
    gtk_progress_bar_set_fraction (window->progress, sonde_run_store_get_progress (store));
  else if (!sonde_window_is_settled (window))
    gtk_progress_bar_pulse (window->progress);
  else
    {
      gtk_widget_set_visible (GTK_WIDGET (window->progress), FALSE);
      tell_settled (window);
      window->progress_tick = 0;
      return G_SOURCE_REMOVE;
    }
  gtk_widget_set_visible (GTK_WIDGET (window->progress), TRUE);
  return G_SOURCE_CONTINUE;
}

void
sonde_window_update_progress (SondeWindow *window)
{
  if (window->progress_tick == 0)
    window->progress_tick
        = gtk_widget_add_tick_callback (GTK_WIDGET (window), on_progress_tick, window, NULL);
}

/* ---- pages --------------------------------------------------------------- */

static void
on_page_status (SondeWindow *window)
{
  SondePage *page = sonde_window_get_page (window);

  sonde_status_bar_set_text (window->status_bar,
                             page != NULL ? sonde_page_get_status (page) : NULL);
}

static void
on_page_go (SondePage *page, const char *name, const SondePageRequest *request, SondeWindow *window)
{
  sonde_window_show_page (window, name, request);
}

static SondePage *
make_page (SondeWindow *window, const SondePageInfo *info)
{
  SondePage *page = g_object_new (info->get_type (), "workspace", window->workspace, NULL);

  g_signal_connect_object (page, "notify::status", G_CALLBACK (on_page_status), window,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (page, "notify::settled", G_CALLBACK (sonde_window_update_progress),
                           window, G_CONNECT_SWAPPED);
  g_signal_connect_object (page, "go", G_CALLBACK (on_page_go), window, 0);
  sonde_page_split_add (window->pages, page, info);
  return page;
}

/* ---- title -------------------------------------------------------------- */

/* What is open, in a few words. (transfer full) */
static char *
dup_subject (SondeWindow *window)
{
  const char *const *paths = sonde_workspace_get_paths (window->workspace);
  g_autofree char *name = paths[0] != NULL ? g_path_get_basename (paths[0]) : NULL;

  if (name != NULL && paths[1] != NULL)
    return g_strdup_printf (_ ("%s and %u more"), name, g_strv_length ((char **) paths) - 1);
  return name != NULL ? g_steal_pointer (&name) : g_strdup ("");
}

/* On the Debugger page what is debugged, elsewhere what was opened; the desktop's lists of windows tell
 * two of ours apart by it. */
void
sonde_window_update_title (SondeWindow *window)
{
  SondePageLayout layout;
  SondeSessionRun *session = sonde_workspace_get_session_run (window->workspace);
  const SondeSessionStatus *status
      = session != NULL ? sonde_session_run_get_status (session) : NULL;
  const SondePageInfo *info;
  g_autofree char *subject = NULL, *title = NULL;

  sonde_page_split_get_layout (window->pages, &layout);
  if (layout.pages[layout.active] == NULL)
    return;
  info = sonde_page_info_find (layout.pages[layout.active]);
  if (g_str_equal (info->name, "debugger") && status != NULL && status->facts.title != NULL)
    subject = g_strdup (status->facts.title);
  else
    subject = dup_subject (window);
  title = *subject != '\0' ? g_strdup_printf ("%s – %s", subject, _ (info->title))
                           : g_strdup ("Sonde");
  adw_window_title_set_title (window->title, _ (info->title));
  adw_window_title_set_subtitle (window->title, subject);
  /* GTK tells the display whether it is another or not. */
  if (g_strcmp0 (gtk_window_get_title (GTK_WINDOW (window)), title) != 0)
    gtk_window_set_title (GTK_WINDOW (window), title);
}

/* ---- which pages are shown ----------------------------------------------- */

/* What is no longer seen first: it lets go of what the next may want. */
static void
open_and_close (SondeWindow *window)
{
  for (int opening = 0; opening < 2; opening++)
    for (const SondePageInfo *info = sonde_page_table; info->name != NULL; info++)
      {
        SondePage *page = sonde_window_peek_page (window, info->name);
        gboolean shown = sonde_page_split_is_shown (window->pages, info->name);

        if (page != NULL && opening && shown)
          sonde_page_open (page, NULL);
        else if (page != NULL && !opening && !shown)
          sonde_page_close (page);
      }
}

static gboolean
on_rested (gpointer data)
{
  SondeWindow *window = data;

  window->return_source = 0;
  sonde_return_memory (LEAST_TO_RETURN);
  return G_SOURCE_REMOVE;
}

/* Pictures and widgets of a page that is left are freed between what stays. Some in a hundred of what the window
 * holds go back each time, in 1 ms; fixed thresholds of malloc() gain no more, and each picture is new memory then. */
static void
return_memory_soon (SondeWindow *window)
{
  if (window->return_source == 0)
    window->return_source = g_timeout_add_seconds (REST_BEFORE_RETURN, on_rested, window);
}

static void
on_layout_changed (SondeWindow *window)
{
  SondePageLayout layout;
  const char *name;

  sonde_page_split_get_layout (window->pages, &layout);
  name = layout.pages[layout.active];
  open_and_close (window);
  sonde_page_list_select (window->page_list, name);
  sonde_window_update_title (window);
  on_page_status (window);
  sonde_window_update_progress (window);
  return_memory_soon (window);
  sonde_workspace_set_setting (window->workspace, "window", "page", name);
  gtk_widget_action_set_enabled (GTK_WIDGET (window), "win.close-half",
                                 layout.way != SONDE_SPLIT_NONE);
  gtk_widget_action_set_enabled (GTK_WIDGET (window), "win.swap-halves",
                                 layout.way != SONDE_SPLIT_NONE);
}

/* Keys go to the half that looks as if they did. */
static void
take_focus_along (SondeWindow *window)
{
  GtkRoot *root = GTK_ROOT (window);
  GtkWidget *focus = gtk_root_get_focus (root), *other;
  SondePageLayout layout;

  sonde_page_split_get_layout (window->pages, &layout);
  other = sonde_page_split_get_half (window->pages, 1 - layout.active);
  if (focus == NULL || other == NULL || !gtk_widget_is_ancestor (focus, other))
    return;
  if (!sonde_page_split_focus (window->pages, layout.active))
    gtk_root_set_focus (root, NULL);
}

void
sonde_window_set_layout (SondeWindow *window, const SondePageLayout *layout)
{
  SondePageLayout old;

  for (guint i = 0; i < 2; i++)
    if (layout->pages[i] != NULL && sonde_window_peek_page (window, layout->pages[i]) == NULL)
      make_page (window, sonde_page_info_find (layout->pages[i]));
  sonde_page_split_get_layout (window->pages, &old);
  sonde_page_split_set_layout (window->pages, layout);
  take_focus_along (window);
  if (old.pages[old.active] != NULL
      && !sonde_page_split_is_shown (window->pages, old.pages[old.active]))
    window->previous_page = old.pages[old.active];
}

gboolean
sonde_window_show_page (SondeWindow *window, const char *name, const SondePageRequest *request)
{
  const SondePageInfo *info = sonde_page_info_find (name);
  SondePageLayout layout;

  if (info == NULL)
    return FALSE;
  sonde_page_split_get_layout (window->pages, &layout);
  if (layout.way != SONDE_SPLIT_NONE && g_strcmp0 (layout.pages[1 - layout.active], name) == 0)
    layout.active = 1 - layout.active;
  layout.pages[layout.active] = info->name;
  sonde_window_set_layout (window, &layout);
  sonde_page_open (sonde_window_peek_page (window, name), request);
  on_page_status (window);
  sonde_window_update_progress (window);
  return TRUE;
}

/* ---- what they have to show ---------------------------------------------- */

/* Pages that show nothing but what runs recorded of these kinds; others can be used without. */
static const struct
{
  const char *page;
  SondeRecordKind kinds[6];
  guint n_kinds;
} content_table[] = {
  { "scalars", { SONDE_RECORD_SCALARS, SONDE_RECORD_CUSTOM_SCALARS }, 2 },
  { "distributions", { SONDE_RECORD_HISTOGRAM }, 1 },
  { "media", { SONDE_RECORD_IMAGE, SONDE_RECORD_AUDIO, SONDE_RECORD_TEXT, SONDE_RECORD_MESH }, 4 },
  { "graph", { SONDE_RECORD_GRAPH }, 1 },
  { "pr-curves", { SONDE_RECORD_PR_CURVE }, 1 },
  { "projector", { SONDE_RECORD_EMBEDDING }, 1 },
};

static gboolean
has_content (SondeWindow *window, gsize i)
{
  g_autoptr (SondeRun) run = sonde_workspace_dup_run_with (
      window->workspace, content_table[i].kinds, content_table[i].n_kinds);

  return run != NULL
         || (g_str_equal (content_table[i].page, "graph")
             && sonde_workspace_get_model (window->workspace) != NULL);
}

void
sonde_window_look_at_contents (SondeWindow *window)
{
  guint64 structure = sonde_workspace_get_structure (window->workspace) + 1;

  if (window->contents_structure == structure
      || sonde_run_store_is_loading (sonde_workspace_get_store (window->workspace)))
    return;
  window->contents_structure = structure;
  for (gsize i = 0; i < G_N_ELEMENTS (content_table); i++)
    sonde_page_list_set_filled (window->page_list, content_table[i].page, has_content (window, i));
}

void
sonde_window_forget_habits (SondeWindow *window)
{
  SondePageLayout layout;

  sonde_page_split_get_layout (window->pages, &layout);
  layout.way = SONDE_SPLIT_NONE;
  sonde_window_set_layout (window, &layout);
  sonde_page_list_set_folded (window->page_list, FALSE);
}

static void
on_folded (SondeWindow *window)
{
  sonde_workspace_set_setting (window->workspace, "window", "fold-pages",
                               sonde_page_list_is_folded (window->page_list) ? "true" : NULL);
}

void
sonde_window_add_pages (SondeWindow *window)
{
  g_signal_connect_object (window->pages, "layout-changed", G_CALLBACK (on_layout_changed), window,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (window->page_list, "folded", G_CALLBACK (on_folded), window,
                           G_CONNECT_SWAPPED);
}

void
sonde_window_close_pages (SondeWindow *window)
{
  for (const SondePageInfo *info = sonde_page_table; info->name != NULL; info++)
    {
      SondePage *page = sonde_window_peek_page (window, info->name);

      if (page != NULL)
        sonde_page_close (page);
    }
}
