/* SPDX-License-Identifier: Apache-2.0
 * Rows keep their cell as text behind a tab: a string list is model enough. */
#include "app/explain/browser/sonde-confused-pair-list.h"

#include <string.h>

#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/values/sonde-wilson.h"

#define MAX_PAIRS 500

struct _SondeConfusedPairList
{
  AdwBin parent_instance;

  GtkWidget *list, *heading;
  GtkStringList *names; /* "cell \t pair \t numbers \t tool-tip" */
  GtkSingleSelection *selection;
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeConfusedPairList, sonde_confused_pair_list, ADW_TYPE_BIN)

static guint chosen_signal;

static char *
dup_line (const SondeExplainTable *table, gint64 cell)
{
  guint truth = (guint) (cell / table->n), predicted = (guint) (cell % table->n);
  guint count = table->counts->counts[cell], total = table->counts->row_totals[truth];
  g_autofree char *from = g_strdelimit (g_strdup (table->names[truth]), "\t", ' ');
  g_autofree char *to = g_strdelimit (g_strdup (table->names[predicted]), "\t", ' ');
  g_autofree char *part = sonde_format_count (count), *whole = sonde_format_count (total);
  g_autofree char *tip = NULL;
  double low, high;

  sonde_wilson_interval (count, total, &low, &high);
  tip = g_strdup_printf (_ ("%s of %s samples of “%s”, %.1f %% (95 %% interval %.1f … %.1f %%)."),
                         part, whole, from, 100.0 * count / MAX (total, 1), 100 * low, 100 * high);
  return g_strdup_printf ("%" PRIi64 "\t%s → %s\t%u\t%s", cell, from, to, count, tip);
}

void
sonde_confused_pair_list_set_table (SondeConfusedPairList *pairs, const SondeExplainTable *table)
{
  g_autoptr (GArray) cells = sonde_confusion_list_cells (table->counts);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *heading = NULL;

  g_return_if_fail (SONDE_IS_CONFUSED_PAIR_LIST (pairs));
  for (guint i = 0; i < MIN (cells->len, MAX_PAIRS); i++)
    g_ptr_array_add (lines, dup_line (table, g_array_index (cells, gint64, i)));
  g_ptr_array_add (lines, NULL);
  pairs->updating = TRUE;
  gtk_string_list_splice (pairs->names, 0, g_list_model_get_n_items (G_LIST_MODEL (pairs->names)),
                          (const char *const *) lines->pdata);
  gtk_single_selection_set_selected (pairs->selection, GTK_INVALID_LIST_POSITION);
  pairs->updating = FALSE;
  heading = cells->len > MAX_PAIRS
                ? g_strdup_printf (_ ("Most frequent %d of %u pairs"), MAX_PAIRS, cells->len)
                : g_strdup_printf (P_ ("%u pair", "%u pairs, most frequent first", cells->len),
                                   cells->len);
  gtk_label_set_text (GTK_LABEL (pairs->heading), heading);
  gtk_widget_set_visible (GTK_WIDGET (pairs), cells->len > 0);
}

static gint64
cell_at (SondeConfusedPairList *self, guint position)
{
  const char *line = gtk_string_list_get_string (self->names, position);

  return line != NULL ? g_ascii_strtoll (line, NULL, 10) : -1;
}

void
sonde_confused_pair_list_choose (SondeConfusedPairList *pairs, gint64 cell)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (pairs->names)), at = GTK_INVALID_LIST_POSITION;

  g_return_if_fail (SONDE_IS_CONFUSED_PAIR_LIST (pairs));
  for (guint i = 0; cell >= 0 && i < n && at == GTK_INVALID_LIST_POSITION; i++)
    if (cell_at (pairs, i) == cell)
      at = i;
  pairs->updating = TRUE;
  gtk_single_selection_set_selected (pairs->selection, at);
  pairs->updating = FALSE;
}

static void
on_selected (SondeConfusedPairList *self)
{
  if (!self->updating)
    g_signal_emit (self, chosen_signal, 0,
                   cell_at (self, gtk_single_selection_get_selected (self->selection)));
}

static void
set_up (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *name = gtk_label_new (NULL), *count = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand (name, TRUE);
  gtk_label_set_xalign (GTK_LABEL (count), 1);
  gtk_widget_add_css_class (count, "numeric");
  gtk_widget_add_css_class (count, "dim-label");
  gtk_box_append (GTK_BOX (box), name);
  gtk_box_append (GTK_BOX (box), count);
  gtk_list_item_set_child (item, box);
}

static void
bind_item (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *box = gtk_list_item_get_child (item);
  g_auto (GStrv) parts
      = g_strsplit (gtk_string_object_get_string (gtk_list_item_get_item (item)), "\t", 4);

  gtk_label_set_text (GTK_LABEL (gtk_widget_get_first_child (box)), parts[1]);
  gtk_label_set_text (GTK_LABEL (gtk_widget_get_last_child (box)), parts[2]);
  gtk_widget_set_tooltip_text (box, parts[3]);
  sonde_list_item_set_name (item, parts[3]);
}

static void
sonde_confused_pair_list_dispose (GObject *object)
{
  SONDE_CONFUSED_PAIR_LIST (object)->updating = TRUE;
  G_OBJECT_CLASS (sonde_confused_pair_list_parent_class)->dispose (object);
}

static void
sonde_confused_pair_list_class_init (SondeConfusedPairListClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_confused_pair_list_dispose;
  chosen_signal = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/browser/sonde-confused-pair-list.ui");
  gtk_widget_class_bind_template_child (widget, SondeConfusedPairList, list);
  gtk_widget_class_bind_template_child (widget, SondeConfusedPairList, heading);
  gtk_widget_class_bind_template_child (widget, SondeConfusedPairList, names);
  gtk_widget_class_bind_template_child (widget, SondeConfusedPairList, selection);
  gtk_widget_class_bind_template_callback (widget, on_selected);
}

static void
sonde_confused_pair_list_init (SondeConfusedPairList *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  self->updating = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  self->updating = FALSE;
  g_signal_connect (factory, "setup", G_CALLBACK (set_up), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_item), NULL);
  gtk_list_view_set_factory (GTK_LIST_VIEW (self->list), factory);
}
