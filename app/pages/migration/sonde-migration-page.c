/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/migration/sonde-migration-page.h"

#include <string.h>

#include "app/pages/migration/sonde-port-table.h"
#include "app/pages/migration/sonde-source-panel.h"
#include "app/widgets/sonde-split.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"

struct _SondeMigrationPage
{
  SondePage parent_instance;
  GtkDropDown *target;
  SondePortTable *table;
  SondeSourcePanel *source;
  GtkLabel *details;
  GCancellable *cancellable; /* (nullable): of the scan under way */
  SondePortScan *scan;       /* (nullable) */
  char *scanned;             /* (nullable): the paths of the last scan, and its target */
};

G_DEFINE_FINAL_TYPE (SondeMigrationPage, sonde_migration_page, SONDE_TYPE_PAGE)

#define ICON "sonde-migration-symbolic"

/* ---- what is shown ------------------------------------------------------- */

static void
on_chosen (SondeMigrationPage *page, SondePortItem *item)
{
  const SondePortReport *report = sonde_port_scan_get_report (sonde_port_item_get_scan (item));
  const SondePortReference *reference = sonde_port_item_get_reference (item);
  g_autofree char *details = sonde_port_item_dup_details (item);
  const SondeSourceFile *file;

  gtk_label_set_text (page->details, details);
  if (reference == NULL)
    return;
  file = sonde_source_project_get_file (report->project, reference->file);
  sonde_source_panel_show (page->source, file->place, file->path, reference->line);
}

static guint
count_damaged (const SondePortReport *report)
{
  guint n = 0;

  for (guint i = 0; i < sonde_source_project_get_n_files (report->project); i++)
    {
      const SondeSourceFile *file = sonde_source_project_get_file (report->project, i);

      n += file->module == NULL || file->module->damage.line != 0;
    }
  return n;
}

static void
say_counts (SondeMigrationPage *page, const SondePortReport *report)
{
  guint n_files = sonde_source_project_get_n_files (report->project);
  guint n_damaged = count_damaged (report);
  g_autofree char *status
      = n_damaged == 0
            ? g_strdup_printf (_ ("%u names, %u uses in %u files"), report->apis->len,
                               report->references->len, n_files)
            : g_strdup_printf (_ ("%u names, %u uses in %u files; %u of them damaged"),
                               report->apis->len, report->references->len, n_files, n_damaged);

  sonde_page_set_status (SONDE_PAGE (page), status);
}

static void
set_empty (SondeMigrationPage *page, const char *title, const char *sentence)
{
  sonde_page_set_status (SONDE_PAGE (page), NULL);
  sonde_page_set_empty (SONDE_PAGE (page), ICON, title, sentence, _ ("Open a Folder…"), "win.open");
}

static void
show_scan (SondeMigrationPage *page)
{
  const SondePortReport *report = sonde_port_scan_get_report (page->scan);

  sonde_source_panel_clear (page->source);
  gtk_label_set_text (page->details, "");
  sonde_port_table_set_scan (page->table, page->scan);
  if (sonde_source_project_get_n_files (report->project) == 0)
    set_empty (page, _ ("No Python Sources"),
               _ ("Open a folder of Python files to see what a port of them costs."));
  else if (report->apis->len == 0)
    set_empty (page, _ ("Nothing to Port"),
               _ ("None of the Python files uses PyTorch or its sister packages."));
  else
    {
      sonde_page_set_filled (SONDE_PAGE (page));
      say_counts (page, report);
    }
}

/* ---- scanning ------------------------------------------------------------ */

static void
on_scanned (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeMigrationPage) page = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondePortScan) scan = sonde_port_scan_make_finish (result, &error);

  sonde_page_release (SONDE_PAGE (page));
  if (g_task_get_cancellable (G_TASK (result)) != page->cancellable)
    return; /* another one was begun, or the page is gone */
  g_clear_object (&page->cancellable);
  if (scan == NULL)
    {
      set_empty (page, _ ("Cannot Read the Sources"), sonde_error_get_text (error));
      return;
    }
  g_set_object (&page->scan, scan);
  show_scan (page);
}

