/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-compare-pane.h"

#include <math.h>

#include "app/profiler/sonde-compare-flame.h"
#include "app/profiler/tables/sonde-compare-table.h"
#include "app/profiler/sonde-profiler-views.h"
#include "app/widgets/sonde-file-dialog.h"
#include "app/widgets/sonde-page.h"
#include "app/workspace/sonde-profile-sources.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

struct _SondeComparePane
{
  AdwBin parent_instance;
  GtkDropDown *choice;
  GtkStringList *titles;
  GtkWidget *search, *only_changed, *states, *empty, *wall, *operators, *doubt, *place, *as_flame,
      *pictures;
  SondeCompareTable *table;
  SondeCompareFlame *flame;
  SondeProfileSources *sources; /* (nullable): on a page */
  GPtrArray *paths;             /* (element-type filename): of the titles */
  SondeTraceDocument *document;
  SondeTraceDocument *other; /* (nullable) */
  gboolean holding;          /* the document, while the other one is read or compared */
  SondeProfileComparison *comparison;
  gboolean filling;
};

G_DEFINE_FINAL_TYPE (SondeComparePane, sonde_compare_pane, ADW_TYPE_BIN)

static void
hold (SondeComparePane *pane, gboolean holding)
{
  if (pane->holding == holding)
    return;
  pane->holding = holding;
  if (holding)
    sonde_trace_document_hold (pane->document);
  else
    sonde_trace_document_release (pane->document);
}

/* ---- what is shown ------------------------------------------------------- */

static void
show_empty (SondeComparePane *pane, const char *title, const char *sentence)
{
  adw_status_page_set_title (ADW_STATUS_PAGE (pane->empty), title);
  adw_status_page_set_description (ADW_STATUS_PAGE (pane->empty), sentence);
  gtk_stack_set_visible_child_name (GTK_STACK (pane->states), "empty");
}

static char *
describe_wall (const SondeComparedOperator *wall)
{
  g_autofree char *base = sonde_format_duration ((gint64) round (wall->base_ns));
  g_autofree char *other = sonde_format_duration ((gint64) round (wall->other_ns));

  return g_strdup_printf (wall->significant
                              ? _ ("A step takes %s instead of %s (× %.3f, p = %.2g).")
                              : _ ("A step takes %s instead of %s (× %.3f, p = %.2g), which noise "
                                   "may explain."),
                          other, base, wall->ratio, wall->p);
}

static char *
describe_operators (const SondeProfileComparison *comparison)
{
  guint n = comparison->n_significant;
  g_autofree char *differ = n == 0 ? g_strdup (_ ("No operator differs significantly."))
                                   : g_strdup_printf (P_ ("%u operator differs significantly.",
                                                          "%u operators differ significantly.", n),
                                                      n);

  return isfinite (comparison->common_ratio)
             ? g_strdup_printf (_ ("%s All operators together: × %.3f in the median."), differ,
                                comparison->common_ratio)
             : g_steal_pointer (&differ);
}

static void
show_comparison (SondeComparePane *pane)
{
  g_autofree char *wall = describe_wall (&pane->comparison->wall);
  g_autofree char *operators = describe_operators (pane->comparison);

  gtk_label_set_text (GTK_LABEL (pane->wall), wall);
  gtk_label_set_text (GTK_LABEL (pane->operators), operators);
  gtk_label_set_text (
      GTK_LABEL (pane->doubt),
      _ ("Fewer than 10 steps on a side: small differences cannot be told from noise."));
  gtk_widget_set_visible (pane->doubt, pane->comparison->too_few_steps);
  sonde_compare_table_set (pane->table, pane->comparison);
  gtk_stack_set_visible_child_name (GTK_STACK (pane->states), "comparison");
}

/* ---- the other one ------------------------------------------------------- */

