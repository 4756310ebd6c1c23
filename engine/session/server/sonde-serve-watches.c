/* SPDX-License-Identifier: Apache-2.0
 * Requests about watches. Engine thread. */
#include "engine/session/server/sonde-serve-table.h"

gboolean
sonde_serve_add_watch (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                       GError **error)
{
  g_autoptr (GPtrArray) added
      = server->target->klass->add_watches (server->target, job->request->add_watch->text, error);

  if (added == NULL)
    return FALSE;
  sonde_codec_write_watches (answer, added, 0);
  sonde_session_tell (server, SONDE_SESSION_EVENT_BREAKPOINTS, FALSE, NULL);
  return TRUE;
}

gboolean
sonde_serve_list_watches (SondeSessionServer *server, SondeSessionJob *job,
                          SondeSessionAnswer *answer, GError **error)
{
  sonde_codec_write_watches (answer, server->target->klass->get_watches (server->target), 0);
  return TRUE;
}

gboolean
sonde_serve_list_watch_hits (SondeSessionServer *server, SondeSessionJob *job,
                             SondeSessionAnswer *answer, GError **error)
{
  g_autoptr (GPtrArray) hits
      = server->target->klass->get_watch_hits (server->target, job->request->list_watch_hits->id);

  sonde_codec_write_watch_hits (answer, hits);
  return TRUE;
}

gboolean
sonde_serve_recheck (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                     GError **error)
{
  guint64 step = job->request->recheck->step;
  gboolean may_go = job->in_control && server->state != SONDE_SESSION_RUNNING;
  g_autoptr (GPtrArray) hits = server->target->klass->recheck (server->target, step, may_go, error);

  if (hits == NULL)
    return FALSE;
  sonde_codec_write_watch_hits (answer, hits);
  return TRUE;
}
