/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/scalars/sonde-chart-list.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

struct _SondeChartList
{
  AdwBin parent_instance;
  GtkListBox *box;
  GtkLabel *problem;
  GtkWidget *entry, *choice;
  GtkStringList *choices;
  GPtrArray *texts; /* NULL at its end */
  SondeChartListCheck check;
  gboolean setting_up;
};

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeChartList, sonde_chart_list, ADW_TYPE_BIN)

static void
on_remove (GtkButton *button, SondeChartList *list)
{
  const char *text = g_object_get_data (G_OBJECT (button), "text");
  g_autoptr (GPtrArray) left = g_ptr_array_new ();
  g_auto (GStrv) texts = NULL;

  for (guint i = 0; i + 1 < list->texts->len; i++)
    if (!g_str_equal (list->texts->pdata[i], text))
      g_ptr_array_add (left, list->texts->pdata[i]);
  g_ptr_array_add (left, NULL);
  texts = g_strdupv ((char **) left->pdata);
  sonde_chart_list_set_texts (list, (const char *const *) texts);
  g_signal_emit (list, signals[CHANGED], 0);
}

static GtkWidget *
make_row (SondeChartList *list, const char *text)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *button = gtk_button_new_from_icon_name ("list-remove-symbolic");
  g_autofree char *visible = sonde_text_make_visible (text);
  g_autofree char *label = g_strdup_printf (_ ("Remove “%s”"), visible);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  g_object_set_data_full (G_OBJECT (button), "text", g_strdup (text), g_free);
  g_signal_connect (button, "clicked", G_CALLBACK (on_remove), list);
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), visible);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
  return row;
}

static gboolean
is_same (SondeChartList *list, const char *const *texts)
{
  guint n = texts != NULL ? g_strv_length ((char **) texts) : 0;

  for (guint i = 0; i < n && n + 1 == list->texts->len; i++)
    if (!g_str_equal (list->texts->pdata[i], texts[i]))
      return FALSE;
  return n + 1 == list->texts->len;
}

void
sonde_chart_list_set_texts (SondeChartList *list, const char *const *texts)
{
  GtkListBoxRow *row;

  g_return_if_fail (SONDE_IS_CHART_LIST (list));
  if (is_same (list, texts))
    return;
  while ((row = gtk_list_box_get_row_at_index (list->box, 0)) != NULL
         && GTK_WIDGET (row) != list->entry && GTK_WIDGET (row) != list->choice)
    gtk_list_box_remove (list->box, GTK_WIDGET (row));
  g_ptr_array_set_size (list->texts, 0);
  for (guint i = 0; texts != NULL && texts[i] != NULL; i++)
    {
      g_ptr_array_add (list->texts, g_strdup (texts[i]));
      gtk_list_box_insert (list->box, make_row (list, texts[i]), (int) i);
    }
  g_ptr_array_add (list->texts, NULL);
}

const char *const *
sonde_chart_list_get_texts (SondeChartList *list)
{
  g_return_val_if_fail (SONDE_IS_CHART_LIST (list), NULL);
  return (const char *const *) list->texts->pdata;
}

/* At the end, once. */
static void
append (SondeChartList *list, const char *text)
{
  g_autoptr (GPtrArray) more = g_ptr_array_new ();
  g_auto (GStrv) texts = NULL;

  for (guint i = 0; i + 1 < list->texts->len; i++)
    {
      if (g_str_equal (list->texts->pdata[i], text))
        return;
      g_ptr_array_add (more, list->texts->pdata[i]);
    }
  g_ptr_array_add (more, (char *) text);
  g_ptr_array_add (more, NULL);
  texts = g_strdupv ((char **) more->pdata);
  sonde_chart_list_set_texts (list, (const char *const *) texts);
  g_signal_emit (list, signals[CHANGED], 0);
}

