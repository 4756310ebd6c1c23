/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/scalars/sonde-value-table.h"

#include <math.h>

#include "app/pages/scalars/sonde-value-row.h"
#include "app/widgets/sonde-column-view.h"
#include "app/widgets/sonde-tooltip.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-badge.h"

#define RESOURCE "/org/sonde/Sonde/pages/scalars/sonde-value-table.ui"
#define NAME_CHARS 12

struct _SondeValueTable
{
  AdwBin parent_instance;
  GtkLabel *title;
  GtkColumnView *view;
  GListStore *rows; /* SondeValueRow */
  GtkColumnViewColumn *columns[SONDE_DIFFERENCE_N_COLUMNS];
  GtkSorter *sorters[SONDE_DIFFERENCE_N_COLUMNS]; /* of them */
  char *chart;
  gint64 a, b;
  guint tick; /* the next frame reads again */
};

G_DEFINE_FINAL_TYPE (SondeValueTable, sonde_value_table, ADW_TYPE_BIN)

enum
{
  CLOSE,
  COPIED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* ---- cells --------------------------------------------------------------- */

static gboolean
is_live (SondeValueRow *row)
{
  SondeRun *run = sonde_series_get_run (sonde_value_row_get_series (row));

  return run != NULL && sonde_run_is_live (run);
}

static void
show_number (SondeValueRow *row, GtkListItem *item)
{
  SondeDifferenceColumn column = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (item), "column"));
  GtkWidget *label = gtk_list_item_get_child (item);
  const SondeCurveDifference *difference = sonde_value_row_get_difference (row);
  g_autofree char *text = NULL, *exact = NULL;

  if (difference != NULL)
    {
      text = sonde_difference_column_dup_text (column, difference, is_live (row));
      exact = sonde_difference_column_dup_exact (column, difference);
    }
  gtk_label_set_text (GTK_LABEL (label), text != NULL ? text : _ ("no points"));
  sonde_set_tooltip (label, exact);
}

static void
on_setup_number (GtkListItemFactory *factory, GtkListItem *item, void *column)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
  g_object_set_data (G_OBJECT (item), "column", column);
}

static void
on_bind_number (GtkListItemFactory *factory, GtkListItem *item, void *column)
{
  SondeValueRow *row = gtk_list_item_get_item (item);

  g_signal_connect (row, "changed", G_CALLBACK (show_number), item);
  show_number (row, item);
}

static void
on_unbind_number (GtkListItemFactory *factory, GtkListItem *item, void *column)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (item), show_number, item);
}

static void
on_setup_name (GtkListItemFactory *factory, GtkListItem *item, void *column)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  /* In a narrow window the table is scrolled before a name is nothing but dots. */
  gtk_label_set_width_chars (GTK_LABEL (label), NAME_CHARS);
  gtk_box_append (GTK_BOX (box), sonde_badge_new ());
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_item_set_child (item, box);
}

static void
on_bind_name (GtkListItemFactory *factory, GtkListItem *item, void *column)
{
  SondeValueRow *row = gtk_list_item_get_item (item);
  GtkWidget *box = gtk_list_item_get_child (item), *mark = gtk_widget_get_first_child (box);
  g_autofree char *name = sonde_text_make_visible (sonde_value_row_get_title (row));

  sonde_badge_set_series (SONDE_BADGE (mark), sonde_value_row_get_color_index (row));
  gtk_label_set_text (GTK_LABEL (gtk_widget_get_next_sibling (mark)), name);
  sonde_set_tooltip (gtk_widget_get_next_sibling (mark), name);
}

/* ---- columns ------------------------------------------------------------- */

static double
get_number (SondeValueRow *row, SondeDifferenceColumn column)
{
  const SondeCurveDifference *difference = sonde_value_row_get_difference (row);

  return difference != NULL ? sonde_difference_column_get_number (column, difference) : NAN;
}

/* What has no number is the least. */
static int
compare_numbers (gconstpointer a, gconstpointer b, gpointer column)
{
  double x = get_number ((SondeValueRow *) a, GPOINTER_TO_INT (column)),
         y = get_number ((SondeValueRow *) b, GPOINTER_TO_INT (column));

  if (isnan (x) || isnan (y))
    return isnan (y) - isnan (x);
  return (x > y) - (x < y);
}

static int
compare_names (gconstpointer a, gconstpointer b, gpointer data)
{
  return g_utf8_collate (sonde_value_row_get_title ((SondeValueRow *) a),
                         sonde_value_row_get_title ((SondeValueRow *) b));
}