static void
forget_other (SondeComparePane *pane)
{
  if (pane->other != NULL)
    {
      g_signal_handlers_disconnect_by_data (pane->other, pane);
      sonde_trace_document_cancel (pane->other);
    }
  if (pane->table != NULL)
    {
      sonde_compare_table_set (pane->table, NULL);
      sonde_compare_flame_set (pane->flame, NULL, NULL, NULL);
    }
  g_clear_pointer (&pane->comparison, sonde_profile_comparison_free);
  g_clear_object (&pane->other);
  hold (pane, FALSE);
}

/* ---- comparing, in a thread ---------------------------------------------- */

/* Both documents are held; a newer comparison lets the older one end for itself. */
typedef struct _Comparing
{
  SondeTraceDocument *base, *other;
  SondeProfileComparison *comparison;
  SondeFlameDifference *difference; /* (nullable) */
} Comparing;

static void
free_comparing (gpointer data)
{
  Comparing *comparing = data;

  g_clear_pointer (&comparing->comparison, sonde_profile_comparison_free);
  g_clear_pointer (&comparing->difference, sonde_flame_difference_free);
  g_object_unref (comparing->base);
  g_object_unref (comparing->other);
  g_free (comparing);
}

static void
compare (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Comparing *comparing = data;

  comparing->comparison
      = sonde_profile_comparison_new (sonde_trace_document_get_profile (comparing->base),
                                      sonde_trace_document_get_profile (comparing->other));
  comparing->difference
      = sonde_compare_flame_compute (comparing->base, comparing->other, comparing->comparison);
  g_task_return_boolean (task, TRUE);
}

static void
on_compared (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeComparePane *pane = SONDE_COMPARE_PANE (source);
  Comparing *comparing = g_task_get_task_data (G_TASK (result));

  if (comparing->other != pane->other)
    return;
  pane->comparison = g_steal_pointer (&comparing->comparison);
  gtk_widget_set_sensitive (pane->as_flame, comparing->difference != NULL);
  sonde_compare_flame_set (pane->flame, g_steal_pointer (&comparing->difference), pane->document,
                           pane->other);
  show_comparison (pane);
  hold (pane, FALSE);
}

static void
start_comparing (SondeComparePane *pane)
{
  g_autoptr (GTask) task = g_task_new (pane, NULL, on_compared, NULL);
  Comparing *comparing = g_new0 (Comparing, 1);

  comparing->base = g_object_ref (pane->document);
  comparing->other = g_object_ref (pane->other);
  g_task_set_task_data (task, comparing, free_comparing);
  show_empty (pane, _ ("Comparing…"), NULL);
  g_task_run_in_thread (task, compare);
}

static void
on_other_state (SondeComparePane *pane)
{
  SondeTraceDocumentState state = sonde_trace_document_get_state (pane->other);
  const SondeProfile *profile = sonde_trace_document_get_profile (pane->other);

  if (state == SONDE_TRACE_DOCUMENT_LOADING)
    return;
  if (state == SONDE_TRACE_DOCUMENT_READY && !sonde_profile_is_sampled (profile))
    {
      start_comparing (pane);
      return;
    }
  if (state != SONDE_TRACE_DOCUMENT_READY)
    show_empty (pane, _ ("Cannot Read the Profile"), sonde_trace_document_get_error (pane->other));
  else
    {
      g_autofree char *text
          = g_strdup_printf (_ ("“%s” holds sampled stacks, which have no times to compare."),
                             sonde_trace_document_get_path (pane->other));

      show_empty (pane, _ ("Nothing to Compare"), text);
    }
  hold (pane, FALSE);
}

/* ---- the choice ---------------------------------------------------------- */

static void
compare_with (SondeComparePane *pane, const char *path)
{
  forget_other (pane);
  show_empty (pane, _ ("Reading the Profile…"), NULL);
  hold (pane, TRUE);
  pane->other = sonde_trace_document_new (path, 0);
  g_signal_connect_object (pane->other, "state-changed", G_CALLBACK (on_other_state), pane,
                           G_CONNECT_SWAPPED);
}

