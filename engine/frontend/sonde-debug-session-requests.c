/* SPDX-License-Identifier: Apache-2.0
 * What a user changes in a session: breakpoints, the graph, branches. */
#include "engine/frontend/sonde-debug-session-private.h"

#include "data/base/sonde-text.h"

void
sonde_debug_session_restart (SondeDebugSession *session)
{
  sonde_debug_session_ask (session, sonde_session_request_restart (),
                           sonde_debug_session_take_status, FALSE);
}

void
sonde_debug_session_toggle_breakpoint (SondeDebugSession *session, const char *pattern)
{
  SondeBreakpointSpec spec = { .pattern = pattern, .moment = SONDE_MOMENT_BEFORE };
  gboolean removed = FALSE;

  for (guint i = 0; session->breakpoints != NULL && i < session->breakpoints->len; i++)
    {
      const SondeBreakpoint *info = g_ptr_array_index (session->breakpoints, i);

      if (g_strcmp0 (info->pattern, pattern) != 0)
        continue;
      sonde_debug_session_ask (session, sonde_session_request_remove_breakpoint (info->id), NULL,
                               FALSE);
      removed = TRUE;
    }
  if (!removed)
    sonde_debug_session_ask (session, sonde_session_request_add_breakpoint (&spec), NULL, FALSE);
  sonde_debug_session_refresh_breakpoints (session);
}

void
sonde_debug_session_remove_breakpoint (SondeDebugSession *session, guint id)
{
  sonde_debug_session_ask (session, sonde_session_request_remove_breakpoint (id), NULL, FALSE);
  sonde_debug_session_refresh_breakpoints (session);
}

void
sonde_debug_session_enable_breakpoint (SondeDebugSession *session, guint id, gboolean enabled)
{
  sonde_debug_session_ask (session, sonde_session_request_enable_breakpoint (id, enabled), NULL,
                           FALSE);
  sonde_debug_session_refresh_breakpoints (session);
}

void
sonde_debug_session_recheck (SondeDebugSession *session)
{
  sonde_debug_session_ask (session, sonde_session_request_recheck (0),
                           sonde_debug_session_take_hits, FALSE);
}

void
sonde_debug_session_report_edits (SondeDebugSession *session, SondeSessionReply *reply)
{
  for (guint i = 0; reply->edits != NULL && i < reply->edits->len; i++)
    {
      const SondeEdit *edit = g_ptr_array_index (reply->edits, i);

      if (edit->warning != NULL)
        sonde_debug_session_report (session, sonde_message_get_text (edit->warning));
    }
  if (reply->note != NULL)
    sonde_debug_session_report (session, sonde_message_get_text (reply->note));
}

void
sonde_debug_session_bypass (SondeDebugSession *session, const char *node)
{
  sonde_debug_session_ask (session, sonde_session_request_bypass (node),
                           sonde_debug_session_report_edits, FALSE);
}

void
sonde_debug_session_branch (SondeDebugSession *session, SondeBranchRequest what, const char *name)
{
  sonde_debug_session_ask (session, sonde_session_request_branch (what, name), NULL, FALSE);
}
