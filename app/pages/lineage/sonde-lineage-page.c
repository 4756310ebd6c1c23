/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/lineage/sonde-lineage-page.h"

#include <string.h>

#include "app/pages/lineage/sonde-run-facts.h"
#include "app/pages/lineage/sonde-trial-difference.h"
#include "app/pages/lineage/sonde-trial-influence.h"
#include "app/pages/lineage/sonde-trial-plot.h"
#include "app/widgets/sonde-accessible.h"
#include "app/widgets/sonde-column-chooser.h"
#include "app/widgets/sonde-bar-layout.h"
#include "app/widgets/sonde-workspace-watch.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-io.h"
#include "data/base/sonde-text.h"
#include "viewers/sonde-text-scale.h"

#define INSPECTOR_WIDTH 260 /* px */

struct _SondeLineagePage
{
  SondePage parent_instance;
  SondeTrialTable *table; /* none before set_up */
  GtkWidget *chooser;
  SondeRunFacts *facts;
  SondeTrialPlot *plot; /* below the table when it is asked for */
  GtkWidget *filter, *query, *statistic, *n_last, *unsort, *plot_button, *matrix_button;
  GtkLabel *problem; /* of the filters */
};

G_DEFINE_FINAL_TYPE (SondeLineagePage, sonde_lineage_page, SONDE_TYPE_PAGE)

/* ---- state --------------------------------------------------------------- */

static char *
dup_status (SondeLineagePage *page)
{
  guint n = sonde_trial_table_get_n_trials (page->table);
  guint n_rows = g_list_model_get_n_items (sonde_trial_table_get_rows (page->table));
  guint n_parameters = sonde_trial_table_get_n_parameters (page->table);
  g_autofree char *all = sonde_format_count (n), *rows = sonde_format_count (n_rows);
  g_autofree char *parameters = sonde_format_count (n_parameters);

  if (n_rows < n)
    return g_strdup_printf (_ ("%s of %s runs, %s hyper-parameters and properties"), rows, all,
                            parameters);
  return g_strdup_printf (P_ ("%s run, %s hyper-parameters and properties",
                              "%s runs, %s hyper-parameters and properties", n),
                          all, parameters);
}

static void
update (SondeLineagePage *page)
{
  g_autofree char *status = dup_status (page);
  gboolean has_columns = sonde_trial_table_get_columns (page->table)->len > 0;
  gboolean has_facts
      = sonde_record_chooser_get_n_tags (sonde_run_facts_get_chooser (page->facts)) > 0;

  if (has_columns || has_facts)
    sonde_page_set_filled (SONDE_PAGE (page));
  else if (sonde_workspace_get_run (sonde_page_get_workspace (SONDE_PAGE (page))) == NULL)
    sonde_page_set_empty_without_runs (SONDE_PAGE (page));
  else
    sonde_page_set_empty (
        SONDE_PAGE (page), "sonde-lineage-symbolic", _ ("No Lineage"),
        _ ("The selected run has no record of its hyper-parameters, data or sessions."),
        _ ("View Its Contents"), "win.page::runs");
  sonde_page_set_status (SONDE_PAGE (page), has_columns || has_facts ? status : NULL);
  gtk_widget_set_visible (page->unsort, sonde_trial_table_is_sorted (page->table));
  sonde_trial_plot_update (page->plot);
  sonde_page_settled_changed (SONDE_PAGE (page));
}

/* Also where the table cannot be seen yet, as there was nothing to show. */
static void
on_workspace (SondeLineagePage *page)
{
  sonde_trial_table_update (page->table);
}

static void
on_changed (gpointer part, gpointer user_data)
{
  SondeLineagePage *page = user_data;

  if (page->table != NULL && page->facts != NULL && page->plot != NULL)
    update (page);
}

/* ---- filters ------------------------------------------------------------- */

/* A sentence below the bar; the entry that it is about is marked. */
static void
say_problem (SondeLineagePage *page, GtkWidget *entry, const char *sentence)
{
  if (sentence != NULL)
    gtk_widget_add_css_class (entry, "error");
  else
    gtk_widget_remove_css_class (entry, "error");
  gtk_label_set_text (page->problem, sentence != NULL ? sentence : "");
  gtk_widget_set_visible (GTK_WIDGET (page->problem), sentence != NULL);
}

