/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sonde-search.h"

#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define RESOURCE "/org/sonde/Sonde/sonde-search.ui"
#define MAX_RESULTS 50

struct _SondeSearch
{
  GtkPopover parent_instance;
  SondeSearchScope scope;
  GtkSearchEntry *entry;
  GtkListBox *list;
  GtkStack *stack;
  GPtrArray *results;
};

G_DEFINE_FINAL_TYPE (SondeSearch, sonde_search, GTK_TYPE_POPOVER)

/* ---- finding ------------------------------------------------------------- */

static void
free_result (void *data)
{
  SondeSearchResult *result = data;

  g_free (result->match);
  g_free (result->tag);
  g_free (result->title);
  g_free (result->detail);
  g_clear_object (&result->run);
  g_free (result);
}

static SondeSearchResult *
add_result (GPtrArray *results, const char *page, const char *title, const char *detail,
            const char *icon, int score)
{
  SondeSearchResult *result = g_new0 (SondeSearchResult, 1);

  result->page = page;
  result->title = sonde_text_make_visible (title);
  result->detail = sonde_text_make_visible (detail);
  result->icon = icon;
  result->score = score;
  g_ptr_array_add (results, result);
  return result;
}

static void
find_pages (const SondeSearchScope *scope, const char *query, GPtrArray *results)
{
  for (const SondePageInfo *info = sonde_page_table; info->name != NULL; info++)
    {
      SondePage *page = scope->peek (info->name, scope->user_data);
      int score = *query == '\0' ? 1 : sonde_search_score (_ (info->title), query);
      g_autoptr (GPtrArray) matches
          = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_search_match_free);

      if (score > 0)
        add_result (results, info->name, _ (info->title), _ ("Page"), info->icon, score + 2);
      if (page != NULL && *query != '\0')
        sonde_page_search (page, query, matches);
      for (guint i = 0; i < matches->len; i++)
        {
          const SondeSearchMatch *match = matches->pdata[i];
          SondeSearchResult *result = add_result (
              results, info->name, match->title,
              match->detail != NULL ? match->detail : _ (info->title), info->icon, match->score);
          result->match = g_strdup (match->key);
        }
    }
}

/* What the main menu has, and what is done with runs. */
static const struct
{
  const char *title, *icon, *action;
} actions[] = {
  { N_ ("Open a Folder"), "folder-open-symbolic", "win.open" },
  { N_ ("Open a File"), "document-open-symbolic", "win.open-file" },
  { N_ ("Attach to a Process"), "sonde-debugger-symbolic", "win.attach" },
  { N_ ("Add a Folder to This Window"), "folder-new-symbolic", "win.add-folder" },
  { N_ ("New Window"), "window-new-symbolic", "win.new" },
  { N_ ("Undo"), "edit-undo-symbolic", "win.undo" },
  { N_ ("Redo"), "edit-redo-symbolic", "win.redo" },
  { N_ ("Show All Runs"), "view-reveal-symbolic", "win.show-all-runs" },
  { N_ ("Filter Runs"), "edit-find-symbolic", "win.filter-runs" },
  { N_ ("Follow the Last Step"), "go-last-symbolic", "win.follow" },
  { N_ ("Show or Hide the Sidebar"), "sidebar-show-symbolic", "win.toggle-sidebar" },
  { N_ ("Split Right"), "view-dual-symbolic", "win.split::right" },
  { N_ ("Split Down"), "view-dual-symbolic", "win.split::down" },
  { N_ ("Swap the Pages"), "object-flip-horizontal-symbolic", "win.swap-halves" },
  { N_ ("Close This Page"), "window-close-symbolic", "win.close-half" },
  { N_ ("Light Appearance"), "weather-clear-symbolic", "win.appearance::light" },
  { N_ ("Dark Appearance"), "weather-clear-night-symbolic", "win.appearance::dark" },
  { N_ ("Preferences"), "preferences-system-symbolic", "win.preferences" },
  { N_ ("Keyboard Shortcuts"), "input-keyboard-symbolic", "win.show-help-overlay" },
  { N_ ("Close the Window"), "window-close-symbolic", "window.close" },
};

