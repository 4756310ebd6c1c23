/* SPDX-License-Identifier: Apache-2.0
 * Requests about breakpoints. Engine thread. */
#include "engine/session/server/sonde-serve-table.h"

/* All, or the one with @id. */
static void
answer_breakpoints (SondeSessionServer *server, SondeSessionAnswer *answer, guint id)
{
  sonde_codec_write_breakpoints (answer, server->target->klass->get_breakpoints (server->target),
                                 id);
}

/* All, or the one with @id; of watches, too, which have ids of the same numbers. */
static void
answer_both (SondeSessionServer *server, SondeSessionAnswer *answer, guint id)
{
  answer_breakpoints (server, answer, id);
  sonde_codec_write_watches (answer, server->target->klass->get_watches (server->target), id);
}

gboolean
sonde_serve_list_breakpoints (SondeSessionServer *server, SondeSessionJob *job,
                              SondeSessionAnswer *answer, GError **error)
{
  answer_breakpoints (server, answer, 0);
  return TRUE;
}

gboolean
sonde_serve_add_breakpoint (SondeSessionServer *server, SondeSessionJob *job,
                            SondeSessionAnswer *answer, GError **error)
{
  SondeBreakpointSpec spec;
  const SondeBreakpoint *breakpoint;

  sonde_codec_read_add_breakpoint (job->request->add_breakpoint, &spec);
  breakpoint = server->target->klass->add_breakpoint (server->target, &spec, error);
  if (breakpoint == NULL)
    return FALSE;
  answer_breakpoints (server, answer, breakpoint->id);
  sonde_session_tell (server, SONDE_SESSION_EVENT_BREAKPOINTS, FALSE, NULL);
  return TRUE;
}

gboolean
sonde_serve_remove_breakpoint (SondeSessionServer *server, SondeSessionJob *job,
                               SondeSessionAnswer *answer, GError **error)
{
  if (!server->target->klass->remove (server->target, job->request->remove_breakpoint->id, error))
    return FALSE;
  answer_both (server, answer, 0);
  sonde_session_tell (server, SONDE_SESSION_EVENT_BREAKPOINTS, FALSE, NULL);
  return TRUE;
}

gboolean
sonde_serve_enable_breakpoint (SondeSessionServer *server, SondeSessionJob *job,
                               SondeSessionAnswer *answer, GError **error)
{
  const Sonde__Session__ChangeBreakpoint *message = job->request->enable_breakpoint;

  if (!server->target->klass->enable (server->target, message->id, message->value != 0, error))
    return FALSE;
  answer_both (server, answer, message->id);
  sonde_session_tell (server, SONDE_SESSION_EVENT_BREAKPOINTS, FALSE, NULL);
  return TRUE;
}

gboolean
sonde_serve_ignore_breakpoint (SondeSessionServer *server, SondeSessionJob *job,
                               SondeSessionAnswer *answer, GError **error)
{
  const Sonde__Session__ChangeBreakpoint *message = job->request->ignore_breakpoint;

  if (!server->target->klass->ignore (server->target, message->id, message->value, error))
    return FALSE;
  answer_both (server, answer, message->id);
  sonde_session_tell (server, SONDE_SESSION_EVENT_BREAKPOINTS, FALSE, NULL);
  return TRUE;
}
