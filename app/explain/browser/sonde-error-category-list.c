/* SPDX-License-Identifier: Apache-2.0
 * Rows stand in the order in which the first that matches is the reason. */
#include "app/explain/browser/sonde-error-category-list.h"

struct _SondeErrorCategoryList
{
  AdwBin parent_instance;

  GtkWidget *stack, *list, *notes, *empty, *button;
  GtkWidget *row[SONDE_N_CATEGORIES], *count[SONDE_N_CATEGORIES], *bar[SONDE_N_CATEGORIES];
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeErrorCategoryList, sonde_error_category_list, ADW_TYPE_BIN)

static guint chosen_signal;

/* What each says, and what to do about it. */
static const char *const sentences[SONDE_N_CATEGORIES] = {
  "A nearly identical image has another label. Decide on one label, or drop both images.",
  "A small patch that other misclassifications share decides. Covering it changes the prediction.",
  "The model and the nearest neighbours contradict the label. Check the label first.",
  "Unlike anything seen in training. More data of this kind would help.",
  "The true class came a close second. Such cases occur near any decision boundary.",
  "The map highlights pixels outside the object, perhaps a spurious correlation.",
  "High-confidence error, no other finding. The most instructive ones to look at.",
  "No rule matches.",
};

void
sonde_error_category_list_set_counts (SondeErrorCategoryList *reasons, const guint *counts,
                                      GPtrArray *notes)
{
  GString *text = g_string_new (NULL);
  guint all = 0;

  g_return_if_fail (SONDE_IS_ERROR_CATEGORY_LIST (reasons));
  for (guint i = 0; counts != NULL && i < SONDE_N_CATEGORIES; i++)
    all += counts[i];
  for (guint i = 0; counts != NULL && i < SONDE_N_CATEGORIES; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", counts[i]);

      gtk_label_set_text (GTK_LABEL (reasons->count[i]), number);
      gtk_level_bar_set_value (GTK_LEVEL_BAR (reasons->bar[i]),
                               all > 0 ? (double) counts[i] / all : 0);
      gtk_widget_set_sensitive (reasons->row[i], counts[i] > 0);
    }
  for (guint i = 0; notes != NULL && i < notes->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "", (char *) g_ptr_array_index (notes, i));
  gtk_label_set_text (GTK_LABEL (reasons->notes), text->str);
  gtk_widget_set_visible (reasons->notes, text->len > 0);
  gtk_stack_set_visible_child_name (GTK_STACK (reasons->stack),
                                    counts != NULL && all > 0 ? "list" : "empty");
  g_string_free (text, TRUE);
}

void
sonde_error_category_list_set_empty (SondeErrorCategoryList *reasons, const char *sentence,
                                     const char *button, const char *action)
{
  g_autofree char *escaped = g_markup_escape_text (sentence, -1);

  g_return_if_fail (SONDE_IS_ERROR_CATEGORY_LIST (reasons));
  adw_status_page_set_description (ADW_STATUS_PAGE (reasons->empty), escaped);
  gtk_button_set_label (GTK_BUTTON (reasons->button), button != NULL ? button : "");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (reasons->button), action);
  gtk_widget_set_visible (reasons->button, button != NULL);
  gtk_stack_set_visible_child_name (GTK_STACK (reasons->stack), "empty");
}

void
sonde_error_category_list_choose (SondeErrorCategoryList *reasons, SondeErrorCategory reason)
{
  g_return_if_fail (SONDE_IS_ERROR_CATEGORY_LIST (reasons));
  reasons->updating = TRUE;
  if (reason < SONDE_N_CATEGORIES)
    gtk_list_box_select_row (GTK_LIST_BOX (reasons->list), GTK_LIST_BOX_ROW (reasons->row[reason]));
  else
    gtk_list_box_unselect_all (GTK_LIST_BOX (reasons->list));
  reasons->updating = FALSE;
}

