/* SPDX-License-Identifier: Apache-2.0
 * Words, bar, button. */
#include "app/explain/sonde-job-bar.h"

#include <math.h>

#include "app/explain/sonde-explain-widgets.h"

struct _SondeJobBar
{
  AdwBin parent_instance;

  GtkWidget *text, *left, *bar, *offer, *cancel;
  gboolean running;
  guint pulse;
};

G_DEFINE_FINAL_TYPE (SondeJobBar, sonde_job_bar, ADW_TYPE_BIN)

static guint cancelled_signal;

static gboolean
on_pulse (gpointer data)
{
  gtk_progress_bar_pulse (GTK_PROGRESS_BAR (SONDE_JOB_BAR (data)->bar));
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
  gtk_widget_set_visible (self->bar, running);
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
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (job->bar), 0);
  sonde_job_bar_progress (job, what, -1, -1);
}

void
sonde_job_bar_progress (SondeJobBar *job, const char *what, double fraction, double seconds_left)
{
  g_autofree char *duration = sonde_part_duration (seconds_left);
  g_autofree char *left = NULL;

  g_return_if_fail (SONDE_IS_JOB_BAR (job));
  if (!job->running)
    return;
  left = *duration != '\0' ? g_strdup_printf ("%s left", duration) : g_strdup ("");
  gtk_label_set_text (GTK_LABEL (job->text), what);
  gtk_widget_set_tooltip_text (job->text, what);
  gtk_label_set_text (GTK_LABEL (job->left), left);
  set_pulse (job, fraction < 0);
  if (fraction >= 0)
    gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (job->bar), fmin (fraction, 1));
}

gboolean
sonde_job_bar_is_running (SondeJobBar *job)
{
  return job->running;
}

static void
on_cancel (SondeJobBar *self)
{
  gtk_label_set_text (GTK_LABEL (self->left), "ending");
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
  G_OBJECT_CLASS (klass)->dispose = sonde_job_bar_dispose;
  cancelled_signal = g_signal_new ("cancelled", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_job_bar_init (SondeJobBar *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

  self->text = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->text), 0);
  gtk_label_set_ellipsize (GTK_LABEL (self->text), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (self->text, TRUE);
  gtk_widget_add_css_class (self->text, "numeric");
  self->bar = gtk_progress_bar_new ();
  gtk_widget_set_valign (self->bar, GTK_ALIGN_CENTER);
  gtk_widget_set_size_request (self->bar, 90, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->bar), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Progress", -1);
  self->left = gtk_label_new (NULL);
  gtk_label_set_width_chars (GTK_LABEL (self->left), 9);
  gtk_label_set_xalign (GTK_LABEL (self->left), 0);
  gtk_widget_add_css_class (self->left, "numeric");
  gtk_widget_add_css_class (self->left, "dim-label");
  self->cancel = gtk_button_new_with_label ("Cancel");
  gtk_widget_add_css_class (self->cancel, "small-toggle");
  gtk_widget_set_valign (self->cancel, GTK_ALIGN_CENTER);
  g_signal_connect_object (self->cancel, "clicked", G_CALLBACK (on_cancel), self,
                           G_CONNECT_SWAPPED);
  self->offer = gtk_button_new ();
  gtk_widget_add_css_class (self->offer, "small-toggle");
  gtk_widget_set_valign (self->offer, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (box), self->text);
  gtk_box_append (GTK_BOX (box), self->bar);
  gtk_box_append (GTK_BOX (box), self->left);
  gtk_box_append (GTK_BOX (box), self->cancel);
  gtk_box_append (GTK_BOX (box), self->offer);
  gtk_widget_add_css_class (box, "job-line");
  adw_bin_set_child (ADW_BIN (self), box);
  set_running (self, FALSE);
}

GtkWidget *
sonde_job_bar_new (void)
{
  return g_object_new (SONDE_TYPE_JOB_BAR, NULL);
}
