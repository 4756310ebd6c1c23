/* SPDX-License-Identifier: Apache-2.0
 * Words, bar, button. */
#include "app/explain/sonde-job-bar.h"

#include <math.h>

#include "explain/browsing/sonde-explain-text.h"
#include "data/base/sonde-text.h"

struct _SondeJobBar
{
  AdwBin parent_instance;

  GtkWidget *text, *left, *progress, *offer, *cancel;
  gboolean running;
  guint pulse;
};

G_DEFINE_FINAL_TYPE (SondeJobBar, sonde_job_bar, ADW_TYPE_BIN)

static guint cancelled_signal;

static gboolean
on_pulse (gpointer data)
{
  gtk_progress_bar_pulse (GTK_PROGRESS_BAR (SONDE_JOB_BAR (data)->progress));
  return G_SOURCE_CONTINUE;
}

static void
set_pulse (SondeJobBar *self, gboolean pulse)
{
  if (pulse && self->pulse == 0)
    self->pulse = g_timeout_add (100, on_pulse, self);
  else if (!pulse)
    g_clear_handle_id (&self->pulse, g_source_remove);
}

static void
set_running (SondeJobBar *self, gboolean running)
{
  self->running = running;
  gtk_widget_set_visible (self->progress, running);
  gtk_widget_set_visible (self->left, running);
  gtk_widget_set_visible (self->cancel, running);
  gtk_widget_set_visible (self->offer, FALSE);
  if (!running)
    set_pulse (self, FALSE);
}

void
sonde_job_bar_say (SondeJobBar *job, const char *text, const char *button, const char *action)
{
  g_return_if_fail (SONDE_IS_JOB_BAR (job));
  set_running (job, FALSE);
  gtk_label_set_text (GTK_LABEL (job->text), text);
  gtk_widget_set_tooltip_text (job->text, text);
  gtk_button_set_label (GTK_BUTTON (job->offer), button != NULL ? button : "");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (job->offer), action);
  gtk_widget_set_visible (job->offer, button != NULL);
}

void
sonde_job_bar_begin (SondeJobBar *job, const char *what)
{
  g_return_if_fail (SONDE_IS_JOB_BAR (job));
  set_running (job, TRUE);
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (job->progress), 0);
  sonde_job_bar_progress (job, what, -1, -1);
}

void
sonde_job_bar_progress (SondeJobBar *job, const char *what, double fraction, double seconds_left)
{
  g_autofree char *duration = sonde_explain_duration_text (seconds_left);
  g_autofree char *left = NULL;

  g_return_if_fail (SONDE_IS_JOB_BAR (job));
  if (!job->running)
    return;
  left = *duration != '\0' ? g_strdup_printf (_ ("%s left"), duration) : g_strdup ("");
  gtk_label_set_text (GTK_LABEL (job->text), what);
  gtk_widget_set_tooltip_text (job->text, what);
  gtk_label_set_text (GTK_LABEL (job->left), left);
  set_pulse (job, fraction < 0);
  if (fraction >= 0)
    gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (job->progress), fmin (fraction, 1));
}

static void
on_cancel (SondeJobBar *self)
{
  gtk_label_set_text (GTK_LABEL (self->left), _ ("Stopping…"));
  g_signal_emit (self, cancelled_signal, 0);
}

static void
sonde_job_bar_dispose (GObject *object)
{
  g_clear_handle_id (&SONDE_JOB_BAR (object)->pulse, g_source_remove);
  G_OBJECT_CLASS (sonde_job_bar_parent_class)->dispose (object);
}

static void
sonde_job_bar_class_init (SondeJobBarClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_job_bar_dispose;
  cancelled_signal = g_signal_new ("cancelled", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget, "/org/sonde/Sonde/explain/sonde-job-bar.ui");
  gtk_widget_class_bind_template_child (widget, SondeJobBar, text);
  gtk_widget_class_bind_template_child (widget, SondeJobBar, progress);
  gtk_widget_class_bind_template_child (widget, SondeJobBar, left);
  gtk_widget_class_bind_template_child (widget, SondeJobBar, cancel);
  gtk_widget_class_bind_template_child (widget, SondeJobBar, offer);
  gtk_widget_class_bind_template_callback (widget, on_cancel);
}

static void
sonde_job_bar_init (SondeJobBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  set_running (self, FALSE);
}

GtkWidget *
sonde_job_bar_new (void)
{
  return g_object_new (SONDE_TYPE_JOB_BAR, NULL);
}
