/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-operator-table.h"

#include <math.h>
#include <string.h>

#include "app/profiler/sonde-operator-column.h"
#include "app/widgets/sonde-column-view.h"
#include "data/base/sonde-text.h"

/* ---- a row --------------------------------------------------------------- */

#define SONDE_TYPE_OPERATOR_ROW (sonde_operator_row_get_type ())
G_DECLARE_FINAL_TYPE (SondeOperatorRow, sonde_operator_row, SONDE, OPERATOR_ROW, GObject)

struct _SondeOperatorRow
{
  GObject parent_instance;
  SondeOperatorCell cell;
};

G_DEFINE_FINAL_TYPE (SondeOperatorRow, sonde_operator_row, G_TYPE_OBJECT)

static void
sonde_operator_row_class_init (SondeOperatorRowClass *klass)
{
}

static void
sonde_operator_row_init (SondeOperatorRow *row)
{
}

/* ---- table --------------------------------------------------------------- */

struct _SondeOperatorTable
{
  AdwBin parent_instance;
  GtkColumnView *view;
  GListStore *rows;
  GtkFilterListModel *filtered;
  GtkSortListModel *sorted;
  GtkSingleSelection *selection;
  GPtrArray *columns; /* const SondeOperatorColumn, those that are shown */
  char *filter;       /* in lower case */
};

G_DEFINE_FINAL_TYPE (SondeOperatorTable, sonde_operator_table, ADW_TYPE_BIN)

enum
{
  SELECTED,
  ACTIVATED,
  MENU,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static SondeOperatorRow *
get_row (SondeOperatorTable *table, guint position)
{
  SondeOperatorRow *row = g_list_model_get_item (G_LIST_MODEL (table->selection), position);

  if (row != NULL)
    g_object_unref (row); /* the store keeps it */
  return row;
}

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
  SondeOperatorRow *row = SONDE_OPERATOR_ROW (gtk_list_item_get_item (item));
  GtkWidget *label = gtk_list_item_get_child (item);
  g_autofree char *text = sonde_operator_column_dup_text (column, &row->cell);
  g_autofree char *exact = sonde_operator_column_dup_exact (column, &row->cell);

  gtk_label_set_text (GTK_LABEL (label), text);
  gtk_widget_set_tooltip_text (label, exact);
}

/* ---- order and filter ---------------------------------------------------- */

static int
compare_rows (gconstpointer a, gconstpointer b, gpointer data)
{
  const SondeOperatorColumn *column = data;
  const SondeOperatorCell *left = &((const SondeOperatorRow *) a)->cell;
  const SondeOperatorCell *right = &((const SondeOperatorRow *) b)->cell;

  return sonde_operator_column_compare (column, left, right);
}

static gboolean
contains (const char *text, const char *lower)
{
  g_autofree char *folded = text != NULL ? g_utf8_strdown (text, -1) : NULL;

  return folded != NULL && strstr (folded, lower) != NULL;
}

static gboolean
is_left (gpointer item, gpointer data)
{
  const SondeProfileOperator *op = SONDE_OPERATOR_ROW (item)->cell.op;
  const char *filter = SONDE_OPERATOR_TABLE (data)->filter;

  if (filter == NULL || contains (op->op, filter) || contains (op->node, filter))
    return TRUE;
  for (guint i = 0; op->facts != NULL && op->facts->nodes != NULL && op->facts->nodes[i] != NULL;
       i++)
    if (contains (op->facts->nodes[i], filter))
      return TRUE;
  return FALSE;
}

void
sonde_operator_table_set_filter (SondeOperatorTable *table, const char *text)
{
  GtkFilter *filter;

  g_return_if_fail (SONDE_IS_OPERATOR_TABLE (table));
  g_free (table->filter);
  table->filter = *text != '\0' ? g_utf8_strdown (text, -1) : NULL;
  filter = gtk_filter_list_model_get_filter (table->filtered);
  gtk_filter_changed (filter, GTK_FILTER_CHANGE_DIFFERENT);
}

guint
sonde_operator_table_get_n_rows (SondeOperatorTable *table)
{
  g_return_val_if_fail (SONDE_IS_OPERATOR_TABLE (table), 0);
  return g_list_model_get_n_items (G_LIST_MODEL (table->filtered));
}

/* ---- selection ----------------------------------------------------------- */

