/* SPDX-License-Identifier: Apache-2.0
 * The grid is made anew when the scores or the class are others; a weight changes the composites
 * and the radar alone. */
#include "app/explain/scores/sonde-scores-table.h"

#include <math.h>

#include "explain/browsing/sonde-explain-text.h"
#include "app/explain/sonde-explain-widgets.h"
#include "data/base/sonde-text.h"
#include "explain/metrics/sonde-scorecard.h"
#include "viewers/sonde-badge.h"
#include "viewers/sonde-radar-view.h"

#define MAX_WEIGHT 10

struct _SondeScoresTable
{
  AdwBin parent_instance;

  SondeScoreSet *set; /* lent */
  GtkWidget *grid, *radar;
  GHashTable *composites; /* method → its GtkLabel */
  gboolean filling;
};

G_DEFINE_FINAL_TYPE (SondeScoresTable, sonde_scores_table, ADW_TYPE_BIN)

/* ---- radar --------------------------------------------------------------- */

static void
show_radar (SondeScoresTable *self)
{
  g_autoptr (GPtrArray) axes = sonde_score_set_list_rated (self->set),
                        names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) titles = g_ptr_array_new ();
  g_autofree double *values = g_new0 (double, MAX (axes->len * self->set->methods->len, 1));
  gboolean rises;
  guint at = 0;

  for (guint k = 0; k < self->set->methods->len; k++)
    {
      const char *method = g_ptr_array_index (self->set->methods, k);

      if (g_str_equal (method, SONDE_SCORE_RANDOM)) /* the middle, by definition */
        continue;
      g_ptr_array_add (names, sonde_score_dup_method_title (method));
      for (guint i = 0; i < axes->len; i++)
        {
          const SondeMetricScore *score
              = sonde_score_set_find (self->set, method, g_ptr_array_index (axes, i));

          values[at++] = score != NULL ? score->rating : NAN;
        }
    }
  for (guint i = 0; i < axes->len; i++)
    g_ptr_array_add (titles, (char *) _ (sonde_score_set_get_metric_title (
                                 self->set, g_ptr_array_index (axes, i), &rises)));
  sonde_radar_view_set_content (SONDE_RADAR_VIEW (self->radar), (const char *const *) titles->pdata,
                                titles->len, (const char *const *) names->pdata, names->len,
                                values);
}

/* ---- cells --------------------------------------------------------------- */

static void
show_composites (SondeScoresTable *self)
{
  GHashTableIter iter;
  gpointer method, label;

  g_hash_table_iter_init (&iter, self->composites);
  while (g_hash_table_iter_next (&iter, &method, &label))
    {
      double value = sonde_score_set_get_composite (self->set, method);
      g_autofree char *text = isfinite (value) ? g_strdup_printf ("%.3f", value) : g_strdup ("–");

      gtk_label_set_text (GTK_LABEL (label), text);
    }
}

static void
on_weight (GtkSpinButton *button, SondeScoresTable *self)
{
  if (self->filling)
    return;
  sonde_score_set_set_weight (self->set, g_object_get_data (G_OBJECT (button), "metric"),
                              gtk_spin_button_get_value (button));
  sonde_scores_table_weigh (self);
}

static char *
dup_tip (SondeScoresTable *self, const SondeMetricScore *score)
{
  g_autofree char *numbers = g_strdup_printf (
      _ ("%s of %s: %.9g, 95 %% interval %.9g to %.9g, %u of %u values defined."),
      _ (score->metric_title), score->method, score->mean, score->low, score->high, score->n_valid,
      score->n);
  const char *judgement = NULL;

  if (!sonde_score_is_control (score->method))
    judgement = sonde_score_set_beats_random (self->set, score)
                    ? _ ("Better than a random map.")
                    : _ ("No evidence that it is better than a random map.");
  return g_strjoin (" ", numbers, judgement, NULL);
}

