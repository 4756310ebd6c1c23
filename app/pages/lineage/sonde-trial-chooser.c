/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/lineage/sonde-trial-chooser.h"

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define LIST_WIDTH 320 /* px */
#define LIST_HEIGHT 360

struct _SondeTrialChooser
{
  GtkBox parent_instance;
  GtkMenuButton *button;
  GtkStringList *names; /* of the table's columns */
  GtkStringFilter *filter;
  SondeTrialTable *table;
};

G_DEFINE_FINAL_TYPE (SondeTrialChooser, sonde_trial_chooser, GTK_TYPE_BOX)

static SondeTrialColumn *
find_column (SondeTrialChooser *chooser, const char *name)
{
  GPtrArray *columns = sonde_trial_table_get_columns (chooser->table);

  for (guint i = 0; i < columns->len; i++)
    if (g_str_equal (((SondeTrialColumn *) columns->pdata[i])->name, name))
      return columns->pdata[i];
  return NULL;
}

/* ---- a line -------------------------------------------------------------- */

static void
on_toggled (GtkCheckButton *check, GtkListItem *item)
{
  SondeTrialChooser *chooser = g_object_get_data (G_OBJECT (item), "chooser");
  GtkStringObject *name = gtk_list_item_get_item (item);

  if (name != NULL)
    sonde_trial_table_set_shown (chooser->table, gtk_string_object_get_string (name),
                                 gtk_check_button_get_active (check));
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, SondeTrialChooser *chooser)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *check = gtk_check_button_new ();
  GtkWidget *note = gtk_label_new (NULL);

  g_object_set_data (G_OBJECT (item), "chooser", chooser);
  gtk_widget_set_hexpand (check, TRUE);
  gtk_widget_add_css_class (note, "dim-label");
  gtk_label_set_ellipsize (GTK_LABEL (note), PANGO_ELLIPSIZE_END);
  gtk_box_append (GTK_BOX (box), check);
  gtk_box_append (GTK_BOX (box), note);
  g_signal_connect (check, "toggled", G_CALLBACK (on_toggled), item);
  gtk_list_item_set_activatable (item, FALSE);
  gtk_list_item_set_child (item, box);
}

/* What the name alone does not say. (transfer full) */
static char *
describe (const SondeTrialColumn *column)
{
  if (column->twin != NULL)
    return g_strdup_printf (_ ("same as %s"), column->twin);
  if (column->rank == SONDE_TRIAL_METRIC)
    return g_strdup (_ ("metric"));
  return g_strdup (column->rank == SONDE_TRIAL_SAME ? _ ("equal in all") : "");
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, SondeTrialChooser *chooser)
{
  GtkWidget *box = gtk_list_item_get_child (item), *check = gtk_widget_get_first_child (box);
  GtkWidget *note = gtk_widget_get_last_child (box);
  const char *name = gtk_string_object_get_string (gtk_list_item_get_item (item));
  const SondeTrialColumn *column = find_column (chooser, name);
  g_autofree char *visible = sonde_text_make_visible (name);
  g_autofree char *text = column != NULL ? describe (column) : g_strdup ("");
  g_autofree char *shown = sonde_text_make_visible (text);

  g_signal_handlers_block_by_func (check, on_toggled, item);
  gtk_check_button_set_label (GTK_CHECK_BUTTON (check), visible);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check),
                               column != NULL
                                   && sonde_trial_table_is_shown (chooser->table, column));
  g_signal_handlers_unblock_by_func (check, on_toggled, item);
  gtk_label_set_text (GTK_LABEL (note), shown);
}

/* ---- the list ------------------------------------------------------------ */

static gboolean
same_names (SondeTrialChooser *chooser, GPtrArray *columns)
{
  if (columns->len != g_list_model_get_n_items (G_LIST_MODEL (chooser->names)))
    return FALSE;
  for (guint i = 0; i < columns->len; i++)
    if (!g_str_equal (gtk_string_list_get_string (chooser->names, i),
                      ((SondeTrialColumn *) columns->pdata[i])->name))
      return FALSE;
  return TRUE;
}

