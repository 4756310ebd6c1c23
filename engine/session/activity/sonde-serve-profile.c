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
  answer_status (log, answer);
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
