/* SPDX-License-Identifier: Apache-2.0
 * Methods by metrics. */
#include "app/explain/sonde-scores-view.h"

#include <math.h>

#include "app/explain/sonde-method-chooser.h"
#include "app/explain/sonde-metric-chooser.h"
#include "app/explain/sonde-sample-parts.h"
#include "explain/metrics/sonde-scorecard.h"
#include "viewers/sonde-mark.h"
#include "viewers/sonde-radar-view.h"

#define RANDOM "random-map"
#define CENTRE "centre-map"
#define SAMPLES 8
#define MAX_WEIGHT 10
#define RADAR 380 /* px high */

struct _SondeScoresView
{
  AdwBin parent_instance;

  SondeStudyClient *client;
  GtkWidget *chooser, *metric_chooser, *samples, *run, *cancel, *progress, *message, *class, *grid, *radar, *results, *cost, *line;
  GPtrArray *scores;   /* SondeStudyScore; NULL: none yet */
  GPtrArray *methods, *metrics; /* utf8, in the order in which they came; controls last */
  GHashTable *weights; /* metric → double* */
  GHashTable *composites; /* method → its GtkLabel */
  GArray *labels;      /* gint64 of the menu of classes */
  GCancellable *running;
  gboolean filling;
};

G_DEFINE_FINAL_TYPE (SondeScoresView, sonde_scores_view, ADW_TYPE_BIN)

static gboolean
is_control (const char *method)
{
  return g_str_equal (method, RANDOM) || g_str_equal (method, CENTRE);
}

static char *
dup_title_of_method (const char *method)
{
  return g_str_equal (method, RANDOM)   ? g_strdup ("Random map")
         : g_str_equal (method, CENTRE) ? g_strdup ("Centre map")
                                        : sonde_method_spec_dup_title (method);
}

static gint64
chosen_label (SondeScoresView *self)
{
  guint row = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->class));

  return row < self->labels->len ? g_array_index (self->labels, gint64, row) : -1;
}

static const SondeStudyScore *
find_score (SondeScoresView *self,
            const char      *method,
            const char      *metric,
            gint64           label)
{
  for (guint i = 0; i < self->scores->len; i++)
    {
      const SondeStudyScore *score = g_ptr_array_index (self->scores, i);

      if (score->label == label && g_str_equal (score->method, method) && g_str_equal (score->metric, metric))
        return score;
    }
  return NULL;
}

static double
weight_of (SondeScoresView *self,
           const char      *metric)
{
  const double *weight = g_hash_table_lookup (self->weights, metric);

  return weight != NULL ? *weight : 1;
}

double
sonde_scores_view_get_composite (SondeScoresView *view,
                                 const char      *method)
{
  double sum = 0, weights = 0;

  g_return_val_if_fail (SONDE_IS_SCORES_VIEW (view), NAN);
  for (guint i = 0; view->scores != NULL && i < view->metrics->len; i++)
    {
      const char *metric = g_ptr_array_index (view->metrics, i);
      const SondeStudyScore *score = find_score (view, method, metric, chosen_label (view));

      if (score == NULL || !isfinite (score->rating))
        continue;
      sum += weight_of (view, metric) * score->rating;
      weights += weight_of (view, metric);
    }
  return weights > 0 ? sum / weights : NAN;
}

/* ---- radar ------------------------------------------------------------------------------------ */

/* Metrics that count, and that have a rating for some method. */
static GPtrArray *
list_axes (SondeScoresView *self)
{
  GPtrArray *axes = g_ptr_array_new ();

  for (guint i = 0; i < self->metrics->len; i++)
    {
      const char *metric = g_ptr_array_index (self->metrics, i);
      gboolean rated = FALSE;

      for (guint k = 0; k < self->methods->len; k++)
        {
          const SondeStudyScore *score = find_score (self, g_ptr_array_index (self->methods, k), metric, chosen_label (self));

          rated |= score != NULL && isfinite (score->rating);
        }
      if (rated && weight_of (self, metric) > 0)
        g_ptr_array_add (axes, (char *) metric);
    }
  return axes;
}

