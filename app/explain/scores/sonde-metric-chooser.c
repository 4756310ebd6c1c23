/* SPDX-License-Identifier: Apache-2.0
 * Titles and sentences are those of the table of metrics; what they cost stands here. */
#include "app/explain/scores/sonde-metric-chooser.h"

#include <math.h>

#include "app/explain/sonde-explain-widgets.h"
#include "explain/metrics/sonde-evaluation.h"

#define LIST_HEIGHT 360
#define WIDTH 400

struct _SondeMetricChooser
{
  AdwBin parent_instance;

  GtkWidget *button;
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
  g_autofree char *text = g_strdup_printf ("Metrics (%u)", sonde_metric_chooser_get_n (self));

  gtk_menu_button_set_label (GTK_MENU_BUTTON (self->button), text);
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
  g_autofree char *title = g_strdup_printf ("%s %s", metric->title, metric->rises ? "↑" : "↓");
  GtkWidget *summary = sonde_make_text (metric->summary, "caption dim-label");

  gtk_label_set_max_width_chars (GTK_LABEL (summary), 44);
  gtk_label_set_width_chars (GTK_LABEL (summary), 44);
  gtk_widget_set_valign (check, GTK_ALIGN_START);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  metric->title, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  metric->summary, -1);
  g_signal_connect_object (check, "toggled", G_CALLBACK (changed), self, G_CONNECT_SWAPPED);
  g_ptr_array_add (self->checks, g_object_ref (check));
  gtk_box_append (GTK_BOX (words), sonde_make_label (title, NULL));
  gtk_box_append (GTK_BOX (words), summary);
  gtk_box_append (GTK_BOX (row), check);
  gtk_box_append (GTK_BOX (row), words);
  return row;
}

static GtkWidget *
make_button (SondeMetricChooser *self, const char *label, GCallback clicked)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_widget_add_css_class (button, "small-toggle");
  g_signal_connect_object (button, "clicked", clicked, self, G_CONNECT_SWAPPED);
  return button;
}

static GtkWidget *
make_popover (SondeMetricChooser *self)
{
  GtkWidget *popover = gtk_popover_new (), *column = sonde_make_column (9),
            *scroller = gtk_scrolled_window_new ();
  GtkWidget *list = sonde_make_column (6), *buttons = sonde_make_row (6);
  const SondeMapMetric *metrics;
  gsize n;

  metrics = sonde_map_metric_list (&n);
  for (gsize i = 0; i < n; i++)
    gtk_box_append (GTK_BOX (list), make_check (self, &metrics[i]));
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), list);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_widget_set_size_request (scroller, WIDTH, LIST_HEIGHT);
  gtk_box_append (GTK_BOX (buttons), make_button (self, "All", G_CALLBACK (on_all)));
  gtk_box_append (GTK_BOX (buttons), make_button (self, "None", G_CALLBACK (on_none)));
  gtk_box_append (GTK_BOX (column), scroller);
  gtk_box_append (GTK_BOX (column), buttons);
  gtk_popover_set_child (GTK_POPOVER (popover), column);
  return popover;
}

static void
sonde_metric_chooser_finalize (GObject *object)
{
  g_ptr_array_unref (SONDE_METRIC_CHOOSER (object)->checks);
  G_OBJECT_CLASS (sonde_metric_chooser_parent_class)->finalize (object);
}

static void
sonde_metric_chooser_class_init (SondeMetricChooserClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_metric_chooser_finalize;
  changed_signal = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_metric_chooser_init (SondeMetricChooser *self)
{
  self->checks = g_ptr_array_new_with_free_func (g_object_unref);
  self->button = gtk_menu_button_new ();
  gtk_widget_set_tooltip_text (self->button, "What the maps are scored by");
  self->filling = TRUE;
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->button), make_popover (self));
  self->filling = FALSE;
  adw_bin_set_child (ADW_BIN (self), self->button);
  changed (self);
}

GtkWidget *
sonde_metric_chooser_new (void)
{
  return g_object_new (SONDE_TYPE_METRIC_CHOOSER, NULL);
}