static void
on_filter (SondeLineagePage *page)
{
  g_autoptr (GError) error = NULL;

  if (sonde_trial_table_set_filter (page->table,
                                    gtk_editable_get_text (GTK_EDITABLE (page->filter)), &error))
    say_problem (page, page->filter, NULL);
  else
    say_problem (page, page->filter, sonde_error_get_text (error));
}

static void
on_query (SondeLineagePage *page)
{
  g_autoptr (GError) error = NULL;

  if (sonde_trial_table_set_query (page->table, gtk_editable_get_text (GTK_EDITABLE (page->query)),
                                   &error))
    say_problem (page, page->query, sonde_trial_table_get_problem (page->table));
  else
    say_problem (page, page->query, sonde_error_get_text (error));
}

static void
on_statistic (SondeLineagePage *page)
{
  guint statistic = gtk_drop_down_get_selected (GTK_DROP_DOWN (page->statistic));

  gtk_widget_set_visible (page->n_last, statistic == SONDE_TRIAL_MEAN);
  sonde_trial_table_set_statistic (
      page->table, (SondeTrialStatistic) statistic,
      (guint) gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (page->n_last)));
}

/* ---- export -------------------------------------------------------------- */

static void
on_export_chosen (GtkNativeDialog *dialog, int response, SondeLineagePage *page)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  SondeTrialFormat format
      = path != NULL && g_str_has_suffix (path, ".tex") ? SONDE_TRIAL_LATEX : SONDE_TRIAL_CSV;
  g_autofree char *text = sonde_trial_table_dup_text (page->table, format);
  g_autoptr (GError) error = NULL;

  if (response == GTK_RESPONSE_ACCEPT && path != NULL
      && !sonde_io_replace_file (NULL, path, text, strlen (text), &error))
    sonde_page_toast (SONDE_PAGE (page), sonde_error_get_text (error));
  g_object_unref (dialog);
}

static void
export_table (GtkWidget *widget, const char *action, GVariant *parameter)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Export the Table (.csv, .tex)"), GTK_WINDOW (gtk_widget_get_root (widget)),
      GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Export"), NULL);

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  gtk_file_chooser_set_current_name (
      GTK_FILE_CHOOSER (dialog),
      g_str_equal (g_variant_get_string (parameter, NULL), "latex") ? "runs.tex" : "runs.csv");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_export_chosen), widget, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
copy_table (GtkWidget *widget, const char *action, GVariant *parameter)
{
  const char *format = g_variant_get_string (parameter, NULL);
  g_autofree char *text = sonde_trial_table_dup_text (
      SONDE_LINEAGE_PAGE (widget)->table,
      g_str_equal (format, "latex") ? SONDE_TRIAL_LATEX : SONDE_TRIAL_CSV);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
}

static void
unsort (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_trial_table_unsort (SONDE_LINEAGE_PAGE (widget)->table);
}

static GtkWidget *
make_export_button (void)
{
  GtkWidget *button = gtk_menu_button_new ();
  g_autoptr (GMenu) menu = g_menu_new ();

  g_menu_append (menu, _ ("Export as CSV…"), "lineage.export::csv");
  g_menu_append (menu, _ ("Export as LaTeX…"), "lineage.export::latex");
  g_menu_append (menu, _ ("Copy as CSV"), "lineage.copy::csv");
  g_menu_append (menu, _ ("Copy as LaTeX"), "lineage.copy::latex");
  sonde_menu_button_set_words (GTK_MENU_BUTTON (button), _ ("Export"));
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (menu));
  return button;
}

/* ---- the bar ------------------------------------------------------------- */