static const char *
title_of_metric (SondeScoresView *self,
                 const char      *metric,
                 gboolean        *rises)
{
  for (guint i = 0; i < self->scores->len; i++)
    {
      const SondeStudyScore *score = g_ptr_array_index (self->scores, i);

      if (!g_str_equal (score->metric, metric))
        continue;
      *rises = score->rises;
      return score->metric_title;
    }
  *rises = TRUE;
  return metric;
}

static void
show_radar (SondeScoresView *self)
{
  g_autoptr (GPtrArray) axes = list_axes (self), names = g_ptr_array_new_with_free_func (g_free), titles = g_ptr_array_new ();
  gboolean rises;
  g_autofree double *values = g_new0 (double, MAX (axes->len * self->methods->len, 1));
  guint at = 0;

  for (guint k = 0; k < self->methods->len; k++)
    {
      const char *method = g_ptr_array_index (self->methods, k);

      if (g_str_equal (method, RANDOM)) /* the middle, by definition */
        continue;
      g_ptr_array_add (names, dup_title_of_method (method));
      for (guint i = 0; i < axes->len; i++)
        {
          const SondeStudyScore *score = find_score (self, method, g_ptr_array_index (axes, i), chosen_label (self));

          values[at++] = score != NULL ? score->rating : NAN;
        }
    }
  for (guint i = 0; i < axes->len; i++)
    g_ptr_array_add (titles, (char *) title_of_metric (self, g_ptr_array_index (axes, i), &rises));
  sonde_radar_view_set_content (SONDE_RADAR_VIEW (self->radar), (const char *const *) titles->pdata, titles->len,
                                (const char *const *) names->pdata, names->len, values);
}

/* ---- table ------------------------------------------------------------------------------------ */

static void
show_composites (SondeScoresView *self)
{
  GHashTableIter iter;
  gpointer method, label;

  g_hash_table_iter_init (&iter, self->composites);
  while (g_hash_table_iter_next (&iter, &method, &label))
    {
      double value = sonde_scores_view_get_composite (self, method);
      g_autofree char *text = isfinite (value) ? g_strdup_printf ("%.3f", value) : g_strdup ("–");

      gtk_label_set_text (GTK_LABEL (label), text);
    }
}

static void
on_weight (GtkSpinButton   *button,
           SondeScoresView *self)
{
  if (!self->filling)
    sonde_scores_view_set_weight (self, g_object_get_data (G_OBJECT (button), "metric"), gtk_spin_button_get_value (button));
}

/* Does the interval lie wholly on the better side of the random map's? */
static gboolean
beats_random (SondeScoresView       *self,
              const SondeStudyScore *score)
{
  const SondeStudyScore *random = find_score (self, RANDOM, score->metric, score->label);

  if (random == NULL || !isfinite (score->low) || !isfinite (random->high))
    return FALSE;
  return score->rises ? score->low > random->high : score->high < random->low;
}

