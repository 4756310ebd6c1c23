/* SPDX-License-Identifier: Apache-2.0
 * Requests about breakpoints. Engine thread. */
#include "engine/session/sonde-session-server-private.h"

/* All, or the one with @id. */
static void
answer_breakpoints (SondeSessionServer *server, SondeSessionAnswer *answer, guint id)
{
  GPtrArray *list = sonde_debugger_get_breakpoints (server->debugger);

  answer->reply.breakpoints
      = sonde_session_answer_alloc (answer, list->len * sizeof (Sonde__Session__Breakpoint *));
  for (guint i = 0; i < list->len; i++)
    {
      const SondeBreakpoint *breakpoint = g_ptr_array_index (list, i);

      if (id == 0 || breakpoint->id == id)
        sonde_session_answer_breakpoint (answer, (guint) answer->reply.n_breakpoints++, breakpoint);
    }
}

gboolean
sonde_session_handle_list_breakpoints (SondeSessionServer *server, SondeSessionJob *job,
                                       SondeSessionAnswer *answer, GError **error)
{
  answer_breakpoints (server, answer, 0);
  return TRUE;
}

static const char *
null_if_empty (const char *text)
{
  return *text != '\0' ? text : NULL;
}

gboolean
sonde_session_handle_add_breakpoint (SondeSessionServer *server, SondeSessionJob *job,
                                     SondeSessionAnswer *answer, GError **error)
{
  const Sonde__Session__AddBreakpoint *message = job->request->add_breakpoint;
  SondeBreakpointSpec spec = {
    .pattern = message->pattern,
    .moment = message->after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE,
    .temporary = message->temporary,
    .ignore = message->ignore,
    .either = message->either,
    .condition = null_if_empty (message->condition),
    .hit_condition = null_if_empty (message->hit_condition),
    .log = null_if_empty (message->log),
  };
  const SondeBreakpoint *breakpoint
      = sonde_debugger_add_breakpoint (server->debugger, &spec, error);

  if (breakpoint == NULL)
    return FALSE;
  answer_breakpoints (server, answer, breakpoint->id);
  sonde_session_tell (server, SONDE_SESSION_EVENT_BREAKPOINTS, FALSE, NULL);
  return TRUE;
}

gboolean
sonde_session_handle_remove_breakpoint (SondeSessionServer *server, SondeSessionJob *job,
                                        SondeSessionAnswer *answer, GError **error)
{
  if (!sonde_debugger_remove_breakpoint (server->debugger, job->request->remove_breakpoint->id,
                                         error))
    return FALSE;
  answer_breakpoints (server, answer, 0);
  sonde_session_answer_watches (server, answer, 0);
  sonde_session_tell (server, SONDE_SESSION_EVENT_BREAKPOINTS, FALSE, NULL);
  return TRUE;
}

gboolean
sonde_session_handle_enable_breakpoint (SondeSessionServer *server, SondeSessionJob *job,
                                        SondeSessionAnswer *answer, GError **error)
{
  const Sonde__Session__ChangeBreakpoint *message = job->request->enable_breakpoint;

  if (!sonde_debugger_enable_breakpoint (server->debugger, message->id, message->value != 0, error))
    return FALSE;
  answer_breakpoints (server, answer, message->id);
  sonde_session_answer_watches (server, answer, message->id);
  sonde_session_tell (server, SONDE_SESSION_EVENT_BREAKPOINTS, FALSE, NULL);
  return TRUE;
}

gboolean
sonde_session_handle_ignore_breakpoint (SondeSessionServer *server, SondeSessionJob *job,
                                        SondeSessionAnswer *answer, GError **error)
{
  const Sonde__Session__ChangeBreakpoint *message = job->request->ignore_breakpoint;

  if (!sonde_debugger_ignore_breakpoint (server->debugger, message->id, message->value, error))
    return FALSE;
  answer_breakpoints (server, answer, message->id);
  sonde_session_answer_watches (server, answer, message->id);
  sonde_session_tell (server, SONDE_SESSION_EVENT_BREAKPOINTS, FALSE, NULL);
  return TRUE;
}
