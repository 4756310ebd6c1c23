/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-record-panel.h"

#include "app/workspace/sonde-opened-model.h"
#include "data/base/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/widgets/sonde-record-panel.ui"

struct _SondeRecordPanel
{
  GtkBox parent_instance;
  SondeWorkspace *workspace;
  GtkWidget *session_box, *model_box, *progress_box;
  GtkLabel *subject, *note, *progress_label;
  GtkSpinButton *steps, *factor, *runs;
  GtkCheckButton *only_slow;
  GtkWidget *record, *profile, *stop;
  GtkDropDown *model;
  GtkStringList *models;
  GtkProgressBar *progress;
  GPtrArray *paths; /* of the models */
};

G_DEFINE_FINAL_TYPE (SondeRecordPanel, sonde_record_panel, GTK_TYPE_BOX)

/* ---- what there is ------------------------------------------------------- */

gboolean
sonde_record_panel_has_something (SondeWorkspace *workspace)
{
  const char *const *documents = sonde_workspace_get_documents (workspace);
  gboolean found = sonde_profile_recorder_has_session (sonde_workspace_get_recorder (workspace));

  for (gsize i = 0; documents[i] != NULL && !found; i++)
    found = sonde_opened_model_is_path (documents[i]);
  return found;
}

static void
list_models (SondeRecordPanel *self)
{
  const char *const *documents = sonde_workspace_get_documents (self->workspace);

  for (gsize i = 0; documents[i] != NULL; i++)
    if (sonde_opened_model_is_path (documents[i]))
      {
        g_autofree char *name = g_path_get_basename (documents[i]);

        g_ptr_array_add (self->paths, g_strdup (documents[i]));
        gtk_string_list_take (self->models, g_filename_display_name (name));
      }
}

/* ---- showing ------------------------------------------------------------- */

static void
show_session (SondeRecordPanel *self, SondeDebugRecording *recording)
{
  const SondeSessionStatus *status
      = sonde_debug_session_get_status (sonde_debug_recording_get_session (recording));
  const char *obstacle = sonde_debug_recording_get_obstacle (recording);
  const char *note = obstacle;

  if (note == NULL && status->facts.kind == SONDE_ACTIVITY_INFERENCE)
    note = _ ("The model runs again and again from its start, each operator by itself as it is "
              "debugged; Profile the model shows it at its full speed.");
  else if (note == NULL && status->state != SONDE_SESSION_RUNNING)
    note = _ ("The recording begins when the training goes on.");
  gtk_label_set_text (self->subject, status != NULL ? status->facts.title : "");
  gtk_label_set_text (self->note, note != NULL ? note : "");
  gtk_widget_set_visible (GTK_WIDGET (self->note), note != NULL);
  gtk_widget_set_sensitive (self->record, obstacle == NULL);
}

/* Negative: it cannot be told. */
static double
get_fraction (SondeProfileRecorder *recorder)
{
  SondeDebugRecording *recording = sonde_profile_recorder_get_recording (recorder);
  guint done, n;

  if (recording != NULL && sonde_debug_recording_is_on (recording))
    {
      guint64 steps = sonde_debug_recording_get_n_steps (recording);

      return steps > 0
                 ? (double) sonde_debug_recording_get_status (recording)->steps / (double) steps
                 : -1;
    }
  return sonde_profile_child_get_progress (sonde_profile_recorder_get_child (recorder), &done, &n)
             ? (double) done / n
             : -1;
}

static void
show_progress (SondeRecordPanel *self, SondeProfileRecorder *recorder, const char *text)
{
  SondeDebugRecording *recording = sonde_profile_recorder_get_recording (recorder);
  gboolean keeping = recording != NULL && sonde_debug_recording_is_keeping (recording);
  double fraction = get_fraction (recorder);

  gtk_label_set_text (self->progress_label, text);
  if (fraction >= 0)
    gtk_progress_bar_set_fraction (self->progress, MIN (fraction, 1));
  else
    gtk_progress_bar_pulse (self->progress);
  gtk_widget_set_visible (self->stop, !keeping);
  gtk_button_set_label (GTK_BUTTON (self->stop),
                        sonde_profile_child_is_running (sonde_profile_recorder_get_child (recorder))
                            ? _ ("Cancel")
                            : _ ("Stop"));
}

