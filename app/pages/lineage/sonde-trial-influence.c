/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/lineage/sonde-trial-influence.h"

#include <math.h>

#include "app/pages/lineage/sonde-trial-matrix.h"
#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-text.h"
#include "data/browsing/sonde-importance.h"
#include "viewers/paint/sonde-text-paint.h"

#define MAX_PARAMETERS 40 /* by name; the forest's work grows with them */
#define TABLE_HEIGHT 360  /* px at most */

struct _SondeTrialInfluence
{
  GtkBox parent_instance;
  GtkMenuButton *button;
  GtkDropDown *metric;
  GtkStringList *metrics;
  GtkLabel *note;
  GtkGrid *grid;
  SondeTrialTable *table;
};

G_DEFINE_FINAL_TYPE (SondeTrialInfluence, sonde_trial_influence, GTK_TYPE_BOX)

typedef struct
{
  const SondeTrialColumn *column;
  gboolean is_words;
  SondeImportance importance;
} Row;

/* ---- computing ----------------------------------------------------------- */

/* Parameters that differ, each fact once. (transfer container) (element-type SondeTrialColumn) */
static GPtrArray *
list_parameters (SondeTrialInfluence *influence)
{
  GPtrArray *columns = sonde_trial_table_get_columns (influence->table);
  GPtrArray *parameters = g_ptr_array_new ();

  for (guint i = 0; i < columns->len && parameters->len < MAX_PARAMETERS; i++)
    {
      SondeTrialColumn *column = columns->pdata[i];

      if (column->rank == SONDE_TRIAL_DIFFERS && column->twin == NULL)
        g_ptr_array_add (parameters, column);
    }
  return parameters;
}

static GPtrArray *
list_trials (SondeTrialInfluence *influence)
{
  GListModel *matching = sonde_trial_table_get_matching (influence->table);
  GPtrArray *trials = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < g_list_model_get_n_items (matching); i++)
    g_ptr_array_add (trials, g_list_model_get_item (matching, i));
  return trials;
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const SondeImportance *x = &((const Row *) a)->importance, *y = &((const Row *) b)->importance;
  double first = isnan (x->permutation) ? fabs (x->correlation) : x->permutation;
  double second = isnan (y->permutation) ? fabs (y->correlation) : y->permutation;

  if (isnan (first) || isnan (second))
    return isnan (first) - isnan (second);
  return (first < second) - (first > second);
}

/* (transfer full) (element-type Row): the most important first. @n_used, @explained: (out) */
static GArray *
compute (SondeTrialInfluence *influence, const SondeTrialColumn *metric, guint *n_used,
         double *explained)
{
  g_autoptr (GPtrArray) parameters = list_parameters (influence);
  g_autoptr (GPtrArray) trials = list_trials (influence);
  guint n = trials->len, m = parameters->len;
  g_autofree double *x = g_new (double, MAX ((gsize) n * m, 1));
  g_autofree double *y = g_new (double, MAX (n, 1)), *values = g_new (double, MAX (n, 1));
  g_autofree SondeImportance *importances = g_new (SondeImportance, MAX (m, 1));
  GArray *rows = g_array_new (FALSE, TRUE, sizeof (Row));

  g_array_set_size (rows, m);
  for (guint k = 0; k < m; k++)
    {
      g_auto (GStrv) words = sonde_trials_number (trials, parameters->pdata[k], values);

      g_array_index (rows, Row, k) = (Row){ parameters->pdata[k], words != NULL, { 0 } };
      for (guint i = 0; i < n; i++)
        x[(gsize) i * m + k] = values[i];
    }
  for (guint i = 0; i < n; i++)
    y[i] = sonde_trial_get_number (trials->pdata[i], metric);
  *n_used = sonde_importance_compute (x, n, m, y, importances, explained);
  for (guint k = 0; k < m; k++)
    g_array_index (rows, Row, k).importance = importances[k];
  g_array_sort (rows, compare_rows);
  return rows;
}

/* ---- showing ------------------------------------------------------------- */

