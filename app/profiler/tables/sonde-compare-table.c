/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/tables/sonde-compare-table.h"

#include <math.h>
#include <string.h>

#include "app/widgets/sonde-column-view.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

/* ---- a row --------------------------------------------------------------- */

#define SONDE_TYPE_COMPARE_ROW (sonde_compare_row_get_type ())
G_DECLARE_FINAL_TYPE (SondeCompareRow, sonde_compare_row, SONDE, COMPARE_ROW, GObject)

struct _SondeCompareRow
{
  GObject parent_instance;
  const SondeComparedOperator *compared;
};

G_DEFINE_FINAL_TYPE (SondeCompareRow, sonde_compare_row, G_TYPE_OBJECT)

static void
sonde_compare_row_class_init (SondeCompareRowClass *klass)
{
}

static void
sonde_compare_row_init (SondeCompareRow *row)
{
}

static const SondeProfileOperator *
get_operator (const SondeComparedOperator *compared)
{
  return compared->base_op != NULL ? compared->base_op : compared->other_op;
}

static const char *
get_name (const SondeComparedOperator *compared)
{
  const SondeProfileOperator *op = get_operator (compared);

  return op->node != NULL ? op->node : op->op;
}

static const char *
get_type_name (const SondeComparedOperator *compared)
{
  return get_operator (compared)->op;
}

static gboolean
has_changed (const SondeComparedOperator *compared)
{
  return compared->significant || compared->base_op == NULL || compared->other_op == NULL;
}

static const char *
get_verdict (const SondeComparedOperator *compared)
{
  if (compared->base_op == NULL)
    return _ ("added");
  if (compared->other_op == NULL)
    return _ ("removed");
  if (!compared->significant)
    return _ ("noise");
  return compared->ratio > 1 ? _ ("slower") : _ ("faster");
}

/* ---- columns ------------------------------------------------------------- */

static double
get_base (const SondeComparedOperator *compared)
{
  return compared->base_ns;
}

static double
get_other (const SondeComparedOperator *compared)
{
  return compared->other_ns;
}

/* What one side lacks counts as nothing there. */
static double
get_difference (const SondeComparedOperator *compared)
{
  return (isnan (compared->other_ns) ? 0 : compared->other_ns)
         - (isnan (compared->base_ns) ? 0 : compared->base_ns);
}

static double
get_ratio (const SondeComparedOperator *compared)
{
  return compared->ratio;
}

static double
get_p (const SondeComparedOperator *compared)
{
  return isfinite (compared->ratio) ? compared->p : NAN;
}

static char *
format_ns (double value)
{
  return isnan (value) ? g_strdup ("–") : sonde_format_duration ((gint64) round (value));
}

static char *
format_signed_ns (double value)
{
  g_autofree char *size = sonde_format_duration ((gint64) round (fabs (value)));

  return g_strdup_printf ("%s%s", value > 0 ? "+" : value < 0 ? "−" : "", size);
}

static char *
format_ratio (double value)
{
  return isfinite (value) ? g_strdup_printf ("× %.3f", value) : g_strdup ("–");
}

static char *
format_p (double value)
{
  return isnan (value) ? g_strdup ("–") : g_strdup_printf ("%.2g", value);
}

/* @text: instead of @number; @is_time: the tool-tip tells all its digits */
typedef struct
{
  const char *title;
  const char *(*text) (const SondeComparedOperator *compared);
  double (*number) (const SondeComparedOperator *compared);
  char *(*format) (double value);
  int width;
  gboolean is_time;
} Column;

static const Column columns[] = {
  { N_ ("Operator"), get_name, NULL, NULL, 0, FALSE },
  { N_ ("Type"), get_type_name, NULL, NULL, 130, FALSE },
  { N_ ("Before"), NULL, get_base, format_ns, 96, TRUE },
  { N_ ("After"), NULL, get_other, format_ns, 96, TRUE },
  { N_ ("Difference"), NULL, get_difference, format_signed_ns, 104, TRUE },
  { N_ ("Ratio"), NULL, get_ratio, format_ratio, 88, FALSE },
  { N_ ("p"), NULL, get_p, format_p, 76, FALSE },
  { N_ ("Verdict"), get_verdict, NULL, NULL, 96, FALSE },
};

