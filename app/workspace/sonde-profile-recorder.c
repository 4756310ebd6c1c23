/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-profile-recorder.h"

#include "app/workspace/sonde-recording-folder.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

struct _SondeProfileRecorder
{
  GObject parent_instance;
  SondeProfileSources *sources;
  SondeProfileChild *child;
  SondeDebugRecording *recording; /* (nullable) */
};

enum
{
  CHANGED,
  RECORDED,
  PROBLEM,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeProfileRecorder, sonde_profile_recorder, G_TYPE_OBJECT)

/* ---- what becomes of it -------------------------------------------------- */

static void
on_changed (SondeProfileRecorder *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
on_kept (SondeProfileRecorder *self, const char *folder)
{
  sonde_profile_sources_open (self->sources, folder, 0);
  g_signal_emit (self, signals[RECORDED], 0);
}

static void
on_failed (SondeProfileRecorder *self, const char *sentence)
{
  g_signal_emit (self, signals[PROBLEM], 0, sentence);
}

static void
on_ended (SondeProfileRecorder *self)
{
  const SondeSessionStatus *status
      = sonde_debug_session_get_status (sonde_debug_recording_get_session (self->recording));
  g_autofree char *folder = sonde_recording_folder_choose (
      status != NULL && status->facts.title != NULL ? status->facts.title : "profile");

  sonde_debug_recording_keep (self->recording, folder);
}

/* ---- the session --------------------------------------------------------- */

void
sonde_profile_recorder_set_session (SondeProfileRecorder *recorder, SondeDebugSession *session)
{
  g_return_if_fail (SONDE_IS_PROFILE_RECORDER (recorder));
  if (recorder->recording != NULL)
    g_signal_handlers_disconnect_by_data (recorder->recording, recorder);
  g_clear_object (&recorder->recording);
  if (session != NULL)
    {
      recorder->recording = sonde_debug_recording_new (session);
      g_signal_connect_object (recorder->recording, "changed", G_CALLBACK (on_changed), recorder,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (recorder->recording, "ended", G_CALLBACK (on_ended), recorder,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (recorder->recording, "kept", G_CALLBACK (on_kept), recorder,
                               G_CONNECT_SWAPPED);
    }
  g_signal_emit (recorder, signals[CHANGED], 0);
}

SondeDebugRecording *
sonde_profile_recorder_get_recording (SondeProfileRecorder *recorder)
{
  g_return_val_if_fail (SONDE_IS_PROFILE_RECORDER (recorder), NULL);
  return recorder->recording;
}

gboolean
sonde_profile_recorder_has_session (SondeProfileRecorder *recorder)
{
  g_return_val_if_fail (SONDE_IS_PROFILE_RECORDER (recorder), FALSE);
  return recorder->recording != NULL
         && sonde_debug_session_is_loaded (sonde_debug_recording_get_session (recorder->recording));
}

/* ---- a model ------------------------------------------------------------- */

void
sonde_profile_recorder_profile (SondeProfileRecorder *recorder, const char *model, guint n_runs)
{
  g_autofree char *name = g_path_get_basename (model), *shown = g_filename_display_name (name);
  g_autofree char *folder = sonde_recording_folder_choose (shown);
  g_autofree char *path = g_canonicalize_filename (model, NULL);

  g_return_if_fail (SONDE_IS_PROFILE_RECORDER (recorder));
  sonde_profile_child_start (recorder->child, path, n_runs, folder);
}

SondeProfileChild *
sonde_profile_recorder_get_child (SondeProfileRecorder *recorder)
{
  g_return_val_if_fail (SONDE_IS_PROFILE_RECORDER (recorder), NULL);
  return recorder->child;
}

/* ---- how far it is ------------------------------------------------------- */

static gboolean
records (SondeProfileRecorder *self)
{
  return self->recording != NULL
         && (sonde_debug_recording_is_on (self->recording)
             || sonde_debug_recording_is_keeping (self->recording));
}

gboolean
sonde_profile_recorder_is_on (SondeProfileRecorder *recorder)
{
  g_return_val_if_fail (SONDE_IS_PROFILE_RECORDER (recorder), FALSE);
  return records (recorder) || sonde_profile_child_is_running (recorder->child);
}

/* (transfer full) */
static char *
dup_steps (SondeDebugRecording *recording)
{
  const SondeSpanLogStatus *status = sonde_debug_recording_get_status (recording);
  guint64 n = sonde_debug_recording_get_n_steps (recording);
  g_autofree char *dropped = sonde_format_count ((gint64) MIN (status->dropped, G_MAXINT64));
  g_autofree char *steps
      = n > 0 ? g_strdup_printf (
            P_ ("%" PRIu64 " of %" PRIu64 " step", "%" PRIu64 " of %" PRIu64 " steps", n),
            status->steps, n)
              : g_strdup_printf (P_ ("%" PRIu64 " step", "%" PRIu64 " steps", status->steps),
                                 status->steps);

  /* Translators: steps of a recording, as "12 of 20 steps", then how many spans found no room */
  return g_strdup_printf (P_ ("%s, %s span dropped", "%s, %s spans dropped", status->dropped),
                          steps, dropped);
}

char *
sonde_profile_recorder_dup_progress (SondeProfileRecorder *recorder)
{
  guint done, n;

  g_return_val_if_fail (SONDE_IS_PROFILE_RECORDER (recorder), NULL);
  if (records (recorder))
    return sonde_debug_recording_is_keeping (recorder->recording)
               ? g_strdup (_ ("Keeping the profile…"))
               : dup_steps (recorder->recording);
  if (!sonde_profile_child_is_running (recorder->child))
    return NULL;
  if (!sonde_profile_child_get_progress (recorder->child, &done, &n))
    return g_strdup (_ ("Loading the model…"));
  return g_strdup_printf (P_ ("%u of %u run", "%u of %u runs", n), done, n);
}

void
sonde_profile_recorder_stop (SondeProfileRecorder *recorder)
{
  g_return_if_fail (SONDE_IS_PROFILE_RECORDER (recorder));
  if (recorder->recording != NULL && sonde_debug_recording_is_on (recorder->recording))
    sonde_debug_recording_stop (recorder->recording);
  else
    sonde_profile_child_cancel (recorder->child);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_profile_recorder_dispose (GObject *object)
{
  SondeProfileRecorder *self = SONDE_PROFILE_RECORDER (object);

  if (self->child != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->child, self);
      sonde_profile_child_cancel (self->child);
    }
  g_clear_object (&self->child);
  g_clear_object (&self->recording);
  g_clear_object (&self->sources);
  G_OBJECT_CLASS (sonde_profile_recorder_parent_class)->dispose (object);
}

static void
sonde_profile_recorder_class_init (SondeProfileRecorderClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_profile_recorder_dispose;
  signals[CHANGED]
      = g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[RECORDED]
      = g_signal_new ("recorded", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[PROBLEM] = g_signal_new ("problem", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sonde_profile_recorder_init (SondeProfileRecorder *self)
{
}

SondeProfileRecorder *
sonde_profile_recorder_new (const char *program, SondeProfileSources *sources)
{
  SondeProfileRecorder *self = g_object_new (SONDE_TYPE_PROFILE_RECORDER, NULL);

  self->sources = g_object_ref (sources);
  self->child = sonde_profile_child_new (program);
  g_signal_connect_object (self->child, "changed", G_CALLBACK (on_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->child, "done", G_CALLBACK (on_kept), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->child, "failed", G_CALLBACK (on_failed), self, G_CONNECT_SWAPPED);
  return self;
}