static void
find_actions (const char *query, GPtrArray *results)
{
  for (gsize i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      int score = sonde_search_score (_ (actions[i].title), query);

      if (score > 0)
        add_result (results, NULL, _ (actions[i].title), _ ("Action"), actions[i].icon, score)
            ->action
            = actions[i].action;
    }
}

static const char *
page_of_kind (SondeRecordKind kind)
{
  if (kind == SONDE_RECORD_SCALARS)
    return "scalars";
  if (kind == SONDE_RECORD_HISTOGRAM)
    return "distributions";
  if (kind == SONDE_RECORD_IMAGE)
    return "media";
  return NULL;
}

static void
find_tags (SondeRun *run, const char *query, GHashTable *seen, GPtrArray *results)
{
  GPtrArray *tags = sonde_run_get_tags (run);

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];
      const char *page = page_of_kind (tag->kind);
      const SondePageInfo *info = page != NULL ? sonde_page_info_find (page) : NULL;
      int score = info != NULL ? sonde_search_score (tag->tag, query) : 0;
      g_autofree char *key = g_strdup_printf ("%d %s", tag->kind, tag->tag);

      if (score == 0 || !g_hash_table_add (seen, g_steal_pointer (&key)))
        continue;
      add_result (results, info->name, tag->tag, _ (info->title), info->icon, score)->tag
          = g_strdup (tag->tag);
    }
}

static void
find_runs (const SondeSearchScope *scope, const char *query, GPtrArray *results)
{
  SondeWorkspace *workspace = scope->workspace;
  GListModel *runs = G_LIST_MODEL (sonde_workspace_get_store (workspace));
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);
      const char *title = sonde_workspace_get_run_title (workspace, run);
      int score = sonde_search_score (title, query);

      if (score > 0)
        add_result (results, "overview", title, _ ("Run"), "media-record-symbolic", score + 1)->run
            = g_object_ref (run);
      find_tags (run, query, seen, results);
    }
}

static int
compare_results (const void *a, const void *b)
{
  const SondeSearchResult *x = *(SondeSearchResult *const *) a,
                          *y = *(SondeSearchResult *const *) b;

  return x->score != y->score ? y->score - x->score : strcmp (x->title, y->title);
}

GPtrArray *
sonde_search_find (const SondeSearchScope *scope, const char *text, guint max)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (free_result);
  g_autofree char *query = g_utf8_strdown (text, -1);

  g_strstrip (query);
  find_pages (scope, query, results);
  if (*query != '\0')
    {
      find_runs (scope, query, results);
      find_actions (query, results);
      g_ptr_array_sort (results, compare_results);
    }
  if (results->len > max)
    g_ptr_array_set_size (results, (int) max);
  return results;
}

/* ---- the popover --------------------------------------------------------- */

static GtkWidget *
new_row (const SondeSearchResult *result)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *title = gtk_label_new (result->title), *detail = gtk_label_new (result->detail);

  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (detail), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars (GTK_LABEL (detail), 24);
  gtk_widget_add_css_class (detail, "dim-label");
  gtk_box_append (GTK_BOX (box), gtk_image_new_from_icon_name (result->icon));
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), detail);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_widget_set_tooltip_text (row, result->title);
  sonde_name_by_text (row);
  return row;
}

static void
on_text_changed (SondeSearch *search)
{
  GtkWidget *row;

  while ((row = gtk_widget_get_first_child (GTK_WIDGET (search->list))) != NULL)
    gtk_list_box_remove (search->list, row);
  g_clear_pointer (&search->results, g_ptr_array_unref);
  search->results = sonde_search_find (
      &search->scope, gtk_editable_get_text (GTK_EDITABLE (search->entry)), MAX_RESULTS);
  for (guint i = 0; i < search->results->len; i++)
    gtk_list_box_append (search->list, new_row (search->results->pdata[i]));
  gtk_list_box_select_row (search->list, gtk_list_box_get_row_at_index (search->list, 0));
  gtk_stack_set_visible_child_name (search->stack, search->results->len > 0 ? "list" : "nothing");
}

