/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-column-chooser.h"

#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-text.h"

#include <string.h>

#define LIST_WIDTH 320 /* px */
#define LIST_HEIGHT 360

struct _SondeColumnChooser
{
  GtkBox parent_instance;
  GtkMenuButton *button;
  GtkStringList *names; /* of the columns */
  GtkFilter *filter;
  char *search; /* folded */
  SondeColumnChoices *choices;
};

G_DEFINE_FINAL_TYPE (SondeColumnChooser, sonde_column_chooser, GTK_TYPE_BOX)

static guint opened;

static const SondeColumnChoice *
find_column (SondeColumnChooser *chooser, const char *name)
{
  GPtrArray *columns = sonde_column_choices_get_columns (chooser->choices);

  for (guint i = 0; i < columns->len; i++)
    if (g_str_equal (((SondeColumnChoice *) columns->pdata[i])->name, name))
      return columns->pdata[i];
  return NULL;
}

/* ---- a line -------------------------------------------------------------- */

static void
on_toggled (GtkCheckButton *check, GtkListItem *item)
{
  SondeColumnChooser *chooser = g_object_get_data (G_OBJECT (item), "chooser");
  GtkStringObject *name = gtk_list_item_get_item (item);

  if (name != NULL)
    sonde_column_choices_set_shown (chooser->choices, gtk_string_object_get_string (name),
                                    gtk_check_button_get_active (check));
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, SondeColumnChooser *chooser)
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

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, SondeColumnChooser *chooser)
{
  GtkWidget *box = gtk_list_item_get_child (item), *check = gtk_widget_get_first_child (box);
  GtkWidget *note = gtk_widget_get_last_child (box);
  const char *name = gtk_string_object_get_string (gtk_list_item_get_item (item));
  const SondeColumnChoice *column = find_column (chooser, name);

  if (column == NULL)
    return;
  g_signal_handlers_block_by_func (check, on_toggled, item);
  gtk_check_button_set_label (GTK_CHECK_BUTTON (check), column->title);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check),
                               sonde_column_choices_is_shown (chooser->choices, name));
  g_signal_handlers_unblock_by_func (check, on_toggled, item);
  gtk_label_set_text (GTK_LABEL (note), column->note != NULL ? column->note : "");
  sonde_list_item_set_name (item, column->title);
}

/* ---- the list ------------------------------------------------------------ */

static void
update_label (SondeColumnChooser *chooser)
{
  guint shown = sonde_column_choices_count_shown (chooser->choices);
  guint all = sonde_column_choices_get_columns (chooser->choices)->len;
  g_autofree char *text = shown < all ? g_strdup_printf (_ ("Columns (%u of %u)"), shown, all)
                                      : g_strdup (_ ("Columns"));

  if (g_strcmp0 (gtk_menu_button_get_label (chooser->button), text) != 0)
    sonde_menu_button_set_words (chooser->button, text);
}

/* All boxes again. */
static void
fill_names (SondeColumnChooser *chooser)
{
  GPtrArray *columns = sonde_column_choices_get_columns (chooser->choices);
  g_autofree const char **names = g_new0 (const char *, columns->len + 1);

  for (guint i = 0; i < columns->len; i++)
    names[i] = ((SondeColumnChoice *) columns->pdata[i])->name;
  gtk_string_list_splice (chooser->names, 0,
                          g_list_model_get_n_items (G_LIST_MODEL (chooser->names)), names);
  update_label (chooser);
}

/* By what a person reads. */
static gboolean
matches (gpointer item, gpointer data)
{
  SondeColumnChooser *chooser = data;
  const SondeColumnChoice *column = find_column (chooser, gtk_string_object_get_string (item));
  g_autofree char *title = column != NULL ? g_utf8_casefold (column->title, -1) : NULL;

  return title != NULL && strstr (title, chooser->search) != NULL;
}

static void
on_search (SondeColumnChooser *chooser, GtkSearchEntry *entry)
{
  g_free (chooser->search);
  chooser->search = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (entry)), -1);
  gtk_filter_changed (chooser->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

static void
on_usual (SondeColumnChooser *chooser)
{
  sonde_column_choices_reset (chooser->choices);
}

static void
on_show (SondeColumnChooser *chooser)
{
  g_signal_emit (chooser, opened, 0);
}

static GtkWidget *
make_list (SondeColumnChooser *chooser)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkFilterListModel *filtered;
  GtkWidget *list, *scrolled = gtk_scrolled_window_new ();

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), chooser);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), chooser);
  chooser->filter = GTK_FILTER (gtk_custom_filter_new (matches, chooser, NULL));
  filtered = gtk_filter_list_model_new (g_object_ref (G_LIST_MODEL (chooser->names)),
                                        g_object_ref (chooser->filter));
  list = gtk_list_view_new (GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (filtered))),
                            factory);
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Columns"), -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), list);
  gtk_widget_set_size_request (scrolled, LIST_WIDTH, LIST_HEIGHT);
  return scrolled;
}

static GtkWidget *
make_popover (SondeColumnChooser *chooser, const char *title)
{
  GtkWidget *popover = gtk_popover_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *entry = gtk_search_entry_new ();
  GtkWidget *usual = gtk_button_new_with_label (title);

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
sonde_column_chooser_dispose (GObject *object)
{
  SondeColumnChooser *chooser = SONDE_COLUMN_CHOOSER (object);

  if (chooser->button != NULL)
    gtk_menu_button_set_popover (chooser->button, NULL);
  chooser->button = NULL;
  g_clear_object (&chooser->filter);
  g_clear_object (&chooser->names);
  g_clear_object (&chooser->choices);
  G_OBJECT_CLASS (sonde_column_chooser_parent_class)->dispose (object);
}

static void
sonde_column_chooser_finalize (GObject *object)
{
  g_free (SONDE_COLUMN_CHOOSER (object)->search);
  G_OBJECT_CLASS (sonde_column_chooser_parent_class)->finalize (object);
}

static void
sonde_column_chooser_class_init (SondeColumnChooserClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_column_chooser_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_column_chooser_finalize;
  opened = g_signal_new ("opened", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                         NULL, G_TYPE_NONE, 0);
}

static void
sonde_column_chooser_init (SondeColumnChooser *chooser)
{
  chooser->names = gtk_string_list_new (NULL);
  chooser->search = g_strdup ("");
  chooser->button = GTK_MENU_BUTTON (gtk_menu_button_new ());
  gtk_box_append (GTK_BOX (chooser), GTK_WIDGET (chooser->button));
}

GtkWidget *
sonde_column_chooser_new (SondeColumnChoices *choices, const char *usual)
{
  SondeColumnChooser *chooser = g_object_new (SONDE_TYPE_COLUMN_CHOOSER, NULL);

  chooser->choices = g_object_ref (choices);
  gtk_menu_button_set_popover (chooser->button, make_popover (chooser, usual));
  g_signal_connect_object (gtk_menu_button_get_popover (chooser->button), "show",
                           G_CALLBACK (on_show), chooser, G_CONNECT_SWAPPED);
  g_signal_connect_object (choices, "toggled", G_CALLBACK (update_label), chooser,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (choices, "reset", G_CALLBACK (fill_names), chooser, G_CONNECT_SWAPPED);
  g_signal_connect_object (choices, "listed", G_CALLBACK (fill_names), chooser, G_CONNECT_SWAPPED);
  fill_names (chooser);
  return GTK_WIDGET (chooser);
}
