/* SPDX-License-Identifier: Apache-2.0
 * Rows stand in the order in which the first that matches is the category. */
#include "app/explain/browser/sonde-error-category-list.h"

#include "data/base/sonde-text.h"

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
  N_ ("A nearly identical image has another label. Decide on one label, or drop both images."),
  N_ ("A small patch that other misclassifications share decides. Covering it changes the "
      "prediction."),
  N_ ("The model and the nearest neighbours contradict the label. Check the label first."),
  N_ ("Unlike anything seen in training. More data of this kind would help."),
  N_ ("The true class came a close second. Such cases occur near any decision boundary."),
  N_ ("The map highlights pixels outside the object, perhaps a spurious correlation."),
  N_ ("High-confidence error, no other finding. The most instructive ones to look at."),
  N_ ("No rule matches."),
};

void
sonde_error_category_list_set_counts (SondeErrorCategoryList *categories, const guint *counts,
                                      GPtrArray *notes)
{
  GString *text = g_string_new (NULL);
  guint all = 0;

  g_return_if_fail (SONDE_IS_ERROR_CATEGORY_LIST (categories));
  for (guint i = 0; counts != NULL && i < SONDE_N_CATEGORIES; i++)
    all += counts[i];
  for (guint i = 0; counts != NULL && i < SONDE_N_CATEGORIES; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", counts[i]);

      gtk_label_set_text (GTK_LABEL (categories->count[i]), number);
      gtk_level_bar_set_value (GTK_LEVEL_BAR (categories->bar[i]),
                               all > 0 ? (double) counts[i] / all : 0);
      gtk_widget_set_sensitive (categories->row[i], counts[i] > 0);
    }
  for (guint i = 0; notes != NULL && i < notes->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "",
                            sonde_message_get_text (g_ptr_array_index (notes, i)));
  gtk_label_set_text (GTK_LABEL (categories->notes), text->str);
  gtk_widget_set_visible (categories->notes, text->len > 0);
  gtk_stack_set_visible_child_name (GTK_STACK (categories->stack),
                                    counts != NULL && all > 0 ? "list" : "empty");
  g_string_free (text, TRUE);
}

void
sonde_error_category_list_set_empty (SondeErrorCategoryList *categories, const char *sentence,
                                     const char *button, const char *action)
{
  g_autofree char *escaped = g_markup_escape_text (sentence, -1);

  g_return_if_fail (SONDE_IS_ERROR_CATEGORY_LIST (categories));
  adw_status_page_set_description (ADW_STATUS_PAGE (categories->empty), escaped);
  gtk_button_set_label (GTK_BUTTON (categories->button), button != NULL ? button : "");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (categories->button), action);
  gtk_widget_set_visible (categories->button, button != NULL);
  gtk_stack_set_visible_child_name (GTK_STACK (categories->stack), "empty");
}

void
sonde_error_category_list_choose (SondeErrorCategoryList *categories, SondeErrorCategory category)
{
  g_return_if_fail (SONDE_IS_ERROR_CATEGORY_LIST (categories));
  categories->updating = TRUE;
  if (category < SONDE_N_CATEGORIES)
    gtk_list_box_select_row (GTK_LIST_BOX (categories->list),
                             GTK_LIST_BOX_ROW (categories->row[category]));
  else
    gtk_list_box_unselect_all (GTK_LIST_BOX (categories->list));
  categories->updating = FALSE;
}

static void
on_row_selected (GtkListBox *list, GtkListBoxRow *row, SondeErrorCategoryList *self)
{
  if (!self->updating)
    g_signal_emit (self, chosen_signal, 0,
                   row != NULL ? (guint) gtk_list_box_row_get_index (row) : SONDE_N_CATEGORIES);
}

static GtkWidget *
make_row (SondeErrorCategoryList *self, guint category)
{
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *title = gtk_label_new (_ (sonde_error_category_get_title (category))),
            *sentence = gtk_label_new (_ (sentences[category]));

  self->count[category] = gtk_label_new ("0");
  self->bar[category] = gtk_level_bar_new ();
  self->row[category] = row;
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (title, "heading");
  gtk_widget_add_css_class (self->count[category], "numeric");
  gtk_label_set_xalign (GTK_LABEL (sentence), 0);
  gtk_label_set_wrap (GTK_LABEL (sentence), TRUE);
  gtk_widget_add_css_class (sentence, "caption");
  gtk_widget_add_css_class (sentence, "dim-label");
  gtk_widget_add_css_class (self->bar[category], "plain-bar");
  for (int i = 0; i < 3; i++)
    {
      static const char *const offsets[]
          = { GTK_LEVEL_BAR_OFFSET_LOW, GTK_LEVEL_BAR_OFFSET_HIGH, GTK_LEVEL_BAR_OFFSET_FULL };

      gtk_level_bar_remove_offset_value (GTK_LEVEL_BAR (self->bar[category]), offsets[i]);
    }
  gtk_box_append (GTK_BOX (head), title);
  gtk_box_append (GTK_BOX (head), self->count[category]);
  gtk_box_append (GTK_BOX (box), head);
  gtk_box_append (GTK_BOX (box), self->bar[category]);
  gtk_box_append (GTK_BOX (box), sentence);
  gtk_widget_add_css_class (box, "category-row");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (sonde_error_category_get_title (category)), -1);
  return row;
}

static void
sonde_error_category_list_dispose (GObject *object)
{
  SONDE_ERROR_CATEGORY_LIST (object)->updating = TRUE;
  G_OBJECT_CLASS (sonde_error_category_list_parent_class)->dispose (object);
}

static void
sonde_error_category_list_class_init (SondeErrorCategoryListClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_error_category_list_dispose;
  chosen_signal = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/browser/sonde-error-category-list.ui");
  gtk_widget_class_bind_template_child (widget, SondeErrorCategoryList, stack);
  gtk_widget_class_bind_template_child (widget, SondeErrorCategoryList, list);
  gtk_widget_class_bind_template_child (widget, SondeErrorCategoryList, notes);
  gtk_widget_class_bind_template_child (widget, SondeErrorCategoryList, empty);
  gtk_widget_class_bind_template_child (widget, SondeErrorCategoryList, button);
  gtk_widget_class_bind_template_callback (widget, on_row_selected);
}

static void
sonde_error_category_list_init (SondeErrorCategoryList *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint i = 0; i < SONDE_N_CATEGORIES; i++)
    gtk_list_box_append (GTK_LIST_BOX (self->list), make_row (self, i));
}

GtkWidget *
sonde_error_category_list_new (void)
{
  return g_object_new (SONDE_TYPE_ERROR_CATEGORY_LIST, NULL);
}
