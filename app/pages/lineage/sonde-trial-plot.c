/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/lineage/sonde-trial-plot.h"

#include "app/pages/lineage/sonde-trial-matrix.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/trials/sonde-parallel-view.h"

#define MAX_AXES 24 /* more have no room */

struct _SondeTrialPlot
{
  GtkBox parent_instance;
  SondeParallelView *view;
  GtkLabel *note;
  SondeWorkspace *workspace;
  SondeTrialTable *table;
  GPtrArray *trials; /* SondeTrial of each line */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeTrialPlot, sonde_trial_plot, GTK_TYPE_BOX)

/* ---- axes ---------------------------------------------------------------- */

static void
add_axis (SondeTrialPlot *plot, const SondeTrialColumn *column)
{
  g_autofree double *values = g_new (double, MAX (plot->trials->len, 1));
  g_autofree char *title = sonde_trial_column_dup_title (column);
  g_autofree char *visible = sonde_text_make_visible (title);
  g_auto (GStrv) words = sonde_trials_number (plot->trials, column, values);
  sonde_parallel_view_add_axis (plot->view, visible, values, (const char *const *) words);
}

/* The last metric makes the colour. */
static void
add_axes (SondeTrialPlot *plot)
{
  g_autoptr (GPtrArray) columns = sonde_trial_table_list_shown (plot->table);
  guint n = MIN (columns->len, MAX_AXES);
  g_autofree char *note = NULL;
  int color = -1;

  for (guint k = 0; k < n; k++)
    {
      const SondeTrialColumn *column = columns->pdata[k];

      add_axis (plot, column);
      color = column->rank == SONDE_TRIAL_METRIC ? (int) k : color;
    }
  sonde_parallel_view_set_color_axis (plot->view, color);
  note = n < columns->len
             ? g_strdup_printf (_ ("The first %u of %u columns are axes."), n, columns->len)
             : g_strdup (n < 2 ? _ ("Choose two columns or more to see them as axes.")
                               : _ ("Drag along an axis to brush it; click it to let go. Keys: ← → "
                                    "axis, ↑ ↓ brush, L logarithm, C colour."));
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
  sonde_parallel_view_set_lines (plot->view, (const char *const *) names->pdata, plot->trials->len);
}

static void
select_run (SondeTrialPlot *plot)
{
  SondeRun *run = sonde_workspace_get_run (plot->workspace);
  gint64 selected = SONDE_VIEW_NOTHING;

  for (guint i = 0; i < plot->trials->len; i++)
    if (sonde_trial_get_run (plot->trials->pdata[i]) == run)
      selected = i;
  sonde_view_set_selection (SONDE_VIEW (plot->view), selected);
}

static void
on_brushed (SondeTrialPlot *plot)
{
  GHashTable *brush = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);

  for (guint i = 0; i < plot->trials->len; i++)
    if (sonde_parallel_view_is_in (plot->view, i))
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
  sonde_parallel_view_clear_brushes (plot->view);
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
  plot->view = SONDE_PARALLEL_VIEW (sonde_parallel_view_new ());
  sonde_view_set_title (SONDE_VIEW (plot->view), _ ("Parallel Coordinates"));
  plot->note = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, "margin-start", 12, "margin-bottom", 3,
                             "ellipsize", PANGO_ELLIPSIZE_END, NULL);
  gtk_widget_add_css_class (GTK_WIDGET (plot->note), "dim-label");
  gtk_widget_set_vexpand (GTK_WIDGET (plot->view), TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (plot->view), TRUE);
  gtk_box_append (GTK_BOX (plot), GTK_WIDGET (plot->view));
  gtk_box_append (GTK_BOX (plot), GTK_WIDGET (plot->note));
}

GtkWidget *
sonde_trial_plot_new (SondeWorkspace *workspace, SondeTrialTable *table)
{
  SondeTrialPlot *plot = g_object_new (SONDE_TYPE_TRIAL_PLOT, NULL);

  plot->workspace = g_object_ref (workspace);
  plot->table = g_object_ref (table);
  g_signal_connect_object (plot->view, "brushed", G_CALLBACK (on_brushed), plot, G_CONNECT_SWAPPED);
  g_signal_connect_object (plot->view, "picked", G_CALLBACK (on_picked), plot, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::run", G_CALLBACK (select_run), plot,
                           G_CONNECT_SWAPPED);
  return GTK_WIDGET (plot);
}
