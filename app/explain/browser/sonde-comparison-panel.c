/* SPDX-License-Identifier: Apache-2.0
 * Three rows and what they mean together. */
#include "app/explain/browser/sonde-comparison-panel.h"

#include "data/values/sonde-sign-test.h"

struct _SondeComparisonPanel
{
  AdwBin parent_instance;

  GtkWidget *stack, *models, *list, *sentence;
  GtkWidget *row[SONDE_N_EXPLAIN_CHANGES], *count[SONDE_N_EXPLAIN_CHANGES],
      *detail[SONDE_N_EXPLAIN_CHANGES];
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeComparisonPanel, sonde_comparison_panel, ADW_TYPE_BIN)

static guint chosen_signal;

static const struct
{
  const char *title, *detail, *icon;
} changes[SONDE_N_EXPLAIN_CHANGES] = {
  { "Fixed", "Wrong by the first model, right by the second", "emblem-ok-symbolic" },
  { "New", "Right by the first model, wrong by the second", "list-add-symbolic" },
  { "Still Wrong", "Wrong by both models", "process-stop-symbolic" },
};

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
    return g_strdup ("Both models are right and wrong on the same samples.");
  return g_strdup_printf (
      "%s: %u fixed against %u new. Two equally good models differ at least as much with "
      "p = %.2g (McNemar’s exact test).",
      p >= 0.05         ? "The difference may be chance"
      : fixed > spoiled ? "The second model is better"
                        : "The first model is better",
      fixed, spoiled, p);
}

void
sonde_comparison_panel_set_items (SondeComparisonPanel *compare, GPtrArray *items,
                                  const char *first, const char *second)
{
  guint counts[SONDE_N_EXPLAIN_CHANGES + 1] = { 0 }, n = 0, moved = 0;
  g_autofree char *models = NULL, *sentence = NULL;

  g_return_if_fail (SONDE_IS_COMPARISON_PANEL (compare));
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
      "%s: %.1f %% right\n%s: %.1f %% right\nof %u samples that both answered", first,
      n > 0 ? 100.0 * (n - counts[SONDE_EXPLAIN_FIXED] - counts[SONDE_EXPLAIN_STILL]) / n : 0,
      second, n > 0 ? 100.0 * (n - counts[SONDE_EXPLAIN_NEW] - counts[SONDE_EXPLAIN_STILL]) / n : 0,
      n);
  gtk_label_set_text (GTK_LABEL (compare->models), models);
  for (guint i = 0; i < SONDE_N_EXPLAIN_CHANGES; i++)
    {
      g_autofree char *text = g_strdup_printf ("%u", counts[i]);

      gtk_label_set_text (GTK_LABEL (compare->count[i]), text);
      gtk_widget_set_sensitive (compare->row[i], counts[i] > 0);
    }
  {
    g_autofree char *detail = g_strdup_printf ("%s; %u of them otherwise than before",
                                               changes[SONDE_EXPLAIN_STILL].detail, moved);

    gtk_label_set_text (GTK_LABEL (compare->detail[SONDE_EXPLAIN_STILL]), detail);
  }
  sentence = sonde_comparison_panel_dup_sentence (counts[SONDE_EXPLAIN_FIXED],
                                                  counts[SONDE_EXPLAIN_NEW]);
  gtk_label_set_text (GTK_LABEL (compare->sentence), sentence);
  gtk_stack_set_visible_child_name (GTK_STACK (compare->stack), "list");
}

void
sonde_comparison_panel_clear (SondeComparisonPanel *compare)
{
  g_return_if_fail (SONDE_IS_COMPARISON_PANEL (compare));
  gtk_stack_set_visible_child_name (GTK_STACK (compare->stack), "empty");
}

void
sonde_comparison_panel_choose (SondeComparisonPanel *compare, SondeExplainChange change)
{
  g_return_if_fail (SONDE_IS_COMPARISON_PANEL (compare));
  compare->updating = TRUE;
  if (change < SONDE_N_EXPLAIN_CHANGES)
    gtk_list_box_select_row (GTK_LIST_BOX (compare->list), GTK_LIST_BOX_ROW (compare->row[change]));
  else
    gtk_list_box_unselect_all (GTK_LIST_BOX (compare->list));
  compare->updating = FALSE;
}

static void
on_row_selected (GtkListBox *list, GtkListBoxRow *row, SondeComparisonPanel *self)
{
  if (!self->updating)
    g_signal_emit (self, chosen_signal, 0,
                   row != NULL ? (guint) gtk_list_box_row_get_index (row)
                               : SONDE_N_EXPLAIN_CHANGES);
}

static GtkWidget *
make_label (const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (label, class);
  gtk_widget_add_css_class (label, "numeric");
  return label;
}

static GtkWidget *
make_row (SondeComparisonPanel *self, guint change)
{
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *text = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);

  self->row[change] = row;
  self->count[change] = make_label ("0", "title-4");
  self->detail[change] = make_label (changes[change].detail, "caption");
  gtk_widget_add_css_class (self->detail[change], "dim-label");
  gtk_box_append (GTK_BOX (text), make_label (changes[change].title, "heading"));
  gtk_box_append (GTK_BOX (text), self->detail[change]);
  gtk_widget_set_hexpand (text, TRUE);
  gtk_box_append (GTK_BOX (box), gtk_image_new_from_icon_name (changes[change].icon));
  gtk_box_append (GTK_BOX (box), text);
  gtk_box_append (GTK_BOX (box), self->count[change]);
  gtk_widget_add_css_class (box, "reason-row");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  changes[change].title, -1);
  return row;
}

static GtkWidget *
make_button (const char *label)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_widget_set_halign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "pill");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "explain.compare");
  return button;
}

static void
sonde_comparison_panel_class_init (SondeComparisonPanelClass *klass)
{
  chosen_signal = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
sonde_comparison_panel_init (SondeComparisonPanel *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12), *empty = adw_status_page_new ();

  self->models = make_label ("", "pane-note");
  self->sentence = make_label ("", "pane-note");
  self->list = gtk_list_box_new ();
  gtk_widget_add_css_class (self->list, "navigation-sidebar");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "What became of the misclassifications", -1);
  for (guint i = 0; i < SONDE_N_EXPLAIN_CHANGES; i++)
    gtk_list_box_append (GTK_LIST_BOX (self->list), make_row (self, i));
  gtk_box_append (GTK_BOX (box), self->models);
  gtk_box_append (GTK_BOX (box), self->list);
  gtk_box_append (GTK_BOX (box), self->sentence);
  gtk_box_append (GTK_BOX (box), make_button ("Another Second Model…"));
  adw_status_page_set_title (ADW_STATUS_PAGE (empty), "Compare Two Models");
  adw_status_page_set_description (
      ADW_STATUS_PAGE (empty),
      "A second model on the same samples shows which misclassifications are fixed, which are new "
      "and which are still made.");
  adw_status_page_set_child (ADW_STATUS_PAGE (empty), make_button ("Choose the Second Model…"));
  gtk_widget_add_css_class (empty, "compact");
  self->stack = gtk_stack_new ();
  gtk_stack_add_named (GTK_STACK (self->stack), empty, "empty");
  gtk_stack_add_named (GTK_STACK (self->stack), box, "list");
  gtk_widget_set_vexpand (self->stack, TRUE);
  adw_bin_set_child (ADW_BIN (self), self->stack);
  g_signal_connect (self->list, "row-selected", G_CALLBACK (on_row_selected), self);
}

GtkWidget *
sonde_comparison_panel_new (void)
{
  return g_object_new (SONDE_TYPE_COMPARISON_PANEL, NULL);
}