static void
put_cell (SondeTrialInfluence *influence, const char *text, int column, int row)
{
  g_autofree char *visible = sonde_text_make_visible (text);
  GtkWidget *label = gtk_label_new (visible);

  gtk_label_set_xalign (GTK_LABEL (label), column == 0 ? 0 : 1);
  gtk_label_set_ellipsize (GTK_LABEL (label),
                           column == 0 ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 30);
  gtk_widget_set_hexpand (label, column == 0);
  gtk_widget_add_css_class (label, row == 0 ? "dim-label" : "numeric");
  gtk_grid_attach (influence->grid, label, column, row, 1, 1);
}

static char *
format_part (double part)
{
  return isnan (part) ? g_strdup ("–") : g_strdup_printf ("%.2f", part);
}

/* Words have no order that a rank could follow. */
static void
put_row (SondeTrialInfluence *influence, const Row *row, int at)
{
  const SondeImportance *importance = &row->importance;
  g_autofree char *correlation = format_part (row->is_words ? NAN : importance->correlation);
  g_autofree char *permutation = NULL;

  permutation = isnan (importance->permutation)
                    ? g_strdup ("–")
                    : g_strdup_printf ("%.2f ± %.2f", importance->permutation, importance->error);
  put_cell (influence, row->column->name, 0, at);
  put_cell (influence, correlation, 1, at);
  put_cell (influence, permutation, 2, at);
}

/* What the numbers are worth. (transfer full) */
static char *
describe (guint n_used, guint n_parameters, double explained)
{
  if (n_parameters == 0)
    return g_strdup (_ ("No hyper-parameter differs between these runs."));
  if (n_used < SONDE_IMPORTANCE_FEW)
    return g_strdup_printf (P_ ("Only %u run: chance says as much as the parameters.",
                                "Only %u runs: chance says as much as the parameters.", n_used),
                            n_used);
  if (!(explained > 0))
    return g_strdup_printf (_ ("Over %u runs. The forest predicts nothing of runs that it has not "
                               "seen: its importances say nothing."),
                            n_used);
  return g_strdup_printf (
      _ ("Over %u runs. The forest explains %.0f %% of the variance of runs that "
         "it has not seen."),
      n_used, 100 * explained);
}

static void
clear (SondeTrialInfluence *influence)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (influence->grid))) != NULL)
    gtk_grid_remove (influence->grid, child);
}

static SondeTrialColumn *
get_metric (SondeTrialInfluence *influence)
{
  guint selected = gtk_drop_down_get_selected (influence->metric);
  const char *name = selected != GTK_INVALID_LIST_POSITION
                         ? gtk_string_list_get_string (influence->metrics, selected)
                         : NULL;
  GPtrArray *columns = sonde_trial_table_get_columns (influence->table);

  for (guint i = 0; name != NULL && i < columns->len; i++)
    {
      SondeTrialColumn *column = columns->pdata[i];

      if (column->rank == SONDE_TRIAL_METRIC && g_str_equal (column->name, name))
        return column;
    }
  return NULL;
}

static void
show (SondeTrialInfluence *influence)
{
  const SondeTrialColumn *metric = get_metric (influence);
  g_autoptr (GArray) rows = NULL;
  g_autofree char *note = NULL;
  guint n_used = 0;
  double explained = NAN;

  clear (influence);
  if (metric == NULL)
    {
      gtk_label_set_text (influence->note, _ ("These runs have no metric."));
      return;
    }
  rows = compute (influence, metric, &n_used, &explained);
  note = describe (n_used, rows->len, explained);
  gtk_label_set_text (influence->note, note);
  if (rows->len == 0)
    return;
  put_cell (influence, _ ("Hyper-parameter"), 0, 0);
  put_cell (influence, _ ("Rank correlation"), 1, 0);
  put_cell (influence, _ ("Importance"), 2, 0);
  for (guint i = 0; i < rows->len; i++)
    put_row (influence, &g_array_index (rows, Row, i), (int) i + 1);
}