static GtkWidget *
make_cell (SondeScoresView       *self,
           const SondeStudyScore *score)
{
  GtkWidget *cell = sonde_part_column (0), *line = sonde_part_row (3), *mean, *interval;
  g_autofree char *value = NULL, *range = NULL, *tip = NULL;

  gtk_widget_set_halign (cell, GTK_ALIGN_END);
  if (score == NULL || score->n == 0)
    {
      gtk_box_append (GTK_BOX (cell), sonde_part_label ("no data", "caption dim-label"));
      return cell;
    }
  value = sonde_part_number (score->mean);
  range = isfinite (score->low) ? g_strdup_printf ("%.3g … %.3g", score->low, score->high) : g_strdup ("undefined");
  tip = g_strdup_printf ("%s of %s: %.9g, 95 %% interval %.9g to %.9g, %u of %u values defined%s", score->metric_title, score->method,
                         score->mean, score->low, score->high, score->n_valid, score->n,
                         is_control (score->method)          ? ""
                         : beats_random (self, score) ? "; better than a random map"
                                                      : "; no evidence: not better than a random map");
  mean = sonde_part_label (value, "numeric");
  interval = sonde_part_label (range, "caption dim-label numeric");
  gtk_label_set_xalign (GTK_LABEL (mean), 1);
  gtk_label_set_xalign (GTK_LABEL (interval), 1);
  gtk_widget_set_halign (line, GTK_ALIGN_END);
  if (!is_control (score->method))
    {
      GtkWidget *mark = sonde_mark_new ();

      if (beats_random (self, score))
        sonde_mark_set_state (SONDE_MARK (mark), SONDE_STATE_OK);
      gtk_box_append (GTK_BOX (line), mark);
    }
  gtk_box_append (GTK_BOX (line), mean);
  gtk_box_append (GTK_BOX (cell), line);
  gtk_box_append (GTK_BOX (cell), interval);
  gtk_widget_set_tooltip_text (cell, tip);
  gtk_label_set_ellipsize (GTK_LABEL (mean), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_ellipsize (GTK_LABEL (interval), PANGO_ELLIPSIZE_NONE);
  gtk_widget_set_tooltip_text (mean, tip);
  gtk_widget_set_tooltip_text (interval, tip);
  return cell;
}

static void
attach_metric (SondeScoresView *self,
               const char      *metric,
               int              row)
{
  gboolean rises;
  const char *title = title_of_metric (self, metric, &rises);
  g_autofree char *head = g_strdup_printf ("%s %s", title, rises ? "↑" : "↓");
  g_autofree char *name = g_strdup_printf ("Weight of %s", title);
  const SondeMapMetric *known = sonde_map_metric_find (metric);
  g_autofree char *tip = g_strdup_printf ("%s%s%s is better", known != NULL ? known->summary : "", known != NULL ? " " : "",
                                          rises ? "Higher" : "Lower");
  GtkWidget *label = sonde_part_text (head, "heading"), *weight = gtk_spin_button_new_with_range (0, MAX_WEIGHT, 0.5);

  gtk_label_set_width_chars (GTK_LABEL (label), 18);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 22);
  gtk_widget_set_tooltip_text (label, tip);
  gtk_spin_button_set_digits (GTK_SPIN_BUTTON (weight), 1);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (weight), weight_of (self, metric));
  gtk_editable_set_width_chars (GTK_EDITABLE (weight), 3);
  gtk_widget_set_halign (weight, GTK_ALIGN_END);
  gtk_widget_add_css_class (weight, "weight-button");
  gtk_widget_set_tooltip_text (weight, name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (weight), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_object_set_data_full (G_OBJECT (weight), "metric", g_strdup (metric), g_free);
  g_signal_connect_object (weight, "value-changed", G_CALLBACK (on_weight), self, 0);
  gtk_widget_set_valign (weight, GTK_ALIGN_CENTER);
  gtk_grid_attach (GTK_GRID (self->grid), label, 0, row, 1, 1);
  gtk_grid_attach (GTK_GRID (self->grid), weight, 1, row, 1, 1);
}

