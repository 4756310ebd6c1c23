/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/tables/sonde-operator-table.h"

#include <string.h>

#include "app/widgets/sonde-column-view.h"
#include "data/base/sonde-text.h"

/* ---- table --------------------------------------------------------------- */

struct _SondeOperatorTable
{
  AdwBin parent_instance;
  GtkColumnView *view;
  SondeOperatorList *rows;
  GtkSingleSelection *selection;
  GPtrArray *columns;                 /* const SondeOperatorColumn, those that are shown */
  const SondeOperatorColumn *sorting; /* (nullable) */
  char *filter;                       /* (nullable) */
  const SondeProfileOperator *kept;   /* (nullable): selected while the rows change */
  gboolean quiet;
};

G_DEFINE_FINAL_TYPE (SondeOperatorTable, sonde_operator_table, ADW_TYPE_BIN)

enum
{
  SELECTED,
  ACTIVATED,
  MENU,
  ARRANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* ---- cells --------------------------------------------------------------- */

static void
on_secondary (GtkGestureClick *gesture, int n, double x, double y, GtkListItem *item)
{
  GtkWidget *cell = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));
  SondeOperatorTable *table
      = SONDE_OPERATOR_TABLE (gtk_widget_get_ancestor (cell, SONDE_TYPE_OPERATOR_TABLE));

  if (table == NULL || gtk_list_item_get_position (item) == GTK_INVALID_LIST_POSITION)
    return;
  gtk_single_selection_set_selected (table->selection, gtk_list_item_get_position (item));
  g_signal_emit (table, signals[MENU], 0, cell, x, y);
}

static void
on_setup (GtkListItemFactory *factory, GtkListItem *item, const SondeOperatorColumn *column)
{
  GtkWidget *label = gtk_label_new (NULL);
  GtkGesture *secondary = gtk_gesture_click_new ();

  gtk_label_set_xalign (GTK_LABEL (label), column->number != NULL ? 1 : 0);
  if (column->number != NULL)
    gtk_widget_add_css_class (label, "numeric");
  else
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (secondary), GDK_BUTTON_SECONDARY);
  g_signal_connect_object (secondary, "pressed", G_CALLBACK (on_secondary), item, 0);
  gtk_widget_add_controller (label, GTK_EVENT_CONTROLLER (secondary));
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *item, const SondeOperatorColumn *column)
{
  const SondeOperatorCell *cell
      = sonde_operator_row_get_cell (SONDE_OPERATOR_ROW (gtk_list_item_get_item (item)));
  GtkWidget *label = gtk_list_item_get_child (item);
  g_autofree char *text = sonde_operator_column_dup_text (column, cell);
  g_autofree char *exact = sonde_operator_column_dup_exact (column, cell);

  gtk_label_set_text (GTK_LABEL (label), text);
  gtk_widget_set_tooltip_text (label, exact);
}

/* ---- order and filter ---------------------------------------------------- */

/* The sorter of the view does not tell by which column it sorts; asked to compare, it asks the one that does. */
static int
note_column (gconstpointer table, gconstpointer same, gpointer column)
{
  ((SondeOperatorTable *) table)->sorting = column;
  return -1;
}

static void
arrange (SondeOperatorTable *table)
{
  GtkSorter *sorter = gtk_column_view_get_sorter (table->view);
  GtkOrdering order;

  table->sorting = NULL;
  order = gtk_sorter_compare (sorter, table, table);
  sonde_operator_list_arrange (table->rows, table->sorting, order == GTK_ORDERING_LARGER,
                               table->filter);
}

void
sonde_operator_table_set_filter (SondeOperatorTable *table, const char *text)
{
  g_return_if_fail (SONDE_IS_OPERATOR_TABLE (table));
  if (g_strcmp0 (table->filter, text) == 0)
    return;
  g_free (table->filter);
  table->filter = g_strdup (text);
  arrange (table);
}

guint
sonde_operator_table_get_n_rows (SondeOperatorTable *table)
{
  g_return_val_if_fail (SONDE_IS_OPERATOR_TABLE (table), 0);
  return sonde_operator_list_get_n (table->rows);
}

/* ---- selection ----------------------------------------------------------- */

const SondeProfileOperator *
sonde_operator_table_get_selected (SondeOperatorTable *table)
{
  SondeOperatorRow *row;

  g_return_val_if_fail (SONDE_IS_OPERATOR_TABLE (table), NULL);
  row = gtk_single_selection_get_selected_item (table->selection);
  return row != NULL ? sonde_operator_row_get_cell (row)->op : NULL;
}