static void
set_name (GtkWidget *widget, const char *name)
{
  gtk_widget_set_tooltip_text (widget, name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static GtkWidget *
make_statistic (SondeLineagePage *page)
{
  const char *const names[SONDE_TRIAL_N_STATISTICS + 1]
      = { _ ("Metrics: last"), _ ("Metrics: best"), _ ("Metrics: min"),
          _ ("Metrics: max"),  _ ("Metrics: mean"), NULL };

  page->statistic = gtk_drop_down_new_from_strings (names);
  page->n_last = gtk_spin_button_new_with_range (1, SONDE_TRIAL_MAX_LAST, 1);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (page->n_last), SONDE_TRIAL_N_LAST);
  set_name (page->statistic, _ ("Value shown for each metric"));
  set_name (page->n_last, _ ("Number of last points that are averaged"));
  gtk_widget_set_visible (page->n_last, FALSE);
  g_signal_connect_swapped (page->statistic, "notify::selected", G_CALLBACK (on_statistic), page);
  g_signal_connect_swapped (page->n_last, "value-changed", G_CALLBACK (on_statistic), page);
  return page->statistic;
}

/* Hidden, the plot leaves the table all its rows. At most one of the buttons is pressed. */
static void
on_plot (SondeLineagePage *page, GtkToggleButton *button)
{
  gboolean is_matrix = GTK_WIDGET (button) == page->matrix_button;
  gboolean shown = gtk_toggle_button_get_active (button);
  GtkToggleButton *other = GTK_TOGGLE_BUTTON (is_matrix ? page->plot_button : page->matrix_button);

  if (!shown && gtk_toggle_button_get_active (other))
    return; /* released by the other one */
  gtk_widget_set_visible (GTK_WIDGET (page->plot), shown);
  sonde_trial_plot_clear (page->plot);
  sonde_trial_plot_set_form (page->plot,
                             is_matrix ? SONDE_TRIAL_PLOT_MATRIX : SONDE_TRIAL_PLOT_PARALLEL);
  if (shown)
    gtk_toggle_button_set_active (other, FALSE);
}

static GtkWidget *
make_plot_button (SondeLineagePage *page, const char *icon, const char *name)
{
  GtkWidget *button = gtk_toggle_button_new ();

  gtk_button_set_icon_name (GTK_BUTTON (button), icon);
  set_name (button, name);
  g_signal_connect_swapped (button, "toggled", G_CALLBACK (on_plot), page);
  return button;
}

static GtkWidget *
make_plot_buttons (SondeLineagePage *page)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_add_css_class (box, "linked");
  page->plot_button
      = make_plot_button (page, "sonde-parallel-symbolic", _ ("Parallel Coordinates"));
  page->matrix_button
      = make_plot_button (page, "sonde-scatter-matrix-symbolic", _ ("Scatter Matrix"));
  gtk_box_append (GTK_BOX (box), page->plot_button);
  gtk_box_append (GTK_BOX (box), page->matrix_button);
  return box;
}

static GtkWidget *
make_bar (SondeLineagePage *page)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  gtk_widget_set_layout_manager (bar, g_object_new (SONDE_TYPE_BAR_LAYOUT, NULL));
  gtk_widget_add_css_class (bar, "page-bar");
  page->filter = gtk_search_entry_new ();
  set_name (page->filter, _ ("Filter by a regular expression over names and “parameter=value”"));
  g_object_set (page->filter, "placeholder-text", _ ("Filter runs"), NULL);
  g_signal_connect_swapped (page->filter, "search-changed", G_CALLBACK (on_filter), page);
  page->query = gtk_entry_new ();
  set_name (page->query, _ ("Query over columns, as lr < 0.01 and accuracy.best > 0.9"));
  gtk_entry_set_placeholder_text (GTK_ENTRY (page->query), _ ("Query, as loss < 0.1"));
  g_signal_connect_swapped (page->query, "changed", G_CALLBACK (on_query), page);
  gtk_widget_set_hexpand (page->query, TRUE);
  page->unsort = gtk_button_new_with_label (_ ("Undo Sort"));
  gtk_actionable_set_detailed_action_name (GTK_ACTIONABLE (page->unsort), "lineage.unsort");
  gtk_box_append (GTK_BOX (bar), page->filter);
  gtk_box_append (GTK_BOX (bar), page->query);
  gtk_box_append (GTK_BOX (bar), make_statistic (page));
  gtk_box_append (GTK_BOX (bar), page->n_last);
  gtk_box_append (GTK_BOX (bar), page->chooser);
  gtk_box_append (GTK_BOX (bar), make_plot_buttons (page));
  gtk_box_append (GTK_BOX (bar), sonde_trial_influence_new (page->table));
  gtk_box_append (GTK_BOX (bar), sonde_trial_difference_new (
                                     sonde_page_get_workspace (SONDE_PAGE (page)), page->table));
  gtk_box_append (GTK_BOX (bar), page->unsort);
  gtk_box_append (GTK_BOX (bar), make_export_button ());
  return bar;
}