static void
attach_method (SondeScoresView *self,
               const char      *method,
               int              column)
{
  g_autofree char *title = dup_title_of_method (method);
  GtkWidget *name = sonde_part_text (title, is_control (method) ? "dim-label" : "heading");
  GtkWidget *composite = sonde_part_label ("–", "numeric heading");

  gtk_label_set_xalign (GTK_LABEL (name), 1);
  gtk_label_set_justify (GTK_LABEL (name), GTK_JUSTIFY_RIGHT);
  gtk_label_set_width_chars (GTK_LABEL (name), 11);
  gtk_label_set_max_width_chars (GTK_LABEL (name), 14);
  gtk_widget_set_valign (name, GTK_ALIGN_END);
  gtk_label_set_ellipsize (GTK_LABEL (composite), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_xalign (GTK_LABEL (composite), 1);
  gtk_grid_attach (GTK_GRID (self->grid), name, column, 0, 1, 1);
  gtk_grid_attach (GTK_GRID (self->grid), composite, column, 1, 1, 1);
  g_hash_table_insert (self->composites, g_strdup (method), composite);
  for (guint i = 0; i < self->metrics->len; i++)
    gtk_grid_attach (GTK_GRID (self->grid),
                     make_cell (self, find_score (self, method, g_ptr_array_index (self->metrics, i), chosen_label (self))),
                     column, (int) i + 2, 1, 1);
}

static void
show_table (SondeScoresView *self)
{
  GtkWidget *child, *composite = sonde_part_label ("Composite", "heading"), *weight = sonde_part_label ("Weight", "caption dim-label");

  self->filling = TRUE;
  g_hash_table_remove_all (self->composites);
  while ((child = gtk_widget_get_first_child (self->grid)) != NULL)
    gtk_grid_remove (GTK_GRID (self->grid), child);
  gtk_label_set_ellipsize (GTK_LABEL (composite), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_ellipsize (GTK_LABEL (weight), PANGO_ELLIPSIZE_NONE);
  gtk_widget_set_valign (weight, GTK_ALIGN_END);
  gtk_grid_attach (GTK_GRID (self->grid), weight, 1, 0, 1, 1);
  gtk_grid_attach (GTK_GRID (self->grid), composite, 0, 1, 1, 1);
  for (guint i = 0; i < self->metrics->len; i++)
    attach_metric (self, g_ptr_array_index (self->metrics, i), (int) i + 2);
  for (guint i = 0; i < self->methods->len; i++)
    attach_method (self, g_ptr_array_index (self->methods, i), (int) i + 2);
  self->filling = FALSE;
  show_composites (self);
  show_radar (self);
}

void
sonde_scores_view_set_weight (SondeScoresView *view,
                              const char      *metric,
                              double           weight)
{
  g_return_if_fail (SONDE_IS_SCORES_VIEW (view) && weight >= 0);
  g_hash_table_insert (view->weights, g_strdup (metric), g_memdup2 (&weight, sizeof weight));
  if (view->scores == NULL)
    return;
  show_composites (view);
  show_radar (view);
}

/* ---- content ---------------------------------------------------------------------------------- */

static void
add_once (GPtrArray  *list,
          const char *name)
{
  if (!g_ptr_array_find_with_equal_func (list, name, g_str_equal, NULL))
    g_ptr_array_add (list, g_strdup (name));
}

static void
list_names (SondeScoresView *self)
{
  static const char *const controls[] = { CENTRE, RANDOM };

  g_ptr_array_set_size (self->methods, 0);
  g_ptr_array_set_size (self->metrics, 0);
  for (guint i = 0; i < self->scores->len; i++)
    {
      const SondeStudyScore *score = g_ptr_array_index (self->scores, i);

      add_once (self->metrics, score->metric);
      if (!is_control (score->method))
        add_once (self->methods, score->method);
    }
  for (gsize c = 0; c < G_N_ELEMENTS (controls); c++)
    for (guint i = 0; i < self->scores->len; i++)
      if (g_str_equal (((SondeStudyScore *) g_ptr_array_index (self->scores, i))->method, controls[c]))
        add_once (self->methods, controls[c]);
}

/* All, and each class that there are scores of. */
static void
fill_classes (SondeScoresView   *self,
              const char *const *classes,
              guint              n)
{
  GtkStringList *names = gtk_string_list_new ((const char *const[]) { "All classes", NULL });
  gint64 all = -1;

  self->filling = TRUE;
  g_array_set_size (self->labels, 0);
  g_array_append_val (self->labels, all);
  for (gint64 label = 0; label < n; label++)
    for (guint i = 0; i < self->scores->len; i++)
      if (((SondeStudyScore *) g_ptr_array_index (self->scores, i))->label == label)
        {
          g_array_append_val (self->labels, label);
          gtk_string_list_append (names, classes[label]);
          break;
        }
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->class), G_LIST_MODEL (names));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->class), 0);
  g_object_unref (names);
  self->filling = FALSE;
}

void
sonde_scores_view_set_scores (SondeScoresView   *view,
                              GPtrArray         *scores,
                              const char *const *classes,
                              guint              n)
{
  g_return_if_fail (SONDE_IS_SCORES_VIEW (view));
  g_ptr_array_ref (scores);
  g_clear_pointer (&view->scores, g_ptr_array_unref);
  view->scores = scores;
  list_names (view);
  fill_classes (view, classes, n);
  show_table (view);
  gtk_widget_set_visible (view->results, scores->len > 0);
  gtk_label_set_text (GTK_LABEL (view->message), scores->len > 0 ? "" : "No method has a score on these samples.");
  gtk_widget_set_visible (view->message, scores->len == 0);
}

static void
on_class (SondeScoresView *self)
{
  if (!self->filling && self->scores != NULL)
    show_table (self);
}

/* ---- computing -------------------------------------------------------------------------------- */

