/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/frontend/sonde-debug-recording.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"

#define POLL_MS 200

/* What was asked of an inference and has not been told yet. */
typedef enum
{
  DRIVE_NOTHING,
  DRIVE_RESTART,
  DRIVE_RUN,
} Drive;

struct _SondeDebugRecording
{
  GObject parent_instance;
  SondeDebugSession *session;
  SondeSpanLogOptions options;
  SondeSpanLogStatus status;
  gboolean is_on, is_keeping;
  gboolean is_asking; /* how far it is */
  gboolean drives;    /* the runs of an inference */
  Drive drive;
  guint tick;
};

enum
{
  CHANGED,
  ENDED,
  KEPT,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeDebugRecording, sonde_debug_recording, G_TYPE_OBJECT)

/* ---- asking -------------------------------------------------------------- */

/* Not counted as a request of the session: the page is not busy because of it. FALSE: there is no session. */
static gboolean
ask (SondeDebugRecording *self, SondeSessionRequest *request, GAsyncReadyCallback callback)
{
  SondeSessionClient *client = sonde_debug_session_get_client (self->session);

  if (client == NULL)
    {
      sonde_session_request_free (request);
      return FALSE;
    }
  sonde_session_client_send (client, request, NULL, callback, g_object_ref (self));
  return TRUE;
}

/* (transfer full) (nullable): NULL of another session than the present one, and where it failed, which is told. */
static SondeSessionReply *
take_reply (SondeDebugRecording *self, GObject *source, GAsyncResult *result)
{
  SondeSessionClient *client = SONDE_SESSION_CLIENT (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply = sonde_session_client_send_finish (client, result, &error);

  if (client != sonde_debug_session_get_client (self->session))
    return NULL;
  if (reply == NULL && !sonde_session_client_is_closed (client))
    sonde_debug_session_report (self->session, sonde_error_get_text (error));
  return g_steal_pointer (&reply);
}

/* ---- the runs of an inference -------------------------------------------- */

static SondeSessionState
get_state (SondeDebugRecording *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);

  return status != NULL ? status->state : SONDE_SESSION_EMPTY;
}

static void
run (SondeDebugRecording *self)
{
  self->drive = DRIVE_RUN;
  sonde_debug_session_resume (self->session, SONDE_RESUME_CONTINUE, NULL);
}

static void
on_restarted (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugRecording) self = data;
  g_autoptr (SondeSessionReply) reply = take_reply (self, source, result);

  if (reply != NULL && self->drive == DRIVE_RESTART)
    run (self);
}

/* The state is that of events alone: they come in their order, while an answer may be looked at behind later ones. */
static void
run_again (SondeDebugRecording *self)
{
  self->drive = DRIVE_RESTART;
  if (get_state (self) == SONDE_SESSION_READY)
    run (self);
  else
    ask (self, sonde_session_request_restart (), on_restarted);
}

/* The session has told of something: whether the run has ended. */
static void
drive (SondeDebugRecording *self)
{
  if (!self->is_on || !self->drives || self->drive != DRIVE_RUN
      || get_state (self) != SONDE_SESSION_ENDED)
    return;
  self->drive = DRIVE_NOTHING;
  sonde_debug_recording_look (self);
}

/* ---- how far it is ------------------------------------------------------- */

static void
end (SondeDebugRecording *self)
{
  self->is_on = FALSE;
  g_clear_handle_id (&self->tick, g_source_remove);
}

static gboolean
on_tick (gpointer data)
{
  sonde_debug_recording_look (data);
  return G_SOURCE_CONTINUE;
}

static void
begin (SondeDebugRecording *self)
{
  self->is_on = TRUE;
  if (self->tick == 0)
    self->tick = g_timeout_add (POLL_MS, on_tick, self);
}

static void
take_status (SondeDebugRecording *self, const SondeSpanLogStatus *status)
{
  gboolean ends = self->is_on && !status->recording;

  self->status = *status;
  if (status->recording && !self->is_on)
    {
      self->options = (SondeSpanLogOptions){ 0 };
      begin (self);
    }
  if (ends)
    end (self);
  else if (self->is_on && self->drives && self->drive == DRIVE_NOTHING
           && get_state (self) == SONDE_SESSION_ENDED)
    run_again (self);
  g_signal_emit (self, signals[CHANGED], 0);
  if (ends && status->steps > 0)
    g_signal_emit (self, signals[ENDED], 0);
  else if (ends)
    sonde_debug_session_report (self->session,
                                _ ("No complete step was recorded, so there is no profile."));
}

static void
on_status (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugRecording) self = data;
  g_autoptr (SondeSessionReply) reply = NULL;
  g_autoptr (GError) error = NULL;

  self->is_asking = FALSE;
  reply = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);
  /* What has nothing to record says so when somebody tries. */
  if (reply != NULL
      && SONDE_SESSION_CLIENT (source) == sonde_debug_session_get_client (self->session))
    take_status (self, &reply->profile);
}

void
sonde_debug_recording_look (SondeDebugRecording *recording)
{
  g_return_if_fail (SONDE_IS_DEBUG_RECORDING (recording));
  if (!recording->is_asking && sonde_debug_session_is_loaded (recording->session))
    recording->is_asking = ask (recording, sonde_session_request_profile_status (), on_status);
}