/* The metric that was chosen stays. */
static void
fill_metrics (SondeTrialInfluence *influence)
{
  GPtrArray *columns = sonde_trial_table_get_columns (influence->table);
  const SondeTrialColumn *chosen = get_metric (influence);
  guint n_before = g_list_model_get_n_items (G_LIST_MODEL (influence->metrics)), n = 0,
        selected = 0;
  g_autofree const char **names = g_new0 (const char *, columns->len + 1);

  for (guint i = 0; i < columns->len; i++)
    {
      const SondeTrialColumn *column = columns->pdata[i];

      if (column->rank != SONDE_TRIAL_METRIC)
        continue;
      selected = column == chosen ? n : selected;
      names[n++] = column->name;
    }
  g_signal_handlers_block_by_func (influence->metric, show, influence);
  gtk_string_list_splice (influence->metrics, 0, n_before, names);
  gtk_drop_down_set_selected (influence->metric, selected);
  g_signal_handlers_unblock_by_func (influence->metric, show, influence);
  gtk_widget_set_visible (GTK_WIDGET (influence->metric), n > 0);
}

static void
on_opened (SondeTrialInfluence *influence)
{
  fill_metrics (influence);
  show (influence);
}

void
sonde_trial_influence_open (SondeTrialInfluence *influence)
{
  g_return_if_fail (SONDE_IS_TRIAL_INFLUENCE (influence));
  gtk_menu_button_popup (influence->button);
}

/* ---- making -------------------------------------------------------------- */

static GtkWidget *
make_popover (SondeTrialInfluence *influence)
{
  GtkWidget *popover = gtk_popover_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  influence->metrics = gtk_string_list_new (NULL);
  influence->metric
      = GTK_DROP_DOWN (gtk_drop_down_new (g_object_ref (G_LIST_MODEL (influence->metrics)), NULL));
  gtk_accessible_update_property (GTK_ACCESSIBLE (influence->metric), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Metric"), -1);
  influence->note
      = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, "wrap", TRUE, "max-width-chars", 50, NULL);
  influence->grid = g_object_new (GTK_TYPE_GRID, "column-spacing", 18, "row-spacing", 6, NULL);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scrolled), TABLE_HEIGHT);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (influence->grid));
  g_object_set (box, "margin-start", 6, "margin-end", 6, "margin-top", 6, "margin-bottom", 6, NULL);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (influence->metric));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (influence->note));
  gtk_box_append (GTK_BOX (box), scrolled);
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  g_signal_connect_swapped (popover, "map", G_CALLBACK (on_opened), influence);
  g_signal_connect_swapped (influence->metric, "notify::selected", G_CALLBACK (show), influence);
  return popover;
}

static void
sonde_trial_influence_dispose (GObject *object)
{
  SondeTrialInfluence *influence = SONDE_TRIAL_INFLUENCE (object);

  if (influence->button != NULL)
    gtk_menu_button_set_popover (influence->button, NULL);
  influence->button = NULL;
  g_clear_object (&influence->metrics);
  g_clear_object (&influence->table);
  G_OBJECT_CLASS (sonde_trial_influence_parent_class)->dispose (object);
}

static void
sonde_trial_influence_class_init (SondeTrialInfluenceClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_trial_influence_dispose;
}

static void
sonde_trial_influence_init (SondeTrialInfluence *influence)
{
  influence->button = GTK_MENU_BUTTON (gtk_menu_button_new ());
  sonde_menu_button_set_words (influence->button, _ ("Importance"));
  gtk_box_append (GTK_BOX (influence), GTK_WIDGET (influence->button));
}

GtkWidget *
sonde_trial_influence_new (SondeTrialTable *table)
{
  SondeTrialInfluence *influence = g_object_new (SONDE_TYPE_TRIAL_INFLUENCE, NULL);

  influence->table = g_object_ref (table);
  gtk_menu_button_set_popover (influence->button, make_popover (influence));
  return GTK_WIDGET (influence);
}