/* ---- table --------------------------------------------------------------- */

struct _SondeCompareTable
{
  AdwBin parent_instance;
  GtkColumnView *view;
  GListStore *rows;
  GtkCustomFilter *filter;
  GListModel *filtered;
  char *text; /* (nullable): folded */
  gboolean only_changed;
};

G_DEFINE_FINAL_TYPE (SondeCompareTable, sonde_compare_table, ADW_TYPE_BIN)

static guint activated_signal;

static void
on_setup (GtkListItemFactory *factory, GtkListItem *item, const Column *column)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), column->text != NULL ? 0 : 1);
  if (column->text != NULL)
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  else
    gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

/* What is noise stands back; what became slower or faster is said in words first. */
static void
style_label (GtkWidget *label, const SondeComparedOperator *compared)
{
  static const char *const classes[] = { "dim-label", "error", "success" };
  const char *wanted = !has_changed (compared)  ? "dim-label"
                       : !compared->significant ? NULL
                       : compared->ratio > 1    ? "error"
                                                : "success";

  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    if (g_strcmp0 (classes[i], wanted) == 0)
      gtk_widget_add_css_class (label, classes[i]);
    else
      gtk_widget_remove_css_class (label, classes[i]);
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *item, const Column *column)
{
  const SondeComparedOperator *compared
      = SONDE_COMPARE_ROW (gtk_list_item_get_item (item))->compared;
  GtkWidget *label = gtk_list_item_get_child (item);
  double number = column->number != NULL ? column->number (compared) : NAN;
  g_autofree char *text = column->text != NULL ? sonde_text_make_visible (column->text (compared))
                                               : column->format (number);
  g_autofree char *exact
      = column->is_time && !isnan (number) ? g_strdup_printf ("%.1f ns", number) : NULL;

  gtk_label_set_text (GTK_LABEL (label), text);
  gtk_widget_set_tooltip_text (label, exact != NULL ? exact : column->text != NULL ? text : NULL);
  if (column->text == get_verdict)
    style_label (label, compared);
}

/* What has no number comes last when the greatest comes first. */
static int
compare_rows (gconstpointer a, gconstpointer b, gpointer data)
{
  const Column *column = data;
  const SondeComparedOperator *left = ((const SondeCompareRow *) a)->compared;
  const SondeComparedOperator *right = ((const SondeCompareRow *) b)->compared;
  double x, y;

  if (column->text != NULL)
    return g_utf8_collate (column->text (left), column->text (right));
  x = column->number (left);
  y = column->number (right);
  if (isnan (x) || isnan (y))
    return !!isnan (y) - !!isnan (x);
  return (x > y) - (x < y);
}

static void
add_column (SondeCompareTable *table, const Column *column)
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
  gtk_column_view_column_set_expand (made, column->width == 0);
  if (column->width > 0)
    sonde_column_view_set_width (table->view, made, column->width);
  sonde_column_view_take (table->view, made, column->text == NULL);
}

static void
on_activated (SondeCompareTable *table, guint position)
{
  GListModel *model = G_LIST_MODEL (gtk_column_view_get_model (table->view));
  g_autoptr (SondeCompareRow) row = g_list_model_get_item (model, position);

  if (row != NULL)
    g_signal_emit (table, activated_signal, 0, row->compared);
}

/* ---- contents ------------------------------------------------------------ */

static int
compare_changes (gconstpointer a, gconstpointer b)
{
  const SondeComparedOperator *x = (*(SondeCompareRow *const *) a)->compared;
  const SondeComparedOperator *y = (*(SondeCompareRow *const *) b)->compared;
  double left = fabs (get_difference (x)), right = fabs (get_difference (y));

  if (has_changed (x) != has_changed (y))
    return has_changed (y) - has_changed (x);
  return (left < right) - (left > right);
}

