/* SPDX-License-Identifier: Apache-2.0
 * Three rows and what they mean together. */
#include "app/explain/browser/sonde-comparison-panel.h"

#include "data/base/sonde-text.h"
#include "data/values/sonde-sign-test.h"

struct _SondeComparisonPanel
{
  AdwBin parent_instance;

  GtkWidget *stack, *models, *list, *sentence, *both_wrong;
  GtkWidget *row[SONDE_N_EXPLAIN_CHANGES], *count[SONDE_N_EXPLAIN_CHANGES];
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeComparisonPanel, sonde_comparison_panel, ADW_TYPE_BIN)

static guint chosen_signal;

SondeExplainChange
sonde_explain_change_of (SondeExplainItem *item)
{
  const SondeExplainItemSummary *summary = sonde_explain_item_get_summary (item);
  gboolean first, second;

  if (summary->other < 0 || summary->label < 0)
    return SONDE_N_EXPLAIN_CHANGES;
  first = summary->predicted == summary->label;
  second = summary->other == summary->label;
  if (first && second)
    return SONDE_N_EXPLAIN_CHANGES;
  return first ? SONDE_EXPLAIN_NEW : second ? SONDE_EXPLAIN_FIXED : SONDE_EXPLAIN_STILL;
}

char *
sonde_comparison_panel_dup_sentence (guint fixed, guint spoiled)
{
  double p = sonde_sign_test (fixed, spoiled);

  if (fixed + spoiled == 0)
    return g_strdup (_ ("Both models misclassify the same samples."));
  if (p >= 0.05)
    return g_strdup_printf (
        _ ("The difference may be due to chance: %u fixed, %u new. Two equally good models differ "
           "at least this much with p = %.2g (McNemar’s exact test)."),
        fixed, spoiled, p);
  if (fixed > spoiled)
    return g_strdup_printf (
        _ ("The second model is better: %u fixed, %u new. Two equally good models differ at least "
           "this much with p = %.2g (McNemar’s exact test)."),
        fixed, spoiled, p);
  return g_strdup_printf (
      _ ("The first model is better: %u fixed, %u new. Two equally good models differ at least "
         "this much with p = %.2g (McNemar’s exact test)."),
      fixed, spoiled, p);
}

void
sonde_comparison_panel_set_items (SondeComparisonPanel *panel, GPtrArray *items, const char *first,
                                  const char *second)
{
  guint counts[SONDE_N_EXPLAIN_CHANGES + 1] = { 0 }, n = 0, moved = 0;
  g_autofree char *models = NULL, *sentence = NULL, *detail = NULL;

  g_return_if_fail (SONDE_IS_COMPARISON_PANEL (panel));
  for (guint i = 0; i < items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (items, i);
      SondeExplainChange change = sonde_explain_change_of (item);
      const SondeExplainItemSummary *summary = sonde_explain_item_get_summary (item);

      counts[change]++;
      n += summary->other >= 0 && summary->label >= 0;
      moved += change == SONDE_EXPLAIN_STILL && summary->other != summary->predicted;
    }
  models = g_strdup_printf (
      P_ ("%s: %.1f %% correct\n%s: %.1f %% correct\nof %u sample",
          "%s: %.1f %% correct\n%s: %.1f %% correct\nof %u samples", n),
      first,
      n > 0 ? 100.0 * (n - counts[SONDE_EXPLAIN_FIXED] - counts[SONDE_EXPLAIN_STILL]) / n : 0,
      second, n > 0 ? 100.0 * (n - counts[SONDE_EXPLAIN_NEW] - counts[SONDE_EXPLAIN_STILL]) / n : 0,
      n);
  gtk_label_set_text (GTK_LABEL (panel->models), models);
  for (guint i = 0; i < SONDE_N_EXPLAIN_CHANGES; i++)
    {
      g_autofree char *text = g_strdup_printf ("%u", counts[i]);

      gtk_label_set_text (GTK_LABEL (panel->count[i]), text);
      gtk_widget_set_sensitive (panel->row[i], counts[i] > 0);
    }
  detail = g_strdup_printf (_ ("Misclassified by both models; %u of them differently"), moved);
  gtk_label_set_text (GTK_LABEL (panel->both_wrong), detail);
  sentence = sonde_comparison_panel_dup_sentence (counts[SONDE_EXPLAIN_FIXED],
                                                  counts[SONDE_EXPLAIN_NEW]);
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