/* Python files and folders among what is open. (transfer full) (array zero-terminated=1) */
static char **
dup_source_paths (SondeMigrationPage *page)
{
  const char *const *paths
      = sonde_workspace_get_paths (sonde_page_get_workspace (SONDE_PAGE (page)));
  GPtrArray *found = g_ptr_array_new ();

  for (guint i = 0; paths[i] != NULL; i++)
    if (g_str_has_suffix (paths[i], ".py") || g_file_test (paths[i], G_FILE_TEST_IS_DIR))
      g_ptr_array_add (found, g_strdup (paths[i]));
  g_ptr_array_add (found, NULL);
  return (char **) g_ptr_array_free (found, FALSE);
}

static void
cancel (SondeMigrationPage *page)
{
  g_cancellable_cancel (page->cancellable);
  g_clear_object (&page->cancellable);
}

/* Scans again when the paths or the target have changed. */
static void
update (SondeMigrationPage *page)
{
  g_auto (GStrv) paths = dup_source_paths (page);
  g_autofree char *joined = g_strjoinv ("\n", paths);
  guint target = gtk_drop_down_get_selected (page->target);
  g_autofree char *asked = g_strdup_printf ("%u\n%s", target, joined);

  if (!sonde_page_is_opened (SONDE_PAGE (page)) || g_strcmp0 (asked, page->scanned) == 0)
    return;
  g_free (page->scanned);
  page->scanned = g_steal_pointer (&asked);
  cancel (page);
  if (paths[0] == NULL)
    {
      set_empty (page, _ ("No Python Sources"),
                 _ ("Open a folder of Python files to see what a port of them costs."));
      return;
    }
  page->cancellable = g_cancellable_new ();
  sonde_page_hold (SONDE_PAGE (page));
  sonde_port_scan_make_async ((const char *const *) paths, target, page->cancellable, on_scanned,
                              g_object_ref (page));
}

/* ---- the page ------------------------------------------------------------ */

static void
on_filter (SondeMigrationPage *page, GtkEditable *entry)
{
  sonde_port_table_set_filter (page->table, gtk_editable_get_text (entry));
}

static GtkWidget *
make_bar (SondeMigrationPage *page)
{
  static const char *const targets[] = { "MindSpore", "ONNX", "Sonde", NULL };
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new_with_mnemonic (_ ("Port _to"));
  GtkWidget *filter = gtk_search_entry_new ();

  page->target = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (targets));
  gtk_label_set_mnemonic_widget (GTK_LABEL (label), GTK_WIDGET (page->target));
  gtk_accessible_update_property (GTK_ACCESSIBLE (page->target), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Target of the port"), -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (filter), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Filter names"), -1);
  g_object_set (filter, "placeholder-text", _ ("Filter names"), "hexpand", TRUE, NULL);
  gtk_widget_add_css_class (bar, "toolbar");
  gtk_box_append (GTK_BOX (bar), label);
  gtk_box_append (GTK_BOX (bar), GTK_WIDGET (page->target));
  gtk_box_append (GTK_BOX (bar), filter);
  g_signal_connect_object (page->target, "notify::selected", G_CALLBACK (update), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (filter, "search-changed", G_CALLBACK (on_filter), page,
                           G_CONNECT_SWAPPED);
  return bar;
}

static GtkWidget *
make_details (SondeMigrationPage *page)
{
  GtkWidget *label = gtk_label_new (NULL), *scrolled = gtk_scrolled_window_new ();

  page->details = GTK_LABEL (label);
  gtk_label_set_xalign (page->details, 0);
  gtk_label_set_yalign (page->details, 0);
  gtk_label_set_wrap (page->details, TRUE);
  gtk_label_set_wrap_mode (page->details, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (page->details, TRUE);
  g_object_set (label, "margin-start", 12, "margin-end", 12, "margin-top", 6, "margin-bottom", 6,
                NULL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), label);
  g_object_set (scrolled, "hscrollbar-policy", GTK_POLICY_NEVER, "min-content-height", 110, NULL);
  return scrolled;
}