/* ---- making -------------------------------------------------------------- */

static GtkWidget *
make_panes (SondeLineagePage *page)
{
  GtkWidget *paned = gtk_paned_new (GTK_ORIENTATION_HORIZONTAL);
  GtkWidget *left = gtk_paned_new (GTK_ORIENTATION_VERTICAL);

  sonde_set_name (left, _ ("Height of the table"));
  gtk_paned_set_start_child (GTK_PANED (left), GTK_WIDGET (page->table));
  gtk_paned_set_end_child (GTK_PANED (left), GTK_WIDGET (page->plot));
  gtk_paned_set_shrink_end_child (GTK_PANED (left), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (page->plot), FALSE);
  sonde_text_scale_request (GTK_WIDGET (page->facts), INSPECTOR_WIDTH, -1);
  sonde_set_name (paned, _ ("Width of the table"));
  gtk_paned_set_start_child (GTK_PANED (paned), left);
  gtk_paned_set_end_child (GTK_PANED (paned), GTK_WIDGET (page->facts));
  gtk_paned_set_resize_end_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_shrink_end_child (GTK_PANED (paned), FALSE);
  gtk_widget_set_vexpand (paned, TRUE);
  return paned;
}

static void
sonde_lineage_page_set_up (SondePage *base)
{
  SondeLineagePage *page = SONDE_LINEAGE_PAGE (base);
  SondeWorkspace *workspace = sonde_page_get_workspace (base);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  page->table = SONDE_TRIAL_TABLE (sonde_trial_table_new (workspace, on_changed, page));
  page->facts = SONDE_RUN_FACTS (sonde_run_facts_new (workspace, on_changed, page));
  page->chooser = sonde_column_chooser_new (sonde_trial_table_get_choices (page->table),
                                            _ ("Only What Differs"));
  page->plot = SONDE_TRIAL_PLOT (sonde_trial_plot_new (workspace, page->table));
  page->problem = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, "wrap", TRUE, "margin-start", 12,
                                "margin-end", 12, "visible", FALSE, NULL);
  gtk_widget_add_css_class (GTK_WIDGET (page->problem), "error");
  gtk_box_append (GTK_BOX (box), make_bar (page));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (page->problem));
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (box), make_panes (page));
  sonde_page_set_content (base, box);
  sonde_watch_workspace (GTK_WIDGET (page), workspace, G_CALLBACK (on_workspace));
  update (page);
}

static void
sonde_lineage_page_show (SondePage *base, const SondePageRequest *request)
{
  SondeLineagePage *page = SONDE_LINEAGE_PAGE (base);

  if (request->has_step)
    sonde_step_cursor_set_step (sonde_page_get_cursor (base), request->step);
  if (request->tag != NULL)
    sonde_record_chooser_choose (sonde_run_facts_get_chooser (page->facts), request->tag);
  if (g_strcmp0 (request->view, "parallel") == 0)
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (page->plot_button), TRUE);
  else if (g_strcmp0 (request->view, "scatter") == 0)
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (page->matrix_button), TRUE);
}

static gboolean
sonde_lineage_page_is_settled (SondePage *base)
{
  SondeLineagePage *page = SONDE_LINEAGE_PAGE (base);

  return page->table == NULL
         || (!sonde_trial_table_is_busy (page->table)
             && !sonde_record_chooser_is_busy (sonde_run_facts_get_chooser (page->facts)));
}

static void
sonde_lineage_page_class_init (SondeLineagePageClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);
  SondePageClass *page = SONDE_PAGE_CLASS (klass);

  page->set_up = sonde_lineage_page_set_up;
  page->show = sonde_lineage_page_show;
  page->is_settled = sonde_lineage_page_is_settled;
  gtk_widget_class_install_action (widget, "lineage.export", "s", export_table);
  gtk_widget_class_install_action (widget, "lineage.copy", "s", copy_table);
  gtk_widget_class_install_action (widget, "lineage.unsort", NULL, unsort);
  gtk_widget_class_add_binding_action (widget, GDK_KEY_z, GDK_CONTROL_MASK, "lineage.unsort", NULL);
}

static void
sonde_lineage_page_init (SondeLineagePage *page)
{
}