/* What it will take, before it is begun. */
static void
show_cost (SondeScoresView *self)
{
  const SondeStudyFacts *facts = self->client != NULL ? sonde_study_client_get_facts (self->client) : NULL;
  const char *const *specs = sonde_method_chooser_get_specs (SONDE_METHOD_CHOOSER (self->chooser));
  SondeMetricChooser *metrics = SONDE_METRIC_CHOOSER (self->metric_chooser);
  guint samples = (guint) gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (self->samples));
  double seconds = sonde_metric_chooser_estimate (metrics, facts, specs, samples);
  g_autofree char *time = isfinite (seconds) ? sonde_part_duration (seconds) : NULL, *text = NULL;
  gboolean nothing = specs[0] == NULL || sonde_metric_chooser_get_n (metrics) == 0;

  if (specs[0] == NULL)
    text = g_strdup ("Choose a method.");
  else if (nothing)
    text = g_strdup ("Choose a metric.");
  else if (time != NULL)
    text = g_strdup_printf ("%u maps and two controls on each of %u samples: about %s. What is computed is kept.",
                            samples * g_strv_length ((char **) specs), samples, time);
  sonde_part_set_text (self->cost, text != NULL ? text : "");
  gtk_widget_set_sensitive (self->run, self->running == NULL && facts != NULL && !nothing);
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
on_scores (GObject      *source,
           GAsyncResult *result,
           gpointer      data)
{
  g_autoptr (SondeScoresView) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) scores = sonde_study_client_scores_finish (SONDE_STUDY_CLIENT (source), result, &error);
  const SondeStudyFacts *facts = sonde_study_client_get_facts (SONDE_STUDY_CLIENT (source));
  gboolean stopped = g_cancellable_is_cancelled (self->running);

  g_clear_object (&self->running);
  show_running (self);
  if (scores != NULL && facts != NULL && !stopped)
    {
      sonde_scores_view_set_scores (self, scores, (const char *const *) facts->classes, facts->n_classes);
      return;
    }
  gtk_label_set_text (GTK_LABEL (self->message), stopped || error == NULL ? "Stopped. What was computed is kept; run it again to go on."
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
  sonde_study_client_scores_async (view->client, sonde_method_chooser_get_specs (SONDE_METHOD_CHOOSER (view->chooser)), metrics,
                                   (guint) gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (view->samples)), view->running,
                                   on_scores, g_object_ref (view));
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
  g_clear_pointer (&view->scores, g_ptr_array_unref);
  gtk_widget_set_visible (view->results, FALSE);
  gtk_label_set_text (GTK_LABEL (view->message),
                      "Which method should be believed on this model? Each is scored on some of its errors, beside a random map and one "
                      "that always points at the centre.");
  gtk_widget_set_visible (view->message, TRUE);
  if (view->client != NULL)
    sonde_method_chooser_set_facts (SONDE_METHOD_CHOOSER (view->chooser), sonde_study_client_get_facts (view->client));
  show_cost (view);
}

static void
on_cancel (SondeScoresView *self)
{
  g_cancellable_cancel (self->running);
}

static void
on_progress (SondeStudyClient *client,
             const char       *what,
             double            fraction,
             double            seconds_left,
             SondeScoresView  *self)
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