const SondeProfileOperator *
sonde_operator_table_get_selected (SondeOperatorTable *table)
{
  SondeOperatorRow *row;

  g_return_val_if_fail (SONDE_IS_OPERATOR_TABLE (table), NULL);
  row = gtk_single_selection_get_selected_item (table->selection);
  return row != NULL ? row->cell.op : NULL;
}

gboolean
sonde_operator_table_select (SondeOperatorTable *table, const SondeProfileOperator *op)
{
  guint n;

  g_return_val_if_fail (SONDE_IS_OPERATOR_TABLE (table), FALSE);
  n = g_list_model_get_n_items (G_LIST_MODEL (table->selection));
  for (guint i = 0; i < n; i++)
    if (get_row (table, i)->cell.op == op)
      {
        gtk_single_selection_set_selected (table->selection, i);
        gtk_widget_activate_action (gtk_widget_get_last_child (GTK_WIDGET (table->view)),
                                    "list.scroll-to-item", "u", i);
        return TRUE;
      }
  return FALSE;
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
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (table->selection));

  for (guint c = 0; c < table->columns->len; c++)
    add_cell (text, ((const SondeOperatorColumn *) table->columns->pdata[c])->name, separator,
              c + 1 == table->columns->len);
  for (guint i = 0; i < n; i++)
    for (guint c = 0; c < table->columns->len; c++)
      {
        g_autofree char *value
            = sonde_operator_column_dup_value (table->columns->pdata[c], &get_row (table, i)->cell);

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
      = GTK_SORTER (gtk_custom_sorter_new (compare_rows, (gpointer) column, NULL));

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), (gpointer) column);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), (gpointer) column);
  made = gtk_column_view_column_new (_ (column->title), factory);
  gtk_column_view_column_set_sorter (made, sorter);
  gtk_column_view_column_set_resizable (made, TRUE);
  /* The first one always: a trace without nodes shows no column of them. */
  gtk_column_view_column_set_expand (made, column->expands || table->columns->len == 0);
  gtk_column_view_column_set_fixed_width (made, column->width);
  sonde_column_view_take (table->view, made, column->number != NULL);
  g_ptr_array_add (table->columns, (gpointer) column);
  return made;
}

static void
fill (SondeOperatorTable *table, const SondeProfile *profile, const GArray *types)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  const guint n = types != NULL ? types->len : profile->operators->len;

  for (guint i = 0; i < n; i++)
    {
      SondeOperatorRow *row = g_object_new (SONDE_TYPE_OPERATOR_ROW, NULL);

      if (types != NULL)
        {
          const SondeOperatorType *type = &g_array_index (types, SondeOperatorType, i);

          row->cell = (SondeOperatorCell){ &type->sum, type->n_operators };
        }
      else
        row->cell = (SondeOperatorCell){ sonde_profile_get_operator (profile, i), 1 };
      g_ptr_array_add (rows, row);
    }
  g_list_store_splice (table->rows, 0, 0, rows->pdata, rows->len);
}

static void
on_selected (SondeOperatorTable *table)
{
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

  g_object_unref (table->rows);
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
  signals[MENU] = g_signal_new ("menu", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                3, GTK_TYPE_WIDGET, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
}

static void
sonde_operator_table_init (SondeOperatorTable *table)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkFilter *filter = GTK_FILTER (gtk_custom_filter_new (is_left, table, NULL));

  table->rows = g_list_store_new (SONDE_TYPE_OPERATOR_ROW);
  table->columns = g_ptr_array_new ();
  table->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "dense-table");
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "data-table");
  table->filtered = gtk_filter_list_model_new (G_LIST_MODEL (g_object_ref (table->rows)), filter);
  table->sorted = gtk_sort_list_model_new (G_LIST_MODEL (table->filtered),
                                           g_object_ref (gtk_column_view_get_sorter (table->view)));
  table->selection = gtk_single_selection_new (G_LIST_MODEL (table->sorted));
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
sonde_operator_table_new (const SondeProfile *profile, const GArray *types)
{
  SondeOperatorTable *table = g_object_new (SONDE_TYPE_OPERATOR_TABLE, NULL);
  GtkColumnViewColumn *first = NULL;

  fill (table, profile, types);
  for (const SondeOperatorColumn *column = sonde_operator_columns; column->name != NULL; column++)
    if (sonde_operator_column_tells (column, profile, types != NULL))
      {
        GtkColumnViewColumn *made = add_column (table, column);

        if (g_str_equal (column->name, "share"))
          first = made;
      }
  gtk_column_view_sort_by_column (table->view, first, GTK_SORT_DESCENDING);
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
