/* SPDX-License-Identifier: Apache-2.0
 * Three rows and what they mean together. */
#include "app/explain/browser/sonde-comparison-panel.h"

#include "data/base/sonde-text.h"

struct _SondeComparisonPanel
{
  AdwBin parent_instance;

  GtkWidget *stack, *models, *list, *sentence, *both_wrong;
  GtkWidget *row[SONDE_N_EXPLAIN_CHANGES], *count[SONDE_N_EXPLAIN_CHANGES];
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeComparisonPanel, sonde_comparison_panel, ADW_TYPE_BIN)

static guint chosen_signal;

void
sonde_comparison_panel_set_items (SondeComparisonPanel *panel, GPtrArray *items, const char *first,
                                  const char *second)
{
  SondeModelChanges changes;
  g_autofree char *models = NULL, *sentence = NULL, *detail = NULL;

  g_return_if_fail (SONDE_IS_COMPARISON_PANEL (panel));
  sonde_model_changes_count (&changes, items);
  models = sonde_model_changes_dup_models (&changes, first, second);
  gtk_label_set_text (GTK_LABEL (panel->models), models);
  for (guint i = 0; i < SONDE_N_EXPLAIN_CHANGES; i++)
    {
      g_autofree char *text = g_strdup_printf ("%u", changes.counts[i]);

      gtk_label_set_text (GTK_LABEL (panel->count[i]), text);
      gtk_widget_set_sensitive (panel->row[i], changes.counts[i] > 0);
    }
  detail = g_strdup_printf (_ ("Misclassified by both models; %u of them differently"),
                            changes.n_moved);
  gtk_label_set_text (GTK_LABEL (panel->both_wrong), detail);
  sentence = sonde_model_changes_dup_sentence (&changes);
  gtk_label_set_text (GTK_LABEL (panel->sentence), sentence);
  gtk_stack_set_visible_child_name (GTK_STACK (panel->stack), "list");
}

void
sonde_comparison_panel_clear (SondeComparisonPanel *panel)
{
  g_return_if_fail (SONDE_IS_COMPARISON_PANEL (panel));
  gtk_stack_set_visible_child_name (GTK_STACK (panel->stack), "empty");
}

void
sonde_comparison_panel_choose (SondeComparisonPanel *panel, SondeExplainChange change)
{
  g_return_if_fail (SONDE_IS_COMPARISON_PANEL (panel));
  panel->updating = TRUE;
  if (change < SONDE_N_EXPLAIN_CHANGES)
    gtk_list_box_select_row (GTK_LIST_BOX (panel->list), GTK_LIST_BOX_ROW (panel->row[change]));
  else
    gtk_list_box_unselect_all (GTK_LIST_BOX (panel->list));
  panel->updating = FALSE;
}

static void
on_row_selected (GtkListBox *list, GtkListBoxRow *row, SondeComparisonPanel *self)
{
  if (!self->updating)
    g_signal_emit (self, chosen_signal, 0,
                   row != NULL ? (guint) gtk_list_box_row_get_index (row)
                               : SONDE_N_EXPLAIN_CHANGES);
}

static void
sonde_comparison_panel_dispose (GObject *object)
{
  SONDE_COMPARISON_PANEL (object)->updating = TRUE;
  G_OBJECT_CLASS (sonde_comparison_panel_parent_class)->dispose (object);
}

static void
sonde_comparison_panel_class_init (SondeComparisonPanelClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_comparison_panel_dispose;
  chosen_signal = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/browser/sonde-comparison-panel.ui");
  gtk_widget_class_bind_template_child (widget, SondeComparisonPanel, stack);
  gtk_widget_class_bind_template_child (widget, SondeComparisonPanel, models);
  gtk_widget_class_bind_template_child (widget, SondeComparisonPanel, list);
  gtk_widget_class_bind_template_child (widget, SondeComparisonPanel, sentence);
  gtk_widget_class_bind_template_child (widget, SondeComparisonPanel, both_wrong);
  gtk_widget_class_bind_template_child_full (widget, "row_0", FALSE, 0);
  gtk_widget_class_bind_template_child_full (widget, "row_1", FALSE, 0);
  gtk_widget_class_bind_template_child_full (widget, "row_2", FALSE, 0);
  gtk_widget_class_bind_template_child_full (widget, "count_0", FALSE, 0);
  gtk_widget_class_bind_template_child_full (widget, "count_1", FALSE, 0);
  gtk_widget_class_bind_template_child_full (widget, "count_2", FALSE, 0);
  gtk_widget_class_bind_template_callback (widget, on_row_selected);
}

static void
sonde_comparison_panel_init (SondeComparisonPanel *self)
{
  GObject *row, *count;

  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint i = 0; i < SONDE_N_EXPLAIN_CHANGES; i++)
    {
      g_autofree char *row_name = g_strdup_printf ("row_%u", i);
      g_autofree char *count_name = g_strdup_printf ("count_%u", i);

      row = gtk_widget_get_template_child (GTK_WIDGET (self), SONDE_TYPE_COMPARISON_PANEL,
                                           row_name);
      count = gtk_widget_get_template_child (GTK_WIDGET (self), SONDE_TYPE_COMPARISON_PANEL,
                                             count_name);
      self->row[i] = GTK_WIDGET (row);
      self->count[i] = GTK_WIDGET (count);
    }
}

GtkWidget *
sonde_comparison_panel_new (void)
{
  return g_object_new (SONDE_TYPE_COMPARISON_PANEL, NULL);
}
