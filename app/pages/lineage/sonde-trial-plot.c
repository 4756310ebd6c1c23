/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/lineage/sonde-trial-plot.h"

#include <math.h>

#include "app/pages/lineage/sonde-trial-matrix.h"
#include "data/browsing/sonde-importance.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/paint/trials/sonde-scatter-matrix.h"
#include "viewers/trials/sonde-parallel-view.h"
#include "viewers/trials/sonde-scatter-matrix-view.h"

#define MAX_AXES 24      /* more have no room */
#define MAX_NOTE_LINES 3 /* a limit also keeps a low page from asking for the width of one line */

struct _SondeTrialPlot
{
  GtkBox parent_instance;
  GtkStack *views;
  SondeTrialView *parallel, *matrix;
  GtkLabel *note;
  SondeWorkspace *workspace;
  SondeTrialTable *table;
  GPtrArray *trials; /* SondeTrial of each line */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeTrialPlot, sonde_trial_plot, GTK_TYPE_BOX)

/* The one that is shown. */
static SondeTrialView *
get_view (SondeTrialPlot *plot)
{
  return SONDE_TRIAL_VIEW (gtk_stack_get_visible_child (plot->views));
}

/* ---- axes ---------------------------------------------------------------- */

static guint
get_most (SondeTrialPlot *plot)
{
  return get_view (plot) == plot->matrix ? SONDE_SCATTER_MATRIX_MOST : MAX_AXES;
}

static void
add_axis (SondeTrialPlot *plot, const SondeTrialColumn *column, double *values)
{
  g_autofree char *title = sonde_trial_column_dup_title (column);
  g_autofree char *visible = sonde_text_make_visible (title);
  g_auto (GStrv) words = sonde_trials_number (plot->trials, column, values);

  sonde_trial_view_add_axis (get_view (plot), visible, values, (const char *const *) words);
  for (guint i = 0; words != NULL && i < plot->trials->len; i++)
    values[i] = NAN; /* words have no order */
}

/* @values: [n, number of trials] */
static void
correlate (SondeTrialPlot *plot, const double *values, guint n)
{
  guint n_trials = plot->trials->len;
  g_autofree double *rho = g_new (double, MAX (n * n, 1));

  for (guint i = 0; i < n * n; i++)
    rho[i] = sonde_rank_correlation (values + (gsize) (i / n) * n_trials, 1,
                                     values + (gsize) (i % n) * n_trials, n_trials);
  sonde_scatter_matrix_view_set_correlation (SONDE_SCATTER_MATRIX_VIEW (plot->matrix), rho);
}

static char *
dup_note (SondeTrialPlot *plot, guint n, guint n_columns)
{
  if (n < n_columns)
    return g_strdup_printf (_ ("The first %u of %u columns are axes."), n, n_columns);
  if (n < 2)
    return g_strdup (_ ("Choose two columns or more to see them as axes."));
  if (get_view (plot) == plot->matrix)
    return g_strdup (_ ("Drag a box to brush two columns; click beside the points to let go. Keys: "
                        "arrows cell, L logarithm, C colour. ρ is Spearman's rank correlation."));
  return g_strdup (_ ("Drag along an axis to brush it; click it to let go. Keys: ← → axis, ↑ ↓ "
                      "brush, L logarithm, C colour."));
}

/* The last metric makes the colour. */
static void
add_axes (SondeTrialPlot *plot)
{
  g_autoptr (GPtrArray) columns = sonde_trial_table_list_shown (plot->table);
  guint n = MIN (columns->len, get_most (plot));
  g_autofree double *values = g_new (double, MAX ((gsize) n * plot->trials->len, 1));
  g_autofree char *note = dup_note (plot, n, columns->len);
  int color = -1;

  for (guint k = 0; k < n; k++)
    {
      const SondeTrialColumn *column = columns->pdata[k];

      add_axis (plot, column, values + (gsize) k * plot->trials->len);
      color = column->rank == SONDE_TRIAL_METRIC ? (int) k : color;
    }
  sonde_trial_view_set_color_axis (get_view (plot), color);
  if (get_view (plot) == plot->matrix)
    correlate (plot, values, n);
  gtk_label_set_text (plot->note, note);
}

/* ---- lines --------------------------------------------------------------- */

static void
take_trials (SondeTrialPlot *plot)
{
  GListModel *matching = sonde_trial_table_get_matching (plot->table);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_set_size (plot->trials, 0);
  for (guint i = 0; i < g_list_model_get_n_items (matching); i++)
    {
      SondeTrial *trial = g_list_model_get_item (matching, i);

      g_ptr_array_add (plot->trials, trial);
      g_ptr_array_add (names, sonde_text_make_visible (sonde_workspace_get_run_title (
                                  plot->workspace, sonde_trial_get_run (trial))));
    }
  g_ptr_array_add (names, NULL);
  sonde_trial_view_set_lines (get_view (plot), (const char *const *) names->pdata,
                              plot->trials->len);
}

