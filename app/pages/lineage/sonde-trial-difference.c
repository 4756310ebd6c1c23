/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/lineage/sonde-trial-difference.h"

#include "app/widgets/sonde-accessible.h"
#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define TABLE_HEIGHT 400 /* px at most */
#define MAX_ROWS 400     /* labels are heavy */

struct _SondeTrialDifference
{
  GtkBox parent_instance;
  GtkMenuButton *button;
  GtkDropDown *choice;
  GtkStringList *names; /* of the others */
  GPtrArray *others;    /* SondeTrial of each name */
  GtkLabel *note;
  GtkGrid *grid;
  SondeWorkspace *workspace;
  SondeTrialTable *table;
};

G_DEFINE_FINAL_TYPE (SondeTrialDifference, sonde_trial_difference, GTK_TYPE_BOX)

static const char *
get_title (SondeTrialDifference *difference, SondeTrial *trial)
{
  return sonde_workspace_get_run_title (difference->workspace, sonde_trial_get_run (trial));
}

/* ---- the table ----------------------------------------------------------- */

static void
put_cell (SondeTrialDifference *difference, const char *text, int column, int row)
{
  g_autofree char *visible = sonde_text_make_visible (text != NULL ? text : "–");
  GtkWidget *label = gtk_label_new (visible);

  gtk_label_set_xalign (GTK_LABEL (label), column == 0 ? 0 : 1);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 30);
  gtk_widget_set_hexpand (label, column == 0);
  gtk_widget_add_css_class (label, row == 0 ? "dim-label" : "numeric");
  gtk_grid_attach (difference->grid, label, column, row, 1, 1);
}

/* One line where the two are not the same. FALSE: they are. */
static gboolean
put_row (SondeTrialDifference *difference, SondeTrial *chosen, SondeTrial *other,
         const SondeTrialColumn *column, int row)
{
  g_autofree char *first_exact = sonde_trial_dup_exact (chosen, column);
  g_autofree char *second_exact = sonde_trial_dup_exact (other, column);
  double first, second;
  g_autofree char *title = NULL, *first_text = NULL, *second_text = NULL, *delta = NULL;

  if (g_strcmp0 (first_exact, second_exact) == 0)
    return FALSE;
  title = sonde_trial_column_dup_title (column);
  first_text = sonde_trial_dup_text (chosen, column, &first);
  second_text = sonde_trial_dup_text (other, column, &second);
  if (isfinite (first - second))
    delta = sonde_format_number (second - first);
  put_cell (difference, title, 0, row);
  put_cell (difference, first_text, 1, row);
  put_cell (difference, second_text, 2, row);
  put_cell (difference, delta, 3, row);
  return TRUE;
}

static SondeTrial *
find_chosen (SondeTrialDifference *difference)
{
  GListModel *matching = sonde_trial_table_get_matching (difference->table);
  SondeRun *run = sonde_workspace_get_run (difference->workspace);

  for (guint i = 0; i < g_list_model_get_n_items (matching); i++)
    {
      g_autoptr (SondeTrial) trial = g_list_model_get_item (matching, i);

      if (sonde_trial_get_run (trial) == run)
        return trial; /* the table holds it */
    }
  return NULL;
}

static void
fill_grid (SondeTrialDifference *difference, SondeTrial *chosen, SondeTrial *other)
{
  GPtrArray *columns = sonde_trial_table_get_columns (difference->table);
  g_autofree char *text = NULL;
  guint n = 0, n_same = 0;

  put_cell (difference, "", 0, 0);
  put_cell (difference, get_title (difference, chosen), 1, 0);
  put_cell (difference, get_title (difference, other), 2, 0);
  put_cell (difference, _ ("Difference"), 3, 0);
  for (guint i = 0; i < columns->len && n < MAX_ROWS; i++)
    if (put_row (difference, chosen, other, columns->pdata[i], (int) n + 1))
      n++;
    else
      n_same++;
  text = g_strdup_printf (_ ("%u columns differ, %u are the same."), n, n_same);
  gtk_label_set_text (difference->note, text);
}

static void
show (SondeTrialDifference *difference)
{
  guint selected = gtk_drop_down_get_selected (difference->choice);
  SondeTrial *chosen = find_chosen (difference);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (difference->grid))) != NULL)
    gtk_grid_remove (difference->grid, child);
  if (chosen == NULL)
    gtk_label_set_text (difference->note, _ ("Choose a run in the table first."));
  else if (selected >= difference->others->len)
    gtk_label_set_text (difference->note, _ ("There is no other run to compare with."));
  else
    fill_grid (difference, chosen, difference->others->pdata[selected]);
}

