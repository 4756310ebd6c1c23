/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/landscape/sonde-landscape-work.h"

#include <json-glib/json-glib.h>

#include "app/workspace/sonde-progress-child.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

struct _SondeLandscapeWork
{
  GtkBox parent_instance;
  SondeProgressChild *child;
  GtkProgressBar *bar;
  char *title; /* of the run */
  gboolean was_on;
};

enum
{
  CHANGED,
  DONE,
  FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeLandscapeWork, sonde_landscape_work, GTK_TYPE_BOX)

/* ---- how far it is ------------------------------------------------------- */

static void
show_progress (SondeLandscapeWork *self)
{
  g_autofree char *text = NULL, *shown = NULL, *all = NULL;
  guint done, n;

  if (!sonde_progress_child_get_progress (self->child, &done, &n))
    {
      text = g_strdup_printf (_ ("“%s”: reading model, data and checkpoints…"), self->title);
      gtk_progress_bar_set_fraction (self->bar, 0);
    }
  else
    {
      shown = sonde_format_count (done);
      all = sonde_format_count (n);
      /* Translators: the name of a run, then points of its loss landscape */
      text = g_strdup_printf (_ ("“%s”: %s of %s points"), self->title, shown, all);
      gtk_progress_bar_set_fraction (self->bar, (double) done / n);
    }
  gtk_progress_bar_set_text (self->bar, text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->bar), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
                                  -1);
}

static void
on_changed (SondeLandscapeWork *self)
{
  gboolean is_on = sonde_progress_child_is_running (self->child);

  if (is_on)
    show_progress (self);
  gtk_widget_set_visible (GTK_WIDGET (self), is_on);
  if (is_on == self->was_on)
    return;
  self->was_on = is_on;
  g_signal_emit (self, signals[CHANGED], 0);
}

/* ---- the end ------------------------------------------------------------- */

static void
on_done (SondeLandscapeWork *self, const char *output)
{
  g_autoptr (JsonNode) json = json_from_string (output, NULL);
  JsonObject *object
      = json != NULL && JSON_NODE_HOLDS_OBJECT (json) ? json_node_get_object (json) : NULL;
  const char *tag
      = object != NULL ? json_object_get_string_member_with_default (object, "tag", NULL) : NULL;

  if (tag == NULL)
    g_signal_emit (self, signals[FAILED], 0,
                   _ ("The program that computes the landscape did not say what it recorded."));
  else
    g_signal_emit (self, signals[DONE], 0, self->title, tag,
                   json_object_get_boolean_member_with_default (object, "reused", FALSE));
}

static void
on_failed (SondeLandscapeWork *self, const char *sentence)
{
  g_signal_emit (self, signals[FAILED], 0, sentence);
}

static void
on_cancel (SondeLandscapeWork *self)
{
  sonde_progress_child_cancel (self->child, NULL, NULL);
}

/* ---- the beginning ------------------------------------------------------- */

void
sonde_landscape_work_start (SondeLandscapeWork *work, const char *run, const char *title,
                            const SondeLandscapeSettings *settings)
{
  g_autofree char *grid = g_strdup_printf ("%u", settings->grid);
  g_autofree char *batches
      = settings->batches > 0 ? g_strdup_printf ("%u", settings->batches) : g_strdup ("all");
  g_autofree char *seed = g_strdup_printf ("%u", settings->seed);
  char range[G_ASCII_DTOSTR_BUF_SIZE];
  const char *const arguments[] = { "landscape",
                                    "--progress",
                                    "--json",
                                    "--directions",
                                    settings->of_path ? "pca" : "random",
                                    "--part",
                                    settings->test ? "test" : "train",
                                    "--grid",
                                    grid,
                                    "--batches",
                                    batches,
                                    "--seed",
                                    seed,
                                    "--range",
                                    g_ascii_dtostr (range, sizeof range, settings->range),
                                    "--",
                                    run,
                                    NULL };

  g_return_if_fail (SONDE_IS_LANDSCAPE_WORK (work));
  if (sonde_progress_child_is_running (work->child))
    return;
  g_free (work->title);
  work->title = g_strdup (title);
  sonde_progress_child_start (work->child, arguments);
}

gboolean
sonde_landscape_work_is_on (SondeLandscapeWork *work)
{
  return sonde_progress_child_is_running (work->child);
}

/* ---- widget -------------------------------------------------------------- */

static void
sonde_landscape_work_dispose (GObject *object)
{
  SondeLandscapeWork *self = SONDE_LANDSCAPE_WORK (object);

  if (self->child != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->child, self);
      sonde_progress_child_cancel (self->child, NULL, NULL);
    }
  g_clear_object (&self->child);
  g_clear_pointer (&self->title, g_free);
  G_OBJECT_CLASS (sonde_landscape_work_parent_class)->dispose (object);
}

static void
sonde_landscape_work_class_init (SondeLandscapeWorkClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_landscape_work_dispose;
  signals[CHANGED]
      = g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[DONE] = g_signal_new ("done", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                3, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_BOOLEAN);
  signals[FAILED] = g_signal_new ("failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sonde_landscape_work_init (SondeLandscapeWork *self)
{
  GtkWidget *cancel = gtk_button_new_with_label (_ ("Cancel"));

  self->bar = GTK_PROGRESS_BAR (gtk_progress_bar_new ());
  gtk_progress_bar_set_show_text (self->bar, TRUE);
  gtk_progress_bar_set_ellipsize (self->bar, PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand (GTK_WIDGET (self->bar), TRUE);
  gtk_widget_set_valign (GTK_WIDGET (self->bar), GTK_ALIGN_CENTER);
  gtk_widget_set_valign (cancel, GTK_ALIGN_CENTER);
  gtk_box_set_spacing (GTK_BOX (self), 12);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->bar));
  gtk_box_append (GTK_BOX (self), cancel);
  gtk_widget_add_css_class (GTK_WIDGET (self), "page-bar");
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  g_signal_connect_object (cancel, "clicked", G_CALLBACK (on_cancel), self, G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_landscape_work_new (const char *program)
{
  SondeLandscapeWork *self = g_object_new (SONDE_TYPE_LANDSCAPE_WORK, NULL);

  self->child = sonde_progress_child_new (program);
  g_signal_connect_object (self->child, "changed", G_CALLBACK (on_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->child, "done", G_CALLBACK (on_done), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->child, "failed", G_CALLBACK (on_failed), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