static void
update (SondeRecordPanel *self)
{
  SondeProfileRecorder *recorder = sonde_workspace_get_recorder (self->workspace);
  g_autofree char *text = sonde_profile_recorder_dup_progress (recorder);
  gboolean has_session = sonde_profile_recorder_has_session (recorder);

  gtk_widget_set_visible (self->session_box, has_session && text == NULL);
  gtk_widget_set_visible (self->model_box, self->paths->len > 0 && text == NULL);
  gtk_widget_set_visible (self->progress_box, text != NULL);
  if (has_session)
    show_session (self, sonde_profile_recorder_get_recording (recorder));
  if (text != NULL)
    show_progress (self, recorder, text);
}

/* ---- hands --------------------------------------------------------------- */

static void
on_record (SondeRecordPanel *self)
{
  SondeDebugRecording *recording
      = sonde_profile_recorder_get_recording (sonde_workspace_get_recorder (self->workspace));
  const SondeSpanLogOptions options = {
    .n_steps = (guint64) gtk_spin_button_get_value_as_int (self->steps),
    .slower
    = gtk_check_button_get_active (self->only_slow) ? gtk_spin_button_get_value (self->factor) : 0,
  };

  if (recording != NULL)
    sonde_debug_recording_start (recording, &options);
}

static void
on_profile (SondeRecordPanel *self)
{
  guint i = gtk_drop_down_get_selected (self->model);

  if (i < self->paths->len)
    sonde_profile_recorder_profile (sonde_workspace_get_recorder (self->workspace),
                                    g_ptr_array_index (self->paths, i),
                                    (guint) gtk_spin_button_get_value_as_int (self->runs));
}

static void
on_stop (SondeRecordPanel *self)
{
  sonde_profile_recorder_stop (sonde_workspace_get_recorder (self->workspace));
}

/* Somebody else may have begun a recording, or a typed command. */
static void
on_map (SondeRecordPanel *self)
{
  SondeDebugRecording *recording
      = self->workspace != NULL
            ? sonde_profile_recorder_get_recording (sonde_workspace_get_recorder (self->workspace))
            : NULL;

  if (recording != NULL)
    sonde_debug_recording_look (recording);
}

void
sonde_record_panel_set_workspace (SondeRecordPanel *panel, SondeWorkspace *workspace)
{
  g_return_if_fail (SONDE_IS_RECORD_PANEL (panel) && panel->workspace == NULL);
  panel->workspace = g_object_ref (workspace);
  list_models (panel);
  g_signal_connect_object (sonde_workspace_get_recorder (workspace), "changed", G_CALLBACK (update),
                           panel, G_CONNECT_SWAPPED);
  update (panel);
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_record_panel_dispose (GObject *object)
{
  SondeRecordPanel *self = SONDE_RECORD_PANEL (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_RECORD_PANEL);
  g_clear_object (&self->workspace);
  g_clear_pointer (&self->paths, g_ptr_array_unref);
  G_OBJECT_CLASS (sonde_record_panel_parent_class)->dispose (object);
}

static void
sonde_record_panel_class_init (SondeRecordPanelClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_record_panel_dispose;
  gtk_widget_class_set_template_from_resource (widget, RESOURCE);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, session_box);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, model_box);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, progress_box);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, subject);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, note);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, progress_label);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, steps);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, factor);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, runs);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, only_slow);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, record);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, profile);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, stop);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, model);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, models);
  gtk_widget_class_bind_template_child (widget, SondeRecordPanel, progress);
  gtk_widget_class_bind_template_callback (widget, on_record);
  gtk_widget_class_bind_template_callback (widget, on_profile);
  gtk_widget_class_bind_template_callback (widget, on_stop);
}

static void
sonde_record_panel_init (SondeRecordPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->paths = g_ptr_array_new_with_free_func (g_free);
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
}