gboolean
sonde_operator_table_select (SondeOperatorTable *table, const SondeProfileOperator *op)
{
  guint place;

  g_return_val_if_fail (SONDE_IS_OPERATOR_TABLE (table), FALSE);
  place = sonde_operator_list_find (table->rows, op);
  if (sonde_operator_list_is_busy (table->rows))
    table->kept = op; /* also where it is about to be let in */
  if (place == G_MAXUINT)
    return FALSE;
  gtk_single_selection_set_selected (table->selection, place);
  gtk_widget_activate_action (gtk_widget_get_last_child (GTK_WIDGET (table->view)),
                              "list.scroll-to-item", "u", place);
  return TRUE;
}

/* Without a selection GTK does not look for its row among all the new ones. */
static void
on_rearranging (SondeOperatorTable *table)
{
  if (table->kept == NULL)
    table->kept = sonde_operator_table_get_selected (table);
  table->quiet = TRUE;
  gtk_single_selection_set_selected (table->selection, GTK_INVALID_LIST_POSITION);
}

static void
on_arranged (SondeOperatorTable *table)
{
  const SondeProfileOperator *kept = g_steal_pointer (&table->kept);
  const gboolean was_quiet = table->quiet;

  if (kept != NULL)
    sonde_operator_table_select (table, kept);
  table->quiet = FALSE;
  if (was_quiet && kept != NULL && sonde_operator_table_get_selected (table) != kept)
    g_signal_emit (table, signals[SELECTED], 0);
  g_signal_emit (table, signals[ARRANGED], 0);
}

/* ---- text ---------------------------------------------------------------- */

static void
add_cell (GString *text, const char *cell, char separator, gboolean last)
{
  if (strpbrk (cell, separator == ',' ? ",\"\r\n" : "\"\t\r\n") != NULL)
    {
      g_auto (GStrv) parts = g_strsplit (cell, "\"", -1);
      g_autofree char *quoted = g_strjoinv ("\"\"", parts);

      g_string_append_printf (text, "\"%s\"", quoted);
    }
  else
    g_string_append (text, cell);
  g_string_append_c (text, last ? '\n' : separator);
}

char *
sonde_operator_table_dup_text (SondeOperatorTable *table, char separator)
{
  GString *text = g_string_new (NULL);
  const guint n = sonde_operator_list_get_n (table->rows);

  for (guint c = 0; c < table->columns->len; c++)
    add_cell (text, ((const SondeOperatorColumn *) table->columns->pdata[c])->name, separator,
              c + 1 == table->columns->len);
  for (guint i = 0; i < n; i++)
    for (guint c = 0; c < table->columns->len; c++)
      {
        g_autofree char *value = sonde_operator_column_dup_value (
            table->columns->pdata[c], sonde_operator_list_get_cell (table->rows, i));

        add_cell (text, value, separator, c + 1 == table->columns->len);
      }
  return g_string_free (text, FALSE);
}

static gboolean
copy (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeOperatorTable *table = SONDE_OPERATOR_TABLE (data);
  g_autofree char *text = sonde_operator_table_dup_text (table, '\t');

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
  return TRUE;
}

/* By the keyboard, in the middle of the table. */
static gboolean
open_menu (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  if (sonde_operator_table_get_selected (data) == NULL)
    return FALSE;
  g_signal_emit (data, signals[MENU], 0, widget, gtk_widget_get_width (widget) / 2.0, 60.0);
  return TRUE;
}

static void
add_key (SondeOperatorTable *table, guint key, GdkModifierType modifiers, GtkShortcutFunc act)
{
  GtkEventController *keys = gtk_shortcut_controller_new ();

  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys),
      gtk_shortcut_new (gtk_keyval_trigger_new (key, modifiers),
                        gtk_callback_action_new (act, table, NULL)));
  gtk_widget_add_controller (GTK_WIDGET (table->view), keys);
}

/* ---- making -------------------------------------------------------------- */

static GtkColumnViewColumn *
add_column (SondeOperatorTable *table, const SondeOperatorColumn *column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *made;
  g_autoptr (GtkSorter) sorter
      = GTK_SORTER (gtk_custom_sorter_new (note_column, (gpointer) column, NULL));

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), (gpointer) column);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), (gpointer) column);
  made = gtk_column_view_column_new (_ (column->title), factory);
  gtk_column_view_column_set_sorter (made, sorter);
  gtk_column_view_column_set_resizable (made, TRUE);
  /* The first one always: a trace without nodes shows no column of them. */
  gtk_column_view_column_set_expand (made, column->expands || table->columns->len == 0);
  sonde_column_view_set_width (table->view, made, column->width);
  sonde_column_view_take (table->view, made, column->number != NULL);
  g_ptr_array_add (table->columns, (gpointer) column);
  return made;
}