void
sonde_compare_table_set (SondeCompareTable *table, const SondeProfileComparison *comparison)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);

  g_return_if_fail (SONDE_IS_COMPARE_TABLE (table));
  for (guint i = 0; comparison != NULL && i < comparison->operators->len; i++)
    {
      SondeCompareRow *row = g_object_new (SONDE_TYPE_COMPARE_ROW, NULL);

      row->compared = &g_array_index (comparison->operators, SondeComparedOperator, i);
      g_ptr_array_add (rows, row);
    }
  g_ptr_array_sort (rows, compare_changes);
  g_list_store_splice (table->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (table->rows)),
                       rows->pdata, rows->len);
}

static gboolean
passes (gpointer item, gpointer data)
{
  const SondeCompareTable *table = data;
  const SondeComparedOperator *compared = SONDE_COMPARE_ROW (item)->compared;
  g_autofree char *name = NULL, *type = NULL;

  if (table->only_changed && !has_changed (compared))
    return FALSE;
  if (table->text == NULL)
    return TRUE;
  name = g_utf8_casefold (get_name (compared), -1);
  type = g_utf8_casefold (get_type_name (compared), -1);
  return strstr (name, table->text) != NULL || strstr (type, table->text) != NULL;
}

void
sonde_compare_table_set_filter (SondeCompareTable *table, const char *text, gboolean only_changed)
{
  g_return_if_fail (SONDE_IS_COMPARE_TABLE (table));
  g_free (table->text);
  table->text = text != NULL && *text != '\0' ? g_utf8_casefold (text, -1) : NULL;
  table->only_changed = only_changed;
  gtk_filter_changed (GTK_FILTER (table->filter), GTK_FILTER_CHANGE_DIFFERENT);
}

guint
sonde_compare_table_get_n_rows (SondeCompareTable *table)
{
  g_return_val_if_fail (SONDE_IS_COMPARE_TABLE (table), 0);
  return g_list_model_get_n_items (table->filtered);
}

static void
sonde_compare_table_dispose (GObject *object)
{
  SondeCompareTable *table = SONDE_COMPARE_TABLE (object);

  g_clear_object (&table->rows);
  g_clear_pointer (&table->text, g_free);
  G_OBJECT_CLASS (sonde_compare_table_parent_class)->dispose (object);
}

static void
sonde_compare_table_class_init (SondeCompareTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_compare_table_dispose;
  activated_signal
      = g_signal_new ("operator-activated", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                      NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
}

static void
sonde_compare_table_init (SondeCompareTable *table)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkSortListModel *sorted;
  GtkSingleSelection *selection;

  table->rows = g_list_store_new (SONDE_TYPE_COMPARE_ROW);
  table->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "dense-table");
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "data-table");
  gtk_accessible_update_property (GTK_ACCESSIBLE (table->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Operators of both profiles"), -1);
  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    add_column (table, &columns[i]);
  table->filter = gtk_custom_filter_new (passes, table, NULL);
  table->filtered = G_LIST_MODEL (gtk_filter_list_model_new (
      g_object_ref (G_LIST_MODEL (table->rows)), GTK_FILTER (table->filter)));
  sorted = gtk_sort_list_model_new (table->filtered,
                                    g_object_ref (gtk_column_view_get_sorter (table->view)));
  selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  gtk_single_selection_set_selected (selection, GTK_INVALID_LIST_POSITION);
  gtk_column_view_set_model (table->view, GTK_SELECTION_MODEL (selection));
  g_object_unref (selection);
  g_signal_connect_object (table->view, "activate", G_CALLBACK (on_activated), table,
                           G_CONNECT_SWAPPED);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (table->view));
  adw_bin_set_child (ADW_BIN (table), scrolled);
}

GtkWidget *
sonde_compare_table_new (void)
{
  return g_object_new (SONDE_TYPE_COMPARE_TABLE, NULL);
}