/* The popover is closed first: the action may open a dialog. */
static void
perform (SondeSearch *search, const char *detailed)
{
  g_autofree char *name = NULL;
  g_autoptr (GVariant) target = NULL;

  if (!g_action_parse_detailed_name (detailed, &name, &target, NULL))
    g_return_if_reached ();
  gtk_popover_popdown (GTK_POPOVER (search));
  gtk_widget_activate_action_variant (gtk_widget_get_parent (GTK_WIDGET (search)), name, target);
}

static void
go (SondeSearch *search, int index)
{
  const SondeSearchResult *result;
  g_autofree char *tag = NULL, *match = NULL;
  SondePageRequest request = { 0 };

  if (search->results == NULL || index < 0 || index >= (int) search->results->len)
    return;
  result = search->results->pdata[index];
  if (result->action != NULL)
    {
      perform (search, result->action);
      return;
    }
  request.tag = tag = g_strdup (result->tag);
  request.match = match = g_strdup (result->match);
  if (result->run != NULL)
    sonde_workspace_set_run (search->scope.workspace, result->run);
  gtk_popover_popdown (GTK_POPOVER (search));
  search->scope.show (result->page, &request, search->scope.user_data);
}

static void
on_row_activated (GtkListBox *list, GtkListBoxRow *row, SondeSearch *search)
{
  go (search, gtk_list_box_row_get_index (row));
}

static void
on_entry_activated (SondeSearch *search)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (search->list);

  if (row != NULL)
    go (search, gtk_list_box_row_get_index (row));
}

/* Up and down move in the list while the entry keeps the focus. */
static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
        SondeSearch *search)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (search->list);
  int step = key == GDK_KEY_Down ? 1 : key == GDK_KEY_Up ? -1 : 0;

  if (step == 0 || row == NULL)
    return GDK_EVENT_PROPAGATE;
  row = gtk_list_box_get_row_at_index (search->list,
                                       MAX (gtk_list_box_row_get_index (row) + step, 0));
  if (row != NULL)
    gtk_list_box_select_row (search->list, row);
  return GDK_EVENT_STOP;
}

static void
on_show (SondeSearch *search)
{
  gtk_editable_set_text (GTK_EDITABLE (search->entry), "");
  on_text_changed (search);
  gtk_widget_grab_focus (GTK_WIDGET (search->entry));
}

void
sonde_search_set_scope (SondeSearch *search, const SondeSearchScope *scope)
{
  g_return_if_fail (SONDE_IS_SEARCH (search));
  search->scope = *scope;
}

static void
sonde_search_dispose (GObject *object)
{
  SondeSearch *search = SONDE_SEARCH (object);

  g_clear_pointer (&search->results, g_ptr_array_unref);
  gtk_widget_dispose_template (GTK_WIDGET (search), SONDE_TYPE_SEARCH);
  G_OBJECT_CLASS (sonde_search_parent_class)->dispose (object);
}

static void
sonde_search_class_init (SondeSearchClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_search_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeSearch, entry);
  gtk_widget_class_bind_template_child (widget_class, SondeSearch, list);
  gtk_widget_class_bind_template_child (widget_class, SondeSearch, stack);
  gtk_widget_class_bind_template_callback (widget_class, on_text_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_entry_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_row_activated);
}

static void
sonde_search_init (SondeSearch *search)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_widget_init_template (GTK_WIDGET (search));
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), search);
  gtk_widget_add_controller (GTK_WIDGET (search), keys);
  g_signal_connect (search, "show", G_CALLBACK (on_show), NULL);
}
