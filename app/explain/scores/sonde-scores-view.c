/* SPDX-License-Identifier: Apache-2.0
 * Methods by metrics. */
#include "app/explain/scores/sonde-scores-view.h"

#include <math.h>

#include "app/explain/browser/sonde-wrap-layout.h"
#include "app/explain/sonde-method-chooser.h"
#include "app/explain/scores/sonde-metric-chooser.h"
#include "explain/browsing/sonde-explain-text.h"
#include "data/base/sonde-error.h"
#include "app/explain/scores/sonde-scores-table.h"

struct _SondeScoresView
{
  AdwBin parent_instance;

  SondeExplainClient *client;
  GtkWidget *chooser, *metric_chooser, *samples, *run, *progress, *message, *class, *table,
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
  GtkStringList *names = gtk_string_list_new ((const char *const[]){ _ ("All classes"), NULL });
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

/* @sentence: (nullable): there is nothing to say */
static void
say (SondeScoresView *self, const char *sentence)
{
  g_autofree char *escaped = g_markup_escape_text (sentence != NULL ? sentence : "", -1);

  adw_status_page_set_description (ADW_STATUS_PAGE (self->message), escaped);
  gtk_widget_set_visible (self->message, sentence != NULL);
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
  say (view, scores->len == 0 ? _ ("No method has a score on these samples.") : NULL);
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
  g_autofree char *time = isfinite (seconds) ? sonde_explain_duration_text (seconds) : NULL,
                  *text = NULL;
  gboolean nothing = specs[0] == NULL || sonde_metric_chooser_get_n (metrics) == 0;

  if (specs[0] == NULL)
    text = g_strdup (_ ("Select a method."));
  else if (nothing)
    text = g_strdup (_ ("Select a metric."));
  else if (time != NULL)
    text = g_strdup_printf (
        P_ ("%u maps, and two controls on %u sample, take about %s. Results are kept.",
            "%u maps, and two controls on each of %u samples, take about %s. Results are kept.",
            samples),
        samples * g_strv_length ((char **) specs), samples, time);
  gtk_label_set_text (GTK_LABEL (self->cost), text != NULL ? text : "");
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
  say (self, stopped || error == NULL
                 ? _ ("Stopped. Results so far are kept; run it again to continue.")
                 : sonde_error_get_text (error));
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
  say (view, NULL);
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
  say (view, _ ("Which method can be trusted on this model? Each is scored on some of the model's "
                "errors, along with a random map and a map that always points at the centre."));
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
  g_autofree char *left = seconds_left >= 0 ? sonde_explain_duration_text (seconds_left) : NULL;
  g_autofree char *text = NULL;

  if (self->running == NULL || what == NULL)
    return;
  text = left != NULL ? g_strdup_printf (_ ("%s · %s left"), what, left) : g_strdup (what);
  gtk_progress_bar_set_text (GTK_PROGRESS_BAR (self->progress), text);
  if (fraction >= 0)
    gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (self->progress), CLAMP (fraction, 0, 1));
  else
    gtk_progress_bar_pulse (GTK_PROGRESS_BAR (self->progress));
}

/* ---- widget -------------------------------------------------------------- */

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
sonde_scores_view_dispose (GObject *object)
{
  g_cancellable_cancel (SONDE_SCORES_VIEW (object)->running);
  g_clear_object (&SONDE_SCORES_VIEW (object)->client);
  SONDE_SCORES_VIEW (object)->filling = TRUE;
  G_OBJECT_CLASS (sonde_scores_view_parent_class)->dispose (object);
}

static void
sonde_scores_view_class_init (SondeScoresViewClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_scores_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_scores_view_finalize;
  g_type_ensure (SONDE_TYPE_WRAP_LAYOUT);
  g_type_ensure (SONDE_TYPE_METHOD_CHOOSER);
  g_type_ensure (SONDE_TYPE_METRIC_CHOOSER);
  g_type_ensure (SONDE_TYPE_SCORES_TABLE);
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/scores/sonde-scores-view.ui");
  gtk_widget_class_bind_template_child (widget, SondeScoresView, chooser);
  gtk_widget_class_bind_template_child (widget, SondeScoresView, metric_chooser);
  gtk_widget_class_bind_template_child (widget, SondeScoresView, samples);
  gtk_widget_class_bind_template_child (widget, SondeScoresView, run);
  gtk_widget_class_bind_template_child (widget, SondeScoresView, line);
  gtk_widget_class_bind_template_child (widget, SondeScoresView, cost);
  gtk_widget_class_bind_template_child (widget, SondeScoresView, progress);
  gtk_widget_class_bind_template_child (widget, SondeScoresView, message);
  gtk_widget_class_bind_template_child (widget, SondeScoresView, results);
  gtk_widget_class_bind_template_child (widget, SondeScoresView, class);
  gtk_widget_class_bind_template_child (widget, SondeScoresView, table);
  gtk_widget_class_bind_template_callback (widget, show_cost);
  gtk_widget_class_bind_template_callback (widget, sonde_scores_view_run);
  gtk_widget_class_bind_template_callback (widget, on_cancel);
  gtk_widget_class_bind_template_callback (widget, on_class);
}

static void
sonde_scores_view_init (SondeScoresView *self)
{
  self->set = sonde_score_set_new ();
  self->labels = g_array_new (FALSE, FALSE, sizeof (gint64));
  gtk_widget_init_template (GTK_WIDGET (self));
  sonde_scores_table_set_scores (SONDE_SCORES_TABLE (self->table), self->set);
  fill_classes (self, NULL, 0);
  show_running (self);
  sonde_scores_view_reset (self);
}

void
sonde_scores_view_set_client (SondeScoresView *view, SondeExplainClient *client)
{
  g_return_if_fail (SONDE_IS_SCORES_VIEW (view) && view->client == NULL);
  g_set_object (&view->client, client);
  if (client != NULL)
    g_signal_connect_object (client, "progress", G_CALLBACK (on_progress), view, 0);
  show_running (view);
}

GtkWidget *
sonde_scores_view_new (SondeExplainClient *client)
{
  SondeScoresView *self = g_object_new (SONDE_TYPE_SCORES_VIEW, NULL);

  sonde_scores_view_set_client (self, client);
  return GTK_WIDGET (self);
}
