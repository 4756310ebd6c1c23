/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/graph/sonde-graph-progress.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define PATIENCE_MS 150

struct _SondeGraphProgress
{
  GtkBox parent_instance;
  GtkWidget *label, *button;
  guint timeout;
  gboolean running;
};

enum
{
  CANCELLED,
  ASKED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeGraphProgress, sonde_graph_progress, GTK_TYPE_BOX)

static gboolean
on_late (gpointer data)
{
  SondeGraphProgress *self = data;

  self->timeout = 0;
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  return G_SOURCE_REMOVE;
}

void
sonde_graph_progress_start (SondeGraphProgress *progress, guint n_nodes)
{
  g_autofree char *count = sonde_format_count (n_nodes), *text = NULL;

  g_return_if_fail (SONDE_IS_GRAPH_PROGRESS (progress));
  sonde_graph_progress_stop (progress);
  text = g_strdup_printf (P_ ("Laying out %s node…", "Laying out %s nodes…", n_nodes), count);
  gtk_label_set_text (GTK_LABEL (progress->label), text);
  gtk_button_set_label (GTK_BUTTON (progress->button), _ ("Cancel"));
  progress->running = TRUE;
  progress->timeout = g_timeout_add (PATIENCE_MS, on_late, progress);
}

void
sonde_graph_progress_stop (SondeGraphProgress *progress)
{
  g_return_if_fail (SONDE_IS_GRAPH_PROGRESS (progress));
  g_clear_handle_id (&progress->timeout, g_source_remove);
  progress->running = FALSE;
  gtk_widget_set_visible (GTK_WIDGET (progress), FALSE);
}

static void
on_clicked (SondeGraphProgress *self)
{
  if (!self->running)
    {
      g_signal_emit (self, signals[ASKED], 0);
      return;
    }
  self->running = FALSE;
  gtk_label_set_text (GTK_LABEL (self->label), _ ("The layout was cancelled."));
  gtk_button_set_label (GTK_BUTTON (self->button), _ ("Lay Out"));
  g_signal_emit (self, signals[CANCELLED], 0);
}

static void
sonde_graph_progress_dispose (GObject *object)
{
  g_clear_handle_id (&SONDE_GRAPH_PROGRESS (object)->timeout, g_source_remove);
  G_OBJECT_CLASS (sonde_graph_progress_parent_class)->dispose (object);
}

static void
sonde_graph_progress_class_init (SondeGraphProgressClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_graph_progress_dispose;
  signals[CANCELLED]
      = g_signal_new ("cancelled", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[ASKED]
      = g_signal_new ("asked", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_graph_progress_init (SondeGraphProgress *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  self->label = gtk_label_new (NULL);
  self->button = gtk_button_new ();
  gtk_box_set_spacing (GTK_BOX (self), 12);
  gtk_box_append (GTK_BOX (self), self->label);
  gtk_box_append (GTK_BOX (self), self->button);
  gtk_widget_add_css_class (widget, "card");
  gtk_widget_add_css_class (widget, "graph-progress");
  gtk_widget_set_halign (widget, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (widget, GTK_ALIGN_CENTER);
  gtk_widget_set_visible (widget, FALSE);
  g_signal_connect_swapped (self->button, "clicked", G_CALLBACK (on_clicked), self);
}
