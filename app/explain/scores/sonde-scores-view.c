/* SPDX-License-Identifier: Apache-2.0
 * Methods by metrics. */
#include "app/explain/scores/sonde-scores-view.h"

#include <math.h>

#include "app/explain/sonde-method-chooser.h"
#include "app/explain/scores/sonde-metric-chooser.h"
#include "app/explain/sonde-explain-widgets.h"
#include "app/explain/scores/sonde-scores-table.h"

#define SAMPLES 8

struct _SondeScoresView
{
  AdwBin parent_instance;

  SondeExplainClient *client;
  GtkWidget *chooser, *metric_chooser, *samples, *run, *cancel, *progress, *message, *class, *table,
      *results, *cost, *line;
  SondeScoreSet *set;
  GArray *labels; /* gint64 of the menu of classes */
  GCancellable *running;
  gboolean filling;
};

G_DEFINE_FINAL_TYPE (SondeScoresView, sonde_scores_view, ADW_TYPE_BIN)

/* ---- content ------------------------------------------------------------- */

double
sonde_scores_view_get_composite (SondeScoresView *view, const char *method)
{
  g_return_val_if_fail (SONDE_IS_SCORES_VIEW (view), NAN);
  return sonde_score_set_get_composite (view->set, method);
}

void
sonde_scores_view_set_weight (SondeScoresView *view, const char *metric, double weight)
{
  g_return_if_fail (SONDE_IS_SCORES_VIEW (view) && weight >= 0);
  sonde_score_set_set_weight (view->set, metric, weight);
  sonde_scores_table_weigh (SONDE_SCORES_TABLE (view->table));
}

/* All, and each class that there are scores of. */
static void
fill_classes (SondeScoresView *self, const char *const *classes, guint n)
{
  GtkStringList *names = gtk_string_list_new ((const char *const[]){ "All classes", NULL });
  gint64 all = -1;

  self->filling = TRUE;
  g_array_set_size (self->labels, 0);
  g_array_append_val (self->labels, all);
  for (gint64 label = 0; label < n; label++)
    if (sonde_score_set_has_label (self->set, label))
      {
        g_array_append_val (self->labels, label);
        gtk_string_list_append (names, classes[label]);
      }
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->class), G_LIST_MODEL (names));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->class), 0);
  g_object_unref (names);
  self->filling = FALSE;
}

void
sonde_scores_view_set_scores (SondeScoresView *view, GPtrArray *scores, const char *const *classes,
                              guint n)
{
  g_return_if_fail (SONDE_IS_SCORES_VIEW (view));
  sonde_score_set_take (view->set, scores);
  fill_classes (view, classes, n);
  sonde_scores_table_fill (SONDE_SCORES_TABLE (view->table));
  gtk_widget_set_visible (view->results, scores->len > 0);
  gtk_label_set_text (GTK_LABEL (view->message),
                      scores->len > 0 ? "" : "No method has a score on these samples.");
  gtk_widget_set_visible (view->message, scores->len == 0);
}

static void
on_class (SondeScoresView *self)
{
  guint row = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->class));

  if (self->filling || self->set->scores == NULL)
    return;
  self->set->label = row < self->labels->len ? g_array_index (self->labels, gint64, row) : -1;
  sonde_scores_table_fill (SONDE_SCORES_TABLE (self->table));
}

/* ---- computing ----------------------------------------------------------- */

/* What it will take, before it is begun. */
static void
show_cost (SondeScoresView *self)
{
  const SondeExplainInfo *info
      = self->client != NULL ? sonde_explain_client_get_info (self->client) : NULL;
  const char *const *specs = sonde_method_chooser_get_specs (SONDE_METHOD_CHOOSER (self->chooser));
  SondeMetricChooser *metrics = SONDE_METRIC_CHOOSER (self->metric_chooser);
  guint samples = (guint) gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->samples));
  double seconds = sonde_metric_chooser_estimate (metrics, info, specs, samples);
  g_autofree char *time = isfinite (seconds) ? sonde_part_duration (seconds) : NULL, *text = NULL;
  gboolean nothing = specs[0] == NULL || sonde_metric_chooser_get_n (metrics) == 0;

  if (specs[0] == NULL)
    text = g_strdup ("Choose a method.");
  else if (nothing)
    text = g_strdup ("Choose a metric.");
  else if (time != NULL)
    text = g_strdup_printf (
        "%u maps and two controls on each of %u samples: about %s. What is computed is kept.",
        samples * g_strv_length ((char **) specs), samples, time);
  sonde_label_set (self->cost, text != NULL ? text : "");
  gtk_widget_set_sensitive (self->run, self->running == NULL && info != NULL && !nothing);
}