static void
on_row_selected (GtkListBox *list, GtkListBoxRow *row, SondeErrorCategoryList *self)
{
  if (!self->updating)
    g_signal_emit (self, chosen_signal, 0,
                   row != NULL ? (guint) gtk_list_box_row_get_index (row) : SONDE_N_CATEGORIES);
}

static GtkWidget *
make_row (SondeErrorCategoryList *self, guint reason)
{
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *title = gtk_label_new (sonde_error_category_get_title (reason)),
            *sentence = gtk_label_new (sentences[reason]);

  self->count[reason] = gtk_label_new ("0");
  self->bar[reason] = gtk_level_bar_new ();
  self->row[reason] = row;
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (title, "heading");
  gtk_widget_add_css_class (self->count[reason], "numeric");
  gtk_label_set_xalign (GTK_LABEL (sentence), 0);
  gtk_label_set_wrap (GTK_LABEL (sentence), TRUE);
  gtk_widget_add_css_class (sentence, "caption");
  gtk_widget_add_css_class (sentence, "dim-label");
  gtk_widget_add_css_class (self->bar[reason], "plain-bar");
  for (int i = 0; i < 3; i++)
    {
      static const char *const offsets[]
          = { GTK_LEVEL_BAR_OFFSET_LOW, GTK_LEVEL_BAR_OFFSET_HIGH, GTK_LEVEL_BAR_OFFSET_FULL };

      gtk_level_bar_remove_offset_value (GTK_LEVEL_BAR (self->bar[reason]), offsets[i]);
    }
  gtk_box_append (GTK_BOX (head), title);
  gtk_box_append (GTK_BOX (head), self->count[reason]);
  gtk_box_append (GTK_BOX (box), head);
  gtk_box_append (GTK_BOX (box), self->bar[reason]);
  gtk_box_append (GTK_BOX (box), sentence);
  gtk_widget_add_css_class (box, "reason-row");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  sonde_error_category_get_title (reason), -1);
  return row;
}

static void
sonde_error_category_list_class_init (SondeErrorCategoryListClass *klass)
{
  chosen_signal = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
sonde_error_category_list_init (SondeErrorCategoryList *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6),
            *scrolled = gtk_scrolled_window_new ();

  self->list = gtk_list_box_new ();
  gtk_widget_add_css_class (self->list, "navigation-sidebar");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Reasons of misclassifications", -1);
  for (guint i = 0; i < SONDE_N_CATEGORIES; i++)
    gtk_list_box_append (GTK_LIST_BOX (self->list), make_row (self, i));
  self->notes = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->notes), 0);
  gtk_label_set_wrap (GTK_LABEL (self->notes), TRUE);
  gtk_widget_add_css_class (self->notes, "caption");
  gtk_widget_add_css_class (self->notes, "dim-label");
  gtk_widget_add_css_class (self->notes, "pane-note");
  gtk_box_append (GTK_BOX (box), self->list);
  gtk_box_append (GTK_BOX (box), self->notes);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), box);
  self->empty = adw_status_page_new ();
  self->button = gtk_button_new ();
  gtk_widget_set_halign (self->button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (self->button, "pill");
  gtk_widget_add_css_class (self->empty, "compact");
  adw_status_page_set_child (ADW_STATUS_PAGE (self->empty), self->button);
  self->stack = gtk_stack_new ();
  gtk_stack_add_named (GTK_STACK (self->stack), scrolled, "list");
  gtk_stack_add_named (GTK_STACK (self->stack), self->empty, "empty");
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), "empty");
  gtk_widget_set_vexpand (self->stack, TRUE);
  adw_bin_set_child (ADW_BIN (self), self->stack);
  g_signal_connect (self->list, "row-selected", G_CALLBACK (on_row_selected), self);
}

GtkWidget *
sonde_error_category_list_new (void)
{
  return g_object_new (SONDE_TYPE_ERROR_CATEGORY_LIST, NULL);
}