gboolean
sonde_chart_list_add (SondeChartList *list, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *checked = NULL;

  g_return_val_if_fail (SONDE_IS_CHART_LIST (list), FALSE);
  checked = list->check (text, &error);
  gtk_widget_set_visible (GTK_WIDGET (list->problem), checked == NULL);
  if (checked == NULL)
    {
      gtk_widget_add_css_class (list->entry, "error");
      gtk_label_set_label (list->problem, sonde_error_get_text (error));
      return FALSE;
    }
  gtk_widget_remove_css_class (list->entry, "error");
  append (list, checked);
  return TRUE;
}

static void
on_apply (SondeChartList *list)
{
  if (sonde_chart_list_add (list, gtk_editable_get_text (GTK_EDITABLE (list->entry))))
    gtk_editable_set_text (GTK_EDITABLE (list->entry), "");
}

static void
on_chosen (SondeChartList *list)
{
  guint selected = adw_combo_row_get_selected (ADW_COMBO_ROW (list->choice));

  if (list->setting_up || selected == GTK_INVALID_LIST_POSITION)
    return;
  append (list, gtk_string_list_get_string (list->choices, selected));
  list->setting_up = TRUE;
  adw_combo_row_set_selected (ADW_COMBO_ROW (list->choice), GTK_INVALID_LIST_POSITION);
  list->setting_up = FALSE;
}

void
sonde_chart_list_set_choices (SondeChartList *list, const char *const *choices)
{
  g_return_if_fail (SONDE_IS_CHART_LIST (list));
  list->setting_up = TRUE;
  gtk_string_list_splice (list->choices, 0, g_list_model_get_n_items (G_LIST_MODEL (list->choices)),
                          choices);
  adw_combo_row_set_selected (ADW_COMBO_ROW (list->choice), GTK_INVALID_LIST_POSITION);
  list->setting_up = FALSE;
  gtk_widget_set_visible (list->choice, choices != NULL);
}

static void
sonde_chart_list_dispose (GObject *object)
{
  SondeChartList *list = SONDE_CHART_LIST (object);

  list->setting_up = TRUE;
  g_clear_pointer (&list->texts, g_ptr_array_unref);
  g_clear_object (&list->choices);
  G_OBJECT_CLASS (sonde_chart_list_parent_class)->dispose (object);
}

static void
sonde_chart_list_class_init (SondeChartListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_chart_list_dispose;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_chart_list_init (SondeChartList *list)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  list->texts = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (list->texts, NULL);
  list->choices = gtk_string_list_new (NULL);
  list->box = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (list->box, GTK_SELECTION_NONE);
  gtk_widget_add_css_class (GTK_WIDGET (list->box), "boxed-list");
  list->entry = adw_entry_row_new ();
  adw_entry_row_set_show_apply_button (ADW_ENTRY_ROW (list->entry), TRUE);
  g_signal_connect_swapped (list->entry, "apply", G_CALLBACK (on_apply), list);
  list->choice = adw_combo_row_new ();
  adw_combo_row_set_model (ADW_COMBO_ROW (list->choice), G_LIST_MODEL (list->choices));
  g_signal_connect_swapped (list->choice, "notify::selected", G_CALLBACK (on_chosen), list);
  gtk_widget_set_visible (list->choice, FALSE);
  gtk_list_box_append (list->box, list->choice);
  gtk_list_box_append (list->box, list->entry);
  list->problem = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_wrap (list->problem, TRUE);
  gtk_label_set_xalign (list->problem, 0);
  gtk_widget_add_css_class (GTK_WIDGET (list->problem), "error");
  gtk_widget_add_css_class (GTK_WIDGET (list->problem), "caption");
  gtk_widget_set_visible (GTK_WIDGET (list->problem), FALSE);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (list->box));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (list->problem));
  adw_bin_set_child (ADW_BIN (list), box);
}

GtkWidget *
sonde_chart_list_new (const char *title, SondeChartListCheck check)
{
  SondeChartList *list = g_object_new (SONDE_TYPE_CHART_LIST, NULL);

  list->check = check;
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (list->entry), title);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (list->choice), _ ("Add a tag"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (list->box), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  return GTK_WIDGET (list);
}
