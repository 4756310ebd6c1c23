/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/server/sonde-serve-loop.h"

#include "engine/session/codec/sonde-codec-profile.h"
#include "engine/session/codec/sonde-codec-run.h"
#include "engine/session/codec/sonde-codec-search.h"
#include "engine/session/server/sonde-session-server-private.h"

static SondeLiveLoop *
loop_of (SondeSessionServer *server)
{
  return ((SondeJoinedLoop *) server->service)->loop;
}

static gboolean
check_stands (SondeSessionServer *server, GError **error)
{
  return server->state != SONDE_SESSION_RUNNING
         || sonde_session_refuse (error, "Pause the run first.");
}

/* ---- back ---------------------------------------------------------------- */

/* Its thread finds the way by itself, and stops there. */
static gboolean
go_back (SondeSessionServer *server, const SondeBack *back, GError **error)
{
  if (!sonde_live_loop_go_back (loop_of (server), back, error))
    return FALSE;
  sonde_session_set_state (server, SONDE_SESSION_RUNNING, SONDE_SESSION_EVENT_RESUMED);
  return TRUE;
}

gboolean
sonde_serve_loop_go_back (SondeSessionServer *server, SondeSessionJob *job,
                          SondeSessionAnswer *answer, GError **error)
{
  SondeBack back;

  if (!check_stands (server, error))
    return FALSE;
  if (!sonde_codec_read_go_back (job->request->go_back, &back))
    return sonde_session_refuse (error, "This version does not support that way of going back.");
  if (back.kind == SONDE_BACK_CAPTURE && !sonde_session_check_path (back.target, error))
    return FALSE;
  return go_back (server, &back, error);
}

/* Without a path there is no file. A capture holds all that the step starts from. */
static gboolean
save_batch (SondeSessionServer *server, const char *path, SondeSessionAnswer *answer,
            GError **error)
{
  const char *const none[] = { NULL };
  const gboolean batch = !g_str_has_suffix (path, ".sondecap");

  if (*path == '\0')
    return TRUE;
  if (!sonde_session_check_path (path, error)
      || !sonde_live_loop_save_capture (loop_of (server), path, none, batch, error))
    return FALSE;
  answer->reply.path = sonde_codec_text (answer->memory, path);
  return TRUE;
}

gboolean
sonde_serve_loop_rewind (SondeSessionServer *server, SondeSessionJob *job,
                         SondeSessionAnswer *answer, GError **error)
{
  SondeBack back = { .kind = SONDE_BACK_RUN };
  SondeStop stop;

  if (!check_stands (server, error)
      || !save_batch (server, job->request->rewind->path, answer, error))
    return FALSE;
  server->target->klass->get_stop (server->target, &stop);
  back.count = stop.step;
  return go_back (server, &back, error);
}

gboolean
sonde_serve_loop_restart (SondeSessionServer *server, SondeSessionJob *job,
                          SondeSessionAnswer *answer, GError **error)
{
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "PyTorch cannot take back what ran; start the step by d.step (function, …) to "
                   "run it again.");
  return FALSE;
}

/* ---- looking ------------------------------------------------------------- */

gboolean
sonde_serve_loop_origin (SondeSessionServer *server, SondeSessionJob *job,
                         SondeSessionAnswer *answer, GError **error)
{
  g_autoptr (SondeOrigin) origin = NULL;

  if (!check_stands (server, error))
    return FALSE;
  origin = sonde_live_loop_find_origin (loop_of (server), job->request->origin->expression, error);
  if (origin == NULL)
    return FALSE;
  sonde_codec_write_origin (answer, origin);
  return TRUE;
}

gboolean
sonde_serve_loop_capture (SondeSessionServer *server, SondeSessionJob *job,
                          SondeSessionAnswer *answer, GError **error)
{
  const Sonde__Session__Capture *asked = job->request->capture;
  g_autofree const char **values = g_new0 (const char *, asked->n_values + 1);

  for (gsize i = 0; i < asked->n_values; i++)
    values[i] = asked->values[i];
  if (!check_stands (server, error) || !sonde_session_check_path (asked->path, error)
      || !sonde_live_loop_save_capture (loop_of (server), asked->path, values, FALSE, error))
    return FALSE;
  answer->reply.path = sonde_codec_text (answer->memory, asked->path);
  return TRUE;
}