/* ---- widget ----------------------------------------------------------------------------------- */

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

  g_clear_pointer (&self->scores, g_ptr_array_unref);
  g_ptr_array_unref (self->methods);
  g_ptr_array_unref (self->metrics);
  g_hash_table_unref (self->weights);
  g_hash_table_unref (self->composites);
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
  GtkWidget *bar = sonde_part_row (6), *samples = sonde_part_row (6);

  self->chooser = sonde_method_chooser_new ();
  self->metric_chooser = sonde_metric_chooser_new ();
  self->cost = sonde_part_label (NULL, "dim-label numeric");
  self->samples = gtk_spin_button_new_with_range (1, 2000, 1);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->samples), SAMPLES);
  gtk_editable_set_width_chars (GTK_EDITABLE (self->samples), 4);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->samples), GTK_ACCESSIBLE_PROPERTY_LABEL, "Number of samples", -1);
  self->run = gtk_button_new_with_label ("Score");
  gtk_widget_add_css_class (self->run, "suggested-action");
  self->cancel = gtk_button_new_with_label ("Cancel");
  gtk_box_append (GTK_BOX (samples), sonde_part_label ("on", "dim-label"));
  gtk_box_append (GTK_BOX (samples), self->samples);
  gtk_box_append (GTK_BOX (samples), sonde_part_label ("errors", "dim-label"));
  gtk_box_append (GTK_BOX (bar), self->chooser);
  gtk_box_append (GTK_BOX (bar), self->metric_chooser);
  gtk_box_append (GTK_BOX (bar), samples);
  gtk_box_append (GTK_BOX (bar), self->run);
  g_signal_connect_object (self->chooser, "changed", G_CALLBACK (show_cost), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->metric_chooser, "changed", G_CALLBACK (show_cost), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->samples, "value-changed", G_CALLBACK (show_cost), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->run, "clicked", G_CALLBACK (sonde_scores_view_run), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->cancel, "clicked", G_CALLBACK (on_cancel), self, G_CONNECT_SWAPPED);
  return bar;
}

/* What it costs, or how far it is: nothing jumps when it begins. */
static GtkWidget *
make_line (SondeScoresView *self)
{
  GtkWidget *running = sonde_part_row (12);

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
  GtkWidget *column = sonde_part_column (18), *scroller = gtk_scrolled_window_new ();

  self->class = gtk_drop_down_new_from_strings ((const char *const[]) { "All classes", NULL });
  gtk_widget_set_halign (self->class, GTK_ALIGN_START);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->class), GTK_ACCESSIBLE_PROPERTY_LABEL, "Scores of which true class", -1);
  self->grid = gtk_grid_new ();
  gtk_grid_set_column_spacing (GTK_GRID (self->grid), 12);
  gtk_grid_set_row_spacing (GTK_GRID (self->grid), 9);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_AUTOMATIC, GTK_POLICY_NEVER);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->grid);
  self->radar = sonde_radar_view_new ();
  gtk_widget_set_size_request (self->radar, -1, RADAR);
  gtk_box_append (GTK_BOX (column), self->class);
  gtk_box_append (GTK_BOX (column), scroller);
  gtk_box_append (GTK_BOX (column),
                  sonde_part_text ("A tick: the 95 % interval lies wholly on the better side of the random map's. ↑ higher is better, ↓ "
                                   "lower. The composite is the mean, by these weights, of (value − random map) / (best possible − random "
                                   "map), cut to 0 … 1; metrics without a best value do not count. The radar shows the same ratings.",
                                   "caption dim-label"));
  gtk_box_append (GTK_BOX (column), self->radar);
  g_signal_connect_object (self->class, "notify::selected", G_CALLBACK (on_class), self, G_CONNECT_SWAPPED);
  return column;
}

static void
sonde_scores_view_init (SondeScoresView *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new (), *column = sonde_part_column (12);

  self->methods = g_ptr_array_new_with_free_func (g_free);
  self->metrics = g_ptr_array_new_with_free_func (g_free);
  self->weights = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->composites = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->labels = g_array_new (FALSE, FALSE, sizeof (gint64));
  gtk_widget_set_margin_start (column, 18);
  gtk_widget_set_margin_end (column, 18);
  gtk_widget_set_margin_top (column, 18);
  gtk_widget_set_margin_bottom (column, 18);
  self->message = sonde_part_text (NULL, "dim-label");
  gtk_box_append (GTK_BOX (column), make_bar (self));
  gtk_box_append (GTK_BOX (column), make_line (self));
  gtk_box_append (GTK_BOX (column), self->message);
  self->results = make_results (self);
  gtk_box_append (GTK_BOX (column), self->results);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), column);
  adw_bin_set_child (ADW_BIN (self), scroller);
  sonde_scores_view_reset (self);
}

GtkWidget *
sonde_scores_view_new (SondeStudyClient *client)
{
  SondeScoresView *self = g_object_new (SONDE_TYPE_SCORES_VIEW, NULL);

  self->client = client != NULL ? g_object_ref (client) : NULL;
  if (client != NULL)
    g_signal_connect_object (client, "progress", G_CALLBACK (on_progress), self, 0);
  show_running (self);
  return GTK_WIDGET (self);
}