static void
show_running (SondeScoresView *self)
{
  gboolean running = self->running != NULL;

  show_cost (self);
  gtk_stack_set_visible_child_name (GTK_STACK (self->line), running ? "running" : "cost");
  if (!running)
    gtk_progress_bar_set_text (GTK_PROGRESS_BAR (self->progress), " ");
}

static void
on_scores (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeScoresView) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) scores = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_SCORES, &error);
  const SondeExplainInfo *info = sonde_explain_client_get_info (SONDE_EXPLAIN_CLIENT (source));
  gboolean stopped = g_cancellable_is_cancelled (self->running);

  g_clear_object (&self->running);
  show_running (self);
  if (scores != NULL && info != NULL && !stopped)
    {
      sonde_scores_view_set_scores (self, scores, (const char *const *) info->classes,
                                    info->n_classes);
      return;
    }
  gtk_label_set_text (GTK_LABEL (self->message),
                      stopped || error == NULL
                          ? "Stopped. What was computed is kept; run it again to go on."
                          : error->message);
  gtk_widget_set_visible (self->message, TRUE);
}

void
sonde_scores_view_run (SondeScoresView *view)
{
  g_autofree char *metrics = NULL;

  g_return_if_fail (SONDE_IS_SCORES_VIEW (view));
  if (view->running != NULL || view->client == NULL)
    return;
  metrics = sonde_metric_chooser_dup_list (SONDE_METRIC_CHOOSER (view->metric_chooser));
  view->running = g_cancellable_new ();
  gtk_widget_set_visible (view->message, FALSE);
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (view->progress), 0);
  show_running (view);
  sonde_explain_client_ask_async (
      view->client, SONDE_EXPLAIN_SCORES,
      &(SondeExplainArguments){
          .specs = sonde_method_chooser_get_specs (SONDE_METHOD_CHOOSER (view->chooser)),
          .metrics = metrics,
          .max_samples
          = (guint) gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (view->samples)) },
      view->running, on_scores, g_object_ref (view));
}

gboolean
sonde_scores_view_is_running (SondeScoresView *view)
{
  return view->running != NULL;
}

void
sonde_scores_view_reset (SondeScoresView *view)
{
  g_return_if_fail (SONDE_IS_SCORES_VIEW (view));
  g_cancellable_cancel (view->running);
  sonde_score_set_take (view->set, NULL);
  gtk_widget_set_visible (view->results, FALSE);
  gtk_label_set_text (GTK_LABEL (view->message),
                      "Which method should be believed on this model? Each is scored on some of "
                      "its errors, beside a random map and one "
                      "that always points at the centre.");
  gtk_widget_set_visible (view->message, TRUE);
  if (view->client != NULL)
    sonde_method_chooser_set_info (SONDE_METHOD_CHOOSER (view->chooser),
                                   sonde_explain_client_get_info (view->client));
  show_cost (view);
}

static void
on_cancel (SondeScoresView *self)
{
  g_cancellable_cancel (self->running);
}

static void
on_progress (SondeExplainClient *client, const char *what, double fraction, double seconds_left,
             SondeScoresView *self)
{
  g_autofree char *left = seconds_left >= 0 ? sonde_part_duration (seconds_left) : NULL;
  g_autofree char *text = NULL;

  if (self->running == NULL || what == NULL)
    return;
  text = left != NULL ? g_strdup_printf ("%s · %s left", what, left) : g_strdup (what);
  gtk_progress_bar_set_text (GTK_PROGRESS_BAR (self->progress), text);
  if (fraction >= 0)
    gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (self->progress), CLAMP (fraction, 0, 1));
  else
    gtk_progress_bar_pulse (GTK_PROGRESS_BAR (self->progress));
}

/* ---- widget -------------------------------------------------------------- */

static void
sonde_scores_view_dispose (GObject *object)
{
  SondeScoresView *self = SONDE_SCORES_VIEW (object);

  g_cancellable_cancel (self->running);
  g_clear_object (&self->client);
  G_OBJECT_CLASS (sonde_scores_view_parent_class)->dispose (object);
}

static void
sonde_scores_view_finalize (GObject *object)
{
  SondeScoresView *self = SONDE_SCORES_VIEW (object);

  sonde_score_set_free (self->set);
  g_array_unref (self->labels);
  g_clear_object (&self->running);
  G_OBJECT_CLASS (sonde_scores_view_parent_class)->finalize (object);
}

static void
sonde_scores_view_class_init (SondeScoresViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_scores_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_scores_view_finalize;
}

