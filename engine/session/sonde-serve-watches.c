/* SPDX-License-Identifier: Apache-2.0
 * Requests about watches. Engine thread. */
#include "engine/session/sonde-serve-table.h"

gboolean
sonde_serve_add_watch (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                       GError **error)
{
  g_autoptr (GPtrArray) added
      = sonde_debugger_add_watches (server->debugger, job->request->add_watch->text, error);

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
  sonde_codec_write_watches (answer, sonde_debugger_get_watches (server->debugger), 0);
  return TRUE;
}

gboolean
sonde_serve_list_watch_hits (SondeSessionServer *server, SondeSessionJob *job,
                             SondeSessionAnswer *answer, GError **error)
{
  g_autoptr (GPtrArray) hits
      = sonde_debugger_get_watch_hits (server->debugger, job->request->list_watch_hits->id);

  sonde_codec_write_watch_hits (answer, hits);
  return TRUE;
}

gboolean
sonde_serve_recheck (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                     GError **error)
{
  guint64 step = job->request->recheck->step;
  /* what was set by hand would be lost on a way back */
  gboolean may_go = job->in_control && server->state != SONDE_SESSION_RUNNING
                    && sonde_changes_get_edits (server->changes)->len == 0;
  g_autoptr (GPtrArray) hits = may_go ? sonde_debugger_recheck_again (server->debugger, step, error)
                                      : sonde_debugger_recheck (server->debugger, step, error);

  if (hits == NULL)
    return FALSE;
  sonde_codec_write_watch_hits (answer, hits);
  return TRUE;
}