static GtkWidget *
make_left (SondeMigrationPage *page)
{
  GtkWidget *left = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *table = sonde_port_table_new ();

  page->table = SONDE_PORT_TABLE (table);
  gtk_box_append (GTK_BOX (left), make_bar (page));
  gtk_box_append (GTK_BOX (left), table);
  gtk_box_append (GTK_BOX (left), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (left), make_details (page));
  g_signal_connect_object (table, "chosen", G_CALLBACK (on_chosen), page, G_CONNECT_SWAPPED);
  return left;
}

static void
sonde_migration_page_opened (SondePage *page)
{
  update (SONDE_MIGRATION_PAGE (page));
}

static void
sonde_migration_page_set_up (SondePage *page)
{
  g_signal_connect_object (sonde_page_get_workspace (page), "changed", G_CALLBACK (update), page,
                           G_CONNECT_SWAPPED);
}

static void
sonde_migration_page_show (SondePage *base, const SondePageRequest *request)
{
  if (request->match != NULL)
    sonde_port_table_select (SONDE_MIGRATION_PAGE (base)->table, request->match);
}

static void
sonde_migration_page_search (SondePage *base, const char *query, GPtrArray *matches)
{
  SondeMigrationPage *page = SONDE_MIGRATION_PAGE (base);
  const SondePortReport *report
      = page->scan != NULL ? sonde_port_scan_get_report (page->scan) : NULL;

  for (guint i = 0; report != NULL && i < report->apis->len; i++)
    {
      const SondePortApi *api = sonde_port_report_get_api (report, i);
      int score = sonde_search_score (api->api, query);

      if (score > 0)
        g_ptr_array_add (
            matches, sonde_search_match_new (api->api, api->api,
                                             sonde_port_verdict_get_title (api->verdict), score));
    }
}

static gboolean
sonde_migration_page_is_settled (SondePage *page)
{
  return sonde_source_panel_is_scrolled (SONDE_MIGRATION_PAGE (page)->source);
}

static void
sonde_migration_page_dispose (GObject *object)
{
  SondeMigrationPage *page = SONDE_MIGRATION_PAGE (object);

  cancel (page);
  g_clear_object (&page->scan);
  g_clear_pointer (&page->scanned, g_free);
  G_OBJECT_CLASS (sonde_migration_page_parent_class)->dispose (object);
}

static void
sonde_migration_page_class_init (SondeMigrationPageClass *klass)
{
  SondePageClass *page_class = SONDE_PAGE_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_migration_page_dispose;
  page_class->set_up = sonde_migration_page_set_up;
  page_class->opened = sonde_migration_page_opened;
  page_class->show = sonde_migration_page_show;
  page_class->search = sonde_migration_page_search;
  page_class->is_settled = sonde_migration_page_is_settled;
}

static void
sonde_migration_page_init (SondeMigrationPage *page)
{
  SondeSplit *split = sonde_split_new ();
  GtkWidget *source = sonde_source_panel_new ();

  page->source = SONDE_SOURCE_PANEL (source);
  gtk_widget_set_size_request (source, 180, -1);
  sonde_split_set_children (split, make_left (page), source);
  sonde_split_set_way (split, SONDE_SPLIT_RIGHT);
  sonde_split_set_fraction (split, 0.55);
  g_signal_connect_object (source, "scrolled", G_CALLBACK (sonde_page_settled_changed), page,
                           G_CONNECT_SWAPPED);
  sonde_page_set_content (SONDE_PAGE (page), GTK_WIDGET (split));
}