static void
select_run (SondeTrialPlot *plot)
{
  SondeRun *run = sonde_workspace_get_run (plot->workspace);
  gint64 selected = SONDE_VIEW_NOTHING;

  for (guint i = 0; i < plot->trials->len; i++)
    if (sonde_trial_get_run (plot->trials->pdata[i]) == run)
      selected = i;
  sonde_view_set_selection (SONDE_VIEW (get_view (plot)), selected);
}

static void
on_brushed (SondeTrialPlot *plot)
{
  GHashTable *brush = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);

  for (guint i = 0; i < plot->trials->len; i++)
    if (sonde_trial_view_is_in (get_view (plot), i))
      g_hash_table_add (brush, g_object_ref (plot->trials->pdata[i]));
  if (g_hash_table_size (brush) == plot->trials->len)
    g_clear_pointer (&brush, g_hash_table_unref);
  plot->updating = TRUE;
  sonde_trial_table_take_brush (plot->table, brush);
  plot->updating = FALSE;
}

static void
on_picked (SondeTrialPlot *plot, gint64 id)
{
  if (id >= 0 && id < plot->trials->len)
    sonde_workspace_set_run (plot->workspace, sonde_trial_get_run (plot->trials->pdata[id]));
}

void
sonde_trial_plot_update (SondeTrialPlot *plot)
{
  g_return_if_fail (SONDE_IS_TRIAL_PLOT (plot));
  if (plot->updating || !gtk_widget_get_visible (GTK_WIDGET (plot)))
    return;
  take_trials (plot);
  add_axes (plot);
  select_run (plot);
  on_brushed (plot); /* the numbers are others */
}

void
sonde_trial_plot_clear (SondeTrialPlot *plot)
{
  g_return_if_fail (SONDE_IS_TRIAL_PLOT (plot));
  sonde_trial_view_clear_brushes (plot->parallel);
  sonde_trial_view_clear_brushes (plot->matrix);
}

void
sonde_trial_plot_set_form (SondeTrialPlot *plot, SondeTrialPlotForm form)
{
  g_return_if_fail (SONDE_IS_TRIAL_PLOT (plot));
  gtk_stack_set_visible_child (
      plot->views, GTK_WIDGET (form == SONDE_TRIAL_PLOT_MATRIX ? plot->matrix : plot->parallel));
  sonde_trial_plot_update (plot);
}

/* ---- making -------------------------------------------------------------- */

static void
sonde_trial_plot_dispose (GObject *object)
{
  SondeTrialPlot *plot = SONDE_TRIAL_PLOT (object);

  plot->updating = TRUE;
  g_clear_object (&plot->table);
  g_clear_object (&plot->workspace);
  G_OBJECT_CLASS (sonde_trial_plot_parent_class)->dispose (object);
}

static void
sonde_trial_plot_finalize (GObject *object)
{
  g_ptr_array_unref (SONDE_TRIAL_PLOT (object)->trials);
  G_OBJECT_CLASS (sonde_trial_plot_parent_class)->finalize (object);
}

static void
sonde_trial_plot_class_init (SondeTrialPlotClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_trial_plot_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_trial_plot_finalize;
}

static void
sonde_trial_plot_init (SondeTrialPlot *plot)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (plot), GTK_ORIENTATION_VERTICAL);
  plot->trials = g_ptr_array_new_with_free_func (g_object_unref);
  plot->parallel = SONDE_TRIAL_VIEW (sonde_parallel_view_new ());
  plot->matrix = SONDE_TRIAL_VIEW (sonde_scatter_matrix_view_new ());
  sonde_view_set_title (SONDE_VIEW (plot->parallel), _ ("Parallel Coordinates"));
  sonde_view_set_title (SONDE_VIEW (plot->matrix), _ ("Scatter Matrix"));
  plot->views = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_child (plot->views, GTK_WIDGET (plot->parallel));
  gtk_stack_add_child (plot->views, GTK_WIDGET (plot->matrix));
  plot->note
      = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, "margin-start", 12, "margin-bottom", 3, "wrap",
                      TRUE, "lines", MAX_NOTE_LINES, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
  gtk_widget_add_css_class (GTK_WIDGET (plot->note), "dim-label");
  gtk_widget_set_vexpand (GTK_WIDGET (plot->views), TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (plot->views), TRUE);
  gtk_box_append (GTK_BOX (plot), GTK_WIDGET (plot->views));
  gtk_box_append (GTK_BOX (plot), GTK_WIDGET (plot->note));
}

static void
connect_view (SondeTrialPlot *plot, SondeTrialView *view)
{
  g_signal_connect_object (view, "brushed", G_CALLBACK (on_brushed), plot, G_CONNECT_SWAPPED);
  g_signal_connect_object (view, "picked", G_CALLBACK (on_picked), plot, G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_trial_plot_new (SondeWorkspace *workspace, SondeTrialTable *table)
{
  SondeTrialPlot *plot = g_object_new (SONDE_TYPE_TRIAL_PLOT, NULL);

  plot->workspace = g_object_ref (workspace);
  plot->table = g_object_ref (table);
  connect_view (plot, plot->parallel);
  connect_view (plot, plot->matrix);
  g_signal_connect_object (workspace, "notify::run", G_CALLBACK (select_run), plot,
                           G_CONNECT_SWAPPED);
  return GTK_WIDGET (plot);
}
