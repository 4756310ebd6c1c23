/* SPDX-License-Identifier: Apache-2.0
 * Requests about recordings of spans. Engine thread; the log is the activity's. */
#include "engine/session/activity/sonde-activity-session.h"

/* (transfer none) (nullable): NULL with @error. */
static SondeSpanLog *
find_log (SondeSessionServer *server, GError **error)
{
  if (server->spans == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "Nothing runs here that could be profiled: a dump is only shown. Profile "
                     "a model or a training.");
  return server->spans;
}

static void
answer_status (SondeSpanLog *log, SondeSessionAnswer *answer)
{
  SondeSpanLogStatus status;

  sonde_span_log_get_status (log, &status);
  answer->reply.body_case = SONDE__SESSION__REPLY__BODY_PROFILE;
  answer->reply.profile = sonde_codec_write_profile (answer->memory, &status);
}

static gboolean
is_recording (SondeSpanLog *log)
{
  SondeSpanLogStatus status;

  sonde_span_log_get_status (log, &status);
  return status.recording;
}

static void
settle (SondeSessionServer *server)
{
  SondeActivity *activity = sonde_activity_session_of (server)->activity;

  if (activity->klass->settle_profile != NULL)
    activity->klass->settle_profile (activity);
}

gboolean
sonde_serve_profile_start (SondeSessionServer *server, SondeSessionJob *job,
                           SondeSessionAnswer *answer, GError **error)
{
  SondeSpanLog *log = find_log (server, error);
  SondeSpanLogOptions options;

  if (log == NULL)
    return FALSE;
  if (!sonde_codec_read_profile_start (job->request->profile_start, &options))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "A step is slow when it takes K × the median of the steps before it: K must "
                       "be a positive number.");
      return FALSE;
    }
  if (is_recording (log))
    return sonde_session_refuse (
        error, "A profile is already being recorded; stop it before starting another one.");
  settle (server);
  sonde_span_log_start (log, &options);
  answer_status (log, answer);
  return TRUE;
}

gboolean
sonde_serve_profile_stop (SondeSessionServer *server, SondeSessionJob *job,
                          SondeSessionAnswer *answer, GError **error)
{
  SondeSpanLog *log = find_log (server, error);

  if (log == NULL)
    return FALSE;
  if (!is_recording (log))
    return sonde_session_refuse (error, "No profile is being recorded.");
  sonde_span_log_stop (log);
  settle (server);
  answer_status (log, answer);
  return TRUE;
}

/* FALSE with @error: there is nothing to keep. */
static gboolean
check_kept (SondeSessionServer *server, const char *folder, GError **error)
{
  SondeSpanLog *log = find_log (server, error);
  SondeSpanLogStatus status;

  if (log == NULL)
    return FALSE;
  if (sonde_activity_session_of (server)->activity->klass->keep_profile == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "This engine cannot write profiles.");
      return FALSE;
    }
  if (*folder != '\0' && !g_path_is_absolute (folder))
    return sonde_session_refuse (error, "The folder of a profile must be absolute: “%s”.", folder);
  sonde_span_log_get_status (log, &status);
  if (status.recording)
    return sonde_session_refuse (error,
                                 "The profile is still being recorded; stop it before keeping it.");
  if (status.steps == 0)
    return sonde_session_refuse (error, "No complete step was recorded, so there is no profile.");
  return TRUE;
}

gboolean
sonde_serve_profile_keep (SondeSessionServer *server, SondeSessionJob *job,
                          SondeSessionAnswer *answer, GError **error)
{
  SondeActivity *activity = sonde_activity_session_of (server)->activity;
  const char *folder = job->request->profile_keep->folder;
  g_autofree char *path = NULL;

  if (!check_kept (server, folder, error))
    return FALSE;
  path = activity->klass->keep_profile (activity, folder, error);
  if (path == NULL)
    return FALSE;
  answer_status (server->spans, answer);
  answer->reply.path = sonde_codec_text (answer->memory, path);
  return TRUE;
}

gboolean
sonde_serve_profile_status (SondeSessionServer *server, SondeSessionJob *job,
                            SondeSessionAnswer *answer, GError **error)
{
  SondeSpanLog *log = find_log (server, error);

  if (log != NULL)
    answer_status (log, answer);
  return log != NULL;
}