static GtkColumnViewColumn *
add_column (SondeValueTable *table, const char *title, GtkListItemFactory *factory,
            GtkSorter *sorter, gboolean is_number)
{
  GtkColumnViewColumn *column = gtk_column_view_column_new (title, factory);

  gtk_column_view_column_set_sorter (column, sorter);
  gtk_column_view_column_set_resizable (column, TRUE);
  gtk_column_view_column_set_expand (column, TRUE);
  sonde_column_view_take (table->view, column, is_number);
  return column;
}

static void
add_name_column (SondeValueTable *table)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (compare_names, NULL, NULL));

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup_name), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind_name), NULL);
  add_column (table, _ ("Run"), factory, sorter, FALSE);
}

static void
add_number_column (SondeValueTable *table, SondeDifferenceColumn column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  void *number = GINT_TO_POINTER (column);

  table->sorters[column] = GTK_SORTER (gtk_custom_sorter_new (compare_numbers, number, NULL));
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup_number), number);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind_number), number);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind_number), number);
  table->columns[column] = add_column (table, _ (sonde_difference_column_get_title (column)),
                                       factory, table->sorters[column], TRUE);
  gtk_widget_set_tooltip_text (
      gtk_widget_get_last_child (gtk_widget_get_first_child (GTK_WIDGET (table->view))),
      _ (sonde_difference_column_get_meaning (column)));
}

/* ---- what it shows ------------------------------------------------------- */

/* The greatest step of all curves. */
static gint64
find_last_step (SondeValueTable *table)
{
  gint64 step = SONDE_SCALAR_NO_STEP;

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (table->rows)); i++)
    {
      g_autoptr (SondeValueRow) row = g_list_model_get_item (G_LIST_MODEL (table->rows), i);
      gint64 first, last;
      double min, max;

      if (sonde_series_get_range (sonde_value_row_get_series (row), &first, &last, &min, &max))
        step = MAX (step, last);
    }
  return step;
}

static void
update_title (SondeValueTable *table, gint64 a)
{
  g_autofree char *first = sonde_format_count (a), *second = sonde_format_count (table->b);
  g_autofree char *chart = sonde_text_make_visible (table->chart != NULL ? table->chart : "");
  g_autofree char *text = NULL;

  if (a == SONDE_SCALAR_NO_STEP)
    text = g_strdup (chart);
  else if (table->b != SONDE_SCALAR_NO_STEP)
    text = g_strdup_printf (_ ("%s · A: step %s · B: step %s"), chart, first, second);
  else
    text = g_strdup_printf (table->a == SONDE_SCALAR_NO_STEP ? _ ("%s · step %s, last")
                                                             : _ ("%s · step %s"),
                            chart, first);
  gtk_label_set_text (table->title, text);
  sonde_set_tooltip (GTK_WIDGET (table->title), text);
}

static void
read_again (SondeValueTable *table)
{
  gint64 a = table->a != SONDE_SCALAR_NO_STEP ? table->a : find_last_step (table);
  gboolean compares = table->b != SONDE_SCALAR_NO_STEP;

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (table->rows)); i++)
    {
      g_autoptr (SondeValueRow) row = g_list_model_get_item (G_LIST_MODEL (table->rows), i);

      sonde_value_row_set_steps (row, a, compares ? table->b : a);
    }
  for (int k = 0; k < SONDE_DIFFERENCE_N_COLUMNS; k++)
    {
      gtk_column_view_column_set_visible (table->columns[k], k == 0 || compares);
      gtk_sorter_changed (table->sorters[k], GTK_SORTER_CHANGE_DIFFERENT);
    }
  gtk_column_view_column_set_title (
      table->columns[0],
      compares ? _ (sonde_difference_column_get_title (SONDE_DIFFERENCE_A)) : _ ("Value"));
  update_title (table, a);
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, void *user_data)
{
  SondeValueTable *table = SONDE_VALUE_TABLE (widget);

  table->tick = 0;
  read_again (table);
  return G_SOURCE_REMOVE;
}

void
sonde_value_table_set_steps (SondeValueTable *table, gint64 a, gint64 b)
{
  g_return_if_fail (SONDE_IS_VALUE_TABLE (table));
  table->a = a;
  table->b = b;
  if (table->tick == 0)
    table->tick = gtk_widget_add_tick_callback (GTK_WIDGET (table), on_tick, NULL, NULL);
}