/* ---- begin, end, keep ---------------------------------------------------- */

const char *
sonde_debug_recording_get_obstacle (SondeDebugRecording *recording)
{
  const SondeSessionStatus *status;

  g_return_val_if_fail (SONDE_IS_DEBUG_RECORDING (recording), NULL);
  status = sonde_debug_session_get_status (recording->session);
  if (status == NULL || !sonde_debug_session_is_loaded (recording->session))
    return _ ("Nothing is being debugged.");
  if (status->facts.kind == SONDE_ACTIVITY_DUMP)
    return _ ("A dump cannot be profiled: nothing runs.");
  if (!status->in_control)
    return _ ("Another client is in control.");
  if (status->facts.kind == SONDE_ACTIVITY_TRAINING && status->state == SONDE_SESSION_ENDED)
    return _ ("The run has ended; restart it first.");
  return NULL;
}

static void
on_started (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugRecording) self = data;
  g_autoptr (SondeSessionReply) reply = take_reply (self, source, result);
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);

  if (reply == NULL)
    return;
  self->status = reply->profile;
  begin (self);
  self->drives = status != NULL && status->facts.kind == SONDE_ACTIVITY_INFERENCE;
  if (self->drives && get_state (self) != SONDE_SESSION_RUNNING)
    run_again (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

void
sonde_debug_recording_start (SondeDebugRecording *recording, const SondeSpanLogOptions *options)
{
  g_return_if_fail (SONDE_IS_DEBUG_RECORDING (recording));
  recording->options = *options;
  recording->drive = DRIVE_NOTHING;
  ask (recording, sonde_session_request_profile_start (options), on_started);
}

static void
on_stopped (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugRecording) self = data;
  g_autoptr (SondeSessionReply) reply = take_reply (self, source, result);

  if (reply != NULL)
    take_status (self, &reply->profile);
}

void
sonde_debug_recording_stop (SondeDebugRecording *recording)
{
  g_return_if_fail (SONDE_IS_DEBUG_RECORDING (recording));
  ask (recording, sonde_session_request_profile_stop (), on_stopped);
}

static void
on_kept (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugRecording) self = data;
  g_autoptr (SondeSessionReply) reply = take_reply (self, source, result);

  self->is_keeping = FALSE;
  g_signal_emit (self, signals[CHANGED], 0);
  if (reply != NULL && reply->path != NULL)
    g_signal_emit (self, signals[KEPT], 0, reply->path);
}

void
sonde_debug_recording_keep (SondeDebugRecording *recording, const char *folder)
{
  g_return_if_fail (SONDE_IS_DEBUG_RECORDING (recording));
  recording->is_keeping = ask (recording, sonde_session_request_profile_keep (folder), on_kept);
  g_signal_emit (recording, signals[CHANGED], 0);
}

/* ---- the session --------------------------------------------------------- */

static void
on_session_changed (SondeDebugRecording *self)
{
  if (sonde_debug_session_get_status (self->session) == NULL)
    {
      end (self);
      self->is_keeping = FALSE;
    }
  drive (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
on_over (SondeDebugRecording *self)
{
  end (self);
  self->is_keeping = FALSE;
  g_signal_emit (self, signals[CHANGED], 0);
}

gboolean
sonde_debug_recording_is_on (SondeDebugRecording *recording)
{
  return recording->is_on;
}

gboolean
sonde_debug_recording_is_keeping (SondeDebugRecording *recording)
{
  return recording->is_keeping;
}

const SondeSpanLogStatus *
sonde_debug_recording_get_status (SondeDebugRecording *recording)
{
  return &recording->status;
}

guint64
sonde_debug_recording_get_n_steps (SondeDebugRecording *recording)
{
  return recording->options.n_steps;
}

SondeDebugSession *
sonde_debug_recording_get_session (SondeDebugRecording *recording)
{
  return recording->session;
}

static void
sonde_debug_recording_dispose (GObject *object)
{
  end (SONDE_DEBUG_RECORDING (object));
  g_clear_object (&SONDE_DEBUG_RECORDING (object)->session);
  G_OBJECT_CLASS (sonde_debug_recording_parent_class)->dispose (object);
}

static void
sonde_debug_recording_class_init (SondeDebugRecordingClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_recording_dispose;
  signals[CHANGED]
      = g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[ENDED]
      = g_signal_new ("ended", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[KEPT] = g_signal_new ("kept", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                1, G_TYPE_STRING);
}

static void
sonde_debug_recording_init (SondeDebugRecording *self)
{
}

SondeDebugRecording *
sonde_debug_recording_new (SondeDebugSession *session)
{
  SondeDebugRecording *self = g_object_new (SONDE_TYPE_DEBUG_RECORDING, NULL);

  self->session = g_object_ref (session);
  g_signal_connect_object (session, "changed", G_CALLBACK (on_session_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "loaded", G_CALLBACK (sonde_debug_recording_look), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "over", G_CALLBACK (on_over), self, G_CONNECT_SWAPPED);
  return self;
}