static GtkWidget *
make_bar (SondeScoresView *self)
{
  GtkWidget *bar = sonde_make_row (6), *samples = sonde_make_row (6);

  self->chooser = sonde_method_chooser_new ();
  self->metric_chooser = sonde_metric_chooser_new ();
  self->cost = sonde_make_label (NULL, "dim-label numeric");
  self->samples = gtk_spin_button_new_with_range (1, 2000, 1);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->samples), SAMPLES);
  gtk_editable_set_width_chars (GTK_EDITABLE (self->samples), 4);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->samples), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Number of samples", -1);
  self->run = gtk_button_new_with_label ("Score");
  gtk_widget_add_css_class (self->run, "suggested-action");
  self->cancel = gtk_button_new_with_label ("Cancel");
  gtk_box_append (GTK_BOX (samples), sonde_make_label ("on", "dim-label"));
  gtk_box_append (GTK_BOX (samples), self->samples);
  gtk_box_append (GTK_BOX (samples), sonde_make_label ("errors", "dim-label"));
  gtk_box_append (GTK_BOX (bar), self->chooser);
  gtk_box_append (GTK_BOX (bar), self->metric_chooser);
  gtk_box_append (GTK_BOX (bar), samples);
  gtk_box_append (GTK_BOX (bar), self->run);
  g_signal_connect_object (self->chooser, "changed", G_CALLBACK (show_cost), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->metric_chooser, "changed", G_CALLBACK (show_cost), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->samples, "value-changed", G_CALLBACK (show_cost), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->run, "clicked", G_CALLBACK (sonde_scores_view_run), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->cancel, "clicked", G_CALLBACK (on_cancel), self,
                           G_CONNECT_SWAPPED);
  return bar;
}

/* What it costs, or how far it is: nothing jumps when it begins. */
static GtkWidget *
make_line (SondeScoresView *self)
{
  GtkWidget *running = sonde_make_row (12);

  self->progress = gtk_progress_bar_new ();
  gtk_progress_bar_set_show_text (GTK_PROGRESS_BAR (self->progress), TRUE);
  gtk_progress_bar_set_ellipsize (GTK_PROGRESS_BAR (self->progress), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (self->progress, TRUE);
  gtk_widget_set_valign (self->progress, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (self->cancel, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (running), self->progress);
  gtk_box_append (GTK_BOX (running), self->cancel);
  self->line = gtk_stack_new ();
  gtk_stack_add_named (GTK_STACK (self->line), self->cost, "cost");
  gtk_stack_add_named (GTK_STACK (self->line), running, "running");
  return self->line;
}

static GtkWidget *
make_results (SondeScoresView *self)
{
  GtkWidget *column = sonde_make_column (18);

  self->class = gtk_drop_down_new_from_strings ((const char *const[]){ "All classes", NULL });
  gtk_widget_set_halign (self->class, GTK_ALIGN_START);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->class), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Scores of which true class", -1);
  self->table = sonde_scores_table_new (self->set);
  gtk_box_append (GTK_BOX (column), self->class);
  gtk_box_append (GTK_BOX (column), self->table);
  g_signal_connect_object (self->class, "notify::selected", G_CALLBACK (on_class), self,
                           G_CONNECT_SWAPPED);
  return column;
}

static void
sonde_scores_view_init (SondeScoresView *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new (), *column = sonde_make_column (12);

  self->set = sonde_score_set_new ();
  self->labels = g_array_new (FALSE, FALSE, sizeof (gint64));
  gtk_widget_set_margin_start (column, 18);
  gtk_widget_set_margin_end (column, 18);
  gtk_widget_set_margin_top (column, 18);
  gtk_widget_set_margin_bottom (column, 18);
  self->message = sonde_make_text (NULL, "dim-label");
  gtk_box_append (GTK_BOX (column), make_bar (self));
  gtk_box_append (GTK_BOX (column), make_line (self));
  gtk_box_append (GTK_BOX (column), self->message);
  self->results = make_results (self);
  gtk_box_append (GTK_BOX (column), self->results);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), column);
  adw_bin_set_child (ADW_BIN (self), scroller);
  sonde_scores_view_reset (self);
}

GtkWidget *
sonde_scores_view_new (SondeExplainClient *client)
{
  SondeScoresView *self = g_object_new (SONDE_TYPE_SCORES_VIEW, NULL);

  self->client = client != NULL ? g_object_ref (client) : NULL;
  if (client != NULL)
    g_signal_connect_object (client, "progress", G_CALLBACK (on_progress), self, 0);
  show_running (self);
  return GTK_WIDGET (self);
}