static gboolean
has_curve (SondeValueTable *table, guint i, SondeSeries *series, const char *title, guint color)
{
  g_autoptr (SondeValueRow) row = g_list_model_get_item (G_LIST_MODEL (table->rows), i);

  return row != NULL && sonde_value_row_get_series (row) == series
         && g_strcmp0 (sonde_value_row_get_title (row), title) == 0
         && sonde_value_row_get_color_index (row) == color;
}

/* The rows stay, with the place that is scrolled to, while the curves are the same. */
void
sonde_value_table_take_curves (SondeValueTable *table, const char *title, SondeScalarView *view)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  guint n_before = g_list_model_get_n_items (G_LIST_MODEL (table->rows));
  gboolean same = TRUE;

  g_return_if_fail (SONDE_IS_VALUE_TABLE (table));
  g_free (table->chart);
  table->chart = g_strdup (title);
  for (guint i = 0; i < sonde_scalar_view_get_n_series (view); i++)
    {
      const char *name;
      guint color;
      SondeSeries *series = sonde_scalar_view_get_curve (view, i, &name, &color);

      if (series == NULL)
        continue;
      same = same && has_curve (table, rows->len, series, name, color);
      g_ptr_array_add (rows, sonde_value_row_new (series, name, color));
    }
  if (!same || rows->len != n_before)
    g_list_store_splice (table->rows, 0, n_before, rows->pdata, rows->len);
}

char *
sonde_value_table_dup_text (SondeValueTable *table)
{
  GListModel *model = G_LIST_MODEL (gtk_column_view_get_model (table->view));
  gboolean compares = table->b != SONDE_SCALAR_NO_STEP;
  GString *text = sonde_difference_table_new (compares);

  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (SondeValueRow) row = g_list_model_get_item (model, i);
      const SondeCurveDifference *difference = sonde_value_row_get_difference (row);

      if (difference != NULL)
        sonde_difference_table_add (text, sonde_value_row_get_title (row), difference, compares);
    }
  return g_string_free (text, FALSE);
}

/* ---- hands --------------------------------------------------------------- */

static void
copy (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_autofree char *text = sonde_value_table_dup_text (SONDE_VALUE_TABLE (widget));

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
  g_signal_emit (widget, signals[COPIED], 0);
}

static void
close_table (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_signal_emit (widget, signals[CLOSE], 0);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_value_table_dispose (GObject *object)
{
  SondeValueTable *table = SONDE_VALUE_TABLE (object);

  if (table->tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (table), table->tick);
  table->tick = 0;
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_VALUE_TABLE);
  g_clear_object (&table->rows);
  G_OBJECT_CLASS (sonde_value_table_parent_class)->dispose (object);
}

static void
sonde_value_table_finalize (GObject *object)
{
  SondeValueTable *table = SONDE_VALUE_TABLE (object);

  for (int k = 0; k < SONDE_DIFFERENCE_N_COLUMNS; k++)
    g_clear_object (&table->sorters[k]);
  g_free (table->chart);
  G_OBJECT_CLASS (sonde_value_table_parent_class)->finalize (object);
}

static void
sonde_value_table_class_init (SondeValueTableClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_value_table_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_value_table_finalize;
  signals[CLOSE] = g_signal_new ("close", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
  signals[COPIED] = g_signal_new ("copied", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_install_action (widget_class, "values.copy", NULL, copy);
  gtk_widget_class_install_action (widget_class, "values.close", NULL, close_table);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_c, GDK_CONTROL_MASK, "values.copy",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "values.close", NULL);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeValueTable, title);
  gtk_widget_class_bind_template_child (widget_class, SondeValueTable, view);
}

static void
sonde_value_table_init (SondeValueTable *table)
{
  GtkSortListModel *sorted;
  g_autoptr (GtkSelectionModel) selection = NULL;

  gtk_widget_init_template (GTK_WIDGET (table));
  table->a = table->b = SONDE_SCALAR_NO_STEP;
  table->rows = g_list_store_new (SONDE_TYPE_VALUE_ROW);
  add_name_column (table);
  for (int k = 0; k < SONDE_DIFFERENCE_N_COLUMNS; k++)
    add_number_column (table, (SondeDifferenceColumn) k);
  sorted = gtk_sort_list_model_new (g_object_ref (G_LIST_MODEL (table->rows)),
                                    g_object_ref (gtk_column_view_get_sorter (table->view)));
  selection = GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (sorted)));
  gtk_column_view_set_model (table->view, selection);
}

GtkWidget *
sonde_value_table_new (void)
{
  return g_object_new (SONDE_TYPE_VALUE_TABLE, NULL);
}