static void
on_selected (SondeOperatorTable *table)
{
  if (!table->quiet)
    g_signal_emit (table, signals[SELECTED], 0);
}

static void
on_activated (SondeOperatorTable *table, guint position)
{
  gtk_single_selection_set_selected (table->selection, position);
  g_signal_emit (table, signals[ACTIVATED], 0);
}

static void
sonde_operator_table_finalize (GObject *object)
{
  SondeOperatorTable *table = SONDE_OPERATOR_TABLE (object);

  g_clear_object (&table->rows);
  g_ptr_array_unref (table->columns);
  g_free (table->filter);
  G_OBJECT_CLASS (sonde_operator_table_parent_class)->finalize (object);
}

static void
sonde_operator_table_class_init (SondeOperatorTableClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_operator_table_finalize;
  signals[SELECTED]
      = g_signal_new ("selected", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[ACTIVATED]
      = g_signal_new ("activated", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[ARRANGED]
      = g_signal_new ("arranged", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[MENU] = g_signal_new ("menu", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                3, GTK_TYPE_WIDGET, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
}

static void
sonde_operator_table_init (SondeOperatorTable *table)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  table->columns = g_ptr_array_new ();
  table->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "dense-table");
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "data-table");
  table->selection = gtk_single_selection_new (NULL);
  gtk_single_selection_set_autoselect (table->selection, FALSE);
  gtk_single_selection_set_can_unselect (table->selection, TRUE);
  gtk_single_selection_set_selected (table->selection, GTK_INVALID_LIST_POSITION);
  gtk_column_view_set_model (table->view, GTK_SELECTION_MODEL (table->selection));
  g_object_unref (table->selection); /* the view keeps it, and it the others */
  g_signal_connect_object (table->selection, "notify::selected-item", G_CALLBACK (on_selected),
                           table, G_CONNECT_SWAPPED);
  g_signal_connect_object (table->view, "activate", G_CALLBACK (on_activated), table,
                           G_CONNECT_SWAPPED);
  add_key (table, GDK_KEY_c, GDK_CONTROL_MASK, copy);
  add_key (table, GDK_KEY_Menu, 0, open_menu);
  add_key (table, GDK_KEY_F10, GDK_SHIFT_MASK, open_menu);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (table->view));
  adw_bin_set_child (ADW_BIN (table), scrolled);
}

GtkWidget *
sonde_operator_table_new (SondeTraceDocument *document, const GArray *types)
{
  SondeOperatorTable *table = g_object_new (SONDE_TYPE_OPERATOR_TABLE, NULL);
  const SondeProfile *profile = sonde_trace_document_get_profile (document);
  GtkColumnViewColumn *first = NULL;

  table->rows = sonde_operator_list_new (document, types);
  g_signal_connect_object (table->rows, "rearranging", G_CALLBACK (on_rearranging), table,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (table->rows, "arranged", G_CALLBACK (on_arranged), table,
                           G_CONNECT_SWAPPED);
  for (const SondeOperatorColumn *column = sonde_operator_columns; column->name != NULL; column++)
    if (sonde_operator_column_tells (column, profile, types != NULL))
      {
        GtkColumnViewColumn *made = add_column (table, column);

        if (g_str_equal (column->name, "share"))
          first = made;
      }
  gtk_column_view_sort_by_column (table->view, first, GTK_SORT_DESCENDING);
  gtk_single_selection_set_model (table->selection, G_LIST_MODEL (table->rows));
  g_signal_connect_object (gtk_column_view_get_sorter (table->view), "changed",
                           G_CALLBACK (arrange), table, G_CONNECT_SWAPPED);
  arrange (table);
  gtk_accessible_update_property (GTK_ACCESSIBLE (table->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  types != NULL ? _ ("Operators by type") : _ ("Operators"), -1);
  return GTK_WIDGET (table);
}

GtkWidget *
sonde_operator_table_get_view (SondeOperatorTable *table)
{
  g_return_val_if_fail (SONDE_IS_OPERATOR_TABLE (table), NULL);
  return GTK_WIDGET (table->view);
}
