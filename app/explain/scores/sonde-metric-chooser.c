/* SPDX-License-Identifier: Apache-2.0
 * Titles and sentences are those of the table of metrics; what they cost stands here. */
#include "app/explain/scores/sonde-metric-chooser.h"

#include <math.h>

#include "app/explain/sonde-explain-widgets.h"
#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-text.h"
#include "explain/metrics/sonde-evaluation.h"

struct _SondeMetricChooser
{
  AdwBin parent_instance;

  GtkWidget *button, *list;
  GPtrArray *checks; /* (element-type GtkCheckButton): in the order of the table */
  gboolean filling;
};

G_DEFINE_FINAL_TYPE (SondeMetricChooser, sonde_metric_chooser, ADW_TYPE_BIN)

static guint changed_signal;

static const SondeMapMetric *
metric_at (guint i)
{
  gsize n;

  return sonde_map_metric_list (&n) + i;
}

static gboolean
is_chosen (SondeMetricChooser *self, guint i)
{
  return gtk_check_button_get_active (g_ptr_array_index (self->checks, i));
}

guint
sonde_metric_chooser_get_n (SondeMetricChooser *chooser)
{
  guint n = 0;

  g_return_val_if_fail (SONDE_IS_METRIC_CHOOSER (chooser), 0);
  for (guint i = 0; i < chooser->checks->len; i++)
    n += is_chosen (chooser, i);
  return n;
}

char *
sonde_metric_chooser_dup_list (SondeMetricChooser *chooser)
{
  GString *list = g_string_new (NULL);

  g_return_val_if_fail (SONDE_IS_METRIC_CHOOSER (chooser), NULL);
  for (guint i = 0; i < chooser->checks->len; i++)
    if (is_chosen (chooser, i))
      g_string_append_printf (list, "%s%s", list->len > 0 ? "," : "", metric_at (i)->name);
  return g_string_free (list, FALSE);
}

double
sonde_metric_chooser_estimate (SondeMetricChooser *chooser, const SondeExplainInfo *info,
                               const char *const *specs, guint samples)
{
  g_autofree char *metrics = NULL;

  g_return_val_if_fail (SONDE_IS_METRIC_CHOOSER (chooser), NAN);
  metrics = sonde_metric_chooser_dup_list (chooser);
  return info != NULL ? sonde_explain_estimate_metrics (info, specs, metrics, samples) : NAN;
}

/* ---- widget -------------------------------------------------------------- */

static void
changed (SondeMetricChooser *self)
{
  g_autofree char *text = g_strdup_printf (_ ("Metrics (%u)"), sonde_metric_chooser_get_n (self));

  sonde_menu_button_set_words (GTK_MENU_BUTTON (self->button), text);
  if (!self->filling)
    g_signal_emit (self, changed_signal, 0);
}

static void
set_all (SondeMetricChooser *self, gboolean chosen)
{
  self->filling = TRUE;
  for (guint i = 0; i < self->checks->len; i++)
    gtk_check_button_set_active (g_ptr_array_index (self->checks, i), chosen);
  self->filling = FALSE;
  changed (self);
}

static void
on_all (SondeMetricChooser *self)
{
  set_all (self, TRUE);
}

static void
on_none (SondeMetricChooser *self)
{
  set_all (self, FALSE);
}

void
sonde_metric_chooser_set (SondeMetricChooser *chooser, const char *metric, gboolean chosen)
{
  g_return_if_fail (SONDE_IS_METRIC_CHOOSER (chooser));
  for (guint i = 0; i < chooser->checks->len; i++)
    if (g_str_equal (metric_at (i)->name, metric))
      gtk_check_button_set_active (g_ptr_array_index (chooser->checks, i), chosen);
}

/* The title, and below it what it measures. */
static GtkWidget *
make_check (SondeMetricChooser *self, const SondeMapMetric *metric)
{
  GtkWidget *row = sonde_make_row (6), *check = gtk_check_button_new (),
            *words = sonde_make_column (0);
  g_autofree char *title = g_strdup_printf ("%s %s", _ (metric->title), metric->rises ? "↑" : "↓");
  GtkWidget *summary = sonde_make_text (_ (metric->summary), "caption dim-label");

  gtk_label_set_max_width_chars (GTK_LABEL (summary), 44);
  gtk_label_set_width_chars (GTK_LABEL (summary), 44);
  gtk_widget_set_valign (check, GTK_ALIGN_START);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (metric->title), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  _ (metric->summary), -1);
  g_signal_connect_object (check, "toggled", G_CALLBACK (changed), self, G_CONNECT_SWAPPED);
  g_ptr_array_add (self->checks, g_object_ref (check));
  gtk_box_append (GTK_BOX (words), sonde_make_label (title, NULL));
  gtk_box_append (GTK_BOX (words), summary);
  gtk_box_append (GTK_BOX (row), check);
  gtk_box_append (GTK_BOX (row), words);
  return row;
}

static void
sonde_metric_chooser_finalize (GObject *object)
{
  g_ptr_array_unref (SONDE_METRIC_CHOOSER (object)->checks);
  G_OBJECT_CLASS (sonde_metric_chooser_parent_class)->finalize (object);
}

static void
sonde_metric_chooser_dispose (GObject *object)
{
  SONDE_METRIC_CHOOSER (object)->filling = TRUE;
  G_OBJECT_CLASS (sonde_metric_chooser_parent_class)->dispose (object);
}

static void
sonde_metric_chooser_class_init (SondeMetricChooserClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_metric_chooser_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_metric_chooser_finalize;
  changed_signal = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/scores/sonde-metric-chooser.ui");
  gtk_widget_class_bind_template_child (widget, SondeMetricChooser, button);
  gtk_widget_class_bind_template_child (widget, SondeMetricChooser, list);
  gtk_widget_class_bind_template_callback (widget, on_all);
  gtk_widget_class_bind_template_callback (widget, on_none);
}

static void
sonde_metric_chooser_init (SondeMetricChooser *self)
{
  const SondeMapMetric *metrics;
  gsize n;

  self->checks = g_ptr_array_new_with_free_func (g_object_unref);
  gtk_widget_init_template (GTK_WIDGET (self));
  self->filling = TRUE;
  metrics = sonde_map_metric_list (&n);
  for (gsize i = 0; i < n; i++)
    gtk_box_append (GTK_BOX (self->list), make_check (self, &metrics[i]));
  changed (self);
  self->filling = FALSE;
}