static void
on_chosen (SondeComparePane *pane)
{
  guint i = gtk_drop_down_get_selected (pane->choice);

  if (!pane->filling && i < pane->paths->len)
    compare_with (pane, g_ptr_array_index (pane->paths, i));
}

static void
add_choice (SondeComparePane *pane, const char *path, const char *title)
{
  g_ptr_array_add (pane->paths, g_strdup (path));
  gtk_string_list_append (pane->titles, title);
}

/* All profiles of the window but the one that is open. The first of them is compared at once. */
static void
fill_choice (SondeComparePane *pane)
{
  const char *open = sonde_trace_document_get_path (pane->document);

  pane->filling = TRUE;
  for (guint i = 0; i < sonde_profile_sources_get_n (pane->sources); i++)
    {
      const char *path = sonde_profile_sources_get (pane->sources, i)->path;
      g_autofree char *title = sonde_profile_sources_dup_title (pane->sources, i);

      if (!g_str_equal (path, open)
          && !g_ptr_array_find_with_equal_func (pane->paths, path, g_str_equal, NULL))
        add_choice (pane, path, title);
    }
  gtk_widget_set_visible (GTK_WIDGET (pane->choice), pane->paths->len > 0);
  pane->filling = FALSE;
  if (pane->paths->len > 0 && pane->other == NULL)
    on_chosen (pane);
}

static void
on_file (GtkNativeDialog *dialog, int response, SondeComparePane *pane)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  g_autofree char *name = file != NULL ? g_file_get_basename (file) : NULL;

  if (path != NULL)
    {
      g_autofree char *title = g_filename_display_name (name);

      pane->filling = TRUE;
      add_choice (pane, path, title);
      gtk_widget_set_visible (GTK_WIDGET (pane->choice), TRUE);
      gtk_drop_down_set_selected (pane->choice, pane->paths->len - 1);
      pane->filling = FALSE;
      on_chosen (pane);
    }
  gtk_native_dialog_destroy (dialog);
}

static void
on_open (SondeComparePane *pane)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (pane));
  GtkFileChooserNative *dialog = sonde_file_dialog_new (
      _ ("Compare with a File"), GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL,
      GTK_FILE_CHOOSER_ACTION_OPEN, NULL);

  g_signal_connect_object (dialog, "response", G_CALLBACK (on_file), pane, 0);
  g_object_set_data_full (G_OBJECT (pane), "dialog", dialog, g_object_unref);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- hands --------------------------------------------------------------- */

static void
on_filter (SondeComparePane *pane)
{
  if (pane->table != NULL)
    sonde_compare_table_set_filter (
        pane->table, gtk_editable_get_text (GTK_EDITABLE (pane->search)),
        gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (pane->only_changed)));
  if (pane->flame != NULL)
    sonde_compare_flame_set_search (pane->flame,
                                    gtk_editable_get_text (GTK_EDITABLE (pane->search)));
}

static void
on_as_flame (SondeComparePane *pane)
{
  const gboolean as_flame = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (pane->as_flame));

  gtk_widget_set_sensitive (pane->only_changed, !as_flame);
  if (pane->pictures != NULL)
    gtk_stack_set_visible_child_name (GTK_STACK (pane->pictures), as_flame ? "flame" : "table");
}

/* Where the profile that is open has it. */
static void
on_operator (SondeComparePane *pane, const SondeComparedOperator *compared)
{
  const SondeProfileOperator *op = compared->base_op;

  if (op != NULL)
    sonde_trace_document_show_name (pane->document, op->node != NULL ? op->node : op->op);
}

/* ---- widget -------------------------------------------------------------- */

/* Only on its page it knows the profiles of the window. */
static void
sonde_compare_pane_root (GtkWidget *widget)
{
  SondeComparePane *pane = SONDE_COMPARE_PANE (widget);
  GtkWidget *page;

  GTK_WIDGET_CLASS (sonde_compare_pane_parent_class)->root (widget);
  page = gtk_widget_get_ancestor (widget, SONDE_TYPE_PAGE);
  if (page == NULL || pane->sources != NULL)
    return;
  pane->sources
      = g_object_ref (sonde_workspace_get_profiles (sonde_page_get_workspace (SONDE_PAGE (page))));
  g_signal_connect_object (pane->sources, "changed", G_CALLBACK (fill_choice), pane,
                           G_CONNECT_SWAPPED);
  show_empty (pane, _ ("Nothing to Compare With"),
              _ ("Open a second run with a profile, or choose the file of a trace."));
  fill_choice (pane);
}