static void
fill_names (SondeTrialChooser *chooser)
{
  GPtrArray *columns = sonde_trial_table_get_columns (chooser->table);
  g_autofree const char **names = g_new0 (const char *, columns->len + 1);

  for (guint i = 0; i < columns->len; i++)
    names[i] = ((SondeTrialColumn *) columns->pdata[i])->name;
  gtk_string_list_splice (chooser->names, 0,
                          g_list_model_get_n_items (G_LIST_MODEL (chooser->names)), names);
}

void
sonde_trial_chooser_update (SondeTrialChooser *chooser)
{
  GPtrArray *columns;
  g_autoptr (GPtrArray) shown = NULL;
  g_autofree char *text = NULL;

  g_return_if_fail (SONDE_IS_TRIAL_CHOOSER (chooser));
  columns = sonde_trial_table_get_columns (chooser->table);
  shown = sonde_trial_table_list_shown (chooser->table);
  text = g_strdup_printf (_ ("Columns (%u of %u)"), shown->len, columns->len);
  if (g_strcmp0 (gtk_menu_button_get_label (chooser->button), text) != 0)
    gtk_menu_button_set_label (chooser->button, text);
  if (!same_names (chooser, columns))
    fill_names (chooser);
}

static void
on_search (SondeTrialChooser *chooser, GtkSearchEntry *entry)
{
  gtk_string_filter_set_search (chooser->filter, gtk_editable_get_text (GTK_EDITABLE (entry)));
}

static void
on_usual (SondeTrialChooser *chooser)
{
  sonde_trial_table_show_usual (chooser->table);
  fill_names (chooser); /* all boxes again */
}

static GtkWidget *
make_list (SondeTrialChooser *chooser)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkExpression *string = gtk_property_expression_new (GTK_TYPE_STRING_OBJECT, NULL, "string");
  GtkFilterListModel *filtered;
  GtkWidget *list, *scrolled = gtk_scrolled_window_new ();

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), chooser);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), chooser);
  chooser->filter = gtk_string_filter_new (string);
  filtered = gtk_filter_list_model_new (g_object_ref (G_LIST_MODEL (chooser->names)),
                                        g_object_ref (GTK_FILTER (chooser->filter)));
  list = gtk_list_view_new (GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (filtered))),
                            factory);
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Columns"), -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), list);
  gtk_widget_set_size_request (scrolled, LIST_WIDTH, LIST_HEIGHT);
  return scrolled;
}

static GtkWidget *
make_popover (SondeTrialChooser *chooser)
{
  GtkWidget *popover = gtk_popover_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *entry = gtk_search_entry_new ();
  GtkWidget *usual = gtk_button_new_with_label (_ ("Only What Differs"));

  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Search columns"), -1);
  g_signal_connect_swapped (entry, "search-changed", G_CALLBACK (on_search), chooser);
  g_signal_connect_swapped (usual, "clicked", G_CALLBACK (on_usual), chooser);
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), make_list (chooser));
  gtk_box_append (GTK_BOX (box), usual);
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  return popover;
}

/* ---- making -------------------------------------------------------------- */

static void
sonde_trial_chooser_dispose (GObject *object)
{
  SondeTrialChooser *chooser = SONDE_TRIAL_CHOOSER (object);

  if (chooser->button != NULL)
    gtk_menu_button_set_popover (chooser->button, NULL);
  chooser->button = NULL;
  g_clear_object (&chooser->filter);
  g_clear_object (&chooser->names);
  g_clear_object (&chooser->table);
  G_OBJECT_CLASS (sonde_trial_chooser_parent_class)->dispose (object);
}

static void
sonde_trial_chooser_class_init (SondeTrialChooserClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_trial_chooser_dispose;
}

static void
sonde_trial_chooser_init (SondeTrialChooser *chooser)
{
  chooser->names = gtk_string_list_new (NULL);
  chooser->button = GTK_MENU_BUTTON (gtk_menu_button_new ());
  gtk_box_append (GTK_BOX (chooser), GTK_WIDGET (chooser->button));
}

GtkWidget *
sonde_trial_chooser_new (SondeTrialTable *table)
{
  SondeTrialChooser *chooser = g_object_new (SONDE_TYPE_TRIAL_CHOOSER, NULL);

  chooser->table = g_object_ref (table);
  gtk_menu_button_set_popover (chooser->button, make_popover (chooser));
  sonde_trial_chooser_update (chooser);
  return GTK_WIDGET (chooser);
}