/* ---- the other run ------------------------------------------------------- */

/* As they stand in the table; the one that was compared with stays. */
static void
fill_names (SondeTrialDifference *difference)
{
  GListModel *rows = sonde_trial_table_get_rows (difference->table);
  guint before = gtk_drop_down_get_selected (difference->choice), selected = 0;
  g_autoptr (SondeTrial) compared
      = before < difference->others->len ? g_object_ref (difference->others->pdata[before]) : NULL;
  SondeRun *run = sonde_workspace_get_run (difference->workspace);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_set_size (difference->others, 0);
  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (SondeTrial) trial = g_list_model_get_item (rows, i);

      if (sonde_trial_get_run (trial) == run)
        continue;
      selected = trial == compared ? difference->others->len : selected;
      g_ptr_array_add (names, sonde_text_make_visible (get_title (difference, trial)));
      g_ptr_array_add (difference->others, g_object_ref (trial));
    }
  g_ptr_array_add (names, NULL);
  gtk_string_list_splice (difference->names, 0,
                          g_list_model_get_n_items (G_LIST_MODEL (difference->names)),
                          (const char *const *) names->pdata);
  gtk_drop_down_set_selected (difference->choice, selected);
  gtk_widget_set_visible (GTK_WIDGET (difference->choice), difference->others->len > 0);
}

static void
on_opened (SondeTrialDifference *difference)
{
  g_signal_handlers_block_by_func (difference->choice, show, difference);
  fill_names (difference);
  g_signal_handlers_unblock_by_func (difference->choice, show, difference);
  show (difference);
}

void
sonde_trial_difference_open (SondeTrialDifference *difference)
{
  g_return_if_fail (SONDE_IS_TRIAL_DIFFERENCE (difference));
  gtk_menu_button_popup (difference->button);
}

/* ---- making -------------------------------------------------------------- */

static GtkWidget *
make_popover (SondeTrialDifference *difference)
{
  GtkWidget *popover = gtk_popover_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  difference->choice = GTK_DROP_DOWN (
      gtk_drop_down_new (g_object_ref (G_LIST_MODEL (difference->names)),
                         gtk_property_expression_new (GTK_TYPE_STRING_OBJECT, NULL, "string")));
  gtk_drop_down_set_enable_search (difference->choice, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (difference->choice),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Compare with"), -1);
  difference->note = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, "wrap", TRUE, NULL);
  difference->grid = g_object_new (GTK_TYPE_GRID, "column-spacing", 18, "row-spacing", 6, NULL);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scrolled), TABLE_HEIGHT);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (difference->grid));
  g_object_set (box, "margin-start", 6, "margin-end", 6, "margin-top", 6, "margin-bottom", 6, NULL);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (difference->choice));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (difference->note));
  gtk_box_append (GTK_BOX (box), scrolled);
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  g_signal_connect_swapped (popover, "map", G_CALLBACK (on_opened), difference);
  g_signal_connect_swapped (difference->choice, "notify::selected", G_CALLBACK (show), difference);
  return popover;
}

static void
sonde_trial_difference_dispose (GObject *object)
{
  SondeTrialDifference *difference = SONDE_TRIAL_DIFFERENCE (object);

  if (difference->button != NULL)
    gtk_menu_button_set_popover (difference->button, NULL);
  difference->button = NULL;
  g_clear_object (&difference->names);
  g_clear_pointer (&difference->others, g_ptr_array_unref);
  g_clear_object (&difference->workspace);
  g_clear_object (&difference->table);
  G_OBJECT_CLASS (sonde_trial_difference_parent_class)->dispose (object);
}

static void
sonde_trial_difference_class_init (SondeTrialDifferenceClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_trial_difference_dispose;
}

static void
sonde_trial_difference_init (SondeTrialDifference *difference)
{
  difference->names = gtk_string_list_new (NULL);
  difference->others = g_ptr_array_new_with_free_func (g_object_unref);
  difference->button = GTK_MENU_BUTTON (gtk_menu_button_new ());
  sonde_menu_button_set_words (difference->button, _ ("Compare"));
  gtk_box_append (GTK_BOX (difference), GTK_WIDGET (difference->button));
}

GtkWidget *
sonde_trial_difference_new (SondeWorkspace *workspace, SondeTrialTable *table)
{
  SondeTrialDifference *difference = g_object_new (SONDE_TYPE_TRIAL_DIFFERENCE, NULL);

  difference->workspace = g_object_ref (workspace);
  difference->table = g_object_ref (table);
  gtk_menu_button_set_popover (difference->button, make_popover (difference));
  return GTK_WIDGET (difference);
}