static GtkWidget *
make_cell (SondeScoresTable *self, const SondeMetricScore *score)
{
  GtkWidget *cell = sonde_make_column (0), *line = sonde_make_row (3), *mean, *interval;
  g_autofree char *value = NULL, *range = NULL, *tip = NULL;

  gtk_widget_set_halign (cell, GTK_ALIGN_END);
  if (score == NULL || score->n == 0)
    {
      gtk_box_append (GTK_BOX (cell), sonde_make_label (_ ("no data"), "caption dim-label"));
      return cell;
    }
  value = sonde_explain_number_text (score->mean);
  range = isfinite (score->low) ? g_strdup_printf ("%.3g … %.3g", score->low, score->high)
                                : g_strdup (_ ("undefined"));
  tip = dup_tip (self, score);
  mean = sonde_make_label (value, "numeric");
  interval = sonde_make_label (range, "caption dim-label numeric");
  gtk_label_set_xalign (GTK_LABEL (mean), 1);
  gtk_label_set_xalign (GTK_LABEL (interval), 1);
  gtk_widget_set_halign (line, GTK_ALIGN_END);
  if (!sonde_score_is_control (score->method))
    {
      GtkWidget *mark = sonde_badge_new ();

      if (sonde_score_set_beats_random (self->set, score))
        sonde_badge_set_state (SONDE_BADGE (mark), SONDE_STATE_OK);
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
attach_metric (SondeScoresTable *self, const char *metric, int row)
{
  gboolean rises;
  const char *title = _ (sonde_score_set_get_metric_title (self->set, metric, &rises));
  g_autofree char *head = g_strdup_printf ("%s %s", title, rises ? "↑" : "↓");
  g_autofree char *name = g_strdup_printf (_ ("Weight of %s"), title);
  const SondeMapMetric *known = sonde_map_metric_find (metric);
  const char *direction = rises ? _ ("Higher is better.") : _ ("Lower is better.");
  g_autofree char *tip
      = known != NULL ? g_strjoin (" ", _ (known->summary), direction, NULL) : g_strdup (direction);
  GtkWidget *label = sonde_make_text (head, "heading"),
            *weight = gtk_spin_button_new_with_range (0, MAX_WEIGHT, 0.5);

  gtk_label_set_width_chars (GTK_LABEL (label), 18);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 22);
  gtk_widget_set_tooltip_text (label, tip);
  gtk_spin_button_set_digits (GTK_SPIN_BUTTON (weight), 1);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (weight),
                             sonde_score_set_get_weight (self->set, metric));
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
attach_method (SondeScoresTable *self, const char *method, int column)
{
  g_autofree char *title = sonde_score_dup_method_title (method);
  GtkWidget *name
      = sonde_make_text (title, sonde_score_is_control (method) ? "dim-label" : "heading");
  GtkWidget *composite = sonde_make_label ("–", "numeric heading");

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
  for (guint i = 0; i < self->set->metrics->len; i++)
    gtk_grid_attach (
        GTK_GRID (self->grid),
        make_cell (self, sonde_score_set_find (self->set, method,
                                               g_ptr_array_index (self->set->metrics, i))),
        column, (int) i + 2, 1, 1);
}

/* ---- widget -------------------------------------------------------------- */

void
sonde_scores_table_fill (SondeScoresTable *table)
{
  GtkWidget *child, *composite = sonde_make_label (_ ("Composite"), "heading"),
                    *weight = sonde_make_label (_ ("Weight"), "caption dim-label");

  g_return_if_fail (SONDE_IS_SCORES_TABLE (table) && table->set != NULL);
  table->filling = TRUE;
  g_hash_table_remove_all (table->composites);
  while ((child = gtk_widget_get_first_child (table->grid)) != NULL)
    gtk_grid_remove (GTK_GRID (table->grid), child);
  gtk_label_set_ellipsize (GTK_LABEL (composite), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_ellipsize (GTK_LABEL (weight), PANGO_ELLIPSIZE_NONE);
  gtk_widget_set_valign (weight, GTK_ALIGN_END);
  gtk_grid_attach (GTK_GRID (table->grid), weight, 1, 0, 1, 1);
  gtk_grid_attach (GTK_GRID (table->grid), composite, 0, 1, 1, 1);
  for (guint i = 0; i < table->set->metrics->len; i++)
    attach_metric (table, g_ptr_array_index (table->set->metrics, i), (int) i + 2);
  for (guint i = 0; i < table->set->methods->len; i++)
    attach_method (table, g_ptr_array_index (table->set->methods, i), (int) i + 2);
  table->filling = FALSE;
  sonde_scores_table_weigh (table);
}

void
sonde_scores_table_weigh (SondeScoresTable *table)
{
  g_return_if_fail (SONDE_IS_SCORES_TABLE (table));
  show_composites (table);
  show_radar (table);
}

static void
sonde_scores_table_finalize (GObject *object)
{
  g_hash_table_unref (SONDE_SCORES_TABLE (object)->composites);
  G_OBJECT_CLASS (sonde_scores_table_parent_class)->finalize (object);
}

static void
sonde_scores_table_dispose (GObject *object)
{
  g_hash_table_remove_all (SONDE_SCORES_TABLE (object)->composites);
  G_OBJECT_CLASS (sonde_scores_table_parent_class)->dispose (object);
}

static void
sonde_scores_table_class_init (SondeScoresTableClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_scores_table_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_scores_table_finalize;
  g_type_ensure (SONDE_TYPE_RADAR_VIEW);
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/scores/sonde-scores-table.ui");
  gtk_widget_class_bind_template_child (widget, SondeScoresTable, grid);
  gtk_widget_class_bind_template_child (widget, SondeScoresTable, radar);
}

static void
sonde_scores_table_init (SondeScoresTable *self)
{
  self->composites = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
sonde_scores_table_set_scores (SondeScoresTable *table, SondeScoreSet *set)
{
  g_return_if_fail (SONDE_IS_SCORES_TABLE (table));
  table->set = set;
}