/* ---- profiles ------------------------------------------------------------ */

/* The reply has the path of the trace where there is one. */
static gboolean
answer_profile (SondeSessionServer *server, SondeLiveProfile *profile, SondeSessionAnswer *answer,
                GError **error)
{
  g_autofree char *trace = NULL;

  if (!sonde_live_loop_profile (loop_of (server), profile, error))
    return FALSE;
  trace = g_steal_pointer (&profile->trace);
  answer->reply.body_case = SONDE__SESSION__REPLY__BODY_PROFILE;
  answer->reply.profile = sonde_codec_write_profile (answer->memory, &profile->status);
  if (trace != NULL)
    answer->reply.path = sonde_codec_text (answer->memory, trace);
  return TRUE;
}

gboolean
sonde_serve_loop_profile_start (SondeSessionServer *server, SondeSessionJob *job,
                                SondeSessionAnswer *answer, GError **error)
{
  SondeLiveProfile profile = { .kind = SONDE_LIVE_PROFILE_START };
  SondeSpanLogOptions options;

  if (!sonde_codec_read_profile_start (job->request->profile_start, &options) || options.slower > 0)
    return sonde_session_refuse (error, "The framework's profiler records steps in a row: it "
                                        "does not choose them by the time that they take.");
  profile.n_steps = options.n_steps;
  return answer_profile (server, &profile, answer, error);
}

gboolean
sonde_serve_loop_profile_stop (SondeSessionServer *server, SondeSessionJob *job,
                               SondeSessionAnswer *answer, GError **error)
{
  SondeLiveProfile profile = { .kind = SONDE_LIVE_PROFILE_STOP };

  return answer_profile (server, &profile, answer, error);
}

gboolean
sonde_serve_loop_profile_keep (SondeSessionServer *server, SondeSessionJob *job,
                               SondeSessionAnswer *answer, GError **error)
{
  const char *folder = job->request->profile_keep->folder;
  SondeLiveProfile profile
      = { .kind = SONDE_LIVE_PROFILE_KEEP, .folder = *folder != '\0' ? folder : NULL };

  if (profile.folder != NULL && !sonde_session_check_path (folder, error))
    return FALSE;
  return answer_profile (server, &profile, answer, error);
}

gboolean
sonde_serve_loop_profile_status (SondeSessionServer *server, SondeSessionJob *job,
                                 SondeSessionAnswer *answer, GError **error)
{
  SondeLiveProfile profile = { .kind = SONDE_LIVE_PROFILE_STATUS };

  return answer_profile (server, &profile, answer, error);
}

/* ---- changing ------------------------------------------------------------ */

static gboolean
refuse (const char *command, GError **error)
{
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "%s changes the graph, and here it is PyTorch's.", command);
  return FALSE;
}

gboolean
sonde_serve_loop_change_node (SondeSessionServer *server, SondeSessionJob *job,
                              SondeSessionAnswer *answer, GError **error)
{
  return refuse (job->request->change_node->bypass ? "bypass" : "attr", error);
}

gboolean
sonde_serve_loop_rerun (SondeSessionServer *server, SondeSessionJob *job,
                        SondeSessionAnswer *answer, GError **error)
{
  return refuse ("rerun", error);
}

gboolean
sonde_serve_loop_branch (SondeSessionServer *server, SondeSessionJob *job,
                         SondeSessionAnswer *answer, GError **error)
{
  return refuse ("branch", error);
}

gboolean
sonde_serve_loop_reduce (SondeSessionServer *server, SondeSessionJob *job,
                         SondeSessionAnswer *answer, GError **error)
{
  return refuse ("reduce", error);
}

gboolean
sonde_serve_loop_precision (SondeSessionServer *server, SondeSessionJob *job,
                            SondeSessionAnswer *answer, GError **error)
{
  return refuse ("precision", error);
}
