/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/lineage/sonde-trial-cells.h"

#include <math.h>

#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-badge.h"

struct _SondeTrialCells
{
  GHashTable *bound; /* GtkListItem that shows a cell -> its SondeTrialValues */
};

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, SondeTrialValues *values)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *label = gtk_label_new (NULL);
  gboolean is_run = sonde_trial_values_get_column (values) == NULL;

  if (is_run)
    gtk_box_append (GTK_BOX (box), g_object_new (SONDE_TYPE_BADGE, NULL));
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (label), is_run ? 16 : 7);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 40);
  gtk_widget_add_css_class (label, "numeric");
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_item_set_child (item, box);
}

static void
show_cell (GtkListItem *item, SondeTrialValues *values)
{
  SondeTrial *trial = gtk_list_item_get_item (item);
  GtkWidget *box = gtk_list_item_get_child (item), *first = gtk_widget_get_first_child (box);
  GtkWidget *label = gtk_widget_get_last_child (box);
  const SondeTrialValue *value = sonde_trial_values_get (values, trial);

  if (SONDE_IS_BADGE (first))
    sonde_badge_set_series (SONDE_BADGE (first),
                            sonde_run_get_color_index (sonde_trial_get_run (trial)));
  gtk_label_set_text (GTK_LABEL (label), value->text != NULL ? value->text : "–");
  gtk_label_set_xalign (GTK_LABEL (label), isnan (value->number) ? 0 : 1);
}

/* The number in full where the cell rounds it, asked for when the pointer rests there. */
static gboolean
on_query_tooltip (GtkWidget *box, int x, int y, gboolean keyboard, GtkTooltip *tooltip,
                  GtkListItem *item)
{
  SondeTrialCells *cells = g_object_get_data (G_OBJECT (box), "cells");
  SondeTrialValues *values = g_hash_table_lookup (cells->bound, item);
  const SondeTrialColumn *column = values != NULL ? sonde_trial_values_get_column (values) : NULL;
  SondeTrial *trial = gtk_list_item_get_item (item);
  g_autofree char *exact = NULL, *visible = NULL;

  if (values == NULL || trial == NULL)
    return FALSE;
  exact = column != NULL ? sonde_trial_dup_exact (trial, column)
                         : g_strdup (sonde_run_get_path (sonde_trial_get_run (trial)));
  if (exact == NULL || *exact == '\0')
    return FALSE;
  visible = sonde_text_make_visible (exact);
  gtk_tooltip_set_text (tooltip, visible);
  return TRUE;
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, SondeTrialValues *values)
{
  GtkWidget *box = gtk_list_item_get_child (item);
  SondeTrialCells *cells = g_object_get_data (G_OBJECT (factory), "cells");

  g_hash_table_insert (cells->bound, item, values);
  if (!gtk_widget_get_has_tooltip (box))
    {
      gtk_widget_set_has_tooltip (box, TRUE);
      g_object_set_data (G_OBJECT (box), "cells", cells);
      g_signal_connect (box, "query-tooltip", G_CALLBACK (on_query_tooltip), item);
    }
  show_cell (item, values);
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *item, SondeTrialValues *values)
{
  SondeTrialCells *cells = g_object_get_data (G_OBJECT (factory), "cells");

  g_hash_table_remove (cells->bound, item);
}

/* ---- columns ------------------------------------------------------------- */

static int
compare_cells (gconstpointer a, gconstpointer b, gpointer values)
{
  return sonde_trial_values_compare (values, (SondeTrial *) a, (SondeTrial *) b);
}

GtkColumnViewColumn *
sonde_trial_cells_make_column (SondeTrialCells *cells, const char *title, SondeTrialValues *values)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (compare_cells, values, NULL));
  g_autofree char *visible = sonde_text_make_visible (title);
  GtkColumnViewColumn *column;

  g_object_set_data (G_OBJECT (factory), "cells", cells);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), values);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), values);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), values);
  column = gtk_column_view_column_new (visible, factory);
  gtk_column_view_column_set_resizable (column, TRUE);
  gtk_column_view_column_set_sorter (column, sorter);
  return column;
}

static gboolean
is_of_column (gpointer item, gpointer values, gpointer column)
{
  return column == NULL || values == column;
}

void
sonde_trial_cells_forget (SondeTrialCells *cells, SondeTrialValues *values)
{
  g_hash_table_foreach_remove (cells->bound, is_of_column, values);
}

void
sonde_trial_cells_refresh (SondeTrialCells *cells)
{
  GHashTableIter iter;
  gpointer item, values;

  g_hash_table_iter_init (&iter, cells->bound);
  while (g_hash_table_iter_next (&iter, &item, &values))
    show_cell (item, values);
}

/* ---- life ---------------------------------------------------------------- */

SondeTrialCells *
sonde_trial_cells_new (void)
{
  SondeTrialCells *cells = g_new0 (SondeTrialCells, 1);

  cells->bound = g_hash_table_new (NULL, NULL);
  return cells;
}

void
sonde_trial_cells_free (SondeTrialCells *cells)
{
  g_hash_table_unref (cells->bound);
  g_free (cells);
}