static void
sonde_compare_pane_dispose (GObject *object)
{
  SondeComparePane *pane = SONDE_COMPARE_PANE (object);

  pane->filling = TRUE;
  if (pane->document != NULL)
    forget_other (pane);
  pane->table = NULL;
  pane->flame = NULL;
  pane->pictures = NULL;
  gtk_widget_dispose_template (GTK_WIDGET (pane), SONDE_TYPE_COMPARE_PANE);
  g_clear_object (&pane->sources);
  g_clear_object (&pane->document);
  G_OBJECT_CLASS (sonde_compare_pane_parent_class)->dispose (object);
}

static void
sonde_compare_pane_finalize (GObject *object)
{
  g_ptr_array_unref (SONDE_COMPARE_PANE (object)->paths);
  G_OBJECT_CLASS (sonde_compare_pane_parent_class)->finalize (object);
}

static void
sonde_compare_pane_class_init (SondeComparePaneClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_compare_pane_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_compare_pane_finalize;
  widget->root = sonde_compare_pane_root;
  gtk_widget_class_set_template_from_resource (widget,
                                               "/org/sonde/Sonde/profiler/sonde-compare-pane.ui");
  gtk_widget_class_bind_template_child (widget, SondeComparePane, choice);
  gtk_widget_class_bind_template_child (widget, SondeComparePane, titles);
  gtk_widget_class_bind_template_child (widget, SondeComparePane, search);
  gtk_widget_class_bind_template_child (widget, SondeComparePane, only_changed);
  gtk_widget_class_bind_template_child (widget, SondeComparePane, states);
  gtk_widget_class_bind_template_child (widget, SondeComparePane, empty);
  gtk_widget_class_bind_template_child (widget, SondeComparePane, wall);
  gtk_widget_class_bind_template_child (widget, SondeComparePane, operators);
  gtk_widget_class_bind_template_child (widget, SondeComparePane, doubt);
  gtk_widget_class_bind_template_child (widget, SondeComparePane, place);
  gtk_widget_class_bind_template_child (widget, SondeComparePane, as_flame);
  gtk_widget_class_bind_template_callback (widget, on_as_flame);
  gtk_widget_class_bind_template_callback (widget, on_chosen);
  gtk_widget_class_bind_template_callback (widget, on_open);
  gtk_widget_class_bind_template_callback (widget, on_filter);
}

static void
sonde_compare_pane_init (SondeComparePane *pane)
{
  pane->paths = g_ptr_array_new_with_free_func (g_free);
  pane->filling = TRUE;
  gtk_widget_init_template (GTK_WIDGET (pane));
  pane->filling = FALSE;
  pane->table = SONDE_COMPARE_TABLE (sonde_compare_table_new ());
  pane->flame = SONDE_COMPARE_FLAME (sonde_compare_flame_new ());
  pane->pictures = gtk_stack_new ();
  gtk_stack_add_named (GTK_STACK (pane->pictures), GTK_WIDGET (pane->table), "table");
  gtk_stack_add_named (GTK_STACK (pane->pictures), GTK_WIDGET (pane->flame), "flame");
  adw_bin_set_child (ADW_BIN (pane->place), pane->pictures);
  g_signal_connect_object (pane->table, "operator-activated", G_CALLBACK (on_operator), pane,
                           G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_compare_pane_new (SondeTraceDocument *document)
{
  SondeComparePane *pane = g_object_new (SONDE_TYPE_COMPARE_PANE, NULL);

  pane->document = g_object_ref (document);
  return GTK_WIDGET (pane);
}
